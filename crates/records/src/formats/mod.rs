//! Formats of records: each says which bytes of a record are fields to work on, and what may not appear in them.
//!
//! That is all that others know of a format: [`Format::fields`] gives ranges, each with a [`Rule`]. A
//! format is a [`Row`] of [`FORMATS`], beside others of its kind in a file of their own.

mod access;
mod delimited;
mod format;
mod json;
mod labelled;
mod logfmt;
mod names;
mod nested;
mod pattern;
mod role;
mod shape;
mod sitemap;
mod sniff;
mod spaced;
mod token;
mod user;
mod warc;
mod whole;
mod wrap;

pub use format::{Choice, ExtraField, Field, Format, Kind, Layout, Row, Rule, Schema, Syntax};
pub use json::each_key as json_each_key;
pub use names::{FORMATS, Name, build, field_names, list, names};
pub use nested::Envelope;
pub use role::{Role, role_of};
pub use shape::Sample;
pub use sniff::{Guess, resolve, suggest};
pub use user::{Source, UserFormat};
pub use wrap::{Wrap, json_push};
