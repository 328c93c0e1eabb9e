//! Implements each standard in simple code, and lists all operations.
//!
//! The test suites of the standards share this crate. It re-exports [`percent_simd_oracle`].

pub mod rfc3986;
pub mod rfc3987;
pub mod rfc9112;
mod shape;
mod url;
pub mod work;

pub use percent_simd_oracle::*;
pub use shape::{Keeps, assert_keeps_shape, has_scheme};
pub use url::{Part, URL_SETS, is_special_scheme, url_dots, url_encode, url_encode_parts, url_opaque_path, url_path};
