//! Makes hostile inputs and compares results, for the tests of both drop-in replacements.

use std::borrow::Cow;

use percent_simd_oracle::Random;

/// Returns an input that is hard to encode and to decode.
///
/// It has malformed and cut off escapes, escaped and unescaped text, delimiters, controls, and bytes that aren't UTF-8.
/// Between these parts are runs of up to 70 letters and digits, which is more than a block holds.
pub fn hostile(random: &mut Random) -> Vec<u8> {
    const CLEAN: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    const ESCAPES: [&[u8]; 12] =
        [b"%20", b"%2f", b"%2F", b"%", b"%%", b"%4", b"%zz", b"%4z", b"%+1", b"%u0041", b"%25", b"%00"];
    const TEXT: [&[u8]; 9] = [
        b"%C3%A9",
        b"%e2%82%ac",
        b"%F0%9F%92%96",
        b"%F0%9F%92",
        b"%C0%AF",
        b"%ED%A0%80",
        b"%E2%82",
        "é".as_bytes(),
        "💖".as_bytes(),
    ];
    const ODD: [&[u8]; 9] = [b" ", b"/", b"?&=", b"\0\x1F\x7F", b"\\^`", b"\xFF", b"\xC3", b"+", b"\"#<>"];
    let most = match random.below(1000) {
        0 => 20_000,
        1..20 => 700,
        20..400 => 90,
        _ => 24,
    };
    let (len, runs) = (random.below(most), [1, 8, 70][random.below(3)]);
    let (escapes, text, odd) = (random.below(8), random.below(6), random.below(8));
    let mut out = Vec::with_capacity(len + 80);
    while out.len() < len {
        let kind = random.below(16);
        if kind < escapes {
            out.extend(*random.pick(&ESCAPES));
        } else if kind < escapes + text {
            out.extend(*random.pick(&TEXT));
        } else if kind < escapes + odd {
            out.extend(*random.pick(&ODD));
        } else if kind == 15 {
            out.push(random.next() as u8);
        } else {
            let run = 1 + random.below(runs);
            out.extend((0..run).map(|i| CLEAN[(i + kind) % 36]));
        }
    }
    out.truncate(len);
    out
}

/// Asserts that both values are equal, and prints the input if they are not.
macro_rules! same {
    ($ours:expr, $theirs:expr, $input:expr) => {
        match (&$ours, &$theirs) {
            (ours, theirs) => {
                let input: &[u8] = $input.as_ref();
                assert!(ours == theirs, "\n ours: {ours:?}\n was: {theirs:?}\n of: \"{}\"", input.escape_ascii());
            }
        }
    };
}

/// Describes a `Cow`: whether it borrows, its offset in `input` if it borrows from there, and its bytes.
#[allow(clippy::ptr_arg)] // a reference to the content doesn't say whether the `Cow` borrows
pub fn seen<'a, T: ToOwned + AsRef<[u8]> + ?Sized>(
    cow: &'a Cow<'_, T>,
    input: &[u8],
) -> (bool, Option<usize>, &'a [u8]) {
    let borrowed = matches!(cow, Cow::Borrowed(_));
    let bytes = (**cow).as_ref();
    let place = if borrowed { place(bytes, input) } else { None };
    (borrowed, place, bytes)
}

/// Returns the offset of `part` in `input`, or `None` if `part` is not in the memory of `input`.
pub fn place(part: &[u8], input: &[u8]) -> Option<usize> {
    let offset = (part.as_ptr() as usize).checked_sub(input.as_ptr() as usize)?;
    (!part.is_empty() && offset < input.len()).then_some(offset)
}
