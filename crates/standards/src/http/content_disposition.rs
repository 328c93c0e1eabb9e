//! The field `Content-Disposition`, which names a file to save or a part of a form.

use core::fmt::{self, Write};

use alloc::borrow::Cow;

use percent_simd::{AsBytes, ByteSet};

use super::parameters::{self, Parameters};
use super::{ExtValue, multipart, text};
use crate::memory;

/// The field `Content-Disposition` ([RFC 6266](https://www.rfc-editor.org/rfc/rfc6266); in forms [RFC 7578
/// 4.2](https://www.rfc-editor.org/rfc/rfc7578#section-4.2)).
///
/// `Display` writes the field as RFC 6266 appendix D advises, so that all browsers read it:
///
/// - `filename` comes first, always quoted, in ASCII, without `\` and without `%` before two hexadecimal digits. Each
///   character that it can't have is `_`.
/// - `filename*` follows in UTF-8, if `filename` alone would lose a character.
///
/// # Examples
///
/// ```
/// use percent_standards::http::ContentDisposition;
///
/// let field = ContentDisposition::attachment().with_filename("test(1) é.txt").to_string();
/// assert_eq!(field, "attachment; filename=\"test(1) _.txt\"; filename*=UTF-8''test%281%29%20%C3%A9.txt");
///
/// // `filename*` wins, in any order (RFC 6266 4.3).
/// let field = ContentDisposition::parse("Attachment; filename*=utf-8'en'%E2%82%AC.jpg; filename=_.jpg");
/// assert!(field.is_attachment());
/// assert_eq!(field.filename(), Some("€.jpg"));
///
/// // A server sends any name it likes, so don't use `filename` as a path.
/// let field = ContentDisposition::parse("attachment; filename=\"../../etc/passwd\"");
/// assert_eq!((field.filename(), field.file_name()), (Some("../../etc/passwd"), Some("passwd")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContentDisposition<'a> {
    /// A token in lower case, or empty.
    kind: Cow<'a, str>,
    name: Option<Cow<'a, str>>,
    filename: Option<Cow<'a, str>>,
}

impl<'a> ContentDisposition<'a> {
    /// Creates the field for a response that is to be saved as a file.
    #[must_use]
    pub const fn attachment() -> ContentDisposition<'a> {
        ContentDisposition { kind: Cow::Borrowed("attachment"), name: None, filename: None }
    }

    /// Creates the field for a response that is to be shown. Its file name is used if the user saves it.
    #[must_use]
    pub const fn inline() -> ContentDisposition<'a> {
        ContentDisposition { kind: Cow::Borrowed("inline"), name: None, filename: None }
    }

    /// Creates the field for a part of `multipart/form-data`, with the name of its form field.
    ///
    /// Such a field is written as browsers write it: names are raw UTF-8 with `"`, CR and LF escaped
    /// ([HTML 4.10.22.7](https://html.spec.whatwg.org/#multipart-form-data)), and `filename*` isn't used (RFC 7578 4.2).
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::http::ContentDisposition;
    /// let field = ContentDisposition::form_data("file").with_filename("é \"1\".txt").to_string();
    /// assert_eq!(field, "form-data; name=\"file\"; filename=\"é %221%22.txt\"");
    /// ```
    #[must_use]
    pub fn form_data(name: impl Into<Cow<'a, str>>) -> ContentDisposition<'a> {
        ContentDisposition { kind: Cow::Borrowed("form-data"), name: Some(name.into()), filename: None }
    }

    /// Sets the name of the file. It may have any characters.
    #[must_use]
    pub fn with_filename(self, filename: impl Into<Cow<'a, str>>) -> ContentDisposition<'a> {
        ContentDisposition { filename: Some(filename.into()), ..self }
    }

    /// Reads a field leniently. It never fails: a parameter that can't be read is absent.
    ///
    /// [`Parameters`] has the rules. In addition:
    ///
    /// - A field that begins with a parameter, or with text that isn't a token, has an empty type.
    /// - If the type is `form-data`, a `\` is an ordinary character, because browsers don't escape it.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::http::ContentDisposition;
    /// let filename = |field| ContentDisposition::parse(field).filename().map(String::from);
    /// assert_eq!(filename("attachment; filename=foo bar.txt").as_deref(), Some("foo bar.txt"));
    /// assert_eq!(filename("attachment; filename*=utf8''file.png").as_deref(), Some("file.png"));
    /// assert_eq!(filename("attachment; filename*0*=UTF-8''%E2%98; filename*1*=%83.txt").as_deref(), Some("☃.txt"));
    /// assert_eq!(filename("inline"), None);
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn parse<I: AsBytes + ?Sized>(field: &'a I) -> ContentDisposition<'a> {
        let (kind, parameters) = parameters::split(field.as_bytes());
        let kind = match (text::first_not_in_token(kind), str::from_utf8(kind)) {
            (None, Ok(kind)) => lower_case(kind),
            _ => Cow::Borrowed(""),
        };
        let parameters: Parameters<'a> = parameters.with_literal_backslash(kind == "form-data");
        ContentDisposition { kind, name: parameters.get("name"), filename: parameters.get("filename") }
    }

    /// Returns the type in lower case: `attachment`, `inline`, `form-data` or another token. It is empty if the field
    /// has no valid type.
    #[must_use]
    pub fn disposition_type(&self) -> &str {
        &self.kind
    }

    /// Returns true if the response should be saved. This is true for all types except `inline` and `form-data`,
    /// because unknown types count as `attachment` ([RFC 6266
    /// 4.2](https://www.rfc-editor.org/rfc/rfc6266#section-4.2)).
    #[must_use]
    pub fn is_attachment(&self) -> bool {
        self.kind != "inline" && self.kind != "form-data"
    }

    /// Returns the name of the form field, if the field has one. It is quoted text as written: if the type is
    /// `form-data`, pass it to [`multipart_unescape`](super::multipart_unescape).
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the name of the file as the sender wrote it.
    ///
    /// It may be a path, and may have any characters. Don't open it: see [`file_name`](Self::file_name). If the type is
    /// `form-data`, pass it to [`multipart_unescape`](super::multipart_unescape) first.
    #[must_use]
    pub fn filename(&self) -> Option<&str> {
        self.filename.as_deref()
    }

    /// Returns the last segment of the file name, after each `/` and `\`
    /// ([RFC 6266 4.3](https://www.rfc-editor.org/rfc/rfc6266#section-4.3)).
    ///
    /// Returns `None` if this segment can't be a file name on any system: if it is empty, `.` or `..`, or has a control
    /// character.
    ///
    /// Before you create the file, RFC 6266 4.3 also asks you to check its extension, and not to overwrite a file. Windows
    /// has more rules: `CON`, `a:b` and a dot at the end have a special meaning there.
    #[must_use]
    pub fn file_name(&self) -> Option<&str> {
        let segment = self.filename()?.rsplit(['/', '\\']).next()?;
        let is_name = !matches!(segment, "" | "." | "..") && !segment.contains(char::is_control);
        is_name.then_some(segment)
    }
}

fn lower_case(text: &str) -> Cow<'_, str> {
    if !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(text);
    }
    let mut lower = memory::text(text);
    lower.make_ascii_lowercase();
    Cow::Owned(lower)
}

impl fmt::Display for ContentDisposition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.kind.is_empty() { "attachment" } else { &self.kind })?;
        for (parameter, value) in [("name", &self.name), ("filename", &self.filename)] {
            let Some(value) = value else { continue };
            write!(f, "; {parameter}=\"")?;
            if self.kind == "form-data" {
                write!(f, "{}\"", multipart::ENCODER.encode_str(value))?;
                continue;
            }
            let is_exact = write_fallback(value, f)?;
            f.write_char('"')?;
            if !is_exact {
                write!(f, "; {parameter}*={}", ExtValue::new(&**value))?;
            }
        }
        Ok(())
    }
}

/// Writes the characters of `value` that a quoted `filename` can have, and `_` for each other character. Returns true if
/// all were written.
fn write_fallback(value: &str, f: &mut fmt::Formatter<'_>) -> Result<bool, fmt::Error> {
    /// Printable ASCII, without the characters that end a quoted string or begin a `quoted-pair`.
    const QUOTED: ByteSet = ByteSet::range(b' ', b'~').difference(ByteSet::of(b"\"\\"));
    let mut is_exact = true;
    for (at, character) in value.char_indices() {
        // Some browsers decode triplets.
        let is_triplet = matches!(&value.as_bytes()[at..], [b'%', high, low, ..]
            if high.is_ascii_hexdigit() && low.is_ascii_hexdigit());
        let is_plain = !is_triplet && u8::try_from(character).is_ok_and(|byte| QUOTED.contains(byte));
        is_exact &= is_plain;
        f.write_char(if is_plain { character } else { '_' })?;
    }
    Ok(is_exact)
}
