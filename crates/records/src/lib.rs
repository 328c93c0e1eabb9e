//! Decodes, encodes and rewrites the URLs in logs and tables, without breaking a record.
//!
//! [`formats::resolve`] recognizes the format of an input, [`formats::build`] builds it, and [`transform::Rewriter`] applies a
//! [`transform::Spec`] to the chosen fields. The crate reads no files, starts no threads, and knows no command line.
//!
//! The crate is made for the command `pct`, the web page and the fuzzers of this project. Other programs may use it, but its
//! interface may change in every minor version.
//!
//! # Examples
//!
//! ```
//! use percent_simd::Plus;
//! use percent_simd_records::formats::{Choice, Name, build, resolve};
//! use percent_simd_records::transform::{Action, Rewriter, Spec};
//!
//! let log = br#"{"status":200,"url":"/caf%C3%A9?q=%22%0A"}"#;
//! let guess = resolve(&Name::Auto { or_text: false }, log, &[]).unwrap();
//! assert_eq!(guess.name.text(), "ndjson");
//!
//! let format = build(&guess.name, &guess.choice.unwrap_or_default()).unwrap();
//! let mut out = Vec::new();
//! Rewriter::new(format, &Spec::of_fields(Action::Decode { plus: Plus::Never })).rewrite(log, &mut out);
//! assert_eq!(out, r#"{"status":200,"url":"/café?q=\"%0A"}"#.as_bytes());
//! ```
//!
//! # From bytes to records and back
//!
//! A rewriter processes an input in seven steps. The right column shows the example above.
//!
//! | step | result in the example |
//! | --- | --- |
//! | 1. [`Framing`](framing::Framing) cuts the bytes into records. Chunks of an input end between records. | one record, because JSON lines end with LF |
//! | 2. [`Format::fields`](formats::Format::fields) finds the chosen fields of a record, and gives each a [`Rule`](formats::Rule). | bytes 21 to 39; the rule: controls stay escaped, and the value is a URL in a JSON string |
//! | 3. [`Wrap::read`](formats::Wrap::read) removes the quotes or escapes of the format. The result is the value. | `/caf%C3%A9?q=%22%0A` |
//! | 4. A search finds the first `%` of the value. If the value has no `%`, the field is copied. | offset 4 of the value |
//! | 5. [`Part`](transform::Part) limits the work to a part of the URL, if the spec names one. | the whole value; with `Part::Query`, only `q=%22%0A` |
//! | 6. The action converts the value. Decoding keeps the escapes that the rule, the part and the spec list. | `/café?q="%0A` |
//! | 7. [`Wrap::write`](formats::Wrap::write) adds quotes and escapes again. All other bytes are copied. | `/café?q=\"%0A` |
//!
//! The same steps handle the CSV record `1,/a%2Cb%0A`. The field `/a%2Cb%0A` is decoded to `/a,b%0A`. It contains a delimiter, so
//! step 7 writes it in quotes: `1,"/a,b%0A"`. A value may also contain a record of another format, for example a line of an access
//! log in a JSON string. Step 6 then runs all steps for that inner record.
//!
//! # Why a record can't be forged
//!
//! The output has the same records and fields as the input. Only the values of chosen fields change. Five facts ensure
//! this:
//!
//! 1. Bytes outside the chosen fields are copied. If a record doesn't fit its format, or can be read in two ways, the whole record
//!    is copied. So text that a client chose can't be mistaken for another field.
//! 2. If a value is written verbatim ([`Wrap::Verbatim`](formats::Wrap::Verbatim)), a decoded byte could end its field
//!    or record. So [`Rule::keep`](formats::Rule::keep) lists every byte that could, and every byte that starts an
//!    escape of the format. The decoder keeps the escapes of these bytes in every layer. If the rule lists the space, a
//!    `+` doesn't become a space.
//! 3. If a value is written in another way, step 7 quotes or escapes it again. So the value may contain any byte that
//!    the format can represent.
//! 4. Most formats separate fields with ASCII bytes. If a format string uses other bytes, the rule lists these bytes
//!    too. So no byte of a decoded non-ASCII character can end a field. But the character can control a terminal or
//!    deceive a reader. So we search the decoded value for C1 and bidi controls, U+2028, U+2029 and invalid UTF-8. If
//!    we find any, we decode the value again and keep the escapes of these characters and bytes.
//! 5. Verbs, and the decoding of log escapes (`\x0A`), keep the same bytes escaped. The list of these bytes is in a
//!    [`Guard`](guard::Guard).
//!
//! There are two exceptions. With [`Spec::raw`](transform::Spec::raw), no escape stays to protect the record. And if
//! every record is one field, as in `lines`, all escapes of bytes from 0x80 to 0xFF are decoded, because lines may be
//! in any charset.
//!
//! The tests of `pct` check this with hostile records in every format. They read the output with parsers that share no
//! code with this crate.
#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod formats;
pub mod framing;
pub mod guard;
pub mod place;
pub mod policy;
pub mod transform;
pub mod verb;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
