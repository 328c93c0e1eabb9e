// Encodes short text in JavaScript, because a call of a module would take longer than the work.
import { FLAG } from "./abi.js";
import { hexValue } from "./fallback.js";
import { AsciiBuffer } from "./memory.js";

const PERCENT = 0x25;
const SPACE = 0x20;
const PLUS = 0x2b;
/** The greatest length of a text, in UTF-16 units. */
export const SHORT = 256;
/** A character of UTF-16 has at most three bytes in UTF-8, and each has an escape of three characters. */
const MOST = 9 * SHORT;
/** The result. The first call creates this buffer. The import doesn't, because it must be fast. */
let out;

const isTriplet = (text, at) => hexValue(text.charCodeAt(at + 1)) >= 0 && hexValue(text.charCodeAt(at + 2)) >= 0;
/** Returns the character code of a hexadecimal digit. `letter` is the code of "A" or "a", minus 10. */
const digit = (value, letter) => value + (value < 10 ? 0x30 : letter);

/**
 * Returns the character at `at`, or U+FFFD for a surrogate without a partner. `codePointAt` isn't safe here: for a slice that ends with a
 * high surrogate, Chromium 156 takes the low surrogate that follows in the sliced string.
 */
function scalarAt(text, at, unit) {
  if (unit < 0xd800 || unit >= 0xe000) return unit;
  const low = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
  return unit < 0xdc00 && low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
}

/** Returns true if each character stays. */
function isClean(text, set) {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80 || unit === SPACE || unit === PERCENT || !((set[unit >> 3] >> (unit & 7)) & 1)) return false;
  }
  return true;
}

/** Writes the escape of a byte to `at`, and returns its end. */
function escape(bytes, at, byte, letter) {
  bytes[at] = PERCENT;
  bytes[at + 1] = digit(byte >> 4, letter);
  bytes[at + 2] = digit(byte & 15, letter);
  return at + 3;
}

/** Encodes text of up to `SHORT` characters as `Engine.encode` does. The set has only ASCII. */
export function encodeShort(text, set, flags) {
  if (isClean(text, set)) return text;
  const letter = flags & FLAG.LOWERCASE ? 0x57 : 0x37;
  const plus = (flags & FLAG.PLUS) !== 0;
  const keepsTriplets = (flags & FLAG.KEEP_TRIPLETS) !== 0;
  out ??= new AsciiBuffer(MOST);
  const { bytes } = out;
  let len = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) {
      if (unit === SPACE && plus) bytes[len++] = PLUS;
      else if (unit === PERCENT && keepsTriplets) {
        if (isTriplet(text, at)) {
          bytes[len++] = PERCENT;
          bytes[len++] = text.charCodeAt(++at);
          bytes[len++] = text.charCodeAt(++at);
        } else len = escape(bytes, len, PERCENT, letter);
      } else if ((set[unit >> 3] >> (unit & 7)) & 1) bytes[len++] = unit;
      else len = escape(bytes, len, unit, letter);
      continue;
    }
    const scalar = scalarAt(text, at, unit);
    if (scalar < 0x800) len = escape(bytes, len, 0xc0 | (scalar >> 6), letter);
    else {
      if (scalar < 0x10000) len = escape(bytes, len, 0xe0 | (scalar >> 12), letter);
      else {
        len = escape(bytes, len, 0xf0 | (scalar >> 18), letter);
        len = escape(bytes, len, 0x80 | ((scalar >> 12) & 63), letter);
        at++;
      }
      len = escape(bytes, len, 0x80 | ((scalar >> 6) & 63), letter);
    }
    len = escape(bytes, len, 0x80 | (scalar & 63), letter);
  }
  return out.read(len);
}
