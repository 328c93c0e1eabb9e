// An instance of a module, and its linear memory. Only this file writes strings and bytes to that memory, and reads them from it.
import { PercentError } from "./error.js";
import { fromUtf8, writeUtf8 } from "./utf8.js";

// In Node.js, a Buffer reads strings several times as fast as TextDecoder, and writes them a fifth faster than TextEncoder.
const NodeBuffer = typeof globalThis.process?.versions?.node === "string" ? globalThis.Buffer : undefined;

/** True if JavaScript makes strings faster from Latin-1 than from UTF-8. */
export const prefersLatin1 = NodeBuffer !== undefined;

/** The size of a page of linear memory. */
const PAGE = 1 << 16;

// A module whose only function has an instruction of simd128, `i8x16.popcnt`. Without simd128, the module is invalid.
const PROBE = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
);

/** Returns true if the machine has simd128. */
export const hasSimd = () => WebAssembly.validate(PROBE);

/**
 * Returns a function that returns an instance of a module. Its first call returns `first`, and each later call creates
 * an instance. The caller creates `first` in advance, because browsers from before 2023 can't create an instance of
 * this size synchronously on the main thread.
 */
export const instancesOf = (module, first) => () => {
  const instance = first ?? new WebAssembly.Instance(module);
  first = undefined;
  return instance;
};

/**
 * Returns a function that compiles the module of `bytes` when it is first called, and returns instances of it. Without WebAssembly it throws
 * a `PercentError` "no-wasm". On the main thread, browsers from before 2023 compile a module of this size only in the background. There, the
 * function throws until the module is compiled.
 */
export function instancesFrom(bytes) {
  let module;
  let first;
  let refusal;
  const compile = () => {
    let code;
    try {
      code = bytes();
      module = new WebAssembly.Module(code);
    } catch (cause) {
      refusal = cause;
      if (cause instanceof RangeError) WebAssembly.instantiate(code).then((ready) => ({ module, instance: first } = ready), () => {});
    }
  };
  return () => {
    // After a refusal, don't try again: each try would report a violation of the Content-Security-Policy.
    if (module === undefined && refusal === undefined) compile();
    if (module === undefined) throw new PercentError("no-wasm", 0, refusal);
    const instance = first ?? new WebAssembly.Instance(module);
    first = undefined;
    return instance;
  };
}

/** Memory outside of all modules, for short text. */
export class ShortBuffer {
  #nodeBytes;

  constructor(len) {
    this.bytes = new Uint8Array(len);
    this.#nodeBytes = NodeBuffer?.from(this.bytes.buffer);
  }

  /** Returns the first `len` bytes, which are ASCII, as a string. */
  read(len) {
    return this.#nodeBytes ? this.#nodeBytes.latin1Slice(0, len) : fromUtf8(this.bytes.subarray(0, len));
  }

  /** Returns the first `len` bytes as a string. */
  readUtf8(len) {
    return this.#nodeBytes ? this.#nodeBytes.utf8Slice(0, len) : fromUtf8(this.bytes.subarray(0, len));
  }
}

/** Rust's slices have at most this many bytes. */
const MOST = 0x7fffffff;

/** Returns `len`. Throws if a slice in Rust can't have this many bytes. */
export function sliceLength(len) {
  if (len > MOST) throw new PercentError("no-memory");
  return len;
}

/** Returns the greatest length that an input can have in bytes. */
export const longest = (input) => (typeof input === "string" ? 3 * input.length : input.length);

/**
 * An instance that the first call creates. If a call traps or runs out of memory, we drop the instance and its memory, because a trap
 * doesn't unwind the stack. The next call creates a new instance.
 */
export class Machine {
  #make;
  #exports = undefined;
  #bytes = new Uint8Array();
  #numbers = new Uint32Array();
  #nodeBytes = undefined;

  /** @param {() => WebAssembly.Instance} make */
  constructor(make) {
    this.#make = make;
  }

  /** Returns true if there is an instance, or one can be made. Returns false if there is no WebAssembly here. */
  isReady() {
    try {
      return this.exports !== undefined;
    } catch (error) {
      if (error.code === "no-wasm") return false;
      throw error;
    }
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

  /** Forgets all addresses, because the instance is dropped. Subclasses that store addresses override it. */
  forget() {}

  /** Calls a function of the module, and returns its result as a number without a sign. */
  call(name, ...values) {
    const { exports } = this;
    try {
      // An address above 2 GiB is a negative number in JavaScript, so convert the result.
      return exports[name](...values) >>> 0;
    } catch (cause) {
      this.#giveUp();
      if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
      throw new PercentError(exports.is_out_of_memory?.() === 1 ? "no-memory" : "internal", 0, cause);
    }
  }

  #giveUp() {
    this.#exports = undefined;
    this.#bytes = new Uint8Array();
    this.#numbers = new Uint32Array();
    this.#nodeBytes = undefined;
    this.forget();
  }

  /** The whole memory as a view. If the memory has grown, the old view is empty, so this makes a new one. */
  get bytes() {
    if (this.#bytes.length === 0) this.#view();
    return this.#bytes;
  }

  #view() {
    const { buffer } = this.exports.memory;
    this.#bytes = new Uint8Array(buffer);
    this.#numbers = new Uint32Array(buffer);
    this.#nodeBytes = NodeBuffer?.from(buffer);
  }

  /** The whole memory as numbers of 32 bits. */
  get numbers() {
    if (this.#numbers.length === 0) this.#view();
    return this.#numbers;
  }

  /** Returns a view of `count` numbers of 32 bits. */
  words(at, count) {
    return this.numbers.subarray(at / 4, at / 4 + count);
  }

  /** Grows the memory to at least `size` bytes. Use it only for a module without an allocator. */
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

  /** Writes text or bytes to `at`, and returns their length in bytes. The caller must have made space for them. */
  write(input, at) {
    const { bytes } = this;
    if (typeof input === "string") {
      if (NodeBuffer) return this.#nodeBytes.utf8Write(input, at, 3 * input.length);
      return writeUtf8(input, bytes.subarray(at, at + 3 * input.length));
    }
    bytes.set(input, at);
    return input.length;
  }

  /** Reads as `as` says: "bytes" (a copy), "view", "ascii", "latin1" (only if `prefersLatin1` is true) or "text" (UTF-8). */
  read(at, len, as) {
    const all = this.bytes;
    if (as === "view") return all.subarray(at, at + len);
    try {
      if (as === "bytes") return all.slice(at, at + len);
      if (!NodeBuffer) return fromUtf8(all.subarray(at, at + len));
      return as === "text" ? this.#nodeBytes.utf8Slice(at, at + len) : this.#nodeBytes.latin1Slice(at, at + len);
    } catch (cause) {
      throw new PercentError(as === "bytes" ? "no-memory" : "too-large", 0, cause);
    }
  }
}
