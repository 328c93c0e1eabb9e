// Opens the page in Chromium, from its file.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const PAGE = new URL("../dist/index.html", import.meta.url).href;
const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The path of Chromium, or undefined. */
export const executablePath = PATHS.find(existsSync);

/** The time limit of each step, in milliseconds. It is generous, because it must only end tests that hang. */
export const PATIENCE = 300_000;

export const launch = (args = []) => chromium.launch({ executablePath, args: ["--no-sandbox", ...args], timeout: PATIENCE });

/** Opens the page in a new context, and waits until it is ready. */
export async function open(browser, { locale = "en-US", hash = "", url = PAGE, ...context } = {}) {
  const page = await (await browser.newContext({ locale, ...context })).newPage();
  page.setDefaultTimeout(PATIENCE);
  page.errors = [];
  page.requests = [];
  page.on("pageerror", (error) => page.errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  page.on("request", (request) => page.requests.push(request.url()));
  await page.goto(url + hash);
  await page.waitForSelector("html[data-ready=true]");
  return page;
}

/** Finishes all animations, except those that never end, such as the blinking of the caret. */
export const settled = (page) =>
  page.evaluate(() => {
    for (const animation of document.getAnimations()) if (animation.effect.getComputedTiming().endTime < Infinity) animation.finish();
  });

export const here = (path) => fileURLToPath(new URL(path, import.meta.url));
