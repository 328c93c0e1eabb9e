// The names of characters. An ASCII character has its Unicode name. For other characters, the browser names the script.
import { LANGUAGES } from "./i18n.js";

/** The abbreviations of control characters in ISO 646. */
export const CONTROL_NAMES = "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US".split(" ");
/** The English names of control characters. Other languages name only the common control characters. For all others they use the abbreviation. */
const CONTROLS = [
  "null", "start of heading", "start of text", "end of text", "end of transmission", "enquiry", "acknowledge", "bell", "backspace",
  "tab", "line feed", "vertical tab", "form feed", "carriage return", "shift out", "shift in", "data link escape",
  "device control 1", "device control 2", "device control 3", "device control 4", "negative acknowledge", "synchronous idle",
  "end of transmission block", "cancel", "end of medium", "substitute", "escape", "file separator", "group separator",
  "record separator", "unit separator",
];
export const CONTROL = ["control character {0}", "řídicí znak {0}", "תו בקרה {0}", "управляющий символ {0}"];
export const COMMON_CONTROLS = {
  0x00: ["null", "nulový znak", "תו אפס", "нулевой символ"],
  0x07: ["bell", "zvonek", "פעמון", "звонок"],
  0x08: ["backspace", "krok zpět", "מחיקה לאחור", "возврат на шаг"],
  0x09: ["tab", "tabulátor", "טאב", "табуляция"],
  0x0a: ["line feed", "konec řádku", "ירידת שורה", "перевод строки"],
  0x0b: ["vertical tab", "svislý tabulátor", "טאב אנכי", "вертикальная табуляция"],
  0x0c: ["form feed", "nová stránka", "מעבר עמוד", "перевод страницы"],
  0x0d: ["carriage return", "návrat vozíku", "החזרת גרר", "возврат каретки"],
  0x1b: ["escape", "znak escape", "תו מילוט (escape)", "символ escape"],
  0x7f: ["delete", "znak delete", "תו מחיקה (delete)", "символ удаления"],
};
export const PUNCTUATION = {
  " ": ["space", "mezera", "רווח", "пробел"],
  "!": ["exclamation mark", "vykřičník", "סימן קריאה", "восклицательный знак"],
  '"': ["quotation mark", "uvozovky", "מירכאות", "кавычки"],
  "#": ["number sign", "křížek", "סולמית", "решётка"],
  $: ["dollar sign", "znak dolaru", "סימן דולר", "знак доллара"],
  "%": ["percent sign", "znak procenta", "סימן אחוז", "знак процента"],
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
  "<": ["less-than sign", "menší než", "סימן קטן מ־", "знак «меньше»"],
  "=": ["equals sign", "rovná se", "סימן שוויון", "знак равенства"],
  ">": ["greater-than sign", "větší než", "סימן גדול מ־", "знак «больше»"],
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
const EMOJI = ["emoji", "emodži", "אמוג׳י", "эмодзи"];
const ORDER = Object.keys(LANGUAGES);
export const INVISIBLE = {
  0xad: ["soft hyphen", "měkký spojovník", "מקף רך", "мягкий перенос"],
  0x200b: ["zero-width space", "mezera nulové šířky", "רווח ברוחב אפס", "пробел нулевой ширины"],
  0x200c: ["zero-width non-joiner", "oddělovač nulové šířky", "מפריד ברוחב אפס", "разъединитель нулевой ширины"],
  0x200d: ["zero-width joiner", "spojovač nulové šířky", "מחבר ברוחב אפס", "соединитель нулевой ширины"],
  0x200e: ["left-to-right mark", "značka zleva doprava", "סימן כיווניות משמאל לימין", "метка направления слева направо"],
  0x200f: ["right-to-left mark", "značka zprava doleva", "סימן כיווניות מימין לשמאל", "метка направления справа налево"],
  0x202a: ["left-to-right embedding", "vložení zleva doprava", "הטבעה משמאל לימין", "вложение слева направо"],
  0x202b: ["right-to-left embedding", "vložení zprava doleva", "הטבעה מימין לשמאל", "вложение справа налево"],
  0x202c: ["pop directional formatting", "konec formátování směru", "סיום עיצוב כיווניות", "конец форматирования направления"],
  0x202d: ["left-to-right override", "vynucení směru zleva doprava", "כפיית כיוון משמאל לימין", "принудительно слева направо"],
  0x202e: ["right-to-left override", "vynucení směru zprava doleva", "כפיית כיוון מימין לשמאל", "принудительно справа налево"],
  0x2028: ["line separator", "oddělovač řádků", "מפריד שורות", "разделитель строк"],
  0x2029: ["paragraph separator", "oddělovač odstavců", "מפריד פסקאות", "разделитель абзацев"],
  0x2060: ["word joiner", "spojovač slov", "מחבר מילים", "соединитель слов"],
  0x2066: ["left-to-right isolate", "izolace zleva doprava", "בידוד משמאל לימין", "изоляция слева направо"],
  0x2067: ["right-to-left isolate", "izolace zprava doleva", "בידוד מימין לשמאל", "изоляция справа налево"],
  0x2068: ["first strong isolate", "izolace podle prvního znaku", "בידוד לפי התו הראשון", "изоляция по первому символу"],
  0x2069: ["pop directional isolate", "konec izolace směru", "סיום בידוד כיווניות", "конец изоляции направления"],
  0x61c: ["Arabic letter mark", "značka arabského písmene", "סימן אות ערבית", "метка арабской буквы"],
  0xfeff: ["byte order mark", "značka pořadí bajtů", "סימן סדר בתים", "метка порядка байтов"],
};
/** The ISO 15924 code of each script. */
const SCRIPTS = {
  Latin: "Latn", Cyrillic: "Cyrl", Greek: "Grek", Hebrew: "Hebr", Arabic: "Arab", Han: "Hani", Hiragana: "Hira", Katakana: "Kana", Hangul: "Hang",
  Devanagari: "Deva", Thai: "Thai", Armenian: "Armn", Georgian: "Geor", Bengali: "Beng", Tamil: "Taml", Telugu: "Telu", Ethiopic: "Ethi", Khmer: "Khmr", Cherokee: "Cher", Coptic: "Copt", Lisu: "Lisu",
};
const TESTS = Object.keys(SCRIPTS).map((script) => [script, new RegExp(`\\p{Script=${script}}`, "u")]);

export const scriptName = (script, language) => new Intl.DisplayNames([language], { type: "script" }).of(SCRIPTS[script]);

/** Characters that look like a slash, with Unicode's names. */
const FALSE_SLASHES = { 0x2044: "FRACTION SLASH", 0x2215: "DIVISION SLASH", 0x29f8: "BIG SOLIDUS", 0xff0f: "FULLWIDTH SOLIDUS", 0xff3c: "FULLWIDTH REVERSE SOLIDUS" };

/** Returns a name such as `U+0020 space` or `U+00E9 letter é (Latin)`. */
export function nameOf(code, language) {
  const character = String.fromCodePoint(code);
  const at = ORDER.indexOf(language);
  const number = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  let name = "";
  if (code < 0x20 || code === 0x7f) name = COMMON_CONTROLS[code]?.[at] ?? (at ? CONTROL[at].replace("{0}", CONTROL_NAMES[code]) : CONTROLS[code]);
  else if (code < 0x80) name = PUNCTUATION[character]?.[at] ?? `${(code < 0x3a ? DIGIT : LETTER)[at]} ${character}`;
  else if (INVISIBLE[code]) name = INVISIBLE[code][at];
  else if (FALSE_SLASHES[code]) name = FALSE_SLASHES[code];
  else if (/\p{Extended_Pictographic}/u.test(character)) name = EMOJI[at];
  else {
    const script = TESTS.find(([, test]) => test.test(character))?.[0];
    if (script) name = `${/\p{L}/u.test(character) ? `${LETTER[at]} ${character} ` : ""}(${scriptName(script, language)})`;
  }
  return `${number} ${name}`.trim();
}
