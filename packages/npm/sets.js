// Sets of bytes, and the catalogue of named sets. A set has 256 bits in 32 bytes, from byte 0 on.
import { CATALOGUE } from "./catalogue.js";
import { bytesOf } from "./input.js";
import { toUtf8 } from "./utf8.js";

/** Returns the name and the clause of each set in the catalogue. */
export const catalogue = () => CATALOGUE.map(([name, clause]) => [name, clause]);

/** Returns the set with this name in the catalogue, and its flags, or undefined. Ignores case, and reads `-` as `_`. */
export function setByName(name) {
  const wanted = name.toUpperCase().replaceAll("-", "_");
  const entry = CATALOGUE.find(([known]) => known === wanted);
  if (!entry) return undefined;
  const [, , bits, flags] = entry;
  const set = new Uint8Array(32);
  for (let at = 0; 2 * at < bits.length; at++) set[at] = parseInt(bits.slice(2 * at, 2 * at + 2), 16);
  return { set, flags };
}

/** Returns the set of these bytes. If `members` is a string, returns the set of its UTF-8 bytes. */
export function setOf(members) {
  const set = new Uint8Array(32);
  for (const byte of typeof members === "string" ? toUtf8(members) : members) set[byte >> 3] |= 1 << (byte & 7);
  return set;
}

/** Returns true if a set has a byte. */
export const hasByte = (set, byte) => ((set[byte >> 3] >> (byte & 7)) & 1) === 1;

const upper = (set, expected) => {
  for (let at = 16; at < 32; at++) if (set[at] !== expected) return false;
  return true;
};

/** Returns true if a set has only ASCII bytes. Each call needs this, so it has no loop. */
export const isAscii = (set) =>
  (set[16] | set[17] | set[18] | set[19] | set[20] | set[21] | set[22] | set[23]) === 0 &&
  (set[24] | set[25] | set[26] | set[27] | set[28] | set[29] | set[30] | set[31]) === 0;

/**
 * Returns the set to encode `input` with if the result is a string. In text, bytes above ASCII stay only if the set has all of them, 0x80 to 0xFF.
 * Otherwise a character could keep only some of its bytes (`RawEncoder::encode_str` has the same rule). If `input` is bytes, no byte above ASCII
 * stays.
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
    // The engine copies these bytes to the start of its buffer, so a longer array would overwrite other memory.
    if (!(bits instanceof Uint8Array) || bits.length !== 32) throw new TypeError("create a ByteSet with ByteSet.of or ByteSet.named");
    this.bits = bits;
    this.flags = flags;
    Object.freeze(this);
  }

  /** Returns the set with this name in the catalogue. */
  static named(name) {
    const found = setByName(String(name));
    if (!found) throw new RangeError(`there is no set called ${String(name)}; \`sets\` lists all names`);
    return new ByteSet(found.set, found.flags);
  }

  /** Returns the set of these bytes. If `members` is a string, returns the set of its UTF-8 bytes. */
  static of(members) {
    const bytes = typeof members === "string" ? members : bytesOf(members);
    if (bytes === undefined) throw new TypeError("the members of a ByteSet must be a string, or bytes in a buffer or view");
    return new ByteSet(setOf(bytes));
  }

  has(byte) {
    if (!Number.isInteger(byte) || byte < 0 || byte > 255) throw new TypeError("a byte must be a whole number from 0 to 255");
    return hasByte(this.bits, byte);
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
