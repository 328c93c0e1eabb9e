//! The peers: other crates that encode or decode, called as their documentation shows.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};

use crate::{Contest, Entry, Op};

/// The set for the crate percent-encoding. The sets of that crate contain the bytes that are escaped.
pub const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Takes a line for each peer: its name, and four calls. The calls encode to a new `String`, encode to a `Cow`, decode
/// to a `Cow` of bytes, and decode to a `Cow` of text. The compiler inlines these calls into the timed loop, as it does
/// in a program.
macro_rules! peers {
    ($($name:literal: $encode:expr, $encode_cow:expr, $decode:expr, $decode_utf8:expr;)*) => {
        /// Returns the entries of the peers that have the operation of `contest`.
        pub(crate) fn entries<'a>(contest: &'a Contest, list: &mut Vec<Entry<'a>>) {
            $(match contest.op {
                Op::Encode => list.push(contest.entry($name, |s, _| ($encode)(s))),
                Op::EncodeCow => list.push(contest.entry($name, |s, _| -> Cow<'_, str> { ($encode_cow)(s) })),
                Op::Decode => list.push(contest.entry($name, |s, _| -> Cow<'_, [u8]> { ($decode)(s) })),
                Op::DecodeUtf8 => list.push(contest.entry($name, |s, _| -> Cow<'_, str> {
                    ($decode_utf8)(s).unwrap()
                })),
                _ => {}
            })*
        }
    };
}

peers! {
    "percent-encoding": |s| percent_encode(s, UNRESERVED).to_string(), |s| percent_encode(s, UNRESERVED).into(),
        |s| percent_decode(s).into(), |s| percent_decode(s).decode_utf8();
    "urlencoding": |s| urlencoding::encode_binary(s).into_owned(), urlencoding::encode_binary,
        urlencoding::decode_binary, |s| urlencoding::decode(str::from_utf8(s).unwrap());
    "table": table::encode, table::encode_cow, table::decode, table::decode_utf8;
}

/// A plain loop over bytes, which looks each byte up in a table of 256 entries and pushes the result.
mod table {
    use std::borrow::Cow;

    use crate::inputs::escapes;

    /// True for each byte that stays.
    static STAYS: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = !escapes(byte as u8);
            byte += 1;
        }
        table
    };

    /// The value of each hexadecimal digit. Other bytes have 16.
    static VALUE: [u8; 256] = {
        let mut table = [16; 256];
        let mut digit = 0;
        while digit < 16 {
            table[b"0123456789ABCDEF"[digit] as usize] = digit as u8;
            table[b"0123456789abcdef"[digit] as usize] = digit as u8;
            digit += 1;
        }
        table
    };

    pub(super) fn encode(src: &[u8]) -> String {
        let mut out = String::with_capacity(src.len());
        for &byte in src {
            if STAYS[byte as usize] {
                out.push(byte as char);
            } else {
                out.push('%');
                out.push(b"0123456789ABCDEF"[byte as usize >> 4] as char);
                out.push(b"0123456789ABCDEF"[byte as usize & 15] as char);
            }
        }
        out
    }

    pub(super) fn encode_cow(src: &[u8]) -> Cow<'_, str> {
        match str::from_utf8(src) {
            Ok(text) if src.iter().all(|&byte| STAYS[byte as usize]) => text.into(),
            _ => encode(src).into(),
        }
    }

    pub(super) fn decode(src: &[u8]) -> Cow<'_, [u8]> {
        if !src.contains(&b'%') {
            return src.into();
        }
        let mut out = Vec::with_capacity(src.len());
        let mut at = 0;
        while at < src.len() {
            if let Some(&[b'%', high, low]) = src.get(at..at + 3) {
                let (high, low) = (VALUE[high as usize], VALUE[low as usize]);
                if high < 16 && low < 16 {
                    out.push(high << 4 | low);
                    at += 3;
                    continue;
                }
            }
            out.push(src[at]);
            at += 1;
        }
        out.into()
    }

    pub(super) fn decode_utf8(src: &[u8]) -> Result<Cow<'_, str>, std::string::FromUtf8Error> {
        String::from_utf8(decode(src).into_owned()).map(Cow::Owned)
    }
}
