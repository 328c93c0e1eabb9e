// The choices of the user, and the answer that the page shows.
import { setByName, setOf } from "../../packages/npm/sets.js";
import { $ } from "./dom.js";
import { language } from "./i18n.js";

export const DEFAULTS = {
  mode: "percent", set: "RFC3986_UNRESERVED", plus: "auto", lines: false, charset: "auto", newline: "keep", hex: "upper", depth: "1",
  strict: false, wrap: false, keep: false,
};
/**
 * `source` is the form of the user's text: "decoded" or "encoded". `kind` is the chosen kind of text. `refused` has the number of faults of each
 * kind that the user doesn't want to repair. `offeredCharset` is the charset that the user has taken from the page's offer for this text.
 */
export const state = { ...DEFAULTS, source: "encoded", kind: "auto", isSwapped: false, refused: {}, offeredCharset: undefined, own: "", view: "explain", bits: undefined };
/** The sets that most people need, shown above the catalogue. */
export const COMMON = [
  ["RFC3986_UNRESERVED", "setComponent"],
  ["RFC3986_URI", "setUri"],
  ["WHATWG_FORM", "setForm"],
  ["ALL", "setAll"],
];

export function options() {
  const { mode, plus, lines, charset, newline, hex, strict, wrap, keep, bits } = state;
  return { mode, plus, lines, charset, newline, hex, strict, wrap, keep, bits, depth: Number(state.depth), language: language() };
}

export function readSet() {
  if (state.set === "ALL") state.bits = setOf("");
  else if (state.set === "OWN") state.bits = setOf(state.own);
  else state.bits = setByName(state.set).set;
}

export const CONTROLS = ["mode", "set", "plus", "lines", "charset", "newline", "hex", "depth", "strict", "wrap", "keep"];

export function showOptions() {
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

/** Returns the ASCII characters that the set keeps. */
export function members() {
  let text = "";
  for (let byte = 0x20; byte < 0x7f; byte++) if (has(byte)) text += String.fromCharCode(byte);
  return text;
}

export const has = (byte) => ((state.bits[byte >> 3] >> (byte & 7)) & 1) === 1;

/** The sets of the catalogue: names and clauses. */
export const clauses = new Map();

/** Returns the labels of options. */
export const labelsOf = (names) => names.map((name) => $(name).closest("label").querySelector("span").textContent).join(", ");

/** Returns true if the page encodes a text. Returns false for bytes in hexadecimal, because the functions that other languages have can't read them. */
export const isText = () => state.source === "decoded" && shown.judged?.kind !== "hex";

/** The verdicts whose answer is a repaired link. */
export const REPAIRED = ["broken", "iri", "unrepaired"];

/** The answer that the page shows, as the worker returned it. */
export let shown = {};
export const setShown = (answer) => (shown = answer);
