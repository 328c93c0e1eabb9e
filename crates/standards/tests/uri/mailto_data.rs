//! Compares `mailto:` (RFC 6068) and `data:` (RFC 2397, Fetch Standard 6) with their grammars and with naive oracles.
#![cfg(feature = "std")]

use crate::common;

use std::borrow::Cow;

use common::{LENIENT, Random, STRICT, check, scale, show};
use percent_simd::{DecodeErrorKind, Encoder, sets};
use percent_standards::uri::UriErrorKind;
use percent_standards::uri::data::{self, DataUrl, forgiving_base64};
use percent_standards::uri::mailto::{Mailto, build};
use quickcheck::{Arbitrary, Gen};

#[derive(Clone, Debug)]
struct Text(String);

impl Arbitrary for Text {
    fn arbitrary(g: &mut Gen) -> Text {
        let pool: Vec<char> = "@@,,%%+&=?#;:/.-\"<> \r\naZé日\0[]".chars().collect();
        let length = usize::arbitrary(g) % 16;
        Text((0..length).map(|_| *g.choose(&pool).unwrap()).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Text>> {
        Box::new(self.0.shrink().map(Text))
    }
}

fn strings<'a, E: std::fmt::Debug>(all: impl Iterator<Item = Result<Cow<'a, str>, E>>) -> Vec<String> {
    all.map(|one| one.unwrap().into_owned()).collect()
}

// mailto:

#[test]
fn mailto_uris_round_trip() {
    fn property(to: Vec<(Text, Text)>, fields: Vec<(Text, Text)>) {
        let to: Vec<String> =
            to.iter().map(|(local, Text(domain))| format!("{}x@{}x", local.0, domain.replace('@', ""))).collect();
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (&*name.0, &*value.0)).collect();
        let uri = build(&to.iter().map(|address| &**address).collect::<Vec<_>>(), &fields).unwrap();

        // RFC 6068 2: `to` consists of addr-specs with commas between them. An hfield is two runs of qchars with one
        // `=` between them.
        let (to_part, rest) = uri.strip_prefix("mailto:").unwrap().split_at(uri.find('?').unwrap_or(uri.len()) - 7);
        let legal = |c: char, more: &str| c.is_ascii_alphanumeric() || "-._~%!$'()*+:".contains(c) || more.contains(c);
        assert!(to_part.chars().all(|c| legal(c, ",@")), "{uri}");
        assert_eq!(to_part.matches('@').count(), to.len());
        assert_eq!(rest.is_empty(), fields.is_empty());
        for field in rest.get(1..).unwrap_or("").split('&').filter(|_| !fields.is_empty()) {
            let (name, value) = field.split_once('=').unwrap();
            assert!(name.chars().chain(value.chars()).all(|c| legal(c, ",;@")), "{uri}");
        }

        let mail = Mailto::parse(&uri).unwrap();
        assert_eq!(strings(mail.addresses()), to);
        let crlf = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n");
        // If a field has an empty name and an empty value, it is written as `=`.
        let got: Vec<_> = mail.fields().map(Result::unwrap).collect();
        let expected: Vec<_> = fields.iter().map(|(name, value)| (crlf(name).into(), crlf(value).into())).collect();
        assert_eq!(got, expected);
        for (name, _) in &expected {
            let first = expected.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).unwrap();
            assert_eq!(mail.field(&name.to_ascii_uppercase()).unwrap().unwrap(), first.1);
        }
        // Old programs read a raw `+` as a space. For these programs, a sender can write each `+` as `%2B`. The meaning
        // stays the same.
        let old = uri.replace('+', "%2B");
        assert!(Mailto::parse(&old).unwrap().fields().map(Result::unwrap).eq(expected));
    }
    check(400, property as fn(Vec<(Text, Text)>, Vec<(Text, Text)>));
}

#[test]
fn foreign_mailto_uris_are_split_before_decoding() {
    fn property(Text(rest): Text) {
        let uri = format!("MailTo:{rest}");
        let mail = Mailto::parse(&uri).unwrap();
        let rest = rest.split('#').next().unwrap();
        let (to, query) = rest.split_once('?').unwrap_or((rest, ""));
        let decode = |part: &str, at: usize| {
            let decoded = STRICT.run(part.as_bytes());
            decoded.text().map(str::to_string).map_err(|(offset, kind)| (7 + at + offset, kind))
        };
        let mut at = 0;
        let mut expected = Vec::new();
        for part in to.split(',') {
            if !part.is_empty() {
                expected.push(decode(part, at));
            }
            at += part.len() + 1;
        }
        let got = mail.addresses().map(|one| one.map(Cow::into_owned).map_err(common::fault));
        assert!(got.eq(expected));

        let mut expected = Vec::new();
        for part in query.split('&') {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            if !part.is_empty() {
                let value = decode(value, at + name.len() + 1);
                expected.push(decode(name, at).and_then(|name| Ok((name, value?))));
            }
            at += part.len() + 1;
        }
        let got = mail.fields().map(|one| {
            let (name, value) = one.map_err(common::fault)?;
            Ok((name.into_owned(), value.into_owned()))
        });
        assert!(got.eq(expected), "{uri}");
    }
    check(6000, property as fn(Text));
}

#[test]
fn examples_of_rfc_6068() {
    // 6.1 and 6.2: local parts in quotes, and percent signs.
    for (address, expected) in [
        ("gorby%kremvax@example.com", "mailto:gorby%25kremvax@example.com"),
        ("unlikely?address@example.com", "mailto:unlikely%3Faddress@example.com"),
        ("Mike&family@example.org", "mailto:Mike%26family@example.org"),
        ("\"not@me\"@example.org", "mailto:%22not%40me%22@example.org"),
        ("\"oh\\\\no\"@example.org", "mailto:%22oh%5C%5Cno%22@example.org"),
        (
            "\"\\\\\\\"it's\\ ugly\\\\\\\"\"@example.org",
            "mailto:%22%5C%5C%5C%22it's%5C%20ugly%5C%5C%5C%22%22@example.org",
        ),
        ("user@[1.2.3.4]", "mailto:user@%5B1.2.3.4%5D"),
    ] {
        assert_eq!(build(&[address], &[]).unwrap(), expected);
        assert_eq!(strings(Mailto::parse(expected).unwrap().addresses()), [address]);
    }
    // 6.1: spaces and line ends. 6.3: UTF-8.
    let uri = build(&["a@x"], &[("subject", "caf\u{E9}"), ("body", "a b\nc+d&e=f?")]).unwrap();
    assert_eq!(uri, "mailto:a@x?subject=caf%C3%A9&body=a%20b%0D%0Ac+d%26e%3Df%3F");
    assert_eq!(Encoder::new(sets::RFC6068_QCHAR).encode("a b\r\nc+d&e=f?"), "a%20b%0D%0Ac+d%26e%3Df%3F");
    // 2: these four URIs have the same recipients.
    for uri in [
        "mailto:addr1@an.example,addr2@an.example",
        "mailto:?to=addr1@an.example,addr2@an.example",
        "mailto:addr1@an.example?to=addr2@an.example",
        "mailto:addr1%40an.example?TO=addr2%40an.example",
    ] {
        let mail = Mailto::parse(uri).unwrap();
        assert_eq!(strings(mail.recipients()), ["addr1@an.example", "addr2@an.example"], "{uri}");
    }
}

#[test]
fn invalid_addresses_and_other_schemes_are_rejected() {
    for (addresses, index, offset) in
        [(&["a"][..], 0, 1), (&["a@x", "@x"], 1, 0), (&["a@"], 0, 2), (&["a@x", "b@x", ""], 2, 0)]
    {
        let error = build(addresses, &[]).unwrap_err();
        assert_eq!((error.offset, error.kind), (offset, UriErrorKind::Address { index }));
        assert!(error.to_string().contains(&format!("index {index} ")), "{error}");
    }
    for uri in ["", "mailto", "mail", "http://x", " mailto:a", "mailtO", "mailtö:"] {
        assert_eq!(Mailto::parse(uri), None, "{uri}");
    }
    let mail = Mailto::parse("mailto:").unwrap();
    assert_eq!((mail.addresses().count(), mail.fields().count()), (0, 0));
    assert_eq!(mail.field("subject"), None);
    let mail = Mailto::parse("mailto:?a&&=b&subject=%ff#?x").unwrap();
    let fields: Vec<_> = mail.fields().collect();
    assert_eq!(fields[..2], [Ok(("a".into(), "".into())), Ok(("".into(), "b".into()))]);
    let error = mail.field("SUBJECT").unwrap().unwrap_err();
    assert_eq!((error.offset, error.kind), (22, DecodeErrorKind::InvalidUtf8));
    assert_eq!(fields.len(), 3);
}

// data:

const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Runs "forgiving-base64 decode" of Infra Standard 7 step by step.
fn oracle(input: &[u8]) -> Option<Vec<u8>> {
    let mut data: Vec<u8> = input.iter().copied().filter(|b| !b"\t\n\x0C\r ".contains(b)).collect();
    if data.len().is_multiple_of(4) {
        for _ in 0..2 {
            if data.last() == Some(&b'=') {
                data.pop();
            }
        }
    }
    if data.len() % 4 == 1 {
        return None;
    }
    let mut bits = String::new();
    for byte in data {
        bits += &format!("{:06b}", ALPHABET.bytes().position(|c| c == byte)?);
    }
    let whole = bits.len() / 8 * 8;
    Some((0..whole).step_by(8).map(|i| u8::from_str_radix(&bits[i..i + 8], 2).unwrap()).collect())
}

#[test]
fn forgiving_base64_matches_the_steps_of_infra() {
    fn property(choices: Vec<u8>) {
        let pool = b"AAQZaz09+/==== \n\t\x0C\r-_\0\xC3%";
        let input: Vec<u8> = choices.iter().map(|&i| pool[usize::from(i) % pool.len()]).collect();
        // Only the last four characters may be outside the alphabet, so most of these inputs are valid.
        let tame: Vec<u8> =
            choices.iter().map(|&i| pool[usize::from(i) % 10]).chain(input.iter().copied().take(4)).collect();
        for input in [input, tame] {
            let got = forgiving_base64(&input);
            assert_eq!(got.clone().ok(), oracle(&input), "{}", show(&input));
            if let Err(error) = got {
                // The text before the error is the start of valid base64: some text after it makes it valid.
                assert!(error.offset <= input.len());
                assert!(error.to_string().ends_with(&format!("byte {}", error.offset)), "{error}");
                let before = &input[..error.offset];
                assert!(
                    ["", "A", "="].iter().any(|more| oracle(&[before, more.as_bytes()].concat()).is_some()),
                    "{}",
                    show(&input)
                );
            }
        }
    }
    check(10_000, property as fn(Vec<u8>));
}

#[test]
fn data_urls_round_trip() {
    fn property(bytes: Vec<u8>) {
        for url in [data::build("", &bytes), data::build_base64("", &bytes)] {
            // RFC 2397 3: the data consists of urlchars.
            let body = url.strip_prefix("data:").unwrap();
            assert!(body.chars().all(|c| c.is_ascii_alphanumeric() || ";/?:@&=+$,-_.!~*'()%".contains(c)), "{url}");
            let parsed = DataUrl::parse(&url).unwrap();
            assert_eq!(parsed.media_type(), "text/plain;charset=US-ASCII");
            assert_eq!(parsed.decode().unwrap(), bytes);
        }
        let base64 = data::build_base64("a/b;c=d", &bytes);
        let padded = base64.strip_prefix("data:a/b;c=d;base64,").unwrap();
        assert_eq!(padded.len() % 4, 0);
        assert_eq!(oracle(padded.as_bytes()).unwrap(), bytes);
        assert!(padded.trim_end_matches('=').chars().all(|c| ALPHABET.contains(c)));
    }
    check(2000, property as fn(Vec<u8>));
}

#[test]
fn any_data_url_is_decoded_once() {
    fn property(seed: u64) {
        let mut random = Random(seed | 1);
        let body = String::from_utf8_lossy(&random.hostile((seed % 40) as usize)).into_owned();
        let url = format!("data:text/x,{body}");
        let kept = url.split('#').next().unwrap();
        let parsed = DataUrl::parse(&url).unwrap();
        assert_eq!(parsed.decode().unwrap(), LENIENT.run(&kept.as_bytes()[12..]).out);

        let url = format!("data:text/x;base64,{body}");
        let kept = url.split('#').next().unwrap();
        let decoded = LENIENT.run(&kept.as_bytes()[19..]);
        match (DataUrl::parse(&url).unwrap().decode(), forgiving_base64(&decoded.out)) {
            (Ok(bytes), Ok(expected)) => assert_eq!(bytes, expected),
            (Err(error), Err(in_bytes)) => {
                let at = decoded.from.get(in_bytes.offset).map_or(kept.len(), |at| 19 + at);
                assert_eq!(error.offset, at);
            }
            (got, expected) => panic!("{got:?}, not {expected:?}"),
        }
    }
    check(4000, property as fn(u64));
}

#[test]
fn data_urls_are_read_as_in_the_fetch_standard() {
    // Fetch Standard 6: the media type, and the data. If the base64 is malformed, the data is `None`.
    let default = "text/plain;charset=US-ASCII";
    let cases: [(&str, &str, Option<&[u8]>); 31] = [
        ("data:,a+b%20c#f", default, Some(b"a+b c")),
        ("data:;base64,%59%6D%46%79", default, Some(b"bar")),
        ("data:text/html,a,b", "text/html", Some(b"a,b")),
        ("data:;charset=utf-8,x", "text/plain;charset=utf-8", Some(b"x")),
        ("data:text/plain;charset=utf-8;base64,eA==", "text/plain;charset=utf-8", Some(b"x")),
        ("data:text/plain;base64;charset=utf-8,eA==", "text/plain;base64;charset=utf-8", Some(b"eA==")),
        ("data:text/plain;  BASE64,eA", "text/plain", Some(b"x")),
        ("data:text/plain ; base64,eA", "text/plain", Some(b"x")),
        ("data:base64,eA", default, Some(b"eA")),
        ("data:;base64;base64,eA", "text/plain;base64", Some(b"x")),
        ("data:text/plain;xbase64,eA", "text/plain;xbase64", Some(b"eA")),
        ("data:text/plain;base64x,eA", "text/plain;base64x", Some(b"eA")),
        ("data: text/x ,", "text/x", Some(b"")),
        ("data:text,", default, Some(b"")),
        ("data:/x,", default, Some(b"")),
        ("data:te xt/x,", default, Some(b"")),
        ("data:text/x y;z,", default, Some(b"")),
        ("data:;base64,", default, Some(b"")),
        ("data:;base64,Y", default, None),
        ("data:;base64,YQ%3D%3D", default, Some(b"a")),
        ("data:;base64,Y%51%20=%0A=", default, Some(b"a")),
        ("data:;base64,é", default, None),
        // In a query, and in a path that starts with a slash, a URL parser escapes spaces, so this isn't base64.
        ("data:?; base64,eA", default, Some(b"eA")),
        ("data:?;base64 ,eA", default, Some(b"eA")),
        ("data:x/y? ;base64,eA", default, Some(b"x")),
        ("data:/; base64,eA", default, Some(b"eA")),
        ("data:/;base64 ,eA", default, Some(b"eA")),
        ("data:/ ;base64,eA", default, Some(b"x")),
        ("data: /; base64 ,eA", default, Some(b"x")),
        // A URL parser escapes a form feed, so it isn't white space.
        ("data:;base64\x0C,eA", "text/plain;base64\x0C", Some(b"eA")),
        ("data:\x0Ca/b,eA", default, Some(b"eA")),
    ];
    for (url, media_type, bytes) in cases {
        let parsed = DataUrl::parse(url).unwrap();
        assert_eq!(parsed.media_type(), media_type, "{url}");
        assert_eq!(parsed.decode().ok().as_deref(), bytes, "{url}");
    }
    for url in ["data:", "data", "data:a", "data:a#,", "dat:,", "", "daté:,"] {
        assert_eq!(DataUrl::parse(url), None, "{url}");
    }
    // Borrows from the URL if no change is needed.
    assert!(matches!(DataUrl::parse("data:,abc").unwrap().decode(), Ok(Cow::Borrowed(b"abc"))));
    // If a byte would end the media type or the URL, it is escaped.
    // A media type must not turn data into base64.
    for media_type in ["a/b;base64", "a/b;c;BASE64", ";base64"] {
        let url = data::build(media_type, "YQ");
        let parsed = DataUrl::parse(&url).unwrap();
        assert!(!parsed.is_base64() && *parsed.decode().unwrap() == *b"YQ", "{url}");
    }
    let url = data::build("a/b;c=\"d,e#\"", "#,\0");
    assert_eq!(url, "data:a/b;c=%22d%2Ce%23%22,%23,%00");
    assert_eq!(DataUrl::parse(&url).unwrap().decode().unwrap(), &b"#,\0"[..]);
}

/// Tests MIME Sniffing Standard 4.4 and 4.5. The cases are from web-platform-tests (mimesniff/mime-types), but are
/// written as URLs.
#[test]
fn mime_types_are_serialized_as_in_the_fetch_standard() {
    let default = "text/plain;charset=US-ASCII";
    for (media_type, expected) in [
        ("", default),
        ("text/html;charset=gbk", "text/html;charset=gbk"),
        ("TEXT/HTML;CHARSET=GBK", "text/html;charset=GBK"),
        ("text/html;charset=gbk(", "text/html;charset=\"gbk(\""),
        ("text/html;x=(;charset=gbk", "text/html;x=\"(\";charset=gbk"),
        ("text/html;charset=gbk;charset=windows-1255", "text/html;charset=gbk"),
        ("text/html;charset=();charset=GBK", "text/html;charset=\"()\""),
        ("text/html;charset =gbk", "text/html"),
        ("text/html ;charset=gbk", "text/html;charset=gbk"),
        ("text/html; charset=gbk", "text/html;charset=gbk"),
        ("text/html;charset= gbk", "text/html;charset=\" gbk\""),
        ("text/html;charset= \"gbk\"", "text/html;charset=\" \\\"gbk\\\"\""),
        ("text/html;charset='gbk'", "text/html;charset='gbk'"),
        ("text/html;charset='gbk", "text/html;charset='gbk"),
        ("text/html;charset=gbk'", "text/html;charset=gbk'"),
        ("text/html;charset=';charset=GBK", "text/html;charset='"),
        ("text/html;test;charset=gbk", "text/html;charset=gbk"),
        ("text/html;test=;charset=gbk", "text/html;charset=gbk"),
        ("text/html;';charset=gbk", "text/html;charset=gbk"),
        ("text/html;\";charset=gbk", "text/html;charset=gbk"),
        ("text/html ; ; charset=gbk", "text/html;charset=gbk"),
        ("text/html;;;;charset=gbk", "text/html;charset=gbk"),
        ("text/html;charset=\"gbk\"", "text/html;charset=gbk"),
        ("text/html;charset=\"gbk", "text/html;charset=gbk"),
        ("text/html;charset=gbk\"", "text/html;charset=\"gbk\\\"\""),
        ("text/html;charset=\" gbk\"", "text/html;charset=\" gbk\""),
        ("text/html;charset=\"gbk \"", "text/html;charset=\"gbk \""),
        ("text/html;charset=\"\\ gbk\"", "text/html;charset=\" gbk\""),
        ("text/html;charset=\"\\g\\b\\k\"", "text/html;charset=gbk"),
        ("text/html;charset=\"gbk\"x", "text/html;charset=gbk"),
        ("text/html;charset=\"\";charset=GBK", "text/html;charset=\"\""),
        ("text/html;charset=\";charset=foo\";charset=GBK", "text/html;charset=\";charset=foo\""),
        ("text/html;charset=\"\\", "text/html;charset=\"\\\\\""),
        ("x/x;test=\"ÿ\"", "x/x;test=%C3%BF"),
        ("x/x;bonus=width;BONUS=x", "x/x;bonus=width"),
        (";charset=x;x=y", "text/plain;charset=x;x=y"),
        ("x/x;base64x", "x/x"),
        ("/", default),
        ("bogus", default),
        ("bogus/", default),
        ("bogus/bogus/;test", default),
        ("(/x", default),
        ("x/(", default),
        ("text/html(;doesnot=matter", default),
        ("{/}", default),
        ("x /x", default),
        ("x/x y", default),
    ] {
        let url = format!("data:{media_type},x");
        assert_eq!(DataUrl::parse(&url).unwrap().mime_type(), expected, "{url}");
        // Serializing the result again has no effect.
        let url = format!("data:{expected},x");
        assert_eq!(DataUrl::parse(&url).unwrap().mime_type(), expected, "{url}");
    }
    // A URL parser escapes spaces and quotes in a query.
    let url = DataUrl::parse("data:x/x;a=?;b=\"c d\";e= f,").unwrap();
    assert_eq!(url.mime_type(), "x/x;a=\"?\";b=%22c%20d%22;e=%20f");
    // The work must not be quadratic in the number of parameters.
    let many: String = (0..scale(20_000)).map(|n| format!(";a{n}=\"")).collect();
    let url = format!("data:a/b{many},");
    assert!(DataUrl::parse(&url).unwrap().mime_type().starts_with("a/b;a0="));
    let many: String = (0..scale(20_000)).map(|n| format!(";a{n}=b")).collect();
    let url = format!("data:a/b{many},");
    assert_eq!(DataUrl::parse(&url).unwrap().mime_type(), format!("a/b{many}"));
}

#[test]
fn long_base64_takes_linear_time() {
    let n = scale(100_000);
    let bytes = vec![0xA5; 3 * n];
    let url = data::build_base64("", &bytes);
    assert_eq!(DataUrl::parse(&url).unwrap().decode().unwrap(), bytes);
    assert_eq!(forgiving_base64(&"=".repeat(n)).unwrap_err().offset, 0);
    assert_eq!(forgiving_base64(&" ".repeat(n)).unwrap(), b"");
}
