// The views below the answer, and their tabs.
import { $ } from "../dom.js";
import { state } from "../state.js";
import { showCode } from "./code.js";
import { showFindings, showLegend } from "./findings.js";
import { showLayers } from "./layers.js";
import { showOthers } from "./others.js";
import { showUrl } from "./parts.js";
import { paintMap } from "./sets.js";

export const VIEWS = ["explain", "layers", "url", "map", "code", "others", "files", "reference"];

/** Shows the selected view. */
export function showView() {
  const show = { explain: showFindings, layers: showLayers, url: showUrl, map: paintMap, code: showCode, others: showOthers }[state.view];
  show?.();
  showLegend();
}

/** Selects a view. */
export function select(view, isFocused) {
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
