//! Checks the cases of other test suites, in tables of our own: input, expected result, and source. If this library
//! differs from the suite, the row gives the difference and the reason.

use percent_standards_oracle as common;

mod ecma;
#[cfg(feature = "idna")]
mod idna;
mod template;
mod whatwg;
