//! Latin-1, in which JavaScript keeps its strings where it can: a byte for each character. It takes such a string several
//! times as fast as one in UTF-8.
#![forbid(unsafe_code)]

/// Bytes that are tested for ASCII together.
const STEP: usize = 16;

/// Writes the Latin-1 of UTF-8 to `out`, which is as long, and returns its length. `None` if some character is not in Latin-1.
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
