//! Submits a form as a browser does ([HTML Standard 4.10.22](https://html.spec.whatwg.org/#form-submission-2), at
//! commit 508a037333d8 of 21 August 2026).
//!
//! A [`Form`] has a list of entries. For each encoding, it has a method:
//!
//! ```
//! use percent_standards::form::html::{Entry, Form};
//!
//! let entries = [
//!     Entry::new("greeting", "Grüß Gott\nund guten Tag"),
//!     Entry::hidden("_charset_", ""),
//!     Entry::file("photo", "me.jpg"),
//! ];
//! let form = Form::new(&entries);
//! assert_eq!(
//!     form.urlencoded(),
//!     "greeting=Gr%C3%BC%C3%9F+Gott%0D%0Aund+guten+Tag&_charset_=UTF-8&photo=me.jpg"
//! );
//! assert_eq!(
//!     form.text_plain(),
//!     "greeting=Grüß Gott\r\nund guten Tag\r\n_charset_=UTF-8\r\nphoto=me.jpg\r\n"
//! );
//! ```
//!
//! A submitted form differs from pairs that `URLSearchParams` serializes (URL Standard 5.2) in three ways:
//! - A lone CR or LF becomes CRLF in names, values and file names.
//! - A hidden field called `_charset_` gets the name of the encoding as its value.
//! - The encoding needn't be UTF-8 (`Form::charset`, with the feature `encoding`).
//!
//! | a form's method and action | call |
//! | --- | --- |
//! | `GET` | `Form::get`: the URL to go to |
//! | `POST`, `application/x-www-form-urlencoded` | `Form::urlencoded`: the body |
//! | `POST`, `text/plain` | `Form::text_plain`; as bytes `Form::text_plain_bytes` |
//! | `POST`, `multipart/form-data` | `multipart_escape` or `Form::multipart_escape` for names and file names |
//! | `GET` to `mailto:` | `Form::mail_with_headers` |
//! | `POST` to `mailto:` | `Form::mail_as_body` |
//!
//! Text is `str`, so it can't have lone surrogates. If your strings can have them, replace each by U+FFFD before you
//! create an [`Entry`], as the standard asks.
#![cfg(feature = "alloc")]

use alloc::borrow::Cow;
use alloc::string::String;

use crate::http::multipart;
use crate::newline::Newline;
use crate::{memory, whatwg};

#[cfg(feature = "encoding")]
use crate::charset::Charset;

pub use crate::http::multipart_unescape;

/// An entry of the form ([4.10.22.4](https://html.spec.whatwg.org/#constructing-the-form-data-set)): a name, a value,
/// and the kind of control that they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    name: &'a str,
    value: &'a str,
    control: Control,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    Text,
    Hidden,
    File,
    Other,
}

impl<'a> Entry<'a> {
    /// Creates an entry of a control without special rules. The functions below create entries of controls with special
    /// rules.
    #[must_use]
    pub const fn new(name: &'a str, value: &'a str) -> Entry<'a> {
        Entry { name, value, control: Control::Other }
    }

    /// Creates an entry of `<input type=text>`. Only [`Form::isindex`] treats text fields in a special way.
    #[must_use]
    pub const fn text(name: &'a str, value: &'a str) -> Entry<'a> {
        Entry { name, value, control: Control::Text }
    }

    /// Creates an entry of `<input type=hidden>`. If its name is `_charset_`, the name of the encoding replaces
    /// `value`. The case of the letters in `_charset_` doesn't matter.
    #[must_use]
    pub const fn hidden(name: &'a str, value: &'a str) -> Entry<'a> {
        Entry { name, value, control: Control::Hidden }
    }

    /// Creates an entry of `<input type=file>`. Only `multipart/form-data` sends the file. The other encodings send the
    /// name of the file instead.
    #[must_use]
    pub const fn file(name: &'a str, file_name: &'a str) -> Entry<'a> {
        Entry { name, value: file_name, control: Control::File }
    }
}

/// The encoding of the body of a [mail](Form::mail_as_body).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Enctype {
    /// `application/x-www-form-urlencoded`. Also use this for a form with `multipart/form-data`, because a mail can't
    /// have a body in that format.
    #[default]
    Urlencoded,
    /// `text/plain`.
    TextPlain,
}

/// A form that is being submitted.
#[derive(Clone, Copy, Debug)]
pub struct Form<'a> {
    entries: &'a [Entry<'a>],
    isindex: bool,
    #[cfg(feature = "encoding")]
    charset: Charset,
}

impl<'a> Form<'a> {
    /// Creates a form of these entries, in UTF-8.
    #[must_use]
    pub const fn new(entries: &'a [Entry<'a>]) -> Form<'a> {
        Form {
            entries,
            isindex: false,
            #[cfg(feature = "encoding")]
            charset: Charset::UTF_8,
        }
    }

    /// Sets the encoding: it is the output encoding of `charset`. To find the right `charset`, call [`pick_encoding`].
    ///
    /// A character that the encoding lacks becomes a decimal numeric character reference.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// use percent_standards::form::html::{Entry, Form};
    ///
    /// let entries = [Entry::new("áb", "ç ☃"), Entry::hidden("_charset_", "")];
    /// let form = Form::new(&entries).charset(Charset::WINDOWS_1252);
    /// assert_eq!(form.urlencoded(), "%E1b=%E7+%26%239731%3B&_charset_=windows-1252");
    /// ```
    #[cfg(feature = "encoding")]
    #[must_use]
    pub fn charset(mut self, charset: Charset) -> Form<'a> {
        self.charset = charset.output_encoding();
        self
    }

    /// If the first entry is a [text field](Entry::text) called `isindex`, sends only its value, without name and `=`.
    /// The other entries follow as pairs.
    ///
    /// The HTML Standard had this rule until 2016 (4.10.22.6). It has an effect only on the urlencoded form.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::form::html::{Entry, Form};
    /// let entries = [Entry::text("isindex", "two words"), Entry::new("a", "b")];
    /// let form = Form::new(&entries).isindex();
    /// assert_eq!(form.urlencoded(), "two+words&a=b");
    /// ```
    #[must_use]
    pub const fn isindex(mut self) -> Form<'a> {
        self.isindex = true;
        self
    }

    /// Returns an upper limit, in bytes, for the result of each method of [`Form`]. The limit doesn't include the
    /// action.
    ///
    /// If the limit exceeds a `usize`, returns `None`. U+000E in ISO-2022-JP grows most, from one byte to 14
    /// ([`whatwg::max_encoded_len`]). In UTF-8, a lone LF grows most: it becomes `%0D%0A`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::form::html::{Entry, Form};
    /// let entries = [Entry::new("", "\n\n\n")];
    /// assert!(Form::new(&entries).urlencoded().len() < Form::new(&entries).max_len().unwrap());
    /// ```
    #[must_use]
    pub fn max_len(&self) -> Option<usize> {
        const AROUND: usize = "?&body=".len();
        const BETWEEN: usize = "=%0D%0A".len();
        self.entries.iter().try_fold(AROUND, |total, entry| {
            let value = entry.value.len().max(self.charset_name().len());
            let text = whatwg::max_encoded_len(entry.name.len().checked_add(value)?)?;
            total.checked_add(text)?.checked_add(BETWEEN)
        })
    }

    fn charset_name(&self) -> &'static str {
        #[cfg(feature = "encoding")]
        return self.charset.name();
        #[cfg(not(feature = "encoding"))]
        "UTF-8"
    }

    /// Returns the list of name-value pairs ([4.10.22.6][pairs]).
    ///
    /// A lone CR or LF becomes CRLF. A file becomes its name. The value of a hidden field called `_charset_` becomes
    /// the name of the encoding.
    ///
    /// [pairs]: https://html.spec.whatwg.org/#convert-to-a-list-of-name-value-pairs
    pub fn pairs(&self) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> + use<'a> {
        let charset_name = self.charset_name();
        self.entries.iter().map(move |entry| {
            let is_charset = entry.control == Control::Hidden && entry.name.eq_ignore_ascii_case("_charset_");
            (
                Newline::CrLf.apply(entry.name),
                if is_charset { Cow::Borrowed(charset_name) } else { Newline::CrLf.apply(entry.value) },
            )
        })
    }

    /// Returns the form as `application/x-www-form-urlencoded`
    /// ([URL Standard 5.2](https://url.spec.whatwg.org/#urlencoded-serializing)).
    ///
    /// This is the body of a `POST` or the query of a `GET`.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn urlencoded(&self) -> String {
        let is_index = |first: &Entry<'_>| first.control == Control::Text && first.name == "isindex";
        let index = self.isindex && self.entries.first().is_some_and(is_index);
        let mut out = String::new();
        for (i, (name, value)) in self.pairs().enumerate() {
            if i > 0 {
                memory::push_str(&mut out, "&");
            }
            if i > 0 || !index {
                self.push(&name, &mut out);
                memory::push_str(&mut out, "=");
            }
            self.push(&value, &mut out);
        }
        out
    }

    /// Appends `text`, urlencoded.
    fn push(&self, text: &str, out: &mut String) {
        #[cfg(feature = "encoding")]
        memory::push_str(out, &whatwg::percent_encode_after_encoding(self.charset, text, &whatwg::FORM));
        #[cfg(not(feature = "encoding"))]
        whatwg::FORM.encode_into(text, out);
    }

    /// Returns the form as `text/plain` ([4.10.22.8](https://html.spec.whatwg.org/#plain-text-form-data)). Each pair is
    /// a line `name=value` and ends with CRLF.
    ///
    /// The result is made for people. It has no escapes, so no program can parse it reliably.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn text_plain(&self) -> String {
        let mut out = String::new();
        for (name, value) in self.pairs() {
            for part in [&*name, "=", &*value, "\r\n"] {
                memory::push_str(&mut out, part);
            }
        }
        out
    }

    /// Returns the body of a `POST`: [`text_plain`](Self::text_plain) in the form's encoding.
    ///
    /// A character that the encoding lacks becomes a numeric character reference.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[cfg(feature = "encoding")]
    #[must_use]
    pub fn text_plain_bytes(&self) -> alloc::vec::Vec<u8> {
        memory::owned_bytes(self.charset.encode_html(&self.text_plain()))
    }

    /// Escapes the name of a field or file for the `Content-Disposition` of `multipart/form-data`, in the form's
    /// encoding.
    ///
    /// Works like the function [`multipart_escape`]. A character that the encoding lacks becomes a numeric character
    /// reference.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// use percent_standards::form::html::Form;
    /// let form = Form::new(&[]).charset(Charset::WINDOWS_1252);
    /// assert_eq!(form.multipart_escape("\"€\" ☃"), b"%22\x80%22 &#9731;");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[cfg(feature = "encoding")]
    #[must_use]
    pub fn multipart_escape(&self, name: &str) -> alloc::vec::Vec<u8> {
        memory::owned_bytes(multipart::ENCODER.encode(&self.charset.encode_html(name)))
    }

    /// Returns the URL that a `GET` requests ([4.10.22.3][submit], "mutate action URL").
    ///
    /// This is `action`, but the form replaces its query. `action` must be an absolute URL. Its fragment stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::form::html::{Entry, Form};
    /// let entries = [Entry::new("q", "a b")];
    /// let form = Form::new(&entries);
    /// assert_eq!(form.get("http://example.com/search?old=1#top"), "http://example.com/search?q=a+b#top");
    /// ```
    ///
    /// [submit]: https://html.spec.whatwg.org/#submit-mutate-action
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn get(&self, action: &str) -> String {
        Action::of(action).with_query(&self.urlencoded())
    }

    /// Returns the `mailto:` URL that a `GET` opens ([4.10.22.3][submit], "mail with headers").
    ///
    /// This is `action`, but the form replaces its query. A space in the form becomes `%20`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::form::html::{Entry, Form};
    /// let entries = [Entry::new("subject", "a b+c")];
    /// let form = Form::new(&entries);
    /// assert_eq!(form.mail_with_headers("mailto:joe@example.com"), "mailto:joe@example.com?subject=a%20b%2Bc");
    /// ```
    ///
    /// [submit]: https://html.spec.whatwg.org/#submit-mailto-headers
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn mail_with_headers(&self, action: &str) -> String {
        Action::of(action).with_query(&memory::replace(&self.urlencoded(), b'+', "%20"))
    }

    /// Returns the `mailto:` URL that a `POST` opens ([4.10.22.3][submit], "mail as body").
    ///
    /// This is `action`, but the field `body` is added to its query. The value of this field is the form. The standard
    /// encodes the value like this:
    /// - Plain text is encoded as UTF-8 with the path percent-encode set. `&` and `%` in the text stay as they are.
    /// - A urlencoded form isn't encoded again. A mail program decodes the body once, so the mail has the form without
    ///   its escapes.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::form::html::{Enctype, Entry, Form};
    /// let entries = [Entry::new("a", "b c")];
    /// let form = Form::new(&entries);
    /// assert_eq!(form.mail_as_body("mailto:joe@x", Enctype::TextPlain), "mailto:joe@x?body=a=b%20c%0D%0A");
    /// assert_eq!(form.mail_as_body("mailto:joe@x?cc=k@x", Enctype::Urlencoded), "mailto:joe@x?cc=k@x&body=a=b+c");
    /// ```
    ///
    /// [submit]: https://html.spec.whatwg.org/#submit-mailto-body
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn mail_as_body(&self, action: &str, enctype: Enctype) -> String {
        let action = Action::of(action);
        let mut query = memory::text(action.query);
        if !query.is_empty() {
            memory::push_str(&mut query, "&");
        }
        memory::push_str(&mut query, "body=");
        match enctype {
            Enctype::Urlencoded => memory::push_str(&mut query, &self.urlencoded()),
            Enctype::TextPlain => _ = whatwg::PATH.encode_into(&self.text_plain(), &mut query),
        }
        action.with_query(&query)
    }
}

/// A URL, split into the part before the query, the query, and the fragment.
struct Action<'a> {
    before: &'a str,
    query: &'a str,
    /// The fragment with its `#`, or empty text.
    fragment: &'a str,
}

impl<'a> Action<'a> {
    fn of(url: &'a str) -> Action<'a> {
        let (url, fragment) = url.split_at(url.find('#').unwrap_or(url.len()));
        let (before, query) = url.split_once('?').unwrap_or((url, ""));
        Action { before, query, fragment }
    }

    fn with_query(&self, query: &str) -> String {
        memory::concat(&[self.before, "?", query, self.fragment])
    }
}

/// Returns the encoding in which a form is submitted
/// ([4.10.22.5](https://html.spec.whatwg.org/#picking-an-encoding-for-the-form)).
///
/// This is the output encoding of:
/// - the first known label in `accept_charset`;
/// - UTF-8, if no label is known;
/// - the document's charset, if `accept_charset` is `None`. This means that the form has no attribute `accept-charset`.
///
/// # Examples
///
/// ```
/// use percent_standards::charset::Charset;
/// use percent_standards::form::html::pick_encoding;
/// assert_eq!(pick_encoding(Some("x-unknown iso-8859-1"), Charset::SHIFT_JIS), Charset::WINDOWS_1252);
/// assert_eq!(pick_encoding(Some("x-unknown"), Charset::SHIFT_JIS), Charset::UTF_8);
/// assert_eq!(pick_encoding(None, Charset::SHIFT_JIS), Charset::SHIFT_JIS);
/// ```
#[cfg(feature = "encoding")]
#[must_use]
pub fn pick_encoding(accept_charset: Option<&str>, document: Charset) -> Charset {
    let charset = accept_charset.map_or(document, |labels| {
        labels.split_ascii_whitespace().find_map(Charset::for_label).unwrap_or(Charset::UTF_8)
    });
    charset.output_encoding()
}

/// Escapes the name of a field or of a file for the field `Content-Disposition` of `multipart/form-data` in UTF-8.
///
/// LF becomes `%0A`, CR becomes `%0D`, and `"` becomes `%22`
/// ([4.10.22.7](https://html.spec.whatwg.org/#multipart-form-data)). If `name` has none of these bytes, borrows it.
/// Before the call, convert line ends in a field's name to CRLF, but leave line ends in a file's name as they are.
///
/// No receiver can decode the result reliably. `%` isn't escaped, so a `%22` in the result comes from `%22` or from
/// `"`. [`multipart_unescape`] assumes that it comes from `"`.
///
/// # Examples
///
/// ```
/// use percent_standards::form::html::multipart_escape;
/// assert_eq!(multipart_escape("a\"b\r\n%22"), "a%22b%0D%0A%22");
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[must_use]
pub fn multipart_escape(name: &str) -> Cow<'_, str> {
    multipart::ENCODER.encode_str(name)
}

/// Returns the query, without its `?`, that HTML 2 to 4 sends for the text in an `<isindex>` ([RFC 1866
/// 7.5](https://www.rfc-editor.org/rfc/rfc1866#section-7.5)).
///
/// `+` separates the words. A `=` in a word is encoded, because a query with a raw `=` is read as pairs. Borrows `text`
/// if no change is needed.
///
/// # Examples
///
/// ```
/// use percent_standards::form::html::isindex_query;
/// assert_eq!(isindex_query("1+1 = two"), "1%2B1+%3D+two");
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[must_use]
pub fn isindex_query(text: &str) -> Cow<'_, str> {
    whatwg::FORM.encode(text)
}
