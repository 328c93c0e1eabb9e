// The options of all calls, with their valid values.
import { FLAG, REPAIRS } from "./abi.js";
import { ByteSet, hasByte } from "./sets.js";

function shown(value) {
  if (typeof value === "string") return JSON.stringify(value);
  return (typeof value === "object" && value !== null) || typeof value === "function" ? `a value of type ${typeof value}` : String(value);
}

/**
 * Returns a function that returns a valid value or undefined, and throws for all other values. `allowed` describes the valid values, and `list` has them if
 * they are few.
 */
const option = (isValid, allowed, list = []) => (name, value) => {
  if (value === undefined || isValid(value)) return value;
  throw new TypeError(`the option "${name}" must be ${allowed}${list.map((each) => JSON.stringify(each)).join(", ")}, not ${shown(value)}`);
};
const someOf = (values) => option((value) => Array.isArray(value) && value.every((item) => values.includes(item)), "an array of ", values);
const oneOf = (values) => option((value) => values.includes(value), "one of ", values);

const boolean = /* @__PURE__ */ option((value) => typeof value === "boolean", "true or false");
const set = /* @__PURE__ */ option((value) => typeof value === "string" || value instanceof ByteSet, "the name of a set or a ByteSet");
const plus = /* @__PURE__ */ option((value) => typeof value === "boolean" || value === "after-query", 'true, false or "after-query"');
const names = /* @__PURE__ */ option((value) => Array.isArray(value) && value.every((name) => typeof name === "string"), "an array of names");
const MOST_LAYERS = 0xffffffff;
const layers = /* @__PURE__ */ option((value) => value === Infinity || (Number.isInteger(value) && value >= 1 && value <= MOST_LAYERS), "a whole number from 1 on, or Infinity");
const repairs = /* @__PURE__ */ someOf(REPAIRS);
const order = /* @__PURE__ */ oneOf(["name", "sigv4", "oauth1", "kept"]);

/** No options. It has no prototype, because other code may have written to the prototype of all objects, by mistake or in an attack. */
export const NOTHING = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ Object.create(null));

/**
 * Returns a function that reads the options of a call, and throws if an option is unknown. If the call got no options,
 * or a number in their place (the index that `map` passes), the function uses the defaults.
 *
 * `values` is the function that reads each option once. Its code names each option, because a loop over names would
 * take longer than the conversion of a short text. `names` lists the options. By default, each property of the result
 * of `values` is an option.
 */
function reader(values, names) {
  // The first calls create these. The import doesn't, because it must be fast.
  let none;
  let known;
  return (given) => {
    if (given === undefined || typeof given === "number") return (none ??= values(NOTHING));
    if (typeof given !== "object" || given === null) throw new TypeError(`the options must be an object, not ${shown(given)}`);
    known ??= new Set(names ?? Object.keys(values(NOTHING)));
    for (const name in given) {
      if (!known.has(name) && Object.hasOwn(given, name)) throw new TypeError(`there is no option "${name}" here; there are: ${[...known].join(", ")}`);
    }
    return values(given);
  };
}

/** Returns `flags` with `flag` set or cleared, or unchanged if the option has no value. */
const changed = (flags, flag, value) => (value === undefined ? flags : value ? flags | flag : flags & ~flag);

/** The options of the last call that encoded. */
let encoding;

/**
 * Reads the options of encoding. Returns an object with these options and three values that follow from them: `found`
 * (the set), `flags`, and `isDefault`, which is true if encoding gives the result of `encodeURIComponent`. If the
 * options have the same values as in the last call, returns the object of the last call, because checking the options
 * takes as long as encoding a short text.
 */
function readEncoding(given) {
  const { set: users, plus, lowercase, keepTriplets } = given;
  const last = encoding;
  if (last && last.set === users && last.plus === plus && last.lowercase === lowercase && last.keepTriplets === keepTriplets) return last;
  const found = chosen(set("set", users) ?? "ECMA_ENCODE_URI_COMPONENT");
  let flags = changed(found.flags, FLAG.PLUS, boolean("plus", plus));
  flags = changed(flags, FLAG.LOWERCASE, boolean("lowercase", lowercase));
  flags = changed(flags, FLAG.KEEP_TRIPLETS, boolean("keepTriplets", keepTriplets));
  encoding = { set: users, plus, lowercase, keepTriplets, found, flags, isDefault: users === undefined && flags === 0 };
  return encoding;
}

/** The options of the last call that decoded. */
let decoding;

/** Reads the options of decoding, as `readEncoding` does. `kept` is the set of bytes whose escapes stay. */
function readDecoding(given) {
  const { plus: users, strict, keep, layers: most, fatal } = given;
  const last = decoding;
  if (last && last.plus === users && last.strict === strict && last.keep === keep && last.most === most && last.fatal === fatal) return last;
  plus("plus", users);
  boolean("strict", strict);
  const kept = keep === undefined ? undefined : chosen(set("keep", keep));
  layers("layers", most);
  boolean("fatal", fatal);
  const flags = (users === "after-query" ? FLAG.PLUS_AFTER_QUERY : users ? FLAG.PLUS : 0) | (strict ? FLAG.STRICT : 0) | (fatal ? FLAG.CHECK_UTF8 : 0);
  decoding = { plus: users, strict, keep, most, fatal, flags, kept, layers: Math.min(most ?? 1, MOST_LAYERS) };
  return decoding;
}

/** The readers of the options, by call. */
export const CODEC_ENCODE = /* @__PURE__ */ reader(readEncoding, ["set", "plus"]);
export const CODEC_DECODE_BYTES = /* @__PURE__ */ reader(readDecoding, ["plus", "strict"]);
export const CODEC_DECODE = /* @__PURE__ */ reader(readDecoding, ["plus", "strict", "fatal"]);
export const ENCODE = /* @__PURE__ */ reader(readEncoding, ["set", "plus", "lowercase", "keepTriplets"]);
export const DECODE_STREAM = /* @__PURE__ */ reader(readDecoding, ["plus", "strict", "keep"]);
export const DECODE_BYTES = /* @__PURE__ */ reader(readDecoding, ["plus", "strict", "keep", "layers"]);
export const DECODE = /* @__PURE__ */ reader(readDecoding, ["plus", "strict", "keep", "layers", "fatal"]);
export const NORMALIZE = /* @__PURE__ */ reader((given) => ({
  byScheme: boolean("byScheme", given.byScheme),
  escapesOnly: boolean("escapesOnly", given.escapesOnly),
  sanitize: boolean("sanitize", given.sanitize),
}));
export const REPAIR = /* @__PURE__ */ reader((given) => ({ without: repairs("without", given.without) }));
export const PARSE = /* @__PURE__ */ reader((given) => ({
  plus: boolean("plus", given.plus),
  strict: boolean("strict", given.strict),
  fatal: boolean("fatal", given.fatal),
}));
export const STRINGIFY = /* @__PURE__ */ reader((given) => ({ set: set("set", given.set), plus: boolean("plus", given.plus) }));
export const SORT = /* @__PURE__ */ reader((given) => ({ order: order("order", given.order), drop: names("drop", given.drop) }));

/** Returns an expression that finds the first character that encoding might change: one that is not ASCII or not in the set, a space, or a `%`. */
function expression(bits) {
  const stays = (code) => code !== 0x20 && code !== 0x25 && hasByte(bits, code);
  const codes = Array.from({ length: 128 }, (_, code) => code).filter(stays);
  return new RegExp(`[^${codes.map((code) => `\\x${code.toString(16).padStart(2, "0")}`).join("")}]`);
}

/** A cache of the named sets that were used. */
const named = new Map();

/** Returns the bits and flags of a set. If it has a name, also returns its expression. */
function chosen(set) {
  if (typeof set !== "string") return set;
  let found = named.get(set);
  if (!found) {
    const { bits, flags } = ByteSet.named(set);
    found = { bits, flags, special: expression(bits) };
    named.set(set, found);
  }
  return found;
}

/** Returns a bit for each kind of repair that is wanted. */
export const repairKinds = ({ without = [] }) =>
  REPAIRS.reduce((bits, kind, bit) => (without.includes(kind) ? bits : bits | (1 << bit)), 0);
