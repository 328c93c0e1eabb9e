/**
 * The full module `percent-simd/engine.wasm` as a class, for places that load WebAssembly only as a file, and for programs that keep several
 * instances. Most programs need only `percent-simd`.
 */

import type { NewBytes } from "./index.js";

/** The bits of `flags`. */
export const FLAG: {
  readonly LOWERCASE: 1;
  readonly PLUS: 2;
  readonly PLUS_AFTER_QUERY: 4;
  readonly KEEP_TRIPLETS: 8;
  readonly STRICT: 16;
  readonly EACH_LINE: 32;
  readonly LF: 64;
  readonly CRLF: 128;
  readonly WRAP: 256;
  readonly CHECK_UTF8: 512;
  readonly LATIN1: 1024;
};

/** The operations of `transform`, by number. */
export const TRANSFORM: {
  readonly NORMALIZE: 0;
  readonly NORMALIZE_BY_SCHEME: 1;
  readonly NORMALIZE_ESCAPES: 2;
  readonly SANITIZE: 3;
  readonly TO_URI: 4;
  readonly TO_IRI: 5;
  readonly ESCAPE: 6;
  readonly UNESCAPE: 7;
  readonly SANITIZE_BY_SCHEME: 8;
  readonly SANITIZE_ESCAPES: 9;
};

/** The name of each `status`. The index is its number. */
export const STATUS: readonly ["ok", "truncated", "not-hex", "invalid-utf8"];

/** Means that there is no offset. */
export const NONE: 0xffffffff;

/** An input that is already text or bytes. */
export type EngineInput = string | Uint8Array;

/** The result of a call. */
export interface Output<Value> {
  value: Value;
  /** The number of an error in `STATUS`, or 0. */
  status: number;
  /** The offset of the error. If decoding succeeded, the offset of the first malformed `%`, or `NONE`. */
  offset: number;
  /** The number of decoded layers. */
  layers: number;
  /** With `FLAG.CHECK_UTF8`, the offset of the first bytes that aren't UTF-8, counted in the decoded bytes, or `NONE`. */
  invalidUtf8: number;
}

/** A stream: an input in pieces that end anywhere. */
export interface Stream {
  /** The number of `%` so far, and how many of these are malformed. */
  readonly percents: number;
  readonly malformed: number;
  /** `status` is the number of an error in `STATUS`, or 0. `offset` is the offset of the error in the stream. */
  readonly status: number;
  readonly offset: number;
  /** Processes a piece. Calls `write` with each part of the result, as a view that is valid during the call. */
  push(piece: Uint8Array, write: (view: Uint8Array) => void): void;
  /** Ends the stream. */
  finish(write: (view: Uint8Array) => void): void;
}

/** An instance of the full module. If a call traps, the next call makes a new instance. */
export class Engine {
  /** `make` returns a new `WebAssembly.Instance` of `percent-simd/engine.wasm`. The first call of a method calls `make`. */
  constructor(make: () => { readonly exports: object });
  /** Returns true if there is an instance, or one can be made. */
  isReady(): boolean;
  /** Encodes. `set` has 256 bits in 32 bytes, from byte 0 on. */
  encode(input: EngineInput, set: Uint8Array, flags?: number, as?: "text"): Output<string>;
  encode(input: EngineInput, set: Uint8Array, flags: number, as: "bytes"): Output<NewBytes>;
  /** Decodes. The escapes of the bytes in `keep` stay. */
  decode(input: EngineInput, keep?: Uint8Array, flags?: number, layers?: number, as?: "text"): Output<string>;
  decode(input: EngineInput, keep: Uint8Array | undefined, flags: number, layers: number, as: "bytes"): Output<NewBytes>;
  /** Applies an operation of `TRANSFORM`. */
  transform(kind: number, input: EngineInput): Output<string>;
  /** Hides the passwords of all URLs in a text. */
  redact(text: EngineInput): Output<string>;
  /** Returns true if decoding would change the input. */
  hasEscape(input: EngineInput): boolean;
  /** Starts a stream. */
  stream(encodes: boolean, set?: Uint8Array, flags?: number): Stream;
}
