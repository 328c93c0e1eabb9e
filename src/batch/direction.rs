//! Defines the traits through which batches run an encoder or a decoder.

use alloc::{collections::TryReserveError, vec::Vec};
use core::ops::Range;

use super::{DecodeBatch, EncodeBatch, NotUtf8};
use crate::codec::{Decoding, Encoding};
use crate::decode::{CheckedDecoder, Plus};
use crate::encode::RawEncoder;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::input::Source;
use crate::kernel::{PlusStart, Progress};
use crate::memory;
use crate::output::Cell;
use crate::short::ShortCodec;

/// The error of a row whose escapes are well-formed, but whose output isn't UTF-8.
const NOT_UTF8: DecodeError = DecodeError::new(0, DecodeErrorKind::InvalidUtf8);

/// An encoder or a decoder for rows.
pub(super) trait RowCoder {
    type Codec<'d>: ShortCodec
    where
        Self: 'd;

    /// Returns the codec for one row. If [`is_uniform`](Self::is_uniform) returns true, the codec works for all rows.
    fn codec(&self, row: &[u8]) -> Self::Codec<'_>;

    /// Returns true if all rows have the same codec.
    fn is_uniform(&self) -> bool;

    /// Runs `codec` over `src` from the offset `start` on, and writes the output to `dst`. `ends` are offsets in `src`.
    /// This call replaces each of them by the matching offset in the output.
    ///
    /// After an error, the ends up to the offset of the error have been replaced. Ends in the 64 bytes of `src` after
    /// this offset are unspecified.
    fn run(codec: Self::Codec<'_>, src: &[u8], start: usize, dst: &mut [Cell], ends: &mut [usize]) -> Progress;

    /// Returns the offset of the first faulty escape in `src`.
    fn first_fault(&self, src: &[u8]) -> Option<usize>;
}

/// An encoder or a decoder with the options of a batch, such as the treatment of faulty rows.
pub(super) trait Direction {
    type Coder: RowCoder;

    /// Returns the encoder or decoder of the rows.
    fn coder(&self) -> &Self::Coder;

    /// Returns true if `row` doesn't change.
    fn is_clean(&self, row: &[u8]) -> bool;

    /// If the batch requires UTF-8, returns the first row whose output isn't UTF-8. `output` has the output of all
    /// rows. The output of the first row starts at `start`, and the output of row `i` ends at `ends[i]`.
    fn first_refused(&self, output: &[u8], start: usize, ends: &[usize]) -> Option<usize>;

    /// `output` is the output of one row. If the batch requires UTF-8, returns the first part of `output` that isn't
    /// UTF-8. The part is empty if all of `output` is UTF-8, or if the batch allows any bytes. For a short row, this call
    /// takes less time than [`first_refused`](Self::first_refused).
    fn first_invalid(&self, output: &[u8]) -> Range<usize>;

    /// `output` is the output of `row`, and `invalid` is the first part of `output` that isn't UTF-8. Appends a
    /// replacement for `output` to `out`, and returns true. If the batch treats this row as faulty, leaves `out`
    /// unchanged and returns false. If the row is decoded again (`is_pending`), bytes that aren't UTF-8 stay escaped.
    fn append_mended(
        &self,
        row: &[u8],
        output: &[u8],
        invalid: Range<usize>,
        is_pending: bool,
        out: &mut Vec<u8>,
    ) -> Result<bool, TryReserveError>;

    /// Returns true if faulty rows become null, and false if they fail the batch.
    fn makes_null(&self) -> bool;

    /// Returns the fault of a faulty row.
    fn error_of(&self, row: &[u8]) -> Result<DecodeError, TryReserveError>;
}

impl RowCoder for RawEncoder {
    type Codec<'d> = Encoding<'d>;

    #[inline]
    fn codec(&self, _: &[u8]) -> Encoding<'_> {
        self.encoding()
    }

    fn is_uniform(&self) -> bool {
        true
    }

    fn run(codec: Encoding, src: &[u8], _: usize, dst: &mut [Cell], ends: &mut [usize]) -> Progress {
        // Encoding has no errors, so no run continues after a faulty row: `start` is always 0.
        codec.kernels().encode_rows(codec.profile, src, dst, ends)
    }

    fn first_fault(&self, _: &[u8]) -> Option<usize> {
        None
    }
}

impl Direction for EncodeBatch {
    type Coder = RawEncoder;

    #[inline]
    fn coder(&self) -> &RawEncoder {
        &self.encoder
    }

    #[inline]
    fn is_clean(&self, row: &[u8]) -> bool {
        self.encoder.codec(row).first(row).is_none()
    }

    #[inline]
    fn first_refused(&self, _: &[u8], _: usize, _: &[usize]) -> Option<usize> {
        None
    }

    fn first_invalid(&self, _: &[u8]) -> Range<usize> {
        0..0
    }

    fn append_mended(
        &self,
        _: &[u8],
        _: &[u8],
        _: Range<usize>,
        _: bool,
        _: &mut Vec<u8>,
    ) -> Result<bool, TryReserveError> {
        Ok(false)
    }

    fn makes_null(&self) -> bool {
        false
    }

    fn error_of(&self, _: &[u8]) -> Result<DecodeError, TryReserveError> {
        Ok(NOT_UTF8)
    }
}

impl RowCoder for CheckedDecoder {
    type Codec<'d> = Decoding<'d>;

    #[inline]
    fn codec(&self, row: &[u8]) -> Decoding<'_> {
        self.options().for_input(row)
    }

    fn is_uniform(&self) -> bool {
        self.options().plus != Plus::AfterQuery
    }

    fn run(codec: Decoding, src: &[u8], start: usize, dst: &mut [Cell], ends: &mut [usize]) -> Progress {
        // With `Plus::AfterQuery`, only some `+` of a row are spaces. These rows are never gathered (see `is_uniform`),
        // so they are never decoded here.
        codec.kernels().decode_rows(codec.profile, codec.plus == PlusStart::ALL, src, start, dst, ends)
    }

    fn first_fault(&self, src: &[u8]) -> Option<usize> {
        // Faults do not depend on `+`, and the search is faster without it.
        let (_, scan) = self.options().with_pluses(PlusStart::NONE).count(src);
        (scan.stopped_at < src.len()).then_some(scan.stopped_at)
    }
}

impl Direction for DecodeBatch {
    type Coder = CheckedDecoder;

    #[inline]
    fn coder(&self) -> &CheckedDecoder {
        &self.decoder
    }

    #[inline]
    fn is_clean(&self, row: &[u8]) -> bool {
        // A row that isn't ASCII may be invalid UTF-8. So if the batch requires UTF-8, only ASCII rows are clean.
        let check = self.decoder.codec(row).check(row);
        check.unchanged && (self.text.is_none() || check.ascii || row.is_ascii())
    }

    #[inline]
    fn first_refused(&self, output: &[u8], start: usize, ends: &[usize]) -> Option<usize> {
        self.text?;
        let output = &output[..*ends.last()?];
        let error = self.decoder.codec(&[]).kernels().utf8_error(&output[start..]);
        // All characters that end before offset `valid` are valid (see `utf8_error`), so every row that ends before
        // `valid`, and not inside a character, is UTF-8. `row` is the first other row: check each row from `row` on.
        let valid = error.map_or(output.len(), |at| (start + at).saturating_sub(3));
        let row = ends.iter().position(|&end| end >= valid || output[end] & 0xC0 == 0x80)?;
        if error.is_none() && ends[row] == output.len() {
            return None;
        }
        let mut start = row.checked_sub(1).map_or(start, |before| ends[before]);
        (row..ends.len()).find(|&row| {
            let bytes = &output[start..ends[row]];
            start = ends[row];
            !self.first_invalid(bytes).is_empty()
        })
    }

    #[inline]
    fn first_invalid(&self, output: &[u8]) -> Range<usize> {
        self.text.map_or(0..0, |_| memory::first_invalid(output))
    }

    fn append_mended(
        &self,
        row: &[u8],
        output: &[u8],
        invalid: Range<usize>,
        is_pending: bool,
        out: &mut Vec<u8>,
    ) -> Result<bool, TryReserveError> {
        match self.text.map(|not_utf8| if is_pending { NotUtf8::KeepEscaped } else { not_utf8 }) {
            Some(NotUtf8::Replace) => memory::extend_lossy(out, output, invalid)?,
            Some(NotUtf8::KeepEscaped) => self.decoder.options().append_valid(row, output, invalid, out)?,
            Some(NotUtf8::Error) | None => return Ok(false),
        }
        Ok(true)
    }

    fn makes_null(&self) -> bool {
        self.errors_to_null
    }

    fn error_of(&self, row: &[u8]) -> Result<DecodeError, TryReserveError> {
        let options = self.decoder.options();
        let error = match self.text {
            Some(NotUtf8::Error) => options.text(Source::Bytes(row))?.err(),
            _ => self.decoder.check(row).err(),
        };
        Ok(error.unwrap_or(NOT_UTF8))
    }
}
