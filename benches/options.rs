//! Measures the cost of options: calls on a long input, with and without each option.

use std::hint::black_box;

use percent_simd::{ByteSet, CheckedDecoder, Decoder, Encoder, Engine, Plus, sets};

use crate::standards::Trial;
use crate::{Kind, Op};

/// The name of the entry without options. The other entries of a trial are compared with this entry.
pub const PLAIN: &str = "plain";

/// The bytes whose escapes applications keep in paths.
const KEPT: ByteSet = ByteSet::of(b"/\\\0");
/// The bytes of [`KEPT`] and `%`. If escapes of `%` are kept, decoding makes no new triplet.
const KEPT_ALL: ByteSet = KEPT.with(b'%');
const LEN: usize = 1 << 20;

/// Returns a trial for each form of output, on text of `kind`, with `engine`.
#[must_use]
pub fn trials(engine: &'static Engine, kind: Kind) -> Vec<Trial> {
    let encoded = || kind.strings(Op::Decode, LEN, 1).swap_remove(0);
    let raw = || kind.strings(Op::Encode, LEN, 1).swap_remove(0);
    let [plain, plus] = [Decoder::new(), Decoder::new().plus(Plus::Always)].map(|decoder| decoder.with_engine(engine));
    let query = Decoder::new().plus(Plus::AfterQuery).with_engine(engine);
    let keep = Decoder::new().keep(KEPT).with_engine(engine);
    let keep_all = Decoder::new().keep(KEPT_ALL).with_engine(engine);
    let upper = Decoder::new().keep_upper(KEPT).with_engine(engine);
    let strict = Decoder::new().with_engine(engine).strict();
    let reject = Decoder::new().with_engine(engine).reject(ByteSet::of(b"\0"));
    let lenient = [
        (PLAIN, plain),
        ("plus", plus),
        ("plus after `?`", query),
        ("keep", keep),
        ("keep, with %", keep_all),
        ("keep_upper", upper),
    ];
    let checked = [("strict", strict), ("reject", reject)];
    let encoder = Encoder::new(sets::RFC3986_UNRESERVED).with_engine(engine);
    let encoders =
        [(PLAIN, encoder), ("space_to_plus", encoder.space_to_plus()), ("keep_triplets", encoder.keep_triplets())];

    let slices = lenient.iter().map(|&(name, decoder)| (name, decode_slice(decoder, encoded())));
    let slices = slices.chain(checked.iter().map(|&(name, decoder)| (name, decode_slice_checked(decoder, encoded()))));
    let cows = lenient.iter().map(|&(name, decoder)| {
        let src = encoded();
        let pass: Pass = Box::new(move || _ = black_box(decoder.decode(black_box(&src))));
        (name, pass)
    });
    let encodes = encoders.iter().map(|&(name, encoder)| {
        let (src, mut dst) = (raw(), vec![0; 3 * LEN]);
        let pass: Pass =
            Box::new(move || _ = black_box(encoder.encode_slice(black_box(&src), &mut dst).unwrap().len()));
        (name, pass)
    });
    let trial =
        |sink: &str, entries| Trial { what: sink.to_string(), bytes: LEN, calls: 1, entries, goals: Vec::new() };
    vec![
        trial("decode to a slice", slices.collect()),
        trial("decode to a Cow", cows.collect()),
        trial("encode to a slice", encodes.collect()),
    ]
}

type Pass = Box<dyn FnMut()>;

fn decode_slice(decoder: Decoder, src: Vec<u8>) -> Pass {
    let mut dst = vec![0; src.len()];
    Box::new(move || _ = black_box(decoder.decode_slice(black_box(&src), &mut dst).unwrap().len()))
}

fn decode_slice_checked(decoder: CheckedDecoder, src: Vec<u8>) -> Pass {
    let mut dst = vec![0; src.len()];
    Box::new(move || _ = black_box(decoder.decode_slice(black_box(&src), &mut dst).unwrap().len()))
}
