//! Percent-encoding of Arrow arrays: decodes, encodes and normalizes them, and reads the queries of URLs.
//!
//! An array contains text or bytes: with 32-bit or 64-bit offsets, as views, or as a dictionary. The result has the
//! type of the input, unless its function says otherwise. Rows that don't change share their memory with the input.
//!
//! In a dictionary, each value is transformed once. The new dictionary has distinct values and no null. So two rows are
//! equal if and only if their keys are equal. A row is null if and only if its key is null.
//!
//! # Examples
//!
//! ```
//! # #[cfg(not(any(feature = "arrow-59", feature = "arrow-60")))]
//! # fn main() {}
//! # #[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
//! # fn main() -> Result<(), percent_simd_arrow::Error> {
//! use std::sync::Arc;
//!
//! use percent_simd_arrow::arrow_array::{ArrayRef, StringArray};
//! use percent_simd_arrow::{DecodeOptions, decode, query_param};
//!
//! let urls: ArrayRef = Arc::new(StringArray::from(vec![Some("/caf%C3%A9?page=2"), None, Some("/100%")]));
//! let decoded: ArrayRef = Arc::new(StringArray::from(vec![Some("/café?page=2"), None, Some("/100%")]));
//! assert_eq!(&decode(&urls, &DecodeOptions::default())?, &decoded);
//!
//! let pages: ArrayRef = Arc::new(StringArray::from(vec![Some("2"), None, None]));
//! assert_eq!(&query_param(&urls, "page")?, &pages);
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! The feature `arrow-59` or `arrow-60` chooses the version of arrow that your arrays come from. Set exactly one of the
//! two. The module [`arrow_array`] has the array types of that version. If neither is set, the crate has only the
//! module [`sql`], for engines that don't use Arrow.
//!
//! The feature `domains` adds the registrable domain of a URL's host, by the public suffix list.

#[cfg(all(feature = "arrow-59", feature = "arrow-60"))]
compile_error!("set one of the features `arrow-59` and `arrow-60`, not both: an array is of one version of arrow");

#[cfg(feature = "arrow-59")]
pub extern crate arrow_array_59 as arrow_array;
#[cfg(feature = "arrow-60")]
pub extern crate arrow_array_60 as arrow_array;
#[cfg(feature = "arrow-59")]
extern crate arrow_buffer_59 as arrow_buffer;
#[cfg(feature = "arrow-60")]
extern crate arrow_buffer_60 as arrow_buffer;
#[cfg(feature = "arrow-59")]
extern crate arrow_schema_59 as arrow_schema;
#[cfg(feature = "arrow-60")]
extern crate arrow_schema_60 as arrow_schema;

#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
mod arrays;
#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
mod columns;
#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
mod dictionary;
#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
mod each;
mod layers;
#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
mod operation;
mod options;
#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
mod pairs;
#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
mod rows;
pub mod sql;
mod url;
#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
mod urls;

#[cfg(all(doctest, any(feature = "arrow-59", feature = "arrow-60")))]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
pub use arrays::*;
#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
pub use columns::is_text;
pub use layers::Layers;
pub use options::{DecodeOptions, Errors};
#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
pub use pairs::{parse_query, query_map, query_param_by, query_params, query_values};
#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
pub use rows::from_rows;
pub use url::{URL_FIELDS, bytes};
#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
pub use urls::parse_url;
