//! Tests of form submission (HTML Standard 4.10.22), and of the parser of forms in charsets. The oracles work character
//! by character.
#![cfg(feature = "std")]

use crate::common;

use std::borrow::Cow;

use common::{check, scale};
use percent_simd::{Decoder, Plus};
use percent_standards::form::html::{Enctype, Entry, Form, isindex_query, multipart_escape};
use quickcheck::{Arbitrary, Gen};

#[derive(Clone, Debug)]
struct Text(String);

impl Arbitrary for Text {
    fn arbitrary(g: &mut Gen) -> Text {
        let pool: Vec<char> = "\r\r\n\n\n aZ0&=+%;\"'*-._~!\\é€日☃\u{E}\0😀".chars().collect();
        let most = if u8::arbitrary(g) == 0 { 1000 } else { 12 };
        let length = usize::arbitrary(g) % most;
        let text: String = (0..length).map(|_| *g.choose(&pool).unwrap()).collect();
        Text(match u8::arbitrary(g) {
            0..4 => "_charset_".into(),
            4..8 => "_ChArSeT_".into(),
            8..12 => "isindex".into(),
            _ => text,
        })
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Text>> {
        Box::new(self.0.shrink().map(Text))
    }
}

/// A name, a value, and a number for the kind of control.
type Field = (Text, Text, u8);

fn entry((Text(name), Text(value), control): &Field) -> Entry<'_> {
    match control % 4 {
        0 => Entry::text(name, value),
        1 => Entry::hidden(name, value),
        2 => Entry::file(name, value),
        _ => Entry::new(name, value),
    }
}

/// Replaces each CR that isn't before LF, and each LF that isn't after CR, by CRLF.
fn crlf(text: &str) -> String {
    let c: Vec<char> = text.chars().collect();
    let each = |i: usize| match c[i] {
        '\r' if c.get(i + 1) != Some(&'\n') => "\r\n".to_string(),
        '\n' if i == 0 || c[i - 1] != '\r' => "\r\n".to_string(),
        other => other.to_string(),
    };
    (0..c.len()).map(each).collect()
}

fn pairs(fields: &[Field], charset: &str) -> Vec<(String, String)> {
    let pair = |(Text(name), Text(value), control): &Field| {
        let is_charset = control % 4 == 1 && name.to_lowercase() == "_charset_";
        (crlf(name), if is_charset { charset.to_string() } else { crlf(value) })
    };
    fields.iter().map(pair).collect()
}

fn form_byte(byte: u8) -> String {
    match byte {
        b' ' => "+".into(),
        b'*' | b'-' | b'.' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).into(),
        _ => format!("%{byte:02X}"),
    }
}

fn join(pairs: &[(String, String)], encode: impl Fn(&str) -> String, isindex: bool) -> String {
    let pair = |(i, (name, value)): (usize, &(String, String))| match isindex && i == 0 {
        true => encode(value),
        false => format!("{}={}", encode(name), encode(value)),
    };
    pairs.iter().enumerate().map(pair).collect::<Vec<_>>().join("&")
}

#[test]
fn forms_equal_the_oracle() {
    fn property(fields: Vec<Field>, isindex: bool) {
        let entries: Vec<Entry> = fields.iter().map(entry).collect();
        let mut form = Form::new(&entries);
        if isindex {
            form = form.isindex();
        }
        let expected = pairs(&fields, "UTF-8");
        assert!(form.pairs().eq(expected.iter().map(|(name, value)| (name.into(), value.into()))));
        for ((name, value), (Text(given), _, _)) in form.pairs().zip(&fields) {
            assert_eq!(matches!(name, Cow::Borrowed(_)), *name == **given);
            assert!(!value.contains("\n\r\r"));
        }

        let is_index =
            isindex && fields.first().is_some_and(|(name, _, control)| name.0 == "isindex" && control % 4 == 0);
        let urlencoded = form.urlencoded();
        assert_eq!(urlencoded, join(&expected, |text| text.bytes().map(form_byte).collect(), is_index));
        let plain: String = expected.iter().map(|(name, value)| format!("{name}={value}\r\n")).collect();
        assert_eq!(form.text_plain(), plain);

        // The length is within the limit, and the form parses to the same pairs.
        let given: usize = fields.iter().map(|(name, value, _)| name.0.len() + value.0.len().max(5)).sum();
        assert!(urlencoded.len() <= 6 * given + 2 * fields.len());
        if !is_index && !fields.is_empty() {
            let decode = |text: &str| Decoder::new().plus(Plus::Always).decode_utf8(text).unwrap().into_owned();
            let back = urlencoded.split('&').map(|pair| pair.split_once('=').unwrap());
            assert!(back.map(|(name, value)| (decode(name), decode(value))).eq(expected));
        }

        assert_eq!(form.get("s://h/p?q#f?g"), format!("s://h/p?{urlencoded}#f?g"));
        assert_eq!(form.get("s://h/p"), format!("s://h/p?{urlencoded}"));
        assert_eq!(form.mail_with_headers("mailto:a?b"), format!("mailto:a?{}", urlencoded.replace('+', "%20")));
        assert_eq!(form.mail_as_body("mailto:a?b", Enctype::Urlencoded), format!("mailto:a?b&body={urlencoded}"));
        // The path percent-encode set (URL Standard 1.3).
        let path = |byte: u8| match byte {
            0..=0x20 | 0x7F.. | b'"' | b'#' | b'<' | b'>' | b'?' | b'^' | b'`' | b'{' | b'}' => format!("%{byte:02X}"),
            _ => char::from(byte).into(),
        };
        let body: String = plain.bytes().map(path).collect();
        assert!(body.len().max(urlencoded.len()) + "?&body=".len() <= form.max_len().unwrap());
        assert_eq!(form.mail_as_body("mailto:a?#f", Enctype::TextPlain), format!("mailto:a?body={body}#f"));
    }
    check(600, property as fn(Vec<Field>, bool));
}

#[test]
fn multipart_escapes_three_bytes() {
    fn property(Text(name): Text) {
        let expected = name.replace('\n', "%0A").replace('\r', "%0D").replace('"', "%22");
        let got = multipart_escape(&name);
        assert_eq!(got, expected);
        assert_eq!(matches!(got, Cow::Borrowed(_)), name == expected);
    }
    check(2000, property as fn(Text));
}

// Cases of the HTML Standard.

#[test]
fn line_ends_are_crlf() {
    // 4.10.22.6: in names, values and file names, each line end becomes CRLF.
    let entries = [Entry::new("a\nb", "c\rd\r\ne\n\rf")];
    assert_eq!(Form::new(&entries).urlencoded(), "a%0D%0Ab=c%0D%0Ad%0D%0Ae%0D%0A%0D%0Af");
    let entries = [Entry::file("f\r", "\n.txt")];
    assert_eq!(Form::new(&entries).urlencoded(), "f%0D%0A=%0D%0A.txt");
    let entries = [Entry::new("", "\r\r\n\n")];
    assert_eq!(Form::new(&entries).text_plain(), "=\r\n\r\n\r\n\r\n");
}

#[test]
fn only_hidden_fields_get_the_encoding_as_value() {
    // 4.10.22.4: only a hidden field called `_charset_` gets the encoding as its value. The case of the name doesn't
    // matter.
    let entries = [Entry::new("_charset_", "x"), Entry::hidden("_CHARSET_", "x"), Entry::hidden("_charset_ ", "x")];
    assert_eq!(Form::new(&entries).urlencoded(), "_charset_=x&_CHARSET_=UTF-8&_charset_+=x");
}

#[test]
fn queries_are_replaced() {
    // 4.10.22.3, "mutate action URL".
    let entries = [Entry::new("q", "a&b")];
    let form = Form::new(&entries);
    for (action, expected) in [
        ("http://h/", "http://h/?q=a%26b"),
        ("http://h/?", "http://h/?q=a%26b"),
        ("http://h/?x=y?z", "http://h/?q=a%26b"),
        ("http://h/#?x", "http://h/?q=a%26b#?x"),
        ("data:text/html,?x#y", "data:text/html,?q=a%26b#y"),
    ] {
        assert_eq!(form.get(action), expected);
    }
    assert_eq!(Form::new(&[]).get("http://h/?x"), "http://h/?");
}

#[test]
fn mail_has_no_pluses_for_spaces_in_headers() {
    // 4.10.22.3, "mail with headers": each `+` that means a space is replaced by `%20`. At this step, a `+` of a value
    // is already `%2B`, so it stays.
    let entries = [Entry::new("subject", "a b+c")];
    let form = Form::new(&entries);
    assert_eq!(form.mail_with_headers("mailto:"), "mailto:?subject=a%20b%2Bc");
    // "Mail as body" keeps the `+` for a space.
    assert_eq!(form.mail_as_body("mailto:", Enctype::Urlencoded), "mailto:?body=subject=a+b%2Bc");
    assert_eq!(form.mail_as_body("mailto:", Enctype::TextPlain), "mailto:?body=subject=a%20b+c%0D%0A");
    let entries = [Entry::new("a", "1&b=50%#")];
    assert_eq!(Form::new(&entries).mail_as_body("mailto:", Enctype::TextPlain), "mailto:?body=a=1&b=50%%23%0D%0A");
}

#[test]
fn isindex_sends_its_value_alone() {
    // HTML 5.0 4.10.22.6: only the first entry can be sent without its name. Its type must be text, and its name must
    // be exactly `isindex`.
    let sent = |entries: &[Entry]| Form::new(entries).isindex().urlencoded();
    assert_eq!(sent(&[Entry::text("isindex", "a b")]), "a+b");
    assert_eq!(sent(&[Entry::text("isindex", "a b"), Entry::text("isindex", "c")]), "a+b&isindex=c");
    assert_eq!(sent(&[Entry::new("isindex", "a")]), "isindex=a");
    assert_eq!(sent(&[Entry::text("isIndex", "a")]), "isIndex=a");
    assert_eq!(sent(&[Entry::new("x", ""), Entry::text("isindex", "a")]), "x=&isindex=a");
    assert_eq!(sent(&[]), "");
    assert_eq!(Form::new(&[Entry::text("isindex", "a")]).urlencoded(), "isindex=a");
    // RFC 1866 7.5.
    assert_eq!(isindex_query("fish & chips"), "fish+%26+chips");
    assert_eq!(isindex_query("a=b"), "a%3Db");
}

#[test]
fn a_percent_in_a_multipart_name_stays() {
    // 4.10.22.7: `%22`, `%0D` and `%0A` are the only escapes.
    assert_eq!(multipart_escape("a\"b\r\n%22"), "a%22b%0D%0A%22");
    assert_eq!(multipart_escape("é\\;=%"), "é\\;=%");
}

#[test]
fn the_longest_output_is_counted() {
    assert_eq!(Form::new(&[]).max_len(), Some(7));
    let entries = [Entry::new("\u{E}\u{E}", "\u{E}\u{F}\u{1B}\n\r\n")];
    assert_eq!(Form::new(&entries).max_len(), Some(7 + 14 * 8 + 7));
}

#[test]
fn line_ends_take_linear_time() {
    let many = "\n".repeat(scale(200_000));
    let entries = [Entry::new("", &many)];
    assert_eq!(Form::new(&entries).urlencoded().len(), 1 + 6 * many.len());
}

#[cfg(feature = "encoding")]
mod in_charsets {
    use super::*;
    use percent_standards::charset::Charset;
    use percent_standards::form::ParseError;
    use percent_standards::form::html::pick_encoding;
    use percent_standards::form::legacy::Parser;

    fn label(label: &str) -> Charset {
        Charset::for_label(label).unwrap()
    }

    #[test]
    fn forms_equal_the_oracle() {
        fn property(fields: Vec<Field>) {
            let entries: Vec<Entry> = fields.iter().map(entry).collect();
            for charset in [label("latin1"), Charset::SHIFT_JIS, Charset::GB18030, Charset::UTF_16BE, label("koi8-r")] {
                let form = Form::new(&entries).charset(charset);
                let encoding = encoding_rs::Encoding::for_label(charset.name().as_bytes()).unwrap().output_encoding();
                let expected = pairs(&fields, encoding.name());
                let one = |c: char| {
                    let c = c.to_string();
                    match encoding.encode(&c) {
                        (_, _, true) => format!("%26%23{}%3B", u32::from(c.chars().next().unwrap())),
                        (bytes, _, false) => bytes.iter().map(|&byte| form_byte(byte)).collect(),
                    }
                };
                let urlencoded = form.urlencoded();
                assert_eq!(urlencoded, join(&expected, |text| text.chars().map(one).collect(), false));
                let plain: String = expected.iter().map(|(name, value)| format!("{name}={value}\r\n")).collect();
                assert_eq!(form.text_plain_bytes(), *encoding.encode(&plain).0);
            }
            let form = Form::new(&entries).charset(Charset::ISO_2022_JP);
            assert!(form.urlencoded().len() <= form.max_len().unwrap());
        }
        check(80, property as fn(Vec<Field>));
    }

    #[test]
    fn forms_in_charsets() {
        let sent = |charset: Charset, value: &str| {
            let entries = [Entry::new("", value)];
            Form::new(&entries).charset(charset).urlencoded().split_off(1)
        };
        let windows_1252 = label("iso-8859-1");
        assert_eq!(sent(windows_1252, "áb=ç"), "%E1b%3D%E7");
        // windows-1252 is not ISO 8859-1.
        assert_eq!(sent(windows_1252, "€"), "%80");
        assert_eq!(sent(windows_1252, "\u{80}"), "%26%23128%3B");
        // The label `hz-gb-2312` means the encoding "replacement". UTF-8 is the output encoding of "replacement" and of
        // UTF-16.
        for charset in [Charset::UTF_16BE, label("hz-gb-2312")] {
            assert_eq!(sent(charset, "£円"), "%C2%A3%E5%86%86");
        }
        // In the output, you can't see if a reference was generated or typed.
        assert_eq!(sent(windows_1252, "☃"), sent(windows_1252, "&#9731;"));
        // The value is the canonical name of the encoding.
        let entries = [Entry::hidden("_charset_", "")];
        assert_eq!(Form::new(&entries).charset(windows_1252).urlencoded(), "_charset_=windows-1252");
        assert_eq!(Form::new(&entries).charset(Charset::UTF_16LE).urlencoded(), "_charset_=UTF-8");
    }

    #[test]
    fn encodings_are_picked_by_the_form_then_the_document() {
        // 4.10.22.5.
        let document = Charset::SHIFT_JIS;
        for (accept, expected) in [
            (None, document),
            (Some(""), Charset::UTF_8),
            (Some("unknown x-y"), Charset::UTF_8),
            (Some(" \t\n LATIN1\u{C}utf-8"), Charset::WINDOWS_1252),
            (Some("utf-8,latin1"), Charset::UTF_8), // a comma doesn't separate labels
            (Some("utf-16 euc-jp"), Charset::UTF_8),
            (Some("UTF-7 Big5"), Charset::BIG5),
        ] {
            assert_eq!(pick_encoding(accept, document), expected, "{accept:?}");
        }
        assert_eq!(pick_encoding(None, Charset::UTF_16LE), Charset::UTF_8);
    }

    #[test]
    fn multipart_names_are_bytes() {
        let escaped = |charset, name| Form::new(&[]).charset(charset).multipart_escape(name);
        assert_eq!(escaped(Charset::WINDOWS_1252, "é\"\n☃"), b"\xE9%22%0A&#9731;");
        assert_eq!(escaped(Charset::UTF_8, "é\""), "é%22".as_bytes());
        // We escape bytes, not characters: in ISO-2022-JP, 22 is the second byte of ア.
        assert_eq!(escaped(Charset::ISO_2022_JP, "ア"), b"\x1B$B%%22\x1B(B");
    }

    // The parser.

    fn parsed(parser: Parser, input: &str) -> Vec<(String, String)> {
        let pairs = parser.parse(input).unwrap().pairs;
        pairs.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
    }

    fn strings(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn a_charset_field_sets_the_charset_of_all_pairs() {
        // URL Standard of April 2016, 5.1. `_charset_` also sets the charset of the pairs before it, so the parser
        // needs two passes.
        let utf_8 = Parser::new(Charset::UTF_8).use_charset();
        let cases: [(&str, &[(&str, &str)]); 7] = [
            ("a=%E9&_charset_=windows-1252", &[("a", "é"), ("_charset_", "windows-1252")]),
            // An unknown label doesn't clear the "use charset flag". So the next `_charset_` has an effect.
            (
                "_charset_=bogus&_charset_=windows-1252&a=%80",
                &[("_charset_", "bogus"), ("_charset_", "windows-1252"), ("a", "€")],
            ),
            // The first known label is used.
            ("_charset_=koi8-r&_charset_=utf-8&a=%C1", &[("_charset_", "koi8-r"), ("_charset_", "utf-8"), ("a", "а")]),
            // The label isn't percent-decoded. But each `+` becomes a space, and a label may have spaces around it.
            ("_charset_=%6Catin1&a=%E9", &[("_charset_", "latin1"), ("a", "\u{FFFD}")]),
            ("_charset_=+latin1+&a=%E9", &[("_charset_", " latin1 "), ("a", "é")]),
            // The name isn't decoded either. The case of its letters matters.
            ("%5Fcharset_=latin1&a=%E9", &[("_charset_", "latin1"), ("a", "\u{FFFD}")]),
            ("_CHARSET_=latin1&a=%E9", &[("_CHARSET_", "latin1"), ("a", "\u{FFFD}")]),
        ];
        for (input, expected) in cases {
            assert_eq!(parsed(utf_8, input), strings(expected), "{input}");
        }
        assert_eq!(utf_8.parse("_charset_=sjis").unwrap().charset, Charset::SHIFT_JIS);
        assert_eq!(utf_8.parse("a=b").unwrap().charset, Charset::UTF_8);
        // `_charset_` has an effect only with `use_charset`.
        assert_eq!(parsed(Parser::new(Charset::UTF_8), "_charset_=latin1&a=%E9")[1].1, "\u{FFFD}");
    }

    #[test]
    fn parts_are_split_before_anything_is_decoded() {
        let sjis = Parser::new(Charset::SHIFT_JIS);
        assert_eq!(parsed(sjis, "a%26b=%95%5C+%3D=&&=&c"), strings(&[("a&b", "表 =="), ("", ""), ("c", "")]));
        // The second byte of the first character is raw, not escaped.
        assert_eq!(parsed(sjis, "x=%95\\%8E%A6"), strings(&[("x", "表示")]));
        assert_eq!(parsed(sjis, "a=1;b=2"), strings(&[("a", "1;b=2")]));
        assert_eq!(parsed(sjis.semicolons(), "a=1;b=2&;c"), strings(&[("a", "1"), ("b", "2"), ("c", "")]));
        assert_eq!(parsed(sjis, "a=%zz%"), strings(&[("a", "%zz%")]));
        assert_eq!(parsed(sjis, ""), []);
    }

    #[test]
    fn isindex_gives_the_first_part_no_name() {
        // Tests the effect of the isindex flag.
        let parser = Parser::new(Charset::UTF_8).isindex();
        for (input, expected) in [
            ("a+b&c", &[("", "a b"), ("c", "")][..]),
            ("a=b", &[("a", "b")]),
            ("", &[("", "")]),
            ("&a", &[("", ""), ("a", "")]),
        ] {
            assert_eq!(parsed(parser, input), strings(expected), "{input}");
        }
    }

    #[test]
    fn bytes_above_ascii_are_refused_except_in_utf_8() {
        // The check for ASCII is made before all other steps.
        let error = ParseError::NotAscii { offset: 2 };
        assert_eq!(Parser::new(Charset::WINDOWS_1252).parse("a=\u{E9}"), Err(error));
        assert_eq!(
            (error.offset(), error.to_string().as_str()),
            (2, "the byte at offset 2 is not ASCII; escape it as `%XX`")
        );
        assert_eq!(parsed(Parser::new(Charset::UTF_8), "a=é"), strings(&[("a", "é")]));
        // A raw byte above ASCII is an error only if the parser was created with another charset than UTF-8. The
        // charset that `_charset_` sets doesn't count.
        let latin1 = Parser::new(Charset::UTF_8).use_charset().parse(b"a=\xE9&_charset_=latin1").unwrap();
        assert_eq!(latin1.pairs[0].1, "é");
    }

    #[test]
    fn byte_order_marks_count_if_asked() {
        // Encoding Standard 6, "decode".
        let parser = Parser::new(Charset::WINDOWS_1252);
        let input = "%EF%BB%BFa=%FE%FF%00b&c=%E9";
        assert_eq!(parsed(parser, input), strings(&[("ï»¿a", "þÿ\0b"), ("c", "é")]));
        assert_eq!(parsed(parser.sniff_bom(), input), strings(&[("a", "b"), ("c", "é")]));
        let utf_8 = Parser::new(Charset::UTF_8);
        assert_eq!(parsed(utf_8, "%EF%BB%BFt=%C2x"), strings(&[("\u{FEFF}t", "\u{FFFD}x")]));
        assert_eq!(parsed(utf_8.sniff_bom(), "%EF%BB%BFt=%C2x"), strings(&[("t", "\u{FFFD}x")]));
    }

    #[test]
    fn submitted_forms_parse_to_the_same_pairs() {
        fn property(fields: Vec<Field>) {
            for charset in [Charset::GB18030, Charset::UTF_8, Charset::UTF_16LE] {
                let named: Vec<Field> = fields.iter().filter(|(name, ..)| !name.0.contains("harSe")).cloned().collect();
                let mut entries: Vec<Entry> = named.iter().map(entry).collect();
                entries.push(Entry::hidden("_charset_", ""));
                let form = Form::new(&entries).charset(charset);
                let urlencoded = form.urlencoded();
                let parsed = Parser::new(Charset::WINDOWS_1252).use_charset().parse(&urlencoded).unwrap();
                assert_eq!(parsed.charset, charset.output_encoding());
                assert!(parsed.pairs.into_iter().eq(form.pairs()));
            }
        }
        check(200, property as fn(Vec<Field>));
    }
}
