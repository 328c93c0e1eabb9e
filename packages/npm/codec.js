// The codec alone, a tenth of the package: sets of ASCII, strict or lenient decoding, pluses.
import { codec } from "./base.js";

export { ByteSet, PercentError, sets } from "./base.js";

/** Encodes text, or bytes, to text or to bytes; and decodes them. */
export const { encode, encodeBytes, decode, decodeBytes } = codec(() => {
  throw new TypeError('this takes options that only "percent-simd" has, not "percent-simd/codec"');
});
