#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::borrow::{Borrow, Cow};
use alloc::string::String;
use core::fmt;

use percent_simd::{EncodePieces, Encoder, internal};
use percent_standards::form;

/// Parses a form to its pairs, and decodes names and values to text (URL Standard 5.1).
///
/// Pairs are separated by `&`, and empty pairs are skipped. The first `=` ends the name. If a pair has no `=`, its value is
/// empty. A `+` is a space. A `%` that starts no triplet stays. Each maximal part that is not UTF-8 becomes U+FFFD. Names and
/// values that don't change are borrowed.
///
/// # Examples
///
/// ```
/// assert!(form_urlencoded::parse(b"a%26b=c+d&&e").eq([("a&b".into(), "c d".into()), ("e".into(), "".into())]));
/// ```
#[inline]
pub fn parse(input: &[u8]) -> Parse<'_> {
    Parse { pairs: form::parse(input) }
}

/// Iterates over the pairs of a form. [`parse`] returns it.
#[derive(Copy, Clone)]
pub struct Parse<'a> {
    pairs: form::Parse<'a>,
}

impl<'a> Parse<'a> {
    /// Returns an iterator over the pairs as `String`s.
    pub fn into_owned(self) -> ParseIntoOwned<'a> {
        ParseIntoOwned { pairs: self }
    }
}

impl<'a> Iterator for Parse<'a> {
    type Item = (Cow<'a, str>, Cow<'a, str>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.pairs.next()
    }
}

/// Iterates over the pairs of a form as `String`s. [`Parse::into_owned`] returns it.
pub struct ParseIntoOwned<'a> {
    pairs: Parse<'a>,
}

impl Iterator for ParseIntoOwned<'_> {
    type Item = (String, String);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.pairs.next()?;
        Some((name.into_owned(), value.into_owned()))
    }
}

/// Serialises a name or a value (URL Standard 5.2).
///
/// Letters, digits and `*-._` stay, a space becomes `+`, and every other byte becomes a triplet. The result is an
/// iterator over pieces of text. A piece is a single triplet, a single `+`, or a run of bytes that stay. A run is
/// borrowed from the input, and as long as possible.
///
/// # Examples
///
/// ```
/// assert!(form_urlencoded::byte_serialize(b"fish & chips").eq(["fish", "+", "%26", "+", "chips"]));
/// ```
#[inline]
pub fn byte_serialize(input: &[u8]) -> ByteSerialize<'_> {
    ByteSerialize { pieces: EncodePieces::new(&form::ENCODER, input) }
}

/// Iterates over the pieces of a serialised name or value. [`byte_serialize`] returns it.
pub struct ByteSerialize<'a> {
    pieces: EncodePieces<'a, &'static Encoder>,
}

impl fmt::Debug for ByteSerialize<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ByteSerialize").field("bytes", &internal::rest(&self.pieces)).finish()
    }
}

impl<'a> Iterator for ByteSerialize<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        self.pieces.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pieces.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'a str) -> B>(self, init: B, f: F) -> B {
        self.pieces.fold(init, f)
    }
}

/// A function that converts text to bytes in an encoding other than UTF-8. The serializer then percent-encodes these bytes.
pub type EncodingOverride<'a> = Option<&'a dyn Fn(&str) -> Cow<'_, [u8]>>;

/// A target that a [`Serializer`] can write to.
pub trait Target {
    /// Returns the string to write to.
    fn as_mut_string(&mut self) -> &mut String;
    /// Returns the value that [`Serializer::finish`] returns.
    fn finish(self) -> Self::Finished;
    /// The type of the value that [`Serializer::finish`] returns.
    type Finished;
}

impl Target for String {
    fn as_mut_string(&mut self) -> &mut String {
        self
    }

    fn finish(self) -> Self {
        self
    }

    type Finished = Self;
}

impl Target for &mut String {
    fn as_mut_string(&mut self) -> &mut String {
        self
    }

    fn finish(self) -> Self {
        self
    }

    type Finished = Self;
}

/// Serialises pairs, and appends them to a string (URL Standard 5.2).
///
/// # Examples
///
/// ```
/// let form = form_urlencoded::Serializer::new(String::new())
///     .append_pair("name", "Jürgen K.")
///     .append_key_only("flag")
///     .finish();
/// assert_eq!(form, "name=J%C3%BCrgen+K.&flag");
/// ```
pub struct Serializer<'a, T: Target> {
    /// `None` after `finish`.
    target: Option<T>,
    start: usize,
    encoding: EncodingOverride<'a>,
}

impl<'a, T: Target> Serializer<'a, T> {
    /// Creates a serializer that appends to `target`. The target is empty or holds a form.
    pub fn new(target: T) -> Self {
        Serializer::for_suffix(target, 0)
    }

    /// Creates a serializer that appends to the form that begins at byte `start_position` of `target`.
    ///
    /// The form ends where `target` ends, and can be empty.
    ///
    /// # Panics
    ///
    /// Panics if `target` is shorter than `start_position`.
    pub fn for_suffix(mut target: T, start_position: usize) -> Self {
        let len = target.as_mut_string().len();
        assert!(len >= start_position, "invalid length {start_position} for target of length {len}");
        Serializer { target: Some(target), start: start_position, encoding: None }
    }

    /// Removes all pairs.
    ///
    /// # Panics
    ///
    /// Panics after [`finish`](Self::finish), like all methods below.
    pub fn clear(&mut self) -> &mut Self {
        let start = self.start;
        self.string().truncate(start);
        self
    }

    /// Sets the function that converts names and values to bytes. Without it, the bytes are UTF-8.
    pub fn encoding_override(&mut self, new: EncodingOverride<'a>) -> &mut Self {
        self.encoding = new;
        self
    }

    /// Appends a name and a value.
    pub fn append_pair(&mut self, name: &str, value: &str) -> &mut Self {
        self.append(name, Some(value))
    }

    /// Appends a name without a value, and without a `=`.
    pub fn append_key_only(&mut self, name: &str) -> &mut Self {
        self.append(name, None)
    }

    /// Appends several pairs.
    pub fn extend_pairs<I, K, V>(&mut self, iter: I) -> &mut Self
    where
        I: IntoIterator,
        I::Item: Borrow<(K, V)>,
        K: AsRef<str>,
        V: AsRef<str>,
    {
        self.string(); // panics after `finish` even if `iter` is empty
        for pair in iter {
            let (name, value) = pair.borrow();
            self.append(name.as_ref(), Some(value.as_ref()));
        }
        self
    }

    /// Appends several names without a value.
    pub fn extend_keys_only<I, K>(&mut self, iter: I) -> &mut Self
    where
        I: IntoIterator,
        I::Item: Borrow<K>,
        K: AsRef<str>,
    {
        self.string(); // panics after `finish` even if `iter` is empty
        for name in iter {
            self.append(name.borrow().as_ref(), None);
        }
        self
    }

    /// Returns the string with the serialised form.
    ///
    /// # Panics
    ///
    /// Panics if it is called a second time.
    pub fn finish(&mut self) -> T::Finished {
        self.target.take().expect("url::form_urlencoded::Serializer double finish").finish()
    }

    fn string(&mut self) -> &mut String {
        self.target.as_mut().expect("url::form_urlencoded::Serializer finished").as_mut_string()
    }

    #[inline]
    fn append(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        let (start, encoding) = (self.start, self.encoding);
        let string = self.string();
        let is_first = string.len() <= start;
        let form = form::Serializer::append_to(string);
        let mut form = if is_first { form } else { form.after_existing_pairs() };
        match (encoding, value) {
            (None, Some(value)) => form.append(name, value),
            (None, None) => form.append_name(name),
            (Some(encode), Some(value)) => form.append(encode(name), encode(value)),
            (Some(encode), None) => form.append_name(encode(name)),
        };
        self
    }
}
