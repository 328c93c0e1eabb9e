//! Decodes rows that were encoded several times.
//!
//! The escapes of one character above ASCII can be in different layers. In `%C3%25A9`, only the first layer turns `%25A9` into
//! the escape `%A9`. So the escapes of bytes above ASCII stay until the last layer, which decodes them together. This
//! doesn't change the other layers, because an escape consists of ASCII characters.

use std::borrow::Cow;

use percent_simd::{ByteSet, CheckedDecoder, DecodeError, Decoder};

use crate::options::{DecodeOptions, Errors};
use crate::url::bytes;

/// Decodes all layers of a row, in linear time.
#[derive(Debug)]
pub struct Layers {
    /// Decodes the outer layers: all layers except the last.
    outer: CheckedDecoder,
    /// Decodes the last layer, and copies malformed escapes.
    pub lenient: Decoder,
    /// Decodes the last layer. With [`Errors::Null`] and [`Errors::Strict`], returns an error for a faulty escape.
    pub checked: CheckedDecoder,
    errors: Errors,
    max: usize,
}

impl Layers {
    /// Creates the decoders for these options.
    #[must_use]
    pub fn new(options: &DecodeOptions) -> Layers {
        let (_, outer) = options.decoders(options.keep | !ByteSet::ASCII, 0);
        let (lenient, checked) = options.decoders(options.keep, options.layers.saturating_sub(1));
        Layers { outer, lenient, checked, errors: options.errors, max: options.layers }
    }

    /// Decodes the outer layers of a row, and then calls `last` to decode the last layer.
    ///
    /// # Errors
    ///
    /// Returns the error of a faulty escape, with its offset in `row`. If `last` fails, returns its error. With
    /// [`Errors::Keep`] and more than one layer, returns the row that `last` can't decode.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    pub fn decode<'r>(
        &self,
        row: &'r [u8],
        last: impl for<'a> Fn(&'a [u8]) -> Result<Cow<'a, [u8]>, DecodeError>,
    ) -> Result<Cow<'r, [u8]>, DecodeError> {
        let Some(max) = self.max.checked_sub(1) else { return Ok(Cow::Borrowed(row)) };
        let bytes = match self.outer.decode_layers(row, max)?.bytes {
            Cow::Borrowed(row) => return last(row),
            Cow::Owned(bytes) => bytes,
        };
        let changed = last(&bytes).map(|text| match text {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text),
        });
        match changed {
            Err(error) if self.errors != Errors::Keep => Err(error),
            changed => Ok(Cow::Owned(changed.ok().flatten().unwrap_or(bytes))),
        }
    }

    /// Decodes all layers of a row. If `is_text` is true, the row is UTF-8, and so is the result.
    pub(crate) fn decode_utf8<'r>(&self, row: &'r [u8], is_text: bool) -> Result<Cow<'r, [u8]>, DecodeError> {
        self.decode(row, |row| match self.errors {
            _ if !is_text => self.checked.decode(row),
            Errors::Keep => self.checked.decode_valid_utf8(row).map(bytes),
            Errors::Replace => self.checked.decode_utf8_lossy(row).map(bytes),
            Errors::Null | Errors::Strict => self.checked.decode_utf8(row).map(bytes),
        })
    }
}
