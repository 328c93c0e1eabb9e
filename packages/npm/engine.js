// The full module as an object.
import { FLAG, NONE, STATUS, TRANSFORM } from "./abi.js";
import { Memory, longest, prefersLatin1 } from "./memory.js";

export { FLAG, NONE, STATUS, TRANSFORM };

/** The size of the options in linear memory: a set of 256 bits, flags, and the number of layers. */
const OPTIONS = 40;
/** Inputs above this many bytes get a buffer of their own, which is freed after the call. */
const SCRATCH_MAX = 1 << 22;
/** What a stream reads and writes at a time. */
const CHUNK = 1 << 16;

export class Engine {
  #wasm;
  #memory;
  #scratch = 0;
  #scratchLen = 0;
  #options = new Map();
  #small;

  /**
   * @param {WebAssembly.Instance} instance
   * @param {import("./small.js").Small} [small] which is faster, and does what it can
   */
  constructor(instance, small) {
    this.#small = small;
    this.#wasm = instance.exports;
    this.#memory = new Memory(instance.exports.memory);
    this.#reserve(1 << 12);
  }

  /** Encodes text or bytes. `as` says what becomes of the result: a string ("text") or bytes ("bytes"). */
  encode(input, set, flags = 0, as = "text") {
    const kind = as === "text" ? "ascii" : as;
    return this.#small?.encode(input, set, flags, kind) ?? this.#run(this.#wasm.encode, input, this.#place(set, flags, 0), kind);
  }

  /** Decodes text or bytes. */
  decode(input, keep, flags = 0, layers = 0, as = "text") {
    const output = keep || layers > 1 ? undefined : this.#small?.decode(input, flags, as);
    if (output) return output;
    if (prefersLatin1 && as === "text") flags |= FLAG.LATIN1;
    return this.#run(this.#wasm.decode, input, this.#place(keep, flags, layers), as);
  }

  /** Does one of `TRANSFORM` to a text. */
  transform(kind, input, as = "text") {
    return this.#with(input, (at, len) => this.#take(this.#wasm.transform(kind, at, len), as));
  }

  /** Whether decoding would change the input. */
  hasEscape(input) {
    return this.#with(input, (at, len) => this.#wasm.has_escape(at, len) !== 0);
  }

  /** See crates/wasm/src/explain.rs. Numbers of 32 bits. */
  explain(input, classes, plus, max) {
    const call = (at, len) => this.#take(this.#wasm.explain(at, len, classes, plus ? 1 : 0, max), "bytes");
    return words(this.#with(input, call).value);
  }

  /** See crates/wasm/src/url.rs. Numbers of 32 bits. */
  split(input, isQuery, max) {
    const call = (at, len) => this.#take(this.#wasm.split(at, len, isQuery ? 1 : 0, max), "bytes");
    return words(this.#with(input, call).value);
  }

  /** Starts a stream. */
  stream(encodes, set, flags = 0) {
    return this.#small?.stream(encodes, set, flags) ?? new Stream(this.#wasm, encodes, this.#place(set, flags, 0));
  }

  /** The address of the options, which stay there for the next call with the same. */
  #place(set, flags, layers) {
    const key = `${set ?? ""}/${flags}/${layers}`;
    let at = this.#options.get(key);
    if (at === undefined) {
      if (this.#options.size === 64) {
        for (const old of this.#options.values()) this.#wasm.buffer_free(old, OPTIONS);
        this.#options.clear();
      }
      at = this.#wasm.buffer_new(OPTIONS);
      if (set) this.#memory.bytes.set(set, at);
      this.#memory.words(at + 32, 2).set([flags, layers]);
      this.#options.set(key, at);
    }
    return at;
  }

  #run(operation, input, options, as) {
    return this.#with(input, (at, len) => this.#take(operation(at, len, options), as));
  }

  /** Calls `operation` with the address and length of the input in linear memory. */
  #with(input, operation) {
    const len = this.#write(input);
    const result = operation(this.#scratch, len);
    if (this.#scratchLen > SCRATCH_MAX) this.#reserve(1 << 12);
    return result;
  }

  #reserve(len) {
    if (this.#scratch) this.#wasm.buffer_free(this.#scratch, this.#scratchLen);
    this.#scratch = this.#wasm.buffer_new(len);
    this.#scratchLen = len;
    if (!this.#scratch) throw new RangeError("out of memory");
  }

  /** Writes the input to the scratch buffer; returns its length in bytes. */
  #write(input) {
    if (longest(input) > this.#scratchLen) this.#reserve(longest(input));
    return this.#memory.write(input, this.#scratch);
  }

  /** Reads an output and frees it. */
  #take(at, as) {
    const [data, len, status, offset, layers, invalidUtf8, latin1] = this.#memory.words(at, 7);
    const value = this.#memory.read(data, len, as === "text" && latin1 ? "latin1" : as);
    this.#wasm.output_free(at);
    return { value, status, offset, layers, invalidUtf8 };
  }
}

/** An input in pieces that end anywhere, from and to buffers in linear memory. */
class Stream {
  #wasm;
  #stream;
  #buffer;

  constructor(wasm, encodes, options) {
    this.#wasm = wasm;
    this.#stream = wasm.stream_new(encodes ? 1 : 0, options);
    this.#buffer = wasm.buffer_new(4 * CHUNK + 32);
    /** Every `%` so far, and those that start no escape. */
    this.percents = 0;
    this.malformed = 0;
    /** What is wrong, by its number, and where. */
    this.status = 0;
    this.offset = NONE;
  }

  /** Calls `write` with each piece of the result, in a view that is valid during the call. */
  push(piece, write) {
    const out = this.#buffer + CHUNK;
    for (let from = 0; from < piece.length && this.status === 0; ) {
      const part = piece.subarray(from, from + CHUNK);
      new Uint8Array(this.#wasm.memory.buffer, this.#buffer, part.length).set(part);
      this.#wasm.stream_push(this.#stream, this.#buffer, part.length, out, 3 * CHUNK, out + 3 * CHUNK);
      from += this.#advance(write);
    }
  }

  /** Ends the stream, and frees it. */
  finish(write) {
    const out = this.#buffer + CHUNK;
    if (this.status === 0) {
      this.#wasm.stream_finish(this.#stream, out, 3 * CHUNK, out + 3 * CHUNK);
      this.#advance(write);
    }
    this.free();
  }

  free() {
    if (!this.#stream) return;
    this.#wasm.stream_free(this.#stream);
    this.#wasm.buffer_free(this.#buffer, 4 * CHUNK + 32);
    this.#stream = 0;
  }

  #advance(write) {
    const out = this.#buffer + CHUNK;
    const memory = this.#wasm.memory.buffer;
    const [read, written, status, offset, percents, malformed] = new Uint32Array(memory, out + 3 * CHUNK, 6);
    this.percents += percents;
    this.malformed += malformed;
    this.status = status;
    this.offset = offset;
    if (written > 0) write(new Uint8Array(memory, out, written));
    return read;
  }
}

const words = (bytes) => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);
