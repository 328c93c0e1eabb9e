//! Tests RFC 8141 and RFC 2141: URNs.

use std::borrow::Cow;
use std::sync::LazyLock;

use percent_standards::uri::{Component, Equivalence, UriError, UriErrorKind, urn};
use quickcheck::{Arbitrary, Gen};

use crate::common::Random;
use crate::grammar::Rule::{Alt, One, Seq, Text};
use crate::grammar::{Rule, many, optional, pchar, pct_encoded, query, repeat};
use crate::inputs::check;

fn namestring() -> Rule {
    let alphanum = || One(|c| c.is_ascii_alphanumeric());
    let ldh = One(|c| c.is_ascii_alphanumeric() || c == '-');
    let nid = Seq(vec![alphanum(), repeat(0, 30, ldh), alphanum()]);
    let nss = Seq(vec![pchar(), many(Alt(vec![pchar(), Text("/")]))]);
    let rq = || Seq(vec![pchar(), many(Alt(vec![pchar(), One(|c| "/?".contains(c))]))]);
    Seq(vec![
        Text("urn:"),
        nid,
        Text(":"),
        nss,
        optional(Seq(vec![Text("?+"), rq()])),
        optional(Seq(vec![Text("?="), rq()])),
        optional(Seq(vec![Text("#"), query()])),
    ])
}

#[derive(Clone, Debug)]
struct HostileUrn(String);

impl Arbitrary for HostileUrn {
    fn arbitrary(g: &mut Gen) -> HostileUrn {
        let mut random = Random(u64::arbitrary(g) | 1);
        let mut text = ["urn:", "URN:", "urn:ex:", "uRn:Ex:a"][random.below(4)].to_string();
        let pieces =
            ["a", "B", "0", "-", ":", "/", "?", "+", "=", "?+", "?=", "#", "%2c", "%2C", "%41", "%", "é", "ex:"];
        for _ in 0..random.below(12) {
            text += pieces[random.below(pieces.len())];
        }
        HostileUrn(text)
    }
}

#[test]
fn urns_are_split_by_the_grammar() {
    static RULE: LazyLock<Rule> = LazyLock::new(namestring);
    check(20_000, |HostileUrn(text): HostileUrn| match urn::Urn::parse(&text) {
        Ok(parsed) => {
            assert!(RULE.matches(&text), "{text}");
            assert_eq!(parsed.to_string(), text);
            assert!(!parsed.nss.contains('?') && !parsed.r.is_some_and(|r| r.contains("?=")));
            let normal = urn::normalize(&text).unwrap();
            assert_eq!(urn::normalize(&normal), Ok(Cow::Borrowed(&*normal)));
            assert_eq!(urn::equivalent(&text, &normal), Equivalence::Equivalent);
        }
        Err(error) => {
            // There is only one kind of text that the grammar allows and we reject: an r-component that ends with `?=`
            // as data. For us, the first `?=` always ends the r-component.
            let may_be = RULE.matches(&text);
            assert!(!may_be || text.contains("?+") && text.contains("?="), "{text}: {error}");
            assert!(error.offset <= text.len() && error.to_string().contains(&error.offset.to_string()));
            assert!(urn::normalize(&text).is_err());
        }
    });
}

/// Tests the examples of RFC 8141 3.2.
#[test]
fn urn_equivalence_examples() {
    use Equivalence::{Different, Equivalent, Unknown};
    let groups: &[&[&str]] = &[
        &[
            "urn:example:a123,z456", "URN:example:a123,z456", "urn:EXAMPLE:a123,z456", "urn:example:a123,z456?+abc",
            "urn:example:a123,z456?=xyz", "urn:example:a123,z456#789",
        ],
        &["urn:example:a123,z456/foo"],
        &["urn:example:a123,z456/bar"],
        &["urn:example:a123,z456/baz"],
        &["urn:example:a123%2Cz456", "URN:EXAMPLE:a123%2cz456"],
        &["urn:example:A123,z456"],
        &["urn:example:a123,Z456"],
        &["urn:example:%D0%B0123,z456"],
        &["urn:example:%41"],
        &["urn:example:A"],
        &["urn:example:a%2c"],
        &["urn:example:A%2C"],
        &["urn:example:%fe-fe", "urn:example:%Fe-fe", "urn:example:%fE-fe"],
        &["urn:example:%fe-Fe"],
    ];
    for (i, x) in groups.iter().flat_map(|group| group.iter().map(move |urn| (group, urn))) {
        for (j, y) in groups.iter().flat_map(|group| group.iter().map(move |urn| (group, urn))) {
            let expected = if std::ptr::eq(i, j) { Equivalent } else { Different };
            assert_eq!(urn::equivalent(x, y), expected, "{x} {y}");
            assert_eq!(urn::normalize(x) == urn::normalize(y), expected == Equivalent);
        }
    }
    assert_eq!(urn::equivalent("urn:x:a", "urn:example:a"), Unknown);
    assert_eq!(urn::equivalent("http://a/", "http://a/"), Equivalent);
}

#[test]
fn urn_errors_have_offset_and_kind() {
    use Component::{Fragment, Nss, QComponent, RComponent};
    use UriErrorKind::{Character, Empty, Escape, Nid, NotUrn};
    let long = format!("urn:{}:x", "a".repeat(33));
    for (text, offset, kind) in [
        ("", 0, NotUrn),
        ("urm:a:b", 0, NotUrn),
        ("é:a:b", 0, NotUrn),
        ("urn:a:b", 4, Nid),
        ("urn:a-:b", 4, Nid),
        ("urn:ab", 4, Nid),
        ("urn:a_b:c", 4, Nid),
        ("urn:a.b:c", 4, Nid),
        (&long, 4, Nid),
        ("urn:ab:", 7, Empty(Nss)),
        ("urn:ab:/", 7, Character(Nss)),
        ("urn:ab:c?", 8, Character(Nss)),
        ("urn:ab:c?d", 8, Character(Nss)),
        ("urn:ab:c?+", 10, Empty(RComponent)),
        ("urn:ab:c?+?=", 10, Empty(RComponent)),
        ("urn:ab:c?+d?=", 13, Empty(QComponent)),
        ("urn:ab:c?=/", 10, Character(QComponent)),
        ("urn:ab:c%2", 8, Escape(Nss)),
        ("urn:ab:c#%", 9, Escape(Fragment)),
        ("urn:ab:c#d#", 10, Character(Fragment)),
        ("urn:ab:é", 7, Character(Nss)),
    ] {
        let error = UriError::new(offset, kind);
        assert_eq!(urn::Urn::parse(text), Err(error), "{text}");
        assert!(error.to_string().contains(&format!("byte {offset}")), "{error}");
    }
    assert!(urn::Urn::parse("urn:ab:c#").is_ok());
    assert!(urn::Urn::parse("urn:a--b:c").is_ok());
    assert!(urn::Urn::parse(&format!("urn:{}:x", "a".repeat(32))).is_ok());
}

/// Tests RFC 2141 2.2.
#[test]
fn names_are_encoded_by_rfc_2141() {
    assert_eq!(urn::encode_nss_2141("a-z_0:=;$").as_deref(), Ok("a-z_0:=;$"));
    assert_eq!(urn::encode_nss_2141("%/?#~&<é").as_deref(), Ok("%25%2F%3F%23%7E%26%3C%C3%A9"));
    assert_eq!(urn::encode_nss_2141(""), Err(UriError::new(0, UriErrorKind::Empty(Component::Nss))));
    assert_eq!(urn::encode_nss_2141(b"ab\0"), Err(UriError::new(2, UriErrorKind::Nul)));
    static RULE: LazyLock<Rule> = LazyLock::new(|| {
        let trans = One(|c| c.is_ascii_alphanumeric() || "()+,-.:=@;$_!*'".contains(c));
        repeat(1, usize::MAX, Alt(vec![trans, pct_encoded()]))
    });
    check(2000, |data: Vec<u8>| match urn::encode_nss_2141(&data) {
        Ok(nss) => {
            assert!(RULE.matches(&nss));
            assert_eq!(percent_simd::Decoder::new().decode(&*nss), data);
            assert!(urn::Urn::parse(&format!("urn:ex:{nss}")).is_ok());
        }
        Err(_) => assert!(data.is_empty() || data.contains(&0)),
    });
}
