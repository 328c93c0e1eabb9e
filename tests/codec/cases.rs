//! Tests cases whose result a standard defines, each with its clause. Also tests malformed inputs that different
//! implementations decode differently. All cases run on every engine.

use crate::common;

use percent_simd::{ByteSet, CheckedDecoder, DecodeErrorKind, Decoder, Encoder, Engine, Plus, internal, presets, sets};

/// Returns the numbers of bytes to put before an input: 0 to 65, so that the input starts in every lane of a block.
/// Miri needs a second for each number, so Miri gets every 13th number.
fn alignments() -> impl Iterator<Item = usize> {
    (0..66).step_by(if cfg!(miri) { 13 } else { 1 })
}

#[track_caller]
fn decodes(input: &str, expected: &[u8]) {
    for engine in Engine::available() {
        let decoder = Decoder::new().with_engine(engine);
        assert_eq!(decoder.decode(input), expected, "{engine} {input}");
        assert_eq!(decoder.decode_in_place(&mut input.as_bytes().to_vec()), expected, "{engine} {input}");
        // Also decode the input in the middle of a long text, at each alignment.
        for before in alignments() {
            let long = ["z".repeat(before), input.to_string(), "~".repeat(130)].concat();
            let decoded = decoder.decode(&long);
            assert_eq!(decoded[before..decoded.len() - 130], *expected, "{engine} {long}");
        }
    }
}

#[track_caller]
fn decodes_lossily(input: &str, expected: &str) {
    for engine in Engine::available() {
        assert_eq!(Decoder::new().with_engine(engine).decode_utf8_lossy(input), expected, "{engine} {input}");
        let strict = Decoder::new().with_engine(engine).strict();
        assert_eq!(strict.decode_utf8_lossy(input).unwrap(), expected, "{engine} {input}");
    }
}

#[track_caller]
fn encodes(encoder: Encoder, input: &str, expected: &str) {
    for engine in Engine::available() {
        let encoder = encoder.with_engine(engine);
        assert_eq!(encoder.encode(input), expected, "{engine} {input}");
        for before in alignments() {
            let long = ["z".repeat(before), input.to_string(), "a".repeat(130)].concat();
            let encoded = encoder.encode(&long);
            assert_eq!(encoded[before..encoded.len() - 130], *expected, "{engine} {long}");
        }
    }
}

#[track_caller]
fn refuses(check: fn(Decoder) -> CheckedDecoder, input: &str, offset: usize, kind: DecodeErrorKind) {
    for engine in Engine::available() {
        let error = check(Decoder::new().with_engine(engine)).decode_utf8(input).unwrap_err();
        assert_eq!((error.offset, error.kind), (offset, kind), "{engine} {input}");
    }
}

// URL Standard 1.3, "percent-decode".

#[test]
fn the_example_of_the_url_standard_is_decoded() {
    decodes("%25%s%1G", b"%%s%1G");
}

#[test]
fn a_percent_before_a_triplet_and_a_truncated_triplet_stay() {
    decodes("%%2a%2", b"%*%2");
}

#[test]
fn only_ascii_digits_are_digits() {
    // The digits 4 and 1 as full-width characters (U+FF14 U+FF11), then as Arabic-Indic digits. OpenJDK's parser takes either
    // pair for hexadecimal digits, and decodes `%` and the pair to `A`.
    decodes("%\u{FF14}\u{FF11}", b"%\xEF\xBC\x94\xEF\xBC\x91");
    decodes("%\u{664}\u{661}", "%\u{664}\u{661}".as_bytes());
}

#[test]
fn a_percent_before_a_multibyte_character_stays() {
    decodes("%é%aé%", b"%\xC3\xA9%a\xC3\xA9%");
}

#[test]
fn decoded_bytes_are_not_decoded_again() {
    decodes("%4%31", b"%41");
    decodes("%2541", b"%41");
    decodes("%%34%31", b"%41");
    decodes("%%32%65", b"%2e");
}

#[test]
fn plus_stays_except_in_forms() {
    // `+` is a sub-delimiter (RFC 3986 2.2). Only forms write a space as `+` (URL Standard 5.1).
    decodes("a+b", b"a+b");
    for engine in Engine::available() {
        let form = Decoder::new().plus(Plus::Always).with_engine(engine);
        assert_eq!(form.decode("a+b%2B"), &b"a b+"[..]);
    }
}

#[test]
fn nul_is_decoded_unless_it_is_rejected() {
    // RFC 3986 7.3 warns about NUL. A decoder rejects `%00` only if the caller asks for that.
    decodes("%00", b"\0");
    let none = |decoder: Decoder| decoder.reject(ByteSet::of(b"\0"));
    refuses(none, "a%00", 1, DecodeErrorKind::Rejected(0));
    // If many triplets follow each other, as in text of non-Latin scripts, the decoder takes several at a time. The
    // error must still have the offset of the first rejected triplet.
    for clean in [0, 1, 31, 300] {
        let rejected = ["z".repeat(clean), "%00".repeat(100)].concat();
        refuses(none, &rejected, clean, DecodeErrorKind::Rejected(0));
    }
}

#[test]
fn escapes_of_escape_are_not_percent_encoding() {
    // Only ECMA-262 B.2.1 defines `%uXXXX`. For us, its `%` is malformed.
    decodes("%u0041", b"%u0041");
}

#[test]
fn signs_and_spaces_are_not_digits() {
    // Integer parsers also accept a sign or a space before a digit. The decoder must not accept them.
    for input in ["%+1", "%-1", "% 1", "%1 ", "%0x", "%x1"] {
        decodes(input, input.as_bytes());
    }
}

// The results follow Unicode 3.9, "U+FFFD Substitution of Maximal Subparts", as in the Encoding Standard.

#[test]
fn a_truncated_sequence_is_one_replacement_character() {
    decodes_lossily("%F0%9F%92", "\u{FFFD}");
}

#[test]
fn the_byte_that_breaks_a_sequence_stays() {
    decodes_lossily("%F0%9F%41", "\u{FFFD}A");
}

#[test]
fn the_sequence_after_a_broken_one_is_decoded() {
    decodes_lossily("%E2%82%C2%A3", "\u{FFFD}£");
}

#[test]
fn path_info_of_cgi_is_decoded() {
    // RFC 3875 4.1.5: PATH_INFO is decoded.
    decodes_lossily("/this%2eis%2epath%3binfo", "/this.is.path;info");
}

#[test]
fn a_replacement_character_in_the_data_is_no_error() {
    for engine in Engine::available() {
        assert_eq!(Decoder::new().with_engine(engine).strict().decode_utf8("%EF%BF%BD").unwrap(), "\u{FFFD}");
    }
}

#[test]
fn invalid_utf8_never_becomes_a_separator() {
    // These are invalid (RFC 3629 10): overlong forms of `/` and `.`, surrogates, values above U+10FFFF, truncated
    // sequences.
    for (input, at) in [
        ("%C0%AF", 0),
        ("%E0%80%AF", 0),
        ("%F0%80%80%AF", 0),
        ("%C0%AE", 0),
        ("%ED%A0%80", 0),
        ("%ED%BF%BF", 0),
        ("%F4%90%80%80", 0),
        ("%F8%88%80%80%80", 0),
        ("%E2%82", 0),
        ("a%E2%82b", 1),
        ("%C3%A9%80", 6),
        ("é%FF", 2),
    ] {
        refuses(Decoder::strict, input, at, DecodeErrorKind::InvalidUtf8);
        for engine in Engine::available() {
            let lossy = Decoder::new().with_engine(engine).decode_utf8_lossy(input).into_owned();
            assert!(lossy.contains('\u{FFFD}') && !lossy.contains(['/', '.']), "{engine} {lossy}");
        }
    }
}

// Tests of encoding, one set after the other.

#[test]
fn hebrew_is_encoded_as_utf8() {
    let encoded = "%D7%A7%D7%99%D7%93%D7%95%D7%93%20URL";
    encodes(Encoder::new(sets::RFC3986_UNRESERVED), "קידוד URL", encoded);
}

#[test]
fn unreserved_is_never_encoded() {
    // RFC 3986 2.3.
    encodes(Encoder::new(sets::RFC3986_UNRESERVED), "-._~", "-._~");
}

#[test]
fn rfc_1630_leaves_quotes_and_encodes_plus() {
    encodes(Encoder::new(sets::RFC1630_XALPHA), "a\"b+c~", "a\"b%2Bc%7E");
}

#[test]
fn forms_leave_the_asterisk_and_encode_the_tilde() {
    encodes(presets::WHATWG_FORM, "*~ !'()", "*%7E+%21%27%28%29");
    encodes(presets::by_name("whatwg-form").unwrap().encoder(), "*~ !'()", "*%7E+%21%27%28%29");
}

#[test]
fn python_encodes_the_asterisk_and_leaves_the_tilde() {
    encodes(presets::by_name("py-quote-plus").unwrap().encoder(), "*~ /", "%2A~+%2F");
}

#[test]
fn brackets_are_reserved() {
    // RFC 3986 2.2.
    encodes(Encoder::new(sets::RFC3986_URI), "http://[::1]/a?b#c%", "http://[::1]/a?b#c%25");
}

#[test]
fn templates_keep_triplets_and_encode_other_percents() {
    // RFC 6570 3.2.1.
    let expected = "50%25%20100%25%20%25zz%20/%C3%A9";
    encodes(presets::RFC6570_U_R, "50%25 100% %zz /é", expected);
    encodes(presets::by_name("rfc6570-u-r").unwrap().encoder(), "50%25 100% %zz /é", expected);
}

#[test]
fn parameters_of_headers_keep_only_attr_char() {
    // RFC 8187 3.2.1.
    encodes(Encoder::new(sets::RFC8187_ATTR_CHAR), "€*'%()", "%E2%82%AC%2A%27%25%28%29");
}

#[test]
fn addresses_of_mailto_encode_percent_signs_quotes_and_at_signs() {
    // RFC 6068 6.1 and 6.2.
    encodes(Encoder::new(sets::RFC6068_LOCAL_PART), "gorby%kremvax", "gorby%25kremvax");
    encodes(Encoder::new(sets::RFC6068_LOCAL_PART), "\"not@me\"", "%22not%40me%22");
}

#[test]
fn headers_of_mailto_encode_spaces_line_breaks_and_delimiters() {
    // RFC 6068 2 and 5: a space becomes %20, a line break becomes %0D%0A, and `+` stays.
    encodes(Encoder::new(sets::RFC6068_QCHAR), "a b\r\nc+d&e=f?", "a%20b%0D%0Ac+d%26e%3Df%3F");
}

#[test]
fn a_zone_is_encoded_as_data() {
    // In the host of a URI, only the `%` would be escaped: `[fe80::1%25eth0]` (RFC 6874 2). Here the colons are escaped too.
    encodes(Encoder::new(sets::RFC3986_UNRESERVED), "fe80::1%eth0", "fe80%3A%3A1%25eth0");
}

#[test]
fn status_messages_of_grpc_keep_spaces() {
    encodes(Encoder::new(sets::GRPC_MESSAGE), "a b%\né", "a b%25%0A%C3%A9");
}

#[test]
fn paths_and_search_words_of_cgi_are_encoded() {
    // The first input is the example of RFC 3875 4.1.6, which prints the digits in lower case. The last input is a
    // search word (RFC 3875 4.4).
    encodes(Encoder::new(sets::RFC3875_EXTRA_PATH), "/this.is.the.path;info", "/this.is.the.path%3Binfo");
    encodes(Encoder::new(sets::RFC3875_EXTRA_PATH).lowercase(), "/this.is.the.path;info", "/this.is.the.path%3binfo");
    encodes(Encoder::new(sets::RFC3875_SEARCH_WORD), "a=b+c d", "a%3Db%2Bc%20d");
}

#[test]
fn encode_uri_leaves_reserved_characters_and_encode_uri_component_does_not() {
    // ECMA-262 19.2.6.
    encodes(presets::ECMA_ENCODE_URI, ";/?:@&=+$,# -_.!~*'()", ";/?:@&=+$,#%20-_.!~*'()");
    encodes(presets::ECMA_ENCODE_URI_COMPONENT, ";/?:", "%3B%2F%3F%3A");
}

/// The inputs on which decoders differ most. Each has the result of a lenient decoder and the error of a strict one.
/// The error is `None` if the input is well-formed percent-encoding, but the decoded bytes are not UTF-8.
const MALFORMED: [(&str, &[u8], Option<(usize, DecodeErrorKind)>); 9] = [
    ("%", b"%", Some((0, DecodeErrorKind::Truncated))),
    ("a%4", b"a%4", Some((1, DecodeErrorKind::Truncated))),
    ("%zz", b"%zz", Some((0, DecodeErrorKind::NotHex))),
    ("%4z", b"%4z", Some((0, DecodeErrorKind::NotHex))),
    ("%%41", b"%A", Some((0, DecodeErrorKind::NotHex))),
    ("%+1", b"%+1", Some((0, DecodeErrorKind::NotHex))),
    ("%c0%ae", b"\xC0\xAE", None),
    ("%ff", b"\xFF", None),
    ("%u0041", b"%u0041", Some((0, DecodeErrorKind::NotHex))),
];

#[test]
fn lenient_decoders_keep_malformed_input() {
    for (input, expected, wrong) in MALFORMED {
        decodes(input, expected);
        for engine in Engine::available() {
            let decoder = Decoder::new().with_engine(engine);
            let noted = internal::decode_with_report(&decoder, input);
            assert_eq!(noted.first_malformed, wrong.map(|(offset, _)| offset), "{engine} {input}");
            assert_eq!(decoder.first_malformed(input), noted.first_malformed, "{engine} {input}");
            assert_eq!(decoder.decode_utf8(input).is_err(), wrong.is_none(), "{engine} {input}");
        }
    }
}

#[test]
fn strict_decoders_stop_at_malformed_input() {
    for (input, bytes, wrong) in MALFORMED {
        for engine in Engine::available() {
            let strict = Decoder::new().with_engine(engine).strict();
            let got = strict.decode(input);
            match wrong {
                None => assert_eq!(got.unwrap(), bytes, "{engine} {input}"),
                Some(wrong) => assert_eq!(got.map_err(common::fault), Err(wrong), "{engine} {input}"),
            }
        }
        let (offset, kind) = wrong.unwrap_or((0, DecodeErrorKind::InvalidUtf8));
        refuses(Decoder::strict, input, offset, kind);
    }
}

#[test]
fn separators_can_be_left_encoded() {
    // RFC 3986 2.2, 7.3: a decoded separator would change how a path is split. The triplet of a separator stays, so a
    // path can be split after decoding.
    let path = Decoder::new().keep(ByteSet::of(b"/\\%\0"));
    for engine in Engine::available() {
        let path = path.with_engine(engine);
        assert_eq!(path.decode("/a%2Fb%2f%5C%00/%2e%2E/%252F"), &b"/a%2Fb%2f%5C%00/../%252F"[..]);
        // Decoding the result a second time makes no separator either.
        assert_eq!(path.decode("/a%%32%46../%%30%30/%2%46%%32Fb"), &b"/a%%32%46../%%30%30/%2%46%%32Fb"[..]);
    }
}

#[test]
fn normalising_upper_cases_what_it_keeps() {
    // RFC 3986 6.2.2.1 and 6.2.2.2.
    for engine in Engine::available() {
        let normal = Decoder::new().keep_upper(!sets::RFC3986_UNRESERVED).with_engine(engine);
        assert_eq!(normal.decode("%7euser%2f%c3%a9%2D%zz%"), &b"~user%2F%C3%A9-%zz%"[..]);
        assert_eq!(normal.decode("/%%32%46%7e"), &b"/%%32%46~"[..]);
    }
}
