// Checks the page's texts. Each text must exist in all languages, have a form for each plural category, and be used.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";
import { LANGUAGES, MESSAGES, PLURALS, setLanguage, t } from "../src/i18n.js";
import { COMMON_CONTROLS, CONTROL, INVISIBLE, PUNCTUATION, nameOf } from "../src/names.js";
import { HISTORY, LINKS, SETS, TEXTS } from "../src/reference.js";
import { here } from "./open.mjs";

const names = Object.keys(LANGUAGES);
/** The script in which each language is written. */
const SCRIPT = { en: /\p{Script=Latin}/u, cs: /\p{Script=Latin}/u, he: /\p{Script=Hebrew}/u, ru: /\p{Script=Cyrillic}/u };
/** Each item is a key and a language. The text of this key is the same in English and in this language. */
const SAME = new Set(["part_port cs", "part_fragment cs"]);

const all = [
  ...Object.entries(MESSAGES),
  ...[...TEXTS, HISTORY, SETS, LINKS].map(({ title }, at) => [`title ${at}`, title]),
  ...TEXTS.map(({ text }, at) => [`section ${at}`, text]),
  ...HISTORY.rows,
  ...["text", "unreserved", "reserved"].map((key) => [`sets ${key}`, SETS[key]]),
  ["control", CONTROL],
  ...[COMMON_CONTROLS, INVISIBLE].flatMap((table) => Object.entries(table)),
];

test("every text exists in every language", () => {
  for (const [key, texts] of all) {
    assert.equal(texts.length, names.length, key);
    texts.forEach((text, at) => {
      assert.match(text, SCRIPT[names[at]], `${key} in ${names[at]}: ${text}`);
      if (at > 0 && !SAME.has(`${key} ${names[at]}`)) assert.notEqual(text, texts[0], `${key} in ${names[at]} is the English`);
      assert.equal(text.trim(), text, key);
      assert.equal((text.match(/`/g) ?? []).length % 2, 0, `${key} in ${names[at]}: backticks come in pairs`);
      assert.doesNotMatch(text, /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/, `${key} in ${names[at]}: backticks say what runs from left to right`);
    });
  }
  for (const [character, texts] of Object.entries(PUNCTUATION)) assert.equal(new Set(texts.filter(Boolean)).size >= 3, true, character);
});

test("all languages have the arguments that English has, and the forms of their plurals", () => {
  const argumentsOf = (text) => [...new Set([...text.matchAll(/\{(\d)/g)].map(([, at]) => at))].sort();
  for (const [key, texts] of Object.entries(MESSAGES)) {
    texts.forEach((text, at) => {
      assert.deepEqual(argumentsOf(text), argumentsOf(texts[0]), `${key} in ${names[at]}`);
      for (const [, forms] of text.matchAll(/\{\d\?([^}]*)\}/g)) assert.equal(forms.split("|").length, PLURALS[names[at]].length, `${key} in ${names[at]}`);
    });
  }
});

test("plurals", () => {
  const said = (language, key, ...values) => (setLanguage([language]), t(key, ...values));
  for (const [count, expected] of [[1, "1 символ"], [3, "3 символа"], [5, "5 символов"], [11, "11 символов"], [21, "21 символ"]]) assert.equal(said("ru", "characters", count), expected);
  for (const [count, expected] of [[1, "1 znak"], [4, "4 znaky"], [5, "5 znaků"], [22, "22 znaků"]]) assert.equal(said("cs", "characters", count), expected);
  for (const [count, expected] of [[1, "תו אחד"], [2, "שני תווים"], [3, "3 תווים"]]) assert.equal(said("he", "characters", count), expected);
  for (const [count, expected] of [[1, "1 character"], [1200, "1,200 characters"]]) assert.equal(said("en", "characters", count), expected);
  assert.equal(said("he", "notUriAt", 3, "%&a"), "מהתו \u20683\u2069: \u2068%&a\u2069", "arguments keep their direction");
  assert.equal(said("he", "why8").includes("\u2066%25\u2069"), true);
  setLanguage(["en"]);
});

test("every text that the page uses exists, and every text is used", async () => {
  const folder = here("../src/");
  let source = "";
  for (const file of await readdir(folder, { recursive: true })) if (file !== "i18n.js" && file !== "view") source += await readFile(folder + file, "utf8");
  const asked = new Set([...source.matchAll(/\bt\(\s*"([\w-]+)"|data-(?:t|label)="([\w-]+)"/g)].map(([, a, b]) => a ?? b));
  for (const key of asked) assert.ok(key in MESSAGES, key);
  // The code builds some keys from a fixed and a variable part, or takes them from a table.
  const isBuilt = (key) => /^(why|class|found|error_|part_|view|set|key|verdict_|repair_|danger_|name_|kind_)/.test(key) || source.includes(`"${key}"`) || new RegExp(`\\b${key}\\b[,:}]`).test(source);
  for (const key of Object.keys(MESSAGES)) assert.ok(asked.has(key) || isBuilt(key), `no code uses ${key}`);
  const { STATUS } = await import("../../packages/npm/abi.js");
  for (const status of [...STATUS.slice(1), "format", "too-long", "no-memory", "too-large", "internal"]) assert.ok(`error_${status}` in MESSAGES, status);
});

test("every character of ASCII and every invisible character has a name in every language", () => {
  for (const language of names) {
    for (const code of [...Array(128).keys(), ...Object.keys(INVISIBLE).map(Number), 0xe9, 0x1f600]) {
      const name = nameOf(code, language).replace(/^U\+[0-9A-F]+ /, "");
      assert.match(name, SCRIPT[language], `${code} in ${language}: ${name}`);
    }
  }
});
