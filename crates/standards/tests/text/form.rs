//! Compares `application/x-www-form-urlencoded` (URL Standard 5) with a naive parser. The naive parser splits first,
//! and then decodes.
#![cfg(feature = "alloc")]

use crate::common;

use std::borrow::Cow;
use std::fmt::{self, Debug};

use common::*;
use percent_simd::{DecodeErrorKind, Encoder, Engine, presets};
use percent_standards::form::{self, CheckedParser, Pair, ParseError, Parser, Serializer};
use quickcheck::{Arbitrary, Gen};

type Bytes = Vec<u8>;

/// The options for decoding names and values.
const FORM: Decode = Decode { plus_always: true, ..LENIENT };

/// A pair that the oracle found: its offset, its name, and its value. If the pair has no `=`, it has no value.
type Raw<'a> = (usize, &'a [u8], Option<&'a [u8]>);

/// Runs the steps of URL Standard 5.1 one by one.
fn split(input: &[u8], semicolons: bool) -> Vec<Raw<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    for sequence in input.split(|&byte| byte == b'&' || semicolons && byte == b';') {
        match sequence.iter().position(|&byte| byte == b'=') {
            _ if sequence.is_empty() => {}
            Some(at) => found.push((start, &sequence[..at], Some(&sequence[at + 1..]))),
            None => found.push((start, sequence, None)),
        }
        start += sequence.len() + 1;
    }
    found
}

fn decoded(raw: &[Raw]) -> Vec<(Bytes, Bytes)> {
    raw.iter().map(|(_, name, value)| (FORM.run(name).out, FORM.run(value.unwrap_or_default()).out)).collect()
}

fn lossy(pairs: &[(Bytes, Bytes)]) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    pairs.iter().map(|(name, value)| (text(name), text(value))).collect()
}

fn owned<T: ToOwned + ?Sized>(pairs: impl Iterator<Item = (T::Owned, T::Owned)>) -> Vec<(T::Owned, T::Owned)> {
    pairs.collect()
}

/// Checks that a part is borrowed if and only if decoding doesn't change it.
#[expect(clippy::ptr_arg)] // the check is about the kind of `Cow`
#[track_caller]
fn assert_borrows<T: ToOwned<Owned: Debug> + ?Sized + Debug>(cow: &Cow<T>, unchanged: bool) {
    assert_eq!(matches!(cow, Cow::Borrowed(_)), unchanged, "{cow:?}");
}

fn parser(engine: &'static Engine, semicolons: bool) -> Parser {
    let parser = Parser::new().with_engine(engine);
    if semicolons { parser.semicolons() } else { parser }
}

/// Compares all results that the parsers give for `input` with the oracle.
fn check_parse(input: &[u8]) {
    for semicolons in [false, true] {
        let raw = split(input, semicolons);
        let bytes = decoded(&raw);
        let text = lossy(&bytes);
        let strict = Decode { strict: true, ..FORM }.run(input);
        let first_malformed = strict.error;
        for engine in Engine::available() {
            let parser = parser(engine, semicolons);
            let found: Vec<_> = parser.parse_raw(input).map(|pair| (pair.offset, pair.name, pair.value)).collect();
            assert_eq!(found, raw, "{engine}: {}", show(input));
            for pair in parser.parse_raw(input) {
                assert_eq!(&input[pair.offset..][..pair.name.len()], pair.name);
                let value = pair.value.unwrap_or_default();
                assert_eq!(&input[pair.value_offset()..][..value.len()], value);
            }

            let found = parser.parse_bytes(input);
            for ((name, value), (_, raw_name, raw_value)) in found.zip(&raw) {
                assert_borrows(&name, name == *raw_name);
                assert_borrows(&value, value == raw_value.unwrap_or_default());
            }
            let found = found.map(|(name, value)| (name.into_owned(), value.into_owned()));
            assert_eq!(owned::<[u8]>(found), bytes, "{engine}: {}", show(input));

            let found = parser.parse(input);
            for ((name, value), (_, raw_name, raw_value)) in found.zip(&raw) {
                assert_borrows(&name, name.as_bytes() == *raw_name);
                assert_borrows(&value, value.as_bytes() == raw_value.unwrap_or_default());
            }
            assert_eq!(owned::<str>(found.into_owned()), text, "{engine}: {}", show(input));

            // The first error is the same as when the whole input is decoded.
            let found: Result<Vec<_>, _> = parser.strict().parse_bytes(input).collect();
            assert_eq!(found.err().map(told), first_malformed, "{engine}: {}", show(input));
            let found: Result<Vec<_>, _> = parser.strict().parse_raw(input).collect();
            assert_eq!(found.err().map(told), first_malformed);
            let found: Result<Vec<_>, _> = parser.strict().parse(input).collect();
            assert_eq!(found.err().map(told), first_malformed);
            let found: Result<Vec<_>, _> = parser.strict().parse_utf8(input).collect();
            assert_eq!(found.err().map(told), strict.text().err(), "{engine}: {}", show(input));
            let found: Result<Vec<_>, _> = parser.parse_utf8(input).collect();
            assert_eq!(found.as_ref().err().copied().map(told), FORM.run(input).text().err());
            if let Ok(found) = found {
                let found = found.into_iter().map(|(name, value)| (name.into_owned(), value.into_owned()));
                assert_eq!(owned::<str>(found), text);
            }

            // After an error, the iterator continues with the next pair.
            let strict = parser.strict().parse_bytes(input);
            for (found, pair) in strict.zip(&bytes) {
                let found = found.map(|(name, value)| (name.into_owned(), value.into_owned()));
                assert!(found.is_err() || found.as_ref() == Ok(pair));
            }
            assert_eq!(parser.strict().parse_bytes(input).count(), bytes.len());
            check_limit(parser.limit(usize::MAX), &raw, input);
        }
    }
}

fn check_limit(parser: CheckedParser, raw: &[Raw], input: &[u8]) {
    for limit in [0, 1, raw.len().saturating_sub(1), raw.len(), raw.len() + 1] {
        let found: Vec<_> = parser.limit(limit).parse_raw(input).collect();
        let good = found.iter().take_while(|pair| pair.is_ok()).count();
        assert_eq!(good, limit.min(raw.len()));
        let error = raw.get(limit).map(|&(offset, ..)| ParseError::TooManyPairs { limit, offset });
        assert_eq!(found.get(good).copied().map(Result::unwrap_err), error);
        assert_eq!(found.len(), good + usize::from(error.is_some()), "nothing follows the limit");
    }
}

fn told(error: ParseError) -> Fault {
    match error {
        ParseError::Decode(error) => fault(error),
        other => panic!("{other}"),
    }
}

/// Random forms that resemble hostile input.
#[derive(Clone, Debug)]
struct Hostile(Bytes);

impl Arbitrary for Hostile {
    fn arbitrary(g: &mut Gen) -> Hostile {
        let mut random = Random(u64::arbitrary(g) | 1);
        let n = [3, 10, 70, 140, 400, 3000][random.below(6)];
        let n = random.below(n);
        let mut input = random.hostile(n);
        let delimiters = [0, 3, 10, 60, 300][random.below(5)];
        for byte in &mut input {
            if delimiters > 0 && random.one_in(delimiters) {
                *byte = b"&&&==;%+"[random.below(8)];
            }
        }
        Hostile(input)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Hostile>> {
        Box::new(self.0.shrink().map(Hostile))
    }
}

#[test]
fn parses_as_the_oracle() {
    fn property(Hostile(input): Hostile) {
        check_parse(&input);
    }
    check(8_000, property as fn(Hostile));
}

/// Tests every byte in every lane of the block: alone, after the start of a triplet, and next to delimiters.
#[test]
fn every_byte_in_every_lane() {
    for engine in Engine::available() {
        for lane in 0..70 {
            for byte in thinned(0..=255, lane) {
                for (before, after) in
                    [(&b""[..], &b""[..]), (b"%", b""), (b"%4", b"&x"), (b"&", b"=%"), (b"=%C", b"+;")]
                {
                    let mut input = vec![b'a'; lane];
                    input.extend_from_slice(before);
                    input.push(byte);
                    input.extend_from_slice(after);
                    // In every second case, the input continues after the block.
                    input.resize(input.len() + 66 * (lane % 2), b'b');
                    let expected = decoded(&split(&input, true));
                    let found = parser(engine, true).parse_bytes(&input);
                    let found = found.map(|(name, value)| (name.into_owned(), value.into_owned()));
                    assert_eq!(owned::<[u8]>(found), expected, "{engine}: {}", show(&input));
                }
            }
        }
    }
}

/// Tests pairs that end before, at and after the end of a block, and triplets that begin in one block and end in the
/// next.
#[test]
fn pairs_end_around_the_end_of_a_block() {
    for n in 0..140 {
        for end in ["", "&", "&&", "&c=d", "=", "=%41", "%41", "%4", "%", "%4&b", "+&%41=+", "%C3%A9&%C3=%A9"] {
            let input = format!("{}{end}", "a".repeat(n));
            check_parse(input.as_bytes());
            let input = format!("x=y&{}{end}", "%41".repeat(n / 3));
            check_parse(input.as_bytes());
            let input = format!("{}{end}", "&".repeat(n));
            check_parse(input.as_bytes());
        }
    }
}

#[track_caller]
fn pairs(input: &str) -> Vec<(String, String)> {
    form::parse(input).into_owned().collect()
}

fn strings(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|&(name, value)| (name.into(), value.into())).collect()
}

#[test]
fn url_standard_5_1() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        // Steps 1 and 2: the form is split, and empty parts are skipped.
        ("", &[]),
        ("&", &[]),
        ("a=1&&b=2&", &[("a", "1"), ("b", "2")]),
        ("a=1;b=2", &[("a", "1;b=2")]),
        ("?a=1", &[("?a", "1")]),
        // Steps 3.2 and 3.3: the first `=` splits the pair.
        ("a", &[("a", "")]),
        ("=", &[("", "")]),
        ("=a", &[("", "a")]),
        ("a==b=c", &[("a", "=b=c")]),
        // Step 3.4: `+` is replaced before triplets are decoded, so `%2B` is a plus sign.
        ("1+1=%2B+%2b", &[("1 1", "+ +")]),
        // Step 3.5: the form is split before it is decoded, and it is decoded once.
        ("a%26b=c%3Dd&e=f%2Bg+h", &[("a&b", "c=d"), ("e", "f+g h")]),
        ("a=%2541&%3D%26=", &[("a", "%41"), ("=&", "")]),
        ("a=100%&b=%zz&c=%4", &[("a", "100%"), ("b", "%zz"), ("c", "%4")]),
        ("a=%4&1=%&%=4", &[("a", "%4"), ("1", "%"), ("%", "4")]),
        // UTF-8 decode without BOM: a BOM stays, and bytes that aren't UTF-8 become U+FFFD.
        ("%EF%BB%BFt=%C2x", &[("\u{FEFF}t", "\u{FFFD}x")]),
        ("%FE%FF=%FF%FE", &[("\u{FFFD}\u{FFFD}", "\u{FFFD}\u{FFFD}")]),
        ("a=%F0%9F%92&b=%E2%82%C2%A3", &[("a", "\u{FFFD}"), ("b", "\u{FFFD}£")]),
        ("é=%C3%A9&日本=%E6%97%A5", &[("é", "é"), ("日本", "日")]),
        ("a=%00&b=%C0%AF", &[("a", "\0"), ("b", "\u{FFFD}\u{FFFD}")]),
    ];
    for (input, expected) in cases {
        assert_eq!(pairs(input), strings(expected), "{input}");
        check_parse(input.as_bytes());
    }
}

#[test]
fn bytes_pass() {
    let hash: Bytes = (0..=255).collect();
    let form = form::serialize([("info_hash", &hash)]);
    let found: Vec<_> = Parser::new().parse_bytes(&form).collect();
    assert_eq!(found, [(Cow::from(&b"info_hash"[..]), Cow::from(&hash))]);
    check_parse(form.as_bytes());
}

#[test]
fn raw_pairs_distinguish_missing_and_empty_values() {
    let found: Vec<_> = Parser::new().parse_raw("a&b=&=c&d=e=f").collect();
    let pair = |offset, name, value| Pair { offset, name, value };
    let expected = [
        pair(0, &b"a"[..], None),
        pair(2, b"b", Some(&b""[..])),
        pair(5, b"", Some(b"c")),
        pair(8, b"d", Some(b"e=f")),
    ];
    assert_eq!(found, expected);
    let offsets: Vec<_> = found.iter().map(Pair::value_offset).collect();
    assert_eq!(offsets, [1, 4, 6, 10]);
}

#[test]
fn errors_have_offsets() {
    let input = format!("{}=1&long={}%zz&b=%4&c=%C3%A9%C3&d=%", "a".repeat(40), "x".repeat(100));
    let found = Parser::new().strict().parse_utf8(&input);
    let errors: Vec<_> = found.filter_map(Result::err).map(told).collect();
    let expected = [
        (148, DecodeErrorKind::NotHex),
        (154, DecodeErrorKind::NotHex),
        (165, DecodeErrorKind::InvalidUtf8),
        (171, DecodeErrorKind::Truncated),
    ];
    assert_eq!(errors, expected);
    let error = Parser::new().limit(1).parse("a=1&b=2").nth(1).unwrap().unwrap_err();
    assert_eq!(error.to_string(), "more than 1 pairs: the first too many is at byte 4");
    assert_eq!(error.offset(), 4);
}

#[test]
fn size_hints_hold() {
    for input in ["", "&", "a", "a&b", "a&b&", "a=b&&c", "=&=&=&="] {
        assert_size_hints(form::parse(input));
    }
}

// Serializing.

/// Serializes pairs as in URL Standard 5.2, with the oracle's encoder. The set of the standard is written out here.
fn naive_form(pairs: &[(Bytes, Bytes)], plus: bool, separator: u8) -> Bytes {
    let stays = percent_simd::ByteSet::of(b"*-._0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    let encode = Encode { plus, ..Encode::new(stays) };
    let all = pairs.iter().map(|(name, value)| [encode.run(name), encode.run(value)].join(&b'='));
    all.collect::<Vec<_>>().join(&separator)
}

#[derive(Clone, Debug)]
struct Pairs(Vec<(Bytes, Bytes)>);

impl Arbitrary for Pairs {
    fn arbitrary(g: &mut Gen) -> Pairs {
        let mut random = Random(u64::arbitrary(g) | 1);
        let most = [3, 12, 60, 300, 5000][random.below(5)];
        let count = random.below(if most < 300 { 12 } else { 4 });
        let mut bytes = || {
            let n = random.below(most);
            random.hostile(n)
        };
        Pairs((0..count).map(|_| (bytes(), bytes())).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Pairs>> {
        Box::new(self.0.shrink().map(Pairs))
    }
}

#[test]
fn serialises_as_the_oracle_and_back() {
    fn property(Pairs(pairs): Pairs) {
        let borrowed = || pairs.iter().map(|(name, value)| (name, value));
        let expected = String::from_utf8(naive_form(&pairs, true, b'&')).unwrap();
        let form = form::serialize(borrowed());
        assert_eq!(form, expected);
        assert_eq!(form::display(borrowed()).to_string(), expected);
        if form.len() < 500 {
            assert_eq!(form.capacity(), form.len());
        }
        let mut serializer = Serializer::new();
        assert_eq!(serializer.append_all(borrowed()).clone().finish(), expected);
        let mut before = String::from("é?");
        Serializer::append_to(&mut before).append_all(borrowed());
        assert_eq!(before, format!("é?{expected}"));
        let mut before = vec![0xFF];
        Serializer::append_to(&mut before).percent_spaces().semicolons().append_all(borrowed());
        assert_eq!(before[1..], naive_form(&pairs, false, b';'));

        // A pair with an empty name and an empty value is written as `=`.
        let found = Parser::new().parse_bytes(&form).map(|(name, value)| (name.into_owned(), value.into_owned()));
        assert_eq!(owned::<[u8]>(found), pairs);
        for engine in Engine::available() {
            let encoder = presets::WHATWG_FORM.with_engine(engine);
            let mut serializer = Serializer::append_to(Vec::new()).encoder(encoder);
            assert_eq!(serializer.append_all(borrowed()).clone().finish(), expected.as_bytes(), "{engine}");
        }
    }
    check(4_000, property as fn(Pairs));
}

/// Tests every byte in every lane, next to delimiters, in a block that the serializer encodes at once.
#[test]
fn every_byte_in_every_lane_of_a_serialiser() {
    for engine in Engine::available() {
        for lane in 0..130 {
            let mut pairs = vec![(vec![b'a'; lane], vec![]), (b"b=".to_vec(), vec![b'='; 130 - lane])];
            for byte in thinned(0..=255, lane) {
                pairs[0].1 = vec![byte, b'&'];
                let encoder = Encoder::new(presets::WHATWG_FORM.allowed()).with_engine(engine);
                let mut form = Serializer::new().encoder(encoder.space_to_plus());
                form.append_all(pairs.iter().map(|(name, value)| (name, value)));
                assert_eq!(form.finish().as_bytes(), naive_form(&pairs, true, b'&'), "{engine}");
                let mut form = Serializer::new().encoder(encoder);
                form.append_all(pairs.iter().map(|(name, value)| (name, value)));
                assert_eq!(form.finish().as_bytes(), naive_form(&pairs, false, b'&'), "{engine}");
            }
        }
    }
}

#[test]
fn triplets_can_be_kept() {
    let encoder = presets::WHATWG_FORM.keep_triplets();
    let mut form = Serializer::new().encoder(encoder);
    form.append("a%20b", "%4").append("1", "100% %c3");
    assert_eq!(form.finish(), "a%20b=%254&1=100%25+%c3");
}

#[test]
fn url_standard_5_2() {
    assert_eq!(form::serialize([("*~ !'()", "")]), "*%7E+%21%27%28%29=");
    assert_eq!(form::serialize([("a\nb", "c\rd")]), "a%0Ab=c%0Dd", "newlines stay what they are");
    assert_eq!(form::serialize([("a&b", "c=d"), ("e", "f+g h")]), "a%26b=c%3Dd&e=f%2Bg+h");
    assert_eq!(form::serialize([("", "")]), "=");
    assert_eq!(form::serialize([("", ""); 0]), "");
}

#[test]
fn names_without_values() {
    let mut form = Serializer::new();
    form.append_name("flag").append("a", "").append_name("b c");
    assert_eq!(form.finish(), "flag&a=&b+c");
    let mut form = Serializer::append_to(String::from("x")).after_existing_pairs();
    form.append_name("y");
    assert_eq!(form.finish(), "x&y");
}

#[test]
fn default_equals_new() {
    let (mut form, mut default) = (Serializer::new(), Serializer::default());
    for form in [&mut form, &mut default] {
        form.append("a b", "é&;").append_name("~");
    }
    assert_eq!(default.finish(), "a+b=%C3%A9%26%3B&%7E");
    assert_eq!(form.finish(), "a+b=%C3%A9%26%3B&%7E");
    let text = "a;b=+%zz&c";
    assert!(Parser::default().parse(text).eq(Parser::new().parse(text)));
    assert!(Parser::default().parse(text).eq([("a;b".into(), " %zz".into()), ("c".into(), "".into())]));
}

#[test]
fn errors_in_parts_have_offsets_in_the_form() {
    let error = Parser::new().strict().parse("a=1&b=%zz").find_map(Result::err).unwrap();
    let ParseError::Decode(inner) = error else { panic!("{error}") };
    assert_eq!((error.offset(), inner.offset, inner.kind), (6, 6, DecodeErrorKind::NotHex));
    assert_eq!((ParseError::from(inner), error.to_string()), (error, inner.to_string()));
}

/// Four calls serialize pairs. Tests that they accept the same types of pairs as `form_urlencoded`, and write the same
/// form.
#[test]
fn pairs_are_taken_owned_and_borrowed() {
    use percent_standards::form::xforms::{self, Separator};
    use std::collections::{BTreeMap, HashMap};
    use std::rc::Rc;

    macro_rules! take {
        ($($pairs:expr),+ $(,)?) => {$(
            let mut theirs = form_urlencoded::Serializer::new(String::new());
            let expected = theirs.extend_pairs($pairs).finish();
            assert_eq!(expected, "a=1+2", "{}", stringify!($pairs));
            assert_eq!(form::serialize($pairs), expected, "{}", stringify!($pairs));
            assert_eq!(form::display($pairs).to_string(), expected, "{}", stringify!($pairs));
            assert_eq!(xforms::serialize($pairs, Separator::Ampersand), expected, "{}", stringify!($pairs));
            let mut form = Serializer::new();
            form.append_all($pairs);
            assert_eq!(form.finish(), expected, "{}", stringify!($pairs));
        )+};
    }

    let array = [("a", "1 2")];
    let strings = vec![(String::from("a"), Cow::Borrowed("1 2"))];
    let map = BTreeMap::from(array);
    let hashed = HashMap::from([(String::from("a"), String::from("1 2"))]);
    let shared = [Rc::new(("a", "1 2"))];
    take!(
        array,
        &array,
        &array[..],
        array.iter(),
        &strings,
        strings.iter(),
        strings.clone(),
        strings.iter().map(|(name, value)| (name, &**value)),
        &map,
        map.iter(),
        map.clone(),
        &hashed,
        Some(("a", "1 2")),
        &Some(("a", "1 2")),
        shared.iter().cloned(),
        form::parse("a=1+2"),
    );
    // `form_urlencoded` doesn't accept bytes.
    assert_eq!(form::serialize(&[(b"a", vec![0xFF])]), "a=%FF");
    assert_eq!(form::serialize([(&b"a"[..], [0xFF])]), "a=%FF");
}

/// A writer that stores its text. If the text becomes longer than the given number of bytes, it fails.
struct Room(usize, String);

impl fmt::Write for Room {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.1.push_str(text);
        if self.1.len() <= self.0 { Ok(()) } else { Err(fmt::Error) }
    }
}

#[test]
fn no_call_follows_a_failed_write() {
    use fmt::Write;
    let form = "a=1+2&%26=";
    for room in 0..=form.len() {
        let mut writer = Room(room, String::new());
        let written = write!(writer, "{}", form::display([("a", "1 2"), ("&", "")]));
        assert_eq!(written.is_ok(), room == form.len(), "{room}");
        // The writer has received all parts that fit, and the first part that was too long.
        assert!(form.starts_with(&writer.1) && writer.1.len() >= form.len().min(room + 1), "{room}: {}", writer.1);
        assert!(writer.1.len() <= room + "%26".len(), "{room}: {}", writer.1);
    }
}

#[test]
fn long_pairs() {
    for n in [63, 64, 65, 127, 128, 340, 341, 342, 1023, 1024, 1025, 5000, 100_000] {
        let pairs = vec![
            (b"short".to_vec(), b"a b".to_vec()),
            (vec![b'n'; n], vec![b' '; n]),
            (vec![0xE9; n], b"%".repeat(n)),
            (b"short".to_vec(), vec![]),
        ];
        let form = form::serialize(pairs.iter().map(|(name, value)| (name, value)));
        assert_eq!(form.as_bytes(), naive_form(&pairs, true, b'&'));
        let found = Parser::new().parse_bytes(&form).map(|(name, value)| (name.into_owned(), value.into_owned()));
        assert_eq!(owned::<[u8]>(found), pairs);
    }
}

// XForms.

#[test]
fn xforms_1_0_11_6_and_1_1_11_9_8() {
    use form::xforms::{Separator, serialize};
    let both = |leaves: &[(&str, &str)]| {
        let [a, b] = [Separator::Semicolon, Separator::Ampersand].map(|s| serialize(leaves.iter().copied(), s));
        assert_eq!(a, b.replace('&', ";"));
        a
    };
    assert_eq!(both(&[("a", "x y"), ("b", "é;&\n")]), "a=x+y;b=%C3%A9%3B%26%0D%0A");
    assert_eq!(both(&[]), "");
    assert_eq!(both(&[("empty", "")]), "empty=", "an element without text");
    assert_eq!(both(&[("a", "\r"), ("b", "\r\n\n\r\r"), ("c", "x\ny")]), {
        "a=%0D%0A;b=%0D%0A%0D%0A%0D%0A%0D%0A;c=x%0D%0Ay"
    });
    assert_eq!(both(&[("größe", "~*!-._'()")]), "gr%C3%B6%C3%9Fe=~%2A%21-._%27%28%29", "only the unreserved stay");
    let leaves = [("a", "x;y&z=\r\n"), ("é", "+")];
    let found: Vec<_> = Parser::new().semicolons().parse(&both(&leaves)).into_owned().collect();
    assert_eq!(found, strings(&leaves));
}

// CGI.

#[test]
fn rfc_3875_4_4_command_lines() {
    use form::cgi::{Words, arguments, is_indexed, query};
    let words = |query, words| arguments(query, words).map(|words| words.join(&b'|'));
    let both = |query, expected: Option<&[u8]>| {
        for kind in [Words::Strict, Words::Lenient] {
            assert_eq!(words(query, kind).as_deref(), expected, "{query}");
        }
    };
    both("a", Some(b"a"));
    both("a+b", Some(b"a|b"));
    both("a%2Bb+%3D+c%20d+%FF", Some(b"a+b|=|c d|\xFF"));
    both("", Some(b""));
    both("a=b+c", None);
    both("a+b=", None);
    both("a+%00", None);
    both("a\0", None);
    for (query, lenient) in [("+", &b"|"[..]), ("a++b", b"a||b"), ("+a", b"|a"), ("a%zz+%", b"a%zz|%")] {
        assert_eq!(words(query, Words::Strict), None, "{query}");
        assert_eq!(words(query, Words::Lenient).as_deref(), Some(lenient), "{query}");
    }
    assert_eq!(arguments("", Words::Lenient).unwrap().len(), 0);
    assert!(is_indexed("a+%3D") && !is_indexed("a+="));
    assert_eq!(query(["a=b+c d"]), "a%3Db%2Bc%20d");
}

#[test]
fn cgi_words_come_back() {
    fn property(words: Vec<Vec<u8>>) {
        use form::cgi::{Words, arguments, query};
        let query = query(&words);
        let found = arguments(&query, Words::Lenient);
        if words.iter().flatten().any(|&byte| byte == 0) {
            assert_eq!(found, None);
        } else if words != [b""] {
            assert_eq!(found.unwrap(), words);
            let grammatical = words.iter().all(|word| !word.is_empty());
            assert_eq!(arguments(&query, Words::Strict).is_some(), grammatical);
        }
    }
    check(20_000, property as fn(Vec<Vec<u8>>));
}

#[test]
fn rfc_3875_4_1_5_to_7() {
    use form::cgi::{EXTRA_PATH, PATH_INFO, PATH_INFO_STRICT, split};
    assert_eq!(split("/a/b?c=d?e"), ("/a/b", "c=d?e"));
    assert_eq!(split("/a"), ("/a", ""));
    assert_eq!(split("/a?"), ("/a", ""));
    assert_eq!(PATH_INFO.decode("/this%2eis%2epath%3binfo"), &b"/this.is.path;info"[..]);
    assert_eq!(PATH_INFO.decode("/a+b%2Fc%"), &b"/a+b/c%"[..]);
    let faults =
        ["/a%2Fb", "/a%2fb", "/a%00", "/a%", "/a%4g"].map(|path| fault(PATH_INFO_STRICT.decode(path).unwrap_err()));
    let rejected = DecodeErrorKind::Rejected;
    let kinds = [rejected(b'/'), rejected(b'/'), rejected(0), DecodeErrorKind::Truncated, DecodeErrorKind::NotHex];
    assert_eq!(faults, kinds.map(|kind| (2, kind)));
    assert_eq!(EXTRA_PATH.encode("/this.is.the.path;info"), "/this.is.the.path%3Binfo");
    assert_eq!(EXTRA_PATH.encode("/a=b?c[d]:@&$,%"), "/a%3Db%3Fc[d]:@&$,%25");
}
