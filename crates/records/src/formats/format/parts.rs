//! The parts of a record, and the rows that they make.

use std::cmp::Reverse;
use std::ops::Range;

/// For each field, the part of the record that contains the field, for example an element of an array. A field that is in no part has
/// `None`. Two parts are disjoint, or one is inside the other.
pub type Parts = Vec<Option<Range<usize>>>;

/// Sorts the fields of a record into rows. Returns a pair for each field: the number of its row, and the number of the field.
/// `parts` has the part of each field.
///
/// Each part is a row. But the first part inside another part continues its row, so the values around a list are in the row of
/// the list's first element.
pub fn rows(parts: &[Option<Range<usize>>]) -> Vec<(usize, usize)> {
    const WHOLE: Range<usize> = 0..usize::MAX;
    let part = |number: usize| parts[number].clone().unwrap_or(WHOLE);
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&number| (part(number).start, Reverse(part(number).end)));
    let (mut row, mut last) = (0, WHOLE);
    let row_of = |number: usize| {
        let part = part(number);
        row += usize::from(part.start < last.start || part.end > last.end);
        last = part;
        (row, number)
    };
    order.into_iter().map(row_of).collect()
}
