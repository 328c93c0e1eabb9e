// The operation that the options describe, from text to bytes and from bytes to text.
import { FLAG, NONE, STATUS, TRANSFORM } from "../../packages/npm/engine.js";
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

/** What is encoded: `{ value, status, offset }`, the value a string. */
export function encode(engine, text, options) {
  switch (options.mode) {
    case "iri":
      return named(engine.transform(TRANSFORM.TO_URI, text));
    case "normalize":
      return named(engine.transform(options.strict ? TRANSFORM.NORMALIZE : TRANSFORM.SANITIZE, text));
    case "escape":
      return named(engine.transform(TRANSFORM.ESCAPE, text));
  }
  // ASCII stays ASCII in every one of these charsets but UTF-16, where there is no set to speak of.
  const isUtf8 = options.charset === "utf-8" || options.charset === "auto";
  let input = text;
  if (!isUtf8) {
    const end = { lf: "\n", crlf: "\r\n" }[options.newline];
    input = encodeText(end ? text.replace(/\r\n?|\n/g, end) : text, options.charset);
  }
  return named(engine.encode(input, options.bits, flagsOf(options, true)));
}

/** What is decoded: `{ value, status, offset, charset, layers, malformed }`, the value a string. */
export function decode(engine, text, options) {
  switch (options.mode) {
    case "iri":
      return named(engine.transform(TRANSFORM.TO_IRI, text));
    case "normalize":
      return named(engine.transform(options.strict ? TRANSFORM.NORMALIZE : TRANSFORM.SANITIZE, text));
    case "escape":
      return named(engine.transform(TRANSFORM.UNESCAPE, text));
  }
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

const named = (output) => ({ ...output, status: STATUS[output.status] });

/** What can be seen of a text: where what follows is cut off it ends with a whole character. */
export function preview(text, most) {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
