//! Serializes forms as XForms does. Its `application/x-www-form-urlencoded` differs from HTML's ([XForms 1.0
//! 11.6](https://www.w3.org/TR/2007/REC-xforms-20071029/#serialize-urlencode), [XForms 1.1
//! 11.9.8](https://www.w3.org/TR/xforms11/#serialize-urlencode)).
//!
//! ```
//! use percent_standards::form::xforms::{Separator, serialize};
//!
//! let leaves = [("a", "x y"), ("b", "é;&\n")];
//! assert_eq!(serialize(leaves, Separator::Semicolon), "a=x+y;b=%C3%A9%3B%26%0D%0A");
//! ```
//!
//! A [`Parser`](super::Parser) reads the result. If `;` separates the pairs, use its
//! [`semicolons`](super::Parser::semicolons).

use core::borrow::Borrow;

use alloc::string::String;

use percent_simd::{Encoder, sets};

use super::serialize::Serializer;
use crate::newline::Newline;

/// The separator of pairs. A submission names it in the attribute `separator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Separator {
    /// `;`, the default of XForms 1.0.
    Semicolon,
    /// `&`, the default of XForms 1.1.
    Ampersand,
}

/// Returns the form of these leaves (XForms 1.0 11.6, 1.1 11.9.8). Each leaf is given as its local name and its text.
///
/// A leaf is an element that contains text and no other elements. Give the leaves in document order. A form can't
/// represent attributes, namespaces, and elements that contain elements.
///
/// - A space becomes `+`.
/// - A line end (LF, CR or both) becomes `%0D%0A`.
/// - A character that isn't unreserved in RFC 3986 2.3 becomes triplets, in UTF-8.
/// - For an element without text, the name and the `=` are written.
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[must_use]
pub fn serialize<N: AsRef<str>, T: AsRef<str>>(
    leaves: impl IntoIterator<Item: Borrow<(N, T)>>,
    separator: Separator,
) -> String {
    const ENCODER: Encoder = Encoder::new(sets::RFC3986_UNRESERVED).space_to_plus();
    let mut form = Serializer::new().encoder(ENCODER);
    if separator == Separator::Semicolon {
        form = form.semicolons();
    }
    for leaf in leaves {
        let (name, text) = leaf.borrow();
        form.append(name.as_ref(), &*Newline::CrLf.apply(text.as_ref()));
    }
    form.finish()
}
