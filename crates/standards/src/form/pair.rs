//! Encodes the pairs of a form. One call of the codec encodes several names and values.

use alloc::{collections::TryReserveError, string::String, vec::Vec};
use core::convert::identity;

use percent_simd::{
    Encoder,
    internal::{Gather, ascii},
};

/// A `String` or `Vec` that text is appended to.
pub trait TextBuffer {
    fn len(&self) -> usize;
    fn capacity(&self) -> usize;
    fn truncate(&mut self, len: usize);
    fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError>;
    fn push_str(&mut self, text: &str);
    /// Appends `bytes`, encoded.
    fn try_encode(&mut self, encoder: &Encoder, bytes: &[u8]) -> Result<(), TryReserveError>;
}

macro_rules! text_buffer {
    ($type:ty, $text:ident => $slice:expr, $push:ident, $encoder:expr) => {
        impl TextBuffer for $type {
            #[inline]
            fn len(&self) -> usize {
                self.len()
            }

            #[inline]
            fn capacity(&self) -> usize {
                self.capacity()
            }

            #[inline]
            fn truncate(&mut self, len: usize) {
                self.truncate(len);
            }

            #[inline]
            fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
                self.try_reserve(additional)
            }

            #[inline]
            fn push_str(&mut self, $text: &str) {
                self.$push($slice);
            }

            #[inline]
            fn try_encode(&mut self, encoder: &Encoder, bytes: &[u8]) -> Result<(), TryReserveError> {
                $encoder(encoder).try_encode_into(bytes, self).map(|_| ())
            }
        }
    };
}

text_buffer!(String, text => text, push_str, identity);
text_buffer!(Vec<u8>, text => text.as_bytes(), extend_from_slice, Encoder::raw);

/// A pair that will be written.
#[derive(Clone, Copy)]
pub(super) struct FormPair<'a> {
    /// The separator to write before the pair.
    pub(super) separator: Option<u8>,
    pub(super) name: &'a [u8],
    pub(super) value: Option<&'a [u8]>,
}

impl FormPair<'_> {
    /// Returns the length of the pair with its delimiters, in bytes before encoding.
    #[inline]
    fn len(&self) -> usize {
        self.name.len().saturating_add(self.value.map_or(0, <[u8]>::len)).saturating_add(2)
    }

    /// Adds the pair to `gather`. If the pair doesn't fit, returns `false`. Also returns `false` if the encoder keeps
    /// triplets: its output for a `%` depends on the next two bytes, so it can't encode several texts together.
    #[inline]
    fn gather<const N: usize>(&self, encoder: &Encoder, gather: &mut Gather<N>) -> bool {
        if self.len() > gather.space() || ascii(encoder).keeps_triplets() {
            return false;
        }
        if let Some(separator) = self.separator {
            gather.push_delimiter(separator);
        }
        gather.push(self.name);
        if let Some(value) = self.value {
            gather.push_delimiter(b'=');
            gather.push(value);
        }
        true
    }

    /// Appends the pair to `out`. If this fails, `out` stays unchanged.
    #[inline]
    pub(super) fn append(&self, encoder: &Encoder, out: &mut impl TextBuffer) -> Result<(), TryReserveError> {
        /// The first capacity of a buffer. It is larger than the first pair needs, because more pairs usually follow.
        const FIRST: usize = 128;
        let mut gather = Gather::<2>::default();
        if !self.gather(encoder, &mut gather) {
            return self.append_long(encoder, out);
        }
        gather.encode(ascii(encoder), |text| {
            out.try_reserve(if out.capacity() == 0 { text.len().max(FIRST) } else { text.len() })?;
            out.push_str(text);
            Ok(())
        })
    }

    #[cold]
    fn append_long(&self, encoder: &Encoder, out: &mut impl TextBuffer) -> Result<(), TryReserveError> {
        let before = out.len();
        let mut all = || {
            if let Some(separator) = self.separator {
                out.try_reserve(1)?;
                out.push_str(char::from(separator).encode_utf8(&mut [0; 2]));
            }
            out.try_encode(encoder, self.name)?;
            if let Some(value) = self.value {
                out.try_reserve(1)?;
                out.push_str("=");
                out.try_encode(encoder, value)?;
            }
            Ok(())
        };
        let result = all();
        if result.is_err() {
            out.truncate(before);
        }
        result
    }
}

/// Collects the pairs of a form. If there are only a few, it makes only one allocation, of exactly the right length.
pub(super) struct FormText<'p> {
    encoder: &'p Encoder,
    gather: Gather<8>,
    text: String,
}

impl<'p> FormText<'p> {
    #[inline]
    pub(super) fn new(encoder: &'p Encoder) -> FormText<'p> {
        FormText { encoder, gather: Gather::default(), text: String::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, pair: &FormPair) -> Result<(), TryReserveError> {
        match pair.gather(self.encoder, &mut self.gather) {
            true => Ok(()),
            false => self.push_long(pair),
        }
    }

    #[inline(never)]
    fn push_long(&mut self, pair: &FormPair) -> Result<(), TryReserveError> {
        self.flush(String::try_reserve)?;
        match pair.gather(self.encoder, &mut self.gather) {
            true => Ok(()),
            false => pair.append(self.encoder, &mut self.text),
        }
    }

    /// Moves the collected text to the end of the string.
    #[inline]
    fn flush(
        &mut self,
        reserve: impl FnOnce(&mut String, usize) -> Result<(), TryReserveError>,
    ) -> Result<(), TryReserveError> {
        let out = &mut self.text;
        self.gather.encode(ascii(self.encoder), |text| {
            reserve(out, text.len())?;
            out.push_str(text);
            Ok(())
        })
    }

    /// Returns the text of all pairs.
    #[inline]
    pub(super) fn finish(&mut self) -> Result<String, TryReserveError> {
        self.flush(String::try_reserve_exact)?;
        Ok(core::mem::take(&mut self.text))
    }
}
