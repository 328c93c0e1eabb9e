//! Latin-1, in which JavaScript keeps its strings where it can: a byte for each character. It takes such a string several
//! times as fast as one in UTF-8.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

/// Bytes that are tested for ASCII together.
const STEP: usize = 16;

/// Returns the Latin-1 of UTF-8, if all of its characters are in that.
pub fn from_utf8(utf8: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(utf8.len());
    let mut rest = utf8;
    loop {
        while let Some((step, after)) = rest.split_first_chunk::<STEP>()
            && step.is_ascii()
        {
            out.extend_from_slice(step);
            rest = after;
        }
        let end = rest.len().saturating_sub(STEP);
        while rest.len() > end {
            rest = match *rest {
                [byte @ ..0x80, ref after @ ..] => {
                    out.push(byte);
                    after
                }
                [lead @ 0xC2..=0xC3, last @ 0x80..=0xBF, ref after @ ..] => {
                    out.push(lead << 6 | last & 0x3F);
                    after
                }
                _ => return None,
            };
        }
        if rest.is_empty() {
            return Some(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn every_character_at_every_offset() {
        for code in 0..=u8::MAX {
            for before in 0..2 * STEP {
                let mut latin1 = Vec::from([b'a'; 3 * STEP]);
                latin1[before] = code;
                latin1[3 * STEP - 1] = code;
                let text: String = latin1.iter().map(|&byte| char::from(byte)).collect();
                assert_eq!(from_utf8(text.as_bytes()), Some(latin1));
            }
        }
    }

    #[test]
    fn other_text_is_refused() {
        for before in 0..2 * STEP {
            for wide in ["\u{100}".as_bytes(), "€".as_bytes(), "😀".as_bytes(), b"\xC3", b"\xC1\x81", b"\xC3a", b"\x80"]
            {
                let text = [&[b'a'; 2 * STEP][..before], wide].concat();
                assert_eq!(from_utf8(&text), None, "{text:?}");
            }
        }
        assert_eq!(from_utf8(b""), Some(Vec::new()));
    }
}
