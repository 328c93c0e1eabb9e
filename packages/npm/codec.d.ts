/**
 * The small part of percent-simd, with a tenth of its size. It encodes with sets that keep only ASCII, decodes strictly or leniently, and can
 * write and read `+` as a space.
 */
import type { DecodeOptions as AllDecodeOptions, EncodeOptions as AllEncodeOptions, Input, NewBytes } from "./index.js";

export { ByteSet, PercentError, sets } from "./index.js";
export type { Bytes, CatalogueName, Input, NewBytes, SetName } from "./index.js";

export type EncodeOptions = Pick<AllEncodeOptions, "set" | "plus">;
export type DecodeBytesOptions = Pick<AllDecodeOptions, "plus" | "strict">;
export type DecodeOptions = Pick<AllDecodeOptions, "plus" | "strict" | "fatal">;

/** Encodes text or bytes. Returns text. */
export function encode(input: Input, options?: EncodeOptions | number, array?: readonly unknown[]): string;
/** Encodes text or bytes. Returns bytes. */
export function encodeBytes(input: Input, options?: EncodeOptions | number, array?: readonly unknown[]): NewBytes;
/** Decodes text or bytes. Returns text. Without options, a malformed `%` stays, and bytes that aren't UTF-8 become U+FFFD. */
export function decode(input: Input, options?: DecodeOptions | number, array?: readonly unknown[]): string;
/** Decodes text or bytes. Returns bytes. */
export function decodeBytes(input: Input, options?: DecodeBytesOptions | number, array?: readonly unknown[]): NewBytes;
