// Tests the packing of a module, on modules and on data that is none.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pack, unpack } from "../src/predict.js";
import { here } from "./open.mjs";

const NONE = new Uint8Array();
const same = (bytes, name, known = NONE) => assert.ok(Buffer.from(bytes).equals(Buffer.from(unpack(pack(bytes, known), bytes.length, known))), name);

test("a module becomes smaller, and is unpacked", () => {
  const [plain, simd] = ["codec-plain", "codec-simd"].map((name) => readFileSync(here(`../../target/wasm/${name}.wasm`)));
  same(simd, "alone");
  same(simd, "after another", plain);
  assert.ok(pack(simd, NONE).length < 0.3 * simd.length);
  assert.ok(pack(simd, simd).length < 0.05 * simd.length);
});

test("any data is unpacked", () => {
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 10, 0xff, 0x7f, 1, 0xff, 0x7f, 0];
  for (const len of [0, 1, 7, 15, 16, 5000]) {
    for (const start of [[], header]) {
      const bytes = Uint8Array.from({ length: len }, (_, at) => start[at] ?? (at * at * 7 + (at >> 3)) % 256);
      same(bytes, `${len} ${start.length}`);
    }
  }
  same(new Uint8Array(5000), "zeros");
});

test("data that ends early is refused", () => {
  const packed = pack(Uint8Array.from({ length: 1000 }, (_, at) => (at * at) % 251), NONE);
  for (const len of [0, 3, 100, packed.length - 4]) assert.throws(() => unpack(packed.subarray(0, len), 1000, NONE), /damaged/);
});
