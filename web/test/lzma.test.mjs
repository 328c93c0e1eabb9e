// Tests the decoder of LZMA with the program xz, on texts with literals, matches at all distances, and repeated distances.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { unlzma } from "../src/lzma.js";

const pack = (bytes) => execFileSync("xz", ["--format=lzma", "--lzma1=preset=9e,lc=3,lp=0,pb=0", "--stdout"], { input: bytes, maxBuffer: 1 << 24 });

/** Returns a generator of numbers below a bound. */
function draws(seed) {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

test("data is unpacked, also in part", () => {
  for (let seed = 1; seed <= 12; seed++) {
    const draw = draws(seed);
    const bytes = [];
    while (bytes.length < 1 << 16) {
      const far = draw(2) === 0 ? draw(8) + 1 : draw(bytes.length + 1);
      const len = draw(draw(8) === 0 ? 400 : 12) + 1;
      const isCopy = far > 0 && far <= bytes.length && draw(3) > 0;
      for (let at = 0; at < len; at++) bytes.push(isCopy ? bytes[bytes.length - far] : draw(seed % 2 === 0 ? 256 : 4));
    }
    const packed = pack(Uint8Array.from(bytes));
    for (const size of [0, 1, 1000, bytes.length]) assert.deepEqual([...unlzma(packed, size)], bytes.slice(0, size), `${seed} ${size}`);
  }
});

test("data that ends early is refused", () => {
  const packed = pack(Uint8Array.from({ length: 1000 }, (_, at) => (at * at) % 251));
  for (const len of [13, 20, 100]) assert.throws(() => unlzma(packed.subarray(0, len), 1000), /damaged/);
});
