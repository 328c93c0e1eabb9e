//! The vectors that `check.c` runs are what the oracle says. With `PERCENT_SIMD_WRITE_VECTORS=1` they are written anew.
//!
//! A line of the file is `s SET`, a set, of which the first has the number 0; `e FLAGS SET INPUT OUTPUT`, which encodes; or
//! `d FLAGS KEEP REJECT INPUT STATUS FIRST_ERROR REJECTED OUTPUT`, which decodes. Bytes are hexadecimal, after a `.`, and numbers
//! decimal; -1 is nowhere.

use std::fmt::Write;
use std::fs;

use percent_simd::{ByteSet, DecodeErrorKind};
use percent_simd_capi::pct_status::*;
use percent_simd_capi::*;
use percent_simd_oracle::{Random, decodings, encodings};

/// Inputs on which implementations differ: RFC 3986 2.1 and 2.4, URL Standard 1.3; and pluses, latent triplets and blocks of
/// 64 bytes.
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

fn bytes(text: &mut String, bytes: &[u8]) {
    text.push_str(" .");
    bytes.iter().for_each(|byte| write!(text, "{byte:02x}").unwrap());
}

#[test]
fn vectors_are_what_the_oracle_says() {
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
    let mut text = String::new();
    for set in sets {
        let words = set.words();
        writeln!(text, "s {:016x} {:016x} {:016x} {:016x}", words[0], words[1], words[2], words[3]).unwrap();
    }
    text += &lines;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors.txt");
    if std::env::var_os("PERCENT_SIMD_WRITE_VECTORS").is_some() {
        fs::write(path, &text).unwrap();
    }
    // Line by line, so that a failure shows which.
    let committed = fs::read_to_string(path).unwrap();
    assert!(committed.lines().eq(text.lines()), "{:?}", committed.lines().zip(text.lines()).find(|(a, b)| a != b));
}
