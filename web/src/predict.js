// Packs the WebAssembly module for files with fields. It becomes a sixth smaller than with LZMA. But unpacking takes about a second, so
// the page unpacks it only when a file needs it.
//
// This is arithmetic coding: the likelier a bit is, the less room it takes. Packing and unpacking compute the same probability for each bit, from the bytes
// before it. There are several contexts, such as the last two bytes, or the current instruction. Each context counts how often the next bit was 1. If the
// last bytes are also at an earlier place, the byte after that place is predicted. The place may be in `known`, another module that the page has already
// unpacked. The weights of these predictions are learned from their errors. Matt Mahoney's "Data Compression Explained" describes the method. All numbers
// are integers, or sums and products of doubles, so every browser computes the same ones.

/** The counters of all contexts share this many places. */
const PLACES = 1 << 22;
/** A counter adapts more slowly with each bit, up to this many. */
const SLOWEST = 20;
const RATES = Float64Array.from({ length: SLOWEST + 1 }, (_, seen) => 1 / (seen + 1.5));
/** A new counter is trusted less. */
const TRUST = Float64Array.from({ length: SLOWEST + 1 }, (_, seen) => (seen === 0 ? 0 : Math.min(1, 0.5 + 0.15 * seen)));
const LEARNING = 0.004;
/** The number of contexts, and of all predictions: the last one is that of the match. */
const CONTEXTS = 10;
const ALL = CONTEXTS + 1;
const MATCH_MOST = 63;

/** Returns e to the power of `x`. Engines differ in the last digits of `Math.exp`. */
function exp(x) {
  let power = 1 + x / 1024;
  for (let at = 0; at < 10; at++) power *= power;
  return power;
}
/** The probability, of 65,536, for each sum of weighted predictions. */
const ODDS = Uint16Array.from({ length: 4096 }, (_, at) => Math.max(16, Math.min(65520, Math.round(65536 / (1 + exp((2048 - at) / 256))))));
/** The inverse of `ODDS`: the prediction for each probability, of 4096. */
const PREDICTIONS = new Float64Array(4096);
for (let at = 0, odds = 0; odds < 4096; odds++) {
  while (at < 4095 && ODDS[at] < 16 * odds + 8) at++;
  PREDICTIONS[odds] = (at - 2048) / 256;
}

function hash(a, b) {
  const mixed = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 15);
}

/** Follows the grammar of a WebAssembly module (its specification, 5). After each byte that it gets, it describes the place of the next byte in `seen`. */
function* grammar(seen) {
  let at = 0;
  function* byte() {
    const value = yield;
    at++;
    seen.here = hash(seen.here, value + 1);
    return value;
  }
  /** Reads a number in LEB128. */
  function* number() {
    for (let value = 0, shift = 0; ; shift += 7) {
      const next = yield* byte();
      value |= (next & 127) << shift;
      if (next < 128) return value;
    }
  }
  const start = (kind) => {
    seen.kind = seen.here = kind;
  };
  function* operand(which) {
    seen.kind = hash(seen.operations & 255, which);
    seen.here = hash(seen.here, which);
    const value = yield* number();
    seen.last.set(seen.kind, seen.here);
    return value;
  }
  function* operands(operation) {
    if (operation === 0x0e) for (let left = 2 + (yield* operand(0)); --left > 0; ) yield* operand(1);
    else if (operation === 0x43 || operation === 0x44) for (let left = operation === 0x43 ? 4 : 8; left > 0; left--) yield* byte();
    else if (operation === 0xfc) {
      const bulk = yield* operand(0);
      if (bulk >= 8) yield* operand(1);
      if (bulk === 8 || bulk === 10) yield* operand(2);
    } else if (operation === 0x11 || (operation >= 0x28 && operation <= 0x3e)) {
      yield* operand(0);
      yield* operand(1);
    } else if ((operation >= 0x02 && operation <= 0x04) || [0x0c, 0x0d, 0x10].includes(operation) || (operation >= 0x20 && operation <= 0x26) || (operation >= 0x3f && operation <= 0x42)) yield* operand(0);
  }
  start(0);
  for (let left = 8; left > 0; left--) yield* byte();
  for (;;) {
    start(1);
    const section = yield* byte();
    start(2);
    const end = (yield* number()) + at;
    start(16 + section);
    // Only the code section, 10, has instructions.
    if (section !== 10) {
      while (at < end) {
        yield;
        at++;
      }
      continue;
    }
    for (let left = yield* number(); left > 0; left--) {
      start(3);
      const stop = (yield* number()) + at;
      start(4);
      for (let locals = yield* number(); locals > 0; locals--) {
        yield* number();
        yield* byte();
      }
      while (at < stop) {
        start(5);
        const operation = yield* byte();
        seen.before = (seen.before << 8) | (seen.operations >>> 24);
        seen.operations = (seen.operations << 8) | operation;
        yield* operands(operation);
        seen.instruction = seen.here;
      }
    }
  }
}

/** Returns `size` bytes. For each bit, calls `code` with the probability that it is 1, of 65,536. `code` returns the bit. */
function predict(size, known, code) {
  const output = new Uint8Array(known.length + size);
  output.set(known);
  const seen = { kind: 0, here: 0, operations: 0, before: 0, instruction: 0, last: new Map() };
  const reader = grammar(seen);
  reader.next();
  const counters = new Uint16Array(PLACES).fill(1 << 15);
  const counts = new Uint8Array(PLACES);
  const matchCounters = new Uint16Array(2 * MATCH_MOST + 2).fill(1 << 15);
  /** The weights by the bits of the byte so far, and by the place in the grammar. */
  const byNode = new Float64Array(256 * ALL).fill(0.15);
  const byKind = new Float64Array(256 * ALL).fill(0.15);
  const predictions = new Float64Array(ALL);
  const places = new Int32Array(CONTEXTS);
  /** The last place after the same five bytes, and the length of the match with this place. */
  const found = new Int32Array(1 << 18);
  let from = 0;
  let len = 0;
  for (let at = 0; at < output.length; ) {
    const [a, b, c, d] = [output[at - 1], output[at - 2], output[at - 3], output[at - 4]];
    const pair = hash(a, b);
    const four = hash(hash(pair, c), d);
    const key = hash(four, output[at - 5]) >>> 14;
    if (at < known.length) {
      found[key] = at++;
      continue;
    }
    if (len > 0 && output[from] === a) {
      from++;
      len = Math.min(len + 1, MATCH_MOST);
    } else len = 0;
    if (len === 0) {
      from = found[key];
      while (len < Math.min(from, 32) && output[from - len - 1] === output[at - len - 1]) len++;
    }
    found[key] = at;
    const expected = output[from] | 256;
    const { here, kind, operations, before, instruction, last } = seen;
    const contexts = [here, hash(a, 1), hash(pair, 2), hash(four, 3), hash(hash(b, c), 4), hash(here, instruction), hash(hash(here, 5), operations & 0xffff),
      hash(hash(here, 6), operations & 0xffffff), hash(hash(here, operations), before & 255), hash(hash(here, 7), last.get(kind) ?? 0)];
    const ofKind = ALL * (kind & 255);
    let node = 1;
    for (let bit = 7; bit >= 0; bit--) {
      // The counters of four bits are next to each other.
      if (bit === 7 || bit === 3) {
        for (let context = 0; context < CONTEXTS; context++) {
          const mixed = hash(hash(contexts[context], context), node);
          places[context] = (mixed ^ (mixed >>> 13)) & (PLACES - 16);
        }
      }
      const low = bit > 3 ? node : (8 >> bit) | (node & ((8 >> bit) - 1));
      const ofNode = ALL * node;
      let sum = 0;
      for (let context = 0; context < CONTEXTS; context++) {
        const place = places[context] | low;
        const prediction = PREDICTIONS[counters[place] >>> 4] * TRUST[counts[place]];
        predictions[context] = prediction;
        sum += (byNode[ofNode + context] + byKind[ofKind + context]) * prediction;
      }
      const isMatch = len > 0 && expected >>> (bit + 1) === node;
      const match = 2 * len + ((expected >>> bit) & 1);
      predictions[CONTEXTS] = isMatch ? PREDICTIONS[matchCounters[match] >>> 4] : 0;
      sum += (byNode[ofNode + CONTEXTS] + byKind[ofKind + CONTEXTS]) * predictions[CONTEXTS];
      const odds = ODDS[Math.max(0, Math.min(4095, Math.floor(sum * 256) + 2048))];
      const one = code(odds);
      const step = (one - odds / 65536) * LEARNING;
      for (let at = 0; at < ALL; at++) {
        const change = step * predictions[at];
        byNode[ofNode + at] += change;
        byKind[ofKind + at] += change;
      }
      const target = one * 65535;
      for (let context = 0; context < CONTEXTS; context++) {
        const place = places[context] | low;
        counters[place] += (target - counters[place]) * RATES[counts[place]];
        if (counts[place] < SLOWEST) counts[place]++;
      }
      if (isMatch) matchCounters[match] += (target - matchCounters[match]) / 64;
      node = 2 * node + one;
    }
    output[at++] = node;
    reader.next(node & 255);
  }
  return output.subarray(known.length);
}

/** Packs bytes. To unpack them, the same `known` is necessary. */
export function pack(bytes, known) {
  const packed = [];
  let [low, high, at] = [0, 2 ** 32 - 1, 0];
  predict(bytes.length, known, (odds) => {
    const one = (bytes[at >> 3] >> (7 - (at & 7))) & 1;
    at++;
    const middle = low + Math.floor(((high - low) * odds) / 65536);
    if (one === 1) high = middle;
    else low = middle + 1;
    for (; (low ^ high) >>> 24 === 0; low = (low << 8) >>> 0, high = ((high << 8) | 255) >>> 0) packed.push(high >>> 24);
    return one;
  });
  packed.push(high >>> 24, 0, 0, 0);
  return Uint8Array.from(packed);
}

/** Unpacks `size` bytes. Throws if the data ends early. */
export function unpack(packed, size, known) {
  let [low, high, value, next] = [0, 2 ** 32 - 1, 0, 0];
  const read = () => {
    if (next === packed.length) throw new Error("damaged module");
    value = ((value << 8) | packed[next++]) >>> 0;
  };
  for (let at = 0; at < 4; at++) read();
  return predict(size, known, (odds) => {
    const middle = low + Math.floor(((high - low) * odds) / 65536);
    const one = value <= middle ? 1 : 0;
    if (one === 1) high = middle;
    else low = middle + 1;
    for (; (low ^ high) >>> 24 === 0; low = (low << 8) >>> 0, high = ((high << 8) | 255) >>> 0) read();
    return one;
  });
}
