//! Tests the URL Standard. Compares the encoding of components with the states of the standard's parser, one character at a time.
//! Compares "percent-encode after encoding" with the standard's sets and encoding_rs.
#![no_main]

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;
use percent_simd_fuzz::*;
use percent_standards::charset::Charset;
use percent_standards::whatwg;

const SCHEMES: [&str; 10] = ["http", "file", "foo", "ws", "HTTPS", "FILE", "Wss", "ftp", "", "httpx"];

/// Returns the bytes and the errors that a charset's encoder produces for a text.
fn parts(charset: Charset, mut text: &str) -> Vec<Part> {
    let named = encoding_rs::Encoding::for_label(charset.name().as_bytes());
    let Some(encoding) = named.filter(|encoding| encoding.name() == charset.name()) else {
        // The charsets that the Encoding Standard lacks keep no state between characters, so characters are encoded one by one.
        let part = |c: char| match charset.encode(c.encode_utf8(&mut [0; 4])) {
            Ok(bytes) => Part::Bytes(bytes.into_owned()),
            Err(_) => Part::Error(c.into()),
        };
        return text.chars().map(part).collect();
    };
    assert_eq!(encoding.output_encoding(), encoding, "{}", charset.name());
    let (mut encoder, mut parts) = (encoding.new_encoder(), Vec::new());
    loop {
        let needed = encoder.max_buffer_length_from_utf8_without_replacement(text.len()).unwrap();
        let mut bytes = Vec::with_capacity(needed);
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(text, &mut bytes, true);
        text = &text[read..];
        parts.push(Part::Bytes(bytes));
        match result {
            encoding_rs::EncoderResult::InputEmpty => return parts,
            encoding_rs::EncoderResult::Unmappable(c) => parts.push(Part::Error(c.into())),
            encoding_rs::EncoderResult::OutputFull => unreachable!("{needed} bytes"),
        }
    }
}

/// Asserts that a result equals the oracle's, and that it borrows if and only if it equals the input.
#[track_caller]
fn right<'a>(got: Cow<'a, str>, expected: &str, input: &str) -> Cow<'a, str> {
    assert_eq!(got, expected, "{input:?}");
    assert_eq!(matches!(got, Cow::Borrowed(_)), input == expected, "{input:?}: borrowed, or not");
    let most = whatwg::max_encoded_len(input.len()).unwrap();
    assert!(got.len() <= most + 1, "{input:?}");
    got
}

fuzz_target!(|data: &[u8]| {
    let (engine, data) = engine_of(data);
    let mut choices = Choices(data);
    let scheme = SCHEMES[choices.below(SCHEMES.len())];
    let lower = scheme.to_ascii_lowercase();
    let all: Vec<Charset> = Charset::all().collect();
    let charset = all[choices.below(all.len())];
    let (set, encoder) = URL_SETS[choices.below(URL_SETS.len())];
    let encoder = encoder.with_engine(engine);
    let text = &*choices.text();

    right(encoder.encode(text), &url_encode(set, text), text);
    let special = is_special_scheme(&lower);
    assert_eq!(whatwg::is_special(scheme), special);
    let path = right(whatwg::encode_path(scheme, text), &url_path(&lower, text), text);
    assert_eq!(whatwg::encode_path(scheme, &path), path, "a second time");
    let query_set = if special { "special-query" } else { "query" };
    let query = right(whatwg::encode_query(scheme, text), &url_encode(query_set, text), text);
    assert_eq!(whatwg::query(scheme).encode(text), query);
    assert_eq!(whatwg::encode_query(scheme, &query), query, "a second time");
    for is_followed in [false, true] {
        right(whatwg::encode_opaque_path(text, is_followed), &url_opaque_path(text, is_followed), text);
    }
    for segment in text.split(['/', '\\']).take(4) {
        let dots = url_dots(segment);
        let found = (whatwg::is_single_dot(segment), whatwg::is_double_dot(segment));
        assert_eq!(found, (dots == Some(1), dots == Some(2)), "{segment:?}");
    }
    assert_eq!(whatwg::percent_decode(text), LENIENT.run(text.as_bytes()).out);

    // URLs aren't written in UTF-16, UTF-32 or EBCDIC. For these charsets, `output_encoding` returns UTF-8.
    let in_charset = parts(charset.output_encoding(), text);
    let expected = url_encode_parts(set, in_charset.iter().cloned());
    let got = whatwg::percent_encode_after_encoding(charset, text, &encoder);
    assert_eq!(got, expected, "{} {set} {text:?}", charset.name());
    assert!(got.len() <= whatwg::max_encoded_len(text.len()).unwrap(), "{} {text:?}", charset.name());
    // Query state, step 1: a query is UTF-8 if the scheme is not special, or is ws or wss.
    let expected = match &*lower {
        "http" | "https" | "ftp" | "file" => url_encode_parts(query_set, in_charset),
        _ => url_encode(query_set, text),
    };
    assert_eq!(whatwg::encode_query_in(scheme, charset, text), expected, "{scheme} {} {text:?}", charset.name());
});
