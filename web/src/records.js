// The module of crates/wasm-records as an object: files of which fields are encoded or decoded, as `pct` does it.

/** The bits of its flags, as crates/wasm-records has them. */
const FLAG = { ENCODE: 1, PLUS: 2, PLUS_AFTER_QUERY: 4, LOWERCASE: 8, HEADER: 16, KEEP_TRIPLETS: 32 };
/** What `status` tells, by its number. */
const STATUS = ["ok", "format", "too-long"];
/** So many bytes are given to the module at once. */
const PIECE = 1 << 18;
/** The numbers that the module writes: address and length of the output, status, what was not in the format, malformed escapes. */
const STATE = 5;

const encoder = new TextEncoder();

export class Records {
  #wasm;
  #records;
  #buffer;
  status = "ok";
  unrecognized = 0;
  malformed = 0;

  /**
   * @param {WebAssembly.Instance} instance
   * @param {{ format: string, fields: string, header: boolean, encodes: boolean, options: object }} wishes
   */
  constructor(instance, { format, fields, header, encodes, options }) {
    const wasm = (this.#wasm = instance.exports);
    let flags = 0;
    if (header) flags |= FLAG.HEADER;
    if (options.plus === "yes") flags |= FLAG.PLUS;
    if (encodes) {
      flags |= FLAG.ENCODE;
      if (options.hex === "lower") flags |= FLAG.LOWERCASE;
      if (options.keep) flags |= FLAG.KEEP_TRIPLETS;
    } else if (options.plus === "query") flags |= FLAG.PLUS_AFTER_QUERY;
    const texts = [encoder.encode(format), encoder.encode(fields.split(",").map((field) => field.trim()).filter(Boolean).join("\n")), options.bits];
    const places = texts.map((bytes) => {
      const at = wasm.buffer_new(bytes.length);
      new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
      return at;
    });
    // One layer is the default of the page; a format that has put on more is asked for as many.
    const layers = options.depth === 1 ? 0 : options.depth;
    this.#records = wasm.records_new(places[0], texts[0].length, places[1], texts[1].length, places[2], flags, layers);
    places.forEach((at, which) => wasm.buffer_free(at, texts[which].length));
    this.#buffer = wasm.buffer_new(PIECE + 4 * STATE);
  }

  /** Takes the next bytes of the file; returns what they make as a list of byte arrays. */
  push(bytes) {
    const made = [];
    for (let from = 0; from < bytes.length && this.status === "ok"; from += PIECE) {
      const piece = bytes.subarray(from, from + PIECE);
      new Uint8Array(this.#wasm.memory.buffer, this.#buffer, piece.length).set(piece);
      this.#wasm.records_push(this.#records, this.#buffer, piece.length);
      this.#take(made);
    }
    return made;
  }

  /** Ends the file. */
  finish() {
    const made = [];
    if (this.status === "ok") {
      this.#wasm.records_finish(this.#records);
      this.#take(made);
    }
    return made;
  }

  free() {
    this.#wasm.records_free(this.#records);
    this.#wasm.buffer_free(this.#buffer, PIECE + 4 * STATE);
  }

  #take(made) {
    this.#wasm.records_state(this.#records, this.#buffer + PIECE);
    const [at, len, status, unrecognized, malformed] = new Uint32Array(this.#wasm.memory.buffer, this.#buffer + PIECE, STATE);
    this.status = STATUS[status];
    this.unrecognized = unrecognized;
    this.malformed = malformed;
    if (this.status === "ok" && len > 0) made.push(new Uint8Array(this.#wasm.memory.buffer, at, len).slice());
  }
}
