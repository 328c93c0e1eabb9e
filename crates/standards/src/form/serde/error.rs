//! Defines the error for reading a type from a form, and for writing a type as a form.

use core::fmt;

use alloc::boxed::Box;
use alloc::string::{String, ToString};

use serde::{de, ser};

use crate::form::ParseError;

/// An error in a form that can't be read as a type, or in a value that can't be written as a form.
///
/// If the field and the offset in the input are known, the message names them. Format the error with `{:#}` to leave
/// out the offset. The message of a parse error always has the offset.
#[derive(Clone, PartialEq, Eq)]
pub struct SerdeError(Box<Fault>);

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

impl SerdeError {
    fn new(what: What) -> SerdeError {
        SerdeError(Box::new(Fault { field: None, offset: None, what }))
    }

    #[cold]
    pub(super) fn message(message: impl fmt::Display) -> SerdeError {
        SerdeError::new(What::Message(message.to_string()))
    }

    /// Sets the offset. If the error already has an offset, keeps that one, because it is more precise.
    #[cold]
    pub(super) fn at(mut self, offset: usize) -> SerdeError {
        self.0.offset = self.0.offset.or(Some(offset));
        self
    }

    /// Sets the name of the field. If the error already has a name, keeps it.
    #[cold]
    pub(super) fn within(mut self, name: &[u8]) -> SerdeError {
        if self.0.field.is_none() {
            self.0.field = Some(String::from_utf8_lossy(name).into_owned());
        }
        self
    }

    /// Returns the offset of the error in the input, in bytes. This is the start of the value, name or escape that has
    /// the fault.
    ///
    /// If the error has no offset (for example, because a field is missing), returns `None`. Also returns `None` for an
    /// error in writing a value.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// Returns the decoded name of the field that has the fault, if the error is in a field.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.0.field.as_deref()
    }

    /// If the form itself is malformed, returns the parse error. If the form only doesn't fit the type, returns `None`.
    #[must_use]
    pub fn parse_error(&self) -> Option<ParseError> {
        match self.0.what {
            What::Parse(error) => Some(error),
            What::Message(_) => None,
        }
    }
}

impl From<ParseError> for SerdeError {
    fn from(error: ParseError) -> SerdeError {
        SerdeError::new(What::Parse(error)).at(error.offset())
    }
}

impl fmt::Debug for SerdeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { field, offset, what } = &*self.0;
        let mut shown = f.debug_struct("SerdeError");
        shown.field("field", field).field("offset", offset).field("what", what).finish()
    }
}

impl fmt::Display for SerdeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message: &dyn fmt::Display = match &self.0.what {
            What::Parse(error) => error,
            What::Message(message) => message,
        };
        // The text of a parse error includes its offset.
        let offset = self.0.offset.filter(|_| !f.alternate() && matches!(self.0.what, What::Message(_)));
        match (&self.0.field, offset) {
            (Some(field), Some(offset)) => write!(f, "field `{field}`, at byte {offset}: {message}"),
            (Some(field), None) => write!(f, "field `{field}`: {message}"),
            (None, Some(offset)) => write!(f, "at byte {offset}: {message}"),
            (None, None) => message.fmt(f),
        }
    }
}

impl core::error::Error for SerdeError {}

impl de::Error for SerdeError {
    fn custom<T: fmt::Display>(message: T) -> SerdeError {
        SerdeError::message(message)
    }
}

impl ser::Error for SerdeError {
    fn custom<T: fmt::Display>(message: T) -> SerdeError {
        SerdeError::message(message)
    }
}
