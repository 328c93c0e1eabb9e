//! Finds possible attacks in the values of fields.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter, memchr2};
use percent_simd::Decoder;
use percent_simd_records::formats::Syntax;

use crate::findings::{Kind, remarkable, triplet};

/// The kinds of possible attacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackKind {
    /// The value has a `..` between separators after all layers are decoded.
    Traversal,
    /// An escape that decodes to a part of another escape, as in `%2541`.
    Double,
    /// An overlong form of UTF-8, such as `%C0%AF` for `/`.
    Overlong,
    Nul,
    /// An escape of any other control character.
    Control,
    /// `%2F` or `%5C` before the query. Some programs decode it before they split the path into segments, and others after. So they
    /// see different paths.
    Separator,
}

/// Each kind with its name in JSON and in text.
pub const ATTACKS: [(AttackKind, &str, &str); 6] = [
    (AttackKind::Traversal, "traversal", "path traversal"),
    (AttackKind::Double, "double_encoding", "double encoding"),
    (AttackKind::Overlong, "overlong_utf8", "overlong UTF-8"),
    (AttackKind::Nul, "nul", "NUL byte"),
    (AttackKind::Control, "control", "control byte"),
    (AttackKind::Separator, "encoded_separator", "encoded separator"),
];

/// Calls `each` once for every kind of attack in `value`, with the offset of the first attack of this kind.
pub fn attacks(value: &[u8], syntax: Syntax, mut each: impl FnMut(AttackKind, usize)) {
    let mut seen = 0u8;
    let mut found = |kind: AttackKind, at: usize| {
        if seen >> kind as u8 & 1 == 0 {
            seen |= 1 << kind as u8;
            each(kind, at);
        }
    };
    // If true, decoding could produce a `..` between separators.
    let mut can_climb = false;
    let mut path_end = None;
    for at in memchr_iter(b'%', value) {
        let Some(byte) = triplet(&value[at..]) else { continue };
        can_climb |= matches!(byte, b'.' | b'/' | b'\\' | b'%');
        match byte {
            0 => found(AttackKind::Nul, at),
            1..=0x1F | 0x7F => found(AttackKind::Control, at),
            b'/' | b'\\' => {
                let end = *path_end.get_or_insert_with(|| match syntax {
                    Syntax::Reference => memchr2(b'?', b'#', value).unwrap_or(value.len()),
                    Syntax::Target => memchr(b'?', value).unwrap_or(value.len()),
                    Syntax::Query => 0,
                });
                if at < end {
                    found(AttackKind::Separator, at);
                }
            }
            _ => match remarkable(byte, &value[at + 3..]) {
                Some(Kind::Double) => found(AttackKind::Double, at),
                Some(Kind::Overlong) => found(AttackKind::Overlong, at),
                _ => {}
            },
        }
    }
    let dots = two_dots(value).next();
    if dots.is_none() && !can_climb {
        return;
    }
    let all = if can_climb { Decoder::new().decode_layers(value, usize::MAX).bytes } else { Cow::Borrowed(value) };
    if let Some(at) = climbs(&all) {
        // If the `..` appears only after decoding, we report the place of the first written `..`, or the start of the value.
        found(AttackKind::Traversal, if can_climb { dots.unwrap_or(0) } else { at });
    }
}

/// Returns the offset of each pair of consecutive dots.
fn two_dots(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr_iter(b'.', text).filter(|&at| text.get(at + 1) == Some(&b'.'))
}

/// Returns the offset of a segment `..` between separators.
fn climbs(text: &[u8]) -> Option<usize> {
    let is_bound = |byte: Option<&u8>| byte.is_none_or(|byte| b"/\\?#&=;".contains(byte));
    two_dots(text).find(|&at| {
        is_bound(at.checked_sub(1).and_then(|before| text.get(before)))
            && is_bound(text.get(at + 2))
            // A `..` without a slash beside it does not climb, for example in `?q=..`.
            && (text.get(at + 2).is_some_and(|byte| b"/\\".contains(byte)) || at > 0 && b"/\\".contains(&text[at - 1]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(value: &str, syntax: Syntax) -> Vec<(AttackKind, usize)> {
        let mut kinds = Vec::new();
        attacks(value.as_bytes(), syntax, |kind, at| kinds.push((kind, at)));
        kinds
    }

    #[test]
    fn attacks_are_found_in_their_syntax_and_harmless_values_are_not() {
        for harmless in
            ["/a%20b?c=%D0%B0", "/a..b/c", "/?q=..", "/...", "/a?u=http%3A%2F%2Fh%2F", "/100%", "/%C3%A9", "-"]
        {
            assert_eq!(kinds(harmless, Syntax::Target), [], "{harmless}");
            assert_eq!(kinds(harmless, Syntax::Reference), [], "{harmless}");
        }
        for (value, kind, at) in [
            ("/a/../b", AttackKind::Traversal, 3),
            ("/a/..", AttackKind::Traversal, 3),
            ("/%2e%2e/", AttackKind::Traversal, 0),
            ("/.%2e\\b", AttackKind::Traversal, 0),
            ("/?f=../../etc/passwd", AttackKind::Traversal, 4),
            ("/a%252", AttackKind::Double, usize::MAX),
            ("/a%2541", AttackKind::Double, 2),
            ("/a%c0%af", AttackKind::Overlong, 2),
            ("/%e0%80%af", AttackKind::Overlong, 1),
            ("/%e0%a0%80", AttackKind::Overlong, usize::MAX),
            ("/%00", AttackKind::Nul, 1),
            ("/%0d%0a", AttackKind::Control, 1),
            ("/%7F", AttackKind::Control, 1),
            ("/a%2fb", AttackKind::Separator, 2),
            ("/a%5Cb?c", AttackKind::Separator, 2),
        ] {
            let expected = if at == usize::MAX { vec![] } else { vec![(kind, at)] };
            assert_eq!(kinds(value, Syntax::Target), expected, "{value}");
            assert_eq!(kinds(value, Syntax::Reference), expected, "{value}");
        }
        assert_eq!(kinds("a%2fb", Syntax::Query), []);
        assert_eq!(kinds("/%252e%252e%252f", Syntax::Target).len(), 2);
        // A target has no fragment, so the `#` is part of its path.
        assert_eq!(kinds("/#%2f", Syntax::Target), [(AttackKind::Separator, 2)]);
        assert_eq!(kinds("/#%2f", Syntax::Reference), []);
    }
}
