//! Code that the suites, fuzz targets and benches share: the naive oracle, the generator of random inputs, and the number of
//! cases that a run tests.

use std::iter::FusedIterator;

use percent_simd::{ByteSet, Engine};

pub mod architecture;
mod budget;
mod codec;
mod columns;
pub mod memory;
mod random;
#[cfg(all(target_os = "linux", panic = "unwind", not(miri)))]
pub mod refusal;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod sparse;
pub mod work;

pub use budget::{cases, check, check_sized, is_drawn, scale, skip, thin, thinned, thinned_by};
pub use codec::{AnyDecoder, Decode, Decoded, Encode, Fault, LENIENT, STRICT, fault, has, hex_digit, triplet};
pub use columns::{Append, Columns};
pub use random::Random;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub use sparse::{LENGTH, SEAMS, Sparse};

/// Asserts before each item that the number of remaining items is within the bounds of `size_hint`. After the last item, both
/// bounds must be 0.
#[track_caller]
pub fn assert_size_hints<I: FusedIterator + Clone>(mut items: I) {
    loop {
        let (least, most) = items.size_hint();
        let (most, left) = (most.expect("an upper bound"), items.clone().count());
        assert!(least <= left && left <= most, "{least}..={most} of {left}");
        if items.next().is_none() {
            break;
        }
    }
    assert!(items.next().is_none());
    assert_eq!(items.size_hint(), (0, Some(0)));
}

/// Returns every engine that this CPU can run.
pub fn engines() -> Vec<&'static Engine> {
    Engine::available().collect()
}

/// The unreserved characters (RFC 3986 2.3), written independently of the library.
pub const UNRESERVED: ByteSet = ByteSet::of(b"-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~");
/// An irregular set: about half of all bytes, with space and `a`, without `%` and `+`.
pub const ODD: ByteSet =
    ByteSet::from_words([0x2B8E_5A11_9C3D_F04D, 0x93C6_D21A_7E05_B84E, 0xE15C_3A97_0F62_D8B4, 0x5D29_A6F3_C18E_7043]);

/// Returns encoders that together use every option and every kind of set.
pub fn encodings() -> Vec<Encode> {
    let plain = Encode::new(UNRESERVED);
    let ascii = ByteSet::range(0, 0x7F);
    vec![
        plain,
        Encode { lower: true, ..plain },
        Encode { plus: true, ..plain },
        Encode { keep: true, ..plain },
        Encode { lower: true, plus: true, keep: true, ..plain },
        Encode::new(ByteSet::EMPTY),
        Encode::new(ascii),
        Encode { keep: true, ..Encode::new(ascii) },
        Encode::new(ODD),
        Encode { plus: true, keep: true, ..Encode::new(!ODD) },
        Encode::new(ByteSet::ALL.without(b'%')),
        Encode { keep: true, ..Encode::new(ByteSet::ALL) },
    ]
}

/// Returns decoders that together use every option.
pub fn decodings() -> Vec<Decode> {
    let few = ByteSet::of(b"\0\n\r\xFF");
    let reserved = ByteSet::range(0, 0x7F).difference(UNRESERVED);
    vec![
        LENIENT,
        STRICT,
        Decode { plus_always: true, ..LENIENT },
        Decode { plus_after_query: true, strict: true, ..LENIENT },
        Decode { keep: ODD, ..LENIENT },
        Decode { keep: !UNRESERVED, upper: true, ..LENIENT },
        Decode { keep: !ODD, upper: true, plus_always: true, strict: true, ..LENIENT },
        Decode { reject: few, ..LENIENT },
        Decode { reject: few, keep: ByteSet::of(b"/%\n"), plus_after_query: true, ..LENIENT },
        Decode { reject: few, keep: ByteSet::of(b"/%\n"), upper: true, plus_always: true, ..STRICT },
        Decode { keep: ByteSet::ALL, upper: true, ..LENIENT },
        // The options below have only ASCII bytes in `keep` and `reject`, because decoders have special loops for such
        // sets.
        Decode { reject: ByteSet::of(b"\0\n\r"), ..LENIENT },
        Decode { keep: reserved, plus_always: true, ..STRICT },
        Decode { keep: reserved, upper: true, ..LENIENT },
    ]
}

/// A buffer that lends a part of its bytes, and detects writes outside of that part.
#[derive(Debug)]
pub struct Canary(Vec<u8>);

impl Canary {
    const BEFORE: usize = 64;
    const AFTER: usize = 384;
    const UNTOUCHED: [u8; Self::AFTER] = [0xA5; Self::AFTER];

    /// Creates a buffer that can lend up to `most` bytes.
    pub fn new(most: usize) -> Canary {
        Canary(vec![0xA5; Self::BEFORE + most + Self::AFTER])
    }

    /// Lends exactly `n` bytes to `write`, and returns its result.
    ///
    /// # Panics
    /// Panics if `write` changed a byte outside of the `n` bytes.
    #[track_caller]
    pub fn lend<R>(&mut self, n: usize, write: impl FnOnce(&mut [u8]) -> R) -> R {
        let end = Self::BEFORE + n;
        self.0[end..end + Self::AFTER].fill(0xA5);
        let result = write(&mut self.0[Self::BEFORE..end]);
        assert!(self.0[..Self::BEFORE] == Self::UNTOUCHED[..Self::BEFORE], "written before the front of {n}");
        assert!(self.0[end..end + Self::AFTER] == Self::UNTOUCHED, "written past the end of {n}");
        result
    }

    /// Returns the first `n` bytes of the part that was lent last.
    pub fn written(&self, n: usize) -> &[u8] {
        &self.0[Self::BEFORE..Self::BEFORE + n]
    }
}

/// Formats bytes for a message. ASCII stays as it is, and other bytes are escaped.
pub fn show(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}
