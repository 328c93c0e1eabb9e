// Runs each code snippet of the page, if its language is installed, and compares its output with the library's result. The variable PYTHON
// names a Python with duckdb, chdb and pyspark.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ByteSet, decode, encode } from "../../packages/npm/index.js";
import { ENCODERS, snippets } from "../src/code.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PYTHON = process.env.PYTHON || "python3";
const folder = mkdtempSync(join(tmpdir(), "snippets-"));
after(() => rmSync(folder, { recursive: true }));

/** Runs a command without a shell. Returns its output without the last line end. */
const run = (command, args, { input, env } = {}) =>
  new Promise((resolve, reject) => {
    const options = { encoding: "utf8", cwd: folder, env: { ...process.env, ...env }, maxBuffer: 1 << 24 };
    const child = execFile(command, args, options, (error, stdout, stderr) => (error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout.replace(/\r?\n$/, ""))));
    child.stdin.on("error", () => {});
    child.stdin.end(input ?? "");
  });
const write = (name, text) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
/** Runs the programs one after another. */
const each = (execute) => async (programs) => {
  const printed = [];
  for (const program of programs) printed.push(await execute(program));
  return printed;
};
/** Runs all statements in one Python process. It prints each result as JSON. */
const statements = (program) => async (programs) => {
  const printed = await run(PYTHON, [write("run.py", `import json\n${program}`)], { input: JSON.stringify(programs.map((sql) => sql.replace(/;$/, ""))) });
  return printed.split("\n").map((line) => JSON.parse(line));
};
const QUERIES = 'import sys\nfor sql in json.load(sys.stdin):\n    print(json.dumps(';

/** Puts all snippets into one program, each in a module of its own. So the library is built only once. */
async function rust(programs) {
  mkdirSync(join(folder, "rust/src"), { recursive: true });
  write("rust/Cargo.toml", `[package]\nname = "snippets"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\npercent-simd = { path = ${JSON.stringify(ROOT)} }\n\n[workspace]\n`);
  const modules = programs.map((program, at) => `mod s${at} {\n${program.replace("fn main()", "pub fn main()")}\n}\n`);
  write("rust/src/main.rs", `${modules.join("")}fn main() {\n${programs.map((_, at) => `    s${at}::main();\n`).join("")}}\n`);
  const env = { CARGO_TARGET_DIR: join(ROOT, "target/snippets") };
  return (await run("cargo", ["run", "--quiet", "--manifest-path", join(folder, "rust/Cargo.toml")], { env })).split("\n");
}

async function c(program) {
  await run("gcc", ["-Wall", "-Werror", "-o", join(folder, "a.out"), write("a.c", program), "-lcurl"]);
  return run(join(folder, "a.out"), []);
}

/** Returns the request that curl sends to a server. */
async function curl(program) {
  const server = createServer((request, response) => response.end(request.url)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const here = `http://127.0.0.1:${server.address().port}/`;
  const asked = await run("sh", [write("a.sh", `${program.replace("https://example.com/", here)} --silent --noproxy '*'`)]);
  server.close();
  // Whether the digits are in upper or lower case depends on curl's version, so convert them to upper case.
  return asked.replace("/?q=", "").replace(/%../g, (triplet) => triplet.toUpperCase());
}

// Also look for the command `pct` in the build folders of this repository.
process.env.PATH += `:${ROOT}/target/release:${ROOT}/target/debug`;
const commandIsThere = (command) => () => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
const compiles = (header) => () => spawnSync("gcc", ["-E", "-x", "c", "-"], { input: `#include <${header}>\n` }).status === 0;
const imports = (name) => () => spawnSync(PYTHON, ["-c", `import ${name}`]).status === 0;

// For each language: a function that returns true if it is installed, how to install it, and a function that runs its snippets.
const LANGUAGES = {
  Python: [commandIsThere("python3"), "apt-get install python3", each((program) => run("python3", ["-"], { input: program }))],
  JavaScript: [() => true, "", each((program) => run(process.execPath, ["-"], { input: program }))],
  PHP: [commandIsThere("php"), "apt-get install php-cli", each((program) => run("php", [write("a.php", program)]))],
  Go: [commandIsThere("go"), "apt-get install golang-go", each((program) => run("go", ["run", write("main.go", program)]))],
  Java: [commandIsThere("java"), "apt-get install default-jdk-headless", each((program) => run("java", ["-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", write("A.java", program)]))],
  Rust: [commandIsThere("cargo"), "https://rustup.rs", rust],
  "C (libcurl)": [compiles("curl/curl.h"), "apt-get install gcc libcurl4-openssl-dev", each(c)],
  curl: [commandIsThere("curl"), "apt-get install curl", each(curl)],
  pct: [commandIsThere("pct"), "cargo install percent-simd-cli", each((program) => run("sh", [write("a.sh", program)]))],
  DuckDB: [imports("duckdb"), "pip install duckdb", statements(`import duckdb\n${QUERIES}duckdb.execute(sql).fetchone()[0]))`)],
  ClickHouse: [imports("chdb"), "pip install chdb", statements(`import chdb\n${QUERIES}json.loads(chdb.query(sql, "JSONCompactEachRow").bytes())[0]))`)],
  "Spark SQL": [imports("pyspark"), "pip install pyspark", statements(`from pyspark.sql import SparkSession\nspark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()\n${QUERIES}spark.sql(sql).first()[0]))`)],
};

const TEXTS = ["a b/é?", "100% & it's \"fine\" (~*) C:\\x $HOME `id`", "AC/DC+日本 😀"];
const SETS = ["RFC3986_UNRESERVED", "RFC3986_URI", "RFC3986_PATH", "ECMA_ENCODE_URI", "JAVA_URLENCODER"];

/** Returns the ASCII characters in a set. */
const membersOf = (name) => {
  const set = ByteSet.named(name);
  return Array.from({ length: 95 }, (_, at) => 0x20 + at).filter((byte) => set.has(byte)).map((byte) => String.fromCharCode(byte)).join("");
};

/** Returns each snippet in this language with its expected output. */
function casesOf(name) {
  const cases = [];
  const add = (operation, expected) => {
    const snippet = snippets(operation).find((one) => one.name === name);
    if (snippet) cases.push({ code: snippet.code, expected });
  };
  for (const sample of TEXTS) {
    for (const set of SETS) {
      const members = membersOf(set);
      for (const plus of [false, true]) {
        // Skip this case: a `+` that stays would look like a space.
        if (plus && members.includes("+")) continue;
        if (!plus && set === "JAVA_URLENCODER" && name === "pct") continue;
        add({ encodes: true, set, members, plus, sample, encoded: "" }, encode(sample, { set, plus }));
      }
    }
    for (const plus of [false, true]) {
      const encoded = encode(sample, { set: "RFC3986_UNRESERVED", plus });
      // libcurl never writes a plus.
      if (plus && name === "C (libcurl)") continue;
      add({ encodes: false, set: "RFC3986_UNRESERVED", members: "", plus, sample: "", encoded }, decode(encoded, { plus }));
    }
  }
  return cases;
}

test("this test knows every language of the page", () => {
  const named = new Set();
  for (const [encodes, plus] of [[true, false], [true, true], [false, false]]) {
    const all = snippets({ encodes, set: "RFC3986_UNRESERVED", members: membersOf("RFC3986_UNRESERVED"), plus, sample: "a", encoded: "a" });
    for (const { name } of all) named.add(name);
  }
  assert.deepEqual([...named].sort(), Object.keys(LANGUAGES).sort());
  assert.deepEqual([...ENCODERS].sort(), Object.keys(LANGUAGES).sort());
});

for (const [name, [isInstalled, remedy, execute]] of Object.entries(LANGUAGES)) {
  test(`${name} does the same`, { skip: isInstalled() ? false : `${name} is not installed (${remedy})`, timeout: 600_000 }, async () => {
    const cases = casesOf(name);
    assert.ok(cases.length >= 3, `${cases.length} snippets`);
    const printed = await execute(cases.map(({ code }) => code));
    assert.deepEqual(printed.length, cases.length);
    cases.forEach(({ code, expected }, at) => assert.equal(printed[at], expected, code));
  });
}
