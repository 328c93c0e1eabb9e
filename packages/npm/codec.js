// The codec, in a tenth of the package's size. It has sets that keep only ASCII, strict or lenient decoding, and pluses.
import { codec } from "./base.js";
import { CODEC_DECODE, CODEC_DECODE_BYTES, CODEC_ENCODE } from "./options.js";

export { ByteSet, PercentError, sets } from "./base.js";

/** Encode and decode text or bytes, to text or to bytes. */
export const { encode, encodeBytes, decode, decodeBytes } = codec(
  { encode: CODEC_ENCODE, decode: CODEC_DECODE, decodeBytes: CODEC_DECODE_BYTES },
  () => {
    throw new TypeError('only "percent-simd" can encode by this set, "percent-simd/codec" cannot');
  },
);
