// Wraps the full module in a class.
import { FLAG, NONE, STATUS, TRANSFORM } from "./abi.js";
import { PercentError } from "./error.js";
import { Machine, longest, prefersLatin1, sliceLength } from "./memory.js";
import { isAscii, setForText } from "./sets.js";

export { FLAG, NONE, STATUS, TRANSFORM };

// The buffer begins with `HEAD` bytes. They hold the options of the call (a set of 256 bits, flags, number of layers),
// and at the offset `PROGRESS` the progress of a stream.
const PROGRESS = 40;
const HEAD = 72;
/** A buffer has at least `BUFFER_MIN` bytes. If it has more than `BUFFER_MAX` bytes, it is freed after the call. */
const BUFFER_MIN = 1 << 12;
const BUFFER_MAX = 1 << 22;
/** A stream reads this many bytes at once. The output is at most three times as long. */
const CHUNK = 1 << 16;

export class Engine extends Machine {
  #buffer = 0;
  #bufferLen = 0;
  #small;

  /**
   * @param {() => WebAssembly.Instance} make
   * @param {import("./small.js").Small} [small] the small module. It is faster, so it does the work if it supports the
   * options
   */
  constructor(make, small) {
    super(make);
    this.#small = small;
  }

  forget() {
    this.#buffer = 0;
    this.#bufferLen = 0;
  }

  /** Encodes text or bytes. Returns a string if `as` is "text", and bytes if it is "bytes". */
  encode(input, set, flags = 0, as = "text") {
    const bits = as === "text" ? setForText(set, input) : set;
    const kind = as === "text" && isAscii(bits) ? "ascii" : as;
    return this.#small?.encode(input, bits, flags, kind) ?? this.#run("encode", input, bits, flags, 0, kind);
  }

  /** Decodes text or bytes. Returns a string if `as` is "text", and bytes if it is "bytes". */
  decode(input, keep, flags = 0, layers = 0, as = "text") {
    const output = keep || layers > 1 ? undefined : this.#small?.decode(input, flags, as);
    if (output) return output;
    if (prefersLatin1 && as === "text") flags |= FLAG.LATIN1;
    return this.#run("decode", input, keep, flags, layers, as);
  }

  /** Applies an operation of `TRANSFORM` to a text. */
  transform(kind, input, as = "text") {
    return this.#with(input, (at, len) => this.#take(this.call("transform", kind, at, len), as));
  }

  /** Hides the passwords of all URLs in a text. */
  redact(text) {
    return this.#with(text, (at, len) => this.#take(this.call("redact", at, len), "text"));
  }

  /** Repairs a link: see crates/wasm/src/repair.rs. `kinds` has a bit for each of `REPAIRS`. */
  repair(link, kinds) {
    const { value, status, offset } = this.#repair("", link, kinds);
    if (status !== 0) throw new PercentError(STATUS[status], offset);
    const host = value.slice(0, value.indexOf("\n"));
    const ascii = host && asciiHost(host);
    return ascii ? this.#repair(ascii, link, kinds).value : value;
  }

  #repair(ascii, link, kinds) {
    return this.#with(`${ascii}\n${link}`, (at, len) => this.#take(this.call("repair", at, len, kinds), "text"));
  }

  /** Returns true if decoding would change the input. */
  hasEscape(input) {
    return this.#with(input, (at, len) => this.call("has_escape", at, len) !== 0);
  }

  /** Explains a text. Returns numbers of 32 bits, which crates/wasm/src/explain.rs describes. */
  explain(input, classes, plus, max) {
    return this.#numbers(input, (at, len) => this.call("explain", at, len, classes, plus ? 1 : 0, max));
  }

  /** Lists the faults of a text. Returns numbers of 32 bits, which crates/wasm/src/lint.rs describes. */
  lint(input, max) {
    return this.#numbers(input, (at, len) => this.call("lint", at, len, max));
  }

  /** Splits a URL. Returns numbers of 32 bits, which crates/wasm/src/url.rs describes. */
  split(input, isQuery, max) {
    return this.#numbers(input, (at, len) => this.call("split", at, len, isQuery ? 1 : 0, max));
  }

  /** Starts a stream. */
  stream(encodes, set, flags = 0) {
    return this.#small?.stream(encodes, set, flags) ?? new Stream(this, encodes, set, flags);
  }

  /**
   * Processes a piece of a stream, of at most `CHUNK` bytes. Without a piece, ends the stream. `position` is the current position in the
   * stream. Returns the next position, and the output as a view.
   */
  step(position, piece, encodes, set, flags) {
    const size = this.call("stream_size");
    const buffer = this.#reserve(HEAD + size + 8 + 4 * CHUNK);
    this.#place(set, flags, 0);
    const stream = buffer + HEAD;
    const at = stream + ((size + 7) & ~7);
    const out = [at + CHUNK, 3 * CHUNK, buffer + PROGRESS];
    if (position) this.write(position, stream);
    else this.call("stream_new", stream);
    if (piece) this.call("stream_push", stream, encodes ? 1 : 0, buffer, at, this.write(piece, at), ...out);
    else this.call("stream_finish", stream, encodes ? 1 : 0, buffer, ...out);
    const [read, written, status, offset, percents, malformed, decoded] = this.words(buffer + PROGRESS, 7);
    const output = this.read(at + CHUNK, written, "view");
    return { position: this.read(stream, size, "bytes"), read, output, status, offset, percents, malformed, decoded };
  }

  #run(operation, input, set, flags, layers, as) {
    return this.#with(input, (at, len) => {
      this.#place(set, flags, layers);
      return this.#take(this.call(operation, at, len, this.#buffer), as);
    });
  }

  /** Calls `operation` with the address and length of the input in linear memory. */
  #with(input, operation) {
    try {
      const at = this.#reserve(HEAD + longest(input)) + HEAD;
      return operation(at, this.write(input, at));
    } finally {
      if (this.#bufferLen > BUFFER_MAX) this.#free();
    }
  }

  /** Makes a buffer of at least this many bytes, and returns its address. */
  #reserve(len) {
    if (this.#bufferLen < len) {
      this.#free();
      const most = sliceLength(Math.max(len, BUFFER_MIN));
      this.#buffer = this.call("buffer_new", most);
      this.#bufferLen = most;
    }
    return this.#buffer;
  }

  #free() {
    const [buffer, len] = [this.#buffer, this.#bufferLen];
    this.#buffer = 0;
    this.#bufferLen = 0;
    if (len > 0) this.call("buffer_free", buffer, len);
  }

  /** Writes the options of a call to the buffer. */
  #place(set, flags, layers) {
    if (set) this.bytes.set(set, this.#buffer);
    else this.bytes.fill(0, this.#buffer, this.#buffer + 32);
    const { numbers } = this;
    numbers[(this.#buffer + 32) / 4] = flags;
    numbers[(this.#buffer + 36) / 4] = layers;
  }

  /** Reads the output at this address, and frees it. */
  #take(at, as) {
    const { numbers } = this;
    const first = at / 4;
    const latin1 = numbers[first + 6] !== 0;
    try {
      return {
        value: this.read(numbers[first], numbers[first + 1], as === "text" && latin1 ? "latin1" : as),
        status: numbers[first + 2],
        offset: numbers[first + 3],
        layers: numbers[first + 4],
        invalidUtf8: numbers[first + 5],
      };
    } finally {
      this.call("output_free", at);
    }
  }

  #numbers(input, operation) {
    const { value, status, offset } = this.#with(input, (at, len) => this.#take(operation(at, len), "bytes"));
    if (status !== 0) throw new PercentError(STATUS[status], offset);
    return new Uint32Array(value.buffer, value.byteOffset, value.byteLength >> 2);
  }
}

/** Returns the ASCII form of a host name, or "" if it has none. Also returns "" for a number, because `URL` would make an IP address of it. */
function asciiHost(host) {
  try {
    const { hostname } = new URL(`http://${host}/`);
    return /^[a-z0-9.-]+$/.test(hostname) && /[a-z]/.test(hostname) ? hostname : "";
  } catch {
    return "";
  }
}

/** A stream: an input in pieces that end anywhere. It stores its position here, so it takes no memory of the module. */
class Stream {
  #engine;
  #encodes;
  #set;
  #flags;
  #position = undefined;
  #decoded = 0; // in bytes. The module's numbers have only 32 bits

  constructor(engine, encodes, set, flags) {
    this.#engine = engine;
    this.#encodes = encodes;
    this.#set = set;
    this.#flags = flags;
    /** `percents` is the number of `%` so far. `malformed` is how many of these are malformed. */
    this.percents = 0;
    this.malformed = 0;
    /** `status` is the number of the error, and `offset` is the offset of the error. */
    this.status = 0;
    this.offset = NONE;
  }

  /** Processes a piece. Calls `write` with each part of the result, as a view that is valid during the call. */
  push(piece, write) {
    for (let from = 0; from < piece.length && this.status === 0; ) from += this.#step(piece.subarray(from, from + CHUNK), write);
  }

  /** Ends the stream. */
  finish(write) {
    if (this.status === 0) this.#step(undefined, write);
  }

  #step(piece, write) {
    const { position, read, output, status, offset, percents, malformed, decoded } = this.#engine.step(this.#position, piece, this.#encodes, this.#set, this.#flags);
    this.#position = position;
    this.percents += percents;
    this.malformed += malformed;
    this.status = status;
    this.offset = offset === NONE ? NONE : this.#decoded + offset;
    this.#decoded += decoded;
    if (output.length > 0) write(output);
    return read;
  }
}
