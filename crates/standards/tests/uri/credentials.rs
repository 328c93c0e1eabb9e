//! Tests users, passwords and lists of hosts (RFC 3986 3.2). Tests that passwords are found and hidden.

use std::borrow::Cow;

use percent_standards::uri::{self, Authority, FindingKind, Uri, lint, passwords, redact, redact_bytes};

use crate::common::{Random, check as check_property};
use crate::inputs::{Hostile, check};

/// Returns the decoded user and password of a URI.
fn credentials(text: &str) -> (Option<String>, Option<String>) {
    let authority = Uri::split(text).authority_parts().unwrap();
    let text = |part: uri::Part| part.decode_utf8().unwrap().into_owned();
    (authority.user().map(text), authority.password().map(text))
}

fn pair(user: &str, password: &str) -> (Option<String>, Option<String>) {
    (Some(user.into()), Some(password.into()))
}

#[test]
fn users_and_passwords() {
    // rabbitmq/rabbitmq-amqp1.0-client pull 21
    assert_eq!(credentials("amqp://us%3Aer:p%40ss@h"), pair("us:er", "p@ss"));
    // netdata/netdata issue 19469: these two URLs have different users.
    assert_eq!(credentials("http://a%3Ab:c@h/"), pair("a:b", "c"));
    assert_eq!(credentials("http://a:b%3Ac@h/"), pair("a", "b:c"));
    // apify/got-scraping issue 55: a malformed `%` is kept.
    assert_eq!(credentials("//u:a6%6qgx12345@127.0.0.1:8888"), pair("u", "a6%6qgx12345"));
    assert_eq!(credentials("//u:a:b@h"), pair("u", "a:b"));
    assert_eq!(credentials("//:p@h"), pair("", "p"));
    assert_eq!(credentials("//u:@h"), pair("u", ""));
    assert_eq!(credentials("//u@h"), (Some("u".into()), None));
    assert_eq!(credentials("//@h"), (Some(String::new()), None));
    assert_eq!(credentials("//h:1"), (None, None));
    assert_eq!(credentials("//root:p@ss@h"), pair("root", "p@ss"));
    let error = Authority::split("u:a%4@h").password().unwrap().decode_strict().unwrap_err();
    assert_eq!(error.offset, 3);
}

#[test]
fn credentials_survive() {
    // brianc/node-postgres issue 3013
    let (user, password) = ("us:er", "p@ss:w/rd#1%^$?[ ]");
    assert_eq!(uri::encode_user(user), "us%3Aer");
    assert_eq!(uri::encode_password(password), "p%40ss%3Aw%2Frd%231%25%5E$%3F%5B%20%5D");
    check(5000, |Hostile(text): Hostile| {
        let url = format!("x://{}:{}@h/", uri::encode_user(&text), uri::encode_password(&text));
        assert!(Uri::parse(&url).is_ok());
        assert_eq!(credentials(&url), pair(&text, &text));
        let hidden = if text.is_empty() { "" } else { "***" };
        assert_eq!(redact(&url), format!("x://{}:{hidden}@h/", uri::encode_user(&text)));
    });
}

#[track_caller]
fn hosts_are(authority: &str, expected: &[(&str, Option<&str>)]) {
    let hosts: Vec<_> = Authority::split(authority).hosts().collect();
    assert!(hosts.iter().all(|host| host.userinfo.is_none()));
    let hosts: Vec<_> = hosts.into_iter().map(|one| (one.host, one.port)).collect();
    assert_eq!(hosts, expected, "{authority}");
}

#[test]
fn lists_of_hosts() {
    // doableware/djongo issue 223
    hosts_are("u:p@h1:5432,h2:5433", &[("h1", Some("5432")), ("h2", Some("5433"))]);
    hosts_are("", &[("", None)]);
    hosts_are("h", &[("h", None)]);
    hosts_are("h:", &[("h", Some(""))]);
    hosts_are("a,b,c", &[("a", None), ("b", None), ("c", None)]);
    hosts_are("a,b:1,c,d:2", &[("a", None), ("b", Some("1")), ("c", None), ("d", Some("2"))]);
    hosts_are("[::1],[::2]:3,[v1.a,b]", &[("[::1]", None), ("[::2]", Some("3")), ("[v1.a,b]", None)]);
    hosts_are("a:1,,b", &[("a", Some("1")), ("", None), ("b", None)]);
    hosts_are("a,", &[("a", None), ("", None)]);
    hosts_are("a:1,[::1", &[("a", Some("1")), ("[::1", None)]);
    // mongodb/laravel-mongodb issue 1396: a socket is in the place of a host.
    let authority = Authority::split("u:p@%2Ftmp%2Fmongodb-27017.sock");
    assert_eq!(uri::segments(authority.host).next().unwrap().decode_utf8_lossy(), "/tmp/mongodb-27017.sock");
}

#[test]
fn joined_hosts_are_the_authority() {
    check(10_000, |Hostile(text): Hostile| {
        let text = text.replace("//", ",").replace('@', ",");
        let joined: Vec<String> = Authority::split(&text)
            .hosts()
            .map(|one| one.host.to_string() + &one.port.map(|port| format!(":{port}")).unwrap_or_default())
            .collect();
        assert_eq!(joined.join(","), text);
    });
}

#[track_caller]
fn hides(text: &str, expected: &str) {
    let redacted = redact(text);
    assert_eq!(redacted, expected, "{text}");
    assert_eq!(redact(&redacted), expected, "again: {text}");
    assert!(matches!(redact(&redacted), Cow::Borrowed(_)));
    assert_eq!(redact_bytes(text), expected.as_bytes());
}

#[track_caller]
fn keeps(text: &str) {
    assert!(matches!(redact(text), Cow::Borrowed(_)), "{text} became {}", redact(text));
}

#[test]
fn valid_urls_are_redacted_exactly() {
    hides("amqp://us%3Aer:p%40ss@h", "amqp://us%3Aer:***@h");
    hides("https://u:p@registry/@scope/pkg?a=b/c:d@e#f@g", "https://u:***@registry/@scope/pkg?a=b/c:d@e#f@g");
    hides("redis://:secret@h:6379/0", "redis://:***@h:6379/0");
    hides("http://u:a:b@[::1]:80/", "http://u:***@[::1]:80/");
    hides("postgresql://u:p@h1:5432,h2:5433/db?x=a@b", "postgresql://u:***@h1:5432,h2:5433/db?x=a@b");
    hides("mongodb://u:p@%2Ftmp%2Fmongodb-27017.sock/db", "mongodb://u:***@%2Ftmp%2Fmongodb-27017.sock/db");
    hides("http://ü:ß@bücher.example/@", "http://ü:***@bücher.example/@");
    hides("//u:p@h/x", "//u:***@h/x");
    hides("jdbc:mysql://u:p@h:3306/db", "jdbc:mysql://u:***@h:3306/db");
    hides("git+ssh://u:p@h/x.git", "git+ssh://u:***@h/x.git");
    hides("http://u:p@h/http://v:q@i/", "http://u:***@h/http://v:***@i/");
    hides("http:/u:p@h", "http:/u:***@h");
    hides("/proxy/https:/u:p@h/x@y", "/proxy/https:/u:***@h/x@y");
    hides("http:\\\\u:p@h\\x", "http:\\\\u:***@h\\x");
    hides("http:///u:p@h/", "http:///u:***@h/");
    hides("file://u:p@h/share", "file://u:***@h/share");
    hides("file:////u:p@h/share", "file:////u:***@h/share");
    hides("?next=file%3A%2F%2Fu%3Ap%40h%2Fshare", "?next=file%3A%2F%2Fu%3A***%40h%2Fshare");
    hides("file://C:/a http://u:p@h", "file://C:/a http://u:***@h");
    hides("sip:alice:secret@h;transport=tcp", "sip:alice:***@h;transport=tcp");
    hides("HTTP://U:P@H", "HTTP://U:***@H");
    for text in [
        "",
        "@",
        ":",
        "http://h",
        "http://me@h:80/",
        "http://u:@h/",
        "http://h:80/a:b@c",
        "http://[::1]:80/@x",
        "mongodb://h1:27017,h2:27017/db?x=a@b",
        "file:///C:/Users/a@b",
        "file://C:/Users/a@b",
        "file:\\\\\\C:\\Users\\a@b",
        "file%3A%2F%2F%2FC%3A%2FUsers%2Fa%40b",
        "file:///C: of a@b",
        "file:///home/a:b@c",
        "C:\\Users\\a@b",
        "C:/Users/a@b",
        "mailto:me@h",
        "sip:alice@h",
        "urn:a:b@c",
        "git@github.com:a/b@c",
        "/a:b@c",
        "a/b:c@d",
        "x@y:z",
        "pkg:npm/foo@1.0",
        // Without `://`, escaped delimiters are common in values that have no password.
        "/?q=from%3Aa%40b&t=12%3A00%40home",
        "u%3Ap%40h",
        "u%3Ap@h",
    ] {
        keeps(text);
    }
}

#[test]
fn invalid_urls_are_redacted_up_to_their_last_at() {
    // tiagolauer/OwlSQL pull 255
    hides("mysql://root:p@ss@localhost/db", "mysql://root:***@localhost/db");
    hides("root:p@ss@localhost", "root:***@localhost");
    hides("us%3Aer:p%40ss@h", "us%3Aer:***@h");
    // apify/got-scraping issue 55
    hides("u:a6%6qgx12345@127.0.0.1:8888", "u:***@127.0.0.1:8888");
    hides("x://u:a/b@h", "x://u:***@h");
    hides("x://u:a?b#c@h", "x://u:***@h");
    hides("x://u:a b\"c@h", "x://u:***@h");
    hides("x://u:a\\b@h", "x://u:***@h");
    hides("x://u:/a@h", "x://u:***@h");
    hides("x://u:123456/a@h", "x://u:***@h");
    hides("x://u:a@b@c/d@h", "x://u:***@h");
    hides("x://u:a@b:c/d@h", "x://u:***@h");
    hides("x://u:%/@h", "x://u:***@h");
    hides("x://u:a://b@h", "x://u:***@h");
    hides("x://u:<a>[b]{c}|^`@h", "x://u:***@h");
    hides("x://u:p@ss:w/rd#1%^$?[ ]@h/db", "x://u:***@h/db");
    hides("root:p/w#d@localhost", "root:***@localhost");
    hides("root:%2Fx@\\y@h", "root:***@h");
    hides("x://u:p@/x@h", "x://u:***@h");
    hides("x://u:p@h:port/", "x://u:***@h:port/");
}

/// A port has only digits (RFC 3986 3.2.3), and an `@` ends the userinfo (3.2.1). So in `u:p%40h`, the text `p%40h`
/// isn't a port. Someone has escaped the `@` of `u:p@h` by mistake, so `p` is a password.
#[test]
fn a_password_before_an_escaped_at_is_redacted() {
    hides("http://u:p%40h/", "http://u:***%40h/");
    hides("http://u:p%40h:80/a%40b", "http://u:***%40b");
    hides("http://u:12%2540h", "http://u:***%2540h");
    hides("http://u:p%40ss%40h/", "http://u:***%40h/");
    hides("http://u:p/w%40h/", "http://u:***%40h/");
    hides("http://u:p%40w/x@h", "http://u:***@h");
    hides("a@b http://u:p%40h/ c", "a@b http://u:***%40h/ c");
    // The text up to the `,` could be a host and a port, but no host has an `@`.
    hides("http://u:1,p%40h/", "http://u:***%40h/");
    hides("mysql://u:12,p%252540h:80,i/db", "mysql://u:***%252540h:80,i/db");
    keeps("mongodb://h:1,i:2540/a%40b");
    keeps("http://h:80/a%40b");
    keeps("http://h:80/?u=a%40b");
    keeps("http://u%40h:80/");
}

/// In a valid URL, `u%3Ap` is a user (RFC 3986 3.2.1), and `u%3Ap%40h` is a host (3.2.2). But if a program escaped the
/// userinfo as a whole, or with its `@`, decoding the text would show a password. So it is hidden.
#[test]
fn a_password_after_an_escaped_colon_is_redacted() {
    hides("http://u%3Ap@h", "http://u%3A***@h");
    hides("http://u%3Ap%40h/", "http://u%3A***%40h/");
    hides("http://u%3Ap%40h:80/x@y", "http://u%3A***%40h:80/x@y");
    hides("http://u%253Ap%2540h?q", "http://u%253A***%2540h?q");
    hides("http://u%3Ap:q@h", "http://u%3Ap:***@h");
    hides("http://u%3Ap%2Fw@h", "http://u%3A***@h");
    hides("http://u%3A&:p@h", "http://u%3A&:***@h");
    hides("http:/u%3Ap@q%40h/", "http:/u%3A***%40h/");
    hides("GET //u%3Ap%40h/ http://v%3Aq@i/", "GET //u%3A***%40h/ http://v%3A***@i/");
    // The same without a scheme.
    hides("//u%3Ap@h/", "//u%3A***@h/");
    hides("//u%253ap%40h:80/x@y", "//u%253a***%40h:80/x@y");
    hides("/x?u=//us%3Aer:p@h", "/x?u=//us%3Aer:***@h");
    hides(r"\\u%3Ap@h", r"\\u%3A***@h");
    hides(r"//CORP\jane%3Ap@h", r"//CORP\jane%3A***@h");
    hides("/x?u=%2F%2Fu%3Ap%40h%2F&v=w%40x", "/x?u=%2F%2Fu%3A***%40h%2F&v=w%40x");
    hides("%5C%5cu:p%40h", "%5C%5cu:***%40h");
    hides("//h%3A80 //u%3Ap@h", "//h%3A80 //u%3A***@h");
    // A word starts after `?` and `#`, too.
    hides("/x#//u%3Ap@h", "/x#//u%3A***@h");
    hides("/x?//u:p@h#//v:q@i", "/x?//u:***@h#//v:***@i");
    hides("/x?%2F%2Fu%3Ap%40h", "/x?%2F%2Fu%3A***%40h");
    hides("/proxy/https:/u%3Ap@h/x@y", "/proxy/https:/u%3A***@h/x@y");
    keeps("//h%3A80/x@y");
    keeps("//h/u%3Ap@h");
    keeps("%2F%2Fh%3A80%2Fx%40y");
    keeps("http://h%3A80/x@y");
    keeps("http://me@h%3A80/x%40y");
    keeps("http://h%3A80 me@h");
    keeps("http://u%3A@h");
}

/// A user of Windows has a domain before a backslash. Browsers read the backslash as a slash, so the URL is another one
/// for them, but proxies and shares get the password.
#[test]
fn a_password_of_a_user_with_a_domain_is_redacted() {
    hides(r"http://CORP\jane:p@proxy:8080/x@y", r"http://CORP\jane:***@proxy:8080/x@y");
    hides(r"smb://CORP\jane:p@h", r"smb://CORP\jane:***@h");
    hides(r"//CORP\jane:p@h", r"//CORP\jane:***@h");
    hides(r"-x CORP\jane:p@proxy", r"-x CORP\jane:***@proxy");
    hides(r"http://h\@u:p@h", r"http://h\@u:***@h");
    hides(r"http://A\B\jane:p/w@h", r"http://A\B\jane:***@h");
    hides("http%3A%2F%2FCORP%5Cjane%3Ap%40proxy", "http%3A%2F%2FCORP%5Cjane%3A***%40proxy");
    hides("x=http://CORP%5Cjane%3Ap@proxy", "x=http://CORP%5Cjane%3A***@proxy");
    for text in [r"http://h\x:80/a@b", r"C:\x\y:z@w", r"http://h\x mailto:a@b", r"a\b\c d:\e@f", r"\x:y@z"] {
        keeps(text);
    }
}

/// Tests each delimiter of a URL raw, escaped once, and escaped twice. No combination may show the password.
#[test]
fn no_escaped_delimiter_shows_the_password() {
    let written = |delimiter: &str| {
        let byte = delimiter.as_bytes()[0];
        [delimiter.to_string(), format!("%{byte:02X}"), format!("%25{byte:02x}")]
    };
    let [colons, slashes, ats] = [":", "/", "@"].map(written);
    for scheme in &colons {
        for (first, second) in slashes.iter().flat_map(|first| slashes.iter().map(move |second| (first, second))) {
            for (colon, at) in colons.iter().flat_map(|colon| ats.iter().map(move |at| (colon, at))) {
                for end in ["", "/", "?q", " ", "%2F", ":80", "%3A80"] {
                    let rest = format!("{first}{second}u{colon}SECRET{at}h{end}");
                    let text = format!("x=http{scheme}{rest}");
                    // After a raw slash, an escaped slash begins a path.
                    if first == "/" && second != "/" && scheme == ":" && colon != ":" {
                        continue;
                    }
                    assert!(!redact(&text).contains("SECRET"), "{text}");
                    let bare = format!("x={rest}");
                    assert!(first == "/" && second != "/" || !redact(&bare).contains("SECRET"), "{bare}");
                }
            }
        }
    }
}

/// Tests text that contains several URLs, like a log.
#[test]
fn text_with_urls() {
    hides("a http://u:p@h/ b ftp://v:q@i c", "a http://u:***@h/ b ftp://v:***@i c");
    hides("{\"a\":\"http://u:p@h\",\"b\":\"x@y\"}", "{\"a\":\"http://u:***@h\",\"b\":\"x@y\"}");
    hides(r#"{"a":"http:\/\/u:p@h\/x"}"#, r#"{"a":"http:\/\/u:***@h\/x"}"#);
    hides(r#""{\"a\":\"http://u:p@h\"}""#, r#""{\"a\":\"http://u:***@h\"}""#);
    hides("(http://u:p@h:80), x@y", "(http://u:***@h:80), x@y");
    hides("proxy=u:p@h:80;x", "proxy=u:***@h:80;x");
    hides("x://u:a/b\nx@h x://v:q@i", "x://u:a/b\nx@h x://v:***@i");
    hides("x://u:a/b@h\nx@h", "x://u:***@h\nx@h");
    hides("u:p@h v:q@i", "u:***@h v:***@i");
    for text in [
        "{\"proxy\":\"http://p:3128\",\"mail\":\"a@b.c\"}",
        "{'proxy': 'http://p:3128', 'mail': 'a@b.c'}",
        "connect to http://db:5432 as bob@corp",
        "see http://db:5432. Write to a@b",
        "ERROR: user a@b",
        "12:30:45 a@b",
        "From: a@b",
    ] {
        keeps(text);
    }
}

/// Tests escaped URLs in the query of another URL. If the query were decoded, it would show their passwords.
#[test]
fn escaped_urls() {
    hides("/?u=http%3A%2F%2Fu%3Ap%40h%2Fx%40y&a@b", "/?u=http%3A%2F%2Fu%3A***%40h%2Fx%40y&a@b");
    hides("/?u=http%3a%2f%2fu%3ap%40h", "/?u=http%3a%2f%2fu%3a***%40h");
    hides("/?u=http%253A%252F%252Fu%253Ap%2540h", "/?u=http%253A%252F%252Fu%253A***%2540h");
    hides("/?u=http%3A//u%3Ap@h", "/?u=http%3A//u%3A***@h");
    hides("/?u=http:%2F%2Fu:p@h", "/?u=http:%2F%2Fu:***@h");
    hides("/?u=x%3A%2F%2Fu%3Ap%40s%40s%2Fw%40h", "/?u=x%3A%2F%2Fu%3A***%40h");
    hides("/?u=x%3A%2F%2Fu%3Ap%20w%40h&a%40b", "/?u=x%3A%2F%2Fu%3A***%40h&a%40b");
    // If a delimiter is escaped once more than the `://`, it is part of the password.
    hides("/x?next=http%3A%2F%2Froot%3A12%252FSECRET%40h%2F", "/x?next=http%3A%2F%2Froot%3A***%40h%2F");
    hides("/x?next=http%3A%2F%2Froot%3A12%2523SECRET%40h", "/x?next=http%3A%2F%2Froot%3A***%40h");
    hides("/x?next=http%3A%2F%2Froot%3A12%2520SECRET%40h", "/x?next=http%3A%2F%2Froot%3A***%40h");
    hides("/?u=http%253A%252F%252Fu%253A1%25252F%2540h", "/?u=http%253A%252F%252Fu%253A***%2540h");
    for delimiter in ["%2F", "%23", "%20", "%22", "%252F"] {
        let text = format!("/?u=http%3A%2F%2Fu%3Ap%2540SECRET{delimiter}w%40h&x");
        hides(&text, "/?u=http%3A%2F%2Fu%3A***%40h&x");
        hides(&text.replace('%', "%25"), "/?u=http%253A%252F%252Fu%253A***%2540h&x");
    }
    hides("/?u=http%3A%2F%2Fu%3A%2540SECRET%22%40h", "/?u=http%3A%2F%2Fu%3A***%40h");
    hides(
        "/?u=http%3A%2F%2Fh%2F%3Fu%3Dhttp%253A%252F%252Fu%253Ap%2540i",
        "/?u=http%3A%2F%2Fh%2F%3Fu%3Dhttp%253A%252F%252Fu%253A***%2540i",
    );
    hides("/?u=x%3A%2F%2Fu%3A%252Fp%40h%2Fq%40i", "/?u=x%3A%2F%2Fu%3A***%40i");
    // The first authority has no password. A second URL begins inside this authority or after it, and has a password.
    hides("/go?to=http%3A%2F%2Fa,http://u:x&SECRET@h/", "/go?to=http%3A%2F%2Fa,http:***@h/");
    hides("/go?to=http%3A%2F%2Fa,http:%2F%2Fu:p%40h", "/go?to=http%3A%2F%2Fa,http:***%40h");
    // `b` isn't a port, and the text after `1,` has an escaped `@`, so it isn't a host.
    hides("http://a:b,http%3A%2F%2Fu%3Ap%40h", "http://a:***%40h");
    hides("http://a:1,http%3A%2F%2Fu%3Ap%40h", "http://a:***%40h");
    hides("http://a%3A%2F%2Fu%3Ap%40h/", "http://a%3A***%40h/");
    hides("http://v:q@a%3A%2F%2Fu%3Ap%40h/", "http://v:***@a%3A%2F%2Fu%3A***%40h/");
    for text in ["/?u=http%3A%2F%2Fh%3A80%2Fx%40y", "/?u=http%3A%2F%2Fme%40h", "%3A%2F%2F%3A", "a%3Ab%40c"] {
        keeps(text);
    }
}

/// Returns true if a URL may have this authority, according to RFC 3986 3.2. Hosts and ports must not be empty. If
/// white space, a quote or the end of the text follows, `ended` is true.
fn naive_is_valid(authority: &str, ended: bool) -> bool {
    let triplets = |text: &str| {
        let bytes = text.as_bytes();
        (0..bytes.len())
            .filter(|&at| bytes[at] == b'%')
            .all(|at| bytes.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)))
    };
    let legal = |text: &str, more: &str| {
        triplets(text)
            && text.chars().all(|c| {
                !c.is_ascii() || c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=%".contains(c) || more.contains(c)
            })
    };
    let authority = if ended { authority.trim_end_matches(|c| "'),;]}.!*".contains(c)) } else { authority };
    let (userinfo, hosts) = authority.rsplit_once('@').map_or(("", authority), |(userinfo, hosts)| (userinfo, hosts));
    // A host in a list has no `@`.
    let has_at = hosts.contains(',') && (0..5).any(|layers| hosts.contains(&format!("%{}40", "25".repeat(layers))));
    let ports = !has_at
        && hosts.split(',').all(|host| match host.split_once(':') {
            Some((host, port)) => {
                !host.is_empty()
                    && legal(host, "")
                    && port.len() <= 5
                    && port.bytes().all(|digit| digit.is_ascii_digit())
                    && port.parse::<u16>().is_ok()
            }
            None => !host.is_empty() && legal(host, ""),
        });
    legal(userinfo, ":") && ports
}

/// Joins `before` and `rest`, and redacts the result. `rest` begins with an authority. The result has one line, no
/// brackets, and no other authority.
fn naive_redact(before: &str, rest: &str) -> String {
    let end = rest.find(|c: char| c.is_ascii_control() || " \"<>`/\\?#".contains(c)).unwrap_or(rest.len());
    let (authority, after) = rest.split_at(end);
    let is_sound =
        !after.starts_with('\\') || after == "\\" || [r"\/", r"\\", "\\\""].iter().any(|two| after.starts_with(two));
    let ended = !after.starts_with(['/', '?', '#']) && !after.starts_with(r"\/") && !after.starts_with(r"\\");
    let text = if is_sound && naive_is_valid(authority, ended) { authority } else { rest };
    let hidden = authority.find(':').and_then(|colon| Some((colon, text.rfind('@').filter(|&at| at > colon + 1)?)));
    match hidden {
        Some((colon, at)) => format!("{before}{}:***{}", &rest[..colon], &rest[at..]),
        None => format!("{before}{rest}"),
    }
}

const CHARS: &[char] = &[
    'a', 'Z', '7', '0', '@', '@', '/', '\\', '?', '#', ' ', '"', '\'', '%', '4', '!', ';', ',', '.', '&', '<', '^',
    '{', 'é', '\u{1}', '\u{7F}', '\r',
];

/// Tests passwords that consist of delimiters and letters. The oracle of this test can't find authorities. So only the
/// parts that can't look like another authority are random.
#[test]
fn hostile_passwords() {
    let mut random = Random::seeded(7);
    let mut hidden = 0;
    for _ in 0..200_000 {
        let password: String = (0..1 + random.below(8)).map(|_| CHARS[random.below(CHARS.len())]).collect();
        let rest = format!("u:{password}@h{}", ["", "/", "/x@y", ":80/", " a@b", "?q"][random.below(6)]);
        let expected = naive_redact("x://", &rest);
        let text = format!("x://{rest}");
        assert_eq!(redact(&text), expected, "{text:?}");
        assert_eq!(redact(&expected), expected);
        hidden += usize::from(!redact(&text).contains(&password));
        // Even if the password makes the URL invalid, the result shows no part of the password. We check this only for
        // passwords that start with a letter and have no `@`. Another password could be read as a port, or as the end
        // of the userinfo.
        if password.starts_with(char::is_alphabetic) && !password.contains('@') {
            assert!(redact(&text).starts_with("x://u:***@"), "{text:?}");
        }
    }
    assert!(hidden > 150_000, "{hidden}");
}

/// Tests that redacting changes only passwords, and that redacting again has no effect.
#[track_caller]
fn is_consistent(text: &[u8]) {
    let mut end = 0;
    for range in passwords(text) {
        assert!(end < range.start && range.start < range.end && range.end < text.len(), "{text:?}");
        assert!(text[range.start - 1] == b':' || text[range.start - 1].eq_ignore_ascii_case(&b'a'));
        assert!(matches!(text[range.end], b'@' | b'%'));
        assert!(!text[range.clone()].contains(&b'\n'));
        end = range.end;
    }
    let redacted = redact_bytes(text).into_owned();
    assert_eq!(redact_bytes(&redacted), &*redacted, "{:?}", String::from_utf8_lossy(text));
    // After redacting, two passwords can be one.
    let (before, after) = (passwords(text).count(), passwords(&redacted).count());
    assert!(after <= before && (after == 0) == (before == 0), "{:?}", String::from_utf8_lossy(text));
    let found: Vec<_> = lint(text).filter(|found| found.kind == FindingKind::Password).collect();
    assert!(found.iter().map(|found| found.offset..found.offset + found.len).eq(passwords(text)));
}

#[test]
fn hostile_text() {
    check(30_000, |Hostile(text): Hostile| {
        is_consistent(text.as_bytes());
        assert_eq!(redact(&text).as_bytes(), &*redact_bytes(&text));
    });
    check_property(5000, (|bytes: Vec<u8>| is_consistent(&bytes)) as fn(Vec<u8>));
    let mut random = Random::seeded(8);
    const PIECES: [&str; 30] = [
        "a", "u", "http", "mailto", "sip", "file", ":", ":", "/", "/", "//", "://", "@", "@", "%3A", "%2F%2F", "%253a",
        "%25", "%40", "\\", "\n", " ", "\"", "80", "&", "[", ",", "%2F", "%252F", "%3A%2F%2F",
    ];
    for _ in 0..100_000 {
        let text: String = (0..random.below(14)).map(|_| PIECES[random.below(PIECES.len())]).collect();
        is_consistent(text.as_bytes());
    }
}

/// Tests long inputs in which one piece is repeated. With quadratic time, this would take hours.
#[test]
fn long_hostile_text() {
    for piece in [
        ":", "@", "//", "://", ":@", "%", "%25", "%3A", "%3A%2F%2F", "%3A//a%3Ab", "%3A%2F%2Fa%253A", "%3A%2F%2Fa:/",
        "x://a:b,", "x://a:b", "x://a%3Ab", "a%3A", "x://a%3A/", "x:\\a", "\\a", "a:b ", "a:b\n", "x://u:p@h ",
        "x://u:p@h/", "[,", "a:1,", ",//", "\\:", "sip:", "=a:", "%40", "x://", "u:p@",
    ] {
        for tail in ["", "@", "@h", "&@", "%40", "&%40", "\n@"] {
            let text = piece.repeat(300_000 / piece.len()) + tail;
            assert!(redact(&text).len() <= 4 * text.len());
            assert!(Authority::split(&text).hosts().count() > 0);
        }
    }
}

#[test]
fn lint_reports_passwords() {
    let found: Vec<_> = lint("http://u:p%zz w@h/ ").map(|found| (found.offset, found.len, found.kind)).collect();
    assert_eq!(found, [(9, 6, FindingKind::Password), (18, 1, FindingKind::Illegal)]);
}

/// Tests that no finding shows a part of a password. This must hold even if a user or a host next to the password is
/// found.
#[test]
fn lint_shows_no_password() {
    let found = |text: &str| -> Vec<_> {
        let shown = |found: uri::Finding| text[found.offset..found.offset + found.len].to_string();
        lint(text).filter(|found| found.kind != FindingKind::Password).map(shown).collect()
    };
    assert_eq!(found("http://www.google.com:hunter2@evil/"), ["www.google.com"]);
    assert_eq!(found("http://www.google.com%3Ahunter2@evil/"), ["www.google.com"]);
    assert_eq!(found("file://www.google.com:hunter2@evil/"), ["www.google.com"]);
    assert_eq!(found("http://u:p/://0x7f.1/@evil/"), [""; 0]);
    assert_eq!(found("http://u:p/://google.com@0x7f.1/@evil/"), [""; 0]);
    assert_eq!(found("http://x%3A%2F%2Fu%3Ap%40h.1/"), ["x%3A"]);
    assert_eq!(found("http://u:p@0x7f.1/"), ["0x7f.1"]);
}
