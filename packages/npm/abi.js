// Numbers that JavaScript shares with the modules. They are the same as in crates/wasm/src/abi.rs.

/** The bits of `flags`. */
export const FLAG = {
  LOWERCASE: 1,
  PLUS: 2,
  PLUS_AFTER_QUERY: 4,
  KEEP_TRIPLETS: 8,
  STRICT: 16,
  EACH_LINE: 32,
  LF: 64,
  CRLF: 128,
  WRAP: 256,
  CHECK_UTF8: 512,
  LATIN1: 1024,
};

/** The operations of `transform`, by number. */
export const TRANSFORM = {
  NORMALIZE: 0,
  NORMALIZE_BY_SCHEME: 1,
  NORMALIZE_ESCAPES: 2,
  SANITIZE: 3,
  TO_URI: 4,
  TO_IRI: 5,
  ESCAPE: 6,
  UNESCAPE: 7,
  SANITIZE_BY_SCHEME: 8,
  SANITIZE_ESCAPES: 9,
};

/** The kinds of repairs. The index of a kind is the number of its bit. */
export const REPAIRS = [
  "surroundings",
  "line-break",
  "space",
  "non-ascii",
  "percent",
  "bracket",
  "illegal",
  "u-escape",
  "entity",
  "backslash",
  "double-encoded",
  "punctuation",
  "idn",
  "ipv6",
];

/** The name of each `status`. The index is its number. */
export const STATUS = ["ok", "truncated", "not-hex", "invalid-utf8"];

/** The status if the small module can't decode an input with a set of kept bytes. The full module then decodes it, so no caller sees this status. */
export const NOT_SMALL = 4;

/** Means that there is no offset. */
export const NONE = 0xffffffff;
