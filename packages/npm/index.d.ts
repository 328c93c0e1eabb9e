/** Percent-encoding (URL encoding) with SIMD in both directions. */

/** Says why there is no result. */
export class PercentError extends URIError {
  /**
   * What is wrong with the input (the first three), or that the result cannot be had: `"no-memory"`, `"too-large"` if it is longer than a
   * string can be, `"internal"` for a fault in this package. After any of them the next call works.
   */
  readonly code: "truncated" | "not-hex" | "invalid-utf8" | "no-memory" | "too-large" | "internal";
  /** Offset in bytes of the input; for "invalid-utf8" of `decode`, in bytes of what was decoded. */
  readonly offset: number;
}

/** Bytes in memory: an `ArrayBuffer`, a `SharedArrayBuffer`, or any view of one, such as a `Uint8Array`, a `DataView` or a `Buffer`. */
export type Bytes = ArrayBufferLike | ArrayBufferView;

/**
 * An input. Bytes are taken as they are. Any other value is converted as `encodeURIComponent` does it: a number, `null` or an array
 * becomes its text, and a symbol is a `TypeError`. A surrogate that stands alone is U+FFFD.
 */
export type Input = string | number | bigint | boolean | Bytes;

/** A set of bytes: those that stay as they are when encoding, or whose escapes stay when decoding. */
export class ByteSet {
  private constructor();
  /** The 256 bits, from byte 0 on. */
  readonly bits: Uint8Array;
  /** Returns the set that the catalogue has under this name, such as `"RFC3986_PATH"` or `"rfc3986-path"`. */
  static named(name: string): ByteSet;
  /** Returns the set of these characters' UTF-8 bytes, or of these bytes. */
  static of(members: string | Bytes): ByteSet;
  has(byte: number): boolean;
  union(other: ByteSet): ByteSet;
  difference(other: ByteSet): ByteSet;
}

/** The catalogue: the name of each set and where it comes from. */
export const sets: readonly { readonly name: string; readonly clause: string }[];

export interface EncodeOptions {
  /**
   * What stays as it is: a set or the name of one. That of `encodeURIComponent` if absent. In text, characters beyond ASCII stay if the
   * set has all bytes from 0x80 to 0xFF, and are encoded otherwise: `encode` never tears a character apart.
   */
  set?: string | ByteSet | undefined;
  /** Writes a space as `+`. As the users of a named set do if absent. */
  plus?: boolean | undefined;
  /** Writes hexadecimal digits in lower case. */
  lowercase?: boolean | undefined;
  /** Leaves well-formed escapes as they are. */
  keepTriplets?: boolean | undefined;
}

export interface DecodeStreamOptions {
  /** Reads `+` as a space: everywhere, or behind the first `?`. */
  plus?: boolean | "after-query" | undefined;
  /** Throws at a malformed `%`, which otherwise stays. */
  strict?: boolean | undefined;
  /** Leaves the escapes of these bytes. */
  keep?: string | ByteSet | undefined;
}

export interface DecodeBytesOptions extends DecodeStreamOptions {
  /** Decodes up to this many layers, 1 if absent. `Infinity` decodes all. */
  layers?: number | undefined;
}

export interface DecodeOptions extends DecodeBytesOptions {
  /** Throws where the decoded bytes are not UTF-8, in place of writing U+FFFD. */
  fatal?: boolean | undefined;
}

export interface NormalizeOptions {
  /** Drops a default port and writes an empty path as `/`. */
  byScheme?: boolean | undefined;
  /** Normalises escapes and nothing else. Excludes `byScheme`. */
  escapesOnly?: boolean | undefined;
  /** Writes `%25` for a malformed `%` in place of throwing. */
  sanitize?: boolean | undefined;
}

// Every call throws a `TypeError` for an option that it does not know, or that has another type. The second signature of the first four is
// for `map`, which hands over an index and the array: they have no effect.

/** Encodes text, or bytes, to text. */
export function encode(input: Input, options?: EncodeOptions): string;
export function encode(input: Input, index: number, array: readonly unknown[]): string;
/** Encodes text, or bytes, to bytes. Bytes above ASCII stay if they are in the set, each by itself. */
export function encodeBytes(input: Input, options?: EncodeOptions): Uint8Array;
export function encodeBytes(input: Input, index: number, array: readonly unknown[]): Uint8Array;
/** Decodes text, or bytes, to text. Without options a malformed `%` stays and bytes that are not UTF-8 become U+FFFD. */
export function decode(input: Input, options?: DecodeOptions): string;
export function decode(input: Input, index: number, array: readonly unknown[]): string;
/** Decodes text, or bytes, to bytes. */
export function decodeBytes(input: Input, options?: DecodeBytesOptions): Uint8Array;
export function decodeBytes(input: Input, index: number, array: readonly unknown[]): Uint8Array;
/** Normalises a URI (RFC 3986 6.2.2): what means the same is written the same. */
export function normalize(uri: Input, options?: NormalizeOptions): string;
/** Maps an IRI to a URI (RFC 3987 3.1). */
export function toUri(iri: Input): string;
/** Maps a URI to an IRI (RFC 3987 3.2), which people can read. */
export function toIri(uri: Input): string;
/** Encodes a stream of bytes. */
export function encodeStream(options?: EncodeOptions): TransformStream<Bytes, Uint8Array>;
/** Decodes a stream of bytes. */
export function decodeStream(options?: DecodeStreamOptions): TransformStream<Bytes, Uint8Array>;
