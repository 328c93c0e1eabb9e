// The reference section: explains percent-encoding in four languages.
import { LANGUAGES, isolated } from "./i18n.js";

const ORDER = Object.keys(LANGUAGES);

export const TEXTS = [
  {
    title: ["In one minute", "Za minutu", "בדקה אחת", "За одну минуту"],
    text: [
      "A URL can contain only a few characters. Every other character is written as its UTF-8 bytes, each as a percent sign and two hexadecimal digits: a space is %20, é is %C3%A9. Decoding restores these bytes.",
      "V URL smí být jen několik málo znaků. Každý jiný znak se zapisuje jako bajty v UTF-8 a každý bajt jako znak procenta a dvě šestnáctkové číslice: mezera je %20, é je %C3%A9. Dekódování tyto bajty obnoví.",
      "בכתובת URL מותרים תווים מעטים בלבד. כל תו אחר נכתב כבתים ב־UTF-8, וכל בית נכתב כסימן אחוז ושתי ספרות הקסדצימליות: רווח הוא `%20`, `é` הוא `%C3%A9`. הפענוח משחזר את הבתים.",
      "В URL допустимы лишь немногие символы. Любой другой символ записывается байтами в UTF-8, а каждый байт — знаком процента и двумя шестнадцатеричными цифрами: пробел — %20, é — %C3%A9. Декодирование восстанавливает эти байты.",
    ],
  },
  {
    title: ["Reserved and unreserved", "Vyhrazené a nevyhrazené", "שמורים ולא שמורים", "Зарезервированные и незарезервированные"],
    text: [
      "Unreserved characters mean the same with and without an escape, so they need no escape. Reserved characters can separate the parts of a URL: unencoded they separate, encoded they are data. So /a%2Fb and /a/b are different URLs.",
      "Nevyhrazené znaky znamenají totéž zakódované i nezakódované, takže se kódovat nemusejí. Vyhrazené znaky mohou oddělovat části URL: nezakódované oddělují, zakódované jsou součástí dat. Proto jsou /a%2Fb a /a/b dvě různá URL.",
      "לתווים הלא שמורים אותה משמעות עם קידוד ובלעדיו, ולכן אין בו צורך. תווים שמורים עשויים להפריד בין חלקי הכתובת: כשאינם מקודדים הם מפרידים, וכשהם מקודדים הם חלק מהנתונים. לכן `/a%2Fb` ו־`/a/b` הן שתי כתובות שונות.",
      "Незарезервированные символы означают одно и то же и с кодированием, и без него, поэтому кодировать их не нужно. Зарезервированные могут разделять части URL: незакодированные разделяют, закодированные — это данные. Поэтому /a%2Fb и /a/b — разные URL.",
    ],
    characters: "ABCabc012-._~|:/?#[]@|!$&'()*+,;=",
  },
  {
    title: ["The percent sign itself", "Samotný znak procenta", "סימן האחוז עצמו", "Сам знак процента"],
    text: [
      "The percent sign itself is written as %25. Encode each value once, when you build the URL. Decode it once, after you have split the URL. Text that was encoded twice has %2520 instead of %20. Decoding twice turns data into delimiters, and has opened many servers to attacks.",
      "Samotný znak procenta se zapisuje jako %25. Každou hodnotu zakódujte jednou, při skládání URL, a dekódujte jednou, až po rozdělení URL na části. Dvojí kódování se pozná podle %2520 místo %20. Dvojí dekódování mění data v oddělovače a už umožnilo útoky na mnoho serverů.",
      "סימן אחוז כפשוטו נכתב `%25`. מקודדים כל ערך פעם אחת, כשמרכיבים את הכתובת, ומפענחים פעם אחת, אחרי שפירקו אותה. בטקסט שקודד פעמיים מופיע `%2520` במקום `%20`. פענוח כפול הופך נתונים למפרידים, וכבר חשף שרתים רבים לתקיפות.",
      "Сам знак процента записывается как %25. Кодируйте каждое значение один раз, при сборке URL, и декодируйте один раз, после разбора URL на части. Двойное кодирование видно по %2520 вместо %20. Двойное декодирование превращает данные в разделители: так было взломано немало серверов.",
    ],
    characters: "%",
  },
  {
    title: ["Text and bytes", "Text a bajty", "טקסט ובתים", "Текст и байты"],
    text: [
      "Escapes are bytes. A character set defines which characters the bytes are. Today this is almost always UTF-8, but older links use other character sets: %E9 can be é, щ or ι. Some values, for example hashes, aren't text, so they must stay bytes.",
      "Sekvence zapisují bajty. Které znaky to jsou, určuje znaková sada. Dnes je to téměř vždy UTF-8, ale starší odkazy používají jiné znakové sady: %E9 může být é, щ nebo ι. Některé hodnoty, třeba otisky (hashe), vůbec nejsou text, a proto musejí zůstat bajty.",
      "רצפי הקידוד מייצגים בתים. ערכת התווים קובעת אילו תווים הם. כיום זו כמעט תמיד UTF-8, אבל בקישורים ישנים יש ערכות אחרות, וכך `%E9` יכול להיות `é`, `щ` או `י`. יש ערכים שאינם טקסט כלל, כמו גיבובים, ולכן עליהם להישאר בתים.",
      "Последовательности обозначают байты. Какие это символы, определяет кодировка. Сегодня это почти всегда UTF-8, но в старых ссылках встречаются другие кодировки: %E9 может быть é, щ или ι. Некоторые значения, например хеши, вовсе не текст и должны оставаться байтами.",
    ],
    characters: "é€щא漢😀",
  },
  {
    title: ["Forms, and the plus sign", "Formuláře a znak plus", "טפסים וסימן הפלוס", "Формы и знак плюс"],
    text: [
      "Forms write a space as + and a plus as %2B, in the query and in the body. In a path, + is a plus. If you confuse the two, C++ becomes C and two spaces.",
      "Formuláře zapisují mezeru jako + a plus jako %2B, v dotazu i v těle požadavku. V cestě je + plus. Kdo to zamění, udělá z C++ jen C a dvě mezery.",
      "טפסים כותבים רווח כ־`+` ופלוס כ־`%2B`, בשאילתה ובגוף. בנתיב `+` הוא פלוס. מי שמערבב ביניהם הופך את `C++` ל־C ושני רווחים.",
      "Формы записывают пробел как +, а плюс как %2B — и в строке запроса, и в теле. В пути + — это плюс. Кто их путает, превращает C++ в C и два пробела.",
    ],
    characters: " +&=",
  },
  {
    title: ["Binary data", "Binární data", "נתונים בינריים", "Двоичные данные"],
    text: [
      "Any byte can be written as an escape, so a URL can carry any data: the byte 15 is %0F. Each escape triples the length. Base64 needs only a third more, and its variant for URLs writes - and _ instead of + and /.",
      "Sekvencí lze zapsat libovolný bajt, takže URL může nést jakákoli data: bajt 15 je %0F. Každá sekvence je třikrát delší než bajt. Base64 potřebuje jen o třetinu víc a jeho varianta pro URL píše - a _ místo + a /.",
      "אפשר לכתוב כל בית כרצף קידוד, ולכן כתובת יכולה לשאת כל נתון: הבית 15 הוא `%0F`. כל רצף ארוך פי שלושה. Base64 זקוק רק לשליש נוסף, והגרסה שלו לכתובות כותבת `-` ו־`_` במקום `+` ו־`/`.",
      "Последовательностью можно записать любой байт, поэтому URL может нести любые данные: байт 15 — это %0F. Каждая последовательность втрое длиннее байта. Base64 длиннее лишь на треть, а его вариант для URL пишет - и _ вместо + и /.",
    ],
  },
  {
    title: ["Why %uXXXX isn't allowed", "Proč se nesmí psát %uXXXX", "מדוע אסור לכתוב `%uXXXX`", "Почему нельзя писать %uXXXX"],
    text: [
      "The old function escape() of JavaScript writes Cyrillic П as %u041F. No standard of URLs has this form: a proposal for it was rejected, because an escape is a byte and not a character. Most servers refuse it, or read it as six characters. In a URL, П is %D0%9F.",
      "Stará funkce escape() z JavaScriptu zapíše П v azbuce jako %u041F. Žádný standard pro URL tento tvar nezná: návrh byl zamítnut, protože sekvence je bajt, a ne znak. Většina serverů ho odmítne nebo přečte jako šest znaků. V URL je П zapsáno %D0%9F.",
      "הפונקציה הישנה `escape()` של JavaScript כותבת את האות הקירילית `П` כ־`%u041F`. אין תקן של כתובות שמכיר בצורה הזאת: ההצעה נדחתה, כי רצף קידוד הוא בית ולא תו. רוב השרתים דוחים אותה או קוראים בה שישה תווים. בכתובת, `П` הוא `%D0%9F`.",
      "Старая функция escape() из JavaScript пишет букву П как %u041F. Такой записи нет ни в одном стандарте URL: предложение отклонили, потому что последовательность — это байт, а не символ. Большинство серверов отвергают её или читают как шесть символов. В URL буква П — это %D0%9F.",
    ],
    characters: "П",
  },
];

export const HISTORY = {
  title: ["What changed from standard to standard", "Co se měnilo mezi standardy", "מה השתנה מתקן לתקן", "Что менялось от стандарта к стандарту"],
  rows: [
    ["RFC 1630, 1994", ["The first standard: % for escapes, and + for a space in searches.", "První standard: % pro kódování a + místo mezery při hledání.", "התקן הראשון: `%` לקידוד, ו־`+` במקום רווח בחיפושים.", "Первый стандарт: % для кодирования и + вместо пробела в поиске."]],
    ["RFC 1738, 1994", ["~ must be encoded; $ + , ! * ' ( ) need no encoding.", "~ se musí kódovat; $ + , ! * ' ( ) nikoli.", "יש לקודד `~`; אין צורך לקודד `$ + , ! * ' ( )`.", "~ нужно кодировать; $ + , ! * ' ( ) — нет."]],
    ["RFC 2396, 1998", ["~ becomes unreserved; $ + , become reserved.", "~ je nově nevyhrazená; $ + , jsou nově vyhrazené.", "`~` נעשה לא שמור; `$ + ,` נעשים שמורים.", "~ становится незарезервированной; $ + , — зарезервированными."]],
    ["RFC 2732, 1999", ["[ ] are reserved, for IPv6 addresses.", "[ ] jsou vyhrazené pro adresy IPv6.", "`[ ]` שמורים, לכתובות IPv6.", "[ ] зарезервированы для адресов IPv6."]],
    ["RFC 3986, 2005", ["The current standard: ! * ' ( ) are reserved, text is UTF-8, digits are in upper case.", "Platný standard: ! * ' ( ) jsou vyhrazené, text je v UTF-8, číslice se píší velkými písmeny.", "התקן שבתוקף: `! * ' ( )` שמורים, הטקסט ב־UTF-8, הספרות באותיות גדולות.", "Действующий стандарт: ! * ' ( ) зарезервированы, текст в UTF-8, цифры — заглавными буквами."]],
    ["RFC 3987, 2005", ["IRIs: characters of all scripts stay unencoded.", "IRI: znaky všech písem se nekódují.", "IRI: תווים מכל הכתבים נשארים בלי קידוד.", "IRI: символы всех письменностей не кодируются."]],
    ["WHATWG URL", ["The behaviour of browsers: a set for each part, and a malformed % stays.", "Co dělají prohlížeče: sada pro každou část a vadné % zůstává.", "מה שדפדפנים עושים: קבוצה לכל חלק, ו־`%` פגום נשאר.", "Что делают браузеры: набор для каждой части, некорректный % остаётся."]],
  ],
};

const TABLE = ["Often looked up", "Často hledané", "מחפשים לעתים קרובות", "Часто ищут"];
const LOOKED_UP = [" ", "!", '"', "#", "$", "%", "&", "'", "(", ")", "*", "+", ",", "-", ".", "/", ":", ";", "<", "=", ">", "?", "@", "[", "\\", "]", "^", "_", "`", "{", "|", "}", "~", "\n", "\r", "\r\n", "£", "€", "é", "円"];

/** Returns the elements of the section. `use` makes a character the text of the page. */
export function reference(h, language, use) {
  const at = ORDER.indexOf(language);
  const button = (character) => {
    const label = { " ": "␣", "\n": "LF", "\r": "CR", "\r\n": "CR LF" }[character] ?? character;
    return h("button", { type: "button", class: "c", onclick: () => use(character) }, `${label}  ${encodeURIComponent(character).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`);
  };
  const sections = TEXTS.flatMap(({ title, text, characters }) => [
    h("h3", {}, title[at]),
    h("p", {}, isolated(text[at])),
    ...(characters ? characters.split(characters.includes("|:") ? "|" : "\0").map((group) => h("p", { dir: "ltr" }, ...[...group].map(button))) : []),
  ]);
  const rows = HISTORY.rows.map(([name, text]) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, name)), h("td", {}, isolated(text[at]))));
  return [...sections, h("h3", {}, HISTORY.title[at]), h("table", {}, h("tbody", {}, ...rows)), h("h3", {}, TABLE[at]), h("p", { dir: "ltr" }, ...LOOKED_UP.map(button))];
}
