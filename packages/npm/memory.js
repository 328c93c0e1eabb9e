// Linear memory: strings and bytes are written to it and read from it here, and nowhere else.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
// Node.js makes strings of a buffer several times as fast as its TextDecoder does, and writes them a fifth faster than its TextEncoder.
const NodeBuffer = typeof globalThis.process?.versions?.node === "string" ? globalThis.Buffer : undefined;

/** Whether strings are made of Latin-1 faster than of UTF-8. */
export const prefersLatin1 = NodeBuffer !== undefined;

// A module of one function with an instruction of simd128, `i8x16.popcnt`.
const PROBE = Uint8Array.of(
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
);

/** Whether the machine has simd128. */
export const hasSimd = () => WebAssembly.validate(PROBE);

/** The most bytes that an input can have. */
export const longest = (input) => (typeof input === "string" ? 3 * input.length : input.length);

export class Memory {
  #memory;
  #bytes = new Uint8Array();
  #nodeBytes = undefined;

  /** @param {WebAssembly.Memory} memory */
  constructor(memory) {
    this.#memory = memory;
  }

  /** All of it. Views are made anew only where it has grown. */
  get bytes() {
    if (this.#bytes.buffer !== this.#memory.buffer) {
      this.#bytes = new Uint8Array(this.#memory.buffer);
      this.#nodeBytes = NodeBuffer?.from(this.#memory.buffer);
    }
    return this.#bytes;
  }

  /** Numbers of 32 bits. */
  words(at, count) {
    return new Uint32Array(this.#memory.buffer, at, count);
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
    if (as === "bytes") return all.slice(at, at + len);
    if (as === "view") return all.subarray(at, at + len);
    if (!NodeBuffer) return decoder.decode(all.subarray(at, at + len));
    return as === "text" ? this.#nodeBytes.utf8Slice(at, at + len) : this.#nodeBytes.latin1Slice(at, at + len);
  }
}
