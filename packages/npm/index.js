// The whole package. Encoding and decoding without rarer options is the small module's; the full one is instantiated when it is
// needed first.
import { STATUS, TRANSFORM } from "./abi.js";
import { NOTHING, PercentError, checked, codec, decodeFlags, encodeWith, kept, small } from "./base.js";
import { Engine } from "./engine.js";
import { page } from "./modules.js";

export { ByteSet, PercentError, sets } from "./base.js";

let engine;
const full = () => (engine ??= new Engine(new WebAssembly.Instance(new WebAssembly.Module(page()))));

/** Encodes text, or bytes, to text or to bytes; and decodes them. */
export const { encode, encodeBytes, decode, decodeBytes } = codec(full);

/** Normalises a URI. */
export function normalize(uri, options = {}) {
  const kind = options.escapesOnly
    ? TRANSFORM.NORMALIZE_ESCAPES
    : options.byScheme
      ? TRANSFORM.NORMALIZE_BY_SCHEME
      : options.sanitize
        ? TRANSFORM.SANITIZE
        : TRANSFORM.NORMALIZE;
  return checked(full().transform(kind, uri));
}

/** Maps an IRI to a URI. */
export const toUri = (iri) => checked(full().transform(TRANSFORM.TO_URI, iri));

/** Maps a URI to an IRI, which people can read. */
export const toIri = (uri) => checked(full().transform(TRANSFORM.TO_IRI, uri));

/** A stream of bytes through the small module, or through the full one if it takes that. */
function transformStream(encodes, bits, flags) {
  const stream = small.stream(encodes, bits, flags) ?? full().stream(encodes, bits, flags);
  const fail = (controller) => controller.error(new PercentError(STATUS[stream.status], stream.offset));
  return new TransformStream({
    transform(piece, controller) {
      stream.push(piece, (bytes) => controller.enqueue(bytes.slice()));
      if (stream.status !== 0) fail(controller);
    },
    flush(controller) {
      stream.finish((bytes) => controller.enqueue(bytes.slice()));
      if (stream.status !== 0) fail(controller);
    },
    cancel() {
      stream.free();
    },
  });
}

/** Encodes a stream of bytes. */
export function encodeStream(options = NOTHING) {
  const { bits, flags } = encodeWith(options);
  return transformStream(true, bits, flags);
}

/** Decodes a stream of bytes. */
export function decodeStream(options = NOTHING) {
  return transformStream(false, kept(options), decodeFlags({ ...options, fatal: false }));
}
