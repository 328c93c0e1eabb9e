// The operation that the options describe, on text, and on the bytes of files.
import { FLAG, NONE, STATUS, TRANSFORM } from "../../packages/npm/engine.js";
import { setForText } from "../../packages/npm/sets.js";
import { encodeText, FALLBACK } from "./charset.js";

/** The class of escapes that are a character beyond ASCII. */
const UTF8 = 3;

/** The flags of the options for one direction. */
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
 * The controls of the page, by name, that change the result and need the whole text: a file cannot be worked on piece by piece then.
 * An operation other than percent-encoding does not look at the other controls.
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

/** The controls that change the result, but not that of fields of records. */
export function ignoredByFields(options, encodes) {
  const whole = needsWhole(options, encodes).filter((name) => name !== "depth");
  const { mode, lines, strict } = options;
  return mode === "percent" ? [...whole, ...(lines ? ["lines"] : []), ...(strict && !encodes ? ["strict"] : [])] : whole;
}

/** The options for a file: of bytes, no character beyond ASCII stays unless all do. */
export const forBytes = (options) => ({ ...options, bits: setForText(options.bits) });

/** What is encoded: `{ value, status, offset }`, the value a string, or the bytes of UTF-8 if `as` is "bytes". Bytes of text must be UTF-8. */
export function encode(engine, input, options, as = "text") {
  const transformed = transform(engine, input, options, true, as);
  if (transformed) return transformed;
  // ASCII stays ASCII in every one of these charsets but UTF-16, where there is no set to speak of, and no byte that ends a line.
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

/** The text of bytes; throws if they are not UTF-8. */
function textOf(engine, input) {
  if (typeof input === "string") return input;
  engine.explain(input, 0, false, 0);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(input);
}

/** What is decoded: `{ value, status, offset, charset, layers, malformed }`, the value a string. */
export function decode(engine, text, options) {
  const transformed = transform(engine, text, options, false, "text");
  if (transformed) return transformed;
  const flags = flagsOf(options, false);
  const isUtf8 = options.charset === "utf-8" || options.charset === "auto";
  const output = engine.decode(text, undefined, flags, options.depth, isUtf8 ? "text" : "bytes");
  let charset = isUtf8 ? "utf-8" : options.charset;
  // Text of an older charset is hardly ever UTF-8 by chance: one character that is tells that the rest is damaged.
  if (options.charset === "auto" && output.invalidUtf8 !== NONE && engine.explain(text, 0, false, 0)[UTF8] === 0) {
    charset = FALLBACK[options.language] ?? "windows-1252";
    output.value = engine.decode(text, undefined, flags, options.depth, "bytes").value;
  }
  if (charset !== "utf-8") output.value = new TextDecoder(charset, { ignoreBOM: true }).decode(output.value);
  return { ...named(output), charset, invalidUtf8: output.invalidUtf8 };
}

/** The same for the bytes of a file. Without a charset that somebody chose, bytes that are not UTF-8 stay as they are. */
export function decodeBytes(engine, bytes, options) {
  const transformed = transform(engine, bytes, options, false, "bytes");
  if (transformed) return transformed;
  const output = named(engine.decode(bytes, undefined, flagsOf(options, false), options.depth, "bytes"));
  const { malformed } = counted(engine, options.wrap ? bytes.filter((byte) => byte !== 10 && byte !== 13) : bytes);
  if (options.charset === "auto" || output.status !== "ok") return { ...output, malformed };
  const text = new TextDecoder(options.charset, { ignoreBOM: true }).decode(output.value);
  return { ...output, value: new TextEncoder().encode(text), malformed, replaced: text.split("\ufffd").length - 1 };
}

/** A stream that has seen the bytes. */
function counted(engine, bytes) {
  const stream = engine.stream(false);
  stream.push(bytes, () => {});
  stream.finish(() => {});
  return stream;
}

/** What an operation other than percent-encoding makes of text. */
function transform(engine, input, { mode, strict }, encodes, as) {
  const kind = {
    iri: encodes ? TRANSFORM.TO_URI : TRANSFORM.TO_IRI,
    normalize: strict ? TRANSFORM.NORMALIZE : TRANSFORM.SANITIZE,
    escape: encodes ? TRANSFORM.ESCAPE : TRANSFORM.UNESCAPE,
  }[mode];
  return kind === undefined ? undefined : named(engine.transform(kind, input, as));
}

const named = (output) => ({ ...output, status: STATUS[output.status] });

/** What can be seen of a text: where what follows is cut off it ends with a whole character. */
export function preview(text, most) {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
