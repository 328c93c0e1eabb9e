//! Defines rows as values and offsets, and the bitmap of valid rows.

use alloc::{collections::TryReserveError, vec::Vec};

use super::BatchError;

/// A type of offsets: `i32` or `i64`, which Arrow uses, or `u32`, `u64` or `usize`.
pub trait Offset: Copy + TryInto<usize> + TryFrom<usize> {}

impl Offset for i32 {}
impl Offset for i64 {}
impl Offset for u32 {}
impl Offset for u64 {}
impl Offset for usize {}

/// A bit for each row, the least significant bit of a byte first: 1 if the row is valid, 0 if it is null.
#[derive(Clone, Copy, Debug)]
pub struct Bitmap<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Bitmap<'a> {
    /// Makes a bitmap from `bytes`. The first row's bit has the index `offset`.
    #[must_use]
    pub const fn new(bytes: &'a [u8], offset: usize) -> Bitmap<'a> {
        Bitmap { bytes, offset }
    }

    /// Returns true if there is a bit for each of `rows` rows.
    fn covers(self, rows: usize) -> bool {
        self.offset.checked_add(rows).is_some_and(|end| end.div_ceil(8) <= self.bytes.len())
    }

    #[inline]
    fn is_set(self, row: usize) -> bool {
        let bit = self.offset + row;
        self.bytes[bit / 8] >> (bit % 8) & 1 == 1
    }
}

/// The null rows of the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nulls<'a>(Option<Bitmap<'a>>);

impl<'a> Nulls<'a> {
    /// Checks that there is a bit for each row.
    pub(super) fn new(validity: Option<Bitmap<'a>>, rows: usize) -> Result<Nulls<'a>, BatchError> {
        match validity {
            Some(bitmap) if !bitmap.covers(rows) => Err(BatchError::Validity),
            validity => Ok(Nulls(validity)),
        }
    }

    /// Returns true if there is no bitmap, so no row is null.
    #[inline]
    pub(super) fn are_none(self) -> bool {
        self.0.is_none()
    }

    #[inline]
    pub(super) fn contains(self, row: usize) -> bool {
        self.0.is_some_and(|bitmap| !bitmap.is_set(row))
    }
}

/// Rows to encode or decode. Row `i` has the bytes `values[offsets[i]..offsets[i + 1]]`.
///
/// For a slice of an Arrow array, pass a slice of the array's offsets and all of its values.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, O> {
    pub(super) values: &'a [u8],
    pub(super) offsets: &'a [O],
    pub(super) validity: Option<Bitmap<'a>>,
}

impl<'a, O: Offset> Rows<'a, O> {
    /// Takes the bytes of all rows, and ascending offsets in these bytes. The number of offsets is the number of rows
    /// plus one.
    ///
    /// If `offsets` is empty, there are no rows.
    #[must_use]
    pub const fn new(values: &'a [u8], offsets: &'a [O]) -> Rows<'a, O> {
        Rows { values, offsets, validity: None }
    }

    /// Sets the bitmap of valid rows. The bytes of nulls are never read.
    #[must_use]
    pub const fn with_validity(mut self, validity: Bitmap<'a>) -> Rows<'a, O> {
        self.validity = Some(validity);
        self
    }
}

/// Encoded or decoded rows, as the three arrays of an Arrow array.
///
/// A batch appends its rows after the existing rows of the column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column<O> {
    /// The bytes of all rows, one after another. Nulls have no bytes.
    pub values: Vec<u8>,
    /// The start of the first row in the values, and then the end of each row. Empty until the first batch has run.
    pub offsets: Vec<O>,
    /// A bit for each row, the least significant bit of a byte first: 1 if the row is valid, 0 if it is null. `None` if
    /// no row is null.
    pub validity: Option<Vec<u8>>,
}

impl<O: Offset> Column<O> {
    /// Returns the rows, with `None` for nulls.
    ///
    /// # Panics
    ///
    /// Panics if you have changed the arrays and they no longer match each other.
    pub fn rows(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let at = |offset: O| offset.try_into().unwrap_or(usize::MAX);
        let bitmap = self.validity.as_deref().map(|bytes| Bitmap::new(bytes, 0));
        let rows = self.offsets.windows(2).map(move |ends| &self.values[at(ends[0])..at(ends[1])]);
        rows.enumerate().map(move |(row, bytes)| bitmap.is_none_or(|bitmap| bitmap.is_set(row)).then_some(bytes))
    }

    /// Removes all rows, but keeps the memory of the values and offsets.
    pub fn clear(&mut self) {
        self.values.clear();
        self.offsets.clear();
        self.validity = None;
    }
}

/// The bitmap of appended rows. There is no bitmap until the first null.
pub(super) struct Validity {
    bits: Option<Vec<u8>>,
    rows: usize,
}

impl Validity {
    /// Continues `bits`, the bitmap of `rows` rows. If its length doesn't match `rows`, returns `bits` as the error.
    pub(super) fn after(bits: Option<Vec<u8>>, rows: usize) -> Result<Validity, Option<Vec<u8>>> {
        if bits.as_ref().is_some_and(|bits| bits.len() != rows.div_ceil(8)) {
            return Err(bits);
        }
        Ok(Validity { bits, rows })
    }

    /// Appends one row.
    pub(super) fn push(&mut self, is_valid: bool) -> Result<(), TryReserveError> {
        if is_valid {
            return self.push_valid(1);
        }
        let rows = self.rows;
        let bits = match &mut self.bits {
            Some(bits) => bits,
            none => {
                let mut bits = Vec::new();
                bits.try_reserve(rows / 8 + 1)?;
                bits.resize(rows / 8, 0xFF);
                bits.resize(rows / 8 + 1, !(!0 << (rows % 8)));
                none.insert(bits)
            }
        };
        if bits.len() == rows / 8 {
            bits.try_reserve(1)?;
            bits.push(0);
        }
        bits[rows / 8] &= !(1 << (rows % 8));
        self.rows += 1;
        Ok(())
    }

    /// Appends `rows` valid rows.
    pub(super) fn push_valid(&mut self, rows: usize) -> Result<(), TryReserveError> {
        if let Some(bits) = self.bits.as_mut().filter(|_| rows > 0) {
            let end = self.rows + rows;
            bits.try_reserve(rows / 8 + 1)?;
            if let Some(last) = bits.last_mut().filter(|_| !self.rows.is_multiple_of(8)) {
                *last |= !0 << (self.rows % 8);
            }
            bits.resize(end.div_ceil(8), 0xFF);
            if let Some(last) = bits.last_mut().filter(|_| !end.is_multiple_of(8)) {
                *last &= !(!0 << (end % 8));
            }
        }
        self.rows += rows;
        Ok(())
    }

    /// Appends the bits of `rows` rows of the input, starting with row `from`. `nulls` has the null rows of the input.
    pub(super) fn push_input(&mut self, nulls: Nulls<'_>, from: usize, rows: usize) -> Result<(), TryReserveError> {
        if nulls.are_none() {
            return self.push_valid(rows);
        }
        (from..from + rows).try_for_each(|row| self.push(!nulls.contains(row)))
    }

    /// Returns the bitmap of the first `rows` rows. Returns `None` if `had_bits` is false, because these rows had no
    /// bitmap.
    pub(super) fn truncated(mut self, rows: usize, had_bits: bool) -> Option<Vec<u8>> {
        let bits = self.bits.as_mut().filter(|_| had_bits)?;
        bits.truncate(rows.div_ceil(8));
        if let Some(last) = bits.last_mut().filter(|_| !rows.is_multiple_of(8)) {
            *last &= (1 << (rows % 8)) - 1;
        }
        self.bits
    }

    pub(super) fn finish(self) -> Option<Vec<u8>> {
        self.bits
    }
}

/// Returns a bitmap with a bit for each of the `values` values of a dictionary. The bit is 1 if a key that isn't null
/// refers to the value.
///
/// Pass the bitmap as the validity of the dictionary's values, so that an unused value can't fail the batch.
///
/// # Errors
///
/// Returns an error in these cases:
///
/// - A key that isn't null is negative or beyond the values.
/// - The bitmap is too short for the keys.
/// - Memory can't be allocated.
pub fn used_values<K: Copy + TryInto<usize>>(
    keys: &[K],
    validity: Option<Bitmap<'_>>,
    values: usize,
) -> Result<Vec<u8>, BatchError> {
    let nulls = Nulls::new(validity, keys.len())?;
    let mut used = Vec::new();
    used.try_reserve_exact(values.div_ceil(8))?;
    used.resize(values.div_ceil(8), 0);
    for (row, &key) in keys.iter().enumerate().filter(|(row, _)| !nulls.contains(*row)) {
        let value = key.try_into().ok().filter(|&value: &usize| value < values).ok_or(BatchError::Key(row))?;
        used[value / 8] |= 1 << (value % 8);
    }
    Ok(used)
}
