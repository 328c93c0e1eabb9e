//! Checks the cases of other test suites. The cases are in our own tables: input, expected result, and source. If this
//! library differs from a suite, the row names the difference and the reason.

use percent_standards_oracle as common;

mod ecma;
#[cfg(feature = "idna")]
mod idna;
mod template;
mod whatwg;
