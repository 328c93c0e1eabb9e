// The entries of the catalogue as encoders.
import { sets } from "./base.js";
import { encode, encodeBytes } from "./full.js";
import { NOTHING } from "./options.js";
import { ByteSet } from "./sets.js";

/** The encoder for a name of the catalogue. Its functions ignore further arguments, so `map` can call them. The import makes all encoders, and makes
 * instances of a class several times as fast as other objects with a getter. */
class Preset {
  constructor({ name, clause }) {
    this.name = name;
    this.clause = clause;
    const options = { __proto__: NOTHING, set: name };
    this.encode = (input) => encode(input, options);
    this.encodeBytes = (input) => encodeBytes(input, options);
    Object.freeze(this);
  }

  get set() {
    return ByteSet.named(this.name);
  }
}

export const presets = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ Object.fromEntries(/* @__PURE__ */ sets.map((entry) => [entry.name, new Preset(entry)])));
