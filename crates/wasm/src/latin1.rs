//! Converts UTF-8 to Latin-1, which has a byte for each character. If a string's characters allow it, JavaScript engines store
//! it in Latin-1. They make a string from Latin-1 several times as fast as from UTF-8.
#![forbid(unsafe_code)]

/// The number of bytes that are tested for ASCII at once.
const STEP: usize = 16;

/// Converts UTF-8 to Latin-1 in `out`, which must be as long as `utf8`. Returns the length of the result, or `None` if a
/// character isn't in Latin-1.
pub fn from_utf8(utf8: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut rest = utf8;
    let mut len = 0;
    loop {
        while let Some((step, after)) = rest.split_first_chunk::<STEP>()
            && step.is_ascii()
        {
            *out.get_mut(len..)?.first_chunk_mut()? = *step;
            rest = after;
            len += STEP;
        }
        let end = rest.len().saturating_sub(STEP);
        while rest.len() > end {
            let (byte, after) = match *rest {
                [byte @ ..0x80, ref after @ ..] => (byte, after),
                [lead @ 0xC2..=0xC3, last @ 0x80..=0xBF, ref after @ ..] => (lead << 6 | last & 0x3F, after),
                _ => return None,
            };
            *out.get_mut(len)? = byte;
            rest = after;
            len += 1;
        }
        if rest.is_empty() {
            return Some(len);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;

    fn latin1(utf8: &[u8]) -> Option<Vec<u8>> {
        let mut out = vec![0; utf8.len()];
        let len = from_utf8(utf8, &mut out)?;
        out.truncate(len);
        Some(out)
    }

    #[test]
    fn every_character_at_every_offset() {
        for code in 0..=u8::MAX {
            for before in 0..2 * STEP {
                let mut expected = Vec::from([b'a'; 3 * STEP]);
                expected[before] = code;
                expected[3 * STEP - 1] = code;
                let text: String = expected.iter().map(|&byte| char::from(byte)).collect();
                assert_eq!(latin1(text.as_bytes()), Some(expected));
            }
        }
    }

    #[test]
    fn other_text_is_refused() {
        for before in 0..2 * STEP {
            for wide in ["\u{100}".as_bytes(), "€".as_bytes(), "😀".as_bytes(), b"\xC3", b"\xC1\x81", b"\xC3a", b"\x80"]
            {
                let text = [&[b'a'; 2 * STEP][..before], wide].concat();
                assert_eq!(latin1(&text), None, "{text:?}");
            }
        }
        assert_eq!(latin1(b""), Some(Vec::new()));
        assert_eq!(from_utf8(b"ab", &mut [0]), None);
    }
}
