// The actions of buttons and keys: copy, paste, swap, save, link.
import { setByName } from "../../packages/npm/sets.js";
import { answer } from "./answer.js";
import { $, h, save } from "./dom.js";
import { fromHex } from "./hex.js";
import { t } from "./i18n.js";
import { engine } from "./library.js";
import { CONTROLS, DEFAULTS, shown, state } from "./state.js";
import { put, views } from "./text.js";

/** Copies a text. For a moment, the button shows that the text was copied. */
export async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page from file:// may not be allowed to use the clipboard. Then select the text in a new element, and copy the selection.
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

export const copy = async () => copyText(await answer(), $("copy"));
/** Clicks the filled button, which copies the link in the text. If there is none, clicks the button that copies the answer. */
export const copyMain = () => ($("first").querySelector(".primary") ?? $("copy")).click();

export async function paste() {
  try {
    put(await navigator.clipboard.readText());
  } catch {
    $("inspector").textContent = t("pasteRefused");
  }
  views.input.focus();
}

export async function download() {
  if (shown.judged?.verdict === "binary") return save(new Blob([fromHex(await answer()).bytes]), "bytes.bin");
  save(new Blob([await answer()], { type: "text/plain;charset=utf-8" }), `${other(state.source)}.txt`);
}

const other = (side) => (side === "decoded" ? "encoded" : "decoded");

/** The text before the last swap, and the text that replaced it. */
let swapped;

/** Replaces the text by the answer. A second swap restores the text from before the first. */
export async function swap() {
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

export function showInput() {
  views.input.focus();
  scrollTo({ top: 0 });
}

export async function link() {
  const fields = { [state.source]: views.input.state.doc.toString() };
  if (state.kind !== "auto") fields.kind = state.kind;
  for (const id of CONTROLS) if (state[id] !== DEFAULTS[id]) fields[id] = String(state[id]);
  if (state.set === "OWN") fields.own = state.own;
  if (state.view !== "explain") fields.view = state.view;
  const { set } = setByName("RFC3986_UNRESERVED");
  history.replaceState(null, "", `#${Object.entries(fields).map(([key, value]) => `${key}=${engine.encode(value, set).value}`).join("&")}`);
  await copyText(location.href);
  $("inspector").textContent = t("linked");
}
