//! A pair of a form, decoded, and what can be wrong with one.

use core::fmt;
use core::ops::Range;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};

use serde::de;

use crate::form::parse::{Pair, PairScanner};
use crate::form::{ParseError, block};

/// Why a form is not what was asked for: in which field, and where in the input, as far as that can be told.
#[derive(Clone, PartialEq, Eq)]
pub struct DeserializeError(Box<Fault>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Fault {
    field: Option<String>,
    offset: Option<usize>,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Parse(ParseError),
    Message(String),
}

impl DeserializeError {
    fn new(what: What) -> DeserializeError {
        DeserializeError(Box::new(Fault { field: None, offset: None, what }))
    }

    #[cold]
    pub(super) fn message(message: impl fmt::Display) -> DeserializeError {
        DeserializeError::new(What::Message(message.to_string()))
    }

    /// Adds the offset, unless a more precise one is known.
    #[cold]
    pub(super) fn at(mut self, offset: usize) -> DeserializeError {
        self.0.offset = self.0.offset.or(Some(offset));
        self
    }

    /// Adds the name of the field, unless it is known.
    #[cold]
    pub(super) fn within(mut self, name: &Part) -> DeserializeError {
        if self.0.field.is_none() {
            self.0.field = Some(String::from_utf8_lossy(name.bytes()).into_owned());
        }
        self
    }

    /// Returns the offset of the fault, in bytes of the input: that of the value, of the name, or of the escape that is
    /// at fault. None where it has no place, as with a field that is missing.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// Returns the name of the field at fault, decoded, if it is in one.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.0.field.as_deref()
    }

    /// Returns what is wrong with the form as such, before any type is asked for, if that is the reason.
    #[must_use]
    pub fn parse_error(&self) -> Option<ParseError> {
        match self.0.what {
            What::Parse(error) => Some(error),
            What::Message(_) => None,
        }
    }
}

impl From<ParseError> for DeserializeError {
    fn from(error: ParseError) -> DeserializeError {
        DeserializeError::new(What::Parse(error)).at(error.offset())
    }
}

impl fmt::Debug for DeserializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { field, offset, what } = &*self.0;
        let mut shown = f.debug_struct("DeserializeError");
        shown.field("field", field).field("offset", offset).field("what", what).finish()
    }
}

impl fmt::Display for DeserializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message: &dyn fmt::Display = match &self.0.what {
            What::Parse(error) => error,
            What::Message(message) => message,
        };
        // A parse error tells its offset itself.
        let offset = self.0.offset.filter(|_| matches!(self.0.what, What::Message(_)));
        match (&self.0.field, offset) {
            (Some(field), Some(offset)) => write!(f, "field `{field}`, at byte {offset}: {message}"),
            (Some(field), None) => write!(f, "field `{field}`: {message}"),
            (None, Some(offset)) => write!(f, "at byte {offset}: {message}"),
            (None, None) => message.fmt(f),
        }
    }
}

impl core::error::Error for DeserializeError {}

impl de::Error for DeserializeError {
    fn custom<T: fmt::Display>(message: T) -> DeserializeError {
        DeserializeError::message(message)
    }
}

/// A name or a value, decoded.
#[derive(Clone, Debug)]
pub(super) enum Part<'de> {
    Text(Cow<'de, str>),
    /// No UTF-8.
    Bytes(Cow<'de, [u8]>),
}

impl<'de> Part<'de> {
    /// Returns the name or the value of a pair.
    pub(super) fn of(scanner: &PairScanner<'de>, pair: Pair, part: Range<usize>) -> Part<'de> {
        if pair.is_in_block() {
            let scanned = &scanner.block;
            return block::text(scanned, &part).map_or_else(|| Part::Bytes(block::bytes(scanned, &part)), Part::Text);
        }
        let raw = scanner.part(part);
        match scanner.decoder().decode_utf8(raw) {
            Ok(text) => Part::Text(text),
            Err(_) => Part::Bytes(scanner.decoder().decode(raw)),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Part::Text(text) => text.as_bytes(),
            Part::Bytes(bytes) => bytes,
        }
    }
}

/// A pair of a form.
#[derive(Clone, Debug)]
pub(super) struct Entry<'de> {
    pub(super) name: Part<'de>,
    pub(super) value: Part<'de>,
    /// The value as it stands in the input.
    pub(super) raw: &'de [u8],
    /// Offset of the name in the input.
    pub(super) offset: usize,
    /// Offset of the value.
    pub(super) value_offset: usize,
    /// The next pair of the same name.
    pub(super) next: Option<usize>,
    /// Whether a pair before this has the same name.
    pub(super) repeats: bool,
}
