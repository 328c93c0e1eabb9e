// Unpacks LZMA, which makes the WebAssembly modules a sixth smaller than gzip does. Browsers have no decoder for it. The format is that of
// `xz --format=lzma`, with the settings of build.mjs: lc=3, lp=0, pb=0. LZMA's own specification has the algorithm.

const STATES = 12;
/** The number of probabilities for the lengths of matches: two choices, then trees of 3, 3 and 8 bits. */
const LENGTHS = 2 + 8 + 8 + 256;
/** The index of the first probability of each kind. */
const MATCH = 0;
const REP = MATCH + STATES;
const REP_0 = REP + STATES;
const REP_1 = REP_0 + STATES;
const REP_2 = REP_1 + STATES;
const REP_0_LONG = REP_2 + STATES;
const SLOTS = REP_0_LONG + STATES;
const DISTANCES = SLOTS + 4 * 64;
const ALIGN = DISTANCES + 128;
const MATCH_LENGTHS = ALIGN + 16;
const REP_LENGTHS = MATCH_LENGTHS + LENGTHS;
const LITERALS = REP_LENGTHS + LENGTHS;
const ALL = LITERALS + 8 * 0x300;

/** The header: the settings in one byte, the sizes of the dictionary and of the data. */
const HEADER = 13;

/** Unpacks the first `size` bytes. Throws if the data is damaged. */
export function unlzma(packed, size) {
  const output = new Uint8Array(size);
  const odds = new Uint16Array(ALL).fill(1 << 10);
  let next = HEADER + 1;
  let range = 2 ** 32 - 1;
  let code = 0;
  for (let at = 0; at < 4; at++) code = code * 256 + packed[next++];

  const refill = () => {
    if (range >= 2 ** 24) return;
    range *= 256;
    code = code * 256 + packed[next++];
  };
  const bit = (at) => {
    const bound = (range >>> 11) * odds[at];
    const isOne = code >= bound;
    if (isOne) {
      range -= bound;
      code -= bound;
      odds[at] -= odds[at] >> 5;
    } else {
      range = bound;
      odds[at] += (2048 - odds[at]) >> 5;
    }
    refill();
    return isOne ? 1 : 0;
  };
  const tree = (base, bits) => {
    let node = 1;
    for (let at = 0; at < bits; at++) node = (node << 1) | bit(base + node);
    return node - (1 << bits);
  };
  /** Reads a tree whose lowest bit comes first. */
  const reversed = (base, bits) => {
    let node = 1;
    let value = 0;
    for (let at = 0; at < bits; at++) {
      const one = bit(base + node);
      node = (node << 1) | one;
      value |= one << at;
    }
    return value;
  };
  /** Reads bits that are as often 0 as 1. */
  const even = (bits) => {
    let value = 0;
    for (let at = 0; at < bits; at++) {
      range = Math.floor(range / 2);
      const one = code >= range ? 1 : 0;
      code -= one * range;
      value = value * 2 + one;
      refill();
    }
    return value;
  };
  const length = (base) => {
    if (bit(base) === 0) return 2 + tree(base + 2, 3);
    return bit(base + 1) === 0 ? 10 + tree(base + 10, 3) : 18 + tree(base + 18, 8);
  };
  const distance = (len) => {
    const slot = tree(SLOTS + 64 * Math.min(len - 2, 3), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const start = (2 | (slot & 1)) * 2 ** bits;
    return slot < 14 ? start + reversed(DISTANCES + start - slot, bits) : start + even(bits - 4) * 16 + reversed(ALIGN, 4);
  };

  let state = 0;
  /** The last four distances, the newest first. The distance 0 means the previous byte. */
  let recent = [0, 0, 0, 0];
  for (let at = 0; at < size; ) {
    if (bit(MATCH + state) === 0) {
      const base = LITERALS + 0x300 * (at > 0 ? output[at - 1] >> 5 : 0);
      let symbol = 1;
      if (state >= 7) {
        // The byte after a match differs from the byte that would have continued the match. So the probabilities of each bit depend on that
        // other byte, up to the first bit that differs.
        for (let expected = output[at - recent[0] - 1]; symbol < 0x100; expected <<= 1) {
          const guess = (expected >> 7) & 1;
          const one = bit(base + ((1 + guess) << 8) + symbol);
          symbol = (symbol << 1) | one;
          if (one !== guess) break;
        }
      }
      while (symbol < 0x100) symbol = (symbol << 1) | bit(base + symbol);
      output[at++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let len;
    if (bit(REP + state) === 0) {
      len = length(MATCH_LENGTHS);
      recent = [distance(len), recent[0], recent[1], recent[2]];
      state = state < 7 ? 7 : 10;
    } else {
      // The index of the distance in `recent`, or -1 to copy one byte at the newest distance.
      const which = bit(REP_0 + state) === 0 ? (bit(REP_0_LONG + state) === 0 ? -1 : 0) : bit(REP_1 + state) === 0 ? 1 : 2 + bit(REP_2 + state);
      if (which > 0) recent = [recent[which], ...recent.filter((_, other) => other !== which)];
      len = which < 0 ? 1 : length(REP_LENGTHS);
      state = which < 0 ? (state < 7 ? 9 : 11) : state < 7 ? 8 : 11;
    }
    if (recent[0] >= at) throw new Error("damaged LZMA");
    for (const end = Math.min(at + len, size); at < end; at++) output[at] = output[at - recent[0] - 1];
  }
  if (next > packed.length) throw new Error("damaged LZMA");
  return output;
}
