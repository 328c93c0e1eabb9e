//! The formats of records.
//!
//! A format finds the fields of a record ([`Format::fields`]), and gives each field a [`Rule`]. The rule lists the
//! bytes that must stay escaped in the field, and says how a value is written. Other modules know only the fields and
//! the rules of a format.
//!
//! Each format is a [`Row`] of [`FORMATS`]. Formats of the same kind share a file.

mod access;
mod advice;
mod audit;
mod candidates;
mod delimited;
mod events;
mod facts;
mod format;
mod found;
mod inside;
mod json;
mod labelled;
mod line;
mod logfmt;
mod markup;
mod names;
mod nested;
mod or_urls;
mod otlp;
mod outside;
mod pairs;
mod pattern;
mod role;
mod shape;
mod sniff;
mod spaced;
mod table;
mod token;
mod urls;
mod user;
mod values;
mod warc;
mod whole;
mod words;
mod wrap;

pub use advice::{field_option, quoted};
pub use candidates::{Candidate, Candidates};
pub use format::{
    Bounds, Choice, ExtraField, Field, Format, Kind, Layout, Parts, Role, Row, Rule, Schema, Syntax, Use, rows,
};
pub use inside::innermost;
pub use json::each_key as json_each_key;
pub use names::{FORMATS, Name, build, field_names, list, names};
pub use nested::Envelope;
pub use outside::has_whole_url;
pub use pattern::configured;
pub use role::{context_role_of, is_connection, is_defined_client, role_of};
pub use shape::{Sample, is_absolute, without_mark};
pub use sniff::{Guess, log_or_table, mistaken, resolve, suggest};
pub use table::TABLES;
pub use token::{is_ipv6, quote as json_string_end};
pub use user::{Source, UserFormat};
pub use values::is_absent;
pub use wrap::{Wrap, json_push};
