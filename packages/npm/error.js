// The error that each call throws if the input is invalid, or if there can be no result.

const REASONS = {
  truncated: (offset) => `the input ends inside the escape at byte ${offset}`,
  "not-hex": (offset) => `the % at byte ${offset} is not followed by two hexadecimal digits`,
  "invalid-utf8": (offset) => `the text is not UTF-8 from byte ${offset} on`,
  "no-memory": () => "there is not enough memory; use a stream for long inputs",
  "too-large": () => "the result is longer than a string can be; ask for bytes, or use a stream",
  "no-wasm": () => "this call needs WebAssembly, and its module can't be loaded (`cause` has the reason); a Content-Security-Policy allows it with 'wasm-unsafe-eval'",
  internal: () => "the WebAssembly module has failed; please report it, with the input",
};

/** An error with the reason why there is no result, and with its offset in the input. */
export class PercentError extends URIError {
  /**
   * @param {keyof typeof REASONS} code
   * @param {number} [offset]
   * @param {unknown} [cause]
   */
  constructor(code, offset = 0, cause = undefined) {
    super(REASONS[code](offset), cause === undefined ? undefined : { cause });
    this.name = "PercentError";
    this.code = code;
    this.offset = offset;
  }
}
