// Encodes short text in JavaScript, because a call of a module would take longer than the work.
import { FLAG } from "./abi.js";
import { AsciiBuffer } from "./memory.js";

const PERCENT = 0x25;
const SPACE = 0x20;
const PLUS = 0x2b;
/** The greatest length of a text. */
export const SHORT = 32;
/** A character of UTF-16 has at most three bytes in UTF-8, and each has an escape of three characters. */
const MOST = 9 * SHORT;
/** The result. The first call creates this buffer. The import doesn't, because it must be fast. */
let out;

const isTriplet = (text, at) => /^%[\da-f]{2}/i.test(text.slice(at, at + 3));
/** Returns the character code of a hexadecimal digit. `letter` is the code of "A" or "a", less 10. */
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

/** Encodes text of up to `SHORT` characters as `Engine.encode` does. The set has only ASCII. */
export function encodeShort(text, set, flags) {
  const letter = flags & FLAG.LOWERCASE ? 0x57 : 0x37;
  out ??= new AsciiBuffer(MOST);
  const { bytes } = out;
  let len = 0;
  let changes = false;
  const escape = (byte) => {
    bytes[len] = PERCENT;
    bytes[len + 1] = digit(byte >> 4, letter);
    bytes[len + 2] = digit(byte & 15, letter);
    len += 3;
  };
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) {
      if (unit === PERCENT && flags & FLAG.KEEP_TRIPLETS && isTriplet(text, at)) {
        bytes[len++] = PERCENT;
        bytes[len++] = text.charCodeAt(++at);
        bytes[len++] = text.charCodeAt(++at);
      } else if (unit === SPACE && flags & FLAG.PLUS) {
        bytes[len++] = PLUS;
        changes = true;
      } else if ((set[unit >> 3] >> (unit & 7)) & 1 && !(unit === PERCENT && flags & FLAG.KEEP_TRIPLETS)) bytes[len++] = unit;
      else {
        escape(unit);
        changes = true;
      }
      continue;
    }
    changes = true;
    const scalar = scalarAt(text, at, unit);
    if (scalar < 0x800) escape(0xc0 | (scalar >> 6));
    else {
      if (scalar < 0x10000) escape(0xe0 | (scalar >> 12));
      else {
        escape(0xf0 | (scalar >> 18));
        escape(0x80 | ((scalar >> 12) & 63));
        at++;
      }
      escape(0x80 | ((scalar >> 6) & 63));
    }
    escape(0x80 | (scalar & 63));
  }
  return changes ? out.read(len) : text;
}
