// An instance of a module and its linear memory: strings and bytes are written to it and read from it here, and nowhere else.
import { PercentError } from "./error.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
// Node.js makes strings of a buffer several times as fast as its TextDecoder does, and writes them a fifth faster than its TextEncoder.
const NodeBuffer = typeof globalThis.process?.versions?.node === "string" ? globalThis.Buffer : undefined;

/** Whether strings are made of Latin-1 faster than of UTF-8. */
export const prefersLatin1 = NodeBuffer !== undefined;

/** The size of a page of linear memory. */
const PAGE = 1 << 16;

// A module of one function with an instruction of simd128, `i8x16.popcnt`.
const PROBE = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
);

/** Whether the machine has simd128. */
export const hasSimd = () => WebAssembly.validate(PROBE);

/**
 * Makes instances of a module, of which there is a first one: browsers from before 2023 make none of this size at once on the main thread.
 */
export const instancesOf = (module, first) => () => {
  const instance = first ?? new WebAssembly.Instance(module);
  first = undefined;
  return instance;
};

/** The most bytes that an input can have. */
export const longest = (input) => (typeof input === "string" ? 3 * input.length : input.length);

/**
 * An instance that is made when it is needed first. If it fails or has too little memory, it is given up, together with its memory, and
 * the next call makes another one: after a trap its stack is not unwound.
 */
export class Machine {
  #make;
  #exports = undefined;
  #bytes = new Uint8Array();
  #nodeBytes = undefined;

  /** @param {() => WebAssembly.Instance} make */
  constructor(make) {
    this.#make = make;
  }

  /** The exports of the instance. */
  get exports() {
    if (this.#exports === undefined) {
      try {
        this.#exports = this.#make().exports;
      } catch (cause) {
        throw cause instanceof RangeError ? new PercentError("no-memory", 0, cause) : cause;
      }
    }
    return this.#exports;
  }

  /** Forgets all addresses, because the instance is given up. */
  forget() {}

  /** Calls a function of the module. */
  call(name, ...values) {
    const { exports } = this;
    try {
      return exports[name](...values);
    } catch (cause) {
      this.#giveUp();
      if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
      throw new PercentError(exports.is_out_of_memory?.() === 1 ? "no-memory" : "internal", 0, cause);
    }
  }

  #giveUp() {
    this.#exports = undefined;
    this.#bytes = new Uint8Array();
    this.#nodeBytes = undefined;
    this.forget();
  }

  /** All of the memory. Views are made anew only after it has grown. */
  get bytes() {
    const { buffer } = this.exports.memory;
    if (this.#bytes.buffer !== buffer) {
      this.#bytes = new Uint8Array(buffer);
      this.#nodeBytes = NodeBuffer?.from(buffer);
    }
    return this.#bytes;
  }

  /** Numbers of 32 bits. */
  words(at, count) {
    return new Uint32Array(this.exports.memory.buffer, at, count);
  }

  /** Makes the memory of a module without an allocator at least so large. */
  grow(size) {
    const missing = size - this.bytes.length;
    if (missing <= 0) return;
    try {
      this.exports.memory.grow(Math.ceil(missing / PAGE));
    } catch (cause) {
      this.#giveUp();
      throw new PercentError("no-memory", 0, cause);
    }
  }

  /** Writes text or bytes, for which there is space; returns their length in bytes. */
  write(input, at) {
    const { bytes } = this;
    if (typeof input === "string") {
      if (NodeBuffer) return this.#nodeBytes.utf8Write(input, at, 3 * input.length);
      return encoder.encodeInto(input, bytes.subarray(at, at + 3 * input.length)).written;
    }
    bytes.set(input, at);
    return input.length;
  }

  /** Reads bytes ("bytes", or "view" for those in memory themselves), ASCII ("ascii"), Latin-1 ("latin1", where it is preferred) or UTF-8 ("text"). */
  read(at, len, as) {
    const all = this.bytes;
    if (as === "view") return all.subarray(at, at + len);
    try {
      if (as === "bytes") return all.slice(at, at + len);
      if (!NodeBuffer) return decoder.decode(all.subarray(at, at + len));
      return as === "text" ? this.#nodeBytes.utf8Slice(at, at + len) : this.#nodeBytes.latin1Slice(at, at + len);
    } catch (cause) {
      throw new PercentError(as === "bytes" ? "no-memory" : "too-large", 0, cause);
    }
  }
}
