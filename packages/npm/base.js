// Encodes and decodes with the small module. If an option needs the full module, uses the full module. The first call that needs a module compiles
// it, so the import does no work. In places without WebAssembly, JavaScript does the work.
import { NONE, STATUS } from "./abi.js";
import { CATALOGUE } from "./catalogue.js";
import { PercentError } from "./error.js";
import { fallback } from "./fallback.js";
import { bytesOf, inputOf, wellFormed } from "./input.js";
import { hasSimd, instancesFrom } from "./memory.js";
import { isAscii, setForText } from "./sets.js";
import { SHORT, decodeShort, encodeShort } from "./short.js";
import { Small, canEncode } from "./small.js";
import { plain, simd } from "./small-modules.js";

export { PercentError } from "./error.js";
export { ByteSet } from "./sets.js";

/** The small module. */
export const small = /* @__PURE__ */ new Small(/* @__PURE__ */ instancesFrom(() => (hasSimd() ? simd() : plain())));

/** Returns a module, or its replacement in JavaScript. */
const present = (engine) => (engine.isReady() ? engine : fallback);

/** Up to this length of text, `encodeURIComponent` and searches by regular expressions are as fast as the small module. */
const NATIVE = 256;

/** The name and the clause of each set in the catalogue. */
export const sets = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ CATALOGUE.map(([name, clause]) => Object.freeze({ name, clause })));

/** Returns the value of an output, or throws its error. */
export function checked({ value, status, offset }) {
  if (status !== 0) throw new PercentError(STATUS[status], offset === NONE ? 0 : offset);
  return value;
}

/**
 * Decodes short text in JavaScript. Returns undefined if the module must decode it: an escape is malformed, the bytes aren't UTF-8, or `layers` is above
 * 1 and the result has escapes.
 */
function decodeNative(input, { plus, layers, kept }) {
  let text = input;
  if (plus) {
    const query = plus === "after-query" ? input.indexOf("?") : 0;
    if (query >= 0) text = input.slice(0, query) + input.slice(query).replaceAll("+", " ");
  }
  if (kept) text = decodeShort(text, kept.bits);
  else if (text.includes("%")) {
    try {
      text = decodeURIComponent(text);
    } catch {
      return undefined;
    }
  }
  return text === undefined || (layers > 1 && /%[\da-f]{2}/i.test(text)) ? undefined : wellFormed(text);
}

/** Returns the calls of the codec. `readers` has the reader of each call's options. `full` returns the full module. */
export function codec(readers, full) {
  const encoded = (input, { found, flags, isDefault }, as) => {
    const { bits, special } = found;
    if (as === "text" && typeof input === "string" && input.length <= NATIVE) {
      // A search in short text would take longer than `encodeURIComponent`.
      if (special && (input.length > SHORT || !isDefault) && !special.test(input)) return input;
      if (isDefault) {
        try {
          return encodeURIComponent(input);
        } catch {
          // The input has a lone surrogate. The code below replaces it by U+FFFD.
        }
      }
      if (input.length <= SHORT && isAscii(bits)) return encodeShort(input, bits, flags);
    }
    const set = as === "text" ? setForText(bits, input) : bits;
    // The small module's sets are ASCII, so its output is ASCII too.
    const output = canEncode(set, flags) ? present(small).encode(input, set, flags, as === "text" ? "ascii" : as) : undefined;
    return checked(output ?? present(full()).encode(input, set, flags, as));
  };
  const decoded = (input, { kept, flags, layers }, as) => {
    if (!small.isReady()) return fallback.decode(input, kept?.bits, flags, layers, as);
    return small.decode(input, flags, as, kept?.bits, layers) ?? present(full()).decode(input, kept?.bits, flags, layers, as);
  };
  return {
    encode(value, given) {
      const options = readers.encode(given);
      return encoded(inputOf(value), options, "text");
    },
    encodeBytes(value, given) {
      const options = readers.encode(given);
      return encoded(inputOf(value), options, "bytes");
    },
    decode(value, given) {
      const options = readers.decode(given);
      const input = inputOf(value);
      if (typeof input === "string") {
        if (!input.includes("%") && !(options.plus && input.includes("+"))) return wellFormed(input);
        const text = input.length <= SHORT ? decodeNative(input, options) : undefined;
        if (text !== undefined) return text;
      }
      const output = decoded(input, options, "text");
      const text = checked(output);
      if (options.fatal && output.invalidUtf8 !== NONE) throw new PercentError("invalid-utf8", output.invalidUtf8);
      return text;
    },
    decodeBytes(value, given) {
      const options = readers.decodeBytes(given);
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
