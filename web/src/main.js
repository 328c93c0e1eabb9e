// Starts the page: connects the elements with their functions, and shows the texts in the chosen language.
import { Transaction } from "@codemirror/state";
import { placeholder } from "@codemirror/view";
import { catalogue } from "../../packages/npm/sets.js";
import { copy, copyMain, download, link, paste, showInput, swap } from "./actions.js";
import { edited, onAnswer, schedule } from "./answer.js";
import { CHARSETS } from "./charset.js";
import { $, h, memory } from "./dom.js";
import { LANGUAGES, language, setLanguage, t } from "./i18n.js";
import { KINDS } from "./judge.js";
import { boot, engine, fail } from "./library.js";
import { reference } from "./reference.js";
import { COMMON, CONTROLS, DEFAULTS, clauses, readSet, showOptions, state } from "./state.js";
import { createViews, inspectorHint, put, setExample, setKind, views, words } from "./text.js";
import { cancelFile, chooseFile, showFormat, showProgress, startFile } from "./view/files.js";
import { forgetTrail } from "./view/parts.js";
import { chosen, pick, refresh, setOwn, showFound } from "./view/sets.js";
import { VIEWS, select, showView } from "./view/tabs.js";
import { showVerdict, stopFolding } from "./view/verdict.js";

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
  // The sets of `COMMON` are also in the catalogue, with the same values. For such a value, the browser shows the first option.
  $("set").replaceChildren(...COMMON.map(([name, key]) => h("option", { value: name }, t(key))), h("option", { value: "OWN" }, t("setOwn")), catalogue);
  const format = $("file-format").value || "text";
  const formats = [["text", t("formatText")], ["auto", t("formatAuto")], ["csv", t("formatCsv", ",")], ["csv;", t("formatCsv", ";")], ["csv|", t("formatCsv", "|")], ["tsv", t("formatTsv")], ["ndjson", t("formatNdjson")], ["json", t("formatJson")]];
  $("file-format").replaceChildren(...formats.map(([value, text]) => h("option", { value }, text)));
  $("file-format").value = format;
  showFormat();
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

function restore() {
  const fields = {};
  for (const pair of location.hash.slice(1).split("&")) {
    const at = pair.indexOf("=");
    if (at > 0) fields[pair.slice(0, at)] = engine.decode(pair.slice(at + 1)).value;
  }
  // A link has only the choices that differ from the defaults. A fragment without a field is no link: `#input` skips to the text.
  if (Object.keys(fields).length) Object.assign(state, DEFAULTS, { view: "explain" });
  for (const id of CONTROLS) {
    if (!(id in fields)) continue;
    if ($(id).type === "checkbox") state[id] = fields[id] === "true";
    else if ([...$(id).options].some(({ value }) => value === fields[id])) state[id] = fields[id];
  }
  if (fields.own) state.own = fields.own;
  readSet();
  showOptions();
  select(VIEWS.includes(fields.view) ? fields.view : state.view);
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

/** Shows the page. It can be read and typed in before the library is ready. */
export async function startPage() {
  $("theme").value = memory.get("theme") ?? "auto";
  if (!$("theme").value) $("theme").value = "auto";
  theme($("theme").value);
  for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) matchMedia(query).addEventListener("change", () => theme($("theme").value));
  setLanguage([memory.get("language"), ...(navigator.languages ?? [navigator.language])].filter(Boolean));
  $("language").value = language();
  createViews({
    changed(edits, isReplaced) {
      if (isReplaced) {
        state.refused = {};
        forgetTrail();
      }
      edited(edits);
    },
    copy: copyMain,
    swap,
  });
  onAnswer(() => (showVerdict(), showView()));
  translate();
  select("explain");
  views.input.focus();
  try {
    await boot(showProgress);
  } catch (error) {
    return fail(t("noWasm", error.message));
  }
  for (const [name, clause] of catalogue()) clauses.set(name, clause);
  connect();
  readSet();
  translate();
  select(state.view);
  if (!restore()) showExample();
  addEventListener("hashchange", restore);
  document.documentElement.dataset.ready = "true";
  performance.mark("ready");
  schedule();
}

/** Connects the elements with their functions. */
function connect() {
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
  $("settings").firstElementChild.addEventListener("click", stopFolding);
  $("copy").addEventListener("click", copy);
  $("paste").addEventListener("click", paste);
  $("download").addEventListener("click", download);
  $("clear").addEventListener("click", () => (put(""), views.input.focus()));
  $("kind").addEventListener("change", () => setKind($("kind").value));
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
}
