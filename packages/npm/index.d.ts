/** Percent-encoding (URL encoding) with SIMD in both directions. */

/** Why an input is refused, and where. */
export class PercentError extends URIError {
  /** What is wrong. */
  readonly code: "truncated" | "not-hex" | "invalid-utf8" | "no-memory";
  /** Offset in bytes of the input; for "invalid-utf8" of `decode`, in bytes of what was decoded. */
  readonly offset: number;
}

/** A set of bytes: those that stay as they are when encoding, or whose escapes stay when decoding. */
export class ByteSet {
  private constructor();
  /** The 256 bits, from byte 0 on. */
  readonly bits: Uint8Array;
  /** Returns the set that the catalogue has under this name, such as `"RFC3986_PATH"` or `"rfc3986-path"`. */
  static named(name: string): ByteSet;
  /** Returns the set of these characters' UTF-8 bytes, or of these bytes. */
  static of(members: string | Uint8Array): ByteSet;
  has(byte: number): boolean;
  union(other: ByteSet): ByteSet;
  difference(other: ByteSet): ByteSet;
}

/** The catalogue: the name of each set and where it comes from. */
export const sets: readonly { readonly name: string; readonly clause: string }[];

export interface EncodeOptions {
  /** What stays as it is: a set or the name of one. That of `encodeURIComponent` if absent. */
  set?: string | ByteSet;
  /** Writes a space as `+`. As the users of a named set do if absent. */
  plus?: boolean;
  /** Writes hexadecimal digits in lower case. */
  lowercase?: boolean;
  /** Leaves well-formed escapes as they are. */
  keepTriplets?: boolean;
}

export interface DecodeBytesOptions {
  /** Reads `+` as a space: everywhere, or behind the first `?`. */
  plus?: boolean | "after-query";
  /** Throws at a malformed `%`, which otherwise stays. */
  strict?: boolean;
  /** Leaves the escapes of these bytes. */
  keep?: string | ByteSet;
}

export interface DecodeOptions extends DecodeBytesOptions {
  /** Throws where the decoded bytes are not UTF-8, in place of writing U+FFFD. */
  fatal?: boolean;
  /** Decodes up to this many layers. */
  layers?: number;
}

export interface NormalizeOptions {
  /** Drops a default port and writes an empty path as `/`. */
  byScheme?: boolean;
  /** Normalises escapes and nothing else. */
  escapesOnly?: boolean;
  /** Writes `%25` for a malformed `%` in place of throwing. */
  sanitize?: boolean;
}

/** Encodes text, or bytes, to text. A surrogate that stands alone is U+FFFD. */
export function encode(input: string | Uint8Array, options?: EncodeOptions): string;
/** Encodes text, or bytes, to bytes. */
export function encodeBytes(input: string | Uint8Array, options?: EncodeOptions): Uint8Array;
/** Decodes text, or bytes, to text. Without options it never throws. */
export function decode(input: string | Uint8Array, options?: DecodeOptions): string;
/** Decodes text, or bytes, to bytes. */
export function decodeBytes(input: string | Uint8Array, options?: DecodeBytesOptions & { layers?: number }): Uint8Array;
/** Normalises a URI (RFC 3986 6.2.2): what means the same is written the same. */
export function normalize(uri: string, options?: NormalizeOptions): string;
/** Maps an IRI to a URI (RFC 3987 3.1). */
export function toUri(iri: string): string;
/** Maps a URI to an IRI (RFC 3987 3.2), which people can read. */
export function toIri(uri: string): string;
/** Encodes a stream of bytes. */
export function encodeStream(options?: EncodeOptions): TransformStream<Uint8Array, Uint8Array>;
/** Decodes a stream of bytes. */
export function decodeStream(options?: DecodeBytesOptions): TransformStream<Uint8Array, Uint8Array>;
