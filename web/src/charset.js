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

/** The common letters of languages, in the order of their frequency, about. In the longer lists, words of websites and common names follow. */
const CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєў";
const LATIN = "éàèüöäçáíóúñãêôîåøõâëïùûßæý";
const KANJI = "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半品論計死官増係感特情投示変打男基私各始島直両朝価式確村提運終果西勢減台広容必応演電歳住争談能無再位置企真流格有口過局少放税検町常校料状工建語球営空職証土急止送供可役構木割聞身費付施切由説転食比難防車研収断何南石足違消境神番規術護展態導備宅害配算視条独警育席輸訪楽起万着店想線率病農州声質待試族銀域例早張限親額験商義伝働形景落担好準辺造英株頭技低毎医復仕味失移差個門写課末守種美影命福量望松型白深字答夜製音様財港識注達索編漢辞典阪駅旅館温泉桜春夏秋冬花鳥魚犬猫茶寿司漫鈴佐藤携帯履歴橋伊崎森阿岡谷岩渡斎清葉菊斉久池竹梅愛恵幸雄夫郎央奈良札幌仙埼玉横浜古屋戸縄静熊鹿児城群馬栃茨滋賀兵庫歌媛徳香図像素材販舗購買登録専込詳細航券宿泊遊園植博覧祭嫁婚髪服靴鞄輪眼鏡粧健康薬療歯科険為替賃貸築塗装窓庭具照冷蔵洗濯掃除炊飯器";
const SIMPLIFIED = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运网站京闻香港台湾酒店图片视频载搜索游戏音乐影软汉字爱请谢喜欢吃茶红绿花鸟鱼龙虎春夏秋冬城州省县街价买卖服联邮箱密码登录注册首页帮助饰鞋包衣食房车票医药健康旅飞测试坛篮股苹深圳庆附简历聘招淘宝播客户订单购支付微博号验证销退返继续消修改删除添编辑查询印存详列排序热推荐评藏粉丝享赞友群组息置隐私账余额充值优惠券折扣促抽奖礼快递流货址姓龄职毕专技监董秘律护士授校孩父母爸妈哥弟姐妹夫妻朋恋婚离育童装玩具笔板耳响冰洗调厨卫灯材租售楼盘写铺墅吧咖啡奶火锅烧烤蛋糕蔬菜肉鸡鸭牛羊猪米盐糖油辣甜味肤妆减肥跑步泳滑雪球赛奥冠杯李刘陈杨赵黄周吴徐孙胡朱林郭郑罗梁宋唐韩冯邓曹彭曾萧田袁潘蒋蔡杜叶苏魏吕丁沈姚卢姜崔钟谭陆汪范石廖贾韦侯邹孟熊秦邱江尹薛闫段雷史陶贺顾毛郝龚邵钱严武戴莫孔汤照档案";
const TRADITIONAL = "台灣的一是不了在人有我他這個們中來上大和國地到以說時要就出會可也你對生能而子那得於下自之年過發後作用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運網站京聞香港臺酒店圖片視頻載搜索遊戲音樂影軟漢字愛請謝喜歡喫茶紅綠花鳥魚龍虎春夏秋冬城州省縣街價買賣服聯郵箱密碼登錄註冊首頁幫助飾鞋包衣食房車票醫藥健康旅飛測試壇籃股蘋深圳慶附簡歷聘招淘寶播客戶訂單購支付微博號驗證銷退返繼續消修改刪除添編輯查詢印存詳列排序熱推薦評藏粉絲享贊友羣組息置隱私賬餘額充值優惠券折扣促抽獎禮快遞流貨址姓齡職畢專技監董祕律護士授校孩父母爸媽哥弟姐妹夫妻朋戀婚離育童裝玩具筆板耳響冰洗調廚衛燈材租售樓盤寫鋪墅吧咖啡奶火鍋燒烤蛋糕蔬菜肉雞鴨牛羊豬米鹽糖油辣甜味膚妝減肥跑步泳滑雪球賽奧冠杯李劉陳楊趙黃周吳徐孫胡朱林郭鄭羅梁宋唐韓馮鄧曹彭曾蕭田袁潘蔣蔡杜葉蘇魏呂丁沈姚盧姜崔鍾譚陸汪範石廖賈韋侯鄒孟熊秦邱江尹薛閆段雷史陶賀顧毛郝龔邵錢嚴武戴莫孔湯照檔案裡檢為著";
const HANGUL = "이다의는을에가고하지로한기도사리자인어서은나시를그라대정요해스아수주전장일보무부만게안녕세니들과있것여오우상국울검색글제회동원연구성관경소공신화당조비선생유중문방교데트러드미마바카타파내너면명모물민말많발번법별본분불산실심양었였업역영예와왔외용운위음임입작적점저졌족종좋직진질집차찾책처천청체초최추출치친크키터테토통특판편평포표피필학함합항행향현형호환활후뉴김박랑식커강남북광텔블페메설목결맛씨쇼핑계약축야각간갈감갑값같개객걸겁겨격견겸곡곤골곱굴권귀규균극근금급긍길깊까께꼭꽃꿈끝낙난날낮냉넓년념노녹논놀농높누눈느늘능단달담답덕독돈돌둘뒤등따때떻또뜻란람량려력련렬령론료류률린립막망매맥먹멀몸묘묵밀반밝배백버벌범베벽변병복봄봉붉붙빛빠빨뿐삼삶새석섬섭셨속손송순술숨쉬습승십싸쌍써쓰씩악앉알않암앞액억언얼없열염엽옛온올완왕욕월육율응익잊잎잔잘잠잡재쟁절접존좌준줄즉증짓짜째착찬참창채척철첫촌총춘충취측층칠침칭칼컴켜코콘퀴큰탁탄탈탐택털투틀티팀팔패폐폭품풍프플핀할핵허험혀혜혹혼홍확황획효훈휴흐흔희히힘";

/**
 * The charsets to guess from. Each has the common letters of its languages. The standards of China, Japan, Korea and Taiwan have common characters
 * first. So a charset of two bytes also has the range of their bytes: the least and the greatest first byte, and the least second byte.
 */
const LIKELY = [
  ["windows-1252", LATIN],
  ["windows-1250", "éáíěščřžýůúóťďňąęłśżźćńöüäőű"],
  ["windows-1251", CYRILLIC],
  ["koi8-r", CYRILLIC],
  ["windows-1253", "αοιετσνηυρπκμλςάέήίόύώδγχθβφξζψ"],
  ["windows-1254", "ığşçöüİâ"],
  ["windows-1255", "יולהמתארשבנכעדחקפםןזגטסצךףץ"],
  ["windows-1256", "اليمنرتبعدوهفسكقحجةىشصطخضذزءأثغإئؤظ"],
  ["ibm866", CYRILLIC],
  ["shift_jis", KANJI, [0x88, 0x97, 0x40]],
  ["euc-jp", KANJI, [0xb0, 0xcf, 0xa1]],
  ["gbk", SIMPLIFIED, [0xb0, 0xd7, 0xa1]],
  ["big5", TRADITIONAL, [0xa4, 0xc6, 0x40]],
  ["euc-kr", HANGUL, [0xb0, 0xc8, 0xa1]],
];
/** How much likelier a charset is on the Web, as a logarithm. */
const PRIOR = { "windows-1252": 0.5, "windows-1251": 0.5, "koi8-r": -1, "windows-1253": -0.5, "windows-1256": -0.5, ibm866: -5 };
/** The guess reads at most this many bytes. */
const GUESSED_BY = 1 << 11;
/** Returns the bytes to guess by. They begin before the first byte beyond ASCII. */
function sampleOf(bytes) {
  const start = Math.max(0, bytes.findIndex((byte) => byte > 0x7f) - 1);
  return bytes.subarray(start, start + GUESSED_BY);
}

/** The vowels of Cyrillic and Greek. */
const VOWEL = /[аеиоуыэюяіїєёαεηιουωάέήίόύώ]/i;
const VOWELS_OF = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;
/** Hebrew letters that are only at the end of a word. */
const FINAL = /[ךםןףץ]/;
const CASED = /\p{Lu}/u;

/** A kana that today's Japanese has no use for, or a small `ya`, `yu` or `yo` that doesn't follow a kana with `i`, `te`, `de`, `fu` or `vu`. */
const ODD_KANA = /[ゎゐゑヮヰヱ]$|(?<![きしちにひみりぎじぢびぴキシチニヒミリギジヂビピテデフヴ])[ゃゅょャュョ]$/;

/** Returns about the logarithm of the probability that a text has this character at this place. `before` is the character before it. If it has two
 * bytes, they are `first` and `second`. */
function likeness(character, before, common, range, first, second) {
  const rank = common.indexOf(character.toLowerCase());
  if (range) {
    const isJapanese = common === KANJI;
    // Characters of these scripts are rarely between letters of ASCII.
    const beside = /[A-Za-z]/.test(before) ? -4 : 0;
    if (/[\u3041-\u3096\u30a1-\u30fc]/.test(character)) return beside + (isJapanese && !ODD_KANA.test(before + character) ? -6.2 : -12);
    if (rank >= 0) return beside + (rank < 120 ? -6 : -7);
    if (!/[\p{Script=Han}\p{Script=Hangul}]/u.test(character)) return /[\u3000-\u3011\uff00-\uff5e]/.test(character) ? -9 : -13;
    return beside + (first >= range[0] && first <= range[1] && second >= range[2] && (common === HANGUL) === /\p{Script=Hangul}/u.test(character) ? -9.3 : -13);
  }
  if (/[\u00a0\u00a1\u00a3\u00b0\u00bf]/.test(character)) return -4;
  if (/[\u2013\u2014\u2018-\u201e\u2026\u20ac\u00a7\u00a9\u00ab\u00ad\u00ae\u00bb\u2116\u2122]/.test(character)) return -8;
  if (!/\p{L}/u.test(character)) return -12;
  const isLatin = /\p{Script=Latin}/u.test(character);
  let score = rank < 0 ? -6.5 : -2.5 - rank / 10;
  // In Latin texts, most letters are ASCII.
  if (isLatin && /[^\0-\x7f]/.test(before)) score -= 3;
  if (!isLatin && /[A-Za-z]/.test(before)) score -= 4;
  // Vowels and consonants often alternate. In a wrong charset, several vowels follow one another.
  if (VOWELS_OF.test(before) && VOWELS_OF.test(character)) {
    const isVowel = VOWEL.test(character);
    score += isVowel !== VOWEL.test(before) ? 0.4 : isVowel ? -0.7 : -0.5;
  }
  if (CASED.test(character)) score -= /\p{Ll}/u.test(before) ? 5 : CASED.test(before) ? 1 : 1.5;
  return FINAL.test(before) ? score - 4 : score;
}

/** Matches text whose only bytes beyond ASCII are the first ones of characters of UTF-8, two or three of each, without the last one, or surrogates, which
 * some old programs write as if they were characters (CESU-8). In other charsets, such bytes are rare, except behind a letter of ASCII: `l%E1%9A` is
 * `láš` in windows-1250. But `%E2%80`, the start of `’`, is rare there, too. */
const CUT = /^(?:[\0-\x7f]|\xed[\xa0-\xbf][\x80-\xbf]|(?:(?<![A-Za-z])|(?=\xe2\x80))(?:[\xe0-\xef]|[\xf0-\xf4][\x80-\xbf]?)[\x80-\xbf](?![\x80-\xff]))*$/;

const isCut = (bytes) => CUT.test(Array.from(sampleOf(bytes), (byte) => String.fromCharCode(byte)).join(""));

/** The score of a readable text is at least this, for each byte beyond ASCII. */
const READABLE = -4.8;
/** If the score of another readable text is this close to the best one, both are likely. */
const CLOSE = 0.7;
/** At most this many other texts are offered. */
const OTHERS_MOST = 2;

/** Returns the charsets in which bytes are text, the likeliest first: `[{ label, text, score, isDouble }]`. `score` is for each byte beyond ASCII.
 * `isDouble` is true if the charset has characters of two bytes. */
function guessesOf(bytes, language) {
  const sample = sampleOf(bytes);
  const high = sample.reduce((sum, byte) => sum + (byte > 0x7f ? 1 : 0), 0);
  const guesses = [];
  for (const [label, common, range] of LIKELY) {
    let text;
    try {
      text = new TextDecoder(label, { fatal: true, ignoreBOM: true }).decode(sample, { stream: true });
    } catch {
      continue;
    }
    let score = label === OF_LANGUAGE[language] ? 1 : (PRIOR[label] ?? 0);
    let before = "";
    let at = 0;
    for (const character of text) {
      // These letters are common at the end of a word, and only there.
      if (FINAL.test(before) && !/\p{L}/u.test(character)) score += 2;
      if (character >= "\u0080") {
        score += likeness(character, before, common, range, sample[at], sample[at + 1]);
        const len = range && !/[\uff61-\uff9f]/.test(character) ? 2 : 1;
        // In the other charsets, the second byte is a character of its own, with a probability of its own.
        if (len === 2 && sample[at + 1] < 0x80) score += 3;
        at += len;
      } else {
        // Letters of ASCII after a character of another script are as rare as before it.
        if (before >= "\u0080" && /[A-Za-z]/.test(character) && /[^\P{L}\p{Script=Latin}]/u.test(before)) score -= 3;
        at++;
      }
      before = character;
    }
    if (FINAL.test(before)) score += 2;
    // The last character is cut off.
    if (at < sample.length) score -= 13;
    guesses.push({ label, text, score: score / high, isDouble: range !== undefined });
  }
  return guesses.sort((a, b) => b.score - a.score);
}

/** Characters that no text has: unassigned and private ones, replacements of single surrogates, and control characters except tabs and line ends. */
const NO_TEXT = /[^\P{C}\p{Cf}\t\r\n]|\ufffd/u;

/** Returns "utf-16le" or "utf-16be" for text that begins with the byte order mark of this charset. Returns undefined for other bytes. */
export function utf16Of(bytes) {
  const label = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.subarray(0, 2).join()];
  return label && bytes.length % 2 === 0 && !NO_TEXT.test(new TextDecoder(label).decode(bytes)) ? label : undefined;
}

/**
 * Guesses the charset of text that isn't UTF-8. Returns `{ charset, others }`. The function `others` gets the charset that was chosen, and returns at
 * most two other charsets in which the text is readable: `[{ label, value }]`. Each gives another text.
 *
 * The charset is "utf-8" if the text is only cut UTF-8. If some of its characters are UTF-8 (`hasUtf8`), it is also "utf-8", unless the text is readable
 * in another charset. Then each of the other charsets has characters of two bytes, because these are UTF-8 by chance much more often.
 */
export function readingsOf(bytes, language, hasUtf8 = false) {
  const certain = utf16Of(bytes) ?? (isCut(bytes) ? "utf-8" : undefined);
  const guesses = certain ? [] : guessesOf(bytes, language);
  const [best] = guesses;
  const isUnclear = !best || (hasUtf8 && best.score < READABLE);
  const charset = certain ?? (!isUnclear ? best.label : hasUtf8 ? "utf-8" : (OF_LANGUAGE[language] ?? "windows-1252"));
  const others = (chosen) => {
    const seen = new Set([guesses.find(({ label }) => label === chosen)?.text]);
    const isOther = ({ text, score, isDouble }) => (isDouble || !hasUtf8) && score >= Math.max(READABLE, best.score - CLOSE) && !seen.has(text) && seen.add(text);
    return guesses.filter(isOther).slice(0, OTHERS_MOST).map(({ label }) => ({ label, value: new TextDecoder(label, { ignoreBOM: true }).decode(bytes) }));
  };
  return { charset, others };
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
