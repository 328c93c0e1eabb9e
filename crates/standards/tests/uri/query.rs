//! Tests canonical queries with the examples of their specifications, and with a naive model.

use std::borrow::Cow;

use percent_simd::{Decoder, OutputTooSmall, Plus, presets};
use percent_standards::form;
use percent_standards::uri::{CanonicalQuery, QueryOrder, Uri};

use crate::inputs::{Hostile, check};

const SIGV4: CanonicalQuery = CanonicalQuery::sigv4();
const OAUTH1: CanonicalQuery = CanonicalQuery::oauth1();
const KEY: CanonicalQuery = CanonicalQuery::cache_key();
const WRITTEN: CanonicalQuery = CanonicalQuery::as_written();

/// The cases about queries in the suite that AWS publishes (awslabs/aws-c-auth, tests/aws-signing-test-suite/v4), and
/// cases that users have reported.
#[test]
fn queries_of_aws_signature_version_4() {
    let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let unreserved = format!("{unreserved}={unreserved}");
    for (query, canonical) in [
        ("", ""),
        ("Param1=value1", "Param1=value1"), // get-vanilla-empty-query-key, post-vanilla-query
        ("Param-3=Value3&Param=Value2&%E1%88%B4=Value1", "%E1%88%B4=Value1&Param=Value2&Param-3=Value3"),
        ("Param2=value2&Param1=value1", "Param1=value1&Param2=value2"),
        (&*unreserved, &*unreserved),
        ("ሴ=bar", "%E1%88%B4=bar"),
        // curl 20543: `+` is a plus sign, and each pair gets a `=`.
        ("b=1+2&a=%2b&a=x%20y&c", "a=%2B&a=x%20y&b=1%2B2&c="),
        ("b=1+2&a=%2b&c", "a=%2B&b=1%2B2&c="),
        // Pairs are sorted by their encoded text, so `%5B` comes before `B`. Values are sorted as text, not as numbers.
        ("B&[&a=10&a=9&a", "%5B=&B=&a=&a=10&a=9"),
        ("a-b=1&a=2", "a=2&a-b=1"),
        ("a==b=%3D", "a=%3Db%3D%3D"),
        ("&&a&&", "a="),
        ("=v&n", "=v&n="),
        ("a=100%&b=%zz", "a=100%25&b=%25zz"),
        ("a=%41%7e%2f", "a=A~%2F"),
    ] {
        assert_eq!(SIGV4.canonicalize(query), canonical, "{query}");
        assert_eq!(SIGV4.is_canonical(query), query == canonical, "{query}");
    }
}

#[test]
fn parameters_of_oauth_1() {
    // RFC 5849 3.4.1.3.1 and 3.4.1.3.2: query, header and body. Kong/insomnia 1681 has the same case.
    let query = "b5=%3D%253D&a3=a&c%40=&a2=r%20b";
    let header = "oauth_consumer_key=9djdj82h48djs9d2&oauth_token=kkk9d7dh3k39sjv7&oauth_signature_method=HMAC-SHA1\
                  &oauth_timestamp=137131201&oauth_nonce=7d8f3e4a&oauth_signature=djosJKDKJSD8743243%2Fjdk33klY%3D";
    let parameters = format!("{query}&realm=Example&{header}&c2&a3=2+q");
    assert_eq!(
        OAUTH1.drop_names(&["realm", "oauth_signature"]).canonicalize(&parameters),
        "a2=r%20b&a3=2%20q&a3=a&b5=%3D%253D&c%40=&c2=&oauth_consumer_key=9djdj82h48djs9d2&oauth_nonce=7d8f3e4a\
         &oauth_signature_method=HMAC-SHA1&oauth_timestamp=137131201&oauth_token=kkk9d7dh3k39sjv7"
    );
    assert_eq!(OAUTH1.canonicalize("a3=2+q&a=1%2B1"), "a=1%2B1&a3=2%20q");
}

#[test]
fn keys_of_caches() {
    // browserbase/stagehand 2189: the pairs are only sorted.
    assert_eq!(KEY.canonicalize_uri("?utm_source=email&id=42"), "?id=42&utm_source=email");
    assert_eq!(KEY.canonicalize("z=%7e&a=+&a=%2B&Z&A=%zz"), "A=%zz&Z&a=+&a=%2B&z=%7e");
    // Pairs are in the order of their decoded names. Pairs with equal names keep the order of the input.
    assert_eq!(KEY.canonicalize("%62=1&a=2&b=3&%61=4"), "a=2&%61=4&%62=1&b=3");
    // The order is the same as in `URLSearchParams.sort()`: by code units of UTF-16.
    assert_eq!(KEY.canonicalize("ﬃ&🌈&\u{D7FF}"), "\u{D7FF}&🌈&ﬃ");
    assert_eq!(KEY.canonicalize("%EF%AC%83&%F0%9F%8C%88"), "%F0%9F%8C%88&%EF%AC%83");
    assert_eq!(KEY.order(QueryOrder::NameAndValue).canonicalize("a=2&a=1&b"), "a=1&a=2&b");
}

#[test]
fn names_are_dropped_after_decoding() {
    const TRACKING: &[&str] = &["utm_*", "fbclid", "é"];
    let dropped = |query: &str| KEY.drop_names(TRACKING).canonicalize(query).into_owned();
    assert_eq!(dropped("utm_source=a&utm_=b&utm=c&%75tm_x&fbclid=1&fbclid2=2&FBCLID=3"), "FBCLID=3&fbclid2=2&utm=c");
    assert_eq!(dropped("%C3%A9=1&é&e"), "e");
    assert_eq!(dropped("utm_a"), "");
    assert_eq!(KEY.drop_names(&["*"]).canonicalize("a&b=c"), "");
    assert_eq!(KEY.drop_names(&[""]).canonicalize("=1&b=c"), "b=c");
    assert_eq!(WRITTEN.drop_names(&["Expires"]).canonicalize("b&&a=%7e&Expires=1&"), "b&&a=%7e&");
    assert!(WRITTEN.is_canonical("b&&a=%7e&") && WRITTEN.is_canonical(""));
}

#[test]
fn only_the_query_of_a_uri_changes() {
    const CLEAN: CanonicalQuery = KEY.drop_names(&["utm_*"]);
    for (uri, canonical) in [
        ("http://h/p?b&a#b&a?b", "http://h/p?a&b#b&a?b"),
        ("http://h/p#?b&a", "http://h/p#?b&a"),
        ("//h?b?&a?", "//h?a?&b?"),
        ("http://h/?utm_x=1", "http://h/"),
        ("http://h/?utm_x=1#f", "http://h/#f"),
        ("http://h/?", "http://h/?"), // no pair was dropped
        ("http://h/?&", "http://h/"),
        ("", ""),
    ] {
        assert_eq!(CLEAN.canonicalize_uri(uri), canonical, "{uri}");
    }
}

#[test]
fn slices_are_used_without_allocation() {
    let mut out = [0; 64];
    assert_eq!(SIGV4.canonicalize_slice("a=1&b=2", &mut out[..7]).unwrap(), b"a=1&b=2");
    assert_eq!(SIGV4.canonicalize_slice("a=+", &mut out[..5]).unwrap(), b"a=%2B");
    // The result has 7 bytes, and each of the two pairs needs 8 more bytes for sorting.
    for (room, expected) in [(7, Err(OutputTooSmall::new(23))), (22, Err(OutputTooSmall::new(23))), (23, Ok(()))] {
        let result = SIGV4.canonicalize_slice("b=2&a=1", &mut out[..room]);
        assert_eq!(result.map(|text| assert_eq!(text, b"a=1&b=2")), expected);
    }
    assert_eq!(KEY.canonicalize_slice(b"b=\xFF&\xFE=1&a", &mut out).unwrap(), b"a&b=\xFF&\xFE=1");
}

#[test]
fn names_that_are_not_utf8_are_sorted_as_browsers_sort_them() {
    for (query, sorted) in [
        ("%FF=1&%FE=2", "%FF=1&%FE=2"),
        ("%FF=1&%EF%BD%9E=2", "%EF%BD%9E=2&%FF=1"),
        ("%FF=1&%EF%BF%BD=2&%EF%BF%BE=3&%F0%9F%8C%88=4", "%F0%9F%8C%88=4&%FF=1&%EF%BF%BD=2&%EF%BF%BE=3"),
        // Invalid UTF-8 is sorted like U+FFFD. The cut-off start of a character counts as one U+FFFD, and so does each
        // other invalid byte.
        ("%F0%9F%8C=1&%F0%9F=2&%FF=3", "%F0%9F%8C=1&%F0%9F=2&%FF=3"),
        ("%ED%A0%80=1&%FF%FF=2&%FF=3", "%FF=3&%FF%FF=2&%ED%A0%80=1"),
        ("%C3b=1&%C3a=2&%C3%A9=3&%C3=4", "%C3%A9=3&%C3=4&%C3a=2&%C3b=1"),
        ("%C3%C3%A9=1&%C3a=2", "%C3a=2&%C3%C3%A9=1"),
        ("\u{FF5E}=1&%F0%9F%8C%88=2&a%FF", "a%FF&%F0%9F%8C%88=2&\u{FF5E}=1"),
    ] {
        assert_eq!(KEY.canonicalize(query), sorted);
        assert_eq!(form::Pairs::parse(query).sorted(), form::Pairs::parse(sorted), "{query}");
    }
}

/// Builds the canonical form with simple code: decodes the names and values, sorts them as lists, and encodes them.
fn naive(query: &str, order: QueryOrder, encodes: bool, plus: bool, dropped: &[&str]) -> String {
    let decoder = if plus { Decoder::new().plus(Plus::Always) } else { Decoder::new() };
    let encode = |text: &str| presets::AWS_SIGV4.encode(&decoder.decode(text)).into_owned();
    let keeps_empty = order == QueryOrder::Kept && !encodes;
    let mut pairs: Vec<(String, String, String)> = Vec::new();
    for pair in query.split('&').filter(|pair| keeps_empty || !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let decoded = decoder.decode(name);
        let is_dropped = dropped.iter().any(|name| match name.strip_suffix('*') {
            Some(prefix) => decoded.starts_with(prefix.as_bytes()),
            None => *decoded == *name.as_bytes(),
        });
        if pair.is_empty() || !is_dropped {
            let written = if encodes { format!("{}={}", encode(name), encode(value)) } else { pair.into() };
            pairs.push((encode(name), encode(value), written));
        }
    }
    match order {
        QueryOrder::Kept => {}
        QueryOrder::Name => pairs
            .sort_by_cached_key(|(name, ..)| Decoder::new().decode_utf8_lossy(name).encode_utf16().collect::<Vec<_>>()),
        _ => pairs.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1))),
    }
    pairs.into_iter().map(|(.., written)| written).collect::<Vec<_>>().join("&")
}

#[test]
fn canonical_queries_agree_with_a_naive_model() {
    const DROPPED: &[&str] = &["a*", "b", "é"];
    check(20_000, |Hostile(text): Hostile| {
        let query = text.replace('/', "&").replace(':', "=").replace('#', "+").replace('[', "🌈").replace(']', "ﬃ");
        for dropped in [&[], DROPPED] {
            for (canonical, order, encodes, plus) in [
                (SIGV4, QueryOrder::NameAndValue, true, false),
                (OAUTH1, QueryOrder::NameAndValue, true, true),
                (KEY, QueryOrder::Name, false, true),
                (WRITTEN, QueryOrder::Kept, false, true),
                (SIGV4.order(QueryOrder::Kept), QueryOrder::Kept, true, false),
            ] {
                let canonical = canonical.drop_names(dropped);
                let expected = naive(&query, order, encodes, plus, dropped);
                let found = canonical.canonicalize(&query);
                assert_eq!(found, expected, "{query:?} {canonical:?}");
                assert_eq!(matches!(found, Cow::Borrowed(_)), found == query, "{query:?}: borrowed, or not");
                // The result is in the canonical form.
                assert!(canonical.is_canonical(&*found), "{query:?}");
                let mut out = vec![0; expected.len() + 8 * (query.len() + 1)];
                assert_eq!(canonical.canonicalize_slice(&query, &mut out).unwrap(), expected.as_bytes());
                let error = canonical.canonicalize_slice(&query, &mut []).err();
                assert_eq!(error.is_none(), expected.is_empty(), "{query:?}");
                if let Some(error) = error {
                    out.truncate(error.needed);
                    assert_eq!(canonical.canonicalize_slice(&query, &mut out).unwrap(), expected.as_bytes());
                }
            }
        }
        // Canonicalizing the query of a URI adds no component, and doesn't change the other components.
        let rest = |text: &str| Uri { query: None, ..Uri::split(text) }.to_string();
        assert_eq!(rest(&text), rest(&SIGV4.canonicalize_uri(&text)), "{text:?}");
    });
}

#[test]
fn long_queries_take_little_more_than_linear_time() {
    let n = crate::common::scale(100_000);
    let (value, name) = ("x".repeat(n), "%41".repeat(n / 4));
    for query in [
        format!("z={value}&{}", "a&".repeat(n)),
        format!("{}{value}", "a=1&".repeat(n)),
        (0..n).rev().map(|i| format!("{i}&")).collect(),
        format!("{name}z&{name}y&{name}x"),
        "&".repeat(n),
        "%".repeat(n),
    ] {
        let sorted = KEY.canonicalize(&query);
        assert!(KEY.is_canonical(&*sorted) && SIGV4.is_canonical(&*SIGV4.canonicalize(&query)));
    }
}
