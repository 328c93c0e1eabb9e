// Every text of the page in its four languages: key: [English, Czech, Hebrew, Russian]. `t` says what `{0}` and backticks mean.

/** The languages and their directions. */
export const LANGUAGES = { en: "ltr", cs: "ltr", he: "rtl", ru: "ltr" };
const ORDER = Object.keys(LANGUAGES);

export const MESSAGES = {
  title: ["percent · URL encoder and decoder", "percent · kodér a dekodér URL", "percent · קידוד ופענוח של כתובות URL", "percent · кодирование и декодирование URL"],
  skip: ["Skip to the text", "Přejít k textu", "דילוג אל הטקסט", "Перейти к тексту"],
  promise: ["Encode, decode and understand URLs. Nothing leaves this page.", "Zakódujte, dekódujte a pochopte URL. Nic neopustí tuto stránku.", "קידוד, פענוח והבנה של כתובות URL. שום דבר לא יוצא מהדף הזה.", "Кодирует, декодирует и объясняет URL. Данные не покидают эту страницу."],
  footer: ["Works offline, from a file, at any size. No account, no cookies, no requests: the browser itself forbids this page every connection.", "Funguje bez připojení, ze souboru, s daty libovolné velikosti. Bez účtu, bez cookies, bez požadavků: sám prohlížeč této stránce zakazuje jakékoli spojení.", "פועל ללא חיבור לרשת, מתוך קובץ, בכל גודל. בלי חשבון, בלי עוגיות, בלי בקשות: הדפדפן עצמו אוסר על הדף הזה כל חיבור.", "Работает без сети, из файла, с данными любого объёма. Без учётной записи, cookie и запросов: сам браузер запрещает этой странице любые соединения."],
  language: ["Language", "Jazyk", "שפה", "Язык"],
  theme: ["Theme", "Vzhled", "ערכת צבעים", "Оформление"],
  themeAuto: ["Automatic", "Auto", "אוטומטי", "Авто"],
  themeLight: ["Light", "Světlý", "בהיר", "Светлое"],
  themeDark: ["Dark", "Tmavý", "כהה", "Тёмное"],
  themeContrast: ["High contrast", "Vysoký kontrast", "ניגודיות גבוהה", "Контрастное"],
  help: ["Keyboard shortcuts", "Klávesové zkratky", "קיצורי מקלדת", "Сочетания клавиш"],
  shortcuts: ["Keyboard shortcuts", "Klávesové zkratky", "קיצורי מקלדת", "Сочетания клавиш"],
  close: ["Close", "Zavřít", "סגירה", "Закрыть"],
  keyCopy: ["Copy the result", "Zkopírovat výsledek", "העתקת התוצאה", "Скопировать результат"],
  keySwap: ["Put the result in place of the text", "Přenést výsledek na místo textu", "העברת התוצאה למקום הטקסט", "Поставить результат на место текста"],
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
  swap: ["Put the result in place of the text", "Přenést výsledek na místo textu", "העברת התוצאה למקום הטקסט", "Поставить результат на место текста"],
  copied: ["Copied.", "Zkopírováno.", "הועתק.", "Скопировано."],
  linked: ["The address of this page now holds the text and the options; it was copied. The part behind # is never sent to a server.", "Adresa této stránky teď obsahuje text i volby; byla zkopírována. Část za # se nikdy neposílá na server.", "כתובת הדף מכילה עכשיו את הטקסט ואת האפשרויות, והיא הועתקה. החלק שאחרי # אינו נשלח לשרת לעולם.", "Адрес страницы теперь содержит текст и настройки; он скопирован. Часть после # никогда не отправляется на сервер."],
  pasteRefused: ["The browser did not allow that; use the keyboard.", "Prohlížeč to nedovolil; použijte klávesnici.", "הדפדפן לא אפשר זאת; השתמשו במקלדת.", "Браузер не разрешил; воспользуйтесь клавиатурой."],
  characters: ["{0?# character|# characters}", "{0?# znak|# znaky|# znaků}", "{0?תו אחד|שני תווים|# תווים}", "{0?# символ|# символа|# символов}"],
  cut: ["The first {0} of {1} characters are shown. Copy and download take all of it.", "Zobrazeno prvních {0} z {1} znaků. Zkopíruje a stáhne se vše.", "מוצגים {0} התווים הראשונים מתוך {1}. ההעתקה וההורדה כוללות את הכול.", "Показано символов: {0} из {1}. Копируется и скачивается всё."],
  readAs: ["not UTF-8, read as {0}", "není v UTF-8, přečteno jako {0}", "לא UTF-8, נקרא כ־{0}", "не UTF-8, прочитано как {0}"],
  notUtf8: ["some bytes are not UTF-8", "některé bajty nejsou UTF-8", "חלק מהבתים אינם UTF-8", "часть байтов не UTF-8"],
  layersTaken: ["{0?# layer|# layers} decoded", "dekódováno: {0?# vrstva|# vrstvy|# vrstev}", "{0?פוענחה שכבה אחת|פוענחו שתי שכבות|פוענחו # שכבות}", "декодировано: {0?# слой|# слоя|# слоёв}"],
  error_truncated: ["The text ends inside the escape that starts at character {0}.", "Text končí uprostřed sekvence, která začíná znakem {0}.", "הטקסט נגמר באמצע רצף הקידוד שמתחיל בתו {0}.", "Текст обрывается внутри последовательности, которая начинается с символа {0}."],
  "error_not-hex": ["The % at character {0} is not followed by two hexadecimal digits.", "Za % na znaku {0} nejsou dvě šestnáctkové číslice.", "אחרי ה־`%` בתו {0} אין שתי ספרות הקסדצימליות.", "За % у символа {0} нет двух шестнадцатеричных цифр."],
  "error_invalid-utf8": ["Not UTF-8 from character {0} on.", "Od znaku {0} to není UTF-8.", "לא UTF-8 מהתו {0}.", "С символа {0} это не UTF-8."],
  "error_no-memory": ["There is not enough memory.", "Nedostatek paměti.", "אין די זיכרון.", "Недостаточно памяти."],
  error_format: ["The file is not in this format, or has no such field.", "Soubor není v tomto formátu, nebo takové pole nemá.", "הקובץ אינו בפורמט הזה, או שאין בו שדה כזה.", "Файл не в этом формате или не содержит такого поля."],
  "error_too-long": ["A record is longer than 64 MB.", "Záznam je delší než 64 MB.", "רשומה ארוכה מ־64 MB.", "Запись длиннее 64 МБ."],
  "error_too-large": ["The result is longer than this browser can hold.", "Výsledek je delší, než tento prohlížeč unese.", "התוצאה ארוכה ממה שהדפדפן הזה יכול להחזיק.", "Результат длиннее, чем может удержать этот браузер."],
  error_internal: ["The part that does the work has failed. This is a fault of the page; please try again.", "Část, která dělá práci, selhala. Je to chyba této stránky; zkuste to prosím znovu.", "הרכיב שמבצע את העבודה נכשל. זו תקלה של הדף; נסו שוב.", "Сбой в части, которая выполняет работу. Это ошибка страницы; попробуйте ещё раз."],
  noWasm: ["This browser cannot run WebAssembly, which does the work here. ({0})", "Tento prohlížeč neumí WebAssembly, na kterém stránka stojí. ({0})", "הדפדפן הזה אינו מריץ WebAssembly, שעושה כאן את העבודה. ({0})", "Этот браузер не поддерживает WebAssembly, на котором всё работает. ({0})"],
  failed: ["Something went wrong: {0}", "Něco se nepovedlo: {0}", "משהו השתבש: {0}", "Что-то пошло не так: {0}"],
  options: ["Options", "Volby", "אפשרויות", "Настройки"],
  mode: ["What to do", "Co udělat", "מה לעשות", "Что сделать"],
  modePercent: ["Percent-encoding", "Procentové kódování", "קידוד באחוזים", "Процентное кодирование"],
  modeIri: ["Readable URL (IRI)", "Čitelné URL (IRI)", "כתובת קריאה (IRI)", "Читаемый URL (IRI)"],
  modeNormalize: ["Normalise a URL", "Normalizovat URL", "נרמול כתובת", "Нормализовать URL"],
  modeEscape: ["escape() of JavaScript", "escape() z JavaScriptu", "escape() של JavaScript", "escape() из JavaScript"],
  set: ["Characters that stay", "Znaky, které zůstanou", "תווים שנשארים", "Символы, которые остаются"],
  setComponent: ["One value: letters, digits, - . _ ~", "Jedna hodnota: písmena, číslice, - . _ ~", "ערך יחיד: אותיות, ספרות, `- . _ ~`", "Одно значение: буквы, цифры, - . _ ~"],
  setUri: ["A whole URL: its delimiters stay", "Celé URL: oddělovače zůstanou", "כתובת שלמה: המפרידים נשארים", "Целый URL: разделители остаются"],
  setForm: ["Form data", "Data formuláře", "נתוני טופס", "Данные формы"],
  setAll: ["None: encode everything", "Žádné: zakódovat vše", "אין: לקודד הכול", "Никакие: закодировать всё"],
  setOwn: ["Your own", "Vlastní", "קבוצה משלכם", "Свой набор"],
  catalogue: ["Standards and languages", "Standardy a jazyky", "תקנים ושפות", "Стандарты и языки"],
  space: ["A space is", "Mezera je", "רווח נכתב", "Пробел — это"],
  plusQuery: ["+ after ?", "+ za ?", "`+` אחרי `?`", "+ после ?"],
  lines: ["Each line by itself", "Každý řádek zvlášť", "כל שורה בנפרד", "Каждая строка отдельно"],
  more: ["More", "Další", "עוד", "Ещё"],
  charset: ["Character set", "Znaková sada", "ערכת תווים", "Кодировка"],
  charsetAuto: ["UTF-8, or detected", "UTF-8, nebo rozpoznaná", "UTF-8 או זיהוי אוטומטי", "UTF-8 или автоопределение"],
  newline: ["Line ends", "Konce řádků", "סופי שורה", "Концы строк"],
  newlineKeep: ["As they are", "Jak jsou", "כפי שהם", "Как есть"],
  hex: ["Hexadecimal digits", "Šestnáctkové číslice", "ספרות הקסדצימליות", "Шестнадцатеричные цифры"],
  layersOption: ["Layers to decode", "Dekódovat vrstev", "שכבות לפענוח", "Слоёв декодировать"],
  layersAll: ["all", "všechny", "כולן", "все"],
  strict: ["Refuse a malformed %", "Odmítnout vadné %", "לדחות `%` פגום", "Отвергать ошибочный %"],
  wrap: ["Lines of 76 characters", "Řádky po 76 znacích", "שורות של 76 תווים", "Строки по 76 символов"],
  keep: ["Leave what is encoded already", "Ponechat, co už je zakódované", "להשאיר מה שכבר מקודד", "Не трогать уже закодированное"],
  link: ["Link to this", "Odkaz na tento stav", "קישור לכאן", "Ссылка на состояние"],
  views: ["Views", "Pohledy", "תצוגות", "Представления"],
  viewExplain: ["Explain", "Vysvětlit", "הסבר", "Разбор"],
  viewLayers: ["Layers", "Vrstvy", "שכבות", "Слои"],
  viewUrl: ["URL and query", "URL a dotaz", "כתובת ושאילתה", "URL и запрос"],
  viewMap: ["Map of ASCII", "Mapa ASCII", "מפת ASCII", "Карта ASCII"],
  viewCode: ["As code", "Jako kód", "בקוד", "В коде"],
  viewOthers: ["What others do", "Co dělají jiní", "מה עושים אחרים", "Как у других"],
  viewFiles: ["Files", "Soubory", "קבצים", "Файлы"],
  viewReference: ["Reference", "Příručka", "מדריך", "Справка"],
  actions: ["Actions", "Akce", "פעולות", "Действия"],
  findings: ["What to look at", "Čeho si všimnout", "למה לשים לב", "На что обратить внимание"],
  noFindings: ["Nothing is wrong with it.", "Všechno je v pořádku.", "הכול תקין.", "Ошибок нет."],
  explainEmpty: ["Paste a link: every escape, such as %20, is coloured and explained, and what is wrong with it is listed here.", "Vložte odkaz: každá sekvence, jako je %20, se obarví a vysvětlí a chyby se vypíšou zde.", "הדביקו קישור: כל רצף קידוד, כמו `%20`, ייצבע ויוסבר, והתקלות יירשמו כאן.", "Вставьте ссылку: каждая последовательность, например %20, будет окрашена и объяснена, а ошибки перечислены здесь."],
  inspectorEmpty: ["Point at an escape, such as %20, or move the cursor into one, to learn what it is.", "Ukažte na sekvenci, jako je %20, nebo do ní přesuňte kurzor a dozvíte se, co znamená.", "הצביעו על רצף קידוד, כמו `%20`, או העבירו אליו את הסמן כדי לדעת מהו.", "Наведите на последовательность, например %20, или поставьте в неё курсор, чтобы узнать, что это."],
  at: ["character {0}", "znak {0}", "תו {0}", "символ {0}"],
  byte: ["byte {0}", "bajt {0}", "בית {0}", "байт {0}"],
  class0: ["Needed", "Nutné", "נחוץ", "Нужно"],
  class1: ["Needless", "Zbytečné", "מיותר", "Излишне"],
  class2: ["Reserved", "Vyhrazené", "שמור", "Зарезервировано"],
  class3: ["Character", "Znak", "תו", "Символ"],
  class4: ["Not UTF-8", "Není UTF-8", "לא UTF-8", "Не UTF-8"],
  class5: ["Control character", "Řídicí znak", "תו בקרה", "Управляющий символ"],
  class6: ["Invisible", "Neviditelné", "בלתי נראה", "Невидимый"],
  class7: ["Malformed", "Vadné", "פגום", "Ошибочный %"],
  class8: ["Encoded twice", "Zakódováno dvakrát", "מקודד פעמיים", "Закодировано дважды"],
  class9: ["Not encoded", "Nezakódováno", "לא מקודד", "Не закодировано"],
  class10: ["Space", "Mezera", "רווח", "Пробел"],
  why0: ["No URL may contain this character as it is.", "Tento znak se v URL nesmí objevit přímo.", "התו הזה אסור בכתובת כפי שהוא.", "Этот символ не может стоять в URL сам по себе."],
  why1: ["A letter, a digit or - . _ ~ says the same without the escape.", "Písmeno, číslice nebo - . _ ~ znamená totéž i bez kódování.", "אות, ספרה או `- . _ ~` אומרות אותו דבר גם בלי קידוד.", "Буква, цифра или - . _ ~ означает то же и без кодирования."],
  why2: ["Encoded it is data; as it is it would separate parts of the URL.", "Zakódovaný je součástí dat; nezakódovaný by odděloval části URL.", "כשהוא מקודד הוא נתון; בלי קידוד הוא מפריד בין חלקי הכתובת.", "В закодированном виде это данные; незакодированный он разделял бы части URL."],
  why3: ["The bytes of one character in UTF-8.", "Bajty jednoho znaku v UTF-8.", "הבתים של תו אחד ב־UTF-8.", "Байты одного символа в UTF-8."],
  why4: ["This byte is no part of a character in UTF-8; it may come from an older character set.", "Tento bajt není částí znaku v UTF-8; možná pochází ze starší znakové sady.", "הבית הזה אינו חלק מתו ב־UTF-8; ייתכן שמקורו בערכת תווים ישנה.", "Этот байт не входит ни в один символ UTF-8; возможно, он из старой кодировки."],
  why5: ["Decoded it can break lines, logs and headers.", "Po dekódování může narušit řádky, logy a hlavičky.", "אחרי פענוח הוא עלול לשבור שורות, יומנים וכותרות.", "После декодирования он может разбить строки и исказить журналы и заголовки."],
  why6: ["It shows nothing, or turns around what you read; look twice.", "Není vidět nebo mění pořadí toho, co čtete; dívejte se pozorně.", "אינו נראה, או משנה את סדר מה שקוראים; כדאי לבדוק היטב.", "Его не видно, или он меняет порядок того, что вы читаете; присмотритесь."],
  why7: ["Two hexadecimal digits must follow a %. To mean the sign itself, write %25.", "Za % musí následovat dvě šestnáctkové číslice. Samotný znak procenta se píše %25.", "אחרי `%` חייבות לבוא שתי ספרות הקסדצימליות. הסימן עצמו נכתב `%25`.", "За % должны идти две шестнадцатеричные цифры. Сам знак процента пишется %25."],
  why8: ["Somebody encoded what was encoded already: %25 is the percent sign.", "Někdo zakódoval, co už zakódované bylo: %25 je znak procenta.", "מישהו קידד מה שכבר היה מקודד: `%25` הוא סימן האחוז.", "Кто-то закодировал уже закодированное: %25 — это знак процента."],
  why9: ["These characters must be encoded: no URL may contain them as they are.", "Tyto znaky mají být zakódované: přímo v URL být nesmějí.", "את התווים האלה צריך לקודד: הם אסורים בכתובת כפי שהם.", "Эти символы следует закодировать: в URL они недопустимы."],
  why10: ["In form data a + is a space.", "V datech formuláře je + mezera.", "בנתוני טופס `+` הוא רווח.", "В данных формы + — это пробел."],
  whyLower: ["Its digits are usually written in upper case.", "Číslice se obvykle píší velkými písmeny.", "את ספרותיו נהוג לכתוב באותיות גדולות.", "Цифры принято писать заглавными."],
  mixed: ["mixes scripts ({0}): letters that look alike may not be what they seem.", "mísí různá písma ({0}): písmena, která vypadají stejně, nemusejí být tím, čím se zdají.", "מערבב כתבים ({0}): אותיות דומות עלולות להטעות.", "смешивает письменности ({0}): похожие буквы могут быть не тем, чем кажутся."],
  layersNote: ["Text that was encoded several times, one layer under the other, from the encoded text down.", "Text zakódovaný vícekrát, vrstva pod vrstvou, od zakódovaného textu dolů.", "טקסט שקודד כמה פעמים, שכבה תחת שכבה, מהמקודד ומטה.", "Текст, закодированный несколько раз, слой под слоем, от закодированного вниз."],
  layersMany: ["{0?# layer|# layers}, one under the other; the first change of each is marked.", "{0?# vrstva|# vrstvy|# vrstev}, jedna pod druhou; v každé je vyznačena první změna.", "{0?שכבה אחת|שתי שכבות|# שכבות}, זו תחת זו; בכל אחת מסומן השינוי הראשון.", "{0?# слой|# слоя|# слоёв}, один под другим; в каждом отмечено первое изменение."],
  layersWhere: ["Encoded more than once: {0}.", "Zakódováno vícekrát: {0}.", "קודד יותר מפעם אחת: {0}.", "Закодировано более одного раза: {0}."],
  use: ["Use", "Použít", "בחירה", "Взять"],
  urlEmpty: ["The parts of a URL, and its query as a table that you can edit.", "Části URL a jeho dotaz jako tabulka, kterou lze upravit.", "חלקי הכתובת, והשאילתה כטבלה שאפשר לערוך.", "Части URL и его запрос в виде таблицы, которую можно править."],
  part_scheme: ["Scheme", "Schéma", "סכמה", "Схема"],
  part_userinfo: ["User", "Uživatel", "משתמש", "Пользователь"],
  part_host: ["Host", "Hostitel", "מארח", "Хост"],
  part_port: ["Port", "Port", "פורט", "Порт"],
  part_segment: ["Path", "Cesta", "נתיב", "Путь"],
  part_fragment: ["Fragment", "Fragment", "מקטע", "Фрагмент"],
  part_name: ["Name", "Jméno", "שם", "Имя"],
  part_value: ["Value", "Hodnota", "ערך", "Значение"],
  notUri: ["Not a URI", "Není URI", "לא URI", "Не URI"],
  notUriAt: ["from character {0} on: {1}", "od znaku {0}: {1}", "מהתו {0}: {1}", "с символа {0}: {1}"],
  encodedTwice: ["encoded twice", "zakódováno dvakrát", "קודד פעמיים", "закодировано дважды"],
  encodedTimes: ["encoded {0} times", "zakódováno {0}×", "קודד {0} פעמים", "закодировано {0?# раз|# раза|# раз}"],
  addPair: ["Add a parameter", "Přidat parametr", "הוספת פרמטר", "Добавить параметр"],
  previous: ["Previous", "Předchozí", "הקודמים", "Предыдущие"],
  next: ["Next", "Další", "הבאים", "Следующие"],
  openUrl: ["Open", "Otevřít", "פתיחה", "Открыть"],
  moveUp: ["Move parameter {0} up", "Posunout parametr {0} výš", "הזזת פרמטר {0} למעלה", "Поднять параметр {0}"],
  moveDown: ["Move parameter {0} down", "Posunout parametr {0} níž", "הזזת פרמטר {0} למטה", "Опустить параметр {0}"],
  removePair: ["Remove parameter {0}", "Odebrat parametr {0}", "הסרת פרמטר {0}", "Удалить параметр {0}"],
  mapNote: ["The 128 characters of ASCII. Those in green stay as they are, all others are encoded, and so is everything beyond ASCII. Press one to make a set of your own.", "128 znaků ASCII. Zelené zůstávají, ostatní se kódují a s nimi vše mimo ASCII. Stiskem vytvoříte vlastní sadu.", "128 תווי ASCII. הירוקים נשארים כפי שהם, השאר מקודדים, וכך כל מה שמחוץ ל־ASCII. לחיצה יוצרת קבוצה משלכם.", "128 символов ASCII. Зелёные остаются, остальные кодируются, как и всё вне ASCII. Нажатие создаёт свой набор."],
  ownLabel: ["Characters of your own that stay", "Vlastní znaky, které zůstanou", "תווים משלכם שנשארים", "Свои символы, которые остаются"],
  codeNote: ["The operation above, as it is written elsewhere.", "Operace nahoře, jak se píše jinde.", "הפעולה שלמעלה, כפי שכותבים אותה במקומות אחרים.", "Та же операция, как её пишут в других местах."],
  othersNote: ["What functions that people use make of this text; ≠ marks where they differ from the result above. Those of JavaScript are run in this browser.", "Co s tímto textem udělají běžné funkce; ≠ značí rozdíl od výsledku nahoře. Funkce JavaScriptu běží v tomto prohlížeči.", "מה עושות פונקציות נפוצות בטקסט הזה; הסימן `≠` מציין הבדל מהתוצאה שלמעלה. הפונקציות של JavaScript רצות בדפדפן הזה.", "Что делают с этим текстом известные функции; ≠ отмечает отличие от результата выше. Функции JavaScript выполняет этот браузер."],
  function: ["Function", "Funkce", "פונקציה", "Функция"],
  result: ["Result", "Výsledek", "תוצאה", "Результат"],
  refused: ["refuses the % at character {0}", "odmítne % na znaku {0}", "דוחה את ה־`%` בתו {0}", "отвергает % у символа {0}"],
  filesNote: ["Drop a file of any size here. It is worked on here on your machine, from disk to disk, piece by piece. Bytes that are not UTF-8 stay as they are, unless you choose a character set above.", "Přetáhněte sem soubor libovolné velikosti. Zpracuje se na vašem počítači, z disku na disk, kus po kuse. Bajty, které nejsou UTF-8, zůstanou beze změny, dokud nahoře nevyberete znakovou sadu.", "גררו לכאן קובץ בכל גודל. הוא מעובד במחשב שלכם, מדיסק לדיסק, חלק אחר חלק. בתים שאינם UTF-8 נשארים כפי שהם, אלא אם בחרתם למעלה ערכת תווים.", "Перетащите сюда файл любого размера. Он обрабатывается на вашем компьютере, с диска на диск, часть за частью. Байты не в UTF-8 остаются как есть, если выше не выбрана кодировка."],
  choose: ["Choose a file", "Vybrat soubor", "בחירת קובץ", "Выбрать файл"],
  direction: ["Direction", "Směr", "כיוון", "Направление"],
  format: ["Work on", "Zpracovat", "לעבד", "Обрабатывать"],
  formatText: ["All of the text", "Celý text", "את כל הטקסט", "Весь текст"],
  formatAuto: ["Fields with URLs; the format is recognized", "Pole s URL; formát se rozpozná", "שדות עם כתובות; הפורמט יזוהה", "Поля с URL; формат определяется сам"],
  formatCsv: ["Columns of CSV with {0}", "Sloupce CSV s {0}", "עמודות CSV עם {0}", "Столбцы CSV с {0}"],
  formatTsv: ["Columns of TSV", "Sloupce TSV", "עמודות TSV", "Столбцы TSV"],
  formatNdjson: ["Members of JSON, a line each", "Položky JSON, po řádcích", "שדות JSON, שורה לכל רשומה", "Поля JSON построчно"],
  formatJson: ["Members of JSON", "Položky JSON", "שדות JSON", "Поля JSON"],
  fields: ["Fields: names, numbers from 1, or /pointers; none is those with URLs", "Pole: jména, čísla od 1 nebo /ukazatele; prázdné znamená ta s URL", "שדות: שמות, מספרים מ־1 או `/pointers`; ריק — אלה שיש בהם כתובות", "Поля: имена, номера с 1 или /указатели; пусто — те, где есть URL"],
  header: ["The first line has names", "První řádek obsahuje jména", "בשורה הראשונה יש שמות", "В первой строке имена"],
  doDecode: ["Decode", "Dekódovat", "פענוח", "Декодировать"],
  doEncode: ["Encode", "Kódovat", "קידוד", "Кодировать"],
  start: ["Start", "Spustit", "התחלה", "Начать"],
  cancel: ["Cancel", "Zrušit", "ביטול", "Отмена"],
  cancelled: ["Cancelled", "Zrušeno", "בוטל", "Отменено"],
  fileWhole: ["{0}: this needs the whole file at once, which is possible up to {1}. The file has {2}. Undo that choice, or split the file.", "{0}: k tomu je potřeba celý soubor najednou, což jde jen do {1}. Soubor má {2}. Zrušte tuto volbu, nebo soubor rozdělte.", "{0}: לשם כך נדרש הקובץ כולו בבת אחת, וזה אפשרי עד {1}. גודל הקובץ {2}. בטלו את הבחירה או פצלו את הקובץ.", "{0}: для этого нужен весь файл сразу, а это возможно до {1}. Размер файла — {2}. Отмените этот выбор или разделите файл."],
  fileFields: ["{0}: this has no effect on fields of records. Undo that choice, or work on all of the text.", "{0}: na pole záznamů to nemá vliv. Zrušte tuto volbu, nebo zpracujte celý text.", "{0}: לכך אין השפעה על שדות של רשומות. בטלו את הבחירה או עבדו על כל הטקסט.", "{0}: на поля записей это не действует. Отмените этот выбор или обрабатывайте весь текст."],
  replacedLine: ["replaced by U+FFFD: {0}", "nahrazeno znakem U+FFFD: {0}", "הוחלפו ב־`U+FFFD`: {0}", "заменено на U+FFFD: {0}"],
  fileDone: ["Done", "Hotovo", "הסתיים", "Готово"],
  fileLine: ["{0} read, {1} written, {2} MB/s", "přečteno {0}, zapsáno {1}, {2} MB/s", "נקראו {0}, נכתבו {1}, {2} MB/s", "прочитано {0}, записано {1}, {2} МБ/с"],
  malformedLine: ["malformed escapes: {0}", "vadných sekvencí: {0}", "רצפים פגומים: {0}", "ошибочных последовательностей: {0}"],
  formatLine: ["not in this format: {0}", "není v tomto formátu: {0}", "אינם בפורמט הזה: {0}", "не в этом формате: {0}"],
};

let current = "en";
export const language = () => current;

/** Takes the first of these languages that there is. Hebrew is called `iw` by some. */
export function setLanguage(wanted) {
  const found = wanted.map((tag) => tag.toLowerCase().split("-")[0].replace("iw", "he")).find((tag) => tag in LANGUAGES);
  current = found ?? "en";
}

/** The plural categories of CLDR in the order of the forms of a message; the last form is that of all others. */
export const PLURALS = { en: ["one", "other"], cs: ["one", "few", "other"], he: ["one", "two", "other"], ru: ["one", "few", "many"] };

/**
 * The text of a key in the language of the page. In place of `{0}` comes the first argument, and a number as it is written in
 * the language; in place of `{0?# file|# files}` the form for that number, with the number in place of `#`.
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

/** A text without its backticks. What stands between them is read from left to right, in a language that is not. */
export const isolated = (text) => text.replace(/`([^`]*)`/g, isRtl() ? "\u2066$1\u2069" : "$1");

export const number = (value) => new Intl.NumberFormat(current).format(value);

/** A size in bytes as people say it. */
export function size(bytes) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const at = bytes < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(current, { style: "unit", unit: units[at], unitDisplay: at ? "short" : "long", maximumFractionDigits: at ? 1 : 0 }).format(bytes / 1000 ** at);
}
