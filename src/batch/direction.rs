//! Defines the traits by which the code of batches runs an encoder or a decoder.

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

/// An encoder or a decoder, as it runs over rows.
pub(super) trait RowCoder {
    type Codec<'d>: ShortCodec
    where
        Self: 'd;

    /// The codec for one row; for several, if that is the same for all.
    fn codec(&self, row: &[u8]) -> Self::Codec<'_>;

    /// Whether it is the same for all.
    fn is_uniform(&self) -> bool;

    /// Runs `codec` over `src` into `dst`, and replaces each of `ends`, offsets in `src`, by where that is in the output, as far as
    /// that was all of `src`.
    fn run(codec: Self::Codec<'_>, src: &[u8], dst: &mut [Cell], ends: &mut [usize]) -> Progress;
}

/// One direction, with what becomes of rows that are at fault.
pub(super) trait Direction {
    type Coder: RowCoder;

    /// Returns the encoder or decoder of the rows.
    fn coder(&self) -> &Self::Coder;

    /// Whether `row` comes out as it is.
    fn is_clean(&self, row: &[u8]) -> bool;

    /// Whether `rows`, which are output, and each of which ends at one of `ends`, are what was asked for.
    fn accepts(&self, rows: &[u8], ends: &[usize]) -> bool;

    /// Appends what `row` becomes to `out`. Returns whether it could be done; if not, `out` is as it was.
    fn append_row(&self, row: &[u8], out: &mut Vec<u8>) -> Result<bool, TryReserveError>;

    /// Returns the fault of `row`, which could not be appended; `None` if it becomes null.
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
        // Rows in which only some pluses are spaces are not uniform, and run one by one.
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
        // Text that is not ASCII may not be UTF-8.
        let check = self.decoder.codec(row).look(row);
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
        // It could not be appended, so there is one.
        Ok(Some(error.unwrap_or(DecodeError::new(0, DecodeErrorKind::InvalidUtf8))))
    }
}
