//! The place of an additional value in a record.

use super::IS_MODULE;

/// The place where a record can take an additional value, for example a result beside its field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtraField {
    /// No additional value is possible.
    Nowhere,
    /// In a new member of the JSON object that contains the field, directly after the field.
    Member,
    /// In a new column at the end of the record.
    Column {
        /// The bytes before a value.
        before: Vec<u8>,
        /// The bytes after a value.
        after: Vec<u8>,
        /// The bytes before the name of the new column in a header.
        header: Vec<u8>,
        /// The text for a missing value.
        absent: &'static str,
    },
}

impl ExtraField {
    /// Returns a column in quotes after a blank. `header` has the bytes before its name in a header.
    pub(in crate::formats) fn quoted(header: &[u8]) -> ExtraField {
        if IS_MODULE {
            return ExtraField::Nowhere;
        }
        ExtraField::Column { before: b" \"".into(), after: b"\"".into(), header: header.into(), absent: "-" }
    }
}
