//! Encodes and decodes with few options. A program that only calls the functions of this file links one kernel for each
//! direction, and no allocator. The functions are for crates/wasm, whose module is loaded over a network. All other
//! callers use the encoders and decoders.

use crate::ByteSet;
use crate::engine::{DecodeSetup, KernelRun, Kernels};
use crate::error::DecodeError;
use crate::kernel::{EncodeProfile, PlusStart};
use crate::output::OutputBuffer;
use crate::triplet;

/// Encodes `src` to the front of `dst`, and leaves the ASCII bytes of `allowed` unescaped. If `lowercase` is true, writes
/// hexadecimal digits in lower case. Returns the length of the output, or `None` if `dst` is too short.
pub fn encode_plain(allowed: ByteSet, lowercase: bool, src: &[u8], dst: &mut [u8]) -> Option<usize> {
    let mut profile = EncodeProfile::new(allowed.intersection(ByteSet::ASCII));
    if lowercase {
        profile.digits = &triplet::LOWER;
    }
    let KernelRun { read, out } = Kernels::of(None).encode_ascii(&profile, src, OutputBuffer::initialized(dst));
    (read == src.len()).then_some(out.len())
}

/// Decodes `src` to the front of `dst`, which must have the same length. Returns the length of the output.
///
/// # Errors
///
/// Returns an error if `strict` is true and the input has a malformed `%`. The error is for the first malformed `%`.
pub fn decode_plain(strict: bool, src: &[u8], dst: &mut [u8]) -> Result<usize, DecodeError> {
    let setup = if strict { DecodeSetup::LENIENT.strict() } else { DecodeSetup::LENIENT };
    let dst = OutputBuffer::initialized(dst);
    let KernelRun { read, out } = Kernels::of(None).decode(&setup, PlusStart::NONE, src, dst, &mut None);
    if strict && read < src.len() { Err(DecodeError::malformed(src, read)) } else { Ok(out.len()) }
}
