//! The codec in single calls, on every engine, compared with a naive oracle; and the shape of its API.

use percent_simd_oracle as common;

mod api;
mod cases;
mod cells;
mod engines;
mod exhaustive;
mod guard;
mod internal;
mod languages;
mod latent;
mod properties;
mod sets;
