// Shows the results of other functions that people use. We call JavaScript's functions. For the functions of other languages, we encode with their
// sets in the catalogue. The library's tests derive these sets from the original documents and programs.
import { FLAG, NONE } from "../../packages/npm/engine.js";
import { setByName } from "../../packages/npm/sets.js";

const attempt = (name, call) => {
  try {
    return { name, value: call() };
  } catch (error) {
    return { name, error: `${error.name}: ${error.message}` };
  }
};

const ENCODERS = [
  ["Python urllib.parse.quote", "PY_QUOTE"],
  ["Python urllib.parse.quote_plus", "PY_QUOTE_PLUS"],
  ["PHP urlencode", "PHP_URLENCODE"],
  ["PHP rawurlencode", "PHP_RAWURLENCODE"],
  ["Java URLEncoder.encode", "JAVA_URLENCODER"],
  ["Go url.QueryEscape", "GO_QUERY_ESCAPE"],
  ["Go url.PathEscape", "GO_PATH_ESCAPE"],
  ["Ruby CGI.escape", "RUBY_CGI_ESCAPE"],
  ["curl_easy_escape", "CURL_EASY_ESCAPE"],
  [".NET HttpUtility.UrlEncode", "DOTNET_HTTPUTILITY"],
];

export function othersEncode(engine, text) {
  return [
    attempt("encodeURIComponent", () => encodeURIComponent(text)),
    attempt("encodeURI", () => encodeURI(text)),
    attempt("URLSearchParams", () => new URLSearchParams([["", text]]).toString().slice(1)),
    attempt("escape", () => escape(text)),
    ...ENCODERS.map(([name, set]) => {
      const entry = setByName(set);
      return { name, value: engine.encode(text, entry.set, entry.flags).value };
    }),
  ];
}

const DECODERS = [
  ["Python urllib.parse.unquote", 0],
  ["Python urllib.parse.unquote_plus", FLAG.PLUS],
  ["PHP rawurldecode", 0],
  ["PHP urldecode", FLAG.PLUS],
  ["Java URLDecoder.decode", FLAG.PLUS | FLAG.STRICT],
  ["Go url.QueryUnescape", FLAG.PLUS | FLAG.STRICT],
  ["Go url.PathUnescape", FLAG.STRICT],
  ["curl_easy_unescape", 0],
];

export function othersDecode(engine, text) {
  return [
    attempt("decodeURIComponent", () => decodeURIComponent(text)),
    attempt("decodeURI", () => decodeURI(text)),
    attempt("URLSearchParams", () => new URLSearchParams(`=${text.replaceAll("&", "%26")}`).get("")),
    attempt("unescape", () => unescape(text)),
    ...DECODERS.map(([name, flags]) => {
      const { value, status, offset } = engine.decode(text, undefined, flags);
      return status ? { name, refused: offset === NONE ? 0 : offset } : { name, value };
    }),
  ];
}
