//! Finds strings in a JSON record by their pointers, in one pass and without a tree.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use super::attributes::Pair;
use super::{Json, MOST, TARGET, WORD, target_in};
use crate::formats::format::{Field, IS_MODULE, Parts};
use crate::formats::role::{Hint, hint};
use crate::formats::token::sort_fields;
use crate::formats::wrap::Wrap;

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
        let raw = &self.text[range];
        // A key without an escape needs no check: it is compared with names only.
        let key = match memchr::memchr(b'\\', raw) {
            None => Cow::Borrowed(raw),
            Some(_) => Wrap::Json.read(raw)?,
        };
        if self.skip_space()? != b':' {
            return None;
        }
        self.at += 1;
        self.skip_space()?;
        Some(key)
    }

    /// Skips the value at the current position.
    pub(super) fn value(&mut self) -> Option<()> {
        match self.text.get(self.at)? {
            b'"' => self.string().map(|_| ()),
            b'{' | b'[' => self.pass(),
            _ => self.word(),
        }
    }

    /// Reads the object or array at the current position. Calls `each` at every value in it, with the key of the value
    /// if it is a member of an object. `each` must go to the end of the value.
    pub(super) fn members(
        &mut self,
        mut each: impl FnMut(&mut Scan<'a>, Option<Cow<'a, [u8]>>) -> Option<()>,
    ) -> Option<()> {
        let is_object = *self.text.get(self.at)? == b'{';
        let close = if is_object { b'}' } else { b']' };
        self.at += 1;
        if self.skip_space()? == close {
            self.at += 1;
            return Some(());
        }
        loop {
            let key = if is_object { Some(self.key()?) } else { None };
            each(self, key)?;
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

    /// Calls `each` for the strings in the value at the current position, with the pointer and the range of each
    /// string. `pointer` is the pointer to this value. In a pointer, `*` stands for the elements of an array. If an element is a
    /// [pair](Scan::pair) whose name hints at URLs and whose value has a slash, the name leads to the value. If the text isn't
    /// JSON, or is nested deeper than `depth`, returns `None`.
    pub(super) fn strings(
        &mut self,
        pointer: &mut String,
        depth: usize,
        each: &mut dyn FnMut(&str, Range<usize>),
    ) -> Option<()> {
        match self.skip_space()? {
            b'"' => {
                let range = self.string()?;
                each(pointer, range);
                Some(())
            }
            b'{' | b'[' if depth > 0 => {
                let pair = if !IS_MODULE && pointer.ends_with("/*") { self.pair() } else { None };
                let pair = pair.map(|pair| (escaped(&pair.name).into_owned(), pair.value));
                let is_likely =
                    |name: &str, value: &[u8]| value.contains(&b'/') && matches!(hint(name), Hint::Url | Hint::Maybe);
                let pair = pair.filter(|(name, value)| is_likely(name, &self.text[value.clone()]));
                self.members(|scan, key| {
                    if let Some((name, _)) = pair.as_ref().filter(|(_, value)| value.start == scan.at + 1) {
                        each(&format!("{}{name}", &pointer[..pointer.len() - 1]), scan.string()?);
                        return Some(());
                    }
                    let len = pointer.len();
                    pointer.push('/');
                    pointer.push_str(key.as_deref().map(escaped).as_deref().unwrap_or("*"));
                    scan.strings(pointer, depth - 1, each)?;
                    pointer.truncate(len);
                    Some(())
                })
            }
            b'{' | b'[' => None,
            _ => self.word(),
        }
    }

    /// Adds the fields that the pointers of `json` lead to. If the text isn't JSON, returns `None`.
    pub(super) fn run(&mut self, json: &Json, fields: &mut Vec<Field>) -> Option<()> {
        let all = if json.pointers.len() == MOST { u128::MAX } else { (1 << json.pointers.len()) - 1 };
        self.skip_space()?;
        self.find(json, all, 0, None, fields)?;
        self.skip_space().is_none().then_some(())
    }

    /// Adds the fields in the value at the current position. `here` is the mask of the pointers that lead to this value
    /// with their first `depth` parts. `object` is the offset of the object that has the value as a member.
    ///
    /// This function calls itself at most once for each part of the longest pointer, because it skips a value to which
    /// no pointer leads.
    fn find(
        &mut self,
        json: &Json,
        here: u128,
        depth: usize,
        object: Option<usize>,
        fields: &mut Vec<Field>,
    ) -> Option<()> {
        let start = self.at;
        match *self.text.get(start)? {
            b'"' => {
                let range = self.string()?;
                if let Some(choice) = json.ending(here, depth) {
                    let (within, rule) = match json.pointers[choice].rule {
                        TARGET if !json.schema.is_mixed(choice) => target_in(&self.text[range.clone()]),
                        rule => (0..range.len(), rule),
                    };
                    let range = range.start + within.start..range.start + within.end;
                    fields.push(Field { choice, range, rule, object });
                }
            }
            b'{' | b'[' if here == 0 => self.pass()?,
            open @ (b'{' | b'[') => {
                let object = (open == b'{').then_some(start);
                let named = if open == b'[' { json.named(here, depth) } else { 0 };
                let mut index = 0_usize;
                self.members(|scan, key| {
                    let part = key.unwrap_or_else(|| index.to_string().into_bytes().into());
                    index += 1;
                    let pair = if named == 0 { None } else { scan.pair() };
                    let (element, from) = (scan.at, fields.len());
                    match (json.fitting(here, depth, &part), &pair) {
                        // The pair has been scanned to its end.
                        (0, Some(pair)) => scan.at = pair.end,
                        (fitting, _) => scan.find(json, fitting, depth + 1, object, fields)?,
                    }
                    if let Some(Pair { name, value: range, .. }) = pair {
                        let mut value = Scan { text: scan.text, at: range.start - 1 };
                        let named = json.fitting(named, depth, &name);
                        // The name wins over a `*`.
                        let is_other =
                            |field: &Field| !(field.range.start >= range.start && field.range.end <= range.end);
                        if named != 0 {
                            let others: Vec<Field> = fields.drain(from..).filter(is_other).collect();
                            fields.extend(others);
                            value.find(json, named, depth + 1, Some(element), fields)?;
                            sort_fields(&mut fields[from..]);
                        }
                    }
                    Some(())
                })?;
            }
            _ => {
                self.word()?;
                let is_value = |&choice: &usize| choice >= json.schema.asked || json.words && self.text[start] != b'n';
                if let Some(choice) = json.ending(here, depth).filter(is_value) {
                    fields.push(Field { choice, range: start..self.at, rule: WORD, object: None });
                }
            }
        }
        Some(())
    }
}

/// Returns `key` as a part of a JSON pointer (RFC 6901 3).
fn escaped(key: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(key);
    if !IS_MODULE && memchr2(b'~', b'/', key).is_none() {
        return text;
    }
    text.replace('~', "~0").replace('/', "~1").into()
}

/// Calls `each` for the decoded keys of the object that starts at `object` in `record`. The record must be JSON.
pub fn each_key(record: &[u8], object: usize, mut each: impl FnMut(&[u8])) {
    let _ = Scan { text: record, at: object }.members(|scan, key| {
        each(&key?);
        scan.value()
    });
}

/// An array or object that isn't closed yet.
struct Open {
    is_array: bool,
    /// The offset at which the current element or member starts.
    start: usize,
    /// The index of this element or member among the parts, if one of the fields is in it.
    part: Option<usize>,
    /// If true, this is not the first element or member.
    has_others: bool,
}

/// An element or member with fields.
struct Part {
    range: Range<usize>,
    /// The index of the innermost part around this part.
    around: Option<usize>,
    /// If true, this is the only value of its array or object, and no array or object itself. Then the field has one value.
    is_only: bool,
}

impl Scan<'_> {
    /// Returns the part of each of `fields`, which are in ascending order. The parts are the elements and members for which
    /// `is_part` returns true. If `joins_only` is true, a value that is alone in its array or object is no part. The
    /// arguments of `is_part` are the field, the depth of the array or object, and true for an array. If several parts are around a
    /// field, the innermost but `up` is the field's part.
    pub(super) fn parts(
        mut self,
        fields: &[Field],
        up: usize,
        joins_only: bool,
        is_part: impl Fn(&Field, usize, bool) -> bool,
    ) -> Parts {
        let len = self.text.len();
        let mut all: Vec<Part> = Vec::new();
        let mut of_fields = Vec::with_capacity(fields.len());
        let mut open: Vec<Open> = Vec::new();
        // After the last field, we read on until its parts end.
        while of_fields.len() < fields.len() || open.iter().any(|open| open.part.is_some()) {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let stop = rest.iter().position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']' | b','));
            self.at = stop.map_or(len, |stop| self.at + stop);
            let token = self.text.get(self.at).copied();
            // No field is as deep as `MOST`.
            let passed = match token {
                Some(b'"') => Some(self.string().is_some()),
                Some(b'{' | b'[') if open.len() == MOST => Some(self.pass().is_some()),
                _ => None,
            };
            if passed == Some(false) {
                self.at = len;
            }
            while let Some(field) = fields.get(of_fields.len())
                && (field.range.start < self.at || self.at == len)
            {
                let is_here = |(depth, open): &(usize, &mut Open)| is_part(field, *depth, open.is_array);
                let (mut innermost, mut inner) = (None, None);
                for (_, open) in open.iter_mut().enumerate().rev().filter(is_here).skip(up) {
                    let part = *open.part.get_or_insert_with(|| {
                        all.push(Part { range: open.start..len, around: None, is_only: false });
                        all.len() - 1
                    });
                    if let Some(inner) = inner.replace(part) {
                        let inner: &mut Part = &mut all[inner];
                        inner.around = Some(part);
                    }
                    innermost = innermost.or(Some(part));
                    if all[part].around.is_some() {
                        break;
                    }
                }
                of_fields.push(innermost);
            }
            let (at, text) = (self.at, self.text);
            let end = |open: &mut Open| {
                if let Some(part) = open.part.take() {
                    let is_value = !matches!(text[open.start..at].trim_ascii_start(), [b'{' | b'[', ..]);
                    all[part].range.end = at;
                    all[part].is_only = is_value && token != Some(b',') && !open.has_others;
                }
                (open.start, open.has_others) = (at + 1, true);
            };
            match token {
                _ if passed.is_some() => continue,
                None => break,
                Some(b',') => open.last_mut().map(end).unwrap_or_default(),
                Some(b'}' | b']') => open.pop().as_mut().map(end).unwrap_or_default(),
                _ => open.push(Open { is_array: token == Some(b'['), start: at + 1, part: None, has_others: false }),
            }
            self.at += 1;
        }
        let range = |mut part: usize| {
            while joins_only && all[part].is_only {
                part = all[part].around?;
            }
            Some(all[part].range.clone())
        };
        of_fields.into_iter().map(|part| part.and_then(range)).collect()
    }
}
