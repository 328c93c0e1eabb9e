// Compares the speed of the package with that of JavaScript's own functions, in CPU time. Run: node packages/npm/bench.js
import * as percent from "./index.js";
import { hasSimd } from "./memory.js";

const TEXTS = { clean: "quick-brown-fox_jumps-over-the-lazy-dog.", dirty: "name=José García & Söhne/100%?a=1; quick brown fox jumps over " };
const LENGTHS = [10, 32, 100, 1000, 1 << 20];
const ENCODE = [undefined, { set: "RFC3986_PATH" }, { set: "WHATWG_FORM" }, { set: percent.ByteSet.of("-.0123456789_abcdefghijklmnopqrstuvwxyz") }, { lowercase: true }, { keepTriplets: true }];
const DECODE = [undefined, { plus: true }, { strict: true, fatal: true }, { layers: 3 }, { keep: "RFC3986_PATH" }];
const ROUNDS = 15;
/** In each round, each call runs for at least this many nanoseconds. */
const ROUND = 2e6;
/**
 * Before the rounds, each call converts each input again and again, until it has converted this many characters of that
 * input.
 */
const WARM = 1e5;

let sink = 0;

/** Returns the CPU time of a call in nanoseconds. The inputs differ, so that no result can be cached. */
function cpu(call, inputs, count) {
  const began = process.cpuUsage();
  for (let at = 0; at < count; at++) {
    for (const input of inputs) {
      const text = call(input);
      sink ^= text.charCodeAt(text.length - 1); // If the text is a rope, this joins it.
    }
  }
  const { user, system } = process.cpuUsage(began);
  return ((user + system) * 1000) / count / inputs.length;
}

/** Returns the median time of each call. The calls take turns, so that a change of the machine's speed affects all. */
function medians(calls, inputs) {
  const counts = calls.map((call) => {
    // V8 compiles the functions, and the modules, while this runs.
    cpu(call, inputs, Math.ceil(WARM / inputs[0].length));
    let count = 1;
    while (cpu(call, inputs, count) * count * inputs.length < ROUND) count *= 2;
    return count;
  });
  const times = calls.map(() => []);
  for (let round = 0; round < ROUNDS; round++) calls.forEach((call, at) => times[at].push(cpu(call, inputs, counts[at])));
  return times.map((all) => all.sort((a, b) => a - b)[ROUNDS >> 1]);
}

/**
 * Prints a table: the time of `own`, JavaScript's own function, and the time of each of `calls` divided by the time of
 * `own`.
 */
function table(name, own, calls, inputsOf) {
  console.log(`\n| ${["text", "characters", `${own.name}, ns`, ...calls.map(([title]) => title)].join(" | ")} |`);
  console.log(`| --- |${" ---: |".repeat(2 + calls.length)}`);
  for (const [kind, text] of Object.entries(TEXTS)) {
    for (const len of LENGTHS) {
      const inputs = Array.from({ length: len > 1000 ? 1 : 16 }, (_, at) => inputsOf((text.slice(at) + text.repeat(Math.ceil(len / text.length))).slice(0, len)));
      const [theirs, ...ours] = medians([own, ...calls.map(([, call]) => call)], inputs);
      console.log(`| ${[kind, len, theirs.toFixed(0), ...ours.map((time) => (time / theirs).toFixed(2))].join(" | ")} |`);
    }
  }
}

const shown = (options) => (options ? JSON.stringify(options.set instanceof percent.ByteSet ? { set: "ByteSet" } : options).replaceAll('"', "") : "no options");
console.log(`Node.js ${process.versions.node}, simd128: ${hasSimd()}. Each cell is the time of the package over the time of JavaScript's own function.`);
table("encode", encodeURIComponent, ENCODE.map((options) => [shown(options), options ? (input) => percent.encode(input, { ...options }) : (input) => percent.encode(input)]), (text) => Buffer.from(text).toString());
table("decode", decodeURIComponent, DECODE.map((options) => [shown(options), options ? (input) => percent.decode(input, { ...options }) : (input) => percent.decode(input)]), (text) => encodeURIComponent(text));
if (sink === -1) console.log(sink);
