// Tests modules that have too little memory, and modules that trap. Each call must return its result, or throw an error with the reason. The
// next call must work.
import assert from "node:assert/strict";
import { test } from "node:test";
import { small } from "../base.js";
import { Engine, FLAG, STATUS, TRANSFORM } from "../engine.js";
import * as percent from "../index.js";
import { page } from "../modules.js";
import { Small } from "../small.js";
import { plain } from "../small-modules.js";

const PAGE = 1 << 16;
const utf8 = (text) => new TextEncoder().encode(text);
const asText = (bytes) => new TextDecoder().decode(bytes);
const { bits } = percent.ByteSet.named("RFC3986_UNRESERVED");

/** Reads a number in LEB128. Returns the number, and the offset after it. */
function leb(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value |= (byte & 127) << shift;
    if (byte < 128) return [value, at];
  }
}

function toLeb(value) {
  const bytes = [];
  for (; value > 127; value >>= 7) bytes.push((value & 127) | 128);
  return [...bytes, value];
}

/** Returns the module with a limit: its memory can grow by only `more` pages. */
function limited(bytes, more) {
  const MEMORY = 5;
  for (let at = 8; at < bytes.length; ) {
    const [length, start] = leb(bytes, at + 1);
    if (bytes[at] === MEMORY) {
      assert.deepEqual([...bytes.slice(start, start + 2)], [1, 0], "one memory, without a limit");
      const [pages] = leb(bytes, start + 2);
      const section = [1, 1, ...toLeb(pages), ...toLeb(pages + more)];
      return new WebAssembly.Module(Uint8Array.from([...bytes.slice(0, at), MEMORY, ...toLeb(section.length), ...section, ...bytes.slice(start + length)]));
    }
    at = start + length;
  }
  throw new Error("the module has no memory");
}

/** Returns a function that creates instances of a module. The property `count` of the function is the number of instances. */
function maker(module) {
  const make = () => {
    make.count++;
    return new WebAssembly.Instance(module);
  };
  make.count = 0;
  return make;
}

/** The operations of the full module. Each has its result for a short text. */
const OPERATIONS = {
  "encode text": [(engine, text) => engine.encode(text, bits, FLAG.LOWERCASE).value, "%2f%20%2f"],
  "encode bytes": [(engine, text) => asText(engine.encode(utf8(text), bits, FLAG.CRLF, "bytes").value), "%2F%20%2F"],
  "encode in lines": [(engine, text) => engine.encode(text, bits, FLAG.WRAP | FLAG.LF).value, "%2F%20%2F"],
  "decode text": [(engine, text) => engine.decode(text.replaceAll("/", "%2F"), new Uint8Array(32).fill(1)).value, "/ /"],
  "decode bytes": [(engine, text) => asText(engine.decode(text, undefined, FLAG.WRAP, 0, "bytes").value), "/ /"],
  "decode lines": [(engine, text) => engine.decode(text, undefined, FLAG.EACH_LINE | FLAG.PLUS_AFTER_QUERY).value, "/ /"],
  "decode layers": [(engine, text) => engine.decode(text.replaceAll("/", "%25252F"), undefined, 0, 9).value, "/ /"],
  sanitize: [(engine, text) => engine.transform(TRANSFORM.SANITIZE, text.replaceAll("/", "%")).value, "%25 %25"],
  normalize: [(engine, text) => engine.transform(TRANSFORM.NORMALIZE, text.replaceAll(" ", "%7e")).value, "/~/"],
  "to URI": [(engine, text) => engine.transform(TRANSFORM.TO_URI, text.replaceAll("/", "é")).value, "%C3%A9 %C3%A9"],
  escape: [(engine, text) => engine.transform(TRANSFORM.ESCAPE, text.replaceAll("/", "€")).value, "%u20AC%20%u20AC"],
  unescape: [(engine, text) => engine.transform(TRANSFORM.UNESCAPE, text.replaceAll("/", "%u20AC")).value, "€ €"],
  explain: [(engine, text) => engine.explain(text.replaceAll("/", "%20"), 0x5ff, false, 1e9).length, 11 + 2 * 6],
  split: [(engine, text) => engine.split(text.replaceAll("/", "/a"), false, 1e9).length, 4 + 2 * 4],
  "has escape": [(engine, text) => engine.hasEscape(text), false],
  stream: [(engine, text) => streamed(engine.stream(true, bits, FLAG.LOWERCASE), utf8(text)), "%2f%20%2f"],
};

function streamed(stream, bytes) {
  let text = "";
  const write = (view) => (text += asText(view));
  stream.push(bytes, write);
  stream.finish(write);
  return text;
}

test("the full module works again after any one of its memory requests has failed", () => {
  const unlimited = new Engine(maker(new WebAssembly.Module(page())));
  const modules = [0, 1, 2, 3, 5, 9, 17, 33].map((pages) => limited(page(), pages));
  const texts = [1, 1 << 12, 1 << 14, 1 << 15, 1 << 17].map((length) => "/ /".repeat(length));
  for (const [name, [operation, expected]] of Object.entries(OPERATIONS)) {
    const results = texts.map((text) => operation(unlimited, text));
    let failed = 0;
    let worked = 0;
    modules.forEach((module, which) => {
      const make = maker(module);
      const engine = new Engine(make);
      texts.forEach((text, at) => {
        const made = make.count;
        try {
          assert.deepEqual(operation(engine, text), results[at], name);
          worked++;
        } catch (error) {
          assert.deepEqual([error instanceof percent.PercentError, error.code], [true, "no-memory"], `${name}: ${error.stack}`);
          assert.ok(make.count <= made + 1);
          failed++;
        }
        // The first five modules have so little memory that the operation may fail even on the short text.
        if (which > 4) assert.deepEqual(operation(engine, "/ /"), expected, `${name} after ${text.length}`);
      });
    });
    assert.ok(failed > 0 && worked > 0, `${name}: ${failed} failed, ${worked} worked`);
  }
});

test("the modules can use addresses above 2 GiB", () => {
  // The first pages stay unused, so they take no memory.
  const high = (module, pages) => () => {
    const instance = new WebAssembly.Instance(module);
    instance.exports.memory.grow(pages);
    return instance;
  };
  for (const pages of [0x8000, 0xa000]) {
    const engine = new Engine(high(new WebAssembly.Module(page()), pages));
    for (const [name, [operation, expected]] of Object.entries(OPERATIONS)) assert.deepEqual(operation(engine, "/ /"), expected, name);
    const tiny = new Small(high(new WebAssembly.Module(plain()), pages));
    assert.equal(tiny.encode("a b", bits, 0, "ascii").value, "a%20b");
    assert.equal(tiny.decode("a%20%E2%82%AC", 0, "text").value, "a €");
    assert.equal(streamed(tiny.stream(false, undefined, 0), utf8("%41%")), "A%");
  }
});

test("the small module works again after memory has run out", () => {
  const make = maker(limited(plain(), 4));
  const tiny = new Small(make);
  const stream = tiny.stream(false, undefined, FLAG.PLUS_AFTER_QUERY);
  const pieces = [];
  const write = (view) => pieces.push(...view);
  stream.push(utf8("a+?+%4"), write);
  for (const length of [1, 1000, PAGE, 3 * PAGE, 5 * PAGE]) {
    for (const input of ["%41".repeat(length), utf8(" ".repeat(length))]) {
      for (const call of [() => tiny.encode(input, bits, 0, "bytes"), () => tiny.encode(input, bits, 0, "ascii"), () => tiny.decode(input, 0, "text"), () => tiny.decode(input, 0, "bytes")]) {
        try {
          assert.ok(call().value.length > 0);
          assert.ok(length < 5 * PAGE);
        } catch (error) {
          assert.equal(error.code, "no-memory", error.stack);
          assert.ok(length > 1000);
        }
        assert.equal(tiny.encode("a b", bits, 0, "ascii").value, "a%20b");
        assert.equal(tiny.decode("a%20b", 0, "text").value, "a b");
      }
    }
  }
  assert.ok(make.count > 1);
  stream.push(utf8("1+"), write);
  stream.finish(write);
  assert.equal(String.fromCharCode(...pieces), "a+? A ");
});

test("the package works again after the JavaScript engine has refused memory", () => {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = () => {
    throw new RangeError("refused");
  };
  const bytes = new Uint8Array(small.bytes.length);
  try {
    for (const call of [percent.encode, percent.encodeBytes, percent.decode, percent.decodeBytes]) assert.throws(() => call(bytes), { name: "PercentError", code: "no-memory" });
  } finally {
    WebAssembly.Memory.prototype.grow = grow;
  }
  assert.equal(percent.decodeBytes(bytes).length, bytes.length);
  assert.equal(percent.encode("a b", { set: "RFC3986_PATH" }), "a%20b");
});

test("the next call retries to create an instance that could not be created", () => {
  const module = new WebAssembly.Module(page());
  let refusals = 2;
  const engine = new Engine(() => {
    if (refusals-- > 0) throw new RangeError("no memory for an instance");
    return new WebAssembly.Instance(module);
  });
  for (let at = 0; at < 2; at++) assert.throws(() => engine.transform(TRANSFORM.TO_URI, "é"), { code: "no-memory" });
  assert.equal(engine.transform(TRANSFORM.TO_URI, "é").value, "%C3%A9");
});

/** Returns a function that creates instances. The function `name` traps once: at call number `at`, counted over all instances. */
function trapping(module, name, at) {
  const make = () => {
    make.count++;
    const { exports } = new WebAssembly.Instance(module);
    const traps = (...values) => {
      if (--at === 0) throw new WebAssembly.RuntimeError("unreachable");
      return exports[name](...values);
    };
    return { exports: { ...exports, [name]: traps } };
  };
  make.count = 0;
  return make;
}

test("after a trap a new instance continues all calls and streams", () => {
  const full = new WebAssembly.Module(page());
  for (const name of ["buffer_new", "encode", "decode", "transform", "explain", "split", "has_escape", "output_free", "stream_size", "stream_new", "stream_push", "stream_finish"]) {
    for (let at = 1; at <= 3; at++) {
      const make = trapping(full, name, at);
      const engine = new Engine(make);
      let failed = 0;
      for (let turn = 0; turn < 4; turn++) {
        for (const [operation, expected] of Object.values(OPERATIONS)) {
          try {
            assert.deepEqual(operation(engine, "/ /"), expected);
          } catch (error) {
            assert.deepEqual([error.name, error.code, error.cause?.message], ["PercentError", "internal", "unreachable"], error.stack);
            failed++;
          }
        }
      }
      // All calls share one buffer, which grows only once, for the stream. So `buffer_new` is called only twice.
      const isReached = name !== "buffer_new" || at < 3;
      assert.deepEqual([name, at, failed, make.count], [name, at, isReached ? 1 : 0, isReached ? 2 : 1]);
    }
  }
  for (const name of ["encode", "decode", "latin1", "percents"]) {
    const make = trapping(new WebAssembly.Module(plain()), name, 1);
    const tiny = new Small(make);
    const stream = tiny.stream(false, undefined, 0);
    const outcomes = [];
    for (let turn = 0; turn < 2; turn++) {
      for (const call of [() => tiny.encode("a b", bits, 0, "ascii").value, () => tiny.decode("%41", 0, "text").value, () => stream.push(utf8("%4"), () => {}), () => streamed(tiny.stream(false, undefined, 0), utf8("%41"))]) {
        try {
          outcomes.push(call());
        } catch (error) {
          assert.equal(error.code, "internal");
        }
      }
    }
    assert.ok(outcomes.filter((value) => value === "A").length >= 2, name);
    assert.ok(make.count <= 2);
  }
});

test("a stream continues after a trap in another call", () => {
  const make = trapping(new WebAssembly.Module(page()), "transform", 1);
  const engine = new Engine(make);
  const stream = engine.stream(false, undefined, FLAG.STRICT | FLAG.EACH_LINE | FLAG.PLUS_AFTER_QUERY);
  const pieces = [];
  const write = (view) => pieces.push(...view);
  stream.push(utf8("+%2"), write);
  assert.throws(() => engine.transform(TRANSFORM.TO_URI, "x"), { code: "internal" });
  stream.push(utf8("0?+\n+%4"), write);
  assert.equal(make.count, 2);
  assert.equal(stream.malformed, 0);
  stream.push(utf8("z"), write);
  stream.push(utf8("a"), write);
  assert.deepEqual([String.fromCharCode(...pieces), stream.offset], ["+ ? \n+", 8]);
});

test("a stream of more than 4 GiB reports the offset of its error", () => {
  const engine = new Engine(maker(new WebAssembly.Module(page())));
  const step = engine.step.bind(engine);
  // The first piece counts as 4 GiB more than it has.
  engine.step = (position, ...rest) => {
    const done = step(position, ...rest);
    return position === undefined ? { ...done, decoded: done.decoded + 2 ** 32 } : done;
  };
  const stream = engine.stream(false, undefined, FLAG.STRICT);
  for (const piece of ["a%41", "%4", "2%", "4z"]) stream.push(utf8(piece), () => {});
  assert.deepEqual([stream.status, stream.offset], [STATUS.indexOf("not-hex"), 2 ** 32 + 7]);
});

test("other errors of the JavaScript engine are passed on", () => {
  const full = new WebAssembly.Module(page());
  let fails = true;
  const engine = new Engine(() => {
    const { exports } = new WebAssembly.Instance(full);
    const overflow = () => {
      fails = false;
      throw new RangeError("Maximum call stack size exceeded");
    };
    return { exports: { ...exports, transform: (...values) => (fails ? overflow() : exports.transform(...values)) } };
  });
  assert.throws(() => engine.transform(TRANSFORM.TO_URI, "é"), { name: "RangeError", message: "Maximum call stack size exceeded" });
  assert.equal(engine.transform(TRANSFORM.TO_URI, "é").value, "%C3%A9");
});

test("abandoned streams hold no memory", () => {
  const make = maker(limited(page(), 20));
  const engine = new Engine(make);
  for (let at = 0; at < 500; at++) engine.stream(false, undefined, FLAG.EACH_LINE).push(utf8("%41%4"), () => {});
  assert.equal(engine.transform(TRANSFORM.TO_URI, "é").value, "%C3%A9");
  assert.equal(make.count, 1);
});

test("no call leaks memory", () => {
  const make = maker(limited(page(), 200));
  const engine = new Engine(make);
  const long = `${"%41".repeat(200_000)}%`;
  const longest = "a".repeat(5_000_000 / 3);
  for (let at = 0; at < 100; at++) {
    assert.equal(engine.decode(long, undefined, FLAG.STRICT).status, 1);
    assert.equal(engine.decode(long, undefined, 0, 0, "bytes").value.length, 200_001);
    assert.equal(engine.hasEscape(longest), false);
  }
  assert.equal(make.count, 1);
});
