// A link as a tree of its parts, and its query as a table. The user can edit both.
import { FLAG, NONE } from "../../../packages/npm/engine.js";
import { setByName } from "../../../packages/npm/sets.js";
import { $, h } from "../dom.js";
import { number, t } from "../i18n.js";
import { engine, plainly } from "../library.js";
import { preview } from "../run.js";
import { shown, state } from "../state.js";
import { encodedText, encodedView, partStart, put, views } from "../text.js";

const PARTS = ["scheme", "userinfo", "host", "port", "segment", "name", "value", "fragment"];
const ROWS = 100;
export const URL_MOST = 1 << 21;
let firstRow = 0;

export function partsOf(whole) {
  const start = partStart();
  const text = whole.slice(start);
  const isQuery = !/^[a-z][a-z0-9+.-]*:|^[/?#]|^\.{1,2}\//i.test(text) && /^[^\s/?#=&]*=/.test(text);
  const found = engine.split(text, isQuery, 400_000);
  const parts = [];
  for (let at = 4; at < found.length; at += 4) parts.push({ kind: PARTS[found[at]], from: start + found[at + 1], to: start + found[at + 1] + found[at + 2], layers: found[at + 3] });
  return { error: found[0] === 0xffffffff ? -1 : start + found[0], parts };
}

/** Decodes a name or value of a query. A `+` is a space, unless the user chose otherwise. */
export const decoded = (text) => engine.decode(text, undefined, state.plus === "no" ? 0 : FLAG.PLUS).value;

/** The positions of the fields in the encoded text. An edit shifts the positions of all later fields. */
let spots = [];

/** The sets to encode the parts of a link with. Other parts stay as they are typed. */
const PART_SETS = { userinfo: "RFC3986_USERINFO", segment: "RFC3986_SEGMENT", fragment: "RFC3986_QUERY" };

/** A field that edits a part of the encoded text while the user types. `encode` encodes the text of the field. */
function field(key, label, { from, to }, flags, encode) {
  const spot = { from, to };
  spots.push(spot);
  const raw = encodedView().state.sliceDoc(from, to);
  const { value, invalidUtf8 } = engine.decode(raw, undefined, flags | FLAG.CHECK_UTF8);
  // Bytes that aren't UTF-8 stay escaped. Otherwise an edit would lose them.
  const isText = invalidUtf8 === NONE;
  const input = h("input", { dir: "auto", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": label, "data-spot": key, value: isText ? value : raw, size: 12 });
  const edit = () => {
    const insert = isText ? encode(input.value) : input.value;
    const moved = insert.length - (spot.to - spot.from);
    replace(spot.from, spot.to, insert);
    for (const other of spots) {
      if (other === spot || other.from < spot.to) continue;
      other.from += moved;
      other.to += moved;
    }
    spot.to += moved;
  };
  input.addEventListener("input", (event) => {
    isComposing = event.isComposing;
    if (!isComposing) edit();
  });
  input.addEventListener("compositionend", () => {
    isComposing = false;
    edit();
  });
  return input;
}

/** True while an input method composes a character in a field. Creating the fields anew would end the composition. */
let isComposing = false;

/** Calls `show`, and returns the focus to the field that had it. */
function keepFocus(show) {
  const { activeElement: old } = document;
  const { spot } = old?.dataset ?? {};
  const selection = spot && [old.selectionStart, old.selectionEnd];
  show();
  const now = spot && $("view-url").querySelector(`[data-spot="${spot}"]`);
  if (!now) return;
  now.focus({ preventScroll: true });
  now.setSelectionRange(...selection);
}

export const showUrl = () => isComposing || keepFocus(showParts);

function showParts() {
  const text = encodedText(URL_MOST);
  const { parts, error } = partsOf(text);
  const tree = $("tree");
  spots = [];
  if (!text) {
    tree.replaceChildren(h("p", { class: "note" }, t("urlEmpty")));
    return $("query").replaceChildren();
  }
  tree.replaceChildren(...(trail.length > 0 ? [crumbs()] : []));
  const tops = parts.filter(({ kind }) => kind !== "name" && kind !== "value");
  const seen = {};
  for (const part of tops.slice(0, ROWS)) {
    const raw = text.slice(part.from, part.to);
    const nth = (seen[part.kind] = (seen[part.kind] ?? 0) + 1);
    const name = t(`part_${part.kind}`);
    const set = PART_SETS[part.kind];
    const encode = (value) => (set ? engine.encode(value, setByName(set).set).value : value);
    const input = field(`${part.kind}${nth}`, part.kind === "segment" ? `${name} ${nth}` : name, part, 0, encode);
    tree.append(h("div", { role: "group" }, h("span", { class: "raw" }, nth > 1 ? "" : name), h("span", { class: "part" }, input, ...(plainly(raw) !== raw ? [h("bdi", { class: "raw", dir: "ltr" }, raw)] : []), badge(part.layers))));
  }
  if (tops.length > ROWS) tree.append(h("div", {}, h("span"), h("span", { class: "raw" }, t("moreOf", tops.length - ROWS))));
  if (error >= 0) tree.append(h("div", {}, h("span", { class: "badge" }, t("notUri")), h("span", { class: "raw" }, t("notUriAt", error + 1, text.slice(error, error + 12)))));
  showQuery(text, parts);
}

/** Returns the way back from a nested link: a button for each link around it. */
function crumbs() {
  const outer = trail.slice(0, -1).map(({ text }, at) => [h("button", { type: "button", class: "quiet", onclick: () => closeNested(at) }, h("bdi", { dir: "ltr" }, preview(text, 30))), " › "]);
  return h("p", { class: "back" }, ...outer.flat(), h("button", { type: "button", onclick: () => closeNested(trail.length - 1) }, t("backToOuter")));
}

const badge = (layers) => (layers > 1 ? h("span", { class: "badge" }, layers === 2 ? t("encodedTwice") : t("encodedTimes", layers)) : "");

export function pairsOf(parts) {
  const pairs = [];
  for (const part of parts) {
    if (part.kind === "name") pairs.push({ name: part });
    if (part.kind === "value") pairs[pairs.length - 1].value = part;
  }
  return pairs;
}

/** Replaces a part of the encoded text, as if the user had typed it. */
function replace(from, to, insert) {
  if (state.source === "encoded") return views.input.dispatch({ changes: { from, to, insert }, userEvent: "input.type" });
  const text = encodedText();
  put(text.slice(0, from) + insert + text.slice(to), "encoded");
  // Set this now, because the next edit may come before the answer does.
  state.source = "encoded";
}

/** Encodes a value of a query. A space is %20 and a plus is %2B, so the value is the same by the rules of URLs and of forms. */
function encodedValue(text) {
  const isPlus = state.plus === "yes";
  const { set } = setByName(isPlus ? "WHATWG_FORM" : "RFC3986_UNRESERVED");
  return engine.encode(text, set, (isPlus ? 2 : 0) | (state.hex === "lower" ? 1 : 0)).value;
}

function showQuery(text, parts) {
  const box = $("query");
  const pairs = pairsOf(parts);
  firstRow = Math.min(firstRow, Math.max(0, Math.floor((pairs.length - 1) / ROWS) * ROWS));
  const rows = pairs.slice(firstRow, firstRow + ROWS).map((pair, index) => pairRow(text, pairs, firstRow + index, pair));
  const add = h("button", { type: "button", onclick: () => addPair(text, pairs) }, t("addPair"));
  const pager = pairs.length > ROWS ? [
    h("button", { type: "button", "aria-label": t("previous"), title: t("previous"), onclick: () => ((firstRow = Math.max(0, firstRow - ROWS)), showUrl()) }, "‹"),
    ` ${number(firstRow + 1)}–${number(Math.min(firstRow + ROWS, pairs.length))} / ${number(pairs.length)} `,
    h("button", { type: "button", "aria-label": t("next"), title: t("next"), onclick: () => ((firstRow = firstRow + ROWS < pairs.length ? firstRow + ROWS : firstRow), showUrl()) }, "›"),
  ] : [];
  const head = h("tr", {}, h("th", { scope: "col" }, t("part_name")), h("th", { scope: "col" }, t("part_value")), h("th", { scope: "col" }, h("span", { class: "hidden" }, t("actions"))));
  box.replaceChildren(...(pairs.length ? [h("div", { class: "scroll" }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)))] : []), h("p", {}, add, " ", ...pager));
}

/** The links around the nested link that the user has opened, the outermost one first. Each has its text, and the place of the next link in it. */
let trail = [];
export const forgetTrail = () => (trail = []);

function openNested({ from, to }, nested) {
  const outer = [...trail, { text: encodedView().state.doc.toString(), kind: shown.judged.lines ? "auto" : "link", from, to, nested }];
  put(nested, "link");
  trail = outer;
}

/** Returns to the link at this index of the trail. Edits of the links that are nested in this link are kept. */
function closeNested(at) {
  while (trail.length > at) {
    const { text, kind, from, to, nested } = trail.at(-1);
    const outer = trail.slice(0, -1);
    const now = views.input.state.doc.toString();
    put(now === nested ? text : text.slice(0, from) + encodedValue(now) + text.slice(to), kind);
    trail = outer;
  }
}

function pairRow(text, pairs, index, { name, value }) {
  const end = value ? value.to : name.to;
  const plus = state.plus === "no" ? 0 : FLAG.PLUS;
  const cellOf = (key, part, before = "") => field(`${key}${index}`, `${t(`part_${key}`)} ${index + 1}`, part, plus, (value) => before + encodedValue(value));
  const nested = value && decoded(text.slice(value.from, value.to));
  const isUrl = nested && /^[a-z][a-z0-9+.-]*:\/\//i.test(nested);
  const cell = h("td", {}, cellOf("value", value ?? { from: end, to: end }, value ? "" : "="), badge(value?.layers ?? 0));
  if (isUrl) cell.append(h("button", { type: "button", class: "quiet", onclick: () => openNested(value, nested) }, t("openUrl")));
  const operation = (key, path, run, disabled) => {
    const button = h("button", { type: "button", "aria-label": t(key, index + 1), title: t(key, index + 1), onclick: run, disabled }, path);
    return button;
  };
  const swapWith = (at) => {
    const [first, second] = [pairs[Math.min(at, index)], pairs[Math.max(at, index)]];
    const range = (pair) => [pair.name.from, (pair.value ?? pair.name).to];
    const [[a, b], [c, d]] = [range(first), range(second)];
    replace(a, d, text.slice(c, d) + text.slice(b, c) + text.slice(a, b));
  };
  const remove = () => {
    const next = pairs[index + 1];
    const previous = pairs[index - 1];
    if (next) replace(name.from, next.name.from, "");
    else replace(previous ? (previous.value ?? previous.name).to : name.from, end, "");
  };
  return h("tr", {}, h("td", {}, cellOf("name", name)), cell,
    h("td", { class: "ops" }, operation("moveUp", "↑", () => swapWith(index - 1), index === 0), operation("moveDown", "↓", () => swapWith(index + 1), index === pairs.length - 1), operation("removePair", "×", remove)));
}

function addPair(text, pairs) {
  const last = pairs[pairs.length - 1];
  if (last) return replace((last.value ?? last.name).to, (last.value ?? last.name).to, "&name=value");
  const hash = text.indexOf("#");
  const at = hash < 0 ? text.length : hash;
  replace(at, at, text.slice(0, at).includes("?") ? "name=value" : "?name=value");
}
