// Checks the host of a link for names that imitate other names. The library has the same check with all tables of Unicode, but these tables would add
// 68 KB to the page. So the page has only some look-alikes of UTS 39: those that a host name can contain, in the scripts that have several
// look-alikes.

/** Letters that look like letters or digits of ASCII, script by script. */
const TWINS = {
  Cyrillic: "асԁеһіјӏорԛѕԝхуүѵгҽѡꙇ",
  Greek: "αονρσικγυϳϸ",
  Armenian: "աօսոռհյցգզքւ",
  Cherokee: "ꭵꮁꮃꮓꮞꮤꮩꮪꮯꮾ",
  Coptic: "ϭⲅⲍⲓⲟⲣⲥⲩⲽ",
  Georgian: "ყჿ",
  Lisu: "ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ",
};
/** Latin letters that look like other letters, and that no common alphabet has. */
const LATIN_TWINS = /[ɑɡɩɪʋʏᴄᴏᴜᴠᴡᴢꜱꞁȷǀ]/u;
const SCRIPTS = ["Latin", ...Object.keys(TWINS)].map((script) => [script, new RegExp(`\\p{Script=${script}}`, "u")]);

const [BASE, T_MIN, T_MAX, SKEW, DAMP, BIAS, FIRST] = [36, 1, 26, 38, 700, 72, 0x80];

/** Decodes a label after `xn--` (RFC 3492 6.2). Returns undefined if it is no Punycode. */
export function fromPunycode(label) {
  const end = label.lastIndexOf("-");
  const output = end > 0 ? [...label.slice(0, end)] : [];
  let [code, bias, at] = [FIRST, BIAS, end + 1];
  for (let position = 0; at < label.length; position++) {
    const from = position;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = at < label.length ? "abcdefghijklmnopqrstuvwxyz0123456789".indexOf(label[at++].toLowerCase()) : -1;
      if (digit < 0) return undefined;
      position += digit * weight;
      const most = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < most) break;
      weight *= BASE - most;
    }
    const count = output.length + 1;
    let delta = Math.floor((position - from) / (from === 0 ? DAMP : 2));
    delta += Math.floor(delta / count);
    let k = 0;
    for (; delta > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) delta = Math.floor(delta / (BASE - T_MIN));
    bias = k + Math.floor((36 * delta) / (delta + SKEW));
    code += Math.floor(position / count);
    position %= count;
    if (code > 0x10ffff || output.length > 63) return undefined;
    output.splice(position, 0, String.fromCodePoint(code));
  }
  const name = output.join("");
  return /\p{C}/u.test(name) ? undefined : name;
}

/** Labels that make a suffix with a country code, such as the `co` of `co.uk`. Names are registered below such a suffix. */
const SECOND = /^(?:ac|co|com|edu|go|gob|gov|gouv|ne|net|or|org)$/i;

/** Splits a host before the part that its owner has registered: `["www.", "example.co.uk"]`. An IP address isn't split. */
export function registered(host) {
  const labels = host.split(".");
  if (host.startsWith("[") || /^\d+$/.test(labels.at(-1))) return ["", host];
  const owned = labels.at(-1).length === 2 && SECOND.test(labels.at(-2) ?? "") ? 3 : 2;
  const rest = labels.slice(0, -owned);
  return [rest.map((label) => `${label}.`).join(""), labels.slice(-owned).join(".")];
}

/** Returns the name of a host as people read it: its labels in Punycode are decoded. */
export const readable = (host) => host.split(".").map((label) => (/^xn--/i.test(label) ? (fromPunycode(label.slice(4)) ?? label) : label)).join(".");

/**
 * Returns the fault of a readable host: `{ kind: "mixed" | "twins" | "confusable", scripts }`. In a mixed label, letters are from several scripts. A label
 * with twins has rare Latin letters that look like others. In a confusable label, all letters are of another script, and all look like ASCII letters. A
 * confusable label is a fault only if the last label of the host looks like ASCII, too: people don't take a name for a Latin one if it visibly ends in
 * another script.
 */
export function faultOf(host) {
  const labels = host.replace(/\.$/, "").split(".").filter((label) => label.length < 64);
  const last = labels.at(-1) ?? "";
  const looksLatin = (label) => [...label].every((letter) => letter < "\u0080" || Object.values(TWINS).some((twins) => twins.includes(letter)));
  for (const label of labels) {
    const scripts = SCRIPTS.filter(([, test]) => test.test(label)).map(([script]) => script);
    if (scripts.length > 1) return { kind: "mixed", scripts };
    if (LATIN_TWINS.test(label)) return { kind: "twins" };
    if (scripts.length === 1 && scripts[0] !== "Latin" && looksLatin(label.toLowerCase()) && looksLatin(last)) return { kind: "confusable", scripts };
  }
  return undefined;
}
