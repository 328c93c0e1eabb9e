//! The code that all benchmarks here and in `crates/rivals` share: the inputs, the peers, and the comparison of their times.
//!
//! | word | meaning |
//! | --- | --- |
//! | [`Contest`] | an operation on many strings of one kind |
//! | entry | one implementation of the operation: a plain copy, a peer, or an engine of this library |
//! | variant | a second entry of an engine, with another call for the same work |
//! | pass | a run of an entry over all strings of the contest |
//! | round | a part of a race: all entries run one after the other, each for the same time |
//! | [`Trial`] | like a contest, but its entries are any two or three calls |
//! | race | the times of all entries of a contest or trial |
//!
//! The strings of a contest all differ. If one short string were used again and again, the branch predictor would learn its
//! escapes.

use std::borrow::Cow;
use std::cell::{LazyCell, RefCell};
use std::fmt;
use std::hint::black_box;
use std::io::Write;

use percent_encoding::{percent_decode, percent_encode};
use percent_simd::{Decoder, Encoder, Engine, Plus, sets};
use percent_simd_oracle::{Decode, Encode, LENIENT};

pub mod bounds;
pub mod clock;
mod inputs;
pub mod memory;
pub mod options;
mod peers;
pub mod race;
pub mod standards;
pub mod turns;

pub use inputs::{KINDS, Kind};
pub use peers::UNRESERVED;

/// The encoder of all contests.
pub const ENCODER: Encoder = Encoder::new(sets::RFC3986_UNRESERVED);
/// The decoder of all contests.
pub const DECODER: Decoder = Decoder::new();

/// An operation. All operations that decode come after the operations that encode, so that [`decodes`](Op::decodes) is one
/// comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Op {
    /// Encodes to a new `String`. A second variant for each engine encodes to a slice.
    Encode,
    /// Encodes to a `Cow`.
    EncodeCow,
    /// Encodes to a `String` that is reused.
    EncodeReuse,
    /// Encodes to a new `String`, with a space as `+`.
    EncodePlus,
    /// Computes only the length of the encoded form.
    EncodedLen,
    /// Finds only the first byte that encoding changes.
    FirstChanged,
    /// Encodes in chunks.
    EncodeStream,
    /// Encodes many rows in one call. A second variant for each engine encodes the same bytes as one string.
    EncodeBatch,
    /// Decodes to a `Cow`. A second variant for each engine decodes to a slice.
    Decode,
    /// Decodes to a `Vec` that is reused.
    DecodeReuse,
    /// Decodes to a `Cow` of text. A second variant for each engine decodes to a `Cow` of bytes.
    DecodeUtf8,
    /// Decodes to a `Cow`, with `+` as a space.
    DecodePlus,
    /// Copies the input and decodes the copy in place.
    DecodeInPlace,
    /// Decodes in chunks.
    DecodeStream,
    /// Decodes many rows in one call. A second variant for each engine decodes the same bytes as one string.
    DecodeBatch,
}

impl Op {
    /// Returns true if the input is encoded text.
    #[must_use]
    pub fn decodes(self) -> bool {
        self >= Op::Decode
    }

    /// Returns the expected output.
    fn oracle(self, src: &[u8]) -> Vec<u8> {
        match self {
            Op::EncodePlus => Encode { plus: true, ..ENCODE }.run(src),
            Op::EncodedLen => Some(encoded(src).len()).bytes(&Scratch::default()),
            Op::FirstChanged => ENCODE.first_changed(src).bytes(&Scratch::default()),
            Op::DecodePlus => Decode { plus_always: true, ..LENIENT }.run(src).out,
            op if op.decodes() => decoded(src),
            _ => encoded(src),
        }
    }
}

const ENCODE: Encode = Encode::new(percent_simd_oracle::UNRESERVED);

/// Returns the expected output of an encoder that keeps the unreserved characters.
#[must_use]
pub fn encoded(src: &[u8]) -> Vec<u8> {
    ENCODE.run(src)
}

/// Returns the expected output of lenient decoding.
#[must_use]
pub fn decoded(src: &[u8]) -> Vec<u8> {
    LENIENT.run(src).out
}

/// An operation on strings of one kind.
pub struct Contest {
    /// The operation.
    pub op: Op,
    /// The kind of input.
    pub kind: Kind,
    /// The length of a string, or of a row of a batch, in bytes.
    pub len: usize,
    /// The number of strings, or of rows.
    pub count: usize,
    /// The strings and their expected outputs. They are made when an entry first runs.
    data: LazyCell<Data, Box<dyn FnOnce() -> Data>>,
}

struct Data {
    strings: Vec<Vec<u8>>,
    /// The offsets of the rows of a batch.
    offsets: Vec<i64>,
    expected: Vec<Vec<u8>>,
    scratch: RefCell<Scratch>,
}

/// The buffers that entries write to.
#[derive(Default)]
pub struct Scratch {
    /// A slice that is long enough for every output.
    pub slice: Vec<u8>,
    /// A vector that is reused from call to call.
    pub bytes: Vec<u8>,
    /// A string that is reused from call to call.
    pub text: String,
    /// The ends of rows, reused from call to call.
    pub offsets: Vec<i64>,
}

impl Contest {
    /// Creates a contest in `op` on `count` strings of `len` bytes.
    #[must_use]
    pub fn new(op: Op, kind: Kind, len: usize, count: usize) -> Contest {
        let data = move || {
            let mut strings = kind.strings(op, len, count);
            let offsets = (0..=count).map(|row| (row * len) as i64).collect();
            if matches!(op, Op::EncodeBatch | Op::DecodeBatch) {
                strings = vec![strings.concat()];
            }
            let expected = strings.iter().map(|string| op.oracle(string)).collect();
            let longest = strings.iter().map(Vec::len).max().unwrap_or_default();
            let scratch = Scratch { slice: vec![0; 3 * longest], ..Scratch::default() };
            Data { strings, offsets, expected, scratch: RefCell::new(scratch) }
        };
        Contest { op, kind, len, count, data: LazyCell::new(Box::new(data)) }
    }

    /// Returns the number of bytes of input in a pass.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.len * self.count
    }

    /// Returns the entries.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry<'_>> {
        let mut list = vec![
            self.reference("memcpy", |s, scratch| black_box(&mut scratch.slice)[..s.len()].copy_from_slice(s)),
            self.reference("to_vec", |s, _| s.to_vec()),
        ];
        if self.kind == Kind::Escaped(0.0) {
            list.push(self.reference("memchr", |s, _| memchr::memchr(b'%', s)));
        }
        match self.op {
            Op::EncodeReuse => list.push(self.entry("percent-encoding", |s, scratch| {
                scratch.text.clear();
                scratch.text.extend(percent_encode(s, UNRESERVED));
                Text
            })),
            Op::DecodeReuse => list.push(self.entry("percent-encoding", |s, scratch| {
                scratch.bytes.clear();
                scratch.bytes.extend(percent_decode(s));
                Bytes
            })),
            _ => peers::entries(self, &mut list),
        }
        for engine in Engine::available() {
            self.engine(engine, &mut list);
        }
        list
    }

    /// Adds the entries of an engine. The entry that has the engine's name performs the operation itself. The name of a variant
    /// is the engine's name with a suffix, like `avx2/slice`.
    fn engine<'a>(&'a self, engine: &'static Engine, list: &mut Vec<Entry<'a>>) {
        let (encoder, decoder) = (ENCODER.with_engine(engine), DECODER.with_engine(engine));
        let way = |way: &str| format!("{engine}/{way}");
        match self.op {
            Op::Encode => {
                list.push(self.entry(engine, move |s, _| encoder.encode_to_string(s)));
                list.push(self.entry(way("slice"), move |s, scratch| {
                    Slice(encoder.encode_slice(s, &mut scratch.slice).unwrap().len())
                }));
            }
            Op::EncodeCow => list.push(self.entry(engine, move |s, _| encoder.encode(s))),
            Op::EncodeReuse => list.push(self.entry(engine, move |s, scratch| {
                scratch.text.clear();
                encoder.encode_into(s, &mut scratch.text);
                Text
            })),
            Op::EncodePlus => {
                let encoder = encoder.space_to_plus();
                list.push(self.entry(engine, move |s, _| encoder.encode_to_string(s)));
            }
            Op::EncodedLen => list.push(self.entry(engine, move |s, _| encoder.encoded_len(s))),
            Op::FirstChanged => list.push(self.entry(engine, move |s, _| encoder.first_changed(s))),
            Op::EncodeStream => {
                for chunk in [256, 4096, 65536] {
                    list.push(self.entry(way(&format!("{chunk}")), move |s, scratch| {
                        let (mut stream, mut written) = (encoder.stream(), 0);
                        for chunk in s.chunks(chunk) {
                            written += stream.push(chunk, &mut scratch.slice[written..]).written;
                        }
                        Slice(written + stream.finish(&mut scratch.slice[written..]).unwrap().written)
                    }));
                }
                list.push(self.entry(way("writer"), move |s, scratch| {
                    scratch.bytes.clear();
                    let mut writer = encoder.writer(&mut scratch.bytes);
                    writer.write_all(s).unwrap();
                    writer.finish().unwrap();
                    Bytes
                }));
            }
            Op::EncodeBatch => {
                list.push(self.entry(engine, move |s, scratch| {
                    scratch.clear();
                    let Scratch { bytes, offsets, .. } = scratch;
                    encoder.encode_batch(s, &self.data.offsets, bytes, offsets).unwrap();
                    Bytes
                }));
                list.push(self.entry(way("long"), move |s, scratch| {
                    scratch.clear();
                    encoder.encode_into_vec(s, &mut scratch.bytes);
                    Bytes
                }));
            }
            Op::Decode => {
                list.push(self.entry(engine, move |s, _| decoder.decode(s)));
                list.push(self.entry(way("slice"), move |s, scratch| {
                    Slice(decoder.decode_slice(s, &mut scratch.slice).unwrap().len())
                }));
            }
            Op::DecodeReuse => list.push(self.entry(engine, move |s, scratch| {
                scratch.bytes.clear();
                decoder.decode_into(s, &mut scratch.bytes);
                Bytes
            })),
            Op::DecodeUtf8 => {
                list.push(self.entry(engine, move |s, _| decoder.decode_utf8(s).unwrap()));
                list.push(self.entry(way("bytes"), move |s, _| decoder.decode(s)));
            }
            Op::DecodePlus => {
                let decoder = decoder.plus(Plus::Always);
                list.push(self.entry(engine, move |s, _| decoder.decode(s)));
            }
            Op::DecodeInPlace => list.push(self.entry(engine, move |s, scratch| {
                let place = &mut scratch.slice[..s.len()];
                place.copy_from_slice(s);
                Slice(decoder.decode_in_place(place).len())
            })),
            Op::DecodeStream => {
                for chunk in [256, 4096, 65536] {
                    list.push(self.entry(way(&format!("{chunk}")), move |s, scratch| {
                        let (mut stream, mut written) = (decoder.stream(), 0);
                        for chunk in s.chunks(chunk) {
                            written += stream.push(chunk, &mut scratch.slice[written..]).unwrap().written;
                        }
                        Slice(written + stream.finish(&mut scratch.slice[written..]).unwrap().written)
                    }));
                }
                list.push(self.entry(way("writer"), move |s, scratch| {
                    scratch.bytes.clear();
                    let mut writer = decoder.writer(&mut scratch.bytes);
                    writer.write_all(s).unwrap();
                    writer.finish().unwrap();
                    Bytes
                }));
            }
            Op::DecodeBatch => {
                list.push(self.entry(engine, move |s, scratch| {
                    scratch.clear();
                    let Scratch { bytes, offsets, .. } = scratch;
                    decoder.decode_batch(s, &self.data.offsets, bytes, offsets).unwrap();
                    Bytes
                }));
                list.push(self.entry(way("long"), move |s, scratch| {
                    scratch.clear();
                    decoder.decode_into(s, &mut scratch.bytes);
                    Bytes
                }));
            }
        }
    }

    /// Creates an entry whose output must equal the expected output.
    pub(crate) fn entry<'a, O: Output>(
        &'a self,
        name: impl fmt::Display,
        run: impl Fn(&'a [u8], &mut Scratch) -> O + Copy + 'a,
    ) -> Entry<'a> {
        let check = move || {
            let Data { strings, expected, scratch, .. } = &*self.data;
            let mut scratch = scratch.borrow_mut();
            strings
                .iter()
                .zip(expected)
                .all(|(string, expected)| run(string, &mut scratch).bytes(&scratch) == *expected)
        };
        Entry { check: Box::new(check), ..self.reference(name, run) }
    }

    /// Creates an entry for a plain copy or a search. The entry has no expected output.
    fn reference<'a, O>(
        &'a self,
        name: impl fmt::Display,
        run: impl Fn(&'a [u8], &mut Scratch) -> O + 'a,
    ) -> Entry<'a> {
        let pass = move || {
            let Data { strings, scratch, .. } = &*self.data;
            let mut scratch = scratch.borrow_mut();
            for string in strings {
                black_box(run(black_box(string), &mut scratch));
            }
        };
        Entry { name: name.to_string(), pass: Box::new(pass), check: Box::new(|| true) }
    }
}

impl fmt::Display for Contest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contest { op, kind, len, .. } = self;
        write!(f, "{op:?}/{len}/{kind}")
    }
}

/// One implementation of the operation of a contest.
pub struct Entry<'a> {
    /// The name of a copy, a peer or an engine, or of an engine with the suffix of a variant.
    pub name: String,
    pass: Box<dyn FnMut() + 'a>,
    check: Box<dyn Fn() -> bool + 'a>,
}

impl Entry<'_> {
    /// Runs the operation on every string of the contest.
    pub fn pass(&mut self) {
        (self.pass)();
    }

    /// Returns true if the output is as expected.
    #[must_use]
    pub fn is_right(&self) -> bool {
        (self.check)()
    }
}

/// The output of an entry: a value that the entry returns, or a buffer of [`Scratch`] that the entry has filled.
pub trait Output {
    /// Returns the output as bytes.
    fn bytes(self, scratch: &Scratch) -> Vec<u8>;
}

/// The output is at the start of [`Scratch::slice`], and has this number of bytes.
pub struct Slice(pub usize);
/// The output is all of [`Scratch::bytes`].
pub struct Bytes;
/// The output is all of [`Scratch::text`].
pub struct Text;

impl Scratch {
    fn clear(&mut self) {
        self.bytes.clear();
        self.offsets.clear();
    }
}

macro_rules! output {
    ($($type:ty: $self:ident, $scratch:pat => $bytes:expr;)*) => {
        $(impl Output for $type {
            fn bytes($self, $scratch: &Scratch) -> Vec<u8> {
                $bytes
            }
        })*
    };
}

output! {
    String: self, _ => self.into_bytes();
    Cow<'_, str>: self, _ => self.into_owned().into_bytes();
    Cow<'_, [u8]>: self, _ => self.into_owned();
    Option<usize>: self, _ => format!("{self:?}").into_bytes();
    Slice: self, scratch => scratch.slice[..self.0].to_vec();
    Bytes: self, scratch => scratch.bytes.clone();
    Text: self, scratch => scratch.text.clone().into_bytes();
}
