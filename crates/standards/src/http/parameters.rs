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

use alloc::borrow::Cow;
use alloc::string::String;

use percent_simd::internal::triplet;
use percent_simd::{AsBytes, OutputTooSmall};

use crate::memory;
use crate::utf8::Utf8;

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
                    let octets = Octets::plain(parameter);
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
                _ => Some(Octets { is_encoded, ..Octets::plain(parameter) }),
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

/// A parameter, not yet decoded.
#[derive(Clone, Copy)]
struct Parameter<'a> {
    name: &'a [u8],
    /// The text inside the quotes. If there are no quotes, this is the trimmed text.
    raw: &'a [u8],
    /// True if `raw` has a `\` that escapes the next byte (RFC 9110 5.6.4, `quoted-pair`).
    has_pairs: bool,
    /// The offset at which [`Iter`] finds this parameter.
    offset: usize,
}

struct Iter<'a> {
    field: &'a [u8],
    /// The offset of the next parameter.
    at: usize,
    literal_backslash: bool,
}

impl<'a> Iterator for Iter<'a> {
    type Item = Parameter<'a>;

    fn next(&mut self) -> Option<Parameter<'a>> {
        loop {
            let offset = self.at;
            let rest = self.field.get(offset..).filter(|rest| !rest.is_empty())?;
            let end = memchr::memchr2(b';', b'=', rest).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let Some(after) = after.strip_prefix(b"=") else {
                // An element without `=` isn't a parameter.
                self.at += end + 1;
                continue;
            };
            let name = name.trim_ascii();
            let after = after.trim_ascii_start();
            let (raw, has_pairs, after) = match after.strip_prefix(b"\"") {
                Some(quoted) => self.quoted(quoted),
                None => {
                    let (raw, after) = after.split_at(memchr::memchr(b';', after).unwrap_or(after.len()));
                    (raw.trim_ascii_end(), false, after)
                }
            };
            let left = memchr::memchr(b';', after).map_or(0, |at| after.len() - at - 1);
            self.at = self.field.len() - left;
            return Some(Parameter { name, raw, has_pairs, offset });
        }
    }
}

impl<'a> Iter<'a> {
    /// Takes the text after an opening `"`. Returns the content of the quoted string, true if the content has a
    /// `quoted-pair`, and the text after the closing quote.
    fn quoted(&self, text: &'a [u8]) -> (&'a [u8], bool, &'a [u8]) {
        let escape = if self.literal_backslash { b'"' } else { b'\\' };
        let (mut at, mut has_pairs) = (0, false);
        while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr2(b'"', escape, rest)) {
            at += found;
            if text[at] == b'"' {
                return (&text[..at], has_pairs, &text[at + 1..]);
            }
            has_pairs = true;
            at += 2;
        }
        (text, has_pairs, &text[text.len()..])
    }
}

/// The way in which a parameter is written.
enum Kind {
    Plain,
    /// `name*`
    Extended,
    /// `name*1`, or `name*1*` if it is percent-encoded. The fields are the number, and true if it is percent-encoded.
    Section(u32, bool),
}

/// If a parameter called `written` belongs to `name`, returns the way in which it is written.
fn kind_of(written: &[u8], name: &[u8]) -> Option<Kind> {
    let (base, suffix) = written.split_at_checked(name.len())?;
    if !base.eq_ignore_ascii_case(name) {
        return None;
    }
    match suffix {
        b"" => Some(Kind::Plain),
        b"*" => Some(Kind::Extended),
        [b'*', section @ ..] => {
            let (digits, is_encoded) = match section {
                [digits @ .., b'*'] => (digits, true),
                digits => (digits, false),
            };
            // RFC 2231 7: a number has no leading zeros.
            if digits.len() > 1 && digits.starts_with(b"0") || !digits.iter().all(u8::is_ascii_digit) {
                return None;
            }
            let number = str::from_utf8(digits).ok()?.parse().ok()?;
            Some(Kind::Section(number, is_encoded))
        }
        _ => None,
    }
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

/// The octets of a value. Each `quoted-pair` is undone. If `is_encoded` is true, escapes are undone, too. A malformed
/// `%` stays.
#[derive(Clone)]
struct Octets<'a> {
    raw: &'a [u8],
    has_pairs: bool,
    is_encoded: bool,
}

impl<'a> Octets<'a> {
    const fn plain(parameter: Parameter<'a>) -> Octets<'a> {
        Octets { raw: parameter.raw, has_pairs: parameter.has_pairs, is_encoded: false }
    }

    /// Splits `charset'language'chars` into the charset and the octets of `chars`.
    fn extended(parameter: Parameter<'a>) -> Option<(Charset, Octets<'a>)> {
        let mut octets = Octets::plain(parameter);
        let mut label = [0; "iso-8859-1".len()];
        let mut len = 0;
        loop {
            let byte = octets.next()?;
            if byte == b'\'' {
                break;
            }
            *label.get_mut(len)? = byte;
            len += 1;
        }
        let label = label.get(..len)?;
        let is = |names: [&str; 2]| names.iter().any(|name| label.eq_ignore_ascii_case(name.as_bytes()));
        let charset = if label.is_empty() || is(["utf-8", "utf8"]) {
            Charset::Utf8
        } else if is(["iso-8859-1", "latin1"]) {
            Charset::Latin1
        } else {
            return None;
        };
        octets.find(|&byte| byte == b'\'')?;
        octets.is_encoded = true;
        Some((charset, octets))
    }

    /// Returns the next byte. If it starts a `quoted-pair`, returns the second byte of the pair.
    fn unquoted(&mut self) -> Option<u8> {
        let (&byte, rest) = self.raw.split_first()?;
        self.raw = rest;
        if byte != b'\\' || !self.has_pairs {
            return Some(byte);
        }
        let Some((&byte, rest)) = self.raw.split_first() else { return Some(byte) };
        self.raw = rest;
        Some(byte)
    }

    /// Returns true if the octets equal `raw`. This means that `raw` has no `quoted-pair`, and no `%` that could start
    /// an escape.
    fn is_raw(&self) -> bool {
        !self.has_pairs && !(self.is_encoded && memchr::memchr(b'%', self.raw).is_some())
    }
}

impl Iterator for Octets<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let byte = self.unquoted()?;
        if byte == b'%' && self.is_encoded {
            let mut after = self.clone();
            if let (Some(high), Some(low)) = (after.unquoted(), after.unquoted())
                && let Some(decoded) = triplet(&[byte, high, low], 0)
            {
                *self = after;
                return Some(decoded);
            }
        }
        Some(byte)
    }
}

/// The charset that a value names.
#[derive(Clone, Copy)]
enum Charset {
    Utf8,
    Latin1,
    /// The value names no charset. If the value is UTF-8, it is read as UTF-8, otherwise as ISO-8859-1.
    Unknown,
}

/// The way in which octets become text.
#[derive(Clone, Copy)]
struct Coding {
    is_latin1: bool,
    /// The length of the text, in bytes of UTF-8.
    len: usize,
}

impl Coding {
    /// If the octets aren't in the charset, returns `None`.
    fn of(octets: impl Iterator<Item = u8>, charset: Charset) -> Option<Coding> {
        let (mut utf8, mut is_utf8) = (Utf8::default(), true);
        let (mut len, mut latin1_len) = (0, 0);
        for octet in octets {
            len += 1;
            latin1_len += char::from(octet).len_utf8();
            is_utf8 = is_utf8 && utf8.push(octet).is_ok();
        }
        match charset {
            Charset::Utf8 | Charset::Unknown if is_utf8 && utf8.is_complete() => Some(Coding { is_latin1: false, len }),
            Charset::Utf8 => None,
            Charset::Latin1 | Charset::Unknown => Some(Coding { is_latin1: true, len: latin1_len }),
        }
    }

    /// Fills `out` with the text. `out` has exactly the length of the text.
    fn fill(self, octets: impl Iterator<Item = u8>, out: &mut [u8]) {
        let mut places = out.iter_mut();
        let mut put = |byte| {
            if let Some(place) = places.next() {
                *place = byte;
            }
        };
        if self.is_latin1 {
            octets.for_each(|octet| char::from(octet).encode_utf8(&mut [0; 2]).bytes().for_each(&mut put));
        } else {
            octets.for_each(put);
        }
    }

    /// Writes the text to the start of `out`. Returns the text and the rest of `out`.
    fn write(
        self,
        octets: impl Iterator<Item = u8>,
        out: &mut [u8],
    ) -> Result<(Option<&str>, &mut [u8]), OutputTooSmall> {
        let (text, rest) = out.split_at_mut_checked(self.len).ok_or(OutputTooSmall::new(self.len))?;
        self.fill(octets, text);
        Ok((str::from_utf8(text).ok(), rest))
    }

    fn text(self, octets: impl Iterator<Item = u8>) -> String {
        let mut text = memory::zeros(self.len);
        self.fill(octets, &mut text);
        String::from_utf8(text).unwrap_or_default() // never fails, because `of` has checked the octets
    }
}

/// The value of one parameter.
#[derive(Clone)]
struct Value<'a> {
    octets: Octets<'a>,
    coding: Coding,
}

impl<'a> Value<'a> {
    /// If the octets aren't in the charset, returns `None`.
    fn of(octets: Octets<'a>, charset: Charset) -> Option<Value<'a>> {
        let coding = Coding::of(octets.clone(), charset)?;
        Some(Value { octets, coding })
    }

    fn into_text(self) -> Cow<'a, str> {
        match str::from_utf8(self.octets.raw) {
            Ok(text) if self.octets.is_raw() && (!self.coding.is_latin1 || text.is_ascii()) => Cow::Borrowed(text),
            _ => Cow::Owned(self.coding.text(self.octets)),
        }
    }
}
