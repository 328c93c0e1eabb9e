// Tests the guess of a charset, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeText, readingsOf } from "../src/charset.js";

const guessCharset = (bytes, language) => readingsOf(bytes, language).charset;

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
  const readings = (text, label) => {
    const { charset, others } = readingsOf(encodeText(text, label), "en");
    return others(charset).map(({ label, value }) => [label, value]);
  };
  for (const [label, text] of [["gbk", "考试"], ["euc-jp", "番号"], ["euc-kr", "숙제"]]) assert.deepEqual(readings(text, label).find(([other]) => other === label), [label, text]);
  for (const [label, text] of [["windows-1251", "привет мир"], ["gbk", "中文"], ["windows-1252", "Müller straße"]]) assert.deepEqual(readings(text, label), [], text);
});

// Words of a language, in kanji, hanzi or Hangul without kana, so that only common characters distinguish the charsets.
const WORDS = [
  ["euc-jp", "電話 番号 検索 映画 音楽 新聞 天気 予報 料理 求人 情報 会社 学校 大学 病院 銀行 旅行 写真 動画 無料 商品 価格 辞書 英語 翻訳 地図 将棋 雑誌 財布 書籍 居酒屋 自転車 図書館 北海道"],
  ["gbk", "电话 号码 搜索 电影 音乐 新闻 天气 预报 菜谱 招聘 信息 公司 学校 大学 医院 银行 旅游 照片 视频 免费 商品 价格 词典 英语 翻译 地图 象棋 杂志 钱包 书籍 火锅 自行车 图书馆 淘宝网"],
  ["big5", "電話 號碼 搜尋 電影 音樂 新聞 天氣 預報 食譜 徵才 資訊 公司 學校 大學 醫院 銀行 旅遊 照片 影片 免費 商品 價格 字典 英語 翻譯 地圖 雜誌 皮夾 書籍 火鍋 汽車 圖書館"],
  ["euc-kr", "전화 번호 검색 영화 음악 뉴스 날씨 예보 요리 채용 정보 회사 학교 대학교 병원 은행 여행 사진 동영상 무료 상품 가격 사전 영어 번역 지도 잡지 지갑 게임 자전거 도서관"],
  ["koi8-r", "привет новости погода работа купить цена отзывы фильм музыка карта телефон адрес вход аэропорт"],
];

test("most words of a few characters are recognized, and almost all others are offered", () => {
  for (const [label, words] of WORDS) {
    const list = words.split(" ");
    const found = list.map((text) => {
      const bytes = encodeText(text, label);
      const { charset, others } = readingsOf(bytes, "en");
      return new TextDecoder(charset).decode(bytes) === text ? 2 : others(charset).some(({ value }) => value === text) ? 1 : 0;
    });
    const recognized = found.filter((how) => how === 2).length;
    const missing = list.filter((_, at) => found[at] === 0);
    assert.ok(recognized >= 0.85 * list.length && missing.length <= 0.1 * list.length, `${label}: ${recognized} of ${list.length}, missing ${missing}`);
  }
});

test("text in UTF-16 with a byte order mark is recognized", () => {
  for (const label of ["utf-16le", "utf-16be"]) {
    for (const text of ["\ufeff", "\ufeffHi\r\n", "\ufeffПривет"]) assert.equal(guessCharset(encodeText(text, label), "en"), label, JSON.stringify(text));
    // A control character, a single surrogate, and half a character.
    for (const text of ["\ufeff\0", "\ufeff\ud800"]) assert.notEqual(guessCharset(encodeText(text, label), "en"), label, JSON.stringify(text));
    assert.notEqual(guessCharset(encodeText("\ufeffHi", label).subarray(0, 5), "en"), label);
  }
});
