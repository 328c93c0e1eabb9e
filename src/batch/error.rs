//! Defines [`BatchError`].

use alloc::collections::TryReserveError;
use core::fmt;
#[cfg(feature = "std")]
use std::io;

use crate::error::DecodeError;

/// The reason why a batch failed. The output is then unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// This row is faulty. The offset in the error counts bytes from the start of the row.
    Row {
        /// The number of the row, from 0.
        row: usize,
        /// The fault of the row.
        error: DecodeError,
    },
    /// The offset with this index is negative, less than the previous one, or beyond the values.
    Offset(usize),
    /// The view with this index isn't within the buffers.
    View(usize),
    /// The key with this index is negative, or beyond the values of the dictionary.
    Key(usize),
    /// The bitmap is too short for the rows.
    Validity,
    /// The output's offsets or bitmap don't match the rows that are already in it, so no row can be appended.
    Output,
    /// The end of this row's output is larger than the maximum of the offset type. Use a wider type or smaller batches.
    TooLong(usize),
    /// Memory can't be allocated.
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
/// - `InvalidData`: a row is faulty.
/// - `OutOfMemory`: memory can't be allocated. This error doesn't wrap the `BatchError`, because that would allocate.
/// - `InvalidInput`: all other errors. They are faults of the arguments.
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
