//! Converts many forms to lines of pairs at once.

use percent_simd::{ByteSet, Engine, internal};

/// Appends the pairs of `forms` without decoding them. Each form is a line.
///
/// The first `=` of each pair becomes a tab, and a name without `=` gets a tab after it. Each `&` becomes a line end, and each form
/// gets an empty line after it. Empty pairs are dropped.
pub fn push_delimited(forms: &[u8], vec: &mut Vec<u8>) {
    let before = vec.len();
    // The output grows most if each form is a name of one byte and a line end, because three bytes replace the line end.
    vec.resize(before + 2 * forms.len() + COPIED, 0);
    let len = delimit(forms, &mut vec[before..]);
    vec.truncate(before + len);
}

/// Does the work of [`push_delimited`] in a slice with enough space. Returns the number of bytes written.
///
/// A first pass replaces each `=` by a tab and each `&` by a line end. A few delimiters need a different text, from
/// [`ENDS`]. For example, a second `=` in a pair stays `=`. So the copy to `out` is interrupted at these few
/// delimiters. Masks find these delimiters and select the text, so no branch depends on the kind of a delimiter. Each
/// mask is a `u64` with a bit for each of 64 bytes.
#[inline(never)] // In a function of its own, the loop keeps its few values in registers.
fn delimit(forms: &[u8], out: &mut [u8]) -> usize {
    let delimited = |byte: &u8| match byte {
        b'=' => b'\t',
        b'&' => b'\n',
        byte => *byte,
    };
    let bytes: Vec<u8> = forms.iter().map(delimited).collect();
    let (mut len, mut start) = (0, 0);
    // `is_start` is true if a pair ended with the last byte of the previous block. `in_name` is true if the block
    // starts inside a name.
    let (mut is_start, mut in_name) = (true, true);
    let masks = |set| {
        let mut masks = vec![0; forms.len().div_ceil(BLOCK)];
        internal::find_members(Engine::active(), set, forms, &mut masks);
        masks
    };
    let (equals, separators, ends) = (masks(ByteSet::of(b"=")), masks(ByteSet::of(b"&\n")), masks(ByteSet::of(b"\n")));
    for (number, ((equals, separators), ends)) in equals.into_iter().zip(separators).zip(ends).enumerate() {
        let delimiters = equals | separators;
        let starts = separators << 1 | u64::from(is_start);
        // We add a bit at the start of each name. The carry moves this bit through the name, to the first delimiter
        // after the name.
        let (sum, carries) = (!delimiters).overflowing_add(starts | u64::from(in_name));
        let first = sum & delimiters;
        (is_start, in_name) = (separators >> (BLOCK - 1) != 0, carries | (separators >> (BLOCK - 1) != 0));
        // The copy is interrupted at a second `=` in a pair, at the end of a name without a value, and at the end of a form.
        let mut marks = equals & !first | separators & first | ends;
        while marks != 0 {
            let lane = marks.trailing_zeros();
            marks &= marks - 1;
            let at = number * BLOCK + lane as usize;
            match bytes[start..].first_chunk::<COPIED>() {
                Some(chunk) if at - start <= COPIED => out[len..len + COPIED].copy_from_slice(chunk),
                _ => out[len..len + at - start].copy_from_slice(&bytes[start..at]),
            }
            len += at - start;
            start = at + 1;
            let bit = |mask: u64| (mask >> lane & 1) as usize;
            let (end, end_len) = ENDS[bit(ends) | bit(equals) << 1 | bit(first) << 2 | bit(starts) << 3];
            out[len..len + end.len()].copy_from_slice(&end);
            len += end_len;
        }
    }
    len
}

/// The text that replaces a delimiter, and its length. The index has four bits. Each bit is set under one of these
/// conditions, starting with the lowest bit:
///
/// 1. The delimiter ends a form.
/// 2. The delimiter is `=`.
/// 3. The delimiter is the first one of its pair.
/// 4. The delimiter is the first byte of its pair.
const ENDS: [([u8; 4], usize); 16] = {
    let mut ends = [(*b"\n\n\0\0", 2); 16];
    let mut kind = 0;
    while kind < ends.len() {
        ends[kind] = match (kind & 1 != 0, kind & 2 != 0, kind & 4 != 0, kind & 8 != 0) {
            (_, true, ..) => (*b"=\0\0\0", 1),
            (true, _, false, _) => (*b"\n\n\0\0", 2),
            (true, _, true, false) => (*b"\t\n\n\0", 3),
            (true, _, true, true) => (*b"\n\0\0\0", 1),
            (false, _, _, false) => (*b"\t\n\0\0", 2),
            (false, _, _, true) => (*b"\0\0\0\0", 0),
        };
        kind += 1;
    }
    ends
};

/// A mask covers `BLOCK` bytes. If up to `COPIED` bytes have to be copied, we always copy `COPIED` bytes, because a fixed length is
/// faster.
const BLOCK: usize = 64;
const COPIED: usize = 32;

#[cfg(test)]
mod tests {
    use memchr::memchr;
    use percent_simd_oracle::{Random, cases};

    use super::*;

    /// Returns the output that we expect of [`push_delimited`], computed pair by pair.
    fn delimited(forms: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        for form in forms.split_inclusive(|&byte| byte == b'\n') {
            for pair in form[..form.len() - 1].split(|&byte| byte == b'&').filter(|pair| !pair.is_empty()) {
                let len = memchr(b'=', pair).unwrap_or(pair.len());
                out.extend([&pair[..len], b"\t", pair.get(len + 1..).unwrap_or_default(), b"\n"].concat());
            }
            out.push(b'\n');
        }
        out
    }

    #[test]
    fn forms_are_delimited_as_pair_by_pair() {
        let mut random = Random::seeded(1);
        // Texts from the first alphabet consist mostly of delimiters. Texts from the last alphabet have few delimiters.
        for alphabet in [&b"a=&\n"[..], b"=&\n\xBD\x26\x8A&", b"abcdefghijklmnopqrs%+\0\x3D\xFF=&\n"] {
            for len in (0..150).cycle().take(cases(30_000)) {
                let mut forms: Vec<u8> = (0..len).map(|_| *random.pick(alphabet)).collect();
                forms.push(b'\n');
                let mut out = b"before".to_vec();
                push_delimited(&forms, &mut out);
                assert_eq!(out[6..], delimited(&forms), "{}", forms.escape_ascii());
            }
        }
    }
}
