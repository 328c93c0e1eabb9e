//! Writes the vectors of `check.c`, with the results of the oracle, to `tmp/vectors.txt` in the build folder.
//!
//! The file has one vector or one set on each line:
//!
//! | line | meaning |
//! | --- | --- |
//! | `s SET` | a set; the first has the number 0 |
//! | `e FLAGS SET INPUT OUTPUT` | encodes |
//! | `d FLAGS KEEP REJECT INPUT STATUS FIRST_ERROR REJECTED OUTPUT` | decodes |
//! | `E CHARSET FLAGS SET TEXT STATUS FIRST_ERROR OUTPUT` | encodes in a charset |
//! | `D CHARSET FLAGS STRICT INPUT STATUS FIRST_ERROR TEXT` | decodes from a charset |
//!
//! Bytes are hexadecimal, after a `.`. Numbers are decimal; -1 means no offset.

use std::fmt::Write;
use std::fs;

use percent_simd::{ByteSet, DecodeErrorKind};
use percent_simd_capi::pct_status::*;
use percent_simd_capi::*;
use percent_simd_oracle::{Random, decodings, encodings};

/// Inputs that implementations treat differently (RFC 3986 2.1 and 2.4, URL Standard 1.3), inputs with pluses, inputs
/// with latent triplets (`%%34%31`, which could decode to `%41`), and inputs of 64 bytes.
const INPUTS: &[&[u8]] = &[
    b"",
    b"%",
    b"a%4",
    b"%zz%4z%z4",
    b"%25%s%1G",
    b"%%2a%2",
    b"%4%31%%34%31%%32%65",
    b"%2541%252541",
    b"%+1%-1% 1%1 %0x",
    b"%\xEF\xBC\x94\xEF\xBC\x91",
    b"%u0041%U0041",
    b"%00a\0%0A%0d\n\r%7F%ff\xFF",
    b"%c0%ae%C0%AF/../%2e%2E%2F",
    b"a+b%2B?c+d%2b?+",
    b"caf%C3%A9 \xE2\x82\xAC %E2%82%AC",
    b"/path/to%20a/file;v=1?q=%22x%22&r#frag~-._",
    b"0123456789012345678901234567890123456789012345678901234567890123%41",
    b"012345678901234567890123456789012345678901234567890123456789012%41%",
    b"01234567890123456789012345678901234567890123456789012345678901%2f%5C%3",
];

/// Charsets, each with a text and its bytes. The bytes come from Python's codecs, which share no code with
/// `encoding_rs`.
const CHARSETS: &[(&str, &str, &[u8])] = &[
    ("UTF-8", "a/\u{e9}\u{20ac}", b"a/\xC3\xA9\xE2\x82\xAC"),
    ("UTF-16BE", "A/\u{e9}\u{1f600}", b"\0A\0/\0\xE9\xD8\x3D\xDE\0"),
    ("UTF-16LE", "A/\u{e9}\u{1f600}", b"A\0/\0\xE9\0\x3D\xD8\0\xDE"),
    ("UTF-32BE", "A\u{1f600}", b"\0\0\0A\0\x01\xF6\0"),
    ("UTF-32LE", "A\u{1f600}", b"A\0\0\0\0\xF6\x01\0"),
    ("US-ASCII", "A/ ~", b"A/ ~"),
    ("ISO-8859-1", "caf\u{e9}\u{9f}", b"caf\xE9\x9F"),
    ("IBM037", "A1/ \u{e9}", b"\xC1\xF1\x61\x40\x51"),
    ("windows-1252", "5 \u{20ac}", b"5 \x80"),
    ("KOI8-R", "\u{43c}\u{438}\u{440}", b"\xCD\xC9\xD2"),
    ("Shift_JIS", "\u{8868}\u{793a}", b"\x95\\\x8E\xA6"),
    ("EUC-JP", "\u{65e5}\u{672c}", b"\xC6\xFC\xCB\xDC"),
    ("ISO-2022-JP", "a\u{672c}b", b"a\x1B$BK\\\x1B(Bb"),
    ("GBK", "\u{4e2d}\u{6587}", b"\xD6\xD0\xCE\xC4"),
    ("gb18030", "\u{4e2d}\u{1f600}", b"\xD6\xD0\x94\x39\xFC\x36"),
    ("Big5", "\u{4e2d}\u{6587}", b"\xA4\xA4\xA4\xE5"),
    ("EUC-KR", "\u{d55c}\u{ad6d}", b"\xC7\xD1\xB1\xB9"),
];

/// Writes the vectors of charsets: each text with its bytes, percent-encoded by the oracle; characters that a charset
/// lacks; and malformed input.
fn charset_lines(lines: &mut String, unreserved: usize) {
    let encode = percent_simd_oracle::Encode::new(percent_simd::sets::RFC3986_UNRESERVED);
    let mut line =
        |kind: char, charset: &str, flags: u32, which: usize, from: &[u8], status, first: isize, to: &[u8]| {
            write!(lines, "{kind} {charset} {flags} {which}").unwrap();
            bytes(lines, from);
            write!(lines, " {} {first}", status as u32).unwrap();
            bytes(lines, to);
            lines.push('\n');
        };
    for &(charset, text, raw) in CHARSETS {
        line('E', charset, 0, unreserved, text.as_bytes(), PCT_OK, -1, &encode.run(raw));
        line('D', charset, 0, 1, &encode.run(raw), PCT_OK, -1, text.as_bytes());
        let long = (text.repeat(300 / text.len()), raw.repeat(300 / text.len()));
        if charset != "ISO-2022-JP" {
            // Leave out ISO-2022-JP. Its encoder keeps a state, so in general a repeated text isn't encoded as the
            // repeated bytes.
            line('E', charset, 0, unreserved, long.0.as_bytes(), PCT_OK, -1, &encode.run(&long.1));
            line('D', charset, 0, 1, &encode.run(&long.1), PCT_OK, -1, long.0.as_bytes());
        }
        line('E', charset, 0, unreserved, b"\xFF", PCT_NOT_TEXT, 0, b"");
        line('D', charset, 0, 1, b"%4", PCT_TRUNCATED, 0, b"");
    }
    line('E', "US-ASCII", 0, unreserved, "a \u{e9}".as_bytes(), PCT_UNMAPPABLE, 2, b"a%20");
    line('E', "US-ASCII", PCT_CHARSET_HTML, unreserved, "a\u{e9}".as_bytes(), PCT_OK, -1, b"a%26%23233%3B");
    line('E', "IBM037", PCT_CHARSET_HTML, unreserved, "\u{20ac}".as_bytes(), PCT_OK, -1, b"P%7B%F8%F3%F6%F4%5E");
    line('E', "ISO-2022-JP", PCT_CHARSET_HTML, unreserved, b"\x0E", PCT_OK, -1, b"%26%2365533%3B");
    line('E', "ISO-8859-1", 0, unreserved, b"ab\xFFc", PCT_NOT_TEXT, 2, b"ab");
    line('D', "US-ASCII", 0, 1, b"%63af%E9x", PCT_NOT_TEXT, 5, b"caf");
    line('D', "US-ASCII", PCT_CHARSET_LOSSY, 1, b"%63af%E9x", PCT_OK, -1, "caf\u{fffd}x".as_bytes());
    line('D', "US-ASCII", 0, 0, b"a%", PCT_OK, 1, b"a%");
    line('D', "Shift_JIS", 0, 1, b"%95%zz", PCT_NOT_TEXT, 0, b"");
    line('D', "Shift_JIS", PCT_CHARSET_LOSSY, 1, b"a%95", PCT_OK, -1, "a\u{fffd}".as_bytes());
    line('D', "UTF-32BE", 0, 1, b"%00%00%00A%00%11", PCT_NOT_TEXT, 10, b"A");
    line('D', "UTF-16BE", 0, 1, b"%00A%DC%00", PCT_NOT_TEXT, 4, b"A");
    line('D', "UTF-8", 0, 1, b"a%C0%AF", PCT_NOT_TEXT, 1, b"a");
}

fn bytes(text: &mut String, bytes: &[u8]) {
    text.push_str(" .");
    bytes.iter().for_each(|byte| write!(text, "{byte:02x}").unwrap());
}

#[test]
#[ignore = "for crates/capi/scripts/test and cross"]
fn vectors() {
    let mut random = Random(31);
    let mut inputs: Vec<Vec<u8>> = INPUTS.iter().map(|&input| input.to_vec()).collect();
    inputs.extend([7, 31, 33, 90, 260].map(|n| random.hostile(n)));
    let (mut sets, mut lines) = (Vec::new(), String::new());
    let mut number = |set: ByteSet| {
        sets.iter().position(|&known| known == set).unwrap_or_else(|| {
            sets.push(set);
            sets.len() - 1
        })
    };
    for case in encodings() {
        let flags = u32::from(case.lower) * PCT_ENCODE_LOWERCASE
            | u32::from(case.plus) * PCT_ENCODE_SPACE_TO_PLUS
            | u32::from(case.keep) * PCT_ENCODE_KEEP_TRIPLETS;
        for input in &inputs {
            write!(lines, "e {flags} {}", number(case.allowed)).unwrap();
            bytes(&mut lines, input);
            bytes(&mut lines, &case.run(input));
            lines.push('\n');
        }
    }
    for case in decodings() {
        let flags = u32::from(case.strict) * PCT_DECODE_STRICT
            | u32::from(case.plus_always) * PCT_DECODE_PLUS
            | u32::from(case.plus_after_query) * PCT_DECODE_PLUS_AFTER_QUERY
            | u32::from(case.upper) * PCT_DECODE_KEEP_UPPER;
        for input in &inputs {
            let wanted = case.run(input);
            let (status, rejected) = match wanted.error {
                None => (PCT_OK, 0),
                Some((_, DecodeErrorKind::Truncated)) => (PCT_TRUNCATED, 0),
                Some((_, DecodeErrorKind::Rejected(byte))) => (PCT_REJECTED, byte),
                Some(_) => (PCT_NOT_HEX, 0),
            };
            let first = wanted.error.map(|(offset, _)| offset).or(wanted.malformed).map_or(-1, |at| at as isize);
            write!(lines, "d {flags} {} {}", number(case.keep), number(case.reject)).unwrap();
            bytes(&mut lines, input);
            write!(lines, " {} {first} {rejected}", status as u32).unwrap();
            bytes(&mut lines, &wanted.out);
            lines.push('\n');
        }
    }
    charset_lines(&mut lines, number(percent_simd::sets::RFC3986_UNRESERVED));
    let mut text = String::new();
    for set in sets {
        let words = set.words();
        writeln!(text, "s {:016x} {:016x} {:016x} {:016x}", words[0], words[1], words[2], words[3]).unwrap();
    }
    text += &lines;
    fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/vectors.txt"), text).unwrap();
}
