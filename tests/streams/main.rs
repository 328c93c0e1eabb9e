//! Input in parts: chunks of a stream, and rows of a batch.

use percent_simd_oracle as common;

mod batch;
mod stream;
