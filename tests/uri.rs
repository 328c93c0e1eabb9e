//! URIs: RFC 3986 and its forerunners, RFC 6570, RFC 6874, RFC 8141 with RFC 2141.
//!
//! The oracles are the texts of the RFCs, transliterated: the grammar of Appendix A as a matcher that knows nothing but
//! ABNF, the pseudocode of 5.2.2 and 5.2.4 on strings. They share nothing with the crate.

mod common;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::LazyLock;

use common::{Random, assert_size_hints, scale};
use percent_simd::uri::template::{Modifier, Operator, Template, TemplateError, TemplateErrorKind, Value};
use percent_simd::uri::{
    self, Authority, Class, Component, Equivalence, Finding, FindingKind, HostKind, Level, Normalizer, Spec, Uri,
    UriError, UriErrorKind, classify, equivalent, lint, urn,
};
use percent_simd::{DecodeErrorKind, sets};
use quickcheck::{Arbitrary, Gen, QuickCheck};

// ---------------------------------------------------------------------------------------------------- the grammar

/// ABNF, as far as Appendix A needs it.
#[derive(Clone)]
enum Rule {
    /// One character of these.
    One(fn(char) -> bool),
    /// This text, in any case (RFC 5234 2.3).
    Text(&'static str),
    Seq(Vec<Rule>),
    Alt(Vec<Rule>),
    /// `min*max`
    Repeat(usize, usize, Box<Rule>),
}

use Rule::{Alt, One, Seq, Text};

fn repeat(min: usize, max: usize, rule: Rule) -> Rule {
    Rule::Repeat(min, max, Box::new(rule))
}

fn many(rule: Rule) -> Rule {
    repeat(0, usize::MAX, rule)
}

fn optional(rule: Rule) -> Rule {
    repeat(0, 1, rule)
}

impl Rule {
    /// Every place where a match that starts at `at` may end.
    fn ends(&self, text: &[char], at: usize) -> BTreeSet<usize> {
        match self {
            One(test) => text.get(at).filter(|&&c| test(c)).map(|_| at + 1).into_iter().collect(),
            Text(word) => {
                let word: Vec<char> = word.chars().collect();
                let here = text.get(at..at + word.len());
                let same = here.is_some_and(|here| here.iter().zip(&word).all(|(a, b)| a.eq_ignore_ascii_case(b)));
                same.then_some(at + word.len()).into_iter().collect()
            }
            Seq(rules) => rules.iter().fold(BTreeSet::from([at]), |starts, rule| {
                starts.into_iter().flat_map(|start| rule.ends(text, start)).collect()
            }),
            Alt(rules) => rules.iter().flat_map(|rule| rule.ends(text, at)).collect(),
            Rule::Repeat(min, max, rule) => {
                let mut current = BTreeSet::from([at]);
                let mut all = if *min == 0 { current.clone() } else { BTreeSet::new() };
                for count in 1..=*max {
                    let next: BTreeSet<usize> = current.iter().flat_map(|&start| rule.ends(text, start)).collect();
                    let is_new = !next.is_subset(&all);
                    if count >= *min {
                        all.extend(&next);
                    }
                    if next.is_empty() || count > *min && !is_new {
                        break;
                    }
                    current = next;
                }
                all
            }
        }
    }

    fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        self.ends(&text, 0).contains(&text.len())
    }
}

fn is_unreserved(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~".contains(c)
}

fn is_sub_delim(c: char) -> bool {
    "!$&'()*+,;=".contains(c)
}

fn hexdig() -> Rule {
    One(|c| c.is_ascii_hexdigit())
}

fn pct_encoded() -> Rule {
    Seq(vec![Text("%"), hexdig(), hexdig()])
}

fn pchar() -> Rule {
    Alt(vec![One(|c| is_unreserved(c) || is_sub_delim(c) || ":@".contains(c)), pct_encoded()])
}

fn segment() -> Rule {
    many(pchar())
}

fn segment_nz() -> Rule {
    repeat(1, usize::MAX, pchar())
}

fn segment_nz_nc() -> Rule {
    let one = Alt(vec![One(|c| is_unreserved(c) || is_sub_delim(c) || c == '@'), pct_encoded()]);
    repeat(1, usize::MAX, one)
}

fn query() -> Rule {
    many(Alt(vec![pchar(), One(|c| "/?".contains(c))]))
}

fn userinfo() -> Rule {
    many(Alt(vec![One(|c| is_unreserved(c) || is_sub_delim(c) || c == ':'), pct_encoded()]))
}

fn reg_name() -> Rule {
    many(Alt(vec![One(|c| is_unreserved(c) || is_sub_delim(c)), pct_encoded()]))
}

fn path_abempty() -> Rule {
    many(Seq(vec![Text("/"), segment()]))
}

fn path_absolute() -> Rule {
    Seq(vec![Text("/"), optional(Seq(vec![segment_nz(), path_abempty()]))])
}

fn ipv4() -> Rule {
    let digit = || One(|c| c.is_ascii_digit());
    let dec_octet = || {
        Alt(vec![
            digit(),
            Seq(vec![One(|c| ('1'..='9').contains(&c)), digit()]),
            Seq(vec![Text("1"), digit(), digit()]),
            Seq(vec![Text("2"), One(|c| ('0'..='4').contains(&c)), digit()]),
            Seq(vec![Text("25"), One(|c| ('0'..='5').contains(&c))]),
        ])
    };
    let dot = || Text(".");
    Seq(vec![dec_octet(), dot(), dec_octet(), dot(), dec_octet(), dot(), dec_octet()])
}

fn ipv6() -> Rule {
    let h16 = || repeat(1, 4, hexdig());
    let group = || Seq(vec![h16(), Text(":")]);
    let ls32 = || Alt(vec![Seq(vec![h16(), Text(":"), h16()]), ipv4()]);
    let groups = |n| repeat(n, n, group());
    let front = |n| optional(Seq(vec![repeat(0, n, group()), h16()]));
    let gap = || Text("::");
    Alt(vec![
        Seq(vec![groups(6), ls32()]),
        Seq(vec![gap(), groups(5), ls32()]),
        Seq(vec![optional(h16()), gap(), groups(4), ls32()]),
        Seq(vec![front(1), gap(), groups(3), ls32()]),
        Seq(vec![front(2), gap(), groups(2), ls32()]),
        Seq(vec![front(3), gap(), group(), ls32()]),
        Seq(vec![front(4), gap(), ls32()]),
        Seq(vec![front(5), gap(), h16()]),
        Seq(vec![front(6), gap()]),
    ])
}

fn ipv_future() -> Rule {
    let one = One(|c| is_unreserved(c) || is_sub_delim(c) || c == ':');
    Seq(vec![Text("v"), repeat(1, usize::MAX, hexdig()), Text("."), repeat(1, usize::MAX, one)])
}

fn authority(zoned: bool) -> Rule {
    let zone = || {
        let id = Alt(vec![One(is_unreserved), pct_encoded()]);
        Seq(vec![Text("%25"), repeat(1, usize::MAX, id)])
    };
    let mut literals = vec![ipv6(), ipv_future()];
    if zoned {
        literals.push(Seq(vec![ipv6(), zone()]));
    }
    let literal = Seq(vec![Text("["), Alt(literals), Text("]")]);
    let port = Seq(vec![Text(":"), many(One(|c| c.is_ascii_digit()))]);
    Seq(vec![optional(Seq(vec![userinfo(), Text("@")])), Alt(vec![literal, ipv4(), reg_name()]), optional(port)])
}

fn scheme() -> Rule {
    let rest = One(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    Seq(vec![One(|c| c.is_ascii_alphabetic()), many(rest)])
}

fn uri_reference(zoned: bool) -> Rule {
    let part = |rootless: Rule| {
        Alt(vec![
            Seq(vec![Text("//"), authority(zoned), path_abempty()]),
            path_absolute(),
            Seq(vec![rootless, path_abempty()]),
            Text(""),
        ])
    };
    let tail = || Seq(vec![optional(Seq(vec![Text("?"), query()])), optional(Seq(vec![Text("#"), query()]))]);
    Alt(vec![Seq(vec![scheme(), Text(":"), part(segment_nz()), tail()]), Seq(vec![part(segment_nz_nc()), tail()])])
}

// ------------------------------------------------------------------------------------------- the other oracles

#[derive(Clone, Debug, PartialEq, Eq)]
struct Naive {
    scheme: Option<String>,
    authority: Option<String>,
    path: String,
    query: Option<String>,
    fragment: Option<String>,
}

/// Appendix B, from the end on.
fn naive_split(text: &str) -> Naive {
    let cut = |text: &str, at: char| match text.split_once(at) {
        Some((before, after)) => (before.to_string(), Some(after.to_string())),
        None => (text.to_string(), None),
    };
    let (rest, fragment) = cut(text, '#');
    let (rest, query) = cut(&rest, '?');
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if !scheme.is_empty() && !scheme.contains('/') => (Some(scheme.to_string()), rest),
        _ => (None, &rest[..]),
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let (authority, path) = cut(rest, '/');
            (Some(authority), path.map(|path| format!("/{path}")).unwrap_or_default())
        }
        None => (None, rest.to_string()),
    };
    Naive { scheme, authority, path, query, fragment }
}

/// 5.3
fn naive_recompose(uri: &Naive) -> String {
    let mut result = String::new();
    if let Some(scheme) = &uri.scheme {
        result += scheme;
        result += ":";
    }
    if let Some(authority) = &uri.authority {
        result += "//";
        result += authority;
    }
    result += &uri.path;
    if let Some(query) = &uri.query {
        result += "?";
        result += query;
    }
    if let Some(fragment) = &uri.fragment {
        result += "#";
        result += fragment;
    }
    result
}

/// 5.2.4
fn naive_remove_dot_segments(path: &str) -> String {
    let (mut input, mut output) = (path.to_string(), String::new());
    while !input.is_empty() {
        if let Some(rest) = input.strip_prefix("../").or(input.strip_prefix("./")) {
            input = rest.to_string();
        } else if input.starts_with("/./") {
            input = input[2..].to_string();
        } else if input == "/." {
            input = "/".to_string();
        } else if input.starts_with("/../") || input == "/.." {
            input = if input == "/.." { "/".to_string() } else { input[3..].to_string() };
            output.truncate(output.rfind('/').unwrap_or(0));
        } else if input == "." || input == ".." {
            input.clear();
        } else {
            let from = usize::from(input.starts_with('/'));
            let end = input[from..].find('/').map_or(input.len(), |at| at + from);
            output += &input[..end];
            input = input[end..].to_string();
        }
    }
    output
}

/// A path that would be read as an authority gets `/.` in front.
fn naive_guard(uri: &mut Naive) {
    if uri.authority.is_none() && uri.path.starts_with("//") {
        uri.path.insert_str(0, "/.");
    }
}

/// 5.2.2
fn naive_resolve(base: &str, reference: &str) -> String {
    let (base, r) = (naive_split(base), naive_split(reference));
    let mut t = r.clone();
    if r.scheme.is_some() {
        t.path = naive_remove_dot_segments(&r.path);
    } else {
        if r.authority.is_some() {
            t.path = naive_remove_dot_segments(&r.path);
        } else {
            if r.path.is_empty() {
                t.path = base.path.clone();
                t.query = r.query.or(base.query);
            } else if r.path.starts_with('/') {
                t.path = naive_remove_dot_segments(&r.path);
            } else {
                let merged = if base.authority.is_some() && base.path.is_empty() {
                    format!("/{}", r.path)
                } else {
                    format!("{}{}", &base.path[..base.path.rfind('/').map_or(0, |at| at + 1)], r.path)
                };
                t.path = naive_remove_dot_segments(&merged);
            }
            t.authority = base.authority;
        }
        t.scheme = base.scheme;
    }
    t.fragment = r.fragment;
    naive_guard(&mut t);
    naive_recompose(&t)
}

fn hex(c: char) -> Option<u32> {
    "0123456789abcdef".find(c.to_ascii_lowercase()).map(|value| value as u32)
}

/// A character, or the byte of a triplet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Item {
    Char(char),
    Octet(char),
}

/// What a text consists of.
fn items(text: &str) -> Vec<Item> {
    let chars: Vec<char> = text.chars().collect();
    let (mut items, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        let digits = || Some((hex(*chars.get(at + 1)?)?, hex(*chars.get(at + 2)?)?));
        match digits().filter(|_| chars[at] == '%') {
            Some((high, low)) => {
                items.push(Item::Octet(char::from_u32(high * 16 + low).unwrap()));
                at += 3;
            }
            None => {
                items.push(Item::Char(chars[at]));
                at += 1;
            }
        }
    }
    items
}

fn written(items: &[Item]) -> String {
    items.iter().fold(String::new(), |text, item| match item {
        Item::Char(c) => format!("{text}{c}"),
        Item::Octet(c) => format!("{text}%{:02X}", *c as u32),
    })
}

fn first_malformed(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    (0..bytes.len()).find(|&at| {
        let is_hex = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_hexdigit());
        bytes[at] == b'%' && !(is_hex(at + 1) && is_hex(at + 2))
    })
}

/// A text, normal as far as its escapes go.
fn naive_escapes(text: &str) -> String {
    let decoded: Vec<Item> = items(text)
        .into_iter()
        .map(|item| match item {
            Item::Octet(c) if is_unreserved(c) => Item::Char(c),
            item => item,
        })
        .collect();
    written(&decoded)
}

fn naive_lower(text: &str) -> String {
    let lower: Vec<Item> = items(text)
        .into_iter()
        .map(|item| match item {
            Item::Char(c) => Item::Char(c.to_ascii_lowercase()),
            item => item,
        })
        .collect();
    written(&lower)
}

/// Userinfo, host, port.
fn naive_authority(authority: &str) -> (Option<String>, String, Option<String>) {
    let (userinfo, rest) = match authority.rsplit_once('@') {
        Some((userinfo, rest)) => (Some(userinfo.to_string()), rest),
        None => (None, authority),
    };
    let end = if rest.starts_with('[') { rest.find(']').unwrap_or(rest.len()) } else { 0 };
    match rest[end..].find(':') {
        Some(at) => (userinfo, rest[..end + at].to_string(), Some(rest[end + at + 1..].to_string())),
        None => (userinfo, rest.to_string(), None),
    }
}

/// 6.2.2 and 6.2.3, up to `level`; a malformed `%` is a character.
fn naive_parts(text: &str, level: Level) -> Naive {
    let mut uri = naive_split(text);
    let escapes = |text: &str| match level {
        Level::Simple => text.to_string(),
        Level::Case => written(&items(text)),
        _ => naive_escapes(text),
    };
    uri.scheme = uri.scheme.map(|name| if scheme().matches(&name) { name.to_lowercase() } else { name });
    uri.authority = uri.authority.map(|authority| {
        let (userinfo, host, port) = naive_authority(&authority);
        let zone = host.find("%25").filter(|_| host.starts_with('[')).unwrap_or(host.len());
        let host = format!("{}{}", naive_lower(&escapes(&host[..zone])), escapes(&host[zone..]));
        let default = match uri.scheme.as_deref() {
            Some("http" | "ws") => "80",
            Some("https" | "wss") => "443",
            Some("ftp") => "21",
            _ => "",
        };
        let port = port.map(|port| escapes(&port));
        let port = port.filter(|port| level < Level::Scheme || !port.is_empty() && port != default);
        let userinfo = userinfo.map(|userinfo| escapes(&userinfo) + "@").unwrap_or_default();
        userinfo + &host + &port.map(|port| format!(":{port}")).unwrap_or_default()
    });
    uri.path = escapes(&uri.path);
    if level >= Level::PathSegment && (uri.scheme.is_some() || uri.path.starts_with('/')) {
        uri.path = naive_remove_dot_segments(&uri.path);
    }
    if level >= Level::Scheme && uri.authority.is_some() && uri.path.is_empty() {
        uri.path = "/".into();
    }
    uri.query = uri.query.map(|query| escapes(&query));
    uri.fragment = uri.fragment.map(|fragment| escapes(&fragment));
    uri
}

fn naive_normalize(text: &str, level: Level) -> String {
    let mut uri = naive_parts(text, level);
    naive_guard(&mut uri);
    naive_recompose(&uri)
}

/// The ladder: the same; or the same if what is reserved were not; or not.
fn naive_equivalent(a: &str, b: &str, level: Level) -> Equivalence {
    if a == b {
        return Equivalence::Equivalent;
    }
    if level == Level::Simple {
        return Equivalence::Different;
    }
    let (x, y) = (naive_parts(a, level), naive_parts(b, level));
    if x == y {
        let malformed = first_malformed(a).is_some() || first_malformed(b).is_some();
        return if malformed { Equivalence::Unknown } else { Equivalence::Equivalent };
    }
    // Each part, with the bytes of what is left of triplets for characters.
    let loose = |uri: &Naive| {
        let octets = |text: &str| {
            let octet = |item: &Item| match item {
                Item::Char(c) => c.to_string().into_bytes(),
                Item::Octet(c) => vec![*c as u32 as u8],
            };
            items(text).iter().flat_map(octet).collect::<Vec<u8>>()
        };
        let authority = uri.authority.as_deref().map(|authority| {
            let (userinfo, host, port) = naive_authority(authority);
            // A bracket delimits by the generic syntax, so only a host with one has a zone.
            let zone = host.find("%25").filter(|_| host.starts_with('[')).unwrap_or(host.len());
            let (host, zone) = host.split_at(zone);
            (userinfo.map(|u| octets(&u)), octets(host), octets(zone), port.map(|p| octets(&p)))
        });
        let optional = |text: &Option<String>| text.as_deref().map(octets);
        (uri.scheme.clone(), authority, octets(&uri.path), optional(&uri.query), optional(&uri.fragment))
    };
    if level >= Level::PercentEncoding && loose(&x) == loose(&y) {
        Equivalence::Unknown
    } else {
        Equivalence::Different
    }
}

// ---------------------------------------------------------------------------------------------------- inputs

/// Text that looks like a URI, and like trouble.
#[derive(Clone, Debug)]
struct Hostile(String);

const PIECES: &[&str] = &[
    "a",
    "b",
    "A",
    "G",
    "z",
    "é",
    "1",
    "80",
    "443",
    "/",
    "/",
    "/",
    "//",
    ":",
    ":",
    "?",
    "#",
    "@",
    "[",
    "]",
    "[::1]",
    "[fe80::1%25En]",
    "[v1.x]",
    "::",
    ".",
    "..",
    "/..",
    "/../",
    "/./",
    "%2e",
    "%2E",
    "/%2e%2E",
    "%41",
    "%7e",
    "%7E",
    "%2f",
    "%2F",
    "%3d",
    "%25",
    "%252e",
    "%C3%a9",
    "%c3",
    "%",
    "%4",
    "%zz",
    "%%41",
    "=",
    "&",
    ";",
    "+",
    "~",
    " ",
    "<",
    "http:",
    "http://",
    "HTTP://h",
    "//h",
    "urn:",
    "foo:",
    "1.2.3.4",
    "256.1.1.1",
    "x:",
    "\u{0}",
    "!",
    "_",
    "-",
];

impl Arbitrary for Hostile {
    fn arbitrary(g: &mut Gen) -> Hostile {
        let mut random = Random(u64::arbitrary(g) | 1);
        let most = [4, 8, 16, 40][random.below(4)];
        let mut text = String::new();
        if random.one_in(2) {
            text += ["http:", "http://", "Foo:", "//", "/", "ftp://u@h:21/", "ws://H:80"][random.below(7)];
        }
        for _ in 0..random.below(most) {
            text += PIECES[random.below(PIECES.len())];
        }
        if random.one_in(100) {
            text = text.repeat(50);
        }
        Hostile(text)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Hostile>> {
        let chars: Vec<char> = self.0.chars().collect();
        let without = |skip: usize| {
            let kept = chars.iter().enumerate().filter(|&(at, _)| at != skip);
            Hostile(kept.map(|(_, c)| c).collect())
        };
        Box::new((0..chars.len()).map(without).collect::<Vec<_>>().into_iter())
    }
}

/// A text, and one that may be equivalent to it.
#[derive(Clone, Debug)]
struct Similar(String, String);

impl Arbitrary for Similar {
    fn arbitrary(g: &mut Gen) -> Similar {
        let text = Hostile::arbitrary(g).0;
        let mut random = Random(u64::arbitrary(g) | 1);
        let mut other = String::new();
        for c in text.chars() {
            match random.below(12) {
                0 if c.is_ascii() => other += &format!("%{:02x}", c as u32),
                1 => other.push(c.to_ascii_uppercase()),
                2 => other.push(c.to_ascii_lowercase()),
                3 if c == '/' => other += ["/./", "/a/../", "/%2E/", "%2f"][random.below(4)],
                _ => other.push(c),
            }
        }
        if random.one_in(4) {
            other = other.replacen("%2F", "/", 1).replacen("%41", "A", 1).replacen(":80", "", 1);
        }
        Similar(text, other)
    }
}

fn check<T: Arbitrary + Debug>(times: usize, property: fn(T)) {
    QuickCheck::new().tests(scale(times) as u64).max_tests(u64::MAX).quickcheck(property);
}

// ---------------------------------------------------------------------------------------------------- splitting

#[test]
fn references_split_as_appendix_b_has_it() {
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
            let naive = naive_authority(authority);
            assert_eq!((owned(parts.userinfo), parts.host.to_string(), owned(parts.port)), naive);
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

/// RFC 3986 1.1.2
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
fn parse_accepts_what_the_grammar_has_and_nothing_else() {
    static RULES: LazyLock<[Rule; 2]> = LazyLock::new(|| [uri_reference(false), uri_reference(true)]);
    check(6000, |Hostile(text): Hostile| {
        if text.len() > 200 {
            return;
        }
        let [plain, zoned] = &*RULES;
        assert_eq!(Uri::parse(&text).is_ok(), plain.matches(&text), "{text}");
        assert_eq!(Uri::parse_zoned(&text).is_ok(), zoned.matches(&text), "{text}");
        for parsed in [Uri::parse(&text), Uri::parse_zoned(&text)] {
            match parsed {
                Ok(uri) => assert_eq!(uri, Uri::split(&text)),
                Err(error) => {
                    assert!(error.offset <= text.len() && text.is_char_boundary(error.offset), "{text}: {error}");
                    // Nothing before the fault is one. (What precedes an `@` may read otherwise without it.)
                    let before = &text[..error.offset];
                    if !text.contains('@') {
                        assert!(zoned.matches(before), "{text}: {error}");
                    }
                }
            }
        }
    });
}

/// RFC 3986 3.2.2, by the grammar: addresses of every shape, good and bad.
#[test]
fn ip_literals() {
    let mut random = Random(7);
    let (six, future) = (ipv6(), ipv_future());
    let groups = ["0", "1", "ab", "FFFF", "00000", "g", "1.2.3.4", "1.2.3", "01.2.3.4", "255.255.255.255", "1.2.3.256"];
    let mut good = 0;
    for _ in 0..scale(20_000) {
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
fn errors_tell_where_and_why() {
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
        assert_eq!(Uri::parse(text), Err(UriError { offset, kind }), "{text}");
        let message = UriError { offset, kind }.to_string();
        assert!(message.contains(&format!("byte {offset}")), "{message}");
        if let Character(component) | Escape(component) = kind {
            assert!(message.contains(&format!("{component:?}").to_lowercase()), "{message}");
        }
    }
    // RFC 6874 2, where it is asked for.
    assert!(Uri::parse_zoned("//[fe80::1%25en0]").is_ok());
    let absolute = |text| Uri::parse_absolute(text).unwrap_err();
    assert_eq!(absolute("//h/"), UriError { offset: 0, kind: NoScheme });
    assert_eq!(absolute("a:b?#c"), UriError { offset: 4, kind: Fragment });
    // Colons that are none of a scheme.
    for text in ["./a:b", "/a:b", "a/b:c", "?a:b", "a:b:c", "//a", "a%3Ab"] {
        assert!(Uri::parse(text).is_ok(), "{text}");
    }
}

// ---------------------------------------------------------------------------------------------------- resolution

/// RFC 3986 5.4
#[test]
fn resolution_examples() {
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
        assert_eq!(naive_resolve("http://a/b/c/d;p?q", reference), target);
    }
}

#[test]
fn resolution_as_the_pseudocode_has_it() {
    check(30_000, |(Hostile(base), Hostile(reference)): (Hostile, Hostile)| {
        let (b, r) = (Uri::split(&base), Uri::split(&reference));
        let resolved = b.resolve(&r);
        if b.scheme.is_none() {
            assert_eq!(resolved, Err(UriError { offset: 0, kind: UriErrorKind::NoScheme }));
            return;
        }
        let target = resolved.unwrap();
        assert_eq!(target, naive_resolve(&base, &reference));
        assert_eq!(target.capacity(), target.len());
        // No path has become an authority.
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
fn dot_segments() {
    assert_eq!(uri::remove_dot_segments("/a/b/c/./../../g"), "/a/g");
    assert_eq!(uri::remove_dot_segments("mid/content=5/../6"), "mid/6");
    // Every path of up to seven of these.
    let pieces = ["/", ".", "..", "a", "%2e"];
    let count: usize = (0..=7u32).map(|n| pieces.len().pow(n)).sum();
    for number in common::thinned(0..count, 0) {
        let (mut number, mut path) = (number, String::new());
        while number > 0 {
            path += pieces[(number - 1) % pieces.len()];
            number = (number - 1) / pieces.len();
        }
        let expected = naive_remove_dot_segments(&path);
        let removed = uri::remove_dot_segments(&path);
        assert_eq!(removed, expected, "{path}");
        // What stays is borrowed; what is of one piece may change in nothing and yet not be known to.
        if let Cow::Owned(removed) = removed {
            assert_eq!(removed.capacity(), removed.len());
            assert_ne!(removed, path);
        }
    }
}

// -------------------------------------------------------------------------------------------------- components

#[test]
fn what_is_encoded_is_by_the_grammar() {
    let cases: [(&str, fn(&[u8]) -> Cow<'_, str>, Rule); 9] = [
        ("segment", |data| uri::encode_segment(data), segment()),
        ("segment-nz-nc", |data| uri::encode_segment_nz_nc(data), optional(segment_nz_nc())),
        ("path", |data| uri::encode_path(data), many(Alt(vec![pchar(), Text("/")]))),
        ("query", |data| uri::encode_query(data), query()),
        ("fragment", |data| uri::encode_fragment(data), query()),
        ("userinfo", |data| uri::encode_userinfo(data), userinfo()),
        ("user", |data| uri::encode_user(data), reg_name()),
        ("reg-name", |data| uri::encode_reg_name(data), reg_name()),
        ("data", |data| uri::encode_query_data(data), many(Alt(vec![One(is_unreserved), pct_encoded()]))),
    ];
    for (name, encode, rule) in cases {
        for octet in 0..=255u8 {
            let encoded = encode(&[octet]).into_owned();
            assert!(rule.matches(&encoded), "{name}: {encoded}");
            // Nothing is encoded that need not be.
            let may_stay = octet.is_ascii() && rule.matches(&(octet as char).to_string());
            assert_eq!(encoded.len() == 1, may_stay, "{name}: {octet:#x}");
        }
        let mut random = Random(11);
        for _ in 0..scale(500) {
            let n = random.below(100);
            let data = random.hostile(n);
            let encoded = encode(&data).into_owned();
            assert!(rule.matches(&encoded), "{name}: {encoded}");
            assert_eq!(percent_simd::Decoder::new().decode(&encoded), data);
        }
    }
}

#[test]
fn constants_and_calls_agree() {
    for (encoder, set) in [
        (uri::SEGMENT, sets::RFC3986_SEGMENT),
        (uri::SEGMENT_NZ_NC, sets::RFC3986_SEGMENT_NZ_NC),
        (uri::PATH, sets::RFC3986_PATH),
        (uri::QUERY, sets::RFC3986_QUERY),
        (uri::QUERY_DATA, sets::RFC3986_UNRESERVED),
        (uri::FRAGMENT, sets::RFC3986_QUERY),
        (uri::USERINFO, sets::RFC3986_USERINFO),
        (uri::USER, sets::RFC3986_REG_NAME),
        (uri::REG_NAME, sets::RFC3986_REG_NAME),
    ] {
        assert_eq!(encoder.allowed(), set);
    }
}

/// RFC 3986 2.4: split first, then decode.
#[test]
fn parts() {
    let segments =
        |path: &str| uri::segments(path).map(|part| part.decode_utf8_lossy().into_owned()).collect::<Vec<_>>();
    assert_eq!(segments("/a%2Fb/c%3Fd"), ["", "a/b", "c?d"]);
    assert_eq!(segments("/"), ["", ""]);

    let url = "foo://h/x%41/y%zz/z?k%3D=v%26+1&&=e&n&a=b=c#%";
    let parsed = Uri::split(url);
    let part = parsed.segments().nth(1).unwrap();
    assert_eq!((part.raw(), part.offset(), &part.decode()[..]), ("x%41", 8, &b"xA"[..]));
    let bad = parsed.segments().nth(2).unwrap();
    assert_eq!(bad.decode(), &b"y%zz"[..]);
    for error in [bad.decode_strict().unwrap_err(), bad.decode_utf8_strict().unwrap_err()] {
        assert_eq!((error.offset, error.kind), (url.find("%zz").unwrap(), DecodeErrorKind::NotHex));
    }
    let pairs: Vec<_> = parsed
        .query_pairs()
        .map(|pair| (pair.name.decode_utf8().unwrap(), pair.value.map(|value| value.decode_utf8_strict().unwrap())))
        .collect();
    let some = |text: &'static str| Some(Cow::Borrowed(text));
    assert_eq!(
        pairs,
        [("k=".into(), some("v&+1")), ("".into(), some("e")), ("n".into(), None), ("a".into(), some("b=c"))]
    );
    let offsets: Vec<_> =
        parsed.query_pairs().map(|pair| &url[pair.name.offset()..][..pair.name.raw().len()]).collect();
    assert_eq!(offsets, ["k%3D", "", "n", "a"]);

    let utf8 = uri::segments("/ab%FF").nth(1).unwrap();
    let error = utf8.decode_utf8().unwrap_err();
    assert_eq!((error.offset, error.kind), (3, DecodeErrorKind::InvalidUtf8));
    assert_eq!(utf8.decode_utf8_lossy(), "ab\u{FFFD}");
    assert!(matches!(uri::segments("a").next().unwrap().decode(), Cow::Borrowed(b"a")));

    let (name, parameters) = uri::parameters("name%3B;v=1.1;;w;=x=y");
    assert_eq!((name.raw(), name.decode_utf8_lossy().as_ref()), ("name%3B", "name;"));
    let parameters: Vec<_> =
        parameters.map(|p| (p.name.raw(), p.name.offset(), p.value.map(|v| (v.raw(), v.offset())))).collect();
    assert_eq!(parameters, [("v", 8, Some(("1.1", 10))), ("w", 15, None), ("", 17, Some(("x=y", 18)))]);
    assert_eq!(uri::parameters("a").1.count(), 0);
    assert_eq!(uri::query_pairs("").count(), 0);
}

#[test]
fn parts_are_where_they_say() {
    check(10_000, |Hostile(text): Hostile| {
        let parsed = Uri::split(&text);
        let naive: Vec<&str> = parsed.path.split('/').collect();
        let segments: Vec<_> = parsed.segments().collect();
        assert_eq!(segments.iter().map(|part| part.raw()).collect::<Vec<_>>(), naive);
        assert!(parsed.segments().rev().eq(segments.iter().rev().copied()));
        assert_eq!(segments.iter().map(|part| &text[part.offset()..][..part.raw().len()]).collect::<Vec<_>>(), naive);
        assert_size_hints(parsed.segments());
        assert_size_hints(parsed.query_pairs());
        let pairs: Vec<_> = parsed.query_pairs().collect();
        let naive: Vec<_> = parsed.query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty()).collect();
        assert_eq!(pairs.len(), naive.len());
        for (pair, naive) in pairs.iter().zip(naive) {
            match naive.split_once('=') {
                Some((name, value)) => {
                    assert_eq!((pair.name.raw(), pair.value.map(|value| value.raw())), (name, Some(value)));
                }
                None => assert_eq!((pair.name.raw(), pair.value), (naive, None)),
            }
            for part in [Some(pair.name), pair.value].into_iter().flatten() {
                assert_eq!(&text[part.offset()..][..part.raw().len()], part.raw());
                match part.decode_strict() {
                    Ok(octets) => assert_eq!(octets, part.decode()),
                    Err(error) => {
                        assert_eq!(Some(error.offset - part.offset()), first_malformed(part.raw()));
                    }
                }
            }
        }
        for path in parsed.path.split('/') {
            let (name, parameters) = uri::parameters(path);
            let mut naive = path.split(';');
            assert_eq!(Some(name.raw()), naive.next());
            assert_eq!(parameters.count(), naive.filter(|parameter| !parameter.is_empty()).count());
        }
    });
}

// ---------------------------------------------------------------------------------------------- normalisation

const BY_SCHEME: Normalizer = Normalizer::new().by_scheme();

#[test]
fn normalisation_cases() {
    for (text, normal) in [
        ("HTTP://ex%41mple.%C3%89.COM/%2e%2e/A", "http://example.%C3%89.com/A"),
        ("http://example.com/?", "http://example.com/?"),
        ("http://example.com?#", "http://example.com?#"),
        // 6.2.2
        ("eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"),
        // 6.2.2.1: not the userinfo, not the path
        ("HTTP://Me@HOST/PATH", "http://Me@host/PATH"),
        ("x://%4De@H%4fST", "x://Me@host"),
        ("x://[2001:DB8::1]", "x://[2001:db8::1]"),
        ("x://[FE80::1%25En%30]", "x://[fe80::1%25En0]"),
        ("//HOST", "//host"),
        // 6.2.2.2: what is reserved, and everything else, stays
        ("/%2f%3a%21%20%c3%a9%7E%2541", "/%2F%3A%21%20%C3%A9~%2541"),
        // 6.2.2.3
        ("x:a/../b", "x:/b"),
        ("x:/a/%2E%2e/%2e/b", "x:/b"),
        ("../a/./b", "../a/./b"),
        ("%2e%2E/a", "../a"),
        ("/../a/./b", "/a/b"),
        ("x:/..//a", "x:/.//a"),
        ("x:/.//a", "x:/.//a"),
        ("x:/%2E//a", "x:/.//a"),
        ("x:a/..//b", "x:/.//b"),
        ("/.//a", "/.//a"),
        ("x://h/.//a", "x://h//a"),
        // Nothing is encoded, and nothing that is no scheme gets to be one.
        ("/a b/é/%7e", "/a b/é/~"),
        ("%41:B/%7e", "%41:B/~"),
        ("1A://H", "1A://h"),
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
        ("http://h:080/", "http://h:080/"),
        ("http://h:+80/", "http://h:+80/"),
        ("foo://h:/x", "foo://h/x"),
        ("foo://h:80/x", "foo://h:80/x"),
        ("http:", "http:"),
        ("//h:80", "//h:80/"),
        ("file:///a", "file:///a"),
        ("mailto:A@B", "mailto:A@B"),
        ("http://h:80/a/../%7e", "http://h/~"),
    ] {
        assert_eq!(BY_SCHEME.normalize(text).as_deref(), Ok(normal), "{text}");
        assert_eq!(BY_SCHEME.sanitize(text), normal, "{text}");
    }
    assert_eq!(uri::default_port("Http"), Some(80));
    assert_eq!(uri::default_port("urn"), None);
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
}

#[test]
fn normalisation_as_the_rfc_has_it() {
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
                        assert_eq!(owned.capacity(), owned.len());
                    }
                }
                Err(error) => {
                    assert_eq!(Some(error.offset), first_malformed(&text));
                    // Each stray % encoded by hand.
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
            Ok(normal) => assert_eq!(normal, naive_escapes(&text)),
            Err(error) => assert_eq!(Some(error.offset), first_malformed(&text)),
        }
        let sanitized = uri::sanitize_escapes(&text);
        assert_eq!(uri::normalize_escapes(&sanitized), Ok(Cow::Borrowed(&*sanitized)));
    });
}

#[test]
fn normalisation_keeps_the_meaning() {
    // What the path says, segment by segment, with `..` taking back the one before.
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
        if parsed.path.starts_with('/') {
            assert_eq!(meaning(&text), meaning(&normal));
        }
        assert_eq!(decoded(parsed.query), decoded(after.query));
        assert_eq!(decoded(parsed.fragment), decoded(after.fragment));
        assert_eq!(decoded(parsed.userinfo()), decoded(after.userinfo()));
        assert_eq!(parsed.port().map(naive_escapes).as_deref(), after.port());
        // What was a URI stays one.
        assert!(Uri::parse(&text).is_err() || Uri::parse(&normal).is_ok());
    });
}

// -------------------------------------------------------------------------------------------------- equivalence

#[test]
fn the_ladder() {
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
        ("http://a:443/", "http://a", [Different; 5]),
        ("a/../b", "b", [Different; 5]),
        ("/a%2Fb", "/a/b", [Different, Different, Unknown, Unknown, Unknown]),
        ("?a%3Db", "?a=b", [Different, Different, Unknown, Unknown, Unknown]),
        ("?a%3Db%62", "?a=bb", [Different, Different, Unknown, Unknown, Unknown]),
        ("?a%3Dc", "?a=b", [Different; 5]),
        // These delimit by the generic syntax, whatever the resource.
        ("/a%3Fb", "/a?b", [Different; 5]),
        ("/a%23b", "/a#b", [Different; 5]),
        ("//a%40b", "//a@b", [Different; 5]),
        ("/?", "/", [Different; 5]),
        ("/#", "/", [Different; 5]),
        ("//@a", "//a", [Different; 5]),
        // Malformed, and not the same.
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
fn equivalence_is_what_normalising_says() {
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

// ------------------------------------------------------------------------------------------------------- classes

#[test]
fn classes_by_each_specification() {
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
            let octets: BTreeSet<u8> = text.bytes().collect();
            assert_eq!(spec.octets(*class).iter().collect::<BTreeSet<u8>>(), octets, "{class:?} of {spec:?}");
        }
        assert_eq!(expected.iter().map(|(_, text)| text.len()).sum::<usize>(), 128, "{spec:?}: each has one class");
        for byte in high..=255u8 {
            assert_eq!(classify(byte, spec), NonAscii);
        }
    }
}

/// What is unreserved is what the catalogue leaves as it is.
#[test]
fn classes_and_sets_agree() {
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

// ---------------------------------------------------------------------------------------------------------- lint

fn naive_lint(text: &[u8]) -> Vec<Finding> {
    let legal =
        |byte: u8| byte.is_ascii() && (is_unreserved(byte as char) || ":/?#[]@!$&'()*+,;=%".contains(byte as char));
    let triplet = |at: usize| match text.get(at..at + 3) {
        Some([b'%', high, low]) => Some((hex(*high as char)? * 16 + hex(*low as char)?) as u8),
        _ => None,
    };
    let digits = |at: usize| text.get(at..at + 2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let (len, kind) = if text[at] != b'%' {
            let len = text[at..].iter().take_while(|&&byte| !legal(byte)).count();
            (len.max(1), (len > 0).then_some(FindingKind::Illegal))
        } else if let Some(octet) = triplet(at) {
            if octet == b'%' && digits(at + 3) {
                (5, Some(FindingKind::DoubleEncoded))
            } else if octet.is_ascii() && is_unreserved(octet as char) {
                (3, Some(FindingKind::OverEncoded))
            } else {
                let lower = text[at..at + 3].iter().any(u8::is_ascii_lowercase);
                (3, lower.then_some(FindingKind::LowerCase))
            }
        } else {
            (1, Some(FindingKind::Malformed))
        };
        found.extend(kind.map(|kind| Finding { offset: at, len, kind }));
        at += len;
    }
    found
}

#[test]
fn lint_finds_what_there_is() {
    check(20_000, |Hostile(text): Hostile| assert_eq!(lint(&text).collect::<Vec<_>>(), naive_lint(text.as_bytes())));
    check(2000, |octets: Vec<u8>| assert_eq!(lint(&octets).collect::<Vec<_>>(), naive_lint(&octets)));
    let mut random = Random(3);
    for n in 0..300 {
        let text = random.hostile(n);
        assert_eq!(lint(&text).collect::<Vec<_>>(), naive_lint(&text));
    }
}

/// Every byte is in one finding at most: what is behind the last one bounds what there may be.
#[test]
fn lint_bounds_its_findings() {
    check(2000, |Hostile(text): Hostile| {
        assert_size_hints(lint(&text));
        let mut rest = lint(&text);
        assert_eq!(rest.size_hint(), (0, Some(text.len())));
        while let Some(found) = rest.next() {
            assert_eq!(rest.size_hint(), (0, Some(text.len() - found.offset - found.len)));
        }
    });
}

/// What is normal has no finding but for bytes that are illegal or encoded twice.
#[test]
fn lint_and_normalisation_agree() {
    check(10_000, |Hostile(text): Hostile| {
        let normal = uri::sanitize_escapes(&text);
        let other = |kind| !matches!(kind, FindingKind::Illegal | FindingKind::DoubleEncoded);
        assert!(!lint(&*normal).any(|found| other(found.kind)), "{normal}");
        let escapes = lint(&text).any(|found| other(found.kind));
        assert!(escapes || lint(&text).any(|found| found.kind == FindingKind::DoubleEncoded) || normal == text);
    });
}

// ----------------------------------------------------------------------------------------------------------- URN

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
            // The first `?=` ends an r-component, so this is the one thing that the bare grammar has and is refused: an
            // r-component in which `?=` is data, and nothing follows.
            let may_be = RULE.matches(&text);
            assert!(!may_be || text.contains("?+") && text.contains("?="), "{text}: {error}");
            assert!(error.offset <= text.len() && error.to_string().contains(&error.offset.to_string()));
            assert!(urn::normalize(&text).is_err());
        }
    });
}

/// RFC 8141 3.2
#[test]
fn urn_equivalence_examples() {
    use Equivalence::{Different, Equivalent, Unknown};
    let groups: &[&[&str]] = &[
        &[
            "urn:example:a123,z456",
            "URN:example:a123,z456",
            "urn:EXAMPLE:a123,z456",
            "urn:example:a123,z456?+abc",
            "urn:example:a123,z456?=xyz",
            "urn:example:a123,z456#789",
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
fn urn_errors() {
    use urn::UrnErrorKind::*;
    let long = format!("urn:{}:x", "a".repeat(33));
    for (text, offset, kind) in [
        ("", 0, Scheme),
        ("urm:a:b", 0, Scheme),
        ("é:a:b", 0, Scheme),
        ("urn:a:b", 4, Nid),
        ("urn:a-:b", 4, Nid),
        ("urn:ab", 4, Nid),
        ("urn:a_b:c", 4, Nid),
        ("urn:a.b:c", 4, Nid),
        (&long, 4, Nid),
        ("urn:ab:", 7, Empty),
        ("urn:ab:/", 7, Character),
        ("urn:ab:c?", 8, Character),
        ("urn:ab:c?d", 8, Character),
        ("urn:ab:c?+", 10, Empty),
        ("urn:ab:c?+?=", 10, Empty),
        ("urn:ab:c?+d?=", 13, Empty),
        ("urn:ab:c?=/", 10, Character),
        ("urn:ab:c%2", 8, Escape),
        ("urn:ab:c#%", 9, Escape),
        ("urn:ab:c#d#", 10, Character),
        ("urn:ab:é", 7, Character),
    ] {
        assert_eq!(urn::Urn::parse(text), Err(urn::UrnError { offset, kind }), "{text}");
    }
    assert!(urn::Urn::parse("urn:ab:c#").is_ok());
    assert!(urn::Urn::parse("urn:a--b:c").is_ok());
    assert!(urn::Urn::parse(&format!("urn:{}:x", "a".repeat(32))).is_ok());
}

/// RFC 2141 2.2
#[test]
fn names_become_urns() {
    assert_eq!(urn::encode_nss_2141("a-z_0:=;$").as_deref(), Ok("a-z_0:=;$"));
    assert_eq!(urn::encode_nss_2141("%/?#~&<é").as_deref(), Ok("%25%2F%3F%23%7E%26%3C%C3%A9"));
    assert_eq!(urn::encode_nss_2141(""), Err(urn::UrnError { offset: 0, kind: urn::UrnErrorKind::Empty }));
    assert_eq!(urn::encode_nss_2141(b"ab\0"), Err(urn::UrnError { offset: 2, kind: urn::UrnErrorKind::Nul }));
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

// ---------------------------------------------------------------------------------------------------- long inputs

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

// ------------------------------------------------------------------------------------------------------ templates

/// RFC 6570 3.2
const VALUES: &[(&str, Value<'_>)] = &[
    ("count", Value::List(&["one", "two", "three"])),
    ("dom", Value::List(&["example", "com"])),
    ("dub", Value::Text("me/too")),
    ("hello", Value::Text("Hello World!")),
    ("half", Value::Text("50%")),
    ("var", Value::Text("value")),
    ("who", Value::Text("fred")),
    ("base", Value::Text("http://example.com/home/")),
    ("path", Value::Text("/foo/bar")),
    ("list", Value::List(&["red", "green", "blue"])),
    ("keys", Value::Pairs(&[("semi", ";"), ("dot", "."), ("comma", ",")])),
    ("v", Value::Text("6")),
    ("x", Value::Text("1024")),
    ("y", Value::Text("768")),
    ("empty", Value::Text("")),
    ("empty_keys", Value::Pairs(&[])),
    ("empty_list", Value::List(&[])),
];

fn expand(template: &str) -> String {
    let template = Template::parse(template).unwrap_or_else(|error| panic!("{template}: {error}"));
    let expanded = template.expand(VALUES).unwrap();
    assert_eq!(expanded.capacity(), expanded.len(), "{template}");
    expanded
}

#[test]
fn template_examples() {
    for (template, expanded) in [
        // 1.2, beyond what 3.2 has
        ("map?{x,y}", "map?1024,768"),
        ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"),
        ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{#x,hello,y}", "#1024,Hello%20World!,768"),
        ("{#path,x}/here", "#/foo/bar,1024/here"),
        ("X{.x,y}", "X.1024.768"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        // 2.4.1, 2.4.2
        ("{var:20}", "value"),
        ("{semi:2}", ""),
        ("find{?list*}", "find?list=red&list=green&list=blue"),
        ("www{.dom*}", "www.example.com"),
        // 3.2.1
        ("{count}", "one,two,three"),
        ("{count*}", "one,two,three"),
        ("{/count}", "/one,two,three"),
        ("{/count*}", "/one/two/three"),
        ("{;count}", ";count=one,two,three"),
        ("{;count*}", ";count=one;count=two;count=three"),
        ("{?count}", "?count=one,two,three"),
        ("{?count*}", "?count=one&count=two&count=three"),
        ("{&count*}", "&count=one&count=two&count=three"),
        // 3.2.2
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("O{undef}X", "OX"),
        ("{x,y}", "1024,768"),
        ("?{x,empty}", "?1024,"),
        ("?{x,undef}", "?1024"),
        ("?{undef,y}", "?768"),
        ("{var:3}", "val"),
        ("{var:30}", "value"),
        ("{list}", "red,green,blue"),
        ("{list*}", "red,green,blue"),
        ("{keys}", "semi,%3B,dot,.,comma,%2C"),
        ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
        // 3.2.3
        ("{+var}", "value"),
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"),
        ("O{+empty}X", "OX"),
        ("O{+undef}X", "OX"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        ("up{+path}{var}/here", "up/foo/barvalue/here"),
        ("{+path:6}/here", "/foo/b/here"),
        ("{+list}", "red,green,blue"),
        ("{+list*}", "red,green,blue"),
        ("{+keys}", "semi,;,dot,.,comma,,"),
        ("{+keys*}", "semi=;,dot=.,comma=,"),
        // 3.2.4
        ("{#var}", "#value"),
        ("{#hello}", "#Hello%20World!"),
        ("{#half}", "#50%25"),
        ("foo{#empty}", "foo#"),
        ("foo{#undef}", "foo"),
        ("{#path:6}/here", "#/foo/b/here"),
        ("{#list}", "#red,green,blue"),
        ("{#list*}", "#red,green,blue"),
        ("{#keys}", "#semi,;,dot,.,comma,,"),
        ("{#keys*}", "#semi=;,dot=.,comma=,"),
        // 3.2.5
        ("{.who}", ".fred"),
        ("{.who,who}", ".fred.fred"),
        ("{.half,who}", ".50%25.fred"),
        ("X{.var}", "X.value"),
        ("X{.empty}", "X."),
        ("X{.undef}", "X"),
        ("X{.var:3}", "X.val"),
        ("X{.list}", "X.red,green,blue"),
        ("X{.list*}", "X.red.green.blue"),
        ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"),
        ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
        ("X{.empty_keys}", "X"),
        ("X{.empty_keys*}", "X"),
        // 3.2.6
        ("{/who}", "/fred"),
        ("{/who,who}", "/fred/fred"),
        ("{/half,who}", "/50%25/fred"),
        ("{/who,dub}", "/fred/me%2Ftoo"),
        ("{/var}", "/value"),
        ("{/var,empty}", "/value/"),
        ("{/var,undef}", "/value"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{/var:1,var}", "/v/value"),
        ("{/list}", "/red,green,blue"),
        ("{/list*}", "/red/green/blue"),
        ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
        ("{/keys}", "/semi,%3B,dot,.,comma,%2C"),
        ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
        // 3.2.7
        ("{;who}", ";who=fred"),
        ("{;half}", ";half=50%25"),
        ("{;empty}", ";empty"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"),
        ("{;v,bar,who}", ";v=6;who=fred"),
        ("{;x,y}", ";x=1024;y=768"),
        ("{;x,y,undef}", ";x=1024;y=768"),
        ("{;hello:5}", ";hello=Hello"),
        ("{;list}", ";list=red,green,blue"),
        ("{;list*}", ";list=red;list=green;list=blue"),
        ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"),
        ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
        // 3.2.8
        ("{?who}", "?who=fred"),
        ("{?half}", "?half=50%25"),
        ("{?x,y}", "?x=1024&y=768"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?x,y,undef}", "?x=1024&y=768"),
        ("{?var:3}", "?var=val"),
        ("{?list}", "?list=red,green,blue"),
        ("{?list*}", "?list=red&list=green&list=blue"),
        ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"),
        ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
        // 3.2.9
        ("{&who}", "&who=fred"),
        ("{&half}", "&half=50%25"),
        ("{&var:3}", "&var=val"),
        ("{&x,y,empty}", "&x=1024&y=768&empty="),
        ("{&x,y,undef}", "&x=1024&y=768"),
        ("{&list}", "&list=red,green,blue"),
        ("{&list*}", "&list=red&list=green&list=blue"),
        ("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"),
        ("{&keys*}", "&semi=%3B&dot=.&comma=%2C"),
        // 2.3: without members is without a value
        ("a{?empty_list,empty_keys*}{/empty_list*}", "a"),
        // 3.1 and erratum 6937
        ("é%C3%a9'{var}'", "%C3%A9%C3%a9'value'"),
        ("", ""),
    ] {
        assert_eq!(expand(template), expanded, "{template}");
    }
}

#[test]
fn template_values() {
    let expand =
        |template, value| Template::parse(template).unwrap().expand(&[("v", value)]).map_err(|e| (e.offset, e.kind));
    let text = |template, text| expand(template, Value::Text(text)).unwrap();
    // Prefixes count characters, before they are encoded.
    assert_eq!(text("{v:2}", "éàü"), "%C3%A9%C3%A0");
    assert_eq!(text("{v:1}", "%41"), "%25");
    // Where triplets pass, those of one character are one.
    assert_eq!(text("{+v:1}", "%41b"), "%41");
    assert_eq!(text("{+v:2}", "%C3%A9%e2%82%acx"), "%C3%A9%e2%82%ac");
    assert_eq!(text("{+v:2}", "%F0%9F%92%A9%41b"), "%F0%9F%92%A9%41");
    assert_eq!(text("{#v:2}", "%C3b%F0%9F%92"), "#%C3b");
    assert_eq!(text("{+v:1}", "%C3%00"), "%C3");
    assert_eq!(text("{+v:2}", "%zz%"), "%25z");
    assert_eq!(text("{+v:9999}", "%41%"), "%41%25");
    assert_eq!(text("{+v}", "%41%zz é"), "%41%25zz%20%C3%A9");
    // Empty members.
    for (template, expanded) in
        [("{v*}", ","), ("{v}", ","), ("{?v}", "?v=,"), ("{?v*}", "?v=&v="), ("{;v*}", ";v;v"), ("{/v*}", "//")]
    {
        assert_eq!(expand(template, Value::List(&["", ""])).as_deref(), Ok(expanded), "{template}");
    }
    for (template, expanded) in [
        ("{v*}", "a%26=,=b"),
        ("{v}", "a%26,,,b"),
        // Names of pairs are encoded as literals where names are put (3.2.1).
        ("{?v*}", "?a&=&=b"),
        ("{;v*}", ";a&;=b"),
    ] {
        assert_eq!(expand(template, Value::Pairs(&[("a&", ""), ("", "b")])).as_deref(), Ok(expanded), "{template}");
    }
    let composite = Err((7, TemplateErrorKind::PrefixOfComposite));
    assert_eq!(expand("/{a}/{+v:1}", Value::List(&["a"])), composite);
    assert_eq!(expand("/{a}/{+v:1}", Value::Pairs(&[("a", "b")])), composite);
    assert_eq!(expand("/{a}/{+v:1}", Value::List(&[])).as_deref(), Ok("//"));

    let template = Template::parse("{+a.b%41,c:12}{?d*}").unwrap();
    let variables: Vec<_> = template.variables().map(|v| (v.operator, v.name, v.modifier, v.offset)).collect();
    assert_eq!(
        variables,
        [
            (Operator::Reserved, "a.b%41", Modifier::None, 2),
            (Operator::Reserved, "c", Modifier::Prefix(12), 9),
            (Operator::Query, "d", Modifier::Explode, 16),
        ]
    );
    assert_eq!(template.to_string(), template.as_str());
}

#[test]
fn template_errors() {
    use TemplateErrorKind::*;
    for (template, offset, kind) in [
        ("{/id*", 0, Unclosed),
        ("a{b{c", 1, Unclosed),
        ("/id*}", 4, Literal),
        ("{/?id}", 2, Name),
        ("{var:prefix}", 4, Modifier),
        ("{hello:2*}", 6, Modifier),
        ("{hello*:2}", 6, Modifier),
        ("{??hello}", 2, Name),
        ("{!hello}", 1, Operator),
        ("{=path}", 1, Operator),
        ("{|var*}", 1, Operator),
        ("{,a}", 1, Operator),
        ("{@a}", 1, Operator),
        ("{$var}", 1, Name),
        ("{*keys?}", 1, Name),
        ("{?empty=default,var}", 7, Name),
        ("{var}{-prefix|/-/|var}", 6, Name),
        ("?q={searchTerms}&amp;c={example:color?}", 31, Modifier),
        ("x{?empty|foo=none}", 8, Name),
        ("/h{#hello+}", 9, Name),
        ("{keys:0}", 5, Modifier),
        ("{keys:}", 5, Modifier),
        ("{keys:10000}", 5, Modifier),
        ("{keys:+1}", 5, Modifier),
        ("{;keys:1*}", 6, Modifier),
        ("/people/{~thing}", 9, Name),
        ("{default-graph-uri}", 8, Name),
        ("{?x, y}", 4, Name),
        ("{}", 1, Name),
        ("{?}", 2, Name),
        ("{a,}", 3, Name),
        ("{a..b}", 3, Name),
        ("{+.a}", 2, Name),
        ("{a.}", 3, Name),
        ("{a.*}", 3, Name),
        ("{%4}", 1, Escape),
        ("{?ab,cd%4}", 7, Escape),
        ("{é}", 1, Name),
        ("{{a}}", 1, Name),
        ("a%", 1, Escape),
        ("{a}%zz", 3, Escape),
        ("a b", 1, Literal),
        ("a\"", 1, Literal),
        ("é\u{80}", 2, Literal),
        ("\u{FFFE}", 0, Literal),
        ("\u{FDD0}", 0, Literal),
        ("\u{E0001}", 0, Literal),
    ] {
        let error = TemplateError { offset, kind };
        assert_eq!(Template::parse(template), Err(error), "{template}");
        assert!(error.to_string().contains(&format!("byte {offset}")));
    }
    assert!(Template::parse("\u{E000}\u{F8FF}\u{FFEF}\u{10FFFD}[#?]~{a:9999}").is_ok());
}

fn uri_template() -> Rule {
    let ucschar = |c: char| match c as u32 {
        0xA0..=0xD7FF | 0xF900..=0xFDCF | 0xFDF0..=0xFFEF => true,
        0xE000..=0xF8FF | 0xF_0000..=0xF_FFFD | 0x10_0000..=0x10_FFFD => true,
        0x1_0000..=0xD_FFFF => !matches!(c as u32 % 0x1_0000, 0xFFFE | 0xFFFF),
        0xE_1000..=0xE_FFFD => true,
        _ => false,
    };
    let literal = Alt(vec![
        One(
            |c| matches!(c as u32, 0x21 | 0x23..=0x24 | 0x26..=0x3B | 0x3D | 0x3F..=0x5B | 0x5D | 0x5F | 0x61..=0x7A | 0x7E),
        ),
        One(ucschar),
        pct_encoded(),
    ]);
    let varchar = || Alt(vec![One(|c| c.is_ascii_alphanumeric() || c == '_'), pct_encoded()]);
    let varname = Seq(vec![varchar(), many(Seq(vec![optional(Text(".")), varchar()]))]);
    let digit = One(|c| c.is_ascii_digit());
    let prefix = Seq(vec![Text(":"), One(|c| ('1'..='9').contains(&c)), repeat(0, 3, digit)]);
    let varspec = Seq(vec![varname, optional(Alt(vec![prefix, Text("*")]))]);
    let list = Seq(vec![varspec.clone(), many(Seq(vec![Text(","), varspec]))]);
    let operator = optional(One(|c| "+#./;?&".contains(c)));
    many(Alt(vec![literal, Seq(vec![Text("{"), operator, list, Text("}")])]))
}

#[derive(Clone, Debug)]
struct HostileTemplate(String);

impl Arbitrary for HostileTemplate {
    fn arbitrary(g: &mut Gen) -> HostileTemplate {
        let mut random = Random(u64::arbitrary(g) | 1);
        let pieces = [
            "a",
            "{var}",
            "{?list*}",
            "{;keys*}",
            "{+half:2}",
            "{#hello,path:3}",
            "{&keys,x}",
            "{.dom*}",
            "{/list}",
            "{",
            "}",
            "{a",
            "b}",
            ",",
            ":",
            "*",
            "1",
            "0",
            ".",
            "%",
            "%41",
            "%C3%A9",
            "é",
            " ",
            "'",
            "+",
            "\u{FFFE}",
            "{var:3}",
        ];
        let odd = 9 + if random.one_in(2) { 0 } else { pieces.len() - 9 };
        let n = random.below(10);
        HostileTemplate((0..n).map(|_| pieces[random.below(odd)]).collect())
    }
}

#[test]
fn templates_are_parsed_by_the_grammar() {
    static RULE: LazyLock<Rule> = LazyLock::new(uri_template);
    check(20_000, |(HostileTemplate(one), HostileTemplate(two)): (HostileTemplate, HostileTemplate)| {
        let parsed = Template::parse(&one);
        assert_eq!(parsed.is_ok(), RULE.matches(&one), "{one}: {parsed:?}");
        match parsed {
            Ok(template) => {
                let expanded = template.expand(VALUES).unwrap();
                // Nothing but what a URI may contain.
                assert_eq!(
                    lint(&expanded).find(|f| matches!(f.kind, FindingKind::Illegal | FindingKind::Malformed)),
                    None
                );
                // Parts by themselves give parts.
                if Template::parse(&two).is_ok() {
                    assert_eq!(expand(&format!("{one}{two}")), expanded + &expand(&two));
                }
            }
            Err(error) => assert!(error.offset <= one.len() && one.is_char_boundary(error.offset)),
        }
    });
    check(3000, |text: String| {
        let encoded = |template: &str| Template::parse(template).unwrap().expand(&[("v", Value::Text(&text))]).unwrap();
        assert_eq!(encoded("{v}"), uri::encode_query_data(&text));
        assert_eq!(percent_simd::Decoder::new().decode_utf8(&encoded("{v}")).unwrap(), text);
        let prefix: String = text.chars().take(3).collect();
        assert_eq!(encoded("{v:3}"), uri::encode_query_data(&prefix));
        assert_eq!(Template::parse(&text).is_ok(), RULE.matches(&text));
    });
}
