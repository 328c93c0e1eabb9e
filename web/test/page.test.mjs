// Tests the page in Chromium. FULL=1 adds the slow tests. No test depends on a clock: each waits until the page shows the result.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdtemp, open as openFile, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { executablePath, here, launch, open, settled } from "./open.mjs";

const isFull = process.env.FULL === "1";
let browser;

before(async () => {
  assert.ok(executablePath, "chromium is not installed");
  browser = await launch(["--js-flags=--expose-gc"]);
});
after(() => browser?.close());

/** Opens the page and calls `check`. Asserts that there was no error and no request. */
async function on(settings, check) {
  const page = await open(browser, settings);
  try {
    await check(page);
    assert.deepEqual(page.errors, []);
    const asked = page.requests.filter((url) => !url.startsWith("blob:") && !url.startsWith("data:"));
    assert.equal(asked.length, 1, `only the page itself may be requested: ${asked}`);
  } finally {
    await page.context().close();
  }
}

const input = (page) => page.locator("#input .cm-content");
const idle = (page) => page.waitForFunction(() => document.documentElement.dataset.idle === "true");
/** Waits until the page is idle, and the text or the answer is `expected`: a string with line endings, or a pattern. `side` is "decoded" or "encoded". */
async function shows(page, side, expected) {
  const text = (side) => {
    const line = (line) => (line.querySelector(".cm-placeholder") ? "" : line.textContent);
    const id = document.documentElement.dataset.source === side ? "input" : "output";
    return [...document.querySelectorAll(`#${id} .cm-line`)].map(line).join("\n").replace(/[\u240d\u2022]/g, "\r");
  };
  await page.evaluate(`globalThis.textOf = ${text}`);
  const [pattern, exact] = expected instanceof RegExp ? [expected.source, undefined] : [undefined, expected];
  const isShown = ([side, exact, pattern]) =>
    document.documentElement.dataset.idle === "true" && (pattern === undefined ? globalThis.textOf(side) === exact : new RegExp(pattern).test(globalThis.textOf(side)));
  try {
    await page.waitForFunction(isShown, [side, exact, pattern]);
  } catch {
    assert.equal(await page.evaluate((side) => globalThis.textOf(side), side), String(expected));
    assert.fail("the page is not idle");
  }
}
const showsStatus = (page, pattern) => page.waitForFunction((source) => new RegExp(source).test(document.querySelector("#file-status").textContent), pattern.source);
/** Types a text over the old one. `side` is "decoded" for text to encode, "encoded" for text to decode, and undefined if the page guesses. */
const type = async (page, side, text) => {
  await page.selectOption("#kind", { decoded: "text", encoded: "encoded" }[side] ?? "auto");
  await input(page).click();
  await page.keyboard.press("Control+a");
  if (text) await page.keyboard.insertText(text);
  else await page.keyboard.press("Delete");
};
const paste = (page, text) =>
  input(page).evaluate((element, data) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", data);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
/** Pastes a text over the whole old text. */
const pasteOver = async (page, text) => {
  await input(page).click();
  await page.keyboard.press("Control+a");
  await paste(page, text);
};
const set = async (page, id, value) => {
  if (!(await page.locator("#mode").isVisible())) await page.locator("#settings > summary").click();
  if (!(await page.locator(`#${id}`).isVisible())) await page.locator("#more summary").click();
  const isCheck = typeof value === "boolean";
  if (isCheck) await page.locator(`#${id}`).setChecked(value);
  else await page.selectOption(`#${id}`, value);
};

describe("both directions", () => {
  test("text is encoded, and encoded text is decoded", () =>
    on({}, async (page) => {
      await type(page, "decoded", "AC/DC & Ελλάς");
      await shows(page, "encoded", "AC%2FDC%20%26%20%CE%95%CE%BB%CE%BB%CE%AC%CF%82");
      await type(page, "encoded", "caf%C3%A9%20100%");
      await shows(page, "decoded", "café 100%");
    }));

  test("one undo history has keystrokes, pastes, swaps and the kind of the text", () =>
    on({}, async (page) => {
      // One undo takes back all keystrokes within half a second. Stop the clock, so that no time passes between the keystrokes.
      await page.clock.setFixedTime(1e12);
      await page.locator("#clear").click();
      await page.keyboard.type("a b&c");
      await shows(page, "encoded", "a%20b%26c");
      await pasteOver(page, "x%20y");
      await shows(page, "decoded", "x y");
      await page.locator("#swap").click();
      await shows(page, "decoded", "x y");
      assert.equal(await page.locator("#kind").inputValue(), "text");
      await input(page).click();
      await page.keyboard.press("Control+z");
      await shows(page, "encoded", "x%20y");
      await shows(page, "decoded", "x y");
      assert.equal(await page.locator("#kind").inputValue(), "auto");
      await page.keyboard.press("Control+z");
      await shows(page, "encoded", "a%20b%26c");
      await page.keyboard.press("Control+z");
      await shows(page, "decoded", "");
      await page.keyboard.press("Control+y");
      await shows(page, "encoded", "a%20b%26c");
    }));

  test("undo takes back a chosen kind, and shows the answer of the former one", () =>
    on({}, async (page) => {
      const hasAnswer = (text) => page.waitForFunction((text) => document.querySelector("#output .cm-content").textContent === text, text);
      await type(page, undefined, "https://h/a b");
      await hasAnswer("https://h/a%20b");
      await page.locator("#kind").selectOption("text");
      await hasAnswer("https%3A%2F%2Fh%2Fa%20b");
      await input(page).click();
      await page.keyboard.press("Control+z");
      await hasAnswer("https://h/a%20b");
      assert.equal(await page.locator("#kind").inputValue(), "auto");
    }));

  test("a swap swaps, and a second one swaps back", () =>
    on({}, async (page) => {
      for (const [text, answer] of [["50% off", "50%25%20off"], ["50%25%20off", "50% off"], ["https://h/a%20b?q=1", "https://h/a b?q=1"], ["https://h/a b", "https://h/a%20b"]]) {
        await type(page, undefined, text);
        await idle(page);
        for (let at = 0; at < 2; at++) {
          await page.locator("#swap").click();
          await page.waitForFunction((text) => document.querySelector("#input .cm-content").textContent === text, at % 2 === 0 ? answer : text);
          await idle(page);
        }
        const shown = await page.locator("#output .cm-content").textContent();
        assert.equal(shown, answer);
      }
    }));
});

const verdict = async (page) => (await idle(page), page.locator("#verdict").innerText());
const answer = (page) => page.locator("#output .cm-content").innerText();
const dangers = (page) => page.locator("#dangers").innerText();

/** The ways by which a text can get into the page. Each starts with a page that was just opened. */
const WAYS = {
  keyboard: async (page, text) => page.keyboard.insertText(text),
  "a paste with the keyboard": paste,
  "the button": async (page, text) => {
    await page.evaluate((text) => Object.defineProperty(navigator, "clipboard", { value: { readText: async () => text } }), text);
    await page.locator("#paste").click();
  },
  "a paste outside of the text": async (page, text) => {
    await page.evaluate((text) => {
      document.activeElement.blur();
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  },
  "a drop": async (page, text) =>
    input(page).evaluate((element, text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData("text/plain", text);
      element.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }, text),
  "the fragment": async (page, text) => page.evaluate((text) => (location.hash = `encoded=${encodeURIComponent(text)}`), text),
};

describe("the first line is the verdict", () => {
  test("the first visit explains an example, and the first view is selected", async () => {
    for (const locale of ["en-US", "cs-CZ", "he-IL", "ru-RU"]) {
      for (const viewport of [{ width: 1280, height: 900 }, { width: 390, height: 664 }]) {
        await on({ locale, viewport }, async (page) => {
          await idle(page);
          assert.equal(await answer(page), "https://example.com/my%20file.pdf?discount=50%25");
          assert.equal(await page.locator("#tab-explain").getAttribute("aria-selected"), "true");
          assert.equal(await page.locator("#view-explain").isVisible(), true);
          // The buttons of a row leave enough space for its text.
          const narrow = await page.evaluate(() => [...document.querySelectorAll(".rows dd")].filter((row) => row.firstElementChild.offsetWidth < row.offsetWidth / 2).map(({ textContent }) => textContent));
          assert.deepEqual(narrow, [], `${locale} ${viewport.width}`);
          for (const id of ["verdict", "copy"]) {
            const { y, height } = await page.locator(`#${id}`).boundingBox();
            assert.ok(y >= 0 && y + height <= viewport.height, `${id} is below the fold: ${locale} ${viewport.width}`);
          }
          for (const view of ["layers", "url", "map", "code", "others", "files", "reference", "explain"]) {
            await page.locator(`#tab-${view}`).click();
            assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, `${view} ${locale} ${viewport.width}`);
            // WCAG 2.2, 2.5.8: a target has at least 24 by 24 pixels.
            const small = await page.evaluate(() => [...document.querySelectorAll("button")].filter((button) => button.offsetParent && Math.min(button.offsetWidth, button.offsetHeight) < 24).map(({ textContent }) => textContent));
            assert.deepEqual(small, [], `${view} ${locale} ${viewport.width}`);
          }
        });
      }
    }
  });

  for (const [way, bring] of Object.entries(WAYS)) {
    test(`a broken link is repaired: ${way}`, () =>
      on({}, async (page) => {
        await bring(page, "https://example.com/my file.pdf");
        await shows(page, "encoded", "https://example.com/my file.pdf");
        assert.match(await verdict(page), /^This link is broken: 1 space\. Here it is, repaired\.$/);
        assert.equal(await answer(page), "https://example.com/my%20file.pdf");
      }));
  }

  test("a paste over old text never encodes an encoded text", () =>
    on({}, async (page) => {
      await type(page, undefined, "plain & simple");
      await shows(page, "encoded", "plain%20%26%20simple");
      await pasteOver(page, "a%20b");
      await shows(page, "decoded", "a b");
      await page.locator("#swap").click();
      await shows(page, "encoded", "a%20b");
      await pasteOver(page, "https://h/a%20b");
      await shows(page, "decoded", "https://h/a b");
      await WAYS["the button"](page, "c%20d");
      await shows(page, "decoded", "c d");
    }));

  /** Texts with the beginning of the verdict and with the answer. */
  const VERDICTS = [
    ["https://example.com/my file.pdf", "This link is broken: 1 space. Here it is, repaired.", "https://example.com/my%20file.pdf"],
    ["https://example.com/?q=a b&r=100%", "This link is broken: 1 space and a bare %. Here it is, repaired.", "https://example.com/?q=a%20b&r=100%25"],
    ["https://example.com/?q=1", "This link is valid. There is no escape", "https://example.com/?q=1"],
    ["https://example.com/?q=a%20b", "This link is valid.", "https://example.com/?q=a b"],
    ["https://h/?next=https%3A%2F%2Fp.example%2F%3Fq%3Da%2526b", "This link is valid.", "https://h/?next=https://p.example/?q=a%26b"],
    ["http://a b/c", "This link is broken, and there is no certain repair. The character at position 9", "http://a b/c"],
    ["https:\\\\example.com\\my file", "This link is broken: 1 space and 2 backslashes. Here it is, repaired.", "https://example.com/my%20file"],
    ["https:\\/\\/example.com\\/a", "There is a link in this text.", "https%3A%5C%2F%5C%2Fexample.com%5C%2Fa"],
    ["https://h/?state=%7B%22to%22%3A%22%252Fa%22%7D", "This link is valid.", 'https://h/?state={"to":"%2Fa"}'],
    ["http://bücher.example/", "Browsers open this link as it is.", "http://xn--bcher-kva.example/"],
    ["http://日本.例え:80/", "Browsers open this link as it is.", "http://xn--wgv71a.xn--r8jz45g:80/"],
    ["http://日本ノート.example/", "Browsers open this link as it is.", "http://xn--fdkl2l208szlb.example/"],
    ["https//h.example/a", "There is a link in this text. Here it is, repaired.", "https%2F%2Fh.example%2Fa"],
    ["example.com/a b", "This link is broken: 1 space.", "example.com/a%20b"],
    ["https://h/%u4E2D", "This link is broken: 1 escape %uXXXX.", "https://h/%E4%B8%AD"],
    ["hxxps[:]//ex[.]ample[.]com[:]8080/a?c=d e", "This link is broken: 1 space and a form against clicks by mistake (hxxp). Here it is, repaired.", "https://ex.ample.com:8080/a?c=d%20e"],
    ["hXXp://ex(dot)ample/", "This link is broken: a form against clicks by mistake", "http://ex.ample/"],
    ["HTTPS[://]ex[.]ample/", "This link is broken: a form against clicks by mistake", "HTTPS://ex.ample/"],
    ["hxxp://a[.]example/\nhxxps://b[.]example/c", "2 links. Some are broken: a form against clicks by mistake (hxxp).", "http://a.example/\nhttps://b.example/c"],
    ["http://[::1]/", "This link is valid.", "http://[::1]/"],
    // In a link with a valid scheme, `(.)` can be a part of a password. A host has no square brackets, so `[.]` there is no part of a valid link.
    ["https://u:a(.)b@h/?c", "Careful: a password.", "https://u:a(.)b@h/?c"],
    ["https://u(.)@h[.]example[:]80/", "This link is broken: a form against clicks by mistake", "https://u(.)@h.example:80/"],
    ["https://h[:]80/", "This link is broken: a form against clicks by mistake", "https://h:80/"],
    ["https://u[.]@h/", "This link is broken: 2 square brackets.", "https://u%5B.%5D@h/"],
    ["<https://h.example/a|a label with spaces>", "This link is broken: blanks, quotes or brackets around it.", "https://h.example/a"],
    ["<https://h.example/a>", "This link is broken: blanks, quotes or brackets around it.", "https://h.example/a"],
    ["https://h.example/a…", "This link is broken: punctuation of the sentence around it.", "https://h.example/a"],
    ["https://h.example/a?q=%C3%A9。\n", "This link is broken: punctuation of the sentence around it.", "https://h.example/a?q=%C3%A9"],
    ["https://h.example/a…b。c", "Browsers open this link as it is.", "https://h.example/a%E2%80%A6b%E3%80%82c"],
    ["%u041F%u0440", "JavaScript's escape() wrote this", "Пр"],
    ["a%u202Eb", "Careful: ", "a•b"],
    ["%u0068ttps://google.com@evil.example/", "Careful: this link does not go to google.com. It goes to evil.example.", "https://google.com@evil.example/"],
    ["https://h/é?q=50%&r=ñ", "This link is broken: 2 characters such as é and a bare %. Here it is, repaired.", "https://h/%C3%A9?q=50%25&r=%C3%B1"],
    ["http://h/a b?q=[", "This link is broken: 1 space and 1 square bracket.", "http://h/a%20b?q=%5B"],
    ["https://h/a b?q=a%2520b", "This link is broken: 1 space. Here it is, repaired. The value of “q” was encoded more than once.", "https://h/a%20b?q=a%2520b"],
    ["a%20b", "This text is encoded. Here it is, decoded.", "a b"],
    ["a%2520b", "This was encoded 2 times.", "a b"],
    ["https://h/?q=a%2520b", "The value of “q” was encoded more than once.", "https://h/?q=a b"],
    ["q=a%252520b", "The value of “q” was encoded more than once. Here it is, fully decoded.", "q=a b"],
    ["https://h/?q=%C3%A9&r=%E9", "This link is valid. Here it is, decoded for reading. %E9 isn't UTF-8; perhaps Latin-1: é.", "https://h/?q=é&r=\ufffd"],
    ["https://h/a b?q=%E9t%E9", "This link is broken: 1 space. Here it is, repaired. %E9 isn't UTF-8; perhaps Latin-1: é.", "https://h/a%20b?q=%E9t%E9"],
    ["%CF%F0%E8%E2%E5%F2", "This isn't UTF-8. It looks like windows-1251.", "Привет"],
    ["a=1&b=2+3", "This is a query or form data.", "a=1&b=2 3"],
    ["?q=C%2B%2B+now", "This link is valid.", "?q=C++ now"],
    ["a b & c", "This is text, not a link.", "a%20b%20%26%20c"],
    ["0x0F", "These are bytes in hexadecimal.", "%0F"],
    ["89 50 4e 47 0d 0a", "These are bytes in hexadecimal.", "%89PNG%0D%0A"],
    ["01 23 45 67 89", "This is text, not a link.", "01%2023%2045%2067%2089"],
    ["%89PNG%0D%0A%1A%0A", "This is binary data, not text.", "89 50 4E 47 0D 0A 1A 0A"],
    // RFC 8187 3.2.3 has these two values.
    ["Content-Disposition: attachment; filename*=UTF-8''%E2%82%AC.txt", "This is the HTTP header Content-Disposition.", "€.txt"],
    ["content-disposition: attachment; filename*=iso-8859-1'en'%A3%20rates; size=1", "This is the HTTP header content-disposition.", "£ rates"],
    ['Content-Disposition: attachment; filename="a%20b.txt"', "This is the HTTP header Content-Disposition.", "a b.txt"],
    ["< Location: /a b", "This is the HTTP header Location. Below is its value. This link is broken: 1 space.", "/a%20b"],
    ["Link: <https://h.example/a%20b>; rel=next", "This is the HTTP header Link.", "https://h.example/a b"],
    ["Cookie: a=%7B%22x%22%7D+1; b=2", "This is the HTTP header Cookie.", 'a={"x"}+1; b=2'],
    ["HTTP/1.1 302 Found\nLocation: /a%20b", "This is the HTTP header Location. Below is its value. This link is valid.", "/a b"],
    ["Location: Prague", "This is text, not a link.", "Location%3A%20Prague"],
    ['192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET /caf%C3%A9?q=a+b HTTP/1.1" 200 23 "-" "Browser 50%"', "This is a log line or an HTTP request (GET). Below is its address. This link is valid.", "/café?q=a b"],
    ["POST /a?q=%zz HTTP/1.1", "This is a log line or an HTTP request (POST). Below is its address. This link is broken: a bare %. Here it is, repaired.", "/a?q=%25zz"],
    ["SGVsbG8sIFdvcmxkIQ==", "This looks like Base64; it isn't percent-encoding.", "SGVsbG8sIFdvcmxkIQ%3D%3D"],
    ["HelloWorldHowAreYou", "This is text, not a link.", "HelloWorldHowAreYou"],
    ["https://h.example/a%2520b", "“a%20b” was encoded more than once. Here it is, fully decoded.", "https://h.example/a b"],
    // The host or the port of these links is impossible.
    ["https://h.example:99999/", "No browser opens this link", "https://h.example:99999/"],
    ["https://h..example/a b", "No browser opens this link", "https://h..example/a b"],
    ["https://h,example/", "No browser opens this link", "https://h,example/"],
    ["https://h.example%20/", "No browser opens this link", "https://h.example%20/"],
    ["https://localhost%3A3000/", "No browser opens this link", "https://localhost%3A3000/"],
    ["https://2001:db8::1/", "This link is broken: an IPv6 address without brackets. Here it is, repaired.", "https://[2001:db8::1]/"],
    ["%E4%BD", "This text is encoded. Here it is, decoded. A character is cut off: %E4%BD.", "\ufffd"],
    ["%F0%9F%98", "This text is encoded. Here it is, decoded. A character is cut off: %F0%9F%98.", "\ufffd"],
    ["https://h/?q=%E4%BD%A0%E5%A5&r=1", "This link is valid. Here it is, decoded for reading. A character is cut off: %E5%A5.", "https://h/?q=你\ufffd&r=1"],
    ["https://h/?q=%D0%9F%D1", "This link is valid. Here it is, decoded for reading. A character is cut off: %D1.", "https://h/?q=П\ufffd"],
    ["https://h/?q=%E4%BD%A", "This link is broken: an incomplete escape. A character is cut off: %E4%BD%A.", "https://h/?q=%E4%BD%25A"],
    ["https://h/?q=%D0%9F%D", "This link is broken: an incomplete escape. A character is cut off: %D.", "https://h/?q=%D0%9F%25D"],
    ["https://h/?q=%D0%9F%", "This link is broken: an incomplete escape. A character is cut off: %.", "https://h/?q=%D0%9F%25"],
    ["https://h/?u=https%3A%2", "This link is broken: an incomplete escape. A character is cut off: %2.", "https://h/?u=https%3A%252"],
    ["https://h/a%2", "This link is broken: an incomplete escape. Here it is, repaired.", "https://h/a%252"],
    ["https://h/100%/a%2?b%c", "This link is broken: 2 bare % signs and an incomplete escape. Here it is, repaired.", "https://h/100%25/a%252?b%25c"],
    ["https://h/100%/a b?b%c", "This link is broken: 1 space and a bare % and an incomplete escape. Here it is, repaired.", "https://h/100%25/a%20b?b%25c"],
    ["https://h/?q=30%20%", "This link is broken: a bare %. Here it is, repaired.", "https://h/?q=30%20%25"],
    ["%D0%9F%D", "This text is encoded. Here it is, decoded. A character is cut off: %D.", "П%D"],
    ["q=%E2%80&r=1", "This is a query or form data. Here it is, decoded. A character is cut off: %E2%80.", "q=\ufffd&r=1"],
    ["https://h/?q=don%E2%80&r=1", "This link is valid. Here it is, decoded for reading. A character is cut off: %E2%80.", "https://h/?q=don\ufffd&r=1"],
    // Two pairs of these bytes are valid UTF-8 by chance.
    ["%BE%C8%B3%E7%C7%CF%BC%BC%BF%E4", "This isn't UTF-8. It looks like euc-kr.", "안녕하세요"],
    ["https://h.example /a", "This link is broken: 1 space. Here it is, repaired.", "https://h.example/a"],
    ["https://h.exa mple/a", "This link is broken, and there is no certain repair. The character at position 14 isn't allowed: ␣mple/a.", "https://h.exa mple/a"],
    ["https://h.example/?a=1&#038;b=2&#x26;c=3", "This link is broken: 2 &amp; of HTML. Here it is, repaired.", "https://h.example/?a=1&b=2&c=3"],
    ["https://h.example/a&#38;b", "This link is valid.", "https://h.example/a&#38;b"],
    ["https://h.example/?id=3D77&name=3DAnna", "This link is broken: 2 =3D from the source of a mail. Here it is, repaired.", "https://h.example/?id=77&name=Anna"],
    ["https://h.example/=\n?id=3D77&na=\nme=3DAnna", "This link is broken: 2 =3D from the source of a mail. Here it is, repaired.", "https://h.example/?id=77&name=Anna"],
    ["https://h.example/?id=3D77&name=Anna", "This link is valid. There is no escape", "https://h.example/?id=3D77&name=Anna"],
    ["http s://h.example/a", "There is a link in this text. Here it is, repaired.", "http%20s%3A%2F%2Fh.example%2Fa"],
    ["https://h.example/a&utm_source=b", "This link is valid. There is no escape to decode. “utm_source” isn't a parameter here", "https://h.example/a&utm_source=b"],
    ["https://h.example/#top?utm_source=b", "This link is valid. There is no escape to decode. “utm_source” is after the #, so browsers don't send it to the server.", "https://h.example/#top?utm_source=b"],
    ["https://h.example/?utm_source=a?utm_medium=b", "This link is valid. There is no escape to decode. “utm_medium” isn't a parameter here", "https://h.example/?utm_source=a?utm_medium=b"],
    ["https://h.example/a\\_b/c\\%20d", "This link is broken: 2 backslashes. Here it is, repaired.", "https://h.example/a_b/c%20d"],
    ["mailto:Jane Doe <jane@h.example>", "This link is broken: blanks, quotes or brackets around it. Here it is, repaired.", "mailto:jane@h.example"],
    // The text before the `#` is no port, so it begins a password.
    ["mongodb://jane:pass#word/1@h:27017/db", "Careful: a password. This link is broken: 1 character that must be encoded. Here it is, repaired.", "mongodb://jane:pass%23word%2F1@h:27017/db"],
    ["mongodb://h:27017/?a=b@c", "This link is valid.", "mongodb://h:27017/?a=b@c"],
    ["mongodb://jane:secret#1@h@i/", "Careful: a password. This link is broken, and there is no certain repair. The character at position 16 isn't allowed: •••.", "mongodb://jane:secret#1@h@i/"],
    ["https://jane:secret/@h.example/", "Careful: a password. This link is broken, and there is no certain repair. The character at position 14 isn't allowed: •••.", "https://jane:secret/@h.example/"],
    ["\u202ahttps://h.example/a\u202c", "This link is broken: blanks, quotes or brackets around it. Here it is, repaired.", "https://h.example/a"],
    ["\ufeffhttps://h.example/a b\u200b", "This link is broken: blanks, quotes or brackets around it and 1 space. Here it is, repaired.", "https://h.example/a%20b"],
    ["http://256.1.1.1/", "No browser opens this link", "http://256.1.1.1/"],
    [":method: GET\n:authority: h.example\n:path: /a%20b", "This is the HTTP header path.", "/a b"],
    ["gul%E1%9A", "This isn't UTF-8. It looks like windows-1250.", "guláš"],
    ["https://a.example/ https://b..example/", "2 links. One is broken", "https://a.example/ https://b..example/"],
    ["https://a.example/b c https://d.example/\thttps://e.example/", "3 links. Some are broken: 1 space.", "https://a.example/b%20c\nhttps://d.example/\nhttps://e.example/"],
    ["https://h.example/a%20b>", "This link is broken: punctuation of the sentence around it.", "https://h.example/a%20b"],
    ['https://h.example/a">', "This link is broken: punctuation of the sentence around it.", "https://h.example/a"],
    // A shell needs these backslashes, and programs write bytes to a log with them.
    ["https://h.example/my\\ file?a=1\\&b=2", "This link is broken: 1 space and 2 backslashes.", "https://h.example/my%20file?a=1&b=2"],
    ["https://h.example/a\\/b", "This link is broken: 1 backslash.", "https://h.example/a/b"],
    ["https://h.example/caf\\xc3\\xa9", "This link is broken: 2 backslashes.", "https://h.example/caf%c3%a9"],
    ["https://h.example/bin\\x64\\x86", "This link is broken: 2 backslashes.", "https://h.example/bin/x64/x86"],
    ["tel:+420 123 456 789", "This link is broken: 3 spaces.", "tel:+420123456789"],
    ["//h.example/a b", "This link is broken: 1 space.", "//h.example/a%20b"],
    ["// h.example", "This is text, not a link.", "%2F%2F%20h.example"],
    ["about:blank", "This link is valid.", "about:blank"],
    ["https://h.example/a\n\nThis is a text.", "There is a link in this text.", "https%3A%2F%2Fh.example%2Fa%0A%0AThis%20is%20a%20text."],
    // Only texts in other charsets have many bytes beside those of overlong UTF-8.
    ["%CE%D2%B5%C4%C3%C0%B9%FA", "This isn't UTF-8. It looks like gbk.", "我的美国"],
    ["https://h/?q=%C1%D6%BC%BC%C0%BA", "This isn't UTF-8. It looks like euc-kr.", "https://h/?q=주세은"],
    ["q=%C1%B3%EB%E8%E9", "This isn't UTF-8. It looks like windows-1251.", "q=Білий"],
    ["https://h/?q=%C3%C0%B9%FA&r=..%C0%AFa", "Careful: overlong UTF-8.", "https://h/?q=\ufffd\ufffd\ufffd\ufffd&r=..\ufffd\ufffda"],
    ["..%C0%AF%FF%FE", "Careful: overlong UTF-8.", "..\ufffd\ufffd\ufffd\ufffd"],
    ["%E0%80%AF", "Careful: overlong UTF-8. This text is encoded.", "\ufffd\ufffd\ufffd"],
    ["%C0%B4", "Careful: overlong UTF-8. This text is encoded.", "\ufffd\ufffd"],
    ["%CF%F0%E8%E2%C0%AF", "This isn't UTF-8. It looks like windows-1251. Here it is, decoded. Careless UTF-8 decoders read %C0%AF as “/”.", "ПривАЇ"],
    ["%FF%FEH%00i%00", "This isn't UTF-8. It looks like utf-16le.", "•Hi"],
    ["%FE%FF%04%1F%04%40", "This isn't UTF-8. It looks like utf-16be.", "•Пр"],
    ["%FF%FEh%00t%00t%00p%00:%00/%00/%00g%00.%00c%00o%00@%00h%00/%00", "Careful: this link does not go to g.co. It goes to h.", "•http://g.co@h/"],
    ["%FF%FE%00%00", "This is binary data, not text.", "FF FE 00 00"],
    ["%C3%E6%CF%C3", "This isn't UTF-8. It looks like euc-jp.", "中話"],
    ["%C0%AE%C0%AE/", "Careful: overlong UTF-8. This text is encoded.", "\ufffd\ufffd\ufffd\ufffd/"],
    ["www.example.com에서", "There is a link in this text.", "www.example.com%EC%97%90%EC%84%9C"],
    ["Visit www.example.com/a, or ask.", "There is a link in this text.", "Visit%20www.example.com%2Fa%2C%20or%20ask."],
    ["me@www.example.com b", "This is text, not a link.", "me%40www.example.com%20b"],
    ["www.한국.kr", "Browsers open this link as it is.", "www.xn--3e0b707e.kr"],
    ["www.exa mple.com/", "This link is broken, and there is no certain repair. The character at position 8 isn't allowed: ␣mple.com/.", "www.exa mple.com/"],
    ["caf\\u00e9", "Escapes such as \\u00E9 are JSON, not percent-encoding.", "caf%5Cu00e9"],
  ];
  test("each kind of text has its verdict and its answer", () =>
    on({}, async (page) => {
      for (const [text, said, expected] of VERDICTS) {
        await type(page, undefined, text);
        assert.ok((await verdict(page)).startsWith(said), `${text}: ${await verdict(page)}`);
        assert.equal(await answer(page), expected, text);
      }
    }));

  test("other charsets in which the text is readable are offered", () =>
    on({}, async (page) => {
      const offered = () => page.locator("#rows dt", { hasText: "Or in" }).allInnerTexts();
      for (const [text, expected] of [["%C3%C0%C5%AE", "Or in gbk"], ["%C0%B4", "Or in gbk"], ["https://h/?q=%C3%C0%C5%AE", "Or in gbk"]]) {
        await type(page, undefined, text);
        await idle(page);
        assert.equal((await offered())[0], expected, text);
      }
      for (const text of ["%CF%F0%E8%E2%E5%F2", "%E4%BD", "%C3%A9", "%FF%FE%00", "https://h/?q=%C3%A9&r=%E9", "..%C0%AF%C0%B4"]) {
        await type(page, undefined, text);
        await idle(page);
        assert.deepEqual(await offered(), [], text);
      }
      await type(page, undefined, "%C0%B4");
      await page.getByRole("button", { name: "Read it so" }).click();
      await shows(page, "decoded", "来");
      assert.equal(await page.locator("#charset").inputValue(), "gbk");
      assert.equal(await page.evaluate(() => document.activeElement.id), "copy");
      assert.doesNotMatch(await verdict(page), /Careful/);
      await page.locator("#swap").click();
      await shows(page, "encoded", "%C0%B4");
      await page.locator("#swap").click();
      await shows(page, "decoded", "来");
      // Another text has its own charset.
      await pasteOver(page, "%C3%A9");
      await shows(page, "decoded", "é");
      assert.equal(await page.locator("#charset").inputValue(), "auto");
    }));

  test("parameters after an inner link that isn't encoded belong to the outer link", () =>
    on({}, async (page) => {
      const fixed = () => page.locator("#first dd code").allInnerTexts();
      const said = /“c=d&e=%23” belongs to the outer link, because the inner link in “u” isn't encoded\./;
      await type(page, undefined, "https://h.example/?z=1&u=https://i.example/?a=b&c=d&e=%23#f");
      assert.match(await verdict(page), said);
      assert.deepEqual(await fixed(), ["https://h.example/?z=1&u=https%3A%2F%2Fi.example%2F%3Fa%3Db%26c%3Dd%26e%3D%2523#f"]);
      await type(page, undefined, "https://h.example/?z= 1&u=https://i.example/?a=b&c=d&e=%23");
      assert.match(await verdict(page), said);
      assert.equal((await fixed()).length, 1);
      for (const text of ["https://h.example/?u=https://i.example/?a=b#f", "https://h.example/?u=https://i.example/&c=d", "https://h.example/?u=https%3A%2F%2Fi.example%2F%3Fa%3Db&c=d", "https://h.example/https://i.example/?a=b&c=d"]) {
        await type(page, undefined, text);
        assert.doesNotMatch(await verdict(page), /outer/, text);
        assert.deepEqual(await fixed(), [], text);
      }
    }));

  test("a name with = that may well be no parameter isn't named", () =>
    on({}, async (page) => {
      for (const text of ["https://h.example/?u=https://i.example/?a=b", "https://h.example/R&D/a?b=c", "https://h.example/a;b=c&d=e", "https://h.example/?q=what?really", "https://h.example/?q=a%3Fb=c", "https://h.example/#/a?b=c", "https://h.example/#token=a&b=c", "https://h.example/#:~:text=a"]) {
        await type(page, undefined, text);
        assert.doesNotMatch(await verdict(page), /parameter|after the #/, text);
      }
    }));

  test("marks inside a long link take a time that is linear in its length", () =>
    on({}, async (page) => {
      // A linear search takes about a second. A quadratic one takes longer than `PATIENCE`.
      await paste(page, `https://h/${"…".repeat(262_000)}a`);
      assert.match(await verdict(page), /^Browsers open this link as it is\./);
      for (const [part, said] of [['",', /characters that must be encoded/], [" ", /1 space/], ["\\ ", /backslashes/], ["a> ", /spaces and/], ["a.aa&", /^This link is valid/]]) {
        const start = part === "a.aa&" ? "https://" : "https://h/";
        await pasteOver(page, start + part.repeat(262_000 / part.length) + "a");
        assert.match(await verdict(page), said);
      }
      await pasteOver(page, `https:${" ".repeat(65_000)}a`);
      assert.match(await verdict(page), /^This is text/);
    }));

  test("Base64 and escapes of JSON are decoded below", () =>
    on({}, async (page) => {
      for (const [text, decoded] of [["SGVsbG8sIFdvcmxkIQ==", "Hello, World!"], ["w6nDqcOpw6nDqQ", "ééééé"], ["iVBORw0KGgoAAAANSUhEUg==", "89 50 4E 47"], ["caf\\u00e9 \\u0026 more", "café & more"], ["eyJhbGciOiJub25lIn0.eyJzdWIiOiJqYW5lIn0.", '{"sub":"jane"}']]) {
        await type(page, undefined, text);
        await idle(page);
        assert.ok((await page.locator("#rows").innerText()).includes(decoded), text);
      }
    }));

  test("in a line of a log, only the request is explained, and an edit keeps the rest", () =>
    on({}, async (page) => {
      const [before, after] = ['192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "GET ', ' HTTP/1.1" 200 23 "https://r.example/%zz" "B 50% (X)"'];
      await paste(page, `${before}/a?q=x%E2%80%AEy&next=https%3A%2F%2Fp.example%2F${after}`);
      await idle(page);
      assert.equal(await page.locator("#kind option").first().innerText(), "automatic: log line");
      assert.doesNotMatch(await page.locator("#findings").innerText(), /bare %|aren't encoded/);
      await page.locator("#dangers button").first().click();
      assert.equal(await page.evaluate(() => String(getSelection())), "%E2%80%AE");
      await page.locator("#tab-url").click();
      await page.locator("[data-spot=value0]").fill("1 2");
      await idle(page);
      assert.equal(await input(page).innerText(), `${before}/a?q=1%202&next=https%3A%2F%2Fp.example%2F${after}`);
      await page.locator("#query").getByRole("button", { name: "Open" }).click();
      await idle(page);
      await page.locator("#tree").getByRole("button", { name: "Back to the outer link" }).click();
      await idle(page);
      assert.equal(await input(page).innerText(), `${before}/a?q=1%202&next=https%3A%2F%2Fp.example%2F${after}`);
      assert.match(await verdict(page), /^This is a log line/);
      await page.selectOption("#kind", "text");
      await idle(page);
      assert.match(await verdict(page), /^Here is your text, encoded/);
    }));

  /** Returns the rows below the answer: the texts of titles and of answers. */
  const rowsOf = (page) => page.locator("#rows dt, #rows code, #rows dd:not(:has(code))").allInnerTexts();
  const logLine = (request) => `192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "${request} HTTP/1.1" 200 23 "-" "B 50%"`;

  test("lines of a log are explained at once, in groups with counts", () =>
    on({}, async (page) => {
      const log = [logLine("GET /caf%C3%A9?q=a+b"), logLine("POST /a b"), '192.0.2.1 - - [10/Oct/2026:13:55:36 +0000] "-" 408 0', "", logLine("GET /%7Bx%7D"), logLine("GET /?q=%zz")];
      await paste(page, log.join("\r\n"));
      await idle(page);
      assert.equal(await verdict(page), "These are HTTP headers or log lines. Below are the addresses and values of 4 lines.");
      assert.equal(await page.locator("#kind option").first().innerText(), "automatic: log line");
      assert.equal(await page.locator("#answer").getAttribute("data-tone"), "good");
      const [valid, broken] = ["GET: This link is valid. Here it is, decoded for reading.", (method, fault) => `${method}: This link is broken: ${fault}. Here it is, repaired.`];
      assert.deepEqual(await rowsOf(page), [`2× ${valid}`, "/café?q=a b", "/{x}", broken("POST", "1 space"), "/a%20b", broken("GET", "a bare %"), "/?q=%25zz"]);
      assert.equal(await answer(page), "/café?q=a b\n/a%20b\n/{x}\n/?q=%25zz");
      // Only the requests are explained, so `50%` is no finding.
      assert.match(await page.locator("#findings").innerText(), /^A bare %: [^\0]*\n1 character that isn.t encoded/);
      assert.match(await page.locator("#repairs").innerText(), /1 space.*\s.*a bare %/);
      await page.locator("#repairs input").first().uncheck();
      await idle(page);
      assert.ok((await rowsOf(page)).includes("POST: This link is broken, and there is no certain repair. The character at position 3 isn't allowed: ␣b."), await rowsOf(page));
      assert.equal(await page.locator("#answer").getAttribute("data-tone"), "warn");
      await page.locator("#repairs input").first().check();
      await idle(page);
      await page.locator("#rows dd").nth(2).getByRole("button", { name: "Look into it" }).click();
      await idle(page);
      assert.equal(await input(page).innerText(), "/a b");
      assert.match(await verdict(page), /^This link is broken: 1 space\./);
      await page.keyboard.press("Control+z");
      await idle(page);
      assert.match(await verdict(page), /of 4 lines\.$/);
    }));

  test("headers are explained at once, among other headers", () =>
    on({}, async (page) => {
      const curl = ["* Connected to h.example", "> GET /a%20b HTTP/1.1", "> Host: h.example", "> Cookie: x=%7B1%7D", "< HTTP/1.1 302 Found", "< Location: https://bank.example@h.example/", "< Content-Disposition: attachment; filename*=iso-8859-1''%A3", "< Content-Length: 0", "{ [5 bytes data]"];
      await type(page, undefined, curl.join("\n"));
      await idle(page);
      assert.equal(await verdict(page), "Careful: one of these links does not go to bank.example. It goes to h.example. Don't open it. Ask the sender for the right link. These are HTTP headers or log lines. Below are the addresses and values of 4 lines.");
      assert.equal(await page.locator("#answer").getAttribute("data-tone"), "bad");
      assert.deepEqual((await rowsOf(page)).filter((_, at) => at % 2), ["/a b", "x={1}", "https://bank.example@h.example/", "£"]);
      assert.match((await rowsOf(page))[4], /^Location: Careful: this link does not go to bank\.example/);
      await type(page, undefined, curl.filter((line) => !/GET|Cookie|Disposition/.test(line)).join("\n"));
      await idle(page);
      assert.match(await verdict(page), /This is the HTTP header Location\. Below is its value/);
      // Most lines of this text are neither headers nor lines of a log.
      await type(page, undefined, ["Hello,", "this fails:", logLine("GET /a%20b"), "Please help"].join("\n"));
      await idle(page);
      assert.match(await verdict(page), /^This text is encoded/);
    }));

  test("of many lines each group is counted, and a hundred answers are listed, in every language", async () => {
    const log = [...Array.from({ length: 1250 }, (_, at) => logLine(`GET /?q=${at}%20x%00%E2%80%AE`)), logLine("POST /a b")].join("\n");
    for (const [locale, rest] of [["en-US", "and 1,151 more"], ["cs-CZ", "a dalších 1\u00a0151"], ["he-IL", "ועוד \u20681,151\u2069"], ["ru-RU", "и ещё 1\u00a0151"]]) {
      await on({ locale }, async (page) => {
        await paste(page, log);
        await idle(page);
        const rows = await rowsOf(page);
        assert.equal(rows.length, 103);
        assert.match(rows[0], /^1[,\u00a0]250× GET: /);
        assert.match(rows[99], /^\/\?q=98 x/);
        assert.match(rows[100], /^POST: /);
        assert.deepEqual(rows.slice(101), ["/a%20b", rest]);
        assert.match(await page.locator("#output-status").innerText(), /1[0-9][,\u00a0]\d{3}/, "the answer has all lines");
        // The more dangerous character comes first.
        assert.deepEqual(await page.locator("#dangers code").allInnerTexts(), ["U+202E", "%00"]);
        assert.deepEqual((await page.locator("#dangers b").allInnerTexts()).map((text) => text.replace(/\D/g, "")), ["1250", "1250"]);
        assert.match(await verdict(page), /1[,\u00a0]251/);
      });
    }
  });

  /** Texts that people paste, each with the link that the page shows: the link in the text, or the innermost link if the text is a link. */
  const WITH_LINK = [
    ["Please see https://example.com/a%20b (or https://h/).", "https://example.com/a%20b"],
    ["[docs](https://example.com/a%20b(1).html)", "https://example.com/a%20b(1).html"],
    ["[docs](<https://example.com/my file.pdf>)", "https://example.com/my%20file.pdf"],
    ["curl 'https://h.example/v1?q=a%20b&x=é' -H 'Accept: */*'", "https://h.example/v1?q=a%20b&x=%C3%A9"],
    ['{"url":"https:\\/\\/h.example\\/a%20b?x=1\\u0026y=2"}', "https://h.example/a%20b?x=1&y=2"],
    ['<a href="https://h.example/a b?x=1&amp;y=2">x</a>', "https://h.example/a%20b?x=1&y=2"],
    ["https:/h.example/a b", "https://h.example/a%20b"],
    ...["htps://", "ttp://", "hhttp://", "httpss://", "https;//", "https: //", "https:// ", "https:///", "https:/\\"].map((slip) => [`${slip}h.example/a b`, `http${/tp:|ttp:/.test(slip) ? "" : "s"}://h.example/a%20b`]),
    ['[docs](https://h.example/my file.pdf "Title")', "https://h.example/my%20file.pdf"],
    ["a { background: url(https://h.example/my file.png) }", "https://h.example/my%20file.png"],
    ["[https://google.com](https://h.example/a)", "https://h.example/a"],
    ["**https://h.example/a_b** and ~~https://h.example/~~", "https://h.example/a_b"],
    ["|https://h.example/a|2026|", "https://h.example/a"],
    ["<loc>https://h.example/?a=1&amp;b=2</loc>", "https://h.example/?a=1&b=2"],
    ["<a href=https://h.example/a>name</a>", "https://h.example/a"],
    ["„https://h.example/a“", "https://h.example/a"],
    ["请看「https://h.example/a」，谢谢", "https://h.example/a"],
    ["请看https://h.example/a，谢谢", "https://h.example/a"],
    ["请看https://h.example/a：谢谢", "https://h.example/a"],
    ["请看https://h.example谢谢", "https://h.example"],
    ["https://h.example:80에서 보세요.", "https://h.example:80"],
    ["https://h.example。谢谢", "https://h.example"],
    ['"https://h.example/a b","Title",5', "https://h.example/a%20b"],
    ["open https://h.example/my\\ file.pdf now", "https://h.example/my%20file.pdf"],
    ["https://https://h.example/", "https://h.example/"],
    ["(https://h.example/a b).", "https://h.example/a%20b"],
    ["Report 7: https://h.example/my file.pdf", "https://h.example/my%20file.pdf"],
    ["Note: https://h.example/a and https://h.example/my file.pdf", "https://h.example/a"],
    ["\\href{https://h.example/a\\%20b}{its name}", "https://h.example/a%20b"],
    ["<a href='https://h.example/it&#39;s&#x2F;a'>", "https://h.example/it's/a"],
    ["https://h.example/?u=%2F%2Fi.example%2Fa", "//i.example/a"],
    ["https://h.example/?next=https:%5Ci.example%2Fa", "https:\\i.example/a"],
    ["https://h.example/my%2520file?q=1%252B1", "https://h.example/my%20file?q=1%2B1"],
    ["https%3A%2F%2Fh.example%2Fa%20b", "https://h.example/a%20b"],
    ["https://l.example/?u=https%3A%2F%2Ft.example%2F%3Fu%3Dhttps%253A%252F%252Fh.example%252F%253Fq%253Da%252520b&h=1", "https://h.example/?q=a%20b"],
  ];
  test("the link in a text, and the innermost link of a link, are shown and can be opened", () =>
    on({}, async (page) => {
      for (const [text, link] of WITH_LINK) {
        await type(page, undefined, text);
        await idle(page);
        assert.equal(await page.locator(".rows dd").first().locator("code").innerText(), link, text);
      }
      await page.getByRole("button", { name: "Look into it" }).click();
      await shows(page, "encoded", WITH_LINK.at(-1)[1]);
      for (const text of ["a: b", "no link", "10:30 // tea", "://", "a".repeat(60_000), "x://".repeat(15_000)]) {
        await type(page, "decoded", text);
        await idle(page);
        assert.ok((await page.locator(".rows dt").allInnerTexts()).every((label) => text.startsWith("x") || label !== "The link in it"), text.slice(0, 20));
      }
    }));

  /** Texts, each with the tone of the verdict and the place of the filled button: the answer, or the row of the link in the text. "" means that no
   * button is filled. */
  const BUTTONS = [
    ["https://h.example/a b", "good", "answer"],
    ["https://h.example/", "good", "answer"],
    ["http://bücher.example/", "good", "answer"],
    ["https://h.example/a%20b", "good", ""],
    ["curl 'https://h.example/v1?q=a%20b&x=é' -H 'Accept: */*'", "good", "row"],
    ["https%3A%2F%2Fh.example%2F%3Fq%3D1", "good", "answer"],
    ["https://https://h.example/", "warn", "row"],
    ["GET /?q=a%2520b HTTP/1.1", "warn", "row"],
    ["http://a b/c", "warn", ""],
    ["https://h/?q=%D0%9F%D", "warn", ""],
    ["see http://a b/c", "good", "row"],
    ["скидка 50 %", "good", ""],
    ["a%20b", "good", ""],
    ["https://google.com%E2%88%95login.example/a b", "bad", ""],
    ["Please see https://gооgle.com/.", "bad", ""],
    ["https%3A%2F%2Fgoogle.com%40evil.example%2F", "bad", ""],
    ["javascript:alert(1)", "bad", ""],
    ["%6Aavascript%3Aalert(1)", "bad", ""],
    ["https://u:secret@h.example/", "warn", ""],
    ["https://h.example/a%C2%A0b", "warn", ""],
  ];
  test("a link that is cut off is not called repaired", () =>
    on({}, async (page) => {
      await type(page, undefined, "https://h/?q=%D0%9F%D");
      await idle(page);
      assert.equal(await page.locator("#output-label").innerText(), "Encoded");
    }));

  test("the filled button copies only a link that works", () =>
    on({}, async (page) => {
      for (const [text, tone, button] of BUTTONS) {
        await type(page, undefined, text);
        await idle(page);
        const filled = await page.locator("#answer .primary").evaluateAll((all) => all.map(({ id }) => (id === "copy" ? "answer" : "row")).join());
        assert.deepEqual([await page.locator("#answer").getAttribute("data-tone"), filled], [tone, button], text);
      }
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await type(page, undefined, "curl 'https://h.example/?x=é' -H 'Accept: */*'");
      assert.equal(await verdict(page), "There is a link in this text. Here it is, repaired.");
      const [link, other] = await Promise.all(["#first", "#output"].map((id) => page.locator(id).boundingBox()));
      assert.ok(link.y < other.y, "the link comes first");
      await input(page).press("Control+Enter");
      await page.waitForFunction(async () => (await navigator.clipboard.readText()) === "https://h.example/?x=%C3%A9");
      // Whoever chooses the kind wants the answer.
      await page.selectOption("#kind", "text");
      assert.equal(await verdict(page), "This is text, not a link. Here it is, encoded.");
      assert.equal(await page.locator("#answer .primary").count(), 0);
    }));

  test("a deceptive link in a text is named by its host", () =>
    on({}, async (page) => {
      await type(page, undefined, "Please log in: https://google.com@evil.example/");
      assert.match(await verdict(page), /^Careful: this link does not go to google\.com\. It goes to evil\.example\. Don't open it/);
      assert.equal(await page.locator("#input .danger").first().innerText(), "google.com");
      await type(page, undefined, "https://google.com%E2%88%95login.example/");
      await idle(page);
      assert.equal(await page.locator("#legend li").count(), 0, "a character that misleads isn't counted as a harmless one");
    }));

  test("a repair is shown with its real escapes", () =>
    on({}, async (page) => {
      await type(page, undefined, "https://h/José");
      await idle(page);
      assert.equal(await page.locator("#repairs li").innerText(), "the character é → %C3%A9");
      await page.getByRole("checkbox", { name: "the character é" }).uncheck();
      await page.waitForFunction(() => document.querySelector("#output .cm-content").textContent === "https://h/José");
      assert.equal(await page.locator("#repairs li").innerText(), "the character é → %C3%A9");
    }));

  test("a raw character is no fault of an encoded text", () =>
    on({}, async (page) => {
      await type(page, undefined, "curl https://h.example/a%20b -X é");
      await idle(page);
      assert.doesNotMatch(await page.locator("#view-explain").innerText(), /not encoded|aren't encoded/i);
      assert.equal(await page.locator("#input .e9").count(), 0);
      await type(page, undefined, "https://h.example/a b");
      await page.waitForFunction(() => /1 character that isn't encoded/.test(document.querySelector("#view-explain").textContent));
    }));

  test("the options are folded until one of them is changed", async () => {
    for (const [hash, isOpen] of [["#encoded=a%2520b", false], ["#decoded=a%20b", false], ["#decoded=a%20b&hex=lower", true]]) {
      await on({ hash }, async (page) => {
        await idle(page);
        assert.equal(await page.locator("#settings").evaluate(({ open }) => open), isOpen, hash);
      });
    }
  });

  test("a list of links is repaired line by line", () =>
    on({}, async (page) => {
      await type(page, undefined, "https://h/a\nhttps://h/b c\nhttps://h/50%");
      assert.equal(await verdict(page), "3 links. Some are broken: 1 space and a bare %. Here they are, repaired.");
      await page.waitForFunction(() => document.querySelector("#output .cm-content").innerText.trim() === "https://h/a\nhttps://h/b%20c\nhttps://h/50%25");
      await type(page, undefined, "https://h/a\nhttps://h/b");
      assert.equal(await verdict(page), "2 links. All are valid.");
    }));

  test("binary data comes in as hex, and goes out as hex and as a file", () =>
    on({ acceptDownloads: true }, async (page) => {
      const isSaved = async (button, expected) => {
        const download = page.waitForEvent("download");
        await button.click();
        assert.deepEqual([...(await readFile(await (await download).path()))], expected);
      };
      await type(page, undefined, "%00%FF%7Fa");
      assert.match(await verdict(page), /^This is binary data/);
      assert.equal(await answer(page), "00 FF 7F 61");
      assert.equal(await page.locator("#output-status").innerText(), "4 bytes");
      await isSaved(page.locator("#download"), [0, 0xff, 0x7f, 0x61]);
      // A swap makes the bytes the text.
      await page.locator("#swap").click();
      await shows(page, "encoded", "%00%FF%7Fa");
      assert.equal(await page.locator("#kind").inputValue(), "hex");
      await isSaved(page.locator("#rows dd", { hasText: "00 FF 7F 61" }).getByRole("button", { name: "Download" }), [0, 0xff, 0x7f, 0x61]);
      await page.selectOption("#kind", "hex");
      await input(page).fill("c3:a9 f, 0x4");
      await shows(page, "encoded", "%C3%A9%0F%04");
      await input(page).fill("c3a9");
      await shows(page, "encoded", "%C3%A9");
      assert.match(await page.locator("#rows").innerText(), /As text\s+é/);
      await input(page).fill("c3 x");
      assert.equal(await verdict(page), "Character 4 is no hexadecimal digit.");
    }));

  test("a plus that is read as a space is told, and editing a value keeps the space", () =>
    on({}, async (page) => {
      await type(page, undefined, "?q=C%2B%2B+now");
      await idle(page);
      assert.match(await page.locator("#output-status").innerText(), /1 plus sign was read as a space/);
      await page.locator("#tab-url").click();
      const value = page.getByLabel("Value 1", { exact: true });
      assert.equal(await value.inputValue(), "C++ now");
      await value.fill("C++ now!");
      await value.blur();
      await shows(page, "encoded", "?q=C%2B%2B%20now%21");
      assert.equal(await answer(page), "?q=C++ now!");
    }));

  test("a repair can be refused", () =>
    on({}, async (page) => {
      await type(page, undefined, "https://h/a b?q=100%");
      await idle(page);
      await page.getByRole("checkbox", { name: "a bare %" }).uncheck();
      await page.waitForFunction(() => document.querySelector("#output .cm-content").textContent === "https://h/a%20b?q=100%");
      await page.getByRole("checkbox", { name: "a bare %" }).check();
      await page.waitForFunction(() => document.querySelector("#output .cm-content").textContent === "https://h/a%20b?q=100%25");
      // The repair of an incomplete escape keeps its name after it is refused.
      await type(page, undefined, "https://h/a%2");
      await idle(page);
      await page.getByRole("checkbox", { name: "an incomplete escape" }).uncheck();
      await page.waitForFunction(() => document.querySelector("#output .cm-content").textContent === "https://h/a%2");
      await page.getByRole("checkbox", { name: "an incomplete escape" }).check();
      await page.waitForFunction(() => document.querySelector("#output .cm-content").textContent === "https://h/a%252");
    }));

  test("the guess can be overruled", () =>
    on({}, async (page) => {
      await type(page, undefined, "https://h/a b");
      await page.selectOption("#kind", "text");
      await shows(page, "encoded", "https%3A%2F%2Fh%2Fa%20b");
    }));

  test("characters are counted as people count them", () =>
    on({}, async (page) => {
      await type(page, undefined, "👩‍💻é");
      await idle(page);
      assert.equal(await page.locator("#input-status").innerText(), "2 characters");
    }));

  const MISLEADING = [
    ["https://google.com%E2%88%95login.example/", /only looks like a slash/],
    ["https://google.com%EF%BC%8Flogin.example/", /only looks like a slash/],
    ["https://google.com@evil.example/", /only looks like the host.*This link goes to the host: evil\.example/s],
    ["https://аррӏе.com/", /imitates another name.*\(Cyrillic\)/],
    ["https://xn--80ak6aa92e.com/", /imitates another name.*\(Cyrillic\)/],
    ["https://gооgle.com/", /mixes scripts \(Latin \+ Cyrillic\)/],
    ["https://ꮯꮤꮪ.com/", /imitates another name.*\(Cherokee\)/],
    ["https://ɡoogle.com/", /rare letters/],
    ["https://h/a%C2%A0b", /U\+00A0.*looks like a space/s],
    [`https://h/${"%zz".repeat(500)}%E2%80%AE`, /U\+202E.*reverses the text/s],
    ["http://0x7f.1/", /IP address in an unusual form.*the host: 127\.0\.0\.1/s],
    ["https://u:secret@h/", /password/],
    ["https://h/%C0%AF", /Overlong UTF-8/],
    ["https://h/%C3%83%C2%A9", /Double UTF-8/],
    ["https://h/a%00", /control character/],
    ["https://h/?a=b%00", /control character/],
    ["https://h/a%0Ab?c=d%0Ae", /%0A/],
    ["https://h/?a%0A=b", /%0A/],
    ["https://h/login?redirect_to=%2Fa%0D%0ASet-Cookie:b=1&c=d", /target of a redirect.*line break/],
    ["https://h/?c=d&returnUrl=%2F%0aLocation:b", /target of a redirect.*line break/],
    ["https://h/?%75rl=%2F%0aLocation:b", /target of a redirect.*line break/],
    ["redirect_uri=%2Fa%0D%0ASet-Cookie:b=1&c=d", /target of a redirect.*line break/],
    ["https://h/?next=javascript:alert(1)", /runs a program/],
    ["https://h/?u=%2Fa%0D%0ASet-Cookie:b=1", /target of a redirect.*line break/],
    ["https://h/?next=java%0Ascript%3Aalert(1)", /runs a program/],
    ["data:application/xhtml+xml,a", /runs a program/],
    ["https://h/a%E2%80%8Eb", /U\+200E/],
    ["https://evil.example\\@google.com/", /google\.com\s+This only looks like the host/],
    ["https://u@google.com:80@evil.example/", /google\.com\s+This only looks like the host/],
    ["gооgle.com/login", /mixes scripts/],
    ["mailto:me@h.example,you@gооgle.com?subject=a", /mixes scripts.*This link goes to the host: xn--ggle-55da\.com/s],
    ["https://evil.example:443\\@google.com", /google\.com\s+This only looks like the host/],
    ["javascript:alert(1)", /runs a program/],
    ["java\tscript:alert(1)", /runs a program/],
    ["\u0001javascript:alert(1)", /runs a program/],
    ["data: text/html,a", /runs a program/],
    ["https://https://h.example/", /scheme twice/],
    ["mailto:a@h.example?body=a%0D%0Ab%0A", /%0A/],
  ];
  /** Texts with a link that misleads, most among other links. Each has a pattern for the verdict, and the host that the link pretends to have. */
  const ONE_OF_SEVERAL = [
    ["https://good.example/\nhttps://google.com@evil.example/", /^Careful: one of these links does not go to google\.com\. It goes to evil\.example\. Don't open it/, "google.com"],
    ["https://good.example/\nhttps://аррӏе.com/", /^Careful: a host that imitates another/, "аррӏе.com"],
    ["see https://good.example/ and https://gооgle.com/", /^Careful: a host in mixed scripts/, "gооgle.com"],
    ["[a](https://good.example) [b](https://google.com@evil.example)", /^Careful: this link does not go to google\.com\. It goes to evil\.example\./, "google.com"],
    ['{"a":"https:\\/\\/good.example\\/","b":"https:\\/\\/gооgle.com\\/"}', /^Careful: a host in mixed scripts/, "gооgle.com"],
    ['h - - [1/Jan/2026:00:00:00 +0000] "GET /a HTTP/1.1" 200 1 "https://google.com@evil.example/"', /Careful: this link does not go to google\.com\. It goes to evil\.example\./, "google.com"],
    ["https://good.example/?u=https%3A%2F%2Fgoogle.com%40evil.example%2F", /^Careful: the link inside this link does not go to google\.com\. It goes to evil\.example\./, "google.com"],
    ["https://good.example/?u=https%253A%252F%252Fgoogle.com%2540evil.example%252F", /^Careful: the link inside this link does not go to google\.com\./, "google.com"],
    ["https://good.example/?u=https%3A%2F%2F%D0%B0%D1%80%D1%80%D3%8F%D0%B5.com%2F", /^Careful: a host that imitates another/, "аррӏе.com"],
    ["https%3A%2F%2Fgood.example%20https%3A%2F%2Fgoogle.com%40evil.example", /^Careful: this link does not go to google\.com\./, "google.com"],
    ["u=https%3A%2F%2Fgoogle.com%40evil.example%2F&b=c", /^Careful: .*google\.com/, "google.com"],
    ["see www.gооgle.com now", /^Careful: a host in mixed scripts/, "gооgle.com"],
    ["www.gооgle.com/login", /^Careful: a host in mixed scripts/, "www.gооgle.com"],
    ["https:///google.com@evil.example/", /^Careful: this link does not go to google\.com\. It goes to evil\.example\./, "google.com"],
    ["https:\\\\google.com@evil.example/", /^Careful: this link does not go to google\.com\. It goes to evil\.example\./, "google.com"],
    // The user before the @ can contain these characters. Browsers go to the host after the last @.
    ...[" ", "'", '"', "<", "`", "{", "&", ";a", "\t", ".."].map((end) => [`https://google.com${end}@evil.example/`, /^Careful: this link does not go to google\.com.*\. It goes to evil\.example\. Don't open it/, "google.com"]),
    ["https://u r@gооgle.com/", /^Careful: a host in mixed scripts/, "gооgle.com"],
    ["see https://google.com'@evil.example/ now", /^Careful: this link does not go to google\.com'\. It goes to evil\.example\./, "google.com"],
    ["https:/google.com:a@evil.example/", /^Careful: this link does not go to google\.com\. It goes to evil\.example\./, "google.com"],
    // Links in a form against clicks by mistake are checked, too.
    ["hxxps[:]//раypal[.]com/", /^Careful: a host in mixed scripts/, "раypal.com"],
    ["http[://]аррӏе(dot)com/", /^Careful: a host that imitates another/, "аррӏе.com"],
    ["hxxp[:]//0x7f[.]1/", /^Careful: an IP address in an unusual form/, "127.0.0.1"],
    ["hxxps[:]//google[.]com@evil[.]example/", /^Careful: this link does not go to google\.com\. It goes to evil\.example\./, "google.com"],
    ["https://google[.]com@evil[.]example/", /^Careful: this link does not go to google\.com\. It goes to evil\.example\./, "google.com"],
    ["hxxp[:]//good[.]example/\nhxxp[:]//раypal[.]com/a", /^Careful: a host in mixed scripts/, "раypal.com"],
    ["see hxxps://good[.]example/ and hxxps[:]//раypal[.]com/", /^Careful: a host in mixed scripts/, "раypal.com"],
    ["https://good.example/?u=hxxps%5B:%5D%2F%2Fgoogle%5B.%5Dcom%40evil%5B.%5Dexample%2F", /^Careful: the link inside this link does not go to google\.com\./, "google.com"],
    // Between Latin letters, this letter of Japanese looks like a slash.
    ["https://google.comノlogin.example/", /^Careful: this link does not go to google\.com\. It goes to google\.xn--comlogin-[^ ]* Don.t open it\. Ask the sender for the right link\.$/, "google.com"],
    ["https://google.com@", /^Careful: a false host before the @\. Don't open it/, "google.com"],
    // No browser opens these links. But a program that decodes the host goes to google.com, or sends a user to evil.example.
    ...["%2F", "%3f", "%23", "%40", "%3A443", "%5C", "%252F", "℀", "⁇", "﹟", "%E2%84%80"].map((end) => [`https://google.com${end}.evil.example/`, /^Careful: this link does not go to google\.com\. Don't open it\. Ask the sender for the right link\. (?:No browser opens this link|This link is broken, and there is no certain repair)/, "google.com"]),
    ["see https://google.com%2F.evil.xn--p1ai/ now", /^Careful: this link does not go to google\.com\. Don't open it/, "google.com"],
    // For browsers, the host ends at the backslash.
    ["https://evil.example\\@google.com/", /^Careful: this link does not go to google\.com\. It goes to evil\.example\./, "evil.example"],
  ];
  test("each link of a text is checked, not only the first", () =>
    on({}, async (page) => {
      for (const [text, said, part] of ONE_OF_SEVERAL) {
        await type(page, undefined, text);
        assert.match(await verdict(page), said, text);
        assert.doesNotMatch(await verdict(page), /valid/, text);
        assert.ok((await dangers(page)).includes(part), text);
        assert.equal(await page.locator("#copy.primary").count(), 0, text);
      }
    }));

  test("what misleads is told, and shown first", () =>
    on({}, async (page) => {
      for (const [text, expected] of MISLEADING) {
        await type(page, undefined, text);
        assert.match(await verdict(page), /^Careful: /, text);
        assert.doesNotMatch(await verdict(page), /valid/, text);
        assert.doesNotMatch(await page.locator("#findings").innerText(), /Checked/, text);
        assert.ok((await page.locator("#input .danger").count()) > 0, text);
        assert.match(await dangers(page), expected, text);
        assert.doesNotMatch(await dangers(page), /secret/);
      }
    }));

  /** Misleading links, with the verdict, the host, and the part of the host that is in bold. */
  const HOSTS = [
    ["https://google.com%E2%88%95login.example/", "Careful: this link does not go to google.com. It goes to google.xn--comlogin-0f7d.example. Don't open it. Ask the sender for the right link.", "google.xn--comlogin-0f7d.example", "xn--comlogin-0f7d.example"],
    ["https://google.com@www.evil.co.uk/", "Careful: this link does not go to google.com. It goes to www.evil.co.uk. Don't open it. Ask the sender for the right link.", "www.evil.co.uk", "evil.co.uk"],
    ["https://h/a%C2%A0b", "Careful: a character that looks like a space.", "h", "h"],
    ["https://google.com&a.evil.example/", "Careful: this link does not go to google.com. It goes to google.com&a.evil.example. Don't open it. Ask the sender for the right link.", "google.com&a.evil.example", "evil.example"],
    ["https://jane@shop.example/", "This link is valid. There is no escape to decode.", "shop.example", "shop.example"],
    // In lower case, the last letter of this name is an `i`.
    ["https://paypaI.example/", "This link is valid. There is no escape to decode.", "paypai.example", "paypai.example"],
    ["https://google.com.h.example/", "This link is valid. There is no escape to decode.", "google.com.h.example", "h.example"],
    ["https://google.com。h.example/", "Browsers open this link as it is. Some programs need it in ASCII. It has a host name beyond ASCII.", "google.com.h.example", "h.example"],
    ["https://h.example?@google.com/", "This link is valid. There is no escape to decode.", "h.example", "h.example"],
    ["https://h.example/#@google.com/", "This link is valid. There is no escape to decode.", "h.example", "h.example"],
    ["https://google.com.@h.example/", "Careful: this link does not go to google.com. It goes to h.example. Don't open it. Ask the sender for the right link.", "h.example", "h.example"],
  ];
  test("a misleading link is named by its host", () =>
    on({}, async (page) => {
      for (const [text, said, host, bold] of HOSTS) {
        await type(page, undefined, text);
        assert.equal(await verdict(page), said, text);
        assert.equal(await page.locator("#dangers .host bdi").innerText(), host);
        assert.equal(await page.locator("#dangers .host b").innerText(), bold);
      }
      await type(page, undefined, HOSTS[0][0]);
      await idle(page);
      assert.equal(await page.locator("#input .danger").first().innerText(), "%E2%88%95");
      assert.match(await page.locator("#findings .warning").innerText(), /only looks like a slash/);
      assert.match(await dangers(page), /∕ U\+2215 DIVISION SLASH/);
      assert.equal(await answer(page), "https://google.com∕login.example/");
    }));

  test("what people write is no alarm", () =>
    on({}, async (page) => {
      for (const text of ["https://h/?text=a%0D%0Ab&url=c", "https://h/?url=a&=b%0A", "https://h/?q=javascript%3A+the+good+parts", "https://www.h.com.au/", "https://h/%E2%80%8F%D7%A9", "https://h/%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB", "https://h/%D9%85%DB%8C%E2%80%8C%D8%AE%D9%88%D8%A7%D9%87%D9%85", "https://h/%D7%A9%D6%B8%D7%81%D7%9C%D7%95%D6%B9%D7%9D", "https://пример.рф/", "https://日本語.jp/", "mailto:a@h.example?body=a%0D%0Ab", "https://h/?text=a%0Ab%0D%0Ac&u=d", "https://h/?next=https%3A%2F%2Fp.example%2F%3Fq%3Da%2526b"]) {
        await type(page, undefined, text);
        assert.doesNotMatch(await verdict(page), /Careful/, text);
        assert.equal(await dangers(page), "", text);
        assert.match(await page.locator("#checked").innerText(), /^Checked: no bare %/);
      }
    }));

  test("a mail address after a link is no alarm", () =>
    on({}, async (page) => {
      for (const text of ["see https://h.example, or mail me@h.example", '{"a":"https://h.example","b":"me@h.example"}', "{'a': 'https://h.example', 'b': 'me@h.example'}", "https://h.example\nThanks, me@h.example"]) {
        await type(page, undefined, text);
        assert.doesNotMatch(await verdict(page), /Careful/, text);
        assert.equal(await dangers(page), "", text);
      }
    }));

  test("language and theme are remembered", async () => {
    const page = await open(browser);
    await page.selectOption("#language", "cs");
    await page.selectOption("#theme", "dark");
    await page.reload();
    await page.waitForSelector("html[data-ready=true]");
    assert.deepEqual(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset.theme, document.querySelector("#theme").value]), ["cs", "dark", "dark"]);
    await page.context().close();
  });
});

// The vectors of the library's suites. They are set through the options of the page.
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
  [{ newline: "lf" }, "decoded", "a\r\nb", "a%0Ab"],
  [{ charset: "utf-16le", newline: "crlf" }, "decoded", "a\n\u0d0a", "a%00%0D%00%0A%00%0A%0D"],
  [{ charset: "windows-1251", newline: "crlf", hex: "lower" }, "decoded", "Я\n", "%df%0d%0a"],
  [{ set: "WHATWG_FORM", wrap: true, newline: "lf" }, "decoded", `${" ".repeat(80)}\n`, `${"+".repeat(76)}\n++++%0A`],
  [{ charset: "windows-1251" }, "decoded", "Привет ☃", "%CF%F0%E8%E2%E5%F2%20%26%239731%3B"],
  [{ charset: "shift_jis" }, "decoded", "表示", "%95%5C%8E%A6"],
  [{ charset: "gb18030" }, "decoded", "中😀€", "%D6%D0%949%FC6%A2%E3"],
  [{ charset: "gbk" }, "decoded", "€", "%80"],
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
  [{ depth: "2", plus: "yes", lines: true }, "encoded", "a+%252B%250A\nb", "a +%0A\nb"],
  [{ depth: "3", strict: true }, "encoded", "%2525zz", "%zz"],
  [{ charset: "utf-8" }, "encoded", "%C3%A9%FF", "é\ufffd"],
  [{ charset: "shift_jis", wrap: true }, "encoded", "%95%5\r\nC%8E%A6", "表示"],
  [{ mode: "normalize" }, "encoded", "HTTP://H/%7e%zz", "http://h/~%25zz"],
  [{ mode: "normalize", strict: true }, "encoded", "/%zz", "", /^The % at character 2 is not followed/],
  [{ charset: "windows-1255" }, "encoded", "%F9%EC%E5%ED", "שלום"],
  [{ charset: "auto" }, "encoded", "caf%E9", "café", Buffer.from("caf\xe9", "latin1")],
  [{ charset: "auto" }, "encoded", "caf%C3%A9", "café"],
  [{ strict: true }, "encoded", "100%", "", /^The text ends inside the escape that starts at character 4\. /],
  [{ wrap: true }, "encoded", "a%2\n0b", "a b"],
  [{ mode: "iri" }, "encoded", "/caf%C3%A9%2F%E2%80%AE", "/café%2F%E2%80%AE"],
  [{ mode: "escape" }, "encoded", "%E9%u20AC", "é€"],
];

test("every option, for text and for files", () =>
  on({ acceptDownloads: true }, async (page) => {
    for (const [options, side, input, expected, fileExpected = expected] of OPTIONS) {
      await page.evaluate(() => window.history.replaceState(null, "", location.pathname));
      await page.reload();
      page.requests.length = 1;
      await page.waitForSelector("html[data-ready=true]");
      for (const [id, value] of Object.entries(options)) await set(page, id, value);
      await type(page, side, input);
      const other = side === "decoded" ? "encoded" : "decoded";
      await shows(page, other, expected);
      await isMadeOfFile(page, side === "decoded", input, fileExpected);
    }
  }));

describe("what is odd", () => {
  test("lone surrogates, NUL, broken UTF-8", () =>
    on({}, async (page) => {
      // A NUL beside bytes that aren't UTF-8 is a sign of binary data.
      await type(page, "encoded", "%00%ED%A0%80%C3%A9%FF");
      await shows(page, "decoded", "00 ED A0 80 C3 A9 FF");
      await type(page, "encoded", "%ED%A0%80%C3%A9%FF");
      await shows(page, "decoded", /é/);
      assert.match(await page.locator("#output-status").innerText(), /not UTF-8/);
      await page.selectOption("#kind", "auto");
      await pasteOver(page, "a\ud800b");
      await shows(page, "encoded", /a%EF%BF%BDb/);
    }));

  test("half of a character isn't replaced silently", () =>
    on({}, async (page) => {
      const CASES = [
        // [the text, the answer, the shown halves]
        ["a\ud800b\u{1f600}c\udc00", "a%EF%BF%BDb%F0%9F%98%80c%EF%BF%BD", "U+D800"],
        ["https://h.example/?q=\udc00", "https://h.example/?q=%EF%BF%BD", "U+DC00"],
        [`a\ud800${"x".repeat(1 << 18)}`, /^a%EF%BF%BDx/, "U+D800"],
        ["GET /caf%C3%A9 HTTP/1.1\nHost: \ud800", "/café", "U+D800"],
        ["%uD83D%uDE00%uDE00", "\u{1f600}\ufffd", "U+DE00"],
        ["%00%FF\ud800", "00 FF EF BF BD", "U+D800"],
      ];
      for (const [text, answer, half] of CASES) {
        await pasteOver(page, text);
        await shows(page, undefined, answer);
        assert.match(await page.locator("#verdict").innerText(), /Careful: half a character\./);
        assert.match(await page.locator("#dangers li").first().innerText(), new RegExp(`^${half.replace("+", "\\+")}`));
        assert.equal(await page.locator("#answer").getAttribute("data-tone"), "warn");
      }
      await pasteOver(page, "https://h.example/%F0%9F%98%80\u{1f600}");
      await page.waitForFunction(() => !document.querySelector("#verdict").textContent.includes("half"));
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
      await paste(page, query);
      await page.waitForFunction(() => document.querySelector("#query").textContent.includes("100,000"));
      assert.equal(await page.locator("#query tbody tr").count(), 100);
    }));

  test("with simd128 disabled", async () => {
    const plain = await launch(["--js-flags=--no-wasm-simd"]).catch(() => undefined);
    const page = await open(plain);
    try {
      await type(page, "decoded", "a b/é".repeat(50));
      await shows(page, "encoded", "a%20b%2F%C3%A9".repeat(50));
    } finally {
      await plain.close();
    }
  });
});

describe("understanding", () => {
  const LINK = "https://shop.example/caf%C3%A9/%7Ea%2Fb?q=red%20wine&next=https%3A%2F%2Fpay.example%2F&bad=100%&twice=%2520&rlo=%E2%80%AE";

  test("findings are listed, and a click selects their place", () =>
    on({}, async (page) => {
      await paste(page, LINK);
      await idle(page);
      const told = await page.locator("#findings").innerText();
      for (const word of ["1 needless escape:", "bare %:", "1 escape that was encoded twice:", "1 invisible character:", "U+202E"]) assert.match(told, new RegExp(word.replace("+", "\\+")));
      await page.locator("#findings li", { hasText: "encoded twice" }).getByRole("button").first().click();
      assert.match(await page.locator("#inspector").innerText(), /%2520.*Encoded twice/s);
      assert.equal(await page.locator("#input .e8").innerText(), "%2520");
    }));

  test("the escapes of a nested link are no mistake", () =>
    on({}, async (page) => {
      await paste(page, "https://h/?u=https%3A%2F%2Fp.example%2Fa%2520b");
      await idle(page);
      assert.match(await page.locator("#findings").innerText(), /1 escape that was encoded twice: These escapes belong to a link inside/);
    }));

  test("the view of layers names the parameter that is encoded twice", () =>
    on({}, async (page) => {
      await page.locator("#tab-layers").click();
      await paste(page, LINK);
      await page.waitForFunction(() => /^2 layers.*Encoded more than once: twice\.$/.test(document.querySelector("#view-layers .note").textContent));
      assert.equal(await page.locator("#layers li").count(), 3);
      await page.locator("#tab-url").click();
      assert.match(await page.locator("#query").innerText(), /encoded twice/);
    }));

  test("the table of the query edits the URL", () =>
    on({}, async (page) => {
      await page.locator("#tab-url").click();
      await paste(page, "https://h/p?a=1&b=2#f");
      const value = page.getByLabel("Value 1", { exact: true });
      await value.fill("x & y");
      await value.press("Enter");
      await value.blur();
      await shows(page, "encoded", "https://h/p?a=x%20%26%20y&b=2#f");
      await page.getByLabel("Move parameter 2 up").click();
      await shows(page, "encoded", "https://h/p?b=2&a=x%20%26%20y#f");
      await page.getByLabel("Remove parameter 1").click();
      await shows(page, "encoded", "https://h/p?a=x%20%26%20y#f");
      await page.getByRole("button", { name: "Add a parameter" }).click();
      await shows(page, "encoded", "https://h/p?a=x%20%26%20y&name=value#f");
    }));

  test("all parts of a link are edited live, with the keyboard", () =>
    on({}, async (page) => {
      await page.locator("#tab-url").click();
      await type(page, undefined, "https://h.example/a%20b/c?x=1&flag&old=%E9#f");
      await idle(page);
      const part = (name) => page.getByLabel(name, { exact: true });
      await part("Path 1").focus();
      await page.keyboard.press("End");
      await page.keyboard.type("/é");
      await shows(page, "encoded", "https://h.example/a%20b%2F%C3%A9/c?x=1&flag&old=%E9#f");
      assert.equal(await part("Path 1").evaluate((field) => document.activeElement === field), true);
      await page.keyboard.type("!");
      await shows(page, "encoded", "https://h.example/a%20b%2F%C3%A9!/c?x=1&flag&old=%E9#f");
      // Further edits come before the answer to the first one.
      await part("Host").focus();
      await page.keyboard.type("www.");
      await part("Value 2").focus();
      await page.keyboard.type("a b");
      await part("Fragment").focus();
      await page.keyboard.press("End");
      await page.keyboard.type(" 2");
      await shows(page, "encoded", /^https:\/\/(www\.h\.example|h\.examplewww\.)\/a%20b%2F%C3%A9!\/c\?x=1&flag=a%20b&old=%E9#f%202$/);
      // Bytes that aren't UTF-8 stay as they are.
      await part("Value 3").focus();
      await page.keyboard.press("End");
      await page.keyboard.type("x");
      await shows(page, "encoded", /old=%E9x#f%202$/);
    }));

  test("a nested link is opened, edited, and written back into the link around it", () =>
    on({}, async (page) => {
      await page.locator("#tab-url").click();
      const outer = "https://h/?next=https%3A%2F%2Fp.example%2F%3Fid%3D1&z=2";
      await type(page, undefined, outer);
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await shows(page, "encoded", "https://p.example/?id=1");
      await page.getByRole("button", { name: "Back to the outer link" }).click();
      await shows(page, "encoded", outer);
      await page.getByRole("button", { name: "Open", exact: true }).click();
      const value = page.getByLabel("Value 1", { exact: true });
      await page.waitForFunction(() => document.querySelector('#query [aria-label="Value 1"]').value === "1");
      await value.fill("a b");
      await value.blur();
      await shows(page, "encoded", "https://p.example/?id=a%20b");
      await page.getByRole("button", { name: "Back to the outer link" }).click();
      await shows(page, "encoded", "https://h/?next=https%3A%2F%2Fp.example%2F%3Fid%3Da%2520b&z=2");
      assert.equal(await page.getByRole("button", { name: "Back to the outer link" }).count(), 0);
      await type(page, undefined, "https://a.example/?u=https%3A%2F%2Fb.example%2F%3Fu%3Dhttps%253A%252F%252Fc.example%252F");
      for (const expected of ["https://b.example/?u=https%3A%2F%2Fc.example%2F", "https://c.example/"]) {
        await page.getByRole("button", { name: "Open", exact: true }).click();
        await shows(page, "encoded", expected);
      }
      await page.getByLabel("Host", { exact: true }).fill("d.example");
      await shows(page, "encoded", "https://d.example/");
      await page.getByRole("button", { name: /^https:\/\/a\.example/ }).click();
      await shows(page, "encoded", "https://a.example/?u=https%3A%2F%2Fb.example%2F%3Fu%3Dhttps%253A%252F%252Fd.example%252F");
    }));

  test("a click in the map of ASCII creates a set", () =>
    on({}, async (page) => {
      await type(page, "decoded", "a/b");
      await page.locator("#tab-map").click();
      await page.locator('#map [data-byte="47"]').click();
      await shows(page, "encoded", "a/b");
      assert.equal(await page.locator("#set").inputValue(), "OWN");
      await page.locator("#own").fill("a");
      await shows(page, "encoded", "a%2F%62");
      // An arrow moves to the character below, in a wide map and in a narrow one.
      for (const [width, below] of [[1280, 63], [390, 55]]) {
        await page.setViewportSize({ width, height: 800 });
        await page.locator('#map [data-byte="47"]').focus();
        await page.keyboard.press("ArrowDown");
        assert.equal(await page.evaluate(() => document.activeElement.dataset.byte), String(below));
      }
    }));

  test("a set is found by the name of its function, and a link is then encoded with it", () =>
    on({}, async (page) => {
      await type(page, undefined, "https://h/a b?c=~");
      await idle(page);
      await page.locator("#settings > summary").click();
      await page.locator("#search").fill("python");
      await page.getByRole("button", { name: "Python urllib.parse.quote_plus", exact: true }).click();
      await shows(page, "encoded", "https%3A%2F%2Fh%2Fa+b%3Fc%3D~");
      assert.equal(await page.locator("#found [aria-pressed=true]").innerText(), "Python urllib.parse.quote_plus");
      await page.locator("#search").fill("encodeURI");
      await page.keyboard.press("Enter");
      await shows(page, "encoded", "https://h/a%20b?c=~");
      await page.locator("#search").fill("no such name");
      assert.equal(await page.locator("#found").innerText(), "No set or function has this name.");
      await page.locator("#search").fill("");
      assert.equal(await page.locator("#found").isHidden(), true);
    }));

  test("the reference has every example as a button, which makes it the text of the page", () =>
    on({}, async (page) => {
      await page.locator("#tab-reference").click();
      const { TEXTS, LINKS } = await import("../src/reference.js");
      for (const example of TEXTS.flatMap(({ examples }) => examples ?? [])) {
        await page.locator("#reference").getByRole("button", { name: example, exact: true }).first().click();
        await page.waitForFunction((text) => document.documentElement.dataset.idle === "true" && document.querySelector("#input .cm-content").textContent === text, example);
        assert.notEqual(await page.locator("#answer").getAttribute("data-tone"), null, example);
      }
      for (const [name, expected] of [["CR LF  %0D%0A", "%0D%0A"], ["£  %C2%A3", "%C2%A3"], ["-  %2D", "-"], ["円  %E5%86%86", "%E5%86%86"]]) {
        await page.getByRole("button", { name, exact: true }).click();
        await shows(page, "encoded", expected);
      }
      await type(page, undefined, "~'");
      await idle(page);
      await page.locator("#reference table").getByRole("button", { name: "RFC 1738" }).click();
      await shows(page, "encoded", "%7E'");
      const links = await page.locator("#reference a").evaluateAll((all) => all.map(({ href, rel }) => [new URL(href).protocol, rel]));
      assert.deepEqual(links, LINKS.rows.map(() => ["https:", "noopener noreferrer"]));
    }));

  test("the results of other functions are those of the real functions", () =>
    on({}, async (page) => {
      await page.locator("#tab-others").click();
      await type(page, "decoded", "~ *é");
      await idle(page);
      const rows = await page.locator("#others tbody tr").allInnerTexts();
      const of = (name) => rows.find((row) => row.startsWith(name)).split("\t")[1].trim();
      assert.equal(of("PHP urlencode"), "%7E+%2A%C3%A9");
      assert.equal(of("Java URLEncoder"), "%7E+*%C3%A9");
      assert.equal(of("Python urllib.parse.quote"), "~%20%2A%C3%A9");
    }));

  test("code is shown in one language, which is remembered, and says which options it leaves out", () =>
    on({}, async (page) => {
      await type(page, "encoded", `${"a".repeat(58)}%C3%A9%20b`);
      await page.locator("#tab-code").click();
      await idle(page);
      assert.match(await page.locator("#code pre").innerText(), /decodeURIComponent\("a{58}"\)/, "no sample ends inside an escape");
      await page.getByRole("button", { name: "Go", exact: true }).click();
      assert.match(await page.locator("#code pre").innerText(), /url\.PathUnescape/);
      await set(page, "strict", true);
      await set(page, "depth", "2");
      await page.waitForFunction(() => document.querySelector("#code .badge")?.textContent === "This code leaves out: Layers to decode, Reject a malformed %");
      await page.reload();
      page.requests.length = 1;
      await page.waitForSelector("html[data-ready=true]");
      await page.locator("#tab-code").click();
      await idle(page);
      assert.equal(await page.locator("#code h3").innerText(), "Go");
    }));

  test("code says which languages can't do the operation", () =>
    on({ hash: "#set=ALL&decoded=ab&view=code" }, async (page) => {
      await idle(page);
      assert.equal(await page.locator("#code .note").innerText(), "Not possible in: pct, Python, JavaScript, Go, PHP, Java, C (libcurl), curl, ClickHouse, DuckDB, Spark SQL");
      assert.match(await page.locator("#code pre").innerText(), /ByteSet::EMPTY/);
    }));

  test("a link holds the state, but only if the user asks for a link", () =>
    on({}, async (page) => {
      await type(page, "decoded", "a b");
      await set(page, "set", "WHATWG_FORM");
      assert.equal(await page.evaluate(() => location.hash), "");
      await page.locator("#link").click();
      await page.waitForFunction(() => location.hash !== "");
      const hash = await page.evaluate(() => location.hash);
      assert.match(hash, /decoded=a%20b/);
      const again = await open(browser, { hash });
      await shows(again, "encoded", "a+b");
      await again.context().close();
    }));

  test("a link has the same effect in an open page as in a new one", () =>
    on({ hash: "#set=ALL&strict=true&view=code&decoded=a%2Fb" }, async (page) => {
      await shows(page, "encoded", "%61%2F%62");
      await page.evaluate(() => (location.hash = "decoded=a%2Fb%20c"));
      await shows(page, "encoded", "a%2Fb%20c");
      assert.equal(await page.locator("#strict").isChecked(), false);
      assert.equal(await page.locator("#tab-explain").getAttribute("aria-selected"), "true");
      await set(page, "set", "ALL");
      await page.evaluate(() => (location.hash = "input")); // no link: it skips to the text
      await page.waitForFunction(() => location.hash === "#input");
      await shows(page, "encoded", "%61%2F%62%20%63");
      assert.equal(await page.locator("#set").inputValue(), "ALL");
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
            await settled(page);
            const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
            const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, any }) => `${html.slice(0, 90)} ${any[0]?.message ?? ""}`).slice(0, 3)}`);
            assert.deepEqual(told, [], `${theme} ${view}`);
          }
        }
      }));
  }

  test("axe-core finds nothing for any verdict", () =>
    on({ bypassCSP: true, viewport: { width: 390, height: 844 } }, async (page) => {
      await page.evaluate(await readFile(axe, "utf8"));
      for (const theme of ["light", "dark", "contrast"]) {
        await page.selectOption("#theme", theme);
        for (const text of ["", "https://h/a b%", "https://h/", "https://google.com@evil.example/%E2%80%AE", "a%2520b", "%CF%F0%E8", "a b & c", "http://a b/", "GET /a%20b HTTP/1.1\nGET /c%20d HTTP/1.1\nPOST /a b HTTP/1.1"]) {
          await type(page, undefined, text);
          await idle(page);
          await settled(page);
          const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
          assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 90))}`), [], `${theme} ${text}`);
        }
      }
    }));

  test("axe-core finds nothing for a long text on a phone", () =>
    on({ bypassCSP: true, viewport: { width: 390, height: 844 } }, async (page) => {
      await page.evaluate(await readFile(axe, "utf8"));
      const pair = "name-of-a-parameter=caf%25C3%25A9%2520au%2520lait&";
      await type(page, undefined, `https://h/?${pair.repeat(60)}`);
      for (const view of ["explain", "layers", "url", "map", "code", "others", "files", "reference"]) {
        await page.locator(`#tab-${view}`).click();
        await settled(page);
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 90))}`), [], view);
      }
    }));

  test("right to left", () =>
    on({ locale: "he-IL" }, async (page) => {
      assert.equal(await page.evaluate(() => document.documentElement.dir), "rtl");
      await type(page, "decoded", "שלום");
      await shows(page, "encoded", "%D7%A9%D7%9C%D7%95%D7%9D");
      const left = await page.locator("#input-pane").boundingBox();
      const right = await page.locator("#answer").boundingBox();
      assert.ok(left.x > right.x, "the text is on the right");
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    }));

  test("with only the keyboard", () =>
    on({}, async (page) => {
      // The text of the example is selected, so typing replaces it.
      await page.keyboard.type("a b");
      await shows(page, "encoded", "a%20b");
      const reached = [];
      for (let at = 0; at < 26; at++) {
        await page.keyboard.press("Tab");
        // The options are folded.
        if (await page.evaluate(() => document.activeElement.parentElement.id === "settings")) await page.keyboard.press("Enter");
        reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.dataset.action || document.activeElement.closest(".editor")?.id || document.activeElement.tagName));
      }
      for (const id of ["paste", "clear", "kind", "copy", "swap", "output", "mode", "set", "plus", "lines", "link", "tab-explain", "view-explain"]) assert.ok(reached.includes(id), `${id} of ${reached}`);
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

  test("wide screens have three columns, and touch screens another hint", async () => {
    for (const locale of ["en-US", "he-IL"]) {
      await on({ viewport: { width: 1440, height: 900 }, locale }, async (page) => {
        const boxes = await Promise.all(["#input-pane", "#answer", ".views"].map((name) => page.locator(name).boundingBox()));
        if (locale === "he-IL") boxes.reverse();
        for (const at of [1, 2]) assert.ok(boxes[at - 1].x + boxes[at - 1].width <= boxes[at].x, "the columns are side by side");
        assert.ok(Math.max(...boxes.map(({ y }) => y)) - Math.min(...boxes.map(({ y }) => y)) < 2);
        assert.equal(await page.locator('label [data-t="theme"]').isVisible(), true);
      });
    }
    await on({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, async (page) => {
      await page.locator("#clear").tap();
      await idle(page);
      assert.match(await page.locator("#inspector").innerText(), /^Tap an escape/);
    });
  });

  for (const width of [320, 390, 768, 1280, 1440, 1920]) {
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
  test("10 MB are pasted and typed into", () =>
    on({}, async (page) => {
      for (const line of ["", "\n"]) {
        const text = `the quick brown fox, 100% & é ${line}`.repeat(Math.ceil(1e7 / 31));
        await page.locator("#clear").click();
        await shows(page, "encoded", "");
        await paste(page, text);
        for (let at = 0; at < 10; at++) await page.keyboard.press("x");
        const length = new Intl.NumberFormat("en").format(text.length + 10);
        await page.waitForFunction((length) => document.querySelector("#input-status").textContent.startsWith(`${length} characters`), length);
        await page.waitForFunction(() => /Copy and download/.test(document.querySelector("#output-status").textContent));
      }
    }));

  test("only the visible part of a long line, or of many lines, is laid out and marked", () =>
    on({}, async (page) => {
      // Count the elements that the page creates.
      await page.evaluate(() => {
        const counts = (globalThis.counts = { made: 0 });
        const { createElement } = Document.prototype;
        Document.prototype.createElement = function (...names) {
          counts.made++;
          return createElement.apply(this, names);
        };
      });
      for (const text of ["%C3%A9".repeat(5000), "a%20b".repeat(5000), "%".repeat(5000), "%".repeat(1e6)]) {
        await page.evaluate(() => (globalThis.counts.made = 0));
        await pasteOver(page, `https://h/${text}`);
        await idle(page);
        const [marks, laidOut] = await page.evaluate(() => [
          document.querySelectorAll("#input .e").length,
          Math.max(...[...document.querySelectorAll(".editor .cm-content")].map(({ textContent }) => textContent.length)),
        ]);
        const { made } = await page.evaluate(() => globalThis.counts);
        assert.ok(marks > 0 && marks <= 700, `${marks} marks`);
        assert.ok(laidOut <= 8000, `${laidOut} characters are laid out`);
        assert.ok(made <= 6000, `${made} elements were made`);
      }
      // Without a text, the answer is hidden.
      await page.locator("#clear").click();
      await shows(page, "encoded", "");
      await page.evaluate(() => (globalThis.counts.made = 0));
      await paste(page, "/caf%C3%A9?q=a%20b%zz\n".repeat(13_000));
      await shows(page, "decoded", /^\/café\?q=a b%zz\n/);
      const { made } = await page.evaluate(() => globalThis.counts);
      assert.ok(made <= 2000, `${made} elements were made for many lines`);
    }));

  test("a file goes through a worker piece by piece", async () => {
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
        await inFiles(page, { path });
        const [worker] = page.workers();
        // Count the bytes that are read but not yet in a Blob, because the browser may store a Blob on disk. Each line of 22 bytes becomes a line of 16 bytes.
        await worker.evaluate(() => {
          const counts = (globalThis.counts = { read: 0, given: 0, most: 0 });
          const { read } = ReadableStreamDefaultReader.prototype;
          ReadableStreamDefaultReader.prototype.read = async function () {
            const result = await read.call(this);
            counts.read += result.value?.length ?? 0;
            counts.most = Math.max(counts.most, counts.read - (counts.given * 22) / 16);
            return result;
          };
          globalThis.Blob = class extends Blob {
            constructor(parts) {
              super(parts);
              for (const part of parts) counts.given += part.byteLength ?? 0;
            }
          };
        });
        await page.locator("#file-start").click();
        await page.waitForSelector("#file-result a");
        const lines = written / 22;
        const status = await page.locator("#file-status").innerText();
        assert.match(status, new RegExp(`malformed escapes: ${new Intl.NumberFormat("en").format(lines)}`));
        const { read, given, most } = await worker.evaluate(() => globalThis.counts);
        assert.deepEqual([read, given], [written, lines * 16]);
        assert.ok(most < bytes / 2 && most < 1 << 24, `${most} bytes of ${bytes} were held at once`);
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

/** Opens the view of files, and chooses a file by its path or its content. The results become Blobs. */
async function inFiles(page, { path, contents }) {
  await page.evaluate(() => (document.documentElement.dataset.blob = "true"));
  await page.locator("#tab-files").click();
  await page.locator("#file").setInputFiles(path ?? { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from(contents) });
}

/** Processes the chosen file, and returns the bytes of the result. */
async function madeOfFile(page) {
  await page.locator("#file-start").click();
  await page.waitForSelector("#file-start:not([disabled])");
  assert.match(await page.locator("#file-status").innerText(), /^Done/);
  const download = page.waitForEvent("download");
  await page.locator("#file-result a").click();
  return readFile(await (await download).path());
}

/** Processes a text as a file with the current options. `expected` is the expected result, or the expected message. */
async function isMadeOfFile(page, encodes, input, expected) {
  await inFiles(page, { contents: input });
  await page.selectOption("#file-direction", encodes ? "encode" : "decode");
  if (expected instanceof RegExp) {
    await page.locator("#file-start").click();
    return showsStatus(page, expected);
  }
  assert.deepEqual(await madeOfFile(page), Buffer.from(expected));
}

describe("files obey the options on screen", () => {
  test("the set keeps whole characters, as in text", () =>
    on({ acceptDownloads: true, hash: "#set=OWN&own=aé" }, async (page) => {
      await type(page, "decoded", "aéãb");
      await shows(page, "encoded", "a%C3%A9%C3%A3%62");
      await isMadeOfFile(page, true, "aéãb", "a%C3%A9%C3%A3%62");
    }));

  test("bytes that are not UTF-8 are refused if the operation needs text, and otherwise reported", () =>
    on({ acceptDownloads: true }, async (page) => {
      const broken = Buffer.from("a\xff", "latin1");
      for (const options of [{ mode: "iri" }, { mode: "normalize" }, { mode: "escape" }]) {
        for (const encodes of [true, false]) {
          for (const [id, value] of Object.entries(options)) await set(page, id, value);
          await isMadeOfFile(page, encodes, broken, /^Not UTF-8 from character 2 on\./);
          assert.equal(await page.locator("#file-result a").count(), 0);
        }
      }
      await set(page, "mode", "percent");
      await set(page, "charset", "shift_jis");
      await isMadeOfFile(page, true, broken, /^Not UTF-8 from character 2 on\./);
      await isMadeOfFile(page, false, "%95%5C%zz%FF", "表%zz\ufffd");
      assert.match(await page.locator("#file-status").innerText(), /malformed escapes: 1 · replaced by U\+FFFD: 1$/);
      await set(page, "charset", "auto");
      await isMadeOfFile(page, false, "a%FF", Buffer.from("a\xff", "latin1"));
    }));

  /** Options that need the whole file. Each has the start of the page's message, and the directions that need it: true encodes, false decodes. */
  const WHOLE = [
    [{ mode: "iri" }, /^Operation: this option needs/, [true, false]],
    [{ newline: "crlf" }, /^Line ends: this option needs/, [true]],
    [{ charset: "windows-1251" }, /^Character set: this option needs/, [true, false]],
    [{ charset: "utf-8" }, /^Character set: this option needs/, [false]],
    [{ depth: "2" }, /^Layers to decode: this option needs/, [false]],
    [{ wrap: true, newline: "lf" }, /^Line ends, Lines of 76 characters: this option needs/, [true]],
    [{ wrap: true }, /^Lines of 76 characters: this option needs the whole file at once, which is possible up to 32 MB\. The file has 32\.1 MB\./, [true, false]],
  ];
  const hashOf = (options) => `#${Object.entries(options).map(([key, value]) => `${key}=${value}`).join("&")}`;

  test("an option that needs the whole of a large file is refused before the work starts", async () => {
    const folder = await mkdtemp(join(tmpdir(), "page-"));
    const path = join(folder, "large.txt");
    try {
      const file = await openFile(path, "w");
      await file.truncate(32_100_000);
      await file.close();
      for (const [options, said, directions] of WHOLE) {
        await on({ hash: hashOf(options) }, async (page) => {
          await inFiles(page, { path });
          // The page must ask neither the user for a file nor the worker for work.
          await page.evaluate(() => {
            delete document.documentElement.dataset.blob;
            globalThis.asked = 0;
            window.showSaveFilePicker = async () => globalThis.asked++;
          });
          for (const encodes of directions) {
            await page.selectOption("#file-direction", encodes ? "encode" : "decode");
            await page.locator("#file-start").click();
            await showsStatus(page, said);
          }
          assert.deepEqual([await page.evaluate(() => globalThis.asked), await page.locator("#file-cancel").isVisible(), await page.locator("#file-result a").count()], [0, false, 0]);
        });
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("an option that has no effect on fields is refused before the work starts", async () => {
    const csv = "a,url\n1,%41+%2541?+\n";
    const refused = [
      [{ mode: "normalize" }, "Operation", [true, false]],
      [{ charset: "windows-1251" }, "Character set", [true, false]],
      [{ newline: "lf" }, "Line ends", [true]],
      [{ wrap: true, lines: true }, "Lines of 76 characters, Each line separately", [true, false]],
      [{ strict: true }, "Reject a malformed %", [false]],
    ];
    for (const [options, label, directions] of refused) {
      await on({ hash: hashOf(options) }, async (page) => {
        await inFiles(page, { contents: csv });
        await page.selectOption("#file-format", "csv");
        for (const encodes of directions) {
          await page.selectOption("#file-direction", encodes ? "encode" : "decode");
          await page.locator("#file-start").click();
          await showsStatus(page, new RegExp(`^${label}: this option has no effect on fields`));
        }
      });
    }
    // In the other direction, these options have no effect.
    for (const [options, encodes, expected] of [
      [{ strict: true, depth: 2 }, true, "a,url\n1,%2541%2B%252541%3F%2B\n"],
      [{ newline: "lf", hex: "lower", depth: 2, plus: "query" }, false, "a,url\n1,A+A? \n"],
    ]) {
      await on({ acceptDownloads: true, hash: hashOf(options) }, async (page) => {
        await inFiles(page, { contents: csv });
        await page.selectOption("#file-format", "csv");
        await page.locator("#file-fields").fill("url");
        await page.selectOption("#file-direction", encodes ? "encode" : "decode");
        assert.equal(String(await madeOfFile(page)), expected);
      });
    }
  });
});

describe("a file can be cancelled", () => {
  test("while it waits for the disk", () =>
    on({ acceptDownloads: true }, async (page) => {
      await inFiles(page, { contents: "a%41" });
      const [worker] = page.workers();
      await worker.evaluate(() => {
        const { stream } = Blob.prototype;
        Blob.prototype.stream = function () {
          Blob.prototype.stream = stream;
          // Return one piece, and then wait forever.
          return new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(100).fill(0x61)) });
        };
      });
      await page.locator("#file-start").click();
      await showsStatus(page, /^100 bytes read/);
      assert.equal(await page.locator("#file-start").isDisabled(), true);
      await page.locator("#file-cancel").click();
      await showsStatus(page, /^Cancelled · 100 bytes read/);
      assert.deepEqual([await page.locator("#file-cancel").isVisible(), await page.locator("#file-result a").count()], [false, 0]);
      assert.equal(String(await madeOfFile(page)), "aA");
    }));

  test("before the work has started", () =>
    on({ acceptDownloads: true }, async (page) => {
      await inFiles(page, { contents: "url\n%41\n" });
      await page.selectOption("#file-format", "csv");
      await page.evaluate(() => {
        document.querySelector("#file-start").click();
        return Promise.resolve().then(() => document.querySelector("#file-cancel").click());
      });
      await showsStatus(page, /^Cancelled$/);
      assert.equal(String(await madeOfFile(page)), "url\nA\n");
    }));

  test("with a file that the user has chosen, which stays unchanged", () =>
    on({}, async (page) => {
      await inFiles(page, { contents: "a%41" });
      const [worker] = page.workers();
      await worker.evaluate(() => {
        globalThis.ends = [];
        globalThis.handle = { createWritable: async () => ({ write: async () => {}, close: async () => globalThis.ends.push("close"), abort: async () => globalThis.ends.push("abort") }) };
        const { stream } = Blob.prototype;
        Blob.prototype.stream = function () {
          Blob.prototype.stream = stream;
          return new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(100)) });
        };
        // Pass the browser's handle to the worker as it is.
        addEventListener("message", ({ data }) => data.type === "file" && (data.handle = globalThis.handle), { capture: true });
        const { onmessage } = globalThis;
        globalThis.onmessage = null;
        globalThis.onmessage = onmessage;
      });
      await page.locator("#file-start").click();
      await showsStatus(page, /^100 bytes read/);
      await page.locator("#file-cancel").click();
      await showsStatus(page, /^Cancelled/);
      await page.locator("#file-start").click();
      await showsStatus(page, /^Done/);
      assert.deepEqual(await worker.evaluate(() => globalThis.ends), ["abort", "close"]);
    }));
});

test("a lack of memory is reported in the user's language, and the page continues to work", () =>
  on({ locale: "cs-CZ" }, async (page) => {
    const [worker] = page.workers();
    await worker.evaluate(() => {
      const { grow } = WebAssembly.Memory.prototype;
      WebAssembly.Memory.prototype.grow = () => {
        WebAssembly.Memory.prototype.grow = grow;
        throw new RangeError("refused");
      };
    });
    await paste(page, "a b ".repeat(1 << 20));
    await page.waitForFunction(() => document.querySelector("#failure").textContent === "Nedostatek paměti.");
    await type(page, "decoded", "a b");
    await shows(page, "encoded", "a%20b");
    assert.equal(await page.locator("#failure").isVisible(), false);
  }));

// `pct` is the oracle. web/scripts/test builds it, and passes its path to this test.
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

test("fields of a file become the same as with pct", { skip: process.env.PCT ? false : "PCT is not set to the path of pct" }, async () => {
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
      await page.waitForFunction(() => /lacks the field/.test(document.querySelector("#file-status").textContent));
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
      await shows(page, "encoded", "a%20b");
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
  await shows(page, "encoded", "a%20b");
  await page.context().close();
});
