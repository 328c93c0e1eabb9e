//! Every public operation of the codec, and the inputs that make operations work hardest. `scripts/linear` counts the
//! instructions of each operation. `tests/alone/work.rs` counts the blocks that each operation loads, and its requests
//! for memory.

use std::hint::black_box;
#[cfg(feature = "std")]
use std::io::{Read, Write};
use std::mem::MaybeUninit;

use percent_simd::batch::{Bitmap, Column, NotUtf8, Rows};
use percent_simd::internal::PlusState;
use percent_simd::internal::Views;
use percent_simd::{ByteSet, Decoder, Encoder, Engine, Plus, RawEncoder, internal, presets, sets};

use crate::memory::{outside, requests};

/// The texts that hostile inputs repeat: clean text, escapes (whole, cut off, malformed, nested), delimiters, dots.
pub const UNITS: [&str; 16] = [
    "a",
    "%",
    "%%",
    "%4",
    "%41",
    "%zz",
    "%2525",
    "%E2",
    "%E2%82%AC",
    "+",
    "a?+",
    "/../a",
    "/a/..",
    "&",
    "a=b&",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%",
];

/// Returns `unit`, repeated to about `len` bytes. The number of repetitions is a multiple of four, so the text is valid base64
/// either at every length or at none. Malformed base64 takes a second pass to find the fault. So if a text were valid only at
/// one of two lengths, we couldn't compare the work for both lengths.
#[must_use]
pub fn hostile(unit: &str, len: usize) -> String {
    unit.repeat(len / unit.len() / 4 * 4)
}

/// The name of an operation, and a function that applies it to a text.
pub type Operation = (&'static str, fn(&str));

const ENCODER: Encoder = Encoder::new(sets::RFC3986_UNRESERVED);
const DECODER: Decoder = Decoder::new();

/// The public operations by name, each as a function of its input.
pub const OPERATIONS: &[Operation] = &[
    ("encode", |text| _ = black_box(ENCODER.encode(text))),
    ("encode_to_string", |text| _ = black_box(ENCODER.encode_to_string(text))),
    ("encode_fmt", |text| {
        _ = black_box(ENCODER.encode_fmt(text, &mut outside(|| String::with_capacity(3 * text.len()))).is_ok())
    }),
    ("encode, triplets kept", |text| _ = black_box(ENCODER.keep_triplets().encode(text))),
    ("pieces of an encoder", |text| _ = black_box(ENCODER.pieces(text).map(str::len).sum::<usize>())),
    ("decode", |text| _ = black_box(DECODER.decode(text))),
    ("decode, every option", |text| {
        let decoder = DECODER.plus(Plus::AfterQuery).keep_upper(ByteSet::of(b"/%"));
        _ = black_box(decoder.reject(ByteSet::of(b"\0")).decode(text));
    }),
    ("decode strictly", |text| _ = black_box(DECODER.strict().decode(text).is_ok())),
    ("decode_utf8", |text| _ = black_box(DECODER.decode_utf8(text).is_ok())),
    ("decode_utf8_lossy", |text| _ = black_box(DECODER.decode_utf8_lossy(text))),
    ("decode_in_place", |text| _ = black_box(DECODER.decode_in_place(&mut outside(|| text.as_bytes().to_vec())).len())),
    ("pieces of a decoder", |text| _ = black_box(DECODER.pieces(text).map(<[u8]>::len).sum::<usize>())),
    ("decode_layers", |text| _ = black_box(DECODER.decode_layers(text, usize::MAX))),
    ("encode a stream, little room", |text| {
        let (mut stream, mut rest) = (ENCODER.stream(), text.as_bytes());
        while !rest.is_empty() {
            rest = &rest[stream.push(rest, &mut [0; 16]).read..];
        }
    }),
    ("decode a stream, little room", |text| {
        let (mut stream, mut rest) = (DECODER.plus(Plus::AfterQuery).stream(), text.as_bytes());
        while !rest.is_empty() {
            rest = &rest[stream.push(rest, &mut [0; 16]).unwrap_or_else(|error| panic!("{error}")).read..];
        }
    }),
    ("decode_into, 10 bytes a call", |text| {
        let mut out = Vec::new();
        for row in text.as_bytes().chunks(10) {
            DECODER.decode_into(row, &mut out);
        }
        _ = black_box(out);
    }),
    ("a batch to decode, rows of 10 bytes", |text| {
        let offsets: Vec<usize> = outside(|| (0..=text.len()).step_by(10).collect());
        _ = black_box(DECODER.batch().run(Rows::new(text.as_bytes(), &offsets), &mut Column::default()).is_ok());
    }),
    ("first_changed, encoded_len, decoded_len", |text| {
        _ = black_box((ENCODER.first_changed(text), ENCODER.encoded_len(text)));
        _ = black_box((DECODER.first_changed(text), DECODER.decoded_len(text), DECODER.first_malformed(text)));
    }),
    ("decode_slice, too small by one", |text| {
        let mut out = outside(|| vec![0; DECODER.decoded_len(text).saturating_sub(1)]);
        _ = black_box(DECODER.decode_slice(text, &mut out).is_ok());
    }),
    ("decode_string", |text| _ = black_box(DECODER.decode_string(&mut outside(|| text.to_string())).is_ok())),
    ("RawEncoder::encode, above ASCII", |text| {
        _ = black_box(RawEncoder::new(ByteSet::ALL.without(b'%')).keep_triplets().encode(text));
    }),
    ("encode_slice, as short as may be", |text| {
        let mut out = outside(|| vec![0; ENCODER.encoded_len(text).unwrap_or_default()]);
        _ = black_box(ENCODER.encode_slice(text, &mut out).is_ok());
    }),
    ("decode_valid_utf8", |text| _ = black_box(DECODER.decode_valid_utf8(text))),
    ("decode_vec", |text| {
        let mut vec = outside(|| text.into());
        DECODER.decode_vec(&mut vec);
        _ = black_box(vec);
    }),
    ("decode_into_string", |text| _ = black_box(DECODER.decode_into_string(text, &mut String::new()).is_ok())),
    ("encode_into, 10 bytes a call", |text| {
        let mut out = String::new();
        for row in text.as_bytes().chunks(10) {
            ENCODER.encode_into(row, &mut out);
        }
        _ = black_box(out);
    }),
    ("a batch to encode, rows of 10 bytes", |text| {
        let offsets: Vec<usize> = outside(|| (0..=text.len()).step_by(10).collect());
        _ = black_box(ENCODER.batch().run(Rows::new(text.as_bytes(), &offsets), &mut Column::default()).is_ok());
    }),
    ("a batch of text, one row", |text| {
        let offsets = [0, text.len()];
        for not_utf8 in [NotUtf8::Replace, NotUtf8::KeepEscaped, NotUtf8::Error] {
            let batch = DECODER.strict().batch().text(not_utf8).errors_to_null();
            _ = black_box(batch.run(Rows::new(text.as_bytes(), &offsets), &mut Column::default()).is_ok());
        }
    }),
    ("a batch of views, 20 bytes each", |text| {
        let views: Vec<u128> = outside(|| (0..text.len() / 20).map(|row| 20 | (20 * row as u128) << 96).collect());
        _ = black_box(DECODER.batch().run_views(Views::new(&views, &[text.as_bytes()])).is_ok());
    }),
    ("a batch with a later layer, rows of 10 bytes", |text| {
        let offsets: Vec<usize> = outside(|| (0..=text.len()).step_by(10).collect());
        let rows = Rows::new(text.as_bytes(), &offsets);
        _ = black_box(DECODER.batch().run_layer(&DECODER, rows, &mut Column::default()).is_ok());
    }),
    ("a batch of views with a later layer, 20 bytes each", |text| {
        let views: Vec<u128> = outside(|| (0..text.len() / 20).map(|row| 20 | (20 * row as u128) << 96).collect());
        _ = black_box(DECODER.batch().run_views_layer(&DECODER, Views::new(&views, &[text.as_bytes()])).is_ok());
    }),
    ("batch::used_values", |text| _ = black_box(internal::used_values(text.as_bytes(), None, 256).is_ok())),
    ("encode_buf, decode_buf", |text| {
        _ = black_box(ENCODER.encode_buf(text.as_bytes(), &mut outside(|| Vec::with_capacity(3 * text.len()))));
        _ = black_box(DECODER.decode_buf(text.as_bytes(), &mut outside(|| Vec::with_capacity(text.len()))));
    }),
    ("decode with a report", |text| {
        _ = black_box(internal::decode_with_report(&DECODER, text).first_malformed);
        _ = black_box(internal::decode_in_place_with_report(
            &DECODER.strict(),
            &mut outside(|| text.as_bytes().to_vec()),
        ));
    }),
    ("a stream suspended every 16 bytes", |text| {
        let (mut state, mut out) = (internal::DecodeStreamState::default(), [0; 64]);
        for chunk in text.as_bytes().chunks(16) {
            let mut stream = internal::resume_decoding(&DECODER.as_checked(), state);
            _ = black_box(stream.push(chunk, &mut out).is_ok());
            state = internal::suspend_decoding(&stream);
        }
    }),
    ("decode_uninit, or short, or with a report", |text| {
        // These calls take at most 64 bytes, so call them for one part of the text after another.
        for part in text.as_bytes().chunks(10) {
            let mut out = [internal::EMPTY_CELL; 64];
            _ = black_box(internal::decode_short_uninit(&DECODER.as_checked(), part, &mut out));
            _ = black_box(internal::encode_short_uninit(ENCODER.raw(), part, &mut out));
            let mut buffer = [0; 64];
            buffer[..part.len()].copy_from_slice(part);
            _ = black_box(internal::decode_short_in_place(&DECODER.as_checked(), &mut buffer[..part.len()]));
        }
        let mut out = outside(|| vec![internal::EMPTY_CELL; text.len()]);
        _ = black_box(internal::decode_uninit_with_report(&DECODER.as_checked(), text.as_bytes(), &mut out).is_ok());
        _ = black_box(internal::decode_cells(&DECODER.as_checked(), text.as_bytes(), &mut out).is_ok());
        _ = black_box((DECODER.settled_prefix_len(text), DECODER.as_checked().check(text).is_ok()));
    }),
    ("encode_uninit, encode_into_vec", |text| {
        let mut out = outside(|| vec![internal::EMPTY_CELL; 3 * text.len()]);
        let encoder = ENCODER.lowercase().space_to_plus();
        _ = black_box(internal::encode_cells(&encoder, text.as_bytes(), &mut out).is_ok());
        _ = black_box(encoder.encode_into_vec(text, &mut Vec::new()));
        _ = black_box(RawEncoder::new(ByteSet::ALL.without(b'%')).encode_str(text));
    }),
    ("batches to memory that is given, rows of 10 bytes", |text| {
        let offsets: Vec<usize> = outside(|| (0..=text.len()).step_by(10).collect());
        let mut out = outside(|| vec![internal::EMPTY_CELL; 3 * text.len()]);
        let mut out_offsets = outside(|| vec![MaybeUninit::uninit(); offsets.len()]);
        let decoder = DECODER.as_checked();
        _ = black_box(
            internal::decode_batch_uninit(&decoder, text.as_bytes(), &offsets, &mut out, &mut out_offsets).rows,
        );
        _ = black_box(
            internal::encode_batch_uninit(ENCODER.raw(), text.as_bytes(), &offsets, &mut out, &mut out_offsets).rows,
        );
    }),
    ("a batch with nulls, its rows read", |text| {
        let offsets: Vec<usize> = outside(|| (0..=text.len()).step_by(10).collect());
        let validity = outside(|| vec![0x55; offsets.len()]);
        let rows = Rows::new(text.as_bytes(), &offsets).with_validity(Bitmap::new(&validity, 1));
        let mut column = Column::default();
        _ = black_box(ENCODER.raw().batch().run(rows, &mut column).is_ok());
        _ = black_box(column.rows().flatten().count());
        column.clear();
        let views: Vec<u128> = outside(|| (0..text.len() / 20).map(|row| 20 | (20 * row as u128) << 96).collect());
        let buffers = [text.as_bytes()];
        let views = Views::new(&views, &buffers).with_validity(Bitmap::new(&validity, 1));
        _ = black_box(ENCODER.raw().batch().run_views(views).is_ok());
    }),
    ("decode lines, one stream", |text| {
        let text = outside(|| text.replace('&', "\n"));
        let (mut stream, mut rest) = (DECODER.plus(Plus::AfterQuery).stream().by_line(), text.as_bytes());
        while !rest.is_empty() {
            rest = &rest[stream.push(rest, &mut [0; 64]).unwrap_or_else(|error| panic!("{error}")).read..];
        }
        _ = black_box(stream.finish(&mut [0; 64]).is_ok());
    }),
    ("PlusState, 10 bytes a part", |text| {
        let mut state = PlusState::new(Plus::AfterQuery);
        for part in text.as_bytes().chunks(10) {
            _ = black_box(state.plus_for(part));
        }
    }),
    ("decode_layers, checked", |text| {
        let decoder = DECODER.keep(ByteSet::of(b"/")).reject(ByteSet::of(b"\0"));
        _ = black_box(decoder.decode_layers(text, usize::MAX).is_ok());
    }),
    ("sets of the bytes of a text", |text| {
        let set = ByteSet::of(text.as_bytes());
        _ = black_box(presets::by_name(text));
        let mut masks = outside(|| vec![0; text.len().div_ceil(64)]);
        internal::find_members(Engine::active(), set, text.as_bytes(), &mut masks);
        _ = black_box(internal::encodes_to_itself(&ENCODER, text.as_bytes()));
        _ = black_box(internal::decodes_to_itself(&DECODER.as_checked(), text.as_bytes()));
        _ = black_box(masks);
    }),
    #[cfg(feature = "std")]
    ("encode_io, decode_io", |text| {
        _ = black_box(ENCODER.encode_io(text, &mut std::io::sink()).is_ok());
        _ = black_box(DECODER.decode_io(text, &mut std::io::sink()).is_ok());
    }),
    #[cfg(feature = "std")]
    ("readers and writers, 16 bytes a call", |text| {
        let (mut reader, mut buffer) = (DECODER.reader(text.as_bytes()), [0; 16]);
        while reader.read(&mut buffer).is_ok_and(|n| n > 0) {}
        let mut writer = ENCODER.writer(std::io::sink());
        for part in text.as_bytes().chunks(16) {
            _ = black_box(writer.write(part).is_ok());
        }
        _ = black_box(writer.finish().is_ok());
    }),
    #[cfg(feature = "std")]
    ("readers and writers by line", |text| {
        let text = outside(|| text.replace('&', "\n"));
        let (mut reader, mut buffer) = (DECODER.reader(text.as_bytes()).by_line(), [0; 16]);
        while reader.read(&mut buffer).is_ok_and(|n| n > 0) {}
        let mut writer = DECODER.writer(std::io::sink()).by_line();
        _ = black_box((writer.write_all(text.as_bytes()).is_ok(), writer.try_finish().is_ok()));
    }),
];

/// Returns the work of `run` as three numbers: requests for memory, requested bytes, loaded blocks.
fn work_of(run: impl FnOnce()) -> [usize; 3] {
    #[cfg(percent_simd_emulated)]
    let loaded = percent_simd::internal::emulated_blocks_loaded;
    #[cfg(not(percent_simd_emulated))]
    let loaded = || 0;
    let before = loaded();
    let [requests, bytes] = requests(run);
    [requests, bytes, loaded() - before]
}

/// Checks that each operation does work in proportion to its input, on every kind of hostile input. For eight times the
/// input, an operation may request about eight times the memory, and load about eight times the blocks. Only the
/// engines in plain Rust count blocks. They count the blocks of the whole process, so no other test of the program may
/// call the codec at the same time. The check uses no clock. `scripts/linear` counts every instruction.
pub fn eight_times_the_input_is_eight_times_the_work(operations: &[Operation]) {
    const SHORT: usize = 8 * 1024;
    /// For 8 times the input, the work may grow by these factors: requests, bytes, blocks. Quadratic work would grow 64-fold.
    /// The factors are above 8 for these reasons:
    /// - Bytes: a vector that grows by doubling requests up to three times its final size in all.
    /// - Blocks: while a vector is small and has little spare room, output is copied to it without an engine, so no
    ///   block is counted. In a short text, this is a larger share of the work than in a long one.
    const MOST: [usize; 3] = [10, 16, 10];
    /// In addition, each count may grow by this much, for work that doesn't depend on the length: requests, bytes, blocks.
    const FIXED: [usize; 3] = [16, 8 * 1024, 16];
    let mut all = [0; 3];
    for (name, operation) in operations {
        for unit in UNITS {
            let [short, long] = [SHORT, 8 * SHORT].map(|len| hostile(unit, len));
            operation(&short); // the first call initializes statics
            let [short, long] = [short, long].map(|text| work_of(|| operation(&text)));
            for i in 0..3 {
                let most = MOST[i] * short[i] + FIXED[i];
                assert!(
                    long[i] <= most,
                    "{name}, `{unit}`: {short:?}, for 8 times as much {long:?} (requests, bytes, blocks)"
                );
                all[i] += long[i];
            }
        }
    }
    assert!(all[0] > 0 && all[1] > 0);
    // If the active engine is an engine in plain Rust, blocks must have been counted.
    let emulated = Engine::active().name().starts_with("emulated");
    assert!(all[2] > 0 || !emulated);
}
