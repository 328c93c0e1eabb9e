//! Tests of charsets. There are three oracles:
//!
//! - `encoding_rs`. Unlike the library, the oracle passes one character or one byte to it in each call.
//! - For the charsets that `encoding_rs` can't encode or decode: functions of this file.
//! - For the shifts of ISO-2022-JP: a state machine of this file.
#![cfg(feature = "encoding")]

use crate::common;

use std::borrow::Cow;

use common::*;
use encoding_rs::Encoding;
use percent_simd::{ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, Plus, RawEncoder, sets};
use percent_standards::charset::{Charset, UnmappableError};
use quickcheck::{Arbitrary, Gen};

const DATA: Encoder = Encoder::new(sets::RFC3986_UNRESERVED);

fn label(name: &str) -> Charset {
    Charset::for_label(name).unwrap()
}

/// The names of all encodings of the Encoding Standard 4.2.
const NAMES: &[&str] = &[
    "UTF-8", "IBM866", "ISO-8859-2", "ISO-8859-3", "ISO-8859-4", "ISO-8859-5", "ISO-8859-6", "ISO-8859-7",
    "ISO-8859-8", "ISO-8859-8-I", "ISO-8859-10", "ISO-8859-13", "ISO-8859-14", "ISO-8859-15", "ISO-8859-16", "KOI8-R",
    "KOI8-U", "macintosh", "windows-874", "windows-1250", "windows-1251", "windows-1252", "windows-1253",
    "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic", "GBK", "gb18030",
    "Big5", "EUC-JP", "ISO-2022-JP", "Shift_JIS", "EUC-KR", "replacement", "UTF-16BE", "UTF-16LE", "x-user-defined",
];

const OWN: [Charset; 7] = [
    Charset::UTF_32BE,
    Charset::UTF_32LE,
    Charset::US_ASCII,
    Charset::ISO_8859_1,
    Charset::IBM037,
    Charset::IBM437,
    Charset::IBM850,
];

/// Code page 037 from Python 3.11: `bytes(range(256)).decode("cp037")`.
const PAGE_037: &str = "\
    \u{0}\u{1}\u{2}\u{3}\u{9C}\u{9}\u{86}\u{7F}\u{97}\u{8D}\u{8E}\u{B}\u{C}\u{D}\u{E}\u{F}\
    \u{10}\u{11}\u{12}\u{13}\u{9D}\u{85}\u{8}\u{87}\u{18}\u{19}\u{92}\u{8F}\u{1C}\u{1D}\u{1E}\u{1F}\
    \u{80}\u{81}\u{82}\u{83}\u{84}\u{A}\u{17}\u{1B}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{5}\u{6}\u{7}\
    \u{90}\u{91}\u{16}\u{93}\u{94}\u{95}\u{96}\u{4}\u{98}\u{99}\u{9A}\u{9B}\u{14}\u{15}\u{9E}\u{1A}\
    \u{20}\u{A0}âäàáãåçñ¢.<(+|&éêëèíîïìß!$*);¬\
    -/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@'=\"\
    Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤\
    µ~stuvwxyz¡¿ÐÝÞ®^£¥·©§¶¼½¾[]¯¨´×\
    {ABCDEFGHI\u{AD}ôöòóõ}JKLMNOPQR¹ûüùúÿ\
    \\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\u{9F}\
";

/// The upper half of code page 437 from Python 3.11: `bytes(range(128, 256)).decode("cp437")`.
const UPPER_437: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ\
    áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
    αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}\
";

/// The upper half of code page 850 from Python 3.11: `bytes(range(128, 256)).decode("cp850")`.
const UPPER_850: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ\
    áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐\
    └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀\
    ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}\
";

/// Returns the character of each byte. The charset has one byte for each character.
fn page(charset: Charset) -> Vec<char> {
    match charset.name() {
        "IBM037" => PAGE_037.chars().collect(),
        "IBM437" => (0..128).map(char::from).chain(UPPER_437.chars()).collect(),
        _ => (0..128).map(char::from).chain(UPPER_850.chars()).collect(),
    }
}

fn charsets() -> impl Iterator<Item = Charset> {
    let by_label =
        |name: &&str| Charset::for_label(name).or_else(|| (*name == "replacement").then(|| label("hz-gb-2312")));
    NAMES.iter().map(move |name| by_label(name).unwrap()).chain(OWN)
}

/// Characters that only some charsets have, characters that shift to another set of characters, and characters that
/// look like escapes.
const POOL: &str = "aZ09 %+&#;=/\\~.-\u{E}\u{F}\u{1B}\r\n\0\u{7F}\u{80}\u{9F}\u{A0}\u{FF}\
    é€¥‾−ｱﾟアあ日本語表示ソ能一丽鬱한글ЯабαΩאبไ☃\u{E5E5}\u{F780}\u{FEFF}\u{FFFD}\u{FFFF}😀\u{10FFFF}";

#[derive(Clone, Debug)]
struct Text(String);

impl Arbitrary for Text {
    fn arbitrary(g: &mut Gen) -> Text {
        let pool: Vec<char> = POOL.chars().collect();
        let most = if u8::arbitrary(g) == 0 { 5000 } else { 40 };
        let length = usize::arbitrary(g) % most;
        let one = |g: &mut Gen| if u8::arbitrary(g) < 220 { *g.choose(&pool).unwrap() } else { char::arbitrary(g) };
        Text((0..length).map(|_| one(g)).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Text>> {
        let short = self.0.len() < 200; // shrinking a long text takes minutes
        Box::new(self.0.shrink().filter(move |_| short).map(Text))
    }
}

#[derive(Clone, Debug)]
struct Any(Charset);

impl Arbitrary for Any {
    fn arbitrary(g: &mut Gen) -> Any {
        let all: Vec<Charset> = charsets().collect();
        let often = [Charset::ISO_2022_JP, Charset::SHIFT_JIS, Charset::GB18030, Charset::UTF_16BE, Charset::IBM037];
        let from = if bool::arbitrary(g) { &all[..] } else { &often };
        Any(*g.choose(from).unwrap())
    }
}

/// Returns the bytes of a character in a charset without states. If the charset lacks the character, the error is the
/// character that a numeric reference would name.
fn bytes(charset: Charset, character: char) -> Result<Vec<u8>, char> {
    let code = u32::from(character);
    match charset.name() {
        "UTF-16BE" | "UTF-16LE" => {
            let mut units = [0; 2];
            let swap = |unit: &u16| if charset.name() == "UTF-16BE" { unit.to_be_bytes() } else { unit.to_le_bytes() };
            Ok(character.encode_utf16(&mut units).iter().flat_map(swap).collect())
        }
        "UTF-32BE" => Ok(vec![0, (code >> 16) as u8, (code >> 8) as u8, code as u8]),
        "UTF-32LE" => Ok(vec![code as u8, (code >> 8) as u8, (code >> 16) as u8, 0]),
        "US-ASCII" if code < 0x80 => Ok(vec![code as u8]),
        "ISO-8859-1" if code < 0x100 => Ok(vec![code as u8]),
        "IBM037" | "IBM437" | "IBM850" => match page(charset).iter().position(|&of_page| of_page == character) {
            Some(byte) => Ok(vec![byte as u8]),
            None => Err(character),
        },
        "US-ASCII" | "ISO-8859-1" => Err(character),
        name => {
            let text = character.to_string();
            let (bytes, _, replaced) =
                Encoding::for_label(name.as_bytes()).unwrap_or(encoding_rs::REPLACEMENT).encode(&text);
            if replaced { Err(character) } else { Ok(bytes.into_owned()) }
        }
    }
}

/// Returns the output of an encoder for each character, and the offset of this character in `text`. The output is the
/// bytes of the character, or the character itself if the charset lacks it.
fn steps(charset: Charset, text: &str) -> Vec<(usize, Result<Vec<u8>, char>)> {
    if charset != Charset::ISO_2022_JP {
        return text.char_indices().map(|(at, character)| (at, bytes(charset, character))).collect();
    }
    // Encoding Standard 12.2.2. A character of JIS X 0208 has the same bytes as in EUC-JP, but without the high bits.
    #[derive(PartialEq)]
    enum State {
        Ascii,
        Roman,
        Jis0208,
    }
    let kana = "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン゛゜";
    let wide = |character: char| match character {
        '−' => '－',
        '｡'..='ﾟ' => kana.chars().nth(character as usize - '｡' as usize).unwrap(),
        _ => character,
    };
    fn shift(state: &mut State, to: State, bytes: &[u8]) -> Vec<u8> {
        let escape: &[u8] = match to {
            _ if *state == to => b"",
            State::Ascii => b"\x1B(B",
            State::Roman => b"\x1B(J",
            State::Jis0208 => b"\x1B$B",
        };
        *state = to;
        [escape, bytes].concat()
    }
    let mut state = State::Ascii;
    let mut steps = Vec::new();
    for (at, character) in text.char_indices() {
        let two = match bytes(Charset::EUC_JP, wide(character)) {
            Ok(bytes) if !character.is_ascii() && bytes.len() == 2 && bytes[0] >= 0xA1 => {
                Some([bytes[0] - 0x80, bytes[1] - 0x80])
            }
            _ => None,
        };
        let control = matches!(character, '\u{E}' | '\u{F}' | '\u{1B}');
        let step = match character {
            _ if control => Err('\u{FFFD}'),
            '\\' | '~' => Ok(shift(&mut state, State::Ascii, &[character as u8])),
            '\0'..='\x7F' if state == State::Roman => Ok(vec![character as u8]),
            '\0'..='\x7F' => Ok(shift(&mut state, State::Ascii, &[character as u8])),
            '¥' => Ok(shift(&mut state, State::Roman, &[0x5C])),
            '‾' => Ok(shift(&mut state, State::Roman, &[0x7E])),
            _ => two.map(|two| shift(&mut state, State::Jis0208, &two)).ok_or(character),
        };
        if step.is_err() && state == State::Jis0208 {
            steps.push((at, Ok(shift(&mut state, State::Ascii, b""))));
        }
        steps.push((at, step));
    }
    if state != State::Ascii {
        steps.push((text.len(), Ok(b"\x1B(B".to_vec())));
    }
    steps
}

fn reference(character: char) -> String {
    format!("&#{};", character as u32)
}

/// Encodes in the error mode "html".
fn html(charset: Charset, text: &str) -> Vec<u8> {
    let ascii = |character: char| match charset {
        Charset::IBM037 => bytes(charset, character).unwrap(),
        _ => vec![character as u8],
    };
    let each = |(_, step): (usize, Result<Vec<u8>, char>)| match step {
        Ok(bytes) => bytes,
        Err(character) => reference(character).chars().flat_map(ascii).collect(),
    };
    steps(charset, text).into_iter().flat_map(each).collect()
}

/// Encodes in the error mode "fatal".
fn fatal(charset: Charset, text: &str) -> Result<Vec<u8>, UnmappableError> {
    let mut all = Vec::new();
    for (offset, step) in steps(charset, text) {
        match step {
            Ok(bytes) => all.extend(bytes),
            Err(_) => return Err(UnmappableError::new(offset, text[offset..].chars().next().unwrap())),
        }
    }
    Ok(all)
}

#[test]
fn encodes_as_the_oracle_in_every_charset() {
    fn property(Any(charset): Any, Text(text): Text) {
        assert_eq!(charset.encode(&text).map(Cow::into_owned), fatal(charset, &text));
        let bytes = charset.encode_html(&text);
        assert_eq!(bytes, html(charset, &text), "{charset:?}");
        assert_eq!(
            matches!(bytes, Cow::Borrowed(_)),
            charset.encode(&text).is_ok_and(|o| matches!(o, Cow::Borrowed(_)))
        );
        if charset.encode(&text).is_ok_and(|bytes| bytes == text.as_bytes()) && charset.is_ascii_compatible() {
            assert!(matches!(bytes, Cow::Borrowed(_)), "{charset:?}");
        }
    }
    check(3000, property as fn(Any, Text));
}

#[test]
fn bytes_are_encoded_after_the_charset() {
    fn property(Any(charset): Any, Text(text): Text, which: u8) {
        let enc = encodings()[usize::from(which) % 6];
        let encoder = enc.encoder(engines()[0]).to_ascii();
        let as_text = |bytes: Vec<u8>| {
            String::from_utf8(Encode { allowed: enc.allowed & ByteSet::ASCII, ..enc }.run(&bytes)).unwrap()
        };
        assert_eq!(charset.percent_encode(&encoder, &text).map(Cow::into_owned), fatal(charset, &text).map(as_text));
        let encoded = charset.percent_encode_html(&encoder, &text);
        assert_eq!(encoded, as_text(html(charset, &text)));
        assert!(encoded.len() <= Charset::max_encoded_len(text.len()).unwrap());
    }
    check(2000, property as fn(Any, Text, u8));
}

#[test]
fn utf_8_is_encoded_as_by_the_encoder_alone() {
    fn property(Text(text): Text, which: usize) {
        let all = encodings();
        let encoder = all[which % all.len()].encoder(engines()[0]).to_ascii();
        let encoded = encoder.encode(&text);
        assert_eq!(Charset::UTF_8.percent_encode(&encoder, &text).unwrap(), encoded);
        assert_eq!(Charset::UTF_8.percent_encode_html(&encoder, &text), encoded);
    }
    check(2000, property as fn(Text, usize));
}

#[test]
fn decoding_returns_the_encoded_characters() {
    fn property(Any(charset): Any, Text(text): Text, plus: bool) {
        let (encoder, plus) = if plus { (DATA.space_to_plus(), Plus::Always) } else { (DATA, Plus::Never) };
        let Ok(encoded) = charset.percent_encode(&encoder, &text) else { return };
        if charset.name() == "replacement" {
            return;
        }
        // Some characters have the same bytes as another character, and these bytes are decoded to the other character.
        // So we get the expected text by encoding and decoding each character separately.
        let expected: String = text
            .chars()
            .map(|c| charset.decode(&charset.encode(c.encode_utf8(&mut [0; 4])).unwrap()).unwrap().into_owned())
            .collect();
        let decoder = Decoder::new().plus(plus);
        assert_eq!(charset.percent_decode(decoder, &encoded).unwrap(), expected);
        assert_eq!(charset.percent_decode_lossy(&decoder, &encoded), expected);
        // In these charsets, every character comes back.
        if matches!(
            charset.name(),
            "UTF-8" | "UTF-16BE" | "UTF-16LE" | "UTF-32BE" | "UTF-32LE" | "ISO-8859-1" | "IBM037"
        ) {
            assert_eq!(expected, text);
            let bytes = charset.percent_encode(&encoder, &text).unwrap();
            let decoder = Decoder::new().plus(plus);
            assert_eq!(charset.percent_decode(decoder, &*bytes).unwrap(), text);
            assert_eq!(charset.percent_decode(decoder.strict(), &*bytes).unwrap(), text);
        }
    }
    check(2000, property as fn(Any, Text, bool));
}

#[derive(Clone, Debug)]
struct Hostile(Vec<u8>);

impl Arbitrary for Hostile {
    fn arbitrary(g: &mut Gen) -> Hostile {
        let some: [&[u8]; 24] = [
            b"%", b"%8", b"%81", b"%95\\", b"%E9", b"%41", b"+", b"a", b"\x81", b"\x95\\", b"%1B$B", b"%1B(B",
            b"\x1B(J", b"F|", b"%FD", b"%00", b"\x00", b"%D8%00", b"\xFF", b"%30", b"\x90\x30\x81", b"%EF%BB%BF",
            b"\xC3\xA9", b"%zz",
        ];
        let length = usize::arbitrary(g) % if u8::arbitrary(g) == 0 { 3000 } else { 24 };
        Hostile((0..length).flat_map(|_| g.choose(&some).unwrap().to_vec()).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Hostile>> {
        let short = self.0.len() < 200; // shrinking long bytes takes minutes
        Box::new(self.0.shrink().filter(move |_| short).map(Hostile))
    }
}

/// Decodes `bytes`. Returns the text, and true if bytes were replaced.
fn text(charset: Charset, bytes: &[u8]) -> (String, bool) {
    let mut wrong = false;
    let mut or_fffd = |c: Option<char>| {
        wrong |= c.is_none();
        c.unwrap_or('\u{FFFD}')
    };
    let unit = |unit: &[u8]| unit.iter().fold(0u32, |code, &byte| code << 8 | u32::from(byte));
    let text = match charset.name() {
        "US-ASCII" => bytes.iter().map(|&o| or_fffd((o < 0x80).then_some(o as char))).collect(),
        "ISO-8859-1" => bytes.iter().map(|&o| o as char).collect(),
        "IBM037" | "IBM437" | "IBM850" => {
            let page = page(charset);
            bytes.iter().map(|&o| page[usize::from(o)]).collect()
        }
        "UTF-32BE" => {
            bytes.chunks(4).map(|u| or_fffd((u.len() == 4).then(|| char::from_u32(unit(u))).flatten())).collect()
        }
        "UTF-32LE" => bytes
            .chunks(4)
            .map(|u| or_fffd((u.len() == 4).then(|| char::from_u32(unit(u).swap_bytes())).flatten()))
            .collect(),
        name => {
            let encoding = Encoding::for_label(name.as_bytes()).unwrap_or(encoding_rs::REPLACEMENT);
            // Unlike the library, we decode one byte at a time.
            let mut decoder = encoding.new_decoder_without_bom_handling();
            let mut text = String::with_capacity(3 * bytes.len() + 64);
            for i in 0..=bytes.len() {
                let (piece, last) = bytes.get(i).map_or((&[][..], true), |byte| (std::slice::from_ref(byte), false));
                let (_, _, replaced) = decoder.decode_to_string(piece, &mut text, last);
                wrong |= replaced;
            }
            text
        }
    };
    (text, wrong)
}

#[test]
fn decodes_as_the_oracle_or_names_the_byte() {
    fn property(Any(charset): Any, Hostile(input): Hostile, plus: bool) {
        let dec = Decode { plus_always: plus, ..LENIENT };
        let decoded = dec.run(&input);
        let (expected, wrong) = text(charset, &decoded.out);
        let decoder = dec.lenient(engines()[0]);
        assert_eq!(charset.percent_decode_lossy(&decoder, &input), expected, "{charset:?}");
        assert_eq!(charset.decode_lossy(&decoded.out), expected);

        match charset.decode(&decoded.out) {
            Ok(text) => assert!(!wrong && text == expected),
            Err(error) => {
                assert!(wrong && error.offset < decoded.out.len(), "{charset:?}");
                let (good, bad) = decoded.out.split_at(error.offset);
                if charset.name() != "replacement" {
                    assert_eq!(charset.decode(good), Ok(Cow::Borrowed(&*text(charset, good).0)), "{charset:?}");
                }
                assert!(!text(charset, good).1 || charset.name() == "replacement");
                if !matches!(charset.name(), "ISO-2022-JP") && bad.len() < 100 {
                    for n in 1..=bad.len() {
                        let longer = &decoded.out[..error.offset + n];
                        assert!(charset.decode(longer).is_err(), "{charset:?}: not before {n} more");
                    }
                }
                let kind = if charset == Charset::UTF_8 {
                    DecodeErrorKind::InvalidUtf8
                } else {
                    DecodeErrorKind::InvalidInCharset
                };
                let error_in_input = charset.percent_decode(decoder, &input).unwrap_err();
                assert_eq!(fault(error_in_input), (decoded.from[error.offset], kind), "{charset:?}");
            }
        }

        // If there are two errors, the first one is reported.
        let strict = Decode { strict: true, ..dec };
        let decoded = strict.run(&input);
        let checked = strict.checked(engines()[0]);
        let malformed = charset.decode(&decoded.out).map(Cow::into_owned).map_err(|error| decoded.from[error.offset]);
        match (charset.percent_decode(checked, &input), malformed, decoded.error) {
            (Ok(text), Ok(expected), None) => assert_eq!(text, expected),
            (Err(error), Err(offset), _) => assert_eq!(error.offset, offset),
            (Err(error), Ok(_), Some(expected)) => assert_eq!(fault(error), expected),
            (got, ..) => panic!("{charset:?}: {got:?}"),
        }
        // If all decoded bytes are valid UTF-8, the detected charset is UTF-8.
        let bytes = dec.run(&input).out;
        let found = charset.detect_lossy(&decoder, &input);
        match String::from_utf8(bytes) {
            Ok(text) => {
                assert_eq!((&*found.text, found.charset), (&*text, Charset::UTF_8));
                assert_eq!(charset.detect(decoder, &input), Ok(found));
            }
            Err(_) => {
                assert_eq!((&*found.text, found.charset), (&*expected, charset));
                assert_eq!(charset.detect(decoder, &input).is_err(), wrong);
            }
        }
    }
    check(3000, property as fn(Any, Hostile, bool));
}

/// Returns everything that `call` outputs, and its result.
fn all_of<E>(call: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), E>) -> (Vec<u8>, Result<(), E>) {
    let mut all = Vec::new();
    let result = call(&mut |piece| all.extend_from_slice(piece));
    (all, result)
}

#[test]
fn pieces_together_equal_the_whole_result() {
    fn property(Any(charset): Any, Text(text): Text, Hostile(input): Hostile, which: (u8, u8)) {
        for engine in engines() {
            let encoder = encodings()[usize::from(which.0) % encodings().len()].encoder(engine);
            let whole = encoder.encode(&html(charset, &text)).into_owned();
            let (out, Ok(())) = all_of::<()>(|put| {
                charset.percent_encode_html_pieces(&encoder, &text, put);
                Ok(())
            }) else {
                unreachable!()
            };
            assert_eq!(out, whole, "{charset:?} {encoder:?}");
            let (out, result) = all_of(|put| charset.percent_encode_pieces(&encoder, &text, put));
            match fatal(charset, &text) {
                Ok(bytes) => assert_eq!((out, result), (encoder.encode(&bytes).into_owned(), Ok(())), "{charset:?}"),
                Err(error) => {
                    assert_eq!(result, Err(error), "{charset:?}");
                    assert!(whole.starts_with(&out), "{charset:?} {encoder:?}");
                }
            }

            let decoder = decodings()[usize::from(which.1) % decodings().len()].checked(engine);
            let lossy = decoder.decode(&input).map(|bytes| charset.decode_lossy(&bytes).into_owned());
            let (out, result) =
                all_of(|put| charset.percent_decode_lossy_pieces(&decoder, &input, |text| put(text.as_bytes())));
            assert_eq!(result.err(), lossy.as_ref().err().copied(), "{charset:?} {decoder:?}");
            if let Ok(lossy) = lossy {
                assert_eq!(out, lossy.as_bytes(), "{charset:?} {decoder:?}");
            }
            let whole = charset.percent_decode(decoder, &input);
            let (out, result) =
                all_of(|put| charset.percent_decode_pieces(&decoder, &input, |text| put(text.as_bytes())));
            match whole {
                Ok(text) => assert_eq!((out, result), (text.into_owned().into_bytes(), Ok(())), "{charset:?}"),
                // We compare only the offsets. For UTF-8, the kinds of the errors can differ, because the engines check
                // UTF-8 with their own code.
                Err(error) => assert_eq!(result.unwrap_err().offset, error.offset, "{charset:?} {decoder:?}"),
            }
        }
    }
    check(1000, property as fn(Any, Text, Hostile, (u8, u8)));
}

#[test]
fn long_texts_come_in_pieces() {
    // The text is longer than every buffer. Buffers end at every offset inside characters, triplets and UTF-32 units.
    for charset in Charset::all().filter(|charset| charset.name() != "replacement") {
        for before in 0..5 {
            let text = "a".repeat(before) + &"日b é%2f☃".repeat(scale(300));
            let encoder = RawEncoder::new(sets::RFC3986_SEGMENT).keep_triplets();
            let (encoded, _) = all_of::<()>(|put| {
                charset.percent_encode_html_pieces(&encoder, &text, put);
                Ok(())
            });
            assert!(encoded == *encoder.encode(&html(charset, &text)), "{charset:?}");
            let broken = [&encoded[..], b"%FF%FE%Ff"].concat();
            let decoder = Decoder::new().as_checked();
            for (input, lossy) in [(&encoded, false), (&broken, true)] {
                let (out, result) = all_of(|put| {
                    let put = |text: &str| put(text.as_bytes());
                    match lossy {
                        true => charset.percent_decode_lossy_pieces(&decoder, input, put),
                        false => charset.percent_decode_pieces(&decoder, input, put),
                    }
                });
                let decoded = Decoder::new().decode(input);
                assert!((out, result) == (self::text(charset, &decoded).0.into_bytes(), Ok(())), "{charset:?} {lossy}");
            }
            let (_, result) = all_of(|put| charset.percent_decode_pieces(&decoder, &broken, |t| put(t.as_bytes())));
            assert_eq!(
                result.err().map(|error| error.offset),
                charset.percent_decode(decoder, &broken).err().map(|error| error.offset),
                "{charset:?}"
            );
        }
    }
}

// Cases of the standards.

#[test]
fn bytes_and_characters_differ_where_ascii_is_elsewhere() {
    // RFC 3986 2.5: we encode bytes, not characters.
    for (charset, bytes) in [
        (Charset::UTF_16BE, "%00A%00%2F"),
        (Charset::UTF_16LE, "A%00%2F%00"),
        (Charset::UTF_32BE, "%00%00%00A%00%00%00%2F"),
        (Charset::IBM037, "%C1a"),
        (Charset::ISO_2022_JP, "A%2F"),
    ] {
        assert_eq!(charset.percent_encode(&DATA, "A/").unwrap(), bytes, "{charset:?}");
        assert_eq!(charset.percent_decode(Decoder::new(), bytes).unwrap(), "A/");
    }
}

#[test]
fn second_bytes_may_look_like_text() {
    // The raw `\` (5C) must be read together with the byte of the triplet before it. In Shift_JIS, 表 is 95 5C, 示 is
    // 8E A6, ソ is 83 5C, and 能 is 94 5C.
    let sjis = Charset::SHIFT_JIS.percent_decode(Decoder::new(), "%95\\%8E%A6%83\\%94\\").unwrap();
    assert_eq!(sjis, "表示ソ能");
    // In ISO-2022-JP, escape sequences shift between sets of characters. The input has two escape sequences, which
    // start with `%1B`. The first byte of 本 is percent-encoded, too.
    assert_eq!(Charset::ISO_2022_JP.percent_decode(Decoder::new(), "%1B$BF|%4B\\%1B(B").unwrap(), "日本");
    // By default, a `+` stays. In ISO-2022-JP, か is `$+`, so it would be lost if each `+` became a space.
    assert_eq!(Charset::ISO_2022_JP.percent_decode(Decoder::new(), "\x1B$B$+\x1B(B").unwrap(), "か");
}

#[test]
fn iso_2022_jp_shifts_as_the_standard_says() {
    // Each case is for a rule in Encoding Standard 12.2.2.
    let jp = Charset::ISO_2022_JP;
    let cases: [(&str, &[u8]); 12] = [
        ("a", b"a"),
        ("日", b"\x1B$BF|\x1B(B"),
        ("日a", b"\x1B$BF|\x1B(Ba"),
        ("¥a‾", b"\x1B(J\x5Ca\x7E\x1B(B"),
        ("¥\\", b"\x1B(J\x5C\x1B(B\\"),
        ("¥~", b"\x1B(J\x5C\x1B(B~"),
        ("日¥", b"\x1B$BF|\x1B(J\x5C\x1B(B"),
        ("¥日", b"\x1B(J\x5C\x1B$BF|\x1B(B"),
        ("−", b"\x1B$B!]\x1B(B"),
        ("ｱﾟ", b"\x1B$B%\"!,\x1B(B"),
        ("日☃", b"\x1B$BF|\x1B(B&#9731;"),
        ("¥\u{E}¥", b"\x1B(J\x5C&#65533;\x5C\x1B(B"),
    ];
    for (text, bytes) in cases {
        assert_eq!(jp.encode_html(text), bytes, "{text:?}");
    }
    for code in [1000, 10_000, 100_000, 1_000_000] {
        let text = char::from_u32(code).unwrap().to_string();
        assert_eq!(jp.encode_html(&text), format!("&#{code};").as_bytes());
    }
    for control in ["\u{E}", "\u{F}", "\u{1B}"] {
        let text = ["日", control].concat();
        assert_eq!(jp.encode_html(&text), &b"\x1B$BF|\x1B(B&#65533;"[..]);
        let error = jp.encode(&text).unwrap_err();
        assert_eq!((error.offset, error.character.to_string()), (3, control.to_string()));
    }
}

#[test]
fn labels_are_the_webs_and_names_are_ianas() {
    // Encoding Standard 4.2.
    for (name, expected) in [
        ("latin1", "windows-1252"),
        ("us-ascii", "windows-1252"),
        ("\tUTF8 ", "UTF-8"),
        ("gb2312", "GBK"),
        ("utf-16", "UTF-16LE"),
        ("hz-gb-2312", "replacement"),
        ("ms_kanji", "Shift_JIS"),
    ] {
        assert_eq!(label(name).name(), expected);
    }
    for unknown in ["", "utf-7", "utf-32", "latin-1", "IBM037", "\u{A0}utf-8"] {
        assert_eq!(Charset::for_label(unknown), None, "{unknown:?}");
    }
    for (name, expected) in [
        ("latin1", Charset::ISO_8859_1),
        ("us-ascii", Charset::US_ASCII),
        ("cp037", Charset::IBM037),
        ("437", Charset::IBM437),
        ("cp850", Charset::IBM850),
        ("CSPC850Multilingual", Charset::IBM850),
        ("utf-32le", Charset::UTF_32LE),
        ("Shift_JIS", Charset::SHIFT_JIS),
        ("utf-16be", Charset::UTF_16BE),
    ] {
        assert_eq!(Charset::for_name(name), Some(expected));
    }
    assert_eq!(Charset::for_name("utf-7"), None);
    for charset in OWN {
        assert_eq!(Charset::for_name(charset.name()), Some(charset));
    }
    assert!(Charset::all().eq(charsets()));
    assert_eq!(format!("{:?}", label("latin1")), "Charset(windows-1252)");
    let others = charsets().filter(|charset| charset.output_encoding() != *charset);
    let names: Vec<&str> = others.map(|charset| charset.name()).collect();
    assert_eq!(names, ["replacement", "UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE", "IBM037"]);
    let others: Vec<&str> = charsets().filter(|charset| !charset.is_ascii_compatible()).map(Charset::name).collect();
    assert_eq!(others, ["ISO-2022-JP", "replacement", "UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE", "IBM037"]);
}

#[test]
fn every_byte_of_code_pages() {
    let all: Vec<u8> = (0..=255).collect();
    for charset in [Charset::IBM037, Charset::IBM437, Charset::IBM850] {
        let page = page(charset);
        let text: String = page.iter().collect();
        assert_eq!(charset.decode(&all).unwrap(), text);
        assert_eq!(charset.encode(&text).unwrap(), all);
        for character in (0..=0x10_FFFF).filter_map(char::from_u32).filter(|c| !page.contains(c)) {
            assert!(charset.encode(character.encode_utf8(&mut [0; 4])).is_err(), "{character:?}");
        }
    }
}

#[test]
fn latin_1_differs_from_windows_1252() {
    assert_eq!(label("iso-8859-1").percent_encode(&DATA, "€").unwrap(), "%80");
    assert!(Charset::ISO_8859_1.percent_encode(&DATA, "€").is_err());
    assert_eq!(Charset::ISO_8859_1.decode(b"\x80").unwrap(), "\u{80}");
    assert_eq!(label("iso-8859-1").decode(b"\x80").unwrap(), "€");
}

#[test]
fn units_of_utf_32_are_scalar_values() {
    // Unicode 3.10, D90: surrogates, values above 10FFFF and truncated units are errors.
    let good = b"\0\0\0A\0\x10\xFF\xFF";
    assert_eq!(Charset::UTF_32BE.decode(good).unwrap(), "A\u{10FFFF}");
    for bad in [&b"\0\0\xD8\0"[..], b"\0\x11\0\0", b"\xFF\xFF\xFF\xFF", b"\0", b"\0\0\0"] {
        let bytes = [good, bad].concat();
        assert_eq!(Charset::UTF_32BE.decode(&bytes).unwrap_err().offset, 8);
        assert_eq!(Charset::UTF_32BE.decode_lossy(&bytes), "A\u{10FFFF}\u{FFFD}");
        let bytes: Vec<u8> = bytes.chunks(4).flat_map(|unit| unit.iter().rev().copied()).collect();
        assert_eq!(Charset::UTF_32LE.decode(&bytes).unwrap_err().offset, 8);
        let escaped = Encoder::new(ByteSet::EMPTY).encode_to_string(&bytes);
        let error = Charset::UTF_32LE.percent_decode(Decoder::new(), &escaped).unwrap_err();
        assert_eq!(fault(error), (24, DecodeErrorKind::InvalidInCharset));
    }
    // In UTF-16, a lone surrogate is an error, and so is half a unit.
    for (bytes, offset) in [(&b"\0A\xD8\0\0A"[..], 2), (b"\0A\xDC\0", 2), (b"\0A\xD8\0", 2), (b"\0A\0", 2)] {
        assert_eq!(Charset::UTF_16BE.decode(bytes).unwrap_err().offset, offset, "{bytes:?}");
    }
}

#[test]
fn a_byte_order_mark_is_a_character() {
    for (charset, bytes) in [
        (Charset::UTF_8, &b"\xEF\xBB\xBFa"[..]),
        (Charset::UTF_16BE, b"\xFE\xFF\0a"),
        (Charset::UTF_16LE, b"\xFF\xFEa\0"),
    ] {
        assert_eq!(charset.decode(bytes).unwrap(), "\u{FEFF}a");
        let length = if charset == Charset::UTF_8 { 3 } else { 2 };
        assert_eq!(Charset::for_bom(bytes), Some((charset, length)));
    }
    assert_eq!(Charset::for_bom(b"\xEF\xBB"), None);
}

#[test]
fn output_grows_up_to_24_times() {
    for (text, len) in [("\u{E}", 24), ("日\u{E}", 48)] {
        assert_eq!(Charset::ISO_2022_JP.percent_encode_html(&Encoder::new(ByteSet::EMPTY), text).len(), len);
    }
    assert_eq!(Charset::max_encoded_len(0), Some(0));
    assert_eq!(Charset::max_encoded_len(usize::MAX / 24), Some(usize::MAX / 24 * 24));
    assert_eq!(Charset::max_encoded_len(usize::MAX / 24 + 1), None);
}

#[test]
fn long_texts_convert_across_chunks() {
    // Each text is longer than a chunk of the conversion. In each of the eight texts, the chunks end at other offsets
    // inside the characters.
    for charset in [Charset::ISO_2022_JP, Charset::GB18030, Charset::SHIFT_JIS, Charset::UTF_16LE, Charset::UTF_32BE] {
        for before in 0..8 {
            let text = "a".repeat(before) + &"日a本☃".repeat(scale(2000));
            assert_eq!(charset.encode_html(&text), html(charset, &text), "{charset:?}");
            let bytes = html(charset, &text);
            assert_eq!(charset.decode(&bytes).unwrap(), self::text(charset, &bytes).0);
            let broken = [&bytes[..], b"\xFF"].concat();
            if !charset.name().starts_with("UTF") {
                assert_eq!(charset.decode(&broken).unwrap_err().offset, bytes.len(), "{charset:?}");
            }
        }
    }
}

#[test]
fn long_texts_fill_the_buffer_in_every_state() {
    // These charsets have bytes for every character of the text. So the encoder stops only because the buffer is full.
    // For ISO-2022-JP, this happens in each state of the encoder: US-ASCII, Roman (with a yen sign), and JIS X 0208.
    for charset in [Charset::ISO_2022_JP, Charset::GB18030, Charset::SHIFT_JIS, Charset::EUC_JP, Charset::UTF_16BE] {
        for piece in ["日", "日a", "日本語abc", "a¥b", "a¥日", "¥"] {
            if piece.contains('¥') && charset != Charset::ISO_2022_JP {
                continue; // The other charsets have no yen sign, or write it as a backslash.
            }
            for before in 0..8 {
                let text = "a".repeat(before) + &piece.repeat(9000 / piece.len());
                let bytes = charset.encode(&text).unwrap();
                // If this fails, `assert_eq` would print the whole text.
                assert!(bytes == fatal(charset, &text).unwrap(), "{charset:?} {piece} {before}");
                assert!(charset.encode_html(&text) == bytes, "{charset:?} {piece} {before}");
                assert!(charset.decode(&bytes).unwrap() == text, "{charset:?} {piece} {before}");
                let encoded = charset.percent_encode(&DATA, &text).unwrap();
                assert!(charset.percent_decode(Decoder::new(), &encoded).unwrap() == text, "{charset:?} {piece}");
            }
        }
    }
}

#[test]
fn time_is_linear_in_unmappable_and_malformed_input() {
    let n = scale(200_000);
    assert_eq!(Charset::US_ASCII.encode_html(&"é".repeat(n)).len(), 6 * n);
    assert_eq!(label("koi8-r").encode_html(&"日".repeat(n)).len(), 8 * n);
    assert_eq!(Charset::SHIFT_JIS.decode_lossy(&vec![0xFF; n]).len(), 3 * n);
}

#[test]
fn errors_name_fault_and_offset() {
    let unmappable: UnmappableError = Charset::US_ASCII.encode("a€").unwrap_err();
    let malformed: DecodeError = Charset::US_ASCII.decode(b"abc\xFF").unwrap_err();
    for (message, words) in
        [(unmappable.to_string(), ["U+20AC", "byte 1"]), (malformed.to_string(), ["text", "byte 3"])]
    {
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}
