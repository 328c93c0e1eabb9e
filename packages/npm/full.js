// The full module, and the calls of the codec with all options.
import { codec } from "./base.js";
import { Engine } from "./engine.js";
import { instancesFrom } from "./memory.js";
import { page } from "./modules.js";
import { DECODE, DECODE_BYTES, ENCODE } from "./options.js";

/** The full module. The first call that needs it compiles it. */
export const engine = /* @__PURE__ */ new Engine(/* @__PURE__ */ instancesFrom(page));
export const full = () => engine;

/** These encode and decode. The input is text or bytes. The result is text, or bytes if the name says so. */
export const { encode, encodeBytes, decode, decodeBytes } = /* @__PURE__ */ codec({ encode: ENCODE, decode: DECODE, decodeBytes: DECODE_BYTES }, full);
