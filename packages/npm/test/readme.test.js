// Runs the examples of README.md, and compares their values with those in the comments.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as codec from "../codec.js";
import * as engine from "../engine.js";
import * as percent from "../index.js";
import { page } from "../modules.js";

const MODULES = {
  "percent-simd": percent,
  "percent-simd/codec": codec,
  "percent-simd/engine.js": engine,
  "percent-simd/engine.wasm": new WebAssembly.Module(page()),
};
const VALUE = /; +\/\/ (throws )?("(?:[^"\\]|\\.)*"|\{.*\}|\[.*\])/;
const AsyncFunction = (async () => {}).constructor;

/** Makes a function of an example. Each line with a value in a comment becomes a call of `check`. */
function checked(example) {
  const lines = example.split("\n").map((line) => {
    const imported = /^import (\{.*\}|\w+) from "(.*)";$/.exec(line);
    if (imported) return `const ${imported[1]} = modules["${imported[2]}"];`;
    const value = VALUE.exec(line);
    if (!value) return line;
    const [found, throws, expected] = value;
    const code = line.slice(0, value.index);
    assert.ok(found);
    return `await check(async () => (${code}), ${throws !== undefined}, ${expected});`;
  });
  return new AsyncFunction("modules", "check", lines.join("\n"));
}

test("the examples of the README return the values in their comments", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const examples = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, example]) => example);
  const called = new Set();
  let values = 0;
  const check = async (run, throws, expected) => {
    values++;
    if (throws) return assert.rejects(run, { name: "PercentError", ...expected });
    const got = await run();
    assert.deepEqual(got instanceof Uint8Array ? [...got] : got, expected);
  };
  for (const example of examples) {
    for (const [word] of example.matchAll(/\w+/g)) called.add(word);
    await checked(example)(MODULES, check);
  }
  assert.ok(values >= 22, `${values} values`);
  for (const name of Object.keys(percent)) if (name !== "PercentError" && name !== "encodeBytes") assert.ok(called.has(name), `${name} has no example`);
});
