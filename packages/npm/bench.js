// Compares the speed of the package with that of JavaScript's own functions. Run: node packages/npm/bench.js
import * as percent from "./index.js";
import { hasSimd } from "./memory.js";

const sample = "name=José García & Söhne/100%?a=1; quick brown fox jumps over ";
const ns = (call) => {
  const time = (count) => {
    const began = process.hrtime.bigint();
    for (let at = 0; at < count; at++) call();
    return Number(process.hrtime.bigint() - began) / count;
  };
  let count = 1;
  while (time(count) * count < 2e7) count *= 2;
  return Math.min(...Array.from({ length: 7 }, () => time(count)));
};

console.log(`simd128: ${hasSimd()}`);
console.log("| characters | encode, ns | encodeURIComponent | ratio | decode, ns | decodeURIComponent | ratio |");
console.log("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const len of [10, 32, 100, 1000, 1 << 20]) {
  const plain = sample.repeat(Math.ceil(len / sample.length)).slice(0, len);
  const encoded = encodeURIComponent(plain);
  const [ours, theirs] = [ns(() => percent.encode(plain)), ns(() => encodeURIComponent(plain))];
  const [ours2, theirs2] = [ns(() => percent.decode(encoded)), ns(() => decodeURIComponent(encoded))];
  const row = [len, ours, theirs, theirs / ours, ours2, theirs2, theirs2 / ours2];
  console.log(`| ${row.map((cell) => (cell >= 100 ? cell.toFixed(0) : cell.toFixed(1))).join(" | ")} |`);
}
