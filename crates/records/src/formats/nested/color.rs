//! Control sequences of a terminal inside a record (ECMA-48 5.4). Most of them set a color, as `ESC [ 1 ; 31 m` does, so all are
//! called colors here. Another one is `ESC [ 2 K`, which erases a line.
//!
//! A program may color any word of a record. So we read the record without its colors, and then move the bounds of the
//! fields to their places in the record. If a color is inside a field, we copy the record unchanged.

use memchr::memchr;

use crate::formats::format::{Field, Kind, Parts};

/// A record without its colors.
pub struct Plain {
    pub text: Vec<u8>,
    /// For each byte of `text`, its offset in the record.
    offsets: Vec<usize>,
}

/// Returns the length of the control sequence at the start of `text`, or 0. A program that writes over its last line, such as a
/// progress bar, also writes a CR before the sequence.
fn color_len(text: &[u8]) -> usize {
    let start = usize::from(text.starts_with(b"\r"));
    let Some(rest) = text[start..].strip_prefix(b"\x1B[") else { return 0 };
    let len = rest.iter().take_while(|&&byte| matches!(byte, b'0'..=b';' | b'?')).count();
    if rest.get(len).is_some_and(u8::is_ascii_alphabetic) { start + 2 + len + 1 } else { 0 }
}

/// Returns `record` without its colors. If it has none, returns `None`.
pub fn without(record: &[u8]) -> Option<Plain> {
    let mut at = memchr(0x1B, record)?;
    at -= usize::from(record[..at].ends_with(b"\r"));
    let mut plain = Plain { text: record[..at].to_vec(), offsets: (0..at).collect() };
    while at < record.len() {
        match color_len(&record[at..]) {
            0 => {
                plain.text.push(record[at]);
                plain.offsets.push(at);
                at += 1;
            }
            len => at += len,
        }
    }
    (plain.text.len() < record.len()).then_some(plain)
}

impl Plain {
    /// Returns the offset in the record of the byte at `at` in the text.
    fn place(&self, at: usize, record: &[u8]) -> usize {
        self.offsets.get(at).copied().unwrap_or(record.len())
    }
}

/// Calls `read` with `record` without its colors and with `fields` at their places in this text. Returns the parts from `read`, with
/// their bounds in `record`.
pub fn parts(record: &[u8], fields: &[Field], read: impl FnOnce(&[u8], &[Field]) -> Option<Parts>) -> Option<Parts> {
    let Some(plain) = without(record) else { return read(record, fields) };
    let moved = |field: &Field| {
        // No color is inside a field.
        let start = plain.offsets.partition_point(|offset| *offset < field.range.start);
        Field { range: start..start + field.range.len(), object: None, ..*field }
    };
    let moved: Vec<Field> = fields.iter().map(moved).collect();
    let place = |at| plain.place(at, record);
    let parts = read(&plain.text, &moved)?;
    Some(parts.into_iter().map(|part| part.map(|part| place(part.start)..place(part.end))).collect())
}

/// Calls `read` with `record` without its colors. Adds the fields that `read` finds, with their bounds in `record`, and
/// returns the kind from `read`. If a color is inside a field, adds no field and returns `Kind::Unrecognized`.
pub fn fields(record: &[u8], fields: &mut Vec<Field>, mut read: impl FnMut(&[u8], &mut Vec<Field>) -> Kind) -> Kind {
    let Some(plain) = without(record) else { return read(record, fields) };
    let before = fields.len();
    let kind = read(&plain.text, fields);
    let place = |at| plain.place(at, record);
    for field in &mut fields[before..] {
        let len = field.range.len();
        let start = place(field.range.start);
        let end = if len == 0 { start } else { place(field.range.end - 1) + 1 };
        if end - start != len {
            fields.truncate(before);
            return Kind::Unrecognized;
        }
        field.range = start..end;
        field.object = field.object.map(place);
    }
    kind
}
