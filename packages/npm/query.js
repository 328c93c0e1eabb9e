// Reads, writes and sorts queries: name=value pairs that are separated by "&".
import { PercentError } from "./error.js";
import { decode, decodeBytes, encode } from "./full.js";
import { inputOf, textOf } from "./input.js";
import { NOTHING, PARSE, SORT, STRINGIFY } from "./options.js";
import { toUtf8 } from "./utf8.js";

/** Parses a query or a form into decoded pairs. */
export function parseQuery(query, given) {
  const { plus = true, strict, fatal } = PARSE(given);
  const input = inputOf(query);
  const isText = typeof input === "string";
  // Each option is named here. So none can come from the prototype of all objects.
  const options = { plus: isText ? undefined : plus, strict, keep: undefined, layers: undefined, fatal };
  const [AND, EQUALS, MARK] = isText ? ["&", "=", "?"] : [0x26, 0x3d, 0x3f];
  const cut = (whole, from, to) => (isText ? whole.slice(from, to) : whole.subarray(from, to));
  const decoded = (part, start) => {
    try {
      return decode(isText && plus ? part.replaceAll("+", " ") : part, options);
    } catch (error) {
      if (!(error instanceof PercentError)) throw error;
      const before = isText ? toUtf8(input.slice(0, start)).length : start;
      throw new PercentError(error.code, error.code === "invalid-utf8" ? before : before + error.offset, error);
    }
  };
  const pairs = [];
  for (let start = input[0] === MARK ? 1 : 0; start < input.length; ) {
    const and = input.indexOf(AND, start);
    const end = and < 0 ? input.length : and;
    const pair = cut(input, start, end);
    if (pair.length > 0) {
      const equals = pair.indexOf(EQUALS);
      const name = decoded(equals < 0 ? pair : cut(pair, 0, equals), start);
      pairs.push([name, equals < 0 ? "" : decoded(cut(pair, equals + 1), start + equals + 1)]);
    }
    start = end + 1;
  }
  return pairs;
}

/** Returns the pairs of an iterable, or of an object. */
function* pairsOf(pairs) {
  if (typeof pairs !== "object" || pairs === null) throw new TypeError("the pairs must be an iterable of [name, value], or an object");
  if (Symbol.iterator in pairs) {
    for (const pair of pairs) {
      if (!Array.isArray(pair) || pair.length !== 2) throw new TypeError("each pair must be an array of a name and a value");
      yield pair;
    }
    return;
  }
  for (const [name, value] of Object.entries(pairs)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) yield [name, each];
  }
}

/** Joins the parts of a query. */
function joined(parts, by = "&") {
  try {
    return parts.join(by);
  } catch (cause) {
    throw new PercentError("too-large", 0, cause);
  }
}

/** Writes pairs as a query or a form. */
export function stringifyQuery(pairs, given) {
  const { set = "WHATWG_FORM", plus } = STRINGIFY(given);
  const options = { set, plus, lowercase: undefined, keepTriplets: undefined };
  return joined(Array.from(pairsOf(pairs), ([name, value]) => joined([encode(name, options), encode(value, options)], "=")));
}

/** The orders that encode each name and value anew. `plus` is true if an order reads "+" as a space. */
const ENCODED = { sigv4: { __proto__: NOTHING, plus: false }, oauth1: { __proto__: NOTHING, plus: true } };

/** Returns true if a decoded name is in the list. A "*" at the end of a listed name stands for any text. */
const isListed = (name, list) => list.some((listed) => (listed.endsWith("*") ? name.startsWith(listed.slice(0, -1)) : name === listed));

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** Sorts the pairs of a query, and drops some. */
export function sortQuery(query, given) {
  const { order = "name", drop = [] } = SORT(given);
  const encoded = ENCODED[order];
  const reading = encoded ?? ENCODED.oauth1;
  const writing = { __proto__: NOTHING, set: "AWS_SIGV4" };
  const written = (part) => encode(decodeBytes(part, reading), writing);
  const text = textOf(inputOf(query)).replace(/^\?/, "");
  const pairs = text.split("&").map((pair) => {
    const equals = pair.indexOf("=");
    const [name, value] = equals < 0 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
    return { pair, name, value, key: decode(name, reading) };
  });
  const kept = pairs.filter(({ pair, key }) => (pair !== "" || order === "kept") && !isListed(key, drop));
  if (encoded) {
    const canonical = kept.map(({ name, value }) => [written(name), written(value)]);
    canonical.sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
    return joined(canonical.map((pair) => joined(pair, "=")));
  }
  if (order === "name") kept.sort((a, b) => compare(a.key, b.key));
  return joined(kept.map(({ pair }) => pair));
}
