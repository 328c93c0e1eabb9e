// The verdict, with the repairs, the dangers and the rows beside the answer.
import { copyText, showInput } from "../actions.js";
import { schedule } from "../answer.js";
import { $, h, save } from "../dom.js";
import { fromHex } from "../hex.js";
import { registered } from "../hosts.js";
import { language, number, t } from "../i18n.js";
import { KINDS, PAGE_REPAIRS } from "../judge.js";
import { plainly } from "../library.js";
import { nameOf } from "../names.js";
import { preview } from "../run.js";
import { CONTROLS, DEFAULTS, REPAIRED, showOptions, shown, state } from "../state.js";
import { FIELDS, HEAD, encodedView, isExample, put, selectRange, views } from "../text.js";
import { codesOf, list, rememberLetter, repairText, repairedAs, whyDanger } from "./wording.js";

/** The label of the answer, by the verdict. */
const LABELS = { broken: "answerRepaired", iri: "answerAscii", unrepaired: "answerSame", refused: "answerSame", text: "answerValue", json: "answerEncoded", base64: "answerEncoded", encodes: "answerEncoded", hex: "answerEncoded", binary: "rowHex", fine: "answerSame", link: "rowDecoded" };
/** The dangers of a link that leads to another place than it seems to, or does more than it seems to. */
const DECEPTIVE = ["bidi", "lookAlike", "hostInUserinfo", "oddIpv4", "mixed", "twins", "confusable", "script"];

/** Returns true for the row of the link in a text. If the user has chosen the kind of the text, returns false. */
const isLink = ({ key }) => key === "rowLink" && state.kind === "auto";
/** Returns true if a row is above the answer, because it has a link that may work. */
const isFirst = (row) => isLink(row) || row.key === "rowLess";

/** Returns the phrases about repairs. */
const repairsOf = (counts) => PAGE_REPAIRS.filter((kind) => counts[kind]).map((kind) => repairText(kind, counts[kind], counts.cut));

/** Returns the sentences about a text, or about a line with a `name`: `{ sentences, isWarned, isDeceptive }`. `byte` is the message about the first escape that isn't UTF-8. */
function sentencesOf({ judged, status, place, charset, name }, byte) {
  const { verdict, dangers, twice, faultPlace, faultText, lines } = judged;
  const failed = status !== "ok";
  const [repairs, linkRepairs] = [judged.counts, judged.linkCounts].map(repairsOf);
  const hasLink = !failed && judged.rows.some(isLink);
  const isDeceptive = dangers.some(({ kind }) => kind === "script" || (DECEPTIVE.includes(kind) && (judged.kind === "link" || judged.host !== undefined)));
  const sentences = [];
  if (failed) sentences.push(t(`error_${status}`, place));
  else if (verdict === "lines") sentences.push(t("verdict_lines", judged.links));
  else if (judged.links) sentences.push(repairs.length > 0 ? t("verdict_linksBroken", judged.links, list(repairs)) : t(judged.fault < 0 && verdict !== "refused" ? "verdict_links" : "verdict_linksFault", judged.links));
  else if (verdict === "broken") sentences.push(t("verdict_broken", list(repairs)));
  else if (verdict === "iri") sentences.push(t("verdict_iri", list(repairs)));
  else if (verdict === "twice" && twice.length === 0) sentences.push(t("verdict_twice", judged.layers));
  else if (verdict === "twice") sentences.push(t("verdict_whole"));
  else if (verdict === "legacy") sentences.push(t("verdict_legacy", charset));
  else if (!hasLink || !["text", "encoded"].includes(verdict)) sentences.push(t(isPlain(verdict) || (verdict === "text" && judged.guessed !== "text") ? "verdict_encodes" : `verdict_${verdict}`));
  if (hasLink && !lines && !name) sentences.push(t("verdict_hasLink"), ...(linkRepairs.length > 0 ? [t("verdict_broken", list(linkRepairs))] : []));
  if (!isDeceptive && (hasLink ? judged.isRepaired : verdict === "broken") && judged.works) sentences.push(t("verdict_repaired", judged.links ? 2 : 1));
  if (!failed && judged.fault >= 0) sentences.push(t("verdict_fault", faultPlace, faultText));
  if (!failed && twice.length > 0) sentences.splice(verdict === "twice" ? 0 : sentences.length, 0, twice.length === 1 ? t(twice[0].isValue ? "verdict_twiceIn" : "verdict_twicePart", twice[0].text) : t("verdict_twiceMany", twice.length, list(twice.slice(0, 5).map(({ text }) => text))));
  if (judged.noParameter && verdict !== "refused") sentences.push(t("verdict_noParameter", judged.noParameter));
  if (judged.hidden) sentences.push(t("verdict_hidden", judged.hidden));
  if (judged.open) sentences.push(t("verdict_open", judged.open.rest, judged.open.name));
  if (judged.overlong) sentences.push(t("verdict_overlong", ...judged.overlong));
  if (byte && !failed) sentences.push(t(...byte));
  if (dangers.length > 0) {
    // Beside a warning, the page doesn't say that a link is valid, or that browsers open it.
    if (["fine", "link", "iri"].includes(verdict) && !failed) sentences.length = 0;
    // A link that runs a program has its own row with stricter advice than this.
    const advice = isDeceptive && !dangers.some(({ kind }) => kind === "script") ? [t("verdict_advice")] : [];
    sentences.unshift(...warningsOf(judged), ...advice);
  }
  if (lines?.length === 1) sentences.unshift(t(`verdict_${lines[0].line}`, lines[0].name));
  const isWarned = failed || dangers.length > 0 || byte || ["unrepaired", "refused", "twice", "legacy", "binary", "json", "base64"].includes(verdict) || judged.fault >= 0;
  return { sentences, isWarned, isDeceptive };
}

const isPlain = (verdict) => verdict === "text" && state.set !== DEFAULTS.set;

/** Returns the rows of several lines. Each group of lines with the same name and the same sentences has a title and its first answers. */
function linesOf({ groups, links }) {
  const rest = groups.reduce((rest, { answers }) => rest - answers.length, links);
  return [
    ...groups.flatMap((group) => [
      h("dt", {}, ...(group.count > 1 ? [h("b", {}, `${number(group.count)}× `)] : []), `${group.name}: ${sentencesOf(group).sentences.join(" ")}`),
      ...group.answers.map(({ value, from, to }) => answerOf(value, "answerDecoded", views.input.state.sliceDoc(from, to))),
    ]),
    ...(rest > 0 ? [h("dd", {}, t("moreOf", rest))] : []),
  ];
}

/** Shows the verdict, and everything that belongs to the answer. */
export function showVerdict() {
  const { judged, status, len, inputCount, count, charset, isUtf8, layers, value } = shown;
  const { verdict, counts, dangers, spaces } = judged;
  const failed = status !== "ok";
  const isMany = verdict === "lines";
  rememberLetter(judged.letter);
  const [first, rest] = [true, false].map((is) => (failed ? [] : judged.rows.filter((row) => isFirst(row) === is)));
  const { sentences, isWarned, isDeceptive } = sentencesOf(shown, [...REPAIRED, "link", "form", "encoded"].includes(verdict) ? brokenByte() : undefined);
  const tone = isDeceptive ? "bad" : isWarned || (isMany && judged.groups.some((group) => sentencesOf(group).isWarned)) ? "warn" : "good";
  $("answer").dataset.tone = tone;
  // The filled button copies only a link that works. A link with a danger doesn't work, with one exception: if the only danger is a scheme that is
  // written twice, the row of the link has the link with one scheme, which works.
  const works = failed || isExample || dangers.some(({ kind }) => kind !== "schemeTwice") ? undefined : judged.works;
  $("copy").classList.toggle("primary", works === "answer");
  const said = sentences.join(" ");
  $("verdict").textContent = isExample ? t("verdict_example", said[0].toLocaleLowerCase(language()) + said.slice(1)) : said;
  $("answer").classList.toggle("empty", verdict === "empty");
  $("output-label").textContent = t(isPlain(verdict) || (verdict === "broken" && !judged.works) ? "answerEncoded" : (LABELS[verdict] ?? "answerDecoded"));
  $("input-status").textContent = inputCount ? t("characters", inputCount) : "";
  const notes = [];
  if (value.length < len) notes.push(t("cut", value.length, len));
  else if (judged.bytes !== undefined) notes.push(t("bytes", judged.bytes));
  else if (count) notes.push(t("characters", count));
  if (!judged.encodes && !failed) {
    if (charset && charset !== "utf-8") notes.push(t("readAs", charset));
    else if (!isUtf8) notes.push(t("notUtf8"));
    if (layers > 1) notes.push(t("layersTaken", layers));
    if (spaces > 0 && judged.verdict !== "broken") notes.push(t("plusRead", spaces));
  }
  $("output-status").textContent = failed ? "" : notes.join(" · ");
  $("checked").textContent = tone === "good" && !judged.host && ["fine", "link", "iri"].includes(verdict) ? t("checked") : "";
  showRepairs(counts);
  showDangers(dangers, judged.isInner ? undefined : judged.host);
  $("first").replaceChildren(...first.flatMap((row) => rowOf(row, works === "row" && isLink(row))));
  $("rows").replaceChildren(...(isMany && !failed ? linesOf(judged) : rest.flatMap((row) => rowOf(row))));
  const kinds = [["auto", t("kindAuto", t(`kind_${judged.guessed}`))], ...KINDS.map((kind) => [kind, t(`kind_${kind}`)])];
  $("kind").replaceChildren(...kinds.map(([kind, text]) => h("option", { value: kind }, text)));
  $("kind").value = state.kind;
  const applies = CONTROLS.some((id) => state[id] !== DEFAULTS[id]);
  if (foldsOptions && applies !== state.applies) $("settings").open = state.applies = applies;
}

/** Returns the elements of another form of the text. */
function rowOf({ key, value, label }, isFilled = false) {
  const answer = answerOf(value, key, ["rowLink", "rowInner", "rowLess"].includes(key) ? value : "", isFilled, label);
  if (label) answer.append(useCharset(label));
  return [h("dt", {}, t(key, label)), answer];
}

/** Returns the element of an answer with its buttons. `link` is the text that the user can look into, or "". */
const answerOf = (value, key, link, isFilled = false, charset = "") =>
  h("dd", {}, h("code", { dir: "auto" }, preview(value, mostOf(key))), ...(value.length > mostOf(key) ? [showAll(value)] : []), ...(key === "rowHex" ? [saveBytes(value)] : []), ...(link ? [openLink(link)] : []),
    h("button", { type: "button", class: isFilled && "primary", "aria-label": `${t("copy")}: ${t(key, charset)}`, onclick: (event) => copyText(value, event.target) }, t("copy")));

/** True while the page folds and unfolds the options by itself. It stops when the user first folds or unfolds them. */
let foldsOptions = true;
export const stopFolding = () => (foldsOptions = false);

/** A row shows at most this many characters, until the user asks for all. The row "rowValue" shows fewer, because few people need a link as a value
 * of another link. */
const mostOf = (key) => (key === "rowValue" ? 40 : 300);
const showAll = (text) => h("button", { type: "button", class: "quiet", onclick: ({ target }) => {
  target.parentElement.querySelector("code").textContent = text;
  target.remove();
} }, t("showAll"));

/** A button that makes a link the text of the page. */
const openLink = (text) => h("button", { type: "button", onclick: () => (put(text), showInput()) }, t("openHere"));

/** A button that reads the text in a charset, until another text replaces it. */
function useCharset(label) {
  const use = () => {
    state.charset = state.offeredCharset = label;
    showOptions();
    schedule();
    // The row of this button disappears.
    $("copy").focus();
  };
  return h("button", { type: "button", onclick: use }, t("useCharset"));
}

/** A button that saves bytes in hexadecimal as a file. */
const saveBytes = (text) => h("button", { type: "button", onclick: () => save(new Blob([fromHex(text).bytes]), "bytes.bin") }, t("download"));

/** The first bytes of a character of UTF-8, without its last ones. An escape that was cut, too, can be at the end of the text. */
const CUT = /^%(?:[cd]\w|e\w(%[89ab]\w)?|f[0-4]((?:%[89ab]\w){1,2})?)(?:%\w?$)?(?!%[89a-f])/i;
/** The last byte of a character of UTF-8. */
const LAST = /%[89ab]\w$/i;

/** Returns the message about the first escape that isn't UTF-8: that it begins a character that was cut off, or that its byte is perhaps a character in
 * Latin-1. A single byte counts as cut off only directly after another character of UTF-8. */
function brokenByte() {
  const { words, judged } = shown;
  for (let at = HEAD; at < words.length; at += FIELDS) {
    const [, , from, len, bits, code] = words.subarray(at, at + FIELDS);
    if ((bits & 0xff) !== 4 || judged.dangers.some((danger) => danger.from <= from && from < danger.to)) continue;
    const { state } = encodedView();
    const raw = state.sliceDoc(from, from + len);
    const cut = CUT.exec(state.sliceDoc(from, from + 15));
    if (cut && (cut[1] || cut[2] || LAST.test(state.sliceDoc(Math.max(0, from - 3), from)))) return ["verdict_cut", cut[0]];
    const isOther = judged.rows.some(({ key }) => key === "rowCharset");
    return code > 0xa0 && !isOther ? ["verdict_latin", raw, String.fromCharCode(code)] : ["verdict_notUtf8", raw];
  }
  return judged.cut && ["verdict_cut", judged.cut];
}

/** Returns the sentences that name the dangers. */
function warningsOf({ dangers, host, falseHost, links, isInner }) {
  const said = falseHost ? ["hostInUserinfo", ...(dangers.some(({ kind }) => kind === "hostInUserinfo") ? [] : ["lookAlike"])] : [];
  const names = [...new Set(dangers.map(({ kind }) => kind))].filter((kind) => !said.includes(kind)).map((kind) => t(`name_${kind}`));
  return [...(falseHost ? [t(isInner ? "verdict_innerNotTo" : links ? "verdict_oneNotTo" : "verdict_notTo", falseHost), ...(host ? [t("verdict_goesTo", host)] : [])] : []), ...(names.length > 0 ? [t("verdict_dangers", list(names))] : [])];
}

/** Returns a host as an element, with the part that its owner has registered in bold. */
function hostElement(host) {
  const [rest, owned] = registered(host);
  return h("bdi", { dir: "ltr" }, rest, h("b", {}, owned));
}

/** Lists the repairs, each with a checkbox to refuse it. */
function showRepairs(counts) {
  const all = { ...counts, ...state.refused };
  const refuse = (kind, isWanted) => {
    for (const each of kind === "percent" ? [kind, "cut"] : [kind]) {
      if (isWanted) delete state.refused[each];
      else state.refused[each] = counts[each];
    }
    schedule();
  };
  // In the number of a telephone, a space is removed.
  const changed = (kind) => (kind !== "space" || shown.value.includes("%20")) && repairedAs(kind);
  const rows = PAGE_REPAIRS.filter((kind) => all[kind]).map((kind) =>
    h("li", {}, h("label", { class: "check" }, h("input", { type: "checkbox", checked: !(kind in state.refused), onchange: (event) => refuse(kind, event.target.checked) }),
      h("span", {}, repairText(kind, all[kind], all.cut), ...(changed(kind) ? [h("span", { class: "raw" }, document.dir === "rtl" ? " ← " : " → ", h("bdi", { dir: "ltr" }, changed(kind)))] : [])))));
  $("repairs").replaceChildren(...rows);
}

/** Lists the warnings, one for each kind, and the host that the link really has. A click selects the first place. */
function showDangers(dangers, host) {
  const seen = new Map();
  for (const danger of dangers) seen.set(danger.kind, [...(seen.get(danger.kind) ?? []), danger]);
  const rows = [...seen].map(([kind, all]) => {
    const [{ from, to, count, text }] = all;
    const hidden = kind === "bidi" || kind === "invisible";
    const sample = hidden || kind === "oddSpace" ? codesOf(text) : preview(text, 40);
    const why = whyDanger(all[0]);
    const name = kind === "lookAlike" ? plainly(text) : "";
    return h("li", {}, h("button", { type: "button", onclick: () => selectRange(views.input, from, to) },
      h("code", { dir: "auto" }, sample), ...(name ? [h("bdi", { dir: "ltr", class: "raw" }, `${name} ${nameOf(name.codePointAt(0), language())}`)] : []), h("span", {}, why, ...(count > 1 ? [h("b", {}, ` ${number(count)}×`)] : []))));
  });
  if (host) rows.push(h("li", { class: "host" }, t("hostIs"), " ", hostElement(host)));
  $("dangers").replaceChildren(...rows);
}
