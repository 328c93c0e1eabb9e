//! `application/x-www-form-urlencoded`, the format of forms and of most query strings
//! ([URL Standard 5](https://url.spec.whatwg.org/#application/x-www-form-urlencoded), at commit 6ae84860d128 of 2 July
//! 2026).
//!
//! ```
//! use percent_standards::form;
//!
//! let pairs: Vec<_> = form::parse("name=J%C3%BCrgen+K.&tag=a%26b").collect();
//! assert_eq!(pairs, [("name".into(), "Jürgen K.".into()), ("tag".into(), "a&b".into())]);
//! assert_eq!(form::serialize(&pairs), "name=J%C3%BCrgen+K.&tag=a%26b");
//! ```
//!
//! | you want | use |
//! | --- | --- |
//! | to read or write a form as the URL Standard does | [`parse`], [`serialize`] |
//! | bytes, undecoded pairs, text that must be UTF-8, errors for malformed escapes, a limit on the number of pairs, or `;` between pairs | [`Parser`] |
//! | to sort a form, as `URLSearchParams.sort()` does | [`Pairs`] |
//! | `%20` for a space, names without a value, another set, or another place to write to | [`Serializer`] |
//! | to read or write the types of your program | `from_str`, `to_string` (feature `serde`) |
//! | ... with checkboxes, empty fields, or names such as `a[b][]` | `Config` (feature `serde`) |
//! | to submit a form as a browser does | `html` |
//! | the forms of XForms | `xforms` |
//! | the query as CGI programs receive it | [`cgi`] |

mod block;
pub mod cgi;
mod error;
pub mod html;
#[cfg(feature = "encoding")]
pub mod legacy;
#[cfg(feature = "alloc")]
mod pair;
mod parse;
mod scan;
#[cfg(feature = "serde")]
mod serde;
mod serialize;
#[cfg(feature = "alloc")]
mod sorted;
#[cfg(feature = "alloc")]
pub mod xforms;

#[cfg(feature = "serde")]
pub use self::serde::{Brackets, Config, Duplicates, SerdeError, as_text, from_bytes, from_str, to_string};
pub use error::ParseError;
#[cfg(feature = "alloc")]
pub use parse::{CheckedParse, CheckedParseBytes, Parse, ParseBytes, ParseUtf8, parse};
pub use parse::{CheckedParseRaw, CheckedParser, ParseRaw, Parser};
pub use scan::{DECODER, Pair};
pub use serialize::{ENCODER, display};
#[cfg(feature = "alloc")]
pub use serialize::{Output, Serializer, serialize};
#[cfg(feature = "alloc")]
pub use sorted::Pairs;
