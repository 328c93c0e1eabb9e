// Shrinks a WebAssembly module: node shrink.mjs FROM TO [--no-text] [--no-floats] [--size]
//
// A panic ends in a trap, and nobody sees its message. So the functions that format the message are removed, by their names. Calling a removed
// function traps, too. If a module never calls other functions that format text or numbers, options remove these:
// --no-text    removes all functions that format text
// --no-floats  removes the functions that format floating-point numbers
// --size       makes the module small rather than fast
import { readFile, writeFile } from "node:fs/promises";
import binaryen from "binaryen";

const [from, to, ...options] = process.argv.slice(2);
const isSmall = options.includes("--size");
const PANICS = /4core.*(9panicking|(index|error|slice|unwrap|expect)_fail)/;
const TEXT = /4core.*(9panicking|_fail|3fmt|3str5count)/;
const FLOATS = /4core.*(7flt2dec|5float)/;

const module = binaryen.readBinary(await readFile(from));
const functions = Array.from({ length: module.getNumFunctions() }, (_, at) => binaryen.getFunctionInfo(module.getFunctionByIndex(at)));
let cut = 0;
for (const { name, params, results } of functions) {
  const isFloat = options.includes("--no-floats") && FLOATS.test(name);
  if (!isFloat && !(options.includes("--no-text") ? TEXT : PANICS).test(name)) continue;
  module.removeFunction(name);
  module.addFunction(name, params, results, [], module.unreachable());
  cut++;
}
if (cut === 0) throw new Error(`${from}: no function is known by the name of a panic`);
binaryen.setOptimizeLevel(isSmall ? 2 : 3);
binaryen.setShrinkLevel(isSmall ? 2 : 1);
binaryen.setDebugInfo(false);
// A second round makes the modules 1 % smaller.
module.optimize();
module.optimize();
module.runPasses(["strip-dwarf", "strip-debug", "strip-producers", "strip-target-features"]);
await writeFile(to, module.emitBinary());
