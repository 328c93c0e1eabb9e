//! Tests the classes of characters in each specification.

use std::collections::BTreeSet;

use percent_simd::sets;
use percent_standards::uri::{Class, Spec, classify};

#[test]
fn each_specification_has_its_classes() {
    use Class::*;
    let alphanumeric: String = (0..=127u8).map(char::from).filter(char::is_ascii_alphanumeric).collect();
    let controls: String = (0..=127u8).map(char::from).filter(char::is_ascii_control).collect();
    let high = 128;
    let old = [
        (Safe, "$-_.+"),
        (Extra, "!*'(),"),
        (Reserved, ";/?:@&="),
        (National, "{}|\\^~[]`"),
        (Punctuation, "<>#%\""),
        (Other, " "),
    ];
    let tables: [(Spec, &[(Class, &str)]); 6] = [
        (
            Spec::Rfc1630,
            &[
                (Safe, "$-_@.&"),
                (Extra, "!*\"'(),"),
                (Reserved, "=;/#?: "),
                (National, "{}|[]\\^~"),
                (Punctuation, "<>"),
                (Escape, "%"),
                (Other, "+`"),
            ],
        ),
        (Spec::Rfc1738, &old),
        (Spec::Rfc1808, &old),
        (
            Spec::Rfc2396,
            &[(Mark, "-_.!~*'()"), (Reserved, ";/?:@&=+$,"), (Delims, "<>#%\""), (Unwise, "{}|\\^[]`"), (Space, " ")],
        ),
        (
            Spec::Rfc2732,
            &[(Mark, "-_.!~*'()"), (Reserved, ";/?:@&=+$,[]"), (Delims, "<>#%\""), (Unwise, "{}|\\^`"), (Space, " ")],
        ),
        (Spec::Rfc3986, &[(GenDelims, ":/?#[]@"), (SubDelims, "!$&'()*+,;="), (Escape, "%"), (Other, " \"<>\\^`{|}")]),
    ];
    for (spec, table) in tables {
        let is_new = spec == Spec::Rfc3986;
        let mut expected: Vec<(Class, String)> = table.iter().map(|&(class, text)| (class, text.to_string())).collect();
        expected.push((Control, controls.clone()));
        match is_new {
            true => expected.push((Unreserved, format!("{alphanumeric}-._~"))),
            false => expected.push((Alphanumeric, alphanumeric.clone())),
        }
        for (class, text) in &expected {
            for byte in text.bytes() {
                assert_eq!(classify(byte, spec), *class, "{:?} in {spec:?}", byte as char);
            }
            let bytes: BTreeSet<u8> = text.bytes().collect();
            assert_eq!(spec.bytes(*class).iter().collect::<BTreeSet<u8>>(), bytes, "{class:?} of {spec:?}");
        }
        assert_eq!(
            expected.iter().map(|(_, text)| text.len()).sum::<usize>(),
            128,
            "{spec:?}: each ASCII byte has one class"
        );
        for byte in high..=255u8 {
            assert_eq!(classify(byte, spec), NonAscii);
        }
    }
}

/// Tests that exactly the unreserved characters are in the sets.
#[test]
fn unreserved_and_reserved_bytes_match_the_sets() {
    for (spec, set) in [
        (Spec::Rfc1630, sets::RFC1630_XALPHA),
        (Spec::Rfc1738, sets::RFC1738_UNRESERVED),
        (Spec::Rfc2396, sets::RFC2396_UNRESERVED),
        (Spec::Rfc2732, sets::RFC2396_UNRESERVED),
        (Spec::Rfc3986, sets::RFC3986_UNRESERVED),
    ] {
        for byte in 0..=255 {
            assert_eq!(classify(byte, spec).is_unreserved(), set.contains(byte), "{byte:#x} {spec:?}");
            assert_eq!(classify(byte, spec).is_reserved(), spec.reserved().contains(byte), "{byte:#x} {spec:?}");
        }
        assert_eq!(spec.unreserved(), set);
    }
    for byte in 0..=255 {
        let legal = |spec| classify(byte, spec).is_unreserved() || classify(byte, spec).is_reserved();
        assert_eq!(legal(Spec::Rfc2396), sets::RFC2396_URIC.contains(byte));
        assert_eq!(legal(Spec::Rfc2732), sets::RFC2732_URIC.contains(byte));
        assert_eq!(legal(Spec::Rfc1738), sets::RFC1738_XCHAR.contains(byte));
        assert_eq!(legal(Spec::Rfc3986), sets::RFC3986_URI.contains(byte));
    }
}

#[test]
fn check_component_agrees_with_parsing_a_whole_uri() {
    use percent_standards::uri::{Component, Uri, UriError, check_component, urn::Urn};
    let parts = [
        (Component::Nss, "urn:ab:", "?#"),
        (Component::RComponent, "urn:ab:c?+", "#"),
        (Component::QComponent, "urn:ab:c?=", "#"),
        (Component::Path, "s://h/", "?#"),
        (Component::Query, "s://h/?", "#"),
        (Component::Fragment, "s://h/#", ""),
        (Component::Userinfo, "s://", "/?#@"),
        (Component::Host, "s://", "/?#@:"),
    ];
    for (component, before, ends) in parts {
        for character in (0..=0xFF_u8).map(char::from) {
            for text in
                [format!("{character}"), format!("a{character}4"), format!("%2{character}b"), format!("%{character}")]
            {
                let alone = check_component(&text, component);
                if ends.contains(character) {
                    assert!(alone.is_err(), "{component:?} {text}");
                    continue;
                }
                let after = if component == Component::Userinfo { "@h" } else { "" };
                let whole = format!("{before}{text}{after}");
                let is_urn = whole.starts_with("urn:");
                let whole = if is_urn { Urn::parse(&whole).map(|_| ()) } else { Uri::parse(&whole).map(|_| ()) };
                let moved = alone.map_err(|error| UriError::new(before.len() + error.offset, error.kind));
                assert_eq!(moved, whole, "{component:?} {text}");
            }
        }
    }
    for (host, is_one) in
        [("[::1]", true), ("[v1.a]", true), ("[::1", false), ("[::1]a", false), ("a[", false), ("", true)]
    {
        assert_eq!(check_component(host, Component::Host).is_ok(), is_one, "{host}");
        assert_eq!(Uri::parse(&format!("s://{host}")).is_ok(), is_one, "{host}");
    }
    assert!(check_component("/a", Component::Nss).is_err() && check_component("a/b", Component::Nss).is_ok());
}
