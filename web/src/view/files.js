// Files, which the worker processes.
import { $, h } from "../dom.js";
import { size, t } from "../i18n.js";
import { ask, fail, unpackRecords, whyOf } from "../library.js";
import { ignoredByFields, needsWhole } from "../run.js";
import { labelsOf, options } from "../state.js";

/** The file that is processed, or that was processed last. */
let job = { id: 0, isRunning: false, isCancelled: false, size: 0 };
/** A file of up to this size, in bytes, can be processed as a whole. */
const WHOLE_MOST = 32e6;

/** Returns why a file can't be processed with these options. Returns undefined if it can. */
function refusalOf({ size: bytes }, encodes, format) {
  const wanted = options();
  const ignored = format === "text" ? [] : ignoredByFields(wanted, encodes);
  if (ignored.length > 0) return t("fileFields", labelsOf(ignored));
  const whole = format === "text" && bytes > WHOLE_MOST ? needsWhole(wanted, encodes) : [];
  return whole.length > 0 ? t("fileWhole", labelsOf(whole), size(WHOLE_MOST), size(bytes)) : undefined;
}

export function chooseFile(file) {
  $("file").chosen = file;
  $("file-name").replaceChildren(...(file ? [" ", h("bdi", {}, file.name), ` · ${size(file.size)}`] : []));
  $("file-start").disabled = !file || job.isRunning;
  if (job.isRunning) return;
  $("file-status").textContent = "";
  $("file-result").replaceChildren();
}

export async function startFile() {
  const file = $("file").chosen;
  const encodes = $("file-direction").value === "encode";
  $("file-result").replaceChildren();
  const refusal = refusalOf(file, encodes, $("file-format").value);
  if (refusal) return void ($("file-status").textContent = refusal);
  const mine = (job = { id: job.id + 1, isRunning: true, isCancelled: false, size: file.size });
  const message = { job: mine.id, file, encodes, options: options() };
  $("file-start").disabled = true;
  try {
    const name = `${file.name}.${encodes ? "encoded" : "decoded"}`;
    const handle = await target(name);
    if (handle !== null) await work(mine, name, { ...message, handle });
  } catch (error) {
    $("file-status").textContent = whyOf(error);
  }
  mine.isRunning = false;
  $("file-cancel").hidden = true;
  $("file-start").disabled = false;
}

/** Asks the user for a file to write the result to. Returns undefined if the browser can't ask, and null if the user cancels. */
async function target(suggestedName) {
  if (!window.showSaveFilePicker || document.documentElement.dataset.blob) return undefined;
  try {
    return await window.showSaveFilePicker({ suggestedName });
  } catch (error) {
    return error.name === "AbortError" ? null : undefined;
  }
}

async function work(mine, name, message) {
  $("file-cancel").hidden = false;
  $("file-progress").hidden = false;
  $("file-progress").value = 0;
  const records = await recordsWanted();
  const done = mine.isCancelled ? undefined : await ask("file", { ...message, records });
  const outcome = !done || done.isCancelled ? t("cancelled") : done.status !== "ok" ? t(`error_${done.status}`, done.offset + 1) : t("fileDone");
  $("file-status").textContent = done ? `${outcome} · ${fileLine(done)}` : outcome;
  $("file-progress").value = 1;
  if (!done?.blob) return;
  const link = h("a", { href: URL.createObjectURL(done.blob), download: name, class: "button primary" }, `${t("download")} ${size(done.blob.size)}`);
  $("file-result").replaceChildren(link);
}

export function cancelFile() {
  job.isCancelled = true;
  ask("cancel", { job: job.id }).catch((error) => fail(whyOf(error)));
}

function fileLine({ read, written, seconds, malformed, replaced, unrecognized }) {
  const parts = [t("fileLine", size(read), size(written), Math.round(read / 1e6 / Math.max(seconds, 0.001)))];
  if (malformed !== undefined) parts.push(t("malformedLine", malformed));
  if (replaced !== undefined) parts.push(t("replacedLine", replaced));
  if (unrecognized !== undefined) parts.push(t("formatLine", unrecognized));
  return parts.join(" · ");
}

/** Returns the chosen fields, and the module that finds them. Returns undefined if the whole text is processed. */
async function recordsWanted() {
  const format = $("file-format").value;
  if (format === "text") return undefined;
  recordsModule ??= unpackRecords().catch((error) => {
    recordsModule = undefined;
    throw error;
  });
  return { module: await recordsModule, format, fields: $("file-fields").value, header: hasHeader(format) && $("file-header").checked };
}

let recordsModule;
const hasHeader = (format) => /^[ct]sv/.test(format);

export function showFormat() {
  const format = $("file-format").value;
  $("file-fields-label").hidden = format === "text";
  $("file-header-label").hidden = !hasHeader(format);
}

export function showProgress(data) {
  if (data.progress !== job.id) return;
  $("file-progress").value = data.read / Math.max(1, job.size);
  $("file-status").textContent = fileLine(data);
}
