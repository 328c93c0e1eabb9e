//! Tests forms in charsets, forms of XForms, and queries of CGI. Compares the results with the steps of each standard in plain
//! code.
#![no_main]

use libfuzzer_sys::fuzz_target;
use percent_simd::ByteSet;
use percent_simd_fuzz::*;
use percent_standards::charset::Charset;
use percent_standards::form::ParseError;
use percent_standards::form::legacy::Parser;
use percent_standards::form::{self, cgi, xforms};

/// The unreserved characters of RFC 2396 2.3, which RFC 3875 refers to.
const OLD_UNRESERVED: ByteSet = UNRESERVED.union(ByteSet::of(b"!*'()"));

#[derive(Clone, Copy, Debug)]
struct Options {
    charset: Charset,
    use_charset: bool,
    isindex: bool,
    bom: bool,
    semicolons: bool,
}

fn decode(charset: Charset, bytes: &[u8]) -> String {
    match encoding_rs::Encoding::for_label(charset.name().as_bytes()) {
        Some(peer) if peer.name() == charset.name() => peer.decode_without_bom_handling(bytes).0.into_owned(),
        _ => charset.decode_lossy(bytes).into_owned(),
    }
}

/// Returns the charset of a label. If encoding_rs knows the label, asserts that the library and encoding_rs find the same
/// charset.
fn get_encoding(label: &[u8]) -> Option<Charset> {
    let found = Charset::for_label(label);
    if let Some(peer) = encoding_rs::Encoding::for_label(label) {
        assert_eq!(found.map(Charset::name), Some(peer.name()), "{}", label.escape_ascii());
    }
    found
}

/// Parses a form by the URL Standard of April 2016, 5.1, with the additional options of the library's parser.
fn parse(options: Options, input: &[u8]) -> Result<(Vec<(String, String)>, Charset), usize> {
    // Step 1.
    if options.charset != Charset::UTF_8
        && let Some(at) = input.iter().position(|&byte| byte > 0x7F)
    {
        return Err(at);
    }
    // Steps 2 and 3.
    let is_separator = |&byte: &u8| byte == b'&' || options.semicolons && byte == b';';
    let mut sequences: Vec<Vec<u8>> = input.split(is_separator).map(<[u8]>::to_vec).collect();
    if options.isindex && !sequences[0].contains(&b'=') {
        sequences[0].insert(0, b'=');
    }
    // Step 4.
    let (mut charset, mut uses_charset, mut pairs) = (options.charset, options.use_charset, Vec::new());
    for sequence in sequences.iter().filter(|sequence| !sequence.is_empty()) {
        let at = sequence.iter().position(|&byte| byte == b'=').unwrap_or(sequence.len());
        let spaced = |part: &[u8]| part.iter().map(|&byte| if byte == b'+' { b' ' } else { byte }).collect::<Vec<u8>>();
        let (name, value) = (spaced(&sequence[..at]), spaced(sequence.get(at + 1..).unwrap_or_default()));
        if uses_charset
            && name == b"_charset_"
            && let Some(found) = get_encoding(&value)
        {
            (charset, uses_charset) = (found, false);
        }
        pairs.push((name, value));
    }
    // Step 5: "decode", which removes a byte order mark, or "decode without BOM", which keeps it.
    let text = |part: &[u8]| {
        let bytes = LENIENT.run(part).out;
        match encoding_rs::Encoding::for_bom(&bytes).filter(|_| options.bom) {
            Some((encoding, len)) => encoding.decode_without_bom_handling(&bytes[len..]).0.into_owned(),
            None => decode(charset, &bytes),
        }
    };
    Ok((pairs.iter().map(|(name, value)| (text(name), text(value))).collect(), charset))
}

fn check_legacy(options: Options, input: &[u8]) {
    let mut parser = Parser::new(options.charset);
    if options.use_charset {
        parser = parser.use_charset();
    }
    if options.isindex {
        parser = parser.isindex();
    }
    if options.bom {
        parser = parser.sniff_bom();
    }
    if options.semicolons {
        parser = parser.semicolons();
    }
    match (parser.parse(input), parse(options, input)) {
        (Ok(got), Ok((pairs, charset))) => {
            assert_eq!(got.charset, charset, "{options:?}");
            assert!(
                got.pairs
                    .iter()
                    .map(|(name, value)| (&**name, &**value))
                    .eq(pairs.iter().map(|(name, value)| (&**name, &**value))),
                "{options:?} {got:?}"
            );
        }
        (got, expected) => {
            assert_eq!(got, Err(ParseError::NotAscii { offset: expected.expect_err("an error") }), "{options:?}");
        }
    }
}

/// Checks XForms 1.1 11.9.8. Line ends of values become CR LF, and a space becomes `+`. Unreserved characters stay. All
/// other characters are escaped in UTF-8.
fn check_xforms(text: &str, separator: xforms::Separator) {
    let fields: Vec<(&str, &str)> = text.split('\0').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
    let serialized = xforms::serialize(fields.iter().copied(), separator);
    let mark = if separator == xforms::Separator::Semicolon { ";" } else { "&" };
    let crlf = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n").replace('\n', "\r\n");
    let encode = Encode { plus: true, ..Encode::new(UNRESERVED) };
    let encoded = |text: &str| String::from_utf8(encode.run(text.as_bytes())).unwrap();
    let pairs = fields.iter().map(|(name, value)| [encoded(name), encoded(&crlf(value))].join("="));
    assert_eq!(serialized, pairs.collect::<Vec<_>>().join(mark));
    let parser = form::Parser::new();
    let parser = if mark == ";" { parser.semicolons() } else { parser };
    let parsed: Vec<(String, String)> = parser.parse(&serialized).into_owned().collect();
    assert!(parsed.into_iter().eq(fields.iter().map(|(name, value)| (name.to_string(), crlf(value)))), "{serialized}");
}

/// Returns the arguments of a query (RFC 3875 4.4).
fn naive_arguments(query: &[u8], words: cgi::Words) -> Option<Vec<Vec<u8>>> {
    if query.is_empty() {
        return Some(Vec::new());
    }
    if query.contains(&b'=') {
        return None;
    }
    let mut arguments = Vec::new();
    for word in query.split(|&byte| byte == b'+') {
        let (decoding, least) = if words == cgi::Words::Strict { (STRICT, 1) } else { (LENIENT, 0) };
        let decoded = decoding.run(word);
        if word.len() < least || decoded.error.is_some() || decoded.out.contains(&0) {
            return None;
        }
        arguments.push(decoded.out);
    }
    Some(arguments)
}

fn check_cgi(input: &[u8]) {
    let owned = |words: Option<Vec<std::borrow::Cow<'_, [u8]>>>| {
        words.map(|words| words.into_iter().map(|word| word.into_owned()).collect::<Vec<_>>())
    };
    assert_eq!(cgi::is_indexed(input), !input.contains(&b'='));
    let [strict, lenient] = [cgi::Words::Strict, cgi::Words::Lenient].map(|words| {
        let got = owned(cgi::arguments(input, words));
        assert_eq!(got, naive_arguments(input, words), "{words:?}");
        got
    });
    assert!(strict.is_none() || strict == lenient);

    let words: Vec<&[u8]> = input.split(|&byte| byte == b'\n').collect();
    let query = cgi::query(&words);
    let encode = Encode::new(OLD_UNRESERVED.union(ByteSet::of(b";/?:@&,$")));
    let expected: Vec<Vec<u8>> = words.iter().map(|word| encode.run(word)).collect();
    assert_eq!(query.as_bytes(), expected.join(&b'+'));
    let is_word = |word: &&[u8]| !word.contains(&0);
    if words.iter().all(is_word) && words != [b""] {
        assert!(cgi::arguments(&query, cgi::Words::Lenient).is_some_and(|again| again == words), "{query}");
    }

    let text = &*String::from_utf8_lossy(input);
    let (path, query) = cgi::split(text);
    let at = text.find('?');
    assert_eq!((path, query), (&text[..at.unwrap_or(text.len())], at.map_or("", |at| &text[at + 1..])));
    assert_eq!(cgi::PATH_INFO.decode(input), LENIENT.run(input).out);
    let strict = Decode { reject: ByteSet::of(b"/\0"), ..STRICT }.run(input);
    let got = cgi::PATH_INFO_STRICT.decode(input).map_err(fault);
    assert_eq!(got.as_deref().map_err(|error| *error), strict.result());
    let encode = Encode::new(OLD_UNRESERVED.union(ByteSet::of(b"/:@&+$,[]")));
    assert_eq!(cgi::EXTRA_PATH.encode(input).as_bytes(), encode.run(input));
}

/// Checks that a form written in a charset is parsed in this charset.
fn check_round_trip(charset: Charset, text: &str) {
    let fields: Vec<(&str, &str)> = text.split('\0').map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
    let entries: Vec<_> = fields.iter().map(|(name, value)| form::html::Entry::new(name, value)).collect();
    let html = form::html::Form::new(&entries).charset(charset);
    let submitted = html.urlencoded();
    assert!(html.max_len().is_none_or(|most| submitted.len() <= most));
    let output = charset.output_encoding();
    let parsed = Parser::new(output).parse(&submitted).expect("ASCII");
    assert_eq!(parsed.pairs.len(), fields.len(), "{submitted}");
    for ((name, value), (got_name, got_value)) in html.pairs().zip(&parsed.pairs) {
        for (text, got) in [(name, got_name), (value, got_value)] {
            // A character changes if the charset lacks it, or if the charset decodes the character's byte to another
            // character.
            let html = output.encode_html(&text);
            assert_eq!(**got, decode(output, &html), "{} {submitted}", output.name());
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut choices = Choices(data);
    let options = choices.byte();
    let has = |bit: u8| options & 1 << bit != 0;
    let all: Vec<Charset> = Charset::all().collect();
    let charset = if has(6) { Charset::UTF_8 } else { all[choices.below(all.len())] };
    let options = Options { charset, use_charset: has(0), isindex: has(1), bom: has(2), semicolons: has(3) };
    let separator = if has(4) { xforms::Separator::Semicolon } else { xforms::Separator::Ampersand };
    let way = choices.byte();
    let input = choices.input();
    match way % 4 {
        0 | 1 => check_legacy(options, input),
        2 => check_cgi(input),
        _ => {
            let text = &*String::from_utf8_lossy(input);
            check_xforms(text, separator);
            check_round_trip(charset, text);
        }
    }
});
