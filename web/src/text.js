// The editors of the text and of its answer, with the colours of escapes.
import { history, historyKeymap, insertNewline, invertedEffects, isolateHistory, standardKeymap } from "@codemirror/commands";
import { Compartment, EditorState, StateEffect } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, drawSelection, highlightSpecialChars, hoverTooltip, keymap } from "@codemirror/view";
import { $, h } from "./dom.js";
import { language, t } from "./i18n.js";
import { classesOf } from "./judge.js";
import { engine } from "./library.js";
import { nameOf } from "./names.js";
import { DEFAULTS, REPAIRED, showOptions, shown, state } from "./state.js";

export const views = {};
export const words = new Compartment();
export const recolour = StateEffect.define();
/** Sets the kind of the text. Undo restores the previous kind. */
const kindEffect = StateEffect.define();
const kindOf = (kind, isSwapped) => kindEffect.of({ from: { kind: state.kind, isSwapped: state.isSwapped }, to: { kind, isSwapped } });
export const setKind = (kind) => views.input.dispatch({ effects: kindOf(kind, false) });

/** The view that has the encoded text. */
export const encodedView = () => (state.source === "encoded" ? views.input : views.output);
/** Returns true if a view has encoded text. The answer is encoded, too, if it is a repaired link. */
const isEncoded = (view) => view === encodedView() || (view === views.output && REPAIRED.includes(shown.judged?.verdict));

/** We read this many characters before and after the visible part, so that an escape at its start or its end is complete. */
const AROUND = 36;
export const FIELDS = 6;
export const HEAD = 11;
const ALL_CLASSES = (1 << HEAD) - 1;

/** Returns the spans of the escapes between two positions in a text. */
function spansOf(state_, from, to) {
  const start = Math.max(0, from - AROUND);
  const end = Math.min(state_.doc.length, to + AROUND);
  const found = engine.explain(state_.sliceDoc(start, end), classesOf(shown.judged?.kind, ALL_CLASSES), shown.plus === "yes", 20_000);
  const lines = state_ === views.input?.state ? shown.judged?.lines : undefined;
  const spans = [];
  for (let at = HEAD; at < found.length; at += FIELDS) {
    const [, , offset, len, bits, code] = found.subarray(at, at + FIELDS);
    if (start > 0 && offset < AROUND / 2) continue;
    if (lines && !lines.some(({ from, to }) => start + offset >= from && start + offset < to)) continue;
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

export const inspectorHint = () => t(matchMedia("(hover: none)").matches ? "inspectorTap" : "inspectorEmpty");

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

const attributes = (label) => EditorView.contentAttributes.of({ "aria-labelledby": label, spellcheck: "false", autocorrect: "off", autocapitalize: "off", dir: "auto", tabindex: "0" });

/** True while the page shows its example. Any paste replaces the example. */
export let isExample = false;
export function setExample(is) {
  isExample = is;
  $("example").hidden = !is;
  // While the page shows the example, "Paste" is the filled button, because visitors replace the example first.
  $("paste").classList.toggle("primary", is);
}

/**
 * Creates the editor of the text. Text gets in by keys, paste, drop, buttons, undo and the fragment of the URL; each of these is a transaction of
 * this editor. For each transaction that changes the text or its kind, the editor calls `changed` with the edits, and with true if the whole text is
 * new.
 */
function inputEditor({ changed, copy, swap }) {
  const listener = EditorView.updateListener.of((update) => {
    const kinds = update.transactions.flatMap(({ effects }) => effects.filter((effect) => effect.is(kindEffect)));
    for (const { value } of kinds) Object.assign(state, value.to);
    if (!update.docChanged) return kinds.length > 0 && changed([], false);
    setExample(false);
    const edits = [];
    update.changes.iterChanges((from, to, _, __, inserted) => edits.push([from, to, inserted.toString()]));
    const isReplaced = edits[0][0] === 0 && edits[0][1] === update.startState.doc.length;
    // A kind that a swap has set is valid only for the swapped text. If the user pastes another text, the page guesses again.
    if (isReplaced && state.isSwapped && update.transactions.some((transaction) => transaction.isUserEvent("input.paste") || transaction.isUserEvent("input.drop"))) Object.assign(state, { kind: "auto", isSwapped: false });
    // A swap keeps the charset, because it encodes what was decoded.
    const isSwap = kinds.some(({ value: { from, to } }) => from.isSwapped || to.isSwapped);
    if (isReplaced && !isSwap && state.charset === state.offeredCharset) {
      Object.assign(state, { charset: DEFAULTS.charset, offeredCharset: undefined });
      showOptions();
    }
    changed(edits, isReplaced);
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
    keymap.of([{ key: "Mod-Enter", run: () => (copy(), true) }, { key: "Mod-Shift-Enter", run: () => (swap(), true) }]),
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

/** Creates the editor of the answer. It is read-only. */
function outputEditor() {
  const extensions = [EditorState.readOnly.of(true), keymap.of(standardKeymap), attributes("output-label"), common()];
  return new EditorView({ parent: $("output"), state: EditorState.create({ doc: "", extensions }) });
}

/** Creates both editors. */
export const createViews = (actions) => Object.assign(views, { input: inputEditor(actions), output: outputEditor() });

/** Shows the answer. Replaces only the part that differs. */
export function mirror(text) {
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
export function put(text, kind = "auto", isSwapped = false) {
  const view = views.input;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: view.state.toText(text) }, effects: kindOf(kind, isSwapped), annotations: isolateHistory.of("full"), userEvent: "input.set" });
}

/** Returns the start of the part that the views below the answer explain. In headers and in lines of a log, this is the first encoded part. In other
 * texts, it is 0, because the views explain the whole text. */
export const partStart = () => shown.judged?.lines?.[0].from ?? 0;
/** Returns the encoded text, up to the end of the part that the views below the answer explain. */
export const encodedText = (most = Infinity) => encodedView().state.sliceDoc(0, Math.min(most, shown.judged?.lines?.[0].to ?? most));

/** Selects a range of a text, and scrolls to it. */
export function selectRange(view, from, to) {
  const { doc } = view.state;
  if (from > doc.length) return;
  view.dispatch({ selection: { anchor: from, head: Math.min(to, doc.length) }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}
