//! Brings what the suites share, under the name by which they import it.
pub use percent_standards_oracle::*;
