//! Tests the URL Standard: its sets, its parser's encoding of components, and percent-encoding after encoding.
//!
//! The oracles work character by character, and don't share code with the library.
#![cfg(feature = "std")]

use crate::common;

use std::borrow::Cow;

use common::{URL_SETS, check, scale, url_encode, url_opaque_path, url_path};
use percent_standards::whatwg;
use quickcheck::{Arbitrary, Gen};

#[derive(Clone, Debug)]
struct Text(String);

impl Arbitrary for Text {
    fn arbitrary(g: &mut Gen) -> Text {
        let pool: Vec<&str> =
            "/ / / \\ . .. %2e %2E %2f % %zz %41 ? # ' \" ^ ` { } | C| c: a é 日 ☃ \u{E} \u{1B} \0 & = +"
                .split(' ')
                .chain([" "])
                .collect();
        let most = if u8::arbitrary(g) == 0 { 2000 } else { 20 };
        let length = usize::arbitrary(g) % most;
        Text((0..length).map(|_| *g.choose(&pool).unwrap()).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Text>> {
        Box::new(self.0.shrink().map(Text))
    }
}

#[test]
fn encoders_match_the_sets_of_the_standard() {
    for (name, encoder) in URL_SETS {
        for c in ('\0'..='\u{FF}').chain(['日', '😀']) {
            assert_eq!(encoder.encode(c.encode_utf8(&mut [0; 4])), url_encode(name, &c.to_string()), "{name}: {c:?}");
        }
    }
}

#[test]
fn paths_match_the_parser() {
    fn property(Text(input): Text, which: u8) {
        for scheme in ["http", "file", "foo", ["FTP", "File", "wss", ""][usize::from(which % 4)]] {
            let expected = url_path(&scheme.to_lowercase(), &input);
            let got = whatwg::encode_path(scheme, &input);
            assert_eq!(got, expected, "{scheme} {input:?}");
            assert_eq!(matches!(got, Cow::Borrowed(_)), input == expected, "{scheme} {input:?}: borrowed, or not");
            // Encoding the result again has no effect.
            assert_eq!(whatwg::encode_path(scheme, &expected), expected);
            assert!(got.len() <= whatwg::max_encoded_len(input.len()).unwrap());
        }
    }
    check(6000, property as fn(Text, u8));
}

#[test]
fn queries_depend_on_the_scheme() {
    fn property(Text(input): Text) {
        assert_eq!(whatwg::encode_query("HTTP", &input), url_encode("special-query", &input));
        assert_eq!(whatwg::encode_query("httpx", &input), url_encode("query", &input));
        for (name, encoder) in URL_SETS {
            assert_eq!(encoder.encode(&input), url_encode(name, &input));
        }
    }
    check(2000, property as fn(Text));
}

#[test]
fn opaque_paths_match_the_parser() {
    fn property(Text(input): Text, is_followed: bool) {
        let expected = url_opaque_path(&input, is_followed);
        let got = whatwg::encode_opaque_path(&input, is_followed);
        assert_eq!(got, expected);
        assert_eq!(matches!(got, Cow::Borrowed(_)), input == expected, "{input:?}: borrowed, or not");
    }
    check(2000, property as fn(Text, bool));
}

#[test]
fn dot_segments_are_recognized_in_any_spelling() {
    // 4.1: "single-dot" and "double-dot URL path segment".
    for dot in [".", "%2e", "%2E"] {
        assert!(whatwg::is_single_dot(dot) && !whatwg::is_double_dot(dot));
        for other in [".", "%2e", "%2E"] {
            let two = [dot, other].concat();
            assert!(whatwg::is_double_dot(&two) && !whatwg::is_single_dot(&two), "{two}");
        }
    }
    for neither in ["", "...", "%2", "%2f", ".%", "%2e%2e%2e", "%%2e", ".a", "a.", "%252e", "．", "%C0%AE"] {
        assert!(!whatwg::is_single_dot(neither) && !whatwg::is_double_dot(neither), "{neither}");
    }
}

#[test]
fn examples_of_components() {
    // The special-query set contains `'`. The path set doesn't (1.3).
    assert_eq!(whatwg::encode_path("http", "/a'b"), "/a'b");
    assert_eq!(whatwg::encode_query("http", "c'd"), "c%27d");
    assert_eq!(whatwg::encode_query("data", "c'd"), "c'd");
    // Since 2025, `^` is in the path set. It was never in the query set. A `\` separates segments only in special
    // schemes.
    assert_eq!(whatwg::encode_path("http", "/^`{}|\"\\x"), "/%5E%60%7B%7D|%22/x");
    assert_eq!(whatwg::encode_path("foo", "/^`{}|\"\\x"), "/%5E%60%7B%7D|%22\\x");
    assert_eq!(whatwg::encode_query("http", "^`{}|\\"), "^`{}|\\");
    // The sets of the parser don't contain `%`.
    assert_eq!(whatwg::encode_path("http", "/%zz%"), "/%zz%");
    assert_eq!(whatwg::encode_query("http", "%2"), "%2");
    // An escaped dot counts as a dot. An escaped slash doesn't count as a slash.
    assert_eq!(whatwg::encode_path("http", "/a%2fb/%2E%2e/c"), "/c");
    assert_eq!(whatwg::encode_path("http", "/a/%2e"), "/a/");
    assert_eq!(whatwg::encode_path("http", "/../../.."), "/");
    assert_eq!(whatwg::encode_path("http", ""), "/");
    assert_eq!(whatwg::encode_path("foo", ""), "");
    assert_eq!(whatwg::encode_path("file", "/C|/../.."), "/C:/");
    assert_eq!(whatwg::encode_path("file", "/C|/D|"), "/C:/D|"); // only the first drive letter counts
    assert_eq!(whatwg::encode_path("file", "/C:/D:/.."), "/C:/");
    assert_eq!(whatwg::encode_path("file", "/a/../C|/.."), "/C:/");
    assert_eq!(whatwg::encode_path("file", "/1:/../C:/x"), "/C:/x"); // a digit can't be a drive letter
    assert_eq!(whatwg::encode_path("http", "/C|/.."), "/");
    assert_eq!(whatwg::encode_path("file", "/%2E/a/../C|"), "/C:");
    assert_eq!(whatwg::encode_path("file", "/a/./C|"), "/a/C|"); // not in the first segment
    assert_eq!(whatwg::encode_path("file", "/a/b/../C|"), "/a/C|");
    assert_eq!(whatwg::encode_path("file", "C|\\..\\x"), "/C:/x");
    // Only the first segment can be a drive letter.
    for same in ["//A|", "/a/C|", "/C:/d", "/C:", "/C:/.a", "/C:/%41"] {
        assert!(matches!(whatwg::encode_path("file", same), Cow::Borrowed(path) if path == same), "{same}");
    }
    // The set of the userinfo encodes `:` and `@`. In opaque paths, spaces stay.
    assert_eq!(whatwg::USERINFO.encode("a:b@c%"), "a%3Ab%40c%");
    assert_eq!(whatwg::C0_CONTROL.encode("a b\u{7F}é"), "a b%7F%C3%A9");
    // The opaque path state. The flag is true if a `?` or `#` follows the path, and false at the end of the URL.
    assert_eq!(whatwg::encode_opaque_path(" é  ", true), " %C3%A9 %20");
    assert_eq!(whatwg::encode_opaque_path(" ", true), "%20");
    assert_eq!(whatwg::encode_opaque_path(" ", false), " ");
    assert_eq!(whatwg::encode_opaque_path("", true), "");
    assert_eq!(whatwg::FRAGMENT.encode("a b`#{"), "a%20b%60#{");
    // A truncated triplet at the end is kept.
    assert_eq!(whatwg::percent_decode("%%41%2"), &b"%A%2"[..]);
}

#[test]
fn many_dots_take_linear_time() {
    let n = scale(200_000);
    assert_eq!(whatwg::encode_path("http", &"/..".repeat(n)), "/");
    assert_eq!(whatwg::encode_path("http", &("/a".repeat(n) + &"/%2e%2e".repeat(n))), "/");
    assert_eq!(whatwg::encode_path("http", &"\\".repeat(n)).len(), n);
}

#[cfg(feature = "encoding")]
mod after_encoding {
    use super::*;
    use crate::common::{Part, url_encode_parts};
    use percent_standards::charset::Charset;
    use whatwg::percent_encode_after_encoding;

    /// Runs the algorithm of URL 1.3, but with a new encoder for each character. The result is right only for charsets
    /// without states.
    fn expected(charset: Charset, set: &str, text: &str) -> String {
        let encoding = encoding_rs::Encoding::for_label(charset.output_encoding().name().as_bytes()).unwrap();
        let part = |c: char| match encoding.encode(c.encode_utf8(&mut [0; 4])) {
            (_, _, true) => Part::Error(c.into()),
            (bytes, _, false) => Part::Bytes(bytes.into_owned()),
        };
        url_encode_parts(set, text.chars().map(part))
    }

    #[test]
    fn stateless_charsets_match_the_oracle() {
        fn property(Text(input): Text) {
            for name in ["windows-1252", "shift_jis", "gb18030", "big5", "utf-16le", "koi8-r", "euc-jp", "utf-8"] {
                let charset = Charset::for_label(name).unwrap();
                for (set, encoder) in URL_SETS {
                    let got = percent_encode_after_encoding(charset, &input, &encoder);
                    assert_eq!(got, expected(charset, set, &input), "{name} {set}");
                    assert!(got.len() <= whatwg::max_encoded_len(input.len()).unwrap());
                }
                assert_eq!(
                    whatwg::encode_query_in("https", charset, &input),
                    expected(charset, "special-query", &input)
                );
                for other in ["ws", "WSS"] {
                    assert_eq!(whatwg::encode_query_in(other, charset, &input), url_encode("special-query", &input));
                }
                assert_eq!(whatwg::encode_query_in("foo", charset, &input), url_encode("query", &input));
            }
        }
        check(600, property as fn(Text));
    }

    #[test]
    fn one_encoder_converts_the_whole_input() {
        let jp = |text| percent_encode_after_encoding(Charset::ISO_2022_JP, text, &whatwg::QUERY).into_owned();
        // U+001B would shift to another set of characters. So the encoder first returns to ASCII, and then writes a
        // reference to U+FFFD (Encoding Standard 12.2.2).
        assert_eq!(jp("日本\u{1B}語"), "%1B$BF|K\\%1B(B%26%2365533%3B%1B$B8l%1B(B");
        // In ISO-2022-JP, the first byte of a katakana letter is 0x25, the byte of `%`. In a query, this byte stays a
        // raw `%`.
        assert_eq!(jp("アイウ"), "%1B$B%%22%$%&%1B(B");
        // In the Roman state, an error doesn't shift to ASCII.
        assert_eq!(jp("¥\u{E}¥"), "%1B(J\\%26%2365533%3B\\%1B(B");
        assert_eq!(jp("¥☃¥"), "%1B(J\\%26%239731%3B\\%1B(B");
        // The set for forms encodes every byte of an escape sequence, except letters and digits.
        let form = percent_encode_after_encoding(Charset::ISO_2022_JP, "ア 日", &whatwg::FORM);
        assert_eq!(form, "%1B%24B%25%22%1B%28B+%1B%24BF%7C%1B%28B");
        let bytes = percent_simd::Decoder::new().plus(percent_simd::Plus::Always);
        assert_eq!(Charset::ISO_2022_JP.percent_decode(bytes, &*form).unwrap(), "ア 日");
    }

    #[test]
    fn the_longest_result_is_fourteen_times_the_input() {
        const CONTROLS: &str = "\u{E}\u{E}\u{F}\u{1B}";
        let long = percent_encode_after_encoding(Charset::ISO_2022_JP, CONTROLS, &whatwg::FORM);
        assert_eq!(Some(long.len()), whatwg::max_encoded_len(CONTROLS.len()));
        fn property(Text(input): Text) {
            let input = input.replace('a', "\u{E}").replace('.', "¥").replace('☃', "я");
            let long = percent_encode_after_encoding(Charset::ISO_2022_JP, &input, &whatwg::FORM);
            assert!(long.len() <= whatwg::max_encoded_len(input.len()).unwrap());
        }
        check(2000, property as fn(Text));
    }

    #[test]
    fn charsets_that_are_no_output_encoding_use_utf_8() {
        for charset in [Charset::UTF_16BE, Charset::UTF_16LE, Charset::UTF_32BE, Charset::IBM037] {
            assert_eq!(percent_encode_after_encoding(charset, "£円", &whatwg::FORM), "%C2%A3%E5%86%86");
        }
    }
}
