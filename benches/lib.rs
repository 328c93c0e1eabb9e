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

use std::cell::LazyCell;
use std::fmt;
use std::hint::black_box;
use std::io::Write;

use percent_simd::{AsBytes, Decoder, Encoder, Engine, Plus, sets};
use percent_simd_oracle::{Append, Decode, Encode, LENIENT};
use percent_standards::form;

pub mod bounds;
pub mod clock;
mod entry;
mod inputs;
pub mod memory;
pub mod options;
pub mod peers;
pub mod race;
pub mod standards;
pub mod turns;

pub use entry::{Bytes, Entry, Inputs, Output, Scratch, Side, Slice, Text};
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
    /// Encodes many rows in one call. A second variant for each engine encodes the bytes of all rows as one string.
    EncodeBatch,
    /// Serializes pairs to a form. Only `crates/rivals` has it.
    FormSerialize,
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
    /// Decodes many rows in one call. A second variant for each engine decodes the bytes of all rows as one string.
    DecodeBatch,
    /// Parses a form, and reads each pair once. Contests don't have it.
    FormParse,
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
            Op::EncodedLen => format!("{:?}", Some(encoded(src).len())).into_bytes(),
            Op::FirstChanged => format!("{:?}", ENCODE.first_changed(src)).into_bytes(),
            Op::DecodePlus => Decode { plus_always: true, ..LENIENT }.run(src).out,
            op if op.decodes() => decoded(src),
            _ => encoded(src),
        }
    }
}

/// The lengths of the chunks of streams, in bytes.
const CHUNKS: [usize; 3] = [256, 4096, 65536];
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
    /// The strings and their expected outputs. They are made in the first call of [`entries`](Self::entries).
    data: LazyCell<Data, Box<dyn FnOnce() -> Data>>,
}

struct Data {
    inputs: Inputs<Vec<u8>>,
    expected: Vec<Vec<u8>>,
}

impl Contest {
    /// Creates a contest in `op` on `count` strings of `len` bytes.
    #[must_use]
    pub fn new(op: Op, kind: Kind, len: usize, count: usize) -> Contest {
        let data = move || {
            let mut strings = kind.strings(op, len, count);
            if matches!(op, Op::EncodeBatch | Op::DecodeBatch) {
                strings = vec![strings.concat()];
            }
            let expected = strings.iter().map(|string| op.oracle(string)).collect();
            let offsets = (0..=count).map(|row| (row * len) as i64).collect();
            Data { inputs: Inputs { offsets, ..Inputs::new(strings) }, expected }
        };
        Contest { op, kind, len, count, data: LazyCell::new(Box::new(data)) }
    }

    /// Returns the number of bytes of input in a pass.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.len * self.count
    }

    /// Returns the entries, and the outputs that they must have.
    #[must_use]
    pub fn entries(&self) -> (Vec<Entry<'_>>, &[Vec<u8>]) {
        let Data { inputs, expected } = &*self.data;
        let mut list = entries! { inputs;
            "memcpy", Reference, |s, scratch| black_box(&mut scratch.slice)[..s.len()].copy_from_slice(s);
            "to_vec", Reference, |s, _| s.clone();
        };
        if self.kind == Kind::Escaped(0.0) {
            list.extend(entries! { inputs; "memchr", Reference, |s, _| memchr::memchr(b'%', s); });
        }
        list.extend(peers::strings(self.op, inputs));
        for engine in Engine::available() {
            let codecs = (ENCODER.with_engine(engine), DECODER.with_engine(engine));
            list.extend(ours(self.op, inputs, engine.name(), codecs));
        }
        (list, expected)
    }
}

/// Returns the entries of this library. The entry called `name` performs the operation itself. The name of a variant
/// also has a suffix, as in `avx2/slice`.
pub fn ours<'a, S: AsBytes>(
    op: Op,
    inputs: &'a Inputs<S>,
    name: &str,
    (encoder, decoder): (Encoder, Decoder),
) -> Vec<Entry<'a>> {
    let way = |way: &str| format!("{name}/{way}");
    match op {
        Op::Encode => entries! { inputs;
            name, Ours, |s, _| encoder.encode_to_string(s);
            way("slice"), Ours, |s, scratch| Slice(encoder.encode_slice(s, &mut scratch.slice).unwrap().len());
        },
        Op::EncodeCow => entries! { inputs; name, Ours, |s, _| encoder.encode(s); },
        Op::EncodeReuse => entries! { inputs; name, Ours, |s, scratch| {
            scratch.text.clear();
            encoder.encode_into(s, &mut scratch.text);
            Text
        }; },
        Op::EncodePlus => {
            let encoder = encoder.space_to_plus();
            entries! { inputs; name, Ours, |s, _| encoder.encode_to_string(s); }
        }
        Op::EncodedLen => entries! { inputs; name, Ours, |s, _| encoder.encoded_len(s); },
        Op::FirstChanged => entries! { inputs; name, Ours, |s, _| encoder.first_changed(s); },
        Op::EncodeStream => {
            let mut list = entries! { inputs; way("writer"), Ours, |s, scratch| {
                scratch.bytes.clear();
                let mut writer = encoder.writer(&mut scratch.bytes);
                writer.write_all(s.as_bytes()).unwrap();
                writer.finish().unwrap();
                Bytes
            }; };
            for chunk in CHUNKS {
                list.extend(entries! { inputs; way(&chunk.to_string()), Ours, |s, scratch| {
                    let (mut stream, mut written) = (encoder.stream(), 0);
                    for chunk in s.as_bytes().chunks(chunk) {
                        written += stream.push(chunk, &mut scratch.slice[written..]).written;
                    }
                    Slice(written + stream.finish(&mut scratch.slice[written..]).unwrap())
                }; });
            }
            list
        }
        Op::EncodeBatch => entries! { inputs;
            name, Ours, |s, Scratch { bytes, offsets, .. }| {
                bytes.clear();
                offsets.clear();
                encoder.batch().append(s.as_bytes(), &inputs.offsets, bytes, offsets).unwrap();
                Bytes
            };
            way("long"), Ours, |s, scratch| {
                scratch.bytes.clear();
                encoder.encode_into_vec(s, &mut scratch.bytes);
                Bytes
            };
        },
        Op::Decode => entries! { inputs;
            name, Ours, |s, _| decoder.decode(s);
            way("slice"), Ours, |s, scratch| Slice(decoder.decode_slice(s, &mut scratch.slice).unwrap().len());
        },
        Op::DecodeReuse => entries! { inputs; name, Ours, |s, scratch| {
            scratch.bytes.clear();
            decoder.decode_into(s, &mut scratch.bytes);
            Bytes
        }; },
        Op::DecodeUtf8 => entries! { inputs;
            name, Ours, |s, _| decoder.decode_utf8(s).unwrap();
            way("bytes"), Ours, |s, _| decoder.decode(s);
        },
        Op::DecodePlus => {
            let decoder = decoder.plus(Plus::Always);
            entries! { inputs; name, Ours, |s, _| decoder.decode(s); }
        }
        Op::DecodeInPlace => entries! { inputs; name, Ours, |s, scratch| {
            let src = s.as_bytes();
            let place = &mut scratch.slice[..src.len()];
            place.copy_from_slice(src);
            Slice(decoder.decode_in_place(place).len())
        }; },
        Op::DecodeStream => {
            let mut list = entries! { inputs; way("writer"), Ours, |s, scratch| {
                scratch.bytes.clear();
                let mut writer = decoder.writer(&mut scratch.bytes);
                writer.write_all(s.as_bytes()).unwrap();
                writer.finish().unwrap();
                Bytes
            }; };
            for chunk in CHUNKS {
                list.extend(entries! { inputs; way(&chunk.to_string()), Ours, |s, scratch| {
                    let (mut stream, mut written) = (decoder.stream(), 0);
                    for chunk in s.as_bytes().chunks(chunk) {
                        written += stream.push(chunk, &mut scratch.slice[written..]).unwrap().written;
                    }
                    Slice(written + stream.finish(&mut scratch.slice[written..]).unwrap())
                }; });
            }
            list
        }
        Op::DecodeBatch => entries! { inputs;
            name, Ours, |s, Scratch { bytes, offsets, .. }| {
                bytes.clear();
                offsets.clear();
                decoder.batch().append(s.as_bytes(), &inputs.offsets, bytes, offsets).unwrap();
                Bytes
            };
            way("long"), Ours, |s, scratch| {
                scratch.bytes.clear();
                decoder.decode_into(s, &mut scratch.bytes);
                Bytes
            };
        },
        Op::FormParse => entries! { inputs; name, Ours, |s, scratch| peers::see(form::parse(s), scratch); },
        Op::FormSerialize => Vec::new(),
    }
}

impl fmt::Display for Contest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contest { op, kind, len, .. } = self;
        write!(f, "{op:?}/{len}/{kind}")
    }
}
