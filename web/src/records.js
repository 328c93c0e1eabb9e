// Wraps the module of crates/wasm-records in a class. The module encodes or decodes fields of one file, as `pct` does.
import { Machine } from "../../packages/npm/memory.js";

/** The bits of the module's flags. */
const FLAG = { ENCODE: 1, PLUS: 2, PLUS_AFTER_QUERY: 4, LOWERCASE: 8, HEADER: 16, KEEP_TRIPLETS: 32 };
/** The name of each `status`. The index is its number. */
const STATUS = ["ok", "format", "too-long"];
/** The module gets at most this many bytes at once. */
const PIECE = 1 << 18;
/** How many numbers the module writes: address and length of the output, status, mismatches with the format, malformed escapes. */
const STATE = 5;

const encoder = new TextEncoder();

export class Records {
  #machine;
  #records;
  #buffer;
  status = "ok";
  unrecognized = 0;
  malformed = 0;

  /**
   * @param {WebAssembly.Module} module
   * @param {{ format: string, fields: string, header: boolean, encodes: boolean, options: object }} wishes
   */
  constructor(module, { format, fields, header, encodes, options }) {
    const machine = (this.#machine = new Machine(() => new WebAssembly.Instance(module)));
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
      const at = machine.call("buffer_new", bytes.length);
      machine.write(bytes, at);
      return at;
    });
    // By default, the page decodes one layer. Here this means: as many layers as the format has added.
    const layers = options.depth === 1 ? 0 : options.depth;
    this.#records = machine.call("records_new", places[0], texts[0].length, places[1], texts[1].length, places[2], flags, layers);
    this.#buffer = machine.call("buffer_new", PIECE + 4 * STATE);
  }

  /** Processes the next bytes of the file. Returns the output as a list of byte arrays. */
  push(bytes) {
    const made = [];
    for (let from = 0; from < bytes.length && this.status === "ok"; from += PIECE) {
      const len = this.#machine.write(bytes.subarray(from, from + PIECE), this.#buffer);
      this.#machine.call("records_push", this.#records, this.#buffer, len);
      this.#take(made);
    }
    return made;
  }

  /** Ends the file. Returns the last output as a list of byte arrays. */
  finish() {
    const made = [];
    if (this.status === "ok") {
      this.#machine.call("records_finish", this.#records);
      this.#take(made);
    }
    return made;
  }

  #take(made) {
    this.#machine.call("records_state", this.#records, this.#buffer + PIECE);
    const [at, len, status, unrecognized, malformed] = this.#machine.words(this.#buffer + PIECE, STATE);
    this.status = STATUS[status];
    this.unrecognized = unrecognized;
    this.malformed = malformed;
    if (this.status === "ok" && len > 0) made.push(this.#machine.read(at, len, "bytes"));
  }
}
