//! The octets of a value, and their charset.

use alloc::borrow::Cow;
use alloc::string::String;

use percent_simd::OutputTooSmall;
use percent_simd::internal::triplet;

use super::syntax::Parameter;
use crate::memory;
use crate::utf8::Utf8;

/// The octets of a value. Each `quoted-pair` is undone. If `is_encoded` is true, escapes are undone, too. A malformed
/// `%` stays.
#[derive(Clone)]
pub(super) struct Octets<'a> {
    raw: &'a [u8],
    has_pairs: bool,
    is_encoded: bool,
}

impl<'a> Octets<'a> {
    pub(super) const fn new(parameter: Parameter<'a>, is_encoded: bool) -> Octets<'a> {
        Octets { raw: parameter.raw, has_pairs: parameter.has_pairs, is_encoded }
    }

    /// Splits `charset'language'chars` into the charset and the octets of `chars`.
    pub(super) fn extended(parameter: Parameter<'a>) -> Option<(Charset, Octets<'a>)> {
        let mut octets = Octets::new(parameter, false);
        let mut label = [0; "iso-8859-1".len()];
        let mut len = 0;
        loop {
            let byte = octets.next()?;
            if byte == b'\'' {
                break;
            }
            *label.get_mut(len)? = byte;
            len += 1;
        }
        let label = label.get(..len)?;
        let is = |names: [&str; 2]| names.iter().any(|name| label.eq_ignore_ascii_case(name.as_bytes()));
        let charset = if label.is_empty() || is(["utf-8", "utf8"]) {
            Charset::Utf8
        } else if is(["iso-8859-1", "latin1"]) {
            Charset::Latin1
        } else {
            return None;
        };
        octets.find(|&byte| byte == b'\'')?;
        octets.is_encoded = true;
        Some((charset, octets))
    }

    /// Returns the next byte. If it starts a `quoted-pair`, returns the second byte of the pair.
    fn unquoted(&mut self) -> Option<u8> {
        let (&byte, rest) = self.raw.split_first()?;
        self.raw = rest;
        if byte != b'\\' || !self.has_pairs {
            return Some(byte);
        }
        let Some((&byte, rest)) = self.raw.split_first() else { return Some(byte) };
        self.raw = rest;
        Some(byte)
    }

    /// Returns true if the octets equal `raw`. This means that `raw` has no `quoted-pair`, and no `%` that could start
    /// an escape.
    fn is_raw(&self) -> bool {
        !self.has_pairs && !(self.is_encoded && memchr::memchr(b'%', self.raw).is_some())
    }
}

impl Iterator for Octets<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let byte = self.unquoted()?;
        if byte == b'%' && self.is_encoded {
            let mut after = self.clone();
            if let (Some(high), Some(low)) = (after.unquoted(), after.unquoted())
                && let Some(decoded) = triplet(&[byte, high, low], 0)
            {
                *self = after;
                return Some(decoded);
            }
        }
        Some(byte)
    }
}

/// The charset that a value names.
#[derive(Clone, Copy)]
pub(super) enum Charset {
    Utf8,
    Latin1,
    /// The value names no charset. If the value is UTF-8, it is read as UTF-8, otherwise as ISO-8859-1.
    Unknown,
}

/// The way in which octets become text.
#[derive(Clone, Copy)]
pub(super) struct Coding {
    is_latin1: bool,
    /// The length of the text, in bytes of UTF-8.
    pub(super) len: usize,
}

impl Coding {
    /// If the octets aren't in the charset, returns `None`.
    pub(super) fn of(octets: impl Iterator<Item = u8>, charset: Charset) -> Option<Coding> {
        let (mut utf8, mut is_utf8) = (Utf8::default(), true);
        let (mut len, mut latin1_len) = (0, 0);
        for octet in octets {
            len += 1;
            latin1_len += char::from(octet).len_utf8();
            is_utf8 = is_utf8 && utf8.push(octet).is_ok();
        }
        match charset {
            Charset::Utf8 | Charset::Unknown if is_utf8 && utf8.is_complete() => Some(Coding { is_latin1: false, len }),
            Charset::Utf8 => None,
            Charset::Latin1 | Charset::Unknown => Some(Coding { is_latin1: true, len: latin1_len }),
        }
    }

    /// Fills `out` with the text. `out` has exactly the length of the text.
    pub(super) fn fill(self, octets: impl Iterator<Item = u8>, out: &mut [u8]) {
        let mut places = out.iter_mut();
        let mut put = |byte| {
            if let Some(place) = places.next() {
                *place = byte;
            }
        };
        if self.is_latin1 {
            octets.for_each(|octet| char::from(octet).encode_utf8(&mut [0; 2]).bytes().for_each(&mut put));
        } else {
            octets.for_each(put);
        }
    }

    /// Writes the text to the start of `out`. Returns the text and the rest of `out`.
    pub(super) fn write(
        self,
        octets: impl Iterator<Item = u8>,
        out: &mut [u8],
    ) -> Result<(Option<&str>, &mut [u8]), OutputTooSmall> {
        let (text, rest) = out.split_at_mut_checked(self.len).ok_or(OutputTooSmall::new(self.len))?;
        self.fill(octets, text);
        Ok((str::from_utf8(text).ok(), rest))
    }

    pub(super) fn text(self, octets: impl Iterator<Item = u8>) -> String {
        let mut text = memory::zeros(self.len);
        self.fill(octets, &mut text);
        String::from_utf8(text).unwrap_or_default() // never fails, because `of` has checked the octets
    }
}

/// The value of one parameter.
#[derive(Clone)]
pub(super) struct Value<'a> {
    pub(super) octets: Octets<'a>,
    pub(super) coding: Coding,
}

impl<'a> Value<'a> {
    /// If the octets aren't in the charset, returns `None`.
    pub(super) fn of(octets: Octets<'a>, charset: Charset) -> Option<Value<'a>> {
        let coding = Coding::of(octets.clone(), charset)?;
        Some(Value { octets, coding })
    }

    pub(super) fn into_text(self) -> Cow<'a, str> {
        match str::from_utf8(self.octets.raw) {
            Ok(text) if self.octets.is_raw() && (!self.coding.is_latin1 || text.is_ascii()) => Cow::Borrowed(text),
            _ => Cow::Owned(self.coding.text(self.octets)),
        }
    }
}
