// Tests the functions for queries, the presets and `redact`.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as percent from "../index.js";

const { encode, parseQuery, presets, redact, sets, sortQuery, stringifyQuery } = percent;
const utf8 = (text) => new TextEncoder().encode(text);

let seed = 61127;
/** Returns a number below `end`, from Marsaglia's xorshift with a fixed seed. */
function below(end) {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) % end;
}
const PIECES = ["a", "b", "=", "&", "+", "%", "%2B", "%3D", "%26", "%C3", "%A9", "%EF%BB%BF", "é", "😀", "\ufffc", "\ud800", "?", " ", "#", "%zz", "\ufeff", ";", "\0"];
const text = (len) => Array.from({ length: len }, () => PIECES[below(PIECES.length)]).join("");

/** Returns the pairs by `URLSearchParams`. Node.js 20 misreads a raw character beside a malformed escape, so raw characters are first encoded. */
const byStandard = (query) => new URLSearchParams(query.replace(/\p{Surrogate}/gu, "\ufffd").replace(/[^\0-\x7f]/gu, encodeURIComponent));

test("queries are parsed and written as by URLSearchParams", () => {
  for (let at = 0; at < 5000; at++) {
    const query = text(below(16));
    const expected = byStandard(query);
    assert.deepEqual(parseQuery(query), [...expected], JSON.stringify(query));
    assert.equal(stringifyQuery(expected), expected.toString());
    assert.equal(stringifyQuery(parseQuery(query)), expected.toString());
    // A query of bytes has the same pairs. A raw byte and an escaped byte beside it can form one character, as the standard requires.
    assert.deepEqual(parseQuery(utf8(query)), [...expected]);
  }
  assert.deepEqual(parseQuery(Uint8Array.of(0x61, 0x3d, 0xc3, 0x25, 0x41, 0x39)), [["a", "é"]]);
  assert.deepEqual(parseQuery("??a=b=c&&=&d"), [["?a", "b=c"], ["", ""], ["d", ""]]);
});

test("options of queries", () => {
  assert.deepEqual(parseQuery("a+b=c+d%2B", { plus: false }), [["a+b", "c+d+"]]);
  assert.deepEqual(parseQuery(utf8("a+b=c+d%2B"), { plus: false }), [["a+b", "c+d+"]]);
  for (const as of [(query) => query, utf8]) {
    assert.throws(() => parseQuery(as("?é=1&b=%41%zz"), { strict: true }), { name: "PercentError", code: "not-hex", offset: 11 });
    assert.throws(() => parseQuery(as("é=1&%4=2"), { strict: true }), { code: "truncated", offset: 5 });
    assert.throws(() => parseQuery(as("é=1&b=x%FF"), { fatal: true }), { code: "invalid-utf8", offset: 7 });
  }
  assert.equal(stringifyQuery([["a b", "é/+"]], { set: "RFC3986_UNRESERVED" }), "a%20b=%C3%A9%2F%2B");
  assert.equal(stringifyQuery([["a b", "~"]], { plus: false }), "a%20b=%7E");
  assert.equal(stringifyQuery({ a: [1, "x y", undefined, null], b: undefined, c: null, d: true, e: [], f: Uint8Array.of(255) }), "a=1&a=x+y&a=null&c=null&d=true&f=%FF");
  assert.equal(stringifyQuery(new Map([["\ud800", 10n]])), "%EF%BF%BD=10");
  for (const wrong of [null, undefined, 1, "a=1", [["a"]], ["ab"], [["a", "b", "c"]]]) assert.throws(() => stringifyQuery(wrong), TypeError);
  for (const options of [{ strict: 1 }, { keep: "a" }]) assert.throws(() => parseQuery("", options), TypeError);
  for (const options of [{ order: "length" }, { drop: "a" }, { drop: [1] }]) assert.throws(() => sortQuery("", options), TypeError);
});

// The vectors of the library's `CanonicalQuery`, and the vectors of the standards that `CanonicalQuery` names.
test("queries are sorted as the library sorts them", () => {
  const signed = { order: "sigv4", drop: ["X-Amz-Signature"] };
  assert.equal(sortQuery("b=1+2&a=%2b&c&X-Amz-Signature=0f", signed), "a=%2B&b=1%2B2&c=");
  assert.equal(sortQuery("utm_source=email&id=42&a=1+2", { drop: ["utm_*", "fbclid"] }), "a=1+2&id=42");
  // RFC 5849 3.4.1.3.2
  assert.equal(sortQuery("b5=%3D%253D&a3=a&c%40=&a2=r%20b&c2&a3=2+q", { order: "oauth1" }), "a2=r%20b&a3=2%20q&a3=a&b5=%3D%253D&c%40=&c2=");
  const cloudFront = { order: "kept", drop: ["Expires", "Signature", "Key-Pair-Id", "Policy"] };
  assert.equal(sortQuery("size=%6d&&a=1&Expires=9&Signature=x~&Key-Pair-Id=K", cloudFront), "size=%6d&&a=1");
  assert.equal(sortQuery("?z=b&a=b&z=a&a=a"), "a=b&a=a&z=b&z=a");
  assert.equal(sortQuery("ﬃ&🌈"), "🌈&ﬃ");
  assert.equal(sortQuery("%zz=%&a=\u00e9", { order: "sigv4" }), "%25zz=%25&a=%C3%A9");
  assert.equal(sortQuery("b=%FF&a=%C3", { order: "sigv4" }), "a=%C3&b=%FF");
  assert.equal(sortQuery("utm%5Fid=1&b&%61", { drop: ["utm_*", "a"] }), "b");
  assert.equal(sortQuery("b&&a&", { order: "name" }), "a&b");
  assert.equal(sortQuery(utf8("b&a")), "a&b");
});

// If U+FFFD replaced these bytes, different queries would have the same key in a cache.
test("queries and links with bytes that aren't UTF-8 are refused", () => {
  const at = (offset) => ({ name: "PercentError", code: "invalid-utf8", offset });
  for (const call of [sortQuery, percent.repair, percent.normalize, percent.toUri, percent.toIri]) {
    assert.throws(() => call(Uint8Array.of(0x62, 0x3d, 0xff)), at(2));
    assert.throws(() => call(Uint8Array.of(0xef, 0xbf, 0xbd, 0xe2, 0x82)), at(3)); // U+FFFD itself is UTF-8
  }
});

test("sorting agrees with URLSearchParams, and doing it twice changes nothing", () => {
  for (let at = 0; at < 3000; at++) {
    const query = text(below(16));
    const expected = byStandard(query);
    expected.sort();
    const sorted = sortQuery(query);
    assert.equal(stringifyQuery(parseQuery(`?${sorted}`)), expected.toString(), JSON.stringify(query));
    for (const order of ["name", "sigv4", "oauth1", "kept"]) {
      const once = sortQuery(`?${query}`, { order });
      assert.equal(sortQuery(`?${once}`, { order }), once, JSON.stringify([query, order]));
    }
  }
});

test("every preset encodes with its set and its flags", () => {
  assert.deepEqual(Object.keys(presets), sets.map(({ name }) => name));
  const input = "a b+c/%41~é";
  for (const { name, clause } of sets) {
    const preset = presets[name];
    assert.equal(preset.clause, clause);
    assert.deepEqual(preset.set.bits, percent.ByteSet.named(name).bits);
    assert.deepEqual([input].map(preset.encode), [encode(input, { set: name })]);
    assert.deepEqual([input].map(preset.encodeBytes), [percent.encodeBytes(input, { set: preset.set })]);
  }
  assert.equal(presets.PY_QUOTE_PLUS.encode("a b/é"), "a+b%2F%C3%A9");
  assert.equal(presets.AWS_SIGV4.encode("a b/é~"), "a%20b%2F%C3%A9~");
});

test("passwords are hidden", () => {
  assert.equal(redact("mysql://root:p@ss@localhost/db"), "mysql://root:***@localhost/db");
  assert.equal(redact("root:p@ss@localhost"), "root:***@localhost");
  assert.equal(redact("/login?next=http%3A%2F%2Fu%3Ap%40h"), "/login?next=http%3A%2F%2Fu%3A***%40h");
  assert.equal(redact("http://h:80/@me mailto:me@h é"), "http://h:80/@me mailto:me@h é");
  assert.equal(redact(Uint8Array.from(utf8("ftp://u:x@h/"), (byte) => (byte === 0x78 ? 0xff : byte))), "ftp://u:***@h/");
});
