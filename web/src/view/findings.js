// The findings of a text by class, and the legend of its colours.
import { $, h } from "../dom.js";
import { number, t } from "../i18n.js";
import { engine } from "../library.js";
import { preview } from "../run.js";
import { shown, state } from "../state.js";
import { FIELDS, HEAD, encodedView, selectRange, views } from "../text.js";
import { codesOf, repairText, whyDanger } from "./wording.js";

/** Lists the classes of escapes in the text, each with the count of its escapes. */
export function showLegend() {
  if (state.view !== "explain") return;
  const counts = [...(shown.words ?? []).slice(0, HEAD)];
  // Don't count the characters of a danger in class 3, the harmless characters.
  for (const { from, to } of shown.judged?.dangers ?? []) counts[3] -= engine.explain(views.input.state.sliceDoc(from, to), 0, false, 0)[3];
  const legend = [];
  for (let kind = 0; kind < HEAD; kind++) {
    if (counts[kind] > 0) legend.push(h("li", { class: `k${kind}`, title: t(`why${kind}`) }, h("bdi", {}, t(`class${kind}`)), h("b", {}, number(counts[kind]))));
  }
  $("legend").replaceChildren(...legend);
}

/** The classes in the list of findings, in this order. Classes that break a link come first. */
const SEVERITY = [7, 4, 6, 5, 9, 8, 1];

/** Lists the findings by class. Each class has its count, and buttons that lead to its first places in the text. */
export function showFindings() {
  const found = shown.words ?? [];
  const { doc } = encodedView().state;
  const classes = new Map(SEVERITY.filter((kind) => found[kind]).map((kind) => [kind, []]));
  for (let at = HEAD; at < found.length; at += FIELDS) {
    const [, , from, len, bits, code] = found.subarray(at, at + FIELDS);
    classes.get(bits & 0xff)?.push({ from, len, code });
  }
  const chip = (kind, { from, len, code }) => {
    const raw = kind === 6 ? `U+${code.toString(16).toUpperCase().padStart(4, "0")}` : doc.sliceString(Math.min(from, doc.length), Math.min(from + Math.min(len, 40), doc.length));
    return h("button", { type: "button", title: t("at", from + 1), onclick: () => selectRange(encodedView(), from, from + len) }, h("code", { class: `k${kind}`, dir: "ltr" }, visible(raw) || "…"));
  };
  const { counts, linkCounts, cut } = shown.judged ?? {};
  const cuts = counts?.cut ?? linkCounts?.cut ?? Number(cut !== undefined);
  const rows = [...classes].map(([kind, all]) => {
    const rest = found[kind] - all.length;
    const isNested = kind === 8 && shown.judged.rows.some(({ key }) => key === "rowInner") && shown.judged.twice.length === 0;
    return h("li", {}, h("p", {}, h("b", {}, kind === 7 ? repairText("percent", found[7], cuts) : t(`found${kind}`, found[kind])), `: ${isNested ? t("whyNested") : t(`why${kind}`)}`),
      h("p", { class: "chips" }, ...all.map((span) => chip(kind, span)), ...(rest > 0 ? [` ${t("moreOf", rest)}`] : [])));
  });
  rows.unshift(...dangerFindings(classes));
  if (rows.length === 0) rows.push(h("li", { class: "note" }, shown.inputCount ? t("noFindings") : t("explainEmpty")));
  $("findings").replaceChildren(...rows);
}

/** Some kinds of dangers, each with the class of escapes that marks the same places of the input. If the list has this class, the danger is left out. */
const SAME_CLASS = { bidi: 6, invisible: 6, control: 5, overlong: 4 };

/** Returns the warnings as findings, the most dangerous first. */
function dangerFindings(classes) {
  const kinds = new Map();
  for (const danger of shown.judged?.dangers ?? []) kinds.set(danger.kind, [...(kinds.get(danger.kind) ?? []), danger]);
  return [...kinds].filter(([kind]) => !classes.has(SAME_CLASS[kind])).map(([kind, all]) =>
    h("li", { class: "warning" }, h("p", {}, h("b", {}, t("warning", all[0].count)), ` ${whyDanger(all[0])}`),
      h("p", { class: "chips" }, ...all.map(({ from, to, text }) => h("button", { type: "button", title: t("at", from + 1), onclick: () => selectRange(views.input, from, to) },
        h("code", { class: "k4", dir: "ltr" }, kind === "oddSpace" || SAME_CLASS[kind] ? codesOf(text) : preview(text, 40)))))));
}

/** Writes spaces and line ends as visible characters. */
const visible = (text) => text.replace(/[\0-\x20\xa0]/g, (character) => ({ " ": "␣", "\n": "␊", "\r": "␍", "\t": "␉", "\xa0": "NBSP" })[character] ?? String.fromCharCode(0x2400 + character.charCodeAt(0)));
