//! Tests of forms, charsets, ECMAScript's functions, HTTP fields and other text that isn't a URI.

use percent_standards_oracle as common;

mod charset;
mod ecma;
mod form;
mod form_nested;
mod form_round_trip;
mod form_serde;
mod form_sorted;
mod html_forms;
mod http;
mod http_fields;
mod limits;
mod map;
mod newline;
mod utf16;
mod utf8;
mod waf;

#[global_allocator]
static MEMORY: common::memory::Watched = common::memory::Watched;
