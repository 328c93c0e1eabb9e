//! Compares percent-encoding in HTTP fields with the grammars. Here, the grammars are checked character by character.
#![cfg(feature = "alloc")]

use crate::common;

use std::borrow::Cow;

use common::{LENIENT, Random, cases, scale, thinned, triplet};
use percent_standards::http::{self, ExtCharset, ExtValue, FieldError, FieldErrorKind};

use FieldErrorKind::{Character, Charset, InvalidUtf8, Language, NotHex, Quote, Truncated};

type Fault = (usize, FieldErrorKind);

fn fault(error: FieldError) -> Fault {
    (error.offset, error.kind)
}

/// Returns the offset of the first error in a tag, which must be `subtag *( "-" subtag )` with `subtag = 1*8alphanum`.
fn wrong_tag(tag: &[u8]) -> Option<usize> {
    let mut letters = 0;
    for (at, &byte) in tag.iter().enumerate() {
        match byte {
            b'-' if letters > 0 => letters = 0,
            _ if byte.is_ascii_alphanumeric() && letters < 8 => letters += 1,
            _ => return Some(at),
        }
    }
    (letters == 0 && !tag.is_empty()).then_some(tag.len())
}

/// Parses an `ext-value` byte by byte.
fn naive_parse(input: &[u8]) -> Result<(ExtCharset, &[u8], String), Fault> {
    let mut parts = input.splitn(3, |&byte| byte == b'\'');
    let (Some(charset), Some(language), Some(chars)) = (parts.next(), parts.next(), parts.next()) else {
        return Err((input.len(), Quote));
    };
    let charset = match &charset.to_ascii_lowercase()[..] {
        b"utf-8" => ExtCharset::Utf8,
        b"iso-8859-1" => ExtCharset::Iso8859_1,
        _ => return Err((0, Charset)),
    };
    let start = input.len() - chars.len();
    if let Some(at) = wrong_tag(language) {
        return Err((start - 1 - language.len() + at, Language));
    }
    let (mut decoded, mut from, mut error) = (Vec::new(), Vec::new(), None);
    let mut k = 0;
    while k < chars.len() {
        let byte = chars[k];
        from.push(start + k);
        if let Some(value) = triplet(&chars[k..]) {
            decoded.push(value);
            k += 3;
        } else if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            decoded.push(byte);
            k += 1;
        } else {
            let is_cut = chars[k + 1..].is_empty() || chars.len() == k + 2 && chars[k + 1].is_ascii_hexdigit();
            let kind = if byte != b'%' {
                Character
            } else if is_cut {
                Truncated
            } else {
                NotHex
            };
            error = Some((start + k, kind));
            break;
        }
    }
    let text = match charset {
        ExtCharset::Utf8 => match String::from_utf8(decoded) {
            Ok(text) => text,
            Err(error) => return Err((from[error.utf8_error().valid_up_to()], InvalidUtf8)),
        },
        _ => decoded.iter().map(|&value| char::from(value)).collect(),
    };
    error.map_or(Ok((charset, language, text)), Err)
}

#[track_caller]
fn check(input: &[u8]) {
    match (ExtValue::parse(input), naive_parse(input)) {
        (Ok(got), Ok((charset, language, value))) => {
            assert_eq!((got.charset(), got.language().as_bytes(), got.value()), (charset, language, &*value));
            // If we display the value, and parse the text, we get the same value.
            let printed = got.to_string();
            let again = ExtValue::parse(&printed).unwrap();
            assert_eq!((again.value(), again.language()), (got.value(), got.language()), "{printed}");
            assert_eq!(again.charset(), ExtCharset::Utf8);
            assert_eq!(matches!(got.into_value(), Cow::Borrowed(_)), !input.contains(&b'%'));
        }
        (got, expected) => {
            assert_eq!(got.map_err(fault).map(|_| ()), expected.map(|_| ()), "{}", input.escape_ascii());
        }
    }
}

#[test]
fn every_short_value() {
    let tokens: [&[u8]; 24] = [
        b"%", b"%4", b"%41", b"%2f", b"%C3", b"%A9", b"%e2", b"%82", b"%ac", b"%ED", b"%A0", b"%80", b"%00", b"a",
        b"'", b"\"", b" ", b"*", b"`", b"{", b"|", b"\xC3\xA9", b"\xE9", b"g",
    ];
    for charset in ["UTF-8''", "iso-8859-1'en'", "Utf-8'de-CH-1996'"] {
        for number in thinned(0..tokens.len().pow(3), charset.len()) {
            let mut input = charset.as_bytes().to_vec();
            (0..3).for_each(|k| input.extend(tokens[number / tokens.len().pow(k) % tokens.len()]));
            check(&input);
        }
        for byte in 0..=255 {
            check(&[charset.as_bytes(), &[byte]].concat());
            check(&[charset.as_bytes(), format!("%{byte:02x}%{byte:02X}").as_bytes()].concat());
        }
    }
}

#[test]
fn every_short_frame() {
    let tokens: [&[u8]; 14] = [
        b"UTF-8", b"utf-8", b"ISO-8859-1", b"UTF8", b"'", b"''", b"en", b"-", b"abcdefgh", b"i", b"%41", b"\"", b" ",
        b"\xE9",
    ];
    for len in 0..=4u32 {
        for number in thinned(0..tokens.len().pow(len), len as usize) {
            let input: Vec<&[u8]> = (0..len).map(|k| tokens[number / tokens.len().pow(k) % tokens.len()]).collect();
            check(&input.concat());
        }
    }
}

#[test]
fn hostile_values() {
    let mut random = Random::seeded(19);
    for _ in 0..cases(20_000) {
        let n = random.below(300);
        check(&[b"UTF-8''", &random.hostile(n)[..]].concat());
        let n = random.below(300);
        check(&[b"ISO-8859-1''", &random.hostile(n)[..]].concat());
    }
    check(&[&b"UTF-8''"[..], &b"%E2%82%AC".repeat(scale(20_000))].concat());
    check(&[&b"UTF-8'"[..], &b"a-".repeat(scale(20_000)), b"a'x"].concat());
    check(&b"'".repeat(scale(20_000)));
}

#[test]
fn examples_of_the_standard() {
    // RFC 8187 3.2.3, and RFC 5987 3.2.2.
    assert_eq!(ExtValue::new("£ rates").to_string(), "UTF-8''%C2%A3%20rates");
    assert_eq!(ExtValue::parse("UTF-8''%c2%a3%20and%20%e2%82%ac%20rates").unwrap().value(), "£ and € rates");
    assert_eq!(ExtValue::parse("iso-8859-1'en'%A3%20rates").unwrap().value(), "£ rates");
    // RFC 6266 5.
    assert_eq!(ExtValue::new("€ rates").to_string(), "UTF-8''%E2%82%AC%20rates");
    // `attr-char` excludes `*`, `'`, `%`, and all characters that `token` excludes.
    assert_eq!(ExtValue::new("€*'%()").to_string(), "UTF-8''%E2%82%AC%2A%27%25%28%29");
    // In ISO 8859-1, the bytes from 0x80 to 0x9F are C1 control characters. In windows-1252, 0x93 would be a quote.
    assert_eq!(ExtValue::parse("ISO-8859-1''%93").unwrap().value(), "\u{93}");
    assert_eq!(ExtValue::new("a").with_language("de-").unwrap_err().offset, 3);
    assert_eq!(ExtValue::new("a").with_language("de-abcdefghi").unwrap_err().offset, 11);
    assert_eq!(ExtValue::new("a").with_language("de-CH").unwrap().to_string(), "UTF-8'de-CH'a");
    assert_eq!(ExtValue::new("a").with_language("de").unwrap().with_language("").unwrap(), ExtValue::new("a"));
    for (input, expected) in [
        ("", (0, Quote)),
        ("UTF-8'x", (7, Quote)),
        ("\"UTF-8''x\"", (0, Charset)),
        ("UTF-16''x", (0, Charset)),
        ("UTF-8'e n'x", (7, Language)),
        ("UTF-8''a/b", (8, Character)),
        ("UTF-8''%4", (7, Truncated)),
        ("UTF-8''%4z", (7, NotHex)),
        ("UTF-8''a%E9b", (8, InvalidUtf8)),
        ("UTF-8''a%E9 ", (8, InvalidUtf8)), // two errors: the first one is reported
    ] {
        let error = ExtValue::parse(input).unwrap_err();
        assert_eq!(fault(error), expected, "{input}");
        assert!(error.to_string().contains(&format!("byte {}", expected.0)), "{error}");
    }
}

#[test]
fn cookies() {
    fn holds(data: Vec<u8>) -> bool {
        let value = http::encode_cookie_value(&data);
        // RFC 6265 4.1.1: `cookie-octet`.
        let is_cookie_octet = |byte: u8| matches!(byte, 0x21 | 0x23..=0x2B | 0x2D..=0x3A | 0x3C..=0x5B | 0x5D..=0x7E);
        assert!(value.bytes().all(is_cookie_octet));
        let naive: String = data
            .iter()
            .map(|&b| match is_cookie_octet(b) && b != b'%' {
                true => char::from(b).to_string(),
                false => format!("%{b:02X}"),
            })
            .collect();
        assert_eq!(value, naive);
        http::decode_cookie_value(&*value) == data
    }
    common::check(100, holds as fn(Vec<u8>) -> bool);
    assert!(holds((0..=255).collect()));
    assert!(matches!(http::encode_cookie_value("a=b/c:d{}"), Cow::Borrowed(_)));
    assert_eq!(http::decode_cookie_value("\"a%20b\"%zz%"), &b"\"a b\"%zz%"[..]);
}

#[test]
fn grpc_messages() {
    fn holds(message: String) -> bool {
        let field = http::encode_grpc_message(&message);
        assert!(field.bytes().all(|byte| (0x20..=0x7E).contains(&byte)));
        http::decode_grpc_message(&*field) == message
    }
    common::check(100, holds as fn(String) -> bool);
    assert_eq!(http::encode_grpc_message("a b%\n\u{e9}"), "a b%25%0A%C3%A9");
    assert_eq!(http::encode_grpc_message("\u{0}\u{1f} ~\u{7f}"), "%00%1F ~%7F");
    let mut random = Random::seeded(23);
    for _ in 0..cases(5_000) {
        let n = random.below(300);
        let field = random.hostile(n);
        let expected = String::from_utf8_lossy(&LENIENT.run(&field).out).into_owned();
        assert_eq!(http::decode_grpc_message(&field), expected);
    }
    assert!(matches!(http::decode_grpc_message("100%"), Cow::Borrowed("100%")));
}
