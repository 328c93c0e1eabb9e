//! Percent-encoding in DuckDB: scalar functions, registered through the C interface for extensions. See README.md.
//!
//! This file has the functions. All code that touches the engine's memory is in `vectors.rs`.

mod vectors;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::CStr;

use libduckdb_sys as ffi;
use percent_simd::batch::{Column, DecodeBatch, NotUtf8};
use percent_simd::{BatchError, CheckedDecoder, Decoder, Encoder, presets, sets};
use percent_standards::form;
use percent_standards::uri::{self, CanonicalQuery, Repairer};

use vectors::{Failure, Kind, Map, Registry, Scalar, each_row, rows};

#[global_allocator]
static ALLOCATOR: percent_simd_host::Reserve = percent_simd_host::Reserve;

const LENIENT: Decoder = Decoder::new();
const STRICT: CheckedDecoder = Decoder::new().strict();

fn failure(error: BatchError) -> Failure {
    match error {
        BatchError::Memory(error) => error.into(),
        error => Failure(error.to_string()),
    }
}

/// Decodes the rows of a column. The message of an error quotes the row that can't be decoded.
fn decode(column: &Column<usize>, batch: DecodeBatch) -> Result<Column<usize>, Failure> {
    let mut out = Column::default();
    out.values.try_reserve(column.values.len())?;
    batch.run(rows(column), &mut out).map_err(|error| match error {
        BatchError::Row { row, error } => {
            let text = column.rows().nth(row).flatten().unwrap_or_default();
            Failure(format!("{error} in '{}'", String::from_utf8_lossy(text.get(..100).unwrap_or(text))))
        }
        error => failure(error),
    })?;
    Ok(out)
}

/// `pct_decode(s)` and `pct_decode(s, errors)`.
struct Decode;

impl Scalar for Decode {
    const NAME: &CStr = c"pct_decode";
    const PARAMETERS: &[usize] = &[1, 2];

    fn run(column: &Column<usize>, errors: Option<&[u8]>) -> Result<Column<usize>, Failure> {
        let batch = match errors {
            None | Some(b"keep") => LENIENT.batch().text(NotUtf8::KeepEscaped),
            Some(b"replace") => LENIENT.batch().text(NotUtf8::Replace),
            Some(b"null") => STRICT.batch().text(NotUtf8::Error).errors_to_null(),
            Some(b"strict") => STRICT.batch().text(NotUtf8::Error),
            Some(other) => {
                let other = String::from_utf8_lossy(other);
                return Err(Failure(format!("errors is 'keep', 'replace', 'null' or 'strict', not '{other}'")));
            }
        };
        decode(column, batch)
    }
}

/// `try_pct_decode(s)`.
struct TryDecode;

impl Scalar for TryDecode {
    const NAME: &CStr = c"try_pct_decode";
    const PARAMETERS: &[usize] = &[1];

    fn run(column: &Column<usize>, _: Option<&[u8]>) -> Result<Column<usize>, Failure> {
        decode(column, STRICT.batch().text(NotUtf8::Error).errors_to_null())
    }
}

/// `pct_decode_blob(s)`.
struct DecodeBlob;

impl Scalar for DecodeBlob {
    const NAME: &CStr = c"pct_decode_blob";
    const PARAMETERS: &[usize] = &[1];
    const RETURNS: Kind = Kind::Blob;
    const TAKES_BYTES: bool = true;

    fn run(column: &Column<usize>, _: Option<&[u8]>) -> Result<Column<usize>, Failure> {
        decode(column, LENIENT.batch())
    }
}

/// Returns an encoder with the set that has this name in the catalogue.
fn encoder(set: &[u8]) -> Result<Encoder, Failure> {
    let entry = str::from_utf8(set).ok().and_then(presets::by_name);
    let entry = entry.ok_or_else(|| {
        let names: Vec<_> = presets::CATALOGUE.iter().map(|entry| entry.name).collect();
        Failure(format!("no set is called '{}'; the sets are {}", String::from_utf8_lossy(set), names.join(", ")))
    })?;
    Ok(entry.encoder())
}

/// `pct_encode(s)` and `pct_encode(s, set)`.
struct Encode;

impl Scalar for Encode {
    const NAME: &CStr = c"pct_encode";
    const PARAMETERS: &[usize] = &[1, 2];
    const TAKES_BYTES: bool = true;

    fn run(column: &Column<usize>, set: Option<&[u8]>) -> Result<Column<usize>, Failure> {
        const UNRESERVED: Encoder = Encoder::new(sets::RFC3986_UNRESERVED);
        let batch = set.map_or(Ok(UNRESERVED), encoder)?.batch();
        let mut out = Column::default();
        batch.run(rows(column), &mut out).map_err(failure)?;
        Ok(out)
    }
}

/// `pct_normalize(s)`.
struct Normalize;

impl Scalar for Normalize {
    const NAME: &CStr = c"pct_normalize";
    const PARAMETERS: &[usize] = &[1];

    fn run(column: &Column<usize>, _: Option<&[u8]>) -> Result<Column<usize>, Failure> {
        each_row(column, |row| str::from_utf8(row).ok().map(|text| bytes(uri::sanitize(text))))
    }
}

/// Runs a function of the text of each row. A row is VARCHAR, so it is UTF-8.
fn each_text(
    column: &Column<usize>,
    each: impl for<'r> Fn(&'r str) -> Option<Cow<'r, str>>,
) -> Result<Column<usize>, Failure> {
    each_row(column, |row| str::from_utf8(row).ok().and_then(|text| each(text)).map(bytes))
}

/// `pct_redact(s)`.
struct Redact;

impl Scalar for Redact {
    const NAME: &CStr = c"pct_redact";
    const PARAMETERS: &[usize] = &[1];

    fn run(column: &Column<usize>, _: Option<&[u8]>) -> Result<Column<usize>, Failure> {
        each_text(column, |text| Some(uri::redact(text)))
    }
}

/// `pct_repair(s)`.
struct Repair;

impl Scalar for Repair {
    const NAME: &CStr = c"pct_repair";
    const PARAMETERS: &[usize] = &[1];

    fn run(column: &Column<usize>, _: Option<&[u8]>) -> Result<Column<usize>, Failure> {
        const REPAIRER: Repairer = Repairer::new();
        each_text(column, |text| Some(REPAIRER.repair(text).text))
    }
}

/// `url_sort_query(s)`.
struct SortQuery;

impl Scalar for SortQuery {
    const NAME: &CStr = c"url_sort_query";
    const PARAMETERS: &[usize] = &[1];

    fn run(column: &Column<usize>, _: Option<&[u8]>) -> Result<Column<usize>, Failure> {
        const CANONICAL: CanonicalQuery<'_> = CanonicalQuery::cache_key();
        each_text(column, |text| Some(CANONICAL.canonicalize_uri(text)))
    }
}

/// `url_host(s)`.
struct Host;

impl Scalar for Host {
    const NAME: &CStr = c"url_host";
    const PARAMETERS: &[usize] = &[1];

    fn run(column: &Column<usize>, _: Option<&[u8]>) -> Result<Column<usize>, Failure> {
        each_text(column, |text| uri::Uri::split(text).host().map(Cow::Borrowed))
    }
}

/// `url_param(s, name)`.
struct Param;

impl Scalar for Param {
    const NAME: &CStr = c"url_param";
    const PARAMETERS: &[usize] = &[2];

    fn run(column: &Column<usize>, wanted: Option<&[u8]>) -> Result<Column<usize>, Failure> {
        let wanted = wanted.unwrap_or_default();
        each_row(column, |row| {
            let mut pairs = form::parse(query(row));
            pairs.find(|(name, _)| name.as_bytes() == wanted).map(|(_, value)| bytes(value))
        })
    }
}

/// Returns the query of a URL or reference: the text after the first `?`, up to a `#`.
fn query(url: &[u8]) -> &str {
    str::from_utf8(url).ok().and_then(|url| uri::Uri::split(url).query).unwrap_or_default()
}

/// `url_query(s)`.
struct Query;

impl Map for Query {
    const NAME: &CStr = c"url_query";

    /// The keys of a map are distinct, so this function passes on only the first pair of each name.
    fn row(url: &[u8], mut each: impl FnMut(&str, &str) -> Result<(), Failure>) -> Result<(), Failure> {
        let mut seen = HashSet::new();
        for (name, value) in form::parse(query(url)) {
            if !seen.contains(&name) {
                each(&name, &value)?;
                seen.try_reserve(1)?;
                seen.insert(name);
            }
        }
        Ok(())
    }
}

fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// Registers the functions. DuckDB calls this when it loads the extension.
///
/// # Safety
/// `info` and `access` are valid. The C interface for extensions promises this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn percent_simd_init_c_api(
    info: ffi::duckdb_extension_info,
    access: *const ffi::duckdb_extension_access,
) -> bool {
    percent_simd_host::quiet();
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    let Some(mut registry) = (unsafe { Registry::new(info, access) }) else { return false };
    registry.scalar::<Decode>();
    registry.scalar::<TryDecode>();
    registry.scalar::<DecodeBlob>();
    registry.scalar::<Encode>();
    registry.scalar::<Normalize>();
    registry.scalar::<Redact>();
    registry.scalar::<Repair>();
    registry.scalar::<SortQuery>();
    registry.scalar::<Host>();
    registry.scalar::<Param>();
    registry.map::<Query>();
    registry.finish()
}
