//! `application/x-www-form-urlencoded`, the format of forms and of most query strings
//! ([URL Standard 5](https://url.spec.whatwg.org/#application/x-www-form-urlencoded), at commit 6ae84860d128 of 2 July 2026).
//!
//! ```
//! use percent_standards::form;
//!
//! let pairs: Vec<_> = form::parse("name=J%C3%BCrgen+K.&tag=a%26b").collect();
//! assert_eq!(pairs, [("name".into(), "Jürgen K.".into()), ("tag".into(), "a&b".into())]);
//! assert_eq!(form::serialize(&pairs), "name=J%C3%BCrgen+K.&tag=a%26b");
//! ```
//!
//! [`parse`] and [`serialize`] do as the URL Standard says. [`Parser`] is for everything else on the way in: bytes,
//! text that must be UTF-8, undecoded pairs, errors for malformed escapes, a limit on the number of pairs, `;` between
//! them. [`Serializer`] is for everything else on the way out: `%20` for a space, names without a value, other sets,
//! other places to write to. With the feature `serde`, `from_str` and `to_string` are for the types of a program. The
//! forms of XForms, and what CGI makes of a query, have modules of their own: `xforms` and [`cgi`].

mod block;
pub mod cgi;
pub mod html;
#[cfg(feature = "encoding")]
pub mod legacy;
#[cfg(feature = "alloc")]
mod pair;
mod parse;
#[cfg(feature = "serde")]
mod serde;
mod serialize;
#[cfg(feature = "alloc")]
pub mod xforms;

#[cfg(feature = "serde")]
pub use self::serde::{SerdeError, from_bytes, from_str, to_string};
#[cfg(feature = "alloc")]
pub use parse::{CheckedParse, CheckedParseBytes, Parse, ParseBytes, ParseUtf8, parse};
pub use parse::{CheckedParseRaw, CheckedParser, DECODER, Pair, ParseError, ParseRaw, Parser};
pub use serialize::{ENCODER, display};
#[cfg(feature = "alloc")]
pub use serialize::{Output, Serializer, serialize};
