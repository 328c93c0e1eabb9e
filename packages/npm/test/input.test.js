// Tests how calls treat inputs and options, and compares them with `encodeURIComponent` and `decodeURIComponent`.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as codec from "../codec.js";
import * as percent from "../index.js";

const { ByteSet } = percent;
const utf8 = (text) => new TextEncoder().encode(text);
/** All calls. Each has the input as its only argument. */
const CALLS = {
  ...Object.fromEntries(["encode", "encodeBytes", "decode", "decodeBytes", "normalize", "toUri", "toIri", "redact", "parseQuery", "sortQuery"].map((name) => [name, percent[name]])),
  repair: (input) => percent.repair(input).text,
  ...Object.fromEntries(["encode", "encodeBytes", "decode", "decodeBytes"].map((name) => [`codec.${name}`, codec[name]])),
};

/** Values that are neither strings nor bytes. */
const VALUES = [
  0, -0, 123, 1.5, 1e21, NaN, Infinity, 10n, true, false, null, undefined, [], [1, 2], [[1], [2, [3]]], ["%41"], {}, { length: 3 },
  { length: 2, 0: 65, 1: 66 }, { toString: () => "a b%41" }, { valueOf: () => 1 }, { [Symbol.toPrimitive]: (hint) => `${hint}%` }, new String("é"),
  new Number(7), new Date(0), /a b/, () => "x", new Map(), { byteLength: 4, byteOffset: 0, buffer: new ArrayBuffer(4) },
  { [Symbol.toStringTag]: "ArrayBuffer" }, { [Symbol.toStringTag]: "Uint8Array", length: 1 }, Object.create(Uint8Array.prototype, { [Symbol.toPrimitive]: { value: () => "no bytes" } }),
];

test("values are converted as by encodeURIComponent", () => {
  for (const value of VALUES) {
    const expected = encodeURIComponent(value);
    assert.equal(percent.encode(value), expected);
    assert.equal(percent.encode(value, { set: "ECMA_ENCODE_URI_COMPONENT" }), expected);
    assert.equal(codec.encode(value, { plus: false }), expected);
    assert.deepEqual(percent.encodeBytes(value), utf8(expected));
    assert.equal(percent.decode(value), percent.decode(`${value}`));
    assert.equal(percent.decode(value, { strict: false }), percent.decode(`${value}`));
    for (const call of Object.values(CALLS)) assert.deepEqual(outcome(() => call(value)), outcome(() => call(`${value}`)));
  }
  assert.equal(percent.encode(), "undefined");
  assert.equal(percent.encode([1, 2]), "1%2C2");
});

/** Returns the result of a call, or its error. */
function outcome(call) {
  try {
    return call();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}

test("a value that can't become text is a TypeError, and an error of its own conversion is passed on", () => {
  const own = new RangeError("own");
  for (const call of Object.values(CALLS)) {
    for (const value of [Symbol("s"), Object.create(null), { toString: () => ({}), valueOf: () => ({}) }]) assert.throws(() => call(value), TypeError);
    const fails = { toString() { throw own; } };
    try {
      call(fails);
      assert.ok(false);
    } catch (error) {
      assert.equal(error, own);
    }
    // While a call converts its input to text, the input's `toString` can make another call of the package.
    const nested = { toString: () => percent.encode("%41 ".repeat(600), { set: "RFC3986_PATH", lowercase: true }).slice(0, 0) + "a" };
    assert.deepEqual(call(nested), call("a"));
  }
});

const { Float16Array } = globalThis;
const VIEWS = [
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array,
  DataView, class extends Uint8Array {}, ...(Float16Array ? [Float16Array] : []),
];
const BUFFERS = [ArrayBuffer, ...(globalThis.SharedArrayBuffer ? [SharedArrayBuffer] : [])];

test("every kind of buffer and view is accepted", () => {
  const bytes = Uint8Array.from({ length: 64 }, (_, at) => [0x25, 0x34, 0x31, 0xff, 0x20, 0xc3, 0xa9, 0x61][at % 8] + (at >> 3));
  for (const Kind of BUFFERS) {
    const buffer = new Kind(64);
    new Uint8Array(buffer).set(bytes);
    const inputs = [[buffer, bytes]];
    for (const View of VIEWS) {
      inputs.push([new View(buffer), bytes], [new View(buffer, 16, 16 / (View.BYTES_PER_ELEMENT ?? 1)), bytes.slice(16, 32)], [new View(buffer, 64), bytes.slice(64)]);
    }
    for (const [input, taken] of inputs) {
      for (const [name, call] of Object.entries(CALLS)) assert.deepEqual(outcome(() => call(input)), outcome(() => call(taken)), name);
      assert.equal(percent.encode(input), Array.from(taken, escaped).join(""));
      assert.deepEqual(ByteSet.of(input).bits, ByteSet.of(taken).bits);
    }
  }
  assert.equal(percent.encode(Uint8Array.of(0xff, 0x20).buffer), "%FF%20");
  assert.equal(percent.decode(new Uint16Array(Uint8Array.of(0x25, 0x34, 0x31, 0x61).buffer)), "Aa");
});

const escaped = (byte) => (/[\w!'()*.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`);

test("a view that reports a wrong length is read within its buffer", () => {
  class Liar extends Uint8Array {
    get length() {
      return 1 << 20;
    }
  }
  assert.equal(percent.encode(new Liar(utf8("a b"))), "a%20b");
});

test("detached buffers and views outside of their buffer are a TypeError", () => {
  const gone = new ArrayBuffer(8);
  const views = [gone, new Uint8Array(gone), new Uint8Array(gone, 4), new DataView(gone), new Float64Array(gone)];
  structuredClone(gone, { transfer: [gone] });
  if ("resize" in ArrayBuffer.prototype) {
    const shrunk = new ArrayBuffer(8, { maxByteLength: 16 });
    const tracking = new Uint8Array(shrunk);
    const outside = [new Uint8Array(shrunk, 4, 4), new DataView(shrunk, 4, 4)];
    shrunk.resize(6);
    assert.equal(percent.encode(tracking), "%00".repeat(6));
    assert.equal(percent.encode(shrunk), "%00".repeat(6));
    shrunk.resize(12);
    assert.equal(percent.encode(tracking), "%00".repeat(12));
    shrunk.resize(6);
    views.push(...outside);
  }
  for (const [name, call] of Object.entries(CALLS)) {
    for (const view of views) assert.throws(() => call(view), TypeError, name);
  }
  for (const view of views) assert.throws(() => ByteSet.of(view), TypeError);
});

test("only ByteSet's own calls can create a set", () => {
  for (const bits of [undefined, "abc", [1, 2], new Uint8Array(31), new Uint8Array(5000), Uint8Array.of(1).buffer]) {
    assert.throws(() => new ByteSet(bits), /create a ByteSet with ByteSet.of or ByteSet.named/);
  }
});

test("a lone surrogate becomes U+FFFD in every call", () => {
  const alone = ["\ud800", "\udfff", "\udc00\ud83d", "a\ud83d", "\ud83d\ud83d\ude00"];
  for (const lone of alone) {
    const replaced = lone.replace(/\p{Surrogate}/gu, "\ufffd");
    for (const [before, behind] of [["", ""], ["%41", ""], ["%C3%A9", "%41"], ["%41", "%"], ["%zz é", "+%C3%A9"], ["x".repeat(2000), ""], ["", "%20".repeat(700)]]) {
      const [input, expected] = [before + lone + behind, before + replaced + behind];
      for (const [name, call] of Object.entries(CALLS)) assert.deepEqual(outcome(() => call(input)), outcome(() => call(expected)), name);
      for (const options of [{ plus: true }, { fatal: true }, { layers: 3 }, { keep: "RFC3986_SEGMENT" }]) {
        assert.deepEqual(outcome(() => percent.decode(input, options)), outcome(() => percent.decode(expected, options)));
      }
      for (const options of [{ plus: true }, { lowercase: true }, { set: ByteSet.of(lone) }]) {
        assert.equal(percent.encode(input, options), percent.encode(expected, options));
      }
    }
    assert.deepEqual(ByteSet.of(lone).bits, ByteSet.of(replaced).bits);
  }
});

test("no set tears a character apart", () => {
  const text = "a é € 😀 \u00ff/";
  assert.equal(percent.encode("é", { set: ByteSet.of("é") }), "%C3%A9");
  assert.equal(codec.encode("é", { set: ByteSet.of("é") }), "%C3%A9");
  const upper = Uint8Array.from({ length: 128 }, (_, at) => 128 + at);
  const readable = ByteSet.named("RFC3986_SEGMENT").union(ByteSet.of(upper));
  assert.equal(percent.encode(text, { set: readable }), "a%20é%20€%20😀%20\u00ff%2F");
  assert.equal(percent.encode(text.repeat(500), { set: readable }), "a%20é%20€%20😀%20\u00ff%2F".repeat(500));
  // In bytes, every byte above ASCII is encoded, even if the set has it.
  assert.equal(percent.encode(Uint8Array.of(0xe9, 0x61), { set: readable }), "%E9a");
  assert.deepEqual(percent.encodeBytes(Uint8Array.of(0xe9, 0x61, 0x20), { set: readable }), Uint8Array.of(0xe9, 0x61, 0x25, 0x32, 0x30));
  assert.deepEqual(percent.encodeBytes("é", { set: ByteSet.of(Uint8Array.of(0xc3)) }), Uint8Array.of(0xc3, 0x25, 0x41, 0x39));
  for (let byte = 128; byte < 256; byte++) {
    const without = ByteSet.of(upper).difference(ByteSet.of(Uint8Array.of(byte)));
    for (const set of [ByteSet.of(Uint8Array.of(byte)), without]) {
      for (const flags of [{}, { lowercase: true }, { keepTriplets: true }]) {
        const encoded = percent.encode(text, { set, ...flags });
        assert.ok(/^[\x21-\x7e]*$/.test(encoded), encoded);
        assert.equal(percent.decode(encoded), text);
      }
    }
  }
});

const BOOLEAN = "true or false";
const SET = "the name of a set or a ByteSet";
const PLUS = 'true, false or "after-query"';
const LAYERS = "a whole number from 1 on, or Infinity";
/** The options of each call, and their valid values. */
const OPTIONS = [
  [percent.encode, { set: SET, plus: BOOLEAN, lowercase: BOOLEAN, keepTriplets: BOOLEAN }],
  [percent.encodeBytes, { set: SET, plus: BOOLEAN, lowercase: BOOLEAN, keepTriplets: BOOLEAN }],
  [percent.decode, { plus: PLUS, strict: BOOLEAN, keep: SET, layers: LAYERS, fatal: BOOLEAN }],
  [percent.decodeBytes, { plus: PLUS, strict: BOOLEAN, keep: SET, layers: LAYERS }],
  [percent.normalize, { byScheme: BOOLEAN, escapesOnly: BOOLEAN, sanitize: BOOLEAN }],
  [(_, options) => percent.encodeStream(options), { set: SET, plus: BOOLEAN, lowercase: BOOLEAN, keepTriplets: BOOLEAN }],
  [(_, options) => percent.decodeStream(options), { plus: PLUS, strict: BOOLEAN, keep: SET }],
  [percent.parseQuery, { plus: BOOLEAN, strict: BOOLEAN, fatal: BOOLEAN }],
  [(_, options) => percent.stringifyQuery({}, options), { set: SET, plus: BOOLEAN }],
  [codec.encode, { set: SET, plus: BOOLEAN }],
  [codec.encodeBytes, { set: SET, plus: BOOLEAN }],
  [codec.decode, { plus: PLUS, strict: BOOLEAN, fatal: BOOLEAN }],
  [codec.decodeBytes, { plus: PLUS, strict: BOOLEAN }],
];
const GOOD = { [BOOLEAN]: [true, false], [SET]: ["rfc3986-segment", ByteSet.of("a")], [PLUS]: [true, false, "after-query"], [LAYERS]: [1, 2, 0xffffffff, Infinity] };
const BAD = [[null, "null"], [0, "0"], [-1, "-1"], [1.5, "1.5"], [NaN, "NaN"], [2 ** 32, "4294967296"], [2n, "2"], [{}, "a value of type object"], [[], "a value of type object"], [Symbol("s"), "Symbol(s)"], [new Uint8Array(32), "a value of type object"], [() => true, "a value of type function"]];

test("unknown options and values of another type are TypeErrors that list the valid ones", () => {
  for (const [call, options] of OPTIONS) {
    const names = Object.keys(options);
    for (const [name, allowed] of Object.entries(options)) {
      const text = (value) => `the option "${name}" must be ${allowed}, not ${value}`;
      for (const value of [undefined, ...GOOD[allowed]]) call("a", { [name]: value });
      for (const [value, said] of BAD) assert.throws(() => call("a", { [name]: value }), { name: "TypeError", message: text(said) });
      if (allowed !== SET) assert.throws(() => call("a", { [name]: "yes" }), { name: "TypeError", message: text('"yes"') });
      for (const misspelled of [name.toUpperCase(), `${name} `, name.slice(1)]) {
        if (misspelled in options) continue;
        assert.throws(() => call("a", { [misspelled]: true }), { name: "TypeError", message: `there is no option "${misspelled}" here; there are: ${names.join(", ")}` });
      }
    }
    for (const other of ["lowercase", "fatal", "layers", "keep", "sanitize"]) if (!(other in options)) assert.throws(() => call("a", { [other]: true }), TypeError);
    assert.throws(() => call("a", { toString: "%" }), TypeError);
    for (const wrong of [null, "RFC3986_PATH", "", true, Symbol("s"), 1n, () => {}]) assert.throws(() => call("a", wrong), TypeError);
    assert.throws(() => call("a", ByteSet.of("a")), TypeError);
    for (const none of [undefined, {}, Object.create(null)]) call("a", none);
  }
  assert.throws(() => percent.encode("a", { set: "RFC3986_PAHT" }), { name: "RangeError" });
  assert.throws(() => percent.decode("a", { keep: "" }), RangeError);
});

test("each option is read once, from the object or from its prototype", () => {
  let reads = 0;
  const options = { get plus() { return reads++ === 0 ? true : "no boolean"; } };
  assert.equal(percent.encode("a b", options), "a+b");
  assert.equal(reads, 1);
  assert.equal(percent.encode("a b", Object.create({ plus: true })), "a+b");
});

test("properties that other code has given to all objects change no call without options", async () => {
  const text = "a%20b/%zz+é";
  const pollution = { set: "RFC3986_UNRESERVED", plus: true, lowercase: true, keepTriplets: true, keep: "RFC3986_SEGMENT", strict: true, layers: 2, fatal: 1, without: ["percent"], sanitize: true, order: "kept", drop: ["a"] };
  const outcomes = (module) => {
    const calls = ["encode", "encodeBytes", "decode", "decodeBytes", "normalize", "parseQuery", "sortQuery", "repair"].map((name) => () => module[name](text));
    calls.push(() => module.sortQuery("b=%61+&a", { __proto__: null, order: "sigv4" }), () => module.presets.PY_QUOTE.encode(text), () => module.stringifyQuery([["é ", text]]));
    calls.push(() => module.encode(text, { __proto__: null, lowercase: false }), () => module.decode(text, { __proto__: null, strict: false }));
    return calls.map((call) => outcome(() => JSON.stringify(call())));
  };
  const expected = outcomes(percent);
  try {
    Object.assign(Object.prototype, pollution);
    assert.deepEqual(outcomes(percent), expected);
    // A module reads the options of calls without options once. This one reads them now.
    assert.deepEqual(outcomes(await import("../index.js?new")), expected);
  } finally {
    for (const name of Object.keys(pollution)) delete Object.prototype[name];
  }
});

test("an object of options that changes between calls is read again", () => {
  const options = { set: "RFC3986_SEGMENT" };
  assert.equal(percent.encode("a b/é", options), "a%20b%2F%C3%A9");
  options.set = "RFC3986_PATH";
  assert.equal(percent.encode("a b/é", options), "a%20b/%C3%A9");
  options.lowercase = true;
  assert.equal(percent.encode("a b/é", options), "a%20b/%c3%a9");
  assert.equal(percent.encode("a b/é"), "a%20b%2F%C3%A9");
  options.plus = options.keepTriplets = true;
  assert.equal(percent.encode("a b%41é", options), "a+b%41%c3%a9");
  options.plus = 1;
  assert.throws(() => percent.encode("a b", options), TypeError);
  const decoding = { plus: true };
  assert.equal(percent.decode("a+b%2F%252F", decoding), "a b/%2F");
  decoding.keep = "RFC3986_PATH";
  assert.equal(percent.decode("a+b%2F%252F", decoding), "a b%2F%2F");
  decoding.layers = 2;
  decoding.keep = undefined;
  assert.equal(percent.decode("a+b%2F%252F", decoding), "a b//");
  decoding.plus = "after-query";
  assert.equal(percent.decode("a+b%2F%252F", decoding), "a+b//");
  decoding.strict = true;
  assert.throws(() => percent.decode("100%", decoding), { code: "truncated" });
  decoding.strict = undefined;
  decoding.fatal = true;
  assert.throws(() => percent.decode("%FF", decoding), { code: "invalid-utf8" });
  decoding.fatal = 1;
  assert.throws(() => percent.decode("%FF", decoding), TypeError);
});

test("every call can be passed to map", () => {
  const texts = ["a b", "c%20d", "é"];
  for (const [name, call] of Object.entries(CALLS)) assert.deepEqual(texts.map(call), texts.map((text) => call(text)), name);
});

test("a set is made from text or bytes, and `has` takes a byte", () => {
  for (const members of [5, null, undefined, [65], { length: 1, 0: 65 }, new Set([65]), true]) assert.throws(() => ByteSet.of(members), TypeError);
  const set = ByteSet.of("a\u00e9");
  assert.deepEqual([0x61, 0xc3, 0xa9, 0xe9].map((byte) => set.has(byte)), [true, true, true, false]);
  for (const byte of [-1, 256, 1.5, "a", NaN, undefined]) assert.throws(() => set.has(byte), TypeError);
  for (const other of [undefined, "a", new Uint8Array(32), { bits: new Uint8Array(32) }]) {
    assert.throws(() => set.union(other), TypeError);
    assert.throws(() => set.difference(other), TypeError);
  }
  assert.throws(() => ByteSet.named(Symbol("s")), RangeError);
  // Each call uses the bits that the set has at that moment.
  const changing = ByteSet.of("a");
  assert.equal(percent.encode("ab", { set: changing }), "a%62");
  changing.bits.fill(0);
  assert.equal(percent.encode("ab", { set: changing }), "%61%62");
});

test("all options of normalisation apply together", () => {
  const uri = "HTTP://H:80/%7e%zz";
  assert.equal(percent.normalize(uri, { sanitize: true }), "http://h:80/~%25zz");
  assert.equal(percent.normalize("HTTP://H:80/%7e%zz", { byScheme: true, sanitize: true }), "http://h/~%25zz");
  assert.equal(percent.normalize(uri, { escapesOnly: true, sanitize: true }), "HTTP://H:80/~%25zz");
  assert.throws(() => percent.normalize(uri, { byScheme: true }), { code: "not-hex", offset: 15 });
  assert.throws(() => percent.normalize(uri, { escapesOnly: true }), { code: "not-hex", offset: 15 });
  assert.throws(() => percent.normalize("/", { byScheme: true, escapesOnly: true }), { name: "TypeError" });
});

const piped = async (pieces, transform) => {
  const source = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const results = [];
  for await (const result of source.pipeThrough(transform)) results.push(...result);
  return Uint8Array.from(results);
};

test("the pieces of a stream may be every kind of buffer and view", async () => {
  const bytes = utf8("%41 b");
  const pieces = [bytes, bytes.buffer, new DataView(bytes.buffer, 1, 3), new Int8Array(bytes.buffer), new Uint8Array()];
  const whole = Uint8Array.from([...bytes, ...bytes, ...bytes.slice(1, 4), ...bytes]);
  for (const options of [undefined, { lowercase: true }]) assert.deepEqual(await piped(pieces, percent.encodeStream(options)), percent.encodeBytes(whole, options));
  for (const options of [undefined, { keep: "RFC3986_SEGMENT" }]) assert.deepEqual(await piped(pieces, percent.decodeStream(options)), percent.decodeBytes(whole, options));
  for (const piece of ["text", 1, null, undefined, [65], { length: 1, 0: 65 }]) {
    await assert.rejects(piped([bytes, piece], percent.encodeStream()), TypeError);
    await assert.rejects(piped([bytes, piece], percent.decodeStream({ keep: "RFC3986_SEGMENT" })), TypeError);
  }
});
