// The small part of the package, with a tenth of its size. It encodes with sets that keep only ASCII, decodes strictly or leniently, and can
// write and read `+` as a space.
import { codec } from "./base.js";
import { CODEC_DECODE, CODEC_DECODE_BYTES, CODEC_ENCODE } from "./options.js";

export { ByteSet, PercentError, sets } from "./base.js";

const calls = /* @__PURE__ */ codec(
  { encode: CODEC_ENCODE, decode: CODEC_DECODE, decodeBytes: CODEC_DECODE_BYTES },
  () => {
    throw new TypeError('only "percent-simd" can encode by this set, "percent-simd/codec" cannot');
  },
);

/** These functions encode and decode text or bytes. They return text, or bytes if the name ends in `Bytes`. */
export const encode = (value, given) => calls.encode(value, given);
export const encodeBytes = (value, given) => calls.encodeBytes(value, given);
export const decode = (value, given) => calls.decode(value, given);
export const decodeBytes = (value, given) => calls.decodeBytes(value, given);
