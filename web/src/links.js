// Finds a link in a text that people paste: in Markdown, HTML, JSON, a command, a sentence, or with a slip in its scheme.

/** A slip in the scheme: `https:/h.example`, `http//h.example`, `https://https://h.example`. */
const SLIP = /^(https?)(?::\/{0,2}|\/{1,2})(?:https?:\/\/)?(?=[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/?#:]|$))/i;
/** The end of a link by the character before its start. */
const CLOSING = { '"': '"', "'": "'", "`": "`", "<": ">", "[": "]", "“": "”", "«": "»" };
const SCHEME_CHARACTER = /[a-z0-9+.-]/i;
const SCHEME_MOST = 32;

/** Returns the first link in a text, without its quotes and escapes, or "". */
export function linkIn(text) {
  const all = text.trim();
  const found = /:(?:\\?\/){2}/.exec(all);
  const start = found ? startOf(all, found.index) : 0;
  if (!found || (start === 0 && SLIP.test(all))) return SLIP.test(all) ? all.replace(SLIP, "$1://") : "";
  if (start === found.index) return "";
  const end = start === 0 && !all.includes("\n") ? all.length : endOf(all, start);
  return unescaped(all.slice(start, end));
}

/** Returns the start of the scheme before this colon. */
function startOf(text, colon) {
  let at = colon;
  while (at > 0 && colon - at < SCHEME_MOST && SCHEME_CHARACTER.test(text[at - 1])) at--;
  while (at < colon && !/[a-z]/i.test(text[at])) at++;
  return at;
}

function endOf(text, start) {
  const closing = CLOSING[text[start - 1]];
  const close = closing ? text.indexOf(closing, start) : -1;
  if (close >= 0) return close;
  const rest = /^\S+/.exec(text.slice(start))[0];
  return start + (text[start - 1] === "(" ? balanced(rest) : rest.length - /[.,;:!?)\]}'"]*$/.exec(rest.slice(-8))[0].length);
}

/** Returns the length of the part before a `)` that closes an earlier `(`. */
function balanced(text) {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") open++;
    if (text[at] === ")" && open-- === 0) return at;
  }
  return text.length;
}

/** Undoes the escapes of JSON, if the link has escaped slashes. */
const unescaped = (link) => (link.includes("\\/") ? link.replace(/\\u([0-9a-f]{4})/gi, (_, code) => String.fromCharCode(parseInt(code, 16))).replaceAll("\\/", "/") : link);
