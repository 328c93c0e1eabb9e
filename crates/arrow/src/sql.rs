//! The functions of SQL, as one table, for engines that don't store columns as Arrow arrays.
//!
//! An engine registers the functions of [`Function::ALL`], gathers its rows as a [`Builder`], and calls [`Function::run`]. The
//! results of some functions are nested. For these functions, the engine calls [`pairs`] or [`parts`] with each row.

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::fmt;

use percent_simd::batch::Column;
use percent_simd::{BatchError, Encoder, presets, sets};
use percent_simd_host::{Fault, extend, push, room};
use percent_standards::uri::{self, CanonicalQuery, Repairer};

use crate::layers::{LaterLayers, Layers};
use crate::options::{DecodeOptions, Errors};
use crate::url::{bytes, of_url, param};

pub use crate::layers::rows;
pub use crate::url::{URL_FIELDS, lossy, pairs, parts};

/// The type of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// Text.
    Text,
    /// Bytes.
    Bytes,
    /// A map from names to values. The map has only the first value of a name.
    Map,
    /// A list of structs with `name` and `value`.
    Pairs,
    /// A struct with the fields of [`URL_FIELDS`].
    Parts,
}

/// A function of SQL. If an argument is null, the result is null. But a wrong option is an error, also if the other argument
/// is null.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `pct_decode`
    Decode,
    /// `try_pct_decode`
    TryDecode,
    /// `pct_decode_blob`
    DecodeBlob,
    /// `pct_encode`
    Encode,
    /// `pct_normalize`
    Normalize,
    /// `pct_redact`
    Redact,
    /// `pct_repair`
    Repair,
    /// `url_domain`
    #[cfg(feature = "domains")]
    Domain,
    /// `url_host`
    Host,
    /// `url_param`
    Param,
    /// `url_params`
    Params,
    /// `url_parse`
    Parse,
    /// `url_query`
    Query,
    /// `url_sort_query`
    SortQuery,
}

impl Function {
    /// All functions.
    pub const ALL: &'static [Function] = &[
        Function::Decode,
        Function::TryDecode,
        Function::DecodeBlob,
        Function::Encode,
        Function::Normalize,
        Function::Redact,
        Function::Repair,
        #[cfg(feature = "domains")]
        Function::Domain,
        Function::Host,
        Function::Param,
        Function::Params,
        Function::Parse,
        Function::Query,
        Function::SortQuery,
    ];

    /// Returns the name in SQL.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Function::Decode => "pct_decode",
            Function::TryDecode => "try_pct_decode",
            Function::DecodeBlob => "pct_decode_blob",
            Function::Encode => "pct_encode",
            Function::Normalize => "pct_normalize",
            Function::Redact => "pct_redact",
            Function::Repair => "pct_repair",
            #[cfg(feature = "domains")]
            Function::Domain => "url_domain",
            Function::Host => "url_host",
            Function::Param => "url_param",
            Function::Params => "url_params",
            Function::Parse => "url_parse",
            Function::Query => "url_query",
            Function::SortQuery => "url_sort_query",
        }
    }

    /// Returns the name of the second parameter, if the function has one.
    #[must_use]
    pub fn option(self) -> Option<&'static str> {
        match self {
            Function::Decode => Some("options"),
            Function::Encode => Some("set"),
            Function::Param => Some("name"),
            _ => None,
        }
    }

    /// Returns how many arguments the function can have.
    #[must_use]
    pub fn arguments(self) -> &'static [usize] {
        match self {
            Function::Param => &[2],
            _ if self.option().is_some() => &[1, 2],
            _ => &[1],
        }
    }

    /// Returns a description of one sentence.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Function::Decode => {
                "Decodes percent-encoded text; the options are words: keep, null, strict or replace, plus, layers=N, keep=CHARACTERS."
            }
            Function::TryDecode => "Decodes percent-encoded text, or returns NULL if it can't be decoded.",
            Function::DecodeBlob => "Decodes percent-encoded text to bytes.",
            Function::Encode => "Percent-encodes all bytes except the unreserved characters, or except those of a set.",
            Function::Normalize => "Normalizes a URI by its syntax (RFC 3986 6.2.2).",
            Function::Redact => "Replaces the passwords of URLs by ***.",
            Function::Repair => "Repairs the faults of a pasted link that have only one remedy.",
            #[cfg(feature = "domains")]
            Function::Domain => "Returns the registrable domain of a URL's host.",
            Function::Host => "Returns the host of a URL as it is written.",
            Function::Param => "Returns the decoded value of the first query parameter with a name.",
            Function::Params => "Returns all decoded query parameters of a URL as a list.",
            Function::Parse => "Splits a URL to a struct.",
            Function::Query => {
                "Returns the decoded query parameters of a URL as a map with the first value of each name."
            }
            Function::SortQuery => "Sorts the query parameters of a URL by name.",
        }
    }

    /// Returns the type of the result.
    #[must_use]
    pub fn returns(self) -> Returns {
        match self {
            Function::DecodeBlob => Returns::Bytes,
            Function::Query => Returns::Map,
            Function::Params => Returns::Pairs,
            Function::Parse => Returns::Parts,
            _ => Returns::Text,
        }
    }

    /// Returns true if the rows may have any bytes. Otherwise the rows must be text: the function copies bytes of the
    /// rows to its result, and the result must be text.
    #[must_use]
    pub fn takes_bytes(self) -> bool {
        match self {
            Function::DecodeBlob | Function::Encode => true,
            Function::Host | Function::Param | Function::Params | Function::Parse | Function::Query => true,
            #[cfg(feature = "domains")]
            Function::Domain => true,
            _ => false,
        }
    }

    /// Runs a function whose result is text or bytes. `option` is the second argument for all rows, or `None` if there
    /// is no second argument.
    ///
    /// If the function is `pct_normalize`, `pct_repair` or `url_sort_query`, a row that isn't UTF-8 stays as it is. The
    /// other functions whose names begin with `url_` read the invalid bytes of the row as U+FFFD.
    ///
    /// # Errors
    ///
    /// Returns an error if the option has an invalid value, if a row can't be decoded and errors are strict, or if memory
    /// cannot be allocated.
    pub fn run(self, column: &Column<usize>, option: Option<&[u8]>) -> Result<Column<usize>, Failure> {
        const CANONICAL: CanonicalQuery<'_> = CanonicalQuery::cache_key();
        const REPAIRER: Repairer = Repairer::new();
        match self {
            Function::Decode => {
                let options = match option {
                    None => DecodeOptions::default(),
                    Some(options) => lossy(options)?.parse()?,
                };
                decode(column, &options, true)
            }
            Function::TryDecode => {
                decode(column, &DecodeOptions { errors: Errors::Null, ..DecodeOptions::default() }, true)
            }
            Function::DecodeBlob => decode(column, &DecodeOptions::default(), false),
            Function::Encode => {
                const UNRESERVED: Encoder = Encoder::new(sets::RFC3986_UNRESERVED);
                let encoder = match option {
                    None => UNRESERVED,
                    Some(set) => encoder(&lossy(set)?)?,
                };
                let batch = encoder.batch();
                let mut out = Column::default();
                batch.run(rows(column), &mut out).map_err(Failure::from)?;
                Ok(out)
            }
            Function::Normalize => each_text(column, uri::sanitize),
            Function::Redact => each_row(column, |row| Ok(Some(uri::redact_bytes(row)))),
            Function::Repair => each_text(column, |text| REPAIRER.repair(text).text),
            Function::SortQuery => each_text(column, |text| CANONICAL.canonicalize_uri(text)),
            #[cfg(feature = "domains")]
            Function::Domain => each_url(column, |url| crate::url::domain(url).map(Cow::Owned)),
            Function::Host => each_url(column, |url| uri::Uri::split(url).host().map(Cow::Borrowed)),
            Function::Param => each_url(column, |url| param(url, option.unwrap_or_default())),
            Function::Params | Function::Parse | Function::Query => {
                Err(Failure(format!("the result of {} is nested", self.name())))
            }
        }
    }
}

/// The message of a query that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure(message)
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Failure(fault.to_string())
    }
}

impl From<TryReserveError> for Failure {
    fn from(error: TryReserveError) -> Failure {
        Fault::from(error).into()
    }
}

impl From<BatchError> for Failure {
    fn from(error: BatchError) -> Failure {
        match error {
            BatchError::Memory(error) => error.into(),
            error => Failure(error.to_string()),
        }
    }
}

/// Returns an encoder with the set that has this name in the catalogue.
///
/// # Errors
///
/// If no set has this name, returns a message that lists all names.
pub fn encoder(set: &str) -> Result<Encoder, String> {
    presets::by_name(set).map(presets::Preset::encoder).ok_or_else(|| {
        let names: Vec<_> = presets::CATALOGUE.iter().map(|entry| entry.name).collect();
        format!("no set is called '{set}'; the sets are {}", names.join(", "))
    })
}

/// Decodes rows. The message of an error quotes the row that can't be decoded.
fn decode(column: &Column<usize>, options: &DecodeOptions, is_text: bool) -> Result<Column<usize>, Failure> {
    if options.layers == 0 {
        return Ok(column.clone());
    }
    let mut out = Column::default();
    out.values.try_reserve(column.values.len())?;
    let first = options.batch(0, is_text);
    match LaterLayers::new(options, is_text) {
        Some(layers) => layers.run(&first, rows(column), &mut out)?,
        None => first.run(rows(column), &mut out)?,
    }
    if options.errors == Errors::Strict && out.validity != column.validity {
        // The faulty rows have become null.
        let faulty = column.rows().zip(out.rows()).find_map(|(row, new)| row.filter(|_| new.is_none()));
        if let Some((row, error)) =
            faulty.and_then(|row| Some((row, Layers::new(options).decode_utf8(row, is_text).err()?)))
        {
            let shown = String::from_utf8_lossy(row.get(..100).unwrap_or(row));
            return Err(Failure(format!("{error} in '{shown}'")));
        }
    }
    Ok(out)
}

/// Calls `each` for each row that isn't null, and returns the results.
fn each_row(
    column: &Column<usize>,
    each: impl for<'r> Fn(&'r [u8]) -> Result<Option<Cow<'r, [u8]>>, Failure>,
) -> Result<Column<usize>, Failure> {
    let mut out = Builder::with_capacity(column.offsets.len(), column.values.len())?;
    for row in column.rows() {
        out.push(row.map(&each).transpose()?.flatten().as_deref())?;
    }
    Ok(out.finish())
}

/// Transforms each row that is UTF-8, and leaves all other rows unchanged.
fn each_text(column: &Column<usize>, each: impl for<'r> Fn(&'r str) -> Cow<'r, str>) -> Result<Column<usize>, Failure> {
    each_row(column, |row| Ok(Some(str::from_utf8(row).map_or(Cow::Borrowed(row), |text| bytes(each(text))))))
}

/// Returns a part of each row, which is a URL.
fn each_url(
    column: &Column<usize>,
    each: impl for<'r> Fn(&'r str) -> Option<Cow<'r, str>>,
) -> Result<Column<usize>, Failure> {
    each_row(column, |row| Ok(of_url(row, &each)?))
}

/// Collects rows, to run them as a batch.
#[derive(Debug)]
pub struct Builder {
    values: Vec<u8>,
    offsets: Vec<usize>,
    /// The validity bitmap: a bit for each row, 0 for a null.
    validity: Vec<u8>,
    has_nulls: bool,
}

impl Builder {
    /// Creates a builder with room for `rows` rows and for `bytes` bytes in all rows together.
    ///
    /// # Errors
    ///
    /// Returns an error if memory cannot be allocated.
    pub fn with_capacity(rows: usize, bytes: usize) -> Result<Builder, Failure> {
        let mut offsets = room(rows.saturating_add(1))?;
        offsets.push(0);
        Ok(Builder { values: room(bytes)?, offsets, validity: room(rows.div_ceil(8))?, has_nulls: false })
    }

    /// Appends a row, or a null.
    ///
    /// # Errors
    ///
    /// Returns an error if memory cannot be allocated.
    #[inline]
    pub fn push(&mut self, row: Option<&[u8]>) -> Result<(), Failure> {
        let number = self.offsets.len() - 1;
        if number.is_multiple_of(8) {
            push(&mut self.validity, 0xFF)?;
        }
        match row {
            Some(bytes) => extend(&mut self.values, bytes)?,
            None => {
                self.has_nulls = true;
                if let Some(last) = self.validity.last_mut() {
                    *last &= !(1 << (number % 8));
                }
            }
        }
        Ok(push(&mut self.offsets, self.values.len())?)
    }

    /// Returns the rows.
    #[must_use]
    pub fn finish(self) -> Column<usize> {
        Column { values: self.values, offsets: self.offsets, validity: self.has_nulls.then_some(self.validity) }
    }
}
