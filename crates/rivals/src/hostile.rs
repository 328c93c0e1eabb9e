//! Checks which decoders follow the URL Standard if the input has malformed or cut off escapes, or doesn't decode to UTF-8.

use std::panic::{self, AssertUnwindSafe};

use percent_simd_bench::{Inputs, Op, Side};
use percent_simd_oracle::Random;

use crate::peers;

/// The results of one decoder for the hostile inputs.
pub struct Verdict {
    pub name: String,
    /// The type of the output: `bytes` or `text`.
    pub output: &'static str,
    pub inputs: usize,
    /// The number of outputs that follow the URL Standard. If an input doesn't decode to UTF-8, a decoder to text may
    /// return an error or text with U+FFFD: both are right.
    pub right: usize,
    /// The number of inputs that the decoder refused because a `%` starts no triplet.
    pub refused: usize,
    /// The number of wrong outputs.
    pub wrong: usize,
    pub panics: usize,
}

const ITEMS: [&str; 26] = [
    "%", "%%", "%4", "%zz", "%4z", "%+1", "%u0041", "%25", "%20", "%2f", "%2F", "%00", "%C3%A9", "%e2%82%ac", "%C0%AF",
    "%ED%A0%80", "%E2%82", "%FF", "é", "💖", "a", "zz", "41", "+", " ", "/path",
];

/// Runs all decoders on `count` hostile inputs.
pub fn verdicts(count: usize) -> Vec<Verdict> {
    let mut random = Random(0xA076_1D64_78BD_642F);
    let inputs = Inputs::new((0..count).map(|_| random.text(&ITEMS, 11)).collect());
    let quiet = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let mut verdicts = Vec::new();
    for (op, output) in [(Op::Decode, "bytes"), (Op::DecodeUtf8, "text")] {
        for entry in peers::strings(op, &inputs).into_iter().filter(|entry| entry.side != Side::Reference) {
            let mut verdict =
                Verdict { name: entry.name, output, inputs: count, right: 0, refused: 0, wrong: 0, panics: 0 };
            for (number, input) in inputs.list.iter().enumerate() {
                let expected = peers::expected(op, input);
                let text = String::from_utf8_lossy(&expected);
                let output = panic::catch_unwind(AssertUnwindSafe(|| (entry.output)(number)));
                *match output {
                    Err(_) => &mut verdict.panics,
                    Ok(Some(output)) if output == expected => &mut verdict.right,
                    Ok(Some(output)) if op == Op::DecodeUtf8 && output == text.as_bytes() => &mut verdict.right,
                    Ok(Some(_)) => &mut verdict.wrong,
                    // The decoded bytes are not UTF-8, so an error is right.
                    Ok(None) if op == Op::DecodeUtf8 && text.as_bytes() != expected => &mut verdict.right,
                    Ok(None) => &mut verdict.refused,
                } += 1;
            }
            verdicts.push(verdict);
        }
    }
    panic::set_hook(quiet);
    verdicts
}
