//! Holds what other suites expect, as facts in tables of our own: input, expected result, and where it is from. Where this
//! library does something else, the row says so and why.

use percent_standards_oracle as common;

mod ecma;
#[cfg(feature = "idna")]
mod idna;
mod template;
mod whatwg;
