// The results of other functions.
import { $, h } from "../dom.js";
import { t } from "../i18n.js";
import { engine, plainly } from "../library.js";
import { othersDecode, othersEncode } from "../others.js";
import { isText, shown } from "../state.js";
import { encodedView, views } from "../text.js";

/** Shows the results of functions in other languages, and marks the results that differ from ours. */
export function showOthers() {
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
