//! Finds the attributes in a JSON record: objects with the members `key` and `value`.

use std::borrow::Cow;
use std::ops::Range;

use super::scan::Scan;
use crate::formats::format::{Field, IS_MODULE, Parts};
use crate::formats::wrap::Wrap;

/// An attribute.
pub struct Attribute {
    /// The range of the key, without its quotes.
    pub key: Range<usize>,
    /// The range of the value, without quotes.
    pub value: Range<usize>,
    /// If true, the value is a string.
    pub is_text: bool,
}

/// An object with a name and a value.
pub(super) struct Pair<'a> {
    pub name: Cow<'a, [u8]>,
    pub value: Range<usize>,
    /// The end of the object.
    pub end: usize,
}

impl<'a> Scan<'a> {
    /// If the value at the current position is an object with a name and a value, as in a list of headers, returns it:
    /// `{"name":"Referer","value":"/x"}`, `{"key":"Referer","value":"/x"}`. Both must be strings.
    pub(super) fn pair(&self) -> Option<Pair<'a>> {
        let mut scan = Scan { text: self.text, at: self.at };
        if IS_MODULE || self.text.get(self.at) != Some(&b'{') {
            return None;
        }
        let (mut name, mut value) = (None, None);
        scan.members(|scan, key| {
            let start = scan.at;
            scan.value()?;
            if scan.text[start] == b'"' {
                let range = start + 1..scan.at - 1;
                match key.as_deref() {
                    Some(b"name" | b"key") => name = Some(range),
                    Some(b"value") => value = Some(range),
                    _ => {}
                }
            }
            Some(())
        })?;
        Some(Pair { name: Wrap::Json.read(&self.text[name?])?, value: value?, end: scan.at })
    }
}

/// The maximum depth of objects and arrays.
const DEEPEST: usize = 128;

/// Calls `each` for all attributes in `record`, which consists of JSON objects and arrays with blanks, commas and
/// brackets between them. If the text isn't JSON, returns `None`.
pub fn attributes(record: &[u8], mut each: impl FnMut(Attribute)) -> Option<()> {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || b"[],".contains(byte) || *byte >= 0x80;
    let end = record.iter().rposition(|byte| !is_between(byte)).map_or(0, |end| end + 1);
    let at = record[..end].iter().take_while(|byte| is_between(byte)).count();
    let mut scan = Scan { text: &record[..end], at };
    find(&mut scan, DEEPEST, &mut each)?;
    scan.skip_space().is_none().then_some(())
}

/// The range of a value, without quotes, and true if the value is a string.
type Plain = (Range<usize>, bool);

/// Calls `each` for all attributes in the value at the current position. Returns the value if it is a string or a word, or
/// an object that only wraps one, such as `{"stringValue":"/x"}`. If the text isn't JSON, or is nested deeper than `depth`,
/// the outer result is `None`.
fn find(scan: &mut Scan, depth: usize, each: &mut dyn FnMut(Attribute)) -> Option<Option<Plain>> {
    let start = scan.at;
    match *scan.text.get(start)? {
        b'"' => scan.string().map(|range| Some((range, true))),
        b'{' | b'[' if depth == 0 => None,
        b'{' | b'[' => {
            let (mut key, mut value) = (None, None);
            scan.members(|scan, name| {
                let is_string = scan.text.get(scan.at) == Some(&b'"');
                let found = find(scan, depth - 1, each)?;
                // Go's exporter for the console writes `Key` and `Value`.
                let is = |known: &[&[u8]]| {
                    let is_it = |name: &[u8]| known.iter().any(|known| name.eq_ignore_ascii_case(known));
                    name.as_deref().is_some_and(is_it)
                };
                match found {
                    Some((range, _)) if is_string && is(&[b"key"]) => key = Some(range),
                    Some(found) if is(&[b"value", b"stringValue", b"string_value", b"intValue", b"int_value"]) => {
                        value = Some(found);
                    }
                    _ => {}
                }
                Some(())
            })?;
            match (key, value) {
                (Some(key), Some((value, is_text))) => {
                    each(Attribute { key, value, is_text });
                    Some(None)
                }
                (None, value) => Some(value),
                _ => Some(None),
            }
        }
        _ => {
            scan.word()?;
            Some(Some((start..scan.at, false)))
        }
    }
}

/// Returns for each of `fields`, which are values of attributes in `record`, the element of an array around the attribute. For an
/// attribute of a span, this is the span.
pub fn attribute_parts(record: &[u8], fields: &[Field], joins_only: bool) -> Parts {
    // The innermost element is the attribute itself.
    Scan { text: record, at: 0 }.parts(fields, 1, joins_only, |_, _, is_array| is_array)
}
