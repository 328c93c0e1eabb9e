// Packs the npm package, and loads it as a program that has installed it: by `import`, by `require`, and in TypeScript.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { here } from "./open.mjs";

let folder;
let files;
const run = (command, args, cwd = folder) => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout;
};
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "percent-simd-"));
  const packed = run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], here("../../packages/npm"));
  const [{ filename, files: all }] = Object.values(JSON.parse(packed));
  files = all.map(({ path }) => path);
  const to = join(folder, "node_modules/percent-simd");
  await mkdir(to, { recursive: true });
  run("tar", ["-xzf", filename, "-C", to, "--strip-components=1"]);
});
after(() => rm(folder, { recursive: true }));

test("the package has its licenses, and no tests", () => {
  for (const name of ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "node/index.js", "codec-simd.wasm", "codec-plain.wasm", "esm/index.js", "cjs/index.js", "cjs/package.json", "engine.d.ts", "engine.wasm"]) assert.ok(files.includes(name), name);
  assert.deepEqual(files.filter((name) => !/^(esm|node|cjs)\/\w+\.js$|^(cjs\/)?[\w-]+\.(d\.ts|json)$|^LICENSE-|^README.md$|^[\w-]+\.wasm$/.test(name)), []);
  for (const folder of ["esm", "node"]) assert.deepEqual(files.filter((name) => name.startsWith(`${folder}/`)), ["codec", "core", "engine", "index"].map((name) => `${folder}/${name}.js`), "few files load fast");
});

const USE = `
  if (encode("é ", { lowercase: true, set: ByteSet.of(" ") }) !== "%c3%a9 ") throw new Error("encode");
  if (small.decode("%41+".repeat(1000), { plus: true }) !== "A ".repeat(1000)) throw new Error("decode");
  if (normalize("HTTP://h/%7e") !== "http://h/~" || !FLAG.PLUS || typeof Engine !== "function") throw new Error("normalize");
  try { small.decode("%", { strict: true }); } catch (error) { if (!(error instanceof PercentError)) throw error; }`;
const IMPORT = `
  import { ByteSet, PercentError, encode, normalize } from "percent-simd";
  import * as small from "percent-simd/codec";
  import { Engine, FLAG } from "percent-simd/engine.js";${USE}`;
const REQUIRE = `
  const { ByteSet, PercentError, encode, normalize } = require("percent-simd");
  const small = require("percent-simd/codec");
  const { Engine, FLAG } = require("percent-simd/engine.js");${USE}`;

const FILE = `
  const { Engine, TRANSFORM } = require("percent-simd/engine.js");
  const wasm = new WebAssembly.Module(require("fs").readFileSync(require.resolve("percent-simd/engine.wasm")));
  if (new Engine(() => new WebAssembly.Instance(wasm)).transform(TRANSFORM.TO_URI, "é").value !== "%C3%A9") throw new Error("transform");`;

test("Node.js imports and requires it", async () => {
  await writeFile(join(folder, "use.mjs"), IMPORT);
  await writeFile(join(folder, "use.cjs"), REQUIRE);
  run(process.execPath, ["use.mjs"]);
  run(process.execPath, ["use.cjs"]);
  await writeFile(join(folder, "file.cjs"), FILE);
  run(process.execPath, ["file.cjs"]);
  // The conditions of Node.js 18 and of Jest.
  run(process.execPath, ["-e", 'require("./node_modules/percent-simd/cjs/index.js").normalize("http://h")']);
});

test("Node.js imports scripts without base64, and bundlers import scripts with it", async () => {
  await writeFile(join(folder, "where.mjs"), 'console.log(import.meta.resolve("percent-simd"), process.features.require_module === true);');
  // Exactly these versions of Node.js have the condition "module-sync".
  const [url, hasModuleSync] = run(process.execPath, ["where.mjs"]).split(/\s/);
  assert.match(url, hasModuleSync === "true" ? /\/node\/index\.js$/ : /\/esm\/index\.js$/);
  await writeFile(join(folder, "use.mjs"), IMPORT);
  await build({ entryPoints: [join(folder, "use.mjs")], bundle: true, platform: "node", format: "esm", outfile: join(folder, "elsewhere/bundle.mjs"), logLevel: "error" });
  // The bundle works without the package.
  await rename(join(folder, "node_modules"), join(folder, "moved"));
  run(process.execPath, ["elsewhere/bundle.mjs"]);
  await rename(join(folder, "moved"), join(folder, "node_modules"));
});

test("without the files of the modules, JavaScript encodes and decodes, and the functions for URLs say why they fail", async () => {
  await writeFile(join(folder, "missing.mjs"), `
    import { encode, normalize } from "percent-simd";
    if (encode("é/ %".repeat(1000)) !== encodeURIComponent("é/ %".repeat(1000))) throw new Error("encode");
    try { normalize("http://h"); } catch (error) { console.log(error.code, error.cause.code); }`);
  const wasm = ["codec-simd.wasm", "codec-plain.wasm", "engine.wasm"].map((name) => join(folder, "node_modules/percent-simd", name));
  for (const file of wasm) await rename(file, `${file}.moved`);
  assert.ok(["no-wasm ENOENT\n", ""].includes(run(process.execPath, ["missing.mjs"])));
  for (const file of wasm) await rename(`${file}.moved`, file);
});

test("TypeScript finds the types in both kinds of modules", async () => {
  await writeFile(join(folder, "use.mts"), IMPORT);
  await writeFile(join(folder, "use.cts"), IMPORT);
  const tsc = here("../node_modules/typescript/bin/tsc");
  for (const mode of [["node16"], ["nodenext"], ["esnext", "--moduleResolution", "bundler"]]) {
    const sources = mode.length > 1 ? ["use.mts"] : ["use.mts", "use.cts"];
    run(process.execPath, [tsc, "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom", "--module", ...mode, ...sources]);
  }
});
