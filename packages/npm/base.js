// Encoding and decoding by the small module, and by the full one where it takes that.
import { FLAG, NONE, STATUS } from "./abi.js";
import { catalogue, setByName, setOf } from "./sets.js";
import { Small } from "./small.js";
import { plain, simd } from "./small-modules.js";

/** The small module. */
export const small = await Small.load(simd, plain);

/** What the engine of JavaScript does as fast for strings up to this length. */
const SHORT = 1024;

/** Why an input is refused, and where. */
export class PercentError extends URIError {
  /**
   * @param {string} code
   * @param {number} offset
   */
  constructor(code, offset) {
    const reasons = {
      truncated: `the input ends inside the escape at byte ${offset}`,
      "not-hex": `the % at byte ${offset} is not followed by two hexadecimal digits`,
      "invalid-utf8": `the text is not UTF-8 from byte ${offset} on`,
      "no-memory": "there is not enough memory",
    };
    super(reasons[code]);
    this.name = "PercentError";
    this.code = code;
    this.offset = offset;
  }
}

/** Bytes that stay as they are when encoding. */
export class ByteSet {
  /** @param {Uint8Array} bits */
  constructor(bits, flags = 0) {
    this.bits = bits;
    this.flags = flags;
    Object.freeze(this);
  }

  /** The set that the catalogue has under this name. */
  static named(name) {
    const found = setByName(name);
    if (!found) throw new RangeError(`there is no set called ${name}`);
    return new ByteSet(found.set, found.flags);
  }

  /** The set of these characters' bytes, or of these bytes. */
  static of(members) {
    return new ByteSet(setOf(members));
  }

  has(byte) {
    return ((this.bits[byte >> 3] >> (byte & 7)) & 1) === 1;
  }

  union(other) {
    return new ByteSet(this.bits.map((byte, at) => byte | other.bits[at]), this.flags);
  }

  difference(other) {
    return new ByteSet(this.bits.map((byte, at) => byte & ~other.bits[at]), this.flags);
  }
}

/** Names and clauses of the catalogue. */
export const sets = Object.freeze(catalogue().map(([name, clause]) => Object.freeze({ name, clause })));

const named = new Map();

function chosen(set) {
  if (typeof set !== "string") return set;
  let found = named.get(set);
  if (!found) named.set(set, (found = ByteSet.named(set)));
  return found;
}

const COMPONENT = ByteSet.named("ECMA_ENCODE_URI_COMPONENT");
export const NOTHING = { set: undefined };

/** The set of the options of encoding, and their flags. */
export function encodeWith(options) {
  const set = options.set === undefined ? COMPONENT : chosen(options.set);
  let flags = set.flags;
  if (options.plus !== undefined) flags = options.plus ? flags | FLAG.PLUS : flags & ~FLAG.PLUS;
  if (options.lowercase !== undefined) flags = options.lowercase ? flags | FLAG.LOWERCASE : flags & ~FLAG.LOWERCASE;
  if (options.keepTriplets !== undefined) {
    flags = options.keepTriplets ? flags | FLAG.KEEP_TRIPLETS : flags & ~FLAG.KEEP_TRIPLETS;
  }
  return { bits: set.bits, flags };
}

/** The flags of the options of decoding. */
export const decodeFlags = ({ plus, strict, fatal }) =>
  (plus === "after-query" ? FLAG.PLUS_AFTER_QUERY : plus ? FLAG.PLUS : 0) |
  (strict ? FLAG.STRICT : 0) |
  (fatal ? FLAG.CHECK_UTF8 : 0);

/** The set whose escapes stay. */
export const kept = ({ keep }) => keep && chosen(keep).bits;

/** The value of an output, or its error. */
export function checked({ value, status, offset }) {
  if (status !== 0) throw new PercentError(STATUS[status], offset === NONE ? 0 : offset);
  return value;
}

/** The calls of the codec. `full` returns the full module. */
export function codec(full) {
  const encoded = (input, options, as) => {
    const { bits, flags } = encodeWith(options);
    return checked(small.encode(input, bits, flags, as) ?? full().encode(input, bits, flags, as));
  };
  const decoded = (input, options, as) => {
    const keep = kept(options);
    const layers = options.layers ?? 0;
    const flags = decodeFlags(as === "bytes" ? { ...options, fatal: false } : options);
    const output = keep || layers > 1 ? undefined : small.decode(input, flags, as);
    return output ?? full().decode(input, keep, flags, layers, as);
  };
  return {
    encode(input, options = NOTHING) {
      if (options === NOTHING && typeof input === "string" && input.length <= SHORT) {
        try {
          return encodeURIComponent(input);
        } catch {
          // A surrogate that stands alone: it becomes U+FFFD below.
        }
      }
      return encoded(input, options, "ascii");
    },
    encodeBytes: (input, options = NOTHING) => encoded(input, options, "bytes"),
    decode(input, options = NOTHING) {
      if (options === NOTHING && typeof input === "string" && input.length <= SHORT) {
        if (!input.includes("%")) return input.isWellFormed?.() === false ? input.toWellFormed() : input;
        try {
          return decodeURIComponent(input);
        } catch {
          // Something is malformed: it stays below.
        }
      }
      const output = decoded(input, options, "text");
      const value = checked(output);
      if (options.fatal && output.invalidUtf8 !== NONE) throw new PercentError("invalid-utf8", output.invalidUtf8);
      return value;
    },
    decodeBytes: (input, options = NOTHING) => checked(decoded(input, options, "bytes")),
  };
}
