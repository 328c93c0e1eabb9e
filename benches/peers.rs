//! The peers: other crates that encode or decode, called as their documentation shows.

use std::borrow::Cow;
use std::fmt::Write;
use std::hint::black_box;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};
use percent_simd::AsBytes;

use crate::{Bytes, Entry, Inputs, Op, Scratch, Text, entries};

/// The set for the crate percent-encoding. The sets of that crate contain the bytes that are escaped.
pub const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns the entries of the peers that have `op`. The peer called `table` is the module of this name below.
pub fn strings<S: AsBytes>(op: Op, inputs: &Inputs<S>) -> Vec<Entry<'_>> {
    match op {
        Op::Encode => entries! { inputs;
            "percent-encoding", Peer, |s, _| percent_encode(s.as_bytes(), UNRESERVED).to_string();
            "urlencoding", Peer, |s, _| urlencoding::encode_binary(s.as_bytes()).into_owned();
            "table", Peer, |s, _| table::encode(s.as_bytes());
        },
        Op::EncodeCow => entries! { inputs;
            "percent-encoding", Peer, |s, _| Cow::<str>::from(percent_encode(s.as_bytes(), UNRESERVED));
            "urlencoding", Peer, |s, _| urlencoding::encode_binary(s.as_bytes());
            "table", Peer, |s, _| table::encode_cow(s.as_bytes());
        },
        Op::EncodeReuse => entries! { inputs;
            "percent-encoding", Peer, |s, scratch| {
                scratch.text.clear();
                scratch.text.extend(percent_encode(s.as_bytes(), UNRESERVED));
                Text
            };
            "urlencoding", Peer, |s, scratch| {
                scratch.text.clear();
                urlencoding::Encoded(s.as_bytes()).append_to(&mut scratch.text);
                Text
            };
        },
        Op::Decode => entries! { inputs;
            "percent-encoding", Peer, |s, _| Cow::<[u8]>::from(percent_decode(s.as_bytes()));
            "urlencoding", Peer, |s, _| urlencoding::decode_binary(s.as_bytes());
            "table", Peer, |s, _| table::decode(s.as_bytes());
        },
        Op::DecodeReuse => entries! { inputs; "percent-encoding", Peer, |s, scratch| {
            scratch.bytes.clear();
            scratch.bytes.extend(percent_decode(s.as_bytes()));
            Bytes
        }; },
        Op::DecodeUtf8 => entries! { inputs;
            "percent-encoding", Peer, |s, _| percent_decode(s.as_bytes()).decode_utf8().ok();
            "urlencoding", Peer, |s, _| {
                urlencoding::decode(s.as_text().unwrap_or_else(|| str::from_utf8(s.as_bytes()).unwrap())).ok()
            };
            "table", Peer, |s, _| table::decode_utf8(s.as_bytes()).ok();
        },
        Op::FormParse => entries! { inputs;
            "form_urlencoded", Peer, |s, scratch| see(form_urlencoded::parse(s.as_bytes()), scratch);
        },
        _ => Vec::new(),
    }
}

/// Reads each pair of a form. If the output is checked, also writes each name and each value to it, and a tab after
/// each of them.
pub fn see<N: AsRef<str>, V: AsRef<str>>(pairs: impl Iterator<Item = (N, V)>, scratch: &mut Scratch) -> Text {
    scratch.text.clear();
    for (name, value) in pairs {
        let (name, value) = black_box((name.as_ref(), value.as_ref()));
        if scratch.is_checking {
            _ = write!(scratch.text, "{name}\t{value}\t");
        }
    }
    Text
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
