// Measures the page's speed: node web/bench.mjs. Needs an idle machine, Chromium, and the page from web/scripts/build.
import { mkdtemp, open as openFile, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch, open } from "./test/open.mjs";

const browser = await launch();
const page = await open(browser);
const ready = await page.evaluate(() => performance.getEntriesByName("ready")[0].startTime);
console.log(`ready ${Math.round(ready)} ms after it began to load, from disk`);

await page.evaluate(() => {
  globalThis.tasks = [];
  new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
});
for (const line of ["", "\n"]) {
  const text = `the quick brown fox, 100% & é ${line}`.repeat(Math.ceil(1e7 / 31));
  await page.locator("#clear").click();
  await page.waitForFunction(() => document.querySelector("#input-status").textContent === "");
  await page.locator("#input .cm-content").evaluate((element, data) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", data);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
  const idle = () => page.waitForFunction(() => document.documentElement.dataset.idle === "true");
  await page.waitForFunction(() => /Copy and download/.test(document.querySelector("#output-status").textContent));
  await idle();
  await page.evaluate(() => (globalThis.tasks.length = 0));
  for (let at = 0; at < 10; at++) {
    await page.keyboard.press("x");
    await page.waitForTimeout(100);
  }
  await idle();
  const worst = Math.max(0, ...(await page.evaluate(() => globalThis.tasks)));
  console.log(`10 MB ${line ? "in lines" : "in one line"}: the longest task of a keystroke took ${worst} ms (0: none above 50)`);
}

await page.context().close();

// The peak and current memory of each process, as Linux counts them.
const cdp = await browser.newBrowserCDPSession();
async function memory(field) {
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  const of = async ({ id }) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(await readFile(`/proc/${id}/status`, "utf8"))?.[1] ?? 0) * 1024;
  return Math.max(...(await Promise.all(processInfo.filter(({ type }) => type === "renderer").map(of))));
}
const folder = await mkdtemp(join(tmpdir(), "page-"));
try {
  const path = join(folder, "log.txt");
  const block = Buffer.from("/caf%C3%A9?q=a%20b%zz\n".repeat(3000));
  const file = await openFile(path, "w");
  for (let written = 0; written < 1 << 30; written += block.length) await file.write(block);
  await file.close();
  const fresh = await open(browser);
  await fresh.evaluate(() => (document.documentElement.dataset.blob = "true"));
  await fresh.locator("#tab-files").click();
  await fresh.locator("#file").setInputFiles(path);
  const before = await memory("VmRSS");
  await fresh.locator("#file-start").click();
  await fresh.waitForSelector("#file-result a");
  console.log(await fresh.locator("#file-status").innerText());
  console.log(`for that the page took ${Math.round(((await memory("VmHWM")) - before) / 1e6)} MB more than before, at most`);
} finally {
  await rm(folder, { recursive: true });
}
await browser.close();
