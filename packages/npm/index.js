import { Engine, FLAG, NONE, STATUS, TRANSFORM } from "./engine.js";
import { plain, simd } from "./modules.js";

const engine = await Engine.load(simd, plain);

/** What the engine of JavaScript does as fast for strings up to this length. */
const SHORT = 1024;

/** Why an input is refused, and where. */
export class PercentError extends URIError {
  /**
   * @param {string} code
   * @param {number} offset
   */
  constructor(code, offset) {
    const reasons = {
      truncated: `the input ends inside the escape at byte ${offset}`,
      "not-hex": `the % at byte ${offset} is not followed by two hexadecimal digits`,
      "invalid-utf8": `the text is not UTF-8 from byte ${offset} on`,
      "no-memory": "there is not enough memory",
    };
    super(reasons[code]);
    this.name = "PercentError";
    this.code = code;
    this.offset = offset;
  }
}

/** Bytes that stay as they are when encoding. */
export class ByteSet {
  /** @param {Uint8Array} bits */
  constructor(bits, flags = 0) {
    this.bits = bits;
    this.flags = flags;
    Object.freeze(this);
  }

  /** The set that the catalogue has under this name. */
  static named(name) {
    const found = engine.setByName(name);
    if (!found) throw new RangeError(`there is no set called ${name}`);
    return new ByteSet(found.set, found.flags);
  }

  /** The set of these characters' bytes, or of these bytes. */
  static of(members) {
    return new ByteSet(engine.setOf(members));
  }

  has(byte) {
    return ((this.bits[byte >> 3] >> (byte & 7)) & 1) === 1;
  }

  union(other) {
    return new ByteSet(this.bits.map((byte, at) => byte | other.bits[at]), this.flags);
  }

  difference(other) {
    return new ByteSet(this.bits.map((byte, at) => byte & ~other.bits[at]), this.flags);
  }
}

/** Names and clauses of the catalogue. */
export const sets = Object.freeze(engine.catalogue().map(([name, clause]) => Object.freeze({ name, clause })));

const named = new Map();

function setOf(set) {
  if (typeof set !== "string") return set;
  let found = named.get(set);
  if (!found) named.set(set, (found = ByteSet.named(set)));
  return found;
}

const COMPONENT = ByteSet.named("ECMA_ENCODE_URI_COMPONENT");
const NOTHING = { set: undefined };

function encodeWith(input, options, as) {
  const set = options.set === undefined ? COMPONENT : setOf(options.set);
  let flags = set.flags;
  if (options.plus !== undefined) flags = options.plus ? flags | FLAG.PLUS : flags & ~FLAG.PLUS;
  if (options.lowercase !== undefined) flags = options.lowercase ? flags | FLAG.LOWERCASE : flags & ~FLAG.LOWERCASE;
  if (options.keepTriplets !== undefined) {
    flags = options.keepTriplets ? flags | FLAG.KEEP_TRIPLETS : flags & ~FLAG.KEEP_TRIPLETS;
  }
  return { bits: set.bits, flags, as };
}

/** Encodes text, or bytes, to text. */
export function encode(input, options = NOTHING) {
  if (options === NOTHING && typeof input === "string" && input.length <= SHORT) {
    try {
      return encodeURIComponent(input);
    } catch {
      // A surrogate that stands alone: it becomes U+FFFD below.
    }
  }
  const { bits, flags } = encodeWith(input, options);
  return checked(engine.encode(input, bits, flags));
}

/** Encodes text, or bytes, to bytes. */
export function encodeBytes(input, options = NOTHING) {
  const { bits, flags } = encodeWith(input, options);
  return checked(engine.encode(input, bits, flags, "bytes"));
}

function decodeFlags({ plus, strict, fatal }) {
  return (
    (plus === "after-query" ? FLAG.PLUS_AFTER_QUERY : plus ? FLAG.PLUS : 0) |
    (strict ? FLAG.STRICT : 0) |
    (fatal ? FLAG.CHECK_UTF8 : 0)
  );
}

function checked({ value, status, offset }) {
  if (status !== 0) throw new PercentError(STATUS[status], offset === NONE ? 0 : offset);
  return value;
}

/** Decodes text, or bytes, to text. */
export function decode(input, options = NOTHING) {
  if (options === NOTHING && typeof input === "string" && input.length <= SHORT) {
    if (!input.includes("%")) return input.isWellFormed?.() === false ? input.toWellFormed() : input;
    try {
      return decodeURIComponent(input);
    } catch {
      // Something is malformed: it stays below.
    }
  }
  const keep = options.keep && setOf(options.keep).bits;
  const output = engine.decode(input, keep, decodeFlags(options), options.layers ?? 0);
  const value = checked(output);
  if (options.fatal && output.invalidUtf8 !== NONE) throw new PercentError("invalid-utf8", output.invalidUtf8);
  return value;
}

/** Decodes text, or bytes, to bytes. */
export function decodeBytes(input, options = NOTHING) {
  const keep = options.keep && setOf(options.keep).bits;
  return checked(engine.decode(input, keep, decodeFlags({ ...options, fatal: false }), options.layers ?? 0, "bytes"));
}

/** Normalises a URI. */
export function normalize(uri, options = {}) {
  const kind = options.escapesOnly
    ? TRANSFORM.NORMALIZE_ESCAPES
    : options.byScheme
      ? TRANSFORM.NORMALIZE_BY_SCHEME
      : options.sanitize
        ? TRANSFORM.SANITIZE
        : TRANSFORM.NORMALIZE;
  return checked(engine.transform(kind, uri));
}

/** Maps an IRI to a URI. */
export const toUri = (iri) => checked(engine.transform(TRANSFORM.TO_URI, iri));

/** Maps a URI to an IRI, which people can read. */
export const toIri = (uri) => checked(engine.transform(TRANSFORM.TO_IRI, uri));

function transformStream(encodes, bits, flags) {
  const stream = engine.stream(encodes, bits, flags);
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
  const { bits, flags } = encodeWith(undefined, options);
  return transformStream(true, bits, flags);
}

/** Decodes a stream of bytes. */
export function decodeStream(options = NOTHING) {
  const keep = options.keep && setOf(options.keep).bits;
  return transformStream(false, keep, decodeFlags({ ...options, fatal: false }));
}
