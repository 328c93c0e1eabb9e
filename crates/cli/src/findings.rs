//! Findings in the fields of an input: the count and the first few places of each kind.

use std::fmt;

use memchr::{memchr, memchr_iter, memchr2_iter, memmem};
use percent_simd::Decoder;
use percent_simd::internal::triplet;
use percent_simd_records::formats::{self, Field};
use percent_simd_records::place::Place;
use percent_simd_records::transform::Effects;

use crate::later::Later;

/// The kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A `%` that starts no escape (RFC 3986 2.1).
    Malformed,
    /// The decoded field is not UTF-8 (RFC 3629).
    InvalidUtf8,
    /// An overlong form of UTF-8, such as `%C0%AF` for `/` (RFC 3629 3).
    Overlong,
    /// `%25` followed by two hexadecimal digits, which may be escaped. Decoding gives a new escape.
    Double,
    /// An escape of an unreserved character, which needs no escape (RFC 3986 2.3).
    Over,
    /// `%00`.
    Nul,
    /// `%0A` or `%0D`.
    LineEnd,
    /// After decoding all layers of its escapes, the field has a `../` that it did not have before.
    Traversal,
}

/// Each kind with its name in JSON and in text.
pub const KINDS: [(Kind, &str, &str); 8] = [
    (Kind::Malformed, "malformed", "malformed escape"),
    (Kind::InvalidUtf8, "invalid_utf8", "invalid UTF-8"),
    (Kind::Overlong, "overlong", "overlong UTF-8"),
    (Kind::Double, "double_encoded", "double-encoded"),
    (Kind::Over, "over_encoded", "over-encoded"),
    (Kind::Nul, "nul", "%00"),
    (Kind::LineEnd, "line_end", "%0A or %0D"),
    (Kind::Traversal, "traversal", "escaped ../"),
];

/// The lower bounds of the bins of a histogram. The histogram groups records by the percentage of their bytes that
/// belong to escapes.
pub const DENSITY: [u64; 8] = [0, 1, 2, 5, 10, 20, 50, 100];

/// A finding and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub kind: Kind,
    /// The offset of the finding in the chunk.
    pub offset: usize,
    /// The first few bytes of the finding. Only the first `len` elements are used.
    shown: [u8; SHOWN],
    len: u8,
    /// The byte after the shown bytes.
    pub next: Option<u8>,
}

/// At most this number of bytes of a finding are shown.
const SHOWN: usize = 12;

impl Found {
    /// Returns the finding at the start of `bytes`. Messages show at most `len` of these bytes.
    pub fn new(kind: Kind, offset: usize, bytes: &[u8], len: usize) -> Found {
        let len = len.min(SHOWN).min(bytes.len());
        let mut shown = [0; SHOWN];
        shown[..len].copy_from_slice(&bytes[..len]);
        Found { kind, offset, shown, len: len as u8, next: bytes.get(len).copied() }
    }

    /// Returns the shown bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.shown[..usize::from(self.len)]
    }
}

/// Counts of findings.
#[derive(Clone, Debug)]
pub struct Stats {
    pub bytes: u64,
    pub records: u64,
    pub fields: u64,
    pub escapes: u64,
    /// Records that are too long to be inspected.
    pub oversized: u64,
    pub skipped: u64,
    /// The count of each kind in [`KINDS`].
    pub kinds: [u64; KINDS.len()],
    /// The number of escapes of each byte.
    pub escaped_bytes: Box<[u64; 256]>,
    /// The number of records in each bin of [`DENSITY`]. A record without escapes is in no bin. So the first bin counts
    /// records above 0 % and below 1 %.
    pub density: [u64; DENSITY.len()],
    /// The first findings, at most `limit` of each kind.
    pub found: Vec<Found>,
    pub limit: usize,
    /// The counts of the transforms. `effects.unrecognized` counts records that have an escape and are not in their format.
    pub effects: Effects,
}

impl Stats {
    pub fn new(limit: usize) -> Stats {
        Stats {
            bytes: 0,
            records: 0,
            fields: 0,
            escapes: 0,
            oversized: 0,
            skipped: 0,
            kinds: [0; KINDS.len()],
            escaped_bytes: Box::new([0; 256]),
            density: [0; DENSITY.len()],
            found: Vec::new(),
            limit,
            effects: Effects::default(),
        }
    }

    pub fn count(&self, kind: Kind) -> u64 {
        self.kinds[kind as usize]
    }

    /// Returns the number of findings that make an input malformed. Other findings are only suspicious.
    pub fn bad(&self) -> u64 {
        self.count(Kind::Malformed) + self.count(Kind::InvalidUtf8)
    }

    fn find(&mut self, kind: Kind, text: &[u8], at: usize, base: usize) {
        self.kinds[kind as usize] += 1;
        if self.kinds[kind as usize] <= self.limit as u64 {
            let len = if kind == Kind::Malformed { 3 } else { SHOWN };
            self.found.push(Found::new(kind, base + at, &text[at..], len));
        }
    }

    /// Sorts `found` by offset. A record may have very many findings, so the sort allocates no memory.
    pub fn sort(&mut self) {
        let of_field = |kind| match kind {
            Kind::InvalidUtf8 => 1,
            Kind::Traversal => 2,
            // At the same offset, findings about one escape come before findings about a longer text.
            _ => 0,
        };
        self.found.sort_unstable_by_key(|found| (found.offset, of_field(found.kind), found.kind as u8));
    }

    /// Counts a record of `len` bytes in the histogram. `escaped` of these bytes belong to escapes.
    pub fn dense(&mut self, escaped: u64, len: usize) {
        if escaped > 0 {
            let share = 100 * escaped / (len as u64).max(1);
            let bucket = DENSITY.iter().rposition(|&from| from <= share).unwrap_or(0);
            self.density[bucket] += 1;
        }
    }

    /// Inspects `text`, the value of a field. `base` is the offset of the field in its chunk. `first` is the offset in `text` of
    /// the first `%`.
    pub fn inspect(&mut self, text: &[u8], first: usize, base: usize) {
        self.fields += 1;
        let before = self.escapes;
        // If all raw and all escaped bytes are ASCII, the decoded text is UTF-8. Only an escape of `.`, `/`, `\` or
        // `%`, or a latent escape, can hide a `../`.
        let (mut is_text, mut may_climb) = (text.is_ascii(), false);
        for at in memchr_iter(b'%', &text[first..]).map(|at| first + at) {
            match triplet(text, at) {
                Some(byte) => {
                    self.escapes += 1;
                    is_text &= byte.is_ascii();
                    may_climb |= matches!(byte, b'.' | b'/' | b'\\' | b'%');
                    self.escaped_bytes[usize::from(byte)] += 1;
                    if let Some(kind) = remarkable(byte, &text[at + 3..]) {
                        self.find(kind, text, at, base);
                    }
                }
                None => {
                    may_climb |= completes(&text[at + 1..]);
                    self.find(Kind::Malformed, text, at, base);
                }
            }
        }
        if self.escapes == before {
            return;
        }
        if is_text && !may_climb {
            return;
        }
        let decoded = Decoder::new().decode(text);
        if !is_text && str::from_utf8(&decoded).is_err() {
            // We search for the offset only if this finding is reported, because the search decodes the text again.
            let is_reported = self.count(Kind::InvalidUtf8) < self.limit as u64;
            let error = if is_reported { Decoder::new().decode_utf8(text).err() } else { None };
            self.find(Kind::InvalidUtf8, text, error.map_or(0, |error| error.offset), base);
        }
        if !may_climb {
            return;
        }
        let decoded = match memchr(b'%', &decoded) {
            None => decoded,
            Some(_) => Decoder::new().decode_layers(&*decoded, usize::MAX).bytes.into_owned().into(),
        };
        let is_climb = |text: &[u8], at: usize| text[..at].ends_with(b"..");
        let climbs = |text: &[u8]| memchr2_iter(b'/', b'\\', text).filter(|&at| is_climb(text, at)).count();
        if memmem::find(&decoded, b"..").is_some() && climbs(&decoded) > climbs(text) {
            self.find(Kind::Traversal, text, 0, base);
        }
    }

    /// Adds the counts of `other`, which come from a later part of the input. The caller merges `found`.
    pub fn add(&mut self, other: &Stats) {
        let pairs = [
            (&mut self.bytes, other.bytes),
            (&mut self.records, other.records),
            (&mut self.fields, other.fields),
            (&mut self.escapes, other.escapes),
            (&mut self.effects.unrecognized, other.effects.unrecognized),
            (&mut self.oversized, other.oversized),
            (&mut self.skipped, other.skipped),
        ];
        for (to, from) in pairs {
            *to += from;
        }
        let add = |to: &mut [u64], from: &[u64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        add(&mut self.kinds, &other.kinds);
        add(&mut self.escaped_bytes[..], &other.escaped_bytes[..]);
        add(&mut self.density, &other.density);
        add(&mut self.effects.layers, &other.effects.layers);
    }
}

/// How well records fit their format. Only inspected records are counted: all records with an escape, and a sample of the others.
#[derive(Clone, Debug, Default)]
pub struct Fit {
    pub inspected: u64,
    /// Records that are not in the format.
    pub unrecognized: u64,
    /// Records of the format that have a value that can't be read.
    pub unread: u64,
    /// The number of values without a place for the result of `--to`.
    pub unplaced: u64,
    /// If true, other records were not inspected.
    pub is_sample: bool,
    /// The number of records that have each chosen field.
    pub with_field: Vec<u64>,
    /// The URLs that aren't read.
    pub later: Later,
}

impl Fit {
    /// Counts a record of the kind `kind`. `fields` are the fields that the format found in the record. `chosen` is the
    /// number of fields that it searched for.
    pub fn count(&mut self, kind: formats::Kind, fields: &[Field], chosen: usize) {
        match kind {
            formats::Kind::Header | formats::Kind::Comment => return,
            formats::Kind::Unrecognized => self.unrecognized += 1,
            formats::Kind::Data => {
                self.with_field.resize(chosen, 0);
                fields.iter().for_each(|field| self.with_field[field.choice] += 1);
            }
        }
        self.inspected += 1;
    }

    /// Returns the number of records that aren't in the format, or have a value that can't be read.
    pub fn misfits(&self) -> u64 {
        self.unrecognized + self.unread
    }

    pub fn add(&mut self, other: &Fit) {
        self.inspected += other.inspected;
        self.unrecognized += other.unrecognized;
        self.unread += other.unread;
        self.unplaced += other.unplaced;
        self.is_sample |= other.is_sample;
        self.later.add(&other.later);
        self.with_field.resize(self.with_field.len().max(other.with_field.len()), 0);
        self.with_field.iter_mut().zip(&other.with_field).for_each(|(to, from)| *to += from);
    }
}

/// Returns true if `rest`, decoded once, starts with two hexadecimal digits. After a `%25` or a malformed `%`, they make a new
/// escape: `%25%32e` and `%%32e` become `%2e`.
pub fn completes(mut rest: &[u8]) -> bool {
    (0..2).all(|_| {
        let (byte, len) = match triplet(rest, 0) {
            Some(byte) => (byte, 3),
            None => (rest.first().copied().unwrap_or_default(), 1),
        };
        rest = rest.get(len..).unwrap_or_default();
        byte.is_ascii_hexdigit()
    })
}

/// Returns the kind of finding if an escape of `byte`, followed by `rest`, is suspicious.
pub fn remarkable(byte: u8, rest: &[u8]) -> Option<Kind> {
    match byte {
        0 => Some(Kind::Nul),
        b'\n' | b'\r' => Some(Kind::LineEnd),
        b'%' if completes(rest) => Some(Kind::Double),
        b'-' | b'.' | b'_' | b'~' => Some(Kind::Over),
        _ if byte.is_ascii_alphanumeric() => Some(Kind::Over),
        0xC0 | 0xC1 => Some(Kind::Overlong),
        _ if triplet(rest, 0).is_some_and(|second| starts_overlong(byte, second)) => Some(Kind::Overlong),
        _ => None,
    }
}

/// Returns true if `first` and `second` start an overlong form of UTF-8 (RFC 3629 3). RFC 2279 also had forms of five
/// and six bytes, which start with F8 and FC. Some old decoders still read these forms.
pub fn starts_overlong(first: u8, second: u8) -> bool {
    match first {
        0xC0 | 0xC1 => matches!(second, 0x80..=0xBF),
        0xE0 => matches!(second, 0x80..=0x9F),
        0xF0 => matches!(second, 0x80..=0x8F),
        0xF8 => matches!(second, 0x80..=0x87),
        0xFC => matches!(second, 0x80..=0x83),
        _ => false,
    }
}

/// A finding and its place in the input.
#[derive(Clone, Debug)]
pub struct Located {
    pub place: Place,
    pub found: Found,
}

impl Located {
    /// For a finding that stops the run, returns the bytes to show, and the error text.
    fn what(&self) -> (Vec<u8>, &'static str) {
        let ended = |&byte: &u8| byte == b'\n' || byte == b'\0';
        let bytes: Vec<u8> = self.found.bytes().iter().copied().take_while(|byte| !ended(byte)).collect();
        let next = self.found.bytes().get(bytes.len()).copied().or(self.found.next);
        let what = match next {
            _ if self.found.kind != Kind::Malformed => "does not decode to UTF-8",
            _ if !bytes.iter().skip(1).all(u8::is_ascii_hexdigit) => "is not an escape",
            None => "is cut off by the end of the input",
            Some(byte) if byte != self.place.line_end() => "is not an escape",
            Some(b'\0') => "is cut off by the end of the record",
            Some(_) => "is cut off by the end of the line",
        };
        (bytes, what)
    }
}

impl fmt::Display for Located {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, offset, .. } = self.place;
        let (bytes, what) = self.what();
        let (column, bytes) = (self.place.column(), bytes.escape_ascii());
        write!(f, "{line}: byte {offset} (column {column}): `{bytes}` {what}: ")?;
        match self.found.kind {
            Kind::Malformed => f.write_str(
                "two hexadecimal digits must follow a `%`; write `%25` for a literal `%`, or leave out --strict or --on-error \
                to keep it",
            ),
            _ => f.write_str("keep or replace it with --on-utf8, or fix the input"),
        }
    }
}
