// Encodes and decodes short text in JavaScript, because a call of a module would take longer than the work.
import { FLAG } from "./abi.js";
import { hexValue } from "./fallback.js";
import { ShortBuffer } from "./memory.js";

const PERCENT = 0x25;
const SPACE = 0x20;
const PLUS = 0x2b;
/** The greatest length of a text, in UTF-16 units. For longer text, the small module is faster. */
export const SHORT = 64;
/** A UTF-16 unit becomes at most three bytes in UTF-8, and each of these bytes becomes an escape of three characters. */
const MOST = 9 * SHORT;
/** The result. The first call creates this buffer. The import doesn't, because it must be fast. */
let out;

const isTriplet = (text, at) => hexValue(text.charCodeAt(at + 1)) >= 0 && hexValue(text.charCodeAt(at + 2)) >= 0;
const codes = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0));
/** The hexadecimal digits. They are also created by the first calls that need them, not by the import. */
let upper;
let lower;

/**
 * Returns the character at `at`, or U+FFFD for a surrogate without a partner. `codePointAt` isn't safe here: for a slice that ends with a
 * high surrogate, Chromium 156 takes the low surrogate that follows in the sliced string.
 */
function scalarAt(text, at, unit) {
  if (unit < 0xd800 || unit >= 0xe000) return unit;
  const low = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
  return unit < 0xdc00 && low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
}

/** Writes the escape of a byte to `at`, and returns its end. */
function escape(bytes, at, byte, digits) {
  bytes[at] = PERCENT;
  bytes[at + 1] = digits[byte >> 4];
  bytes[at + 2] = digits[byte & 15];
  return at + 3;
}

/** Encodes text of up to `SHORT` characters as `Engine.encode` does. The set has only ASCII. */
export function encodeShort(text, set, flags) {
  out ??= new ShortBuffer(MOST);
  const { bytes } = out;
  const digits = flags & FLAG.LOWERCASE ? (lower ??= codes("0123456789abcdef")) : (upper ??= codes("0123456789ABCDEF"));
  // No character has the code -1.
  const space = flags & FLAG.PLUS ? SPACE : -1;
  const percent = flags & FLAG.KEEP_TRIPLETS ? PERCENT : -1;
  let len = 0;
  let pluses = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) {
      if (unit === space) {
        bytes[len++] = PLUS;
        pluses++;
      } else if (unit === percent) {
        if (isTriplet(text, at)) {
          bytes[len++] = PERCENT;
          bytes[len++] = text.charCodeAt(++at);
          bytes[len++] = text.charCodeAt(++at);
        } else len = escape(bytes, len, PERCENT, digits);
      } else if ((set[unit >> 3] >> (unit & 7)) & 1) bytes[len++] = unit;
      else len = escape(bytes, len, unit, digits);
      continue;
    }
    const scalar = scalarAt(text, at, unit);
    if (scalar < 0x800) len = escape(bytes, len, 0xc0 | (scalar >> 6), digits);
    else {
      if (scalar < 0x10000) len = escape(bytes, len, 0xe0 | (scalar >> 12), digits);
      else {
        len = escape(bytes, len, 0xf0 | (scalar >> 18), digits);
        len = escape(bytes, len, 0x80 | ((scalar >> 12) & 63), digits);
        at++;
      }
      len = escape(bytes, len, 0x80 | ((scalar >> 6) & 63), digits);
    }
    len = escape(bytes, len, 0x80 | (scalar & 63), digits);
  }
  // Each escape that is written makes the output longer.
  return len === text.length && pluses === 0 ? text : out.read(len);
}

/**
 * Decodes text of up to `SHORT` characters, and keeps the escapes of a set. Returns undefined if the module must decode it: a character is not ASCII,
 * an escape is malformed, or the bytes aren't UTF-8.
 */
export function decodeShort(text, keep) {
  out ??= new ShortBuffer(MOST);
  const { bytes } = out;
  let len = 0;
  let all = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    let byte = unit;
    if (unit === PERCENT) {
      const high = hexValue(text.charCodeAt(at + 1));
      const low = hexValue(text.charCodeAt(at + 2));
      if (high < 0 || low < 0) return undefined;
      byte = 16 * high + low;
      if ((keep[byte >> 3] >> (byte & 7)) & 1) byte = unit;
      else at += 2;
    } else if (unit >= 0x80) return undefined;
    bytes[len++] = byte;
    all |= byte;
  }
  if (all < 0x80) return out.read(len);
  const decoded = out.readUtf8(len);
  return decoded.includes("\ufffd") ? undefined : decoded;
}
