// Tests the codec in JavaScript, which does the work if there is no WebAssembly, and the check that finds out whether there is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine, FLAG, NONE, STATUS } from "../engine.js";
import { fallback } from "../fallback.js";
import { instancesFrom } from "../memory.js";
import { page } from "../modules.js";
import { SHORT, encodeShort } from "../short.js";
import { ByteSet, PercentError, decode, encode, sets } from "../index.js";

let seed = 20261127;
/** Returns a number below `end`, from Marsaglia's xorshift with a fixed seed. */
function below(end) {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return (seed >>> 0) % end;
}

const PIECES = ["%", "%4", "%41", "%25", "25", "%2", "%c3%A9", "%E2%82", "%zz", "%2b", "+", "?", " ", "a", "é", "€", "😀", "\ufffd", "\ufeff", "/", "\0", "~", "%FF", "%EF%BF"];
const text = (len) => Array.from({ length: len }, () => PIECES[below(PIECES.length)]).join("");
const utf8 = (input) => new TextEncoder().encode(input);
const engine = new Engine(() => new WebAssembly.Instance(new WebAssembly.Module(page())));
const flagsOf = (...all) => all.reduce((flags, flag) => (below(2) ? flags | flag : flags), 0);

test("it encodes as the module does", () => {
  for (let at = 0; at < 4000; at++) {
    const input = below(2) ? text(below(20)) : Uint8Array.from({ length: below(40) }, () => below(256));
    const { bits } = below(4) ? ByteSet.named(sets[below(sets.length)].name) : new ByteSet(Uint8Array.from({ length: 32 }, () => below(256)));
    const flags = flagsOf(FLAG.PLUS, FLAG.LOWERCASE, FLAG.KEEP_TRIPLETS);
    assert.deepEqual(fallback.encode(input, bits, flags, "bytes").value, engine.encode(input, bits, flags, "bytes").value);
    const ascii = Uint8Array.from(bits, (byte, place) => (place < 16 ? byte : 0));
    assert.equal(fallback.encode(input, ascii, flags, "text").value, engine.encode(input, ascii, flags, "text").value);
  }
});

test("short text is encoded as by the module", () => {
  let unchanged = 0;
  for (let at = 0; at < 8000; at++) {
    const input = (below(4) ? text(below(below(4) ? 12 : 120)) : `${"a~/".repeat(below(10))}\ud800`.slice(0, -below(2)) + "\udfff".repeat(below(2))).slice(0, SHORT);
    const { bits } = below(4) ? ByteSet.named(sets[below(sets.length)].name) : new ByteSet(Uint8Array.from({ length: 32 }, () => below(256)));
    const ascii = Uint8Array.from(bits, (byte, place) => (place < 16 ? byte : 0));
    const flags = flagsOf(FLAG.PLUS, FLAG.LOWERCASE, FLAG.KEEP_TRIPLETS);
    const expected = engine.encode(input, ascii, flags).value;
    assert.equal(encodeShort(input, ascii, flags), expected, JSON.stringify([input, flags]));
    if (expected === input) unchanged++;
  }
  assert.ok(unchanged > 300);
});

/** Returns the code and the offset of the error of a call, or undefined. */
function errorOf(call) {
  try {
    call();
  } catch ({ code, offset }) {
    return [code, offset];
  }
}

test("the calls give the same results as the module for short and long text", () => {
  const ends = [2, 12, 60, 200];
  for (let at = 0; at < 12_000; at++) {
    const { name } = sets[below(sets.length)];
    const isNamed = below(4) > 0;
    // Every named set has all hexadecimal digits.
    const { bits, flags } = isNamed ? ByteSet.named(name) : ByteSet.of("abF4/+");
    const set = isNamed && below(2) ? name : new ByteSet(bits, flags);
    const input = (below(3) ? text(below(ends[below(4)])) : "a-_Z9".repeat(below(60))) + ["", "\ud83d", "é", "%"][below(4)];
    const [plus, lowercase, keepTriplets] = [below(2) === 1, below(2) === 1, below(2) === 1];
    const wanted = (plus && FLAG.PLUS) | (lowercase && FLAG.LOWERCASE) | (keepTriplets && FLAG.KEEP_TRIPLETS);
    const others = flags & ~(FLAG.PLUS | FLAG.LOWERCASE | FLAG.KEEP_TRIPLETS);
    assert.equal(encode(input, { set, plus, lowercase, keepTriplets }), engine.encode(input, bits, wanted | others).value, `${name} ${input} ${wanted}`);
    const component = ByteSet.named("ECMA_ENCODE_URI_COMPONENT").bits;
    assert.equal(encode(input), engine.encode(input, component).value);
    const escaped = below(2) ? input : encode(encode(input, { lowercase }), { set });
    const mode = [undefined, true, "after-query"][below(3)];
    const decodes = [0, FLAG.PLUS, FLAG.PLUS_AFTER_QUERY][[undefined, true, "after-query"].indexOf(mode)];
    const layers = [1, 2, 3, 0xffffffff][below(4)];
    assert.equal(decode(escaped, { plus: mode, keep: set }), engine.decode(escaped, bits, decodes, 1).value, `${name} ${escaped} ${mode}`);
    assert.equal(decode(escaped, { plus: mode, layers }), engine.decode(escaped, undefined, decodes, layers).value, `${escaped} ${mode} ${layers}`);
    for (const [keep, most] of [[set, 1], [undefined, layers]]) {
      const { status, offset, invalidUtf8 } = engine.decode(escaped, keep && bits, decodes | FLAG.STRICT | FLAG.CHECK_UTF8, most);
      const expected = status > 0 ? [STATUS[status], offset] : invalidUtf8 !== NONE ? ["invalid-utf8", invalidUtf8] : undefined;
      assert.deepEqual(errorOf(() => decode(escaped, { plus: mode, strict: true, fatal: true, keep, layers: most })), expected, `${name} ${escaped} ${mode} ${most}`);
    }
    assert.equal(decode(escaped, { plus: mode, keep: set, layers }), engine.decode(escaped, bits, decodes, layers).value, `${name} ${escaped} ${mode} ${layers}`);
  }
});

test("all short texts of a few characters give the same results as the module", () => {
  const characters = ["%", "4", "f", "+", " ", "?", "/", "é", "\ud800"];
  const texts = [""];
  for (let from = 0; texts[from].length < 4; from++) texts.push(...characters.map((character) => texts[from] + character));
  // Add texts that begin with an escape that some sets keep (`%2F`, `%25`), with `%2`, or with the escapes of `é`.
  for (let at = texts.length - 1; texts[at].length > 0; at--) if (texts[at].length < 4) texts.push(`%2${texts[at]}`, `%2F${texts[at]}`, `%c3%A9${texts[at]}`, `%25${texts[at]}`);
  const choices = [undefined, "RFC3986_PATH", "WHATWG_FORM", "RFC3986_URI_KEEP_PCT", "WHATWG_C0_CONTROL", ByteSet.of("a%F"), ByteSet.of(" +4")];
  const encodings = choices.flatMap((set) => {
    const { bits } = typeof set === "string" ? ByteSet.named(set) : (set ?? ByteSet.named("ECMA_ENCODE_URI_COMPONENT"));
    return Array.from({ length: 8 }, (_, all) => [{ set, plus: (all & 1) > 0, lowercase: (all & 2) > 0, keepTriplets: (all & 4) > 0 }, bits, (all & 1 && FLAG.PLUS) | (all & 2 && FLAG.LOWERCASE) | (all & 4 && FLAG.KEEP_TRIPLETS)]);
  });
  const decodings = choices.flatMap((keep) => {
    const bits = typeof keep === "string" ? ByteSet.named(keep).bits : keep?.bits;
    return [[false, 0], [true, FLAG.PLUS], ["after-query", FLAG.PLUS_AFTER_QUERY]].flatMap(([plus, flag]) => [1, 2].map((layers) => [{ plus, keep, layers }, bits, flag, layers]));
  });
  for (const input of texts) {
    for (const [options, bits, flags] of encodings) {
      const result = encode(input, options);
      if (result !== engine.encode(input, bits, flags).value) assert.fail(`${JSON.stringify([input, options])} is encoded as ${result}`);
    }
    for (const [options, bits, flags, layers] of decodings) {
      const result = decode(input, options);
      if (result !== engine.decode(input, bits, flags, layers).value) assert.fail(`${JSON.stringify([input, options])} is decoded as ${result}`);
    }
  }
});

test("it decodes as the module does, with the same errors", () => {
  for (let at = 0; at < 8000; at++) {
    const input = below(2) ? text(below(20)) : utf8(text(below(20)));
    const keep = [undefined, ByteSet.of("%").bits, ByteSet.of("/A+\u00e9").bits][below(3)];
    const flags = flagsOf(FLAG.STRICT, FLAG.CHECK_UTF8, FLAG.PLUS_AFTER_QUERY, FLAG.PLUS);
    const layers = [1, 2, 3, 0xffffffff][below(4)];
    for (const as of ["text", "bytes"]) {
      const { value, status, offset, invalidUtf8 } = engine.decode(input, keep, flags, layers, as);
      const got = fallback.decode(input, keep, flags, layers, as);
      assert.deepEqual([got.value, got.status], [value, status], `${input} ${keep} ${flags} ${layers}`);
      if (status === 0) assert.equal(got.invalidUtf8, invalidUtf8, `${input} ${keep} ${flags} ${layers}`);
      else assert.equal(got.offset, offset);
    }
  }
});

test("its streams give the results of the module's streams", () => {
  const streamed = (stream, bytes, size) => {
    const out = [];
    const write = (view) => out.push(...view);
    for (let at = 0; at < bytes.length; at += size) stream.push(bytes.subarray(at, at + size), write);
    stream.finish(write);
    return { out, status: stream.status, offset: stream.offset };
  };
  for (let at = 0; at < 600; at++) {
    const bytes = utf8(text(below(30)));
    const { bits } = ByteSet.of("abc%/\u00e9");
    for (const size of [1, 2, 3, 7, 1000]) {
      const encoding = flagsOf(FLAG.PLUS, FLAG.LOWERCASE, FLAG.KEEP_TRIPLETS);
      assert.deepEqual(streamed(fallback.stream(true, bits, encoding), bytes, size), streamed(engine.stream(true, bits, encoding), bytes, size));
      const decoding = flagsOf(FLAG.PLUS_AFTER_QUERY, FLAG.STRICT);
      const keep = below(2) ? bits : undefined;
      assert.deepEqual(streamed(fallback.stream(false, keep, decoding), bytes, size), streamed(engine.stream(false, keep, decoding), bytes, size));
    }
  }
});

test("too little memory has the same error as in the modules", () => {
  const { bits } = ByteSet.of("");
  // There is no buffer of this size.
  const slice = () => new Uint8Array(2 ** 50);
  assert.throws(() => fallback.encode({ length: 2 ** 50 }, bits), { name: "PercentError", code: "no-memory" });
  assert.throws(() => fallback.decode({ slice }), { name: "PercentError", code: "no-memory" });
});

test("many layers take linear time", () => {
  const layers = `%${"25".repeat(1 << 20)}41`;
  assert.equal(fallback.decode(layers, undefined, 0, 0xffffffff).value, "A");
});

/** Calls `run` while `WebAssembly.Module` throws this error. */
async function refusing(error, run) {
  const { Module } = WebAssembly;
  try {
    WebAssembly.Module = class {
      constructor() {
        throw error;
      }
    };
    return await run();
  } finally {
    WebAssembly.Module = Module;
  }
}

test("a refused module is tried once", async () => {
  let tries = 0;
  const make = instancesFrom(() => {
    tries++;
    return page();
  });
  const refused = new WebAssembly.CompileError("by the policy");
  await refusing(refused, () => {
    for (let at = 0; at < 3; at++) assert.throws(make, { name: "PercentError", code: "no-wasm", cause: refused });
    assert.equal(new Engine(make).isReady(), false);
  });
  assert.throws(() => new Engine(make).transform(0, "/"), PercentError);
  assert.equal(tries, 1);
});

test("a module that may not be compiled on this thread is ready later", async () => {
  const make = instancesFrom(page);
  await refusing(new RangeError("too large for the main thread"), async () => {
    assert.equal(new Engine(make).isReady(), false);
    await new Promise((resolve) => setTimeout(resolve, 0));
    for (let left = 500; left > 0 && !new Engine(make).isReady(); left--) await new Promise((resolve) => setTimeout(resolve, 20));
  });
  assert.equal(new Engine(make).transform(0, "/%7e").value, "/~");
});
