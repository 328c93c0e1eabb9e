//! Reads the parameters of a field: `; name=value; name*=UTF-8''value; name*0=val; name*1=ue`.
//!
//! A parameter can be written in the four forms of this table. If a field has several forms of one parameter, we take
//! the first row of the table that can be read. The order in the field doesn't matter:
//!
//! | form | specification |
//! | --- | --- |
//! | `name*=UTF-8''%E2%82%AC` | RFC 8187 3.2, RFC 6266 4.3 |
//! | `name*0*=UTF-8''%E2; name*1*=%82%AC; name*2=.txt` | RFC 2231 3 and 4.1 |
//! | `name="a \"quoted\" value"` | RFC 9110 5.6.6 |
//! | `name=value` | RFC 9110 5.6.6 |
//!
//! A character may be split over two sections. So the octets of all sections are joined first, and then decoded by the
//! charset at once.
//!
//! No step needs memory for a value: [`Octets`] undoes quoting and escapes octet by octet. Only sections need memory,
//! because they must be sorted: [`SLOT`] bytes for each section.

mod syntax;
mod value;

use alloc::borrow::Cow;

use percent_simd::{AsBytes, OutputTooSmall};

use self::syntax::{Iter, Kind, Parameter, kind_of};
use self::value::{Charset, Coding, Octets, Value};
use crate::memory;

/// The parameters of a field such as `Content-Disposition` or `Content-Type`, read as leniently as browsers and mail
/// programs do.
///
/// - Names are compared without regard to case. If several parameters have equal names, the first one counts.
/// - A value that isn't quoted ends at the next `;`, so it may contain spaces and characters that tokens don't allow.
/// - If a quoted string isn't closed, it extends to the end of the field. Text between its closing quote and the next
///   `;` is ignored.
/// - The value of a name with `*` may be quoted. Its charset is `UTF-8` (also written `utf8`, or empty) or `ISO-8859-1`
///   (also written `latin1`). If it has another charset, no `'`, or invalid UTF-8, the value is ignored. A malformed
///   `%` stays.
/// - Raw bytes that aren't UTF-8 are read as ISO-8859-1.
///
/// To read one `name*` strictly, use [`ExtValue`](super::ExtValue).
///
/// # Examples
///
/// ```
/// use percent_standards::http::Parameters;
///
/// // RFC 2231 3 and 4.1: one character is split over two sections.
/// let parameters = Parameters::of("application/x; name*0*=UTF-8''%E2%98; NAME*1*=%83; name*2=\".txt\"");
/// assert_eq!(parameters.get("name").unwrap(), "☃.txt");
///
/// let parameters = Parameters::of("attachment; filename=\"a;b\"; title*=UTF-8'en'%C2%A3; title=L");
/// assert_eq!(parameters.get("filename").unwrap(), "a;b");
/// assert_eq!(parameters.get("title").unwrap(), "£");
/// assert_eq!(parameters.get("size"), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    /// The field after its first `;`. If the field begins with a parameter, this is the whole field.
    rest: &'a [u8],
    /// True if a `\` in a quoted string is an ordinary character.
    literal_backslash: bool,
}

impl<'a> Parameters<'a> {
    /// Takes the parameters of a field: the text after its first `;`. If a `=` comes before this `;`, takes the whole
    /// field.
    #[must_use]
    pub fn of<I: AsBytes + ?Sized>(field: &'a I) -> Parameters<'a> {
        split(field.as_bytes()).1
    }

    pub(super) const fn with_literal_backslash(self, literal_backslash: bool) -> Parameters<'a> {
        Parameters { literal_backslash, ..self }
    }

    /// Returns the decoded value of the parameter `name`. `name` has no `*`.
    ///
    /// The time is proportional to the length of the field, plus the time to sort the sections of `name`. Borrows from
    /// the field if no change is needed.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        let name = name.as_bytes();
        let found = self.find(name);
        if let Some(extended) = found.extended {
            return Some(extended.into_text());
        }
        if found.sections > 0 {
            let mut slots = memory::vec(found.sections);
            slots.resize(found.sections, [0; SLOT]);
            self.sort_sections(name, &mut slots);
            let octets = || self.joined(name, &slots);
            let charset = self.joined_charset(name, &slots);
            if let Some(coding) = charset.and_then(|charset| Coding::of(octets(), charset)) {
                return Some(Cow::Owned(coding.text(octets())));
            }
        }
        found.plain.map(Value::into_text)
    }

    /// Writes the decoded value of the parameter `name` to the start of `out`. Doesn't allocate. Returns the value, and
    /// the rest of `out`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::http::Parameters;
    ///
    /// let mut out = [0; 64];
    /// let parameters = Parameters::of("attachment; filename*0*=''%E2%98; filename*1*=%83");
    /// let (value, rest) = parameters.get_slice("filename", &mut out)?;
    /// assert_eq!((value, rest.len()), (Some("☃"), 61));
    /// # Ok::<(), percent_simd::OutputTooSmall>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `out` is too small, returns an error with a sufficient length. If the value is split into sections, `out`
    /// also needs 8 bytes for each section, after the value. After an error, the contents of `out` are unspecified.
    pub fn get_slice<'o>(
        &self,
        name: &str,
        out: &'o mut [u8],
    ) -> Result<(Option<&'o str>, &'o mut [u8]), OutputTooSmall> {
        let name = name.as_bytes();
        let found = self.find(name);
        if let Some(extended) = found.extended {
            return extended.coding.write(extended.octets, out);
        }
        if found.sections > 0 {
            let memory = found.sections.saturating_mul(SLOT);
            let Some(end) = out.len().checked_sub(memory) else {
                // A character of ISO-8859-1 becomes two bytes.
                return Err(OutputTooSmall::new(self.rest.len().saturating_mul(2).saturating_add(memory)));
            };
            let slots = out.get_mut(end..).unwrap_or_default().as_chunks_mut().0;
            self.sort_sections(name, slots);
            let charset = self.joined_charset(name, slots);
            if let Some(coding) = charset.and_then(|charset| Coding::of(self.joined(name, slots), charset)) {
                let (text, slots) = out.split_at_mut(end);
                let slots = slots.as_chunks().0;
                return match text.get_mut(..coding.len) {
                    Some(text) => {
                        coding.fill(self.joined(name, slots), text);
                        let (text, rest) = out.split_at_mut(coding.len);
                        Ok((str::from_utf8(text).ok(), rest))
                    }
                    None => Err(OutputTooSmall::new(coding.len.saturating_add(memory))),
                };
            }
        }
        match found.plain {
            Some(plain) => plain.coding.write(plain.octets, out),
            None => Ok((None, out)),
        }
    }

    /// Finds the parameters that hold the value of `name`.
    fn find(&self, name: &[u8]) -> Found<'a> {
        let mut found = Found { extended: None, sections: 0, plain: None };
        for parameter in self.iter() {
            match kind_of(parameter.name, name) {
                Some(Kind::Plain) => {
                    let octets = Octets::new(parameter, false);
                    found.plain = found.plain.or_else(|| Value::of(octets, Charset::Unknown));
                }
                Some(Kind::Extended) => {
                    let extended =
                        || Octets::extended(parameter).and_then(|(charset, octets)| Value::of(octets, charset));
                    found.extended = found.extended.or_else(extended);
                }
                Some(Kind::Section(..)) => found.sections += 1,
                None => {}
            }
        }
        found
    }

    /// Writes the offsets of the sections of `name` to the slots. Sorts the slots by the number of the section, and
    /// then by offset.
    fn sort_sections(&self, name: &[u8], slots: &mut [Slot]) {
        let sections = self.iter().filter(|parameter| matches!(kind_of(parameter.name, name), Some(Kind::Section(..))));
        for (slot, section) in slots.iter_mut().zip(sections) {
            *slot = (section.offset as u64).to_ne_bytes();
        }
        slots.sort_unstable_by_key(|slot| (self.number(name, slot), u64::from_ne_bytes(*slot)));
    }

    /// Returns the parameter at the offset in a slot.
    fn section(&self, slot: &Slot) -> Option<Parameter<'a>> {
        let offset = usize::try_from(u64::from_ne_bytes(*slot)).ok()?;
        Iter { field: self.rest, at: offset, literal_backslash: self.literal_backslash }.next()
    }

    /// Returns the number of the section whose offset is in `slot`. If no section of `name` is at this offset, returns
    /// `None`.
    fn number(&self, name: &[u8], slot: &Slot) -> Option<u32> {
        let offset = usize::try_from(u64::from_ne_bytes(*slot)).ok()?;
        let text = self.rest.get(offset..)?;
        let written = text.get(..memchr::memchr(b'=', text)?)?.trim_ascii();
        match kind_of(written, name)? {
            Kind::Section(number, _) => Some(number),
            _ => None,
        }
    }

    /// Returns the charset of the joined sections. If there is no section 0, or if it names a charset that we don't
    /// know, returns `None`.
    fn joined_charset(&self, name: &[u8], slots: &[Slot]) -> Option<Charset> {
        let first = slots.first()?;
        match kind_of(self.section(first)?.name, name)? {
            Kind::Section(0, true) => Octets::extended(self.section(first)?).map(|(charset, _)| charset),
            Kind::Section(0, false) => Some(Charset::Utf8),
            _ => None,
        }
    }

    /// Joins the octets of the sections from 0 up to the first missing number. If several sections have the same
    /// number, the first one counts.
    fn joined(&self, name: &[u8], slots: &[Slot]) -> impl Iterator<Item = u8> {
        let sections = slots.iter().scan(0_u64, move |expected, slot| {
            let parameter = self.section(slot)?;
            let Some(Kind::Section(number, is_encoded)) = kind_of(parameter.name, name) else { return None };
            if u64::from(number) > *expected {
                return None;
            }
            let is_next = u64::from(number) == *expected;
            *expected += u64::from(is_next);
            let octets = match (number, is_encoded) {
                (0, true) => Octets::extended(parameter).map(|(_, octets)| octets),
                _ => Some(Octets::new(parameter, is_encoded)),
            };
            Some(octets.filter(|_| is_next))
        });
        sections.flatten().flatten()
    }

    const fn iter(&self) -> Iter<'a> {
        Iter { field: self.rest, at: 0, literal_backslash: self.literal_backslash }
    }
}

/// Splits a field into its first element and its parameters. If a `=` comes before the first `;`, the whole field
/// consists of parameters.
pub(super) fn split(field: &[u8]) -> (&[u8], Parameters<'_>) {
    let (first, rest) = match memchr::memchr2(b';', b'=', field) {
        Some(at) if field[at] == b';' => (&field[..at], &field[at + 1..]),
        Some(_) => (&field[..0], field),
        None => (field, &field[field.len()..]),
    };
    (first.trim_ascii(), Parameters { rest, literal_backslash: false })
}

/// The memory that sorting needs for each section, in bytes.
const SLOT: usize = 8;

/// The offset of a section, as a number in the byte order of the machine.
type Slot = [u8; SLOT];

/// The parameters that hold the value of a name, in the order of the table at the top of this file.
struct Found<'a> {
    extended: Option<Value<'a>>,
    sections: usize,
    plain: Option<Value<'a>>,
}
