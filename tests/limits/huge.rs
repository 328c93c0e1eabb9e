//! Inputs of more than 4 GiB, with escapes just before and after the offsets 2^31 and 2^32. The tests show that no
//! offset or length is truncated to 31 or 32 bits. `.ci/run --nightly rust` runs these tests, because they take minutes
//! and some GiB of memory. `tests/limits/limits.rs` tests the errors for lengths beyond a `usize` of 32 bits.
#![cfg(all(target_os = "linux", target_pointer_width = "64", feature = "std"))]

use std::io::Write;
use std::sync::Once;

use percent_simd::batch::{Column, Rows};
use percent_simd::internal::Views;
use percent_simd::{
    BatchError, ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, Engine, OutputTooSmall, Plus, RawEncoder,
};
use percent_simd_oracle::{LENGTH, SEAMS, Sparse, skip};

/// A writer that records the length of the output, all bytes that aren't zero, and the offset of the first of these
/// bytes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    len: u64,
    first: Option<u64>,
    bytes: Vec<u8>,
}

impl Write for Seen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if bytes != &ZEROS[..bytes.len()] {
            for (at, &byte) in bytes.iter().enumerate().filter(|(_, byte)| **byte != 0) {
                self.first.get_or_insert(self.len + at as u64);
                self.bytes.push(byte);
            }
        }
        self.len += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

static ZEROS: [u8; 1 << 20] = [0; 1 << 20];

/// Returns all engines except the scalar engine, which takes seconds for each input. If the scalar engine is the only
/// one, returns it.
fn fast() -> impl Iterator<Item = &'static Engine> {
    static SAID: Once = Once::new();
    fn is_left_out(engine: &Engine) -> bool {
        engine.name() == "scalar" && Engine::available().count() > 1
    }
    if Engine::available().any(is_left_out) {
        SAID.call_once(|| skip("the scalar engine in most calls: it takes seconds for each input"));
    }
    Engine::available().filter(|engine| !is_left_out(engine))
}

#[test]
#[ignore = "takes minutes, and some GiB of memory"]
fn offsets_are_right_beyond_32_bits() {
    for at in SEAMS {
        let input = Sparse::with(at, b" ");
        for engine in fast() {
            let encoder = RawEncoder::new(ByteSet::ALL.without(b' ')).with_engine(engine);
            assert_eq!(encoder.first_changed(input.bytes()), Some(at), "{engine}");
            assert_eq!(encoder.encoded_len(input.bytes()), Some(LENGTH + 2), "{engine}");
            let too_small = encoder.encode_slice(input.bytes(), &mut [0; 64]).map(|_| ());
            assert_eq!(too_small, Err(OutputTooSmall::new(LENGTH + 2)), "{engine}");
        }
        let input = Sparse::with(at, b"%zz");
        for engine in fast() {
            let decoder = Decoder::new().with_engine(engine);
            let error = DecodeError::new(at, DecodeErrorKind::NotHex);
            assert_eq!(decoder.strict().check(input.bytes()), Err(error), "{engine}");
            assert_eq!(decoder.strict().decode_into(input.bytes(), &mut Vec::new()), Err(error), "{engine}");
            assert_eq!(decoder.first_malformed(input.bytes()), Some(at), "{engine}");
            assert_eq!(decoder.decoded_len(input.bytes()), LENGTH, "{engine}");
            assert_eq!(decoder.first_changed(input.bytes()), None, "{engine}");
        }
        let input = Sparse::with(at, b"%41");
        for engine in fast() {
            let decoder = Decoder::new().with_engine(engine);
            assert_eq!(decoder.first_changed(input.bytes()), Some(at), "{engine}");
            assert_eq!(decoder.decoded_len(input.bytes()), LENGTH - 2, "{engine}");
            let rejected = DecodeError::new(at, DecodeErrorKind::Rejected(b'A'));
            assert_eq!(decoder.reject(ByteSet::of(b"A")).check(input.bytes()), Err(rejected), "{engine}");
        }
    }
}

#[test]
#[ignore = "takes minutes, and some GiB of memory"]
fn output_is_in_its_place_beyond_32_bits() {
    for at in [SEAMS[1], SEAMS[5], SEAMS[7]] {
        let seen = |len: usize, bytes: &[u8]| Seen { len: len as u64, first: Some(at as u64), bytes: bytes.to_vec() };
        for engine in fast() {
            let input = Sparse::with(at, b" ");
            let encoder = RawEncoder::new(ByteSet::ALL.without(b' ')).with_engine(engine);
            let mut out = Seen::default();
            assert_eq!(encoder.encode_io(input.bytes(), &mut out).unwrap(), LENGTH as u64 + 2, "{engine}");
            assert_eq!(out, seen(LENGTH + 2, b"%20"), "{engine}");
            let mut reader = encoder.reader(input.bytes());
            let mut out = Seen::default();
            assert_eq!(std::io::copy(&mut reader, &mut out).unwrap(), LENGTH as u64 + 2, "{engine}");
            assert_eq!(out, seen(LENGTH + 2, b"%20"), "{engine}");

            let mut input = Sparse::with(at, b"%41+");
            let decoder = Decoder::new().with_engine(engine).plus(Plus::Always);
            let mut out = Seen::default();
            decoder.decode_io(input.bytes(), &mut out).unwrap();
            assert_eq!(out, seen(LENGTH - 2, b"A "), "{engine}");
            let mut writer = decoder.writer(Seen::default());
            writer.write_all(input.bytes()).unwrap();
            assert_eq!(writer.finish().unwrap(), seen(LENGTH - 2, b"A "), "{engine}");
            // The bytes before the triplet don't change, so decoding in place doesn't write them.
            let decoded = decoder.decode_in_place(input.bytes_mut());
            assert_eq!((decoded.len(), &decoded[at - 1..at + 3]), (LENGTH - 2, &b"\0A \0"[..]), "{engine}");
        }
    }
}

#[test]
#[ignore = "takes minutes, and some GiB of memory"]
fn output_of_more_than_4_gib_is_whole() {
    let (first, last) = (SEAMS[1], SEAMS[5]);
    let mut input = Sparse::with(first, b"%41");
    input.bytes_mut()[last..last + 3].copy_from_slice(b"%42");
    let mut out = Sparse::new(LENGTH);
    let decoder = Decoder::new();
    let decoded = decoder.decode_slice(input.bytes(), out.bytes_mut()).unwrap();
    assert_eq!((decoded.len(), decoded[first], decoded[last - 2]), (LENGTH - 4, b'A', b'B'));
    let owned = decoder.decode(input.bytes());
    assert!(*decoded == *owned);
    drop(owned);
    drop(out);
    // Every byte is escaped, so 1.5 GiB become 4.5 GiB.
    let half = &input.bytes()[first + 3..last][..3 << 29];
    let encoded = Encoder::new(ByteSet::EMPTY).encode_to_string(half);
    assert_eq!(encoded.len(), 9 << 29);
    assert!(
        encoded.as_bytes().chunks_exact(3 << 19).all(|chunk| chunk.chunks_exact(3).all(|triplet| triplet == b"%00"))
    );
}

#[test]
#[ignore = "takes minutes, and some GiB of memory"]
fn batches_reach_beyond_32_bits() {
    let at = (1usize << 32) - 3;
    let input = Sparse::with(at, b"a%41%42%zzb");
    let ends = [0, 2, 4, 7, 11].map(|end| (at + end) as i64);
    for engine in fast() {
        let decoder = Decoder::new().with_engine(engine);
        let mut column = Column::<i64>::default();
        decoder.batch().run(Rows::new(input.bytes(), &ends), &mut column).unwrap();
        // A `%` at the end of a row and the digits at the start of the next row are no triplet.
        assert!(column.rows().eq([&b"a%"[..], b"41", b"B", b"%zzb"].map(Some)), "{engine}: {column:?}");
        let wrong = BatchError::Row { row: 0, error: DecodeError::new(1, DecodeErrorKind::Truncated) };
        assert_eq!(decoder.strict().batch().run(Rows::new(input.bytes(), &ends), &mut column), Err(wrong), "{engine}");
        // The first view has the greatest offset of all views in the tests. The second view has the greatest length
        // that a view can have. The buffer for the second view is too short, so the call must return an error.
        let word = |row: &[u8]| u128::from(u32::from_le_bytes(row[..4].try_into().unwrap()));
        let view = |offset: usize, len: usize| {
            let prefix = word(&input.bytes()[offset..]);
            len as u128 | prefix << 32 | (offset as u128) << 96
        };
        let views = [view(at + 2, 20), view(0, u32::MAX as usize)];
        let decoded = decoder.batch().run_views(Views::new(&views[..1], &[input.bytes()])).unwrap();
        assert_eq!(decoded.buffers, [b"41B%zzb\0\0\0\0\0\0\0\0\0\0\0"], "{engine}");
        let clean = decoder.batch().run_views(Views::new(&views[1..], &[&input.bytes()[..at]]));
        assert_eq!(clean, Err(BatchError::View(0)), "{engine}");
    }
    // The output is too long for offsets of 32 bits. The call must fail and leave the column as it was.
    let mut column = Column::<i32> { values: b"ab".to_vec(), offsets: vec![0, 2], validity: None };
    let rows = [0, i32::MAX];
    let encoder = Encoder::new(ByteSet::ASCII);
    let result = encoder.batch().run(Rows::new(input.bytes(), &rows), &mut column);
    assert_eq!(result, Err(BatchError::TooLong(0)));
    assert_eq!((&column.values[..], &column.offsets[..]), (&b"ab"[..], &[0, 2][..]));
}
