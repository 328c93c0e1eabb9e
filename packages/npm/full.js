// The full module, and the calls of the codec with all options.
import { codec } from "./base.js";
import { Engine } from "./engine.js";
import { instancesFrom } from "./memory.js";
import { page } from "./modules.js";
import { DECODE, DECODE_BYTES, ENCODE } from "./options.js";

/** The full module. The first call that needs it compiles it. */
export const engine = /* @__PURE__ */ new Engine(/* @__PURE__ */ instancesFrom(page));
export const full = () => engine;

const calls = /* @__PURE__ */ codec({ encode: ENCODE, decode: DECODE, decodeBytes: DECODE_BYTES }, full);

/** These functions encode and decode text or bytes. They return text, or bytes if the name ends in `Bytes`. */
// They are written one by one, because bundlers then drop the unused functions, and `calls` if no function is used. Bundlers would keep a
// destructured object.
export const encode = (value, given) => calls.encode(value, given);
export const encodeBytes = (value, given) => calls.encodeBytes(value, given);
export const decode = (value, given) => calls.decode(value, given);
export const decodeBytes = (value, given) => calls.decodeBytes(value, given);
