//! Door: `application/x-www-form-urlencoded`.
