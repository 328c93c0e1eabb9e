// The options of all calls, with their valid values.
import { FLAG, REPAIRS } from "./abi.js";
import { ByteSet } from "./sets.js";

const boolean = { is: (value) => typeof value === "boolean", allowed: "true or false" };
const set = { is: (value) => typeof value === "string" || value instanceof ByteSet, allowed: "the name of a set or a ByteSet" };
const plus = { is: (value) => boolean.is(value) || value === "after-query", allowed: 'true, false or "after-query"' };
const listed = (values) => values.map((value) => JSON.stringify(value)).join(", ");
const someOf = (values) => ({
  is: (value) => Array.isArray(value) && value.every((item) => values.includes(item)),
  allowed: `an array of ${listed(values)}`,
});
const oneOf = (values) => ({ is: (value) => values.includes(value), allowed: `one of ${listed(values)}` });
const names = { is: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"), allowed: "an array of names" };
const MOST_LAYERS = 0xffffffff;
const layers = {
  is: (value) => value === Infinity || (Number.isInteger(value) && value >= 1 && value <= MOST_LAYERS),
  allowed: "a whole number from 1 on, or Infinity",
};

/** The options of each call. */
export const CODEC_ENCODE = { set, plus: boolean };
export const CODEC_DECODE_BYTES = { plus, strict: boolean };
export const CODEC_DECODE = { ...CODEC_DECODE_BYTES, fatal: boolean };
export const ENCODE = { ...CODEC_ENCODE, lowercase: boolean, keepTriplets: boolean };
export const DECODE_STREAM = { ...CODEC_DECODE_BYTES, keep: set };
export const DECODE_BYTES = { ...DECODE_STREAM, layers };
export const DECODE = { ...DECODE_BYTES, fatal: boolean };
export const NORMALIZE = { byScheme: boolean, escapesOnly: boolean, sanitize: boolean };
export const REPAIR = { without: /* @__PURE__ */ someOf(REPAIRS) };
export const PARSE = { plus: boolean, strict: boolean, fatal: boolean };
export const STRINGIFY = { set, plus: boolean };
export const SORT = { order: /* @__PURE__ */ oneOf(["name", "sigv4", "oauth1", "kept"]), drop: names };

/** The value of `read` if there are no options. */
export const NOTHING = Object.freeze({});

function shown(value) {
  if (typeof value === "string") return JSON.stringify(value);
  return (typeof value === "object" && value !== null) || typeof value === "function" ? `a value of type ${typeof value}` : String(value);
}

/** Reads each option once, and returns the options. If there are none, or if `given` is a number (the index from `map`), returns `NOTHING`. */
export function read(given, known) {
  if (given === undefined || given === NOTHING || typeof given === "number") return NOTHING;
  if (typeof given !== "object" || given === null) throw new TypeError(`the options must be an object, not ${shown(given)}`);
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(known, name)) throw new TypeError(`there is no option "${name}" here; there are: ${Object.keys(known).join(", ")}`);
  }
  const options = {};
  for (const name in known) {
    const value = given[name];
    if (value === undefined) continue;
    if (!known[name].is(value)) throw new TypeError(`the option "${name}" must be ${known[name].allowed}, not ${shown(value)}`);
    options[name] = value;
  }
  return options;
}

const named = new Map();

function chosen(set) {
  if (typeof set !== "string") return set;
  let found = named.get(set);
  if (!found) {
    found = ByteSet.named(set);
    named.set(set, found);
  }
  return found;
}

const COMPONENT = ByteSet.named("ECMA_ENCODE_URI_COMPONENT");

/** Returns the set and the flags for the options of encoding. */
export function encodeWith(options) {
  const { bits, flags: users } = options.set === undefined ? COMPONENT : chosen(options.set);
  let flags = users;
  const change = (value, flag) => {
    if (value !== undefined) flags = value ? flags | flag : flags & ~flag;
  };
  change(options.plus, FLAG.PLUS);
  change(options.lowercase, FLAG.LOWERCASE);
  change(options.keepTriplets, FLAG.KEEP_TRIPLETS);
  return { bits, flags };
}

/** Returns the flags for the options of decoding. */
export const decodeFlags = ({ plus, strict, fatal }) =>
  (plus === "after-query" ? FLAG.PLUS_AFTER_QUERY : plus ? FLAG.PLUS : 0) |
  (strict ? FLAG.STRICT : 0) |
  (fatal ? FLAG.CHECK_UTF8 : 0);

/** Returns the set of bytes whose escapes stay. */
export const kept = ({ keep }) => (keep === undefined ? undefined : chosen(keep).bits);

/** Returns the maximum number of layers to decode. */
export const layersOf = ({ layers = 1 }) => Math.min(layers, MOST_LAYERS);

/** Returns a bit for each kind of repair that is wanted. */
export const repairKinds = ({ without = [] }) =>
  REPAIRS.reduce((bits, kind, bit) => (without.includes(kind) ? bits : bits | (1 << bit)), 0);
