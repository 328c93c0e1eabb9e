/** Percent-encoding (URL encoding) with SIMD in both directions. */
import type { CatalogueName } from "./names.js";

export type { CatalogueName } from "./names.js";

type Hyphenated<Name extends string> = Name extends `${infer Word}_${infer Rest}` ? `${Word}-${Hyphenated<Rest>}` : Name;

/** The name of a set, in upper or lower case, with `_` or `-`: `"RFC3986_PATH"`, `"rfc3986-path"`. */
export type SetName = CatalogueName | Lowercase<CatalogueName> | Hyphenated<CatalogueName> | Lowercase<Hyphenated<CatalogueName>>;

/** The error that every call throws if there is no result. */
export class PercentError extends URIError {
  /**
   * The first three codes are errors in the input. The others mean: `"no-memory"`, memory ran out; `"too-large"`, the result has more
   * UTF-16 code units, or more bytes in UTF-8, than a string can have; `"no-wasm"`, the call needs WebAssembly, which this place doesn't have; `"internal"`,
   * a bug in this package. After each of these errors except `"no-wasm"`, the next call works.
   */
  readonly code: "truncated" | "not-hex" | "invalid-utf8" | "no-memory" | "too-large" | "no-wasm" | "internal";
  /** The offset in the input, in bytes. If `decode` throws "invalid-utf8", this is the offset in the decoded bytes. */
  readonly offset: number;
}

/** Bytes in memory: an `ArrayBuffer`, a `SharedArrayBuffer`, or any view of one, such as a `Uint8Array`, a `DataView` or a `Buffer`. */
export type Bytes = ArrayBufferLike | ArrayBufferView;

/**
 * The bytes of a result, in an `ArrayBuffer` of their own. From TypeScript 5.7 on, this type is
 * `Uint8Array<ArrayBuffer>`. In older versions, it is `Uint8Array`.
 */
export type NewBytes = ReturnType<Uint8ArrayConstructor["of"]>;

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
  static named(name: SetName | (string & {})): ByteSet;
  /** Returns the set of these bytes. If `members` is a string, returns the set of its UTF-8 bytes. */
  static of(members: string | Bytes): ByteSet;
  has(byte: number): boolean;
  union(other: ByteSet): ByteSet;
  difference(other: ByteSet): ByteSet;
}

/** The catalogue: the name and the source of each set. */
export const sets: readonly { readonly name: CatalogueName; readonly clause: string }[];

/** A set of the catalogue as an encoder. */
export interface Preset {
  readonly name: CatalogueName;
  /** The source of the set, such as `"RFC 3986 3.3 path"`. */
  readonly clause: string;
  readonly set: ByteSet;
  /** Encodes text or bytes. Returns text. `map` can call this function directly. */
  encode(this: void, input: Input): string;
  /** Encodes text or bytes. Returns bytes. */
  encodeBytes(this: void, input: Input): NewBytes;
}

/** The entries of the catalogue as encoders: `presets.AWS_SIGV4.encode("a/b")`. */
export const presets: { readonly [Name in CatalogueName]: Preset };

export interface EncodeOptions {
  /**
   * The characters that stay: a set, or the name of a set. The default is the set of `encodeURIComponent`. In text, characters beyond ASCII
   * stay only if the set has all bytes from 0x80 to 0xFF. So `encode` never keeps only some bytes of a character.
   */
  set?: SetName | ByteSet | undefined;
  /**
   * Writes a space as `+`. The default is true for the named sets whose source does this, for example `"WHATWG_FORM"`,
   * and false for all other sets. The set shouldn't contain `+`. Otherwise spaces and pluses look the same in the output.
   */
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
  keep?: SetName | ByteSet | undefined;
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
  | "punctuation"
  | "idn"
  | "ipv6";

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

export interface ParseQueryOptions {
  /** Reads `+` as a space, as forms do. The default is true. */
  plus?: boolean | undefined;
  /** Throws an error if a `%` is malformed. By default a malformed `%` stays. */
  strict?: boolean | undefined;
  /** Throws an error if a name or value isn't UTF-8. By default U+FFFD replaces the bytes. */
  fatal?: boolean | undefined;
}

export interface StringifyQueryOptions {
  /** The characters that stay: a set, or the name of a set. The default is `"WHATWG_FORM"`, which writes a space as `+`. */
  set?: SetName | ByteSet | undefined;
  /**
   * Writes a space as `+`. The default is true for the named sets whose source does this, for example `"WHATWG_FORM"`,
   * and false for all other sets.
   */
  plus?: boolean | undefined;
}

/** The value of a name in an object of pairs. `undefined` gives no pair, and an array gives a pair for each item. */
type Values = Input | readonly (Input | undefined)[] | undefined;

/** Pairs of names and values: an iterable, or an object. `T` is the type of the object. */
export type Pairs<T extends object = { readonly [name: string]: Values }> =
  | Iterable<readonly [Input, Input]>
  | ({ readonly [Name in keyof T]: Values } & { readonly [Symbol.iterator]?: never });

export interface SortQueryOptions {
  /**
   * - `"name"`, the default, sorts by the decoded name, as `URLSearchParams` does. Pairs with the same name keep their order, and no pair
   *   changes. This order suits the keys of a cache.
   * - `"sigv4"` is the canonical query of AWS Signature Version 4.
   * - `"oauth1"` is the normalised parameters of OAuth 1.0 (RFC 5849 3.4.1.3.2). It reads `+` as a space.
   * - `"kept"` keeps the order. Use it with `drop`.
   */
  order?: "name" | "sigv4" | "oauth1" | "kept" | undefined;
  /** Drops the pairs with these decoded names. A `*` at the end stands for any text: `"utm_*"`. */
  drop?: readonly string[] | undefined;
}

// Each call throws a `TypeError` for an unknown option, and for a value of a wrong type. You can pass a call to `map` or `Array.from`. These
// also pass an index, and `map` passes the array. So calls with options accept a number in place of the options, and ignore it and the array. A
// second signature would hide the faults of options: the compiler shows only why the last signature doesn't fit.

/** Encodes text or bytes. Returns text. */
export function encode(input: Input, options?: EncodeOptions | number, array?: readonly unknown[]): string;
/** Encodes text or bytes. Returns bytes. A byte above ASCII stays if it is in the set. */
export function encodeBytes(input: Input, options?: EncodeOptions | number, array?: readonly unknown[]): NewBytes;
/** Decodes text or bytes. Returns text. Without options, a malformed `%` stays, and bytes that aren't UTF-8 become U+FFFD. */
export function decode(input: Input, options?: DecodeOptions | number, array?: readonly unknown[]): string;
/** Decodes text or bytes. Returns bytes. */
export function decodeBytes(input: Input, options?: DecodeBytesOptions | number, array?: readonly unknown[]): NewBytes;
/** Normalises a URI (RFC 3986 6.2.2). Equivalent URIs give the same text. */
export function normalize(uri: Input, options?: NormalizeOptions | number, array?: readonly unknown[]): string;
/** Converts an IRI to a URI (RFC 3987 3.1). */
export function toUri(iri: Input): string;
/** Converts a URI to a readable IRI (RFC 3987 3.2). */
export function toIri(uri: Input): string;
/**
 * Repairs a link that someone pasted: spaces, raw letters, a bare `%`, line breaks and so on. Only faults with one remedy are repaired. A
 * host never changes, except to the ASCII form that JavaScript's class `URL` gives.
 */
export function repair(link: Input, options?: RepairOptions | number, array?: readonly unknown[]): Repaired;
/**
 * Hides the passwords of all URLs in a text: `***` replaces each password. Also hides passwords in text that isn't a valid URL, such as
 * `root:p@ss@localhost`, and in encoded URLs.
 */
export function redact(text: Input): string;
/**
 * Parses a query or a form into decoded pairs, as `URLSearchParams` does. Drops one `?` at the start. The offset of an error is in bytes of
 * the query. For "invalid-utf8", it is the start of the name or value.
 */
export function parseQuery(query: Input, options?: ParseQueryOptions | number, array?: readonly unknown[]): [name: string, value: string][];
/** Writes pairs as a query or a form, without `?`. */
export function stringifyQuery<T extends object>(pairs: Pairs<T>, options?: StringifyQueryOptions | number, array?: readonly unknown[]): string;
/** Sorts the pairs of a query, and drops some. Drops one `?` at the start, and empty pairs. */
export function sortQuery(query: Input, options?: SortQueryOptions | number, array?: readonly unknown[]): string;
/** Encodes a stream of bytes. */
export function encodeStream(options?: EncodeOptions): TransformStream<Bytes, NewBytes>;
/** Decodes a stream of bytes. */
export function decodeStream(options?: DecodeStreamOptions): TransformStream<Bytes, NewBytes>;
