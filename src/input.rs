//! [`AsBytes`]: the input of every call of this crate.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, borrow::ToOwned, boxed::Box, rc::Rc, string::String, sync::Arc, vec::Vec};
#[cfg(all(feature = "std", any(unix, target_os = "wasi")))]
use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// The input of the calls of this crate: text or bytes.
///
/// A bound of `AsRef<[u8]>` would exclude `Cow<str>`, which many calls return, and `Box<str>`. This trait includes
/// them. For a type of your own, implement the trait, or pass the value's bytes or text. Three kinds of types must be
/// converted first:
///
/// - A type of another crate that is `AsRef<[u8]>` or dereferences to bytes: pass `value.as_ref()` or `&*value`. For a
///   `CStr`, pass `value.to_bytes()`.
/// - A `char`, which isn't stored as UTF-8: pass `&*c.encode_utf8(&mut [0; 4])`.
/// - An [`OsStr`](std::ffi::OsStr) or [`Path`](std::path::Path) on Windows, whose internal form must not leave the
///   program: pass `path.to_str()`, and decide how to treat a name that isn't Unicode. On Unix and WASI, you can pass
///   both types directly.
///
/// # Examples
///
/// ```
/// use std::borrow::Cow;
/// use percent_simd::{Decoder, Encoder, sets};
///
/// // The result of one call is the input of the next.
/// let encoded: Cow<str> = Encoder::new(sets::RFC3986_UNRESERVED).encode("100% café");
/// assert_eq!(Decoder::new().decode_utf8(&encoded)?, "100% café");
///
/// let words: Vec<Cow<[u8]>> = ["a%20b", "c"].into_iter().map(|word| Decoder::new().decode(word)).collect();
/// assert_eq!(words, [&b"a b"[..], b"c"]);
///
/// struct Header(String);
///
/// impl percent_simd::AsBytes for Header {
///     fn as_bytes(&self) -> &[u8] {
///         self.0.as_bytes()
///     }
/// }
/// assert_eq!(Decoder::new().decode(&Header("%41".into())), &b"A"[..]);
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
pub trait AsBytes {
    /// Returns the bytes. For text, these are its UTF-8 form.
    fn as_bytes(&self) -> &[u8];

    /// Returns the text, if the type guarantees text. In that case, calls that decode to text don't check the parts
    /// that decoding leaves unchanged.
    #[inline(always)]
    fn as_text(&self) -> Option<&str> {
        None
    }
}

/// An input. It is `Text` if its type guarantees text.
#[derive(Clone, Copy)]
pub(crate) enum Source<'a> {
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl<'a> Source<'a> {
    #[inline(always)]
    pub(crate) fn new<I: AsBytes + ?Sized>(input: &'a I) -> Source<'a> {
        input.as_text().map_or_else(|| Source::Bytes(input.as_bytes()), Source::Text)
    }

    #[inline(always)]
    pub(crate) fn bytes(self) -> &'a [u8] {
        match self {
            Source::Text(text) => text.as_bytes(),
            Source::Bytes(bytes) => bytes,
        }
    }
}

impl AsBytes for [u8] {
    #[inline(always)]
    fn as_bytes(&self) -> &[u8] {
        self
    }
}

impl<const N: usize> AsBytes for [u8; N] {
    #[inline(always)]
    fn as_bytes(&self) -> &[u8] {
        self
    }
}

impl AsBytes for str {
    #[inline(always)]
    fn as_bytes(&self) -> &[u8] {
        self.as_bytes()
    }

    #[inline(always)]
    fn as_text(&self) -> Option<&str> {
        Some(self)
    }
}

/// Implements [`AsBytes`] for types that dereference to a type that implements it.
macro_rules! as_bytes_of_inner {
    ($([$($generics:tt)*] $type:ty),+ $(,)?) => {
        $(impl<$($generics)*> AsBytes for $type {
            #[inline(always)]
            fn as_bytes(&self) -> &[u8] {
                (**self).as_bytes()
            }

            #[inline(always)]
            fn as_text(&self) -> Option<&str> {
                (**self).as_text()
            }
        })+
    };
}

as_bytes_of_inner!([T: AsBytes + ?Sized] &T, [T: AsBytes + ?Sized] &mut T);

#[cfg(feature = "bytes")]
as_bytes_of_inner!([] bytes::Bytes, [] bytes::BytesMut);

#[cfg(feature = "alloc")]
as_bytes_of_inner!(
    [] String,
    [] Vec<u8>,
    [T: AsBytes + ?Sized] Box<T>,
    [T: AsBytes + ?Sized] Rc<T>,
    [T: AsBytes + ?Sized] Arc<T>,
    [T: AsBytes + ToOwned + ?Sized] Cow<'_, T>,
);

/// Returns the bytes as the system stores them. They may be invalid UTF-8.
#[cfg(all(feature = "std", any(unix, target_os = "wasi")))]
impl AsBytes for OsStr {
    #[inline(always)]
    fn as_bytes(&self) -> &[u8] {
        self.as_encoded_bytes()
    }
}

/// Returns the bytes as the system stores them. They may be invalid UTF-8.
#[cfg(all(feature = "std", any(unix, target_os = "wasi")))]
impl AsBytes for Path {
    #[inline(always)]
    fn as_bytes(&self) -> &[u8] {
        self.as_os_str().as_encoded_bytes()
    }
}

#[cfg(all(feature = "std", any(unix, target_os = "wasi")))]
as_bytes_of_inner!([] OsString, [] PathBuf);
