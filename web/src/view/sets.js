// The options, the search of sets, and the map of ASCII.
import { setByName } from "../../../packages/npm/sets.js";
import { schedule } from "../answer.js";
import { $, h } from "../dom.js";
import { isolated, language, t } from "../i18n.js";
import { engine } from "../library.js";
import { CONTROL_NAMES, nameOf } from "../names.js";
import { search } from "../presets.js";
import { COMMON, clauses, has, members, readSet, showOptions, shown, state } from "../state.js";
import { setKind } from "../text.js";

/** Takes the choice of a control. */
export function chosen(id) {
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
export function showFound() {
  const query = $("search").value.trim();
  const found = search(query, Object.fromEntries(COMMON.map(([name, key]) => [name, t(key)])));
  const buttons = found.slice(0, FOUND_MOST).map(({ name, clause }) =>
    h("button", { type: "button", "aria-pressed": String(state.set === name), onclick: () => (pick(name), focusFound(name)), "data-set": name }, h("bdi", { dir: "ltr" }, clause)));
  const rest = found.length - buttons.length;
  $("found").hidden = query === "";
  $("found").replaceChildren(...(query && found.length === 0 ? [t("searchNone")] : buttons), ...(rest > 0 ? [t("moreOf", rest)] : []));
}

/** Returns the focus to the clicked result, because a click creates the list of results anew. */
const focusFound = (name) => $("found").querySelector(`[data-set="${name}"]`)?.focus();

/** Chooses a set by its name. Whoever picks a set wants to encode, so a link or a form then counts as text. */
export function pick(name) {
  $("set").value = name;
  chosen("set");
  if (!["link", "form"].includes(shown.judged?.kind)) return;
  setKind("text");
}

/** Shows the chosen set, and the answer with the chosen options. */
export function refresh() {
  paintMap();
  schedule();
}

/** Shows which characters the set keeps, in a map of ASCII. */
export function paintMap() {
  if (!engine) return;
  const map = $("map");
  if (map.children.length === 0) {
    for (let byte = 0; byte < 128; byte++) {
      const text = CONTROL_NAMES[byte] ?? (byte === 32 ? "SP" : byte === 127 ? "DEL" : String.fromCharCode(byte));
      map.append(h("button", { type: "button", class: text.length > 1 ? "ctl" : "", "data-byte": byte, onclick: () => toggle(byte) }, text));
    }
    map.addEventListener("keydown", (event) => {
      const columns = getComputedStyle(map).gridTemplateColumns.split(" ").length;
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
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
  setOwn(has(byte) ? members().replaceAll(character, "") : members() + character);
}

/** Chooses a set of the user: these characters. */
export function setOwn(text) {
  state.set = "OWN";
  state.own = text;
  readSet();
  showOptions();
  refresh();
}
