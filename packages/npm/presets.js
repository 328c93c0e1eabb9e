// The entries of the catalogue as encoders.
import { sets } from "./base.js";
import { encode, encodeBytes } from "./full.js";
import { ByteSet } from "./sets.js";

/** Returns the encoder for a name of the catalogue. Its functions ignore further arguments, so `map` can call them. */
function preset({ name, clause }) {
  return Object.freeze({
    name,
    clause,
    get set() {
      return ByteSet.named(name);
    },
    encode: (input) => encode(input, { set: name }),
    encodeBytes: (input) => encodeBytes(input, { set: name }),
  });
}

export const presets = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ Object.fromEntries(/* @__PURE__ */ sets.map((entry) => [entry.name, preset(entry)])));
