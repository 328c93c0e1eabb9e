// Encodes or decodes text, or the bytes of files, with the operation and the options that the user has chosen.
import { FLAG, NONE, STATUS, TRANSFORM } from "../../packages/npm/engine.js";
import { setForText } from "../../packages/npm/sets.js";
import { encodeText, readingsOf } from "./charset.js";

/** The number of the class of escapes of characters beyond ASCII. The next number is the class of escapes that aren't UTF-8. */
const UTF8 = 3;

/** Returns the flags for the options, for encoding or for decoding. */
export function flagsOf(options, encodes) {
  let flags = 0;
  if (options.plus === "yes") flags |= FLAG.PLUS;
  if (options.plus === "query" && !encodes) flags |= FLAG.PLUS_AFTER_QUERY;
  if (options.lines) flags |= FLAG.EACH_LINE;
  if (options.wrap) flags |= FLAG.WRAP;
  if (encodes) {
    if (options.hex === "lower") flags |= FLAG.LOWERCASE;
    if (options.keep) flags |= FLAG.KEEP_TRIPLETS;
    if (options.newline === "lf") flags |= FLAG.LF;
    if (options.newline === "crlf") flags |= FLAG.CRLF;
  } else {
    flags |= FLAG.CHECK_UTF8;
    if (options.strict) flags |= FLAG.STRICT;
  }
  return flags;
}

/**
 * Returns the names of the chosen options that need the whole text. If one is chosen, a file can't be processed piece by piece. Every
 * operation except percent-encoding needs the whole text. Then the result is only "mode", because these operations ignore the other options
 * that need the whole text.
 */
export function needsWhole({ mode, charset, newline, wrap, depth }, encodes) {
  if (mode !== "percent") return ["mode"];
  const needs = {
    charset: charset !== "auto" && !(encodes && charset === "utf-8"),
    newline: encodes && newline !== "keep",
    depth: !encodes && depth > 1,
    wrap,
  };
  return Object.keys(needs).filter((name) => needs[name]);
}

/** Returns the names of the chosen options that have no effect on fields of records. */
export function ignoredByFields(options, encodes) {
  const whole = needsWhole(options, encodes).filter((name) => name !== "depth");
  const { mode, lines, strict } = options;
  return mode === "percent" ? [...whole, ...(lines ? ["lines"] : []), ...(strict && !encodes ? ["strict"] : [])] : whole;
}

/** Returns the options for a file. In a file, characters beyond ASCII stay only if the set has all of their bytes. */
export const forBytes = (options) => ({ ...options, bits: setForText(options.bits) });

/** Encodes text. Returns `{ value, status, offset }`. The value is a string, or UTF-8 bytes if `as` is "bytes". Input bytes must be UTF-8. */
export function encode(engine, input, options, as = "text") {
  const transformed = transform(engine, input, options, true, as);
  if (transformed) return transformed;
  // In all of these charsets except UTF-16, ASCII stays ASCII. In UTF-16, neither the set nor line endings are applied.
  let bytes = input;
  let { newline } = options;
  if (options.charset !== "utf-8" && options.charset !== "auto") {
    const end = { lf: "\n", crlf: "\r\n" }[newline];
    const text = textOf(engine, input);
    bytes = encodeText(end ? text.replace(/\r\n?|\n/g, end) : text, options.charset);
    if (options.charset.startsWith("utf-16")) newline = "keep";
  }
  return named(engine.encode(bytes, options.bits, flagsOf({ ...options, newline }, true), as));
}

/** Returns bytes as text. Throws if they aren't UTF-8. */
function textOf(engine, input) {
  if (typeof input === "string") return input;
  engine.explain(input, 0, false, 0);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(input);
}

/** Decodes text. Returns `{ value, status, offset, charset, layers, malformed, invalidUtf8, others }`. The value is a string. If some bytes aren't
 * UTF-8, the function `others` returns the other charsets in which the text is readable. */
export function decode(engine, text, options) {
  const transformed = transform(engine, text, options, false, "text");
  if (transformed) return transformed;
  const flags = flagsOf(options, false);
  const isUtf8 = options.charset === "utf-8" || options.charset === "auto";
  const output = engine.decode(text, undefined, flags, options.depth, isUtf8 ? "text" : "bytes");
  let charset = isUtf8 ? "utf-8" : options.charset;
  const counts = isUtf8 && output.invalidUtf8 !== NONE ? engine.explain(text, 0, false, 0) : [];
  let found;
  const readings = () => {
    const bytes = engine.decode(text, undefined, flags, options.depth, "bytes").value;
    return { bytes, ...readingsOf(bytes, options.language, counts[UTF8] > 0) };
  };
  // If at least as many bytes are valid UTF-8 as aren't, the text is UTF-8 with damage. The shortest of these characters has two bytes.
  if (options.charset === "auto" && 2 * counts[UTF8] < counts[UTF8 + 1]) {
    found = readings();
    ({ charset } = found);
    if (charset !== "utf-8") output.value = found.bytes;
  }
  if (charset !== "utf-8") output.value = new TextDecoder(charset, { ignoreBOM: true }).decode(output.value);
  return { ...named(output), charset, invalidUtf8: output.invalidUtf8, others: () => (found ?? readings()).others(charset) };
}

/** Decodes the bytes of a file. If the user hasn't chosen a charset, bytes that aren't UTF-8 stay as they are. */
export function decodeBytes(engine, bytes, options) {
  const transformed = transform(engine, bytes, options, false, "bytes");
  if (transformed) return transformed;
  const output = named(engine.decode(bytes, undefined, flagsOf(options, false), options.depth, "bytes"));
  const { malformed } = counted(engine, options.wrap ? bytes.filter((byte) => byte !== 10 && byte !== 13) : bytes);
  if (options.charset === "auto" || output.status !== "ok") return { ...output, malformed };
  const text = new TextDecoder(options.charset, { ignoreBOM: true }).decode(output.value);
  return { ...output, value: new TextEncoder().encode(text), malformed, replaced: text.split("\ufffd").length - 1 };
}

/** Decodes the bytes with a new stream, drops the output, and returns the stream for its counts. */
function counted(engine, bytes) {
  const stream = engine.stream(false);
  stream.push(bytes, () => {});
  stream.finish(() => {});
  return stream;
}

/** Applies the operation `mode` to text. Returns undefined if the operation is percent-encoding. */
function transform(engine, input, { mode, strict }, encodes, as) {
  const kind = {
    iri: encodes ? TRANSFORM.TO_URI : TRANSFORM.TO_IRI,
    normalize: strict ? TRANSFORM.NORMALIZE : TRANSFORM.SANITIZE,
    escape: encodes ? TRANSFORM.ESCAPE : TRANSFORM.UNESCAPE,
  }[mode];
  return kind === undefined ? undefined : named(engine.transform(kind, input, as));
}

const named = (output) => ({ ...output, status: STATUS[output.status] });

/** Returns the beginning of a text, at most `most` characters. Never ends inside a surrogate pair. */
export function preview(text, most) {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
