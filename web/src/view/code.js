// The operation as code.
import { copyText } from "../actions.js";
import { ENCODERS, snippets } from "../code.js";
import { $, h, memory } from "../dom.js";
import { t } from "../i18n.js";
import { isText, labelsOf, members, shown, state } from "../state.js";
import { encodedView, views } from "../text.js";

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

/** Shows the operation as code in one language. The page remembers the chosen language. */
export function showCode() {
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
