//! Compares calls on clean or almost clean input with a simpler operation: a copy, a search, or a check of UTF-8. A call can't be
//! much faster than this operation.

use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

use percent_simd::{Decoder, Encoder, Engine, sets};

use crate::standards::{Goal, Trial};
use crate::{Kind, Op};

const CLEAN: Kind = Kind::Escaped(0.0);
const LONG: usize = 1 << 20;
/// The length of inputs that fit easily into the first-level cache.
const NEAR: usize = 16 << 10;

/// The lowest acceptable speeds of a call with AVX-512, AVX2 and SSE4.2. Each is a fraction of the speed of the simpler
/// operation.
type Goals = [f64; 3];

/// Returns the trials of `engine`. Both entries of a trial use the same memory, because memory at another address can change a
/// time by a tenth.
#[must_use]
pub fn trials(engine: &'static Engine) -> Vec<Trial> {
    let encoder = Encoder::new(sets::RFC3986_UNRESERVED).with_engine(engine);
    let decoder = Decoder::new().with_engine(engine);
    let trial = |what: &str, src: Vec<u8>, goals: Goals, ours: Call, than: &'static str, theirs: Call| {
        let engines = ["avx512", "avx2", "sse42"];
        let goal = engines.iter().zip(goals).find(|(name, _)| **name == engine.name());
        let bytes = src.len();
        let memory = Rc::new(RefCell::new((vec![0; 3 * bytes], src)));
        let pass = |call: Call| -> Box<dyn FnMut()> {
            let memory = Rc::clone(&memory);
            Box::new(move || {
                let (dst, src) = &mut *memory.borrow_mut();
                black_box(call(black_box(src), black_box(dst)));
            })
        };
        Trial {
            what: format!("{what}, {engine}"),
            bytes,
            calls: 1,
            entries: vec![(OURS, pass(ours)), (than, pass(theirs))],
            goals: vec![Goal::Times(OURS, than, goal.map_or(0.0, |(_, goal)| goal))],
        }
    };
    let text = |kind: Kind, len| kind.strings(Op::Encode, len, 1).swap_remove(0);
    let (long, near) = (|| text(CLEAN, LONG), || text(CLEAN, NEAR));
    let encode = || -> Call { Box::new(move |src, dst| encoder.encode_slice(src, dst).unwrap().len()) };
    let copy = || -> Call {
        Box::new(|src, dst| {
            dst[..src.len()].copy_from_slice(src);
            src.len()
        })
    };
    let search = |src: &[u8]| memchr::memchr(b'%', src).unwrap_or(src.len());
    let decode_utf8 = || -> Call { Box::new(move |src, _| decoder.decode_utf8(src).unwrap().len()) };
    let is_utf8 = check(engine);
    vec![
        trial("encode clean, 1 MiB, to a slice", long(), [0.9, 0.8, 0.42], encode(), "memcpy", copy()),
        trial(
            "encode clean, 1 MiB, to a String",
            long(),
            [0.85; 3],
            Box::new(move |src, _| encoder.encode_to_string(src).len()),
            "to a slice",
            encode(),
        ),
        trial(
            "decode clean, 1 MiB, to a slice",
            long(),
            [0.95, 0.9, 0.85],
            Box::new(move |src, dst| decoder.decode_slice(src, dst).unwrap().len()),
            "memcpy",
            copy(),
        ),
        trial(
            "decode clean, 16 KiB, to a Cow",
            near(),
            [0.9; 3],
            Box::new(move |src, _| decoder.decode(src).len()),
            "memchr",
            Box::new(move |src, _| search(src)),
        ),
        trial(
            "decode_utf8 of clean bytes, 16 KiB, to a Cow",
            near(),
            [0.85, 0.85, 0.6],
            decode_utf8(),
            "simdutf8",
            Box::new(|src, _| simdutf8::basic::from_utf8(src).unwrap().len()),
        ),
        trial(
            "decode_utf8 of Cyrillic bytes, 16 KiB, to a Cow",
            text(Kind::Cyrillic, NEAR),
            [1.0; 3],
            decode_utf8(),
            "memchr, simdutf8",
            Box::new(move |src, _| search(src) + usize::from(is_utf8(src))),
        ),
    ]
}

/// A call on an input and memory for its output.
type Call = Box<dyn Fn(&[u8], &mut [u8]) -> usize>;

const OURS: &str = "percent-simd";

/// Returns simdutf8's check of UTF-8: its version for SSE4.2 if `engine` is `sse42`, otherwise its fastest version.
fn check(engine: &Engine) -> fn(&[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if engine.name() == "sse42" {
        // SAFETY: the engine `sse42` is available, so the CPU has SSE4.2.
        return |src| unsafe { simdutf8::basic::imp::x86::sse42::validate_utf8(src).is_ok() };
    }
    let _ = engine;
    |src| simdutf8::basic::from_utf8(src).is_ok()
}
