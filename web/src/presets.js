// Finds sets of the catalogue by the names that people search for: functions, languages, services and standards.
import { catalogue } from "../../packages/npm/sets.js";

/** More words by which people find a set, if its name and its clause lack them. A function is only here if it gives the same result as the set. */
const ALIASES = {
  RFC3986_UNRESERVED: "component value strict Rust urlencoding C# .NET Uri.EscapeDataString",
  RFC3986_SEGMENT: "path segment",
  RFC3986_URI: "whole URL C# .NET Uri.EscapeUriString",
  RFC6570_U: "URI template {var}",
  RFC6570_U_R: "URI template {+var}",
  RFC8141_NSS: "URN ISBN UUID",
  RFC2141_TRANS: "URN",
  WHATWG_FRAGMENT: "browser hash",
  WHATWG_QUERY: "browser search",
  WHATWG_SPECIAL_QUERY: "browser http https search",
  WHATWG_PATH: "browser pathname",
  WHATWG_USERINFO: "browser user password",
  WHATWG_FORM: "HTML form POST GET urlencoded body URLSearchParams",
  ECMA_ESCAPE: "JavaScript js",
  ECMA_ENCODE_URI: "JavaScript js Node TypeScript whole URL",
  ECMA_ENCODE_URI_COMPONENT: "JavaScript js Node TypeScript Dart Flutter Uri.encodeComponent",
  RFC8187_ATTR_CHAR: "Content-Disposition filename* RFC 5987 header",
  RFC2231_ATTRIBUTE_CHAR: "MIME mail attachment filename*",
  RFC6265_COOKIE_OCTET: "Set-Cookie",
  COOKIE_VALUE_DATA: "cookie value Set-Cookie",
  RFC6068_QCHAR: "mailto mail email subject body",
  RFC6068_LOCAL_PART: "mailto mail email address",
  RFC3875_EXTRA_PATH: "CGI PATH_INFO",
  XLINK_ANYURI: "XML Schema",
  GRPC_MESSAGE: "status",
  PY_QUOTE: "Python requests",
  PY_QUOTE_PLUS: "urlencode Dart Flutter Uri.encodeQueryComponent",
  JAVA_URLENCODER: "Kotlin Android Scala",
  GO_QUERY_ESCAPE: "golang url.QueryEscape",
  GO_PATH_ESCAPE: "golang url.PathEscape",
  PHP_URLENCODE: "http_build_query",
  PHP_RAWURLENCODE: "PHP_QUERY_RFC3986",
  RUBY_CGI_ESCAPE: "Rails to_query",
  DOTNET_HTTPUTILITY: "C# ASP.NET dotnet VB",
  ALAMOFIRE_QUERY: "Swift iOS",
  PURL: "package URL SBOM",
  W3C_BAGGAGE: "OpenTelemetry tracing header",
  AWS_SIGV4: "S3 Amazon query signature canonical request",
  AWS_SIGV4_PATH: "S3 Amazon object key",
  OAUTH1: "OAuth 1.0 signature base string",
  TEXT_FRAGMENT: ":~:text= highlight",
  WINDOWS_FILE_NAME: "filename NTFS",
  OTPAUTH_LABEL: "TOTP 2FA authenticator QR",
  POSTGRES_USERINFO: "PostgreSQL postgres password",
  JSON_POINTER_FRAGMENT: "JSON Pointer Schema OpenAPI $ref",
  OCI_REFERENCE: "Docker image",
  DATA_URL: "data: SVG CSS",
};

const wordsOf = (text) => text.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

/**
 * Returns the name and the clause of each set that has all words of the query, the best match first. A whole word is a better match than the
 * start of a word, and the start is a better match than the middle or the end. `labels` has the page's own names of sets.
 */
export function search(query, labels = {}) {
  const wanted = wordsOf(query);
  if (wanted.length === 0) return [];
  const found = [];
  for (const [name, clause] of catalogue()) {
    const words = wordsOf([name.replaceAll("_", " "), clause, ALIASES[name] ?? "", labels[name] ?? ""].join(" "));
    const text = words.join(" ");
    const ranks = wanted.map((word) => (words.includes(word) ? 0 : words.some((other) => other.startsWith(word)) ? 1 : text.includes(word) ? 2 : Infinity));
    const rank = ranks.reduce((sum, one) => sum + one, 0);
    if (rank < Infinity) found.push({ name, clause, rank });
  }
  return found.sort((a, b) => a.rank - b.rank);
}

/** The names of the sets in `ALIASES`. */
export const ALIASED = Object.keys(ALIASES);
