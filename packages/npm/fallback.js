// The codec in JavaScript, for places without WebAssembly: a page whose Content-Security-Policy forbids it, Cloudflare's workers, Safari in
// lockdown mode, Node.js with --jitless. It gives the same results as the modules, several times as slowly. Time is linear in the input.
import { FLAG, NONE, STATUS } from "./abi.js";
import { PercentError } from "./error.js";
import { hasByte } from "./sets.js";
import { fromUtf8, toUtf8 } from "./utf8.js";

const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;
const QUESTION_MARK = 0x3f;
/** The length of the longest latent triplet: `%%32%46`. */
const LATENT = 7;

/** Returns the value of a hexadecimal digit, or -1 for any other character code. */
export function hexValue(byte) {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

const isTriplet = (bytes, at) => bytes[at] === PERCENT && hexValue(bytes[at + 1]) >= 0 && hexValue(bytes[at + 2]) >= 0;
const asBytes = (input) => (typeof input === "string" ? toUtf8(input) : input);
const output = (bytes, as) => (as === "bytes" ? bytes : fromUtf8(bytes));

/** Returns the offset of the first bytes that aren't UTF-8, or `NONE`. */
function firstInvalid(bytes) {
  // Invalid bytes become U+FFFD. So the first character of `valid` that differs from `bytes` is at the offset of the first invalid bytes.
  const valid = toUtf8(fromUtf8(bytes));
  let at = 0;
  while (at < valid.length && valid[at] === bytes[at]) at++;
  if (at === valid.length && at === bytes.length) return NONE;
  while (at > 0 && (valid[at] & 0xc0) === 0x80) at--;
  return at;
}

/** Encodes text or bytes, as `Engine.encode` does. */
function encode(input, set, flags = 0, as = "text") {
  const bytes = asBytes(input);
  const digits = flags & FLAG.LOWERCASE ? "0123456789abcdef" : "0123456789ABCDEF";
  const keepsTriplets = (flags & FLAG.KEEP_TRIPLETS) !== 0;
  const out = new Uint8Array(3 * bytes.length);
  let len = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (flags & FLAG.PLUS && byte === SPACE) out[len++] = PLUS;
    else if (keepsTriplets && isTriplet(bytes, at)) {
      out.set(bytes.subarray(at, at + 3), len);
      len += 3;
      at += 2;
    } else if (hasByte(set, byte) && !(keepsTriplets && byte === PERCENT)) out[len++] = byte;
    else {
      out[len++] = PERCENT;
      out[len++] = digits.charCodeAt(byte >> 4);
      out[len++] = digits.charCodeAt(byte & 15);
    }
  }
  return { value: output(out.slice(0, len), as), status: 0 };
}

/**
 * If the byte or the escape at `at` decodes to a hexadecimal digit, returns its length. Otherwise returns 0. Returns undefined if the bytes end
 * before this is clear.
 */
function digitLength(bytes, at, keep) {
  if (at >= bytes.length) return undefined;
  if (isTriplet(bytes, at)) {
    const value = 16 * hexValue(bytes[at + 1]) + hexValue(bytes[at + 2]);
    return hexValue(value) >= 0 && !hasByte(keep, value) ? 3 : 0;
  }
  const rest = bytes.length - at;
  if (bytes[at] === PERCENT && (rest === 1 || (rest === 2 && hexValue(bytes[at + 1]) >= 0))) return undefined;
  return hexValue(bytes[at]) >= 0 ? 1 : 0;
}

/**
 * Returns the length of the latent triplet at `at`, or 0 if there is none. Decoding its inner escapes would make a new escape: `%%341` would
 * become `%41`. Returns undefined if the bytes end before this is clear.
 */
function latentLength(bytes, at, keep) {
  let end = at + 1;
  for (let digit = 0; digit < 2; digit++) {
    const length = digitLength(bytes, end, keep);
    if (!length) return length;
    end += length;
  }
  return end - at;
}

/** Decodes once, with a set that keeps `%`. Keeps latent triplets, so that decoding makes no new escape. */
function decodeOnce(bytes, keep) {
  let len = 0;
  for (let at = 0; at < bytes.length; ) {
    let taken = 1;
    if (bytes[at] === PERCENT) {
      if (isTriplet(bytes, at)) {
        const value = 16 * hexValue(bytes[at + 1]) + hexValue(bytes[at + 2]);
        if (!hasByte(keep, value)) {
          bytes[len++] = value;
          at += 3;
          continue;
        }
        taken = 3;
      } else taken = latentLength(bytes, at, keep) || 1;
    }
    bytes.copyWithin(len, at, at + taken);
    len += taken;
    at += taken;
  }
  return bytes.slice(0, len);
}

/** Decodes up to this many layers. */
function decodeLayers(bytes, keep, layers) {
  // Decode from the end, so that all layers take one pass: a decoded "%" finds the digits behind it already decoded. The result ends where
  // `bytes` ends, and grows down to `top`. `depths` has the layer of each byte of the result.
  const depths = new Uint32Array(bytes.length);
  let top = bytes.length;
  for (let at = bytes.length - 1; at >= 0; at--) {
    let byte = bytes[at];
    let depth = 0;
    while (byte === PERCENT && top + 1 < bytes.length) {
      const [high, low] = [hexValue(bytes[top]), hexValue(bytes[top + 1])];
      if (high < 0 || low < 0) break;
      const layer = 1 + Math.max(depth, depths[top], depths[top + 1]);
      const value = 16 * high + low;
      if (layer > layers || (keep && hasByte(keep, value))) break;
      byte = value;
      depth = layer;
      top += 2;
    }
    bytes[--top] = byte;
    depths[top] = depth;
  }
  return bytes.slice(top);
}

/** Decodes text or bytes, as `Engine.decode` does. */
function decode(input, keep, flags = 0, layers = 1, as = "text") {
  const bytes = asBytes(input).slice();
  if (flags & FLAG.STRICT) {
    for (let at = bytes.indexOf(PERCENT); at >= 0; at = bytes.indexOf(PERCENT, at + 1)) {
      if (isTriplet(bytes, at)) continue;
      const isCut = at + 1 === bytes.length || (at + 2 === bytes.length && hexValue(bytes[at + 1]) >= 0);
      return { value: output(new Uint8Array(), as), status: STATUS.indexOf(isCut ? "truncated" : "not-hex"), offset: at };
    }
  }
  const query = flags & FLAG.PLUS ? 0 : flags & FLAG.PLUS_AFTER_QUERY ? bytes.indexOf(QUESTION_MARK) : -1;
  if (query >= 0) for (let at = bytes.indexOf(PLUS, query); at >= 0; at = bytes.indexOf(PLUS, at + 1)) bytes[at] = SPACE;
  const decoded = keep && hasByte(keep, PERCENT) ? decodeOnce(bytes, keep) : decodeLayers(bytes, keep, layers);
  const invalidUtf8 = flags & FLAG.CHECK_UTF8 ? firstInvalid(decoded) : NONE;
  return { value: output(decoded, as), status: 0, offset: NONE, invalidUtf8 };
}

/** A stream: an input in pieces that end anywhere. If a piece ends inside an escape, that part is held until the next piece. */
class Stream {
  #encodes;
  #set;
  #flags;
  #held = new Uint8Array();
  #read = 0;

  constructor(encodes, set, flags) {
    this.#encodes = encodes;
    this.#set = set;
    this.#flags = flags;
    this.status = 0;
    this.offset = NONE;
  }

  /** Processes a piece. Calls `write` with each part of the result. */
  push(piece, write) {
    this.#step(piece, false, write);
  }

  /** Ends the stream. */
  finish(write) {
    this.#step(new Uint8Array(), true, write);
  }

  #step(piece, isEnd, write) {
    if (this.status !== 0) return;
    const input = new Uint8Array(this.#held.length + piece.length);
    input.set(this.#held);
    input.set(piece, this.#held.length);
    const { length } = input;
    const held = isEnd ? 0 : this.#heldOf(input);
    const whole = input.subarray(0, length - held);
    let result = this.#run(whole);
    if (result.status !== 0) {
      // If an escape is cut off by the end of a piece, the next piece can complete it. So "truncated" is an error only at the end.
      this.status = isEnd ? result.status : STATUS.indexOf("not-hex");
      this.offset = this.#read + result.offset;
      result = this.#run(whole.subarray(0, result.offset));
    }
    if (this.#flags & FLAG.PLUS_AFTER_QUERY && whole.includes(QUESTION_MARK)) this.#flags |= FLAG.PLUS;
    this.#read += whole.length;
    this.#held = input.slice(length - held);
    if (result.value.length > 0) write(result.value);
  }

  /** Returns the number of bytes at the end of the input whose result depends on the next piece. */
  #heldOf(input) {
    const { length } = input;
    if (!this.#encodes && this.#set && hasByte(this.#set, PERCENT)) {
      for (let at = Math.max(0, length + 1 - LATENT); at < length; at++) {
        if (input[at] === PERCENT && latentLength(input, at, this.#set) === undefined) return length - at;
      }
    }
    return input[length - 1] === PERCENT ? 1 : input[length - 2] === PERCENT ? 2 : 0;
  }

  #run(bytes) {
    return this.#encodes ? encode(bytes, this.#set, this.#flags, "bytes") : decode(bytes, this.#set, this.#flags, 1, "bytes");
  }
}

/** Wraps an operation: if there is too little memory, it throws the same error as the modules. */
const reporting = (operation) => (...values) => {
  try {
    return operation(...values);
  } catch (cause) {
    throw cause instanceof RangeError ? new PercentError("no-memory", 0, cause) : cause;
  }
};

/** A replacement for an `Engine`: it has the methods that encode and decode. */
export const fallback = { encode: /* @__PURE__ */ reporting(encode), decode: /* @__PURE__ */ reporting(decode), stream: (encodes, set, flags) => new Stream(encodes, set, flags) };
