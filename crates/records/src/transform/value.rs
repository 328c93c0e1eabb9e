//! The value of a field, and the offset of the first byte in it that may change. We search for this byte only once, and
//! all later steps use its offset.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3};

/// The bytes that can make a text change. If a text has none of them, it stays as it is.
#[derive(Clone, Copy, Debug)]
pub enum Triggers {
    /// Every text may change.
    Any,
    /// A text with this byte may change.
    One(u8),
    /// A text with one of these two bytes may change.
    Two(u8, u8),
    /// A text with one of these three bytes may change.
    Three(u8, u8, u8),
}

impl Triggers {
    /// Returns the triggers `%`, `plus` and `mark`, without the ones that are `None`.
    pub fn percent_and(plus: Option<u8>, mark: Option<u8>) -> Triggers {
        match (plus, mark) {
            (None, None) => Triggers::One(b'%'),
            (Some(byte), None) | (None, Some(byte)) => Triggers::Two(b'%', byte),
            (Some(plus), Some(mark)) => Triggers::Three(b'%', plus, mark),
        }
    }

    /// Returns the offset of the first trigger in `text`, or `None` if `text` has no trigger. If every text may change,
    /// returns 0.
    #[inline]
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
    /// The value. If the text of the field doesn't follow the rules of its format, this is `None`.
    pub text: Option<Cow<'a, [u8]>>,
    /// The offset of the first byte of the value that may change. No `%` comes before it. If the value stays, this is
    /// `None`.
    pub first: Option<usize>,
}

impl<'a> Value<'a> {
    /// Returns a value without text. Use it for a field that can't change, and needn't be read.
    pub fn unread(raw: &'a [u8]) -> Value<'a> {
        Value { raw, text: None, first: None }
    }

    /// If the value has a `%`, returns the value and the offset of the first `%`.
    #[inline]
    pub fn escaped(&self) -> Option<(&[u8], usize)> {
        let (text, first) = (self.text.as_deref()?, self.first?);
        let len = if text.get(first) == Some(&b'%') { 0 } else { memchr(b'%', &text[first..])? };
        Some((text, first + len))
    }
}

#[cfg(test)]
mod tests {
    use percent_simd::{ByteSet, Plus, RawEncoder};

    use super::super::{Action, Spec, Transform};
    use super::*;
    use crate::formats::{Rule, Syntax, Wrap};

    #[test]
    fn a_known_first_byte_does_not_change_the_value() {
        const RAW: [&str; 9] =
            ["", "abc", "a+b?c+d%41", "%41", "a%2541%zz", "a\\u0025b%41", "\\\"%", "\"a\"\"%41\"", "\"%2\""];
        let encode = Action::Encode(RawEncoder::new(ByteSet::ALL));
        let decode = [Plus::Never, Plus::AfterQuery, Plus::Always].map(|plus| Action::Decode { plus });
        for action in decode.into_iter().chain([Action::Normalize, encode]) {
            for wrap in [Wrap::Verbatim, Wrap::Json, Wrap::Csv(b',')] {
                let rule = Rule { keep: ByteSet::EMPTY, wrap, syntax: Syntax::Reference };
                let transform = Transform::for_rule(&Spec::of(action.clone()), &rule, 1);
                for raw in RAW.map(str::as_bytes) {
                    let fresh = transform.read(raw, None);
                    let expected = fresh.text.as_deref().and_then(|text| memchr(b'%', text));
                    let can_change = fresh.first.is_some();
                    for known in raw.iter().position(|byte| b"%+?\\".contains(byte)).into_iter().chain([raw.len()]) {
                        let value = transform.read(raw, Some(known));
                        assert_eq!(value.first.is_some(), can_change, "{action:?} {wrap:?} {}", raw.escape_ascii());
                        assert_eq!(value.escaped().map(|(_, at)| at), expected, "{wrap:?} {}", raw.escape_ascii());
                    }
                }
            }
        }
    }
}
