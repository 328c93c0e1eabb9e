//! Generates random inputs.

use std::fmt::Debug;

use quickcheck::{Arbitrary, Gen};

use crate::common::{Random, check as check_property};

/// Random text that resembles URIs and hostile input.
#[derive(Clone, Debug)]
pub struct Hostile(pub String);

pub const PIECES: &[&str] = &[
    "a", "b", "A", "G", "z", "é", "：", // IDNA maps these two characters to `:` and `/`
    "%ef%bc%8f", "xn--rsum-bpad", "1", "80", "443", "/", "/", "/", "//", ":", ":", "?", "#", "@", "[", "]", "[::1]",
    "[fe80::1%25En]", "[v1.x]", "::", ".", "..", "/..", "/../", "/./", "%2e", "%2E", "/%2e%2E", "%41", "%7e", "%7E",
    "%2f", "%2F", "%3d", "%25", "%252e", "%C3%a9", "%c3", "%", "%4", "%zz", "%%41", "=", "&", ";", "+", "~", " ", "<",
    "http:", "http://", "HTTP://h", "//h", "urn:", "foo:", "1.2.3.4", "256.1.1.1", "x:", "\u{0}", "!", "_", "-",
];

impl Arbitrary for Hostile {
    fn arbitrary(g: &mut Gen) -> Hostile {
        let mut random = Random(u64::arbitrary(g) | 1);
        let most = [4, 8, 16, 40][random.below(4)];
        let mut text = String::new();
        if random.one_in(2) {
            text += ["http:", "http://", "Foo:", "//", "/", "ftp://u@h:21/", "ws://H:80"][random.below(7)];
        }
        for _ in 0..random.below(most) {
            text += PIECES[random.below(PIECES.len())];
        }
        if random.one_in(100) {
            text = text.repeat(50);
        }
        Hostile(text)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Hostile>> {
        let chars: Vec<char> = self.0.chars().collect();
        let without = |skip: usize| {
            let kept = chars.iter().enumerate().filter(|&(at, _)| at != skip);
            Hostile(kept.map(|(_, c)| c).collect())
        };
        Box::new((0..chars.len()).map(without).collect::<Vec<_>>().into_iter())
    }
}

/// Two texts that may be equivalent.
#[derive(Clone, Debug)]
pub struct Similar(pub String, pub String);

impl Arbitrary for Similar {
    fn arbitrary(g: &mut Gen) -> Similar {
        let text = Hostile::arbitrary(g).0;
        let mut random = Random(u64::arbitrary(g) | 1);
        let mut other = String::new();
        for c in text.chars() {
            match random.below(12) {
                0 if c.is_ascii() => other += &format!("%{:02x}", c as u32),
                1 => other.push(c.to_ascii_uppercase()),
                2 => other.push(c.to_ascii_lowercase()),
                3 if c == '/' => other += ["/./", "/a/../", "/%2E/", "%2f"][random.below(4)],
                _ => other.push(c),
            }
        }
        if random.one_in(4) {
            other = other.replacen("%2F", "/", 1).replacen("%41", "A", 1).replacen(":80", "", 1);
        }
        Similar(text, other)
    }
}

pub fn check<T: Arbitrary + Debug>(times: usize, property: fn(T)) {
    check_property(times, property);
}
