// node rival.mjs FOLDER ROUNDS SIZE...: src/runtimes.rs describes the arguments and the output
import { readFileSync, writeFileSync } from "node:fs";

const [folder, rounds, ...sizes] = process.argv.slice(2);
const calls = { encode: ["encodeURIComponent", encodeURIComponent], decode: ["decodeURIComponent", decodeURIComponent] };
let sink = 0;
for (const [op, [name, call]] of Object.entries(calls)) {
  for (const size of sizes) {
    const inputs = readFileSync(`${folder}/${op}-${size}.txt`, "utf8").split("\n").slice(0, -1);
    writeFileSync(`${folder}/node-${op}-${size}.out`, inputs.map((input) => call(input) + "\n").join(""));
    const times = [];
    for (let round = 0; round < Number(rounds) + 3; round++) {
      const start = process.hrtime.bigint();
      for (const input of inputs) sink += call(input).length;
      times.push(Number(process.hrtime.bigint() - start) / inputs.length);
    }
    times.splice(0, 3); // the first rounds warm up the compiler
    times.sort((a, b) => a - b);
    console.log(["node", `Node.js ${process.versions.node} ${name}`, op, size, times[times.length >> 1]].join("\t"));
  }
}
if (sink === 0) console.error("nothing came out");
