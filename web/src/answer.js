// Sends each change of the text to the worker, and receives the answer.
import { $ } from "./dom.js";
import { ALL_REPAIRS, PAGE_REPAIRS } from "./judge.js";
import { ask, fail, whyOf, worker } from "./library.js";
import { options, setShown, shown, state } from "./state.js";
import { mirror, recolour, views } from "./text.js";

/** The changes that the worker doesn't know yet. */
const pending = { edits: [], whole: true, timer: 0, running: false };

/** Shows an answer. */
let show;
export const onAnswer = (callback) => (show = callback);

/** Sends these changes of the text to the worker. */
export function edited(edits) {
  pending.edits.push(edits);
  schedule();
}

export function schedule() {
  document.documentElement.dataset.idle = "false";
  if (!pending.timer) pending.timer = setTimeout(run, 0);
}

async function run() {
  pending.timer = 0;
  if (!worker || pending.running) return;
  pending.running = true;
  const repairs = PAGE_REPAIRS.reduce((bits, kind, bit) => (kind in state.refused ? bits & ~(1 << bit) : bits), ALL_REPAIRS);
  const message = { kind: state.kind, repairs, options: options() };
  if (pending.whole) message.whole = views.input.state.doc.toString();
  else message.batches = pending.edits;
  pending.edits = [];
  pending.whole = false;
  try {
    const result = await ask("run", message);
    $("failure").hidden = true;
    if (pending.edits.length === 0 && !pending.whole) {
      setShown(result);
      state.source = document.documentElement.dataset.source = result.judged.encodes ? "decoded" : "encoded";
      mirror(result.status === "ok" ? result.value : "");
      for (const view of Object.values(views)) view.dispatch({ effects: recolour.of(null) });
      show();
    }
  } catch (error) {
    fail(whyOf(error));
    pending.whole = false;
  }
  pending.running = false;
  if (pending.edits.length > 0 || pending.whole) schedule();
  document.documentElement.dataset.idle = String(!pending.timer && !pending.running);
}

/** Returns the whole answer. */
export async function answer() {
  return shown.value?.length === shown.len ? shown.value : (await ask("result")).value;
}
