// Tests buffers of Node.js, and values from another realm. Also checks that abi.js has the numbers of crates/wasm/src/abi.rs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { FLAG, NONE, NOT_SMALL, STATUS } from "../abi.js";
import * as percent from "../index.js";
import { Machine } from "../memory.js";

test("JavaScript and the modules have the same flags and statuses", () => {
  const source = readFileSync(new URL("../../../crates/wasm/src/abi.rs", import.meta.url), "utf8");
  const valueOf = (text) => (text === "usize::MAX" ? NONE : text.split(" << ").map(Number).reduce((value, bits) => value << bits));
  const numbers = [...source.matchAll(/pub const (\w+): \w+ = (.+);/g)].map(([, name, text]) => [name, valueOf(text)]);
  const statuses = STATUS.map((name, at) => [name.toUpperCase().replaceAll("-", "_"), at]);
  assert.deepEqual(Object.fromEntries(numbers), { ...FLAG, ...Object.fromEntries(statuses), NOT_SMALL, NONE });
});

test("of a Buffer only its own bytes are read, not the rest of its pool", () => {
  assert.equal(percent.encode(Buffer.from("a b")), "a%20b");
  assert.equal(percent.encode(Buffer.from("xa bx").subarray(1, 4)), "a%20b");
  assert.equal(percent.decode(Buffer.from("%41")), "A");
  assert.deepEqual(percent.decodeBytes(Buffer.from("x%FFx").subarray(1)), Uint8Array.of(0xff, 0x78));
});

test("buffers and options of another realm are accepted", () => {
  const here = (code) => runInNewContext(code);
  for (const code of ["new Uint8Array([97, 32])", "new Uint8Array([97, 32]).buffer", "new DataView(new Uint8Array([97, 32]).buffer)"]) {
    assert.equal(percent.encode(here(code)), "a%20");
  }
  assert.equal(percent.encode(here("new SharedArrayBuffer(1)")), "%00");
  assert.equal(percent.encode("a b", here("({ plus: true })")), "a+b");
  assert.equal(percent.encode(here("[1, 2]")), "1%2C2");
  const detached = here("const buffer = new ArrayBuffer(8); [buffer, new Uint8Array(buffer), new DataView(buffer)]");
  structuredClone(detached[0], { transfer: [detached[0]] });
  for (const value of detached) assert.throws(() => percent.encode(value), TypeError);
});

test("bytes that another thread changes are read once", () => {
  const shared = new Uint8Array(new SharedArrayBuffer(4));
  shared.set(Buffer.from("%41 "));
  const decoded = percent.decodeBytes(shared);
  shared.fill(0);
  assert.deepEqual(decoded, Uint8Array.of(0x41, 0x20));
});

test("an input or a result of more than 2 GiB is an error, and the next call works", () => {
  const bytes = new Uint8Array(2 ** 31);
  for (const call of [percent.encode, percent.encodeBytes, percent.decode, percent.decodeBytes]) assert.throws(() => call(bytes), { name: "PercentError", code: "no-memory" });
  for (const call of [percent.normalize, percent.toUri, percent.redact, percent.repair]) assert.throws(() => call(bytes), { name: "PercentError" });
  assert.throws(() => percent.encodeBytes(bytes.subarray(0, 720e6)), { name: "PercentError", code: "no-memory" });
  assert.throws(() => percent.decodeBytes(bytes, { layers: 2 }), { name: "PercentError", code: "no-memory" });
  assert.equal(percent.encode("a b ".repeat(100), { lowercase: true }), "a%20b%20".repeat(100));
  assert.equal(percent.decode("%41".repeat(1000)), "A".repeat(1000));
});

test("a result that is too long for a string is an error", { skip: process.versions.bun !== undefined && "its strings may be longer" }, () => {
  // This test never writes to the buffer, so its pages take no memory.
  const buffer = new ArrayBuffer(2 ** 29);
  const machine = new Machine(() => ({ exports: { memory: { buffer } } }));
  for (const as of ["ascii", "latin1"]) assert.throws(() => machine.read(0, buffer.byteLength, as), { name: "PercentError", code: "too-large" });
  assert.throws(() => percent.repair(buffer), { name: "PercentError", code: "too-large" });
  const pairs = Array(600).fill(["a".repeat(1 << 20), ""]);
  assert.throws(() => percent.stringifyQuery(pairs), { name: "PercentError", code: "too-large" });
  assert.equal(machine.read(0, 1, "ascii"), "\0");
});

const WITHOUT = `
  import assert from "node:assert/strict";
  assert.equal(typeof WebAssembly, "undefined");
  const percent = await import(process.argv[1]);
  const codec = await import(process.argv[1].replace("index.js", "codec.js"));
  const long = "é/ %".repeat(1000);
  for (const { encode, decode } of [percent, codec]) {
    assert.equal(encode(long), "%C3%A9%2F%20%25".repeat(1000));
    assert.equal(decode(encode(long)), long);
    assert.equal(encode("a+b c", { set: "RFC3986_UNRESERVED", plus: true }), "a%2Bb+c");
    assert.throws(() => decode("100%", { strict: true }), { code: "truncated", offset: 3 });
    assert.throws(() => decode("caf%E9", { fatal: true }), { code: "invalid-utf8", offset: 3 });
  }
  assert.equal(percent.decode("%252541%2F", { layers: 5, keep: percent.ByteSet.of("/") }), "A%2F");
  assert.equal(percent.encode("é%41", { lowercase: true, keepTriplets: true }), "%c3%a9%41");
  const bytes = new Blob(["%41+", "%4", "1"]).stream().pipeThrough(percent.decodeStream({ plus: true, keep: "RFC3986_SEGMENT" }));
  const pieces = [];
  for await (const piece of bytes) pieces.push(...piece);
  assert.equal(String.fromCharCode(...pieces), "%41 %41");
  assert.throws(() => codec.encodeBytes("é", { set: codec.ByteSet.of("é") }), TypeError);
  assert.throws(() => percent.normalize("/"), { name: "PercentError", code: "no-wasm" });
`;

test("without WebAssembly, JavaScript encodes and decodes", { skip: (process.versions.bun ?? globalThis.Deno) !== undefined && "only Node.js has the option" }, () => {
  const file = fileURLToPath(new URL("../index.js", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, ["--jitless", "--input-type=module", "--eval", WITHOUT, file], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
});

test("the import compiles no module", () => {
  // Deno's `--eval` has no `import`, so write a file.
  const folder = mkdtempSync(join(tmpdir(), "percent-simd-"));
  const file = join(folder, "import.mjs");
  writeFileSync(file, `
    WebAssembly.Module = class { constructor() { process.exitCode = 1; throw new Error(); } };
    WebAssembly.instantiate = WebAssembly.compile = WebAssembly.Module;
    const { encode, decode } = await import("${new URL("../index.js", import.meta.url)}");
    encode("a b") + decode("%41");`);
  const { status, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  assert.equal(status, 0, stderr);
});
