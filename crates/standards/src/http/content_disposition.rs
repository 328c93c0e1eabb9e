//! The field `Content-Disposition`. It names a file to save, or a part of a form.

use core::fmt::{self, Write};

use alloc::borrow::Cow;

use percent_simd::internal::triplet;
use percent_simd::{AsBytes, ByteSet, Encoder, OutputTooSmall, sets};

use super::parameters::{self, Parameters};
use super::{multipart, text};
use crate::memory;
use crate::output::Output;

/// The field `Content-Disposition` ([RFC 6266](https://www.rfc-editor.org/rfc/rfc6266)). In forms, see also [RFC 7578
/// 4.2](https://www.rfc-editor.org/rfc/rfc7578#section-4.2).
///
/// `Display` writes the field as RFC 6266 appendix D advises, so that all browsers read it:
///
/// - `filename` comes first. It is always quoted and in ASCII, and has no `\`, and no `%` before two hexadecimal
///   digits. Every character that isn't allowed becomes `_`.
/// - If a character of the name became `_`, `filename*` follows, in UTF-8.
///
/// # Examples
///
/// ```
/// use percent_standards::http::ContentDisposition;
///
/// let field = ContentDisposition::attachment().with_filename("test(1) é.txt").to_string();
/// assert_eq!(field, "attachment; filename=\"test(1) _.txt\"; filename*=UTF-8''test%281%29%20%C3%A9.txt");
///
/// // `filename*` wins, wherever it is in the field (RFC 6266 4.3).
/// let field = ContentDisposition::parse("Attachment; filename*=utf-8'en'%E2%82%AC.jpg; filename=_.jpg");
/// assert!(field.is_attachment());
/// assert_eq!(field.filename(), Some("€.jpg"));
///
/// // A server can send any name, so don't use `filename` as a path.
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
    /// Creates the field for a response that the browser should save as a file.
    #[must_use]
    pub const fn attachment() -> ContentDisposition<'a> {
        ContentDisposition { kind: Cow::Borrowed("attachment"), name: None, filename: None }
    }

    /// Creates the field for a response that the browser should show. If the user saves it, the file name is used.
    #[must_use]
    pub const fn inline() -> ContentDisposition<'a> {
        ContentDisposition { kind: Cow::Borrowed("inline"), name: None, filename: None }
    }

    /// Creates the field for a part of `multipart/form-data`, with the name of its form field.
    ///
    /// The field is written as browsers write it. Names are raw UTF-8, and only `"`, CR and LF are escaped ([HTML
    /// 4.10.22.7](https://html.spec.whatwg.org/#multipart-form-data)). `filename*` isn't used (RFC 7578 4.2).
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

    /// Sets the name of the file. The name may have any characters.
    #[must_use]
    pub fn with_filename(self, filename: impl Into<Cow<'a, str>>) -> ContentDisposition<'a> {
        ContentDisposition { filename: Some(filename.into()), ..self }
    }

    /// Reads a field leniently. This never fails: if a parameter can't be read, it is absent.
    ///
    /// [`Parameters`] has the rules. In addition:
    ///
    /// - If the field begins with a parameter, or with text that isn't a token, its type is empty.
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
        let (kind, parameters): (_, Parameters<'a>) = head(field.as_bytes());
        ContentDisposition {
            kind: lower_case(kind),
            name: parameters.get("name"),
            filename: parameters.get("filename"),
        }
    }

    /// Reads a field as [`parse`](Self::parse) does, but writes the values to `out`. Doesn't allocate.
    ///
    /// The name of the file is written to the start of `out`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::http::ContentDisposition;
    ///
    /// let mut out = [0; 64];
    /// let field = ContentDisposition::parse_slice("Attachment; filename*=UTF-8''%E2%82%AC.jpg", &mut out)?;
    /// assert_eq!((field.disposition_type(), field.filename()), ("attachment", Some("€.jpg")));
    /// # Ok::<(), percent_simd::OutputTooSmall>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `out` is too small, returns an error with a sufficient length. Four times the length of the field, plus 8
    /// bytes, is always sufficient. After an error, the contents of `out` are unspecified.
    pub fn parse_slice<I: AsBytes + ?Sized>(
        field: &I,
        out: &'a mut [u8],
    ) -> Result<ContentDisposition<'a>, OutputTooSmall> {
        let field = field.as_bytes();
        let (kind, parameters) = head(field);
        // The texts need at most twice the length of the field, because a byte of ISO-8859-1 becomes two bytes. If a
        // value is split, each of its sections also needs a slot of eight bytes for sorting. A section has at least
        // seven bytes, so all slots together need less than twice the length of the field, too. The last 8 bytes are a
        // reserve.
        let enough = OutputTooSmall::new(field.len().saturating_mul(4).saturating_add(8));
        let (filename, out) = parameters.get_slice("filename", out).map_err(|_| enough)?;
        let (name, out) = parameters.get_slice("name", out).map_err(|_| enough)?;
        let (lower, _) = out.split_at_mut_checked(kind.len()).ok_or(enough)?;
        lower.copy_from_slice(kind.as_bytes());
        lower.make_ascii_lowercase();
        Ok(ContentDisposition {
            kind: Cow::Borrowed(str::from_utf8(lower).unwrap_or_default()),
            name: name.map(Cow::Borrowed),
            filename: filename.map(Cow::Borrowed),
        })
    }

    /// Writes the field to the start of `out`, as `Display` does. Doesn't allocate.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::http::ContentDisposition;
    ///
    /// let mut out = [0; 64];
    /// let field = ContentDisposition::inline().with_filename("a.txt").write_slice(&mut out)?;
    /// assert_eq!(field, b"inline; filename=\"a.txt\"");
    /// # Ok::<(), percent_simd::OutputTooSmall>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `out` is too small, returns an error with the needed length. The contents of `out` are then unspecified.
    pub fn write_slice<'o>(&self, out: &'o mut [u8]) -> Result<&'o mut [u8], OutputTooSmall> {
        let mut field = Output::new(out);
        _ = self.write(&mut field); // never fails: if text doesn't fit, `Output` only counts it
        field.finish().map(|(field, _)| field)
    }

    /// Returns the type in lower case: `attachment`, `inline`, `form-data` or another token. If the field has no valid
    /// type, the text is empty.
    #[must_use]
    pub fn disposition_type(&self) -> &str {
        &self.kind
    }

    /// Returns true if the browser should save the response. Unknown types count as `attachment` ([RFC 6266
    /// 4.2](https://www.rfc-editor.org/rfc/rfc6266#section-4.2)). So this is true for all types except `inline` and
    /// `form-data`.
    #[must_use]
    pub fn is_attachment(&self) -> bool {
        self.kind != "inline" && self.kind != "form-data"
    }

    /// Returns the name of the form field, if there is one. Its escapes aren't decoded. If the type is `form-data`,
    /// pass the name to [`multipart_unescape`](super::multipart_unescape).
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the name of the file as the sender wrote it.
    ///
    /// The name may be a path, and may have any characters, so don't open it. See [`file_name`](Self::file_name)
    /// instead. If the type is `form-data`, pass the name to [`multipart_unescape`](super::multipart_unescape) first.
    #[must_use]
    pub fn filename(&self) -> Option<&str> {
        self.filename.as_deref()
    }

    /// Returns the last segment of the file name: the text after the last `/` or `\` ([RFC 6266
    /// 4.3](https://www.rfc-editor.org/rfc/rfc6266#section-4.3)).
    ///
    /// If this segment is empty, `.` or `..`, or has a control character, it can't be the name of a file on any system.
    /// Then returns `None`.
    ///
    /// Before you create the file, RFC 6266 4.3 also asks you to check its extension, and not to overwrite an existing
    /// file. Windows has more rules: `CON`, `a:b` and a dot at the end have a special meaning there.
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

/// The encoder of `filename*`.
const EXT_VALUE: Encoder = Encoder::new(sets::RFC8187_ATTR_CHAR);

/// Returns the type and the parameters. If the type isn't a token, it is an empty text.
fn head(field: &[u8]) -> (&str, Parameters<'_>) {
    let (kind, parameters) = parameters::split(field);
    let kind = match (text::first_not_in_token(kind), str::from_utf8(kind)) {
        (None, Ok(kind)) => kind,
        _ => "",
    };
    (kind, parameters.with_literal_backslash(kind.eq_ignore_ascii_case("form-data")))
}

impl fmt::Display for ContentDisposition<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl ContentDisposition<'_> {
    fn write(&self, out: &mut impl Write) -> fmt::Result {
        out.write_str(if self.kind.is_empty() { "attachment" } else { &self.kind })?;
        for (parameter, value) in [("name", &self.name), ("filename", &self.filename)] {
            let Some(value) = value else { continue };
            out.write_str("; ")?;
            out.write_str(parameter)?;
            out.write_str("=\"")?;
            if self.kind == "form-data" {
                write_escaped(value, out)?;
                out.write_char('"')?;
                continue;
            }
            let is_exact = write_fallback(value, out)?;
            out.write_char('"')?;
            if !is_exact {
                out.write_str("; ")?;
                out.write_str(parameter)?;
                out.write_str("*=UTF-8''")?;
                EXT_VALUE.encode_fmt(&**value, out)?;
            }
        }
        Ok(())
    }
}

/// Writes `value` in the way that browsers write the names in a form.
fn write_escaped(value: &str, out: &mut impl Write) -> fmt::Result {
    let mut rest = value;
    while let Some(at) = multipart::ENCODER.first_changed(rest)
        && let Some((before, after)) = rest.split_at_checked(at)
    {
        let mut characters = after.chars();
        let escape = characters.next().and_then(|character| u8::try_from(character).ok()).unwrap_or_default();
        out.write_str(before)?;
        out.write_str(EXT_VALUE.triplet(escape))?;
        rest = characters.as_str();
    }
    out.write_str(rest)
}

/// Writes `value` as a quoted `filename`: each character that isn't allowed there becomes `_`. Returns true if no
/// character was replaced.
fn write_fallback(value: &str, out: &mut impl Write) -> Result<bool, fmt::Error> {
    /// Printable ASCII, without the byte that ends a quoted string and the byte that begins a `quoted-pair`.
    const QUOTED: ByteSet = ByteSet::range(b' ', b'~').difference(ByteSet::of(b"\"\\"));
    let mut is_exact = true;
    for (at, character) in value.char_indices() {
        // Some browsers decode triplets, so we replace the `%` of a triplet.
        let is_plain =
            triplet(value.as_bytes(), at).is_none() && u8::try_from(character).is_ok_and(|byte| QUOTED.contains(byte));
        is_exact &= is_plain;
        out.write_char(if is_plain { character } else { '_' })?;
    }
    Ok(is_exact)
}
