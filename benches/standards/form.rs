//! `application/x-www-form-urlencoded`.

use super::Trial;

pub(super) fn trials() -> Vec<Trial> {
    Vec::new()
}
