//! Serializes pairs: encodes them as `name=value`, and joins them with `&`.

use core::borrow::Borrow;
use core::fmt::{self, Write};
use core::marker::PhantomData;

use percent_simd::{AsBytes, Encoder, presets};

#[cfg(feature = "alloc")]
use super::pair::{FormPair, FormText, TextBuffer};
#[cfg(feature = "alloc")]
use crate::memory;
#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

/// Encodes a name or value as [`serialize`] does
/// ([URL Standard 5.2](https://url.spec.whatwg.org/#urlencoded-serializing)).
///
/// It uses the *application/x-www-form-urlencoded percent-encode set*, and writes a space as `+`.
///
/// # Examples
///
/// ```
/// use percent_standards::form;
/// assert_eq!(form::ENCODER.encode("1 + 1 = 2~"), "1+%2B+1+%3D+2%7E");
/// ```
pub const ENCODER: Encoder = presets::WHATWG_FORM;

/// Returns the form of these pairs as text ([URL Standard 5.2](https://url.spec.whatwg.org/#urlencoded-serializing)).
///
/// If the pairs are UTF-8, [`parse`](super::parse()) returns the same pairs from the result.
/// [`Parser::parse_bytes`](super::Parser::parse_bytes) returns the same pairs in every case. Names and values can be
/// text, which is encoded as UTF-8, or bytes, which are encoded as they are. Line ends stay as they are. If you submit
/// an HTML form, line ends must become CRLF: use [`html`](super::html).
///
/// # Examples
///
/// ```
/// use percent_standards::form;
///
/// assert_eq!(form::serialize([("q", "a b&c"), ("é", "")]), "q=a+b%26c&%C3%A9=");
/// assert_eq!(form::serialize(vec![(String::from("info_hash"), vec![0x12, 0xFF])]), "info_hash=%12%FF");
///
/// // Pairs can be borrowed, too: a slice, a vector, a map.
/// let map = std::collections::BTreeMap::from([("q", String::from("1")), ("page", 2.to_string())]);
/// assert_eq!(form::serialize(&map), "page=2&q=1");
/// ```
///
/// To write numbers, convert them with `to_string`, or serialize a type with the feature `serde`.
///
/// [`Serializer`] has more options. [`display`] writes to any writer, and works without an allocator.
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn serialize<N: AsBytes, V: AsBytes>(pairs: impl IntoIterator<Item: Borrow<(N, V)>>) -> String {
    let mut form = FormText::new(&ENCODER);
    let mut separator = None;
    for pair in pairs {
        let (name, value) = pair.borrow();
        let pair = FormPair { separator, name: name.as_bytes(), value: Some(value.as_bytes()) };
        memory::infallible(form.push(&pair));
        separator = Some(b'&');
    }
    memory::infallible(form.finish())
}

/// Returns a value that you can pass to `format!` and `write!`. It writes the form of these pairs without an
/// allocation.
///
/// # Examples
///
/// ```
/// use percent_standards::form;
/// assert_eq!(format!("/search?{}", form::display([("q", "1+1"), ("page", "2")])), "/search?q=1%2B1&page=2");
/// ```
pub fn display<N: AsBytes, V: AsBytes>(pairs: impl IntoIterator<Item: Borrow<(N, V)>> + Clone) -> impl fmt::Display {
    Display(pairs, PhantomData)
}

struct Display<P, N, V>(P, PhantomData<(N, V)>);

impl<N: AsBytes, V: AsBytes, P: IntoIterator<Item: Borrow<(N, V)>> + Clone> fmt::Display for Display<P, N, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, pair) in self.0.clone().into_iter().enumerate() {
            let (name, value) = pair.borrow();
            if number > 0 {
                f.write_char('&')?;
            }
            ENCODER.encode_fmt(name, f)?;
            f.write_char('=')?;
            ENCODER.encode_fmt(value, f)?;
        }
        Ok(())
    }
}

/// A target that a [`Serializer`] can write to: a `String` or a `Vec<u8>`, owned or as `&mut`.
#[cfg(feature = "alloc")]
pub trait Output: private::Output {}

#[cfg(feature = "alloc")]
impl<O: private::Output> Output for O {}

#[cfg(feature = "alloc")]
mod private {
    use super::{String, TextBuffer, Vec};

    pub trait Output {
        type Buffer: TextBuffer;
        fn buffer(&mut self) -> &mut Self::Buffer;
    }

    impl Output for String {
        type Buffer = String;
        #[inline]
        fn buffer(&mut self) -> &mut String {
            self
        }
    }

    impl Output for Vec<u8> {
        type Buffer = Vec<u8>;
        #[inline]
        fn buffer(&mut self) -> &mut Vec<u8> {
            self
        }
    }

    impl<O: Output> Output for &mut O {
        type Buffer = O::Buffer;
        #[inline]
        fn buffer(&mut self) -> &mut O::Buffer {
            (**self).buffer()
        }
    }
}

/// Serializes a form, pair by pair, to the end of a `String` or a `Vec<u8>`
/// ([URL Standard 5.2](https://url.spec.whatwg.org/#urlencoded-serializing)).
///
/// # Examples
///
/// ```
/// use percent_standards::form::Serializer;
///
/// let mut form = Serializer::new();
/// form.append("q", "a b").append_name("flag").append("bytes", [0xFF]);
/// assert_eq!(form.finish(), "q=a+b&flag&bytes=%FF");
///
/// // Append to existing text, with other spaces and separators.
/// let mut url = String::from("https://example.com/?");
/// Serializer::append_to(&mut url).percent_spaces().semicolons().append("q", "a b").append("page", "2");
/// assert_eq!(url, "https://example.com/?q=a%20b;page=2");
/// ```
///
/// # Panics
/// Methods that append panic if memory cannot be allocated.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug)]
pub struct Serializer<O = String> {
    out: O,
    /// The encoder. `None` means [`ENCODER`], so a serializer that writes only one pair doesn't need to copy it.
    encoder: Option<Encoder>,
    separator: u8,
    /// True if a separator is needed before the next pair.
    continued: bool,
    /// How serde writes structures inside of structures.
    #[cfg(feature = "serde")]
    pub(super) nested: super::Brackets,
}

#[cfg(feature = "alloc")]
impl Serializer {
    /// Creates a serializer that writes to a new `String`. The first pair gives it a capacity of at least 128 bytes.
    #[must_use]
    pub const fn new() -> Serializer {
        Serializer::append_to(String::new())
    }
}

#[cfg(feature = "alloc")]
impl Default for Serializer {
    fn default() -> Serializer {
        Serializer::new()
    }
}

#[cfg(feature = "alloc")]
impl<O> Serializer<O> {
    /// Creates a serializer that appends to `out`: a `String`, a `Vec<u8>`, or a `&mut` to one.
    #[must_use]
    pub const fn append_to(out: O) -> Serializer<O> {
        Serializer {
            out,
            encoder: None,
            separator: b'&',
            continued: false,
            #[cfg(feature = "serde")]
            nested: super::Brackets::OFF,
        }
    }

    /// Writes a space as `%20` instead of `+`. Every form parser reads both `%20` and `+` as a space. But a program
    /// that decodes the result as a URI component reads only `%20` as a space.
    #[must_use]
    pub fn percent_spaces(self) -> Serializer<O> {
        self.encoder(Encoder::new(presets::WHATWG_FORM.allowed()))
    }

    /// Encodes names and values with `encoder`. The encoder should encode `&`, `=`, `%` and `+`. Otherwise the pairs
    /// that a parser reads can differ from the pairs that you wrote.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, presets, sets};
    /// use percent_standards::form::Serializer;
    ///
    /// let mut form = Serializer::new().encoder(Encoder::new(sets::RFC3986_UNRESERVED));
    /// form.append("q", "a*b~c");
    /// assert_eq!(form.finish(), "q=a%2Ab~c");
    /// ```
    #[must_use]
    pub fn encoder(mut self, encoder: Encoder) -> Serializer<O> {
        self.encoder = Some(encoder);
        self
    }

    /// Writes `;` between pairs instead of `&` (HTML 4.01 B.2.2, and the default of XForms 1.0). The encoder should
    /// also encode `;`.
    #[must_use]
    pub fn semicolons(mut self) -> Serializer<O> {
        self.separator = b';';
        self
    }

    /// Lets serde write structures inside of structures, with brackets in their names.
    ///
    /// The elements of a sequence get numbers, as in `a[0]`. But with [`Brackets::RAILS`](super::Brackets::RAILS), only
    /// elements that are structures get numbers, and other elements are written as `a[]`. To read the result, pass the
    /// same [`Brackets`](super::Brackets) to [`Config::nested`](super::Config::nested).
    ///
    /// Brackets are percent-encoded, as in every form. PHP, Rails and this crate decode names before they search for
    /// brackets. `serde_qs` does so only with its option `use_form_encoding`.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use percent_standards::form::{Brackets, Config, DECODER, Serializer};
    ///
    /// let value = BTreeMap::from([("a", BTreeMap::from([("b", vec!["c", "d"])]))]);
    /// let mut form = Serializer::new().nested(Brackets::RAILS);
    /// form.serialize(&value)?;
    /// let form = form.finish();
    /// assert_eq!(form, "a%5Bb%5D%5B%5D=c&a%5Bb%5D%5B%5D=d");
    /// assert_eq!(DECODER.decode(&form), &b"a[b][]=c&a[b][]=d"[..]);
    ///
    /// let config = Config { nested: Brackets::RAILS, ..Config::new() };
    /// let again: BTreeMap<&str, BTreeMap<&str, Vec<&str>>> = config.deserialize("a[b][]=c&a[b][]=d")?;
    /// assert_eq!(again, value);
    /// # Ok::<(), percent_standards::form::SerdeError>(())
    /// ```
    #[cfg(feature = "serde")]
    #[must_use]
    pub fn nested(mut self, brackets: super::Brackets) -> Serializer<O> {
        self.nested = brackets;
        self
    }

    /// Writes a separator even before the first pair. Use this if the output already has pairs.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::form::Serializer;
    /// let mut form = String::from("a=1");
    /// Serializer::append_to(&mut form).after_existing_pairs().append("b", "2");
    /// assert_eq!(form, "a=1&b=2");
    /// ```
    #[must_use]
    pub fn after_existing_pairs(mut self) -> Serializer<O> {
        self.continued = true;
        self
    }

    /// Returns the output that the pairs were written to.
    #[must_use]
    pub fn finish(self) -> O {
        self.out
    }
}

#[cfg(feature = "alloc")]
impl<O: Output> Serializer<O> {
    /// Appends a name and a value.
    pub fn append(&mut self, name: impl AsBytes, value: impl AsBytes) -> &mut Serializer<O> {
        self.pair(name.as_bytes(), Some(value.as_bytes()))
    }

    /// Appends a name without a value and without a `=`. A parser reads it as a pair with an empty value. If the name
    /// is empty, writes no text, so a parser finds no pair.
    pub fn append_name(&mut self, name: impl AsBytes) -> &mut Serializer<O> {
        self.pair(name.as_bytes(), None)
    }

    /// Appends several pairs, owned or borrowed, like [`serialize`].
    pub fn append_all<N: AsBytes, V: AsBytes>(
        &mut self,
        pairs: impl IntoIterator<Item: Borrow<(N, V)>>,
    ) -> &mut Serializer<O> {
        for pair in pairs {
            let (name, value) = pair.borrow();
            self.append(name, value);
        }
        self
    }

    /// Returns the state of the output. Pass it to `reset` to return to this state.
    #[cfg(feature = "serde")]
    pub(super) fn mark(&mut self) -> (usize, bool) {
        (self.out.buffer().len(), self.continued)
    }

    /// Removes all pairs that were appended after `mark` returned this state.
    #[cfg(feature = "serde")]
    pub(super) fn reset(&mut self, (len, continued): (usize, bool)) {
        self.out.buffer().truncate(len);
        self.continued = continued;
    }

    #[inline]
    fn pair(&mut self, name: &[u8], value: Option<&[u8]>) -> &mut Serializer<O> {
        let separator = self.continued.then_some(self.separator);
        let encoder = self.encoder.as_ref().unwrap_or(&ENCODER);
        memory::infallible(FormPair { separator, name, value }.append(encoder, self.out.buffer()));
        self.continued = true;
        self
    }
}
