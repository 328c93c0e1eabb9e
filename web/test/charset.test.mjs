// Tests the guess of a charset, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeText, guessCharset, otherReadings } from "../src/charset.js";

const TEXTS = [
  ["windows-1251", "Привет"], ["windows-1251", "привет мир"], ["koi8-r", "Привет, мир"], ["koi8-r", "привет"], ["ibm866", "Привет"],
  ["windows-1252", "Müller straße"], ["windows-1250", "Příliš žluťoučký kůň"], ["windows-1250", "žlutý"], ["windows-1253", "Καλημέρα"],
  ["windows-1254", "ağaç İstanbul"], ["windows-1255", "שלום עולם"], ["windows-1256", "مرحبا بالعالم"], ["shift_jis", "日本語テスト"],
  ["shift_jis", "こんにちは"], ["euc-jp", "こんにちは世界"], ["gbk", "你好世界"], ["big5", "你好世界"], ["euc-kr", "안녕하세요"],
  ["gbk", "你好"], ["gbk", "中文"], ["gbk", "北京"], ["gbk", "新闻"], ["big5", "中文"], ["big5", "台灣"], ["big5", "你好"], ["euc-kr", "한국"], ["euc-kr", "서울"],
  ["euc-kr", "검색"], ["euc-kr", "뉴스"], ["shift_jis", "日本"], ["shift_jis", "検索"], ["euc-jp", "ニュース"], ["euc-jp", "日本"], ["euc-jp", "検索"],
  ["gbk", "酒店"], ["gbk", "手机"], ["big5", "電影"], ["big5", "密碼"], ["euc-jp", "大阪"], ["euc-jp", "山田太郎"], ["shift_jis", "映画"], ["euc-kr", "병원"], ["euc-kr", "비밀번호"],
  ["windows-1252", "100\u00ad"], ["windows-1252", "©"], ["windows-1252", "25°C"], ["windows-1251", "Москва"], ["windows-1250", "Škoda"], ["windows-1255", "אהבה"],
];

test("the charset is guessed from the text, not from the language of the page", () => {
  for (const [label, text] of TEXTS) {
    const bytes = encodeText(text, label);
    for (const language of ["en", "cs", "he", "ru"]) {
      // In several charsets, some bytes are the same text.
      const guess = guessCharset(bytes, language);
      if (new TextDecoder(guess).decode(bytes) !== text) assert.equal(guess, label, `${text} in ${label}, page in ${language}`);
    }
  }
});

test("only the first bytes of characters are cut UTF-8", () => {
  for (const bytes of [[0xe4, 0xbd], [0x41, 0x20, 0xf0, 0x9f, 0x98], [0xe2, 0x80, 0x26, 0xe5, 0xa5], [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]]) assert.equal(guessCharset(Uint8Array.from(bytes), "en"), "utf-8", bytes);
  for (const [label, text] of [["windows-1250", "guláš"], ["windows-1250", "Kníže"], ["windows-1252", "é"], ["windows-1252", "a\u00a0"], ["gbk", "来"], ["gbk", "中"], ["koi8-r", "да"]]) assert.equal(guessCharset(encodeText(text, label), "en"), label, text);
});

test("the guess reads the first bytes beyond ASCII, wherever they are", () => {
  const bytes = encodeText(`${"a ".repeat(50_000)}Привет, мир`, "windows-1251");
  assert.equal(guessCharset(bytes, "en"), "windows-1251");
});

test("if several charsets are equally likely, the language of the page decides", () => {
  const bytes = encodeText("café", "windows-1252");
  assert.deepEqual(["en", "cs"].map((language) => guessCharset(bytes, language)), ["windows-1252", "windows-1250"]);
});

test("a text that is readable in several charsets has several readings", () => {
  const readings = (text, label) => otherReadings(encodeText(text, label), "en", guessCharset(encodeText(text, label), "en")).map(({ label, value }) => [label, value]);
  for (const [label, text] of [["gbk", "考试"], ["euc-jp", "居酒屋"], ["euc-kr", "숙제"]]) assert.deepEqual(readings(text, label).find(([other]) => other === label), [label, text]);
  for (const [label, text] of [["windows-1251", "привет мир"], ["gbk", "中文"], ["windows-1252", "Müller straße"]]) assert.deepEqual(readings(text, label), [], text);
});
