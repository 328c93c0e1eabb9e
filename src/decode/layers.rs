//! Decodes data that was encoded several times.
#![forbid(unsafe_code)]

use alloc::{borrow::Cow, collections::TryReserveError, vec::Vec};

use crate::find::memrchr;

use crate::decode::{CheckedDecoder, DecodeOptions, Decoder, Plus};
use crate::error::{DecodeError, DecodeErrorKind};
use crate::input::AsBytes;
use crate::kernel::{DecodeProfile, PlusStart};
use crate::memory;
use crate::sink;
use crate::triplet::triplet;

/// The result of repeated decoding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layers<'a> {
    /// The decoded bytes. They borrow the input if and only if they equal it.
    pub bytes: Cow<'a, [u8]>,
    /// The number of layers that were decoded. If this number equals the requested maximum, there may be more layers.
    pub layers: usize,
}

impl Decoder {
    /// Decodes again and again until the bytes stay the same, at most `max` times.
    ///
    /// Use this call to inspect data that was encoded twice. Don't use the result as the data itself: RFC 3986 2.4
    /// forbids decoding the same string more than once, because `%2541` is the text `%41`.
    ///
    /// The result is the same as after repeated calls of [`decode`](Self::decode), with one exception: only the first
    /// layer reads `+` as a space. A `+` in a later layer was written `%2B`, so it stays. Time is linear in the input,
    /// even if it has very many layers.
    ///
    /// ```
    /// let decoded = percent_simd::Decoder::new().decode_layers("%25252F", 5);
    /// assert_eq!((&decoded.bytes[..], decoded.layers), (&b"/"[..], 3));
    /// let decoded = percent_simd::Decoder::new().decode_layers("%25252F", 2);
    /// assert_eq!((&decoded.bytes[..], decoded.layers), (&b"%2F"[..], 2));
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    #[must_use]
    pub fn decode_layers<'a, I: AsBytes + ?Sized>(&self, input: &'a I, max: usize) -> Layers<'a> {
        memory::infallible(peel(self.options(), input.as_bytes(), max)).0
    }
}

impl CheckedDecoder {
    /// Decodes until the bytes stay the same, at most `max` times, like [`Decoder::decode_layers`].
    ///
    /// Only the first layer is strict, because a `%` that was escaped is data. Escapes of rejected bytes are errors in
    /// every layer.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape, or a layer has an escape of a rejected byte. The error has
    /// the offset of the faulty escape in the input. If the rejected byte is in a deeper layer, this is the offset of
    /// the input's escape that became this byte.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated; [`try_decode_layers`](Self::try_decode_layers) returns an error instead.
    pub fn decode_layers<'a, I: AsBytes + ?Sized>(&self, input: &'a I, max: usize) -> Result<Layers<'a>, DecodeError> {
        memory::infallible(self.try_decode_layers(input, max))
    }

    /// Does the same as [`decode_layers`](Self::decode_layers), but does not panic.
    ///
    /// # Errors
    ///
    /// Returns an error if memory can't be allocated. The inner error is the error of
    /// [`decode_layers`](Self::decode_layers).
    pub fn try_decode_layers<'a, I: AsBytes + ?Sized>(
        &self,
        input: &'a I,
        max: usize,
    ) -> Result<Result<Layers<'a>, DecodeError>, TryReserveError> {
        let (layers, error) = peel(self.options(), input.as_bytes(), max)?;
        Ok(error.map_or(Ok(layers), Err))
    }
}

/// Decoded layers, and the error that stopped decoding.
type Peeled<'a> = (Layers<'a>, Option<DecodeError>);

/// The number of layers that are decoded with one pass each. [`collapse`] decodes all deeper layers at once.
///
/// A pass is some twenty times faster than `collapse`. With a lower limit, input with a few layers would take longer.
/// With a higher limit, input with very many layers would take longer.
const PASSES: usize = 16;

fn peel<'a>(options: &DecodeOptions, src: &'a [u8], max: usize) -> Result<Peeled<'a>, TryReserveError> {
    if max == 0 {
        return Ok((Layers { bytes: Cow::Borrowed(src), layers: 0 }, None));
    }
    let (bytes, result) = options.cow(src)?;
    let mut decoded = match bytes {
        Cow::Owned(decoded) if result.error.is_none() => decoded,
        bytes => return Ok((Layers { bytes, layers: 0 }, result.error)),
    };
    let mut later = *options;
    later.plus = Plus::Never;
    later.profile = later.profile.not_strict();
    let decoding = later.with_pluses(PlusStart::NONE);
    let mut layers = 1;
    let mut is_rejected = false;
    while layers < max && !is_rejected {
        let Some(start) = sink::first_item(decoding, &decoded) else { break };
        if layers < PASSES {
            let result = sink::in_place_from(decoding, &mut decoded, start);
            decoded.truncate(result.written);
            is_rejected = result.error.is_some();
            layers += 1;
        } else {
            let inner = collapse(&later.profile, &mut decoded, max - layers)?;
            is_rejected = inner.rejected.is_some();
            layers += inner.deepest;
            break;
        }
    }
    if !is_rejected {
        return Ok((Layers { bytes: Cow::Owned(decoded), layers }, None));
    }
    // The layers after the faulty one may have a rejected byte that comes earlier in the input. So decode all layers
    // again.
    let (first_layer, _) = options.cow(src)?;
    let inner = collapse(&later.profile, &mut first_layer.into_owned(), max - 1)?;
    let error = inner.rejected.map(|(at, byte)| {
        let offset = sink::input_offset(options.for_input(src), src, at);
        DecodeError::new(offset, DecodeErrorKind::Rejected(byte))
    });
    Ok((Layers { bytes: Cow::Owned(decoded), layers }, error))
}

struct Collapsed {
    /// The number of the last pass that changes a byte.
    deepest: usize,
    /// The first escape that becomes a rejected byte: its offset in the original bytes, and the rejected byte.
    rejected: Option<(usize, u8)>,
}

/// Decodes `bytes` with the same result as `max` passes.
///
/// Works from right to left, so all bytes after the current byte are final. The end of the buffer is a stack of decoded
/// bytes. If a `%` is on top of two digits, these three bytes are reduced to one byte. This byte may be another `%`, or
/// a digit that an earlier `%` needs.
///
/// For each decoded byte, `collapse` also stores the number of the pass that decoded it. A triplet is decoded in the
/// pass after its last byte was decoded. In `%2541`, pass 1 decodes `%25` to `%`. Now there is a triplet `%41`, so pass
/// 2 decodes it. Every reduction makes the stack two bytes shorter, so `collapse` takes linear time.
fn collapse(profile: &DecodeProfile, bytes: &mut Vec<u8>, max: usize) -> Result<Collapsed, TryReserveError> {
    let mut collapsed = Collapsed { deepest: 0, rejected: None };
    // For each decoded byte on the stack, its place and the pass that decoded it. The topmost byte is last.
    let mut passes: Vec<(usize, usize)> = Vec::new();
    let (mut at, mut top) = (bytes.len(), bytes.len());
    // Only a `%` can start a triplet. So each step pushes a `%` to the stack, with all bytes up to the next `%`.
    while let Some(percent) = memrchr(b'%', &bytes[..at]) {
        top -= at - percent;
        bytes.copy_within(percent..at, top);
        at = percent;
        while let Some(byte) = triplet(bytes, top) {
            let mut known = passes.len();
            let mut pass = 0;
            for lane in top..top + 3 {
                if known > 0 && passes[known - 1].0 == lane {
                    known -= 1;
                    pass = pass.max(passes[known].1);
                }
            }
            let pass = pass + 1;
            if pass > max {
                break;
            }
            if profile.keeps(byte) {
                let digits = &mut bytes[top + 1..top + 3];
                if profile.upper && digits.iter().any(u8::is_ascii_lowercase) {
                    digits.make_ascii_uppercase();
                    collapsed.deepest = collapsed.deepest.max(pass);
                }
                break;
            }
            if profile.rejects(byte) {
                collapsed.rejected = Some((at, byte));
                break;
            }
            top += 2;
            bytes[top] = byte;
            passes.truncate(known);
            passes.try_reserve(1)?;
            passes.push((top, pass));
            collapsed.deepest = collapsed.deepest.max(pass);
        }
    }
    bytes.drain(at..top);
    Ok(collapsed)
}
