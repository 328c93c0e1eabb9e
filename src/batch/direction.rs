//! Defines the traits through which batches run an encoder or a decoder.

use alloc::{collections::TryReserveError, vec::Vec};

use super::{DecodeBatch, EncodeBatch, NotUtf8};
use crate::codec::{Decoding, Encoding};
use crate::decode::{CheckedDecoder, Plus};
use crate::encode::RawEncoder;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::input::Source;
use crate::kernel::{PlusStart, Progress};
use crate::output::Cell;
use crate::short::ShortCodec;
use crate::sink;

/// An encoder or a decoder for rows.
pub(super) trait RowCoder {
    type Codec<'d>: ShortCodec
    where
        Self: 'd;

    /// Returns the codec for one row. If [`is_uniform`](Self::is_uniform) returns true, the codec works for all rows.
    fn codec(&self, row: &[u8]) -> Self::Codec<'_>;

    /// Returns true if all rows have the same codec.
    fn is_uniform(&self) -> bool;

    /// Runs `codec` over `src` into `dst`. Replaces each of `ends`, which are offsets in `src`, by the offset in the
    /// output.
    ///
    /// The new `ends` are only valid if all of `src` was read.
    fn run(codec: Self::Codec<'_>, src: &[u8], dst: &mut [Cell], ends: &mut [usize]) -> Progress;
}

/// An encoder or a decoder with the options of a batch, such as the treatment of faulty rows.
pub(super) trait Direction {
    type Coder: RowCoder;

    /// Returns the encoder or decoder of the rows.
    fn coder(&self) -> &Self::Coder;

    /// Returns true if `row` doesn't change.
    fn is_clean(&self, row: &[u8]) -> bool;

    /// Returns true if `rows` meet the options of the batch. `rows` is the output of several rows, one after another,
    /// and `ends` are their ends.
    fn accepts(&self, rows: &[u8], ends: &[usize]) -> bool;

    /// Appends the output of `row` to `out`. If the row is faulty, returns false and leaves `out` unchanged.
    fn append_row(&self, row: &[u8], out: &mut Vec<u8>) -> Result<bool, TryReserveError>;

    /// Returns the fault of a `row` that could not be appended, or `None` if the row becomes null.
    fn error_of(&self, row: &[u8]) -> Result<Option<DecodeError>, TryReserveError>;
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

    fn run(codec: Encoding, src: &[u8], dst: &mut [Cell], ends: &mut [usize]) -> Progress {
        codec.kernels().encode_rows(codec.profile, src, dst, ends)
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
    fn accepts(&self, _: &[u8], _: &[usize]) -> bool {
        true
    }

    fn append_row(&self, row: &[u8], out: &mut Vec<u8>) -> Result<bool, TryReserveError> {
        sink::append(self.encoder.codec(row), row, out)?;
        Ok(true)
    }

    fn error_of(&self, _: &[u8]) -> Result<Option<DecodeError>, TryReserveError> {
        Ok(None)
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

    fn run(codec: Decoding, src: &[u8], dst: &mut [Cell], ends: &mut [usize]) -> Progress {
        // With `Plus::AfterQuery`, only some `+` of a row are spaces. Such rows are never gathered (see `is_uniform`),
        // so they are never decoded here.
        codec.kernels().decode_rows(codec.profile, codec.plus == PlusStart::ALL, src, dst, ends)
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
        // A row of text that isn't ASCII is possibly invalid UTF-8, so it can't pass unchecked.
        let check = self.decoder.codec(row).check(row);
        check.unchanged && (self.text.is_none() || check.ascii || row.is_ascii())
    }

    #[inline]
    fn accepts(&self, rows: &[u8], ends: &[usize]) -> bool {
        let starts_character = |end: &usize| rows.get(*end).is_none_or(|byte| byte & 0xC0 != 0x80);
        self.text.is_none() || self.decoder.codec(&[]).kernels().is_utf8(rows) && ends.iter().all(starts_character)
    }

    fn append_row(&self, row: &[u8], out: &mut Vec<u8>) -> Result<bool, TryReserveError> {
        let before = out.len();
        let result = sink::append(self.decoder.codec(row), row, out)?;
        if result.error.is_none() && self.accepts(&out[before..], &[]) {
            return Ok(true);
        }
        out.truncate(before);
        let (text, error) = match self.text {
            _ if result.error.is_some() => return Ok(false),
            Some(NotUtf8::Replace) => self.decoder.options().lossy_text(Source::Bytes(row))?,
            Some(NotUtf8::KeepEscaped) => self.decoder.options().valid_text(Source::Bytes(row))?,
            Some(NotUtf8::Error) | None => return Ok(false),
        };
        out.try_reserve(text.len())?;
        out.extend_from_slice(text.as_bytes());
        Ok(error.is_none())
    }

    fn error_of(&self, row: &[u8]) -> Result<Option<DecodeError>, TryReserveError> {
        if self.errors_to_null {
            return Ok(None);
        }
        let options = self.decoder.options();
        let error = match self.text {
            Some(NotUtf8::Error) => options.text(Source::Bytes(row))?.err(),
            _ => self.decoder.check(row).err(),
        };
        // The row could not be appended, so it has an error.
        Ok(Some(error.unwrap_or(DecodeError::new(0, DecodeErrorKind::InvalidUtf8))))
    }
}
