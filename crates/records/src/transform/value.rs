//! The value of a field, and where it may change: found once, for all that look at the field.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3};

/// Bytes without which a text stays as it is.
#[derive(Clone, Copy, Debug)]
pub enum Triggers {
    /// None: every text may change.
    Any,
    /// Only this one.
    One(u8),
    /// These two.
    Two(u8, u8),
    /// These three.
    Three(u8, u8, u8),
}

impl Triggers {
    /// Returns `%`, and those of the other two that there are.
    pub fn percent_and(plus: Option<u8>, mark: Option<u8>) -> Triggers {
        match (plus, mark) {
            (None, None) => Triggers::One(b'%'),
            (Some(byte), None) | (None, Some(byte)) => Triggers::Two(b'%', byte),
            (Some(plus), Some(mark)) => Triggers::Three(b'%', plus, mark),
        }
    }

    /// Returns the offset of the first of them in `text`: 0 if every text may change.
    pub fn find(self, text: &[u8]) -> Option<usize> {
        match self {
            Triggers::Any => Some(0),
            Triggers::One(a) => memchr(a, text),
            Triggers::Two(a, b) => memchr2(a, b, text),
            Triggers::Three(a, b, c) => memchr3(a, b, c, text),
        }
    }
}

/// The value of a field.
#[derive(Clone, Debug)]
pub struct Value<'a> {
    /// The field as it is written in its record.
    pub raw: &'a [u8],
    /// The value; `None` if the field isn't written as its format says.
    pub text: Option<Cow<'a, [u8]>>,
    /// The offset in the value of the first byte that may change, if there is one. No `%` is in front.
    pub first: Option<usize>,
}

impl<'a> Value<'a> {
    /// Returns the value of a field in which nothing can change, whatever it is.
    pub fn unread(raw: &'a [u8]) -> Value<'a> {
        Value { raw, text: None, first: None }
    }

    /// Returns the value, and the offset of its first `%`, if it has one.
    pub fn escaped(&self) -> Option<(&[u8], usize)> {
        let (text, first) = (self.text.as_deref()?, self.first?);
        let len = if text.get(first) == Some(&b'%') { 0 } else { memchr(b'%', &text[first..])? };
        Some((text, first + len))
    }
}
