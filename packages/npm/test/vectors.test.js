// Compares the npm package with JavaScript's own functions, the vectors of the library, and the standards.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as percent from "../index.js";

/** Returns pseudo-random numbers (xorshift). They are the same in each run. */
function* random(seed) {
  let state = seed;
  for (;;) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state >>> 0;
  }
}

const numbers = random(0x9e3779b9);
const below = (limit) => numbers.next().value % limit;
const ALPHABET = [..."abcXYZ019%%%%4142fFzZ+-_.!~*'()&=?/#\0\n\u00e9\u20ac\u05d0\u{1f600}"];
const text = (len) => Array.from({ length: len }, () => ALPHABET[below(ALPHABET.length)]).join("");

test("encodes like encodeURIComponent and encodeURI", () => {
  for (let at = 0; at < 2000; at++) {
    const input = text(below(3000));
    assert.equal(percent.encode(input), encodeURIComponent(input));
    assert.equal(percent.encode(input, { set: "ECMA_ENCODE_URI_COMPONENT" }), encodeURIComponent(input));
    assert.equal(percent.encode(input, { set: "ecma-encode-uri" }), encodeURI(input));
  }
});

test("writes forms like URLSearchParams", () => {
  for (let at = 0; at < 1000; at++) {
    const input = text(below(100));
    const expected = new URLSearchParams([["", input]]).toString().slice(1);
    assert.equal(percent.encode(input, { set: "WHATWG_FORM" }), expected);
    assert.equal(percent.decode(expected, { plus: true }), input);
  }
});

test("decodes like decodeURIComponent if that does not throw", () => {
  let valid = 0;
  for (let at = 0; at < 4000; at++) {
    const input = at % 2 ? text(below(100)) : encodeURIComponent(text(below(100)));
    let expected;
    try {
      expected = decodeURIComponent(input);
    } catch {
      assert.throws(() => percent.decode(input, { strict: true, fatal: true }), percent.PercentError);
      continue;
    }
    valid++;
    assert.equal(percent.decode(input), expected);
    assert.equal(percent.decode(input, { strict: true, fatal: true }), expected);
  }
  assert.ok(valid > 1000);
});

// Cases from tests/codec/cases.rs, and examples from the standards.
test("the vectors of the library", () => {
  const cases = [
    ["%41%42", "AB"],
    ["%", "%"],
    ["a%4", "a%4"],
    ["%zz", "%zz"],
    ["%4z", "%4z"],
    ["%%41", "%A"],
    ["%+1", "%+1"],
    ["%E2%82%AC", "€"],
    ["%F0%9F%98%80", "😀"],
    ["%u0041", "%u0041"],
    ["%00", "\0"],
  ];
  for (const [input, expected] of cases) {
    assert.equal(percent.decode(input), expected);
    assert.equal(percent.decode(input + "x".repeat(2000)), expected + "x".repeat(2000));
  }
  assert.deepEqual(percent.decodeBytes("%c0%ae%ff"), Uint8Array.of(0xc0, 0xae, 0xff));
  assert.equal(percent.decode("%FF"), "\ufffd");
  assert.equal(percent.encode(Uint8Array.of(0xff, 0x20)), "%FF%20");
  assert.equal(percent.decode("%252541", { layers: 5 }), "A");
  assert.equal(percent.decode("/a+b?c+d", { plus: "after-query" }), "/a+b?c d");
  assert.equal(percent.decode("a%2Fb%41", { keep: percent.ByteSet.of("/") }), "a%2FbA");
  assert.equal(percent.encode("a b%41", { keepTriplets: true, lowercase: true }), "a%20b%41");
  assert.equal(percent.encode("é", { lowercase: true }), "%c3%a9");
  assert.equal(percent.normalize("HTTP://ex%41mple.COM/a/../%7Eb%2f"), "http://example.com/~b%2F");
  assert.equal(percent.normalize("http://h:80", { byScheme: true }), "http://h/");
  assert.equal(percent.normalize("/100%", { sanitize: true }), "/100%25");
  assert.equal(percent.toUri("/é"), "/%C3%A9");
  assert.equal(percent.toIri("/%C3%A9%2F"), "/é%2F");
  assert.equal(percent.encode("\ud800"), "%EF%BF%BD");
  assert.equal(percent.encode("\ufeffa"), "%EF%BB%BFa");
  assert.equal(percent.decode("%EF%BB%BFa", { strict: true }), "\ufeffa");
});

test("errors have an offset", () => {
  const error = (call) => {
    try {
      call();
    } catch (caught) {
      return [caught.name, caught.code, caught.offset];
    }
  };
  assert.deepEqual(error(() => percent.decode("caf%C3%A9%20100%", { strict: true })), ["PercentError", "truncated", 15]);
  assert.deepEqual(error(() => percent.decode("%41%zz", { strict: true })), ["PercentError", "not-hex", 3]);
  assert.deepEqual(error(() => percent.decode("caf%E9", { fatal: true })), ["PercentError", "invalid-utf8", 3]);
  assert.deepEqual(error(() => percent.normalize("/%")), ["PercentError", "truncated", 1]);
  assert.throws(() => percent.encode("", { set: "none" }), RangeError);
});

test("encoding keeps exactly the bytes of the set, for every set of the catalogue", () => {
  assert.equal(percent.sets.length > 50, true);
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  for (const { name } of percent.sets) {
    const set = percent.ByteSet.named(name);
    const escape = (byte) =>
      set.has(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    const expected = Array.from(all, escape).join("");
    assert.equal(percent.encode(all, { set, plus: false, lowercase: false, keepTriplets: false }), expected, name);
    assert.deepEqual(percent.decodeBytes(expected.replaceAll("%%25", "%25%25")).length >= 256, true, name);
  }
});

test("a stream gives the same result as the whole input", async () => {
  const input = text(200_000);
  const bytes = new TextEncoder().encode(input);
  const through = async (data, size, transform) => {
    const pieces = new ReadableStream({
      start(controller) {
        for (let at = 0; at < data.length; at += size) controller.enqueue(data.subarray(at, at + size));
        controller.close();
      },
    });
    const results = [];
    // Don't read the stream by a `Response`: if the stream fails, browsers reject the `Response` with an error of their own.
    for await (const result of pieces.pipeThrough(transform)) results.push(result);
    return new Uint8Array(await new Blob(results).arrayBuffer());
  };
  for (const size of [1000, 65536, 70_001, 1 << 20]) {
    assert.deepEqual(await through(bytes, size, percent.encodeStream()), percent.encodeBytes(bytes));
    assert.deepEqual(await through(bytes, size, percent.decodeStream({ plus: true })), percent.decodeBytes(bytes, { plus: true }));
  }
  await assert.rejects(through(bytes, 999, percent.decodeStream({ strict: true })), percent.PercentError);
});

/** Returns the output and the counts of a stream that gets pieces of `size` bytes. */
function streamed(stream, bytes, size) {
  const out = [];
  const write = (view) => out.push(...view);
  for (let at = 0; at < bytes.length; at += size) stream.push(bytes.subarray(at, at + size), write);
  stream.finish(write);
  const { percents, malformed, status, offset } = stream;
  return { out, status, offset, ...(status === 0 ? { percents, malformed } : {}) };
}

test("the streams of both modules give the same results", async () => {
  const { small } = await import("../base.js");
  const { page } = await import("../modules.js");
  const { Engine, FLAG } = await import("../engine.js");
  const full = new Engine(() => new WebAssembly.Instance(new WebAssembly.Module(page())));
  const decoding = [0, FLAG.PLUS, FLAG.PLUS_AFTER_QUERY].flatMap((plus) => [plus, plus | FLAG.STRICT, plus | FLAG.CHECK_UTF8 | FLAG.LF]);
  const { bits } = percent.ByteSet.named("RFC3986_UNRESERVED");
  for (let at = 0; at < 400; at++) {
    const bytes = new TextEncoder().encode(at % 3 ? text(below(60)) : encodeURIComponent(text(below(60)).toWellFormed?.() ?? "a?b%"));
    for (const size of [1, 2, 3, 5, 64]) {
      for (const flags of decoding) {
        const expected = streamed(full.stream(false, undefined, flags), bytes, size);
        assert.deepEqual(streamed(small.stream(false, undefined, flags), bytes, size), expected, `${bytes} ${size} ${flags}`);
      }
      for (const flags of [0, FLAG.PLUS, FLAG.WRAP, FLAG.LOWERCASE]) {
        assert.deepEqual(streamed(small.stream(true, bits, flags), bytes, size), streamed(full.stream(true, bits, flags), bytes, size));
      }
    }
  }
  for (const flags of [FLAG.EACH_LINE, FLAG.KEEP_TRIPLETS]) {
    assert.equal(small.stream(false, undefined, flags), undefined);
    assert.equal(small.stream(true, bits, flags), undefined);
  }
  assert.equal(small.stream(false, undefined, FLAG.LOWERCASE), undefined);
  assert.equal(small.stream(false, bits, 0), undefined);
  assert.equal(small.stream(true, percent.ByteSet.of("é").bits, 0), undefined);
});

test("long inputs free their memory", () => {
  const long = "é ".repeat(2_000_000);
  for (let at = 0; at < 20; at++) assert.equal(percent.decode(percent.encode(long)).length, long.length);
});

test("percent-simd/codec gives the same results as the package", async () => {
  const codec = await import("../codec.js");
  const sets = ["RFC3986_UNRESERVED", "WHATWG_FORM", "RFC3986_URI_KEEP_PCT"];
  for (let at = 0; at < 1000; at++) {
    const input = text(below(3000));
    for (const set of sets) {
      for (const plus of [undefined, false, true]) {
        const lower = percent.encode(input, { set, plus, lowercase: true });
        assert.equal(codec.encode(input, { set, plus }).toLowerCase(), lower.toLowerCase());
        assert.deepEqual(codec.encodeBytes(input, { set, plus }), percent.encodeBytes(input, { set, plus }));
      }
    }
    for (const plus of [false, true, "after-query"]) {
      const keep = new percent.ByteSet(new Uint8Array(32));
      assert.equal(codec.decode(input, { plus }), percent.decode(input, { plus, keep }));
      assert.deepEqual(codec.decodeBytes(input, { plus }), percent.decodeBytes(input, { plus, keep }));
      const outcome = (call) => {
        try {
          return call();
        } catch (error) {
          return [error.code, error.offset];
        }
      };
      for (const options of [{ strict: true }, { fatal: true }, { strict: true, fatal: true }]) {
        const expected = outcome(() => percent.decode(input, { plus, ...options, keep }));
        assert.deepEqual(outcome(() => codec.decode(input, { plus, ...options })), expected);
      }
    }
  }
  assert.throws(() => codec.decode("%41", { keep: codec.ByteSet.of("a") }), TypeError);
  assert.throws(() => codec.encodeBytes("é", { set: codec.ByteSet.of("é") }), TypeError);
});

test("a link is repaired", () => {
  const { text, changes } = percent.repair(" http://bücher.example/é b/%?x=[1]&amp;y=%u4E2D");
  assert.equal(text, "http://xn--bcher-kva.example/%C3%A9%20b/%25?x=%5B1%5D&y=%E4%B8%AD");
  assert.deepEqual(changes.slice(0, 4), [
    { start: 0, end: 1, kind: "surroundings", reason: "the link was surrounded by blanks, quotes or angle brackets" },
    { start: 8, end: 22, kind: "idn", reason: "the DNS stores names in ASCII" },
    { start: 23, end: 24, kind: "non-ascii", reason: "a URI contains only ASCII" },
    { start: 24, end: 25, kind: "space", reason: "a URI contains no space" },
  ]);
  assert.deepEqual(percent.repair("http://h/a%20b"), { text: "http://h/a%20b", changes: [] });
  assert.equal(percent.repair("(http://h/a_(b)).").text, "http://h/a_(b)");
  assert.equal(percent.repair("«http://h/»", { without: ["punctuation", "non-ascii"] }).text, "«http://h/»");
  assert.equal(percent.repair("http://é/é ", { without: ["idn", "surroundings"] }).text, "http://é/%C3%A9%20");
  assert.equal(percent.repair("http://１２７.1/").text, "http://１２７.1/");
  assert.equal(percent.repair("https://2001:db8::1/").text, "https://[2001:db8::1]/");
  // The class `URL` ends a host at a backslash, and drops tabs and line breaks.
  for (const link of ["http://é\\b.example/", "http://é\nb.example/", "http://é\tb.example/"]) {
    assert.deepEqual(percent.repair(link, { without: ["backslash", "line-break"] }), { text: link, changes: [] });
  }
  assert.throws(() => percent.repair("", { without: ["nope"] }), TypeError);
});
