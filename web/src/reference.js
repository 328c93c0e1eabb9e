// The reference section: explains percent-encoding in four languages.
import { setByName } from "../../packages/npm/sets.js";
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
    examples: ["a%20b", "a%2520b", "https://example.com/?discount=50%"],
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
    title: ["From character sets to UTF-8", "Od znakových sad k UTF-8", "מערכות תווים ל־UTF-8", "От кодировок к UTF-8"],
    text: [
      "Until 2005, no standard fixed the character set of URLs, so each site used its own. Since RFC 3986, new schemes write text as UTF-8. A form still uses the character set of its page, so old pages send other bytes for the same text: é is %C3%A9 in UTF-8 and %E9 in windows-1252.",
      "Do roku 2005 žádný standard neurčoval znakovou sadu URL, a tak každý web používal svou. Od RFC 3986 zapisují nová schémata text v UTF-8. Formulář dodnes používá znakovou sadu své stránky, takže staré stránky posílají pro tentýž text jiné bajty: é je v UTF-8 %C3%A9 a ve windows-1252 %E9.",
      "עד 2005 שום תקן לא קבע את ערכת התווים של כתובות, וכל אתר השתמש בערכה משלו. מאז RFC 3986 סכמות חדשות כותבות טקסט ב־UTF-8. טופס עדיין משתמש בערכת התווים של הדף שלו, ולכן דפים ישנים שולחים בתים אחרים עבור אותו טקסט: `é` הוא `%C3%A9` ב־UTF-8 ו־`%E9` ב־windows-1252.",
      "До 2005 года ни один стандарт не определял кодировку URL, и каждый сайт использовал свою. Начиная с RFC 3986 новые схемы записывают текст в UTF-8. Форма до сих пор использует кодировку своей страницы, поэтому старые страницы отправляют для того же текста другие байты: é — это %C3%A9 в UTF-8 и %E9 в windows-1252.",
    ],
    examples: ["caf%C3%A9", "caf%E9", "%CF%F0%E8%E2%E5%F2"],
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
    examples: ["?q=C%2B%2B+now"],
  },
  {
    title: ["How a form is sent", "Jak se formulář odesílá", "כיצד טופס נשלח", "Как отправляется форма"],
    text: [
      "With GET, a browser puts the fields into the query of the URL. With POST, it sends them in the body, with Content-Type: application/x-www-form-urlencoded. A form with files is sent as multipart/form-data, which leaves the data unencoded. A form with a mailto: address opens a mail, and writes a space as %20. Each line end in a field is sent as CR LF, which is %0D%0A.",
      "Metodou GET vloží prohlížeč pole do dotazu v URL. Metodou POST je pošle v těle požadavku s hlavičkou Content-Type: application/x-www-form-urlencoded. Formulář se soubory se posílá jako multipart/form-data, kde se data nekódují. Formulář s adresou mailto: otevře e-mail a mezeru zapíše jako %20. Každý konec řádku v poli se odešle jako CR LF, tedy %0D%0A.",
      "בשיטת `GET` הדפדפן מכניס את השדות לשאילתה שבכתובת. בשיטת `POST` הוא שולח אותם בגוף הבקשה, עם `Content-Type: application/x-www-form-urlencoded`. טופס עם קבצים נשלח כ־`multipart/form-data`, ושם הנתונים אינם מקודדים. טופס עם כתובת `mailto:` פותח הודעת דוא״ל וכותב רווח כ־`%20`. כל סוף שורה בשדה נשלח כ־`CR LF`, כלומר `%0D%0A`.",
      "Методом GET браузер отправляет поля в строке запроса URL, а методом POST — в теле запроса с заголовком Content-Type: application/x-www-form-urlencoded. Форма с файлами отправляется как multipart/form-data, где данные не кодируются. Форма с адресом mailto: открывает письмо и записывает пробел как %20. Каждый конец строки в поле отправляется как CR LF, то есть %0D%0A.",
    ],
    examples: ["name=Ada+Lovelace&note=one%0D%0Atwo", "mailto:ada@example.com?subject=two%20words"],
  },
  {
    title: ["Schemes and URNs", "Schémata a URN", "סכמות ו־URN", "Схемы и URN"],
    text: [
      "The part before the first colon is the scheme. It defines the rest: which characters separate, and so which ones need an escape. http: and ftp: have a host and a path, mailto: has addresses, and data: has the data itself. A URN such as urn:isbn:9780141036144 is a name and not a place. The same rules apply to it, and a ? or # in the name must be encoded.",
      "Část před první dvojtečkou je schéma. Určuje všechno ostatní: které znaky oddělují, a které je tedy nutné kódovat. http: a ftp: mají hostitele a cestu, mailto: má adresy a data: obsahuje přímo data. URN, třeba urn:isbn:9780141036144, je jméno, a ne místo. Platí pro něj stejná pravidla a ? nebo # ve jménu se musí zakódovat.",
      "החלק שלפני הנקודתיים הראשונות הוא הסכמה. היא קובעת את כל השאר: אילו תווים מפרידים, ולכן אילו מהם יש לקודד. ב־`http:` וב־`ftp:` יש מארח ונתיב, ב־`mailto:` יש כתובות דוא״ל, וב־`data:` נמצאים הנתונים עצמם. URN, למשל `urn:isbn:9780141036144`, הוא שם ולא מקום. אותם כללים חלים גם עליו, ויש לקודד `?` או `#` שבשם.",
      "Часть до первого двоеточия — это схема. Она определяет всё остальное: какие символы разделяют и, значит, какие нужно кодировать. У http: и ftp: есть хост и путь, у mailto: — адреса, а data: содержит сами данные. URN, например urn:isbn:9780141036144, — это имя, а не место. Правила для него те же, а ? и # в имени нужно кодировать.",
    ],
    examples: ["urn:isbn:9780141036144", "urn:example:a%3Fb", "data:text/plain,a%20b"],
  },
  {
    title: ["Other scripts: IRIs and Punycode", "Další písma: IRI a Punycode", "כתבים אחרים: IRI ו־Punycode", "Другие письменности: IRI и Punycode"],
    text: [
      "An IRI is a URL with characters of all scripts. To write it as a URL, the path and the query become UTF-8 escapes, and the host becomes Punycode. So https://bücher.example/é becomes https://xn--bcher-kva.example/%C3%A9. Browsers often show the IRI, and send the URL.",
      "IRI je URL se znaky všech písem. Při převodu na URL se znaky v cestě a dotazu zapíší jako sekvence v UTF-8 a hostitel jako Punycode. Z https://bücher.example/é je tak https://xn--bcher-kva.example/%C3%A9. Prohlížeče často ukazují IRI, ale odesílají URL.",
      "IRI היא כתובת עם תווים מכל הכתבים. כדי לכתוב אותה כ־URL, התווים בנתיב ובשאילתה נכתבים כרצפי קידוד ב־UTF-8, והמארח נכתב ב־Punycode. כך `https://bücher.example/é` הופכת ל־`https://xn--bcher-kva.example/%C3%A9`. דפדפנים מציגים לעתים קרובות את ה־IRI ושולחים את ה־URL.",
      "IRI — это URL с символами любых письменностей. При переводе в URL символы пути и запроса становятся последовательностями UTF-8, а хост записывается в Punycode. Так https://bücher.example/é превращается в https://xn--bcher-kva.example/%C3%A9. Браузеры часто показывают IRI, а отправляют URL.",
    ],
    examples: ["https://bücher.example/é", "https://xn--bcher-kva.example/%C3%A9"],
  },
  {
    title: ["Binary data", "Binární data", "נתונים בינריים", "Двоичные данные"],
    text: [
      "Any byte can be written as an escape, so a URL can carry any data: the byte 15 is %0F. Each escape triples the length. Base64 needs only a third more, and its variant for URLs writes - and _ instead of + and /.",
      "Sekvencí lze zapsat libovolný bajt, takže URL může nést jakákoli data: bajt 15 je %0F. Každá sekvence je třikrát delší než bajt. Base64 potřebuje jen o třetinu víc a jeho varianta pro URL píše - a _ místo + a /.",
      "אפשר לכתוב כל בית כרצף קידוד, ולכן כתובת יכולה לשאת כל נתון: הבית 15 הוא `%0F`. כל רצף ארוך פי שלושה. Base64 זקוק רק לשליש נוסף, והגרסה שלו לכתובות כותבת `-` ו־`_` במקום `+` ו־`/`.",
      "Последовательностью можно записать любой байт, поэтому URL может нести любые данные: байт 15 — это %0F. Каждая последовательность втрое длиннее байта. Base64 длиннее лишь на треть, а его вариант для URL пишет - и _ вместо + и /.",
    ],
    examples: ["%0F", "%DE%AD%BE%EF"],
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
    examples: ["%u041F", "%D0%9F"],
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

/** The sets of the standards. A click on a name in the first column chooses this set for the user's text. The last column has the reserved
 * characters. */
export const SETS = {
  title: ["The characters of each standard", "Znaky jednotlivých standardů", "התווים של כל תקן", "Символы каждого стандарта"],
  text: [
    "Besides letters and digits, these characters stay as they are. Press a name to choose its set for the text above.",
    "Kromě písmen a číslic se nekódují ani tyto znaky. Kliknutím na název vyberete sadu pro text nahoře.",
    "מלבד אותיות וספרות, גם התווים האלה נשארים כפי שהם. לחצו על שם כדי לבחור בקבוצה שלו לטקסט שלמעלה.",
    "Кроме букв и цифр, не кодируются и эти символы. Нажмите на название, чтобы выбрать набор для текста выше.",
  ],
  unreserved: ["Unreserved", "Nevyhrazené", "לא שמורים", "Незарезервированные"],
  reserved: ["Reserved", "Vyhrazené", "שמורים", "Зарезервированные"],
  rows: [
    ["RFC 1738", "RFC1738_UNRESERVED", ";/?:@=&"],
    ["RFC 2396", "RFC2396_UNRESERVED", ";/?:@&=+$,"],
    ["RFC 2732", "RFC2396_UNRESERVED", ";/?:@&=+$,[]"],
    ["RFC 3986", "RFC3986_UNRESERVED", ":/?#[]@!$&'()*+,;="],
  ],
};

export const LINKS = {
  title: ["The specifications", "Specifikace", "המפרטים", "Спецификации"],
  rows: [
    ["RFC 3986 · URI", "rfc-editor.org/rfc/rfc3986"],
    ["RFC 3987 · IRI", "rfc-editor.org/rfc/rfc3987"],
    ["RFC 1738", "rfc-editor.org/rfc/rfc1738"],
    ["RFC 2396", "rfc-editor.org/rfc/rfc2396"],
    ["RFC 8141 · URN", "rfc-editor.org/rfc/rfc8141"],
    ["RFC 6068 · mailto", "rfc-editor.org/rfc/rfc6068"],
    ["RFC 2397 · data", "rfc-editor.org/rfc/rfc2397"],
    ["RFC 3492 · Punycode", "rfc-editor.org/rfc/rfc3492"],
    ["RFC 4648 · Base64", "rfc-editor.org/rfc/rfc4648"],
    ["WHATWG URL", "url.spec.whatwg.org"],
    ["HTML · forms", "html.spec.whatwg.org/multipage/form-control-infrastructure.html"],
    ["ECMA-262 · encodeURI", "tc39.es/ecma262/#sec-uri-handling-functions"],
    ["IANA · URI schemes", "iana.org/assignments/uri-schemes"],
  ],
};

const TABLE = ["Often looked up", "Často hledané", "מחפשים לעתים קרובות", "Часто ищут"];
const LOOKED_UP = [" ", "!", '"', "#", "$", "%", "&", "'", "(", ")", "*", "+", ",", "-", ".", "/", ":", ";", "<", "=", ">", "?", "@", "[", "\\", "]", "^", "_", "`", "{", "|", "}", "~", "\n", "\r", "\r\n", "£", "€", "é", "円"];

const hex = (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
const escaped = (text) => [...new TextEncoder().encode(text)].map(hex).join("");
const isUnreserved = (character) => /^[\w.~-]$/.test(character);

/** Returns the characters of a set, without letters and digits. */
function signsOf(name) {
  const { set } = setByName(name);
  let text = "";
  for (let byte = 0x21; byte < 0x7f; byte++) if ((set[byte >> 3] >> (byte & 7)) & 1) text += String.fromCharCode(byte);
  return text.replace(/[a-z\d]/gi, "");
}

/** Returns the elements of the section. `use` makes a text the text of the page, and `pick` chooses a set by its name. */
export function reference(h, language, use, pick) {
  const at = ORDER.indexOf(language);
  const button = (text, onclick) => h("button", { type: "button", class: "c", onclick }, text);
  const character = (one, shown) => button(`${{ " ": "␣", "\n": "LF", "\r": "CR", "\r\n": "CR LF" }[one] ?? one}  ${shown}`, () => use(one));
  const group = (text) => [...text].map((one) => character(one, isUnreserved(one) ? one : escaped(one)));
  const heading = (texts) => h("h3", {}, texts[at]);
  const paragraph = (texts) => h("p", {}, isolated(texts[at]));
  const code = (text) => h("td", {}, h("code", { dir: "ltr" }, text));
  const head = (text) => h("th", { scope: "col" }, text);
  const sections = TEXTS.flatMap(({ title, text, characters, examples }) => [
    heading(title),
    paragraph(text),
    ...(characters ? characters.split(characters.includes("|:") ? "|" : "\0").map((signs) => h("p", { dir: "ltr" }, ...group(signs))) : []),
    ...(examples ? [h("p", { dir: "ltr" }, ...examples.map((example) => button(example, () => use(example))))] : []),
  ]);
  const history = HISTORY.rows.map(([name, text]) => h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, name)), h("td", {}, isolated(text[at]))));
  const sets = SETS.rows.map(([name, set, reserved]) => h("tr", {}, h("th", { scope: "row" }, button(name, () => pick(set))), code(signsOf(set)), code(reserved)));
  const links = LINKS.rows.map(([name, address]) => h("a", { href: `https://${address.startsWith("rfc") || address.startsWith("iana") ? "www." : ""}${address}`, target: "_blank", rel: "noopener noreferrer" }, name));
  return [
    ...sections,
    heading(HISTORY.title), h("table", {}, h("tbody", {}, ...history)),
    heading(SETS.title), paragraph(SETS.text),
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("td", {}), head(SETS.unreserved[at]), head(SETS.reserved[at]))), h("tbody", {}, ...sets))),
    heading(TABLE), h("p", { dir: "ltr" }, ...LOOKED_UP.map((one) => character(one, escaped(one)))),
    heading(LINKS.title), h("p", { class: "links", dir: "ltr" }, ...links),
  ];
}
