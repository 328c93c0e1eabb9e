// The options of all calls, with their valid values.
import { FLAG, REPAIRS } from "./abi.js";
import { ByteSet, isAscii } from "./sets.js";

function shown(value) {
  if (typeof value === "string") return JSON.stringify(value);
  return (typeof value === "object" && value !== null) || typeof value === "function" ? `a value of type ${typeof value}` : String(value);
}

/** Returns a function that returns a valid value or undefined, and throws for all other values. */
const option = (isValid, allowed) => (name, value) => {
  if (value === undefined || isValid(value)) return value;
  throw new TypeError(`the option "${name}" must be ${allowed}, not ${shown(value)}`);
};
const listed = (values) => values.map((value) => JSON.stringify(value)).join(", ");
const someOf = (values) => option((value) => Array.isArray(value) && value.every((item) => values.includes(item)), `an array of ${listed(values)}`);
const oneOf = (values) => option((value) => values.includes(value), `one of ${listed(values)}`);

const boolean = /* @__PURE__ */ option((value) => typeof value === "boolean", "true or false");
const set = /* @__PURE__ */ option((value) => typeof value === "string" || value instanceof ByteSet, "the name of a set or a ByteSet");
const plus = /* @__PURE__ */ option((value) => typeof value === "boolean" || value === "after-query", 'true, false or "after-query"');
const names = /* @__PURE__ */ option((value) => Array.isArray(value) && value.every((name) => typeof name === "string"), "an array of names");
const MOST_LAYERS = 0xffffffff;
const layers = /* @__PURE__ */ option((value) => value === Infinity || (Number.isInteger(value) && value >= 1 && value <= MOST_LAYERS), "a whole number from 1 on, or Infinity");
const repairs = /* @__PURE__ */ someOf(REPAIRS);
const order = /* @__PURE__ */ oneOf(["name", "sigv4", "oauth1", "kept"]);

/** A reader of options returns this if the call has no options. */
export const NOTHING = Object.freeze({});

/**
 * Returns a function that reads the options of a call. It throws if an option is unknown. `values` reads each option once. Its code names each
 * option, because a loop over names would take longer than the conversion of a short text. If there are no options, or only a number (the index from
 * `map`), the function returns `NOTHING`.
 */
function reader(values) {
  // The first call with options creates this. The import doesn't, because it must be fast.
  let known;
  return (given) => {
    if (given === undefined || given === NOTHING || typeof given === "number") return NOTHING;
    if (typeof given !== "object" || given === null) throw new TypeError(`the options must be an object, not ${shown(given)}`);
    known ??= new Set(Object.keys(values(NOTHING)));
    for (const name in given) {
      if (!known.has(name) && Object.hasOwn(given, name)) throw new TypeError(`there is no option "${name}" here; there are: ${[...known].join(", ")}`);
    }
    return values(given);
  };
}

/** The readers of the options, by call. */
export const CODEC_ENCODE = /* @__PURE__ */ reader((given) => ({ set: set("set", given.set), plus: boolean("plus", given.plus) }));
export const CODEC_DECODE_BYTES = /* @__PURE__ */ reader((given) => ({ plus: plus("plus", given.plus), strict: boolean("strict", given.strict) }));
export const CODEC_DECODE = /* @__PURE__ */ reader((given) => ({
  plus: plus("plus", given.plus),
  strict: boolean("strict", given.strict),
  fatal: boolean("fatal", given.fatal),
}));
export const ENCODE = /* @__PURE__ */ reader((given) => ({
  set: set("set", given.set),
  plus: boolean("plus", given.plus),
  lowercase: boolean("lowercase", given.lowercase),
  keepTriplets: boolean("keepTriplets", given.keepTriplets),
}));
export const DECODE_STREAM = /* @__PURE__ */ reader((given) => ({
  plus: plus("plus", given.plus),
  strict: boolean("strict", given.strict),
  keep: set("keep", given.keep),
}));
export const DECODE_BYTES = /* @__PURE__ */ reader((given) => ({
  plus: plus("plus", given.plus),
  strict: boolean("strict", given.strict),
  keep: set("keep", given.keep),
  layers: layers("layers", given.layers),
}));
export const DECODE = /* @__PURE__ */ reader((given) => ({
  plus: plus("plus", given.plus),
  strict: boolean("strict", given.strict),
  keep: set("keep", given.keep),
  layers: layers("layers", given.layers),
  fatal: boolean("fatal", given.fatal),
}));
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
  const stays = (code) => code !== 0x20 && code !== 0x25 && ((bits[code >> 3] >> (code & 7)) & 1) === 1;
  const codes = Array.from({ length: 128 }, (_, code) => code).filter(stays);
  return new RegExp(`[^${codes.map((code) => `\\x${code.toString(16).padStart(2, "0")}`).join("")}]`);
}

/**
 * Returns an expression that finds each `%` of an escape that stays when decoding keeps this set. Returns undefined for a set with `%` or with
 * bytes above ASCII: JavaScript's own function can't keep their escapes.
 */
function escapes(bits) {
  const codes = Array.from({ length: 128 }, (_, code) => code).filter((code) => (bits[code >> 3] >> (code & 7)) & 1);
  if (codes.includes(0x25) || !isAscii(bits)) return undefined;
  return new RegExp(`%(?=${codes.map((code) => code.toString(16).padStart(2, "0")).join("|")})`, "gi");
}

/** A cache of the named sets that were used, with their expressions. */
const named = new Map();

/** Returns the bits and flags of a set. If it has a name, also returns its expressions. */
function chosen(set) {
  if (typeof set !== "string") return set;
  let found = named.get(set);
  if (!found) {
    const { bits, flags } = ByteSet.named(set);
    found = { bits, flags, special: expression(bits), escapes: escapes(bits) };
    named.set(set, found);
  }
  return found;
}

/** Returns the set and the flags for the options of encoding. For a named set, `special` finds the first character that encoding might change. */
export function encodeWith(options) {
  const { bits, flags: users, special } = chosen(options.set ?? "ECMA_ENCODE_URI_COMPONENT");
  let flags = users;
  const change = (value, flag) => {
    if (value !== undefined) flags = value ? flags | flag : flags & ~flag;
  };
  change(options.plus, FLAG.PLUS);
  change(options.lowercase, FLAG.LOWERCASE);
  change(options.keepTriplets, FLAG.KEEP_TRIPLETS);
  return { bits, flags, special };
}

/** Returns the flags for the options of decoding. */
export const decodeFlags = ({ plus, strict, fatal }) =>
  (plus === "after-query" ? FLAG.PLUS_AFTER_QUERY : plus ? FLAG.PLUS : 0) |
  (strict ? FLAG.STRICT : 0) |
  (fatal ? FLAG.CHECK_UTF8 : 0);

/** Returns the set of bytes whose escapes stay. */
export const kept = ({ keep }) => (keep === undefined ? undefined : chosen(keep).bits);

/** Returns an expression that finds the escapes of a named set, or undefined. */
export const escapesOf = (set) => chosen(set).escapes;

/** Returns the maximum number of layers to decode. */
export const layersOf = ({ layers = 1 }) => Math.min(layers, MOST_LAYERS);

/** Returns a bit for each kind of repair that is wanted. */
export const repairKinds = ({ without = [] }) =>
  REPAIRS.reduce((bits, kind, bit) => (without.includes(kind) ? bits : bits | (1 << bit)), 0);
