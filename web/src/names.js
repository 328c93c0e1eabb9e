// The names of characters: those of ASCII as Unicode has them, of others their script, as the browser calls it.
const CONTROLS = [
  "null", "start of heading", "start of text", "end of text", "end of transmission", "enquiry", "acknowledge", "bell", "backspace",
  "tab", "line feed", "vertical tab", "form feed", "carriage return", "shift out", "shift in", "data link escape",
  "device control 1", "device control 2", "device control 3", "device control 4", "negative acknowledge", "synchronous idle",
  "end of transmission block", "cancel", "end of medium", "substitute", "escape", "file separator", "group separator",
  "record separator", "unit separator",
];
const PUNCTUATION = {
  " ": ["space", "mezera", "רווח", "пробел"],
  "!": ["exclamation mark", "vykřičník", "סימן קריאה", "восклицательный знак"],
  '"': ["quotation mark", "uvozovky", "מירכאות", "кавычки"],
  "#": ["number sign", "křížek", "סולמית", "решётка"],
  $: ["dollar sign", "dolar", "סימן דולר", "знак доллара"],
  "%": ["percent sign", "procento", "סימן אחוז", "знак процента"],
  "&": ["ampersand", "ampersand", "אמפרסנד", "амперсанд"],
  "'": ["apostrophe", "apostrof", "גרש", "апостроф"],
  "(": ["left parenthesis", "levá závorka", "סוגר פותח", "открывающая скобка"],
  ")": ["right parenthesis", "pravá závorka", "סוגר סוגר", "закрывающая скобка"],
  "*": ["asterisk", "hvězdička", "כוכבית", "звёздочка"],
  "+": ["plus sign", "plus", "סימן חיבור", "плюс"],
  ",": ["comma", "čárka", "פסיק", "запятая"],
  "-": ["hyphen-minus", "spojovník", "מקף", "дефис"],
  ".": ["full stop", "tečka", "נקודה", "точка"],
  "/": ["solidus (slash)", "lomítko", "לוכסן", "косая черта"],
  ":": ["colon", "dvojtečka", "נקודתיים", "двоеточие"],
  ";": ["semicolon", "středník", "נקודה ופסיק", "точка с запятой"],
  "<": ["less-than sign", "menší než", "קטן מ־", "меньше"],
  "=": ["equals sign", "rovná se", "סימן שוויון", "равно"],
  ">": ["greater-than sign", "větší než", "גדול מ־", "больше"],
  "?": ["question mark", "otazník", "סימן שאלה", "вопросительный знак"],
  "@": ["commercial at", "zavináč", "כרוכית", "собака"],
  "[": ["left square bracket", "levá hranatá závorka", "סוגר מרובע פותח", "открывающая квадратная скобка"],
  "\\": ["reverse solidus (backslash)", "zpětné lomítko", "לוכסן הפוך", "обратная косая черта"],
  "]": ["right square bracket", "pravá hranatá závorka", "סוגר מרובע סוגר", "закрывающая квадратная скобка"],
  "^": ["circumflex accent", "stříška", "גג", "циркумфлекс"],
  _: ["low line (underscore)", "podtržítko", "קו תחתון", "подчёркивание"],
  "`": ["grave accent", "zpětný apostrof", "גרש הפוך", "гравис"],
  "{": ["left curly bracket", "levá složená závorka", "סוגר מסולסל פותח", "открывающая фигурная скобка"],
  "|": ["vertical line", "svislá čára", "קו אנכי", "вертикальная черта"],
  "}": ["right curly bracket", "pravá složená závorka", "סוגר מסולסל סוגר", "закрывающая фигурная скобка"],
  "~": ["tilde", "vlnovka", "טילדה", "тильда"],
};
const LETTER = ["letter", "písmeno", "אות", "буква"];
const DIGIT = ["digit", "číslice", "ספרה", "цифра"];
const ORDER = ["en", "cs", "he", "ru"];
const INVISIBLE = {
  0xad: "soft hyphen", 0x200b: "zero-width space", 0x200c: "zero-width non-joiner", 0x200d: "zero-width joiner", 0x200e: "left-to-right mark",
  0x200f: "right-to-left mark", 0x202a: "left-to-right embedding", 0x202b: "right-to-left embedding", 0x202c: "pop directional formatting",
  0x202d: "left-to-right override", 0x202e: "right-to-left override", 0x2028: "line separator", 0x2029: "paragraph separator", 0x2060: "word joiner",
  0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first strong isolate", 0x2069: "pop directional isolate",
  0x61c: "Arabic letter mark", 0xfeff: "byte order mark",
};
/** Scripts with their codes of ISO 15924. */
const SCRIPTS = {
  Latin: "Latn", Cyrillic: "Cyrl", Greek: "Grek", Hebrew: "Hebr", Arabic: "Arab", Han: "Hani", Hiragana: "Hira", Katakana: "Kana", Hangul: "Hang",
  Devanagari: "Deva", Thai: "Thai", Armenian: "Armn", Georgian: "Geor", Bengali: "Beng", Tamil: "Taml", Telugu: "Telu", Ethiopic: "Ethi", Khmer: "Khmr",
};
const TESTS = Object.keys(SCRIPTS).map((script) => [script, new RegExp(`\\p{Script=${script}}`, "u")]);

const scriptName = (script, language) => new Intl.DisplayNames([language], { type: "script" }).of(SCRIPTS[script]);

/** `U+0020 space`, `U+00E9 Latin`. */
export function nameOf(code, language) {
  const character = String.fromCodePoint(code);
  const at = ORDER.indexOf(language);
  const number = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  let name = "";
  if (code < 0x20) name = CONTROLS[code];
  else if (code === 0x7f) name = "delete";
  else if (code < 0x80) name = PUNCTUATION[character]?.[at] ?? `${(code < 0x3a ? DIGIT : LETTER)[at]} ${character}`;
  else if (INVISIBLE[code]) name = INVISIBLE[code];
  else if (/\p{Extended_Pictographic}/u.test(character)) name = "emoji";
  else {
    const script = TESTS.find(([, test]) => test.test(character))?.[0];
    if (script) name = scriptName(script, language);
  }
  return `${number} ${name}`.trim();
}

/** Words whose letters are of Latin and of a script that looks like it. */
export function scriptsMixed(text) {
  const found = [];
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const scripts = TESTS.slice(0, 3).filter(([, test]) => test.test(word));
    if (scripts.length > 1) found.push({ text: word.slice(0, 60), scripts: scripts.map(([script]) => script) });
    if (found.length > 4) break;
  }
  return found;
}
