//! The rows that an index or a slice selects.

use std::ops::Range;

use arrow_array::{Array as _, ArrayRef, make_array};
use arrow_data::transform::MutableArrayData;
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::fault::{new_error, value_error};

/// The rows that an index selects.
pub(crate) enum Index {
    Row(usize),
    Rows(Range<usize>),
    /// The first row, the step to the next row, and the number of rows.
    Steps(usize, isize, usize),
}

impl Index {
    pub(crate) fn new(index: &Bound<'_, PyAny>, len: usize) -> PyResult<Index> {
        // An array has at most `isize::MAX` rows.
        let rows = len as isize;
        if let Ok(slice) = index.cast::<PySlice>() {
            let indices = slice.indices(rows)?;
            let (start, step, len) = (indices.start as usize, indices.step, indices.slicelength);
            return Ok(if step == 1 { Index::Rows(start..start + len) } else { Index::Steps(start, step, len) });
        }
        let row: isize = index.extract().map_err(|error: PyErr| {
            // No column has a row whose number doesn't fit.
            if error.is_instance_of::<PyOverflowError>(index.py()) { no_row() } else { error }
        })?;
        let row = if row < 0 { row + rows } else { row };
        if (0..rows).contains(&row) { Ok(Index::Row(row as usize)) } else { Err(no_row()) }
    }
}

/// Returns `len` rows of an array: `start`, `start + step`, and so on.
pub(crate) fn every(array: &ArrayRef, start: usize, step: isize, len: usize) -> PyResult<ArrayRef> {
    let data = array.to_data();
    let mut rows = MutableArrayData::try_new(vec![&data], false, len).map_err(value_error)?;
    let mut row = start;
    for _ in 0..len {
        rows.try_extend(0, row, row + 1).map_err(value_error)?;
        row = row.wrapping_add_signed(step);
    }
    Ok(make_array(rows.freeze()))
}

pub(crate) fn no_row() -> PyErr {
    new_error::<PyIndexError>("the column has no such row")
}
