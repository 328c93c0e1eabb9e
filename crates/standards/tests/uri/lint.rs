//! Tests the findings of `lint`.

use core::ops::Range;

use percent_standards::uri::{self, Finding, FindingKind, lint};

use crate::common::rfc3986::hex;
use crate::common::{Random, assert_size_hints};
use crate::grammar::is_unreserved;
use crate::inputs::{Hostile, check};

/// Finds faults in single characters and escapes. `passwords` has its own tests, so the caller passes its result.
fn naive_lint(text: &[u8], passwords: &[Range<usize>]) -> Vec<Finding> {
    let legal =
        |byte: u8| byte.is_ascii() && (is_unreserved(byte as char) || ":/?#[]@!$&'()*+,;=%".contains(byte as char));
    let triplet = |at: usize| match text.get(at..at + 3) {
        Some([b'%', high, low]) => Some((hex(*high as char)? * 16 + hex(*low as char)?) as u8),
        _ => None,
    };
    let digits = |at: usize| text.get(at..at + 2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
    let (mut found, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let next = passwords.iter().find(|range| range.start >= at).map_or(text.len(), |range| range.start);
        let (len, kind) = if let Some(password) = passwords.iter().find(|range| range.start == at) {
            (password.len(), Some(FindingKind::Password))
        } else if text[at] != b'%' {
            let len = text[at..next].iter().take_while(|&&byte| !legal(byte)).count();
            (len.max(1), (len > 0).then_some(FindingKind::Illegal))
        } else if let Some(value) = triplet(at) {
            if value == b'%' && digits(at + 3) {
                (5, Some(FindingKind::DoubleEncoded))
            } else if value.is_ascii() && is_unreserved(value as char) {
                (3, Some(FindingKind::OverEncoded))
            } else {
                let lower = text[at..at + 3].iter().any(u8::is_ascii_lowercase);
                (3, lower.then_some(FindingKind::LowerCase))
            }
        } else {
            (1, Some(FindingKind::Malformed))
        };
        found.extend(kind.map(|kind| Finding::new(at, len, kind)));
        at += len;
    }
    found
}

/// Returns true for passwords, and for kinds that need only a single character or escape to be found.
fn is_local(kind: FindingKind) -> bool {
    use FindingKind::*;
    matches!(kind, Malformed | DoubleEncoded | OverEncoded | LowerCase | Illegal | Password)
}

/// Compares `lint` with the oracle. We remove findings that aren't local, and hide their bytes from the oracle.
fn assert_same(text: &[u8]) {
    let found: Vec<_> = lint(text).collect();
    assert!(found.is_sorted_by_key(|found| found.offset));
    let is_host = |found: &Finding| {
        matches!(
            found.kind,
            FindingKind::HostInUserinfo
                | FindingKind::OddIpv4
                | FindingKind::HostDelimiter
                | FindingKind::MixedScript
                | FindingKind::Confusable
        )
    };
    let mut clean = text.to_vec();
    let (mut end, mut local) = (0, Vec::new());
    for found in found.iter().filter(|found| !is_host(found)) {
        assert!(found.offset >= end && found.len > 0 && found.offset + found.len <= text.len());
        end = found.offset + found.len;
        if is_local(found.kind) {
            local.push(*found);
        } else {
            clean[found.offset..end].fill(b'-');
        }
    }
    let passwords: Vec<_> = uri::passwords(text).collect();
    assert_eq!(local, naive_lint(&clean, &passwords), "{}", text.escape_ascii());
}

#[test]
fn lint_finds_the_same_as_the_oracle() {
    check(20_000, |Hostile(text): Hostile| assert_same(text.as_bytes()));
    check(2000, |bytes: Vec<u8>| assert_same(&bytes));
    let mut random = Random::seeded(3);
    for n in 0..300 {
        assert_same(&random.hostile(n));
    }
}

/// Tests the size hints. The upper bound must be at most twice the length of the text.
#[test]
fn lint_has_correct_size_hints() {
    check(2000, |Hostile(text): Hostile| {
        assert_size_hints(lint(&text));
        let mut rest = lint(&text);
        assert!(rest.size_hint().1.unwrap() <= 2 * text.len());
        while rest.next().is_some() {
            assert!(rest.size_hint().1.unwrap() <= 2 * text.len());
        }
    });
}

/// Returns all findings except the ones in single characters and escapes. Each comes with its text.
fn misleading(text: &str) -> Vec<(&str, FindingKind)> {
    lint(text)
        .filter(|found| !is_local(found.kind))
        .map(|found| (&text[found.offset..found.offset + found.len], found.kind))
        .collect()
}

/// Writes all characters above ASCII as triplets.
fn escaped(text: &str) -> String {
    percent_simd::Encoder::new(percent_simd::ByteSet::ASCII).encode(text).into_owned()
}

/// Checks that only `part` of `before + part + after` is misleading. Tests the text raw and escaped.
#[track_caller]
fn misleads(before: &str, part: &str, after: &str, kind: FindingKind) {
    let text = [before, part, after].concat();
    assert_eq!(misleading(&text), [(part, kind)], "{text}");
    let text = [before, &escaped(part), after].concat();
    assert_eq!(misleading(&text), [(&*escaped(part), kind)], "{text}");
}

#[track_caller]
fn is_honest(text: &str) {
    assert_eq!(misleading(text), [], "{text}");
    assert_eq!(misleading(&escaped(text)), [], "{text}");
}

/// Tests bidi controls (RFC 3987 4.1, UAX #44 `Bidi_Control`), joiners (RFC 5892 A.1 and A.2), and emoji sequences (UTS
/// 51).
#[test]
fn invisible_characters_are_found_where_they_deceive() {
    use FindingKind::*;
    for bidi in ["\u{202E}", "\u{200F}", "\u{61C}", "\u{2066}"] {
        misleads("/a", bidi, "b", Bidi);
    }
    for invisible in [
        "\u{200B}", "\u{AD}", "\u{FEFF}", "\u{2060}", "\u{3164}", "\u{9B}", "\u{E0041}", "\u{200D}", "\u{200C}",
        "\u{FE0F}",
    ] {
        misleads("/a", invisible, "b", Invisible);
    }
    misleads("/👩", "\u{200D}", "b", Invisible);
    misleads("/می", "\u{200C}", "b", Invisible);
    for honest in [
        "/👨‍👩‍👧/🏳️‍🌈/❤️‍🔥/👩🏽‍⚕️/1️⃣/©️",                                        // emoji and their joiners and selectors
        "/🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}", // the flag of England
        "/می‌خواهم/نامه‌ای",                                           // Persian
        "/क्‍ष/ශ්‍රී/ന്‍/ক্‌ষ",                                               // Hindi, Sinhala, Malayalam, Bengali
        "/葛\u{E0100}/ᠠ\u{180B}",
        "/naïve-café/Ünïcödé/ÅÄÖ/«MENÜ»/“CAFÉ”/Ελλάδα/Москва/日本語/한국어/עברית",
    ] {
        is_honest(honest);
    }
}

/// RFC 3629 3 and 10.
#[test]
fn overlong_utf8_is_found() {
    for overlong in ["%c0%af", "%C0%AE", "%e0%80%af", "%F0%80%80%AF", "%f8%80%80%80%af", "%fc%80%80%80%80%af", "%C1%81"]
    {
        let text = format!("/a{overlong}b%41");
        assert_eq!(misleading(&text), [(overlong, FindingKind::Overlong)]);
    }
    assert_eq!(lint(b"/\xC0\xAF").next(), Some(Finding::new(1, 2, FindingKind::Overlong)));
    for other in ["%C0", "%C0%41", "%E0%A0%80", "%C2%A0", "%F0%90%80%80", "%ED%A0%80", "%FF%80", "%80%80", "%C0\u{AF}"]
    {
        assert_eq!(misleading(other), [], "{other}");
    }
}

#[test]
fn mojibake_is_found() {
    let double = |text: &str| text.bytes().map(char::from).collect::<String>();
    for text in ["é", "ü", "€", "😀", "日本", "Привет", "Å", "°"] {
        misleads("/x", &double(text), "y", FindingKind::Mojibake);
    }
    misleads("/x", "Ã©", "/", FindingKind::Mojibake); // é in ISO 8859-1 or windows-1252
    misleads("/x", "â€™", "s", FindingKind::Mojibake); // ’ in windows-1252
    assert_eq!(misleading("/%C3%83%C2%A9"), [("%C3%83%C2%A9", FindingKind::Mojibake)]);
    assert_eq!(misleading("/%c3%83%C2%a9"), [("%c3%83%C2%a9", FindingKind::Mojibake)]);
}

/// RFC 3986 7.6.
#[test]
fn slashes_that_are_none_are_found() {
    for slash in ["∕", "／", "⁄", "⧸", "＼", "﹨", "∖"] {
        misleads("/a", slash, "b", FindingKind::LookAlike);
    }
    assert_eq!(misleading("%E2%88%95%EF%BC%8F").len(), 2);
}

/// Tests RFC 3986 7.4 and 7.6, and the ends-in-a-number checker of URL Standard 3.5.
#[test]
fn misleading_authorities_are_found() {
    use FindingKind::*;
    for user in [
        "google.com", "www.google.com:443", "google.com%2F", "google.com%20", "google.com\\", "127.0.0.1",
        "xn--e1afmkfd.xn--p1ai", "google.com.",
    ] {
        let text = format!("http://{user}@evil.example/");
        let name = user.split(':').next().unwrap();
        assert_eq!(misleading(&text), [(name, HostInUserinfo)], "{text}");
    }
    // The first user is from a URL of RFC 3986 7.6. One user contains a tab, because browsers remove tabs from URLs.
    for (user, name) in [
        ("cnn.example.com&story=breaking_news", "cnn.example.com&story=breaking_news"),
        ("google.com;login", "google.com;login"),
        ("google.com'", "google.com'"),
        ("google.com..", "google.com.."),
        ("%67oogle.com!", "%67oogle.com!"),
        ("goo\tgle.com", "goo\tgle.com"),
        ("google.com,a:443", "google.com,a"),
        // The other dots of UTS 46.
        ("google。com", "google。com"),
        ("google%E3%80%82com", "google%E3%80%82com"),
        ("google．com", "google．com"),
        ("ｇoogle｡com", "ｇoogle｡com"),
    ] {
        let text = format!("http://{user}@10.0.0.1/");
        assert_eq!(misleading(&text), [(name, HostInUserinfo)], "{text}");
    }
    for text in [r#"{"a":"http://google.com","b":"c@h.example"}"#, "{'a': 'http://google.com', 'b': 'c@h.example'}"] {
        assert_eq!(misleading(text), [], "{text}: the link ends before the @");
    }
    for user in ["me", "me:google.com", "me&google.com", "a+b.c", "1.2", "a..com", ".com", "me@"] {
        assert_eq!(misleading(&format!("http://{user}@h/")), []);
    }
    for host in [
        "0x7f.1", "127.1", "2130706433", "0177.0.0.1", "0X7F000001", "1.2.3.4.", "256.0.0.1", "1.2.3.4.5", "%31.2.3.4",
        "a.0x", "１２７。1", "12\t7.1", "①②⑦.⓪.⓪.①", "127.0.0.¹", "127.0.₀.%E2%91%A0", "1.𝟏", "１２７．⑩", "𝟎ｘ𝟕𝟋.1",
        "⓪x7f",
    ] {
        for text in
            [format!("http://{host}/"), format!("//u@{host}:80"), format!("HTTPS:/{host}"), format!("a:ws:{host}")]
        {
            let expected = if text.starts_with("a:ws") { &[][..] } else { &[(host, OddIpv4)] };
            assert_eq!(misleading(&text), expected, "{text}");
        }
    }
    for host in [
        "127.0.0.1", "[::1]", "example.com", "a1", "1a", "0xg", "1.2.3.4x", "", ".", "2001:db8::1", "::ffff:1.2.3.4",
        "2001:db8::1:80",
    ] {
        assert_eq!(misleading(&format!("http://{host}/1.2@google.com")), [], "{host}");
    }
    // A URL inside another URL. The findings are in the order of their offsets.
    let text = "https://h/?u=http://google.com@0x7f.1/\u{202E}";
    assert_eq!(misleading(text), [("google.com", HostInUserinfo), ("0x7f.1", OddIpv4), ("\u{202E}", Bidi)]);
    // Browsers accept any number of slashes after a scheme of the Web.
    for text in ["http:/google.com@h", "wss:\\\\google.com@h", "https:///google.com@h", "?u=ftp:\\/\\google.com@h"] {
        assert_eq!(misleading(text), [("google.com", HostInUserinfo)], "{text}");
    }
    for text in [
        "http:google.com@h", "a:/google.com@h", "xhttp:/google.com@h", "xhttps:/google.com@h",
        "git+http:/google.com@h", "file:///google.com@h",
    ] {
        assert_eq!(misleading(text), [], "{text}");
    }
    // `google.com@evil.example` alone is a path, or a mail address.
    assert_eq!(misleading("google.com@evil.example"), []);
}

/// Tests RFC 3986 3.2.2 and 7.6, and the characters that UTS 46 maps to a delimiter.
#[test]
fn escaped_delimiters_in_a_host_are_found() {
    use FindingKind::*;
    for delimiter in
        ["%2F", "%2f", "%3F", "%23", "%40", "%3A", "%5C", "℀", "%E2%84%80", "℆", "⁇", "⩴", "﹟", "﹫", "＃", "％2F／"]
    {
        let host = format!("google.com{delimiter}.evil.example");
        for text in [format!("https://{host}/"), format!("//u:p@{host}:80"), format!("?u=https://{host}")] {
            let found = lint(&text).find(|found| found.kind == HostDelimiter);
            let found = found.map(|found| &text[found.offset..found.offset + found.len]);
            assert_eq!(found, Some(&*host), "{text}");
        }
    }
    // The host of the last text ends in a number, but browsers refuse it because of the delimiter.
    assert_eq!(misleading("//google.com%2F.1.2.3.4"), [("google.com%2F.1.2.3.4", HostDelimiter)]);
    for text in
        ["https://h.example/%2F", "https://h.example?%23", "https://%62.example%2E/", "https://u%2F@h/", "a%3Ab"]
    {
        assert_eq!(misleading(text), [], "{text}");
    }
}

/// UTS 39 4 and 5.2.
#[test]
fn hosts_that_look_like_others_are_found() {
    use FindingKind::*;
    for (host, kind) in [
        ("pаypal.com", MixedScript),        // Cyrillic а
        ("xn--pypal-4ve.com", MixedScript), // the same host in Punycode
        ("p%D0%B0ypal.com", MixedScript),
        ("www.goοgle.com", MixedScript), // Greek ο
        ("аррӏе.com", Confusable),       // all letters are Cyrillic
        ("xn--80ak6aa92e.com", Confusable),
        ("XN--80AK6AA92E.com.", Confusable),
        ("сосо.со", Confusable), // the last label looks like ASCII, too
        ("ɡoogle.com", Confusable),
    ] {
        for text in [format!("http://{host}/"), format!("//u:p@{host}:80")] {
            assert_eq!(misleading(&text), [(host, kind)], "{text}");
        }
    }
    for host in [
        "bücher.example", "xn--bcher-kva.example", "пример.рф", "яндекс.com", "сора.рф", "例え.テスト", "日本語abc.jp",
        "한국어.kr", "ελλάδα.gr", "æble.dk", "i❤.ws", "xn--i-7iq.ws", "עברית.il", "example.com", "xn--a", "straße.de",
    ] {
        assert_eq!(misleading(&format!("http://{host}/")), [], "{host}");
    }
}

/// Tests that all findings are reported, even if there are many.
#[test]
fn every_finding_is_reported() {
    let noise = "%zz".repeat(500);
    let text = format!("{noise}\u{202E}{noise}%C3%83%C2%A9{noise}http://google.com@0x7f.1/{noise}%c0%af");
    let kinds: Vec<_> = misleading(&text).into_iter().map(|(_, kind)| kind).collect();
    use FindingKind::*;
    assert_eq!(kinds, [Bidi, Mojibake, HostInUserinfo, OddIpv4, Overlong]);
    assert_eq!(lint(&text).count(), 2000 + 5);
}

/// Tests that after normalizing, the only findings are illegal bytes and double encoding.
#[test]
fn normalised_text_has_only_illegal_and_double_encoded_findings() {
    check(10_000, |Hostile(text): Hostile| {
        // Without the `/` at the start, an escaped scheme would stay as it is, and would be a finding.
        let text = format!("/{text}");
        let normal = uri::sanitize_escapes(&text);
        let other = |kind| {
            is_local(kind) && !matches!(kind, FindingKind::Illegal | FindingKind::DoubleEncoded | FindingKind::Password)
        };
        assert!(!lint(&*normal).any(|found| other(found.kind)), "{normal}");
        // A password is one finding, which hides all other faults in it.
        let hides = |kind| kind == FindingKind::Password || !is_local(kind);
        let escapes = lint(&text).any(|found| other(found.kind) || hides(found.kind));
        assert!(escapes || lint(&text).any(|found| found.kind == FindingKind::DoubleEncoded) || normal == text);
    });
}
