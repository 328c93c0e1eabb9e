// Binary data as text: bytes in hexadecimal.

/** Bytes with a prefix (`0x0F`, `\\x0F`), or at least four with spaces, colons or hyphens between them. */
const PREFIXED = /^(?:(?:0x|\\x)[0-9a-f]{2}[\s,;]*)+$/i;
const SPACED = /^[0-9a-f]{2}(?:[\s:-]+[0-9a-f]{2}){3,}$/i;

/** Guesses whether a text is bytes in hexadecimal. Digits alone may be a phone number, and letters alone may be words. */
export function isHex(text) {
  const bare = text.trim();
  return PREFIXED.test(bare) || (SPACED.test(bare) && /[a-f]/i.test(bare) && /\d/.test(bare));
}

/**
 * Reads bytes in hexadecimal. Between bytes there may be spaces, commas, semicolons, colons, hyphens and prefixes. A single digit between two of
 * these is a byte, too. Returns `{ bytes, fault }`: `fault` is the position of the first character that is neither a digit nor one of these, or -1.
 */
export function fromHex(text) {
  const bytes = [];
  const token = /[\s,;:-]+|(?:0x|\\x)(?=[0-9a-f])|([0-9a-f]{1,2})/giy;
  let at = 0;
  for (let match; at < text.length && (match = token.exec(text)); at = token.lastIndex) if (match[1]) bytes.push(parseInt(match[1], 16));
  return { bytes: Uint8Array.from(bytes), fault: at < text.length ? at : -1 };
}

/** Writes bytes in hexadecimal: `0F FF`. */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");

/** Returns true if bytes have a control character other than those of text: tabs, line ends, form feeds and the escape character. */
export const hasControl = (bytes) => bytes.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27));
