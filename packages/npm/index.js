// The whole package. The small module encodes and decodes with the common options. The full module is instantiated when an option or a
// function first needs it.
import { TRANSFORM } from "./abi.js";
import { checked, codec, transformStream } from "./base.js";
import { Engine } from "./engine.js";
import { inputOf } from "./input.js";
import { instancesFrom } from "./memory.js";
import { page } from "./modules.js";
import { DECODE, DECODE_BYTES, DECODE_STREAM, ENCODE, NORMALIZE, REPAIR, decodeFlags, encodeWith, kept, read, repairKinds } from "./options.js";

export { ByteSet, PercentError, sets } from "./base.js";

const engine = /* @__PURE__ */ new Engine(/* @__PURE__ */ instancesFrom(page));
const full = () => engine;

/** These encode and decode. The input is text or bytes. The result is text, or bytes if the name says so. */
export const { encode, encodeBytes, decode, decodeBytes } = codec({ encode: ENCODE, decode: DECODE, decodeBytes: DECODE_BYTES }, full);

/** Normalises a URI. */
export function normalize(uri, given) {
  const { escapesOnly, byScheme, sanitize } = read(given, NORMALIZE);
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

/** Repairs a link that someone pasted. */
export function repair(link, given) {
  const kinds = repairKinds(read(given, REPAIR));
  const input = inputOf(link);
  const repaired = engine.repair(typeof input === "string" ? input : new TextDecoder().decode(input), kinds);
  // The host, the changes, an empty line and the text.
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
  const { bits, flags } = encodeWith(read(given, ENCODE));
  return transformStream(true, bits, flags, full);
}

/** Decodes a stream of bytes. */
export function decodeStream(given) {
  const options = read(given, DECODE_STREAM);
  return transformStream(false, kept(options), decodeFlags(options), full);
}
