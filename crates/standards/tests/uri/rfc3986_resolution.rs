//! Tests RFC 3986 5.2 and 5.4: reference resolution and dot segments.

use std::borrow::Cow;

use percent_standards::uri::{self, Equivalence, Level, Uri, UriError, UriErrorKind, equivalent, lint};

use crate::common::rfc3986::{
    first_malformed, naive_remove_decoded_dot_segments, naive_remove_dot_segments, naive_resolve,
};
use crate::common::scale;
use crate::inputs::{Hostile, check};

/// Tests the examples of RFC 3986 5.4.
#[test]
fn resolution_follows_the_examples() {
    let base = Uri::parse_absolute("http://a/b/c/d;p?q").unwrap();
    for (reference, target) in [
        // 5.4.1
        ("g:h", "g:h"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        // 5.4.2
        ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
        ("http:g", "http:g"),
    ] {
        assert_eq!(base.resolve(&Uri::parse(reference).unwrap()).as_deref(), Ok(target), "{reference}");
        assert_eq!(base.resolve_literally(&Uri::parse(reference).unwrap()).as_deref(), Ok(target), "{reference}");
        assert_eq!(naive_resolve("http://a/b/c/d;p?q", reference, naive_remove_dot_segments), target);
    }
}

#[test]
fn resolution_matches_the_pseudocode() {
    check(30_000, |(Hostile(base), Hostile(reference)): (Hostile, Hostile)| {
        let (b, r) = (Uri::split(&base), Uri::split(&reference));
        let resolved = b.resolve(&r);
        if b.scheme.is_none() {
            assert_eq!(resolved, Err(UriError::new(0, UriErrorKind::NoScheme)));
            return;
        }
        let target = resolved.unwrap();
        assert_eq!(target, naive_resolve(&base, &reference, naive_remove_decoded_dot_segments));
        let literal = b.resolve_literally(&r).unwrap();
        assert_eq!(literal, naive_resolve(&base, &reference, naive_remove_dot_segments));
        assert_eq!(target.capacity(), target.len());
        // The path isn't read as an authority.
        let authority = if r.scheme.is_some() { r.authority } else { r.authority.or(b.authority) };
        assert_eq!(Uri::split(&target).authority, authority);
    });
    let resolve = |base: &str, reference: &str| Uri::split(base).resolve(&Uri::split(reference)).unwrap();
    assert_eq!(resolve("http://a", "b"), "http://a/b");
    assert_eq!(resolve("a:b", "c"), "a:c");
    assert_eq!(resolve("a:b/c", "../../d"), "a:/d");
    assert_eq!(resolve("a:/b", "/.//c"), "a:/.//c");
    assert_eq!(resolve("a:/b/c", "..//d"), "a:/.//d");
}

#[test]
fn dot_segments_are_removed_as_in_the_pseudocode() {
    assert_eq!(uri::remove_dot_segments("/a/b/c/./../../g"), "/a/g");
    assert_eq!(uri::remove_dot_segments("mid/content=5/../6"), "mid/6");
    // We test every path that consists of up to seven of these pieces.
    let pieces = ["/", ".", "..", "a", "%2e"];
    let count: usize = (0..=7u32).map(|n| pieces.len().pow(n)).sum();
    for number in crate::common::thinned(0..count, 0) {
        let (mut number, mut path) = (number, String::new());
        while number > 0 {
            path += pieces[(number - 1) % pieces.len()];
            number = (number - 1) / pieces.len();
        }
        for (expected, removed) in [
            (naive_remove_dot_segments(&path), uri::remove_dot_segments_literally(&path)),
            (naive_remove_decoded_dot_segments(&path), uri::remove_dot_segments(&path)),
        ] {
            assert_eq!(removed, expected, "{path}");
            // If nothing changes, the path is borrowed. So if the result is owned, the path has changed.
            if let Cow::Owned(removed) = removed {
                assert_eq!(removed.capacity(), removed.len());
                assert_ne!(removed, path);
            }
        }
    }
}

#[test]
fn long_inputs_take_linear_time_and_no_stack() {
    let n = scale(200_000);
    for piece in
        ["/..", "/a/..", "/.", "../", "/%2e%2E", "a", "%41", "%", "%25", "[", ":", "@", "//", "?", "#", "&=", ";"]
    {
        let text = format!("http://h/{}", piece.repeat(n));
        let (other, _) = (text.replacen('h', "H", 1), ());
        let _ = Uri::parse(&text);
        let sanitized = uri::sanitize(&text);
        assert!(matches!(uri::normalize(&sanitized), Ok(Cow::Borrowed(_))), "{piece}");
        let expected = if text.replace("%25", "").contains('%') && first_malformed(&text).is_some() {
            Equivalence::Unknown
        } else {
            Equivalence::Equivalent
        };
        assert_eq!(equivalent(&text, &other, Level::Scheme), expected, "{piece}");
        assert!(lint(&text).count() <= text.len());
        assert!(Uri::split(&text).segments().count() <= text.len());
        let base = Uri::split("http://h/a");
        assert!(base.resolve(&Uri::split(&text[9..])).is_ok());
    }
}

/// Tests that you get the same result if you normalize before or after resolving. `%2E` counts as a dot in both cases.
#[test]
fn resolving_and_normalizing_commute() {
    let target = Uri::split("http://h/x/y").resolve(&Uri::split("a/%2e%2e/../b")).unwrap();
    assert_eq!(target, "http://h/b");
    check(20_000, |(Hostile(base), Hostile(reference)): (Hostile, Hostile)| {
        let base = format!("http://h/{base}");
        // We normalize the base first. Otherwise a `..` at the end of the base would be taken as the name of a file
        // (5.2.3).
        let (Ok(base), Ok(normal)) = (uri::normalize(&base), uri::normalize(&reference)) else {
            return;
        };
        let base = Uri::split(&base);
        let target = base.resolve(&Uri::split(&reference)).unwrap();
        let other = base.resolve(&Uri::split(&normal)).unwrap();
        assert_eq!(uri::normalize(&target), uri::normalize(&other), "{base} {reference}");
        // The two references are equivalent.
        assert_eq!(
            equivalent(&reference, &normal, Level::PathSegment),
            Equivalence::Equivalent,
            "{reference} {normal}"
        );
    });
}
