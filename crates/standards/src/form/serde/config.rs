//! Options for reading forms as types.

use serde::de::Deserialize;

use percent_simd::AsBytes;

use super::SerdeError;
use crate::form::Parser;

/// How serde reads a form: by the rules of browsers and of other frameworks.
///
/// Pass it to [`Parser::config`] to combine it with the options of the parser, such as a limit on the number of pairs.
/// [`Config::new`] gives the rules of [`from_str`](super::from_str).
///
/// # Examples
///
/// ```
/// use percent_standards::form::{Brackets, Config, Duplicates};
///
/// #[derive(serde::Deserialize, PartialEq, Debug)]
/// struct Officer {
///     first_name: String,
/// }
///
/// #[derive(serde::Deserialize, PartialEq, Debug)]
/// struct Company {
///     number: Option<u32>,
///     #[serde(default)]
///     listed: bool,
///     officers: Vec<Officer>,
/// }
///
/// const BROWSER: Config = Config { empty_as_none: true, bool_on: true, nested: Brackets::PHP, ..Config::new() };
/// let company: Company = BROWSER.deserialize("number=&listed=on&officers%5B0%5D%5Bfirst_name%5D=x")?;
/// assert_eq!(company, Company { number: None, listed: true, officers: vec![Officer { first_name: "x".into() }] });
///
/// let error = BROWSER.deserialize::<Company, _>("officers[0][last_name]=x").unwrap_err();
/// assert_eq!(error.to_string(), "field `officers[0]`, at byte 0: missing field `first_name`");
///
/// const RAILS: Config = Config { duplicates: Duplicates::Last, nested: Brackets::RAILS, ..Config::new() };
/// let pairs: std::collections::BTreeMap<String, Vec<u8>> = RAILS.deserialize("a[]=1&a[]=2")?;
/// assert_eq!(pairs["a"], [1, 2]);
/// # Ok::<(), percent_standards::form::SerdeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// If the type is an `Option`, reads an empty value as `None`. Browsers send an empty value for an empty text box.
    pub empty_as_none: bool,
    /// Reads `on` and `1` as `true`, and `off` and `0` as `false`. For a checkbox without a value, browsers send `on`
    /// ([HTML 4.10.5.4](https://html.spec.whatwg.org/#dom-input-value-default-on)), and Rails uses `1` and `0`. If a
    /// checkbox isn't checked, browsers don't send its name, so use `#[serde(default)]`.
    pub bool_on: bool,
    /// If the type asks for text, reads bytes that aren't UTF-8 as U+FFFD. Without this option, these bytes are an
    /// error. A type that asks for bytes always gets the bytes.
    pub lossy_text: bool,
    /// The rule for a repeated name, if the type takes only one value.
    pub duplicates: Duplicates,
    /// The rules by which names like `a[b]` build structures. With [`Brackets::OFF`], brackets have no meaning.
    pub nested: Brackets,
}

impl Config {
    /// Creates the options of [`from_str`](super::from_str). All options are off.
    #[must_use]
    pub const fn new() -> Config {
        Config {
            empty_as_none: false,
            bool_on: false,
            lossy_text: false,
            duplicates: Duplicates::Error,
            nested: Brackets::OFF,
        }
    }

    /// Deserializes a value of type `T` from a form. It works like [`from_str`](super::from_str), but with the options
    /// of `self`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_str`](super::from_str), and errors for malformed brackets.
    pub fn deserialize<'de, T: Deserialize<'de>, I: AsBytes + ?Sized>(&self, input: &'de I) -> Result<T, SerdeError> {
        Parser::new().config(*self).deserialize(input)
    }
}

impl Default for Config {
    fn default() -> Config {
        Config::new()
    }
}

/// The rule for a repeated name, if the type takes only one value. If the type is a sequence, it takes all values. But
/// with `Separate`, no type gets all values at once: serde gets the name again with each value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Duplicates {
    /// A second value is an error.
    #[default]
    Error,
    /// The first value counts.
    First,
    /// The last value counts, as in PHP, Rails and `serde_qs`.
    Last,
    /// Serde gets the name again with each value, as `serde_urlencoded` passes them. A map keeps the last value, and a
    /// struct reports a duplicate field. With brackets, this is the same as `Last`.
    Separate,
}

/// The rules by which brackets in names build structures: in `a[b]=c`, `b` is a field inside the field `a`.
///
/// The names are decoded first, so `a%5Bb%5D` is the same as `a[b]`. The common rules are:
///
/// - `a[b]` is the field `b` of a struct or map, or the element `b` of a sequence if `b` is a number.
/// - `a[]` is a new element of a sequence.
/// - The elements of a sequence come in the order of their numbers. Gaps are closed, so a large number takes no memory.
/// - An enum is a variant with its content, as in `a[Variant]=c`.
/// - A name with too many brackets is an error.
/// - If the whole form is read as a sequence of pairs, brackets have no meaning.
///
/// The dialects differ in these cases:
///
/// | form | [`PHP`](Self::PHP) | [`RAILS`](Self::RAILS) | [`SERDE_QS`](Self::SERDE_QS) |
/// | --- | --- | --- | --- |
/// | `a[][b]=1&a[][c]=2` | two elements | one element | an error |
/// | `a[][b]=1&a[][b]=2` | two elements | two elements | an error |
/// | `a=1&a[b]=2` | the later one counts | an error | an error |
/// | `a[b]=1&a=2` | the later one counts | the later one counts | an error |
/// | `a[]=1&a[b]=2` | `a` has both: `0` and `b` | an error | an error |
/// | `a[b=1` | `a_b` | in `a`, the field `[b` | an error |
/// | `a[b]c=1` | `a[b]` | `a[b][c]` | an error |
/// | `a.b c=1` | `a_b_c` | `a.b c` | `a.b c` |
/// | `[a]=1` | skipped | `[a]`, not nested | `[a]`, not nested |
/// | limit on the brackets in a name | 64 | 31 | 5 |
/// | sequences are written as | `a[0]=1` | `a[]=1`, but `a[0][b]=1` | `a[0]=1` |
///
/// The sources are [`php_register_variable_ex`](https://github.com/php/php-src/blob/master/main/php_variables.c) of PHP
/// 8, [`QueryParser`](https://github.com/rack/rack/blob/main/lib/rack/query_parser.rb) of Rack 3 (Rails is built on
/// Rack), and the crate [`serde_qs`](https://docs.rs/serde_qs) 1. If a name has too many brackets, the crate `serde_qs`
/// reads the extra brackets as part of the last key. In this crate, they are an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Brackets {
    pub(super) dialect: Dialect,
    pub(super) depth: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Dialect {
    Off,
    Php,
    Rails,
    SerdeQs,
}

impl Brackets {
    /// Brackets are ordinary characters of a name.
    pub const OFF: Brackets = Brackets { dialect: Dialect::Off, depth: 0 };
    /// Reads names as PHP does.
    pub const PHP: Brackets = Brackets { dialect: Dialect::Php, depth: 64 };
    /// Reads names as Rails and Rack do.
    pub const RAILS: Brackets = Brackets { dialect: Dialect::Rails, depth: 31 };
    /// Reads names as the crate `serde_qs` does. All malformed or ambiguous names are errors.
    pub const SERDE_QS: Brackets = Brackets { dialect: Dialect::SerdeQs, depth: 5 };

    /// Sets how many brackets a name may have. If the type is recursive, each bracket takes stack memory.
    #[must_use]
    pub const fn depth(self, brackets: u8) -> Brackets {
        Brackets { depth: brackets, ..self }
    }

    pub(super) const fn is_off(self) -> bool {
        matches!(self.dialect, Dialect::Off)
    }
}

impl Default for Brackets {
    fn default() -> Brackets {
        Brackets::OFF
    }
}
