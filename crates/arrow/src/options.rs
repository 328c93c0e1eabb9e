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

impl Errors {
    /// Returns a batch that treats faulty rows according to `self`. `strict` has the options of `lenient`, but rejects
    /// malformed escapes.
    pub(crate) fn batch(self, lenient: Decoder, strict: CheckedDecoder, is_text: bool) -> DecodeBatch {
        let (batch, not_utf8) = match self {
            Errors::Keep => (lenient.batch(), NotUtf8::KeepEscaped),
            Errors::Replace => (lenient.batch(), NotUtf8::Replace),
            Errors::Null => (strict.batch().errors_to_null(), NotUtf8::Error),
            Errors::Strict => (strict.batch(), NotUtf8::Error),
        };
        if is_text { batch.text(not_utf8) } else { batch }
    }
}

/// Returns two decoders for `layer`, counted from 0: a lenient decoder, and one that returns errors. Only in the first
/// layer, a `+` is read as a space, and a malformed `%` is a fault.
#[must_use]
pub fn decoders_of_layer(decoder: Decoder, reject: ByteSet, layer: usize) -> (Decoder, CheckedDecoder) {
    let decoder = if layer == 0 { decoder } else { decoder.plus(Plus::Never) };
    let strict = if layer == 0 { decoder.strict() } else { decoder.as_checked() };
    (decoder, if reject.is_empty() { strict } else { strict.reject(reject) })
}

/// The options of `pct_decode`, which SQL writes as one text: words with spaces between them, such as `null plus layers=3`.
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
/// use percent_simd_arrow::{DecodeOptions, Errors};
///
/// let options: DecodeOptions = "null plus layers=3 keep=/%25".parse()?;
/// assert_eq!((options.errors, options.layers), (Errors::Null, 3));
/// assert_eq!(options.decoder.decode("%2F+%25%41"), &b"%2F %25A"[..]);
/// assert!("loud".parse::<DecodeOptions>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeOptions {
    /// The treatment of faulty rows.
    pub errors: Errors,
    /// The decoder, with the options `plus` and `keep`.
    pub decoder: Decoder,
    /// The largest number of times that a row is decoded.
    pub layers: usize,
}

impl Default for DecodeOptions {
    fn default() -> DecodeOptions {
        DecodeOptions { errors: Errors::Keep, decoder: Decoder::new(), layers: 1 }
    }
}

impl FromStr for DecodeOptions {
    type Err = String;

    fn from_str(text: &str) -> Result<DecodeOptions, String> {
        let mut options = DecodeOptions::default();
        for word in text.split_ascii_whitespace() {
            match word.split_once('=') {
                Some(("plus", value)) => return Err(format!("plus has no value: write plus, not plus={value}")),
                None if word == "layers" => return Err("layers needs a number, as in layers=3".into()),
                None if word == "plus" => options.decoder = options.decoder.plus(Plus::Always),
                None | Some(("errors", _)) => {
                    let name = word.strip_prefix("errors=").unwrap_or(word);
                    let wrong = |error| format!("{error}; the other options are plus, layers=N and keep=CHARACTERS");
                    options.errors = name.parse().map_err(wrong)?;
                }
                Some(("layers", number)) => {
                    options.layers =
                        number.parse().map_err(|_| format!("layers is a number, as in layers=3, not {number:?}"))?;
                }
                Some(("keep", set)) => {
                    options.decoder = options.decoder.keep(ByteSet::of(&Decoder::new().decode(set)));
                }
                Some((name, _)) => {
                    return Err(format!("there is no option {name:?}; the options are errors, plus, layers and keep"));
                }
            }
        }
        Ok(options)
    }
}
