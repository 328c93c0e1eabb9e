// Takes the screenshots of web/screenshots: node web/test/screenshots.mjs
import { mkdir } from "node:fs/promises";
import { here, launch, open, settled } from "./open.mjs";

const SAMPLE = "https://user@shop.example:8443/caf%C3%A9/%7Ejane/a%2Fb?q=red%20wine%20%26%20cheese&next=https%3A%2F%2Fpay.example%2F%3Fid%3D1&bad=100%&old=%E9t%E9&twice=%2520&name=%D7%A9%D7%9C%D7%95%D7%9D#top";
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const BROKEN = "https://shop.example/my basket?note=50% off&name=José";
const SHORT = "https://shop.example/caf%C3%A9/a%2Fb?q=red%20wine%20%26%20cheese&next=https%3A%2F%2Fpay.example%2F%3Fid%3D1";
const FALSE = "https://google.com%E2%88%95login.example/";
const SHOTS = [
  ["desktop", { viewport: DESKTOP, text: BROKEN }],
  ["wide", { viewport: { width: 1680, height: 950 }, view: "url" }],
  ["binary", { viewport: DESKTOP, text: "%89PNG%0D%0A%1A%0A%00%00%00%0DIHDR" }],
  ["text-with-link", { viewport: DESKTOP, text: "curl 'https://shop.example/v1?q=red%20wine&name=José' -H 'Accept: */*'" }],
  ["charset", { viewport: DESKTOP, text: "%CF%F0%E8%E2%C0%AF" }],
  ["inner-link", { viewport: DESKTOP, text: "https://shop.example/?next=https://pay.example/?id=1&currency=EUR" }],
  ["first-visit", { viewport: DESKTOP, text: "" }],
  ["warnings", { viewport: DESKTOP, text: FALSE }],
  ["dark", { viewport: DESKTOP, colorScheme: "dark", view: "url", text: SHORT }],
  ["contrast", { viewport: DESKTOP, theme: "contrast", view: "layers", locale: "cs-CZ", text: "q=red%252520wine%252520%252526%252520cheese" }],
  ["hebrew", { viewport: DESKTOP, locale: "he-IL", text: BROKEN }],
  ["russian", { viewport: DESKTOP, locale: "ru-RU", view: "reference", text: "скидка 50 %" }],
  ["map", { viewport: DESKTOP, locale: "cs-CZ", view: "map", text: "50 % slevy" }],
  ["code", { viewport: DESKTOP, colorScheme: "dark", view: "code", text: "AC/DC & Ελλάς" }],
  ["others", { viewport: DESKTOP, view: "others", text: "AC/DC & Ελλάς" }],
  ["files", { viewport: DESKTOP, view: "files", text: "50% off" }],
  ["phone", { viewport: PHONE, deviceScaleFactor: 2, isMobile: true, hasTouch: true, text: BROKEN }],
  ["phone-hebrew-dark", { viewport: PHONE, deviceScaleFactor: 2, isMobile: true, hasTouch: true, locale: "he-IL", colorScheme: "dark", text: "a%2520b" }],
];

const wanted = process.argv.slice(2);
await mkdir(here("../screenshots"), { recursive: true });
const browser = await launch();
for (const [name, { text = SAMPLE, view = "explain", theme, ...context }] of SHOTS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const hash = text ? `#encoded=${encodeURIComponent(text)}&view=${view}` : "";
  const page = await open(browser, { ...context, hash });
  if (theme) await page.selectOption("#theme", theme);
  await page.waitForFunction(() => document.documentElement.dataset.idle === "true");
  await settled(page);
  await page.screenshot({ path: here(`../screenshots/${name}.png`) });
  if (page.errors.length > 0) console.log(name, page.errors);
  await page.context().close();
}
await browser.close();
