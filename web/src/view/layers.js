// The layers of a text that is encoded more than once.
import { $, h } from "../dom.js";
import { number, t } from "../i18n.js";
import { ask, engine } from "../library.js";
import { preview } from "../run.js";
import { options, shown, state } from "../state.js";
import { encodedText, partStart, put } from "../text.js";
import { URL_MOST, decoded, pairsOf, partsOf } from "./parts.js";

/** Shows each layer, and marks the characters that differ from the layer above. */
export async function showLayers() {
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
  // A long layer scrolls. Browsers scroll it by keyboard only if it can have the focus.
  for (const code of $("layers").querySelectorAll("code")) if (code.scrollHeight > code.clientHeight) code.tabIndex = 0;
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
