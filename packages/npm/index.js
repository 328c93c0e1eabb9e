// The whole package. The small module encodes and decodes with the common options. The full module is compiled when an option or a
// function first needs it.
import { TRANSFORM } from "./abi.js";
import { checked, transformStream } from "./base.js";
import { engine, full } from "./full.js";
import { inputOf, textOf } from "./input.js";
import { DECODE_STREAM, ENCODE, NORMALIZE, REPAIR, repairKinds } from "./options.js";

export { ByteSet, PercentError, sets } from "./base.js";
export { decode, decodeBytes, encode, encodeBytes } from "./full.js";
export { presets } from "./presets.js";
export { parseQuery, sortQuery, stringifyQuery } from "./query.js";

/** Normalises a URI. */
export function normalize(uri, given) {
  const { escapesOnly, byScheme, sanitize } = NORMALIZE(given);
  if (escapesOnly && byScheme) throw new TypeError('the options "escapesOnly" and "byScheme" exclude each other');
  const [strict, lenient] = escapesOnly
    ? [TRANSFORM.NORMALIZE_ESCAPES, TRANSFORM.SANITIZE_ESCAPES]
    : byScheme
      ? [TRANSFORM.NORMALIZE_BY_SCHEME, TRANSFORM.SANITIZE_BY_SCHEME]
      : [TRANSFORM.NORMALIZE, TRANSFORM.SANITIZE];
  return checked(engine.transform(sanitize ? lenient : strict, inputOf(uri)));
}

/** Converts an IRI to a URI. */
export const toUri = (iri) => checked(engine.transform(TRANSFORM.TO_URI, inputOf(iri)));

/** Converts a URI to a readable IRI. */
export const toIri = (uri) => checked(engine.transform(TRANSFORM.TO_IRI, inputOf(uri)));

/** Hides the passwords of all URLs in a text. */
export const redact = (text) => checked(engine.redact(inputOf(text)));

/** Repairs a link that someone pasted. */
export function repair(link, given) {
  const kinds = repairKinds(REPAIR(given));
  const repaired = engine.repair(textOf(inputOf(link)), kinds);
  // The engine returns four parts: the host, the changes, an empty line and the text.
  const list = repaired.indexOf("\n") + 1;
  const end = repaired[list] === "\n" ? list : repaired.indexOf("\n\n", list) + 1;
  const lines = repaired.slice(list, end).split("\n").slice(0, -1);
  const changes = lines.map((line) => {
    const [start, length, kind, reason] = line.split("\t");
    return { start: Number(start), end: Number(start) + Number(length), kind, reason };
  });
  return { text: repaired.slice(end + 1), changes };
}

/** Encodes a stream of bytes. */
export function encodeStream(given) {
  const { found, flags } = ENCODE(given);
  return transformStream(true, found.bits, flags, full);
}

/** Decodes a stream of bytes. */
export function decodeStream(given) {
  const { kept, flags } = DECODE_STREAM(given);
  return transformStream(false, kept?.bits, flags, full);
}
