// Each snippet of the page is run where its language is installed, and prints what the library makes of the text.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ByteSet, decode, encode } from "../../packages/npm/index.js";
import { snippets } from "../src/code.js";

const folder = mkdtempSync(join(tmpdir(), "snippets-"));
after(() => rmSync(folder, { recursive: true }));

const run = (command, args, input) => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", input, cwd: folder });
  assert.equal(status, 0, stderr);
  return stdout.replace(/\r?\n$/, "");
};
const source = (name, code) => {
  writeFileSync(join(folder, name), code);
  return join(folder, name);
};
const SETTINGS = {
  Python: ["python3", (code) => run("python3", ["-"], code)],
  JavaScript: ["node", (code) => run(process.execPath, ["-"], code)],
  PHP: ["php", (code) => run("php", [source("a.php", code)])],
  Go: ["go", (code) => run("go", ["run", source("main.go", code)])],
  Java: ["java", (code) => run("java", ["-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", source("A.java", code)])],
  pct: ["pct", (code) => run("sh", [source("a.sh", code)])],
  DuckDB: ["duckdb", (code) => run("duckdb", ["-noheader", "-list", "-c", code])],
};
const isInstalled = (command) => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;

const TEXTS = ["a b/é?", "100% & it's \"fine\" (~*) C:\\x $HOME `id`", "AC/DC+日本 😀"];

/** The characters of ASCII that are in a set. */
const membersOf = (name) => {
  const set = ByteSet.named(name);
  return Array.from({ length: 95 }, (_, at) => 0x20 + at).filter((byte) => set.has(byte)).map((byte) => String.fromCharCode(byte)).join("");
};

for (const [name, [command, execute]] of Object.entries(SETTINGS)) {
  test(`${name} does the same`, { skip: isInstalled(command) ? false : `${command} is not installed` }, () => {
    for (const sample of TEXTS) {
      for (const set of ["RFC3986_UNRESERVED", "RFC3986_URI", "RFC3986_PATH", "ECMA_ENCODE_URI", "JAVA_URLENCODER"]) {
        const members = membersOf(set);
        for (const plus of [false, true]) {
          const { code } = snippets({ encodes: true, set, members, plus, sample, encoded: "" }).find((snippet) => snippet.name === name);
          // A + that stays could not be told from a space.
          if (plus && members.includes("+")) continue;
          if (!plus && set === "JAVA_URLENCODER" && name === "pct") continue;
          assert.equal(execute(code), encode(sample, { set, plus }), `${name}, ${set}: ${code}`);
        }
      }
      for (const plus of [false, true]) {
        const encoded = encode(sample, { set: "RFC3986_UNRESERVED", plus });
        const { code } = snippets({ encodes: false, set: "RFC3986_UNRESERVED", members: "", plus, sample: "", encoded }).find((snippet) => snippet.name === name);
        assert.equal(execute(code), decode(encoded, { plus }), `${name}: ${code}`);
      }
    }
  });
}
