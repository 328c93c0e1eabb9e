// Shrinks a WebAssembly module of crates/wasm: node shrink.mjs FROM TO [--no-text]. A panic ends in a trap, so what words its message is
// cut out first, by the names of the functions; with --no-text all formatting is, of a module that has no other use for it.
import { readFile, writeFile } from "node:fs/promises";
import binaryen from "binaryen";

const [from, to, option] = process.argv.slice(2);
const PANICS = /4core.*(9panicking|(index|error|slice|unwrap|expect)_fail)/;
const TEXT = /4core.*(9panicking|_fail|3fmt|3str5count)/;

const module = binaryen.readBinary(await readFile(from));
const functions = Array.from({ length: module.getNumFunctions() }, (_, at) => binaryen.getFunctionInfo(module.getFunctionByIndex(at)));
let cut = 0;
for (const { name, params, results } of functions) {
  if (!(option === "--no-text" ? TEXT : PANICS).test(name)) continue;
  module.removeFunction(name);
  module.addFunction(name, params, results, [], module.unreachable());
  cut++;
}
if (cut === 0) throw new Error(`${from}: no function is known by the name of a panic`);
binaryen.setOptimizeLevel(3);
binaryen.setShrinkLevel(1);
binaryen.setDebugInfo(false);
module.optimize();
module.runPasses(["strip-dwarf", "strip-debug", "strip-producers", "strip-target-features"]);
await writeFile(to, module.emitBinary());
