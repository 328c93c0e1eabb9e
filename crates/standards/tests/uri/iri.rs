//! Compares the IRI calls with the grammar of RFC 3987, and with a conversion that runs its steps for one character at
//! a time.
#![cfg(feature = "alloc")]

use crate::common;

use std::borrow::Cow;

use common::rfc3987::{BIDI, BIDI_SINCE, iprivate, naive_to_iri, naive_to_uri, triplets, ucschar};
use common::{Random, cases, scale, thinned};
use percent_standards::iri::{self, check, check_reference, to_iri, to_uri, to_uri_legacy};
use percent_standards::uri::{self, Component, UriError, UriErrorKind};

#[track_caller]
fn same(input: &str, got: Cow<str>, expected: &str) {
    assert_eq!(got, *expected, "of {input:?}");
    assert_eq!(matches!(got, Cow::Borrowed(_)), input == expected, "{input:?}: borrowed, or not");
}

#[track_caller]
fn both_ways(text: &str) {
    let uri = naive_to_uri(text);
    same(text, to_uri(text), &uri);
    same(&uri, to_uri(&uri), &uri);
    let iri = naive_to_iri(text);
    same(text, to_iri(text), &iri);
    same(&iri, to_iri(&iri), &iri);
    // 3.2: if we convert the IRI back to a URI, the result can differ from the original in two ways. Unreserved
    // characters are no longer escaped, and the digits of escapes are in upper case.
    if text.is_ascii() {
        let back = to_uri(&iri).into_owned();
        let up = |s: &str| s.replace("%a", "%A").to_ascii_uppercase();
        let plain = percent_simd::Decoder::new().keep(!percent_simd::sets::RFC3986_UNRESERVED);
        let is_scheme_free = text.split(['/', '?', '#']).next().is_none_or(|first| !first.contains(':'));
        if plain.first_malformed(text).is_none() && is_scheme_free {
            let expected = String::from_utf8(plain.decode(text).into_owned()).unwrap();
            assert_eq!(up(&back), up(&expected), "{text:?} by way of {iri:?}");
        }
    }
}

#[test]
fn every_character_is_mapped_and_checked_like_the_oracle() {
    for c in thinned('\0'..=char::MAX, 3) {
        assert_eq!(iri::is_ucschar(c), ucschar(c), "{c:?}");
        assert_eq!(iri::is_iprivate(c), iprivate(c), "{c:?}");
        let code = c as u32;
        assert_eq!(iri::is_bidi_control(c), BIDI.contains(&code) || BIDI_SINCE.contains(&code), "{c:?}");
        // We test every character of the first plane. In the other planes, we test the ends of the ranges.
        if code > 0xFFFF && (0x10..0xFFF0).contains(&(code & 0xFFFF)) && code & 0xFFF != 0 {
            continue;
        }
        let text = c.to_string();
        let encoded = triplets(text.as_bytes());
        both_ways(&text);
        both_ways(&format!("a{encoded}b?{encoded}?#{encoded}?"));
        both_ways(&format!("{c}{encoded}?{c}%ff#{c}"));
        let stands = |ascii: &str| if c.is_ascii() { ascii.contains(c) } else { ucschar(c) && !BIDI.contains(&code) };
        let alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=";
        let at = |before: &str, after: &str| check(&format!("{before}{c}{after}")).is_ok();
        let escape = Err(UriError::new(8, UriErrorKind::Escape(Component::Path)));
        assert_eq!(at("s:/p", "p"), stands(&format!("{alnum}:@/?#")), "path: {c:?}");
        assert_eq!(at("s:?q", "q"), stands(&format!("{alnum}:@/?#")) || iprivate(c), "query: {c:?}");
        assert_eq!(at("s:#f", "f"), stands(&format!("{alnum}:@/?")), "fragment: {c:?}");
        assert_eq!(at("s://u", "u@h"), stands(&format!("{alnum}:/?#")), "userinfo: {c:?}");
        assert_eq!(at("s://h", "x"), stands(&format!("{alnum}@/?#")), "host: {c:?}");
        assert_eq!(at("s", "s:"), stands(&format!("{}+-.:/?#", &alnum[..62])) && !"/?#".contains(c) && c.is_ascii());
        if c == '%' {
            assert_eq!(check("s:/pppp/%"), escape);
        }
    }
}

/// Pieces of text in which faults are likely.
const TOKENS: [&str; 41] = [
    ":", "%", "%4", "%41", "%34", "%31", "%66", "%47", "%2f", "%25", "%c3", "%A9", "%E2", "%82", "%AC", "%80", "%aE",
    "%ED", "%A0", "%F0", "%9F", "%92", "%EE%80%80", "%C2%80", "%EF%BF%BD", "%D8%9C", "%fF", "a", "4", "/", "?", "#",
    " ", "<", "é", "€", "\u{80}", "\u{E000}", "\u{202E}", "💩", "\u{FFFE}",
];

#[test]
fn short_strings_of_tokens_are_mapped_like_the_oracle() {
    let count = TOKENS.len();
    for len in 0..=3u32 {
        for number in thinned(0..count.pow(len), len as usize) {
            let text: String = (0..len).map(|k| TOKENS[number / count.pow(k) % count]).collect();
            both_ways(&text);
        }
    }
}

#[test]
fn random_and_long_strings_are_mapped_like_the_oracle() {
    let mut random = Random::seeded(17);
    for _ in 0..cases(10_000) {
        let n = random.below(60);
        both_ways(&(0..n).map(|_| TOKENS[random.below(TOKENS.len())]).collect::<String>());
    }
    for _ in 0..cases(1_000) {
        let n = random.below(2000);
        both_ways(&String::from_utf8_lossy(&random.hostile(n)));
    }
    // If a call took quadratic time, long texts would show it.
    for token in TOKENS {
        both_ways(&token.repeat(scale(20_000)));
    }
}

#[test]
fn examples_of_rfc_3987() {
    let uri = "http://www.example.org/red%09ros%C3%A9#red"; // 3.1
    assert_eq!(to_uri("http://www.example.org/red%09rosé#red"), uri);
    assert_eq!(
        to_uri("http://example.com/\u{10300}\u{10301}\u{10302}"),
        "http://example.com/%F0%90%8C%80%F0%90%8C%81%F0%90%8C%82"
    );
    assert_eq!(to_iri("http://www.example.org/D%C3%BCrst"), "http://www.example.org/Dürst"); // 3.2.1
    assert_eq!(to_iri("http://www.example.org/D%FCrst"), "http://www.example.org/D%FCrst");
    let bidi = "http://xn--99zt52a.example.org/%e2%80%ae";
    assert_eq!(to_iri(bidi), "http://xn--99zt52a.example.org/%E2%80%AE");
    // 2.2: C1 controls and U+FFFD aren't `ucschar`. Private characters are allowed only in the query.
    let uri = "/%2F%25%20%3C%41%7E%c2%80%EF%BF%BD%EE%80%80?%EE%80%80";
    assert_eq!(to_iri(uri), "/%2F%25%20%3CA~%C2%80%EF%BF%BD%EE%80%80?\u{E000}");
    assert_eq!(to_iri("%%34%31"), "%%34%31");
    // Decoding can't create a scheme (RFC 3986 4.2).
    for (text, iri) in [
        ("%6Aavascript:alert(1)", "%6Aavascript:alert(1)"),
        ("%68ttp://evil/%C3%A9", "%68ttp://evil/é"),
        ("%C3%A9:%41", "%C3%A9:A"),
        ("./%6Aavascript:x", "./javascript:x"),
        ("a%3A%41", "a%3AA"),
    ] {
        assert_eq!(to_iri(text), iri);
    }
    // RFC 3987 3.1 (with MAY) and XLink 5.4 allow us to convert these characters.
    assert_eq!(
        to_uri_legacy("<>\" {}|\\^`#%[]\u{80}é\u{E000}\n"),
        "%3C%3E%22%20%7B%7D%7C%5C%5E%60#%[]%C2%80%C3%A9%EE%80%80%0A"
    );
}

#[test]
fn check_follows_the_grammar() {
    use Component::{Fragment, Host, Path, Query, Userinfo};
    use UriErrorKind::{Character, Escape, IpLiteral, NoScheme, Port, Scheme};
    for good in [
        "s:",
        "s:?",
        "s:#",
        "s://",
        "s://:",
        "s://@",
        "s:///",
        "a+b-c.9:x",
        "s:a:b@c",
        "s://u:p@h:80/p?q?/#f/?",
        "s://[::1]",
        "s://[::1]:1",
        "s://u@[1:2:3:4:5:6:7:8]:",
        "s://[::ffff:1.2.3.4]/",
        "s://[v1F.a:b!]/",
        "s://1.2.3.4",
        "s://%C3%A9",
        "s:/%ff",
        "s://日本.jp/日本?日本=\u{10FFFD}#日本",
        "mailto:ü@ü",
        "urn:é",
        "s:/a//b",
        "s://h?q",
        "s://h#f",
    ] {
        assert_eq!(check(good), Ok(()), "{good}");
        assert_eq!(check_reference(good), Ok(()), "{good}");
    }
    for good in ["", "a", "/", "//h", "?", "#", "a/b:c", "./1:2", "é", "?é:", "//é@é:1"] {
        assert_eq!(check_reference(good), Ok(()), "{good}");
        assert_eq!(check(good), Err(UriError::new(0, NoScheme)), "{good}");
    }
    for (bad, offset, kind) in [
        ("1s:", 0, Scheme),
        (":", 0, Scheme),
        ("s_:", 1, Scheme),
        ("é:", 0, Scheme),
        ("s:a b", 3, Character(Path)),
        ("s:é[", 4, Character(Path)),
        ("s://h:8x", 7, Port),
        ("s://h:8:9", 7, Port),
        ("s://h:é", 6, Port),
        ("s://[::1", 4, IpLiteral),
        ("s://[::1]x", 9, Character(Host)),
        ("s://[1.2.3.4]", 4, IpLiteral),
        ("s://[::1%25eth0]", 4, IpLiteral),
        ("s://[v.a]", 4, IpLiteral),
        ("s://[v1.]", 4, IpLiteral),
        ("s://[v1.é]", 4, IpLiteral),
        ("s://h]", 5, Character(Host)),
        ("s://a@b@c", 5, Character(Userinfo)),
        ("s:#a#b", 4, Character(Fragment)),
        ("s:?\u{202E}", 3, Character(Query)),
        ("s:/%4", 3, Escape(Path)),
        ("s:/%é", 3, Escape(Path)),
        ("s:/a%41%4g", 7, Escape(Path)),
        ("s://%zz", 4, Escape(Host)),
        ("s://%zz@", 4, Escape(Userinfo)),
    ] {
        let error = UriError::new(offset, kind);
        assert_eq!(check(bad), Err(error), "{bad}");
        assert!(error.to_string().contains(&format!("byte {offset}")), "{error}");
    }
}

/// Tests that a valid IRI stays valid, and that it becomes a valid URI.
#[test]
fn valid_iris_stay_valid_and_become_valid_uris() {
    fn holds(path: String, query: String) -> bool {
        let iri = format!("s:/{path}?{query}");
        let uri = to_uri(&iri);
        if check(&iri).is_ok() {
            let back = to_iri(&uri);
            assert!(uri.is_ascii() && check(&uri).is_ok() && check(&back).is_ok(), "{iri:?}");
            assert_eq!(to_uri(&back), to_uri(&to_iri(&iri)));
        }
        assert!(to_uri_legacy(&iri).is_ascii());
        true
    }
    common::check(2000, holds as fn(String, String) -> bool);
    for text in ["é", "日本語", "a%C3%A9", "\u{1F4A9}", "~"] {
        assert!(holds(text.into(), text.into()));
    }
}

/// Tests RFC 3987 5.3.2.
#[test]
fn normalized_iris_are_stable_and_match_their_uris() {
    for (text, normal) in [
        ("eXAMPLE://a/./b/../b/%63/%7bfoo%7d/ros%C3%A9", "example://a/b/c/%7Bfoo%7D/rosé"), // 5.3.2
        ("http://example.org/~user", "http://example.org/~user"),                           // 5.3.2.3
        ("http://example.org/%7euser", "http://example.org/~user"),                         // 5.3.2.3
        ("HTTP://EXAMPLE.org/%C3%89", "http://example.org/É"),
        ("http://%C3%89X/%2f%e2%80%ae", "http://Éx/%2F%E2%80%AE"),
        ("%68ttp://x/%C3%A9", "%68ttp://x/é"),
        ("./é", "é"),
    ] {
        assert_eq!(iri::normalize(text).as_deref(), Ok(normal), "{text}");
    }
    assert_eq!(iri::normalize("/é%zz").unwrap_err().offset, 3);
    fn holds(choices: Vec<usize>) {
        let text: String = choices.iter().map(|&choice| TOKENS[choice % TOKENS.len()]).collect();
        let Ok(normal) = iri::normalize(&text) else {
            assert!(uri::normalize(&text).is_err());
            return;
        };
        same(&normal, iri::normalize(&normal).unwrap(), &normal);
        assert_eq!(matches!(iri::normalize(&text), Ok(Cow::Borrowed(_))), normal == text, "{text:?}");
        // An IRI and its URI have the same normal form.
        let is_mapped = |c: char| ucschar(c) && !iri::is_bidi_control(c);
        let has_scheme = text.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'));
        if !has_scheme && text.chars().all(|c| c.is_ascii() || is_mapped(c)) {
            assert_eq!(iri::normalize(&to_uri(&text)).unwrap(), normal, "{text:?}");
        }
    }
    common::check(5000, holds as fn(Vec<usize>));
}

#[cfg(feature = "idna")]
#[test]
fn hosts_are_converted_to_ascii_and_back() {
    use iri::{HostRules, host_to_ascii, host_to_ascii_with, host_to_unicode};
    for (unicode, ascii) in [
        ("http://résumé.example.org/é?é#é", "http://xn--rsum-bpad.example.org/é?é#é"), // 3.1
        ("//u@日本語.jp:80", "//u@xn--wgv71a119e.jp:80"),
        ("//bücher.example.", "//xn--bcher-kva.example."),
    ] {
        same(unicode, host_to_ascii(unicode).unwrap(), ascii);
        same(ascii, host_to_unicode(ascii), unicode);
        same(ascii, host_to_ascii(ascii).unwrap(), ascii);
        same(unicode, host_to_unicode(unicode), unicode);
    }
    assert_eq!(host_to_ascii("http://B%C3%BCcher.DE").unwrap(), "http://xn--bcher-kva.de");
    for good in [
        "", "é", "s:é", "/é", "//", "///é", "//[::1]/é", "//u@[fe80::1%25a]:80", "//[v7.x]", "mailto:é@é", "s:?//é",
        "s:#//é", "//HOST", "//127.0.0.1:80", "//u@a-b.c.", "//ex%41mple", "//xn--bcher-kva", "//a",
    ] {
        same(good, host_to_ascii(good).unwrap(), good);
        same(good, host_to_ascii_with(good, HostRules::Url).unwrap(), good);
    }
    // These names are invalid in the DNS, according to UTS 46 4.2 with its flags, or to steps 3 and 8 of RFC 3490 4.1.
    // `in_urls` is true if browsers accept the name.
    let label = "a".repeat(63);
    let name = [label.as_str(); 3].join(".") + "." + &label[..61];
    for (bad, offset, in_urls) in [
        ("//é_", 2, true),
        ("http://u@-é/", 9, true),
        ("//é..b", 2, true),
        ("//é%2F", 2, false),
        ("//é b", 2, false),
        ("//a_b", 2, true),
        ("http://exa mple.com/", 7, false),
        ("//exa%20mple", 2, false),
        ("//a%2Fb", 2, false),
        ("//a\u{1F}b", 2, false),
        ("//a<b", 2, false),
        ("//a!b", 2, true),
        ("//-a", 2, true),
        ("//a-.b", 2, true),
        ("//a..b", 2, true),
        ("//.a", 2, true),
        ("//a..", 2, true),
        ("//.", 2, true),
        ("//xn--a", 2, true),
        ("//xn--/", 2, true),
        ("//xn--99999999", 2, true),
        ("//a.xn--bcher-kv", 2, true),
        (&format!("//{label}a.b"), 2, true),
        (&format!("//u@{name}a"), 4, true),
        (&format!("//{label}é"), 2, true),
        ("//\u{AD}", 2, false),
        // These hosts aren't addresses in brackets (RFC 3986 3.2.2). They aren't names either, because a name can't
        // contain a bracket.
        ("//[é]", 2, false),
        ("//[::1]é/", 2, false),
        ("http://u@[::1", 9, false),
        ("//[a.b]:80", 2, false),
        ("//[1.2.3.4]", 2, false),
        ("//[", 2, false),
    ] {
        let error = UriError::new(offset, UriErrorKind::Host);
        assert_eq!(host_to_ascii(bad), Err(error), "{bad}");
        assert_eq!(host_to_ascii_with(bad, HostRules::Url).is_ok(), in_urls, "{bad}");
    }
    assert!(host_to_ascii(&format!("//{label}.{name}")).is_err());
    for good in [format!("//{label}"), format!("//{name}"), format!("//{name}./")] {
        same(&good, host_to_ascii(&good).unwrap(), &good);
    }
    assert_eq!(host_to_ascii_with("//my_é", HostRules::Url).unwrap(), "//xn--my_-dma");
    for stays in ["", "é", "//a_b", "//%20/", "//h%2F", "//xn--a", "//xn--/", "//xn--99999999", "//a.xn--bcher-kv"] {
        same(stays, host_to_unicode(stays), stays);
    }
    let long = format!("//{}é", "a".repeat(70));
    assert_eq!(host_to_ascii(&long).unwrap_err().kind, UriErrorKind::Host);
}

#[test]
fn invalid_references_are_rejected_at_the_fault() {
    for (wrong, offset) in [("a b", 1), ("é/<", 3), ("a?b^", 3), ("a#%4", 2)] {
        assert_eq!(check_reference(wrong).map_err(|error| error.offset), Err(offset), "{wrong}");
    }
}

/// Tests the first and the last character of each range of `ucschar` (RFC 3987 2.2), and the characters next to them.
#[test]
fn ranges_of_ucschar_have_exact_ends() {
    let mut ranges = vec![(0xA0, 0xD7FF), (0xF900, 0xFDCF), (0xFDF0, 0xFFEF)];
    ranges.extend((1..0xE).map(|plane| (plane << 16, plane << 16 | 0xFFFD)));
    ranges.push((0xE_1000, 0xE_FFFD));
    for (first, last) in ranges {
        for (code, is_one) in [(first - 1, false), (first, true), (last, true), (last + 1, false)] {
            if let Some(character) = char::from_u32(code) {
                assert_eq!(iri::is_ucschar(character), is_one, "U+{code:X}");
            }
        }
    }
}
