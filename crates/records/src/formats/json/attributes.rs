//! Finds the attributes in a JSON record: objects with the members `key` and `value`.

use std::ops::Range;

use super::scan::Scan;

/// An attribute.
pub struct Attribute {
    /// The range of the key, without its quotes.
    pub key: Range<usize>,
    /// The range of the value, without quotes.
    pub value: Range<usize>,
    /// If true, the value is a string.
    pub is_text: bool,
    /// The offset of the list that contains the attribute, or `None` if the attribute isn't in a list. Each span or log
    /// record has one list.
    pub list: Option<usize>,
}

/// An object or array that contains the current position.
#[derive(Default)]
struct Level {
    start: usize,
    is_array: bool,
    /// The member whose value comes next.
    member: Member,
    key: Option<Range<usize>>,
    value: Option<(Range<usize>, bool)>,
}

/// A member of an object.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Member {
    #[default]
    Other,
    Key,
    /// The member `value`. If it holds an object, this is the member `stringValue` or `intValue` of that object
    /// instead.
    Value,
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
    let mut levels: Vec<Level> = Vec::new();
    loop {
        // A value starts here.
        let start = scan.at;
        match scan.text.get(start)? {
            b'"' => {
                let range = scan.string()?;
                if let Some(level) = levels.last_mut() {
                    match level.member {
                        Member::Key => level.key = Some(range),
                        Member::Value => level.value = Some((range, true)),
                        Member::Other => {}
                    }
                }
            }
            &open @ (b'{' | b'[') if levels.len() < DEEPEST => {
                levels.push(Level { start, is_array: open == b'[', ..Level::default() });
                scan.at += 1;
                if scan.skip_space()? != if open == b'[' { b']' } else { b'}' } {
                    next_value(&mut scan, levels.last_mut()?)?;
                    continue;
                }
            }
            b'{' | b'[' => return None,
            _ => {
                scan.word()?;
                if let Some(level) = levels.last_mut().filter(|level| level.member == Member::Value) {
                    level.value = Some((start..scan.at, false));
                }
            }
        }
        // A value has ended.
        loop {
            let Some(level) = levels.last_mut() else { return scan.skip_space().is_none().then_some(()) };
            let byte = scan.skip_space()?;
            scan.at += 1;
            if byte == b',' {
                scan.skip_space()?;
                next_value(&mut scan, level)?;
                break;
            }
            if byte != if level.is_array { b']' } else { b'}' } {
                return None;
            }
            let ended = levels.pop()?;
            match (ended.key, ended.value) {
                (Some(key), Some((value, is_text))) => {
                    let list = levels.last().filter(|level| level.is_array).map(|level| level.start);
                    each(Attribute { key, value, is_text, list });
                }
                // This object is the value of an attribute, for example `{"stringValue":"/x"}`.
                (None, Some(value)) if !ended.is_array => {
                    if let Some(level) = levels.last_mut().filter(|level| level.member == Member::Value) {
                        level.value = Some(value);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Goes to the next value of the innermost object or array.
fn next_value(scan: &mut Scan, level: &mut Level) -> Option<()> {
    if !level.is_array {
        level.member = match &*scan.key()? {
            b"key" => Member::Key,
            b"value" | b"stringValue" | b"string_value" | b"intValue" | b"int_value" => Member::Value,
            _ => Member::Other,
        };
    }
    Some(())
}
