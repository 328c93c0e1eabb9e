// Does everything that may take long: whole texts, layers, findings, and files. The text is stored here, and the page sends only its changes.
import { Engine, NONE, STATUS } from "../../packages/npm/engine.js";
import { Small } from "../../packages/npm/small.js";
import { classesOf, judge } from "./judge.js";
import { unlzma } from "./lzma.js";
import { unpack } from "./predict.js";
import { Records } from "./records.js";
import { decodeBytes, encode, flagsOf, forBytes, needsWhole, preview } from "./run.js";

/** The page shows at most this many characters of a result. */
const SHOWN = 1 << 17;
/** At most this many findings of each class are listed. */
const FINDINGS = 50;
const LAYERS_SHOWN = 16;
/** If the text has several lines, each line has its own answer. The page shows at most this many of these answers. */
const LINES_SHOWN = 100;
const ABOUT = 600;
/** A file is processed in parts of this many bytes. The output of a part is less than eight times as long, even if each line feed becomes %0D%0A. */
const PIECE = 1 << 17;
/** This many bytes of output are collected before they are written. */
const HELD = 1 << 22;
/** The classes that are listed as findings: needless, invalid, control, invisible, malformed, double, raw. */
const TELLING = (1 << 1) | (1 << 4) | (1 << 5) | (1 << 6) | (1 << 7) | (1 << 8) | (1 << 9);

/** The classes whose characters are always escaped: all except invisible, malformed and raw ones. */
const ESCAPES = 0x7ff & ~((1 << 6) | (1 << 7) | (1 << 9));
/** An explanation is an array of numbers. It starts with `CLASSES` counts, one for each class. Then `FIELDS` numbers describe each span. */
const CLASSES = 11;
const FIELDS = 6;

const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

let known;
let engine;
let text = "";
/** The encoded text: the text itself, or the result of encoding it. */
let encoded = "";
let result = { value: "" };
let job;

const handlers = {
  /** Unpacks and compiles the modules of a visit. They are packed together, one after the other. The first one helps to unpack the module for files. */
  async unpack({ packed, sizes }) {
    const startOf = (number) => sizes.slice(0, number).reduce((sum, size) => sum + size, 0);
    const bytes = unlzma(fromBase64(packed), startOf(sizes.length));
    known = bytes.subarray(0, sizes[0]);
    return { modules: await Promise.all(sizes.map((_, number) => WebAssembly.compile(bytes.subarray(startOf(number), startOf(number + 1))))) };
  },

  /** Unpacks and compiles the module for files with fields. */
  async unpackRecords({ packed, size }) {
    return { module: await WebAssembly.compile(unpack(fromBase64(packed), size, known)) };
  },

  async start({ codec, full }) {
    engine = new Engine(() => new WebAssembly.Instance(full), codec && new Small(() => new WebAssembly.Instance(codec)));
    return {};
  },

  /** Edits or replaces the text, then judges and converts it. In a batch of edits, positions refer to the text before that batch. */
  run({ whole, batches = [], kind, repairs, options: given }) {
    if (whole !== undefined) text = whole;
    for (const edits of batches) {
      // Apply the edits from the last to the first, so that the positions of earlier edits stay valid.
      for (const [from, to, insert] of edits.reverse()) text = text.slice(0, from) + insert + text.slice(to);
    }
    const { result: made, judged, options } = judge(engine, text, kind, given, repairs);
    result = made;
    const { value, status, offset, charset, layers, invalidUtf8 } = result;
    const [first] = judged.lines ?? [{ from: 0, to: text.length }];
    encoded = judged.encodes ? value : text.slice(first.from, first.to);
    const at = offset === NONE ? -1 : unitOffset(text, offset);
    return {
      value: preview(value, SHOWN),
      len: value.length,
      status,
      // The position of the error in characters, counted from 1, or 0 if there is no error.
      place: at < 0 ? 0 : count(text.slice(0, at)) + 1,
      charset,
      layers,
      isUtf8: invalidUtf8 === undefined || invalidUtf8 === NONE,
      words: explained(judged, options.plus === "yes"),
      plus: options.plus,
      judged: { ...withFault(judged, value), lines: judged.lines?.map(({ from, to, line, name }) => ({ from, to, line, name })), groups: groupsOf(judged.lines ?? []) },
      inputCount: count(text),
      count: count(value),
    };
  },

  /** Returns the whole result. */
  result: () => ({ value: result.value }),

  /** Returns each layer of the encoded text, beginning with the text itself, and the number of layers. */
  layers({ options }) {
    const flags = flagsOf({ plus: options.plus }, false);
    const total = engine.decode(encoded, undefined, flags, 0xfffffff0, "bytes").layers;
    const levels = [];
    let last = encoded;
    const show = (number, value) => {
      const at = number === 0 ? 0 : differs(last, value);
      const from = Math.max(0, at - 60);
      const part = preview(value.slice(from), ABOUT);
      // Mark the escapes that the next layer decodes.
      const escapes = engine.explain(part, ESCAPES, number === 0 && options.plus === "yes", ABOUT);
      const marks = [];
      for (let at = CLASSES; at < escapes.length; at += FIELDS) marks.push([escapes[at + 2], escapes[at + 2] + escapes[at + 3]]);
      levels.push({ number, len: value.length, from, text: part, marks });
      last = value;
    };
    show(0, encoded);
    for (let number = 1; number <= Math.min(total, LAYERS_SHOWN); number++) {
      show(number, engine.decode(last, undefined, number === 1 ? flags : 0).value);
    }
    if (total > LAYERS_SHOWN) show(total, engine.decode(encoded, undefined, flags, 0xfffffff0).value);
    return { total, levels };
  },

  /** Processes a file. Writes the result to the user's file, or to a Blob. */
  async file({ job: id, file, handle, encodes, records, options: chosen }) {
    const mine = (job = { id, isCancelled: false, reader: undefined });
    const options = forBytes(chosen);
    const makes = records ? fieldsOf : needsWhole(options, encodes).length > 0 ? wholeOf : bytesOf;
    const codec = makes(encodes, options, records);
    const sink = handle ? await handle.createWritable() : undefined;
    const blobs = [];
    // A Blob copies its parts, so we can reuse the buffer. With new buffers, garbage as large as the file would pile up.
    const buffer = new Uint8Array(HELD);
    let held = 0;
    let read = 0;
    let written = 0;
    const began = performance.now();
    let told = -Infinity;
    const flush = async () => {
      if (held === 0) return;
      const blob = new Blob([buffer.subarray(0, held)]);
      held = 0;
      if (sink) return void (await sink.write(blob));
      blobs.push(blob);
      // The browser moves the parts of a large Blob to disk. To wait until it has done so, read a byte.
      await blob.slice(0, 1).arrayBuffer();
    };
    const write = (bytes) => {
      buffer.set(bytes, held);
      held += bytes.length;
      written += bytes.length;
    };
    /** Makes space in the buffer for `len` bytes. */
    const space = async (len) => {
      if (held + len > HELD) await flush();
    };
    const done = () => ({ read, written, seconds: (performance.now() - began) / 1000, ...codec.told() });
    try {
      const reader = (mine.reader = file.stream().getReader());
      for (;;) {
        const { done: isEnd, value } = await reader.read();
        if (isEnd || mine.isCancelled || codec.status() !== "ok") {
          if (!isEnd) await reader.cancel();
          break;
        }
        read += value.length;
        await codec.push(value, write, space);
        const now = performance.now();
        if (now - told > 100) {
          told = now;
          postMessage({ progress: id, ...done() });
        }
      }
      if (!mine.isCancelled) await codec.finish(write, space);
      await flush();
      const failed = mine.isCancelled || codec.status() !== "ok";
      if (sink) await (failed ? sink.abort() : sink.close());
      return { ...done(), isCancelled: mine.isCancelled, status: codec.status(), offset: codec.offset(), blob: failed || sink ? undefined : new Blob(blobs) };
    } catch (error) {
      await sink?.abort().catch(() => {});
      throw error;
    }
  },

  /** Ends the work on a file, even if it waits for the disk. */
  async cancel({ job: id }) {
    if (job?.id !== id) return {};
    job.isCancelled = true;
    await job.reader?.cancel();
    return {};
  },
};

/** Adds the text of the first fault that wasn't repaired, and its place: the position in characters, counted from 1, or 0 if there is no fault. */
const withFault = (judged, value) => ({ ...judged, faultPlace: judged.fault < 0 ? 0 : count(value.slice(0, judged.fault)) + 1, faultText: faultTextOf(judged, value) });

/** Returns the text of the fault, with visible spaces. Hides a password. */
function faultTextOf({ fault, dangers }, value) {
  if (fault < 0) return "";
  const isSecret = dangers.some(({ kind, from, to }) => kind === "password" && from <= fault && fault < to);
  return isSecret ? "•••" : preview(value.slice(fault), 12).replaceAll(" ", "␣");
}

/**
 * Groups lines by the sentences that the page has about them. Each group has the number of its lines, and its first answers: at least
 * one in each group, and at most `LINES_SHOWN` in all groups together.
 */
function groupsOf(lines) {
  const groups = new Map();
  for (const { from, to, name, result: { value, status, charset }, judged: plain } of lines) {
    const judged = withFault(plain, value);
    const { verdict, counts, linkCounts, dangers, host, falseHost, twice, faultPlace, faultText, works, isRepaired } = judged;
    const key = JSON.stringify([name, charset, verdict, counts, linkCounts, dangers.map(({ kind }) => kind), host, falseHost, twice, faultPlace, faultText, works, isRepaired, verdict === "twice" && judged.layers]);
    if (!groups.has(key)) groups.set(key, { name, status, charset, judged, answers: [] });
    groups.get(key).answers.push({ from, to, value });
  }
  const shown = [...groups.values()].slice(0, LINES_SHOWN);
  let left = LINES_SHOWN - shown.length;
  return shown.map(({ answers, ...group }) => {
    const more = Math.min(left, answers.length - 1);
    left -= more;
    return { ...group, count: answers.length, answers: answers.slice(0, 1 + more) };
  });
}

/** Explains the encoded text, or each judged line. Returns numbers as `Engine.explain` does, with places in the whole text. */
function explained(judged, isForm) {
  const words = Array(CLASSES).fill(0);
  const listed = [...words];
  for (const { from, to, judged: { kind } } of judged.lines ?? [{ from: 0, judged }]) {
    const classes = classesOf(kind, TELLING);
    const found = engine.explain(judged.lines ? text.slice(from, to) : encoded, classes, isForm, FINDINGS);
    for (let at = 0; at < CLASSES; at++) if (at !== 9 || classes === TELLING) words[at] += found[at];
    for (let at = CLASSES; at < found.length; at += FIELDS) {
      found[at + 2] += from;
      if (listed[found[at + 4] & 0xff]++ < FINDINGS) words.push(...found.subarray(at, at + FIELDS));
    }
  }
  return Uint32Array.from(words);
}

/** Encodes or decodes a file piece by piece. */
function bytesOf(encodes, options) {
  const stream = engine.stream(encodes, encodes ? options.bits : undefined, flagsOf(options, encodes));
  return {
    async push(bytes, write, space) {
      for (let from = 0; from < bytes.length; from += PIECE) {
        await space(8 * PIECE);
        stream.push(bytes.subarray(from, from + PIECE), write);
      }
    },
    async finish(write, space) {
      await space(8 * PIECE);
      stream.finish(write);
    },
    status: () => STATUS[stream.status],
    offset: () => stream.offset,
    told: () => (encodes ? {} : { malformed: stream.malformed }),
  };
}

/** Processes a file as a whole. Options that need all bytes together require this. */
function wholeOf(encodes, options) {
  const pieces = [];
  let output = { status: "ok", offset: 0 };
  return {
    async push(bytes) {
      pieces.push(bytes);
    },
    async finish(write, space) {
      const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
      output = encodes ? encode(engine, bytes, options, "bytes") : decodeBytes(engine, bytes, options);
      if (output.status === "ok") await emit([output.value], write, space);
    },
    status: () => output.status,
    offset: () => output.offset,
    told: () => ({ malformed: output.malformed, replaced: output.replaced }),
  };
}

/** Processes the fields of a file's records. */
function fieldsOf(encodes, options, { module, ...wishes }) {
  const records = new Records(module, { ...wishes, encodes, options });
  return {
    push: (bytes, write, space) => emit(records.push(bytes), write, space),
    finish: (write, space) => emit(records.finish(), write, space),
    status: () => records.status,
    offset: () => 0,
    told: () => ({ unrecognized: records.unrecognized, ...(encodes ? {} : { malformed: records.malformed }) }),
  };
}

/** Writes results, in pieces that fit into the buffer. */
async function emit(results, write, space) {
  for (const bytes of results) {
    for (let from = 0; from < bytes.length; from += PIECE) {
      const piece = bytes.subarray(from, from + PIECE);
      await space(piece.length);
      write(piece);
    }
  }
}

/** Returns the first position at which two texts differ. */
function differs(a, b) {
  const most = Math.min(a.length, b.length);
  let at = 0;
  // Compare whole substrings, in steps that get smaller.
  for (let step = 1 << 16; step > 0; step >>= 4) while (at + step <= most && a.slice(at, at + step) === b.slice(at, at + step)) at += step;
  return at;
}

/** In a text longer than this, we count code points instead of characters, because finding the borders of characters would take too long. */
const SEGMENTED = 1 << 15;
const segmenter = new Intl.Segmenter();

/** Returns the number of characters, as people count them. */
function count(text) {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let found = 0;
  if (text.length <= SEGMENTED) for (const _ of segmenter.segment(text)) found++;
  else found = text.length - (text.match(/[\ud800-\udbff](?=[\udc00-\udfff])/g)?.length ?? 0);
  return found;
}

/** Converts an offset in UTF-8 to an offset in UTF-16. */
function unitOffset(text, offset) {
  const bytes = new Uint8Array(offset);
  return new TextEncoder().encodeInto(text, bytes).read;
}

/** Answers the messages of the page. */
export function startWorker() {
  onmessage = async ({ data }) => {
    try {
      postMessage({ id: data.id, ...(await handlers[data.type](data)) });
    } catch (error) {
      postMessage({ id: data.id, failure: String(error?.message ?? error), code: error?.code, offset: error?.offset });
    }
  };
}
