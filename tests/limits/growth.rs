//! Appending takes time in proportion to the appended bytes. If a vector or string grows row by row, it is rarely moved: the
//! number of moves is at most logarithmic in its length, whatever the rows are.

use percent_simd::batch::{Column, NotUtf8, Rows};
use percent_simd::internal::Views;
use percent_simd::{ByteSet, Decoder, Encoder, Engine, Plus, RawEncoder, sets};
use percent_simd_oracle::{Append, memory::requests};

fn requests_of(run: impl FnOnce()) -> usize {
    requests(run)[0]
}

const ROWS: usize = 4096;

/// Rows that decoding makes shorter, and rows that it copies.
const ENDLESS: [&str; 9] = [
    "%",
    "%4",
    "%%%%%%%%",
    "%zz",
    "%41%",
    "a%",
    "plain text",
    "%C3%A9",
    "a long row with something to encode at the end %",
];

/// The allowed number of allocations: twice the number of doublings from one byte to the greatest length.
const MOST: usize = 2 * usize::BITS as usize;

#[test]
fn appending_rows_rarely_moves_the_output() {
    let long = "%zz%41".repeat(50); // too long to be decoded on the stack
    for engine in Engine::available() {
        for row in ENDLESS.into_iter().chain([long.as_str()]) {
            append(engine, row, ROWS);
        }
    }
}

/// Tests rows that sinks process in several pieces.
#[test]
fn appending_long_rows_rarely_moves_the_output() {
    for unit in ["%zz%41", "%", "\u{e9} "] {
        append(Engine::active(), &unit.repeat(18_200 / unit.len()), 2 * MOST);
    }
}

/// For every call that appends, appends `row` to the same output `rows` times, and checks that the output rarely moves.
fn append(engine: &'static Engine, row: &str, rows: usize) {
    let check = |call: &str, row: &str, run: &mut dyn FnMut()| {
        let requests = requests_of(|| (0..rows).for_each(|_| run()));
        assert!(
            requests <= MOST,
            "{call}: {requests} allocations for {rows} rows of {:?}",
            row.get(..60).unwrap_or(row)
        );
    };
    let encoder = Encoder::new(sets::RFC3986_UNRESERVED).with_engine(engine);
    let raw = RawEncoder::new(ByteSet::EMPTY).with_engine(engine);
    let decoder = Decoder::new().with_engine(engine);
    let (mut vec, mut string) = (Vec::new(), String::new());
    check("Encoder::encode_into", row, &mut || _ = encoder.encode_into(row, &mut string));
    check("Encoder::encode_into_vec", row, &mut || _ = encoder.encode_into_vec(row, &mut vec));
    let keeping = encoder.keep_triplets().space_to_plus();
    check("keep_triplets", row, &mut || _ = keeping.encode_into(row, &mut string));
    let mut vec = Vec::new();
    check("RawEncoder::encode_into", row, &mut || _ = raw.encode_into(row, &mut vec));
    let (mut vec, mut string) = (Vec::new(), String::new());
    check("Decoder::decode_into", row, &mut || _ = decoder.decode_into(row, &mut vec));
    check("decode_into_string", row, &mut || _ = decoder.decode_into_string(row, &mut string));
    let (mut vec, mut string) = (Vec::new(), String::new());
    let checked = decoder.reject(ByteSet::of(b"\0"));
    check("CheckedDecoder::decode_into", row, &mut || _ = checked.decode_into(row, &mut vec));
    check("decode_into_string, checked", row, &mut || _ = checked.decode_into_string(row, &mut string));
    let mut string = String::new();
    check("try_encode_into", row, &mut || _ = encoder.try_encode_into(row, &mut string).unwrap());
    for (options, decoder) in [
        ("keep_upper", decoder.keep_upper(ByteSet::of(b"A"))),
        ("keep with %", decoder.keep(ByteSet::of(b"%A"))),
        ("a + is a space", decoder.plus(Plus::Always)),
        ("a + is a space after the query", decoder.plus(Plus::AfterQuery)),
    ] {
        let (mut vec, mut string) = (Vec::new(), String::new());
        check(options, row, &mut || _ = decoder.decode_into(row, &mut vec));
        check(options, row, &mut || _ = decoder.decode_into_string(row, &mut string));
    }
    let (mut vec, strict) = (Vec::new(), decoder.strict());
    let is_well_formed = strict.check(row).is_ok();
    check("strict", row, &mut || assert_eq!(strict.decode_into(row, &mut vec).is_ok(), is_well_formed));

    let mut string = String::new();
    check("encode_fmt", row, &mut || encoder.encode_fmt(row, &mut string).unwrap());
    #[cfg(feature = "std")]
    {
        let mut vec = Vec::new();
        check("encode_io", row, &mut || _ = encoder.encode_io(row, &mut vec).unwrap());
        check("decode_io", row, &mut || _ = decoder.decode_io(row, &mut vec).unwrap());
        let mut writer = decoder.writer(Vec::new());
        check("writer", row, &mut || std::io::Write::write_all(&mut writer, row.as_bytes()).unwrap());
    }

    // Append all rows with one call of the batch, then each row with a separate call.
    let values = row.repeat(rows);
    let offsets: Vec<usize> = (0..=rows).map(|i| i * row.len()).collect();
    let requests = requests_of(|| {
        let (mut vec, mut ends) = (Vec::new(), Vec::new());
        decoder.batch().append(values.as_bytes(), &offsets, &mut vec, &mut ends).unwrap();
        encoder.batch().append(values.as_bytes(), &offsets, &mut Vec::new(), &mut Vec::new()).unwrap();
    });
    assert!(requests <= MOST, "batch: {requests} allocations for {rows} rows of \"{row}\"");
    if row.len() > 12 {
        let views: Vec<u128> = (0..rows).map(|at| row.len() as u128 | ((at * row.len()) as u128) << 96).collect();
        let requests = requests_of(|| {
            decoder.batch().run_views(Views::new(&views, &[values.as_bytes()])).unwrap();
            raw.batch().run_views(Views::new(&views, &[values.as_bytes()])).unwrap();
        });
        assert!(requests <= MOST, "batch of views: {requests} allocations for {rows} rows of \"{row}\"");
    }
    let (mut vec, mut ends) = (Vec::new(), Vec::new());
    check("a batch to decode", row, &mut || {
        decoder.batch().append(row.as_bytes(), &[0, row.len()], &mut vec, &mut ends).unwrap();
    });
    let (mut vec, mut ends) = (Vec::new(), Vec::new());
    check("a batch to encode", row, &mut || {
        encoder.batch().append(row.as_bytes(), &[0, row.len()], &mut vec, &mut ends).unwrap();
    });

    for not_utf8 in [NotUtf8::Replace, NotUtf8::KeepEscaped] {
        let (batch, mut column) = (decoder.batch().text(not_utf8).errors_to_null(), Column::default());
        check("DecodeBatch", row, &mut || batch.run(Rows::new(row.as_bytes(), &[0, row.len()]), &mut column).unwrap());
    }
    let (batch, mut column) = (raw.batch(), Column::default());
    check("EncodeBatch", row, &mut || batch.run(Rows::new(row.as_bytes(), &[0, row.len()]), &mut column).unwrap());

    #[cfg(feature = "bytes")]
    {
        let (mut vec, mut decoded) = (Vec::new(), Vec::new());
        check("encode_buf", row, &mut || _ = encoder.encode_buf(row.as_bytes(), &mut vec));
        check("decode_buf", row, &mut || _ = decoder.decode_buf(row.as_bytes(), &mut decoded));
    }
}

#[test]
fn new_output_is_allocated_once() {
    // The first request for memory has the length of the input. If more than a quarter of this memory stays unused, the
    // result moves to an allocation of its exact length.
    for engine in Engine::available() {
        for (unit, expected) in [("a%20b and more", 1), ("100% ", 1), ("%", 1), ("a%20b", 2)] {
            let input = unit.repeat(1000);
            let mut vec = Vec::new();
            let decoder = Decoder::new().with_engine(engine);
            assert_eq!(requests_of(|| _ = decoder.decode_into(&input, &mut vec)), expected, "{engine} {unit}");
            assert_eq!(vec.capacity(), if expected == 1 { input.len() } else { vec.len() }, "{engine} {unit}");
            let mut vec = Vec::new();
            let encoder = RawEncoder::new(ByteSet::EMPTY).with_engine(engine);
            assert_eq!(requests_of(|| _ = encoder.encode_into(&input, &mut vec)), 1);
            assert_eq!(vec.capacity(), vec.len());
        }
    }
}

/// If the vector has enough spare room, unchanged input is copied in whole words. If not, it is copied byte by byte.
#[test]
fn every_short_length_into_every_room() {
    let text: Vec<u8> = (b'a'..=b'z').chain(b'0'..=b'9').collect();
    for len in 0..=text.len() {
        for spare in 0..=text.len() + 1 {
            let mut out = Vec::with_capacity(3 + spare);
            out.extend_from_slice(b"xyz");
            assert_eq!(Decoder::new().decode_into(&text[..len], &mut out), len);
            assert_eq!(out, [b"xyz", &text[..len]].concat(), "{len} bytes, room for {spare}");
        }
    }
}
