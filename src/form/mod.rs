//! Door: `application/x-www-form-urlencoded`.

pub mod html;
#[cfg(feature = "encoding")]
pub mod legacy;
