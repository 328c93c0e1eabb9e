// Charsets other than UTF-8. Browsers can decode all of them, but encode only UTF-8. So to encode, we use the browser's decoder: we decode
// each sequence of bytes that can be a character once, and store the results in a table.

/** The labels of the charsets, family by family, as in the Encoding Standard. */
export const CHARSETS = [
  "utf-8", "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256",
  "windows-1257", "windows-1258", "windows-874", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6",
  "iso-8859-7", "iso-8859-8", "iso-8859-8-i", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16",
  "koi8-r", "koi8-u", "ibm866", "macintosh", "x-mac-cyrillic", "shift_jis", "euc-jp", "iso-2022-jp", "gbk", "gb18030", "big5",
  "euc-kr", "utf-16le", "utf-16be",
];

/** The charset that readers of a language meet most often. This charset wins if several charsets are equally likely. */
const OF_LANGUAGE = { en: "windows-1252", cs: "windows-1250", he: "windows-1255", ru: "windows-1251" };

const CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйёіїєў";
const KANJI = "日本人大年会国中出一十学生上見行事分者前時地間長部同東方業私新聞検索京語文字";
/** The charsets to guess from. Each has the common letters of its languages, and some have scores for Han, kana and Hangul. */
const LIKELY = [
  ["windows-1252", "éèàçêôîùäöüßñáíóúâãõå"],
  ["windows-1250", "áéíěščřžýůúťďňąęłśżźćńóöüäőű"],
  ["windows-1251", CYRILLIC],
  ["koi8-r", CYRILLIC],
  ["windows-1253", "αοιετσνηυρπκμλςάέήίόύώδγ"],
  ["windows-1254", "ığşçöü"],
  ["windows-1255", "ילוהמתארשבנכעדחקפזגטסצםןךףץ"],
  ["windows-1256", "اليمنتربعدوهفسكقحجةىشص"],
  ["ibm866", CYRILLIC],
  ["shift_jis", KANJI, { han: 2, kana: 4 }],
  ["euc-jp", KANJI, { han: 2, kana: 4 }],
  ["gbk", "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后好世界文字北京新网站", { han: 3, kana: 2 }],
  ["big5", "的一是不了人我在有他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可裡後好世界文字台灣新網站", { han: 3, kana: 2 }],
  ["euc-kr", "이다는을의에가고하지로한기도사리자인어서은나시를그라대정요해스아수주전장일보무부만게안녕세니들과있것여오우상국울검색한글제회", { han: -4, kana: 2, hangul: 2 }],
];
/** The guess reads at most this many bytes. */
const GUESSED_BY = 1 << 14;

/** Hebrew letters that are only at the end of a word. */
const FINAL = /[ךםןףץ]/;

/** Scores how readable a text is. `common` has the common letters. */
function likeness(text, common, { han = 0, kana = 0, hangul = 0 } = {}) {
  let score = 0;
  let before = "";
  for (const character of text) {
    if (character >= "\u0080") {
      const isLatin = /\p{Script=Latin}/u.test(character);
      if (/[A-Za-z]/.test(before) && !isLatin) score -= 3;
      else if (/[\u3041-\u30ff]/.test(character)) score += kana;
      else if (/[\uac00-\ud7a3]/.test(character)) score += hangul + (common.includes(character) ? 3 : 0);
      else if (/\p{Script=Han}/u.test(character)) score += han + (common.includes(character) ? 3 : 0);
      else if (!/\p{L}/u.test(character) || /[\uff61-\uff9f]/.test(character)) score -= 3;
      else if (/\p{Lu}/u.test(character)) score += /\p{Ll}/u.test(before) ? -2 : 1;
      else score += common.includes(character) ? 2 : 1;
    }
    if (FINAL.test(before) && /\p{L}/u.test(character)) score -= 3;
    before = character;
  }
  return score;
}

/** Matches text whose only bytes beyond ASCII are the first ones of characters of UTF-8, two or three of each, without the last one. In other charsets,
 * such bytes are rare, except behind a letter of ASCII: `l%E1%9A` is `láš` in windows-1250. But `%E2%80`, the start of `’`, is rare there, too. */
const CUT = /^(?:[\0-\x7f]|(?:(?<![a-z])|(?=\xe2\x80))(?:[\xe0-\xef]|[\xf0-\xf4][\x80-\xbf]?)[\x80-\xbf](?![\x80-\xff]))*$/i;

/** Guesses the charset of text that isn't UTF-8. If it is only cut UTF-8, returns "utf-8". If some of its characters are UTF-8, also returns "utf-8", unless
 * the text is readable in another charset. */
export function guessCharset(bytes, language, hasUtf8 = false) {
  const sample = bytes.subarray(0, GUESSED_BY);
  if (CUT.test(Array.from(sample, (byte) => String.fromCharCode(byte)).join(""))) return "utf-8";
  const first = OF_LANGUAGE[language] ?? "windows-1252";
  let [best, most] = hasUtf8 ? ["utf-8", sample.filter((byte) => byte > 0x7f).length] : [first, -Infinity];
  const order = [...LIKELY].sort(([a], [b]) => Number(b === first) - Number(a === first));
  for (const [label, common, weights] of order) {
    let text;
    try {
      text = new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(sample, { stream: true });
    } catch {
      continue;
    }
    const score = likeness(text, common, weights);
    if (score > most) [best, most] = [label, score];
  }
  return best;
}

const tables = new Map();

function table(label) {
  let found = tables.get(label);
  if (found) return found;
  found = new Map();
  const decoder = new TextDecoder(label === "gb18030" ? "gbk" : label, { fatal: true, ignoreBOM: true });
  const add = (...bytes) => {
    try {
      const text = decoder.decode(Uint8Array.from(bytes));
      if (!found.has(text)) found.set(text, bytes);
    } catch {
      // These bytes are no character.
    }
  };
  const isSingle = !/^(shift_jis|euc-|gb|big5)/.test(label);
  for (let lead = 0; lead < 256; lead++) {
    // GBK writes the euro sign as one byte, GB 18030 as two.
    if (label !== "gb18030" || lead !== 0x80) add(lead);
    if (lead >= 0x81 && !isSingle) for (let trail = 0x40; trail < 256; trail++) add(lead, trail);
  }
  if (label === "gb18030") {
    const four = new TextDecoder("gb18030");
    for (let lead = 0x81; lead <= 0x84; lead++)
      for (let b = 0x30; b <= 0x39; b++)
        for (let c = 0x81; c <= 0xfe; c++)
          for (let d = 0x30; d <= 0x39; d++) {
            const bytes = [lead, b, c, d];
            const text = four.decode(Uint8Array.from(bytes));
            if ([...text].length === 1 && text !== "\ufffd" && !found.has(text)) found.set(text, bytes);
          }
  }
  tables.set(label, found);
  return found;
}

/** Returns the bytes of a text in a charset. If the charset lacks a character, writes a decimal character reference, as forms do. */
export function encodeText(text, label) {
  if (label === "utf-8") return new TextEncoder().encode(text);
  let out = new Uint8Array(2 * text.length + 64);
  let len = 0;
  const push = (...bytes) => {
    if (len + bytes.length > out.length) {
      const longer = new Uint8Array(2 * out.length);
      longer.set(out);
      out = longer;
    }
    for (const byte of bytes) out[len++] = byte;
  };
  if (label.startsWith("utf-16")) {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      push(...(label === "utf-16le" ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255]));
    }
    return out.subarray(0, len);
  }
  // ISO-2022-JP writes the characters of EUC-JP with seven bits per byte, between escape sequences. So we use the table of EUC-JP.
  const isJis = label === "iso-2022-jp";
  const bytesOf = table(isJis ? "euc-jp" : label);
  let isDouble = false;
  const shift = (to) => {
    if (isJis && to !== isDouble) push(0x1b, ...(to ? [0x24, 0x42] : [0x28, 0x42]));
    isDouble = to;
  };
  for (const character of text) {
    let bytes = bytesOf.get(character);
    const code = character.codePointAt(0);
    if (!bytes && label === "gb18030" && code >= 0x10000) {
      const index = code - 0x10000;
      bytes = [0x90 + Math.floor(index / 12600), 0x30 + (Math.floor(index / 1260) % 10), 0x81 + (Math.floor(index / 10) % 126), 0x30 + (index % 10)];
    }
    if (!bytes || (isJis && (bytes.length > 2 || bytes[0] === 0x8e))) bytes = [...`&#${code};`].map((digit) => digit.charCodeAt(0));
    shift(isJis && bytes[0] >= 0xa1);
    push(...(isDouble ? bytes.map((byte) => byte & 0x7f) : bytes));
  }
  shift(false);
  return out.subarray(0, len);
}
