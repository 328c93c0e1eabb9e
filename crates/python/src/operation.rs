//! The operations on columns, with their options. Python calls and the plugin of Polars share them.

use std::borrow::Cow;

use arrow_array::{Array as _, ArrayRef};
use arrow_schema::ArrowError;
use percent_simd::presets::{self, Preset};
use percent_simd::{ByteSet, DecodeError, DecodeErrorKind, Encoder, sets};
use percent_simd_arrow::{self as columns, DecodeOptions, Error, Errors, Layers, RowFault};
use percent_simd_host::{collect, push};
use percent_standards::charset::{Charset, UnmappableError};
use percent_standards::iri;
use percent_standards::uri::file::{self, Style};
use percent_standards::uri::{self, CanonicalQuery, Repairer, Requoter};
use serde::Deserialize;

use crate::fault::{Failure, file_kind};

/// The members of a set of bytes.
type Members = Vec<u8>;

/// An operation on a column. The variants have the names of Python's functions, and their fields have the names of the
/// options.
#[derive(Deserialize)]
#[serde(tag = "operation", rename_all = "snake_case")]
pub(crate) enum Operation {
    DecodeArray {
        errors: String,
        plus: bool,
        keep: Option<Members>,
        reject: Option<Members>,
        layers: usize,
        charset: Option<String>,
        detect: bool,
    },
    /// `pct_decode` of SQL, with its options in one text.
    SqlDecode {
        options: String,
    },
    EncodeArray {
        allowed: Option<Members>,
        set: Option<String>,
        plus: bool,
        charset: Option<String>,
        errors: String,
    },
    NormalizeArray,
    RequoteArray {
        allowed: Members,
        protected: Option<Members>,
    },
    RepairArray,
    RedactArray,
    SortQueryArray {
        drop: Vec<String>,
    },
    UriToIriArray,
    IriToUriArray,
    FileUrlToPathArray {
        windows: Option<bool>,
        errors: String,
    },
    PathToFileUrlArray {
        windows: Option<bool>,
        errors: String,
    },
    ParseUrl,
    ParseQuery,
    /// `url_query` of SQL.
    QueryMap,
    QueryParam {
        name: String,
    },
    QueryParams {
        names: Vec<String>,
    },
    QueryValues {
        name: String,
    },
}

impl Operation {
    /// Runs the operation on a chunk of a column. `start` is the index of the chunk's first row in the column.
    pub(crate) fn run(&self, array: &ArrayRef, start: usize) -> Result<ArrayRef, Failure> {
        self.run_chunk(array).map_err(|failure| match failure {
            Failure::Column(error) => Failure::Column(error.after(start)),
            option => option,
        })
    }

    /// Returns the treatment of faulty rows, if the operation has this option.
    pub(crate) fn errors(&self) -> Option<Errors> {
        match self {
            Operation::DecodeArray { errors, .. }
            | Operation::EncodeArray { errors, .. }
            | Operation::FileUrlToPathArray { errors, .. }
            | Operation::PathToFileUrlArray { errors, .. } => errors.parse().ok(),
            Operation::SqlDecode { options } => options.parse().ok().map(|options: DecodeOptions| options.errors),
            _ => None,
        }
    }

    fn run_chunk(&self, array: &ArrayRef) -> Result<ArrayRef, Failure> {
        let keep_faulty = Errors::Keep;
        Ok(match self {
            Operation::DecodeArray { errors, plus, keep, reject, layers, charset, detect } => {
                let set = |members: &Option<Members>| ByteSet::of(members.as_deref().unwrap_or_default());
                let mut options = DecodeOptions::default();
                options.errors = errors.parse().map_err(Failure::Option)?;
                options.plus = *plus;
                options.keep = set(keep);
                options.reject = set(reject);
                options.layers = *layers;
                if !options.reject.is_empty() && matches!(options.errors, Errors::Keep | Errors::Replace) {
                    return Err(Failure::Option(
                        "reject needs errors=\"null\" or \"strict\"; to leave escapes as they are, use keep".into(),
                    ));
                }
                match charset {
                    None if *detect => {
                        return Err(Failure::Option("detect needs charset, for the rows that are not UTF-8".into()));
                    }
                    None => columns::decode(array, &options)?,
                    Some(name) => {
                        let is_text = columns::is_text(array.data_type());
                        let (charset, layers) = (find_charset(name)?, Layers::new(&options));
                        let rows = InCharset { charset, errors: options.errors, detect: *detect, is_text, layers };
                        columns::map_bytes(array, options.errors, |row| Ok(Some(rows.row(row)?)))?
                    }
                }
            }
            Operation::SqlDecode { options } => {
                let options: DecodeOptions = options.parse().map_err(Failure::Option)?;
                columns::decode(array, &options)?
            }
            Operation::EncodeArray { allowed, set, plus, charset: name, errors } => {
                let encoder = match (allowed, set) {
                    (Some(allowed), _) => Encoder::new(ByteSet::of(allowed)),
                    (None, Some(name)) => preset(name).map_err(Failure::Option)?.encoder(),
                    (None, None) => Encoder::new(sets::RFC3986_UNRESERVED),
                };
                let encoder = if *plus { encoder.space_to_plus() } else { encoder };
                let errors = errors_without("keep", errors)?;
                match name {
                    None => columns::encode(array, encoder)?,
                    Some(name) => {
                        let charset = find_charset(name)?;
                        columns::map_text(array, errors, |row| match errors {
                            Errors::Replace => Ok(charset.percent_encode_html(&encoder, row)),
                            _ => charset.percent_encode(&encoder, row).map_err(unmappable),
                        })?
                    }
                }
            }
            Operation::NormalizeArray => columns::normalize(array)?,
            Operation::RequoteArray { allowed, protected } => {
                let protected = ByteSet::of(protected.as_deref().unwrap_or_default());
                let requoter = Requoter::new(ByteSet::of(allowed)).protect(protected);
                columns::map_text(array, keep_faulty, |row| Ok(requoter.requote(row)))?
            }
            Operation::RepairArray => {
                let repairer = Repairer::new();
                columns::map_text(array, keep_faulty, |row| Ok(repairer.repair(row).text))?
            }
            Operation::RedactArray => columns::map_bytes(array, keep_faulty, |row| Ok(Some(uri::redact_bytes(row))))?,
            Operation::SortQueryArray { drop } => {
                let names: Vec<&str> = drop.iter().map(String::as_str).collect();
                let canonical = CanonicalQuery::cache_key().drop_names(&names);
                columns::map_text(array, keep_faulty, |row| Ok(canonical.canonicalize_uri(row)))?
            }
            Operation::UriToIriArray => columns::map_text(array, keep_faulty, |row| Ok(iri::to_iri(row)))?,
            Operation::IriToUriArray => columns::map_text(array, keep_faulty, |row| Ok(iri::to_uri(row)))?,
            Operation::FileUrlToPathArray { windows, errors } => {
                let (errors, style) = (errors_without("replace", errors)?, style(*windows));
                columns::map_text(array, errors, |row| {
                    file::to_text_with(row, style).map(Cow::Owned).map_err(file_fault)
                })?
            }
            Operation::PathToFileUrlArray { windows, errors } => {
                let (errors, style) = (errors_without("replace", errors)?, style(*windows));
                columns::map_text(array, errors, |row| {
                    file::from_path_with(row, style).map(Cow::Owned).map_err(file_fault)
                })?
            }
            Operation::ParseUrl => columns::parse_url(array)?,
            Operation::ParseQuery => columns::parse_query(array)?,
            Operation::QueryMap => columns::query_map(array)?,
            Operation::QueryParam { name } => columns::query_param(array, name)?,
            Operation::QueryParams { names } => columns::query_params(array, names)?,
            Operation::QueryValues { name } => columns::query_values(array, name)?,
        })
    }
}

/// Returns the entry of the catalogue with this name.
pub(crate) fn preset(name: &str) -> Result<&'static Preset, String> {
    presets::by_name(name).ok_or_else(|| format!("no set is named {name:?}; percent_simd.set_names() lists all names"))
}

pub(crate) fn style(windows: Option<bool>) -> Style {
    match windows {
        Some(true) => Style::Windows,
        Some(false) => Style::Posix,
        None => Style::NATIVE,
    }
}

/// For each row of `urls`, returns the query parameter whose name is in the same row of `names`. The two columns may
/// have different chunks. If a column has only one row, this row is used for all rows of the other column.
///
/// Each column has at least one chunk, and so has the result.
pub(crate) fn query_param_by(urls: &[ArrayRef], names: &[ArrayRef]) -> Result<Vec<ArrayRef>, Error> {
    let len = |chunks: &[ArrayRef]| chunks.iter().map(|chunk| chunk.len()).sum::<usize>();
    let one = |chunks: &[ArrayRef]| chunks.iter().find(|chunk| chunk.len() == 1).cloned();
    match (len(urls), len(names), one(urls), one(names)) {
        (_, 1, _, Some(name)) => collect(urls.iter().map(|urls| columns::query_param_by(urls, &name))),
        (1, _, Some(url), _) => collect(names.iter().map(|names| columns::query_param_by(&url, names))),
        (0, 0, ..) => {
            let names = names[0].slice(0, 0);
            collect(urls.iter().map(|urls| columns::query_param_by(urls, &names)))
        }
        (urls, names, ..) if urls != names => {
            let message = format!("name has {names} rows, but the column has {urls}");
            Err(ArrowError::InvalidArgumentError(message).into())
        }
        _ => {
            let (mut names, mut at) = (names.iter().filter(|chunk| !chunk.is_empty()), 0);
            let mut name_chunk = names.next();
            let mut pieces = Vec::new();
            for chunk in urls {
                let mut start = 0;
                while let Some(name) = name_chunk.filter(|_| start < chunk.len()) {
                    let len = (chunk.len() - start).min(name.len() - at);
                    push(&mut pieces, columns::query_param_by(&chunk.slice(start, len), &name.slice(at, len))?)?;
                    (start, at) = (start + len, at + len);
                    if at == name.len() {
                        (name_chunk, at) = (names.next(), 0);
                    }
                }
            }
            Ok(pieces)
        }
    }
}

/// Returns the treatment of faulty rows that is called `name`. If `name` is unknown, or is `other`, returns an error:
/// the operation doesn't have the treatment `other`.
fn errors_without(other: &str, name: &str) -> Result<Errors, Failure> {
    let names: Vec<_> = ["keep", "null", "strict", "replace"].into_iter().filter(|name| *name != other).collect();
    match name.parse() {
        Ok(errors) if names.contains(&name) => Ok(errors),
        _ => Err(Failure::Option(format!("errors is {:?}, {:?} or {:?}, not {name:?}", names[0], names[1], names[2]))),
    }
}

/// Returns the charset with this name.
fn find_charset(name: &str) -> Result<Charset, Failure> {
    charset_named(name).ok_or_else(|| {
        let names: Vec<_> = Charset::all().map(Charset::name).collect();
        Failure::Option(format!("charset {name:?} is unknown; the charsets are {}", names.join(", ")))
    })
}

/// Names of charsets that only Python has, and neither the Web nor IANA. Each pair has Python's name without
/// punctuation, and a name that the Web has for the same charset.
const PYTHON_NAMES: [(&str, &str); 12] = [
    ("big5hkscs", "big5-hkscs"),
    ("cp932", "windows-31j"),
    ("cp936", "gbk"),
    ("cp949", "windows-949"),
    ("latin7", "iso-8859-13"),
    ("latin8", "iso-8859-14"),
    ("latin9", "iso-8859-15"),
    ("latin10", "iso-8859-16"),
    ("maccyrillic", "x-mac-cyrillic"),
    ("macroman", "macintosh"),
    ("tis620", "tis-620"),
    ("uhc", "windows-949"),
];

/// Finds a charset by its name on the Web, at IANA or in Python. Python doesn't distinguish `latin-1`, `latin_1` and `latin1`.
fn charset_named(name: &str) -> Option<Charset> {
    let plain = |name: &str| name.replace(['-', '_', ' '], "").to_ascii_lowercase();
    let wanted = plain(name);
    let python = PYTHON_NAMES.iter().find(|(python, _)| *python == wanted);
    [name, &name.replace('_', "-"), &wanted]
        .into_iter()
        .find_map(|name| Charset::for_label(name).or_else(|| Charset::for_name(name)))
        .or_else(|| python.and_then(|(_, web)| Charset::for_label(web)))
        .or_else(|| Charset::all().find(|charset| plain(charset.name()) == wanted))
}

fn unmappable(error: UnmappableError) -> RowFault {
    RowFault { offset: error.offset, kind: "unmappable", reason: error.to_string() }
}

fn file_fault(error: file::FileError) -> RowFault {
    RowFault { offset: error.offset, kind: file_kind(&error), reason: error.to_string() }
}

/// Decodes rows whose escapes are bytes in a charset. If `detect` is true, reads rows that are valid UTF-8 as UTF-8.
struct InCharset {
    charset: Charset,
    errors: Errors,
    detect: bool,
    /// Whether the rows are text.
    is_text: bool,
    layers: Layers,
}

impl InCharset {
    /// Decodes all layers of a row. The result of the last layer is read in the charset.
    fn row<'r>(&self, row: &'r [u8]) -> Result<Cow<'r, [u8]>, DecodeError> {
        self.layers.decode(row, |row| self.last_layer(row))
    }

    /// Decodes the last layer of a row. In text, the characters above ASCII stay, and each part between them is decoded,
    /// as in urllib's `unquote`. ASCII characters count as bytes, because in some charsets the second byte of a
    /// character is an ASCII letter, which encoders leave unescaped.
    fn last_layer<'r>(&self, row: &'r [u8]) -> Result<Cow<'r, [u8]>, DecodeError> {
        if self.detect {
            match self.layers.checked.decode_utf8(row) {
                Err(DecodeError { kind: DecodeErrorKind::InvalidUtf8, .. }) => {}
                decoded => return decoded.map(columns::bytes),
            }
        }
        if !self.is_text || row.is_ascii() {
            return self.part(row).map(columns::bytes);
        }
        let (mut text, mut at) = (Vec::new(), 0);
        for run in row.chunk_by(|left, right| left.is_ascii() == right.is_ascii()) {
            if run.is_ascii() {
                let decoded = self.part(run);
                let decoded = decoded.map_err(|error| DecodeError::new(at + error.offset, error.kind))?;
                text.extend_from_slice(decoded.as_bytes());
            } else {
                text.extend_from_slice(run);
            }
            at += run.len();
        }
        Ok(Cow::Owned(text))
    }

    /// Decodes a part of a row. All bytes of the part are in the charset.
    fn part<'r>(&self, part: &'r [u8]) -> Result<Cow<'r, str>, DecodeError> {
        match self.errors {
            Errors::Replace => Ok(self.charset.percent_decode_lossy(&self.layers.lenient, part)),
            _ => self.charset.percent_decode(self.layers.checked, part),
        }
    }
}
