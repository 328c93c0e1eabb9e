/** Percent-encoding (URL encoding) with SIMD in both directions. */

/** The error that every call throws if there is no result. */
export class PercentError extends URIError {
  /**
   * The first three codes are errors in the input. The others mean: `"no-memory"`, memory ran out; `"too-large"`, the result is longer than
   * a string can be; `"no-wasm"`, the call needs WebAssembly, which this place doesn't have; `"internal"`, a bug in this package. After each
   * of these errors, the next call works.
   */
  readonly code: "truncated" | "not-hex" | "invalid-utf8" | "no-memory" | "too-large" | "no-wasm" | "internal";
  /** The offset in the input, in bytes. If `decode` throws "invalid-utf8", the offset in the decoded bytes. */
  readonly offset: number;
}

/** Bytes in memory: an `ArrayBuffer`, a `SharedArrayBuffer`, or any view of one, such as a `Uint8Array`, a `DataView` or a `Buffer`. */
export type Bytes = ArrayBufferLike | ArrayBufferView;

/**
 * An input: text or bytes. Any other value is converted as `encodeURIComponent` does: a number, `null` or an array becomes its text, and a
 * symbol is a `TypeError`. A lone surrogate becomes U+FFFD.
 */
export type Input = string | number | bigint | boolean | Bytes;

/** A set of bytes. When encoding, these bytes stay. When decoding, their escapes stay. */
export class ByteSet {
  private constructor();
  /** The set as 256 bits, from byte 0 on. */
  readonly bits: Uint8Array;
  /** Returns the set with this name in the catalogue, for example `"RFC3986_PATH"` or `"rfc3986-path"`. */
  static named(name: string): ByteSet;
  /** Returns the set of these bytes. If `members` is a string, returns the set of its UTF-8 bytes. */
  static of(members: string | Bytes): ByteSet;
  has(byte: number): boolean;
  union(other: ByteSet): ByteSet;
  difference(other: ByteSet): ByteSet;
}

/** The catalogue: the name and the source of each set. */
export const sets: readonly { readonly name: string; readonly clause: string }[];

export interface EncodeOptions {
  /**
   * The characters that stay: a set, or the name of a set. The default is the set of `encodeURIComponent`. In text, characters beyond ASCII
   * stay only if the set has all bytes from 0x80 to 0xFF. So `encode` never keeps only some bytes of a character.
   */
  set?: string | ByteSet | undefined;
  /** Writes a space as `+`. If you don't set it, the named set decides. */
  plus?: boolean | undefined;
  /** Writes hexadecimal digits in lower case. */
  lowercase?: boolean | undefined;
  /** Keeps well-formed escapes. */
  keepTriplets?: boolean | undefined;
}

export interface DecodeStreamOptions {
  /** Reads `+` as a space: everywhere, or only after the first `?`. */
  plus?: boolean | "after-query" | undefined;
  /** Throws an error if a `%` is malformed. By default a malformed `%` stays. */
  strict?: boolean | undefined;
  /** Keeps the escapes of these bytes. */
  keep?: string | ByteSet | undefined;
}

export interface DecodeBytesOptions extends DecodeStreamOptions {
  /** Decodes up to this many layers, by default 1. `Infinity` decodes all. */
  layers?: number | undefined;
}

export interface DecodeOptions extends DecodeBytesOptions {
  /** Throws an error if the decoded bytes aren't UTF-8. By default U+FFFD replaces them. */
  fatal?: boolean | undefined;
}

export interface NormalizeOptions {
  /** Removes a default port and writes an empty path as `/`. */
  byScheme?: boolean | undefined;
  /** Normalises only escapes. You can't combine this with `byScheme`. */
  escapesOnly?: boolean | undefined;
  /** Writes `%25` for a malformed `%`. By default a malformed `%` is an error. */
  sanitize?: boolean | undefined;
}

/** The kind of a repair. */
export type RepairKind =
  | "surroundings"
  | "line-break"
  | "space"
  | "non-ascii"
  | "percent"
  | "bracket"
  | "illegal"
  | "u-escape"
  | "entity"
  | "backslash"
  | "double-encoded"
  | "idn";

export interface RepairOptions {
  /** Does not repair faults of these kinds. */
  without?: readonly RepairKind[] | undefined;
}

export interface Repaired {
  /** The repaired link. */
  text: string;
  /** The repairs, in the order of their starts. `start` and `end` are indices in the link. */
  changes: { start: number; end: number; kind: RepairKind; reason: string }[];
}

// Each call throws a `TypeError` for an unknown option, and for a value of a wrong type. The first four calls have a second signature for
// `map`, which also passes an index and the array. The calls ignore both.

/** Encodes text or bytes. Returns text. */
export function encode(input: Input, options?: EncodeOptions): string;
export function encode(input: Input, index: number, array: readonly unknown[]): string;
/** Encodes text or bytes. Returns bytes. A byte above ASCII stays if it is in the set. */
export function encodeBytes(input: Input, options?: EncodeOptions): Uint8Array;
export function encodeBytes(input: Input, index: number, array: readonly unknown[]): Uint8Array;
/** Decodes text or bytes. Returns text. Without options, a malformed `%` stays, and bytes that aren't UTF-8 become U+FFFD. */
export function decode(input: Input, options?: DecodeOptions): string;
export function decode(input: Input, index: number, array: readonly unknown[]): string;
/** Decodes text or bytes. Returns bytes. */
export function decodeBytes(input: Input, options?: DecodeBytesOptions): Uint8Array;
export function decodeBytes(input: Input, index: number, array: readonly unknown[]): Uint8Array;
/** Normalises a URI (RFC 3986 6.2.2). Equivalent URIs give the same text. */
export function normalize(uri: Input, options?: NormalizeOptions): string;
/** Converts an IRI to a URI (RFC 3987 3.1). */
export function toUri(iri: Input): string;
/** Converts a URI to a readable IRI (RFC 3987 3.2). */
export function toIri(uri: Input): string;
/**
 * Repairs a link that someone pasted: spaces, raw letters, a bare `%`, line breaks and so on. Only faults with one remedy are repaired. A
 * host never changes, except to its ASCII form by `URL`.
 */
export function repair(link: Input, options?: RepairOptions): Repaired;
/** Encodes a stream of bytes. */
export function encodeStream(options?: EncodeOptions): TransformStream<Bytes, Uint8Array>;
/** Decodes a stream of bytes. */
export function decodeStream(options?: DecodeStreamOptions): TransformStream<Bytes, Uint8Array>;
