//! Compares the functions of ECMA-262 with the algorithms of the standard, which work code unit by code unit here.
//! Tests each function on three forms of a string: UTF-16, WTF-8, and text.
#![cfg(feature = "alloc")]

use crate::common;

use std::borrow::Cow;
use std::fmt::Debug;

use common::{Random, cases, scale, thinned};
use percent_standards::ecma::{self, EcmaError, EcmaErrorKind, utf16, wtf8};
use quickcheck::TestResult;

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
const MARKS: &str = "-.!~*'()";
const RESERVED: &str = ";/?:@&=+$,#";

type Fault = (usize, EcmaErrorKind);

fn is_in(sets: &[&str], unit: u16) -> bool {
    char::from_u32(u32::from(unit)).is_some_and(|c| sets.iter().any(|set| set.contains(c)))
}

fn hex(unit: Option<&u16>) -> Option<u32> {
    match u32::from(*unit?) {
        digit @ 0x30..=0x39 => Some(digit - 0x30),
        digit @ 0x41..=0x46 => Some(digit - 0x41 + 10),
        digit @ 0x61..=0x66 => Some(digit - 0x61 + 10),
        _ => None,
    }
}

fn push(out: &mut Vec<u16>, text: &str) {
    out.extend(text.encode_utf16());
}

/// `CodePointAt` (11.1.4). Returns the code point, and its number of code units. For a lone surrogate, returns `None`.
fn code_point_at(s: &[u16], k: usize) -> Option<(u32, usize)> {
    match (s[k], s.get(k + 1)) {
        (lead @ 0xD800..=0xDBFF, Some(trail @ 0xDC00..=0xDFFF)) => {
            Some((0x10000 + (u32::from(lead) - 0xD800) * 0x400 + u32::from(*trail) - 0xDC00, 2))
        }
        (0xD800..=0xDFFF, _) => None,
        (unit, _) => Some((u32::from(unit), 1)),
    }
}

/// Returns the bytes of a code point, according to the table in RFC 3629 3.
fn utf8(cp: u32) -> Vec<u32> {
    match cp {
        0..0x80 => vec![cp],
        0x80..0x800 => vec![0xC0 + cp / 64, 0x80 + cp % 64],
        0x800..0x10000 => vec![0xE0 + cp / 4096, 0x80 + cp / 64 % 64, 0x80 + cp % 64],
        _ => vec![0xF0 + cp / 262_144, 0x80 + cp / 4096 % 64, 0x80 + cp / 64 % 64, 0x80 + cp % 64],
    }
}

/// `Encode` (19.2.6.5). If `usv` is true, encodes the scalar value string of `s`.
fn encode(s: &[u16], extra: &str, usv: bool) -> Result<Vec<u16>, Fault> {
    let mut r = Vec::new();
    let mut k = 0;
    while k < s.len() {
        if is_in(&[ALNUM, MARKS, extra], s[k]) {
            r.push(s[k]);
            k += 1;
            continue;
        }
        let (cp, count) = match code_point_at(s, k) {
            Some(found) => found,
            None if usv => (0xFFFD, 1),
            None => return Err((k, EcmaErrorKind::LoneSurrogate)),
        };
        k += count;
        for byte in utf8(cp) {
            push(&mut r, &format!("%{byte:02X}"));
        }
    }
    Ok(r)
}

/// `ParseHexOctet`, and the check before it.
fn byte_at(s: &[u16], k: usize) -> Result<u32, Fault> {
    match (hex(s.get(k + 1)), hex(s.get(k + 2))) {
        (Some(high), Some(low)) => Ok(16 * high + low),
        (None, _) if k + 1 < s.len() => Err((k, EcmaErrorKind::NotHex)),
        (_, None) if k + 2 < s.len() => Err((k, EcmaErrorKind::NotHex)),
        _ => Err((k, EcmaErrorKind::Truncated)),
    }
}

/// `Decode` (19.2.6.6).
fn decode(s: &[u16], preserve: &str) -> Result<Vec<u16>, Fault> {
    let mut r = Vec::new();
    let mut k = 0;
    while k < s.len() {
        if s[k] != 0x25 {
            r.push(s[k]);
            k += 1;
            continue;
        }
        let start = k;
        let wrong = Err((start, EcmaErrorKind::InvalidUtf8));
        let b = byte_at(s, k)?;
        k += 3;
        let (n, mut cp, least) = match b {
            0..0x80 => {
                match is_in(&[preserve], b as u16) {
                    true => r.extend(&s[start..k]),
                    false => r.push(b as u16),
                }
                continue;
            }
            0xC0..0xE0 => (2, b - 0xC0, 0x80),
            0xE0..0xF0 => (3, b - 0xE0, 0x800),
            0xF0..0xF8 => (4, b - 0xF0, 0x10000),
            _ => return wrong,
        };
        for _ in 1..n {
            if s.get(k) != Some(&0x25) {
                return wrong;
            }
            match byte_at(s, k) {
                Ok(byte @ 0x80..0xC0) => cp = cp * 64 + byte - 0x80,
                _ => return wrong,
            }
            k += 3;
        }
        if cp < least || (0xD800..0xE000).contains(&cp) || cp > 0x10FFFF {
            return wrong;
        }
        if cp < 0x10000 {
            r.push(cp as u16);
        } else {
            r.extend([0xD800 + ((cp - 0x10000) / 0x400) as u16, 0xDC00 + ((cp - 0x10000) % 0x400) as u16]);
        }
    }
    Ok(r)
}

/// `escape` (B.2.1.1).
fn escape(s: &[u16]) -> Vec<u16> {
    let mut r = Vec::new();
    for &unit in s {
        match unit {
            _ if is_in(&[ALNUM, "@*+-./"], unit) => r.push(unit),
            0..256 => push(&mut r, &format!("%{unit:02X}")),
            _ => push(&mut r, &format!("%u{unit:04X}")),
        }
    }
    r
}

/// Reads `n` digits at `k`.
fn digits(s: &[u16], k: usize, n: usize) -> Option<u16> {
    (k..k + n).try_fold(0, |value, at| Some(16 * value + hex(s.get(at))? as u16))
}

/// `unescape` (B.2.1.2). For each resulting unit, also returns the offset in `s` that it comes from.
fn unescape(s: &[u16]) -> (Vec<u16>, Vec<usize>) {
    let (mut r, mut from) = (Vec::new(), Vec::new());
    let mut k = 0;
    while k < s.len() {
        let percent = s[k] == 0x25;
        let (unit, skip) = match (digits(s, k + 2, 4), digits(s, k + 1, 2)) {
            (Some(unit), _) if percent && s.get(k + 1) == Some(&0x75) => (unit, 6),
            (_, Some(unit)) if percent => (unit, 3),
            _ => (s[k], 1),
        };
        r.push(unit);
        from.push(k);
        k += skip;
    }
    (r, from)
}

/// Splits `s` into code points and lone surrogates. Returns each with its offset.
fn parts(s: &[u16]) -> Vec<(usize, u32)> {
    let mut parts = Vec::new();
    let mut k = 0;
    while k < s.len() {
        let (cp, count) = code_point_at(s, k).unwrap_or((u32::from(s[k]), 1));
        parts.push((k, cp));
        k += count;
    }
    parts
}

fn to_wtf8(s: &[u16]) -> Vec<u8> {
    parts(s).iter().flat_map(|&(_, cp)| utf8(cp)).map(|byte| byte as u8).collect()
}

/// Returns the offset in WTF-8 of the code unit at offset `at`.
fn byte_offset(s: &[u16], at: usize) -> usize {
    parts(s).iter().filter(|&&(k, _)| k < at).map(|&(_, cp)| utf8(cp).len()).sum()
}

fn text(s: &[u16]) -> Option<String> {
    String::from_utf8(to_wtf8(s)).ok()
}

fn fault(error: EcmaError) -> Fault {
    (error.offset, error.kind)
}

fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// Checks that `got` equals `expected`. Also checks that `got` is borrowed if and only if `expected` equals the input.
#[track_caller]
fn same<T: ToOwned + PartialEq + Debug + ?Sized>(input: &T, got: Cow<T>, expected: &T, what: &str, s: &[u16]) {
    assert!(*got == *expected, "{what} of {:?}: {:?}, not {expected:?}", String::from_utf16_lossy(s), &*got);
    assert_eq!(matches!(got, Cow::Borrowed(_)), input == expected, "{what} of {s:X?}: borrowed, or not");
}

type Utf16Fn = fn(&[u16]) -> Result<Cow<[u16]>, EcmaError>;
type Wtf8Fn = fn(&[u8]) -> Result<Cow<[u8]>, EcmaError>;
type TextFn = fn(&str) -> Result<Cow<str>, EcmaError>;

fn bytes(text: Cow<str>) -> Cow<[u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// Checks one function on three forms of a string: UTF-16, WTF-8, and text.
#[track_caller]
fn check_one(what: &str, s: &[u16], expected: &Result<Vec<u16>, Fault>, forms: (Utf16Fn, Wtf8Fn, Option<TextFn>)) {
    match (forms.0(s).map_err(fault), expected) {
        (Ok(got), Ok(expected)) => same(s, got, expected, what, s),
        (got, expected) => {
            assert_eq!(got.map(Cow::into_owned), *expected, "{what} of {:?}", String::from_utf16_lossy(s));
        }
    }
    let in_bytes = expected.clone().map(|units| to_wtf8(&units)).map_err(|(at, kind)| (byte_offset(s, at), kind));
    let input = to_wtf8(s);
    match (forms.1(&input).map_err(fault), &in_bytes) {
        (Ok(got), Ok(expected)) => same(&input[..], got, expected, what, s),
        (got, expected) => assert_eq!(got.map(Cow::into_owned), *expected, "{what}, WTF-8, of {s:X?}"),
    }
    if let (Some(input), Some(form)) = (text(s), forms.2) {
        match (form(&input).map_err(fault), &in_bytes) {
            (Ok(got), Ok(expected)) => same(&*input, got, std::str::from_utf8(expected).unwrap(), what, s),
            (got, expected) => {
                assert_eq!(got.map(|text| text.into_owned().into_bytes()), *expected, "{what}, text, of {s:X?}");
            }
        }
    }
}

/// Checks all functions on three forms of `s`: UTF-16, WTF-8, and text.
fn check(s: &[u16]) {
    let expected = encode(s, RESERVED, false);
    check_one(
        "encodeURI",
        s,
        &expected,
        (utf16::encode_uri, |s| wtf8::encode_uri(s).map(bytes), Some(|s| Ok(ecma::encode_uri(s)))),
    );
    let expected = encode(s, "", false);
    check_one(
        "encodeURIComponent",
        s,
        &expected,
        (
            utf16::encode_uri_component,
            |s| wtf8::encode_uri_component(s).map(bytes),
            Some(|s| Ok(ecma::encode_uri_component(s))),
        ),
    );
    // `to_well_formed` must do the same as Web IDL when it converts a string to a `USVString`.
    let (well, in_bytes) = (utf16::to_well_formed(s), to_wtf8(s));
    let usv = wtf8::to_well_formed(&in_bytes).unwrap();
    let is = |units: Cow<[u16]>, text: Cow<str>, set| {
        let expected = encode(s, set, true).unwrap();
        assert!(*units == expected && text.encode_utf16().eq(expected), "encoding as a USVString of {s:X?}");
    };
    is(utf16::encode_uri(&well).unwrap(), ecma::encode_uri(&usv), RESERVED);
    is(utf16::encode_uri_component(&well).unwrap(), ecma::encode_uri_component(&usv), "");
    let expected = decode(s, RESERVED);
    check_one("decodeURI", s, &expected, (utf16::decode_uri, wtf8::decode_uri, Some(ecma::decode_uri)));
    let expected = decode(s, "");
    check_one(
        "decodeURIComponent",
        s,
        &expected,
        (utf16::decode_uri_component, wtf8::decode_uri_component, Some(ecma::decode_uri_component)),
    );
    let expected = Ok(escape(s));
    check_one(
        "escape",
        s,
        &expected,
        (|s| Ok(utf16::escape(s)), |s| wtf8::escape(s).map(bytes), Some(|s| Ok(ecma::escape(s)))),
    );
    let (unescaped, from) = unescape(s);
    let expected = Ok(unescaped.clone());
    check_one("unescape", s, &expected, (|s| Ok(utf16::unescape(s)), wtf8::unescape, None));
    let well_formed: Vec<u16> = String::from_utf16_lossy(s).encode_utf16().collect();
    let expected = Ok(well_formed);
    check_one(
        "toWellFormed",
        s,
        &expected,
        (|s| Ok(utf16::to_well_formed(s)), |s| wtf8::to_well_formed(s).map(bytes), None),
    );
    let Some(input) = text(s) else { return };
    assert_eq!(ecma::unescape_utf16(&input), unescaped, "unescape to UTF-16 of {input:?}");
    same(input.as_bytes(), ecma::unescape_wtf8(&input), &to_wtf8(&unescaped), "unescape to WTF-8", s);
    let lossy = String::from_utf16_lossy(&unescaped);
    same(&*input, ecma::unescape_lossy(&input), &lossy, "unescape, lossy", s);
    let alone = parts(&unescaped).into_iter().find(|&(_, cp)| (0xD800..0xE000).contains(&cp));
    match (ecma::unescape(&input).map_err(fault), alone) {
        (Ok(got), None) => same(&*input, got, &lossy, "unescape to text", s),
        (got, alone) => {
            let error = alone.map(|(k, _)| (byte_offset(s, from[k]), EcmaErrorKind::LoneSurrogate));
            assert_eq!(got.err(), error, "unescape to text of {input:?}");
        }
    }
}

/// Calls `each` with every string that has up to `longest` items of `alphabet`.
fn every(alphabet: &[Vec<u16>], longest: u32, mut each: impl FnMut(&[u16])) {
    let mut s = Vec::new();
    for len in 0..=longest {
        for number in thinned(0..alphabet.len().pow(len), len as usize) {
            s.clear();
            let mut number = number;
            for _ in 0..len {
                s.extend(&alphabet[number % alphabet.len()]);
                number /= alphabet.len();
            }
            each(&s);
        }
    }
}

/// Returns difficult items: whole, truncated and broken escapes of ASCII, of UTF-8, of bytes that look like UTF-8, and
/// of code units. Also returns characters of one to four bytes, and halves of these characters.
fn tokens() -> Vec<Vec<u16>> {
    let texts = [
        "%", "%4", "%41", "%2f", "%25", "%C3", "%A9", "%e2", "%82", "%ED", "%A0", "%F0", "%9F", "%92", "%C0", "%F4",
        "%F8", "%u", "%u00e9", "%u20A", "%uD83D", "%uDCA9", "%U0041", "a", "u", "/", " ", "\u{80}", "é", "€", "💩",
    ];
    let mut tokens: Vec<Vec<u16>> = texts.iter().map(|text| units(text)).collect();
    tokens.extend([vec![0xD83D], vec![0xDCA9]]);
    tokens
}

#[test]
fn every_short_string_of_units() {
    let mut alphabet: Vec<Vec<u16>> = "%u048CDEFa+g\u{80}é€".encode_utf16().map(|unit| vec![unit]).collect();
    alphabet.extend([vec![0xD83D], vec![0xDCA9]]);
    every(&alphabet, 4, check);
}

#[test]
fn every_short_string_of_tokens() {
    every(&tokens(), 3, check);
}

#[test]
fn every_unit_and_every_escape_of_one() {
    for unit in thinned(0..=u16::MAX, 5) {
        if unit > 0x3000 && unit % 0x101 > 8 && !(0xD7F0..0xE010).contains(&unit) {
            continue;
        }
        check(&[unit]);
        check(&units(&format!("%u{unit:04x}")));
        check(&units(&format!("%{:02X}%{:02x}", unit >> 8, unit & 0xFF)));
        check(&[0x25, unit]);
        check(&[0x25, 0x34, unit]);
    }
}

#[test]
fn blocks_end_anywhere() {
    let mut random = Random::seeded(7);
    let tokens = tokens();
    for block in [32, 256, 2048] {
        for shift in 0..scale(160) {
            let mut s = vec![0x61; block - (shift % 20).min(block)];
            if random.one_in(2) {
                // A `%20` decodes to one unit. So the units after it have other offsets in the output than in the
                // input, and the blocks of the output end at other units.
                let at = random.below(s.len().max(1)).min(s.len());
                s.splice(at..at, units("%20"));
            }
            for _ in 0..10 {
                s.extend(&tokens[random.below(tokens.len())]);
            }
            s.resize(s.len() + random.below(80), 0x62);
            check(&s);
        }
    }
    // Put an escape of six units across the end of each block. The first block begins at the first `%`.
    for block in [32, 256, 2048] {
        for before in 0..7 {
            let text = format!("%41{}%u0041b", "a".repeat(block - 3 - before));
            check(&units(&text));
        }
    }
    // Put whole characters at every offset. Then decoding succeeds.
    let phases = tokens.iter().zip(0..).flat_map(|(token, n)| (0..13).map(move |k| (token, n + k)));
    for (token, phase) in thinned(phases, 0) {
        for n in [30, 260, 700, 2060] {
            let mut s = vec![0x61; phase % 13];
            (0..n / token.len() + 1).for_each(|_| s.extend(token));
            check(&s);
            let mut s = vec![0x61; phase % 13];
            (0..n / 12 + 1).for_each(|_| s.extend(units("%F0%9F%92%A9")));
            check(&s);
        }
    }
}

#[test]
fn hostile_strings() {
    let tokens = tokens();
    let mut random = Random::seeded(11);
    for _ in 0..cases(20_000) {
        let mut s = Vec::new();
        for _ in 0..random.below(40) {
            s.extend(&tokens[random.below(tokens.len())]);
        }
        check(&s);
    }
    for _ in 0..cases(500) {
        let n = random.below(3000);
        check(&units(&String::from_utf8_lossy(&random.hostile(n))));
    }
}

#[test]
fn every_string_round_trips() {
    fn comes_back(s: Vec<u16>) -> TestResult {
        check(&s);
        assert_eq!(*utf16::unescape(&utf16::escape(&s)), s);
        let Ok(encoded) = utf16::encode_uri_component(&s) else { return TestResult::discard() };
        assert_eq!(*utf16::decode_uri_component(&encoded).unwrap(), s);
        let encoded = utf16::encode_uri(&s).unwrap();
        assert_eq!(*utf16::decode_uri(&encoded).unwrap(), s);
        TestResult::passed()
    }
    fn text_comes_back(text: String) -> bool {
        ecma::decode_uri_component(&ecma::encode_uri_component(&text)) == Ok(text.as_str().into())
            && ecma::decode_uri(&ecma::encode_uri(&text)) == Ok(text.as_str().into())
            && ecma::unescape(&ecma::escape(&text)) == Ok(text.as_str().into())
    }
    common::check(100, comes_back as fn(Vec<u16>) -> TestResult);
    common::check(100, text_comes_back as fn(String) -> bool);
}

/// Tests that each result takes one allocation, and that the allocation has exactly the length of the result.
#[test]
fn results_have_no_spare_capacity() {
    let mut tokens = tokens();
    tokens.push(vec![0x800]); // the first character of three bytes
    let mut random = Random::seeded(31);
    for _ in 0..cases(2_000) {
        let s: Vec<u16> = (0..random.below(2_000)).flat_map(|_| tokens[random.below(tokens.len())].clone()).collect();
        let well = utf16::to_well_formed(&s);
        let encoded =
            [utf16::encode_uri(&well).unwrap(), utf16::encode_uri_component(&well).unwrap(), utf16::escape(&s)];
        for encoded in encoded {
            assert!(matches!(encoded, Cow::Owned(ref units) if units.capacity() == units.len()) || s == *encoded);
        }
        let text = String::from_utf16_lossy(&s);
        let escaped = ecma::escape(&text);
        assert!(matches!(escaped, Cow::Owned(ref text) if text.capacity() == text.len()) || text == escaped);
    }
}

/// Checks the standard's own examples.
#[test]
fn examples_of_the_standard() {
    use EcmaErrorKind::{InvalidUtf8, LoneSurrogate, NotHex, Truncated};
    let err = |offset, kind| Err(EcmaError::new(offset, kind));
    // Overlong forms, a surrogate, a code point above Unicode, a missing first byte, and missing later bytes (Decode,
    // 4.c).
    for bad in ["%C0%80", "%E0%80%AF", "%ED%A0%80", "%F4%90%80%80", "%80", "%F8%88%80%80%80", "%C3", "%C3A9", "%C3é"] {
        assert_eq!(ecma::decode_uri_component(&format!("ab{bad}")), err(2, InvalidUtf8), "{bad}");
        assert_eq!(ecma::decode_uri(&format!("ab{bad}")), err(2, InvalidUtf8), "{bad}");
    }
    assert_eq!(ecma::decode_uri_component("é%"), err(2, Truncated));
    assert_eq!(ecma::decode_uri_component("é%u0041"), err(2, NotHex));
    assert_eq!(ecma::decode_uri("%2f%2F%23%25%41%7e"), Ok("%2f%2F%23%A~".into()));
    assert_eq!(ecma::decode_uri("%2523"), Ok("%23".into()));
    assert_eq!(utf16::encode_uri_component(&[0xDCA9, 0xD83D]).unwrap_err().kind, LoneSurrogate);
    assert_eq!(ecma::escape("é€💩 +~"), "%E9%u20AC%uD83D%uDCA9%20+%7E");
    assert_eq!(
        ecma::unescape("%u20aC%uD83D%uDCA9%U0041%u12%u00zz%C3%A9%%41%4"),
        Ok("€💩%U0041%u12%u00zzÃ©%A%4".into())
    );
    assert_eq!(ecma::encode_uri("%[]\"<>\\^`{|}"), "%25%5B%5D%22%3C%3E%5C%5E%60%7B%7C%7D");
}

#[test]
fn input_other_than_wtf8_is_an_error() {
    let functions: [Wtf8Fn; 7] = [
        |s| wtf8::encode_uri(s).map(bytes),
        |s| wtf8::encode_uri_component(s).map(bytes),
        wtf8::decode_uri,
        wtf8::decode_uri_component,
        |s| wtf8::escape(s).map(bytes),
        wtf8::unescape,
        |s| wtf8::to_well_formed(s).map(bytes),
    ];
    let bad: [&[u8]; 9] = [
        b"\xFF", b"\x80", b"\xC3", b"\xC0\x80", b"\xED\xA0", b"\xE2\x82", b"\xF0\x9F\x92", b"\xF4\x90\x80\x80",
        b"\xED\xA0\xBD\xED\xB2\xA9", // WTF-8 would join these halves
    ];
    for bad in bad {
        for (before, after) in [("", ""), ("é%41", "a"), ("a%C3%A9", "%41"), ("%41%41", "é")] {
            let input = [before.as_bytes(), bad, after.as_bytes()].concat();
            for function in functions {
                let error = function(&input).unwrap_err();
                assert_eq!(fault(error), (before.len(), EcmaErrorKind::NotWtf8), "{}", input.escape_ascii());
            }
        }
    }
    // Two lead surrogates, and a trail surrogate before a lead surrogate. All of these are lone surrogates.
    let alone = b"\xED\xA0\xBD\xED\xA0\xBD\xED\xB2";
    assert_eq!(fault(wtf8::decode_uri(alone).unwrap_err()), (6, EcmaErrorKind::NotWtf8));
    let alone = b"\xED\xB2\xA9\xED\xA0\xBD%41";
    assert_eq!(wtf8::decode_uri(alone).unwrap(), &b"\xED\xB2\xA9\xED\xA0\xBDA"[..]);
    assert_eq!(wtf8::to_well_formed(alone).unwrap(), "\u{FFFD}\u{FFFD}%41");
}

/// Decodes escapes one after the other: `%XX` to a byte, and `%uXXXX` to the UTF-8 of a code unit.
fn with_u(s: &[u8]) -> Vec<u8> {
    let wide: Vec<u16> = s.iter().map(|&byte| u16::from(byte)).collect();
    let unit = |k: usize| (s.get(k..k + 2) == Some(b"%u")).then(|| digits(&wide, k + 2, 4)).flatten();
    let mut r = Vec::new();
    let mut k = 0;
    while k < s.len() {
        let pair: Vec<u16> = unit(k).into_iter().chain(unit(k + 6)).collect();
        let character = (unit(k).is_some()).then(|| code_point_at(&pair, 0)).flatten();
        let byte = (s[k] == b'%').then(|| digits(&wide, k + 1, 2)).flatten();
        match (character, byte) {
            (Some((cp, count)), _) => {
                r.extend(utf8(cp).iter().map(|&byte| byte as u8));
                k += 6 * count;
            }
            (None, Some(byte)) => {
                r.push(byte as u8);
                k += 3;
            }
            (None, None) => {
                r.push(s[k]);
                k += 1;
            }
        }
    }
    r
}

#[test]
fn triplets_and_code_units_mixed() {
    let check = |s: &[u16]| {
        let input = to_wtf8(s);
        same(&input[..], ecma::decode_with_u(&input), &with_u(&input), "decode_with_u", s);
    };
    every(&tokens(), 3, check);
    let mut random = Random::seeded(13);
    for _ in 0..cases(20_000) {
        let s: Vec<u16> = (0..random.below(60)).flat_map(|_| tokens()[random.below(33)].clone()).collect();
        check(&s);
    }
    assert_eq!(ecma::decode_with_u(b"\xFF%uD83D%uD83D%uDCA9%25u0041"), &b"\xFF%uD83D\xF0\x9F\x92\xA9%u0041"[..]);
}

#[test]
fn errors_say_where_and_what() {
    let message = |kind| EcmaError::new(7, kind).to_string();
    for (kind, what) in [
        (EcmaErrorKind::Truncated, "two hexadecimal digits"),
        (EcmaErrorKind::NotHex, "two hexadecimal digits"),
        (EcmaErrorKind::InvalidUtf8, "not UTF-8"),
        (EcmaErrorKind::LoneSurrogate, "has no other half"),
        (EcmaErrorKind::NotWtf8, "WTF-8"),
    ] {
        assert!(message(kind).contains("offset 7") && message(kind).contains(what), "{}", message(kind));
    }
}

#[test]
fn an_upper_case_u_is_no_escape_of_these_functions() {
    assert_eq!(ecma::find_u_escape("%U0041"), None);
    let found = ecma::find_u_escape("%uD83D%UDCA9").unwrap();
    assert_eq!((found.offset, found.len, found.character), (0, 6, None));
    assert_eq!(ecma::unescape("%UD83D%uD83D").unwrap_err().offset, 6);
    assert_eq!(ecma::unescape("%uD83D%UDCA9").unwrap_err().offset, 0);
}
