// Installs the packed package, and runs a program with it under bundlers and engines. The output of each bundler is run in Node.js.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const installed = (name) => here(`node_modules/${name}`);
const require = createRequire(import.meta.url);

/** A program that says "works", or "works without WebAssembly". */
const program = (say) => `
  const text = "é/ %".repeat(1000);
  if (decode(encode(text)) !== text || encode("é", { lowercase: true }) !== "%c3%a9") throw new Error("encode");
  if (small.decode("%41+".repeat(1000), { plus: true }) !== "A ".repeat(1000)) throw new Error("decode");
  let result = "works";
  try {
    if (normalize("HTTP://h/%7e") !== "http://h/~") throw new Error("normalize");
  } catch (error) {
    if (error.code !== "no-wasm") throw error;
    result = "works without WebAssembly";
  }
  ${say}(result);
`;
const IMPORTS = `import { decode, encode, normalize } from "percent-simd"; import * as small from "percent-simd/codec";`;
const REQUIRES = `const { decode, encode, normalize } = require("percent-simd"); const small = require("percent-simd/codec");`;

let folder;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "percent-simd-"));
  const packed = spawnSync("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], { cwd: here("../.."), encoding: "utf8" });
  const [{ filename }] = Object.values(JSON.parse(packed.stdout));
  const to = join(folder, "node_modules/percent-simd");
  await mkdir(to, { recursive: true });
  spawnSync("tar", ["-xzf", join(folder, filename), "-C", to, "--strip-components=1"]);
  await writeFile(join(folder, "package.json"), '{ "dependencies": { "percent-simd": "*" } }');
  await writeFile(join(folder, "worker.js"), IMPORTS + program("postMessage"));
  await writeFile(join(folder, "main.js"), `${IMPORTS}${program("console.log")}
    globalThis.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });`);
  await writeFile(join(folder, "alone.js"), IMPORTS + program("console.log"));
  await writeFile(join(folder, "use.mjs"), IMPORTS + program("console.log"));
  await writeFile(join(folder, "use.cjs"), REQUIRES + program("console.log"));
});
after(() => rm(folder, { recursive: true }));

/** Runs a command, and returns its output. */
function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout.trim();
}

// The parts of a browser that bundlers use.
const BROWSER = "globalThis.self = globalThis; globalThis.location = { href: 'http://h/' }; globalThis.postMessage = console.log; globalThis.Worker = class {};";

/** Runs a file that a bundler made, in a program without Node.js's own modules. */
const runOutput = (file) => run(process.execPath, ["--input-type=module", "-e", `${BROWSER} await import(process.argv[1]);`, file]);

/** Runs each script that a bundler made in a folder. */
async function runAll(out, count) {
  const scripts = (await readdir(out, { recursive: true })).filter((name) => /\.m?js$/.test(name));
  await writeFile(join(out, "package.json"), '{ "type": "module" }');
  const outcomes = scripts.map((name) => runOutput(join(out, name))).filter((text) => text !== "");
  assert.deepEqual(outcomes, Array(count).fill("works"));
}

for (const version of [5, 6, 7, 8]) {
  test(`Vite ${version}, and its worker`, async () => {
    const name = `vite${version}`;
    const { build } = await import(`${installed(name)}/dist/node/index.js`);
    const out = join(folder, name);
    await build({
      root: folder,
      configFile: false,
      logLevel: "error",
      build: { outDir: out, modulePreload: { polyfill: false }, rollupOptions: { input: join(folder, "main.js") } },
    });
    await runAll(out, 2);
  });
}

test("webpack 5, and its worker", async () => {
  const out = join(folder, "webpack");
  const compiler = require("webpack")({ mode: "production", context: folder, entry: "./main.js", target: ["web", "es2020"], output: { path: out, publicPath: "" }, optimization: { splitChunks: false } });
  const stats = await new Promise((resolve, reject) => compiler.run((error, stats) => (error ? reject(error) : resolve(stats))));
  assert.ok(!stats.hasErrors(), stats.toString());
  await runAll(out, 2);
});

test("esbuild in three formats", async () => {
  const { buildSync } = require("esbuild");
  for (const [format, suffix] of [["iife", "mjs"], ["cjs", "cjs"], ["esm", "mjs"]]) {
    const outfile = join(folder, `esbuild-${format}.${suffix}`);
    buildSync({ entryPoints: [join(folder, "alone.js")], bundle: true, minify: true, format, target: "es2020", outfile });
    assert.equal(runOutput(outfile), "works", format);
  }
});

test("esbuild leaves out the code that isn't used", () => {
  const { buildSync } = require("esbuild");
  const size = (contents) => buildSync({ stdin: { contents, resolveDir: folder }, bundle: true, minify: true, format: "esm", write: false }).outputFiles[0].contents.length;
  assert.ok(size('import { encode } from "percent-simd/codec"; console.log(encode("a"));') < 65_000);
  assert.ok(size('import { PercentError } from "percent-simd"; console.log(PercentError);') < 8000);
});

test("rollup in three formats", async () => {
  const { rollup } = await import("rollup");
  const { nodeResolve } = await import("@rollup/plugin-node-resolve");
  const bundle = await rollup({ input: join(folder, "alone.js"), plugins: [nodeResolve()] });
  for (const [format, suffix] of [["iife", "mjs"], ["cjs", "cjs"], ["es", "mjs"]]) {
    const file = join(folder, `rollup-${format}.${suffix}`);
    await bundle.write({ file, format });
    assert.equal(runOutput(file), "works", format);
  }
});

test("Node.js 18 and this Node.js, import and require", () => {
  for (const node of [`${installed("node18")}/bin/node`, process.execPath]) {
    for (const file of ["use.mjs", "use.cjs"]) assert.equal(run(node, [file]), "works", `${node} ${file}`);
  }
  assert.equal(run(process.execPath, ["--no-experimental-require-module", "use.cjs"]), "works");
});

const bun = ["bun-linux-x64", "bun-linux-x64-baseline", "bun-linux-aarch64"].map((name) => installed(`@oven/${name}/bin/bun`)).find(existsSync);
test("Bun, import and require", { skip: bun === undefined && "the registry gave no program" }, () => {
  for (const file of ["use.mjs", "use.cjs"]) assert.equal(run(bun, [file]), "works", file);
});

test("Deno", () => {
  const deno = ["linux-x64-glibc", "linux-arm64-glibc"].map((name) => installed(`@deno/${name}/deno`)).find(existsSync);
  for (const file of ["use.mjs", "use.cjs"]) assert.equal(run(deno, ["run", "--quiet", "--no-remote", "--node-modules-dir=manual", "--allow-read", file]), "works", file);
});

test("Jest", async () => {
  await writeFile(join(folder, "use.test.js"), `test("works", () => { const say = (text) => expect(text).toBe("works"); ${REQUIRES}${program("say")} });`);
  run(process.execPath, [installed("jest/bin/jest.js"), "--rootDir", folder, "--watchman=false"]);
});

// Cloudflare's workers compile no WebAssembly at run time, so JavaScript does the work. But they can load a module that was
// compiled before, from a file.
test("workerd", async () => {
  const { buildSync } = require("esbuild");
  const uses = 'import wasm from "percent-simd/engine.wasm"; import { Engine, TRANSFORM } from "percent-simd/engine.js";';
  const check = `
    let said;
    const say = (text) => (said = text);
    ${program("say")}
    if (said !== "works without WebAssembly") throw new Error(said);
    if (new Engine(() => new WebAssembly.Instance(wasm)).transform(TRANSFORM.NORMALIZE, "HTTP://h/%7e").value !== "http://h/~") throw new Error("normalize");`;
  await writeFile(join(folder, "cloud.js"), `${IMPORTS}${uses} export default { test() { ${check} } };`);
  buildSync({ entryPoints: [join(folder, "cloud.js")], bundle: true, external: ["*.wasm"], format: "esm", outfile: join(folder, "cloud.mjs") });
  await writeFile(join(folder, "cloud.capnp"), `using Workerd = import "/workerd/workerd.capnp";
    const unitTests :Workerd.Config = (services = [(name = "main", worker = (modules = [(name = "worker", esModule = embed "cloud.mjs"), (name = "percent-simd/engine.wasm", wasm = embed "node_modules/percent-simd/engine.wasm")], compatibilityDate = "2026-01-01"))]);`);
  const workerd = ["workerd-linux-64", "workerd-linux-arm64"].map((name) => installed(`@cloudflare/${name}/bin/workerd`)).find(existsSync);
  run(workerd, ["test", "cloud.capnp"]);
});
