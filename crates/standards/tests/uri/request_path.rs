//! Tests the normalization of request paths, and requoting.

use std::borrow::Cow;
use std::sync::LazyLock;

use percent_simd::{ByteSet, Decoder, sets};
use percent_standards::uri::{self, Component, PathNormalizer, Requoter, UriError, UriErrorKind};

use crate::common::rfc3986::{first_malformed, naive_escapes, naive_remove_dot_segments};
use crate::common::triplet;
use crate::grammar::Rule::{Alt, Text};
use crate::grammar::{Rule, many, pchar};
use crate::inputs::{Hostile, check};

const LENIENT: PathNormalizer = PathNormalizer::new();
const STRICT: PathNormalizer = LENIENT.strict();

fn path() -> Rule {
    many(Alt(vec![Text("/"), pchar()]))
}

#[test]
fn hostile_paths_are_normalized_or_rejected() {
    for (text, normal) in [
        ("/", "/"),
        ("/a/b", "/a/b"),
        ("/../../etc/passwd", "/etc/passwd"),
        ("/%2e%2e/%2E./.%2e/etc", "/etc"),
        ("/static/..%2f..%2fetc", "/static/..%2F..%2Fetc"),
        ("/static/..%5C..%5cetc", "/static/..%5C..%5Cetc"),
        ("/..;/admin", "/..;/admin"),
        ("/%2e%2e%2f", "/..%2F"),
        ("/%252e%252e/x", "/%252e%252e/x"),
        ("/%25%32%65/x", "/%252e/x"),
        ("/%c0%ae%C0%AE/x", "/%C0%AE%C0%AE/x"),
        ("/a/./b/.", "/a/b/"),
        ("/a/..", "/"),
        ("/.", "/"),
        ("/..", "/"),
        ("//evil/x", "//evil/x"),
        ("/.//evil/x", "//evil/x"),
        ("/a//../b", "/a/b"),
        ("/%7Euser/%41%2D", "/~user/A-"),
        ("/a%3b%3Fb%23", "/a%3B%3Fb%23"),
    ] {
        assert_eq!(STRICT.normalize(text).as_deref(), Ok(normal), "{text}");
        assert_eq!(LENIENT.normalize(text).as_deref(), Ok(normal), "{text}");
        assert_eq!(uri::normalize_path(text).as_deref(), Ok(normal), "{text}");
    }
    // A character that a path must not contain is escaped. A strict normalizer rejects it.
    for (text, normal, offset) in [
        ("/a%%32%46..", "/a%252F..", 2),
        ("/%%30%30", "/%2500", 1),
        ("/100%", "/100%25", 4),
        ("/%zz%4", "/%25zz%254", 1),
        (r"/..\..\x", "/..%5C..%5Cx", 3),
        ("/caf\u{E9}", "/caf%C3%A9", 4),
        ("/a b", "/a%20b", 2),
        ("/a?b#c", "/a%3Fb%23c", 2),
        ("/./[x]", "/%5Bx%5D", 3),
    ] {
        assert_eq!(LENIENT.normalize(text).as_deref(), Ok(normal), "{text}");
        let kind = match text.as_bytes()[offset] {
            b'%' => UriErrorKind::Escape(Component::Path),
            _ => UriErrorKind::Character(Component::Path),
        };
        assert_eq!(STRICT.normalize(text), Err(UriError::new(offset, kind)), "{text}");
    }
    for (text, offset, kind) in [
        ("/a%00.png", 2, UriErrorKind::Control),
        ("/a\0", 2, UriErrorKind::Control),
        ("/a%0d%0aSet-Cookie:x", 2, UriErrorKind::Control),
        ("/a\r\n", 2, UriErrorKind::Control),
        ("/%7f", 1, UriErrorKind::Control),
        ("/\u{7F}", 1, UriErrorKind::Control),
        ("/%%00", 2, UriErrorKind::Control),
        ("/%41/../%1F", 8, UriErrorKind::Control),
        ("", 0, UriErrorKind::NotRooted),
        ("a", 0, UriErrorKind::NotRooted),
        ("*", 0, UriErrorKind::NotRooted),
        ("../a", 0, UriErrorKind::NotRooted),
        ("%2Fa", 0, UriErrorKind::NotRooted),
        ("http://h/", 0, UriErrorKind::NotRooted),
    ] {
        assert_eq!(LENIENT.normalize(text), Err(UriError::new(offset, kind)), "{text:?}");
        let mut same = text.to_string();
        assert!(LENIENT.normalize_in_place(&mut same).is_err() && same == text);
        // A strict normalizer reports the malformed escape before the control character.
        let strict = if text == "/%%00" {
            UriError::new(1, UriErrorKind::Escape(Component::Path))
        } else {
            UriError::new(offset, kind)
        };
        assert_eq!(STRICT.normalize(text), Err(strict), "{text:?}");
    }
    // A control character is invalid in every path, but is reported with a kind of its own.
    for text in ["/a\0", "/\u{7F}b c", "/a\r\n"] {
        assert_eq!(STRICT.normalize(text), LENIENT.normalize(text), "{text:?}");
    }
}

#[test]
fn request_paths_are_normal_and_below_the_root() {
    static RULE: LazyLock<Rule> = LazyLock::new(path);
    check(30_000, |Hostile(text): Hostile| {
        let text = format!("/{text}");
        let has_control = text.contains(|c: char| c.is_ascii_control())
            || Decoder::new().decode(&text).iter().any(u8::is_ascii_control);
        let normal = match LENIENT.normalize(&text) {
            Ok(normal) => normal,
            Err(error) => {
                assert!(has_control && error.kind == UriErrorKind::Control, "{text:?}: {error}");
                assert!(text.as_bytes()[error.offset] == b'%' || text.as_bytes()[error.offset].is_ascii_control());
                return;
            }
        };
        assert!(!has_control, "{text:?}");
        assert_eq!(matches!(normal, Cow::Borrowed(_)), normal == text, "{text:?}: borrowed, or not");
        // Normalizing in place gives the same result, and a second time has no effect.
        let mut in_place = text.clone();
        LENIENT.normalize_in_place(&mut in_place).unwrap();
        assert_eq!(in_place, normal);
        assert_eq!(STRICT.normalize(&normal), Ok(Cow::Borrowed(&*normal)));
        // The result is a valid path below the root. It has no dot segment, not even after decoding.
        assert!(normal.len() > 200 || RULE.matches(&normal), "{normal}");
        assert!(normal.starts_with('/'));
        let is_dots = |segment: &str| matches!(&*Decoder::new().decode(segment), b"." | b"..");
        assert!(!normal.split('/').any(is_dots), "{normal}");
        // Run the steps one by one.
        let mut escaped = String::new();
        for (at, c) in text.char_indices() {
            let stands = c.is_ascii() && sets::RFC3986_PATH.contains(c as u8);
            let starts = c == '%' && triplet(&text.as_bytes()[at..]).is_some();
            match stands || starts {
                true => escaped.push(c),
                false => c.to_string().bytes().for_each(|byte| escaped += &format!("%{byte:02X}")),
            }
        }
        assert_eq!(normal, naive_remove_dot_segments(&naive_escapes(&escaped)), "{text:?}");
        match STRICT.normalize(&text) {
            Ok(strict) => assert!(strict == normal && escaped == text),
            Err(error) => assert_ne!(escaped, text, "{error}"),
        }
    });
}

#[test]
fn long_request_paths_take_linear_work() {
    let n = crate::common::scale(200_000);
    for (piece, normal) in [("/..", "/"), ("/a/..", "/"), ("/%2e%2E", "/"), ("/.", "/"), ("/./..", "/")] {
        assert_eq!(LENIENT.normalize(&piece.repeat(n)).as_deref(), Ok(normal), "{piece}");
    }
    assert_eq!(LENIENT.normalize(&("/a".repeat(n) + &"/..".repeat(n))).as_deref(), Ok("/"));
}

/// Tests cases that yarl's `_Quoter` and actix-router's `Quoter` treat alike.
#[test]
fn requoting_matches_yarl_and_actix() {
    const PATH: Requoter = Requoter::new(sets::RFC3986_PATH).protect(ByteSet::of(b"/+"));
    for (text, requoted) in [
        ("/path", "/path"),
        ("/path/ /b", "/path/%20/b"),
        ("/%7Euser", "/~user"),
        ("/%2f%2F/", "/%2F%2F/"),
        ("/a+b%2Bc%2bd", "/a+b%2Bc%2Bd"),
        ("/%40%3a%2c", "/@:,"),
        ("%", "%25"),
        ("%2", "%252"),
        ("%%41", "%25A"),
        ("%%34%31", "%2541"),
        ("%2541", "%2541"),
        ("%zz", "%25zz"),
        ("/\u{E9}%c3%A9", "/%C3%A9%C3%A9"),
        ("/%00\0?", "/%00%00%3F"),
        ("", ""),
    ] {
        assert_eq!(PATH.requote(text), requoted, "{text}");
    }
}

#[test]
fn requoting_is_idempotent_and_keeps_the_parts() {
    const PATH: Requoter = Requoter::new(sets::RFC3986_PATH).protect(ByteSet::of(b"/"));
    const QUERY: Requoter = Requoter::new(sets::RFC3986_QUERY).protect(ByteSet::of(b"&=+"));
    const ALL: Requoter = Requoter::new(ByteSet::ALL);
    check(20_000, |Hostile(text): Hostile| {
        for (requoter, allowed, delimiters) in
            [(PATH, sets::RFC3986_PATH, "/"), (QUERY, sets::RFC3986_QUERY, "&=+"), (ALL, ByteSet::ASCII, "")]
        {
            let requoted = requoter.requote(&text);
            assert_eq!(matches!(requoted, Cow::Borrowed(_)), requoted == text, "{text}: borrowed, or not");
            assert_eq!(requoter.requote(&requoted), requoted, "{text}");
            assert_eq!(first_malformed(&requoted), None);
            assert!(requoted.bytes().all(|byte| byte == b'%' || allowed.contains(byte)), "{requoted}");
            let parts = |text: &str| {
                text.split(|c| delimiters.contains(c)).map(|part| Decoder::new().decode(part).into_owned()).collect()
            };
            // Skip text with a stray `%`. Requoting encodes it, so a later triplet can decode differently than in the input.
            if first_malformed(&text).is_none() {
                let (before, after): (Vec<_>, Vec<_>) = (parts(&text), parts(&requoted));
                assert_eq!(before, after, "{text} {requoted}");
            }
        }
    });
}
