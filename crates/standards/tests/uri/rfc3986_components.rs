//! Tests RFC 3986 2.4 and 3: encoding components, and splitting before decoding.

use std::borrow::Cow;

use percent_simd::{DecodeErrorKind, sets};
use percent_standards::uri::{self, Uri};

use crate::common::rfc3986::first_malformed;
use crate::common::{Random, assert_size_hints, cases};
use crate::grammar::Rule::{Alt, One, Text};
use crate::grammar::{
    Rule, is_unreserved, many, optional, pchar, pct_encoded, query, reg_name, segment, segment_nz_nc, userinfo,
};
use crate::inputs::{Hostile, check};

#[test]
fn encoded_components_match_the_grammar() {
    let encoders: [(&str, fn(&[u8]) -> Cow<'_, str>, Rule); 9] = [
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
    for (name, encode, rule) in encoders {
        for byte in 0..=255u8 {
            let encoded = encode(&[byte]).into_owned();
            assert!(rule.matches(&encoded), "{name}: {encoded}");
            // If the grammar allows a byte, it isn't encoded.
            let may_stay = byte.is_ascii() && rule.matches(&(byte as char).to_string());
            assert_eq!(encoded.len() == 1, may_stay, "{name}: {byte:#x}");
        }
        let mut random = Random::seeded(11);
        for _ in 0..cases(500) {
            let n = random.below(100);
            let data = random.hostile(n);
            let encoded = encode(&data).into_owned();
            assert!(rule.matches(&encoded), "{name}: {encoded}");
            assert_eq!(percent_simd::Decoder::new().decode(&encoded), data);
        }
    }
}

#[test]
fn encoders_have_the_documented_sets() {
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

/// Tests RFC 3986 2.4: split first, then decode.
#[test]
fn parts_are_split_before_they_are_decoded() {
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
fn parts_have_exact_offsets() {
    assert_size_hints(uri::query_pairs("a&b&c&d"));
    assert_eq!(uri::segments("///").size_hint(), (1, Some(4))); // the second number is an upper bound
    assert!(uri::query_pairs("a&b&c").map(|pair| pair.name.offset()).eq([0, 2, 4]));
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
                    Ok(bytes) => assert_eq!(bytes, part.decode()),
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
