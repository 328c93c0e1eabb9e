import { history, historyKeymap, insertNewline, invertedEffects, isolateHistory, standardKeymap } from "@codemirror/commands";
import { Compartment, EditorState, StateEffect, Transaction } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, drawSelection, highlightSpecialChars, hoverTooltip, keymap, placeholder } from "@codemirror/view";
import { Engine, FLAG, NONE } from "../../packages/npm/engine.js";
import { REPAIRS } from "../../packages/npm/abi.js";
import { hasSimd, instancesOf } from "../../packages/npm/memory.js";
import { Small } from "../../packages/npm/small.js";
import { catalogue, setByName, setOf } from "../../packages/npm/sets.js";
import { CHARSETS } from "./charset.js";
import { ENCODERS, snippets } from "./code.js";
import { fromHex } from "./hex.js";
import { LANGUAGES, MESSAGES, isolated, language, number, setLanguage, size, t } from "./i18n.js";
import { ALL_REPAIRS, KINDS, classesOf } from "./judge.js";
import { registered } from "./hosts.js";
import { CONTROL_NAMES, nameOf, scriptName } from "./names.js";
import { othersDecode, othersEncode } from "./others.js";
import { search } from "./presets.js";
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

/** Remembers a choice for the next visit, if the browser lets a page from a file do so. */
const memory = {
  get(key) {
    try {
      return localStorage.getItem(`percent.${key}`) ?? undefined;
    } catch {
      return undefined;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(`percent.${key}`, value);
    } catch {
      // Then the choice lasts until the page is closed.
    }
  },
};

// --- The engine. It runs here for the visible part, and in a worker for everything else.

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

/** Unpacks and compiles modules of the page, by their numbers in build.mjs. The worker does it, because it takes long. */
const unpack = async (...numbers) => (await ask("unpack", { packed: $("modules").textContent, sizes: $("modules").dataset.sizes.split(" ").map(Number), numbers })).modules;
const [FULL, SIMD, RECORDS] = [0, 1, 2];

async function boot() {
  const source = new Blob([$("script").textContent], { type: "text/javascript" });
  worker = new Worker(URL.createObjectURL(source));
  worker.onmessage = ({ data }) => {
    if (data.progress) return showProgress(data);
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.failure) reject(Object.assign(new Error(data.failure), { code: data.code, offset: data.offset }));
    else resolve(data);
  };
  worker.onerror = (event) => fail(t("failed", event.message));
  const [full, codec] = await unpack(FULL, ...(hasSimd() ? [SIMD] : []));
  engine = new Engine(await instances(full), codec && new Small(await instances(codec)));
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
  mode: "percent", set: "RFC3986_UNRESERVED", plus: "auto", lines: false, charset: "auto", newline: "keep", hex: "upper", depth: "1",
  strict: false, wrap: false, keep: false,
};
/**
 * `source` is the form of the user's text: "decoded" or "encoded". `kind` is the chosen kind of text. `refused` has the number of faults of each
 * kind that the user doesn't want to repair.
 */
const state = { ...DEFAULTS, source: "encoded", kind: "auto", isSwapped: false, refused: {}, own: "", view: "explain", bits: undefined };
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
  $("search").disabled = !isPercent;
}

function chosen(id) {
  const control = $(id);
  state[id] = control.type === "checkbox" ? control.checked : control.value;
  if (id === "set") {
    const users = state.set === "ALL" || state.set === "OWN" ? { flags: 0 } : setByName(state.set);
    if (state.set === "OWN" && !state.own) state.own = members();
    state.plus = users.flags & 2 ? "yes" : state.plus === "query" ? "query" : "auto";
    state.hex = users.flags & 1 ? "lower" : "upper";
    state.keep = (users.flags & 8) !== 0;
  }
  readSet();
  showOptions();
  showFound();
  refresh();
}

/** At most this many results of a search are shown. */
const FOUND_MOST = 12;

/** Shows the sets that the search finds. */
function showFound() {
  const query = $("search").value.trim();
  const found = search(query, Object.fromEntries(COMMON.map(([name, key]) => [name, t(key)])));
  const buttons = found.slice(0, FOUND_MOST).map(({ name, clause }) =>
    h("button", { type: "button", "aria-pressed": String(state.set === name), onclick: () => (pick(name), focusFound(name)), "data-set": name }, h("bdi", { dir: "ltr" }, clause)));
  const rest = found.length - buttons.length;
  $("found").hidden = query === "";
  $("found").replaceChildren(...(query && found.length === 0 ? [t("searchNone")] : buttons), ...(rest > 0 ? [t("moreOf", rest)] : []));
}

/** A click creates the list of results anew. This returns the focus to the clicked result. */
const focusFound = (name) => $("found").querySelector(`[data-set="${name}"]`)?.focus();

/** Chooses a set by its name. Whoever picks a set wants to encode, so a link or a form then counts as text. */
function pick(name) {
  $("set").value = name;
  chosen("set");
  if (!["link", "form"].includes(shown.judged?.kind)) return;
  views.input.dispatch({ effects: kindEffect.of({ from: { kind: state.kind, isSwapped: state.isSwapped }, to: { kind: "text", isSwapped: false } }) });
  schedule();
}

/** Returns the ASCII characters that the set keeps. */
function members() {
  let text = "";
  for (let byte = 0x20; byte < 0x7f; byte++) if (has(byte)) text += String.fromCharCode(byte);
  return text;
}

const has = (byte) => ((state.bits[byte >> 3] >> (byte & 7)) & 1) === 1;

// --- The text of the user, and the answer.

const views = {};
const words = new Compartment();
const recolour = StateEffect.define();
/** Sets the kind of the text. Undo restores the previous kind. */
const kindEffect = StateEffect.define();

/** The view that has the encoded text. */
const encodedView = () => (state.source === "encoded" ? views.input : views.output);
/** Returns true if a view has encoded text. The answer is encoded, too, if it is a repaired link. */
const isEncoded = (view) => view === encodedView() || (view === views.output && REPAIRED.includes(shown.judged?.verdict));

/** We read this many characters beyond the visible part. An escape that starts outside of that part is then complete. */
const AROUND = 36;
const FIELDS = 6;
const HEAD = 11;
const ALL_CLASSES = (1 << HEAD) - 1;

/** Returns the spans of the escapes between two positions in a text. */
function spansOf(state_, from, to) {
  const start = Math.max(0, from - AROUND);
  const end = Math.min(state_.doc.length, to + AROUND);
  const found = engine.explain(state_.sliceDoc(start, end), classesOf(shown.judged?.kind, ALL_CLASSES), shown.plus === "yes", 20_000);
  const within = state_ === views.input?.state ? shown.judged?.within : undefined;
  const spans = [];
  for (let at = HEAD; at < found.length; at += FIELDS) {
    const [, , offset, len, bits, code] = found.subarray(at, at + FIELDS);
    if (start > 0 && offset < AROUND / 2) continue;
    if (within && (start + offset < within.from || start + offset >= within.to)) continue;
    spans.push({ from: start + offset, to: start + offset + len, kind: bits & 0xff, lower: bits > 0xff, code });
  }
  return spans;
}

const marks = Array.from({ length: HEAD }, (_, kind) => Decoration.mark({ class: `e e${kind}` }));
const runs = Array.from({ length: HEAD }, (_, kind) => Decoration.mark({ class: `e e${kind} run` }));
/** With more escapes in view than this, adjacent escapes of one class share a mark. */
const SINGLE_MOST = 200;
/** To lay out more marks than this, the browser would need longer than a frame. Escapes after the last mark get no colour. */
const MARKS_MOST = 600;

/** Returns the ranges to mark. */
function rangesOf(spans) {
  if (spans.length <= SINGLE_MOST) return spans.map(({ kind, from, to }) => marks[kind].range(from, to));
  const ranges = [];
  for (let at = 0; at < spans.length && ranges.length < MARKS_MOST; ) {
    const { kind, from } = spans[at];
    let { to } = spans[at++];
    for (; spans[at]?.kind === kind && spans[at].from === to; at++) to = spans[at].to;
    ranges.push(runs[kind].range(from, to));
  }
  return ranges;
}

const danger = Decoration.mark({ class: "danger" });

/** Returns the marks of the parts that mislead a reader. */
function dangerMarks({ state: { doc } }) {
  const dangers = shown.judged?.dangers ?? [];
  return dangers.filter(({ from, to }) => from < to && to <= doc.length).map(({ from, to }) => danger.range(from, to));
}

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
      const dangers = view === views.input ? dangerMarks(view) : [];
      if (!isEncoded(view)) return Decoration.set(dangers, true);
      const spans = [];
      let last = -1;
      for (const { from, to } of view.visibleRanges) {
        for (const span of spansOf(view.state, from, to)) {
          if (span.from < last) continue;
          spans.push(span);
          last = span.to;
        }
      }
      return Decoration.set([...dangers, ...rangesOf(spans)], true);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function spanAt(view, position) {
  if (!engine || !isEncoded(view)) return undefined;
  const near = spansOf(view.state, Math.max(0, position - AROUND), position + AROUND);
  return near.find((span) => span.from <= position && position <= span.to);
}

/** In a text longer than this, typing bypasses the browser's document, because reading the document back and comparing it would take too long. */
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

const inspectorHint = () => t(matchMedia("(hover: none)").matches ? "inspectorTap" : "inspectorEmpty");

function inspect(view) {
  const span = spanAt(view, view.state.selection.main.head);
  const line = $("inspector");
  if (!span) return line.replaceChildren(inspectorHint());
  const { text, glyph, name, label, why } = about(view, span);
  line.replaceChildren(h("b", {}, h("bdi", { dir: "ltr" }, text)), " ", ...(glyph ? [h("bdi", {}, glyph), " "] : []), "· ", h("bdi", {}, name), ` · ${label}. ${why}`);
}

/** Creates the element for a special character. A false slash is shown as it is, and any other special character as `mark`. */
function special(code, description, mark) {
  const isSlash = SLASH.test(String.fromCodePoint(code));
  return h("span", { class: "cm-specialChar", title: isSlash ? nameOf(code, language()) : description, "aria-label": description }, isSlash ? String.fromCodePoint(code) : mark);
}
const SLASH = /[\u2044\u2215\u29f8\uff0f\uff3c]/;

const common = () => [
  drawSelection(),
  highlightSpecialChars({ addSpecialChars: /[\u0080-\u009f\u00ad\u034f\u115f\u1160\u17b4\u17b5\u2060-\u2064\u3164\ufff9-\ufffb\u{e0000}-\u{e007f}\u2044\u2215\u29f8\uff0f\uff3c\u00a0\u2000-\u200a\u202f\u205f]/u, render: special }),
  EditorView.lineWrapping,
  EditorState.lineSeparator.of("\n"),
  EditorState.allowMultipleSelections.of(false),
  EditorView.perLineTextDirection.of(true),
  colours,
  tooltip,
  EditorView.updateListener.of((update) => {
    if (engine && (update.selectionSet || update.docChanged)) inspect(update.view);
  }),
];

const attributes = (label) => EditorView.contentAttributes.of({ "aria-labelledby": label, spellcheck: "false", autocorrect: "off", autocapitalize: "off", dir: "auto" });

/** True while the page shows its example. Any paste replaces the example. */
let isExample = false;
function setExample(is) {
  isExample = is;
  $("example").hidden = !is;
  // While the page shows the example, "Paste" is the filled button, because visitors replace the example first.
  $("paste").classList.toggle("primary", is);
}

/** The editor of the text. Every way in (keys, paste, drop, buttons, undo, the fragment) is a transaction of it, and ends in this listener. */
function inputEditor() {
  const listener = EditorView.updateListener.of((update) => {
    for (const { effects } of update.transactions) for (const effect of effects) if (effect.is(kindEffect)) Object.assign(state, effect.value.to);
    if (!update.docChanged) return;
    setExample(false);
    const edits = [];
    update.changes.iterChanges((from, to, _, __, inserted) => edits.push([from, to, inserted.toString()]));
    const isReplaced = edits[0][0] === 0 && edits[0][1] === update.startState.doc.length;
    // A kind that a swap has set is valid only for the swapped text. If the user pastes another text, the page guesses again.
    if (isReplaced && state.isSwapped && update.transactions.some((transaction) => transaction.isUserEvent("input.paste") || transaction.isUserEvent("input.drop"))) Object.assign(state, { kind: "auto", isSwapped: false });
    if (isReplaced) {
      state.refused = {};
      trail = [];
    }
    pending.edits.push(edits);
    schedule();
  });
  const replaceExample = EditorView.domEventHandlers({
    paste(_, view) {
      if (isExample) view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
      return false;
    },
    drop(event) {
      const text = event.dataTransfer?.getData("text/plain");
      if (!isExample || !text) return false;
      event.preventDefault();
      put(text);
      return true;
    },
  });
  const extensions = [
    history(),
    invertedEffects.of(({ effects }) => effects.filter((effect) => effect.is(kindEffect)).map(({ value: { from, to } }) => kindEffect.of({ from: to, to: from }))),
    keymap.of([{ key: "Mod-Enter", run: () => (copyMain(), true) }, { key: "Mod-Shift-Enter", run: () => (swap(), true) }]),
    keymap.of([{ key: "Enter", run: insertNewline, shift: insertNewline }, ...standardKeymap, ...historyKeymap]),
    words.of([]),
    replaceExample,
    typing,
    listener,
    attributes("input-label"),
    common(),
  ];
  return new EditorView({ parent: $("input"), state: EditorState.create({ doc: "", extensions }) });
}

/** The editor of the answer. It is read-only. */
function outputEditor() {
  const extensions = [EditorState.readOnly.of(true), keymap.of(standardKeymap), attributes("output-label"), common()];
  return new EditorView({ parent: $("output"), state: EditorState.create({ doc: "", extensions }) });
}

/** Shows the answer. Replaces only the part that differs. */
function mirror(text) {
  const view = views.output;
  const old = view.state.doc.toString();
  let from = 0;
  const most = Math.min(old.length, text.length);
  while (from < most && old.charCodeAt(from) === text.charCodeAt(from)) from++;
  let end = 0;
  while (end < most - from && old.charCodeAt(old.length - 1 - end) === text.charCodeAt(text.length - 1 - end)) end++;
  if (from === old.length && from === text.length) return;
  view.dispatch({ changes: { from, to: old.length - end, insert: view.state.toText(text.slice(from, text.length - end)) } });
}

/** Replaces the text of the user. `kind` is its kind, or "auto" to guess it. */
function put(text, kind = "auto", isSwapped = false) {
  const view = views.input;
  const effects = kindEffect.of({ from: { kind: state.kind, isSwapped: state.isSwapped }, to: { kind, isSwapped } });
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: view.state.toText(text) }, effects, annotations: isolateHistory.of("full"), userEvent: "input.set" });
  if (view.state.doc.length === 0) schedule();
}

// --- From the text to the answer.

const pending = { edits: [], whole: true, timer: 0, running: false };
let shown = {};

function schedule() {
  document.documentElement.dataset.idle = "false";
  if (!pending.timer) pending.timer = setTimeout(run, 0);
}

function refresh() {
  paintMap();
  schedule();
}

async function run() {
  pending.timer = 0;
  if (!worker || pending.running) return;
  pending.running = true;
  const repairs = REPAIRS.reduce((bits, kind, bit) => (kind in state.refused ? bits & ~(1 << bit) : bits), ALL_REPAIRS);
  const message = { kind: state.kind, repairs, options: options() };
  if (pending.whole) message.whole = views.input.state.doc.toString();
  else message.batches = pending.edits;
  pending.edits = [];
  pending.whole = false;
  try {
    const result = await ask("run", message);
    $("failure").hidden = true;
    if (pending.edits.length === 0 && !pending.whole) {
      shown = result;
      state.source = document.documentElement.dataset.source = result.judged.encodes ? "decoded" : "encoded";
      mirror(result.status === "ok" ? result.value : "");
      for (const view of Object.values(views)) view.dispatch({ effects: recolour.of(null) });
      showVerdict();
      showView();
    }
  } catch (error) {
    fail(whyOf(error));
    pending.whole = false;
  }
  pending.running = false;
  if (pending.edits.length > 0 || pending.whole) schedule();
  document.documentElement.dataset.idle = String(!pending.timer && !pending.running);
}

const list = (items) => new Intl.ListFormat(language(), { type: "conjunction" }).format(items);

/** The label of the answer, by the verdict. */
const LABELS = { broken: "answerRepaired", iri: "answerAscii", unrepaired: "answerRepaired", text: "answerValue", json: "answerEncoded", base64: "answerEncoded", encodes: "answerEncoded", hex: "answerEncoded", binary: "rowHex", fine: "answerSame", link: "rowDecoded" };
/** The dangers of a link that leads elsewhere, or does more, than it seems. */
const DECEPTIVE = ["bidi", "lookAlike", "hostInUserinfo", "oddIpv4", "mixed", "twins", "confusable", "script"];

/** True for the row of the link in a text. It is above the answer, unless the user has chosen the kind of the text. */
const isFirst = ({ key }) => key === "rowLink" && state.kind === "auto";

/** Shows the verdict, and everything that belongs to the answer. */
function showVerdict() {
  const { judged, status, place, len, inputCount, count, charset, isUtf8, layers, value } = shown;
  const { verdict, counts, dangers, twice, spaces, faultPlace, faultText, within } = judged;
  const failed = status !== "ok";
  letter = judged.letter || letter;
  const [repairs, linkRepairs] = [counts, judged.linkCounts].map((counts) => REPAIRS.filter((kind) => counts[kind]).map((kind) => repairText(kind, counts[kind])));
  const [first, rest] = [true, false].map((is) => (failed ? [] : judged.rows.filter((row) => isFirst(row) === is)));
  const hasLink = first.length > 0;
  const isDeceptive = (judged.kind === "link" || judged.host) && dangers.some(({ kind }) => DECEPTIVE.includes(kind));
  const isPlain = verdict === "text" && state.set !== DEFAULTS.set;
  const sentences = [];
  if (failed) sentences.push(t(`error_${status}`, place));
  else if (judged.links) sentences.push(repairs.length > 0 ? t("verdict_linksBroken", judged.links, list(repairs)) : t(judged.fault < 0 ? "verdict_links" : "verdict_linksFault", judged.links));
  else if (verdict === "broken") sentences.push(t("verdict_broken", list(repairs)));
  else if (verdict === "iri") sentences.push(t("verdict_iri", list(repairs)));
  else if (verdict === "twice" && twice.length === 0) sentences.push(t("verdict_twice", judged.layers));
  else if (verdict === "twice") sentences.push(t("verdict_whole"));
  else if (verdict === "legacy") sentences.push(t("verdict_legacy", charset));
  else if (!hasLink || !["text", "encoded"].includes(verdict)) sentences.push(t(isPlain || (verdict === "text" && judged.guessed !== "text") ? "verdict_encodes" : `verdict_${verdict}`));
  if (hasLink && !within) sentences.push(t("verdict_hasLink"), ...(linkRepairs.length > 0 ? [t("verdict_broken", list(linkRepairs))] : []));
  if (!isDeceptive && (hasLink ? judged.isRepaired : verdict === "broken") && judged.works) sentences.push(t("verdict_repaired", judged.links ? 2 : 1));
  if (!failed && judged.fault >= 0) sentences.push(t("verdict_fault", faultPlace, faultText));
  if (!failed && twice.length > 0) sentences.splice(verdict === "twice" ? 0 : sentences.length, 0, twice.length === 1 ? t("verdict_twiceIn", twice[0]) : t("verdict_twiceMany", twice.length, list(twice.slice(0, 5))));
  const byte = REPAIRED.includes(verdict) || (verdict === "link" && !isUtf8) ? brokenByte() : undefined;
  if (byte && !failed) sentences.push(t(...byte));
  const times = new Set(dangers.map(({ kind }) => kind)).size;
  if (times > 0) {
    // Beside a warning, the page doesn't call a link valid.
    if (["fine", "link"].includes(verdict) && !failed) sentences.length = 0;
    // A link that runs a program has stricter advice in its own row.
    const advice = isDeceptive && !dangers.some(({ kind }) => kind === "script") ? [t("verdict_advice")] : [];
    sentences.unshift(...warningsOf(judged), ...advice);
  }
  if (within) sentences.unshift(t(`verdict_${within.line}`, within.name));
  const isWarned = failed || times > 0 || byte || ["unrepaired", "twice", "legacy", "binary", "json", "base64"].includes(verdict) || judged.fault >= 0;
  const tone = isDeceptive ? "bad" : isWarned ? "warn" : "good";
  $("answer").dataset.tone = tone;
  // The filled button copies only a link that works. If a link has its scheme twice, the row has the link with one scheme.
  const works = failed || isExample || dangers.some(({ kind }) => kind !== "schemeTwice") ? undefined : judged.works;
  $("copy").classList.toggle("primary", works === "answer");
  const said = sentences.join(" ");
  $("verdict").textContent = isExample ? t("verdict_example", said[0].toLocaleLowerCase(language()) + said.slice(1)) : said;
  $("answer").classList.toggle("empty", verdict === "empty");
  $("output-label").textContent = t(isPlain ? "answerEncoded" : (LABELS[verdict] ?? "answerDecoded"));
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
  $("checked").textContent = tone === "good" && ["fine", "link", "iri"].includes(verdict) ? t("checked") : "";
  showRepairs(counts);
  showDangers(dangers, judged.isInner ? undefined : judged.host);
  $("first").replaceChildren(...first.flatMap((row) => rowOf(row, works === "row")));
  $("rows").replaceChildren(...rest.flatMap((row) => rowOf(row)));
  const kinds = [["auto", t("kindAuto", t(`kind_${judged.guessed}`))], ...KINDS.map((kind) => [kind, t(`kind_${kind}`)])];
  $("kind").replaceChildren(...kinds.map(([kind, text]) => h("option", { value: kind }, text)));
  $("kind").value = state.kind;
  const applies = CONTROLS.some((id) => state[id] !== DEFAULTS[id]);
  if (foldsOptions && applies !== state.applies) $("settings").open = state.applies = applies;
}

/** Returns the elements of another form of the text. */
const rowOf = ({ key, value }, isFilled = false) => [
  h("dt", {}, t(key)), h("dd", {}, h("code", { dir: "auto" }, preview(value, mostOf(key))), ...(value.length > mostOf(key) ? [showAll(value)] : []), ...(key === "rowHex" ? [saveBytes(value)] : []), ...(["rowLink", "rowInner"].includes(key) ? [openLink(value)] : []),
    h("button", { type: "button", class: isFilled && "primary", "aria-label": `${t("copy")}: ${t(key)}`, onclick: (event) => copyText(value, event.target) }, t("copy"))),
];

/** True until the user folds or unfolds the options. From then on, only the user does. */
let foldsOptions = true;

/** A row shows at most this many characters, until the user asks for all. Few people need a link as a value of another link. */
const mostOf = (key) => (key === "rowValue" ? 40 : 300);
const showAll = (text) => h("button", { type: "button", class: "quiet", onclick: ({ target }) => {
  target.parentElement.querySelector("code").textContent = text;
  target.remove();
} }, t("showAll"));

/** A button that makes a link the text of the page. */
const openLink = (text) => h("button", { type: "button", onclick: () => (put(text), showInput()) }, t("openHere"));

/** A button that saves bytes in hexadecimal as a file. */
const saveBytes = (text) => h("button", { type: "button", onclick: () => save(new Blob([fromHex(text).bytes]), "bytes.bin") }, t("download"));

/** The verdicts whose answer is a repaired link. */
const REPAIRED = ["broken", "iri", "unrepaired"];

/** Returns the message about the first escape that isn't UTF-8. If the byte is a character of Latin-1, the message proposes it. */
function brokenByte() {
  const { words, judged } = shown;
  for (let at = HEAD; at < words.length; at += FIELDS) {
    const [, , from, len, bits, code] = words.subarray(at, at + FIELDS);
    if ((bits & 0xff) !== 4 || judged.dangers.some((danger) => danger.from <= from && from < danger.to)) continue;
    const raw = encodedView().state.sliceDoc(from, from + len);
    return code > 0xa0 ? ["verdict_latin", raw, String.fromCharCode(code)] : ["verdict_notUtf8", raw];
  }
  return undefined;
}

/** Returns the sentences that name the dangers. */
function warningsOf({ dangers, host, falseHost, links, isInner }) {
  const said = falseHost ? ["hostInUserinfo", ...(dangers.some(({ kind }) => kind === "hostInUserinfo") ? [] : ["lookAlike"])] : [];
  const names = [...new Set(dangers.map(({ kind }) => kind))].filter((kind) => !said.includes(kind)).map((kind) => t(`name_${kind}`));
  return [...(falseHost ? [t(isInner ? "verdict_innerNotTo" : links ? "verdict_oneNotTo" : "verdict_notTo", falseHost), t("verdict_goesTo", host)] : []), ...(names.length > 0 ? [t("verdict_dangers", list(names))] : [])];
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
    if (isWanted) delete state.refused[kind];
    else state.refused[kind] = counts[kind];
    schedule();
  };
  const rows = REPAIRS.filter((kind) => all[kind]).map((kind) =>
    h("li", {}, h("label", { class: "check" }, h("input", { type: "checkbox", checked: !(kind in state.refused), onchange: (event) => refuse(kind, event.target.checked) }),
      h("span", {}, repairText(kind, all[kind]), ...(repairedAs(kind) ? [h("span", { class: "raw" }, document.dir === "rtl" ? " ← " : " → ", h("bdi", { dir: "ltr" }, repairedAs(kind)))] : [])))));
  $("repairs").replaceChildren(...rows);
}

/** The first letter that the repair of letters encodes. It stays here if the user then refuses this repair. */
let letter = "";

/** Returns the name of a repair. In it, an invisible letter is written as its code point: `U+200B`. */
const repairText = (kind, count) => t(`repair_${kind}`, count, /[\p{L}\p{N}\p{P}\p{S}]/u.test(letter) ? letter : codesOf(letter));

/** Returns the text that replaces a fault of this kind; for letters, the one that replaces the first letter. Returns undefined if the text varies. */
const repairedAs = (kind) => (kind === "non-ascii" ? engine.encode(letter, setByName("RFC3986_UNRESERVED").set).value : REPAIRED_AS[kind]);
const REPAIRED_AS = { space: "%20", percent: "%25", entity: "&", backslash: "/", idn: "xn--…", bracket: "%5B %5D" };

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
    return h("li", {}, h("button", { type: "button", onclick: () => select_(views.input, from, to) },
      h("code", { dir: "auto" }, sample), ...(name ? [h("bdi", { dir: "ltr", class: "raw" }, `${name} ${nameOf(name.codePointAt(0), language())}`)] : []), h("span", {}, why, ...(count > 1 ? [h("b", {}, ` ${number(count)}×`)] : []))));
  });
  if (host) rows.push(h("li", { class: "host" }, t("hostIs"), " ", hostElement(host)));
  $("dangers").replaceChildren(...rows);
}

const whyDanger = ({ kind, scripts }) => t(`danger_${kind}`, scripts ? scripts.map((script) => scriptName(script, language())).join(" + ") : "");

/** Returns the number of the first character of a text, raw or escaped: `U+202E`. */
const codesOf = (text) => `U+${(plainly(text).codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

// --- Actions.

/** Returns the whole answer. */
async function answer() {
  return shown.value?.length === shown.len ? shown.value : (await ask("result")).value;
}

/** Copies a text. The button says so for a moment. */
async function copyText(text, button) {
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
    button?.focus();
  }
  $("inspector").textContent = t("copied");
  if (!button) return;
  button.textContent = t("copiedShort");
  setTimeout(() => (button.textContent = t("copy")), 1500);
}

const copy = async () => copyText(await answer(), $("copy"));
/** Copies the link in the text if its button is the filled one, and otherwise the answer. */
const copyMain = () => ($("first").querySelector(".primary") ?? $("copy")).click();

async function paste() {
  try {
    put(await navigator.clipboard.readText());
  } catch {
    $("inspector").textContent = t("pasteRefused");
  }
  views.input.focus();
}

async function download() {
  if (shown.judged?.verdict === "binary") return save(new Blob([fromHex(await answer()).bytes]), "bytes.bin");
  save(new Blob([await answer()], { type: "text/plain;charset=utf-8" }), `${other(state.source)}.txt`);
}

const other = (side) => (side === "decoded" ? "encoded" : "decoded");

function save(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The text before the last swap, and the text that replaced it. */
let swapped;

/** Replaces the text with the answer. A second swap restores the text. */
async function swap() {
  const text = views.input.state.doc.toString();
  if (swapped?.to === text && state.isSwapped) {
    const { from, kind } = swapped;
    swapped = undefined;
    return put(from, kind);
  }
  const to = await answer();
  swapped = { from: text, kind: state.kind, to };
  const { kind, verdict, encodes } = shown.judged;
  put(to, kind === "link" ? "link" : encodes ? "encoded" : verdict === "binary" ? "hex" : "text", true);
}

// --- The views below the answer.

const VIEWS = ["explain", "layers", "url", "map", "code", "others", "files", "reference"];
/** Returns the start of the part that the page explains: 0, except in a header and in a line of a log. */
const partStart = () => shown.judged?.within?.from ?? 0;
/** Returns the encoded text, up to the end of the part that the page explains. */
const encodedText = (most = Infinity) => encodedView().state.sliceDoc(0, Math.min(most, shown.judged?.within?.to ?? most));

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
  const counts = [...(shown.words ?? []).slice(0, HEAD)];
  // Don't count the characters of a danger in class 3, the harmless characters.
  for (const { from, to } of shown.judged?.dangers ?? []) counts[3] -= engine.explain(views.input.state.sliceDoc(from, to), 0, false, 0)[3];
  const legend = [];
  for (let kind = 0; kind < HEAD; kind++) {
    if (counts[kind] > 0) legend.push(h("li", { class: `k${kind}`, title: t(`why${kind}`) }, h("bdi", {}, t(`class${kind}`)), h("b", {}, number(counts[kind]))));
  }
  $("legend").replaceChildren(...legend);
}

function select_(view, from, to) {
  const { doc } = view.state;
  if (from > doc.length) return;
  view.dispatch({ selection: { anchor: from, head: Math.min(to, doc.length) }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}

/** The classes in the list of findings, in this order. Classes that break a link come first. */
const SEVERITY = [7, 4, 6, 5, 9, 8, 1];

/** Lists the findings by class. Each class has its number, and a button for each of its first places. */
function showFindings() {
  const found = shown.words ?? [];
  const { doc } = encodedView().state;
  const classes = new Map(SEVERITY.filter((kind) => found[kind]).map((kind) => [kind, []]));
  for (let at = HEAD; at < found.length; at += FIELDS) {
    const [, , from, len, bits, code] = found.subarray(at, at + FIELDS);
    classes.get(bits & 0xff)?.push({ from, len, code });
  }
  const chip = (kind, { from, len, code }) => {
    const raw = kind === 6 ? `U+${code.toString(16).toUpperCase().padStart(4, "0")}` : doc.sliceString(Math.min(from, doc.length), Math.min(from + Math.min(len, 40), doc.length));
    return h("button", { type: "button", title: t("at", from + 1), onclick: () => select_(encodedView(), from, from + len) }, h("code", { class: `k${kind}`, dir: "ltr" }, visible(raw) || "…"));
  };
  const rows = [...classes].map(([kind, all]) => {
    const rest = found[kind] - all.length;
    const isNested = kind === 8 && shown.judged.rows.some(({ key }) => key === "rowInner") && shown.judged.twice.length === 0;
    return h("li", {}, h("p", {}, h("b", {}, kind === 7 ? repairText("percent", found[7]) : t(`found${kind}`, found[kind])), `: ${isNested ? t("whyNested") : t(`why${kind}`)}`),
      h("p", { class: "chips" }, ...all.map((span) => chip(kind, span)), ...(rest > 0 ? [` ${t("moreOf", rest)}`] : [])));
  });
  rows.unshift(...dangerFindings(classes));
  if (rows.length === 0) rows.push(h("li", { class: "note" }, shown.inputCount ? t("noFindings") : t("explainEmpty")));
  $("findings").replaceChildren(...rows);
}

/** For some kinds of dangers, the class of escapes whose finding lists the same places. */
const SAME_CLASS = { bidi: 6, invisible: 6, control: 5, overlong: 4 };

/** Returns the warnings as findings, the most dangerous first. */
function dangerFindings(classes) {
  const kinds = new Map();
  for (const danger of shown.judged?.dangers ?? []) kinds.set(danger.kind, [...(kinds.get(danger.kind) ?? []), danger]);
  return [...kinds].filter(([kind]) => !classes.has(SAME_CLASS[kind])).map(([kind, all]) =>
    h("li", { class: "warning" }, h("p", {}, h("b", {}, t("warning", all[0].count)), ` ${whyDanger(all[0])}`),
      h("p", { class: "chips" }, ...all.map(({ from, to, text }) => h("button", { type: "button", title: t("at", from + 1), onclick: () => select_(views.input, from, to) },
        h("code", { class: "k4", dir: "ltr" }, kind === "oddSpace" || SAME_CLASS[kind] ? codesOf(text) : preview(text, 40)))))));
}

/** Writes spaces and line ends as visible characters. */
const visible = (text) => text.replace(/[\0-\x20\xa0]/g, (character) => ({ " ": "␣", "\n": "␊", "\r": "␍", "\t": "␉", "\xa0": "NBSP" })[character] ?? String.fromCharCode(0x2400 + character.charCodeAt(0)));

async function showLayers() {
  const { total, levels } = await ask("layers", { options: { ...options(), plus: shown.plus } });
  if (state.view !== "layers") return;
  const rows = levels.map(({ number: n, text, from, marks, len }) => {
    const code = h("code", { dir: "auto" }, from > 0 ? "…" : "");
    let at = 0;
    for (const [start, end] of marks) {
      code.append(text.slice(at, start), h("mark", {}, text.slice(start, end)));
      at = end;
    }
    code.append(text.slice(at), from + text.length < len ? "…" : "");
    return h("li", {}, h("span", { class: "n" }, number(n)), code,
      h("span", {}, h("span", { class: "raw" }, t("characters", len)), " ", h("button", { type: "button", class: "quiet", onclick: () => useLayer(n) }, t("use"))));
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
  const text = encodedText().slice(partStart());
  put(n === 0 ? text : engine.decode(text, undefined, 0, n).value);
}

// Shows the URL as a tree, and its query as a table.
const PARTS = ["scheme", "userinfo", "host", "port", "segment", "name", "value", "fragment"];
const ROWS = 100;
const URL_MOST = 1 << 21;
let firstRow = 0;

function partsOf(whole) {
  const start = partStart();
  const text = whole.slice(start);
  const isQuery = !/^[a-z][a-z0-9+.-]*:|^[/?#]|^\.{1,2}\//i.test(text) && /^[^\s/?#=&]*=/.test(text);
  const found = engine.split(text, isQuery, 400_000);
  const parts = [];
  for (let at = 4; at < found.length; at += 4) parts.push({ kind: PARTS[found[at]], from: start + found[at + 1], to: start + found[at + 1] + found[at + 2], layers: found[at + 3] });
  return { error: found[0] === 0xffffffff ? -1 : start + found[0], parts };
}

/** Decodes a name or value of a query. A `+` is a space, unless the user chose otherwise. */
const decoded = (text) => engine.decode(text, undefined, state.plus === "no" ? 0 : FLAG.PLUS).value;
const plainly = (text) => engine.decode(text).value;

/** The positions of the fields in the encoded text. An edit shifts the positions of all later fields. */
let spots = [];

/** The sets to encode the parts of a link with. Other parts stay as they are typed. */
const PART_SETS = { userinfo: "RFC3986_USERINFO", segment: "RFC3986_SEGMENT", fragment: "RFC3986_QUERY" };

/** A field that edits a part of the encoded text while the user types. `encode` encodes its text. */
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

const showUrl = () => isComposing || keepFocus(showParts);

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

/** The links around a nested link that the user has opened, from the outermost one: their texts, and the place of the nested link. */
let trail = [];

function openNested({ from, to }, nested) {
  const outer = [...trail, { text: encodedView().state.doc.toString(), kind: shown.judged.within ? "auto" : "link", from, to, nested }];
  put(nested, "link");
  trail = outer;
}

/** Returns to the link at this index of the trail. The edits of the links nested in it are kept. */
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

/** The options that no snippet obeys. Each has the choices with which a snippet is still correct. */
const UNSAID = { mode: ["percent"], lines: [false], charset: ["auto", "utf-8"], newline: ["keep"], hex: ["upper"], depth: ["1"], strict: [false], wrap: [false], keep: [false] };
const SAMPLE = 60;

/** Returns the beginning of the first line of a text. It never ends inside an escape, or inside the escapes of a character. */
function sampleOf(view) {
  const line = view.state.sliceDoc(0, 2000).split("\n")[0];
  const start = line.slice(0, SAMPLE);
  if (start.length === line.length) return line;
  const whole = start.replace(/(?:%[\da-f]{0,2})+$/i, "").replace(/[\ud800-\udbff]$/, "");
  return whole || /^(?:%[\da-f]{2})*/i.exec(line)[0];
}

/** Returns the labels of options. */
const labelsOf = (names) => names.map((name) => $(name).closest("label").querySelector("span").textContent).join(", ");

/** Returns true if the page encodes the text. Bytes in hexadecimal don't count, because no function of a language reads them. */
const isText = () => state.source === "decoded" && shown.judged?.kind !== "hex";

/** Shows the operation as code in one language. The page remembers the chosen language. */
function showCode() {
  const encodes = isText();
  const list = snippets({ encodes, set: state.set, members: members(), plus: encodes ? state.plus === "yes" : shown.plus !== "no", sample: sampleOf(views.input), encoded: sampleOf(encodedView()) });
  const wanted = memory.get("code");
  const { name, code } = list.find((snippet) => snippet.name === wanted) ?? list.find((snippet) => snippet.name === "JavaScript") ?? list[0];
  const choose = (name) => {
    memory.set("code", name);
    showCode();
    [...$("code").querySelectorAll(".names button")].find((button) => button.textContent === name)?.focus();
  };
  const names = list.map((snippet) => h("button", { type: "button", "aria-pressed": String(snippet.name === name), onclick: () => choose(snippet.name) }, snippet.name));
  const missing = encodes ? ENCODERS.filter((name) => !list.some((snippet) => snippet.name === name)) : [];
  const unsaid = Object.keys(UNSAID).filter((option) => !UNSAID[option].includes(state[option]));
  $("code").replaceChildren(
    ...(unsaid.length > 0 ? [h("p", { class: "badge", dir: "auto" }, t("codeLacks", labelsOf(unsaid)))] : []),
    h("p", { class: "names" }, ...names),
    ...(missing.length > 0 ? [h("p", { class: "note", dir: "auto" }, t("codeCannot", missing.join(", ")))] : []),
    h("div", { class: "snippet" }, h("header", {}, h("h3", {}, name), h("button", { type: "button", class: "quiet", "aria-label": `${t("copy")}: ${name}`, onclick: (event) => copyText(code, event.target) }, t("copy"))), h("pre", { tabindex: 0, "aria-label": name }, h("code", {}, code))),
  );
}

function showOthers() {
  const encodes = isText();
  const input = (encodes ? views.input : encodedView()).state.sliceDoc(0, 2000);
  const ours = shown.judged?.kind === "hex" ? plainly(input) : views.output.state.sliceDoc(0, 6100);
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
  const ignored = format === "text" ? [] : ignoredByFields(wanted, encodes);
  if (ignored.length > 0) return t("fileFields", labelsOf(ignored));
  const whole = format === "text" && bytes > WHOLE_MOST ? needsWhole(wanted, encodes) : [];
  return whole.length > 0 ? t("fileWhole", labelsOf(whole), size(WHOLE_MOST), size(bytes)) : undefined;
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
  recordsModule ??= unpack(RECORDS).catch((error) => {
    recordsModule = undefined;
    throw error;
  });
  const [module] = await recordsModule;
  return { module, format, fields: $("file-fields").value, header: hasHeader(format) && $("file-header").checked };
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

function showInput() {
  views.input.focus();
  scrollTo({ top: 0 });
}

const clauses = new Map();

function translate() {
  document.documentElement.lang = language();
  document.dir = document.documentElement.dir = LANGUAGES[language()];
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", t(element.dataset.label));
    if (element.tagName === "BUTTON") element.title = t(element.dataset.label);
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
  views.input.dispatch({ effects: words.reconfigure(placeholder(t("inputHint"))) });
  const mod = /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl";
  const keys = [[`${mod} Enter`, "keyCopy"], [`${mod} Shift Enter`, "keySwap"], [`${mod} Z`, "keyUndo"], ["Tab", "keyTab"], ["Esc", "keyEsc"], ["?", "keyHelp"]];
  $("shortcut-list").replaceChildren(...keys.flatMap(([key, text]) => [h("dt", {}, h("kbd", { dir: "ltr" }, key)), h("dd", {}, t(text))]));
  $("reference").replaceChildren(...reference(h, language(), (text) => (put(text), showInput()), (name) => (pick(name), showInput())));
  $("inspector").textContent = inspectorHint();
  document.title = t("title");
  showOptions();
  showFound();
}

function theme(name) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const more = matchMedia("(prefers-contrast: more)").matches;
  document.documentElement.dataset.theme = name === "auto" ? (more ? "contrast" : dark ? "dark" : "light") : name;
}

async function link() {
  const fields = { [state.source]: views.input.state.doc.toString() };
  if (state.kind !== "auto") fields.kind = state.kind;
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
  const side = ["decoded", "encoded"].find((name) => fields[name]);
  const kind = ["auto", ...KINDS].find((name) => name === fields.kind);
  if (side) put(fields[side], kind ?? (side === "decoded" ? "text" : "auto"));
  return side !== undefined;
}

/** The example of the first visit: a broken link. */
const EXAMPLE = "https://example.com/my file.pdf?discount=50%";

/** Shows the example, selected. Whatever the user types or pastes replaces it. */
function showExample() {
  views.input.dispatch({ changes: { from: 0, insert: EXAMPLE }, selection: { anchor: 0, head: EXAMPLE.length }, annotations: Transaction.addToHistory.of(false) });
  setExample(true);
}

// --- Start.

$("theme").value = memory.get("theme") ?? "auto";
if (!$("theme").value) $("theme").value = "auto";
theme($("theme").value);
for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) matchMedia(query).addEventListener("change", () => theme($("theme").value));
setLanguage([memory.get("language"), ...(navigator.languages ?? [navigator.language])].filter(Boolean));
$("language").value = language();
views.input = inputEditor();
views.output = outputEditor();
translate();
select("explain");
views.input.focus();

boot().then(() => {
  for (const [name, clause] of catalogue()) clauses.set(name, clause);
  readSet();
  translate();
  select(state.view);
  for (const id of CONTROLS) $(id).addEventListener("change", () => chosen(id));
  $("options").addEventListener("submit", (event) => event.preventDefault());
  $("own").addEventListener("input", () => setOwn($("own").value));
  $("search").addEventListener("input", showFound);
  $("search").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    const best = $("found").querySelector("button");
    if (best) pick(best.dataset.set);
  });
  $("swap").addEventListener("click", swap);
  $("settings").firstElementChild.addEventListener("click", () => (foldsOptions = false));
  $("copy").addEventListener("click", copy);
  $("paste").addEventListener("click", paste);
  $("download").addEventListener("click", download);
  $("clear").addEventListener("click", () => (put(""), views.input.focus()));
  $("kind").addEventListener("change", () => {
    const [from, to] = [{ kind: state.kind, isSwapped: state.isSwapped }, { kind: $("kind").value, isSwapped: false }];
    views.input.dispatch({ effects: kindEffect.of({ from, to }) });
    schedule();
  });
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain");
    if (!text || event.target.closest?.("input, textarea, .cm-content")) return;
    event.preventDefault();
    put(text);
  });
  $("link").addEventListener("click", link);
  $("help").addEventListener("click", () => $("shortcuts").showModal());
  $("language").addEventListener("change", () => {
    setLanguage([$("language").value]);
    translate();
    select(state.view);
    memory.set("language", language());
    refresh();
  });
  $("theme").addEventListener("change", () => {
    memory.set("theme", $("theme").value);
    theme($("theme").value);
  });
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
  if (!restore()) showExample();
  addEventListener("hashchange", restore);
  document.documentElement.dataset.ready = "true";
  performance.mark("ready");
  schedule();
}, (error) => fail(t("noWasm", error.message)));
