//! The codec of the small module. It decodes, and it encodes with sets that keep only ASCII. Encoding and decoding can
//! treat `+` as a space. Neither of them allocates.
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
/// The only flag with an effect is [`flag::PLUS`].
pub fn encode(input: &[u8], out: &mut [u8], set: u128, flags: u32) -> usize {
    let mut allowed = ByteSet::from_words([set as u64, (set >> 64) as u64, 0, 0]);
    let plus = flags & flag::PLUS != 0;
    if plus {
        // Let spaces stay in the output, so that no space becomes `%20`. Below, a `+` overwrites each space.
        allowed = allowed.with(b' ');
    }
    let len = internal::encode_plain(allowed, input, out).unwrap_or_default();
    if plus {
        replace(out.iter_mut().take(len), b' ', b'+');
    }
    len
}

/// Decodes `input` to `out`, which must be as long as `input`. The flags with an effect are [`flag::PLUS`],
/// [`flag::PLUS_AFTER_QUERY`], [`flag::STRICT`] and [`flag::CHECK_UTF8`]. First, each `+` that means a space is
/// overwritten with a space, in `input` itself.
pub fn decode(input: &mut [u8], out: &mut [u8], flags: u32) -> Outcome {
    if flags & (flag::PLUS | flag::PLUS_AFTER_QUERY) != 0 {
        let is_path = |byte: &u8| flags & flag::PLUS == 0 && *byte != b'?';
        let from = input.iter().take_while(|byte| is_path(byte)).count();
        replace(input.iter_mut().skip(from), b'+', b' ');
    }
    match internal::decode_plain(flags & flag::STRICT != 0, input, out) {
        Ok(written) => {
            let checked = if flags & flag::CHECK_UTF8 != 0 {
                str::from_utf8(out.get(..written).unwrap_or_default())
            } else {
                Ok("")
            };
            let invalid_utf8 = checked.err().map_or(NONE, |error| error.valid_up_to());
            Outcome { written, status: status::OK, offset: NONE, invalid_utf8 }
        }
        Err(error) => Outcome { written: 0, status: status_of(error.kind), offset: error.offset, invalid_utf8: NONE },
    }
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
                for flags in [0, flag::PLUS] {
                    let mut encoder = Encoder::new(set);
                    if flags & flag::PLUS != 0 {
                        encoder = encoder.space_to_plus();
                    }
                    let [low, high, ..] = set.words();
                    let mut out = vec![0xFF; 3 * input.len()];
                    let len = encode(&input, &mut out, u128::from(low) | u128::from(high) << 64, flags);
                    assert_eq!(&out[..len], encoder.encode(&input).as_bytes());
                }
            }
        }
    }

    #[test]
    fn decodes_as_the_library_does() {
        for input in inputs() {
            for (flags, plus) in
                [(0, Plus::Never), (flag::PLUS, Plus::Always), (flag::PLUS_AFTER_QUERY, Plus::AfterQuery)]
            {
                let decoder = Decoder::new().plus(plus);
                // Fill the output with 0xFF, because an earlier call may have left any bytes there.
                let mut out = vec![0xFF; input.len()];
                let lenient = decode(&mut input.clone(), &mut out, flags);
                assert_eq!((lenient.status, lenient.offset), (status::OK, NONE));
                assert_eq!(out[..lenient.written], *decoder.decode(&input));
                let checked = decode(&mut input.clone(), &mut out, flags | flag::CHECK_UTF8);
                let valid = str::from_utf8(&decoder.decode(&input)).map_or_else(|error| error.valid_up_to(), |_| NONE);
                assert_eq!(checked.invalid_utf8, valid);
                let strict = decode(&mut input.clone(), &mut out, flags | flag::STRICT);
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
