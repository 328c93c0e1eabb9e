//! Checks the cases of web-platform-tests for the URL, Encoding, Fetch and Infra Standards, file by file. A comment
//! names each file, and the commit that our rows were compared with. Rows that later commits added are also included.

use percent_simd::{Encoder, sets};
use percent_standards::uri::data::{DataUrl, forgiving_base64};
use percent_standards::{form, whatwg};

/// url/resources/urlencoded-parser-data.json, at d1655f32e1b7.
#[test]
fn urlencoded_parser() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("test", &[("test", "")]),
        ("\u{FEFF}test=\u{FEFF}", &[("\u{FEFF}test", "\u{FEFF}")]),
        ("%EF%BB%BFtest=%EF%BB%BF", &[("\u{FEFF}test", "\u{FEFF}")]),
        ("%EF%BF%BF=%EF%BF%BF", &[("\u{FFFF}", "\u{FFFF}")]),
        ("%FE%FF", &[("\u{FFFD}\u{FFFD}", "")]),
        ("%FF%FE", &[("\u{FFFD}\u{FFFD}", "")]),
        ("†&†=x", &[("†", ""), ("†", "x")]),
        ("%C2", &[("\u{FFFD}", "")]),
        ("%C2x", &[("\u{FFFD}x", "")]),
        ("_charset_=windows-1252&test=%C2x", &[("_charset_", "windows-1252"), ("test", "\u{FFFD}x")]),
        ("", &[]),
        ("a", &[("a", "")]),
        ("a=b", &[("a", "b")]),
        ("a=", &[("a", "")]),
        ("=b", &[("", "b")]),
        ("&", &[]),
        ("&a", &[("a", "")]),
        ("a&", &[("a", "")]),
        ("a&a", &[("a", ""), ("a", "")]),
        ("a&b&c", &[("a", ""), ("b", ""), ("c", "")]),
        ("a=b&c=d", &[("a", "b"), ("c", "d")]),
        ("a=b&c=d&", &[("a", "b"), ("c", "d")]),
        ("&&&a=b&&&&c=d&", &[("a", "b"), ("c", "d")]),
        ("a=a&a=b&a=c", &[("a", "a"), ("a", "b"), ("a", "c")]),
        ("a==a", &[("a", "=a")]),
        ("a=a+b+c+d", &[("a", "a b c d")]),
        ("%=a", &[("%", "a")]),
        ("%a=a", &[("%a", "a")]),
        ("%a_=a", &[("%a_", "a")]),
        ("%61=a", &[("a", "a")]),
        ("%61+%4d%4D=", &[("a MM", "")]),
        ("id=0&value=%", &[("id", "0"), ("value", "%")]),
        ("b=%2sf%2a", &[("b", "%2sf*")]),
        ("b=%2%2af%2a", &[("b", "%2*f*")]),
        ("b=%%2a", &[("b", "%*")]),
    ];
    for &(input, expected) in cases {
        let found: Vec<(String, String)> = form::parse(input).into_owned().collect();
        let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(found, expected, "{input}");
    }
}

/// url/resources/setters_tests.json, at 3d12af38b405. It shows how each component encodes every kind of byte, and
/// triplets. The rows about other things are left out: the rest of the URL, opaque paths, ports, hosts and schemes.
#[test]
fn setters_encode() {
    let all = "\0\u{1}\t\n\r\u{1F} !\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~\u{7F}\u{80}\u{81}Éé";
    let userinfo = "%00%01%09%0A%0D%1F%20!%22%23$%&'()*+,-.%2F09%3A%3B%3C%3D%3E%3F%40AZ%5B%5C%5D%5E_%60az%7B%7C%7D~%7F%C2%80%C2%81%C3%89%C3%A9";
    // The URL parser removes these characters before it reaches a component (4.4, step 3).
    let parsed = all.replace(['\t', '\n', '\r'], "");
    // "username", "password"
    assert_eq!(Encoder::new(sets::WHATWG_USERINFO).encode(all), userinfo);
    // The rows of "pathname". The standard's path percent-encode set has had `^` since March 2025.
    let path = "/%00%01%1F%20!%22%23$%&'()*+,-./09:;%3C=%3E%3F@AZ[\\]%5E_%60az%7B|%7D~%7F%C2%80%C2%81%C3%89%C3%A9";
    assert_eq!(whatwg::encode_path("a", &parsed), path);
    assert_eq!(Encoder::new(sets::WHATWG_PATH_PRE2024).encode(&parsed), path[1..].replace("%5E", "^"));
    // "search"
    let query = "%00%01%1F%20!%22%23$%&'()*+,-./09:;%3C=%3E?@AZ[\\]^_`az{|}~%7F%C2%80%C2%81%C3%89%C3%A9";
    assert_eq!(whatwg::encode_query("a", &parsed), query);
    assert_eq!(whatwg::encode_query("http", &parsed), query.replace('\'', "%27"));
    // "hash"
    let fragment = "%00%01%1F%20!%22#$%&'()*+,-./09:;%3C=%3E?@AZ[\\]^_%60az{|}~%7F%C2%80%C2%81%C3%89%C3%A9";
    assert_eq!(Encoder::new(sets::WHATWG_FRAGMENT).encode(&parsed), fragment);
    // "Bytes already percent-encoded are left as-is."
    for set in [sets::WHATWG_USERINFO, sets::WHATWG_PATH, sets::WHATWG_QUERY, sets::WHATWG_FRAGMENT] {
        assert_eq!(Encoder::new(set).encode("%c3%89té"), "%c3%89t%C3%A9");
    }
    // "hash"
    for (input, expected) in [
        ("foo bar", "foo%20bar"),
        ("foo\"bar", "foo%22bar"),
        ("foo<bar", "foo%3Cbar"),
        ("foo>bar", "foo%3Ebar"),
        ("foo`bar", "foo%60bar"),
        ("a\0b", "a%00b"),
        ("#main", "#main"),
        (" ", "%20"),
        ("\0", "%00"),
    ] {
        assert_eq!(Encoder::new(sets::WHATWG_FRAGMENT).encode(input), expected);
    }
    // The rows of "pathname". If there is no host, and the path begins with two slashes, the URL serializer (4.5)
    // writes `/.` before the path. `encode_path` doesn't.
    for (scheme, input, expected) in [
        ("unix", "/var/log/../run/bar.socket", "/var/run/bar.socket"),
        ("https", "home", "/home"),
        ("https", "../home", "/home"),
        ("http", "\\a\\%2E\\b\\%2e.\\c", "/a/c"),
        ("view-source+http", "\\a\\%2E\\b\\%2e.\\c", "/\\a\\%2E\\b\\%2e.\\c"),
        ("http", "%2e%2E%c3%89té", "/%2e%2E%c3%89t%C3%A9"),
        ("http", "?", "/%3F"),
        ("http", "#", "/%23"),
        ("sc", "?", "/%3F"),
        ("sc", "#", "/%23"),
        ("http", "/?é", "/%3F%C3%A9"),
        ("http", "/#é", "/%23%C3%A9"),
        ("foo", "", ""),
        ("foo", "test", "/test"),
        ("non-spec", "/.//p", "//p"),
        ("non-spec", "/..//p", "//p"),
        ("non-spec", "//p", "//p"),
        ("non-spec", "p", "/p"),
        ("file", "\\\\", "//"),
        ("file", "//\\/", "////"),
        ("file", "//monkey/..//", "///"),
        ("file", "", "/"),
        ("data", "space ", "/space%20"),
        ("sc", "space ", "/space%20"),
        ("http", " ", "/%20"),
        ("http", "\0", "/%00"),
    ] {
        assert_eq!(whatwg::encode_path(scheme, input), expected, "{scheme} {input}");
    }
    // "search"
    for (input, expected) in [("lang=fr", "lang=fr"), ("?lang=fr", "?lang=fr"), (" ", "%20"), ("\0", "%00")] {
        assert_eq!(whatwg::encode_query("https", input), expected, "{input}");
    }
}

/// url/resources/percent-encoding.json, at 6d5d7f875fb8.
#[cfg(feature = "encoding")]
#[test]
fn percent_encoding_in_a_charset() {
    use percent_standards::charset::Charset;
    for (input, charset, expected) in [
        ("†", "utf-8", "%E2%80%A0"),
        ("†", "windows-1252", "%86"),
        ("\u{E}A", "utf-8", "%0EA"),
        ("\u{E}A", "iso-2022-jp", "%26%2365533%3BA"),
        ("\u{203E}\\", "utf-8", "%E2%80%BE\\"),
        ("\u{203E}\\", "iso-2022-jp", "%1B(J~%1B(B\\"),
        ("\u{E5E5}", "utf-8", "%EE%97%A5"),
        ("\u{E5E5}", "gb18030", "%26%2358853%3B"),
        ("\u{2212}", "utf-8", "%E2%88%92"),
        ("\u{2212}", "shift_jis", "%81|"),
        ("á|", "utf-8", "%C3%A1|"),
    ] {
        let charset = Charset::for_label(charset).unwrap();
        assert_eq!(whatwg::encode_query_in("http", charset, input), expected, "{input}");
    }
}

/// fetch/data-urls/resources/base64.json, at d24c7a04bc8a.
#[test]
fn base64() {
    let cases: &[(&[u8], &[&str])] = &[
        (&[], &[""]),
        (
            &[105, 183, 29],
            &[
                "abcd",
                " abcd",
                "abcd ",
                "ab\tcd",
                "ab\ncd",
                "ab\x0Ccd",
                "ab\rcd",
                "ab cd",
                "ab\t\n\x0C\r cd",
                " \t\n\x0C\r ab\t\n\x0C\r cd\t\n\x0C\r ",
            ],
        ),
        (&[105], &["ab", "ab==", "ab\t\n\x0C\r =\t\n\x0C\r =\t\n\x0C\r "]),
        (&[105, 183], &["abc", "abc="]),
        (&[252], &["/A"]),
        (&[255, 240], &["//A"]),
        (&[255, 255, 192], &["///A"]),
        (&[3], &["A/"]),
        (&[0, 15], &["AA/"]),
        (&[0, 0, 63], &["AAA/"]),
    ];
    for &(bytes, inputs) in cases {
        for input in inputs {
            assert_eq!(forgiving_base64(*input).as_deref(), Ok(bytes), "{input:?}");
        }
    }
    for bad in [
        " abcd===", "abcd=== ", "abcd ===", "a", "abcde", "𐀀", "=", "==", "===", "====", "=====", "a=", "a==", "a===",
        "a====", "a=====", "ab=", "ab===", "ab====", "ab=====", "abc==", "abc===", "abc====", "abc=====", "abcd=",
        "abcd==", "abcd===", "abcd====", "abcd=====", "abcde=", "abcde==", "abcde===", "abcde====", "abcde=====", "=a",
        "=a=", "a=b", "a=b=", "ab=c", "ab=c=", "abc=d", "abc=d=", "ab\u{A0}cd", "A", "////A", "/", "AAAA/",
        "\0nonsense", "abcd\0nonsense",
    ] {
        assert!(forgiving_base64(bad).is_err(), "{bad:?}");
    }
}

/// fetch/data-urls/resources/data-urls.json: the URL, the MIME type, and the body.
///
/// Some rows differ from version 17f202dd17d1 of the file, because the Fetch Standard has changed since. It now allows
/// spaces between `;` and `base64`. If a quoted value is cut off, the result now has it, as `a=""`. An empty type in
/// the file means `text/plain;charset=US-ASCII`.
///
/// `data://test:test/,X` is left out, because the URL parser refuses its port before a fetch begins.
#[test]
fn data_urls() {
    let usual = "text/plain;charset=US-ASCII";
    let cases: &[(&str, &str, &[u8])] = &[
        ("data://test/,X", usual, b"X"),
        ("data:,X", usual, b"X"),
        ("data:,X#X", usual, b"X"),
        ("data:,%FF", usual, b"\xFF"),
        ("data:text/plain,X", "text/plain", b"X"),
        ("data:text/plain ,X", "text/plain", b"X"),
        ("data:text/plain%20,X", "text/plain%20", b"X"),
        ("data:text/plain\x0C,X", "text/plain%0c", b"X"),
        ("data:text/plain%0C,X", "text/plain%0c", b"X"),
        ("data:text/plain;,X", "text/plain", b"X"),
        ("data:;x=x;charset=x,X", "text/plain;x=x;charset=x", b"X"),
        ("data:;x=x,X", "text/plain;x=x", b"X"),
        ("data:text/plain;charset=windows-1252,%C2%B1", "text/plain;charset=windows-1252", b"\xC2\xB1"),
        ("data:text/plain;Charset=UTF-8,%C2%B1", "text/plain;charset=UTF-8", b"\xC2\xB1"),
        ("data:text/plain;charset=windows-1252,áñçə💩", "text/plain;charset=windows-1252", "áñçə💩".as_bytes()),
        ("data:text/plain;charset=UTF-8,áñçə💩", "text/plain;charset=UTF-8", "áñçə💩".as_bytes()),
        ("data:image/gif,%C2%B1", "image/gif", b"\xC2\xB1"),
        ("data:IMAGE/gif,%C2%B1", "image/gif", b"\xC2\xB1"),
        ("data:IMAGE/gif;hi=x,%C2%B1", "image/gif;hi=x", b"\xC2\xB1"),
        ("data:IMAGE/gif;CHARSET=x,%C2%B1", "image/gif;charset=x", b"\xC2\xB1"),
        ("data: ,%FF", usual, b"\xFF"),
        ("data:%20,%FF", usual, b"\xFF"),
        ("data:\x0C,%FF", usual, b"\xFF"),
        ("data:%1F,%FF", usual, b"\xFF"),
        ("data:\0,%FF", usual, b"\xFF"),
        ("data:%00,%FF", usual, b"\xFF"),
        ("data:text/html  ,X", "text/html", b"X"),
        ("data:text / html,X", usual, b"X"),
        ("data:†,X", usual, b"X"),
        ("data:†/†,X", "%e2%80%a0/%e2%80%a0", b"X"),
        ("data:X,X", usual, b"X"),
        ("data:image/png,X X", "image/png", b"X X"),
        ("data:application/javascript,X X", "application/javascript", b"X X"),
        ("data:application/xml,X X", "application/xml", b"X X"),
        ("data:text/javascript,X X", "text/javascript", b"X X"),
        ("data:text/plain,X X", "text/plain", b"X X"),
        ("data:unknown/unknown,X X", "unknown/unknown", b"X X"),
        ("data:text/plain;a=\",\",X", "text/plain;a=\"\"", b"\",X"),
        ("data:text/plain;a=%2C,X", "text/plain;a=%2C", b"X"),
        ("data:;base64;base64,WA", "text/plain", b"X"),
        ("data:x/x;base64;base64,WA", "x/x", b"X"),
        ("data:x/x;base64;charset=x,WA", "x/x;charset=x", b"WA"),
        ("data:x/x;base64;charset=x;base64,WA", "x/x;charset=x", b"X"),
        ("data:x/x;base64;base64x,WA", "x/x", b"WA"),
        ("data:;base64,W%20A", usual, b"X"),
        ("data:;base64,W%0CA", usual, b"X"),
        ("data:x;base64x,WA", usual, b"WA"),
        ("data:x;base64;x,WA", usual, b"WA"),
        ("data:x;base64=x,WA", usual, b"WA"),
        ("data:; base64,WA", usual, b"X"),
        ("data:;  base64,WA", usual, b"X"),
        ("data:  ;charset=x   ;  base64,WA", "text/plain;charset=x", b"X"),
        ("data:;base64;,WA", "text/plain", b"WA"),
        ("data:;base64 ,WA", usual, b"X"),
        ("data:;base64   ,WA", usual, b"X"),
        ("data:;base 64,WA", "text/plain", b"WA"),
        ("data:;BASe64,WA", usual, b"X"),
        ("data:;%62ase64,WA", "text/plain", b"WA"),
        ("data:%3Bbase64,WA", usual, b"WA"),
        ("data:;charset=x,X", "text/plain;charset=x", b"X"),
        ("data:; charset=x,X", "text/plain;charset=x", b"X"),
        ("data:;charset =x,X", "text/plain", b"X"),
        ("data:;charset= x,X", "text/plain;charset=\" x\"", b"X"),
        ("data:;charset=,X", "text/plain", b"X"),
        ("data:;charset,X", "text/plain", b"X"),
        ("data:;charset=\"x\",X", "text/plain;charset=x", b"X"),
        ("data:;CHARSET=\"X\",X", "text/plain;charset=X", b"X"),
    ];
    for &(url, mime_type, body) in cases {
        // The URL parser has already encoded the characters that a URL can't contain.
        let url = format!("data:{}", whatwg::encode_opaque_path(&url[5..], false));
        let parsed = DataUrl::parse(&url).unwrap();
        assert_eq!(parsed.mime_type(), mime_type, "{url}");
        assert_eq!(parsed.decode().as_deref(), Ok(body), "{url}");
    }
}
