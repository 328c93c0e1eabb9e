// The library. The engine runs here for the visible part of a text, and in the worker for everything else.
import { Engine } from "../../packages/npm/engine.js";
import { hasSimd, instancesOf } from "../../packages/npm/memory.js";
import { Small } from "../../packages/npm/small.js";
import { $ } from "./dom.js";
import { MESSAGES, t } from "./i18n.js";

const instances = async (module) => instancesOf(module, await WebAssembly.instantiate(module));

export let engine;
export let worker;
let calls = 0;
const waiting = new Map();

/** Calls an operation of the worker. Returns a promise of its result. */
export function ask(type, message = {}) {
  const id = ++calls;
  worker.postMessage({ ...message, type, id });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

/** Unpacks and compiles the first `count` modules of a visit. The worker unpacks modules, because this takes long. */
const unpack = async (count) => (await ask("unpack", { packed: $("modules").textContent, sizes: $("modules").dataset.sizes.split(" ", count).map(Number) })).modules;
/** Unpacks and compiles the module for files with fields. This takes about a second. */
export const unpackRecords = async () => (await ask("unpackRecords", { packed: $("records").textContent, size: Number($("records").dataset.size) })).module;

/** Starts the worker and the engine. Calls `showProgress` with the progress of a file. */
export async function boot(showProgress) {
  const source = new Blob([$("script").textContent], { type: "text/javascript" });
  worker = new Worker(URL.createObjectURL(source));
  worker.onmessage = ({ data }) => {
    if (data.progress) return showProgress(data);
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.failure) reject(Object.assign(new Error(data.failure), { code: data.code, offset: data.offset }));
    else resolve(data);
  };
  worker.onerror = (event) => fail(t("failed", event.message));
  const [full, codec] = await unpack(hasSimd() ? 2 : 1);
  engine = new Engine(await instances(full), codec && new Small(await instances(codec)));
  await ask("start", { codec, full });
}

/** Decodes a text once. */
export const plainly = (text) => engine.decode(text).value;

/** Returns the message of a failure. If the failure is known, the message is in the page's language. */
export const whyOf = ({ message, code, offset }) => (`error_${code}` in MESSAGES ? t(`error_${code}`, offset + 1) : t("failed", message));

/** Shows a failure on the page. */
export function fail(message) {
  $("failure").hidden = false;
  $("failure").textContent = message;
}
