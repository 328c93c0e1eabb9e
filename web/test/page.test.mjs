// The page in Chromium. Set FULL=1 for what takes long: a gigabyte, and what is measured.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtemp, open as openFile, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { executablePath, here, launch, open } from "./open.mjs";

const isFull = process.env.FULL === "1";
let browser;

before(async () => {
  assert.ok(executablePath, "chromium is not installed");
  browser = await launch(["--js-flags=--expose-gc"]);
});
after(() => browser?.close());

/** Runs `check` with a page, and sees that nothing failed and nothing was asked for. */
async function on(settings, check) {
  const page = await open(browser, settings);
  try {
    await check(page);
    assert.deepEqual(page.errors, []);
    const asked = page.requests.filter((url) => !url.startsWith("blob:") && !url.startsWith("data:"));
    assert.equal(asked.length, 1, `nothing but the page itself is asked for: ${asked}`);
  } finally {
    await page.context().close();
  }
}

const content = (page, side) => page.locator(`#${side} .cm-content`);
const idle = (page) => page.waitForFunction(() => document.documentElement.dataset.idle === "true");
/** What a pane holds, line ends included. */
const held = async (page, side) => {
  await page.waitForTimeout(20);
  await idle(page);
  return page.evaluate((id) => [...document.querySelectorAll(`#${id} .cm-line`)].map((line) => (line.querySelector(".cm-placeholder") ? "" : line.textContent)).join("\n"), side);
};
const type = async (page, side, text) => {
  await content(page, side).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
};
const paste = (page, side, text) =>
  content(page, side).evaluate((element, data) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", data);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
const set = async (page, id, value) => {
  if (!(await page.locator(`#${id}`).isVisible())) await page.locator("#more summary").click();
  const isCheck = typeof value === "boolean";
  if (isCheck) await page.locator(`#${id}`).setChecked(value);
  else await page.selectOption(`#${id}`, value);
};

describe("both directions", () => {
  test("what is typed on one side appears on the other", () =>
    on({}, async (page) => {
      await type(page, "decoded", "AC/DC & Ελλάς");
      assert.equal(await held(page, "encoded"), "AC%2FDC%20%26%20%CE%95%CE%BB%CE%BB%CE%AC%CF%82");
      await type(page, "encoded", "caf%C3%A9%20100%");
      assert.equal(await held(page, "decoded"), "café 100%");
    }));

  test("keystrokes one by one, and undo", () =>
    on({}, async (page) => {
      await content(page, "decoded").click();
      await page.keyboard.type("a b&c", { delay: 2 });
      assert.equal(await held(page, "encoded"), "a%20b%26c");
      await page.keyboard.press("Control+z");
      assert.equal(await held(page, "encoded"), "");
      await page.keyboard.press("Control+y");
      assert.equal(await held(page, "encoded"), "a%20b%26c");
    }));

  test("a paste goes to the side that it belongs to", () =>
    on({}, async (page) => {
      await paste(page, "decoded", "https://h/?q=a%20b");
      assert.equal(await held(page, "encoded"), "https://h/?q=a%20b");
      assert.equal(await held(page, "decoded"), "https://h/?q=a b");
    }));

  test("swap and clear", () =>
    on({}, async (page) => {
      await type(page, "decoded", "50% off");
      await held(page, "encoded");
      await page.locator("#swap").click();
      assert.equal(await held(page, "decoded"), "50%25%20off");
      assert.equal(await held(page, "encoded"), "50%2525%2520off");
      await page.locator('[data-side="decoded"] [data-action="clear"]').click();
      assert.equal(await held(page, "encoded"), "");
    }));
});

// The vectors of the library's suites, through the options.
const OPTIONS = [
  [{}, "decoded", "a b+c~*", "a%20b%2Bc~%2A"],
  [{ set: "WHATWG_FORM" }, "decoded", "a b+c~*", "a+b%2Bc%7E*"],
  [{ set: "RFC3986_URI" }, "decoded", "http://h/a b?q=[1]", "http://h/a%20b?q=[1]"],
  [{ set: "ALL" }, "decoded", "ab", "%61%62"],
  [{ set: "ECMA_ENCODE_URI_COMPONENT" }, "decoded", "it's (fine)!", "it's%20(fine)!"],
  [{ hex: "lower" }, "decoded", "é/", "%c3%a9%2f"],
  [{ keep: true }, "decoded", "%41 100%", "%41%20100%25"],
  [{ lines: true }, "decoded", "a b\nc d", "a%20b\nc%20d"],
  [{ newline: "crlf" }, "decoded", "a\nb", "a%0D%0Ab"],
  [{ wrap: true }, "decoded", " ".repeat(30), `${"%20".repeat(25)}\r\n${"%20".repeat(5)}`],
  [{ charset: "windows-1251" }, "decoded", "Привет ☃", "%CF%F0%E8%E2%E5%F2%20%26%239731%3B"],
  [{ charset: "shift_jis" }, "decoded", "表示", "%95%5C%8E%A6"],
  [{ charset: "gb18030" }, "decoded", "中😀", "%D6%D0%949%FC6"],
  [{ charset: "iso-2022-jp" }, "decoded", "日本", "%1B%24BF%7CK%5C%1B%28B"],
  [{ mode: "iri" }, "decoded", "http://h/é b", "http://h/%C3%A9 b"],
  [{ mode: "escape" }, "decoded", "é€ +", "%E9%u20AC%20+"],
  [{ mode: "normalize" }, "decoded", "HTTP://ex%41mple.COM/a/../%7Eb%2f", "http://example.com/~b%2F"],
  [{}, "encoded", "a+b%zz%4", "a+b%zz%4"],
  [{ plus: "yes" }, "encoded", "a+b%2B", "a b+"],
  [{ plus: "query" }, "encoded", "/a+b?c+d", "/a+b?c d"],
  [{ depth: "1000000" }, "encoded", "%25252541", "A"],
  [{ depth: "2" }, "encoded", "%252541", "%41"],
  [{ lines: true }, "encoded", "a%20b%0Aforged\nc", "a b%0Aforged\nc"],
  [{ charset: "windows-1255" }, "encoded", "%F9%EC%E5%ED", "שלום"],
  [{ charset: "auto" }, "encoded", "caf%E9", "café"],
  [{ charset: "auto" }, "encoded", "caf%C3%A9", "café"],
  [{ strict: true }, "encoded", "100%", ""],
  [{ wrap: true }, "encoded", "a%2\n0b", "a b"],
  [{ mode: "iri" }, "encoded", "/caf%C3%A9%2F%E2%80%AE", "/café%2F%E2%80%AE"],
  [{ mode: "escape" }, "encoded", "%E9%u20AC", "é€"],
];

test("every option", () =>
  on({}, async (page) => {
    for (const [options, side, input, expected] of OPTIONS) {
      await page.evaluate(() => window.history.replaceState(null, "", location.pathname));
      await page.reload();
      page.requests.length = 1;
      await page.waitForSelector("html[data-ready=true]");
      for (const [id, value] of Object.entries(options)) await set(page, id, value);
      await type(page, side, input);
      const other = side === "decoded" ? "encoded" : "decoded";
      const got = (await held(page, other)).replaceAll("␍", "\r").replaceAll("\u2022", "\r");
      assert.equal(got, expected, JSON.stringify(options));
    }
  }));

describe("what is odd", () => {
  test("lone surrogates, NUL, broken UTF-8", () =>
    on({}, async (page) => {
      await type(page, "encoded", "%00%ED%A0%80%C3%A9%FF");
      assert.match(await held(page, "decoded"), /é/);
      assert.match(await page.locator("#decoded-status").innerText(), /not UTF-8/);
      await paste(page, "decoded", "a\ud800b");
      assert.match(await held(page, "encoded"), /a%EF%BF%BDb/);
    }));

  test("10,000 layers", () =>
    on({}, async (page) => {
      await page.locator("#tab-layers").click();
      await type(page, "encoded", `%${"25".repeat(10_000)}41`);
      await page.waitForFunction(() => document.querySelector("#view-layers .note").textContent.includes("10,001"));
      assert.equal(await page.locator("#layers li").count(), 18);
    }));

  test("100,000 pairs", () =>
    on({}, async (page) => {
      await page.locator("#tab-url").click();
      const query = Array.from({ length: 100_000 }, (_, at) => `k${at}=v%20${at}`).join("&");
      await paste(page, "encoded", query);
      await page.waitForFunction(() => document.querySelector("#query").textContent.includes("100,000"));
      assert.equal(await page.locator("#query tbody tr").count(), 100);
    }));

  test("with simd128 disabled", async () => {
    const plain = await launch(["--js-flags=--no-wasm-simd"]).catch(() => undefined);
    const page = await open(plain);
    try {
      await type(page, "decoded", "a b/é".repeat(50));
      assert.equal(await held(page, "encoded"), "a%20b%2F%C3%A9".repeat(50));
    } finally {
      await plain.close();
    }
  });
});

describe("understanding", () => {
  const LINK = "https://shop.example/caf%C3%A9/%7Ea%2Fb?q=red%20wine&next=https%3A%2F%2Fpay.example%2F&bad=100%&twice=%2520&rlo=%E2%80%AE";

  test("findings are told and jump to their place", () =>
    on({}, async (page) => {
      await paste(page, "encoded", LINK);
      await held(page, "encoded");
      const told = await page.locator("#findings").innerText();
      for (const word of ["Needless", "Malformed", "Encoded twice", "Invisible", "U+202E"]) assert.match(told, new RegExp(word.replace("+", "\\+")));
      await page.locator("#findings button", { hasText: "Encoded twice" }).click();
      assert.match(await page.locator("#inspector").innerText(), /%2520.*Encoded twice/s);
      assert.equal(await page.locator("#encoded .e8").innerText(), "%2520");
    }));

  test("layers say which parameter is encoded twice", () =>
    on({}, async (page) => {
      await page.locator("#tab-layers").click();
      await paste(page, "encoded", LINK);
      await page.waitForFunction(() => /^2 layers.*Encoded more than once: twice\.$/.test(document.querySelector("#view-layers .note").textContent));
      assert.equal(await page.locator("#layers li").count(), 3);
      await page.locator("#tab-url").click();
      assert.match(await page.locator("#query").innerText(), /encoded twice/);
    }));

  test("the table of the query edits the URL", () =>
    on({}, async (page) => {
      await page.locator("#tab-url").click();
      await paste(page, "encoded", "https://h/p?a=1&b=2#f");
      const value = page.getByLabel("Value 1", { exact: true });
      await value.fill("x & y");
      await value.press("Enter");
      await value.blur();
      assert.equal(await held(page, "encoded"), "https://h/p?a=x%20%26%20y&b=2#f");
      await page.getByLabel("Move parameter 2 up").click();
      assert.equal(await held(page, "encoded"), "https://h/p?b=2&a=x%20%26%20y#f");
      await page.getByLabel("Remove parameter 1").click();
      assert.equal(await held(page, "encoded"), "https://h/p?a=x%20%26%20y#f");
      await page.getByRole("button", { name: "Add a parameter" }).click();
      assert.equal(await held(page, "encoded"), "https://h/p?a=x%20%26%20y&name=value#f");
    }));

  test("the map makes a set", () =>
    on({}, async (page) => {
      await type(page, "decoded", "a/b");
      await page.locator("#tab-map").click();
      await page.locator('#map [data-byte="47"]').click();
      assert.equal(await held(page, "encoded"), "a/b");
      assert.equal(await page.locator("#set").inputValue(), "OWN");
      await page.locator("#own").fill("a");
      assert.equal(await held(page, "encoded"), "a%2F%62");
    }));

  test("what others do is what they do", () =>
    on({}, async (page) => {
      await page.locator("#tab-others").click();
      await type(page, "decoded", "~ *é");
      await held(page, "encoded");
      const rows = await page.locator("#others tbody tr").allInnerTexts();
      const of = (name) => rows.find((row) => row.startsWith(name)).split("\t")[1].trim();
      assert.equal(of("PHP urlencode"), "%7E+%2A%C3%A9");
      assert.equal(of("Java URLEncoder"), "%7E+*%C3%A9");
      assert.equal(of("Python urllib.parse.quote"), "~%20%2A%C3%A9");
    }));

  test("a link holds the state, only when it is asked for", () =>
    on({}, async (page) => {
      await type(page, "decoded", "a b");
      await set(page, "set", "WHATWG_FORM");
      assert.equal(await page.evaluate(() => location.hash), "");
      await page.locator("#link").click();
      const hash = await page.evaluate(() => location.hash);
      assert.match(hash, /decoded=a%20b/);
      const again = await open(browser, { hash });
      assert.equal(await held(again, "encoded"), "a+b");
      await again.context().close();
    }));
});

describe("everyone", () => {
  const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  const LINK = "#encoded=https%3A%2F%2Fh%2Fcaf%25C3%25A9%3Fq%3D%2525zz%26a%3D%25zz%2541%20b%26u%3Dhttps%253A%252F%252Fx";
  for (const locale of ["en-US", "cs-CZ", "he-IL", "ru-RU"]) {
    test(`axe-core finds nothing: ${locale}`, () =>
      on({ locale, hash: LINK, bypassCSP: true }, async (page) => {
        await page.evaluate(await readFile(axe, "utf8"));
        for (const theme of ["light", "dark", "contrast"]) {
          await page.selectOption("#theme", theme);
          for (const view of ["explain", "layers", "url", "map", "code", "others", "files", "reference"]) {
            if (!isFull && theme !== "light" && !["explain", "url", "map"].includes(view)) continue;
            await page.locator(`#tab-${view}`).click();
            await page.waitForTimeout(200);
            const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
            const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 90)} ${any[0]?.message ?? ""}`).slice(0, 3)}`);
            assert.deepEqual(told, [], `${theme} ${view}`);
          }
        }
      }));
  }

  test("right to left", () =>
    on({ locale: "he-IL" }, async (page) => {
      assert.equal(await page.evaluate(() => document.documentElement.dir), "rtl");
      await type(page, "decoded", "שלום");
      assert.equal(await held(page, "encoded"), "%D7%A9%D7%9C%D7%95%D7%9D");
      const left = await page.locator("#decoded-pane").boundingBox();
      const right = await page.locator("#encoded-pane").boundingBox();
      assert.ok(left.x > right.x, "the text is on the right");
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    }));

  test("with the keyboard alone", () =>
    on({}, async (page) => {
      await page.keyboard.type("a b");
      await held(page, "encoded");
      const reached = [];
      for (let at = 0; at < 24; at++) {
        await page.keyboard.press("Tab");
        reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.dataset.action || document.activeElement.closest(".editor")?.id || document.activeElement.tagName));
      }
      for (const id of ["swap", "encoded", "mode", "set", "plus", "lines", "link", "tab-explain", "view-explain"]) assert.ok(reached.includes(id), `${id} of ${reached}`);
      await page.locator("#tab-explain").focus();
      await page.keyboard.press("ArrowRight");
      assert.equal(await page.locator("#tab-layers").getAttribute("aria-selected"), "true");
      await page.keyboard.press("End");
      assert.equal(await page.locator("#view-reference").isVisible(), true);
      await page.keyboard.press("?");
      assert.equal(await page.locator("#shortcuts").isVisible(), true);
      await page.keyboard.press("Escape");
      assert.equal(await page.locator("#shortcuts").isVisible(), false);
    }));

  for (const width of [320, 390, 768, 1280, 1920]) {
    test(`nothing is cut off at a width of ${width}`, () =>
      on({ viewport: { width, height: 800 }, locale: "ru-RU", hash: LINK }, async (page) => {
        for (const view of ["explain", "layers", "url", "map", "code", "others", "files", "reference"]) {
          await page.locator(`#tab-${view}`).click();
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, view);
        }
      }));
  }
});

describe("large", () => {
  test("10 MB are pasted, and typing stays quick", { timeout: 120_000 }, () =>
    on({}, async (page) => {
      await page.evaluate(() => {
        globalThis.tasks = [];
        new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
      });
      for (const line of ["", "\n"]) {
        const text = `the quick brown fox, 100% & é ${line}`.repeat(Math.ceil(1e7 / 31));
        await page.locator('[data-side="decoded"] [data-action="clear"]').click();
        await held(page, "encoded");
        await paste(page, "decoded", text);
        await page.waitForFunction(() => /Copy and download/.test(document.querySelector("#encoded-status").textContent), null, { timeout: 60_000 });
        await idle(page);
        await page.evaluate(() => (globalThis.tasks.length = 0));
        for (let at = 0; at < 10; at++) {
          await page.keyboard.press("x");
          await page.waitForTimeout(100);
        }
        await idle(page);
        const worst = Math.max(0, ...(await page.evaluate(() => globalThis.tasks)));
        console.log(`10 MB ${line ? "in lines" : "in one line"}: the longest task of a keystroke took ${worst} ms`);
        if (isFull) assert.ok(worst < 50, `a keystroke took ${worst} ms`);
      }
    }));

  test("a file goes through a worker", { timeout: 600_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "page-"));
    const path = join(folder, "log.txt");
    const bytes = isFull ? 1 << 30 : 1 << 25;
    const block = Buffer.from("/caf%C3%A9?q=a%20b%zz\n".repeat(3000));
    const file = await openFile(path, "w");
    let written = 0;
    for (; written < bytes; written += block.length) await file.write(block);
    await file.close();
    try {
      await on({ acceptDownloads: true }, async (page) => {
        await page.evaluate(() => (document.documentElement.dataset.blob = "true"));
        await page.locator("#tab-files").click();
        await page.locator("#file").setInputFiles(path);
        const cdp = await browser.newBrowserCDPSession();
        // Its own memory, as Chromium's task manager counts it: not the program's code, which all its processes share.
        const own = async () => {
          const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
          let most = 0;
          for (const { id, type } of processInfo) {
            if (type !== "renderer") continue;
            const [, resident, shared] = (await readFile(`/proc/${id}/statm`, "utf8").catch(() => "0 0 0")).split(" ").map(Number);
            most = Math.max(most, (resident - shared) * 4096);
          }
          return most;
        };
        await page.locator("#file-start").click();
        let peak = 0;
        while (!(await page.locator("#file-result a").isVisible())) peak = Math.max(peak, await own());
        console.log(`the page took ${Math.round(peak / 1e6)} MB at most`);
        const status = await page.locator("#file-status").innerText();
        console.log(status);
        const lines = written / 22;
        assert.match(status, new RegExp(`malformed escapes: ${new Intl.NumberFormat("en").format(lines)}`));
        assert.ok(peak > 0 && peak < 300e6, `${peak} bytes of memory`);
        const download = page.waitForEvent("download");
        await page.locator("#file-result a").click();
        let size = 0;
        let first;
        for await (const piece of createReadStream(await (await download).path())) {
          first ??= piece.subarray(0, 18).toString();
          size += piece.length;
        }
        assert.equal(first, "/café?q=a b%zz\n/ca".slice(0, first.length));
        assert.equal(size, lines * 16);
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

// The command itself is the oracle. scripts/test-page builds it, and says where it is.
const CSV = `id,url,note\r\n${'1,/caf%C3%A9?q=%2C%22%0A+x,a%20b\r\n2,"/x%22y,\nz%2Cw",%zz\r\n3,/old%E9%E2%80%AE,"%41"\n"cut,%41\n'.repeat(9000)}`;
const JSON_LINES = '{"url":"/caf%C3%A9%22%0A\\u0025","n":{"path":"%41%5C"},"o":"%41"}\nno json %41\n'.repeat(9000);
const SEMICOLONS = "a;url\n%41;/%C3%A9%3B\n".repeat(3);
const OBJECTS = '[{"url": "/%41"},\n {"url":\n"/%22%C3%A9"}]\n';
const FIELDS = [
  { format: "csv", fields: "url", input: CSV, pct: ["decode", "--format", "csv", "--field", "url"] },
  { format: "csv", fields: "", input: CSV, pct: ["decode", "--format", "csv"] },
  { format: "csv", fields: "2, 3", header: true, options: { plus: "yes" }, input: CSV, pct: ["decode", "--format", "csv", "--field", "2,3", "--header", "--plus"] },
  { format: "csv", fields: "note", encodes: true, input: CSV, pct: ["encode", "--format", "csv", "--field", "note", "--set", "rfc3986-unreserved"] },
  { format: "csv;", fields: "url", input: SEMICOLONS, pct: ["decode", "--format", "csv;", "--field", "url"] },
  { format: "tsv", fields: "1", input: SEMICOLONS.replaceAll(";", "\t"), pct: ["decode", "--format", "tsv", "--field", "1"] },
  { format: "ndjson", fields: "/url, /n/path", input: JSON_LINES, pct: ["decode", "--format", "ndjson", "--field", "/url,/n/path"] },
  { format: "ndjson", fields: "", options: { depth: "1000000" }, input: '{"url":"%252541%22"}', pct: ["decode", "--format", "ndjson", "--repeat", "stable"] },
  { format: "json", fields: "url", input: OBJECTS, pct: ["decode", "--format", "json", "--field", "url"] },
  { format: "auto", fields: "", input: CSV, pct: ["decode", "--format", "auto"] },
  { format: "auto", fields: "", input: '192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] "GET /caf%C3%A9?q=a%20b%22 HTTP/1.1" 200 12 "http://h/%D0%B0" "agent"\n'.repeat(5), pct: ["decode", "--format", "auto"] },
];

test("fields of a file are what pct makes of them", { skip: process.env.PCT ? false : "PCT says not where pct is" }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "page-"));
  try {
    for (const { format, fields, header = false, encodes = false, options = {}, input, pct } of FIELDS) {
      const path = join(folder, "file.txt");
      await writeFile(path, input);
      const { stdout, stderr } = spawnSync(process.env.PCT, [...pct, path], { maxBuffer: 1 << 28 });
      assert.ok(stdout.length > 0 && !stdout.equals(Buffer.from(input)), `${pct}: ${stderr}`);
      await on({ acceptDownloads: true }, async (page) => {
        await page.evaluate(() => (document.documentElement.dataset.blob = "true"));
        for (const [id, value] of Object.entries(options)) await set(page, id, value);
        await page.locator("#tab-files").click();
        await page.locator("#file").setInputFiles(path);
        await page.selectOption("#file-direction", encodes ? "encode" : "decode");
        await page.selectOption("#file-format", format);
        await page.locator("#file-fields").fill(fields);
        if (header) await page.locator("#file-header").check();
        await page.locator("#file-start").click();
        await page.waitForSelector("#file-result a");
        const download = page.waitForEvent("download");
        await page.locator("#file-result a").click();
        const made = await readFile(await (await download).path());
        assert.ok(made.equals(stdout), `${pct}: ${made.subarray(0, 300)} in place of ${stdout.subarray(0, 300)}`);
      });
    }
    await on({}, async (page) => {
      await page.evaluate(() => (document.documentElement.dataset.blob = "true"));
      await page.locator("#tab-files").click();
      await page.locator("#file").setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") });
      await page.selectOption("#file-format", "csv");
      await page.locator("#file-fields").fill("url");
      await page.locator("#file-start").click();
      await page.waitForFunction(() => /no such field/.test(document.querySelector("#file-status").textContent));
      await page.locator("#file").setInputFiles({ name: "b.csv", mimeType: "text/csv", buffer: Buffer.from("id,url\n%,%zz%\n%,%41\n") });
      await page.locator("#file-start").click();
      await page.waitForFunction(() => /malformed escapes: 2 · not in this format: 0$/.test(document.querySelector("#file-status").textContent));
      await page.selectOption("#file-direction", "encode");
      await page.locator("#file-start").click();
      await page.waitForFunction(() => /MB.s · not in this format: 0$/.test(document.querySelector("#file-status").textContent));
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("from a server, too", async () => {
  const html = await readFile(here("../dist/index.html"));
  const server = createServer((_, response) => response.setHeader("content-type", "text/html").end(html)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    await on({ url: `http://127.0.0.1:${server.address().port}/` }, async (page) => {
      await type(page, "decoded", "a b");
      assert.equal(await held(page, "encoded"), "a%20b");
      const refused = await page.evaluate(() => fetch("/x").then(() => "sent", () => "refused"));
      assert.equal(refused, "refused");
      page.errors.length = 0;
      page.requests.length = 1;
    });
  } finally {
    server.close();
  }
});

test("installed, it works without the server", async () => {
  const types = { html: "text/html", js: "text/javascript", svg: "image/svg+xml", webmanifest: "application/manifest+json" };
  const server = createServer(async (request, response) => {
    const name = new URL(request.url, "http://h").pathname.slice(1) || "index.html";
    const bytes = await readFile(here(`../dist/installable/${name}`)).catch(() => undefined);
    if (!bytes) return response.writeHead(404).end();
    response.setHeader("content-type", types[name.split(".").pop()]).end(bytes);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const page = await open(browser, { url: `http://127.0.0.1:${server.address().port}/` });
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  server.close();
  server.closeAllConnections();
  await page.reload();
  await page.waitForSelector("html[data-ready=true]");
  await type(page, "decoded", "a b");
  assert.equal(await held(page, "encoded"), "a%20b");
  await page.context().close();
});

test("it is ready at once", () =>
  on({}, async (page) => {
    const ready = await page.evaluate(() => performance.getEntriesByName("ready")[0].startTime);
    console.log(`ready ${Math.round(ready)} ms after it began to load, from disk`);
    if (isFull) assert.ok(ready < 500, `${ready} ms`);
  }));
