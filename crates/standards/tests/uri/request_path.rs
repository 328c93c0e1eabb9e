//! Tests the normalization of request paths, and requoting.

use std::borrow::Cow;
use std::sync::LazyLock;

use percent_simd::{ByteSet, Decoder, sets};
use percent_standards::uri::{self, Component, PathNormalizer, Requoter, Separators, UriError, UriErrorKind};

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
    // If a path can't contain a character, the character is escaped. A strict normalizer rejects the path instead.
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
        // A strict normalizer finds the malformed escape, which comes before the control character.
        let strict = if text == "/%%00" {
            UriError::new(1, UriErrorKind::Escape(Component::Path))
        } else {
            UriError::new(offset, kind)
        };
        assert_eq!(STRICT.normalize(text), Err(strict), "{text:?}");
    }
    // A control character is invalid in every path. It has its own kind of error.
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
        // Normalizing in place gives the same result. Normalizing a second time has no effect.
        let mut in_place = text.clone();
        LENIENT.normalize_in_place(&mut in_place).unwrap();
        assert_eq!(in_place, normal);
        assert_eq!(STRICT.normalize(&normal), Ok(Cow::Borrowed(&*normal)));
        // The result is a valid path below the root. It has no dot segment, and gets none if it is decoded.
        assert!(normal.len() > 200 || RULE.matches(&normal), "{normal}");
        assert!(normal.starts_with('/'));
        let is_dots = |segment: &str| matches!(&*Decoder::new().decode(segment), b"." | b"..");
        assert!(!normal.split('/').any(is_dots), "{normal}");
        // Runs the steps one by one.
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

/// Tests cases for which yarl's `_Quoter` and actix-router's `Quoter` give the same result.
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
            // We skip text with a malformed `%`. Requoting encodes this `%`, so a triplet after it can have another
            // meaning than before the requoting.
            if first_malformed(&text).is_none() {
                let (before, after): (Vec<_>, Vec<_>) = (parts(&text), parts(&requoted));
                assert_eq!(before, after, "{text} {requoted}");
            }
        }
    });
}

const MERGED: PathNormalizer = LENIENT.merge_slashes();
const STRAIGHT: PathNormalizer = LENIENT.separators(Separators::Reject);

#[test]
fn slashes_are_merged() {
    for (text, merged) in [
        ("//v1/service/action", "/v1/service/action"), // httprouter 159
        ("/a//../b", "/b"),
        ("/a/.//b", "/a/b"),
        ("/a/%2E//b//", "/a/b/"),
        ("/a//..", "/"),
        ("/%2F/", "/%2F/"),
        ("///", "/"),
        ("/a/b/", "/a/b/"),
        ("/a\\//b", "/a%5C/b"),
    ] {
        assert_eq!(MERGED.normalize(text).as_deref(), Ok(merged), "{text}");
    }
    // The cases about paths in the suite that AWS publishes (awslabs/aws-c-auth, tests/aws-signing-test-suite/v4).
    for (path, canonical) in [
        ("/example/..", "/"),
        ("/example1/example2/../..", "/"),
        ("/./", "/"),
        ("//", "/"),
        ("/./example", "/example"),
        ("//example//", "/example/"),
        ("/example space/", "/example%20space/"),
        (
            "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        ),
        ("/ሴ", "/%E1%88%B4"),
        ("/", "/"),
    ] {
        assert_eq!(MERGED.normalize(path).as_deref(), Ok(canonical), "{path}");
    }
}

#[test]
fn escapes_are_rejected() {
    let fault = |offset| UriError::new(offset, UriErrorKind::Rejected);
    let rejected = |offset| Err(fault(offset));
    for (text, offset) in [
        ("/api/auth/validate-sso/..%2f..%2f..%2fproxy/x", 25), // CVE-2026-34908
        ("/a%2Fb", 2),
        ("/a%5cb", 2),
        ("/a\\b", 2),
        ("/%41/..%5C", 7),
    ] {
        assert_eq!(STRAIGHT.normalize(text), rejected(offset), "{text}");
        let mut same = text.to_string();
        assert_eq!((STRAIGHT.normalize_in_place(&mut same), &*same), (Err(fault(offset)), text));
    }
    for (text, normal) in [("/a/b", "/a/b"), ("/%252F", "/%252F"), ("/%%32F", "/%252F"), ("/a%3Ab/..", "/")] {
        assert_eq!(STRAIGHT.normalize(text).as_deref(), Ok(normal), "{text}");
    }
    // traefik 12360: traefik refuses the escapes of these characters, but allows the raw characters.
    const SPECIAL: PathNormalizer = LENIENT.reject(ByteSet::of(b"/\\\0;%?#"));
    for (text, offset) in
        [("/a%2Fb", 2), ("/%5c", 1), ("/a;%3B", 3), ("/%25", 1), ("/%3f", 1), ("/%23", 1), ("/100%", 4), ("/?", 1)]
    {
        assert_eq!(SPECIAL.normalize(text), rejected(offset), "{text}");
    }
    assert_eq!(SPECIAL.normalize("/git%40github.com;v=1").as_deref(), Ok("/git%40github.com;v=1"));
    // A control character is reported as `Control` even if it is in the set. If there are several faults, the first one
    // is reported.
    assert_eq!(SPECIAL.normalize("/%00%2F"), Err(UriError::new(1, UriErrorKind::Control)));
    assert_eq!(SPECIAL.normalize("/%2F%00"), rejected(1));
    assert_eq!(SPECIAL.strict().normalize("/ %2F"), Err(UriError::new(1, UriErrorKind::Character(Component::Path))));
    assert_eq!(SPECIAL.strict().normalize("/%2F "), rejected(1));
    assert_eq!(SPECIAL.strict().normalize("/%"), Err(UriError::new(1, UriErrorKind::Escape(Component::Path))));
    assert_eq!(LENIENT.reject(ByteSet::of(b"A")).normalize("/%41"), rejected(1));
    assert_eq!(LENIENT.reject(ByteSet::of("é".as_bytes())).normalize("/caf\u{E9}"), rejected(4));
}

#[test]
fn options_only_remove_and_reject() {
    const SET: ByteSet = ByteSet::of(b"/\\:%");
    const ALL: PathNormalizer = STRAIGHT.merge_slashes().reject(ByteSet::of(b":%"));
    check(30_000, |Hostile(text): Hostile| {
        let text = format!("/{text}");
        let plain = LENIENT.normalize(&text);
        // Merging slashes gives the same result as two steps: remove the empty segments, and then the dot segments.
        let merged = MERGED.normalize(&text);
        assert_eq!(merged.is_ok(), plain.is_ok());
        if let Ok(merged) = &merged {
            assert!(!merged.contains("//"), "{text:?} {merged:?}");
            assert_eq!(MERGED.normalize(merged).as_deref(), Ok(&**merged));
            assert_eq!(matches!(merged, Cow::Borrowed(_)), *merged == text, "{text:?}: borrowed, or not");
            let mut once = text.clone();
            while once.contains("//") {
                once = once.replace("//", "/");
            }
            assert_eq!(LENIENT.normalize(&once).as_deref(), Ok(&**merged), "{text:?}");
            let mut out = vec![0; 3 * text.len()];
            assert_eq!(MERGED.normalize_slice(&text, &mut out).unwrap(), merged.as_bytes());
        }
        match (ALL.normalize(&text), merged) {
            (Ok(normal), merged) => {
                assert_eq!(Ok(&*normal), merged.as_deref());
                let has = |at: usize| triplet(&normal.as_bytes()[at..]).is_some_and(|byte| SET.contains(byte));
                assert!(!(0..normal.len()).any(has), "{text:?} {normal:?}");
            }
            (Err(error), _) if error.kind == UriErrorKind::Rejected => {
                let byte = triplet(&text.as_bytes()[error.offset..]).unwrap_or(text.as_bytes()[error.offset]);
                assert!(SET.contains(byte), "{text:?} {error}");
            }
            (Err(error), merged) => assert_eq!(Err(error), merged),
        }
    });
}
