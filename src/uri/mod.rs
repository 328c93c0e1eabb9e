//! Door: URIs, RFC 3986.

pub mod data;
pub mod mailto;
