//! The `application/x-www-form-urlencoded` of XForms, which is not that of HTML
//! ([XForms 1.0 11.6](https://www.w3.org/TR/2007/REC-xforms-20071029/#serialize-urlencode),
//! [XForms 1.1 11.9.8](https://www.w3.org/TR/xforms11/#serialize-urlencode)).
//!
//! ```
//! use percent_standards::form::xforms::{Separator, serialize};
//!
//! let leaves = [("a", "x y"), ("b", "é;&\n")];
//! assert_eq!(serialize(leaves, Separator::Semicolon), "a=x+y;b=%C3%A9%3B%26%0D%0A");
//! ```
//!
//! The result is parsed by a [`Parser`](super::Parser), with its [`semicolons`](super::Parser::semicolons) where
//! those separate.

use core::borrow::Borrow;

use alloc::string::String;

use percent_simd::{Encoder, sets};

use super::serialize::Serializer;
use crate::newline::Newline;

/// The delimiter of pairs: the `separator` of a submission, which has these two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Separator {
    /// `;`, which XForms 1.0 takes where nothing is said.
    Semicolon,
    /// `&`, which XForms 1.1 takes where nothing is said.
    Ampersand,
}

/// Returns the form of these leaves: elements that hold text and no elements, in document order, each as its local name
/// and its text (XForms 1.0 11.6, 1.1 11.9.8). Attributes, namespaces and elements that hold elements have no place in
/// it.
///
/// A space becomes `+` and every newline, be it LF, CR or both, `%0D%0A`. All that is not unreserved in RFC 3986 2.3
/// becomes triplets, in UTF-8. An element without text is written with its `=`.
///
/// # Panics
///
/// If memory cannot be allocated.
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
