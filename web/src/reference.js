// The reference section: what percent-encoding is, in the words of this project, in four languages.
import { LANGUAGES, isolated } from "./i18n.js";

const ORDER = Object.keys(LANGUAGES);

export const TEXTS = [
  {
    title: ["In one minute", "Za minutu", "בדקה אחת", "За одну минуту"],
    text: [
      "A URL is written with few characters. Any other is written as the bytes that it has in UTF-8, each as a percent sign and two hexadecimal digits: a space is %20, é is %C3%A9. Decoding reads those bytes back.",
      "V URL smí být jen málo znaků. Každý jiný se zapíše bajty, které má v UTF-8, a každý bajt jako znak procenta a dvě šestnáctkové číslice: mezera je %20, é je %C3%A9. Dekódování tyto bajty obnoví.",
      "בכתובת URL מותרים תווים מעטים בלבד. כל תו אחר נכתב לפי הבתים שלו ב־UTF-8, כל בית כסימן אחוז ושתי ספרות הקסדצימליות: רווח הוא `%20`, `é` הוא `%C3%A9`. הפענוח קורא את הבתים בחזרה.",
      "В URL допустимы лишь немногие символы. Любой другой записывается байтами, которые он имеет в UTF-8, а каждый байт — знаком процента и двумя шестнадцатеричными цифрами: пробел — %20, é — %C3%A9. Декодирование восстанавливает эти байты.",
    ],
  },
  {
    title: ["Reserved and unreserved", "Vyhrazené a nevyhrazené", "שמורים ולא שמורים", "Зарезервированные и незарезервированные"],
    text: [
      "Unreserved characters mean the same with and without an escape, so they need none. Reserved ones may separate the parts of a URL: as they are they separate, encoded they are data. That is why /a%2Fb and /a/b are two different URLs.",
      "Nevyhrazené znaky znamenají totéž se sekvencí i bez ní, takže ji nepotřebují. Vyhrazené mohou oddělovat části URL: tak, jak jsou, oddělují, zakódované jsou součástí dat. Proto jsou /a%2Fb a /a/b dvě různá URL.",
      "לתווים הלא שמורים אותה משמעות עם קידוד ובלעדיו, ולכן אין בו צורך. תווים שמורים עשויים להפריד בין חלקי הכתובת: כפי שהם הם מפרידים, ומקודדים הם נתון. לכן `/a%2Fb` ו־`/a/b` הן שתי כתובות שונות.",
      "Незарезервированные символы означают одно и то же в закодированном виде и без него, поэтому кодировать их не нужно. Зарезервированные могут разделять части URL: как есть они разделяют, закодированные — это данные. Поэтому /a%2Fb и /a/b — разные URL.",
    ],
    characters: "ABCabc012-._~|:/?#[]@|!$&'()*+,;=",
  },
  {
    title: ["The percent sign itself", "Samotný znak procenta", "סימן האחוז עצמו", "Сам знак процента"],
    text: [
      "A percent sign that is meant as such is %25. Encode each value once, when the URL is put together, and decode it once, when it has been taken apart. What is encoded twice shows %2520 in place of %20; what is decoded twice turns data into delimiters, and has opened many servers to attack.",
      "Znak procenta, který znamená sám sebe, je %25. Každou hodnotu kódujte jednou, při skládání URL, a dekódujte jednou, po jeho rozebrání. Dvojí kódování ukazuje %2520 místo %20; dvojí dekódování mění data v oddělovače a už otevřelo útokům mnoho serverů.",
      "סימן אחוז כפשוטו נכתב `%25`. מקודדים כל ערך פעם אחת, כשמרכיבים את הכתובת, ומפענחים פעם אחת, אחרי שפירקו אותה. קידוד כפול מראה `%2520` במקום `%20`; פענוח כפול הופך נתונים למפרידים, ופתח שרתים רבים לתקיפה.",
      "Знак процента как таковой — %25. Кодируйте каждое значение один раз, собирая URL, и декодируйте один раз, разобрав его. Двойное кодирование видно по %2520 вместо %20; двойное декодирование превращает данные в разделители и открыло атакам немало серверов.",
    ],
    characters: "%",
  },
  {
    title: ["Text and bytes", "Text a bajty", "טקסט ובתים", "Текст и байты"],
    text: [
      "Escapes stand for bytes, and which characters these are is a second question. Today the answer is UTF-8 nearly everywhere; older links have other character sets, so that %E9 may be é, щ or ι. Some values are no text at all, such as hashes: they must stay bytes.",
      "Sekvence znamenají bajty; které znaky to jsou, je druhá otázka. Dnes je odpovědí téměř všude UTF-8; starší odkazy mají jiné znakové sady, takže %E9 může být é, щ nebo ι. Některé hodnoty vůbec nejsou text, třeba otisky (hashe): ty musejí zůstat bajty.",
      "רצפי הקידוד מייצגים בתים, ואילו תווים הם — זו שאלה שנייה. כיום התשובה כמעט תמיד UTF-8; בקישורים ישנים יש ערכות אחרות, וכך `%E9` יכול להיות `é`, `щ` או `י`. יש ערכים שאינם טקסט כלל, כמו גיבובים: עליהם להישאר בתים.",
      "Последовательности означают байты, а какие это символы — второй вопрос. Сегодня почти везде ответ — UTF-8; в старых ссылках другие кодировки, и %E9 может быть é, щ или ι. Некоторые значения, например хеши, — вовсе не текст: они должны оставаться байтами.",
    ],
    characters: "é€щא漢😀",
  },
  {
    title: ["Forms, and the plus sign", "Formuláře a znak plus", "טפסים וסימן הפלוס", "Формы и знак плюс"],
    text: [
      "Forms write a space as + and a plus as %2B, in the query and in the body. In a path, a + is a plus. Whoever mixes the two turns C++ into C and two spaces.",
      "Formuláře píší mezeru jako + a plus jako %2B, v dotazu i v těle. V cestě je + plus. Kdo to zamění, udělá z C++ jen C a dvě mezery.",
      "טפסים כותבים רווח כ־`+` ופלוס כ־`%2B`, בשאילתה ובגוף. בנתיב `+` הוא פלוס. מי שמערבב ביניהם הופך את `C++` ל־C ושני רווחים.",
      "Формы пишут пробел как +, а плюс как %2B, в запросе и в теле. В пути + — это плюс. Кто их путает, превращает C++ в C и два пробела.",
    ],
    characters: " +&=",
  },
];

export const HISTORY = {
  title: ["What changed from standard to standard", "Co se měnilo mezi standardy", "מה השתנה מתקן לתקן", "Что менялось от стандарта к стандарту"],
  rows: [
    ["RFC 1630, 1994", ["The first: % as the escape, and + for a space in searches.", "První: % pro kódování a + místo mezery při hledání.", "הראשון: `%` לקידוד, ו־`+` במקום רווח בחיפושים.", "Первый: % для кодирования и + вместо пробела в поиске."]],
    ["RFC 1738, 1994", ["~ must be encoded; $ + , ! * ' ( ) need not be.", "~ se musí kódovat; $ + , ! * ' ( ) nikoli.", "יש לקודד `~`; אין צורך לקודד `$ + , ! * ' ( )`.", "~ нужно кодировать; $ + , ! * ' ( ) — нет."]],
    ["RFC 2396, 1998", ["~ is unreserved from here on; $ + , become reserved.", "~ je odtud nevyhrazená; $ + , se stávají vyhrazenými.", "מכאן `~` אינו שמור; `$ + ,` נעשים שמורים.", "~ отныне не зарезервирована; $ + , теперь зарезервированы."]],
    ["RFC 2732, 1999", ["[ ] are reserved, for IPv6 addresses.", "[ ] jsou vyhrazené pro adresy IPv6.", "`[ ]` שמורים, לכתובות IPv6.", "[ ] зарезервированы для адресов IPv6."]],
    ["RFC 3986, 2005", ["In force: ! * ' ( ) are reserved, text is UTF-8, digits are in upper case.", "Platí: ! * ' ( ) jsou vyhrazené, text je UTF-8, číslice velkými písmeny.", "בתוקף: `! * ' ( )` שמורים, הטקסט ב־UTF-8, הספרות באותיות גדולות.", "Действует: ! * ' ( ) зарезервированы, текст в UTF-8, цифры заглавными."]],
    ["RFC 3987, 2005", ["IRIs: characters of all scripts stand as they are.", "IRI: znaky všech písem stojí tak, jak jsou.", "IRI: תווים מכל הכתבים עומדים כפי שהם.", "IRI: символы всех письменностей стоят как есть."]],
    ["WHATWG URL", ["What browsers do: a set for each part, and a malformed % stays.", "Co dělají prohlížeče: sada pro každou část a vadné % zůstává.", "מה שדפדפנים עושים: קבוצה לכל חלק, ו־`%` פגום נשאר.", "Что делают браузеры: набор для каждой части, ошибочный % остаётся."]],
  ],
};

const TABLE = ["Often looked up", "Často hledané", "מחפשים לעתים קרובות", "Часто ищут"];
const LOOKED_UP = [" ", "!", '"', "#", "$", "%", "&", "'", "(", ")", "*", "+", ",", "/", ":", ";", "<", "=", ">", "?", "@", "[", "\\", "]", "^", "`", "{", "|", "}", "~", "\n", "€", "é"];

/** The section, as elements. `use` puts a text into the pane above. */
export function reference(h, language, use) {
  const at = ORDER.indexOf(language);
  const button = (character) => {
    const label = character === " " ? "␣" : character === "\n" ? "LF" : character;
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
