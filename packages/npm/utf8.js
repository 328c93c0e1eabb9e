// Converts between text and UTF-8.
import { PercentError } from "./error.js";

// The first call creates these. The import doesn't, because it must be fast.
let encoder;
let decoder;

/** Returns the text as UTF-8. Each lone surrogate becomes U+FFFD. */
export const toUtf8 = (text) => (encoder ??= new TextEncoder()).encode(text);

/** Writes the text as UTF-8 to the start of `bytes`. Returns the number of written bytes. */
export const writeUtf8 = (text, bytes) => (encoder ??= new TextEncoder()).encodeInto(text, bytes).written;

/** For more bytes than this, Node.js 20 returns "" instead of an error. */
const MOST = 0x7fffffff;

/**
 * Returns the bytes as text. Each part that isn't UTF-8 becomes U+FFFD. If `isCopied` is true, decodes a copy of the
 * bytes: browsers refuse to decode memory that is shared or can be resized.
 */
export function fromUtf8(bytes, isCopied = false) {
  if (bytes.length > MOST) throw new PercentError("too-large");
  try {
    return (decoder ??= new TextDecoder("utf-8", { ignoreBOM: true })).decode(isCopied ? bytes.slice() : bytes);
  } catch (cause) {
    throw new PercentError("too-large", 0, cause);
  }
}
