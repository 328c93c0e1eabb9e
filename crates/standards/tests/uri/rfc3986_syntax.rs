//! Tests RFC 3986 3, 4.1 to 4.3 and Appendices A and B: splitting and checking.

use std::sync::LazyLock;

use percent_standards::uri::{Authority, Component, HostKind, Uri, UriBuf, UriError, UriErrorKind};

use crate::common::rfc3986::{Naive, naive_authority, naive_split};
use crate::common::{Random, cases, scale};
use crate::grammar::{Rule, ipv_future, ipv6, uri_reference};
use crate::inputs::{Hostile, check};

#[test]
fn references_are_split_as_in_appendix_b() {
    let uri = Uri::split("http://www.ics.uci.edu/pub/ietf/uri/#Related");
    assert_eq!((uri.scheme, uri.authority, uri.path), (Some("http"), Some("www.ics.uci.edu"), "/pub/ietf/uri/"));
    assert_eq!((uri.query, uri.fragment), (None, Some("Related")));

    check(20_000, |Hostile(text): Hostile| {
        let (uri, naive) = (Uri::split(&text), naive_split(&text));
        let owned = |part: Option<&str>| part.map(str::to_string);
        assert_eq!(
            naive,
            Naive {
                scheme: owned(uri.scheme),
                authority: owned(uri.authority),
                path: uri.path.to_string(),
                query: owned(uri.query),
                fragment: owned(uri.fragment),
            }
        );
        assert_eq!(uri.to_string(), text, "5.3");
        if let Some(authority) = uri.authority {
            let parts = Authority::split(authority);
            // Also compare lists of hosts, with and without brackets.
            for authority in [authority, &authority.replace('.', ",["), &authority.replace('%', "],[:")] {
                let parts = Authority::split(authority);
                let naive = naive_authority(authority);
                assert_eq!((owned(parts.userinfo), parts.host.to_string(), owned(parts.port)), naive, "{authority}");
            }
            assert_eq!(uri.authority_parts(), Some(parts));
            assert_eq!((uri.userinfo(), uri.host(), uri.port()), (parts.userinfo, Some(parts.host), parts.port));
        }
    });
}

#[test]
fn absence_differs_from_emptiness() {
    let parts = |text| {
        let uri = Uri::parse(text).unwrap();
        (uri.scheme, uri.authority, uri.path, uri.query, uri.fragment)
    };
    assert_eq!(parts(""), (None, None, "", None, None));
    assert_eq!(parts("?"), (None, None, "", Some(""), None));
    assert_eq!(parts("#"), (None, None, "", None, Some("")));
    assert_eq!(parts("//"), (None, Some(""), "", None, None));
    assert_eq!(parts("a:"), (Some("a"), None, "", None, None));
    assert_eq!(parts("a:///?#"), (Some("a"), Some(""), "/", Some(""), Some("")));
    assert_eq!(parts("a#?b"), (None, None, "a", None, Some("?b")));
    let authority = |text| Authority::split(text);
    assert_eq!(authority("@:"), Authority { userinfo: Some(""), host: "", port: Some("") });
    assert_eq!(authority(""), Authority::default());
    assert_eq!(authority("a@b@c:1:2"), Authority { userinfo: Some("a@b"), host: "c", port: Some("1:2") });
    assert_eq!(authority("[::1"), Authority { userinfo: None, host: "[::1", port: None });
}

/// Tests the examples of RFC 3986 1.1.2.
#[test]
fn the_examples_of_1_1_2_are_uris() {
    for text in [
        "ftp://ftp.is.co.za/rfc/rfc1808.txt",
        "http://www.ietf.org/rfc/rfc2396.txt",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
        "mailto:John.Doe@example.com",
        "news:comp.infosystems.www.servers.unix",
        "tel:+1-816-555-1212",
        "telnet://192.0.2.16:80/",
        "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
    ] {
        assert_eq!(Uri::parse_absolute(text).map(|uri| uri.to_string()), Ok(text.to_string()));
        assert!(uri_reference(false).matches(text), "{text}");
    }
}

#[test]
fn parse_accepts_exactly_the_grammar() {
    static RULES: LazyLock<[Rule; 2]> = LazyLock::new(|| [uri_reference(false), uri_reference(true)]);
    check(6000, |Hostile(text): Hostile| {
        if text.len() > 200 {
            return;
        }
        let [plain, zoned] = &*RULES;
        assert_eq!(Uri::parse(&text).is_ok(), plain.matches(&text), "{text}");
        assert_eq!(Uri::parse_zoned(&text).is_ok(), zoned.matches(&text), "{text}");
        assert_eq!(Uri::try_from(&*text), Uri::parse(&text));
        let (kept, moved) = (text.parse::<UriBuf>(), UriBuf::try_from(text.to_string()));
        assert_eq!(kept, moved);
        assert_eq!(kept.as_ref().map(UriBuf::as_uri), Uri::parse(&text).as_ref().copied());
        assert!(
            kept.is_err_and(|error| Uri::parse(&text) == Err(error)) || moved.is_ok_and(|uri| uri.to_string() == *text)
        );
        for parsed in [Uri::parse(&text), Uri::parse_zoned(&text)] {
            match parsed {
                Ok(uri) => assert_eq!(uri, Uri::split(&text)),
                Err(error) => {
                    assert!(error.offset <= text.len() && text.is_char_boundary(error.offset), "{text}: {error}");
                    // The text before the fault is valid. We don't check this if there is an `@`: if the `@` is cut
                    // off, the text before it is no longer a userinfo, and can be invalid.
                    let before = &text[..error.offset];
                    if !text.contains('@') {
                        assert!(zoned.matches(before), "{text}: {error}");
                    }
                }
            }
        }
    });
}

/// Tests every reference that consists of up to four of these parts.
#[test]
fn parse_and_split_agree_on_every_order_of_the_delimiters() {
    const PARTS: [&str; 9] = ["", "a", "1", ":", "@", "/", "?", "#", "%3A"];
    let rule = uri_reference(false);
    for number in 0..PARTS.len().pow(4) {
        let text: String = (0..4).map(|i| PARTS[number / PARTS.len().pow(i) % PARTS.len()]).collect();
        let parsed = Uri::parse(&text);
        assert_eq!(parsed.is_ok(), rule.matches(&text), "{text}");
        assert!(parsed.is_err() || parsed == Ok(Uri::split(&text)), "{text}");
    }
}

/// Tests delimiters and triplets at the ends of blocks of 64 bytes. A triplet may begin in one block and end in the
/// next.
#[test]
fn delimiters_and_triplets_at_the_ends_of_blocks() {
    const PIECES: [&str; 14] =
        ["%41", "%41%42", "%4", "%", "%%41", "%4%41", "?", "#", "#a#", "?%41#%41", "%41?%4", ":", "[", "é"];
    let rule = uri_reference(false);
    for len in (0..4).chain(55..70).chain(120..135) {
        for piece in PIECES {
            for (front, back) in [("/", ""), ("/", "/b"), ("h://", "/b?c#d")] {
                let text = format!("{front}{}{piece}{back}", "a".repeat(len));
                assert_eq!(Uri::parse(&text).is_ok(), rule.matches(&text), "{text}");
                let (uri, naive) = (Uri::split(&text), naive_split(&text));
                assert_eq!((uri.path, uri.query), (&*naive.path, naive.query.as_deref()), "{text}");
                assert_eq!(
                    (uri.authority, uri.fragment),
                    (naive.authority.as_deref(), naive.fragment.as_deref()),
                    "{text}"
                );
            }
        }
    }
}

/// Compares addresses of every form, valid and invalid, with the grammar of RFC 3986 3.2.2.
#[test]
fn ip_literals_match_the_grammar() {
    let mut random = Random::seeded(7);
    let (six, future) = (ipv6(), ipv_future());
    let groups = ["0", "1", "ab", "FFFF", "00000", "g", "1.2.3.4", "1.2.3", "01.2.3.4", "255.255.255.255", "1.2.3.256"];
    let mut good = 0;
    for _ in 0..cases(20_000) {
        let mut address = String::new();
        for _ in 0..random.below(10) {
            address += [":", ":", ":", "::"][random.below(4)];
            let odd = random.one_in(6);
            address += groups[if odd { random.below(groups.len()) } else { random.below(4) }];
        }
        if random.one_in(3) {
            address += "::";
        }
        let address = if random.one_in(2) { address.trim_start_matches(':') } else { &address };
        let kind = Authority::split(&format!("[{address}]")).host_kind();
        assert_eq!(kind == Some(HostKind::Ipv6), six.matches(address), "{address}");
        assert_eq!(Uri::parse(&format!("//[{address}]:1/")).is_ok(), six.matches(address), "{address}");
        good += usize::from(six.matches(address));
    }
    assert!(good > scale(300), "{good}");
    for address in ["v1.a", "V1F.a:b", "v.a", "v1.", "v1", "v1.a%41", "vg.a", "v1.a/", "v1.[", "v1.é", "w1.a", ""] {
        let is_future = future.matches(address);
        assert_eq!(Uri::parse(&format!("//[{address}]")).is_ok(), is_future, "{address}");
    }
    let kind = |host| Authority { host, ..Authority::default() }.host_kind();
    assert_eq!(kind("[v1.a]"), Some(HostKind::IpvFuture));
    assert_eq!(kind("[fe80::1%25en0]"), Some(HostKind::Ipv6Zoned));
    assert_eq!(kind("[fe80::1%25%C3%A9]"), Some(HostKind::Ipv6Zoned));
    for bad in ["[fe80::1%25]", "[fe80::1%en0]", "[fe80::1%25a!]", "[fe80::1%25%g1]", "[v1.a%25b]", "[1.2.3.4%25a]"] {
        assert_eq!(kind(bad), None, "{bad}");
    }
    assert_eq!(kind("127.0.0.1"), Some(HostKind::Ipv4));
    for name in ["127.0.0.01", "256.0.0.1", "1.2.3", "", "a%41", "1.2.3.4.5"] {
        assert_eq!(kind(name), Some(HostKind::RegName), "{name}");
    }
    for bad in ["a:b", "[::1", "::1]", "a b", "%4", "é", "a@b"] {
        assert_eq!(kind(bad), None, "{bad}");
    }
}

#[test]
fn errors_have_offset_component_and_kind() {
    use UriErrorKind::*;
    for (text, offset, kind) in [
        ("a b", 1, Character(Component::Path)),
        ("/é", 1, Character(Component::Path)),
        ("/a%4", 2, Escape(Component::Path)),
        ("?%zz", 1, Escape(Component::Query)),
        ("?[", 1, Character(Component::Query)),
        ("#a#", 2, Character(Component::Fragment)),
        ("?a#%", 3, Escape(Component::Fragment)),
        ("1a:b", 0, Scheme),
        ("a_b:c", 1, Scheme),
        (":a", 0, Scheme),
        ("%41:a", 0, Scheme),
        ("//u u@h", 3, Character(Component::Userinfo)),
        ("//u@u@h", 3, Character(Component::Userinfo)),
        ("//u%@h", 3, Escape(Component::Userinfo)),
        ("x://u@h[/", 7, Character(Component::Host)),
        ("x://u@h%4/", 7, Escape(Component::Host)),
        ("//h:8x", 5, Port),
        ("//h:8:9", 5, Port),
        ("//h:-1", 4, Port),
        ("//u@[::1", 4, IpLiteral),
        ("//[::1]x:80", 7, Character(Component::Host)),
        ("//[]", 2, IpLiteral),
        ("//[1::2::3]", 2, IpLiteral),
        ("//[fe80::1%25en0]", 2, IpLiteral),
    ] {
        assert_eq!(Uri::parse(text), Err(UriError::new(offset, kind)), "{text}");
        let message = UriError::new(offset, kind).to_string();
        assert!(message.contains(&format!("byte {offset}")), "{message}");
        if let Character(component) | Escape(component) = kind {
            assert!(message.contains(&format!("{component:?}").to_lowercase()), "{message}");
        }
    }
    // RFC 6874 2: zones, if the caller allows them.
    assert!(Uri::parse_zoned("//[fe80::1%25en0]").is_ok());
    let absolute = |text| Uri::parse_absolute(text).unwrap_err();
    assert_eq!(absolute("//h/"), UriError::new(0, NoScheme));
    assert_eq!(absolute("a:b?#c"), UriError::new(4, Fragment));
    // All these references are valid. In most of them, there is a colon that doesn't end a scheme.
    for text in ["./a:b", "/a:b", "a/b:c", "?a:b", "a:b:c", "//a", "a%3Ab"] {
        assert!(Uri::parse(text).is_ok(), "{text}");
    }
}
