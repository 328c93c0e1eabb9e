// Wraps the small module in a class. The module decodes, and encodes with sets that keep only ASCII. Decoding and encoding can treat `+` as a space.
// Both can keep escapes. The module has no allocator, so this file lays out its memory.
import { FLAG, NONE, NOT_SMALL, STATUS } from "./abi.js";
import { Machine, longest, prefersLatin1, sliceLength } from "./memory.js";
import { hasByte, isAscii } from "./sets.js";

/** The flags that the small module has for encoding, and for decoding. */
const ENCODES = FLAG.PLUS | FLAG.LOWERCASE | FLAG.KEEP_TRIPLETS;
const DECODES = FLAG.PLUS | FLAG.PLUS_AFTER_QUERY | FLAG.STRICT | FLAG.CHECK_UTF8;
/** These flags need the whole input, so they have no effect on a stream. */
const STREAMS = FLAG.CHECK_UTF8 | FLAG.LATIN1 | FLAG.LF | FLAG.CRLF | FLAG.WRAP;
/** A stream processes this many bytes at once. */
const CHUNK = 1 << 18;
const PERCENT = 0x25;
const QUESTION_MARK = 0x3f;
/** The length of the header before the input, in bytes. It has a set of 32 bytes, then the outcome of decoding in 16 bytes. */
const HEAD = 48;
/** Up to this many times, the small module decodes its own result. A loop over more layers could take a time that is quadratic in the input. */
const LAYERS = 4;

/** Returns true if a set has all hexadecimal digits. */
const hasDigits = (set) => set[6] === 0xff && (set[7] & 3) === 3 && (set[8] & set[12] & 0x7e) === 0x7e;

/** Returns true if the small module can encode with this set and these flags. */
export const canEncode = (set, flags) => !(flags & ~ENCODES) && isAscii(set) && (!(flags & FLAG.KEEP_TRIPLETS) || hasDigits(set));

export class Small extends Machine {
  #start = 0;

  forget() {
    this.#start = 0;
  }

  get #base() {
    if (this.#start === 0) this.#start = (this.exports.__heap_base.value + 15) & ~15;
    return this.#start;
  }

  /** Encodes to a string ("ascii"), to bytes ("bytes") or to a view of them ("view"). Returns undefined if this needs the full module. */
  encode(input, set, flags, as) {
    if (!canEncode(set, flags)) return undefined;
    const base = this.#base;
    const at = base + HEAD;
    const len = this.#place(input, at, 3);
    const { bytes } = this;
    for (let byte = 0; byte < 16; byte++) bytes[base + byte] = set[byte];
    const written = this.call("encode", at, len, at + len, base, flags);
    if (written === NONE) return undefined;
    if (as !== "ascii") return { value: this.read(at + len, written, as), status: 0 };
    // Each encoded character makes the output longer, except a space that becomes "+". So if the length is the same, the text is the result.
    const stays = written === input.length && typeof input === "string" && !(flags & FLAG.PLUS && input.includes(" "));
    return { value: stays ? input : this.read(at + len, written, "ascii"), status: 0 };
  }

  /**
   * Decodes to a string ("text"), to bytes ("bytes") or to a view of them ("view"). The escapes of the bytes in `keep` stay. Returns undefined if
   * this needs the full module.
   */
  decode(input, flags, as, keep, layers = 1) {
    if (flags & ~DECODES || (keep && (typeof input !== "string" || layers > 1 || hasByte(keep, PERCENT)))) return undefined;
    const base = this.#base;
    const outcome = base + 32;
    let at = base + HEAD;
    const len = this.#place(input, at, 1);
    let out = at + len;
    const { bytes } = this;
    if (keep) for (let byte = 0; byte < 32; byte++) bytes[base + byte] = keep[byte];
    this.call("decode", at, len, out, flags, outcome, keep ? base : 0);
    const { numbers } = this;
    const first = outcome / 4;
    if (numbers[first + 1] === NOT_SMALL) return undefined;
    // Decode the result again, into the memory of the input, until it stays the same. After an error, there is no result.
    for (let layer = 1, before = len; layer < layers && numbers[first + 1] === 0 && numbers[first] < before; layer++) {
      if (layer > LAYERS) return undefined;
      before = numbers[first];
      this.call("decode", out, before, at, flags & FLAG.CHECK_UTF8, outcome, 0);
      [at, out] = [out, at];
    }
    const written = numbers[first];
    const status = numbers[first + 1];
    const offset = numbers[first + 2];
    const invalidUtf8 = numbers[first + 3];
    if (as === "text" && prefersLatin1) {
      const latin1 = this.call("latin1", out, written, at);
      if (latin1 !== NONE) return { value: this.read(at, latin1, "latin1"), status, offset, invalidUtf8 };
    }
    return { value: this.read(out, written, as), status, offset, invalidUtf8 };
  }

  /** Starts a stream. Returns undefined if this needs the full module. */
  stream(encodes, set, flags) {
    const does = STREAMS | (encodes ? ENCODES & ~FLAG.KEEP_TRIPLETS : DECODES);
    if (flags & ~does || (set && !(encodes && isAscii(set)))) return undefined;
    return new SmallStream(this, encodes, set ?? new Uint8Array(32), flags & ~STREAMS);
  }

  /** Returns the number of `%` in the last input. `len` is the length of that input in bytes. */
  percents(len) {
    return this.call("percents", this.#base + HEAD, len);
  }

  /** Writes the input to `at`, and makes space behind it for an output `growth` times as long. Returns the input's length in bytes. */
  #place(input, at, growth) {
    this.grow(at + sliceLength(longest(input)));
    const len = this.write(input, at);
    this.grow(at + len + sliceLength(growth * len));
    return len;
  }
}

/** A stream: an input in pieces that end anywhere. If a piece ends inside an escape, that part is held until the next piece. */
class SmallStream {
  #small;
  #encodes;
  #set;
  #flags;
  #held = new Uint8Array();
  #read = 0;

  constructor(small, encodes, set, flags) {
    this.#small = small;
    this.#encodes = encodes;
    this.#set = set;
    this.#flags = flags;
    /** When decoding: `percents` is the number of `%` so far, and `malformed` how many of these are malformed. */
    this.percents = 0;
    this.malformed = 0;
    /** `status` is the number of the error, and `offset` is the offset of the error. */
    this.status = 0;
    this.offset = NONE;
  }

  /** Processes a piece. Calls `write` with each part of the result, as a view that is valid during the call. */
  push(piece, write) {
    for (let from = 0; from < piece.length && this.status === 0; from += CHUNK) {
      const part = piece.subarray(from, from + CHUNK);
      if (this.#encodes) write(this.#small.encode(part, this.#set, this.#flags, "view").value);
      else this.#decode(part, false, write);
    }
  }

  /** Ends the stream. */
  finish(write) {
    if (this.status === 0 && this.#held.length > 0) this.#decode(new Uint8Array(), true, write);
  }

  #decode(part, isEnd, write) {
    let input = part;
    if (this.#held.length > 0) {
      input = new Uint8Array(this.#held.length + part.length);
      input.set(this.#held);
      input.set(part, this.#held.length);
    }
    const { length } = input;
    const held = isEnd ? 0 : input[length - 1] === PERCENT ? 1 : input[length - 2] === PERCENT ? 2 : 0;
    const whole = input.subarray(0, length - held);
    let output;
    if (whole.length > 0) {
      output = this.#small.decode(whole, this.#flags, "view");
      if (output.status !== 0) {
        const { status, offset } = output;
        output = this.#small.decode(whole.subarray(0, offset), this.#flags, "view");
        // If an escape is cut off by the end of a piece, the next piece can complete it. So "truncated" is an error only at the end.
        this.status = isEnd ? status : STATUS.indexOf("not-hex");
        this.offset = this.#read + offset;
      } else {
        const percents = this.#small.percents(whole.length);
        this.percents += percents;
        this.malformed += percents - (whole.length - output.value.length) / 2;
      }
      if (this.#flags & FLAG.PLUS_AFTER_QUERY && whole.includes(QUESTION_MARK)) this.#flags ^= FLAG.PLUS_AFTER_QUERY | FLAG.PLUS;
      this.#read += whole.length;
    }
    this.#held = input.slice(length - held);
    if (output?.value.length > 0) write(output.value);
  }
}
