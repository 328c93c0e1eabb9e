//! Tests the targets of requests (RFC 9112 3.2).

use std::sync::LazyLock;

use percent_standards::uri::{
    self, Component, RequestTarget, TargetBounds, TargetForm, TargetForm::*, Uri, UriError, UriErrorKind,
};

use crate::common::rfc9112::{assert_target, naive_target};
use crate::grammar::Rule::{self, Alt, Seq, Text};
use crate::grammar::{authority, optional, path_abempty, path_absolute, query, repeat, scheme, segment, segment_nz};
use crate::inputs::{Hostile, check};

/// The form, the scheme, the authority, the path and the query.
type Parts<'a> = (TargetForm, Option<&'a str>, Option<&'a str>, &'a str, Option<&'a str>);

fn parts(target: RequestTarget<'_>) -> Parts<'_> {
    (target.form(), target.scheme(), target.authority(), target.path(), target.query())
}

/// Tests the examples of RFC 9112 3.2.1 to 3.2.4, each with its method.
#[test]
fn examples_of_rfc_9112() {
    for (method, text, expected) in [
        ("GET", "/where?q=now", (Origin, None, None, "/where", Some("q=now"))),
        (
            "GET",
            "http://www.example.org/pub/WWW/TheProject.html",
            (Absolute, Some("http"), Some("www.example.org"), "/pub/WWW/TheProject.html", None),
        ),
        ("CONNECT", "www.example.com:80", (Authority, None, Some("www.example.com:80"), "", None)),
        ("OPTIONS", "*", (Asterisk, None, None, "", None)),
        ("OPTIONS", "http://www.example.org:8001", (Absolute, Some("http"), Some("www.example.org:8001"), "", None)),
    ] {
        assert_eq!(RequestTarget::parse(method, text).map(parts), Ok(expected), "{text}");
        assert_eq!(parts(RequestTarget::split(text)), expected, "{text}");
        assert_target(text);
    }
}

#[test]
fn an_origin_form_names_no_host() {
    // A path may begin with `//`: `absolute-path = 1*( "/" segment )`, and a segment may be empty (RFC 9110 4.1).
    for (text, path, query) in [
        ("//private/a.txt", "//private/a.txt", None),
        ("//evil.example/%2e%2e/x", "//evil.example/%2e%2e/x", None),
        ("///", "///", None),
        ("//", "//", None),
        ("//u@h:80/x?a=//b", "//u@h:80/x", Some("a=//b")),
        (r"/\evil", r"/\evil", None),
        ("/http://h/x", "/http://h/x", None),
        ("/a:b", "/a:b", None),
        ("//HOST?", "//HOST", Some("")),
        ("/?", "/", Some("")),
        ("/a?b?c", "/a", Some("b?c")),
    ] {
        assert_eq!(RequestTarget::parse("GET", text).map(parts), Ok((Origin, None, None, path, query)), "{text}");
        assert_eq!(RequestTarget::split(text).authority_parts(), None, "{text}");
        assert_target(text);
    }
    // As a reference, the same text names a host (RFC 3986 4.2).
    assert_eq!(Uri::split("//private/a.txt").host(), Some("private"));
}

#[test]
fn an_absolute_form_is_a_uri() {
    // An empty path of `http` means `/` (RFC 9110 4.2.3).
    for (text, scheme, authority, path, or_root, query) in [
        ("http://h?x=1", "http", Some("h"), "", "/", Some("x=1")),
        ("http://h", "http", Some("h"), "", "/", None),
        ("http://h/", "http", Some("h"), "/", "/", None),
        ("HTTPS://u:p@H:80//a/..?", "HTTPS", Some("u:p@H:80"), "//a/..", "//a/..", Some("")),
        ("http://[::1]:80", "http", Some("[::1]:80"), "", "/", None),
        ("ftp://h/a;type=i", "ftp", Some("h"), "/a;type=i", "/a;type=i", None),
        ("urn:a:b", "urn", None, "a:b", "a:b", None),
        ("a:", "a", None, "", "", None),
        ("a:/b?c", "a", None, "/b", "/b", Some("c")),
    ] {
        let target = RequestTarget::parse("GET", text).unwrap();
        assert_eq!(parts(target), (Absolute, Some(scheme), authority, path, query), "{text}");
        assert_eq!(target.path_or_root(), or_root, "{text}");
        assert_target(text);
    }
}

/// Tests that only `CONNECT` allows a host and a port (RFC 9112 3.2.3), and that only `OPTIONS` allows an asterisk
/// (3.2.4).
#[test]
fn the_method_decides_about_the_form() {
    for target in ["h:443", "127.0.0.1:80", "[::1]:443", "h%41:0", "h:00080"] {
        assert_eq!(RequestTarget::parse("CONNECT", target).map(parts), Ok((Authority, None, Some(target), "", None)));
        assert_target(target);
    }
    // With another method, `h:443` is a URI with the scheme `h`. But a scheme can't begin with a digit or a bracket
    // (RFC 3986 3.1), so `127.0.0.1:80` isn't a URI.
    assert_eq!(RequestTarget::parse("GET", "h:443").map(parts), Ok((Absolute, Some("h"), None, "443", None)));
    let wrong = |offset| UriError::new(offset, UriErrorKind::TargetForm);
    for (method, target, error) in [
        ("GET", "127.0.0.1:80", wrong(0)),
        ("GET", "[::1]:443", wrong(0)),
        ("GET", "*", wrong(0)),
        ("options", "*", wrong(0)), // methods are case-sensitive (RFC 9110 9.1)
        ("OPTIONS", "**", wrong(0)),
        ("CONNECT", "*", wrong(0)),
        ("CONNECT", "/", wrong(0)),
        ("CONNECT", "//h:443", wrong(0)),
        ("CONNECT", "h", wrong(1)),
        ("CONNECT", "h:", wrong(2)),
        ("CONNECT", "h:65536", wrong(2)),
        ("CONNECT", "h:99999999999999999999", wrong(2)),
        ("CONNECT", "", wrong(0)),
        ("CONNECT", ":1", UriError::new(0, UriErrorKind::Empty(Component::Host))),
        ("CONNECT", "h:4x", UriError::new(3, UriErrorKind::Port)),
        ("CONNECT", "http://h:1", UriError::new(5, UriErrorKind::Port)),
        ("CONNECT", "h:443/", UriError::new(5, UriErrorKind::Port)),
        ("CONNECT", "u@h:1", UriError::new(1, UriErrorKind::Character(Component::Host))),
        ("CONNECT", "a b@h:1", UriError::new(1, UriErrorKind::Character(Component::Host))),
        ("CONNECT", "h/a:1", UriError::new(1, UriErrorKind::Character(Component::Host))),
        ("CONNECT", "h#:1", UriError::new(1, UriErrorKind::Character(Component::Host))),
        ("CONNECT", "h%4:1", UriError::new(1, UriErrorKind::Escape(Component::Host))),
        ("CONNECT", "[::g]:1", UriError::new(0, UriErrorKind::IpLiteral)),
        ("GET", "", wrong(0)),
        ("GET", "index.html", wrong(0)),
        ("GET", "?q", wrong(0)),
        ("GET", r"\\h\x", wrong(0)),
        ("GET", "1http://h/", wrong(0)),
        ("GET", "ht%74p://h/", wrong(0)),
        ("GET", "%2Fa", wrong(0)),
        ("GET", "://h/", wrong(0)),
    ] {
        assert_eq!(RequestTarget::parse(method, target), Err(error), "{method} {target}");
        assert_target(target);
    }
}

#[test]
fn parse_rejects_fragments_blanks_and_controls() {
    let fragment = |offset| UriError::new(offset, UriErrorKind::Fragment);
    let character = |offset, component| UriError::new(offset, UriErrorKind::Character(component));
    for (target, error) in [
        ("/admin#", fragment(6)),
        ("/.env#x", fragment(5)),
        ("/#?debug=1", fragment(1)),
        ("/a?b#c", fragment(4)),
        ("http://h#", fragment(8)),
        ("http://evil#@good/", fragment(11)),
        ("a:b#", fragment(3)),
        ("/a b#", character(2, Component::Path)),
        ("/a#b c", fragment(2)),
        ("/\0", character(1, Component::Path)),
        ("/a?\r\n", character(3, Component::Query)),
        ("/a?\t", character(3, Component::Query)),
        ("/\u{7F}", character(1, Component::Path)),
        ("http://h h/", character(8, Component::Host)),
        ("http://u u@h/", character(8, Component::Userinfo)),
        ("http://a[b/", character(8, Component::Host)),
        ("http://h:8x/", UriError::new(10, UriErrorKind::Port)),
        ("http://[::1/", UriError::new(7, UriErrorKind::IpLiteral)),
        // A target with the scheme `http` needs a host (RFC 9110 4.2.1).
        ("http:///x", UriError::new(7, UriErrorKind::Empty(Component::Host))),
        ("HTTP://u@:80", UriError::new(9, UriErrorKind::Empty(Component::Host))),
        ("https:x", UriError::new(6, UriErrorKind::Empty(Component::Host))),
    ] {
        assert_eq!(RequestTarget::parse("GET", target), Err(error), "{target:?}");
        assert_target(target);
    }
    // Browsers send these characters, although the grammar doesn't allow them.
    for target in ["/a[1]|b^?x[]={}|\\", "/100%?%", "/café?é", "file:///x"] {
        assert_eq!(RequestTarget::parse("GET", target).map(parts), Ok(parts(RequestTarget::split(target))));
    }
    let target = RequestTarget::parse("GET", "/a|b").unwrap();
    assert_eq!(uri::check_component(target.path(), Component::Path), Err(character(2, Component::Path)));
}

/// Tests text from logs. As in a URI, a `#` ends an authority. At all other places, it is an ordinary character.
#[test]
fn split_accepts_any_text() {
    for (text, expected) in [
        ("/a#b?c", (Origin, None, None, "/a#b", Some("c"))),
        ("/a?b#c", (Origin, None, None, "/a", Some("b#c"))),
        ("http://evil#@good/?q", (Absolute, Some("http"), Some("evil"), "#@good/", Some("q"))),
        ("http://h#/x", (Absolute, Some("http"), Some("h"), "#/x", None)),
        ("", (Invalid, None, None, "", None)),
        ("-", (Invalid, None, None, "-", None)),
        ("index.html?q", (Invalid, None, None, "index.html", Some("q"))),
        ("ht%74p://h/x", (Invalid, None, None, "ht%74p://h/x", None)),
        ("h:443", (Authority, None, Some("h:443"), "", None)),
        ("h:443/", (Absolute, Some("h"), None, "443/", None)),
        ("127.0.0.1:80/", (Invalid, None, None, "127.0.0.1:80/", None)),
        ("u@h:443", (Invalid, None, None, "u@h:443", None)),
        ("h:", (Absolute, Some("h"), None, "", None)),
        (":443", (Invalid, None, None, ":443", None)),
        ("[]:443", (Invalid, None, None, "[]:443", None)),
        ("*?", (Invalid, None, None, "*", Some(""))),
        (" /a", (Invalid, None, None, " /a", None)),
    ] {
        assert_eq!(parts(RequestTarget::split(text)), expected, "{text}");
        assert_target(text);
    }
    // Browsers and Node.js would find the path `/admin` in the first four of these URIs.
    for (text, offset, kind) in [
        (&b"http://h\\admin"[..], 8, UriErrorKind::Character(Component::Host)),
        (b"http:///h/admin", 7, UriErrorKind::Empty(Component::Host)),
        (b"WS:///h/admin", 5, UriErrorKind::Empty(Component::Host)),
        (b"https://u@/h/admin", 10, UriErrorKind::Empty(Component::Host)),
        (b"http://h:8x/", 10, UriErrorKind::Port),
        (b"http://a\xFF/", 8, UriErrorKind::Character(Component::Host)),
    ] {
        let error = TargetBounds::parse(text).unwrap_err();
        assert_eq!((error.offset, error.kind), (offset, kind), "{}", text.escape_ascii());
    }
    let bounds = TargetBounds::split(b"http://\xFF/\xFE?\xFD");
    assert_eq!((bounds.scheme(), bounds.authority()), (Some(0..4), Some(7..8)));
    assert_eq!((bounds.path(), bounds.query()), (8..10, Some(11..12)));
}

/// Tests every target that consists of up to five of these parts.
#[test]
fn delimiters_in_every_order_are_split_like_the_oracle() {
    const PARTS: [&str; 10] = ["", "h", "1", ":", "@", "/", "?", "#", "*", "]"];
    for number in 0..PARTS.len().pow(5) {
        let text: String = (0..5).map(|i| PARTS[number / PARTS.len().pow(i) % PARTS.len()]).collect();
        assert_target(&text);
    }
}

/// The rules of RFC 9112 3.2.1 to 3.2.3, and `absolute-URI` of RFC 3986 4.3.
fn rules() -> [Rule; 3] {
    let tail = || optional(Seq(vec![Text("?"), query()]));
    let origin = Seq(vec![repeat(1, usize::MAX, Seq(vec![Text("/"), segment()])), tail()]);
    let hier_part = Alt(vec![
        Seq(vec![Text("//"), authority(false), path_abempty()]),
        path_absolute(),
        Seq(vec![segment_nz(), path_abempty()]),
        Text(""),
    ]);
    [origin, Seq(vec![scheme(), Text(":"), hier_part, tail()]), authority(false)]
}

#[test]
fn parse_accepts_the_forms_of_the_grammar() {
    static RULES: LazyLock<[Rule; 3]> = LazyLock::new(rules);
    check(6000, |Hostile(text): Hostile| {
        assert_target(&text);
        if text.len() > 200 {
            return;
        }
        let [origin, absolute, authority] = &*RULES;
        let naive = naive_target(&text);
        // `parse` also accepts characters that browsers send. So `is_checked` checks the strict grammar in addition.
        let is_checked = |target: &RequestTarget<'_>| {
            let query = target.query().unwrap_or_default();
            let checks = [(target.path(), Component::Path), (query, Component::Query)];
            checks.into_iter().all(|(text, component)| uri::check_component(text, component).is_ok())
        };
        let parsed = RequestTarget::parse("GET", &text);
        let scheme = Uri::split(&text).scheme.unwrap_or_default().to_ascii_lowercase();
        let needs_host = matches!(&*scheme, "http" | "https" | "ws" | "wss" | "ftp");
        let lacks_host = needs_host && Uri::split(&text).host().unwrap_or_default().is_empty();
        let is_valid = origin.matches(&text) || absolute.matches(&text) && !lacks_host;
        assert_eq!(parsed.as_ref().is_ok_and(is_checked), is_valid, "{text}");
        let parsed_bounds = TargetBounds::parse(&text);
        match &parsed {
            Ok(target) => {
                assert!(!text.contains(|c: char| c.is_ascii_control() || c == ' ' || c == '#'), "{text}");
                assert!(naive.form == Authority || *target == RequestTarget::split(&text), "{text}");
                assert!(parsed_bounds.is_ok(), "{text}");
            }
            Err(error) => assert!(text.is_char_boundary(error.offset), "{text}: {error}"),
        }
        if naive.form != Authority && text != "*" {
            assert_eq!(parsed_bounds, parsed.map(|target| target.bounds()), "{text}");
        }
        match parsed_bounds {
            Ok(bounds) => assert_eq!((bounds, naive.form != Invalid), (RequestTarget::split(&text).bounds(), true)),
            Err(error) => assert!(text.is_char_boundary(error.offset), "{text}: {error}"),
        }
        // `uri-host ":" port`, without a user. Neither the host nor the port may be empty.
        let connect = RequestTarget::parse("CONNECT", &text);
        let port = text.rsplit_once(':').and_then(|(host, port)| port.parse::<u16>().ok().filter(|_| !host.is_empty()));
        let is_valid = authority.matches(&text) && port.is_some() && !text.contains('@');
        assert_eq!(connect.is_ok(), is_valid, "{text}");
        assert!(connect.is_err() || naive.form == Authority, "{text}");
    });
}
