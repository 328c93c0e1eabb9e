// Phrases that the verdict and the findings share.
import { setByName } from "../../../packages/npm/sets.js";
import { language, t } from "../i18n.js";
import { engine, plainly } from "../library.js";
import { scriptName } from "../names.js";

/** Joins items as the language does: "a, b and c". */
export const list = (items) => new Intl.ListFormat(language(), { type: "conjunction" }).format(items);

/** The first letter that the repair of letters encodes. It stays here if the user then refuses this repair. */
let letter = "";
export const rememberLetter = (first) => (letter = first || letter);

/** Returns the name of a repair. In it, an invisible letter is written as its code point: `U+200B`. Of the repairs of a malformed `%`, `cut` are incomplete
 * escapes. */
export const repairText = (kind, count, cut = 0) => {
  const named = (kind, count) => t(`repair_${kind}`, count, /[\p{L}\p{N}\p{P}\p{S}]/u.test(letter) ? letter : codesOf(letter));
  if (kind !== "percent" || cut === 0) return named(kind, count);
  return list([...(count > cut ? [named(kind, count - cut)] : []), named("cut", cut)]);
};

/** Returns the text that replaces a fault of this kind. If the repair encodes letters, this is the text for the first letter. Returns undefined if the
 * text varies. */
export const repairedAs = (kind) => (kind === "non-ascii" ? engine.encode(letter, setByName("RFC3986_UNRESERVED").set).value : REPAIRED_AS[kind]);
const REPAIRED_AS = { space: "%20", percent: "%25", entity: "&", mail: "=", idn: "xn--…", bracket: "%5B %5D", ipv6: "[…]" };

/** Returns the sentence that explains a danger. */
export const whyDanger = ({ kind, scripts }) => t(`danger_${kind}`, scripts ? scripts.map((script) => scriptName(script, language())).join(" + ") : "");

/** Returns the number of the first character of a text, raw or escaped: `U+202E`. */
export const codesOf = (text) => `U+${(plainly(text).codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
