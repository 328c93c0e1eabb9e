//! Formats whose fields contain records of another format. For example, the member `message` of a JSON object, or the
//! column `_raw` of a CSV file, may hold a line of an access log.

use std::sync::Arc;

use super::candidates::Candidates;
use super::format::{Bounds, Choice, ExtraField, Field, Format, Kind, Layout, Row, Schema, forward};
use crate::framing::Framing;

/// The formats whose fields may contain records. On the command line, `OUTER/FIELD:INNER` chooses the inner format.
pub const OUTER: [&str; 6] = ["ndjson", "json", "csv", "csv;", "csv|", "tsv"];

/// A format whose fields contain records of another format.
pub struct Inside {
    outer: Box<dyn Format>,
    inner: Arc<dyn Format>,
}

impl Inside {
    /// Returns a format for input in the format `outer`, whose fields contain records of the format `inner`.
    ///
    /// # Errors
    ///
    /// Returns a message if `inner` has a header, because records inside a field can't have one.
    pub fn new(outer: Box<dyn Format>, inner: Box<dyn Format>) -> Result<Inside, String> {
        if inner.has_header() {
            return Err("records inside a field have no header that names these columns".into());
        }
        Ok(Inside { outer, inner: inner.into() })
    }

    /// Returns a format for input in the format `row`. The field called `field` contains records of the format `inner`.
    ///
    /// # Errors
    ///
    /// Returns a message if the field doesn't fit `row`, or if `inner` has a header.
    pub fn of(row: &Row, field: &str, inner: Box<dyn Format>, choice: &Choice) -> Result<Inside, String> {
        Inside::new(outer(row, field, choice)?, inner)
    }
}

/// Builds the format `row` for the field called `field`, which contains records. `choice` has the header of a table.
///
/// # Errors
///
/// Returns a message if the field doesn't fit `row`.
pub fn outer(row: &Row, field: &str, choice: &Choice) -> Result<Box<dyn Format>, String> {
    let Choice { header, preamble, .. } = *choice;
    (row.build)(&Choice { fields: vec![field.to_string()], header, preamble, ..Choice::default() })
}

/// If the fields of `format` contain records, returns the format of the innermost records.
pub fn innermost(format: &dyn Format) -> Option<Arc<dyn Format>> {
    std::iter::successors(format.inner(), |inner| inner.inner()).last()
}

impl Format for Inside {
    forward! {
        outer:
        framing -> Framing, schema -> &Schema, shown_names -> &[String], extra_field -> ExtraField, bounds -> Bounds,
        has_header -> bool, layout -> Layout,
    }

    forward!(inner: has_log_escapes -> bool, is_delimited -> bool);

    fn shown_name(&self, choice: usize) -> &str {
        self.outer.shown_name(choice)
    }

    fn candidates(&self, head: &[u8]) -> Candidates {
        self.outer.candidates(head)
    }

    fn mark(&self) -> Option<u8> {
        self.outer.mark().or(self.inner.mark())
    }

    fn mismatch(&self, head: &[u8], to: Option<&str>, has_cells: bool) -> Option<String> {
        self.outer.mismatch(head, to, has_cells)
    }

    fn inner(&self) -> Option<Arc<dyn Format>> {
        Some(Arc::clone(&self.inner))
    }

    fn fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        self.outer.fields(record, layout, fields)
    }

    fn advance(&self, chunk: &[u8], layout: &mut Layout) {
        self.outer.advance(chunk, layout);
    }

    fn others(&self, chunk: &[u8], layout: &Layout) -> u64 {
        self.outer.others(chunk, layout)
    }
}
