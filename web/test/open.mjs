// Opens the page in Chromium, from its file.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const PAGE = new URL("../dist/index.html", import.meta.url).href;
const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where Chromium is, or undefined. */
export const executablePath = PATHS.find(existsSync);

export const launch = (args = []) => chromium.launch({ executablePath, args: ["--no-sandbox", ...args] });

/** A page that is ready, in a context of its own. */
export async function open(browser, { locale = "en-US", hash = "", url = PAGE, ...context } = {}) {
  const page = await (await browser.newContext({ locale, ...context })).newPage();
  page.errors = [];
  page.requests = [];
  page.on("pageerror", (error) => page.errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  page.on("request", (request) => page.requests.push(request.url()));
  await page.goto(url + hash);
  await page.waitForSelector("html[data-ready=true]");
  return page;
}

export const here = (path) => fileURLToPath(new URL(path, import.meta.url));
