// Encodes and decodes with the small module. If an option needs the full module, uses that one. The first call that needs a module
// compiles it, so the import does no work. In places without WebAssembly, JavaScript does the work.
import { NONE, STATUS } from "./abi.js";
import { PercentError } from "./error.js";
import { fallback } from "./fallback.js";
import { bytesOf, inputOf, wellFormed } from "./input.js";
import { hasSimd, instancesFrom } from "./memory.js";
import { NOTHING, decodeFlags, encodeWith, kept, layersOf, read } from "./options.js";
import { catalogue, setForText } from "./sets.js";
import { Small, canEncode } from "./small.js";
import { plain, simd } from "./small-modules.js";

export { PercentError } from "./error.js";
export { ByteSet } from "./sets.js";

/** The small module. */
export const small = /* @__PURE__ */ new Small(/* @__PURE__ */ instancesFrom(() => (hasSimd() ? simd() : plain())));

/** Returns the full module, or its replacement in JavaScript. */
const present = (engine) => (engine.isReady() ? engine : fallback);

/** For strings of up to this length, JavaScript's own functions are as fast as the module. */
const SHORT = 1024;

/** The name and the clause of each set in the catalogue. */
export const sets = /* @__PURE__ */ Object.freeze(catalogue().map(([name, clause]) => Object.freeze({ name, clause })));

/** Returns the value of an output, or throws its error. */
export function checked({ value, status, offset }) {
  if (status !== 0) throw new PercentError(STATUS[status], offset === NONE ? 0 : offset);
  return value;
}

/** Returns the calls of the codec. `known` has the options of each call. `full` returns the full module. */
export function codec(known, full) {
  const encoded = (input, options, as) => {
    const { bits, flags } = encodeWith(options);
    const set = as === "text" ? setForText(bits, input) : bits;
    if (!canEncode(set, flags)) return checked(present(full()).encode(input, set, flags, as));
    // The set is ASCII, so the output is ASCII too.
    return checked(small.isReady() ? small.encode(input, set, flags, as === "text" ? "ascii" : as) : fallback.encode(input, set, flags, as));
  };
  const decoded = (input, options, as) => {
    const keep = kept(options);
    const layers = layersOf(options);
    const flags = decodeFlags(options);
    if (keep || layers > 1) return present(full()).decode(input, keep, flags, layers, as);
    return small.isReady() ? small.decode(input, flags, as) : fallback.decode(input, keep, flags, layers, as);
  };
  return {
    encode(value, given) {
      const options = read(given, known.encode);
      const input = inputOf(value);
      if (options === NOTHING && typeof input === "string" && input.length <= SHORT) {
        try {
          return encodeURIComponent(input);
        } catch {
          // The input has a lone surrogate. The code below replaces it by U+FFFD.
        }
      }
      return encoded(input, options, "text");
    },
    encodeBytes(value, given) {
      const options = read(given, known.encode);
      return encoded(inputOf(value), options, "bytes");
    },
    decode(value, given) {
      const options = read(given, known.decode);
      const input = inputOf(value);
      if (options === NOTHING && typeof input === "string" && input.length <= SHORT) {
        if (!input.includes("%")) return wellFormed(input);
        try {
          return wellFormed(decodeURIComponent(input));
        } catch {
          // An escape is malformed. The module below keeps it.
        }
      }
      const output = decoded(input, options, "text");
      const text = checked(output);
      if (options.fatal && output.invalidUtf8 !== NONE) throw new PercentError("invalid-utf8", output.invalidUtf8);
      return text;
    },
    decodeBytes(value, given) {
      const options = read(given, known.decodeBytes);
      return checked(decoded(inputOf(value), options, "bytes"));
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
