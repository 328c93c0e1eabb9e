//! The options of decoding: how a call treats faulty rows, and how SQL writes all options in one text.

use std::str::FromStr;

use percent_simd::batch::{DecodeBatch, NotUtf8};
use percent_simd::{ByteSet, CheckedDecoder, Decoder, Plus};

/// What happens to a row with a malformed escape. In an array of text, the same happens to a row that decodes to invalid
/// UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    /// Escapes that can't be decoded stay as they are.
    Keep,
    /// The row becomes a null.
    Null,
    /// The call fails and reports the row.
    Strict,
    /// A malformed `%` stays, and U+FFFD replaces bytes that aren't UTF-8.
    Replace,
}

impl FromStr for Errors {
    type Err = String;

    fn from_str(name: &str) -> Result<Errors, String> {
        match name {
            "keep" => Ok(Errors::Keep),
            "null" => Ok(Errors::Null),
            "strict" => Ok(Errors::Strict),
            "replace" => Ok(Errors::Replace),
            _ => Err(format!("errors is \"keep\", \"null\", \"strict\" or \"replace\", not {name:?}")),
        }
    }
}

/// The options of decoding. In SQL, they are one text, for example `null plus layers=3`. Spaces separate its words. It is
/// an error if two words set the same option.
///
/// | Word | Meaning |
/// | --- | --- |
/// | `keep`, `null`, `strict`, `replace`, or with `errors=` in front | the treatment of faulty rows; the default is `keep` |
/// | `plus` | `+` becomes a space |
/// | `layers=N` | each row is decoded up to N times |
/// | `keep=CHARACTERS` | the escapes of these characters stay. In `CHARACTERS`, write a space as `%20` and `%` as `%25` |
///
/// # Examples
///
/// ```
/// use percent_simd::ByteSet;
/// use percent_simd_arrow::{DecodeOptions, Errors};
///
/// let options: DecodeOptions = "null plus layers=3 keep=/%25".parse()?;
/// assert_eq!((options.errors, options.layers), (Errors::Null, 3));
/// assert!(options.plus && options.keep == ByteSet::of(b"/%"));
/// for wrong in ["loud", "null strict", "keep=/ keep=?", "keep=%"] {
///     assert!(wrong.parse::<DecodeOptions>().is_err());
/// }
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeOptions {
    /// The treatment of faulty rows.
    pub errors: Errors,
    /// Whether the first layer reads a `+` as a space.
    pub plus: bool,
    /// The bytes whose escapes stay.
    pub keep: ByteSet,
    /// The bytes whose escapes are faults, in every layer. SQL has no word for this option.
    ///
    /// [`Errors::Keep`] and [`Errors::Replace`] ignore it.
    pub reject: ByteSet,
    /// The largest number of times that a row is decoded.
    pub layers: usize,
}

impl Default for DecodeOptions {
    fn default() -> DecodeOptions {
        DecodeOptions { errors: Errors::Keep, plus: false, keep: ByteSet::EMPTY, reject: ByteSet::EMPTY, layers: 1 }
    }
}

impl DecodeOptions {
    /// Returns two decoders for `layer`, counted from 0: a lenient decoder, and one that returns errors if
    /// [`errors`](Self::errors) needs them. Both keep the escapes of `keep`. Only in the first layer, a `+` can be a
    /// space, and a malformed `%` can be a fault.
    pub(crate) fn decoders(&self, keep: ByteSet, layer: usize) -> (Decoder, CheckedDecoder) {
        let is_first = layer == 0;
        let mut lenient = Decoder::new().plus(if self.plus && is_first { Plus::Always } else { Plus::Never });
        if !keep.is_empty() {
            lenient = lenient.keep(keep);
        }
        let is_strict = matches!(self.errors, Errors::Null | Errors::Strict);
        let checked = if is_strict && is_first { lenient.strict() } else { lenient.as_checked() };
        (lenient, if is_strict && !self.reject.is_empty() { checked.reject(self.reject) } else { checked })
    }

    /// Returns a batch that decodes `layer`, counted from 0. Faulty rows become null, also with [`Errors::Strict`]: the
    /// caller then reports the first of them.
    pub(crate) fn batch(&self, layer: usize, is_text: bool) -> DecodeBatch {
        let (_, checked) = self.decoders(self.keep, layer);
        let batch = checked.batch().errors_to_null();
        match self.errors {
            _ if !is_text => batch,
            Errors::Keep => batch.text(NotUtf8::KeepEscaped),
            Errors::Replace => batch.text(NotUtf8::Replace),
            Errors::Null | Errors::Strict => batch.text(NotUtf8::Error),
        }
    }
}

impl FromStr for DecodeOptions {
    type Err = String;

    fn from_str(text: &str) -> Result<DecodeOptions, String> {
        let mut options = DecodeOptions::default();
        let mut given: Vec<&str> = Vec::new();
        for word in text.split_ascii_whitespace() {
            let option = match word.split_once('=') {
                Some(("plus", value)) => return Err(format!("plus has no value: write plus, not plus={value}")),
                None if word == "layers" => return Err("layers needs a number, as in layers=3".into()),
                None if word == "plus" => {
                    options.plus = true;
                    "plus"
                }
                None | Some(("errors", _)) => {
                    let name = word.strip_prefix("errors=").unwrap_or(word);
                    let wrong = |error| format!("{error}; the other options are plus, layers=N and keep=CHARACTERS");
                    options.errors = name.parse().map_err(wrong)?;
                    "errors"
                }
                Some(("layers", number)) => {
                    options.layers =
                        number.parse().map_err(|_| format!("layers is a number, as in layers=3, not {number:?}"))?;
                    "layers"
                }
                Some(("keep", set)) => {
                    let characters = Decoder::new().strict().decode(set).map_err(|error| {
                        format!("the `%` at byte {} of keep={set} starts no escape; write `%` as %25", 5 + error.offset)
                    })?;
                    options.keep = ByteSet::of(&characters);
                    "keep"
                }
                Some((name, _)) => {
                    return Err(format!("there is no option {name:?}; the options are errors, plus, layers and keep"));
                }
            };
            if given.contains(&option) {
                return Err(format!("{option} is given twice, the second time by {word:?}"));
            }
            given.push(option);
        }
        Ok(options)
    }
}
