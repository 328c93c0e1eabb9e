// Bundles the npm package's suites, and runs them in Chromium: in a page and in a worker. Compiles the package's types with TypeScript.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { PATIENCE, executablePath, here, launch } from "./open.mjs";

// Replacements for the parts of Node.js that the suites use.
const NODE = {
  "node:test": `
    export const tests = [];
    export const test = (name, ...rest) => {
      const run = rest.pop();
      if (!rest[0]?.skip) tests.push({ name, run });
    };`,
  "node:assert/strict": `
    const shown = (value) => JSON.stringify(ArrayBuffer.isView(value) ? [...value] : value) ?? String(value);
    const fail = (message) => { throw new Error(message); };
    const isLike = (error, expected) =>
      error !== undefined &&
      (typeof expected === "function" ? error instanceof expected : Object.keys(expected).every((key) => error[key] === expected[key]));
    export default {
      ok: (value) => value || fail("not true"),
      equal: (got, expected) => Object.is(got, expected) || fail(shown(got) + " is not " + shown(expected)),
      deepEqual: (got, expected) => shown(got) === shown(expected) || fail(shown(got) + " is not " + shown(expected)),
      throws(call, expected, message) {
        let thrown;
        try { call(); } catch (error) { thrown = error; }
        isLike(thrown, expected) || fail((message ?? "") + " thrown: " + thrown);
      },
      async rejects(promise, expected) {
        const thrown = await promise.then(() => undefined, (error) => error);
        isLike(thrown, expected) || fail("rejected with: " + thrown);
      },
    };`,
};

/** Returns a module that runs the suites, and posts the failures and the number of tests. */
async function bundle() {
  const folder = here("../../packages/npm/test");
  // Leave out the suites for Node.js, because they import modules that only Node.js has.
  const suites = (await readdir(folder)).filter((name) => name.endsWith(".test.js") && !["node.test.js", "readme.test.js"].includes(name));
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { tests } from "node:test";
        ${suites.map((suite) => `import "./${suite}";`).join("\n")}
        const failed = [];
        for (const { name, run } of tests) {
          try { await run(); } catch (error) { failed.push(name + ": " + error.message); }
        }
        self.postMessage({ count: tests.length, failed });`,
      resolveDir: folder,
    },
    bundle: true,
    // package.json has "sideEffects": false. This is true for the package, but not for its tests, so esbuild must not leave out the tests.
    ignoreAnnotations: true,
    write: false,
    format: "esm",
    platform: "browser",
    plugins: [
      {
        name: "node",
        setup(build) {
          build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "node" }));
          build.onLoad({ filter: /.*/, namespace: "node" }, ({ path }) => ({ contents: NODE[path] }));
        },
      },
    ],
  });
  return outputFiles[0].text;
}

/** Returns a script for a page that forbids WebAssembly. The script sets `outcome` on the page. */
async function forbidden() {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { decode, decodeBytes, encode, normalize } from "./index.js";
        const long = "é/ %".repeat(1000);
        const outcome = { encoded: encode(long, { lowercase: true }).slice(0, 16), same: decode(encode(long)) === long, layers: decode("%252541", { layers: 3 }), bytes: [...decodeBytes("%FF")] };
        try { normalize("/"); } catch ({ code }) { outcome.code = code; }
        globalThis.outcome = outcome;`,
      resolveDir: here("../../packages/npm"),
    },
    bundle: true,
    write: false,
    format: "iife",
  });
  return outputFiles[0].text;
}

let browser;
let server;
before(async () => {
  assert.ok(executablePath, "chromium is not installed");
  const scripts = { "/suite.js": await bundle(), "/forbidden.js": await forbidden() };
  server = createServer(({ url }, response) => {
    response.setHeader("content-type", url in scripts ? "text/javascript" : "text/html");
    if (url === "/forbidden") response.setHeader("content-security-policy", "default-src 'self'");
    response.end(scripts[url] ?? `<!doctype html><title>the package's suite</title>${url === "/forbidden" ? '<script src="/forbidden.js"></script>' : ""}`);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

for (const place of ["page", "worker"]) {
  test(`the package's suites in a ${place}`, async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const result = await page.evaluate(
      (place) =>
        new Promise((resolve, reject) => {
          const receiver = place === "worker" ? new Worker("/suite.js", { type: "module" }) : self;
          receiver.onmessage = ({ data }) => resolve(data);
          receiver.onerror = ({ message }) => reject(new Error(message));
          if (place === "page") import("/suite.js").catch(reject);
        }),
      place,
    );
    assert.deepEqual(result.failed, []);
    assert.ok(result.count >= 30, `${result.count} tests`);
  });
}

test("on a page that forbids WebAssembly, JavaScript encodes and decodes", async () => {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/forbidden`);
  const outcome = await page.evaluate(() => globalThis.outcome);
  assert.deepEqual(outcome, { encoded: "%c3%a9%2f%20%25%", same: true, layers: "A", bytes: [255], code: "no-wasm" });
});

test("the types accept the same uses as the package", () => {
  const options = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--module", "nodenext"];
  const { status, stdout } = spawnSync(process.execPath, [here("../node_modules/typescript/bin/tsc"), ...options, here("../../packages/npm/test/types.ts")], { encoding: "utf8" });
  assert.equal(status, 0, stdout);
});
