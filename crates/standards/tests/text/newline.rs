//! Compares the calls for line ends with a naive implementation.
#![cfg(feature = "alloc")]

use crate::common;

use std::borrow::Cow;

use common::{Random, cases, scale};
use percent_simd::{Encoder, sets};
use percent_standards::newline::Newline;

const ALL: [(Newline, Option<&str>); 4] =
    [(Newline::Keep, None), (Newline::Lf, Some("\n")), (Newline::Cr, Some("\r")), (Newline::CrLf, Some("\r\n"))];

/// Converts all line ends to LF, and then to `end`.
fn naive(text: &str, end: Option<&str>) -> String {
    let Some(end) = end else { return text.to_string() };
    text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', end)
}

#[track_caller]
fn check(text: &str) {
    for (policy, end) in ALL {
        let expected = naive(text, end);
        let applied = policy.apply(text);
        assert_eq!(applied, *expected, "{policy:?} on {text:?}");
        assert_eq!(matches!(applied, Cow::Borrowed(_)), text == expected, "{policy:?} on {text:?}: borrowed, or not");
        assert_eq!(policy.apply_bytes(text), expected.as_bytes());
        assert_eq!(matches!(policy.apply_bytes(text), Cow::Borrowed(_)), text == expected);
        assert_eq!(policy.applied_len(text), Some(expected.len()));
        assert_eq!(policy.is_applied(text), text == expected);
        assert_eq!(policy.apply(&expected), *expected, "{policy:?}, twice, on {text:?}");
        if let Cow::Owned(applied) = applied {
            assert_eq!(applied.capacity(), expected.len());
        }
    }
}

#[test]
fn every_short_text() {
    let letters = ["\r", "\n", "a", "é", "\u{2028}"];
    for len in 0..=6u32 {
        for number in 0..letters.len().pow(len) {
            check(&(0..len).map(|k| letters[number / letters.len().pow(k) % letters.len()]).collect::<String>());
        }
    }
}

#[test]
fn long_texts() {
    let mut random = Random::seeded(29);
    for _ in 0..cases(2_000) {
        let density = [2, 10, 200][random.below(3)];
        let n = random.below(1_000);
        let letter = |random: &mut Random| match random.one_in(density) {
            true => ["\r", "\n", "\r\n", "\n\r"][random.below(4)],
            false => ["a", "é", "€", "\u{85}"][random.below(4)],
        };
        check(&(0..n).map(|_| letter(&mut random)).collect::<String>());
    }
    for token in ["\r", "\n", "\r\n", "\n\r", "a"] {
        check(&token.repeat(scale(50_000)));
    }
}

#[test]
fn bytes_of_any_kind() {
    fn holds(bytes: Vec<u8>) -> bool {
        // Each byte becomes the character whose code point is the value of the byte. So the line ends are at the same
        // places.
        let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
        ALL.iter().all(|&(policy, end)| {
            let expected: Vec<u8> = naive(&text, end).chars().map(|c| c as u8).collect();
            policy.apply_bytes(&bytes) == expected
        })
    }
    common::check(100, holds as fn(Vec<u8>) -> bool);
}

#[test]
fn line_ends_are_normalized_before_encoding() {
    // RFC 6068 5: line breaks in a body are %0D%0A.
    const QCHAR: Encoder = Encoder::new(sets::RFC6068_QCHAR);
    assert_eq!(QCHAR.encode(&*Newline::CrLf.apply("a\nb\rc\r\nd\n\re")), "a%0D%0Ab%0D%0Ac%0D%0Ad%0D%0A%0D%0Ae");
    assert_eq!(Newline::default(), Newline::Keep);
}
