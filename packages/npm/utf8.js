// Converts between text and UTF-8.

// The first call creates these. The import doesn't, because it must be fast.
let encoder;
let decoder;

/** Returns the text as UTF-8. Each lone surrogate becomes U+FFFD. */
export const toUtf8 = (text) => (encoder ??= new TextEncoder()).encode(text);

/** Writes the text as UTF-8 to the start of `bytes`. Returns the number of written bytes. */
export const writeUtf8 = (text, bytes) => (encoder ??= new TextEncoder()).encodeInto(text, bytes).written;

/** Returns the bytes as text. Each part that isn't UTF-8 becomes U+FFFD. */
export const fromUtf8 = (bytes) => (decoder ??= new TextDecoder("utf-8", { ignoreBOM: true })).decode(bytes);
