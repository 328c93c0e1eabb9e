//! Finds strings in a JSON record by their pointers, in one pass and without a tree.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use super::{Json, MOST, TARGET, WORD, target_in};
use crate::formats::format::Field;

/// An object or array that contains the current position.
struct Level {
    start: usize,
    is_array: bool,
    /// Two masks of pointers. `here` has the pointers that lead to this object or array. `next` has the pointers that
    /// lead to the next value in this object or array.
    here: u128,
    next: u128,
    index: usize,
}

pub(super) struct Scan<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn skip_space(&mut self) -> Option<u8> {
        while let b' ' | b'\t' | b'\r' | b'\n' = *self.text.get(self.at)? {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    /// Reads the string at the current position, and returns its range without the quotes.
    pub(super) fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            at += memchr2(b'"', b'\\', self.text.get(at..)?)?;
            if self.text[at] == b'"' {
                break;
            }
            // Without `escape=json`, nginx writes `\x22`, which is invalid JSON.
            if !b"\"\\/bfnrtu".contains(self.text.get(at + 1)?) {
                return None;
            }
            at += 2;
        }
        self.at = at + 1;
        Some(start..at)
    }

    /// Skips a number, `true`, `false` or `null`.
    pub(super) fn word(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        let len = rest.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'.' | b'+' | b'-'));
        let len = len.unwrap_or(rest.len());
        self.at += len;
        (len > 0).then_some(())
    }

    /// Skips the object or array at the current position.
    fn pass(&mut self) -> Option<()> {
        let mut open = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.iter().position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'))?;
            match self.text[self.at] {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' => open.push(b'}'),
                b'[' => open.push(b']'),
                close => {
                    if open.pop() != Some(close) {
                        return None;
                    }
                }
            }
            self.at += 1;
            if open.is_empty() {
                return Some(());
            }
        }
    }

    /// Reads the key at the current position, and goes to the value of the key.
    pub(super) fn key(&mut self) -> Option<Cow<'a, [u8]>> {
        if *self.text.get(self.at)? != b'"' {
            return None;
        }
        let range = self.string()?;
        let raw = &self.text[range.clone()];
        let key = match memchr::memchr(b'\\', raw) {
            None => Cow::Borrowed(raw),
            Some(_) => {
                let quoted = &self.text[range.start - 1..range.end + 1];
                Cow::Owned(serde_json::from_slice::<String>(quoted).ok()?.into_bytes())
            }
        };
        if self.skip_space()? != b':' {
            return None;
        }
        self.at += 1;
        self.skip_space()?;
        Some(key)
    }

    /// Calls `each` for the keys of the object at the current position. If no object starts there, returns `None`.
    fn keys(&mut self, mut each: impl FnMut(&[u8])) -> Option<()> {
        if *self.text.get(self.at)? != b'{' {
            return None;
        }
        self.at += 1;
        if self.skip_space()? == b'}' {
            return Some(());
        }
        loop {
            each(&self.key()?);
            match self.text[self.at] {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => self.pass()?,
                _ => self.word()?,
            }
            if self.skip_space()? != b',' {
                return Some(());
            }
            self.at += 1;
            self.skip_space()?;
        }
    }

    /// Calls `each` for the strings in the value at the current position, with the pointer and the range of each
    /// string. In a pointer, `*` stands for the elements of an array. `pointer` is the pointer to the value. If the
    /// text isn't JSON, or is nested deeper than `depth`, returns `None`.
    pub(super) fn strings(
        &mut self,
        pointer: &mut String,
        depth: usize,
        each: &mut dyn FnMut(&str, Range<usize>),
    ) -> Option<()> {
        let open = self.skip_space()?;
        match open {
            b'"' => {
                let range = self.string()?;
                each(pointer, range);
                return Some(());
            }
            b'{' | b'[' if depth > 0 => self.at += 1,
            b'{' | b'[' => return None,
            _ => return self.word(),
        }
        let close = if open == b'[' { b']' } else { b'}' };
        if self.skip_space()? == close {
            self.at += 1;
            return Some(());
        }
        loop {
            let len = pointer.len();
            if open == b'{' {
                let key = self.key()?;
                pointer.push('/');
                pointer.push_str(&String::from_utf8_lossy(&key).replace('~', "~0").replace('/', "~1"));
            } else {
                pointer.push_str("/*");
            }
            self.strings(pointer, depth - 1, each)?;
            pointer.truncate(len);
            let byte = self.skip_space()?;
            self.at += 1;
            if byte == close {
                return Some(());
            }
            if byte != b',' {
                return None;
            }
            self.skip_space()?;
        }
    }

    /// Adds the fields that the pointers of `json` lead to. If the text isn't JSON, returns `None`.
    pub(super) fn run(&mut self, json: &Json, fields: &mut Vec<Field>) -> Option<()> {
        let all = if json.pointers.len() == MOST { u128::MAX } else { (1 << json.pointers.len()) - 1 };
        let mut levels: Vec<Level> = Vec::new();
        self.skip_space()?;
        loop {
            // A value starts here.
            let next = levels.last().map_or(all, |level| level.next);
            match self.text.get(self.at)? {
                b'"' => {
                    let range = self.string()?;
                    if let Some(choice) = json.ending(next, levels.len()) {
                        let object = levels.last().filter(|level| !level.is_array).map(|level| level.start);
                        let (within, rule) = match json.pointers[choice].rule {
                            TARGET if !json.schema.is_mixed(choice) => target_in(&self.text[range.clone()]),
                            rule => (0..range.len(), rule),
                        };
                        let range = range.start + within.start..range.start + within.end;
                        fields.push(Field { choice, range, rule, object });
                    }
                }
                b'{' | b'[' if next == 0 => self.pass()?,
                &open @ (b'{' | b'[') => {
                    levels.push(Level { start: self.at, is_array: open == b'[', here: next, next: 0, index: 0 });
                    self.at += 1;
                    let close = if open == b'[' { b']' } else { b'}' };
                    if self.skip_space()? != close {
                        self.next_value(json, &mut levels)?;
                        continue;
                    }
                    self.at += 1;
                    levels.pop();
                }
                _ => {
                    let start = self.at;
                    self.word()?;
                    let is_value =
                        |&choice: &usize| choice >= json.schema.asked || json.words && self.text[start] != b'n';
                    if let Some(choice) = json.ending(next, levels.len()).filter(is_value) {
                        fields.push(Field { choice, range: start..self.at, rule: WORD, object: None });
                    }
                }
            }
            // A value has ended.
            loop {
                let Some(level) = levels.last() else {
                    return self.skip_space().is_none().then_some(());
                };
                let close = if level.is_array { b']' } else { b'}' };
                let byte = self.skip_space()?;
                self.at += 1;
                if byte == b',' {
                    self.skip_space()?;
                    self.next_value(json, &mut levels)?;
                    break;
                }
                if byte != close {
                    return None;
                }
                levels.pop();
            }
        }
    }

    /// Goes to the next value of the innermost object or array.
    fn next_value(&mut self, json: &Json, levels: &mut [Level]) -> Option<()> {
        let depth = levels.len() - 1;
        let level = levels.last_mut()?;
        level.next = if level.is_array {
            let index = level.index.to_string();
            level.index += 1;
            json.fitting(level.here, depth, index.as_bytes())
        } else {
            let key = self.key()?;
            json.fitting(level.here, depth, &key)
        };
        Some(())
    }
}

/// Calls `each` for the decoded keys of the object that starts at `object` in `record`. The record must be JSON.
pub fn each_key(record: &[u8], object: usize, each: impl FnMut(&[u8])) {
    let _ = Scan { text: record, at: object }.keys(each);
}
