// Finds a link in a text that people paste: in Markdown, HTML, JSON, a command, a sentence, a header, a log, or with a slip in its scheme.

/** A misspelt scheme: `htps`, `ttp`, `httpss`. */
const MISSPELT = /(?!https?:)(?:h{0,2}t{2,3}|ht)ps{0,2}:/.source;
/** The scheme and the slashes of a valid link. It has no slip. */
const VALID = new RegExp(`^(?!${MISSPELT}|https?:\\/\\/[/\\s])[a-z][a-z0-9+.-]*:\\/\\/`, "i");
export const hasScheme = (text) => VALID.test(text);
/** A slip in the scheme or after it: `htps://h.example`, `http s://h.example`, `https:/h.example`, `http//h.example`, `https://https://h.example`. */
const SLIP = /^(?!https?:\/\/(?!https?:)\w)(?:h{0,2}t{2,3}|ht)p ?(s?)s?(?:[:;]\s*(?:[\\/]+\s*)?|\/{1,2})(?:https?:\/\/)?(?=[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/?#:]|$))/i;
/** The quotes and brackets before a link, each with the character that then ends the link. */
const CLOSING = { '"': '"', "'": "'", "`": "`", "<": ">", "[": "]", "“": "”", "«": "»", "|": "|", "{": "}" };
/** The start of a link without a scheme. */
const BARE = /(?<![\w.@/%-])www\.[\p{L}\p{N}-]+\.\w/iu;
const SCHEME_CHARACTER = /[a-z0-9+.-]/i;
const SCHEME_MOST = 32;

/** A link to a host, or a host that starts with `www.`, that is followed by a text in Chinese, Japanese or Korean. No top-level domain and no port has such letters after ASCII, so the link
 * ends before them. */
export const GLUED = /^((?:[^\s/?#]*:\/\/|[Ww]{3}\.)[^\s/?#]*[.:][\w-]+)[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}，；：！（][^.:@\s/?#]*[.:]?(?![^\s/?#])[^]*/u;

/** Returns the first link in a text, without its quotes and escapes, or "". */
export function linkIn(text) {
  const all = text.trim();
  const found = /:(?:\\?\/){2}/.exec(all);
  if (!found && !SLIP.test(all)) {
    const start = all.search(BARE);
    return start < 0 ? "" : start === 0 ? (GLUED.exec(all)?.[1] ?? "") : unescaped(all.slice(start, endOf(all, start))).replace(GLUED, "$1");
  }
  const start = !found || SLIP.test(all) ? 0 : startOf(all, found.index);
  if (start === found?.index) return "";
  const end = start === 0 && !all.includes("\n") ? all.length : endOf(all, start);
  // In Markdown, the name of a link can be another link.
  if (NAMED.test(all.slice(end, end + 16))) return linkIn(all.slice(end));
  return unescaped(all.slice(start, end)).replace(SLIP, "http$1://").replace(GLUED, "$1");
}

/** The scheme and the authority of a link. They may be in a form that prevents clicks by mistake: `hxxps[:]//h[.]example`. */
const FORM = /(h)(xx|tt)(ps?)(\[:\/\/\]|(?:\[:\]|:)\/\/)([^\s\\/?#]*)/.source;
const FIRST = new RegExp(`^(\\s*<?)${FORM}`, "i");
const EACH = new RegExp(`()${FORM}`, "gi");
const SQUARE = /\[(\.|dot|:)\]/gi;
const ANY = /[[({](\.|dot|:)[\])}]/gi;

/** Writes the scheme and the authority in their usual form. If the scheme is in its usual form, `(.)` can be a part of a password. Then the authority
 * is in the other form only if the host has `[.]`, because no valid host has that. */
function rewritten(all, before, h, middle, p, colon, authority) {
  const isUsual = /t/i.test(middle) && colon === "://";
  if (isUsual && authority.slice(authority.lastIndexOf("@") + 1).search(SQUARE) < 0) return all;
  const usual = authority.replace(isUsual ? SQUARE : ANY, (_, mark) => (mark === ":" ? mark : "."));
  return `${before}${h}${/x/i.test(middle) ? "tt" : middle}${p}://${usual}`;
}

/** If a text starts with a link in this form, returns the text with the link in its usual form. Otherwise returns the text. */
export const armed = (text) => text.replace(FIRST, rewritten);

/**
 * Writes all links of a text in their usual form. Returns `{ value, places }`: the new text, and a function that converts the place of a part in it,
 * `{ from, to }`, to a place in the text. If a part is in the scheme or the authority of a changed link, its place is the scheme and the authority.
 */
export function allArmed(text) {
  const links = [];
  let shift = 0;
  const value = text.replace(EACH, (all, ...groups) => {
    const from = groups[6];
    const usual = rewritten(all, ...groups);
    if (usual !== all) links.push({ from, to: from + all.length, start: from + shift, end: from + shift + usual.length });
    shift += usual.length - all.length;
    return usual;
  });
  const places = (part) => {
    let { from, to } = part;
    for (const link of links) {
      if (link.start <= part.from) from = part.from < link.end ? link.from : part.from - link.end + link.to;
      if (link.start < part.to) to = part.to <= link.end ? link.to : part.to - link.end + link.to;
    }
    return { from, to };
  };
  return { value, places };
}

/** Returns the start of the scheme that ends at the position `colon`. */
function startOf(text, colon) {
  let at = colon;
  while (at > 0 && colon - at < SCHEME_MOST && SCHEME_CHARACTER.test(text[at - 1])) at--;
  while (at < colon && !/[a-z]/i.test(text[at])) at++;
  return at;
}

const NAMED = /^\]\(<?https?:/i;
/** The parentheses of Markdown and of CSS, in which a link can contain spaces. */
const WIDE = /(?:\]|\burl)\($/i;
/** The text before the link of a file, such as `Link: `. */
const LABEL = /^[\w .-]{0,30}:\s*$/;
/** A link of a file, up to the end of its line. The name of the file can contain spaces. */
const FILE = /^(?!.*:\/\/.*:\/\/).*\.(?:pdf|docx?|xlsx?|pptx?|jpe?g|png|gif|zip|mp[34]|html?|txt|csv)$/i;
/** A link in a text. In a shell, a `\` before a space belongs to the link. Chinese and Japanese texts have no space after a link. */
const WORD = /^(?:\\ |[^\s<>"“”„«»「」『』（）【】《》，。、；：！？])+/;

function endOf(text, start) {
  const closing = CLOSING[text[start - 1]];
  const close = closing ? text.indexOf(closing, start) : -1;
  if (close >= 0) return close;
  const before = text.slice(Math.max(0, start - 4), start);
  const line = /^.*/.exec(text.slice(start))[0];
  const inside = line.slice(0, balanced(line));
  // The whole text can be a link in parentheses, or a label and the link of a file.
  if (before === "(" && /^\)[.,;:!?…。]*\s*$/.test(line.slice(inside.length))) return start + inside.length;
  if (LABEL.test(text.slice(0, start)) && FILE.test(line)) return start + line.length;
  if (WIDE.test(before) && inside !== line) return start + inside.replace(/(?<=\S)\s+(?:"[^"]*"|'[^']*')\s*$/, "").length;
  const rest = WORD.exec(line)?.[0] ?? "";
  return start + (before.endsWith("(") ? balanced(rest) : rest.length - (/[*_~]$/.test(before) ? MARKED : MARKS).exec(rest.slice(-8))[0].length);
}
/** The punctuation after a link, also if the link is bold or crossed out in Markdown. */
const MARKS = /[.,;:!?)\]}'"]*$/;
const MARKED = /[.,;:!?)\]}'"*_~]*$/;

/** Returns the length of a link that follows a `(`: the part of `text` before the `)` that closes this `(`. */
function balanced(text) {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") open++;
    if (text[at] === ")" && open-- === 0) return at;
  }
  return text.length;
}

/** The authority after the slashes of a link. Browsers read `\` as `/`, and skip further slashes. After the schemes of the Web, one slash is
 * enough for them (URL Standard 4.4). */
const AUTHORITY = /(?:(?:^|(?<=:))[\\/]{2,}|(?<=\b(?:https?|wss?|ftp):)[\\/])([^\\/?#\s"'<>`]+)/gi;
/** The authority of a link that fills its line. For browsers, its user can contain spaces, quotes and `<`. */
const WHOLE = /^[\0-\t\v\f\x0e-\x20]*(?:[a-z][a-z0-9+.-]*:)?[\\/]{2,}((?:[^\\/?#\r\n]*@)?[^\\/?#\s"'<>`]+)/gim;
/** The link of an address for mail or messages, and the hosts in it. */
const MAIL = /^\s*(?:mailto|sip|xmpp):[^?]*/i;
const MAIL_HOST = /@([^,;@\s]+)/g;
/** The authority at the start of a link without a scheme: `www.h.example/`. */
const NAME = /^\s*([^\\/?#\s]+)/g;

/** Returns the length of the authority at the start of a text. */
export const authorityEnd = (text) => /^[^\\/?#\s"'<>`]*/.exec(text)[0].length;

/**
 * Returns the authorities of all links in a text: `{ from, to, host, hostEnd }`. `isLink` is true if the text is a link, or has a link on each line.
 * `isName` is true for a link that begins with its host.
 */
export function authoritiesIn(text, isLink, isName) {
  const authorityStart = ({ index, 0: { length }, 1: match }) => index + length - match.length;
  const whole = isLink ? [...text.matchAll(WHOLE)] : [];
  const starts = new Set(whole.map(authorityStart));
  const others = [...text.matchAll(AUTHORITY)].filter((found) => !starts.has(authorityStart(found)));
  const mail = (isLink && MAIL.exec(text)?.[0]) || "";
  return [...(isName ? text.matchAll(NAME) : []), ...mail.matchAll(MAIL_HOST), ...whole, ...others].map((found) => {
    const { 1: match } = found;
    const from = authorityStart(found);
    const to = from + match.length;
    const host = from + match.lastIndexOf("@") + 1;
    let hostEnd = to;
    // Brackets and punctuation at the end can belong to the text around the link.
    while (hostEnd > host && ").,;!}".includes(text[hostEnd - 1])) hostEnd--;
    const port = /:\d*$/.exec(text.slice(host, hostEnd));
    return { from, to, host, hostEnd: port ? host + port.index : hostEnd };
  });
}

/** Undoes the escapes of characters and slashes in JSON (RFC 8259 7), and the numeric references of ASCII in HTML. */
export const unescaped = (text) => text.replace(/\\u([0-9a-f]{4})|&#x([0-9a-f]{1,2});|&#(\d{1,2});/gi, (_, json, hex, code) => String.fromCharCode(code ?? parseInt(json ?? hex, 16))).replaceAll("\\/", "/");

/** The parts that the page explains in an HTTP header or a line of a log, each with its kind. `curl -v` writes a `<` or a `>` before a header. */
const PARTS = [
  // RFC 9112 3: the request line, alone or in the quotes of a log.
  ["log", "link", /(?<before>(?:^(?:> )?|")[A-Z]{3,17} )(?<part>[^"\r\n]+?) HTTP\/\d/],
  // RFC 8187 3.2.1: the value has its charset in front.
  ["header", "encoded", /^(?<before>(?:[<>] )?content-disposition:.*?filename\*=\s*(?<charset>[\w-]+)'[\w-]*')(?<part>[^\s;"]+)/i],
  ["header", "encoded", /^(?<before>(?:[<>] )?content-disposition:.*?filename=\s*"?)(?<part>[^";]+)/i],
  ["header", "encoded", /^(?<before>(?:[<>] )?(?:set-)?cookie:\s*)(?<part>\S.*)/i],
  ["header", "link", /^(?<before>(?:[<>] )?(?:(?:content-)?location|referer|:path):\s*)(?<part>\S*[/?%].*)/i],
  // RFC 8288 3
  ["header", "link", /^(?<before>(?:[<>] )?link:\s*<)(?<part>[^>]+)/i],
];

/** A line among headers that has no encoded part: another header, a status line, a continued header, or a remark of `curl -v`. */
const OTHER_HEADER = /^(?:[\s<>*{}]|:?[\w-]+:|HTTP\/\d)/;

/** If the lines without a part, except headers, outnumber the parts by more than this, the search ends and finds no part. */
const OTHERS_MOST = 500;

/**
 * Finds the encoded parts of headers or of lines of a log, one in each line: `[{ line, kind, from, to, name, charset }]`. `line` is the kind of the
 * line. Returns an empty array if most lines neither have an encoded part nor are headers.
 */
export function partsIn(text) {
  const parts = [];
  let others = 0;
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    const part = partIn(line, index);
    if (part) parts.push(part);
    else if (!OTHER_HEADER.test(line) && ++others > parts.length + OTHERS_MOST) return [];
  }
  return others > parts.length ? [] : parts;
}

/** Finds the encoded part of the line that starts at `start`. */
function partIn(text, start) {
  for (const [line, kind, pattern] of PARTS) {
    const found = pattern.exec(text);
    if (!found) continue;
    const { before, part, charset } = found.groups;
    if (kind === "encoded" && !/%[\da-f]{2}/i.test(part)) continue;
    const from = start + found.index + before.length;
    return { line, kind, from, to: from + part.trimEnd().length, name: /[\w-]+/.exec(before)[0], charset };
  }
  return undefined;
}
