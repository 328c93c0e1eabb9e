// Encodes and decodes with the small module. If an option needs the full module, uses the full module. The first call that needs a module compiles
// it, so the import does no work. In places without WebAssembly, JavaScript does the work.
import { NONE, STATUS } from "./abi.js";
import { CATALOGUE } from "./catalogue.js";
import { PercentError } from "./error.js";
import { fallback } from "./fallback.js";
import { bytesOf, inputOf, wellFormed } from "./input.js";
import { hasSimd, instancesFrom } from "./memory.js";
import { NOTHING, decodeFlags, encodeWith, escapesOf, kept, layersOf } from "./options.js";
import { isAscii, setForText } from "./sets.js";
import { SHORT, encodeShort } from "./short.js";
import { Small, canEncode } from "./small.js";
import { plain, simd } from "./small-modules.js";

export { PercentError } from "./error.js";
export { ByteSet } from "./sets.js";

/** The small module. */
export const small = /* @__PURE__ */ new Small(/* @__PURE__ */ instancesFrom(() => (hasSimd() ? simd() : plain())));

/** Returns a module, or its replacement in JavaScript. */
const present = (engine) => (engine.isReady() ? engine : fallback);

/** Up to this length of text, JavaScript is as fast as the small module. Up to `SHORT`, it is faster than the full module. */
const NATIVE = 64;

/** Finds a character that `encodeURIComponent` encodes. */
const ENCODED = /[^\w!'()*.~-]/;

/** The name and the clause of each set in the catalogue. */
export const sets = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ CATALOGUE.map(([name, clause]) => Object.freeze({ name, clause })));

/** Returns the value of an output, or throws its error. */
export function checked({ value, status, offset }) {
  if (status !== 0) throw new PercentError(STATUS[status], offset === NONE ? 0 : offset);
  return value;
}

/**
 * Decodes short text by JavaScript's own function. Returns undefined if the module must decode it: an escape is malformed, the bytes aren't UTF-8, or
 * `layers` is above 1 and the result has escapes. `escapes` finds the escapes that stay.
 */
function decodeShort(input, { plus, layers }, escapes) {
  let text = input;
  if (plus) {
    const query = plus === "after-query" ? input.indexOf("?") : 0;
    if (query >= 0) text = input.slice(0, query) + input.slice(query).replaceAll("+", " ");
  }
  if (text.includes("%")) {
    if (escapes) text = text.replace(escapes, "%25");
    try {
      text = decodeURIComponent(text);
    } catch {
      return undefined;
    }
    if (layers > 1 && /%[\da-f]{2}/i.test(text)) return undefined;
  }
  return wellFormed(text);
}

/** Returns the calls of the codec. `readers` has the reader of each call's options. `full` returns the full module. */
export function codec(readers, full) {
  const encoded = (input, options, as) => {
    const { bits, flags, special } = encodeWith(options);
    const set = as === "text" ? setForText(bits, input) : bits;
    const isSmall = canEncode(set, flags);
    const engine = isSmall ? small : full();
    // The small module's sets are ASCII, so its output is ASCII too.
    if (as !== "text") return checked(present(engine).encode(input, set, flags, as));
    if (typeof input === "string" && input.length <= SHORT && (isSmall || isAscii(set))) {
      // In a text longer than `NATIVE`, the expression finds a character to encode faster than the loop of `encodeShort`.
      if (input.length > NATIVE && special && !special.test(input)) return input;
      if (input.length <= NATIVE || !isSmall) return encodeShort(input, set, flags);
    }
    return checked(present(engine).encode(input, set, flags, isSmall ? "ascii" : "text"));
  };
  const decoded = (input, options, keep, as) => {
    const layers = layersOf(options);
    const flags = decodeFlags(options);
    if (keep || layers > 1) return present(full()).decode(input, keep, flags, layers, as);
    return small.isReady() ? small.decode(input, flags, as) : fallback.decode(input, keep, flags, layers, as);
  };
  return {
    encode(value, given) {
      const options = readers.encode(given);
      const input = inputOf(value);
      if (options === NOTHING && typeof input === "string" && input.length <= SHORT) {
        if (input.length > NATIVE && !ENCODED.test(input)) return input;
        try {
          return encodeURIComponent(input);
        } catch {
          // The input has a lone surrogate. The code below replaces it by U+FFFD.
        }
      }
      return encoded(input, options, "text");
    },
    encodeBytes(value, given) {
      const options = readers.encode(given);
      return encoded(inputOf(value), options, "bytes");
    },
    decode(value, given) {
      const options = readers.decode(given);
      const keep = kept(options);
      const input = inputOf(value);
      if (typeof input === "string") {
        if (!input.includes("%") && !(options.plus && input.includes("+"))) return wellFormed(input);
        const escapes = keep && escapesOf(options.keep);
        const most = keep || options.layers > 1 ? SHORT : NATIVE;
        const text = input.length <= most && (!keep || escapes) ? decodeShort(input, options, escapes) : undefined;
        if (text !== undefined) return text;
      }
      const output = decoded(input, options, keep, "text");
      const text = checked(output);
      if (options.fatal && output.invalidUtf8 !== NONE) throw new PercentError("invalid-utf8", output.invalidUtf8);
      return text;
    },
    decodeBytes(value, given) {
      const options = readers.decodeBytes(given);
      return checked(decoded(inputOf(value), options, kept(options), "bytes"));
    },
  };
}

/** Returns a stream of bytes. It uses the small module, or the full one if an option needs that. */
export function transformStream(encodes, bits, flags, full) {
  const stream = (small.isReady() ? small.stream(encodes, bits, flags) : undefined) ?? present(full()).stream(encodes, bits, flags);
  const enqueue = (controller) => (view) => controller.enqueue(view.slice());
  const check = () => checked({ status: stream.status, offset: stream.offset });
  return new TransformStream({
    transform(piece, controller) {
      const bytes = bytesOf(piece);
      if (bytes === undefined) throw new TypeError("the pieces of this stream must be bytes in buffers or views; text goes through a TextEncoderStream first");
      stream.push(bytes, enqueue(controller));
      check();
    },
    flush(controller) {
      stream.finish(enqueue(controller));
      check();
    },
  });
}
