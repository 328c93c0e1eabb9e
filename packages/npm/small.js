// The small module as an object: sets of ASCII, and decoding, both with pluses. It has no allocator; its memory is laid out here.
import { FLAG } from "./abi.js";
import { Memory, hasSimd, longest, prefersLatin1 } from "./memory.js";
import { isAscii } from "./sets.js";

/** What the small module does when encoding, and when decoding. */
const ENCODES = FLAG.PLUS;
const DECODES = FLAG.PLUS | FLAG.PLUS_AFTER_QUERY | FLAG.STRICT | FLAG.CHECK_UTF8;
/** The size of a page of linear memory. */
const PAGE = 1 << 16;
/** What lies before the input: a set, and behind it the outcome of decoding, 16 bytes. */
const HEAD = 32;

export class Small {
  #wasm;
  #grow;
  #memory;
  #base;
  #set = undefined;

  /** @param {WebAssembly.Instance} instance */
  constructor({ exports }) {
    this.#wasm = exports;
    this.#grow = exports.memory;
    this.#memory = new Memory(exports.memory);
    this.#base = (exports.__heap_base.value + 15) & ~15;
  }

  /** Instantiates the module that the machine can run. Both are given as functions that return their bytes. */
  static async load(simd, plain) {
    const { instance } = await WebAssembly.instantiate(hasSimd() ? simd() : plain());
    return new Small(instance);
  }

  /** Encodes text or bytes to a string ("ascii") or bytes ("bytes"); undefined if the full module is needed for that. */
  encode(input, set, flags, as) {
    if (flags & ~ENCODES || !isAscii(set)) return undefined;
    const [at, len, out] = this.#place(input, 3);
    if (this.#set !== set) this.#memory.bytes.set(set.subarray(0, 16), this.#base);
    this.#set = set;
    const written = this.#wasm.encode(at, len, out, this.#base, flags);
    return { value: this.#memory.read(out, written, as), status: 0 };
  }

  /** Decodes text or bytes to a string ("text") or bytes ("bytes"); undefined if the full module is needed for that. */
  decode(input, flags, as) {
    if (flags & ~DECODES) return undefined;
    const [at, len, out] = this.#place(input, 1);
    this.#wasm.decode(at, len, out, flags, this.#base + 16);
    const [written, status, offset, invalidUtf8] = this.#memory.words(this.#base + 16, 4);
    if (as === "text" && prefersLatin1) {
      const latin1 = this.#wasm.latin1(out, written, at);
      if (latin1 >= 0) return { value: this.#memory.read(at, latin1, "latin1"), status, offset, invalidUtf8 };
    }
    return { value: this.#memory.read(out, written, as), status, offset, invalidUtf8 };
  }

  /** Writes the input; returns its address and length, and the address of an output that is `growth` times as long at most. */
  #place(input, growth) {
    const at = this.#base + HEAD;
    const missing = at + (1 + growth) * longest(input) - this.#memory.bytes.length;
    if (missing > 0) this.#grow.grow(Math.ceil(missing / PAGE));
    const len = this.#memory.write(input, at);
    return [at, len, at + len];
  }
}
