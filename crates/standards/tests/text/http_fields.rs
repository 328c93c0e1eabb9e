//! Tests of parameters, of `Content-Disposition`, of `baggage`, and of lists of pairs. A row with a link is from a
//! report about another library.
#![cfg(feature = "alloc")]

use crate::common;

use std::borrow::Cow;

use common::{Random, cases, scale};
use percent_standards::form::html;
use percent_standards::http::{self, ContentDisposition, FieldErrorKind, Parameters, baggage};

fn filename(field: &str) -> Option<String> {
    ContentDisposition::parse(field).filename().map(Into::into)
}

#[test]
fn file_names_are_read_leniently() {
    for (field, expected) in [
        // RFC 6266 5.
        ("Attachment; filename=example.html", Some("example.html")),
        ("INLINE; FILENAME= \"an example.html\"", Some("an example.html")),
        ("attachment; filename*= UTF-8''%e2%82%ac%20rates", Some("€ rates")),
        ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", Some("€ rates")),
        // RFC 6266 4.3: `filename*` wins, wherever it is in the field.
        // https://github.com/mozilla-mobile/android-components/issues/11054
        ("attachment; filename*=utf-8'en'filename.jpg; filename=_.jpg", Some("filename.jpg")),
        // https://github.com/jshttp/content-disposition/issues/20
        ("attachment; filename*=utf8''file.png", Some("file.png")),
        ("attachment; filename*=UTF-8''foo bar.txt", Some("foo bar.txt")),
        ("attachment; filename*=\"UTF-8''foo-%c3%a4.html\"", Some("foo-ä.html")),
        // https://github.com/eclipse-ee4j/jersey/pull/4647
        ("attachment; filename*=iso-8859-1'language-us'abc%a1!#$&+.^_`|~-", Some("abc¡!#$&+.^_`|~-")),
        // RFC 8187 4.2: if an extended value can't be read, it is ignored.
        ("attachment; filename*=UTF-8''%FF; filename=a", Some("a")),
        ("attachment; filename*=UTF-16''a; filename=b", Some("b")),
        ("attachment; filename*=a.txt; filename=b", Some("b")),
        ("attachment; filename*=UTF-8''%FF", None),
        ("attachment; filename*=UTF-8''100%.txt", Some("100%.txt")),
        ("attachment; filename*=UTF-8''it's'", Some("it's'")),
        ("attachment; filename*=''a", Some("a")),
        // RFC 9110 5.6.4: quoted-pair.
        (r#"attachment; filename="\"quoting\" tested.html""#, Some("\"quoting\" tested.html")),
        (r#"attachment; filename="f\oo.html""#, Some("foo.html")),
        (r#"attachment; filename="Here's a semicolon;.html""#, Some("Here's a semicolon;.html")),
        // A plain value isn't percent-decoded.
        ("attachment; filename=\"foo-%41.html\"", Some("foo-%41.html")),
        ("attachment; filename=foo bar", Some("foo bar")),
        ("attachment; filename='foo'", Some("'foo'")),
        ("attachment; filename=", Some("")),
        ("attachment; filename=\"\"", Some("")),
        ("attachment; filename=\"a", Some("a")),
        ("attachment; filename=\"a\\", Some("a\\")),
        ("attachment; filename=\"a\"b;filename=c", Some("a")),
        ("attachment; filename=a; filename=b", Some("a")),
        ("attachment; xfilename=a; filenamex=b; filename*x=c", None),
        ("attachment;;filename;filename=a;", Some("a")),
        ("filename=a", Some("a")),
        ("filename=a;b", Some("a")),
        ("attachment", None),
        ("attachment; filename", None),
        ("", None),
        ("filename", None),
        // RFC 2231 3 and 4.1.
        // https://github.com/stalwartlabs/mail-parser/pull/154
        ("attachment; filename*0*=UTF-8''%E2%98; filename*1*=%83.txt", Some("☃.txt")),
        ("attachment; filename*1*=%83.txt; filename*0*=UTF-8''%E2%98", Some("☃.txt")),
        // https://github.com/mikel/mail/issues/1685
        ("attachment; filename*0*=UTF-8''a%20; filename*1=b%20c", Some("a b%20c")),
        ("attachment; filename*0=\"a;\"; filename*1=\"b\"; filename=c", Some("a;b")),
        ("attachment; filename*0=a; filename*1=b; filename*=UTF-8''c", Some("c")),
        ("attachment; filename*0*=iso-8859-1''%E9; filename*1*=%E8", Some("éè")),
        ("attachment; filename*0=a; filename*2=c", Some("a")),
        ("attachment; filename*1=b; filename=c", Some("c")),
        ("attachment; filename*00=a; filename*01=b", None),
        ("attachment; filename*0=a; filename*01=x; filename*1=b", Some("ab")),
        ("attachment; filename*0=a; filename*0=x; filename*1=b", Some("ab")),
        ("attachment; filename*99999999999=a; filename*-1=b; filename*+0=c; filename*=d", None),
        (
            "attachment; filename*10=k; filename*0=a; filename*1=b; filename*2=c; filename*3=d; filename*4=e; \
          filename*5=f; filename*6=g; filename*7=h; filename*8=i; filename*9=j",
            Some("abcdefghijk"),
        ),
    ] {
        assert_eq!(filename(field).as_deref(), expected, "{field}");
    }
}

#[test]
fn raw_bytes_are_utf8_or_latin1() {
    let filename = |field| ContentDisposition::parse(field).filename().map(String::from);
    assert_eq!(filename(&b"attachment; filename=\"\xE4.html\""[..]).as_deref(), Some("ä.html"));
    assert_eq!(filename("attachment; filename=ä.html".as_bytes()).as_deref(), Some("ä.html"));
    assert_eq!(filename(&b"attachment; filename=\"\xE4\\\"\""[..]).as_deref(), Some("ä\""));
    let field = &b"attachment; filename=plain"[..];
    assert!(matches!(Parameters::of(field).get("filename"), Some(Cow::Borrowed("plain"))));
}

#[test]
fn types() {
    for (field, kind, is_attachment) in [
        ("Attachment; filename=a", "attachment", true),
        (" inline ;", "inline", false),
        ("foobar; filename=a", "foobar", true),
        ("\"attachment\"; filename=a", "", true),
        ("form-data; name=x", "form-data", false),
        ("filename=a; attachment", "", true),
        ("", "", true),
    ] {
        let parsed = ContentDisposition::parse(field);
        assert_eq!((parsed.disposition_type(), parsed.is_attachment()), (kind, is_attachment), "{field}");
    }
}

#[test]
fn file_names_are_the_last_segment() {
    for (written, expected) in [
        ("a.txt", Some("a.txt")),
        ("../../etc/passwd", Some("passwd")),
        ("C:\\dir\\a.txt", Some("a.txt")),
        ("a/b\\c", Some("c")),
        ("/", None),
        ("a/..", None),
        (".", None),
        ("", None),
        ("a\0b", None),
        ("a\nb/c", Some("c")),
        (".bashrc", Some(".bashrc")),
    ] {
        let field = ContentDisposition::attachment().with_filename(written);
        assert_eq!(field.file_name(), expected, "{written:?}");
    }
    assert_eq!(ContentDisposition::attachment().file_name(), None);
}

/// RFC 6266 appendix D.
#[test]
fn file_names_are_written_for_all_browsers() {
    for (name, expected) in [
        ("plans.pdf", r#"attachment; filename="plans.pdf""#),
        ("a b;c.txt", r#"attachment; filename="a b;c.txt""#),
        // https://github.com/form-data/form-data/pull/600
        ("test(1) é.txt", "attachment; filename=\"test(1) _.txt\"; filename*=UTF-8''test%281%29%20%C3%A9.txt"),
        // https://github.com/supabase/storage/issues/1385
        (
            "John's \"R\" (1)*.pdf",
            "attachment; filename=\"John's _R_ (1)*.pdf\"; \
                                   filename*=UTF-8''John%27s%20%22R%22%20%281%29%2A.pdf",
        ),
        // https://github.com/dotnet/corefx/issues/33996
        ("𠀀.txt", "attachment; filename=\"_.txt\"; filename*=UTF-8''%F0%A0%80%80.txt"),
        ("100%.txt", r#"attachment; filename="100%.txt""#),
        ("%41%4%zz", "attachment; filename=\"_41%4%zz\"; filename*=UTF-8''%2541%254%25zz"),
        ("a\\b", "attachment; filename=\"a_b\"; filename*=UTF-8''a%5Cb"),
        ("a\r\nSet-Cookie: b", "attachment; filename=\"a__Set-Cookie: b\"; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20b"),
        ("", r#"attachment; filename="""#),
    ] {
        let field = ContentDisposition::attachment().with_filename(name);
        assert_eq!(field.to_string(), expected);
        assert_eq!(ContentDisposition::parse(expected), field);
    }
    assert_eq!(ContentDisposition::inline().to_string(), "inline");
    assert_eq!(ContentDisposition::parse("\"x\r\n").to_string(), "attachment");
}

/// RFC 7578 4.2, and HTML 4.10.22.7.
#[test]
fn parts_of_forms() {
    let field = ContentDisposition::form_data("a\"\r\n%22").with_filename("C:\\é.txt").to_string();
    assert_eq!(field, "form-data; name=\"a%22%0D%0A%22\"; filename=\"C:\\é.txt\"");
    let parsed = ContentDisposition::parse(&field);
    assert_eq!((parsed.name(), parsed.filename()), (Some("a%22%0D%0A%22"), Some("C:\\é.txt")));
    assert_eq!(parsed.file_name(), Some("é.txt"));
    // https://github.com/oven-sh/bun/pull/31526
    assert_eq!(http::multipart_unescape("a%22b%0d%0A%20%25%41"), "a\"b\r\n%20%25%41");
    assert_eq!(http::multipart_unescape("%%22%2%22%2522"), "%\"%2\"%2522");
    assert!(matches!(http::multipart_unescape("100%é"), Cow::Borrowed("100%é")));
    fn holds(name: String) -> bool {
        let escaped = html::multipart_escape(&name);
        let has_triplet = ["%22", "%0D", "%0A", "%0d", "%0a"].iter().any(|triplet| name.contains(triplet));
        has_triplet || html::multipart_unescape(&escaped) == name
    }
    common::check(100, holds as fn(String) -> bool);
}

/// Random text. It has many characters that have a meaning in fields.
fn hostile_text(random: &mut Random, max: usize) -> String {
    const TOKENS: [&str; 24] = [
        "%", "%22", "%E9", "\"", "\\", ";", "=", ",", " ", "\t", "'", "*", "*0", "*1*", "filename", "UTF-8''", "é",
        "☃", "\r", "\n", "\0", "a", "name", "+",
    ];
    (0..random.below(max)).map(|_| TOKENS[random.below(TOKENS.len())]).collect()
}

#[test]
fn every_file_name_survives() {
    let mut random = Random::seeded(71);
    for _ in 0..cases(5_000) {
        let name = hostile_text(&mut random, 12);
        let field = ContentDisposition::attachment().with_filename(&*name).to_string();
        assert!(field.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{field}");
        assert_eq!(filename(&field), Some(name.clone()), "{field}");
        // No file name can add another parameter.
        for other in ["name", "a", "size"] {
            assert_eq!(Parameters::of(&field).get(other), None, "{field}");
        }
        let field = ContentDisposition::form_data(&*name).with_filename(&*name).to_string();
        assert!(!field.contains(['\r', '\n']), "{field:?}");
        let parsed = ContentDisposition::parse(&field);
        assert_eq!(parsed.name(), Some(&*html::multipart_escape(&name)), "{field:?}");
        assert_eq!(parsed.name(), parsed.filename());
    }
}

/// Reads a parameter byte by byte, by the rules of [`Parameters`].
fn naive_get(field: &[u8], name: &str) -> Option<String> {
    let mut all: Vec<(String, Vec<u8>)> = Vec::new();
    let first_semicolon = field.iter().position(|&b| b == b';').unwrap_or(field.len());
    let mut at = if field[..first_semicolon].contains(&b'=') { 0 } else { field.len().min(first_semicolon + 1) };
    while at < field.len() {
        let (mut key, mut value, mut is_pair) = (Vec::new(), Vec::new(), false);
        while at < field.len() && field[at] != b';' {
            if field[at] == b'=' {
                is_pair = true;
                at += 1;
                break;
            }
            key.push(field[at]);
            at += 1;
        }
        while is_pair && at < field.len() && field[at].is_ascii_whitespace() {
            at += 1;
        }
        if is_pair && field.get(at) == Some(&b'"') {
            at += 1;
            while at < field.len() && field[at] != b'"' {
                if field[at] == b'\\' && at + 1 < field.len() {
                    at += 1;
                }
                value.push(field[at]);
                at += 1;
            }
        } else {
            while at < field.len() && field[at] != b';' {
                value.push(field[at]);
                at += 1;
            }
            value.truncate(value.trim_ascii_end().len());
        }
        while at < field.len() && field[at] != b';' {
            at += 1;
        }
        at += 1;
        if is_pair {
            all.push((String::from_utf8_lossy(key.trim_ascii()).to_ascii_lowercase(), value));
        }
    }
    let find = |key: String| all.iter().find(|(name, _)| *name == key).map(|(_, value)| value.clone());
    let percent = |bytes: &[u8]| common::LENIENT.run(bytes).out;
    let charset = |value: &[u8]| {
        let parts: Vec<&[u8]> = value.splitn(3, |&b| b == b'\'').collect();
        let [label, _, chars] = parts[..] else { return None };
        match &label.to_ascii_lowercase()[..] {
            b"" | b"utf-8" | b"utf8" => Some((false, chars.to_vec())),
            b"iso-8859-1" | b"latin1" => Some((true, chars.to_vec())),
            _ => None,
        }
    };
    let latin1 = |bytes: &[u8]| bytes.iter().map(|&b| char::from(b)).collect::<String>();
    let text = |is_latin1, bytes: Vec<u8>| if is_latin1 { Some(latin1(&bytes)) } else { String::from_utf8(bytes).ok() };
    let readable = all.iter().filter(|(key, _)| *key == format!("{name}*"));
    let mut extended = readable.filter_map(|(_, value)| charset(value).and_then(|(l, chars)| text(l, percent(&chars))));
    if let Some(value) = extended.next() {
        return Some(value);
    }
    let (mut joined, mut is_latin1, mut is_good) = (Vec::new(), false, false);
    for number in 0.. {
        let plain = (format!("{name}*{number}"), false);
        let encoded = (format!("{name}*{number}*"), true);
        // If a section has both forms, the first one in the field counts.
        let found = all.iter().find(|(key, _)| *key == plain.0 || *key == encoded.0);
        let Some((key, value)) = found else { break };
        is_good = true;
        let mut value = value.clone();
        if key.ends_with('*') {
            if number == 0 {
                match charset(&value) {
                    Some((latin, chars)) => (is_latin1, value) = (latin, chars),
                    None => {
                        is_good = false;
                        break;
                    }
                }
            }
            value = percent(&value);
        }
        joined.extend(value);
    }
    if is_good && let Some(value) = text(is_latin1, joined) {
        return Some(value);
    }
    find(name.into()).map(|value| String::from_utf8(value).unwrap_or_else(|error| latin1(error.as_bytes())))
}

/// Checks that the calls for slices give the same results, and that the length in their error is sufficient.
#[track_caller]
fn assert_slices(field: &[u8]) {
    for name in ["filename", "name", "a"] {
        let parameters = Parameters::of(field);
        let expected = parameters.get(name);
        let mut out = vec![0; 4 * field.len() + 8];
        let len = expected.as_deref().map_or(0, str::len);
        for cap in [0, len.saturating_sub(1), len] {
            let Err(error) = parameters.get_slice(name, &mut out[..cap]) else { continue };
            assert!(cap < error.needed && error.needed <= out.len(), "{}", field.escape_ascii());
            let value = parameters.get_slice(name, &mut out[..error.needed]).map(|(value, _)| value);
            assert_eq!(value, Ok(expected.as_deref()), "{}", field.escape_ascii());
        }
        assert_eq!(parameters.get_slice(name, &mut out).unwrap().0, expected.as_deref(), "{}", field.escape_ascii());
    }
    let expected = ContentDisposition::parse(field);
    let mut out = vec![0; 4 * field.len() + 8];
    assert_eq!(ContentDisposition::parse_slice(field, &mut out), Ok(expected.clone()), "{}", field.escape_ascii());
    if let Err(error) = ContentDisposition::parse_slice(field, &mut []) {
        assert_eq!(ContentDisposition::parse_slice(field, &mut vec![0; error.needed]), Ok(expected.clone()));
    }
    let written = expected.to_string();
    let mut out = vec![0; written.len()];
    assert_eq!(expected.write_slice(&mut out).unwrap(), written.as_bytes());
    assert_eq!(expected.write_slice(&mut out[1..]).unwrap_err().needed, written.len());
}

#[test]
fn hostile_fields() {
    let mut random = Random::seeded(73);
    for _ in 0..cases(20_000) {
        let field = hostile_text(&mut random, 20);
        assert_slices(field.as_bytes());
        for name in ["filename", "name", "a"] {
            assert_eq!(
                Parameters::of(&field).get(name).map(Cow::into_owned),
                naive_get(field.as_bytes(), name),
                "{field:?}"
            );
        }
    }
    for _ in 0..cases(5_000) {
        let n = random.below(100);
        let field = [&b"attachment;filename*0*=''"[..], &random.hostile(n)].concat();
        assert_slices(&field);
        assert_eq!(
            Parameters::of(&field).get("filename").map(Cow::into_owned),
            naive_get(&field, "filename"),
            "{}",
            field.escape_ascii()
        );
    }
}

#[test]
fn many_sections_in_reverse() {
    let count = scale(100_000);
    let field: String = (0..count).rev().map(|number| format!(";a*{number}*=%41")).collect();
    // Section 0 names no charset.
    assert_eq!(Parameters::of(&field).get("a"), None);
    let field = field.replace(";a*0*=", ";a*0*=''");
    assert_eq!(Parameters::of(&field).get("a").unwrap(), "A".repeat(count));
}

/// W3C Baggage 3.2.1.3. Reports:
/// <https://github.com/open-telemetry/opentelemetry-python/issues/5566>,
/// <https://github.com/open-telemetry/opentelemetry-java/issues/4892>,
/// <https://github.com/open-telemetry/opentelemetry-go/issues/5519>,
/// <https://github.com/open-telemetry/opentelemetry-php/pull/2056>,
/// <https://github.com/open-telemetry/opentelemetry-dotnet/pull/7051>.
#[test]
fn baggage_values() {
    assert_eq!(baggage::encode_value("a b+c%,;\"\\=é"), "a%20b+c%25%2C%3B%22%5C=%C3%A9");
    assert_eq!(baggage::encode_value("😀"), "%F0%9F%98%80");
    assert_eq!(baggage::decode_value("YQ+/=="), "YQ+/==");
    assert_eq!(baggage::decode_value("aa%ffcc"), "aa\u{FFFD}cc");
    assert_eq!(baggage::decode_value("%E2%98%20%ED%A0%80"), "\u{FFFD} \u{FFFD}\u{FFFD}\u{FFFD}");
    assert_eq!(baggage::decode_value("100%%2"), "100%%2");
    assert!(matches!(baggage::encode_value("a=b+c/d"), Cow::Borrowed(_)));
    let is_octet = |byte| matches!(byte, 0x21 | 0x23..=0x2B | 0x2D..=0x3A | 0x3C..=0x5B | 0x5D..=0x7E);
    for byte in 0..=0x7F {
        let text = char::from(byte).to_string();
        assert_eq!(baggage::encode_value(&text) == text, is_octet(byte) && byte != b'%', "{byte:#x}");
        let field = format!("k={text}");
        let is_blank = matches!(byte, b' ' | b'\t' | b',' | b';');
        assert_eq!(baggage::parse(&field).all(|member| member.is_ok()), is_octet(byte) || is_blank, "{byte:#x}");
    }
    fn holds(value: String) -> bool {
        let field = baggage::build([("k", &*value)]).unwrap();
        let members: Vec<_> = baggage::parse(&field).collect();
        matches!(&members[..], [Ok(member)] if member.key == "k" && member.value == value)
    }
    common::check(200, holds as fn(String) -> bool);
}

/// W3C Baggage 3.2.1.
#[test]
fn baggage_members() {
    type Flat<'a> = (&'a str, String, Vec<(&'a str, Option<String>)>);
    fn flat(field: &str) -> Vec<Result<Flat<'_>, (usize, FieldErrorKind)>> {
        let owned = |member: baggage::Member<'_>| member.value.clone().into_owned();
        baggage::parse(field)
            .map(|member| match member {
                Ok(member) => {
                    let properties =
                        member.properties().map(|(key, value)| (key, value.map(Cow::into_owned))).collect();
                    Ok((member.key, owned(member), properties))
                }
                Err(error) => Err((error.offset, error.kind)),
            })
            .collect()
    }
    let plain = |key, value: &str| Ok((key, value.to_string(), vec![]));
    // This is the example of the standard.
    assert_eq!(
        flat("key1=value1;property1;property2, key2 = value2, key3=value3; propertyKey=propertyValue"),
        [
            Ok(("key1", "value1".into(), vec![("property1", None), ("property2", None)])),
            plain("key2", "value2"),
            Ok(("key3", "value3".into(), vec![("propertyKey", Some("propertyValue".into()))])),
        ]
    );
    assert_eq!(
        flat("serverNode = DF%2028, isProduction = false"),
        [plain("serverNode", "DF 28"), plain("isProduction", "false")]
    );
    assert_eq!(flat(",, a=1,\t,a=2 ,"), [plain("a", "1"), plain("a", "2")]);
    assert_eq!(flat("a==b="), [plain("a", "=b=")]);
    assert_eq!(flat("a="), [plain("a", "")]);
    // A value is checked first, and decoded after that.
    assert_eq!(flat("a=%2C%3B%20"), [plain("a", ",; ")]);
    assert_eq!(flat(""), []);
    // Keys are never decoded.
    assert_eq!(flat("%61=1"), [plain("%61", "1")]);
    for (field, offset, kind) in [
        ("a", 1, FieldErrorKind::NoValue),
        ("a;b=c", 1, FieldErrorKind::NoValue),
        ("=1", 0, FieldErrorKind::Key),
        (" a b=1", 2, FieldErrorKind::Key),
        ("a=b c", 3, FieldErrorKind::Value),
        ("a=é", 2, FieldErrorKind::Value),
        ("a=\"b\"", 2, FieldErrorKind::Value),
        ("a=1; b c", 6, FieldErrorKind::Key),
        ("a=1;b= \\", 7, FieldErrorKind::Value),
    ] {
        assert_eq!(flat(field), [Err((offset, kind))], "{field}");
        // The members before and after the faulty member are still read.
        assert_eq!(flat(&format!("x=1,{field},y=2")), [plain("x", "1"), Err((offset + 4, kind)), plain("y", "2")]);
        let error = baggage::parse(field).next().unwrap().unwrap_err();
        assert!(error.to_string().contains(&format!("byte {offset}")), "{error}");
    }
    assert_eq!(baggage::parse("a=1; p ;q=%41").next().unwrap().unwrap().raw_properties(), " p ;q=%41");
    assert_eq!(baggage::build([("", "a")]).unwrap_err().kind, FieldErrorKind::Key);
}

/// The variable `OTEL_EXPORTER_OTLP_HEADERS`. See <https://github.com/open-telemetry/opentelemetry-rust/issues/1577>.
#[test]
fn lists_of_pairs() {
    fn flat(list: &str, delimiter: u8) -> Vec<(&str, Option<&str>, String)> {
        http::pairs(list, delimiter).map(|pair| (pair.name, pair.value, pair.decode_value().unwrap().into())).collect()
    }
    assert_eq!(
        flat("Authorization=Basic%20dXNl,k%65y=a%2Cb+c%3D", b','),
        [
            ("Authorization", Some("Basic%20dXNl"), "Basic dXNl".to_string()),
            ("k%65y", Some("a%2Cb+c%3D"), "a,b+c=".to_string()),
        ]
    );
    assert_eq!(
        flat(" a = 1 ;; b;=c; ", b';'),
        [("a", Some("1"), "1".into()), ("b", None, String::new()), ("", Some("c"), "c".into())]
    );
    assert_eq!(flat("a=b=c", b','), [("a", Some("b=c"), "b=c".to_string())]);
    assert_eq!(flat("", b','), []);
    let pair = http::pairs("x, é = %41%FF", b',').nth(1).unwrap();
    assert_eq!((pair.offset, pair.value_offset), (3, 8));
    assert_eq!(pair.decode_value().unwrap_err().offset, 11);
    // A delimiter that isn't ASCII can't split a character.
    assert_eq!(http::pairs("aéb", 0xA9).count(), 0);
}
