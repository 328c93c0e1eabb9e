import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { Annotation, Compartment, EditorState, StateEffect, Transaction } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, drawSelection, highlightSpecialChars, hoverTooltip, keymap, placeholder } from "@codemirror/view";
import { Engine } from "../../packages/npm/engine.js";
import { hasSimd, instancesOf } from "../../packages/npm/memory.js";
import { Small } from "../../packages/npm/small.js";
import { catalogue, setByName, setOf } from "../../packages/npm/sets.js";
import { CHARSETS } from "./charset.js";
import { snippets } from "./code.js";
import { LANGUAGES, MESSAGES, isolated, language, number, setLanguage, size, t } from "./i18n.js";
import { CONTROL_NAMES, nameOf, scriptName, scriptsMixed } from "./names.js";
import { othersDecode, othersEncode } from "./others.js";
import { reference } from "./reference.js";
import { ignoredByFields, needsWhole, preview } from "./run.js";

const $ = (id) => document.getElementById(id);

/** Creates an element: `h("p", { class: "note" }, "text", child)`. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

const icon = (path) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
};

// --- The engine. It runs here for the visible part, and in a worker for everything else.

const unpack = async (id) => {
  const packed = Uint8Array.from(atob($(id).textContent), (character) => character.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
};

const instances = async (module) => instancesOf(module, await WebAssembly.instantiate(module));

let engine;
let worker;
let calls = 0;
const waiting = new Map();

function ask(type, message = {}) {
  const id = ++calls;
  worker.postMessage({ ...message, type, id });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

async function boot() {
  const [codec, full] = await Promise.all([unpack(hasSimd() ? "simd" : "plain"), unpack("full")]);
  engine = new Engine(await instances(full), new Small(await instances(codec)));
  const source = new Blob([$("worker").textContent.replaceAll("<\\/script", "</script")], { type: "text/javascript" });
  worker = new Worker(URL.createObjectURL(source));
  worker.onmessage = ({ data }) => {
    if (data.progress) return showProgress(data);
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.failure) reject(Object.assign(new Error(data.failure), { code: data.code, offset: data.offset }));
    else resolve(data);
  };
  worker.onerror = (event) => fail(t("failed", event.message));
  await ask("start", { codec, full });
}

/** Returns the message of a failure. If the failure is known, the message is in the page's language. */
const whyOf = ({ message, code, offset }) => (`error_${code}` in MESSAGES ? t(`error_${code}`, offset + 1) : t("failed", message));

function fail(message) {
  $("failure").hidden = false;
  $("failure").textContent = message;
}

// --- Choices.

const DEFAULTS = {
  mode: "percent", set: "RFC3986_UNRESERVED", plus: "no", lines: false, charset: "auto", newline: "keep", hex: "upper", depth: "1",
  strict: false, wrap: false, keep: false,
};
const state = { ...DEFAULTS, source: "decoded", own: "", view: "explain", bits: undefined, clause: "" };
/** The sets that most people need, shown above the catalogue. */
const COMMON = [
  ["RFC3986_UNRESERVED", "setComponent"],
  ["RFC3986_URI", "setUri"],
  ["WHATWG_FORM", "setForm"],
  ["ALL", "setAll"],
];

function options() {
  const { mode, plus, lines, charset, newline, hex, strict, wrap, keep, bits } = state;
  return { mode, plus, lines, charset, newline, hex, strict, wrap, keep, bits, depth: Number(state.depth), language: language() };
}

function readSet() {
  if (state.set === "ALL") state.bits = setOf("");
  else if (state.set === "OWN") state.bits = setOf(state.own);
  else state.bits = setByName(state.set).set;
}

const CONTROLS = ["mode", "set", "plus", "lines", "charset", "newline", "hex", "depth", "strict", "wrap", "keep"];

function showOptions() {
  for (const id of CONTROLS) {
    const control = $(id);
    if (control.type === "checkbox") control.checked = state[id];
    else control.value = state[id];
  }
  $("own").value = state.own;
  const isPercent = state.mode === "percent";
  for (const id of CONTROLS.slice(1)) $(id).disabled = !isPercent && !(id === "strict" && state.mode === "normalize");
}

function chosen(id) {
  const control = $(id);
  state[id] = control.type === "checkbox" ? control.checked : control.value;
  if (id === "set") {
    const users = state.set === "ALL" || state.set === "OWN" ? { flags: 0 } : setByName(state.set);
    if (state.set === "OWN" && !state.own) state.own = members();
    state.plus = users.flags & 2 ? "yes" : state.plus === "query" ? "query" : "no";
    state.hex = users.flags & 1 ? "lower" : "upper";
    state.keep = (users.flags & 8) !== 0;
  }
  readSet();
  showOptions();
  refresh();
}

/** Returns the ASCII characters that the set keeps. */
function members() {
  let text = "";
  for (let byte = 0x20; byte < 0x7f; byte++) if (has(byte)) text += String.fromCharCode(byte);
  return text;
}

const has = (byte) => ((state.bits[byte >> 3] >> (byte & 7)) & 1) === 1;

// --- The two panes.

const mirrored = Annotation.define();
const other = (side) => (side === "decoded" ? "encoded" : "decoded");
const views = {};
const locked = { decoded: new Compartment(), encoded: new Compartment() };
const words = { decoded: new Compartment(), encoded: new Compartment() };
const recolour = StateEffect.define();

/** We read this many characters beyond the visible part. An escape that starts outside of that part is then complete. */
const AROUND = 36;
const FIELDS = 6;
const HEAD = 11;

/** Returns the spans of the escapes between two positions in a text. */
function spansOf(state_, from, to) {
  const start = Math.max(0, from - AROUND);
  const end = Math.min(state_.doc.length, to + AROUND);
  const found = engine.explain(state_.sliceDoc(start, end), 0x5ff & ~0, state.plus === "yes", 20_000);
  const spans = [];
  for (let at = HEAD; at < found.length; at += FIELDS) {
    const [, , offset, len, bits, code] = found.subarray(at, at + FIELDS);
    if (start > 0 && offset < AROUND / 2) continue;
    spans.push({ from: start + offset, to: start + offset + len, kind: bits & 0xff, lower: bits > 0xff, code });
  }
  return spans;
}

const marks = Array.from({ length: HEAD }, (_, kind) => Decoration.mark({ class: `e e${kind}` }));

const colours = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.decorations = this.paint(view);
    }
    update(update) {
      const asked = update.transactions.some((transaction) => transaction.effects.some((effect) => effect.is(recolour)));
      if (update.docChanged || update.viewportChanged || asked) this.decorations = this.paint(update.view);
    }
    paint(view) {
      if (!engine) return Decoration.none;
      const ranges = [];
      let last = -1;
      for (const { from, to } of view.visibleRanges) {
        for (const span of spansOf(view.state, from, to)) {
          if (span.from < last) continue;
          ranges.push(marks[span.kind].range(span.from, span.to));
          last = span.to;
        }
      }
      return Decoration.set(ranges);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function spanAt(view, position) {
  if (!engine) return undefined;
  const near = spansOf(view.state, Math.max(0, position - AROUND), position + AROUND);
  return near.find((span) => span.from <= position && position <= span.to);
}

/** In a longer text, typing bypasses the browser's document, because it would take too long to read the document back and compare it. */
const LARGE = 1 << 20;

const typing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || view.composing || view.state.doc.length < LARGE || view.state.readOnly) return false;
    event.preventDefault();
    view.dispatch(view.state.replaceSelection(event.data ?? ""), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/** Describes a span: its character, bytes and name, and why it has its class. */
function about(view, span) {
  const text = view.state.sliceDoc(span.from, Math.min(span.to, span.from + 40));
  const isByte = span.kind === 4;
  const name = isByte ? t("byte", span.code.toString(16).toUpperCase().padStart(2, "0")) : nameOf(span.code, language());
  const visible = span.kind === 3 || span.kind === 2 || span.kind === 1 || (span.kind === 0 && span.code > 0x20);
  const why = t(`why${span.kind}`) + (span.lower ? ` ${t("whyLower")}` : "");
  return { text, glyph: visible ? String.fromCodePoint(span.code) : "", name, label: t(`class${span.kind}`), why, kind: span.kind };
}

const tooltip = hoverTooltip((view, position) => {
  const span = spanAt(view, position);
  if (!span) return null;
  const { text, glyph, name, label, why, kind } = about(view, span);
  const dom = h("div", { class: "about", dir: document.dir });
  dom.append(
    h("div", {}, ...(glyph ? [h("span", { class: "glyph" }, h("bdi", {}, glyph))] : []), h("b", { dir: "ltr" }, text)),
    h("p", {}, h("bdi", {}, name)),
    h("p", {}, h("span", { class: `e k${kind}` }, ` ${label} `), ` ${why}`),
  );
  return { pos: span.from, end: span.to, above: true, create: () => ({ dom, class: "about" }) };
}, { hoverTime: 120 });

function inspect(view) {
  const span = views.encoded === view && spanAt(view, view.state.selection.main.head);
  const line = $("inspector");
  if (!span) return line.replaceChildren(t("inspectorEmpty"));
  const { text, glyph, name, label, why } = about(view, span);
  line.replaceChildren(h("b", {}, h("bdi", { dir: "ltr" }, text)), " ", ...(glyph ? [h("bdi", {}, glyph), " "] : []), "· ", h("bdi", {}, name), ` · ${label}. ${why}`);
}

function editor(side) {
  const listener = EditorView.updateListener.of((update) => {
    if (update.selectionSet || update.docChanged) if (engine && side === "encoded") inspect(update.view);
    if (!update.docChanged || update.transactions.every((transaction) => transaction.annotation(mirrored))) return;
    const edits = [];
    update.changes.iterChanges((from, to, _, __, inserted) => edits.push([from, to, inserted.toString()]));
    const pasted = update.transactions.some((transaction) => transaction.isUserEvent("input.paste"));
    if (pasted && update.startState.doc.length === 0 && moveToItsSide(side, update.state)) return;
    if (state.source !== side) {
      state.source = side;
      pending.whole = true;
    }
    pending.edits.push(edits);
    schedule();
  });
  const extensions = [
    history(),
    drawSelection(),
    highlightSpecialChars({ addSpecialChars: /[\u0080-\u009f\u00ad\u034f\u115f\u1160\u17b4\u17b5\u2060-\u2064\u3164\ufff9-\ufffb\u{e0000}-\u{e007f}]/u }),
    EditorView.lineWrapping,
    EditorState.lineSeparator.of("\n"),
    EditorState.allowMultipleSelections.of(false),
    EditorView.perLineTextDirection.of(side === "decoded"),
    EditorView.contentAttributes.of({ "aria-labelledby": `${side}-label`, spellcheck: "false", autocorrect: "off", autocapitalize: "off", dir: side === "encoded" ? "ltr" : "auto" }),
    keymap.of([{ key: "Mod-Enter", run: () => (copy(other(side)), true) }, { key: "Mod-Shift-Enter", run: () => (swap(), true) }]),
    keymap.of([...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), ...historyKeymap]),
    locked[side].of([]),
    words[side].of([]),
    typing,
    listener,
  ];
  if (side === "encoded") extensions.push(colours, tooltip);
  return new EditorView({ parent: $(side), state: EditorState.create({ doc: "", extensions }) });
}

/** If a text was pasted into the wrong pane, and that pane was empty, moves the text. A text with escapes belongs in the encoded pane. */
function moveToItsSide(side, { doc }) {
  if (side === "encoded" || state.mode !== "percent") return false;
  const sample = doc.sliceString(0, 1 << 20);
  if (!engine.hasEscape(sample)) return false;
  const text = doc.toString();
  mirror("decoded", "");
  put("encoded", text);
  views.encoded.focus();
  return true;
}

/** Writes the result to the other pane, but not to its undo history. Replaces only the part that differs. */
function mirror(side, text, isWhole = true) {
  const view = views[side];
  const old = view.state.doc.toString();
  let from = 0;
  const most = Math.min(old.length, text.length);
  while (from < most && old.charCodeAt(from) === text.charCodeAt(from)) from++;
  let end = 0;
  while (end < most - from && old.charCodeAt(old.length - 1 - end) === text.charCodeAt(text.length - 1 - end)) end++;
  const effects = locked[side].reconfigure(isWhole ? [] : [EditorState.readOnly.of(true)]);
  if (from === old.length && from === text.length) return void (view.state.readOnly === isWhole && view.dispatch({ effects }));
  view.dispatch({
    changes: { from, to: old.length - end, insert: view.state.toText(text.slice(from, text.length - end)) },
    annotations: [mirrored.of(true), Transaction.addToHistory.of(false)],
    effects,
  });
}

/** Writes a text to a pane, as if the user had typed it. */
function put(side, text) {
  const view = views[side];
  view.dispatch({ effects: locked[side].reconfigure([]) });
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: view.state.toText(text) }, userEvent: "input.set" });
}

// --- Converting from one pane to the other.

const pending = { edits: [], whole: true, timer: 0, running: false };
let shown = {};

function schedule() {
  document.documentElement.dataset.idle = "false";
  if (!pending.timer) pending.timer = setTimeout(run, 0);
}

function refresh() {
  paintMap();
  views.encoded.dispatch({ effects: recolour.of(null) });
  schedule();
}

async function run() {
  pending.timer = 0;
  if (!worker || pending.running) return;
  pending.running = true;
  const side = state.source;
  const message = { encodes: side === "decoded", options: options() };
  if (pending.whole) message.whole = views[side].state.doc.toString();
  else message.batches = pending.edits;
  pending.edits = [];
  pending.whole = false;
  try {
    const result = await ask("run", message);
    $("failure").hidden = true;
    shown = { ...result, side };
    if (state.source === side) {
      const isBad = result.status !== "ok";
      if (pending.edits.length === 0 && !pending.whole) mirror(other(side), isBad ? "" : result.value, result.value.length === result.len);
      showStatus();
      showView();
    }
  } catch (error) {
    fail(whyOf(error));
  }
  pending.running = false;
  if (pending.edits.length > 0 || pending.whole) schedule();
  document.documentElement.dataset.idle = String(!pending.timer && !pending.running);
}

function showStatus() {
  const { side, status, offset, len, inputLen, charset, isUtf8, layers, value } = shown;
  const lens = side === "decoded" ? { decoded: inputLen, encoded: len } : { decoded: len, encoded: inputLen };
  for (const at of ["decoded", "encoded"]) {
    const foot = $(`${at}-status`);
    foot.className = "";
    let text = lens[at] ? t("characters", lens[at]) : " ";
    if (at !== side && value.length < len) text = t("cut", value.length, len);
    if (at === "decoded" && side === "encoded" && len > 0) {
      if (charset && charset !== "utf-8") text += ` · ${t("readAs", charset)}`;
      else if (!isUtf8) text += ` · ${t("notUtf8")}`;
      if (layers > 1) text += ` · ${t("layersTaken", layers)}`;
    }
    if (at !== side && status !== "ok") {
      foot.className = "bad";
      text = t(`error_${status}`, offset + 1);
    }
    foot.textContent = text;
  }
}

// --- Actions.

const ICONS = {
  copy: "M9 9h10v11H9zM5 15V4h10",
  paste: "M9 4h6v3H9zM8 5H5v15h14V5h-3",
  download: "M12 4v11m0 0-4-4m4 4 4-4M5 20h14",
  clear: "M6 6l12 12M18 6 6 18",
};

async function textOf(side) {
  if (side === state.source) return views[side].state.doc.toString();
  if (shown.value?.length === shown.len && shown.side !== side) return shown.value;
  return (await ask("result")).value;
}

async function copy(side) {
  const text = await textOf(side);
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page from file:// may not use the clipboard. Then select the text, so that the user can copy it.
    const area = h("textarea", { class: "hidden" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    views[side].focus();
  }
  $("inspector").textContent = t("copied");
}

async function paste(side) {
  try {
    put(side, await navigator.clipboard.readText());
  } catch {
    $("inspector").textContent = t("pasteRefused");
  }
  views[side].focus();
}

async function download(side) {
  save(new Blob([await textOf(side)], { type: "text/plain;charset=utf-8" }), `${side}.txt`);
}

function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function swap() {
  const to = other(state.source);
  const text = await textOf(to);
  const from = state.source;
  mirror(to, "");
  put(from, text);
}

function clear(side) {
  put(side, "");
  views[side].focus();
}

const ACTIONS = { copy, paste, download, clear };

// --- The views below the panes.

const VIEWS = ["explain", "layers", "url", "map", "code", "others", "files", "reference"];
const encodedText = (most) => views.encoded.state.sliceDoc(0, most);

function showView() {
  const show = { explain: showFindings, layers: showLayers, url: showUrl, map: paintMap, code: showCode, others: showOthers }[state.view];
  show?.();
  showLegend();
}

function select(view, isFocused) {
  state.view = view;
  for (const name of VIEWS) {
    const tab = $(`tab-${name}`);
    tab.setAttribute("aria-selected", String(name === view));
    tab.tabIndex = name === view ? 0 : -1;
    $(`view-${name}`).hidden = name !== view;
  }
  if (isFocused) $(`tab-${view}`).focus();
  const [tab, box] = [$(`tab-${view}`), $("tabs")].map((element) => element.getBoundingClientRect());
  $("tabs").scrollLeft += Math.min(0, tab.left - box.left) + Math.max(0, tab.right - box.right);
  showView();
}

function showLegend() {
  if (state.view !== "explain") return;
  const counts = shown.words ?? [];
  const legend = [];
  for (let kind = 0; kind < HEAD; kind++) {
    if (counts[kind]) legend.push(h("li", { class: `k${kind}`, title: t(`why${kind}`) }, h("bdi", {}, t(`class${kind}`)), h("b", {}, number(counts[kind]))));
  }
  $("legend").replaceChildren(...legend);
}

function jump(from, to) {
  const { doc } = views.encoded.state;
  if (from > doc.length) return;
  views.encoded.dispatch({ selection: { anchor: from, head: Math.min(to, doc.length) }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  views.encoded.focus();
}

const FINDINGS_SHOWN = 100;
/** The classes in the list of findings, in this order. Classes that break a link come first. */
const SEVERITY = [7, 4, 6, 5, 9, 8, 1];

function showFindings() {
  const found = shown.words ?? [];
  const list = [];
  const { doc } = views.encoded.state;
  const telling = [];
  for (let at = HEAD; at < found.length; at += FIELDS) {
    const [, , from, len, bits, code] = found.subarray(at, at + FIELDS);
    telling.push({ from, len, kind: bits & 0xff, code });
  }
  telling.sort((a, b) => SEVERITY.indexOf(a.kind) - SEVERITY.indexOf(b.kind) || a.from - b.from);
  for (const { from, len, kind, code } of telling.slice(0, FINDINGS_SHOWN)) {
    const isInvisible = kind === 6;
    const text = isInvisible ? `U+${code.toString(16).toUpperCase().padStart(4, "0")}` : doc.sliceString(Math.min(from, doc.length), Math.min(from + Math.min(len, 40), doc.length));
    list.push(
      h("li", {}, h("button", { type: "button", onclick: () => jump(from, from + len) },
        h("span", { class: "at" }, t("at", from + 1)),
        h("code", { class: `k${kind}`, dir: "ltr" }, text || "…"),
        h("span", {}, `${t(`class${kind}`)}. ${t(`why${kind}`)}`))),
    );
  }
  const mixed = scriptsMixed(views.decoded.state.sliceDoc(0, 1 << 13));
  for (const { text, scripts } of mixed.slice(0, 5)) {
    list.unshift(h("li", {}, h("p", { class: "note" }, h("code", { class: "k6" }, h("bdi", {}, text)), ` ${t("mixed", scripts.map((script) => scriptName(script, language())).join(" + "))}`)));
  }
  if (list.length === 0) list.push(h("li", { class: "note" }, shown.inputLen ? t("noFindings") : t("explainEmpty")));
  $("findings").replaceChildren(...list);
}

async function showLayers() {
  const { total, levels } = await ask("layers", { encodes: state.source === "decoded", options: options() });
  if (state.view !== "layers") return;
  const rows = levels.map(({ number: n, text, from, changed, len }) => {
    const code = h("code", { dir: "auto" }, from > 0 ? "…" : "", changed < 0 ? text : text.slice(0, changed));
    if (changed >= 0) code.append(h("mark", {}, text.slice(changed, changed + 12)), text.slice(changed + 12));
    return h("li", {}, h("span", { class: "n" }, number(n)), code,
      h("span", {}, h("span", { class: "raw" }, t("characters", len)), " ", h("button", { type: "button", class: "quiet", onclick: () => useLayer(n, total) }, t("use"))));
  });
  $("layers").replaceChildren(...rows);
  const text = encodedText(URL_MOST);
  const where = total > 1 ? twiceEncoded(text, pairsOf(partsOf(text).parts)) : [];
  const note = total > 1 ? t("layersMany", total) : t("layersNote");
  document.querySelector("#view-layers .note").textContent = where.length > 0 ? `${note} ${t("layersWhere", where.join(", "))}` : note;
}

/** Returns the names of the first few parameters that are encoded more than once. */
function twiceEncoded(text, pairs) {
  const found = pairs.filter(({ name, value }) => Math.max(name.layers, value?.layers ?? 0) > 1);
  const names = found.slice(0, 8).map(({ name }) => preview(decoded(text.slice(name.from, name.to)), 40));
  return found.length > names.length ? [...names, "…"] : names;
}

function useLayer(n) {
  const text = encodedText();
  const bits = undefined;
  const layer = n === 0 ? text : engine.decode(text, bits, 0, n).value;
  put("encoded", layer);
}

// Shows the URL as a tree, and its query as a table.
const KINDS = ["scheme", "userinfo", "host", "port", "segment", "name", "value", "fragment"];
const ROWS = 100;
const URL_MOST = 1 << 21;
let firstRow = 0;

function partsOf(text) {
  const isQuery = !/^[a-z][a-z0-9+.-]*:|^[/?#]|^\.{1,2}\//i.test(text) && /^[^\s/?#=&]*=/.test(text);
  const found = engine.split(text, isQuery, 400_000);
  const parts = [];
  for (let at = 4; at < found.length; at += 4) parts.push({ kind: KINDS[found[at]], from: found[at + 1], to: found[at + 1] + found[at + 2], layers: found[at + 3] });
  return { error: found[0] === 0xffffffff ? -1 : found[0], number: found[1], parts };
}

const decoded = (text) => engine.decode(text, undefined, state.plus === "no" ? 0 : 2).value;
const plainly = (text) => engine.decode(text).value;

function showUrl() {
  const text = encodedText(URL_MOST);
  const { parts, error } = partsOf(text);
  const tree = $("tree");
  if (!text) {
    tree.replaceChildren(h("p", { class: "note" }, t("urlEmpty")));
    return $("query").replaceChildren();
  }
  tree.replaceChildren();
  let last = "";
  for (const part of parts.filter(({ kind }) => kind !== "name" && kind !== "value")) {
    const raw = text.slice(part.from, part.to);
    const value = plainly(raw);
    tree.append(h("div", { role: "group" }, h("span", { class: "raw" }, last === part.kind ? "" : t(`part_${part.kind}`)), h("span", {}, h("bdi", { class: "v", dir: "ltr" }, part.kind === "segment" ? `/${value}` : value), ...(value !== raw ? [" ", h("bdi", { class: "raw", dir: "ltr" }, raw)] : []), badge(part.layers))));
    last = part.kind;
  }
  if (error >= 0) tree.append(h("div", {}, h("span", { class: "badge" }, t("notUri")), h("span", { class: "raw" }, t("notUriAt", error + 1, text.slice(error, error + 12)))));
  showQuery(text, parts);
}

const badge = (layers) => (layers > 1 ? h("span", { class: "badge" }, layers === 2 ? t("encodedTwice") : t("encodedTimes", layers)) : "");

function pairsOf(parts) {
  const pairs = [];
  for (const part of parts) {
    if (part.kind === "name") pairs.push({ name: part });
    if (part.kind === "value") pairs[pairs.length - 1].value = part;
  }
  return pairs;
}

/** Replaces a part of the encoded text, as if the user had typed it. */
function replace(from, to, insert) {
  const view = views.encoded;
  if (view.state.readOnly) return;
  view.dispatch({ changes: { from, to, insert }, userEvent: "input.type" });
}

function encodedValue(text) {
  const flags = (state.plus === "no" ? 0 : 2) | (state.hex === "lower" ? 1 : 0);
  const { set } = setByName(state.plus === "no" ? "RFC3986_UNRESERVED" : "WHATWG_FORM");
  return engine.encode(text, set, flags).value;
}

function showQuery(text, parts) {
  const box = $("query");
  if (box.contains(document.activeElement) && document.activeElement.matches("input") && state.source === "encoded" && box.dataset.editing) return;
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

function pairRow(text, pairs, index, { name, value }) {
  const end = value ? value.to : name.to;
  const field = (part, label, from, to, before) => {
    const input = h("input", { dir: "auto", spellcheck: "false", "aria-label": `${label} ${index + 1}`, value: part ? decoded(text.slice(part.from, part.to)) : "", size: 12 });
    input.addEventListener("change", () => replace(from, to, before + encodedValue(input.value)));
    return input;
  };
  const nested = value && decoded(text.slice(value.from, value.to));
  const isUrl = nested && /^[a-z][a-z0-9+.-]*:\/\//i.test(nested);
  const cell = h("td", {}, field(value, t("part_value"), value ? value.from : name.to, end, value ? "" : "="), badge(value?.layers ?? 0));
  if (isUrl) cell.append(h("button", { type: "button", class: "quiet", onclick: () => put("encoded", nested) }, t("openUrl")));
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
  return h("tr", {}, h("td", {}, field(name, t("part_name"), name.from, name.to, "")), cell,
    h("td", { class: "ops" }, operation("moveUp", "↑", () => swapWith(index - 1), index === 0), operation("moveDown", "↓", () => swapWith(index + 1), index === pairs.length - 1), operation("removePair", "×", remove)));
}

function addPair(text, pairs) {
  const last = pairs[pairs.length - 1];
  if (last) return replace((last.value ?? last.name).to, (last.value ?? last.name).to, "&name=value");
  const hash = text.indexOf("#");
  const at = hash < 0 ? text.length : hash;
  replace(at, at, text.slice(0, at).includes("?") ? "name=value" : "?name=value");
}

// The map of ASCII.

function paintMap() {
  if (!engine) return;
  const map = $("map");
  if (map.children.length === 0) {
    for (let byte = 0; byte < 128; byte++) {
      const text = CONTROL_NAMES[byte] ?? (byte === 32 ? "SP" : byte === 127 ? "DEL" : String.fromCharCode(byte));
      map.append(h("button", { type: "button", class: text.length > 1 ? "ctl" : "", "data-byte": byte, onclick: () => toggle(byte) }, text));
    }
    map.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 16, ArrowUp: -16 }[event.key];
      const to = step && map.children[Number(event.target.dataset.byte) + step];
      if (to) {
        event.preventDefault();
        to.focus();
      }
    });
  }
  for (const button of map.children) {
    const byte = Number(button.dataset.byte);
    button.setAttribute("aria-pressed", String(has(byte)));
    const label = `${button.textContent} ${nameOf(byte, language())}, ${isolated(`\`%${byte.toString(16).toUpperCase().padStart(2, "0")}\``)}`;
    button.title = label;
    button.setAttribute("aria-label", label);
  }
  $("map-clause").textContent = state.set === "OWN" ? t("setOwn") : state.set === "ALL" ? t("setAll") : `${state.set} · ${clauses.get(state.set) ?? ""}`;
}

function toggle(byte) {
  const character = String.fromCharCode(byte);
  const now = byte < 0x20 || byte === 0x7f ? members() : members();
  setOwn(has(byte) ? now.replaceAll(character, "") : now + character);
}

function setOwn(text) {
  state.set = "OWN";
  state.own = text;
  readSet();
  showOptions();
  refresh();
}

function showCode() {
  const sample = views.decoded.state.sliceDoc(0, 60).split("\n")[0];
  const list = snippets({ encodes: state.source === "decoded", set: state.set, members: members(), plus: state.plus !== "no", lower: state.hex === "lower", sample, encoded: encodedText(60).split("\n")[0] });
  $("code").replaceChildren(...list.map(({ name, code, note }) =>
    h("div", { class: "snippet" }, h("header", {}, h("h3", {}, name), h("button", { type: "button", class: "quiet", "aria-label": `${t("copy")}: ${name}`, onclick: () => copyText(code) }, t("copy"))), h("pre", { tabindex: 0, "aria-label": name }, h("code", {}, code)), ...(note ? [h("p", { class: "note" }, note)] : []))));
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    $("inspector").textContent = t("copied");
  } catch {
    $("inspector").textContent = t("pasteRefused");
  }
}

function showOthers() {
  const encodes = state.source === "decoded";
  const input = views[state.source].state.sliceDoc(0, 2000);
  const ours = views[other(state.source)].state.sliceDoc(0, 6100);
  const rows = encodes ? othersEncode(engine, input) : othersDecode(engine, input);
  const row = ({ name, value, error, refused }) => {
    const text = refused === undefined ? (error ?? value) : t("refused", refused + 1);
    const fails = error !== undefined || refused !== undefined;
    const differs = fails || value !== ours;
    return h("tr", { class: fails ? "differs fails" : differs ? "differs" : "" }, h("td", {}, name), h("td", {}, h("code", { dir: encodes && !fails ? "ltr" : "auto" }, text)));
  };
  $("others").replaceChildren(h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("function")), h("th", { scope: "col" }, t("result")))), h("tbody", {}, ...rows.map(row)));
}

// --- Files.

/** The file that is processed, or that was processed last. */
let job = { id: 0, isRunning: false, isCancelled: false, size: 0 };
/** A file of up to this size, in bytes, can be processed as a whole. */
const WHOLE_MOST = 32e6;

/** Returns why a file can't be processed with these options. Returns undefined if it can. */
function refusalOf({ size: bytes }, encodes, format) {
  const wanted = options();
  const labels = (names) => names.map((name) => $(name).closest("label").querySelector("span").textContent).join(", ");
  const ignored = format === "text" ? [] : ignoredByFields(wanted, encodes);
  if (ignored.length > 0) return t("fileFields", labels(ignored));
  const whole = format === "text" && bytes > WHOLE_MOST ? needsWhole(wanted, encodes) : [];
  return whole.length > 0 ? t("fileWhole", labels(whole), size(WHOLE_MOST), size(bytes)) : undefined;
}

function chooseFile(file) {
  $("file").chosen = file;
  $("file-name").replaceChildren(...(file ? [" ", h("bdi", {}, file.name), ` · ${size(file.size)}`] : []));
  $("file-start").disabled = !file || job.isRunning;
  if (job.isRunning) return;
  $("file-status").textContent = "";
  $("file-result").replaceChildren();
}

async function startFile() {
  const file = $("file").chosen;
  const encodes = $("file-direction").value === "encode";
  $("file-result").replaceChildren();
  const refusal = refusalOf(file, encodes, $("file-format").value);
  if (refusal) return void ($("file-status").textContent = refusal);
  const mine = (job = { id: job.id + 1, isRunning: true, isCancelled: false, size: file.size });
  const message = { job: mine.id, file, encodes, options: options() };
  $("file-start").disabled = true;
  try {
    const name = `${file.name}.${encodes ? "encoded" : "decoded"}`;
    const handle = await target(name);
    if (handle !== null) await work(mine, name, { ...message, handle });
  } catch (error) {
    $("file-status").textContent = whyOf(error);
  }
  mine.isRunning = false;
  $("file-cancel").hidden = true;
  $("file-start").disabled = false;
}

/** Asks the user for a file to write the result to. Returns undefined if the browser can't ask, and null if the user cancels. */
async function target(suggestedName) {
  if (!window.showSaveFilePicker || document.documentElement.dataset.blob) return undefined;
  try {
    return await window.showSaveFilePicker({ suggestedName });
  } catch (error) {
    return error.name === "AbortError" ? null : undefined;
  }
}

async function work(mine, name, message) {
  $("file-cancel").hidden = false;
  $("file-progress").hidden = false;
  $("file-progress").value = 0;
  const records = await recordsWanted();
  const done = mine.isCancelled ? undefined : await ask("file", { ...message, records });
  const outcome = !done || done.isCancelled ? t("cancelled") : done.status !== "ok" ? t(`error_${done.status}`, done.offset + 1) : t("fileDone");
  $("file-status").textContent = done ? `${outcome} · ${fileLine(done)}` : outcome;
  $("file-progress").value = 1;
  if (!done?.blob) return;
  const link = h("a", { href: URL.createObjectURL(done.blob), download: name, class: "button primary" }, `${t("download")} ${size(done.blob.size)}`);
  $("file-result").replaceChildren(link);
}

function cancelFile() {
  job.isCancelled = true;
  ask("cancel", { job: job.id }).catch((error) => fail(whyOf(error)));
}

function fileLine({ read, written, seconds, malformed, replaced, unrecognized }) {
  const parts = [t("fileLine", size(read), size(written), Math.round(read / 1e6 / Math.max(seconds, 0.001)))];
  if (malformed !== undefined) parts.push(t("malformedLine", malformed));
  if (replaced !== undefined) parts.push(t("replacedLine", replaced));
  if (unrecognized !== undefined) parts.push(t("formatLine", unrecognized));
  return parts.join(" · ");
}

/** Returns the chosen fields, and the module that finds them. Returns undefined if the whole text is processed. */
async function recordsWanted() {
  const format = $("file-format").value;
  if (format === "text") return undefined;
  recordsModule ??= unpack("records").catch((error) => {
    recordsModule = undefined;
    throw error;
  });
  return { module: await recordsModule, format, fields: $("file-fields").value, header: hasHeader(format) && $("file-header").checked };
}

let recordsModule;
const hasHeader = (format) => /^[ct]sv/.test(format);

function showFormat() {
  const format = $("file-format").value;
  $("file-fields-label").hidden = format === "text";
  $("file-header-label").hidden = !hasHeader(format);
}

function showProgress(data) {
  if (data.progress !== job.id) return;
  $("file-progress").value = data.read / Math.max(1, job.size);
  $("file-status").textContent = fileLine(data);
}

// --- Language, theme, link.

const clauses = new Map();

function translate() {
  document.documentElement.lang = language();
  document.dir = document.documentElement.dir = LANGUAGES[language()];
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", t(element.dataset.label));
    if (element.tagName === "BUTTON") element.title = t(element.dataset.label);
  }
  for (const box of document.querySelectorAll(".actions")) {
    box.replaceChildren(...Object.entries(ACTIONS).map(([name, run]) =>
      h("button", { type: "button", "data-action": name, "aria-label": `${t(name)}: ${t(box.dataset.side)}`, title: t(name), onclick: () => run(box.dataset.side) }, icon(ICONS[name]))));
  }
  const tabs = VIEWS.map((name) => h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `view-${name}`, onclick: () => select(name) }, t(`view${name[0].toUpperCase()}${name.slice(1)}`)));
  $("tabs").replaceChildren(...tabs);
  for (const name of VIEWS) $(`view-${name}`).setAttribute("aria-labelledby", `tab-${name}`);
  const catalogue = h("optgroup", { label: t("catalogue") });
  for (const [name, clause] of clauses) catalogue.append(h("option", { value: name }, clause));
  $("set").replaceChildren(...COMMON.map(([name, key]) => h("option", { value: name }, t(key))), h("option", { value: "OWN" }, t("setOwn")), catalogue);
  const format = $("file-format").value || "text";
  const formats = [["text", t("formatText")], ["auto", t("formatAuto")], ["csv", t("formatCsv", ",")], ["csv;", t("formatCsv", ";")], ["csv|", t("formatCsv", "|")], ["tsv", t("formatTsv")], ["ndjson", t("formatNdjson")], ["json", t("formatJson")]];
  $("file-format").replaceChildren(...formats.map(([value, text]) => h("option", { value }, text)));
  $("file-format").value = format;
  showFormat();
  // A set of the first group is also in the catalogue, with the same value. For such a value, the browser shows the option of the first group.
  $("charset").replaceChildren(h("option", { value: "auto" }, t("charsetAuto")), ...CHARSETS.map((label) => h("option", { value: label }, label)));
  for (const side of ["decoded", "encoded"]) views[side].dispatch({ effects: words[side].reconfigure(placeholder(t(`${side}Hint`))) });
  const mod = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl";
  const keys = [[`${mod} Enter`, "keyCopy"], [`${mod} Shift Enter`, "keySwap"], [`${mod} Z`, "keyUndo"], ["Tab", "keyTab"], ["Esc", "keyEsc"], ["?", "keyHelp"]];
  $("shortcut-list").replaceChildren(...keys.flatMap(([key, text]) => [h("dt", {}, h("kbd", { dir: "ltr" }, key)), h("dd", {}, t(text))]));
  $("reference").replaceChildren(...reference(h, language(), (text) => (put("decoded", text), views.decoded.focus())));
  $("inspector").textContent = t("inspectorEmpty");
  document.title = t("title");
  showOptions();
}

function theme(name) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const more = matchMedia("(prefers-contrast: more)").matches;
  document.documentElement.dataset.theme = name === "auto" ? (more ? "contrast" : dark ? "dark" : "light") : name;
}

async function link() {
  const text = await textOf(state.source);
  const fields = { [state.source]: text };
  for (const id of CONTROLS) if (state[id] !== DEFAULTS[id]) fields[id] = String(state[id]);
  if (state.set === "OWN") fields.own = state.own;
  if (state.view !== "explain") fields.view = state.view;
  const { set } = setByName("RFC3986_UNRESERVED");
  history_.replaceState(null, "", `#${Object.entries(fields).map(([key, value]) => `${key}=${engine.encode(value, set).value}`).join("&")}`);
  await copyText(location.href);
  $("inspector").textContent = t("linked");
}

const history_ = window.history;

function restore() {
  const fields = {};
  for (const pair of location.hash.slice(1).split("&")) {
    const at = pair.indexOf("=");
    if (at > 0) fields[pair.slice(0, at)] = engine.decode(pair.slice(at + 1)).value;
  }
  for (const id of CONTROLS) {
    if (!(id in fields)) continue;
    if ($(id).type === "checkbox") state[id] = fields[id] === "true";
    else if ([...$(id).options].some(({ value }) => value === fields[id])) state[id] = fields[id];
  }
  if (fields.own) state.own = fields.own;
  readSet();
  showOptions();
  if (VIEWS.includes(fields.view)) select(fields.view);
  for (const side of ["decoded", "encoded"]) if (fields[side]) put(side, fields[side]);
}

// --- Start.

theme("auto");
for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) matchMedia(query).addEventListener("change", () => theme($("theme").value));
setLanguage(navigator.languages ?? [navigator.language]);
$("language").value = language();
views.decoded = editor("decoded");
views.encoded = editor("encoded");
translate();
select("explain");
views.decoded.focus();

boot().then(() => {
  for (const [name, clause] of catalogue()) clauses.set(name, clause);
  readSet();
  translate();
  for (const id of CONTROLS) $(id).addEventListener("change", () => chosen(id));
  $("options").addEventListener("submit", (event) => event.preventDefault());
  $("own").addEventListener("input", () => setOwn($("own").value));
  $("swap").addEventListener("click", swap);
  $("link").addEventListener("click", link);
  $("help").addEventListener("click", () => $("shortcuts").showModal());
  $("language").addEventListener("change", () => {
    setLanguage([$("language").value]);
    translate();
    select(state.view);
    refresh();
    showStatus();
  });
  $("theme").addEventListener("change", () => theme($("theme").value));
  $("tabs").addEventListener("keydown", (event) => {
    const ahead = document.dir === "rtl" ? -1 : 1;
    const step = { ArrowRight: ahead, ArrowLeft: -ahead }[event.key];
    const to = step ? VIEWS[(VIEWS.indexOf(state.view) + step + VIEWS.length) % VIEWS.length] : { Home: VIEWS[0], End: VIEWS[VIEWS.length - 1] }[event.key];
    if (to) {
      event.preventDefault();
      select(to, true);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "?" && !event.target.closest("input, textarea, select, .cm-content")) $("shortcuts").showModal();
    if (event.key === "Escape" && event.target.closest(".cm-content")) event.target.blur();
  });
  $("file").addEventListener("change", () => chooseFile($("file").files[0]));
  $("file-format").addEventListener("change", showFormat);
  $("file-start").addEventListener("click", startFile);
  $("file-cancel").addEventListener("click", cancelFile);
  for (const kind of ["dragover", "drop", "dragleave"]) {
    document.addEventListener(kind, (event) => {
      if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
      event.preventDefault();
      $("drop").classList.toggle("over", kind === "dragover");
      if (kind === "drop") {
        select("files");
        chooseFile(event.dataTransfer.files[0]);
      }
    }, true);
  }
  restore();
  addEventListener("hashchange", restore);
  document.documentElement.dataset.ready = "true";
  performance.mark("ready");
  schedule();
}, (error) => fail(t("noWasm", error.message)));
