//! Checks the cases of test262 for ECMA-262 19.2.6 (URI handling functions) and B.2.1 (`escape`, `unescape`), file by
//! file.
//!
//! The comments name the files. A name is the path below test/annexB/built-ins, or the rest of the file's name after
//! one of these prefixes:
//! - `S15.1.3.1_` in test/built-ins/decodeURI and `S15.1.3.2_` in decodeURIComponent, which have the same files;
//! - `S15.1.3.3_` in encodeURI and `S15.1.3.4_` in encodeURIComponent, which also have the same files.
//!
//! Cases about `ToString`, property attributes and constructors don't apply to a Rust library.

use std::borrow::Cow;

use percent_standards::ecma::{self, utf16};

use crate::common::thinned;

type Function = fn(&[u16]) -> Option<Vec<u16>>;

const DECODE: [Function; 2] = [
    |units| utf16::decode_uri(units).ok().map(Cow::into_owned),
    |units| utf16::decode_uri_component(units).ok().map(Cow::into_owned),
];
const ENCODE: [Function; 2] = [
    |units| utf16::encode_uri(units).ok().map(Cow::into_owned),
    |units| utf16::encode_uri_component(units).ok().map(Cow::into_owned),
];
/// The characters whose escapes `decodeURI` keeps, and that `encodeURI` doesn't encode. `decodeURIComponent` and
/// `encodeURIComponent` decode and encode them.
const RESERVED: &str = ";/?:@&=+$,#";

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// The code units that test262 writes in the places of hexadecimal digits, to get malformed escapes.
fn not_hex() -> impl Iterator<Item = u16> {
    (0..=0x29).chain([0x40]).chain(0x47..=0x60).chain(0x67..=0xFFFF)
}

/// Takes each code unit that isn't a hexadecimal digit, and writes it twice between `before` and `after`. Checks that
/// no function decodes the result.
fn fails_before(before: &str, after: &str) {
    for unit in thinned(not_hex(), before.len()) {
        let input = [units(before), vec![unit, unit], units(after)].concat();
        for decode in DECODE {
            assert_eq!(decode(&input), None, "{before} {unit:04X} {after}");
        }
    }
}

/// Checks that no function decodes certain inputs. Each input consists of one triplet for each range, in the order of
/// the ranges, and of `after`. The byte of a triplet is in its range. All combinations of bytes are inputs.
fn fails(bytes: &[std::ops::RangeInclusive<u32>], after: &str) {
    let mut inputs = vec![String::new()];
    for range in bytes {
        let next = |input: &String| range.clone().map(|byte| format!("{input}%{byte:02X}")).collect::<Vec<_>>();
        inputs = inputs.iter().flat_map(next).collect();
    }
    for input in thinned(inputs.into_iter(), 0) {
        for decode in DECODE {
            assert_eq!(decode(&units(&[&input, after].concat())), None, "{input}{after}");
        }
    }
}

#[test]
fn decoding_refuses() {
    // A1.1: the string ends within two characters of the `%`.
    for input in ["%", "%1", "% ", "%1%"] {
        for decode in DECODE {
            assert_eq!(decode(&units(input)), None, "{input}");
        }
    }
    // A1.2: a character after the `%` isn't a digit.
    fails_before("%", "");
    // A1.3, A1.4: the first byte is 10xxxxxx. A1.5: the first byte is 11111xxx. (4.b.vii.2, 4)
    fails(&[0x80..=0xBF], "");
    fails(&[0xF8..=0xFF], "%A0%A0%A0%A0");
    // A1.6 to A1.8: the first byte announces a sequence of two, three or four bytes, but the text after its escape is
    // too short for the escapes of the other bytes.
    for (first, most) in [(0xC0..=0xDF, 2), (0xE0..=0xEF, 5), (0xF0..=0xF7, 8)] {
        for byte in first {
            for length in 0..=most {
                let rest = &"%A0%A0%A"[..length];
                for decode in DECODE {
                    assert_eq!(decode(&units(&format!("%{byte:02X}{rest}"))), None, "{byte:02X} {rest}");
                }
            }
        }
    }
    // A1.9: the second byte isn't written with a `%`.
    for first in ["%C0", "%DF", "%E0", "%EF", "%F0", "%F7"] {
        for decode in DECODE {
            assert_eq!(decode(&units(&[first, "111"].concat())), None, "{first}");
            assert_eq!(decode(&units(&[first, "111%A0%A0"].concat())), None, "{first}");
        }
    }
    // A1.10 to A1.12: the second, third or fourth byte has a `%` but no digits.
    for before in ["%C0%", "%DF%", "%E0%", "%E0%A0%", "%F0%", "%F0%A0%", "%F0%A0%A0%"] {
        let after = if before.starts_with("%F0%") && before.len() < 10 { "%A0%A0" } else { "" };
        fails_before(before, after);
    }
    // A1.13 to A1.15: a later byte isn't 10xxxxxx.
    for bad in [0x00..=0x7F, 0xC0..=0xFF] {
        fails(&[0xC0..=0xDF, bad.clone()], "");
        fails(&[0xE0..=0xEF, bad.clone()], "%A0");
        fails(&[0xE0..=0xEF, 0xA0..=0xA0, bad.clone()], "");
        fails(&[0xF0..=0xF7, bad.clone()], "%A0%A0");
        fails(&[0xF0..=0xF7, 0xA0..=0xA0, bad.clone()], "%A0");
        fails(&[0xF0..=0xF7, 0xA0..=0xA0, 0xA0..=0xA0, bad], "");
    }
    // Overlong forms, surrogates, and code points above U+10FFFF are errors. A2.2 to A2.5 leave them out, so we test
    // them here.
    fails(&[0xC0..=0xC1, 0x80..=0xBF], "");
    fails(&[0xE0..=0xE0, 0x80..=0x9F, 0x80..=0xBF], "");
    fails(&[0xED..=0xED, 0xA0..=0xBF, 0x80..=0xBF], "");
    fails(&[0xF0..=0xF0, 0x80..=0x8F, 0x80..=0xBF], "%80");
    fails(&[0xF4..=0xF4, 0x90..=0xBF, 0x80..=0xBF], "%80");
}

#[test]
fn every_character_goes_there_and_back() {
    // decodeURI A2.1 to A2.5, A6; encodeURI A2.1 to A2.5. If the run is thin (see `thinned`), only every 19th character
    // is tested.
    let text = |c: char| (c.is_ascii_alphanumeric() || "-_.!~*'()".contains(c)).then(|| c.to_string());
    for scalar in thinned(0..=0x10_FFFF, 0) {
        let Some(c) = char::from_u32(scalar) else { continue };
        let mut utf8 = [0; 4];
        let triplets: String = c.encode_utf8(&mut utf8).bytes().map(|byte| format!("%{byte:02X}")).collect();
        let encoded = text(c).unwrap_or(triplets);
        let expected = if RESERVED.contains(c) { c.to_string() } else { encoded.clone() };
        let c = c.to_string();
        assert_eq!(ecma::encode_uri_component(&c), encoded);
        assert_eq!(ecma::encode_uri(&c), expected);
        assert_eq!(ecma::decode_uri_component(&encoded).as_deref(), Ok(&*c));
        let stays = if RESERVED.contains(&c) { &encoded } else { &c };
        assert_eq!(ecma::decode_uri(&encoded).as_deref(), Ok(&**stays));
        assert_eq!(ecma::decode_uri(&encoded.to_lowercase()).map(|d| d.to_lowercase()), Ok(stays.to_lowercase()));
    }
}

#[test]
fn encoding_refuses_lone_surrogates() {
    for encode in ENCODE {
        // A1.1: a trail surrogate has no lead before it.
        for unit in 0xDC00..=0xDFFF {
            assert_eq!(encode(&[unit]), None);
            assert_eq!(encode(&[0x41, unit]), None);
        }
        // A1.2: a lead surrogate is at the end. A1.3: no trail surrogate follows a lead surrogate.
        for unit in 0xD800..=0xDBFF {
            assert_eq!(encode(&[unit]), None);
            for next in [0x0000, 0x0041, 0xD7FF, 0xD800, 0xDBFF, 0xE000, 0xFFFF] {
                assert_eq!(encode(&[unit, next]), None);
            }
        }
    }
}

#[test]
fn strings() {
    // encodeURI A4_T1 to T4, decodeURI A4_T1 to T4.
    for (plain, uri, component) in [
        ("", "", ""),
        ("http://unipro.ru", "http://unipro.ru", "http%3A%2F%2Funipro.ru"),
        ("http://unipro.ru/\nabout", "http://unipro.ru/%0Aabout", "http%3A%2F%2Funipro.ru%2F%0Aabout"),
        ("http://unipro.ru/\u{B}about", "http://unipro.ru/%0Babout", "http%3A%2F%2Funipro.ru%2F%0Babout"),
        (
            "http://ru.wikipedia.org/wiki/Юникод#Ссылки",
            "http://ru.wikipedia.org/wiki/%D0%AE%D0%BD%D0%B8%D0%BA%D0%BE%D0%B4#%D0%A1%D1%81%D1%8B%D0%BB%D0%BA%D0%B8",
            "http%3A%2F%2Fru.wikipedia.org%2Fwiki%2F%D0%AE%D0%BD%D0%B8%D0%BA%D0%BE%D0%B4%23%D0%A1%D1%81%D1%8B%D0%BB%D0%BA%D0%B8",
        ),
        (
            "http://en.wikipedia.org/wiki/UTF-8#Description",
            "http://en.wikipedia.org/wiki/UTF-8#Description",
            "http%3A%2F%2Fen.wikipedia.org%2Fwiki%2FUTF-8%23Description",
        ),
        (
            "http://www.google.ru/support/jobs/bin/static.py?page=why-ru.html&sid=liveandwork",
            "http://www.google.ru/support/jobs/bin/static.py?page=why-ru.html&sid=liveandwork",
            "http%3A%2F%2Fwww.google.ru%2Fsupport%2Fjobs%2Fbin%2Fstatic.py%3Fpage%3Dwhy-ru.html%26sid%3Dliveandwork",
        ),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()",
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()",
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()",
        ),
        (RESERVED, RESERVED, "%3B%2F%3F%3A%40%26%3D%2B%24%2C%23"),
    ] {
        assert_eq!(ecma::encode_uri(plain), uri);
        assert_eq!(ecma::encode_uri_component(plain), component);
        assert_eq!(ecma::decode_uri(uri).as_deref(), Ok(plain));
        assert_eq!(ecma::decode_uri_component(component).as_deref(), Ok(plain));
    }
    // decodeURI A3: escapes of reserved characters stay as they are. decodeURIComponent decodes these escapes.
    assert_eq!(
        ecma::decode_uri("%3B%2f%3f%3A%40%26%3d%2B%24%2C%23").as_deref(),
        Ok("%3B%2f%3f%3A%40%26%3d%2B%24%2C%23")
    );
    assert_eq!(ecma::decode_uri_component("%3B%2f%3f%3A%40%26%3d%2B%24%2C%23").as_deref(), Ok(RESERVED));
}

#[test]
fn annex_b() {
    // escape/empty-string, unmodified, above-two-fifty-five, below-two-fifty-six
    let stays = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@*_+-./";
    assert_eq!(ecma::escape(""), "");
    assert_eq!(ecma::escape(stays), stays);
    for unit in 0..=u16::MAX {
        let c = char::from_u32(unit.into());
        let expected = match c {
            Some(c) if stays.contains(c) => c.to_string(),
            _ if unit < 0x100 => format!("%{unit:02X}"),
            _ => format!("%u{unit:04X}"),
        };
        assert_eq!(utf16::escape(&[unit]), units(&expected));
        // unescape/four, two
        assert_eq!(utf16::unescape(&units(&expected)), &[unit][..]);
        assert_eq!(ecma::unescape_utf16(&format!("%u{unit:04x}")), [unit]);
    }
    // unescape/empty-string, four-ignore-bad-u, four-ignore-end-str, four-ignore-non-hex, two-ignore-end-str, two-ignore-non-hex
    for stays in ["", "%U0000", "%t0000", "%v0000", "%", "%u", "%u0", "%u1", "%uA", "%u00", "%u1f", "%u000", "%ufff"] {
        assert_eq!(ecma::unescape(stays).as_deref(), Ok(stays));
    }
    assert_eq!(ecma::unescape("%%0000").as_deref(), Ok("%\u{0}00"));
    for digit in "0123456789abcdefABCDEF".chars() {
        let cut = format!("%{digit}");
        assert_eq!(ecma::unescape(&cut).as_deref(), Ok(&*cut));
    }
    for letter in "g@G:`/ ".chars() {
        for at in 1..=2 {
            let mut text = *b"%00";
            text[at] = letter as u8;
            let text = std::str::from_utf8(&text).unwrap();
            assert_eq!(ecma::unescape(text).as_deref(), Ok(text));
        }
        for at in 2..=5 {
            let mut text = *b"%u0000";
            text[at] = letter as u8;
            let text = std::str::from_utf8(&text).unwrap();
            assert_eq!(ecma::unescape(text).as_deref(), Ok(text));
        }
    }
}
