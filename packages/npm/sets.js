// Sets of bytes, and the catalogue of those that have names: 256 bits as 32 bytes, from byte 0 on.
import { CATALOGUE } from "./catalogue.js";
import { bytesOf } from "./input.js";

const byName = new Map(CATALOGUE.map((entry) => [entry[0], entry]));

/** The names and clauses of the catalogue. */
export const catalogue = () => CATALOGUE.map(([name, clause]) => [name, clause]);

/** A set of the catalogue, and the flags of its users; or undefined. The case of the name does not matter, nor `-` for `_`. */
export function setByName(name) {
  const entry = byName.get(name.toUpperCase().replaceAll("-", "_"));
  if (!entry) return undefined;
  const [, , bits, flags] = entry;
  const set = new Uint8Array(32);
  for (let at = 0; 2 * at < bits.length; at++) set[at] = parseInt(bits.slice(2 * at, 2 * at + 2), 16);
  return { set, flags };
}

/** The set of these bytes, or of the bytes of these characters in UTF-8. */
export function setOf(members) {
  const set = new Uint8Array(32);
  for (const byte of typeof members === "string" ? new TextEncoder().encode(members) : members) set[byte >> 3] |= 1 << (byte & 7);
  return set;
}

const upper = (set, expected) => {
  for (let at = 16; at < 32; at++) if (set[at] !== expected) return false;
  return true;
};

/** Whether there is no byte above ASCII in a set. */
export const isAscii = (set) => upper(set, 0);

/**
 * The set by which `input` is encoded to a string, as `RawEncoder::encode_str` does it: characters beyond ASCII stay if the set has all
 * of their bytes, 0x80 to 0xFF. With only some of those they would be torn apart, and of bytes that are no text none can stay.
 */
export function setForText(set, input) {
  if (isAscii(set) || (typeof input === "string" && upper(set, 0xff))) return set;
  const ascii = new Uint8Array(32);
  ascii.set(set.subarray(0, 16));
  return ascii;
}

/** A set of bytes. */
export class ByteSet {
  /** @param {Uint8Array} bits */
  constructor(bits, flags = 0) {
    this.bits = bits;
    this.flags = flags;
    Object.freeze(this);
  }

  /** The set that the catalogue has under this name. */
  static named(name) {
    const found = setByName(String(name));
    if (!found) throw new RangeError(`there is no set called ${String(name)}; \`sets\` lists all names`);
    return new ByteSet(found.set, found.flags);
  }

  /** The set of these characters' bytes, or of these bytes. */
  static of(members) {
    const bytes = typeof members === "string" ? members : bytesOf(members);
    if (bytes === undefined) throw new TypeError("the members of a ByteSet must be a string, or bytes in a buffer or view");
    return new ByteSet(setOf(bytes));
  }

  has(byte) {
    if (!Number.isInteger(byte) || byte < 0 || byte > 255) throw new TypeError("a byte must be a whole number from 0 to 255");
    return ((this.bits[byte >> 3] >> (byte & 7)) & 1) === 1;
  }

  union(other) {
    const { bits } = checked(other);
    return new ByteSet(this.bits.map((byte, at) => byte | bits[at]), this.flags);
  }

  difference(other) {
    const { bits } = checked(other);
    return new ByteSet(this.bits.map((byte, at) => byte & ~bits[at]), this.flags);
  }
}

function checked(set) {
  if (!(set instanceof ByteSet)) throw new TypeError("the other set must be a ByteSet");
  return set;
}
