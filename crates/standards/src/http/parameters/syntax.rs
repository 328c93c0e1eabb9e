//! Splits a field into parameters, and a name into the parts that RFC 2231 gives it.

/// A parameter, not yet decoded.
#[derive(Clone, Copy)]
pub(super) struct Parameter<'a> {
    pub(super) name: &'a [u8],
    /// The text inside the quotes. If there are no quotes, this is the trimmed text.
    pub(super) raw: &'a [u8],
    /// True if `raw` has a `\` that escapes the next byte (RFC 9110 5.6.4, `quoted-pair`).
    pub(super) has_pairs: bool,
    /// The offset at which [`Iter`] finds this parameter.
    pub(super) offset: usize,
}

pub(super) struct Iter<'a> {
    pub(super) field: &'a [u8],
    /// The offset of the next parameter.
    pub(super) at: usize,
    pub(super) literal_backslash: bool,
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
pub(super) enum Kind {
    Plain,
    /// `name*`
    Extended,
    /// `name*1`, or `name*1*` if it is percent-encoded. The fields are the number, and true if it is percent-encoded.
    Section(u32, bool),
}

/// If a parameter called `written` belongs to `name`, returns the way in which it is written.
pub(super) fn kind_of(written: &[u8], name: &[u8]) -> Option<Kind> {
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
