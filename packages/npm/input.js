// Converts the input of a call to a string or bytes.
import { PercentError } from "./error.js";
import { fromUtf8, toUtf8 } from "./utf8.js";

const TypedArray = Object.getPrototypeOf(Uint8Array);
const tagOf = Object.getOwnPropertyDescriptor(TypedArray.prototype, Symbol.toStringTag).get;
const { keys } = TypedArray.prototype;
// These getters also accept a buffer of another realm, such as that of a frame or a `vm` context. `instanceof` does not.
const lengthOf = [ArrayBuffer, globalThis.SharedArrayBuffer]
  .filter(Boolean)
  .map((buffer) => Object.getOwnPropertyDescriptor(buffer.prototype, "byteLength").get);

function bufferLength(value) {
  for (const get of lengthOf) {
    try {
      return get.call(value);
    } catch {
      // The value isn't a buffer of this kind. Try the next kind.
    }
  }
  return undefined;
}

/** Returns the bytes of a view or buffer, as a view. For any other value, returns undefined. Throws if the buffer is detached. */
export function bytesOf(value) {
  if (typeof value !== "object" || value === null) return undefined;
  const isView = ArrayBuffer.isView(value);
  const length = isView ? 0 : bufferLength(value);
  if (length === undefined) return undefined;
  try {
    if (!isView) return new Uint8Array(value, 0, length);
    // If the buffer is detached or too short, a typed array reports a length of 0, as if it were empty. But its methods
    // throw an error, so call one. For a `DataView` this isn't needed, because its properties throw an error.
    if (tagOf.call(value) !== undefined) keys.call(value);
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  } catch (cause) {
    throw new TypeError("the buffer of these bytes is detached, or has become too short for its view", { cause });
  }
}

/** Returns a string, or the bytes of a view or buffer. Converts any other value as `encodeURIComponent` does. A symbol throws. */
export const inputOf = (value) => (typeof value === "string" ? value : (bytesOf(value) ?? `${value}`));

/**
 * Returns the text. Each lone surrogate becomes U+FFFD. With the flag `u`, the expression doesn't match the two halves of a pair. It doesn't
 * use `\p`, because then each import would load the Unicode tables.
 */
export const wellFormed = (text) => text.toWellFormed?.() ?? text.replace(/[\ud800-\udfff]/gu, "\ufffd");

/** Returns an input as text. Each lone surrogate becomes U+FFFD. Bytes that aren't UTF-8 throw an error. */
export function textOf(input) {
  if (typeof input === "string") return wellFormed(input);
  const text = fromUtf8(input, true);
  const valid = toUtf8(text); // differs from the input at the first byte that became U+FFFD
  const at = input.findIndex((byte, index) => byte !== valid[index]);
  if (at >= 0) throw new PercentError("invalid-utf8", at);
  return text;
}
