// Tests buffers of Node.js, and values from another realm.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import * as percent from "../index.js";
import { Machine } from "../memory.js";

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

test("a result that is too long for a string is an error", { skip: process.versions.bun !== undefined && "its strings may be longer" }, () => {
  // This test never writes to the buffer, so its pages take no memory.
  const buffer = new ArrayBuffer(2 ** 29 + 1);
  const machine = new Machine(() => ({ exports: { memory: { buffer } } }));
  for (const as of ["ascii", "latin1"]) assert.throws(() => machine.read(0, buffer.byteLength, as), { name: "PercentError", code: "too-large" });
  assert.equal(machine.read(0, 1, "ascii"), "\0");
});
