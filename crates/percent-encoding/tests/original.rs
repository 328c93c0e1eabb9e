//! Compares the crate with the original, call by call.
#![cfg(feature = "alloc")]

#[macro_use]
mod common;

use std::borrow::Cow;
use std::fmt::{Debug, Write as _};
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};

use common::{hostile, place, seen};
use percent_simd_oracle::{Random, cases};

/// Defines a module with the sets of one of the two crates. The constant `URL` of both modules has the same sets in the
/// same order.
macro_rules! sets {
    ($name:ident, $of:ident) => {
        mod $name {
            use $of::{AsciiSet, CONTROLS, NON_ALPHANUMERIC};

            // The URL Standard's sets, as in `url` 2.5.
            const FRAGMENT: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');
            const PATH: &AsciiSet = &FRAGMENT.add(b'#').add(b'?').add(b'^').add(b'{').add(b'}');
            const USERINFO: &AsciiSet =
                &PATH.add(b'/').add(b':').add(b';').add(b'=').add(b'@').add(b'[').add(b'\\').add(b']').add(b'|');
            const PATH_SEGMENT: &AsciiSet = &PATH.add(b'/').add(b'%');
            const SPECIAL_PATH_SEGMENT: &AsciiSet = &PATH_SEGMENT.add(b'\\');
            const QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>');
            const SPECIAL_QUERY: &AsciiSet = &QUERY.add(b'\'');

            pub const URL: [&AsciiSet; 9] = [
                CONTROLS, NON_ALPHANUMERIC, FRAGMENT, PATH, USERINFO, PATH_SEGMENT, SPECIAL_PATH_SEGMENT, QUERY,
                SPECIAL_QUERY,
            ];

            /// Returns the set of the ASCII bytes whose bits are set in `bits`.
            pub fn random(bits: u128) -> &'static AsciiSet {
                let bytes = (0..128).filter(|byte| bits >> byte & 1 == 1);
                Box::leak(Box::new(bytes.fold(AsciiSet::EMPTY, |set, byte| set.add(byte))))
            }
        }
    };
}

sets!(ours, percent_encoding);
sets!(theirs, original);

type Sets = (&'static percent_encoding::AsciiSet, &'static original::AsciiSet);

/// Compares every way to encode `input` with a set, after `steps` calls of `next`.
fn encode(input: &[u8], (ours, theirs): Sets, steps: usize) {
    let (mut new, mut old) = (percent_encoding::percent_encode(input, ours), original::percent_encode(input, theirs));
    for _ in 0..steps {
        same!(new.next(), old.next(), input);
    }
    let expected = old.to_string();
    same!(new.to_string(), expected, input);
    same!(seen(&Cow::from(new.clone()), input), seen(&Cow::from(old.clone()), input), input);
    // The loop below compares the pieces of the two. So the original's pieces form this string, too.
    same!(new.clone().collect::<String>(), expected, input);
    let mut filled = String::from("/");
    filled.extend(new.clone());
    same!(&filled[1..], &expected[..], input);
    loop {
        same!(new.size_hint(), old.size_hint(), input);
        let (piece, expected) = (new.next(), old.next());
        same!(piece, expected, input);
        let Some((piece, expected)) = piece.zip(expected) else { break };
        same!(place(piece.as_bytes(), input), place(expected.as_bytes(), input), input);
    }
    same!((new.next(), new.size_hint()), (old.next(), old.size_hint()), input);
}

/// Compares every way to decode `input`, after `steps` calls of `next`.
fn decode(input: &[u8], steps: usize) {
    let (mut new, mut old) = (percent_encoding::percent_decode(input), original::percent_decode(input));
    for _ in 0..steps {
        same!(new.next(), old.next(), input);
    }
    same!(seen(&Cow::from(new.clone()), input), seen(&Cow::from(old.clone()), input), input);
    let (lossy, expected) = (new.clone().decode_utf8_lossy(), old.clone().decode_utf8_lossy());
    same!(seen(&lossy, input), seen(&expected, input), input);
    let (text, expected) = (new.clone().decode_utf8(), old.clone().decode_utf8());
    let [text, expected] = [&text, &expected].map(|text| text.as_ref().map(|text| seen(text, input)));
    same!(text, expected, input);
    same!(new.clone().collect::<Vec<u8>>(), old.clone().collect::<Vec<u8>>(), input);
    loop {
        same!(new.size_hint(), old.size_hint(), input);
        let (byte, expected) = (new.next(), old.next());
        same!(byte, expected, input);
        if byte.is_none() {
            break;
        }
    }
    same!((new.next(), new.size_hint()), (old.next(), old.size_hint()), input);
}

/// Calls `test` with about `n` hostile inputs. `seed` determines the inputs.
fn inputs(seed: u64, n: usize, mut test: impl FnMut(&[u8], &mut Random)) {
    let mut random = Random::seeded(seed);
    for _ in 0..cases(n) {
        let input = hostile(&mut random);
        test(&input, &mut random);
    }
}

/// Returns the number of calls of `next` before the comparison. In half of the cases it is 0.
fn steps(random: &mut Random) -> usize {
    if random.below(2) == 0 { 0 } else { random.below(12) }
}

#[test]
fn encoding_is_the_same_with_the_sets_of_url() {
    inputs(0x9E37_79B9_7F4A_7C15, 200_000, |input, random| {
        for sets in ours::URL.into_iter().zip(theirs::URL) {
            encode(input, sets, steps(random));
        }
    });
}

#[test]
fn encoding_is_the_same_with_any_set() {
    let mut random = Random::seeded(0xD1B5_4A32_D192_ED03);
    let mut sets: Vec<Sets> = [0, 1, 1 << 127, u128::MAX].map(|bits| (ours::random(bits), theirs::random(bits))).into();
    for _ in 0..96 {
        // The sets have half of the bytes, few of them, or most of them.
        let draws = [(); 4].map(|()| u128::from(random.next()) << 64 | u128::from(random.next()));
        let bits = [draws[0], draws[0] & draws[1] & draws[2], draws[0] | draws[1] | draws[3]][random.below(3)];
        sets.push((ours::random(bits), theirs::random(bits)));
    }
    inputs(0xA076_1D64_78BD_642F, 1_000_000, |input, random| {
        encode(input, sets[random.below(sets.len())], steps(random));
    });
}

#[test]
fn decoding_is_the_same() {
    inputs(0xE703_7ED1_A0B4_28DB, 1_000_000, |input, random| decode(input, steps(random)));
}

#[test]
fn text_and_bytes_give_the_same() {
    inputs(0x8EBC_6AF0_9C88_C6E3, 20_000, |input, random| {
        let text = &*String::from_utf8_lossy(input);
        let set = random.below(ours::URL.len());
        let new = percent_encoding::utf8_percent_encode(text, ours::URL[set]);
        assert_eq!(new, percent_encoding::percent_encode(text.as_bytes(), ours::URL[set]));
        same!(new.to_string(), original::utf8_percent_encode(text, theirs::URL[set]).to_string(), text);
        let (new, old) = (percent_encoding::percent_decode_str(text), original::percent_decode_str(text));
        same!(new.collect::<Vec<u8>>(), old.collect::<Vec<u8>>(), text);
    });
}

/// Encodes and decodes each single byte, each pair of bytes, and each pair after a `%`. The results must equal the
/// original's.
#[test]
fn short_inputs_are_the_same() {
    let sets = || ours::URL.into_iter().zip(theirs::URL);
    encode(b"", (ours::URL[0], theirs::URL[0]), 0);
    decode(b"", 0);
    for first in 0..=255 {
        sets().for_each(|sets| encode(&[first], sets, 0));
        decode(&[first], 0);
        for second in 0..=255 {
            encode(&[first, second], (ours::URL[3], theirs::URL[3]), 0);
            decode(&[b'%', first, second], 0);
        }
    }
}

#[test]
fn debug_and_display_are_the_same() {
    inputs(0x5899_65CC_7537_4CC3, 5_000, |input, random| {
        let set = random.below(ours::URL.len());
        let new = percent_encoding::percent_encode(input, ours::URL[set]);
        let old = original::percent_encode(input, theirs::URL[set]);
        same!(format!("{new:?}"), format!("{old:?}"), input);
        same!(format!("{new:#?}"), format!("{old:#?}"), input);
        same!(format!("{new:>99.3}|{new:<2}"), format!("{old:>99.3}|{old:<2}"), input);
        let (new, old) = (percent_encoding::percent_decode(input), original::percent_decode(input));
        same!(format!("{new:?}"), format!("{old:?}"), input);
    });
    for (new, old) in ours::URL.into_iter().zip(theirs::URL) {
        assert_eq!(format!("{new:?} {new:#?}"), format!("{old:?} {old:#?}"));
    }
}

#[test]
fn an_error_of_the_writer_is_returned() {
    struct Full(usize);
    impl std::fmt::Write for Full {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0 = self.0.checked_sub(text.len()).ok_or(std::fmt::Error)?;
            Ok(())
        }
    }
    let encoded = percent_encoding::percent_encode(b"a b", ours::URL[2]);
    assert!(write!(Full(5), "{encoded}").is_ok());
    assert!(write!(Full(4), "{encoded}").is_err());

    // If the rest of the input is empty, both crates can write this rest to a closed writer without an error.
    struct Closed;
    impl std::fmt::Write for Closed {
        fn write_str(&mut self, _: &str) -> std::fmt::Result {
            Err(std::fmt::Error)
        }
    }
    for input in [&b""[..], b"a", b" "] {
        let (new, old) =
            (&percent_encoding::percent_encode(input, ours::URL[2]), &original::percent_encode(input, theirs::URL[2]));
        assert_eq!(write!(Closed, "{new}"), write!(Closed, "{old}"));
    }
}

#[test]
fn sets_are_the_same() {
    fn message(call: impl FnOnce() -> String) -> Result<String, String> {
        catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).expect("a panic with a text")
        })
    }
    let mut random = Random::seeded(0x1D8E_4E27_C47D_124F);
    for _ in 0..cases(2000) {
        let [a, b] = [(); 2].map(|()| u128::from(random.next()) << 64 | u128::from(random.next()));
        let (new, old) = ([ours::random(a), ours::random(b)], [theirs::random(a), theirs::random(b)]);
        // `original::AsciiSet` is not `Copy`, so this makes a new value for each use.
        let owned = |bits: u128| theirs::random(bits).union(original::AsciiSet::EMPTY);
        assert_eq!(format!("{:?}", new[0].union(*new[1])), format!("{:?}", old[0].union(owned(b))));
        assert_eq!(format!("{:?}", *new[0] + *new[1]), format!("{:?}", owned(a) + owned(b)));
        assert_eq!(format!("{:?}", new[0].complement()), format!("{:?}", old[0].complement()));
        assert_eq!(format!("{:?}", !*new[0]), format!("{:?}", !owned(a)));
        assert_eq!(new[0] == new[1], old[0] == old[1]);
        assert_eq!(*new[0], ours::random(a).add(b'x').remove(b'x').union(new[0].add(b'y').remove(b'y')));
    }
    for byte in 0..=255 {
        let set = random.below(ours::URL.len());
        let (new, old) = (ours::URL[set], theirs::URL[set]);
        assert_eq!(message(|| format!("{:?}", new.add(byte))), message(|| format!("{:?}", old.add(byte))));
        assert_eq!(message(|| format!("{:?}", new.remove(byte))), message(|| format!("{:?}", old.remove(byte))));
        let encoded = original::percent_encode(&[byte], old).to_string() != char::from(byte).to_string();
        assert_eq!(new.should_percent_encode(byte), encoded || byte >= 0x80);
        assert_eq!(new.contains(byte), encoded && byte < 0x80);
        assert_eq!(percent_encoding::percent_encode_byte(byte), original::percent_encode_byte(byte));
    }
}

/// Uses each type as programs do. This code compiles with both crates only if their types are the same.
macro_rules! usage {
    ($name:ident, $of:ident) => {
        #[test]
        fn $name() {
            use $of::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, PercentDecode, PercentEncode};

            const A: AsciiSet = AsciiSet::EMPTY.add(b'a');
            const B: AsciiSet = A.union(AsciiSet::EMPTY.add(b'b')).complement().remove(b'c');
            static SET: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-');
            fn all<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + Debug>() {}
            fn equal<T: Eq + Clone>() {}
            /// Returns an iterator that borrows only from the input.
            fn longer<'a>(input: &'a str) -> impl Iterator<Item = &'a str> + Clone + std::fmt::Display + 'a {
                $of::utf8_percent_encode(input, SET)
            }
            fn narrowed<'short>(encode: PercentEncode<'static>, _: &'short str) -> PercentEncode<'short> {
                encode
            }

            all::<AsciiSet>();
            all::<PercentEncode<'_>>();
            all::<PercentDecode<'_>>();
            equal::<PercentEncode<'_>>();
            let byte: fn(u8) -> &'static str = $of::percent_encode_byte;
            let encode: for<'a> fn(&'a [u8], &'static AsciiSet) -> PercentEncode<'a> = $of::percent_encode;
            let decode: fn(&[u8]) -> PercentDecode<'_> = $of::percent_decode;
            let encode_text: for<'a> fn(&'a str, &'static AsciiSet) -> PercentEncode<'a> = $of::utf8_percent_encode;
            assert_eq!("a b".bytes().map(byte).collect::<String>(), "%61%20%62");
            assert_eq!(encode(b"a-b c", SET).collect::<Vec<_>>(), ["a-b", "%20", "c"]);
            assert_eq!(encode_text("a-b c", SET).map(str::len).sum::<usize>(), 7);
            assert!(decode(b"%41").eq(*b"A"));
            assert_eq!(longer(&String::from("ä")).to_string(), "%C3%A4");
            assert_eq!(narrowed(encode(b"x", CONTROLS), "").next(), Some("x"));
            assert!(A != B && B + A == !AsciiSet::EMPTY.add(b'b').add(b'c'));
            // A constant can be a pattern.
            assert!(matches!(&*CONTROLS, CONTROLS));
            let into: Cow<'_, str> = encode(b" ", CONTROLS).into();
            assert!(matches!(into, Cow::Borrowed(" ")));
        }
    };
}

usage!(usage_is_the_same_here, percent_encoding);
usage!(usage_is_the_same_there, original);

/// Tests the additions to the original.
#[test]
fn sets_are_copied_united_and_made_at_run_time() {
    use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC};

    const WITH_SPACE: AsciiSet = AsciiSet::EMPTY.add(b' ').union(*CONTROLS);
    assert_eq!(WITH_SPACE, *CONTROLS + AsciiSet::EMPTY.add_all(b"  "));
    let configured = NON_ALPHANUMERIC.remove_all(b"-_");
    let copy = configured;
    assert_eq!(configured, copy);
    assert_eq!(copy.encode(b"a-b_c.d").collect::<Vec<_>>(), ["a-b_c", "%2E", "d"]);
    assert!(catch_unwind(|| NON_ALPHANUMERIC.add_all("é".as_bytes())).is_err());
}
