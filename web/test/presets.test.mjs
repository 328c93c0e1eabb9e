// Checks that sets are found by the names that people search for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setByName } from "../../packages/npm/sets.js";
import { ALIASED, search } from "../src/presets.js";

/** Searches, each with the set that must come first. */
const FIRST = [
  ["encodeURIComponent", "ECMA_ENCODE_URI_COMPONENT"], ["encodeURI", "ECMA_ENCODE_URI"], ["encodeuricomp", "ECMA_ENCODE_URI_COMPONENT"],
  ["form", "WHATWG_FORM"], ["x-www-form-urlencoded", "WHATWG_FORM"], ["URLSearchParams", "WHATWG_FORM"], ["RFC 3986", "RFC3986_UNRESERVED"],
  ["rfc3986", "RFC3986_UNRESERVED"], ["S3", "AWS_SIGV4"], ["s3 key", "AWS_SIGV4_PATH"], ["OAuth", "OAUTH1"], ["urllib.parse.quote", "PY_QUOTE"],
  ["quote_plus", "PY_QUOTE_PLUS"], ["url.QueryEscape", "GO_QUERY_ESCAPE"], ["golang path", "GO_PATH_ESCAPE"], ["rawurlencode", "PHP_RAWURLENCODE"],
  ["urlencode", "PY_QUOTE_PLUS"], ["php urlencode", "PHP_URLENCODE"], ["EscapeDataString", "RFC3986_UNRESERVED"], ["Kotlin", "JAVA_URLENCODER"], ["mailto", "RFC6068_QCHAR"],
  ["content-disposition", "RFC8187_ATTR_CHAR"], ["docker", "OCI_REFERENCE"], ["cookie", "RFC6265_COOKIE_OCTET"], ["форм", "WHATWG_FORM"],
];

test("sets are found by the names that people search for", () => {
  for (const [query, expected] of FIRST) assert.equal(search(query, { WHATWG_FORM: "Данные формы" })[0]?.name, expected, query);
});

test("every name of another function belongs to a set of the catalogue", () => {
  for (const name of ALIASED) assert.ok(setByName(name), name);
});

test("no words find no set", () => {
  for (const query of ["", " ", "%", "no such name"]) assert.deepEqual(search(query), []);
});
