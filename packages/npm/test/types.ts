// `tsc --strict` compiles this file, but no test runs it. The types must accept whatever the package accepts, and reject everything else.
import * as percent from "../index.js";
import * as codec from "../codec.js";
import { Engine, FLAG, STATUS } from "../engine.js";

const texts: string[] = [
  percent.encode("a b"),
  percent.encode(1),
  percent.encode(2n),
  percent.encode(true),
  percent.encode(new ArrayBuffer(1)),
  percent.encode(new SharedArrayBuffer(1)),
  percent.encode(new DataView(new ArrayBuffer(1))),
  percent.encode(new Float64Array(1), { set: "RFC3986_PATH", plus: false, lowercase: true, keepTriplets: true }),
  percent.encode("é", { set: percent.ByteSet.of("é").union(percent.ByteSet.of(Uint8Array.of(1))), plus: undefined }),
  percent.decode("%41", { plus: "after-query", strict: true, keep: percent.ByteSet.named("rfc3986-segment"), fatal: true, layers: Infinity }),
  percent.normalize("http://h", { byScheme: true, sanitize: true }),
  percent.toUri("/é"),
  percent.toIri("/%C3%A9"),
  percent.repair("/é", { without: ["idn"] }).text,
  percent.redact("http://a:b@h"),
  percent.sortQuery("?b&a", { order: "sigv4", drop: ["utm_*"] }),
  percent.stringifyQuery({ a: 1, b: ["x", 2, undefined], c: undefined }, { set: "rfc3986-unreserved", plus: false }),
  percent.stringifyQuery(new Map([["a", 1]])),
  percent.stringifyQuery(percent.parseQuery("a=1", { plus: false, strict: true, fatal: true })),
  new URLSearchParams(percent.parseQuery("a=1")).toString(),
  percent.presets.AWS_SIGV4.encode("a/b"),
  percent.presets.AWS_SIGV4.clause,
  percent.encode("a", { set: percent.presets.WHATWG_FORM.set }),
  ...["a b"].map(percent.presets.PY_QUOTE_PLUS.encode),
  ...["http://h"].map(percent.normalize),
  ...["a=1"].map(percent.sortQuery),
  ...["http://h"].map(percent.repair).map(({ text }) => text),
  ...["a=1"].flatMap(percent.parseQuery).map(([name]) => name),
  ...percent.sets.map(({ name }) => percent.encode("a", { set: name })),
  new Engine(() => new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(8)))).encode("a", new Uint8Array(32), FLAG.PLUS | FLAG.LOWERCASE).value,
  STATUS[0],
  ...["a b"].map(percent.encode),
  ...Array.from(new Set(["a b"]), percent.encode),
  ...Array.from(["a+b"], codec.decode),
  ...[new Uint8Array(1)].map(percent.decode),
  ...["a b"].map(codec.encode),
  codec.encode("a b", { set: "RFC3986_PATH", plus: true }),
  codec.decode("a+b", { plus: true, strict: true, fatal: true }),
];
const bytes: Uint8Array[] = [
  percent.encodeBytes("a b", { set: "RFC3986_PATH" }),
  percent.decodeBytes("%FF", { layers: 2 }),
  ...["a"].map(percent.decodeBytes),
  codec.decodeBytes("%FF", { strict: true }),
];
// A result has an `ArrayBuffer` of its own, so the functions of browsers accept it.
const sources: BufferSource[] = [percent.encodeBytes("a"), percent.decodeBytes("a"), codec.encodeBytes("a"), codec.decodeBytes("a"), percent.presets.PY_QUOTE.encodeBytes("a")];
const read: ReadableStream<string> = new Blob(sources).stream().pipeThrough(percent.encodeStream()).pipeThrough(new TextDecoderStream());
const piped: ReadableStream<Uint8Array> = new Blob([]).stream().pipeThrough(percent.decodeStream({ keep: "RFC3986_SEGMENT" })).pipeThrough(percent.encodeStream());

// The second parameter has the type of the options. So the compiler's message for a wrong option names the option.
const optionsOf: [Parameters<typeof percent.encode>[1], Parameters<typeof codec.decode>[1]] = [{ set: "RFC3986_PATH" }, { strict: true }];

/** An interface has no index signature. */
interface Query {
  q: string;
  page?: number;
  tags: readonly string[];
}
const query: Query = { q: "a b", tags: [] };
texts.push(percent.stringifyQuery(query));

function told(error: unknown): string {
  if (!(error instanceof percent.PercentError)) return "";
  const { code, offset }: { code: "truncated" | "not-hex" | "invalid-utf8" | "no-memory" | "too-large" | "no-wasm" | "internal"; offset: number } = error;
  return `${code} ${offset}`;
}

// @ts-expect-error: unknown option
percent.encode("a", { lowerCase: true });
// @ts-expect-error: no such set
percent.encode("a", { set: "RFC3986_PAHT" });
// @ts-expect-error: no such preset
percent.presets.RFC3986_PAHT;
// @ts-expect-error: no such order
percent.sortQuery("a", { order: "length" });
// @ts-expect-error: a value isn't an input
percent.stringifyQuery({ a: { b: 1 } });
// @ts-expect-error: text isn't pairs
percent.stringifyQuery("a=1");
// @ts-expect-error: a text isn't a pair
percent.stringifyQuery(["a=1"]);
// @ts-expect-error: not a boolean
percent.encode("a", { plus: "yes" });
// @ts-expect-error: a set isn't an option
percent.encode("a", "RFC3986_PATH");
// @ts-expect-error: an object isn't an input
percent.encode({ length: 1, 0: 65 });
// @ts-expect-error: `decodeBytes` doesn't return text
percent.decodeBytes("a", { fatal: true });
// @ts-expect-error: layers need the whole input
percent.decodeStream({ layers: 2 });
// @ts-expect-error: the codec has no such option
codec.encode("a", { lowercase: true });
// @ts-expect-error: an array of numbers is neither a string nor a buffer
percent.ByteSet.of([65]);
// @ts-expect-error: only `of` and `named` create sets
new percent.ByteSet(new Uint8Array(32));

export { bytes, piped, read, texts, told };
