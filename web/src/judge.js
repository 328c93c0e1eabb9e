// Judges a text: guesses its kind, repairs it if it is a broken link, and finds everything in it that misleads.
import { FLAG, NONE } from "../../packages/npm/engine.js";
import { REPAIRS } from "../../packages/npm/abi.js";
import { setByName } from "../../packages/npm/sets.js";
import { readingsOf, utf16Of } from "./charset.js";
import { fromHex, hasControl, isHex, toHex } from "./hex.js";
import { faultOf, readable } from "./hosts.js";
import { GLUED, allArmed, armed, authoritiesIn, authorityEnd, hasScheme, linkIn, partsIn, unescaped } from "./links.js";
import { decode, encode, flagsOf, preview } from "./run.js";

/** The kinds of texts. The page repairs links, decodes encoded texts and forms, and encodes texts and bytes in hexadecimal. */
export const KINDS = ["link", "form", "encoded", "header", "log", "text", "hex"];

/** A text longer than this is neither repaired nor searched for misleading parts. */
const MOST = 1 << 18;
/** At most this many findings of each kind are listed. */
const LISTED = 20;
/** A text longer than this isn't shown in the rows below the answer. */
const ROW_MOST = 1 << 16;
const LAYERS_MOST = 0xfffffff0;

/** The findings that mislead a reader, the most dangerous first, with their numbers in crates/wasm/src/lint.rs. */
const LINT = { password: 5, bidi: 6, invisible: 7, overlong: 8, mojibake: 9, lookAlike: 10, hostInUserinfo: 11, oddIpv4: 12 };
const LINT_KINDS = 16;
/** The order of dangers in several lines. Dangers that aren't listed come first. */
const RANKS = [...Object.keys(LINT), "oddSpace", "control", "lineBreak"];
/** Spaces other than U+0020, raw or escaped. They look like U+0020, but are other characters. */
const ODD_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|%C2%A0|%E1%9A%80|%E2%80%8[0-9A]|%E2%80%AF|%E2%81%9F|%E3%80%80/gi;
/** Escaped control characters of ASCII. `dangersOf` skips line ends in the values of a link, because these values are often messages to share. */
const CONTROL = /%(?:0\d|0[a-f]|1[\da-f]|7f)/gi;
const LINE_BREAKS = /(?:%0[ad])+/i;
/** The names of parameters whose values servers copy into the header "Location". There, a line break begins another header. */
const REDIRECT = /redirect|return|ur[il]$|^(?:u|next|continue|goto|dest(?:ination)?|location|target)$/i;
/** Escaped control characters of ASCII, except in a line end, `%0D%0A`. */
const CONTROL_IN_LINES = /%(?:0[0-9abcef]|1[\da-f]|7f)(?<!%0D%0A)|%0d(?!%0a)/gi;
/** The repairs that browsers don't need: browsers open a link as it is, even if it has one of these faults. */
const HARMLESS = new Set(["non-ascii", "idn"]);
/** The repairs of the library, and two of this page. Except `double-encoded`, which changes valid links. For a link that was encoded twice, the page
 * shows the layers instead. */
export const PAGE_REPAIRS = [...REPAIRS, "defanged", "mail"];
const bitOf = (kind) => 1 << PAGE_REPAIRS.indexOf(kind);
export const ALL_REPAIRS = (1 << PAGE_REPAIRS.length) - 1 - bitOf("double-encoded");

/** A link as Slack writes it: `<https://h.example|its name>`. */
const SLACK = /^(\s*<https?:\/\/[^\s<>|]+)\|[^<>]*(>\s*)$/i;
/** A link and the marks after it. Chinese texts have no space before `。`, programs that shorten a link add `…`, and `">` is a part of HTML. */
const MARKS = /^(\s*https?:\/\/[^\s<>]*[^\s<>…，。",])(?:[…，。]|"?>|",)+\s*$/i;
/** A character beyond ASCII, as programs write it to a log. */
const LOGGED = /(?:\\x[89a-f][\da-f]){2,}/gi;
/** The `\` that a shell, JSON, Markdown or LaTeX writes before a character. */
const SHELL = /\\(?=[ &?=()'"!*;#$/%_])/g;
/** A mail address with a name. */
const NAMED_MAIL = /^(\s*mailto:)[^<>?@]*<([^<>\s]+@[^<>\s]+)>/i;
/** An `&` of HTML, as WordPress writes it. In a URI, its `#` would begin a fragment. */
const AMPERSAND = /&#(?:0*38|x0*26);(?=[^\s&;=#]+=)/gi;
/** A link from the source of a mail: in "quoted-printable" (RFC 2045 6.7), each `=` is `=3D`. A single `=3D` may also be a value that begins with `3D`. */
const MAIL_SOURCE = /^[^?#]*\?(?:[^=#]|=\r?\n)*(?:=3D(?:[^=#]|=\r?\n)*){2,}(?:#.*)?$/;
/** A password with a delimiter that must be encoded. Without the password, the text before the delimiter would be a port, but it has no digits. In links
 * of the Web, this may be a false host, so it isn't repaired there. */
const PASSWORD = /^(\s*(?!https?:|ftps?:|wss?:|file:)[a-z][\w+.-]*:\/\/[^\s.:@/?#]*:)(?!\d*[/?#])([^\s@]*)(?=@[^\s@]+$)/i;
/** Spaces between a host and a path. */
const SPACE_BEFORE_PATH = /^(\s*https?:\/\/[^\s/?#@]+) +(?=[/?#]\S)/i;
/** The start of a link, up to its path. */
const ORIGIN = /^\s*https?:\/\/[^\\/?#]+[/?#]/i;

/** The start of a link with a scheme. Browsers read `\\` as `//`. But in `\\/`, a `\` escapes the slash, as in JSON, so this starts no link. */
const SCHEME = /^https?:\\\\(?!\/)|^(?:mailto|tel|sms|data|urn|geo|magnet|javascript|news|sip|xmpp|about|bitcoin|did|skype|spotify):\S/i;
const isAddress = (text) => hasScheme(text) || SCHEME.test(text);
const NAME_AND_PATH = /^(?:www\.|(?:[\p{L}\p{N}-]+\.)+[a-z]{2,}[/?#:]|(?:localhost(?::\d+)?|\d+(?:\.\d+){3})\/)\S/iu;
/** Links that run a program in the browser. Browsers skip tabs and line ends in a scheme, and controls and spaces before it. */
const SCRIPT = /^[\0-\x20\s]*(?:javascript|vbscript|data:\s*(?:text\/html|application\/xhtml\+xml))\s*[:;,]/i;
/** Links in which `%0D%0A` ends a line (RFC 6068 5), as it does in forms. */
const MAIL = /^\s*(?:mailto|sms):/i;
const ESCAPE = /%[0-9a-f]{2}/i;
/** The beginning of an escape at the end of a text. A single `%` is one only after a byte beyond ASCII: after `%20`, it is often the sign itself. */
const CUT = /(?:%[\da-f]|(?<=%[89a-f][\da-f])%)$/i;
const U_ESCAPE = /%u[0-9a-f]{4}/i;
const JSON_ESCAPE = /\\u[0-9a-f]{4}/i;
/** Matches only 12 or more characters, because many short words are valid Base64, too. */
const BASE64 = /^[\w+/-]{12,}={0,2}$/;
/** A JSON Web Token. Each of its first two parts begins with `{"` in Base64. */
const TOKEN = /^(eyJ[\w-]+)\.(eyJ[\w-]+)\.[\w-]*$/;

const isScript = (text) => SCRIPT.test(text.slice(0, 64).replace(/[\t\r\n]/g, ""));

/** Returns the bits of `classes`. For the kind "encoded", omits the class of raw characters, because parts of an encoded text are often plain. */
export const classesOf = (kind, classes) => (kind === "encoded" ? classes & ~(1 << 9) : classes);

/** Guesses the kind of a text. */
export function kindOf(text) {
  let blanks = 0;
  while (BLANK.test(text[blanks])) blanks++;
  const start = armed(text.slice(blanks, blanks + 4096));
  // A row of CSV can begin with a link in quotes.
  const bare = /^"[^"]*"\s*\S/.test(start) ? start : start.replace(/^[<"]+(?:url:)?/i, "");
  if (JSON_ESCAPE.test(start) || GLUED.test(bare)) return "text";
  // A link that was broken into lines has no spaces in the later ones. Otherwise, a text follows the link.
  const hasText = /^https?:/i.test(bare) && /\n.*\S[^\S\n]+\S/.test(start.trimEnd()) && linesOf(text).length === 0;
  if (!hasText && (isAddress(bare) || NAME_AND_PATH.test(bare.replace(/^\/\//, "")))) return "link";
  if (isScript(text)) return "link";
  const head = start.slice(0, 2048);
  if (/^[/?]\S/.test(head) && !/^\/[*/]/.test(head)) return "link";
  if (/^[^\s=&?#/]+=[^\s]*$/.test(head) && (head.includes("&") || ESCAPE.test(head))) return "form";
  const [part] = text.length <= MOST ? partsIn(text) : [];
  if (part) return part.line;
  if (ESCAPE.test(text) || U_ESCAPE.test(head)) return "encoded";
  return text.length <= MOST && isHex(text) ? "hex" : "text";
}

/** Repairs a link. Returns:
 * - the new text;
 * - the count of each kind of repair. `cut` counts the repairs of the kind "percent" that are incomplete escapes;
 * - the first letter that the repair "non-ascii" encodes;
 * - the offset of the first fault that is left in the new text, or -1. */
function repairOf(engine, text, kinds) {
  const counts = {};
  let link = text;
  const change = (kind, changed, count = Math.max(1, link.length - changed.length)) => {
    if (changed === link || !(kinds & bitOf(kind))) return;
    counts[kind] = count;
    link = changed;
  };
  change("defanged", armed(link));
  change("surroundings", link.replace(SLACK, "$1$2").replace(NAMED_MAIL, "$1$2"));
  change("entity", link.replace(AMPERSAND, "&"), link.match(AMPERSAND)?.length);
  if (MAIL_SOURCE.test(link)) change("mail", link.replace(/=3D/g, "=").replace(/=\r?\n/g, ""), link.split("=3D").length - 1);
  change("illegal", link.replace(PASSWORD, (_, start, password) => start + password.replace(/[/?#]/g, encodeURIComponent)));
  change("space", link.replace(SPACE_BEFORE_PATH, "$1"));
  change("punctuation", link.replace(MARKS, "$1"));
  // RFC 3966 3: a telephone number has no spaces and no escapes.
  change("space", link.replace(/^\s*(?:tel|sms):[^?]*/i, (number) => number.replace(/(?<=\S) +(?=\S)/g, "")));
  const origin = ORIGIN.exec(link)?.[0].length ?? link.length;
  change("backslash", link.slice(0, origin) + link.slice(origin).replace(LOGGED, (bytes) => bytes.replaceAll("\\x", "%")).replace(SHELL, ""));
  // Without a scheme, the library would take a host for a path.
  const scheme = NAME_AND_PATH.test(link.trimStart()) && !isAddress(link.trimStart()) ? "http://" : "";
  if (scheme) link = link.replace(/^\s*/, `$&${scheme}`);
  const repaired = engine.repair(link, kinds & ~bitOf("defanged") & ~bitOf("mail"));
  const list = repaired.indexOf("\n") + 1;
  const end = repaired[list] === "\n" ? list : repaired.indexOf("\n\n", list) + 1;
  const value = repaired.slice(end + 1).replace(scheme, "");
  const cut = CUT.exec(link.trimEnd())?.index;
  let letter = "";
  for (const line of repaired.slice(list, end).split("\n").slice(0, -1)) {
    const [from, , kind] = line.split("\t");
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (kind === "non-ascii") letter ||= String.fromCodePoint(link.codePointAt(from));
    if (kind === "percent" && Number(from) === cut) counts.cut = 1;
  }
  const [fault] = engine.split(scheme + value, false, 0);
  return { value, counts, letter, fault: fault === NONE >>> 0 ? -1 : fault - scheme.length };
}

/** A part of a userinfo that looks like a host. */
const USER_LIKE_HOST = /(?:^|@)([^:@]+?\.[a-z]{2,})(?![\w.-])/i;
/** The greatest length of a host in DNS (RFC 1035 2.3.4). */
const HOST_MOST = 255;
/** A decoded host that seems to end before a character that people take for the start of a path or a query. Some of these characters are mapped to
 * delimiters by UTS 46, as `℀` is mapped to `a/c`. Between Latin letters, some letters of Japanese look like a slash. */
const FALSE_END = /^([^:@]+?\.\p{L}{2,})(?:(?<=\w)[ノンソゾ丿](?=\w)|[!$%&'()*+,;= /?#@:\\℀℁℅℆⁇-⁉⩴︓︖﹕﹖﹟﹨﹫＃：？＠]).*\.[^\d.][^.]+$/u;
/** A host that people can read as another one: in lower case, `I` is `i`, and the owner of `h.example` also owns `google.com.h.example`. */
const HOST_TO_SHOW = /[a-z]I|I[a-z]|\.(?:com|net|org)(?:-|\.[^.]+\.)/;
/** Blanks and invisible characters that the repair "surroundings" removes around a link. */
const BLANK = /[\s\u200b\u2060\ufeff\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]/;
const DIRECTION_MARK = /^(?:[\u061c\u200e\u200f]|%D8%9C|%E2%80%8[EF])$/i;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;
/** A host that needs no check: it has only letters and digits of ASCII, `_`, `.` and `-`. But hosts in Punycode, and the hosts `http` and `https`,
 * need a check. */
const PLAIN_HOST = /^(?!https?$|.*xn--)[\w.-]*$/i;
/** How deep links inside links are searched for dangers. */
const DEPTH_MOST = 4;

/** Escapes of bytes beyond ASCII, one after the other. */
const RUN = /(?:%[89a-f][\da-f])+/gi;
const OVERLONG = /%c[01]%[89ab].|%e0%[89].%..|%f0%8.%..%../gi;
/** Returns the first overlong UTF-8 in a text, and the character that careless decoders read there. Returns undefined if there is none. */
function overlongIn(text) {
  const [found] = text.match(OVERLONG) ?? [];
  if (!found) return undefined;
  const [first, ...rest] = found.slice(1).split("%").map((byte) => Number.parseInt(byte, 16));
  const code = rest.reduce((code, byte) => (code << 6) | (byte & 63), first & (63 >> rest.length));
  return [found, code > 0x20 && code !== 0x7f ? String.fromCodePoint(code) : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`];
}

/** Overlong UTF-8 after a `.`, as attackers write `../`. */
const TRAVERSAL = /(?:\.|%2e)%c[01]/i;

/** Returns true if bytes of a text are overlong UTF-8 by chance, because the text is in another charset: in each run, at most half of the bytes are
 * overlong, and the text is more readable in that charset than in UTF-8. */
const isByChance = (engine, text) =>
  !TRAVERSAL.test(text) &&
  [...text.matchAll(RUN)].every(([run]) => 2 * (run.match(OVERLONG) ?? []).join("").length <= run.length) &&
  decode(engine, text, { mode: "percent", charset: "auto", depth: 1 }).charset !== "utf-8" &&
  readingsOf(engine.decode(text, undefined, 0, 1, "bytes").value, "", true).charset !== "utf-8";

/** Finds the parts of a text that mislead a reader. If the text has links in a form that prevents clicks by mistake, searches their usual form. */
function dangersOf(engine, text, kind, parts, depth = 0) {
  const { value, places } = allArmed(text);
  return armedDangers(engine, value, kind, value === text ? parts : undefined, depth).map((danger) => ({ ...danger, ...places(danger) }));
}

/**
 * Finds the parts of a text that mislead a reader, in all its links. Returns `[{ kind, from, to, count, text }]`. If the part is in the
 * authority of a link, it also has `host`, the host of this link in ASCII, or "" if browsers refuse it, and `falseHost`, the host that this link
 * pretends to have, or "".
 */
function armedDangers(engine, text, kind, parts = partsOf(engine, text, kind), depth) {
  const dangers = [];
  const authorities = authoritiesOf(text, kind);
  const found = engine.lint(text, LISTED);
  let [start, end] = [0, text.length];
  if (kind === "link") {
    while (start < end && BLANK.test(text[start])) start++;
    while (start < end && BLANK.test(text[end - 1])) end--;
  }
  for (const [kind, number] of Object.entries(LINT)) {
    if (kind === "overlong" && found[number] > 0 && isByChance(engine, text)) continue;
    for (let at = LINT_KINDS; at < found.length; at += 3) {
      if (found[at + 2] !== number) continue;
      const [from, to] = [found[at], found[at] + found[at + 1]];
      if (kind === "hostInUserinfo" && isCut(text, linkAt(authorities, from), to)) continue;
      if ((kind === "invisible" || kind === "bidi") && (to <= start || from >= end)) continue;
      // These marks only set the direction of the text beside them, and are common in texts from right to left.
      if (kind === "bidi" && DIRECTION_MARK.test(text.slice(from, to)) && RIGHT_TO_LEFT.test(engine.decode(text).value)) continue;
      const names = namesOf(engine, text, authorities, kind, from, to);
      // Browsers refuse this host, so they don't read it as an address.
      if (kind === "oddIpv4" && names.host === "") continue;
      dangers.push({ kind, from, to, count: found[number], text: kind === "password" ? "•••" : text.slice(from, to), ...names });
    }
  }
  const matches = (kind, pattern, isHarmless = () => false) => {
    const all = [...text.matchAll(pattern)].filter((match) => !isHarmless(match));
    for (const { index, 0: match } of all.slice(0, LISTED)) dangers.push({ kind, from: index, to: index + match.length, count: all.length, text: match });
  };
  matches("oddSpace", ODD_SPACE);
  const values = kind === "link" && !MAIL.test(text) ? parts.filter(({ kind }) => kind === 6) : [];
  let next = 0;
  matches("control", kind === "form" || MAIL.test(text) ? CONTROL_IN_LINES : CONTROL, ({ index, 0: match }) => {
    while (values[next]?.to <= index) next++;
    return values[next]?.from <= index && /0[ad]/i.test(match);
  });
  const breaks = [];
  for (const { kind, from, to, name } of MAIL.test(text) ? [] : parts) {
    const found = kind === 6 && REDIRECT.test(name) && LINE_BREAKS.exec(text.slice(from, to));
    if (found) breaks.push({ kind: "lineBreak", from: from + found.index, to: from + found.index + found[0].length, text: found[0] });
  }
  dangers.push(...breaks.slice(0, LISTED).map((found) => ({ ...found, count: breaks.length })));
  if (kind === "link" && isScript(text)) {
    const to = text.indexOf(":") + 1;
    dangers.unshift({ kind: "script", from: 0, to, count: 1, text: text.slice(0, to) });
  }
  const faults = {};
  for (const { from: start, host: from, hostEnd: to } of authorities) {
    // `lint` finds false hosts only in authorities that follow `//`. `authorities` has the others, too, so look for a false host here.
    const user = USER_LIKE_HOST.exec(text.slice(start, from));
    if (user && !dangers.some(({ kind, from }) => kind === "hostInUserinfo" && from === start)) {
      const at = start + user.index + user[0].length - user[1].length;
      const place = [at, at + user[1].length];
      (faults.hostInUserinfo ??= []).push({ kind: "hostInUserinfo", from: at, to: place[1], text: user[1], ...namesOf(engine, text, authorities, "hostInUserinfo", ...place) });
    }
    const raw = text.slice(from, to);
    if (PLAIN_HOST.test(raw)) continue;
    const decoded = engine.decode(raw).value;
    const [, shown] = (raw.length <= HOST_MOST && FALSE_END.exec(decoded)) || [];
    if (shown) (faults.hostInUserinfo ??= []).push({ kind: "hostInUserinfo", from, to: from + shown.length, text: shown, host: asciiOf(raw), falseHost: shown });
    const host = readable(decoded);
    const fault = /^https?$/i.test(host) ? { kind: "schemeTwice" } : faultOf(host);
    if (fault) (faults[fault.kind] ??= []).push({ ...fault, from, to, text: host, host: asciiOf(raw), falseHost: "" });
  }
  for (const all of Object.values(faults)) dangers.unshift(...all.slice(0, LISTED).map((fault) => ({ ...fault, count: all.length })));
  if (depth < DEPTH_MOST) dangers.push(...innerDangers(engine, text, kind, parts, depth, dangers));
  return dangers;
}

/** Returns the authorities of all links in a text of this kind. */
const authoritiesOf = (text, kind) => authoritiesIn(text, kind === "link", kind === "link" && NAME_AND_PATH.test(text.trimStart()));

/**
 * Finds the dangers of inner links. In a link or a form, these are the links in its values. The place of a danger is then the whole value. In any
 * other text, these are the link that the page shows by itself, and the links in the decoded text or, if the text isn't encoded, in the text without
 * the escapes of JSON. The place of a danger is then the start of the text.
 */
function innerDangers(engine, text, kind, parts, depth, known) {
  const isInner = kind === "link" || kind === "form";
  const valueOf = ({ from, to, name }) => ({ from, to, name, value: engine.decode(text.slice(from, to), undefined, FLAG.PLUS).value });
  const values = isInner
    ? parts.filter(({ kind }) => kind === 6).map(valueOf)
    : [linkIn(text), kind === "encoded" ? engine.decode(text).value : unescaped(text)].map((value) => ({ from: 0, to: 0, value }));
  const nameOf = ({ kind, text }) => `${kind} ${text}`;
  const names = new Set(known.map(nameOf));
  const found = [];
  for (const { from, to, value, name } of values) {
    const isProgram = isScript(value) && (REDIRECT.test(name) || (kind === "encoded" && /:\S/.test(value)));
    if (!isProgram && (value === text.slice(from, to) || value === text || !/[/\\%]|^www\./i.test(value))) continue;
    for (const danger of dangersOf(engine, value, kindOf(value), undefined, depth + 1)) {
      if (!(danger.host !== undefined || (isProgram && danger.kind === "script")) || names.has(nameOf(danger))) continue;
      names.add(nameOf(danger));
      found.push({ ...danger, from, to, isInner: danger.isInner || isInner });
    }
  }
  return found;
}

/** Finds the dangers of a decoded text whose escapes hide them. Their places in the encoded text are unknown. */
const hiddenDangers = (engine, decoded) => dangersOf(engine, decoded, kindOf(decoded)).map((danger) => ({ ...danger, from: 0, to: 0 }));

const linkAt = (authorities, from) => authorities.find((link) => link.from <= from && from < link.to);

/** Returns true if the authority `link` ends before `to`, the end of a finding of `lint`. At a space or a quote, `lint` reads on to the next slash, so
 * the finding includes text after the link. At a `\`, returns false, because only browsers end the host there. */
const isCut = (text, link, to) => link !== undefined && link.to < to && text[link.to] !== "\\";

/** For a danger in the authority of a link, returns the host of this link, and the host that the link pretends to have. */
function namesOf(engine, text, authorities, kind, from, to) {
  const link = linkAt(authorities, from);
  if (!link || link.host === link.hostEnd || isCut(text, link, to)) return {};
  const host = asciiOf(text.slice(link.host, link.hostEnd));
  const shown = (from, to) => preview(engine.decode(text.slice(from, to)).value, 60).replace(/\.$/, "");
  // For browsers, a `\` ends the host. Other readers continue up to the `@`.
  if (kind === "hostInUserinfo" && to >= link.host) {
    const start = text.indexOf("@", to) + 1;
    const end = start + authorityEnd(text.slice(start));
    return { host, falseHost: shown(start, end), from: start, to: end, text: text.slice(start, end) };
  }
  if (kind === "hostInUserinfo") return { host, falseHost: shown(from, to) };
  if (kind === "lookAlike" && from > link.host) return { host, falseHost: shown(link.host, from) };
  return { host, falseHost: "" };
}

/** Returns a host in ASCII, or "" if browsers refuse it. */
function asciiOf(raw) {
  try {
    return new URL(`http://${raw}/`).hostname;
  } catch {
    return "";
  }
}

/** Returns the parts of a link or of a form: `{ kind, from, to, layers, name }`. `kind` is a number of crates/wasm/src/url.rs. `name` is the decoded name
 * that a value belongs to. Other texts have no parts. */
function partsOf(engine, text, kind) {
  if (kind !== "link" && kind !== "form") return [];
  const found = engine.split(text, kind === "form", 10_000);
  const parts = [];
  let name = "";
  for (let at = 4; at < found.length; at += 4) {
    const [kind, from, len, layers] = found.subarray(at, at + 4);
    if (kind === 5) name = engine.decode(text.slice(from, from + len), undefined, FLAG.PLUS).value;
    parts.push({ kind, from, to: from + len, layers, name });
  }
  return parts;
}

/** Returns the parts that were encoded twice. Skips a value that is a URL or JSON, because these have escapes of their own. */
const twiceOf = (engine, text, parts) => parts.filter(({ from, to, layers }) => layers > 1 && !/^[a-z][a-z0-9+.-]*:|^[/{[]|\?/i.test(engine.decode(text.slice(from, to)).value));

/** Returns the names of parts that were encoded twice: the name of the parameter for a value, and for any other part its text, decoded once. */
const namesOfTwice = (engine, text, parts) => parts.map(({ kind, from, to, name }) => ({ isValue: kind === 6, text: preview(kind === 6 ? name : engine.decode(text.slice(from, to)).value, 40) }));

/** Returns a name that looks like the one of a parameter, but is in a path without a query, or after a second `?`. Returns undefined if there is none. A
 * value that is a link may have a `?` of its own, and some paths have parameters after a `;`. */
function noParameterIn(link) {
  const [path, query, rest] = link.split("#", 1)[0].split("?");
  const [, name] = (query === undefined ? /^[^;]*?&([\w.-]+)=/.exec(path.slice(path.lastIndexOf("/") + 1)) : !/[:/]/.test(query) && /^([\w.-]+)=/.exec(rest ?? "")) || [];
  return name;
}

/** Returns a name that looks like the one of a parameter, but is in the fragment, after the name of a place: `#top?utm_source=a`. Returns undefined if there
 * is none. Fragments of other forms can be routes or tokens of programs. */
const hiddenParameterIn = (link) => /^[^#]*#[\w-]+[?&]([\w.-]+)=/.exec(link)?.[1];

/** Finds an inner link that isn't encoded and has parameters: `?u=https://h/?a=b&c=d`. Its later parameters belong to the outer link. Returns the name of the
 * parameter that holds it, these later parameters, and the outer link with the whole inner link encoded. Returns undefined if there is none. */
function openInner(engine, link) {
  const parts = partsOf(engine, link, "link");
  const at = parts.findIndex(({ kind, from, to }) => kind === 6 && /^https?:\/\/[^?]*\?/i.test(link.slice(from, to)));
  const next = at < 0 ? undefined : parts.slice(at).find(({ kind }) => kind === 5);
  if (!next) return undefined;
  const { from, name } = parts[at];
  const [inner] = /^[^#]*/.exec(link.slice(from));
  const end = from + inner.length;
  const encoded = engine.encode(inner, setByName("RFC3986_UNRESERVED").set).value;
  return { name: preview(name, 40), rest: preview(link.slice(next.from, end), 40), fixed: link.slice(0, from) + encoded + link.slice(end) };
}

/** Removes a layer of escapes from parts of a link. */
function lessOf(text, parts) {
  let [less, at] = ["", 0];
  for (const { from, to } of parts) {
    less += text.slice(at, from) + text.slice(from, to).replace(/%25(?=[\da-f]{2})/gi, "%");
    at = to;
  }
  return less + text.slice(at);
}

/** Returns the options for a kind of text. If `plus` is "auto", replaces it by the value that suits this kind. */
export function resolved(options, kind) {
  const plus = options.plus !== "auto" ? options.plus : kind === "link" ? "query" : kind === "form" ? "yes" : "no";
  return { ...options, plus };
}

/**
 * Judges a text. Returns the answer as `run.js` does, and `judged`:
 * - `kind`: its kind; `guessed`: the kind that the page would have chosen
 * - `verdict`: the name of the page's first sentence
 * - `lines`: if the text is headers or lines of a log, their encoded parts, each with its place, its answer and its own judgement. If there is
 *   only one, the other properties describe this part
 * - `counts`: the number of repairs of each kind, as in `repairOf`; `letter`: the first letter that a repair encodes; `fault`: the offset in the answer of the first
 *   fault that wasn't repaired, or -1
 * - `cut`: the beginning of an escape at the end of the text, or undefined
 * - `works`: the place of a link without faults: "answer", or "row" for the row of the link in a text
 * - `isRepaired`: true if the link in that row was repaired; `linkCounts`: the number of repairs of each kind in that link, or empty if browsers
 *   don't need these repairs
 * - `dangers`: the parts that mislead a reader; `host`: the host of a link with a danger or a user, in ASCII, or "" if browsers refuse it;
 *   `falseHost`: the host that this link pretends to have; `isInner`: true if this link is in a value of another link or of a form
 * - `twice`: parameters that were encoded twice; `layers`: the number of layers
 * - `links`: the number of links if each line is a link, or the number of encoded parts in headers or lines of a log
 * - `noParameter`: a name with `=` that begins no parameter of a link, because it isn't directly after the first `?` or after an `&` behind it
 * - `hidden`: a name with `=` in the fragment
 * - `open`: an inner link that isn't encoded, with the parameters that the outer link takes from it
 * - `overlong`: the first overlong UTF-8 in a text in another charset, and the character that a careless decoder reads there
 * - `bytes`: the number of bytes, if the text is bytes in hexadecimal, or is binary data after decoding
 * - `spaces`: the number of `+` that were read as spaces
 * - `rows`: other forms of the text
 */
export function judge(engine, text, chosen, given, kinds) {
  const guessed = kindOf(text);
  const parts = text.length <= MOST && ["header", "log"].includes(chosen === "auto" ? guessed : chosen) ? partsIn(text) : [];
  const isLines = parts.length > 0 && given.mode === "percent";
  const answer = isLines ? judgeLines(engine, text, parts, given, kinds) : judgeText(engine, text, chosen, guessed, given, kinds);
  const hasUnits = answer.options.mode === "escape" || answer.judged.verdict === "json";
  answer.judged.dangers = [...answer.judged.dangers, ...halvesIn(text, hasUnits)];
  return answer;
}

/** Half of a surrogate pair without its other half. With the flag `u`, the expression doesn't match the halves of a pair. */
const HALF = /[\ud800-\udfff]/gu;
/** The same, as JavaScript and JSON write it. */
const ESCAPED_HALF = /[%\\]u(d[89ab][\da-f]{2})(?![%\\]ud[c-f][\da-f]{2})|(?<![%\\]ud[89ab][\da-f]{2})[%\\]u(d[c-f][\da-f]{2})/gi;

/** Finds halves of characters, which the page replaces by U+FFFD. Finds escaped ones only if `hasUnits` is true. */
function halvesIn(text, hasUnits) {
  const found = [];
  let count = 0;
  const add = (from, length, code) => ++count <= LISTED && found.push({ kind: "half", from, to: from + length, text: `U+${code.toUpperCase()}` });
  for (const { index, 0: half } of text.matchAll(HALF)) add(index, 1, half.charCodeAt(0).toString(16));
  if (hasUnits) for (const { index, 0: { length }, 1: high, 2: low } of text.matchAll(ESCAPED_HALF)) add(index, length, high ?? low);
  return found.map((half) => ({ ...half, count }));
}

/** The properties of a judged text, without any finding. */
const blank = (kind) => ({ kind, verdict: "empty", counts: {}, linkCounts: {}, fault: -1, dangers: [], twice: [], layers: 0, spaces: 0, rows: [] });

/** Judges a text that isn't a header or a line of a log. */
function judgeText(engine, text, chosen, guessed, given, kinds) {
  // If the user has chosen a header or a line of a log, but the text has no part of one, take the guessed kind.
  const kind = chosen === "auto" || ["header", "log"].includes(chosen) ? guessed : chosen;
  const options = resolved(given, kind);
  if (chosen === "auto" && kind === "encoded" && options.mode === "percent" && U_ESCAPE.test(text) && text.length < MOST) options.mode = "escape";
  const encodes = kind === "text" || kind === "hex";
  const judged = { ...blank(kind), guessed, encodes };
  if (kind === "hex" && text !== "") return { ...judgeHex(engine, text, options, judged), options };
  const convert = () => (encodes ? encode(engine, text, options) : decode(engine, text, options));
  if (text === "" || text.length > MOST || options.mode !== given.mode || given.mode !== "percent") {
    const result = convert();
    if (options.mode !== given.mode && result.status === "ok") setDangers(engine, judged, result.value, hiddenDangers(engine, result.value));
    judged.verdict = text === "" ? "empty" : options.mode !== given.mode ? "uEscape" : encodes ? "encodes" : "decodes";
    return { result, judged, options };
  }
  const parts = partsOf(engine, text, kind);
  // If the user has chosen another charset, the text has no UTF-8.
  const isUtf8 = ["auto", "utf-8"].includes(given.charset);
  setDangers(engine, judged, text, dangersOf(engine, text, kind, parts).filter((danger) => isUtf8 || danger.kind !== "overlong"));
  if (ESCAPE.test(text)) judged.cut = CUT.exec(text)?.[0];
  if (encodes) {
    const result = convert();
    const isJson = JSON_ESCAPE.test(text);
    const bytes = isJson ? undefined : fromBase64(text.trim());
    judged.verdict = isJson ? "json" : bytes ? "base64" : "text";
    judged.rows = [...linkRow(engine, text, kinds, judged), ...(isJson ? row("rowText", unescaped(text)) : bytes ? bytesRow(bytes) : textRows(engine, text))];
    return { result, judged, options };
  }
  judged.layers = engine.decode(text, undefined, 0, LAYERS_MOST, "bytes").layers;
  const twiceParts = twiceOf(engine, text, parts);
  judged.twice = namesOfTwice(engine, text, twiceParts);
  if (options.plus !== "no") judged.spaces = parts.reduce((sum, { kind: part, from, to }) => sum + (part === 5 || part === 6 ? text.slice(from, to).split("+").length - 1 : 0), 0);
  const fixed = () => (judged.open ? row("rowLess", judged.open.fixed) : []);
  const inner = (link) => [...(judged.dangers.some((danger) => danger.kind === "schemeTwice") ? linkRow(engine, link, kinds, judged) : []), ...innerRow(engine, link, kinds)];
  if (kind === "link") {
    const { value, counts, letter, fault, links } = linesOf(text).length > 1 ? repairLines(engine, text, kinds) : repairOf(engine, text, kinds);
    judged.links = links;
    if (!links) Object.assign(judged, { noParameter: noParameterIn(value), hidden: hiddenParameterIn(value), open: openInner(engine, value) });
    Object.assign(judged, { counts, letter, fault });
    const found = Object.keys(counts);
    if (fault < 0 && (links ? linesOf(value) : [value]).some(isRefused)) {
      Object.assign(judged, { verdict: "refused", counts: {}, twice: [], host: judged.falseHost && judged.host });
      return { result: { value: text, status: "ok", offset: NONE, charset: "utf-8", layers: 1 }, judged, options };
    }
    if (found.length > 0 || fault >= 0) {
      judged.verdict = found.length > 0 ? (found.every((name) => HARMLESS.has(name)) && fault < 0 ? "iri" : "broken") : "unrepaired";
      if (fault < 0 && !judged.cut) judged.works = "answer";
      const readable = decode(engine, value, options);
      const whole = judged.twice.length > 0 ? row("rowWhole", engine.decode(value, undefined, 0, LAYERS_MOST).value, value) : [];
      judged.rows = [...fixed(), ...inner(value), ...whole, ...row("rowDecoded", readable.value, value), ...(links ? [] : asValue(engine, value))];
      // The answer may still have a malformed `%`. The page reports it as `judged.fault`, so the status here is "ok".
      return { result: { value, status: "ok", offset: NONE, charset: "utf-8", layers: 1 }, judged, options };
    }
  }
  // Overlong UTF-8 is an attack on UTF-8, and no text in another charset.
  if (options.charset === "auto" && judged.dangers.some(({ kind }) => kind === "overlong")) options.charset = "utf-8";
  const result = convert();
  const isLegacy = result.charset !== "utf-8" && given.charset === "auto";
  // If the decoded text is a link, the escapes that are left belong to this link. So the text wasn't encoded twice by mistake.
  const twice = kind === "encoded" ? judged.layers > 1 && kindOf(engine.decode(text).value) !== "link" : judged.twice.length > 0;
  if (kind === "encoded" && result.status === "ok" && given.charset === "auto") {
    const bytes = engine.decode(text, undefined, flagsOf(options, false), options.depth, "bytes").value;
    const isText = result.invalidUtf8 === NONE;
    const isUtf16 = utf16Of(bytes) !== undefined;
    if (isUtf16) setDangers(engine, judged, result.value, hiddenDangers(engine, result.value.slice(1)));
    if (!isText && !isUtf16 && hasControl(bytes)) {
      Object.assign(judged, { verdict: "binary", dangers: [], host: undefined, falseHost: undefined, bytes: bytes.length });
      return { result: { ...result, value: toHex(bytes), charset: "utf-8", invalidUtf8: NONE }, judged, options };
    }
    if (!isText || hasControl(bytes)) judged.rows = hexRow(bytes);
  }
  if (result.status === "ok" && given.charset === "auto" && result.invalidUtf8 !== NONE && text.length <= ROW_MOST && !TRAVERSAL.test(text)) {
    judged.rows.unshift(...result.others().map(({ label, value }) => ({ key: "rowCharset", label, value })));
  }
  if (result.charset !== "utf-8") judged.overlong = overlongIn(text);
  judged.verdict = isLegacy ? "legacy" : twice ? "twice" : kind === "link" ? (result.value === text ? "fine" : "link") : kind;
  if (judged.verdict === "twice" && result.status === "ok" && given.depth === 1) {
    const all = decode(engine, text, { ...options, depth: LAYERS_MOST });
    judged.rows = [...(kind === "link" ? row("rowLess", lessOf(text, twiceParts), text) : []), ...row("rowOnce", result.value, all.value)];
    if (all.status === "ok") Object.assign(result, all);
  }
  if (judged.verdict === "fine") judged.works = "answer";
  if (kind === "link") judged.rows.push(...fixed(), ...inner(text), ...(judged.links ? [] : asValue(engine, text)));
  if (kind === "encoded" && judged.verdict !== "binary") judged.rows.unshift(...linkRow(engine, text, kinds, judged, result.value));
  return { result, judged, options };
}

/** Sets the dangers of a text, and the host that the page names. This is the host of the most misleading link. If no danger has a host, but the text
 * is a link with a danger or a user, the page names the host of this link. */
function setDangers(engine, judged, text, dangers) {
  judged.dangers = dangers;
  const worst = dangers.find(({ falseHost }) => falseHost) ?? dangers.find(({ host }) => host !== undefined);
  Object.assign(judged, { host: worst?.host, falseHost: worst?.falseHost, isInner: worst?.isInner });
  if (worst || judged.kind !== "link") return;
  const { value: link } = allArmed(text);
  const [first] = authoritiesOf(link, judged.kind);
  if (!first) return;
  const host = link.slice(first.host, first.hostEnd);
  const ascii = asciiOf(host);
  // People can read the `@` in a query or a fragment as the end of a user.
  const hasAt = /^\/?[?#][^/]*@/.test(link.slice(first.to));
  if (dangers.length > 0 || first.host > first.from || hasAt || HOST_TO_SHOW.test(host) || HOST_TO_SHOW.test(ascii)) judged.host = ascii;
}

/** Judges the encoded parts of headers or of lines of a log. */
function judgeLines(engine, text, parts, given, kinds) {
  const lines = parts.map((part) => ({ ...part, ...judgePart(engine, text, part, given, kinds) }));
  const [first] = lines;
  const { options } = first;
  let { result, judged } = first;
  if (parts.length > 1) {
    result = lines.map(({ result }) => result).find(({ status }) => status !== "ok") ?? { value: lines.map(({ result }) => result.value).join("\n"), status: "ok", offset: NONE, charset: "utf-8" };
    judged = { ...blank("encoded"), verdict: "lines", links: parts.length, letter: lines.find(({ judged }) => judged.letter)?.judged.letter };
    for (const { judged: { counts } } of lines) addCounts(judged.counts, counts);
  }
  // The rest of the text can have links, too.
  const whole = dangersOf(engine, text, first.line);
  const rest = whole.filter(({ from, to }) => lines.every((line) => to <= line.from || from >= line.to));
  const counts = {};
  const all = [...lines.flatMap(({ judged }) => judged.dangers), ...rest];
  if (lines.length > 1) all.sort((a, b) => RANKS.indexOf(a.kind) - RANKS.indexOf(b.kind));
  const dangers = all.filter(({ kind }) => (counts[kind] = (counts[kind] ?? 0) + 1) <= LISTED);
  for (const { kind, count } of [...dangers, ...whole]) counts[kind] = Math.max(counts[kind] ?? 0, count);
  setDangers(engine, judged, text.slice(first.from, first.to), dangers.map((danger) => ({ ...danger, count: counts[danger.kind] })));
  return { result, judged: { ...judged, guessed: first.line, lines }, options };
}

/** Judges the encoded part of a line. The places of its dangers and its error are places in the whole text. */
function judgePart(engine, text, { from, to, kind, charset }, given, kinds) {
  const part = text.slice(from, to);
  const { result, judged, options } = judgeText(engine, part, kind, kindOf(part), { ...given, charset: charset ? charsetOf(charset) : given.charset }, kinds);
  judged.dangers = judged.dangers.map((danger) => ({ ...danger, from: danger.from + from, to: danger.to + from }));
  if (result.offset !== NONE) result.offset += new TextEncoder().encode(text.slice(0, from)).length;
  // For a valid link, the answer is decoded, so the link gets a row of its own. For a broken link, the answer is already the repaired link.
  if (["fine", "link", "twice"].includes(judged.verdict) && kind === "link") {
    const [first] = row("rowLink", part, result.value);
    if (first) {
      judged.rows.unshift(first);
      judged.works = "row";
    }
  }
  return { result, judged, options };
}

/** Returns true if browsers refuse a link, or no server can have its host: no name in a host is empty, and the last
 * one has no comma. Some browsers accept a host with an escape, but the URL Standard (3.1) forbids it. */
function isRefused(link) {
  if (!/^(?:https?|wss?|ftp):/i.test(link)) return false;
  try {
    return /^\.|\.\.|,[^.]*$|%/.test(new URL(link).hostname);
  } catch {
    return true;
  }
}

/** Returns the name that browsers have for a charset, or "auto" if they don't know it. */
function charsetOf(label) {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return "auto";
  }
}

/** Decodes Base64 (RFC 4648 4 and 5), or the first two parts of a JSON Web Token (RFC 7519 3.1). Returns undefined if a text isn't Base64. A text without padding may also be a word, so returns undefined
 * if its decoded bytes aren't text. */
function fromBase64(text) {
  const [, ...token] = TOKEN.exec(text) ?? [];
  if (text.length > ROW_MOST || !(token.length > 0 || BASE64.test(text)) || !/[A-Z]/.test(text)) return undefined;
  try {
    const decoded = (token.length > 0 ? token : [text]).map((part) => atob(part.replaceAll("-", "+").replaceAll("_", "/"))).join("\n");
    const bytes = Uint8Array.from(decoded, (character) => character.charCodeAt(0));
    return text.endsWith("=") || textIn(bytes) !== undefined ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the links of a list, which are on lines of their own or separated by spaces. Returns an empty array if a line is no link. */
function linesOf(text) {
  const lines = text.trim().split(/\r?\n|(?<=\S)\s+(?=https?:\/\/)/i);
  return lines.length > 1 && lines.every((line) => isAddress(armed(line))) ? lines : [];
}

/** Adds the counts of repairs to `sums`. */
function addCounts(sums, counts) {
  for (const [kind, count] of Object.entries(counts)) sums[kind] = (sums[kind] ?? 0) + count;
}

/** Repairs a list of links, one on each line. In the result, `links` is the number of links. */
function repairLines(engine, text, kinds) {
  const counts = {};
  let [value, letter, fault] = ["", "", -1];
  const lines = linesOf(text);
  for (const line of lines) {
    const one = repairOf(engine, line, kinds);
    addCounts(counts, one.counts);
    if (one.fault >= 0 && fault < 0) fault = value.length + one.fault + (value ? 1 : 0);
    value += (value ? "\n" : "") + one.value;
    letter ||= one.letter;
  }
  return { value, counts, letter, fault, links: lines.length };
}

/** At most this many nested links are opened. */
const NESTED_MOST = 20;

/** Returns the row of the innermost link in the values of a link. A tracking link has its real target there. */
function innerRow(engine, text, kinds) {
  if (text.length > ROW_MOST) return [];
  let link = text;
  for (let at = 0; at < NESTED_MOST; at++) {
    const values = partsOf(engine, link, "link").filter(({ kind }) => kind === 6).map(({ from, to, name }) => [engine.decode(link.slice(from, to), undefined, FLAG.PLUS).value, name]);
    // Browsers accept any slashes after the scheme. Without a scheme, two slashes also begin a host.
    const [next] = values.find(([value, name]) => /^https?:[\\/]*[^\s\\/]/i.test(value) || (REDIRECT.test(name) && /^[\\/]{2}[^\s\\/]/.test(value))) ?? [];
    if (!next) break;
    link = next;
  }
  return link === text ? [] : row("rowInner", repairOf(engine, link, kinds).value, text);
}

/** Returns the row of the first link in a text. If there is none, looks for one in the decoded text. */
function linkRow(engine, text, kinds, judged, decoded = "") {
  const link = text.length > ROW_MOST ? "" : linkIn(text) || linkIn(decoded);
  if (!link) return [];
  const { value, counts, letter, fault } = repairOf(engine, link, kinds);
  judged.isRepaired = !(text + decoded).includes(value);
  if (!Object.keys(counts).every((kind) => HARMLESS.has(kind))) Object.assign(judged, { linkCounts: counts, letter: judged.letter || letter });
  if (fault < 0) judged.works = value === decoded ? "answer" : "row";
  return value === decoded ? [] : row("rowLink", value, text);
}

/** Judges bytes in hexadecimal, and percent-encodes them. */
function judgeHex(engine, text, options, judged) {
  const { bytes, fault } = fromHex(text);
  Object.assign(judged, { verdict: "hex", bytes: bytes.length });
  if (fault >= 0) return { result: { value: "", status: "hex", offset: new TextEncoder().encode(text.slice(0, fault)).length, charset: "utf-8" }, judged };
  const value = engine.encode(bytes, options.bits, flagsOf({ ...options, newline: "keep", lines: false, keep: false }, true)).value;
  judged.rows = bytesRow(bytes);
  return { result: { value, status: "ok", offset: NONE, charset: "utf-8" }, judged };
}

/** Returns the rows of bytes: as text, if they are text, and in hexadecimal. */
const bytesRow = (bytes) => [...row("rowText", textIn(bytes) ?? ""), ...hexRow(bytes)];

/** Returns bytes as text. Returns undefined if they aren't text. */
function textIn(bytes) {
  try {
    return hasControl(bytes) ? undefined : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the row that shows bytes in hexadecimal. The page also offers the bytes as a file. */
const hexRow = (bytes) => row("rowHex", toHex(bytes));

const row = (key, value, answer = "") => (value !== answer && value.length <= ROW_MOST ? [{ key, value }] : []);

const asValue = (engine, text) => row("rowValue", engine.encode(text, setByName("RFC3986_UNRESERVED").set).value, text);

/** Returns the rows of a plain text: encoded as form data, and as a whole link. */
function textRows(engine, text) {
  if (text.length > ROW_MOST) return [];
  const whole = engine.encode(text, setByName("ECMA_ENCODE_URI").set).value;
  const form = engine.encode(text, setByName("WHATWG_FORM").set, FLAG.PLUS).value;
  return [{ key: "rowForm", value: form }, { key: "rowUri", value: whole }];
}
