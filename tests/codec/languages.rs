//! Cases from the test suites of other languages.

use percent_simd::{Decoder, Plus, presets};
use percent_simd_oracle as _; // its time limit ends a suite that hangs

/// curl, tests/unit/unit1396.c, at dc27cdc9254f: all rows of `curl_easy_unescape` and `curl_easy_escape`.
#[test]
fn curl() {
    for (input, expected) in [
        ("%61", &b"a"[..]),
        ("%61a", b"aa"),
        ("%61b", b"ab"),
        ("%6 1", b"%6 1"),
        ("%", b"%"),
        ("%6", b"%6"),
        ("%6%a", b"%6%a"),
        ("%6a", b"j"),
        ("%FF", b"\xFF"),
        ("%FF%00%ff", b"\xFF\0\xFF"),
        ("%-2", b"%-2"),
        ("%FG", b"%FG"),
    ] {
        assert_eq!(Decoder::new().decode(input), expected, "{input}");
    }
    for (input, expected) in [
        (&b"a"[..], "a"),
        (b"/", "%2F"),
        (b"a=b", "a%3Db"),
        (b"a=", "a%3D"),
        (b"1/./0", "1%2F.%2F0"),
        (b"-._~!#%&", "-._~%21%23%25%26"),
        (b"a\0", "a%00"),
        (b"a\xFF\x01g", "a%FF%01g"),
    ] {
        assert_eq!(presets::CURL_EASY_ESCAPE.encode(input), expected);
    }
}

/// Go, src/net/url/url_test.go, at 617782b32632: all rows of `unescapeTests`, `queryEscapeTests` and `pathEscapeTests`.
/// `queryEscapeTests` and `pathEscapeTests` are one table here.
#[test]
fn go() {
    let decoder = Decoder::new().plus(Plus::Always).strict();
    for (input, expected) in [
        ("", Some("")),
        ("abc", Some("abc")),
        ("1%41", Some("1A")),
        ("1%41%42%43", Some("1ABC")),
        ("%4a", Some("J")),
        ("%6F", Some("o")),
        ("%", None),
        ("%a", None),
        ("%1", None),
        ("123%45%6", None),
        ("%zzzzz", None),
        ("a+b", Some("a b")),
        ("a%20b", Some("a b")),
    ] {
        assert_eq!(decoder.decode_utf8(input).ok().as_deref(), expected, "{input}");
    }
    let query = presets::GO_QUERY_ESCAPE;
    let path = presets::GO_PATH_ESCAPE;
    for (input, in_query, in_path) in [
        ("", "", ""),
        ("abc", "abc", "abc"),
        ("abc+def", "abc%2Bdef", "abc+def"),
        ("a/b", "a%2Fb", "a%2Fb"),
        ("one two", "one+two", "one%20two"),
        ("10%", "10%25", "10%25"),
        (
            " ?&=#+%!<>#\"{}|\\^[]`☺\t:/@$'()*,;",
            "+%3F%26%3D%23%2B%25%21%3C%3E%23%22%7B%7D%7C%5C%5E%5B%5D%60%E2%98%BA%09%3A%2F%40%24%27%28%29%2A%2C%3B",
            "%20%3F&=%23+%25%21%3C%3E%23%22%7B%7D%7C%5C%5E%5B%5D%60%E2%98%BA%09:%2F@$%27%28%29%2A%2C%3B",
        ),
    ] {
        assert_eq!(query.encode(input), in_query, "{input}");
        assert_eq!(path.encode(input), in_path, "{input}");
        assert_eq!(decoder.decode_utf8(in_query).unwrap(), input);
    }
}

/// CPython 3.11.7, Lib/test/test_urllib.py: `QuotingTests`, `UnquotingTests`. `crates/python/scripts/test` runs this whole
/// Python file, with its tests of other charsets, other safe characters and `errors=`.
#[test]
fn python() {
    let quote = presets::PY_QUOTE;
    let quote_plus = presets::PY_QUOTE_PLUS;
    // test_never_quote, test_default_safe, test_default_quoting
    let never = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~";
    assert_eq!(quote.encode(never), never);
    assert_eq!(quote_plus.encode(never), never);
    assert_eq!(quote.encode("/"), "/");
    for byte in (0..0x20).chain(*b"<>#%\"{}|\\^[]`\x7F") {
        assert_eq!(quote.encode(&[byte][..]), format!("%{byte:02X}"));
    }
    // test_quoting_space, test_quoting_plus, test_quote_bytes, test_quote_with_unicode, test_quote_plus_with_unicode
    for (input, quoted, plus) in [
        (&b" "[..], "%20", "+"),
        (b"a b cd e f", "a%20b%20cd%20e%20f", "a+b+cd+e+f"),
        (b"alpha+beta gamma", "alpha%2Bbeta%20gamma", "alpha%2Bbeta+gamma"),
        (b"\xA2\xD8ab\xFF", "%A2%D8ab%FF", "%A2%D8ab%FF"),
        ("\u{A2}\u{D8}ab\u{FF}".as_bytes(), "%C2%A2%C3%98ab%C3%BF", "%C2%A2%C3%98ab%C3%BF"),
        ("\u{6F22}\u{5B57}".as_bytes(), "%E6%BC%A2%E5%AD%97", "%E6%BC%A2%E5%AD%97"),
    ] {
        assert_eq!(quote.encode(input), quoted);
        assert_eq!(quote_plus.encode(input), plus);
    }
    // test_unquoting_badpercent, test_unquoting_mixed_case, test_unquoting_parts, test_unquoting_plus, test_unquote_with_unicode
    for (input, expected) in [
        ("%xab", "%xab"),
        ("%x", "%x"),
        ("%", "%"),
        ("%Ab%eA", "\u{FFFD}\u{FFFD}"),
        ("ab%63d", "abcd"),
        ("are+there+spaces...", "are+there+spaces..."),
        ("br%C3%BCckner_sapporo_20050930.doc", "br\u{FC}ckner_sapporo_20050930.doc"),
        ("%", "%"),
        ("%F3%B1", "\u{FFFD}"),
        ("%C3%98", "\u{D8}"),
        ("\u{6F22}%C3%BC", "\u{6F22}\u{FC}"),
    ] {
        assert_eq!(Decoder::new().decode_utf8_lossy(input), expected, "{input}");
    }
    // unquote_to_bytes
    for (input, expected) in [("%xab", &b"%xab"[..]), ("%Ab%eA", b"\xAB\xEA"), ("%A2%d8ab%FF", b"\xA2\xD8ab\xFF")] {
        assert_eq!(Decoder::new().decode(input), expected, "{input}");
    }
    let plus = Decoder::new().plus(Plus::Always);
    assert_eq!(plus.decode("are+there+spaces..."), &b"are there spaces..."[..]);
}
