//! Records of logs and tables, as the command `pct` knows them: where they end, which of their fields hold URLs, and how these
//! are decoded without breaking a record.
//!
//! [`formats`] has the formats, of which [`formats::resolve`] recognizes the one that an input is in; each says where the
//! fields of a record are, and which bytes may not appear in them. [`transform::Rewriter`] applies a [`transform::Spec`] to the
//! chosen fields of an input. Nothing here reads files, starts threads, or looks at a command line.
//!
//! It is made for `pct`, the page and the fuzzers of the project. Other programs may use it, but its interface changes with
//! their needs, in minor versions as well.
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
#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod formats;
pub mod framing;
pub mod guard;
pub mod place;
pub mod policy;
pub mod transform;
pub mod verb;
