// Runs a WASI program in Node.js: `node wasi.mjs PROGRAM.wasm [ARGUMENT...]`. It sees the environment and all files.
// COVERAGE=FOLDER: a program that scripts/coverage has compiled leaves its counters in a file there.
import { readFile, writeFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const args = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args, env: process.env, preopens: { "/": "/" }, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(await readFile(args[0]), {
  wasi_snapshot_preview1: wasi.wasiImport,
});
process.exitCode = wasi.start(instance);

if (process.env.COVERAGE) {
  const { memory, __llvm_profile_get_size_for_buffer: size, __llvm_profile_write_buffer: write } = instance.exports;
  const length = Number(size());
  const at = memory.grow(Math.ceil(length / 65536)) * 65536;
  write(at);
  await writeFile(`${process.env.COVERAGE}/${process.pid}`, new Uint8Array(memory.buffer, at, length));
}
