//! Makes vectors and strings, and panics if memory can't be allocated.
//!
//! A caller can catch a panic. But the collections of the standard library would end the process.

use alloc::{borrow::Cow, collections::TryReserveError, string::String, vec::Vec};

use percent_simd::internal;

/// Unwraps a result. The result is an error only if memory can't be allocated.
#[inline]
pub(crate) fn infallible<T>(result: Result<T, TryReserveError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => out_of_memory(error),
    }
}

#[cold]
fn out_of_memory(error: TryReserveError) -> ! {
    panic!("the result cannot be stored: {error}")
}

/// Returns an empty vector with space for `capacity` items.
#[inline(always)]
pub(crate) fn vec<T>(capacity: usize) -> Vec<T> {
    match internal::try_vec(capacity) {
        Some(vec) => vec,
        None => reserved(capacity),
    }
}

/// Returns the vector if the first attempt of [`vec`] to allocate it has failed. If the second attempt fails too,
/// panics.
#[cold]
#[inline(never)]
fn reserved<T>(capacity: usize) -> Vec<T> {
    let mut vec = Vec::new();
    infallible(vec.try_reserve_exact(capacity));
    vec
}

/// Returns an empty string with space for `capacity` bytes.
#[inline(always)]
pub(crate) fn string(capacity: usize) -> String {
    String::from_utf8(vec(capacity)).unwrap_or_default() // never fails: an empty vector is UTF-8
}

/// Returns a vector of `len` zeros.
pub(crate) fn zeros(len: usize) -> Vec<u8> {
    let mut zeros = vec(len);
    zeros.resize(len, 0);
    zeros
}

/// Copies the items into a new vector.
#[inline(always)]
pub(crate) fn copy<T: Copy>(items: &[T]) -> Vec<T> {
    let mut vec = vec(items.len());
    vec.extend_from_slice(items);
    vec
}

/// Collects the items of an iterator that knows its exact length.
#[inline(always)]
pub(crate) fn collect<T>(items: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut vec = vec(items.len());
    vec.extend(items);
    vec
}

/// Returns the text as a `String`. Copies it only if it is borrowed.
#[inline(always)]
pub(crate) fn owned(string: Cow<'_, str>) -> String {
    match string {
        Cow::Borrowed(string) => text(string),
        Cow::Owned(string) => string,
    }
}

/// Copies the text into a new string.
#[inline(always)]
pub(crate) fn text(text: &str) -> String {
    let mut string = string(text.len());
    string.push_str(text);
    string
}

/// Returns the bytes as a `Vec`. Copies them only if they are borrowed.
#[cfg(feature = "encoding")]
pub(crate) fn owned_bytes(bytes: Cow<'_, [u8]>) -> Vec<u8> {
    match bytes {
        Cow::Borrowed(bytes) => copy(bytes),
        Cow::Owned(bytes) => bytes,
    }
}

/// Joins the pieces to one string.
pub(crate) fn concat(pieces: &[&str]) -> String {
    let mut string = string(pieces.iter().fold(0, |sum: usize, piece| sum.saturating_add(piece.len())));
    for piece in pieces {
        string.push_str(piece);
    }
    string
}

/// Replaces each `from` by `to`. `from` is ASCII, and `to` isn't empty.
pub(crate) fn replace(text: &str, from: u8, to: &str) -> String {
    let found = || memchr::memchr_iter(from, text.as_bytes());
    let mut string = string(text.len().saturating_add(found().count().saturating_mul(to.len() - 1)));
    let mut copied = 0;
    for at in found() {
        string.push_str(&text[copied..at]);
        string.push_str(to);
        copied = at + 1;
    }
    string.push_str(&text[copied..]);
    string
}

/// Appends text to a string. The string grows if necessary.
#[inline]
pub(crate) fn push_str(string: &mut String, text: &str) {
    infallible(string.try_reserve(text.len()));
    string.push_str(text);
}

/// Appends an item to a vector. The vector grows if necessary.
#[inline]
pub(crate) fn push<T>(vec: &mut Vec<T>, item: T) {
    infallible(vec.try_reserve(1));
    vec.push(item);
}

/// Appends items to a vector. The vector grows if necessary.
#[inline]
pub(crate) fn extend<T: Copy>(vec: &mut Vec<T>, items: &[T]) {
    infallible(vec.try_reserve(items.len()));
    vec.extend_from_slice(items);
}
