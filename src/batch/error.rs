//! Defines [`BatchError`]: the row at fault, or a lack of memory.

use alloc::collections::TryReserveError;
use core::fmt;
#[cfg(feature = "std")]
use std::io;

use crate::error::DecodeError;

/// Why a batch was not done. The output is then as it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// This row is at fault; the offset in the error is in bytes of the row.
    Row {
        /// The number of the row, from 0.
        row: usize,
        /// The fault of the row.
        error: DecodeError,
    },
    /// The offset with this index is negative, less than the one before, or beyond the values.
    Offset(usize),
    /// The view with this index is not within the buffers.
    View(usize),
    /// The key with this index is negative, or beyond the values of the dictionary.
    Key(usize),
    /// The bitmap ends before the rows do.
    Validity,
    /// The offsets of earlier output do not end where that output ends, or its bitmap does not, so that they cannot be
    /// continued.
    Output,
    /// The output of the rows up to this one ends at an offset that the type of the offsets can't hold. A wider type holds it,
    /// or smaller batches do.
    TooLong(usize),
    /// The output cannot be stored.
    Memory(TryReserveError),
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchError::Row { row, error } => write!(f, "row {row}: {error}"),
            BatchError::Offset(index) => {
                write!(f, "offset {index} is negative, less than the one before, or beyond the values")
            }
            BatchError::View(index) => write!(f, "view {index} is not within the buffers"),
            BatchError::Key(index) => write!(f, "key {index} is negative, or beyond the values of the dictionary"),
            BatchError::Validity => f.write_str("the bitmap of the input ends before its rows do"),
            BatchError::Output => {
                f.write_str("the offsets or the bitmap of the output do not end where the output ends")
            }
            BatchError::TooLong(row) => write!(f, "the output up to row {row} is too long for the type of the offsets"),
            BatchError::Memory(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for BatchError {}

impl From<TryReserveError> for BatchError {
    fn from(error: TryReserveError) -> BatchError {
        BatchError::Memory(error)
    }
}

/// Wraps the [`BatchError`] in an error of one of these kinds:
///
/// - `InvalidData`: the contents of a row.
/// - `OutOfMemory`: memory. This error has nothing inside, because that would be an allocation.
/// - `InvalidInput`: everything else, which the caller has passed.
#[cfg(feature = "std")]
impl From<BatchError> for io::Error {
    fn from(error: BatchError) -> io::Error {
        match error {
            BatchError::Memory(error) => error.into(),
            BatchError::Row { .. } => io::Error::new(io::ErrorKind::InvalidData, error),
            _ => io::Error::new(io::ErrorKind::InvalidInput, error),
        }
    }
}
