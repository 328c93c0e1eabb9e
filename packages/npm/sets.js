// The catalogue of sets, and sets of one's own: 256 bits as 32 bytes, from byte 0 on.
import { CATALOGUE } from "./catalogue.js";

const byName = new Map(CATALOGUE.map((entry) => [entry[0], entry]));

/** The names and clauses of the catalogue. */
export const catalogue = () => CATALOGUE.map(([name, clause]) => [name, clause]);

/** A set of the catalogue, and the flags of its users; or undefined. The case of the name does not matter, nor `-` for `_`. */
export function setByName(name) {
  const entry = byName.get(name.toUpperCase().replaceAll("-", "_"));
  if (!entry) return undefined;
  const [, , bits, flags] = entry;
  const set = new Uint8Array(32);
  for (let at = 0; 2 * at < bits.length; at++) set[at] = parseInt(bits.slice(2 * at, 2 * at + 2), 16);
  return { set, flags };
}

/** The set of these bytes, or of the bytes of these characters in UTF-8. */
export function setOf(members) {
  const set = new Uint8Array(32);
  for (const byte of typeof members === "string" ? new TextEncoder().encode(members) : members) set[byte >> 3] |= 1 << (byte & 7);
  return set;
}

/** Whether there is no byte above ASCII in a set. */
export const isAscii = (set) => set.subarray(16).every((byte) => byte === 0);
