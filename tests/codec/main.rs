//! Compares single calls of the codec with a naive oracle, on every engine. Also tests the shape of the API.

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
