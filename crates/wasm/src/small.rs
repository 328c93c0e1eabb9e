//! The codec of the small module. It decodes, and it encodes with sets that keep only ASCII. Encoding and decoding can
//! treat `+` as a space, and can keep triplets. Neither of them allocates.
#![forbid(unsafe_code)]

use core::str;

use percent_simd::{ByteSet, internal};

use crate::abi::{NONE, flag, status, status_of};

/// The outcome of decoding. The caller reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The length of the output in bytes.
    pub written: usize,
    /// One of the numbers in [`status`].
    pub status: u32,
    /// The offset of the error in the input, or [`NONE`].
    pub offset: usize,
    /// With [`flag::CHECK_UTF8`], the offset of the first invalid UTF-8 in the decoded bytes, or [`NONE`].
    pub invalid_utf8: usize,
}

/// Encodes `input` to `out`, which has space for three times as many bytes as `input`. Returns the number of bytes written.
///
/// The flags with an effect are [`flag::PLUS`], [`flag::LOWERCASE`] and [`flag::KEEP_TRIPLETS`]. With the last one, `set` must
/// have all hexadecimal digits, this function changes `input`, and it returns `None` if `input` has a NUL.
pub fn encode(input: &mut [u8], out: &mut [u8], set: u128, flags: u32) -> Option<usize> {
    const HIDDEN: u8 = 0;
    let mut allowed = ByteSet::from_words([set as u64, (set >> 64) as u64, 0, 0]);
    let plus = flags & flag::PLUS != 0;
    if plus {
        // Let spaces stay in the output, so that no space becomes `%20`. Below, a `+` overwrites each space.
        allowed = allowed.with(b' ');
    }
    let keeps_triplets = flags & flag::KEEP_TRIPLETS != 0;
    if keeps_triplets {
        if input.contains(&HIDDEN) {
            return None;
        }
        hide(input, ByteSet::ALL, HIDDEN);
        allowed = allowed.with(HIDDEN).without(b'%');
    }
    let len = internal::encode_plain(allowed, flags & flag::LOWERCASE != 0, input, out).unwrap_or_default();
    let out = out.get_mut(..len).unwrap_or_default();
    if plus {
        replace(out.iter_mut(), b' ', b'+');
    }
    if keeps_triplets {
        replace(out.iter_mut(), HIDDEN, b'%');
    }
    Some(len)
}

/// Decodes `input` to `out`, which must be as long as `input`. The flags with an effect are [`flag::PLUS`],
/// [`flag::PLUS_AFTER_QUERY`], [`flag::STRICT`] and [`flag::CHECK_UTF8`]. First, each `+` that means a space is
/// overwritten with a space, in `input` itself.
///
/// The triplets of the bytes in `keep` stay. `keep` must not contain `%`, and if it isn't empty, `input` must be UTF-8.
pub fn decode(input: &mut [u8], out: &mut [u8], flags: u32, keep: ByteSet) -> Outcome {
    if flags & (flag::PLUS | flag::PLUS_AFTER_QUERY) != 0 {
        let is_path = |byte: &u8| flags & flag::PLUS == 0 && *byte != b'?';
        let from = input.iter().take_while(|byte| is_path(byte)).count();
        replace(input.iter_mut().skip(from), b'+', b' ');
    }
    // UTF-8 never has this byte.
    const HIDDEN: u8 = 0xFF;
    let failed = |status, offset| Outcome { written: 0, status, offset, invalid_utf8: NONE };
    if !keep.is_empty() && !hide(input, keep, HIDDEN) {
        return failed(status::NOT_SMALL, NONE);
    }
    match internal::decode_plain(flags & flag::STRICT != 0, input, out) {
        Ok(written) => {
            if !keep.is_empty() {
                replace(out.iter_mut().take(written), HIDDEN, b'%');
            }
            let checked = if flags & flag::CHECK_UTF8 != 0 {
                str::from_utf8(out.get(..written).unwrap_or_default())
            } else {
                Ok("")
            };
            let invalid_utf8 = checked.err().map_or(NONE, |error| error.valid_up_to());
            Outcome { written, status: status::OK, offset: NONE, invalid_utf8 }
        }
        Err(error) => failed(status_of(error.kind), error.offset),
    }
}

/// Replaces the `%` of each triplet whose byte is in `set` by `hidden`. Returns false if another triplet is the one of
/// `hidden`.
fn hide(input: &mut [u8], set: ByteSet, hidden: u8) -> bool {
    let (mut next, mut is_clear) = (0, true);
    while let Some(at) = percent_from(input, next) {
        next = at + 1;
        let Some(byte) = internal::triplet(input, at) else { continue };
        // These lines have no branch, because a processor couldn't predict it.
        let is_hidden = set.contains(byte);
        input[at] = if is_hidden { hidden } else { b'%' };
        is_clear &= is_hidden | (byte != hidden);
    }
    is_clear
}

/// Returns the offset of the first `%` from `from` on. It compares 8 bytes at once, because most `%` are near.
fn percent_from(input: &[u8], from: usize) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xFF;
    let mut at = from;
    while let Some(word) = input.get(at..).and_then(|rest| rest.first_chunk()) {
        let zeros = u64::from_le_bytes(*word) ^ (ONES * b'%' as u64);
        // The lowest bit that is set is in the first byte that is zero.
        let found = zeros.wrapping_sub(ONES) & !zeros & (ONES << 7);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let rest = input.get(at..)?;
    rest.iter().position(|&byte| byte == b'%').map(|found| at + found)
}

/// Counts the `%` in `input`.
pub fn percents(input: &[u8]) -> usize {
    // A chunk has at most 255 bytes, so the count of its `%` fits into a byte. If the counts are bytes, the compiler
    // adds a whole register of them with one instruction.
    let chunk = |chunk: &[u8]| chunk.iter().map(|&byte| u8::from(byte == b'%')).sum::<u8>();
    input.chunks(usize::from(u8::MAX)).map(|bytes| usize::from(chunk(bytes))).sum()
}

/// Replaces each `old` by `new`.
fn replace<'a>(bytes: impl Iterator<Item = &'a mut u8>, old: u8, new: u8) {
    bytes.for_each(|byte| *byte = if *byte == old { new } else { *byte });
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;
    use percent_simd::{Decoder, Encoder, Plus, presets, sets};

    const SETS: [ByteSet; 4] =
        [sets::RFC3986_UNRESERVED, presets::WHATWG_FORM.allowed(), sets::RFC3986_URI_KEEP_PCT, ByteSet::EMPTY];

    const PLUSES: [(u32, Plus); 3] =
        [(0, Plus::Never), (flag::PLUS, Plus::Always), (flag::PLUS_AFTER_QUERY, Plus::AfterQuery)];

    /// Returns inputs of every length up to a little more than three blocks. They consist of bytes that the codec
    /// treats differently.
    fn inputs() -> impl Iterator<Item = Vec<u8>> {
        const PARTS: [&[u8]; 10] = [b"a", b"+", b"%2B", b"%", b"?", b" ", b"%4", b"%C3", b"\xC3\xA9", b"plain text "];
        let mut state = 1_u32;
        (0..4000).map(move |len| {
            let mut input = Vec::new();
            while input.len() < len % 200 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                input.extend_from_slice(PARTS[(state >> 24) as usize % PARTS.len()]);
            }
            input
        })
    }

    #[test]
    fn a_nul_is_refused_if_triplets_stay() {
        let encode = |flags| encode(&mut b"\0%41".to_vec(), &mut [0; 12], u128::MAX, flags);
        assert_eq!((encode(flag::KEEP_TRIPLETS), encode(0)), (None, Some(4)));
    }

    #[test]
    fn keeps_triplets_as_the_library_does() {
        let keep = ByteSet::of(b"/+? \xC3");
        for input in inputs().filter(|input| str::from_utf8(input).is_ok()) {
            for (flags, plus) in PLUSES {
                let decoder = Decoder::new().plus(plus).keep(keep);
                let mut out = vec![0xFF; input.len()];
                let lenient = decode(&mut input.clone(), &mut out, flags, keep);
                assert_eq!((lenient.status, &out[..lenient.written]), (status::OK, &*decoder.decode(&input)));
                let strict = decode(&mut input.clone(), &mut out, flags | flag::STRICT, keep);
                let expected = decoder.strict().decode(&input).err().map(|error| (status_of(error.kind), error.offset));
                assert_eq!((strict.status, strict.offset), expected.unwrap_or((status::OK, NONE)));
            }
        }
        // `%fF` decodes to the byte that hides the `%` of `%2F`.
        let refused = decode(&mut b"a%fF%2F".to_vec(), &mut [0; 7], 0, ByteSet::of(b"/"));
        assert_eq!((refused.status, refused.written), (status::NOT_SMALL, 0));
    }

    #[test]
    fn percents_are_counted() {
        for len in [0, 1, 254, 255, 256, 1000] {
            assert_eq!(percents(&vec![b'%'; len]), len);
            assert_eq!(percents(&vec![b'$'; len]), 0);
            assert_eq!(percents(&b"a%".repeat(len)), len);
        }
    }

    #[test]
    fn encodes_as_the_library_does() {
        for input in inputs() {
            for set in SETS {
                for flags in (0..16).filter(|flags| flags & flag::PLUS_AFTER_QUERY == 0) {
                    let mut encoder = Encoder::new(set);
                    if flags & flag::KEEP_TRIPLETS != 0 {
                        if set == ByteSet::EMPTY {
                            continue;
                        }
                        encoder = encoder.keep_triplets();
                    }
                    if flags & flag::LOWERCASE != 0 {
                        encoder = encoder.lowercase();
                    }
                    if flags & flag::PLUS != 0 {
                        encoder = encoder.space_to_plus();
                    }
                    let [low, high, ..] = set.words();
                    let mut out = vec![0xFF; 3 * input.len()];
                    let set = u128::from(low) | u128::from(high) << 64;
                    let len = encode(&mut input.clone(), &mut out, set, flags).unwrap();
                    assert_eq!(&out[..len], encoder.encode(&input).as_bytes());
                }
            }
        }
    }

    #[test]
    fn decodes_as_the_library_does() {
        for input in inputs() {
            for (flags, plus) in PLUSES {
                let decoder = Decoder::new().plus(plus);
                // Fill the output with 0xFF, because an earlier call may have left any bytes there.
                let mut out = vec![0xFF; input.len()];
                let lenient = decode(&mut input.clone(), &mut out, flags, ByteSet::EMPTY);
                assert_eq!((lenient.status, lenient.offset), (status::OK, NONE));
                assert_eq!(out[..lenient.written], *decoder.decode(&input));
                let checked = decode(&mut input.clone(), &mut out, flags | flag::CHECK_UTF8, ByteSet::EMPTY);
                let valid = str::from_utf8(&decoder.decode(&input)).map_or_else(|error| error.valid_up_to(), |_| NONE);
                assert_eq!(checked.invalid_utf8, valid);
                let strict = decode(&mut input.clone(), &mut out, flags | flag::STRICT, ByteSet::EMPTY);
                match decoder.strict().decode(&input) {
                    Ok(decoded) => assert_eq!((&out[..strict.written], strict.status), (&*decoded, status::OK)),
                    Err(error) => {
                        assert_eq!((strict.status, strict.offset), (status_of(error.kind), error.offset));
                    }
                }
            }
        }
    }
}
