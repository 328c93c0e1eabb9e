// All texts of the page in four languages, as `key: [English, Czech, Hebrew, Russian]`. `{0}` is explained at the function `t`, and backticks
// at `isolated`.

/** The languages, and in which direction each is written. */
export const LANGUAGES = { en: "ltr", cs: "ltr", he: "rtl", ru: "ltr" };
const ORDER = Object.keys(LANGUAGES);

export const MESSAGES = {
  title: ["percent · URL encoder and decoder", "percent · kodér a dekodér URL", "percent · קידוד ופענוח של כתובות URL", "percent · кодирование и декодирование URL"],
  skip: ["Skip to the text", "Přejít k textu", "דילוג אל הטקסט", "Перейти к тексту"],
  promise: ["Encode, decode and understand URLs. Nothing leaves this page.", "Kóduje, dekóduje a vysvětluje URL. Data tuto stránku neopouštějí.", "קידוד, פענוח והבנה של כתובות URL. שום דבר לא יוצא מהדף הזה.", "Кодирует, декодирует и объясняет URL. Данные не покидают эту страницу."],
  footer: ["Works offline, from a file, with data of any size. No account, no cookies, no requests: the browser itself blocks every connection of this page.", "Funguje bez připojení, ze souboru, s daty libovolné velikosti. Bez účtu, bez cookies, bez požadavků: sám prohlížeč této stránce zakazuje jakékoli spojení.", "פועל ללא חיבור לרשת, מתוך קובץ, עם נתונים בכל גודל. בלי חשבון, בלי עוגיות, בלי בקשות: הדפדפן עצמו אוסר על הדף הזה כל חיבור.", "Работает без сети, из файла, с данными любого объёма. Без учётной записи, cookie и запросов: сам браузер запрещает этой странице любые соединения."],
  language: ["Language", "Jazyk", "שפה", "Язык"],
  theme: ["Theme", "Vzhled", "ערכת צבעים", "Оформление"],
  themeAuto: ["Automatic", "Automatický", "אוטומטי", "Авто"],
  themeLight: ["Light", "Světlý", "בהיר", "Светлое"],
  themeDark: ["Dark", "Tmavý", "כהה", "Тёмное"],
  themeContrast: ["High contrast", "Vysoký kontrast", "ניגודיות גבוהה", "Контрастное"],
  help: ["Keyboard shortcuts", "Klávesové zkratky", "קיצורי מקלדת", "Сочетания клавиш"],
  shortcuts: ["Keyboard shortcuts", "Klávesové zkratky", "קיצורי מקלדת", "Сочетания клавиш"],
  close: ["Close", "Zavřít", "סגירה", "Закрыть"],
  keyCopy: ["Copy the result", "Zkopírovat výsledek", "העתקת התוצאה", "Скопировать результат"],
  keySwap: ["Replace the text with the result", "Nahradit text výsledkem", "החלפת הטקסט בתוצאה", "Заменить текст результатом"],
  keyUndo: ["Undo", "Zpět", "ביטול הפעולה", "Отменить"],
  keyTab: ["Go to the next control", "Přejít na další prvek", "מעבר לרכיב הבא", "Перейти к следующему элементу"],
  keyEsc: ["Leave the text", "Opustit text", "יציאה מהטקסט", "Выйти из текста"],
  keyHelp: ["This list", "Tento seznam", "הרשימה הזאת", "Этот список"],
  decoded: ["Text", "Text", "טקסט", "Текст"],
  encoded: ["Encoded", "Zakódováno", "מקודד", "Закодировано"],
  decodedHint: ["Type or paste text", "Napište nebo vložte text", "הקלידו או הדביקו טקסט", "Введите или вставьте текст"],
  encodedHint: ["Type or paste a link, or anything with %20 in it", "Napište nebo vložte odkaz či cokoli s %20", "הקלידו או הדביקו קישור, או כל דבר שיש בו `%20`", "Введите или вставьте ссылку или что угодно с %20"],
  copy: ["Copy", "Kopírovat", "העתקה", "Копировать"],
  paste: ["Paste", "Vložit", "הדבקה", "Вставить"],
  download: ["Download", "Stáhnout", "הורדה", "Скачать"],
  clear: ["Clear", "Vymazat", "ניקוי", "Очистить"],
  swap: ["Replace the text with the result", "Nahradit text výsledkem", "החלפת הטקסט בתוצאה", "Заменить текст результатом"],
  copied: ["Copied.", "Zkopírováno.", "הועתק.", "Скопировано."],
  linked: ["Copied: the address of this page, with the text and the options. The part after # is never sent to a server.", "Adresa stránky s textem a volbami je zkopírována. Část za # se na server nikdy neposílá.", "הכתובת של הדף, עם הטקסט והאפשרויות, הועתקה. החלק שאחרי # לעולם אינו נשלח לשרת.", "Адрес страницы с текстом и настройками скопирован. Часть после # никогда не отправляется на сервер."],
  pasteRefused: ["The browser didn't allow that. Use the keyboard.", "Prohlížeč to nedovolil. Použijte klávesnici.", "הדפדפן לא אפשר זאת. השתמשו במקלדת.", "Браузер этого не разрешил. Воспользуйтесь клавиатурой."],
  characters: ["{0?# character|# characters}", "{0?# znak|# znaky|# znaků}", "{0?תו אחד|שני תווים|# תווים}", "{0?# символ|# символа|# символов}"],
  cut: ["The first {0} of {1} characters are shown. Copy and download include the whole result.", "Zobrazeno prvních {0} z {1} znaků. Kopíruje a stahuje se celý výsledek.", "מוצגים {0} התווים הראשונים מתוך {1}. ההעתקה וההורדה כוללות את הכול.", "Показано символов: {0} из {1}. Копируется и скачивается всё."],
  readAs: ["not UTF-8, read as {0}", "není v UTF-8, přečteno jako {0}", "לא UTF-8, נקרא כ־{0}", "не UTF-8, прочитано как {0}"],
  notUtf8: ["some bytes are not UTF-8", "některé bajty nejsou UTF-8", "חלק מהבתים אינם UTF-8", "часть байтов не UTF-8"],
  layersTaken: ["{0?# layer|# layers} decoded", "dekódováno: {0?# vrstva|# vrstvy|# vrstev}", "{0?פוענחה שכבה אחת|פוענחו שתי שכבות|פוענחו # שכבות}", "декодировано: {0?# слой|# слоя|# слоёв}"],
  error_truncated: ["The text ends inside the escape that starts at character {0}.", "Text končí uprostřed sekvence, která začíná na pozici {0}.", "הטקסט נגמר באמצע רצף הקידוד שמתחיל בתו {0}.", "Текст обрывается внутри последовательности, которая начинается в позиции {0}."],
  "error_not-hex": ["The % at character {0} is not followed by two hexadecimal digits.", "Za % na pozici {0} nenásledují dvě šestnáctkové číslice.", "אחרי ה־`%` בתו {0} אין שתי ספרות הקסדצימליות.", "За % в позиции {0} не следуют две шестнадцатеричные цифры."],
  "error_invalid-utf8": ["Not UTF-8 from character {0} on.", "Od pozice {0} text není v UTF-8.", "מהתו {0} ואילך הטקסט אינו UTF-8.", "Начиная с позиции {0} текст не в UTF-8."],
  "error_no-memory": ["There is not enough memory.", "Nedostatek paměti.", "אין די זיכרון.", "Недостаточно памяти."],
  error_format: ["The file isn't in this format, or lacks the field.", "Soubor není v tomto formátu, nebo takové pole nemá.", "הקובץ אינו בפורמט הזה, או שאין בו שדה כזה.", "Файл не в этом формате или не содержит такого поля."],
  "error_too-long": ["A record is longer than 64 MB.", "Záznam je delší než 64 MB.", "רשומה ארוכה מ־64 MB.", "Запись длиннее 64 МБ."],
  "error_too-large": ["The result is too long for this browser.", "Výsledek je pro tento prohlížeč příliš dlouhý.", "התוצאה ארוכה מדי לדפדפן הזה.", "Результат слишком длинный для этого браузера."],
  error_internal: ["The conversion failed because of a bug in this page. Please try again.", "Převod selhal kvůli chybě této stránky. Zkuste to prosím znovu.", "ההמרה נכשלה בגלל תקלה בדף. נסו שוב.", "Преобразование не удалось из-за ошибки страницы. Попробуйте ещё раз."],
  noWasm: ["This browser can't run WebAssembly, which this page needs. ({0})", "Tento prohlížeč neumí WebAssembly, bez kterého stránka nefunguje. ({0})", "הדפדפן הזה אינו תומך ב־WebAssembly, שהדף זקוק לו. ({0})", "Браузер не поддерживает WebAssembly, без которого страница не работает. ({0})"],
  failed: ["Something went wrong: {0}", "Něco se nepovedlo: {0}", "משהו השתבש: {0}", "Что-то пошло не так: {0}"],
  options: ["Options", "Volby", "אפשרויות", "Настройки"],
  mode: ["Operation", "Operace", "פעולה", "Операция"],
  modePercent: ["Percent-encoding", "Procentové kódování", "קידוד אחוזים", "Процентное кодирование"],
  modeIri: ["Readable URL (IRI)", "Čitelné URL (IRI)", "כתובת קריאה (IRI)", "Читаемый URL (IRI)"],
  modeNormalize: ["Normalise a URL", "Normalizovat URL", "נרמול כתובת", "Нормализовать URL"],
  modeEscape: ["escape() of JavaScript", "escape() z JavaScriptu", "escape() של JavaScript", "escape() из JavaScript"],
  set: ["Characters that stay", "Znaky, které se nekódují", "תווים שנשארים", "Символы, которые не кодируются"],
  setComponent: ["One value: letters, digits, - . _ ~", "Jedna hodnota: písmena, číslice, - . _ ~", "ערך יחיד: אותיות, ספרות, `- . _ ~`", "Одно значение: буквы, цифры, - . _ ~"],
  setUri: ["A whole URL: its delimiters stay", "Celé URL: oddělovače zůstanou", "כתובת שלמה: המפרידים נשארים", "Целый URL: разделители остаются"],
  setForm: ["Form data", "Data formuláře", "נתוני טופס", "Данные формы"],
  setAll: ["None: encode everything", "Žádné: zakódovat vše", "אין: לקודד הכול", "Никакие: закодировать всё"],
  setOwn: ["Your own", "Vlastní", "קבוצה משלכם", "Свой набор"],
  catalogue: ["Standards and languages", "Standardy a jazyky", "תקנים ושפות", "Стандарты и языки"],
  space: ["A space is", "Mezera je", "רווח נכתב", "Пробел — это"],
  plusQuery: ["+ after ?", "+ za ?", "`+` אחרי `?`", "+ после ?"],
  lines: ["Each line separately", "Každý řádek zvlášť", "כל שורה בנפרד", "Каждая строка отдельно"],
  more: ["More", "Více", "עוד", "Ещё"],
  charset: ["Character set", "Znaková sada", "ערכת תווים", "Кодировка"],
  charsetAuto: ["UTF-8, or detected", "UTF-8, nebo rozpoznaná", "UTF-8 או זיהוי אוטומטי", "UTF-8 или автоопределение"],
  newline: ["Line ends", "Konce řádků", "סופי שורה", "Переводы строк"],
  newlineKeep: ["Unchanged", "Beze změny", "ללא שינוי", "Без изменений"],
  hex: ["Hexadecimal digits", "Šestnáctkové číslice", "ספרות הקסדצימליות", "Шестнадцатеричные цифры"],
  layersOption: ["Layers to decode", "Vrstvy k dekódování", "שכבות לפענוח", "Слои для декодирования"],
  layersAll: ["all", "všechny", "כולן", "все"],
  strict: ["Reject a malformed %", "Odmítnout vadné %", "לדחות `%` פגום", "Отклонять некорректный %"],
  wrap: ["Lines of 76 characters", "Řádky po 76 znacích", "שורות של 76 תווים", "Строки по 76 символов"],
  keep: ["Keep existing escapes", "Ponechat, co už je zakódované", "להשאיר את מה שכבר מקודד", "Не трогать уже закодированное"],
  link: ["Link to this", "Odkaz na tento stav", "קישור לכאן", "Ссылка сюда"],
  views: ["Views", "Zobrazení", "תצוגות", "Разделы"],
  viewExplain: ["Explain", "Vysvětlit", "הסבר", "Разбор"],
  viewLayers: ["Layers", "Vrstvy", "שכבות", "Слои"],
  viewUrl: ["URL and query", "URL a dotaz", "כתובת ושאילתה", "URL и запрос"],
  viewMap: ["Map of ASCII", "Mapa ASCII", "מפת ASCII", "Карта ASCII"],
  viewCode: ["As code", "Jako kód", "כקוד", "Код"],
  viewOthers: ["Other functions", "Jiné funkce", "פונקציות אחרות", "Другие функции"],
  viewFiles: ["Files", "Soubory", "קבצים", "Файлы"],
  viewReference: ["Reference", "Příručka", "מדריך", "Справка"],
  actions: ["Actions", "Akce", "פעולות", "Действия"],
  findings: ["Findings", "Nálezy", "ממצאים", "Замечания"],
  noFindings: ["No problems found.", "Žádné problémy.", "לא נמצאו בעיות.", "Проблем не найдено."],
  explainEmpty: ["Paste a link. The page colours and explains each escape, such as %20, and lists the problems here.", "Vložte odkaz. Stránka obarví a vysvětlí každou sekvenci, například %20, a problémy vypíše zde.", "הדביקו קישור. הדף יצבע ויסביר כל רצף קידוד, כמו `%20`, ויציג כאן את הבעיות.", "Вставьте ссылку. Страница выделит цветом и объяснит каждую последовательность, например %20, а проблемы перечислит здесь."],
  inspectorEmpty: ["Point at an escape such as %20, or move the cursor into it, to see its meaning.", "Ukažte na sekvenci, například %20, nebo do ní přesuňte kurzor. Zobrazí se její význam.", "הצביעו על רצף קידוד, כמו `%20`, או העבירו אליו את הסמן, כדי לראות את משמעותו.", "Наведите указатель на последовательность, например %20, или поставьте в неё курсор, чтобы увидеть её значение."],
  at: ["character {0}", "pozice {0}", "תו {0}", "позиция {0}"],
  byte: ["byte {0}", "bajt {0}", "בית {0}", "байт {0}"],
  class0: ["Needed", "Nutné", "נחוץ", "Нужно"],
  class1: ["Needless", "Zbytečné", "מיותר", "Излишне"],
  class2: ["Reserved", "Vyhrazené", "שמור", "Зарезервировано"],
  class3: ["Character", "Znak", "תו", "Символ"],
  class4: ["Not UTF-8", "Není UTF-8", "לא UTF-8", "Не UTF-8"],
  class5: ["Control character", "Řídicí znak", "תו בקרה", "Управляющий символ"],
  class6: ["Invisible", "Neviditelné", "בלתי נראה", "Невидимый"],
  class7: ["Malformed", "Vadné", "פגום", "Некорректный %"],
  class8: ["Encoded twice", "Zakódováno dvakrát", "מקודד פעמיים", "Закодировано дважды"],
  class9: ["Not encoded", "Nezakódováno", "לא מקודד", "Не закодировано"],
  class10: ["Space", "Mezera", "רווח", "Пробел"],
  why0: ["A URL may contain this character only encoded.", "V URL smí být tento znak jen zakódovaný.", "בכתובת התו הזה מותר רק כשהוא מקודד.", "В URL этот символ допустим только в закодированном виде."],
  why1: ["A letter, a digit or - . _ ~ means the same without the escape.", "Písmeno, číslice nebo - . _ ~ znamená totéž i bez kódování.", "לאות, לספרה או ל־`- . _ ~` אותה משמעות גם בלי קידוד.", "Буква, цифра или - . _ ~ означает то же и без кодирования."],
  why2: ["Encoded, this character is data. Unencoded, it would separate parts of the URL.", "Zakódovaný znak je součástí dat. Nezakódovaný by odděloval části URL.", "כשהתו מקודד הוא חלק מהנתונים. בלי קידוד הוא היה מפריד בין חלקי הכתובת.", "В закодированном виде это данные. Незакодированный символ разделял бы части URL."],
  why3: ["The bytes of one character in UTF-8.", "Bajty jednoho znaku v UTF-8.", "הבתים של תו אחד ב־UTF-8.", "Байты одного символа в UTF-8."],
  why4: ["This byte isn't part of a UTF-8 character. It may come from an older character set.", "Tento bajt není částí znaku v UTF-8. Možná pochází ze starší znakové sady.", "הבית הזה אינו חלק מתו ב־UTF-8. ייתכן שמקורו בערכת תווים ישנה.", "Этот байт не входит ни в один символ UTF-8. Возможно, он из старой кодировки."],
  why5: ["After decoding, it can break lines, logs and headers.", "Po dekódování může narušit řádky, logy a hlavičky.", "אחרי פענוח הוא עלול לשבור שורות, יומנים וכותרות.", "После декодирования он может разбить строки и исказить журналы и заголовки."],
  why6: ["This character is invisible or changes the order of the text around it. Check it carefully.", "Tento znak není vidět, nebo mění pořadí okolního textu. Pečlivě ho zkontrolujte.", "התו הזה אינו נראה, או משנה את סדר הטקסט שסביבו. כדאי לבדוק היטב.", "Этот символ не виден или меняет порядок текста вокруг. Внимательно проверьте его."],
  why7: ["Two hexadecimal digits must follow a %. For the sign itself, write %25.", "Za % musí následovat dvě šestnáctkové číslice. Samotný znak procenta se píše %25.", "אחרי `%` חייבות לבוא שתי ספרות הקסדצימליות. הסימן עצמו נכתב `%25`.", "За % должны идти две шестнадцатеричные цифры. Сам знак процента пишется %25."],
  why8: ["This text was encoded twice: %25 is the percent sign.", "Zakódováno dvakrát: %25 je znak procenta.", "הטקסט קודד פעמיים: `%25` הוא סימן האחוז.", "Закодировано дважды: %25 — это знак процента."],
  why9: ["A URL may contain these characters only encoded.", "V URL smějí být tyto znaky jen zakódované.", "בכתובת התווים האלה מותרים רק כשהם מקודדים.", "В URL эти символы допустимы только в закодированном виде."],
  why10: ["In form data, + means a space.", "V datech formuláře znamená + mezeru.", "בנתוני טופס `+` הוא רווח.", "В данных формы + означает пробел."],
  whyLower: ["Hexadecimal digits are usually written in upper case.", "Šestnáctkové číslice se obvykle píší velkými písmeny.", "את הספרות ההקסדצימליות נהוג לכתוב באותיות גדולות.", "Шестнадцатеричные цифры принято писать заглавными буквами."],
  mixed: ["mixes scripts ({0}): letters that look alike can be different letters.", "mísí různá písma ({0}): písmena, která vypadají stejně, mohou být různá.", "מערבב כתבים ({0}): אותיות שנראות זהות יכולות להיות שונות.", "смешивает письменности ({0}): одинаковые с виду буквы могут быть разными."],
  layersNote: ["Shows each layer of a text that was encoded several times. The encoded text is at the top.", "Zobrazí jednotlivé vrstvy textu, který byl zakódován vícekrát. Nahoře je zakódovaný text.", "כל השכבות של טקסט שקודד כמה פעמים. הטקסט המקודד נמצא למעלה.", "Показывает все слои текста, закодированного несколько раз. Вверху — закодированный текст."],
  layersMany: ["{0?# layer|# layers}, one below the other; the first change in each is marked.", "{0?# vrstva|# vrstvy|# vrstev}, jedna pod druhou; v každé je vyznačena první změna.", "{0?שכבה אחת|שתי שכבות|# שכבות}, זו מתחת לזו; בכל אחת מסומן השינוי הראשון.", "{0?# слой|# слоя|# слоёв}, один под другим; в каждом отмечено первое изменение."],
  layersWhere: ["Encoded more than once: {0}.", "Zakódováno vícekrát: {0}.", "קודד יותר מפעם אחת: {0}.", "Закодировано более одного раза: {0}."],
  use: ["Use", "Použít", "בחירה", "Использовать"],
  urlEmpty: ["The parts of a URL, and its query as a table to edit.", "Části URL a jeho dotaz jako tabulka, kterou lze upravit.", "חלקי הכתובת, והשאילתה כטבלה שאפשר לערוך.", "Части URL и его запрос в виде таблицы, которую можно править."],
  part_scheme: ["Scheme", "Schéma", "סכמה", "Схема"],
  part_userinfo: ["User", "Uživatel", "משתמש", "Пользователь"],
  part_host: ["Host", "Hostitel", "מארח", "Хост"],
  part_port: ["Port", "Port", "פורט", "Порт"],
  part_segment: ["Path", "Cesta", "נתיב", "Путь"],
  part_fragment: ["Fragment", "Fragment", "מקטע", "Фрагмент"],
  part_name: ["Name", "Název", "שם", "Имя"],
  part_value: ["Value", "Hodnota", "ערך", "Значение"],
  notUri: ["Not a URI", "Není URI", "לא URI", "Не URI"],
  notUriAt: ["from character {0} on: {1}", "od pozice {0}: {1}", "מהתו {0}: {1}", "с позиции {0}: {1}"],
  encodedTwice: ["encoded twice", "zakódováno dvakrát", "קודד פעמיים", "закодировано дважды"],
  encodedTimes: ["encoded {0} times", "zakódováno {0}×", "קודד {0} פעמים", "закодировано {0?# раз|# раза|# раз}"],
  addPair: ["Add a parameter", "Přidat parametr", "הוספת פרמטר", "Добавить параметр"],
  previous: ["Previous", "Předchozí", "הקודמים", "Предыдущие"],
  next: ["Next", "Další", "הבאים", "Следующие"],
  openUrl: ["Open", "Otevřít", "פתיחה", "Открыть"],
  moveUp: ["Move parameter {0} up", "Posunout parametr {0} výš", "הזזת פרמטר {0} למעלה", "Поднять параметр {0}"],
  moveDown: ["Move parameter {0} down", "Posunout parametr {0} níž", "הזזת פרמטר {0} למטה", "Опустить параметр {0}"],
  removePair: ["Remove parameter {0}", "Odebrat parametr {0}", "הסרת פרמטר {0}", "Удалить параметр {0}"],
  mapNote: ["The 128 characters of ASCII. The green ones stay. All others are encoded, and so is everything beyond ASCII. Click a character to create your own set.", "128 znaků ASCII. Zelené zůstávají, ostatní se kódují, stejně jako vše mimo ASCII. Kliknutím na znak vytvoříte vlastní sadu.", "128 תווי ASCII. הירוקים נשארים כפי שהם. כל השאר מקודדים, וכך גם כל מה שמחוץ ל־ASCII. לחיצה על תו יוצרת קבוצה משלכם.", "128 символов ASCII. Зелёные не кодируются, остальные кодируются, как и всё вне ASCII. Нажмите на символ, чтобы создать свой набор."],
  ownLabel: ["Your own characters that stay", "Vlastní znaky, které se nekódují", "תווים משלכם שנשארים", "Свои символы, которые не кодируются"],
  codeNote: ["The same operation in other languages and tools.", "Stejná operace v jiných jazycích a nástrojích.", "אותה פעולה בשפות ובכלים אחרים.", "Та же операция на других языках и в других инструментах."],
  othersNote: ["Results of common functions for this text. ≠ marks a difference from the result above. JavaScript's functions run in this browser.", "Výsledky běžných funkcí pro tento text. ≠ značí rozdíl od výsledku nahoře. Funkce JavaScriptu běží v tomto prohlížeči.", "התוצאות של פונקציות נפוצות עבור הטקסט הזה. הסימן `≠` מציין הבדל מהתוצאה שלמעלה. הפונקציות של JavaScript רצות בדפדפן הזה.", "Результаты распространённых функций для этого текста. ≠ отмечает отличие от результата выше. Функции JavaScript выполняет этот браузер."],
  function: ["Function", "Funkce", "פונקציה", "Функция"],
  result: ["Result", "Výsledek", "תוצאה", "Результат"],
  refused: ["rejects the % at character {0}", "odmítne % na pozici {0}", "דוחה את ה־`%` בתו {0}", "отвергает % в позиции {0}"],
  filesNote: ["Drop a file of any size here. Your machine processes it from disk to disk, piece by piece. Bytes that aren't UTF-8 stay unchanged unless you choose a character set above.", "Přetáhněte sem soubor libovolné velikosti. Zpracuje se na vašem počítači, z disku na disk, po částech. Bajty, které nejsou v UTF-8, zůstanou beze změny, pokud nahoře nevyberete znakovou sadu.", "גררו לכאן קובץ בכל גודל. הוא מעובד במחשב שלכם, מדיסק לדיסק, חלק אחר חלק. בתים שאינם UTF-8 נשארים כפי שהם, אלא אם כן תבחרו למעלה ערכת תווים.", "Перетащите сюда файл любого размера. Он обрабатывается на вашем компьютере, с диска на диск, по частям. Байты не в UTF-8 не изменяются, если выше не выбрана кодировка."],
  choose: ["Choose a file", "Vybrat soubor", "בחירת קובץ", "Выбрать файл"],
  direction: ["Direction", "Směr", "כיוון", "Направление"],
  format: ["Process", "Zpracovat", "לעבד", "Обрабатывать"],
  formatText: ["The whole text", "Celý text", "את כל הטקסט", "Весь текст"],
  formatAuto: ["Fields with URLs; the format is recognized", "Pole s URL; formát se rozpozná", "שדות עם כתובות; הפורמט יזוהה", "Поля с URL; формат определяется автоматически"],
  formatCsv: ["CSV columns, separated by {0}", "Sloupce CSV oddělené znakem {0}", "עמודות CSV, מפריד {0}", "Столбцы CSV, разделитель {0}"],
  formatTsv: ["TSV columns", "Sloupce TSV", "עמודות TSV", "Столбцы TSV"],
  formatNdjson: ["JSON members, one record per line", "Položky JSON, jeden záznam na řádek", "שדות JSON, שורה לכל רשומה", "Поля JSON, одна запись на строку"],
  formatJson: ["JSON members", "Položky JSON", "שדות JSON", "Поля JSON"],
  fields: ["Fields: names, numbers from 1, or /pointers. Leave empty for the fields with URLs", "Pole: názvy, čísla od 1 nebo /ukazatele. Pro pole s URL nechte prázdné", "שדות: שמות, מספרים מ־1 או `/pointers`. כדי לבחור בשדות שיש בהם כתובות, השאירו ריק", "Поля: имена, номера с 1 или /указатели. Чтобы взять поля с URL, оставьте пустым"],
  header: ["The first line contains the names", "První řádek obsahuje názvy", "השורה הראשונה מכילה את השמות", "Первая строка содержит имена"],
  doDecode: ["Decode", "Dekódovat", "פענוח", "Декодировать"],
  doEncode: ["Encode", "Kódovat", "קידוד", "Кодировать"],
  start: ["Start", "Spustit", "התחלה", "Начать"],
  cancel: ["Cancel", "Zrušit", "ביטול", "Отмена"],
  cancelled: ["Cancelled", "Zrušeno", "בוטל", "Отменено"],
  fileWhole: ["{0}: this option needs the whole file at once, which is possible up to {1}. The file has {2}. Undo the choice, or split the file.", "{0}: tato volba potřebuje celý soubor najednou, což jde jen do {1}. Soubor má {2}. Zrušte volbu, nebo soubor rozdělte.", "{0}: האפשרות הזאת דורשת את הקובץ כולו בבת אחת, וזה אפשרי רק עד {1}. גודל הקובץ {2}. בטלו את הבחירה או פצלו את הקובץ.", "{0}: для этого нужен сразу весь файл, а это возможно только до {1}. Размер файла — {2}. Отмените этот выбор или разделите файл."],
  fileFields: ["{0}: this option has no effect on fields of records. Undo the choice, or process the whole text.", "{0}: tato volba nemá na pole záznamů vliv. Zrušte ji, nebo zpracujte celý text.", "{0}: האפשרות הזאת אינה משפיעה על שדות של רשומות. בטלו את הבחירה או עבדו על כל הטקסט.", "{0}: эта настройка не действует на поля записей. Отмените этот выбор или обработайте весь текст."],
  replacedLine: ["replaced by U+FFFD: {0}", "nahrazeno znakem U+FFFD: {0}", "הוחלפו ב־`U+FFFD`: {0}", "заменено на U+FFFD: {0}"],
  fileDone: ["Done", "Hotovo", "הסתיים", "Готово"],
  fileLine: ["{0} read, {1} written, {2} MB/s", "přečteno {0}, zapsáno {1}, {2} MB/s", "נקראו {0}, נכתבו {1}, {2} MB/s", "прочитано {0}, записано {1}, {2} МБ/с"],
  malformedLine: ["malformed escapes: {0}", "vadných sekvencí: {0}", "רצפים פגומים: {0}", "некорректных последовательностей: {0}"],
  formatLine: ["not in this format: {0}", "není v tomto formátu: {0}", "אינם בפורמט הזה: {0}", "не в этом формате: {0}"],
};

let current = "en";
export const language = () => current;

/** Chooses the first of the wanted languages that the page has. Some browsers call Hebrew `iw`. */
export function setLanguage(wanted) {
  const found = wanted.map((tag) => tag.toLowerCase().split("-")[0].replace("iw", "he")).find((tag) => tag in LANGUAGES);
  current = found ?? "en";
}

/** CLDR's plural categories, in the order in which a message has its forms. The last form is for all other categories. */
export const PLURALS = { en: ["one", "other"], cs: ["one", "few", "other"], he: ["one", "two", "other"], ru: ["one", "few", "many"] };

/**
 * Returns the text of a key in the page's language. `{0}` becomes the first argument. A number is written as usual in that language.
 * `{0?# file|# files}` becomes the form for that number, and `#` in it becomes the number.
 */
export function t(key, ...values) {
  const text = isolated(MESSAGES[key][ORDER.indexOf(current)]);
  return text.replace(/\{(\d)(?:\?([^}]*))?\}/g, (_, at, forms) => {
    const value = values[at];
    const shown = typeof value === "number" ? number(value) : String(value);
    if (forms === undefined) return isRtl() ? `\u2068${shown}\u2069` : shown;
    const category = PLURALS[current].indexOf(new Intl.PluralRules(current).select(value));
    return forms.split("|").at(category).replace("#", shown);
  });
}

const isRtl = () => LANGUAGES[current] === "rtl";

/** Removes the backticks from a text. In a right-to-left language, the text between backticks is isolated, and reads from left to right. */
export const isolated = (text) => text.replace(/`([^`]*)`/g, isRtl() ? "\u2066$1\u2069" : "$1");

export const number = (value) => new Intl.NumberFormat(current).format(value);

/** Returns a size in bytes as text for people. */
export function size(bytes) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const at = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(current, { style: "unit", unit: units[at], unitDisplay: at ? "short" : "long", maximumFractionDigits: at ? 1 : 0 }).format(bytes / 1000 ** at);
}
