//! Lengths and memory at their limits. If a result is too long or memory runs out, a call must return an error. It must not
//! return a wrong length or end the process.

use crate::common;

use std::panic::catch_unwind;

use common::memory::{at_most, live, refusing};
use common::*;
use percent_simd::batch::{Column, NotUtf8, Rows};
use percent_simd::internal::Views;
use percent_simd::{
    BatchError, ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, Engine, OutputTooSmall, RawEncoder,
    SliceError, internal,
};

/// Runs `call` without memory, then with memory for one allocation, then for two, until it returns true. Asserts that each run
/// returns false if and only if an allocation failed, and leaks no memory. Returns the number of allocations that `call` needs.
#[track_caller]
fn each_allocation_fails(what: &str, mut call: impl FnMut() -> bool) -> usize {
    for until in 0..100 {
        let before = live();
        let (succeeded, failed) = refusing(until..usize::MAX, &mut call);
        assert_eq!(live(), before, "{what}: leaks if allocation {until} fails");
        assert_eq!(succeeded, !failed, "{what}: allocation {until}");
        if succeeded {
            return until;
        }
    }
    panic!("{what}: more than a hundred allocations");
}

const LENGTH: usize = 1 << 20;

#[test]
fn the_allocator_enforces_its_limit() {
    assert!(at_most(1000, || Vec::<u8>::new().try_reserve(1001).is_err()));
    assert!(at_most(1000, || Vec::<u8>::new().try_reserve_exact(1000).is_ok()));
}

#[test]
fn encoding_reports_a_lack_of_memory() {
    let input = vec![b' '; LENGTH];
    for engine in Engine::available() {
        let raw = RawEncoder::new(ByteSet::EMPTY).with_engine(engine);
        let encoder = Encoder::new(ByteSet::EMPTY).with_engine(engine);
        // The limit is one byte less than the result needs.
        let limit = 3 * LENGTH - 1;
        assert!(at_most(limit, || encoder.try_encode(&input).is_err()));
        let mut string = String::from("before");
        assert!(at_most(limit, || encoder.try_encode_into(&input, &mut string).is_err()));
        assert_eq!(string, "before");
        let mut vec = b"before".to_vec();
        assert!(at_most(limit, || raw.try_encode_into(&input, &mut vec).is_err()));
        assert_eq!(vec, b"before");
        // A call that needs no memory succeeds.
        assert_eq!(at_most(0, || encoder.encoded_len(&input)), Some(3 * LENGTH));
        let clean = Encoder::new(ByteSet::ASCII).with_engine(engine);
        assert_eq!(at_most(0, || clean.try_encode(&input).map(|text| text.len())), Ok(LENGTH));
        assert_eq!(at_most(0, || encoder.encode_fmt(&input, &mut Nowhere)), Ok(()));
        assert_eq!(at_most(0, || encoder.pieces(&input).count()), LENGTH);
        #[cfg(feature = "std")]
        assert!(at_most(0, || encoder.encode_io(&input, &mut std::io::sink())).is_ok());
    }
}

/// Short inputs have separate code that allocates the result.
#[test]
fn short_inputs_report_a_lack_of_memory() {
    for engine in Engine::available() {
        let encoder = Encoder::new(UNRESERVED).with_engine(engine);
        for (input, len) in [("a b", 5), ("abc", 3), (&"a b".repeat(80)[..], 400)] {
            let borrows = encoder.first_changed(input).is_none();
            assert_eq!(at_most(len - 1, || encoder.try_encode(input).is_ok()), borrows, "{input}");
        }
        let decoder = Decoder::new().with_engine(engine);
        assert!(at_most(2, || decoder.try_decode("a%20b").is_err()));
        assert!(at_most(3, || decoder.try_decode("a%20b").is_ok()));
        // The result of this malformed input has 4 bytes. The decoder must request exactly 4 bytes.
        assert!(at_most(3, || decoder.try_decode("%zz%41").is_err()));
        let noted = at_most(4, || internal::decode_with_report(&decoder, "%zz%41"));
        assert_eq!((&noted.bytes[..], noted.first_malformed), (&b"%zzA"[..], Some(0)));
        let told = at_most(0, || decoder.strict().try_decode("%zzab"));
        assert_eq!(told, Ok(Err(DecodeError::new(0, DecodeErrorKind::NotHex))));
    }
}

#[test]
fn every_failed_allocation_is_an_error() {
    const DIRTY: &[u8] = b"a b%41%zz%C3%A9+?";
    let dirty = |n: usize| DIRTY.iter().copied().cycle().take(n).collect::<Vec<u8>>();
    // Sinks process short inputs on the stack and long inputs in pieces. These lengths cover short, long and medium inputs.
    for n in [8, 16, 17, 200, 257, 3000, 20_000, 60_000] {
        let input = dirty(n);
        let offsets: Vec<i32> = (0..=n as i32).step_by(40).collect();
        for engine in Engine::available() {
            let say = |call: &str| format!("{engine}, {n} bytes, {call}");
            let encoder = Encoder::new(UNRESERVED).with_engine(engine);
            let decoder = Decoder::new().plus(percent_simd::Plus::Always).with_engine(engine);
            let checked = decoder.reject(ByteSet::of(b"\0"));
            let one = |call: &str, run: &dyn Fn() -> bool| {
                assert!(each_allocation_fails(&say(call), run) >= 1, "{}: makes no allocation", say(call));
            };
            one("encode", &|| encoder.try_encode(&input).is_ok());
            one("encode_into", &|| encoder.try_encode_into(&input, &mut String::new()).is_ok());
            one("raw encode_into", &|| encoder.raw().try_encode_into(&input, &mut Vec::new()).is_ok());
            one("raw encode", &|| encoder.raw().try_encode(&input).is_ok());
            one("decode_layers", &|| decoder.as_checked().try_decode_layers(&input, 30).is_ok());
            one("checked decode_layers", &|| checked.try_decode_layers(&input, 30).is_ok());
            one("decode", &|| decoder.try_decode(&input).is_ok());
            one("decode_utf8_lossy", &|| decoder.as_checked().try_decode_utf8_lossy(&input).is_ok());
            one("checked decode", &|| checked.try_decode(&input).is_ok());
            one("checked decode_utf8_lossy", &|| checked.try_decode_utf8_lossy(&input).is_ok());
            // Cut the input after a whole character.
            let text = &input[..input.len() / DIRTY.len() * DIRTY.len()];
            if !text.is_empty() {
                one("decode_utf8", &|| decoder.as_checked().try_decode_utf8(text).is_ok());
                one("checked decode_utf8", &|| checked.try_decode_utf8(text).is_ok());
            }
            one("used_values", &|| internal::used_values(&offsets, None, n + 1).is_ok());
            one("a batch to encode", &|| {
                encoder.batch().append(&input, &offsets, &mut Vec::new(), &mut Vec::new()).is_ok()
            });
            one("a batch to decode", &|| {
                decoder.batch().append(&input, &offsets, &mut Vec::new(), &mut Vec::new()).is_ok()
            });
            let views = [input.len() as u128, 4 | u128::from_le_bytes(*b"\0\0\0\0a%Fb\0\0\0\0\0\0\0\0")];
            let text = decoder.batch().text(NotUtf8::Replace);
            let nulls = decoder.strict().batch().text(NotUtf8::Error).errors_to_null();
            let rows = Rows::new(&input, &offsets);
            one("batch of views", &|| text.run_views(Views::new(&views, &[&input])).is_ok());
            one("batch of views, nulls", &|| nulls.run_views(Views::new(&views, &[&input])).is_ok());
            // Each row that is not UTF-8 makes an allocation, and `one` runs the call once for each allocation that can
            // fail. So a long input would take too many runs.
            if n < 3000 {
                one("batch of text", &|| text.run(rows, &mut Column::default()).is_ok());
            }
            one("batch with nulls", &|| nulls.run(rows, &mut Column::default()).is_ok());
            // Whichever allocation fails, the text that was already in the `String` must stay.
            for until in 0..3 {
                let mut text = String::from("é");
                let (result, failed) =
                    refusing(until..usize::MAX, || encoder.try_encode_into(&input, &mut text).is_ok());
                assert_eq!((result, failed || text.len() > 2), (!failed, true), "{}", say("appending text"));
                assert!(text.starts_with('é') && (!failed || text.len() == 2), "{}", say("appending text"));
            }
        }
    }
}

/// If the output is empty, the writer must not be called. This writer would return an error.
#[test]
fn empty_output_is_never_written() {
    struct Closed;
    impl std::fmt::Write for Closed {
        fn write_str(&mut self, _: &str) -> std::fmt::Result {
            Err(std::fmt::Error)
        }
    }
    let encoder = Encoder::new(UNRESERVED);
    assert!(encoder.encode_fmt("", &mut Closed).is_ok());
    assert!(encoder.encode_fmt("a", &mut Closed).is_err());
}

struct Nowhere;

impl std::fmt::Write for Nowhere {
    fn write_str(&mut self, _: &str) -> std::fmt::Result {
        Ok(())
    }
}

#[test]
fn decoding_reports_a_lack_of_memory() {
    let input = b"%C3%A9".repeat(LENGTH / 2);
    for engine in Engine::available() {
        let decoder = Decoder::new().with_engine(engine);
        // First, the decoder allocates as many bytes as the input has, although the result is shorter. So a limit that
        // is one byte lower makes the call fail.
        let limit = input.len() - 1;
        assert!(at_most(limit, || decoder.try_decode(&input).is_err()));
        assert!(at_most(limit + 1, || decoder.try_decode(&input).is_ok()));
        assert!(at_most(limit, || decoder.strict().try_decode(&input).is_err()));
        let malformed = [&b"%zz".repeat(LENGTH / 3)[..], b"%2F"].concat();
        for limit in [100, LENGTH / 2, malformed.len() - 1] {
            assert!(at_most(limit, || decoder.try_decode(&malformed).is_err()), "{limit}");
            assert!(at_most(limit, || decoder.keep(UNRESERVED).try_decode(&malformed).is_err()));
        }
        // A call that needs no memory succeeds.
        assert_eq!(at_most(0, || decoder.decoded_len(&input)), LENGTH);
        let mut buffer = input.clone();
        assert_eq!(at_most(0, || decoder.decode_in_place(&mut buffer).len()), LENGTH);
        let mut vec = input.clone();
        at_most(0, || decoder.decode_vec(&mut vec));
        assert_eq!(vec.len(), LENGTH);
        assert_eq!(at_most(0, || decoder.strict().check(&input)), Ok(()));
        let mut text = String::from_utf8(input.clone()).unwrap();
        assert_eq!(at_most(0, || decoder.decode_string(&mut text)), Ok(()));
        assert_eq!(text.len(), LENGTH);
        #[cfg(feature = "std")]
        assert!(at_most(0, || decoder.decode_io(&input, &mut std::io::sink())).is_ok());
    }
}

#[test]
fn batches_report_a_lack_of_memory() {
    let values = b"%C3%A9".repeat(LENGTH / 2);
    let offsets = [0, 6, values.len()];
    let (mut out, mut ends) = (b"before".to_vec(), vec![0, 6]);
    for engine in Engine::available() {
        let decoder = Decoder::new().with_engine(engine);
        let encoder = Encoder::new(ByteSet::EMPTY).with_engine(engine);
        for limit in [0, 100, LENGTH - 1] {
            let decoded = at_most(limit, || decoder.batch().append(&values, &offsets, &mut out, &mut ends));
            assert!(matches!(decoded, Err(BatchError::Memory(_))), "{engine}");
            let encoded = at_most(limit, || encoder.batch().append(&values, &offsets, &mut out, &mut ends));
            assert!(matches!(encoded, Err(BatchError::Memory(_))), "{engine}");
            assert_eq!((&out[..], &ends[..]), (&b"before"[..], &[0, 6][..]));
        }
    }
}

#[test]
#[cfg(panic = "unwind")]
fn calls_without_an_error_panic_and_change_nothing() {
    if cfg!(target_family = "wasm") {
        return skip("panics when memory runs out: WebAssembly has no unwinding");
    }
    let input = b"%C3%A9".repeat(LENGTH / 2);
    let limit = LENGTH - 1;
    let encoder = Encoder::new(ByteSet::EMPTY);
    let decoder = Decoder::new();
    let panics = |run: &dyn Fn()| {
        let run = std::panic::AssertUnwindSafe(run);
        at_most(limit, || catch_unwind(run).is_err())
    };
    std::panic::set_hook(Box::new(|_| {}));
    let all = [
        panics(&|| drop(encoder.encode(&input))),
        panics(&|| drop(encoder.encode_to_string(&input))),
        panics(&|| _ = encoder.encode_into(&input, &mut String::new())),
        panics(&|| _ = encoder.encode_into_vec(&input, &mut Vec::new())),
        panics(&|| drop(encoder.raw().encode(&input))),
        panics(&|| drop(decoder.decode(&input))),
        panics(&|| drop(decoder.decode_utf8(&input))),
        panics(&|| drop(decoder.decode_utf8_lossy(&input))),
        panics(&|| drop(decoder.strict().decode(&input))),
        panics(&|| drop(decoder.strict().decode_utf8(&input))),
        panics(&|| _ = decoder.strict().decode_into(&input, &mut Vec::new())),
        panics(&|| _ = decoder.decode_into(&input, &mut Vec::new())),
    ];
    let mut string = String::from("é");
    let malformed = [&b"%zz".repeat(LENGTH / 3)[..], b"%2F"].concat();
    let torn = [&input, &malformed].map(|input| {
        let appending = std::panic::AssertUnwindSafe(|| decoder.decode_into_string(input, &mut string));
        at_most(limit, || catch_unwind(appending).is_err())
    });
    drop(std::panic::take_hook());
    assert_eq!(all, [true; 12]);
    assert_eq!(torn, [true; 2]);
    assert_eq!(string, "é");
}

#[test]
fn small_buffers_report_the_needed_length() {
    for engine in Engine::available() {
        for n in 0..10 {
            let input = b"a b%zz%41+"[..n].to_vec();
            for enc in encodings() {
                let needed = enc.run(&input).len();
                for room in 0..needed {
                    let got = enc.encoder(engine).encode_slice(&input, &mut vec![0; room]).map(|_| ());
                    assert_eq!(got, Err(OutputTooSmall::new(needed)), "{engine} {enc:?}");
                }
            }
            for dec in decodings() {
                let expected = dec.run(&input);
                for room in 0..expected.out.len() {
                    let needed = expected.out.len();
                    let got = dec.decoder(engine).slice(&input, &mut vec![0; room]);
                    assert_eq!(got, Err(SliceError::OutputTooSmall(OutputTooSmall::new(needed))), "{engine} {dec:?}");
                }
            }
        }
    }
    assert_eq!(OutputTooSmall::new(7).to_string(), "the output buffer is too small: 7 bytes are needed");
}

#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod beyond_32_bits {
    use super::*;

    const HUGE: usize = (1 << 32) + 77;

    /// Returns a vector of `i32::MAX - less` zeros. The tests don't read or write them, so they take no memory.
    fn nearly_too_long(less: usize) -> Vec<u8> {
        let mut vec = vec![0; i32::MAX as usize];
        vec.truncate(i32::MAX as usize - less);
        vec
    }

    #[test]
    fn output_beyond_the_offsets_is_an_error() {
        if thin() {
            return skip("2 GiB of output: an emulator takes minutes for it");
        }
        let encoder = Encoder::new(UNRESERVED);
        // The second row ends exactly at the greatest offset, `i32::MAX`. The third row ends one byte after it.
        let mut out = nearly_too_long(5);
        let mut ends = Vec::new();
        let result = encoder.batch().append(b"a b=", &[0, 1, 3, 4], &mut out, &mut ends);
        assert_eq!(result, Err(BatchError::TooLong(2)));
        assert!(ends.is_empty() && out.len() == i32::MAX as usize - 5, "as it was");
        assert_eq!(encoder.batch().append(b"a b=", &[0, 1, 3], &mut out, &mut ends), Ok(()));
        assert_eq!(ends, [i32::MAX - 5, i32::MAX - 4, i32::MAX]);
        // A row is an error if it ends above the greatest offset. Before the first call, `out` ends at the greatest
        // offset, so a row of one byte is an error. Before the second call, `out` ends one byte after it, so even an
        // empty row is an error.
        assert_eq!(encoder.batch().append(b"a", &[0, 1], &mut out, &mut ends), Err(BatchError::TooLong(0)));
        out.push(0);
        assert_eq!(encoder.batch().append(b"", &[0, 0], &mut out, &mut vec![]), Err(BatchError::TooLong(0)));
        let mut wide: Vec<i64> = Vec::new();
        assert_eq!(encoder.batch().append(b"a", &[0, 1], &mut out, &mut wide), Ok(()));
        assert_eq!(wide, [1 << 31, (1 << 31) + 1]);
        assert!(BatchError::TooLong(7).to_string().contains("row 7"));
    }

    #[test]
    fn lengths_do_not_wrap() {
        if thin() {
            return skip("lengths beyond 4 GiB: an emulator takes minutes for each call");
        }
        let Some(zeros) = Sparse::try_new(HUGE) else {
            return skip("lengths beyond 4 GiB: the system can't map such an input");
        };
        let zeros = zeros.bytes();
        // The best engine runs every call. The other vector engines run only `encoded_len`. We skip the scalar engine, because
        // it takes seconds.
        let all = Encoder::new(ByteSet::EMPTY);
        for engine in Engine::available().filter(|engine| engine.name() != "scalar") {
            assert_eq!(all.with_engine(engine).encoded_len(zeros), Some(3 * HUGE), "{engine}");
        }
        assert_eq!(all.encode_slice(zeros, &mut [0; 100]), Err(OutputTooSmall::new(3 * HUGE)));
        assert_eq!(Decoder::new().decoded_len(zeros), HUGE);
        assert_eq!(RawEncoder::new(ByteSet::ALL).first_changed(zeros), None);
    }
}

#[cfg(target_pointer_width = "32")]
mod on_32_bits {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    /// A test holds this lock while it uses gibibytes of memory, because there isn't enough memory for several of these
    /// tests at once.
    static HUGE: Mutex<()> = Mutex::new(());

    /// Returns `n` zeros, or `None` if the system can't reserve that much. A page takes memory only when a test reads it.
    fn zeros(n: usize) -> Option<Vec<u8>> {
        let layout = Layout::array::<u8>(n).ok()?;
        // SAFETY: the layout isn't empty. The block has the length and capacity of the vector, and its bytes are zero. It comes
        // from the global allocator, to which the vector returns it.
        unsafe {
            let zeros = std::alloc::alloc_zeroed(layout);
            (!zeros.is_null()).then(|| Vec::from_raw_parts(zeros, n, n))
        }
    }

    #[test]
    fn a_length_above_usize_is_an_error() {
        let _huge = HUGE.lock().unwrap_or_else(PoisonError::into_inner);
        // 1.5 GiB of input become 4.5 GiB.
        let Some(input) = zeros(3 << 29) else {
            return skip("4.5 GiB of output: there is no room for 1.5 GiB of input");
        };
        for engine in Engine::available() {
            let encoder = Encoder::new(ByteSet::EMPTY).with_engine(engine);
            assert_eq!(encoder.encoded_len(&input), None);
            assert!(encoder.try_encode(&input).is_err());
            let mut string = String::from("before");
            assert!(encoder.try_encode_into(&input, &mut string).is_err());
            assert_eq!(string, "before");
            assert!(encoder.raw().try_encode_into(&input, &mut vec![1]).is_err());
            assert_eq!(encoder.encode_slice(&input, &mut [0; 100]), Err(OutputTooSmall::new(usize::MAX)));
        }
    }

    /// Writes 4.5 GiB of output in pieces, more bytes than a `usize` of 32 bits can count. The count must be right.
    #[test]
    fn written_bytes_are_counted_beyond_usize() {
        struct Counter(u64);
        impl std::fmt::Write for Counter {
            fn write_str(&mut self, piece: &str) -> std::fmt::Result {
                self.0 += piece.len() as u64;
                Ok(())
            }
        }
        const LENGTH: usize = 3 << 29;
        let _huge = HUGE.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(input) = zeros(LENGTH) else {
            return skip("4.5 GiB of output: there is no room for 1.5 GiB of input");
        };
        let encoder = Encoder::new(ByteSet::EMPTY);
        assert_eq!(encoder.encode_io(&input, &mut std::io::sink()).unwrap(), 3 * LENGTH as u64);
        let mut counter = Counter(0);
        encoder.encode_fmt(&input, &mut counter).unwrap();
        assert_eq!(counter.0, 3 * LENGTH as u64);
    }

    #[test]
    fn a_length_above_isize_is_an_error() {
        let _huge = HUGE.lock().unwrap_or_else(PoisonError::into_inner);
        // 1 GiB of input becomes 3 GiB, more than `isize::MAX`.
        let Some(input) = zeros(1 << 30) else { return skip("3 GiB of output: there is no room for 1 GiB of input") };
        for engine in Engine::available() {
            let encoder = Encoder::new(ByteSet::EMPTY).with_engine(engine);
            assert_eq!(encoder.encoded_len(&input), Some(3 << 30));
            assert!(encoder.try_encode(&input).is_err());
            assert_eq!(encoder.encode_slice(&input, &mut [0; 100]), Err(OutputTooSmall::new(3 << 30)));
        }
    }
}
