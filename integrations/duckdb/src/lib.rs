//! Percent-encoding in DuckDB: scalar functions, by the C interface for extensions. See README.md.
//!
//! `vectors.rs` has all that touches the engine's memory; here is what the functions do to a row.

mod vectors;

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::CStr;

use libduckdb_sys as ffi;
use percent_simd::{CheckedDecoder, Decoder, Encoder, form, sets, uri};

use vectors::{Failure, Kind, Map, Registry, Scalar};

const LENIENT: Decoder = Decoder::new();
const STRICT: CheckedDecoder = Decoder::new().strict();

/// `pct_decode(s)` and `pct_decode(s, errors)`.
#[derive(Default)]
struct Decode;

impl Scalar for Decode {
    const NAME: &CStr = c"pct_decode";
    const PARAMETERS: &[usize] = &[1, 2];

    fn row<'r>(&mut self, row: &[&'r [u8]]) -> Result<Option<Cow<'r, [u8]>>, Failure> {
        match row {
            [text] | [text, b"keep"] => Ok(Some(bytes(LENIENT.decode_valid_utf8(*text)))),
            [text, b"replace"] => Ok(Some(bytes(LENIENT.decode_utf8_lossy(*text)))),
            [text, b"null"] => Ok(STRICT.decode_utf8(*text).ok().map(bytes)),
            [text, b"strict"] => STRICT.decode_utf8(*text).map(|text| Some(bytes(text))).map_err(|error| {
                format!("pct_decode: {error} in '{}'", String::from_utf8_lossy(text.get(..100).unwrap_or(text)))
            }),
            _ => Err("pct_decode: errors is 'keep', 'replace', 'null' or 'strict'".into()),
        }
    }
}

/// `try_pct_decode(s)`.
#[derive(Default)]
struct TryDecode;

impl Scalar for TryDecode {
    const NAME: &CStr = c"try_pct_decode";
    const PARAMETERS: &[usize] = &[1];

    fn row<'r>(&mut self, row: &[&'r [u8]]) -> Result<Option<Cow<'r, [u8]>>, Failure> {
        Ok(row.first().and_then(|text| STRICT.decode_utf8(*text).ok()).map(bytes))
    }
}

/// `pct_decode_blob(s)`.
#[derive(Default)]
struct DecodeBlob;

impl Scalar for DecodeBlob {
    const NAME: &CStr = c"pct_decode_blob";
    const PARAMETERS: &[usize] = &[1];
    const RETURNS: Kind = Kind::Blob;

    fn row<'r>(&mut self, row: &[&'r [u8]]) -> Result<Option<Cow<'r, [u8]>>, Failure> {
        Ok(row.first().map(|text| LENIENT.decode(*text)))
    }
}

/// `pct_encode(s)` and `pct_encode(s, set)`, with the encoder of the last row.
struct Encode {
    set: Vec<u8>,
    encoder: Encoder,
}

impl Default for Encode {
    fn default() -> Encode {
        Encode { set: b"rfc3986-unreserved".to_vec(), encoder: Encoder::new(sets::RFC3986_UNRESERVED) }
    }
}

impl Encode {
    fn choose(&mut self, set: &[u8]) -> Result<(), Failure> {
        if *set == *self.set {
            return Ok(());
        }
        let entry = str::from_utf8(set).ok().and_then(sets::by_name);
        let Some(entry) = entry else {
            return Err(format!("pct_encode: no set is called '{}'", String::from_utf8_lossy(set)));
        };
        self.set = set.to_vec();
        self.encoder = Encoder::new(entry.allowed);
        if entry.space_to_plus {
            self.encoder = self.encoder.space_to_plus();
        }
        if entry.lowercase {
            self.encoder = self.encoder.lowercase();
        }
        if entry.keep_triplets {
            self.encoder = self.encoder.keep_triplets();
        }
        Ok(())
    }
}

impl Scalar for Encode {
    const NAME: &CStr = c"pct_encode";
    const PARAMETERS: &[usize] = &[1, 2];

    fn row<'r>(&mut self, row: &[&'r [u8]]) -> Result<Option<Cow<'r, [u8]>>, Failure> {
        if let Some(set) = row.get(1) {
            self.choose(set)?;
        }
        Ok(row.first().map(|text| bytes(self.encoder.encode(*text))))
    }
}

/// `pct_normalize(s)`.
#[derive(Default)]
struct Normalize;

impl Scalar for Normalize {
    const NAME: &CStr = c"pct_normalize";
    const PARAMETERS: &[usize] = &[1];

    fn row<'r>(&mut self, row: &[&'r [u8]]) -> Result<Option<Cow<'r, [u8]>>, Failure> {
        Ok(row.first().and_then(|text| str::from_utf8(text).ok()).map(|text| bytes(uri::sanitize(text))))
    }
}

/// `url_param(s, name)`.
#[derive(Default)]
struct Param;

impl Scalar for Param {
    const NAME: &CStr = c"url_param";
    const PARAMETERS: &[usize] = &[2];

    fn row<'r>(&mut self, row: &[&'r [u8]]) -> Result<Option<Cow<'r, [u8]>>, Failure> {
        let [url, wanted] = row else { return Ok(None) };
        let mut pairs = form::parse(query(url));
        Ok(pairs.find(|(name, _)| name.as_bytes() == *wanted).map(|(_, value)| bytes(value)))
    }
}

/// Returns the query of a URL or reference: what stands after the first `?`, up to a `#`.
fn query(url: &[u8]) -> &str {
    str::from_utf8(url).ok().and_then(|url| uri::Uri::split(url).query).unwrap_or_default()
}

/// `url_query(s)`.
struct Query;

impl Map for Query {
    const NAME: &CStr = c"url_query";

    /// The keys of a map differ: of pairs with one name, the first stays.
    fn row(url: &[u8]) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        let mut seen = HashSet::new();
        form::parse(query(url)).filter(|(name, _)| seen.insert(name.clone())).collect()
    }
}

fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// What DuckDB calls when it loads the extension.
///
/// # Safety
/// As the C interface for extensions promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn percent_simd_init_c_api(
    info: ffi::duckdb_extension_info,
    access: *const ffi::duckdb_extension_access,
) -> bool {
    // SAFETY: the caller's promise.
    let Some(mut registry) = (unsafe { Registry::new(info, access) }) else { return false };
    registry.scalar::<Decode>();
    registry.scalar::<TryDecode>();
    registry.scalar::<DecodeBlob>();
    registry.scalar::<Encode>();
    registry.scalar::<Normalize>();
    registry.scalar::<Param>();
    registry.map::<Query>();
    registry.finish()
}
