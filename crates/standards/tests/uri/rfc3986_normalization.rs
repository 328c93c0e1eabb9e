//! Tests RFC 3986 6.2.2 and 6.2.3: normalization.

use std::borrow::Cow;

use percent_simd::DecodeErrorKind;
use percent_standards::uri::{self, Level, Normalizer, Uri};

use crate::common::rfc3986::{first_malformed, naive_escapes, naive_normalize, naive_split};
use crate::inputs::{Hostile, check};

pub const BY_SCHEME: Normalizer = Normalizer::new().by_scheme();

#[test]
fn normalisation_follows_the_examples() {
    for (text, normal) in [
        ("HTTP://ex%41mple.%C3%89.COM/%2e%2e/A", "http://example.%C3%89.com/A"),
        ("http://example.com/?", "http://example.com/?"),
        ("http://example.com?#", "http://example.com?#"),
        // 6.2.2
        ("eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"),
        // 6.2.2.1: the userinfo and the path keep their case
        ("HTTP://Me@HOST/PATH", "http://Me@host/PATH"),
        ("x://%4De@H%4fST", "x://Me@host"),
        ("x://[2001:DB8::1]", "x://[2001:db8::1]"),
        ("x://[FE80::1%25En%30]", "x://[fe80::1%25En0]"),
        ("//HOST", "//host"),
        // 6.2.2.2: only unreserved characters are decoded
        ("/%2f%3a%21%20%c3%a9%7E%2541", "/%2F%3A%21%20%C3%A9~%2541"),
        // 6.2.2.3
        ("x:a/../b", "x:/b"),
        ("x:/a/%2E%2e/%2e/b", "x:/b"),
        ("../a/./b", "../a/b"),
        ("a/../b/.", "a/../b/"),
        ("%2e%2E/a", "../a"),
        ("./a", "a"),
        ("%2E/./a", "a"),
        (".", "./"),
        ("./?q", "./?q"),
        ("./.", "./"),
        (".//a", ".//a"),
        ("././/a", ".//a"),
        ("./a:b", "./a:b"),
        ("././%61:b", "./a:b"),
        ("./a/c:b", "a/c:b"),
        ("//h/./a", "//h/a"),
        // An empty port (3.2.3)
        ("http://h:/", "http://h/"),
        // Browsers refuse this URL, but in `http:///x` they read `x` as the host (URL Standard 4.4).
        ("http://:/x", "http://:/x"),
        ("http://u@:/x", "http://u@:/x"),
        ("x://u:@[::1]:", "x://u:@[::1]"),
        ("x://[::", "x://[::"),
        ("x://u:", "x://u"),
        ("x://:@h", "x://:@h"),
        ("/../a/./b", "/a/b"),
        ("x:/..//a", "x:/.//a"),
        ("x:/.//a", "x:/.//a"),
        ("x:/%2E//a", "x:/.//a"),
        ("x:a/..//b", "x:/.//b"),
        ("/.//a", "/.//a"),
        ("x://h/.//a", "x://h//a"),
        // No character is encoded, and the result gets no new scheme.
        ("/a b/é/%7e", "/a b/é/~"),
        ("%41:B/%7e", "%41:B/~"),
        // Without a valid scheme, only triplets change, because the text isn't a reference: it may be a host and a port.
        ("1A://H:/%7e%2f", "1A://H:/~%2F"),
        ("a b: //H", "a b: //H"),
        ("a b://H:", "a b://H:"),
        ("127.0.0.1:8080/../b/%7e", "127.0.0.1:8080/../b/~"),
        ("1:2/../x", "1:2/../x"),
        ("1:2/%2E%2e/x", "1:2/../x"),
        ("[::1]/../y", "[::1]/../y"),
        ("a_b://h/x/../y", "a_b://h/x/../y"),
        ("a:2/../x", "a:/x"),
    ] {
        assert_eq!(uri::normalize(text).as_deref(), Ok(normal), "{text}");
        assert_eq!(uri::sanitize(text), normal, "{text}");
    }
    // 6.2.3
    for (text, normal) in [
        ("http://example.com", "http://example.com/"),
        ("http://example.com:80?q", "http://example.com/?q"),
        ("HTTPS://u:80@[::A]:443", "https://u:80@[::a]/"),
        ("http://h:443/", "http://h:443/"),
        ("http://h:080/", "http://h/"),
        ("http://h:%300%380/", "http://h/"),
        ("http://h:0/", "http://h:0/"),
        ("http://h:0000000000443/", "http://h:0000000000443/"),
        ("https://h:0000000000443/", "https://h/"),
        ("http://h:+80/", "http://h:+80/"),
        ("foo://h:/x", "foo://h/x"),
        ("foo://h:80/x", "foo://h:80/x"),
        ("http:", "http:"),
        ("//h:80", "//h:80/"),
        ("file:///a", "file:///a"),
        ("mailto:A@B", "mailto:A@B"),
        ("http://h:80/a/../%7e", "http://h/~"),
        ("http://:80/x", "http://:80/x"),
    ] {
        assert_eq!(BY_SCHEME.normalize(text).as_deref(), Ok(normal), "{text}");
        assert_eq!(BY_SCHEME.sanitize(text), normal, "{text}");
    }
    assert_eq!(uri::default_port("Http"), Some(80));
    // These ports are from IANA's registry of ports, and from the RFCs of the schemes.
    let ports = "http 80 https 443 ws 80 wss 443 ftp 21 ldap 389 telnet 23 gopher 70 nntp 119 imap 143 pop 110 rtsp 554 rtsps 322 \
        coap 5683 coaps 5684 ipp 631 ipps 631 dict 2628 wais 210 prospero 1525 acap 674 mupdate 3905 nfs 2049 tftp 69 icap 1344 \
        vnc 5900 rsync 873 snmp 161 sieve 4190 ssh 22 sftp 22";
    for row in ports.split_whitespace().collect::<Vec<_>>().chunks(2) {
        assert_eq!(uri::default_port(row[0]), row[1].parse().ok(), "{}", row[0]);
    }
    assert_eq!(uri::default_port("urn"), None);
}

/// Tests RFC 5952 4 and 5.
#[test]
fn ipv6_addresses_have_one_form() {
    const CANONICAL: Normalizer = Normalizer::new().canonical_ipv6();
    for (host, canonical) in [
        ("[2001:0db8::0001]", "[2001:db8::1]"),              // 4.1
        ("[2001:db8:0:0:0:0:2:1]", "[2001:db8::2:1]"),       // 4.2.1
        ("[2001:db8::0:1]", "[2001:db8::1]"),                // 4.2.1
        ("[2001:db8::1:1:1:1:1]", "[2001:db8:0:1:1:1:1:1]"), // 4.2.2
        ("[2001:0:0:1:0:0:0:1]", "[2001:0:0:1::1]"),         // 4.2.3
        ("[2001:db8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"),   // 4.2.3
        ("[2001:DB8::ABC]", "[2001:db8::abc]"),              // 4.3
        ("[::FFFF:C000:0201]", "[::ffff:192.0.2.1]"),        // 5
        ("[0:0:0:0:0:0:0:0]", "[::]"),
        ("[FE80:0::1%25En0]", "[fe80::1%25En0]"),
        ("[v1.A]", "[v1.a]"),
        ("1.2.3.4", "1.2.3.4"),
    ] {
        let text = format!("http://u:1@{host}:80/A");
        let normal = format!("http://u:1@{canonical}:80/A");
        assert_eq!(CANONICAL.normalize(&text).as_deref(), Ok(&*normal));
        assert!(matches!(CANONICAL.normalize(&normal), Ok(Cow::Borrowed(_))), "{normal}");
        let normal = format!("http://u:1@{canonical}/A");
        assert_eq!(CANONICAL.by_scheme().normalize(&text).as_deref(), Ok(&*normal));
    }
    assert_eq!(uri::normalize("http://[2001:DB8:0::1]/").as_deref(), Ok("http://[2001:db8:0::1]/"));
}

#[test]
fn malformed_escapes_are_errors_or_sanitised() {
    assert_eq!(uri::normalize_escapes("%2541").as_deref(), Ok("%2541"));
    let error = uri::normalize_escapes("%%34%31").unwrap_err();
    assert_eq!((error.offset, error.kind), (0, DecodeErrorKind::NotHex));
    assert_eq!(uri::sanitize_escapes("%%34%31"), "%2541");
    assert_eq!(uri::sanitize_escapes("a%zz%7e%4"), "a%25zz~%254");
    let error = uri::normalize("HTTP://a/../%4").unwrap_err();
    assert_eq!((error.offset, error.kind), (12, DecodeErrorKind::Truncated));
    assert_eq!(uri::sanitize("HTTP://a/../%4"), "http://a/%254");
    assert_eq!(uri::sanitize("%:b"), "%25:b");
    // The scheme `%6A%4` is decoded separately from the text after the `:`, so the decoder's input ends after the `%4`.
    // But in the whole URI, the `:` follows. So the error must be `NotHex` (the `:` isn't a digit), not `Truncated`.
    for (text, offset) in [("%6A%4:b", 3), ("%:", 0)] {
        let error = uri::normalize_escapes(text).unwrap_err();
        assert_eq!((error.offset, error.kind), (offset, DecodeErrorKind::NotHex), "{text}");
    }
    let error = uri::normalize("%6A%4:/./b").unwrap_err();
    assert_eq!((error.offset, error.kind), (3, DecodeErrorKind::NotHex));
}

#[test]
fn normalisation_matches_the_oracle() {
    check(30_000, |Hostile(text): Hostile| {
        for (normalizer, level) in [(Normalizer::new(), Level::PathSegment), (BY_SCHEME, Level::Scheme)] {
            let sanitized = normalizer.sanitize(&text);
            match normalizer.normalize(&text) {
                Ok(normal) => {
                    assert_eq!(first_malformed(&text), None);
                    assert_eq!(normal, naive_normalize(&text, level));
                    assert_eq!(normal, sanitized);
                    assert_eq!(matches!(normal, Cow::Borrowed(_)), normal == text, "borrowed if nothing changes");
                    if let Cow::Owned(owned) = normal {
                        // If the path is empty, or would be read as an authority, the result can be up to two bytes
                        // longer than the input.
                        assert!(owned.capacity() <= text.len() + 2, "{} bytes for {}", owned.capacity(), text.len());
                    }
                }
                Err(error) => {
                    assert_eq!(Some(error.offset), first_malformed(&text));
                    // We encode each malformed `%` by hand.
                    let mut encoded = text.clone();
                    while let Some(at) = first_malformed(&encoded) {
                        encoded.insert_str(at + 1, "25");
                    }
                    assert_eq!(sanitized, naive_normalize(&encoded, level));
                }
            }
            assert_eq!(normalizer.normalize(&sanitized), Ok(Cow::Borrowed(&*sanitized)), "idempotent");
        }
        match uri::normalize_escapes(&text) {
            Ok(normal) => {
                let scheme = naive_split(&text).scheme.filter(|scheme| scheme.contains('%')).unwrap_or_default();
                assert_eq!(normal, scheme.clone() + &naive_escapes(&text[scheme.len()..]));
            }
            Err(error) => assert_eq!(Some(error.offset), first_malformed(&text)),
        }
        let sanitized = uri::sanitize_escapes(&text);
        assert_eq!(uri::normalize_escapes(&sanitized), Ok(Cow::Borrowed(&*sanitized)));
    });
}

#[test]
fn normalisation_keeps_the_meaning() {
    // Returns the decoded segments of the path. A `..` removes the segment before it.
    fn meaning(text: &str) -> Vec<Vec<u8>> {
        let parsed = Uri::split(text);
        let mut left: Vec<Vec<u8>> = Vec::new();
        let segments: Vec<_> = parsed.segments().skip(1).map(|part| part.decode().into_owned()).collect();
        for (at, segment) in segments.iter().enumerate() {
            let dots = segment == b"." || segment == b"..";
            if segment == b".." {
                left.pop();
            }
            if !dots || at + 1 == segments.len() {
                left.push(if dots { Vec::new() } else { segment.clone() });
            }
        }
        left
    }
    check(20_000, |Hostile(text): Hostile| {
        let parsed = Uri::split(&text);
        let decoded = |part: Option<&str>| part.map(|part| percent_simd::Decoder::new().decode(part).into_owned());
        let Ok(normal) = uri::normalize(&text) else { return };
        let after = Uri::split(&normal);
        let is_scheme = |scheme: &str| Uri::parse(&format!("{scheme}:")).is_ok();
        if !parsed.scheme.is_none_or(is_scheme) {
            assert_eq!(decoded(Some(&text)), decoded(Some(&normal)));
            return;
        }
        if parsed.path.starts_with('/') {
            assert_eq!(meaning(&text), meaning(&normal));
        }
        assert_eq!(decoded(parsed.query), decoded(after.query));
        assert_eq!(decoded(parsed.fragment), decoded(after.fragment));
        assert_eq!(decoded(parsed.userinfo()), decoded(after.userinfo()));
        let stays = |port: &String| !port.is_empty() || parsed.host() == Some("");
        assert_eq!(parsed.port().map(naive_escapes).filter(stays).as_deref(), after.port());
        // A valid URI stays valid.
        assert!(Uri::parse(&text).is_err() || Uri::parse(&normal).is_ok());
    });
}

#[test]
fn only_the_chosen_steps_are_done() {
    use percent_standards::uri::Step;
    const URI: &str = "HTTP://Us%45r@H%4Fst:/%7Ea/./b%2f?%7e#%7e";
    for (steps, expected) in [
        (&[][..], URI),
        (&[Step::Scheme], "http://Us%45r@H%4Fst:/%7Ea/./b%2f?%7e#%7e"),
        (&[Step::Host], "HTTP://Us%45r@h%4Fst:/%7Ea/./b%2f?%7e#%7e"),
        (&[Step::Port], "HTTP://Us%45r@H%4Fst/%7Ea/./b%2f?%7e#%7e"),
        (&[Step::Escapes], "HTTP://UsEr@HOst:/~a/./b%2F?~#~"),
        (&[Step::Path], "HTTP://Us%45r@H%4Fst:/%7Ea/b%2f?%7e#%7e"),
        (&[Step::Scheme, Step::Host, Step::Port], "http://Us%45r@h%4Fst/%7Ea/./b%2f?%7e#%7e"),
        (&[Step::Scheme, Step::Host, Step::Port, Step::Escapes, Step::Path], "http://UsEr@host/~a/b%2F?~#~"),
    ] {
        assert_eq!(Normalizer::new().only(steps).normalize(URI).as_deref(), Ok(expected), "{steps:?}");
    }
    const ORIGIN: Normalizer =
        Normalizer::new().by_scheme().canonical_ipv6().only(&[Step::Scheme, Step::Host, Step::Port]);
    for (uri, expected) in [
        ("HTTPS://EX.com:443", "https://ex.com"),
        ("http://[2001:DB8::0:1]:80/%zz/../x", "http://[2001:db8::1]/%zz/../x"),
        ("A:/.//b", "a:/.//b"),
        ("//H:8080?q#F", "//h:8080?q#F"),
        ("../A:b", "../A:b"),
        ("http://H%c3%a9%zz/%", "http://h%c3%a9%zz/%"),
    ] {
        assert_eq!(ORIGIN.normalize(uri).as_deref(), Ok(expected), "{uri}");
    }
    // The default port and the empty path are changed by two different steps.
    assert_eq!(BY_SCHEME.only(&[Step::Port]).normalize("http://h:80").unwrap(), "http://h");
    assert_eq!(BY_SCHEME.only(&[Step::Path]).normalize("http://h:80").unwrap(), "http://h:80/");
    check(10_000, |Hostile(text): Hostile| {
        let steps = [Step::Scheme, Step::Host, Step::Port, Step::Escapes, Step::Path];
        assert_eq!(BY_SCHEME.only(&steps), BY_SCHEME);
        for mask in 0..31_u32 {
            let chosen: Vec<_> = (0..5).filter(|bit| mask & 1 << bit != 0).map(|bit| steps[bit]).collect();
            let normalizer = BY_SCHEME.only(&chosen);
            let Ok(normal) = normalizer.normalize(&text) else {
                assert!(chosen.contains(&Step::Escapes));
                continue;
            };
            assert_eq!(matches!(normal, Cow::Borrowed(_)), normal == text, "{text:?} {chosen:?}");
            // Doing the chosen steps again has no effect. If all steps are done afterwards, the result is the same as
            // if all steps are done at once.
            assert_eq!(normalizer.normalize(&normal), Ok(Cow::Borrowed(&*normal)), "{text:?} {chosen:?}");
            if let Ok(all) = BY_SCHEME.normalize(&text) {
                assert_eq!(BY_SCHEME.normalize(&normal), Ok(all), "{text:?} {chosen:?}");
            }
        }
    });
}
