//! Tests RFC 3986 6.2: comparison.

use percent_standards::uri::{Equivalence, Level, equivalent};

use crate::common::rfc3986::{first_malformed, naive_equivalent};
use crate::inputs::{Similar, check};
use crate::rfc3986_normalization::BY_SCHEME;

#[test]
fn each_level_ignores_more_differences() {
    use Equivalence::{Different, Equivalent, Unknown};
    let levels = [Level::Simple, Level::Case, Level::PercentEncoding, Level::PathSegment, Level::Scheme];
    for (a, b, expected) in [
        ("http://a/b", "http://a/b", [Equivalent; 5]),
        ("%", "%", [Equivalent; 5]),
        ("http://a/b", "http://a/B", [Different; 5]),
        ("HTTP://A/%c3", "http://a/%C3", [Different, Equivalent, Equivalent, Equivalent, Equivalent]),
        ("http://a/%62", "http://a/b", [Different, Different, Equivalent, Equivalent, Equivalent]),
        ("http://%61/", "http://A/", [Different, Different, Equivalent, Equivalent, Equivalent]),
        ("http://a/c/../b", "http://a/b", [Different, Different, Different, Equivalent, Equivalent]),
        ("http://a/%2E/b", "http://a/b", [Different, Different, Different, Equivalent, Equivalent]),
        ("x:/.//b", "x:/a/..//b", [Different, Different, Different, Equivalent, Equivalent]),
        ("http://a:80/", "http://a", [Different, Different, Different, Different, Equivalent]),
        ("http://a:/", "http://a:80/", [Different, Different, Different, Different, Equivalent]),
        ("http://a:080/", "http://a", [Different, Different, Different, Different, Equivalent]),
        ("http://a:/", "http://a/", [Different, Different, Different, Equivalent, Equivalent]),
        ("http://a:443/", "http://a", [Different; 5]),
        // In these rows, the two references have the same target with every base URI.
        ("./a", "a", [Different, Different, Different, Equivalent, Equivalent]),
        ("a/%2E/b", "a/b", [Different, Different, Different, Equivalent, Equivalent]),
        ("a/.", "a/", [Different, Different, Different, Equivalent, Equivalent]),
        (".", "./", [Different, Different, Different, Equivalent, Equivalent]),
        ("%2E/..", "./..", [Different, Different, Equivalent, Equivalent, Equivalent]),
        // In these rows, the two references have different targets with some base URIs.
        (".", "", [Different; 5]),
        ("./?q", "?q", [Different; 5]),
        (".//a", "/a", [Different; 5]),
        ("./a:b", "a:b", [Different; 5]),
        ("%2E/..", "..", [Different, Different, Different, Equivalent, Equivalent]),
        ("a/../b", "b", [Different; 5]),
        ("/a%2Fb", "/a/b", [Different, Different, Unknown, Unknown, Unknown]),
        ("?a%3Db", "?a=b", [Different, Different, Unknown, Unknown, Unknown]),
        ("?a%3Db%62", "?a=bb", [Different, Different, Unknown, Unknown, Unknown]),
        ("?a%3Dc", "?a=b", [Different; 5]),
        // In the generic syntax, these characters are always delimiters.
        ("/a%3Fb", "/a?b", [Different; 5]),
        ("/a%23b", "/a#b", [Different; 5]),
        ("//a%40b", "//a@b", [Different; 5]),
        ("/?", "/", [Different; 5]),
        ("/#", "/", [Different; 5]),
        ("//@a", "//a", [Different; 5]),
        // In these rows, a `%` is malformed, and the two texts aren't identical.
        ("A:%zz", "a:%zz", [Different, Unknown, Unknown, Unknown, Unknown]),
        ("a:%zz", "a:%yy", [Different; 5]),
        ("/%25", "/%", [Different, Different, Unknown, Unknown, Unknown]),
        ("//[::1%25EN]", "//[::1%25en]", [Different; 5]),
        ("//[::1%25en]", "//%5B::1%25en]", [Different; 5]),
    ] {
        for (level, expected) in levels.into_iter().zip(expected) {
            assert_eq!(equivalent(a, b, level), expected, "{a} {b} {level:?}");
            assert_eq!(equivalent(b, a, level), expected, "{b} {a} {level:?}");
        }
    }
}

#[test]
fn equivalence_agrees_with_normalisation() {
    check(60_000, |Similar(a, b): Similar| {
        for level in [Level::Simple, Level::Case, Level::PercentEncoding, Level::PathSegment, Level::Scheme] {
            let found = equivalent(&a, &b, level);
            assert_eq!(found, equivalent(&b, &a, level), "{a} {b}");
            assert_eq!(equivalent(&a, &a, level), Equivalence::Equivalent);
            if first_malformed(&a).or(first_malformed(&b)).is_none() {
                assert_eq!(found, naive_equivalent(&a, &b, level), "{a} {b} {level:?}");
            } else if a != b {
                assert_ne!(found, Equivalence::Equivalent, "{a} {b} {level:?}");
            }
        }
        if let (Ok(x), Ok(y)) = (BY_SCHEME.normalize(&a), BY_SCHEME.normalize(&b)) {
            assert_eq!(x == y, equivalent(&a, &b, Level::Scheme) == Equivalence::Equivalent, "{a} {b}");
            assert_eq!(equivalent(&a, &x, Level::Scheme), Equivalence::Equivalent, "{a} {x}");
        }
    });
}
