//! Parses and expands URI Templates (RFC 6570). Supports all four levels.
//!
//! ```
//! use percent_standards::uri::template::{Template, Value};
//!
//! let template = Template::parse("/users{/id}{?fields,q:5,page*}")?;
//! let uri = template.expand(&[
//!     ("id", Value::Text("a/b")),
//!     ("fields", Value::List(&["name", "e-mail"])),
//!     ("q", Value::Text("Ελλάδα")),
//!     ("page", Value::Pairs(&[("from", "1"), ("to", "9")])),
//! ])?;
//! assert_eq!(uri, "/users/a%2Fb?fields=name,e-mail&q=%CE%95%CE%BB%CE%BB%CE%AC%CE%B4&from=1&to=9");
//! # Ok::<(), percent_standards::uri::template::TemplateError>(())
//! ```

mod error;
mod parse;

use core::fmt;

use memchr::memchr;

use percent_simd::{Encoder, presets, sets};

pub use error::{TemplateError, TemplateErrorKind};

use error::fault;
use parse::{escaped_character, literal_error, variables};

#[cfg(feature = "alloc")]
use crate::memory;

#[cfg(feature = "alloc")]
use alloc::string::String;

/// A valid template (RFC 6570 2). Parse it once, and expand it as often as you like.
///
/// This type is `Copy`, and borrows the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Template<'t> {
    text: &'t str,
}

/// The value of a variable. If a list or pairs have no members, the variable is undefined, like a missing value (2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value<'v> {
    /// A string, which may be empty. RFC 6570 1.6 asks for Unicode normalization form C, so the caller has to normalize
    /// the string.
    Text(&'v str),
    /// A list of strings.
    List(&'v [&'v str]),
    /// An associative array: names with values. The output has them in this order.
    Pairs(&'v [(&'v str, &'v str)]),
}

/// The operator of an expression, which is its first character (2.2, 3.2.1 and Appendix A).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `{var}`: simple string expansion (3.2.2).
    Simple,
    /// `{+var}`: reserved expansion (3.2.3).
    Reserved,
    /// `{#var}`: fragment expansion (3.2.4).
    Fragment,
    /// `{.var}`: label expansion (3.2.5).
    Label,
    /// `{/var}`: path segment expansion (3.2.6).
    Segment,
    /// `{;var}`: path-style parameter expansion (3.2.7).
    Parameter,
    /// `{?var}`: form-style query expansion (3.2.8).
    Query,
    /// `{&var}`: form-style query continuation (3.2.9).
    Continuation,
}

/// The modifier after the name of a variable (2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modifier {
    /// No modifier.
    None,
    /// `:n`: takes only the first `n` characters of a string. `n` is from 1 to 9999 (2.4.1).
    Prefix(u16),
    /// `*`: expands each member of a list or of pairs separately (2.4.2).
    Explode,
}

/// One use of a variable in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Variable<'t> {
    /// The operator of the expression that contains the variable.
    pub operator: Operator,
    /// The name as it is written, with its escapes (2.3).
    pub name: &'t str,
    /// The modifier after the name.
    pub modifier: Modifier,
    /// The offset of the name, in bytes of the template.
    pub offset: usize,
}

/// `allow = U` (3.2.1)
static UNRESERVED: Encoder = Encoder::new(sets::RFC6570_U);

/// `allow = U+R` (3.2.1), and literals (3.1)
static RESERVED: Encoder = presets::RFC6570_U_R;

impl Operator {
    /// Splits the text of an expression into the operator and the rest. If the operator is reserved, returns `None`.
    fn split(body: &str) -> Option<(Operator, &str)> {
        let operator = match body.bytes().next() {
            Some(b'+') => Operator::Reserved,
            Some(b'#') => Operator::Fragment,
            Some(b'.') => Operator::Label,
            Some(b'/') => Operator::Segment,
            Some(b';') => Operator::Parameter,
            Some(b'?') => Operator::Query,
            Some(b'&') => Operator::Continuation,
            Some(b'=' | b',' | b'!' | b'@' | b'|') => return None,
            _ => return Some((Operator::Simple, body)),
        };
        Some((operator, &body[1..]))
    }

    /// Returns two texts: the text before the first defined variable, and the text before each further variable
    /// (Appendix A).
    fn separators(self) -> (&'static str, &'static str) {
        match self {
            Operator::Simple | Operator::Reserved => ("", ","),
            Operator::Fragment => ("#", ","),
            Operator::Label => (".", "."),
            Operator::Segment => ("/", "/"),
            Operator::Parameter => (";", ";"),
            Operator::Query => ("?", "&"),
            Operator::Continuation => ("&", "&"),
        }
    }

    /// Returns the text that follows a name if its value is empty. If the operator writes no names, returns `None`.
    fn named(self) -> Option<&'static str> {
        match self {
            Operator::Parameter => Some(""),
            Operator::Query | Operator::Continuation => Some("="),
            _ => None,
        }
    }

    fn encoder(self) -> &'static Encoder {
        match self {
            Operator::Reserved | Operator::Fragment => &RESERVED,
            _ => &UNRESERVED,
        }
    }
}

/// A part of a template.
enum Item<'t> {
    Literal(&'t str),
    /// The operator, the text between the braces after the operator, and the offset of this text.
    Expression(Operator, &'t str, usize),
}

impl<'t> Template<'t> {
    /// Parses a template by the grammar of RFC 6570 2.
    ///
    /// An apostrophe is a literal, according to the verified erratum 6937.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::template::{Template, TemplateErrorKind};
    ///
    /// let error = Template::parse("/a{b:0}").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (4, TemplateErrorKind::Modifier));
    /// let error = Template::parse("/a{b").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (2, TemplateErrorKind::Unclosed));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first fault according to the grammar of RFC 6570 2, with its offset in bytes of `text`.
    pub fn parse(text: &'t str) -> Result<Template<'t>, TemplateError> {
        let template = Template { text };
        for item in template.items() {
            if let Item::Expression(operator, list, offset) = item? {
                variables(operator, list, offset).try_for_each(|variable| variable.map(|_| ()))?;
            }
        }
        Ok(template)
    }

    /// Returns the text of the template.
    #[must_use]
    pub fn as_str(&self) -> &'t str {
        self.text
    }

    /// Returns the variables in their order. If a variable is used several times, it is returned several times.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::template::Template;
    ///
    /// let template = Template::parse("/{a}{?b*,c:3}")?;
    /// assert!(template.variables().map(|variable| variable.name).eq(["a", "b", "c"]));
    /// # Ok::<(), percent_standards::uri::template::TemplateError>(())
    /// ```
    pub fn variables(&self) -> impl Iterator<Item = Variable<'t>> {
        let expressions = self.items().filter_map(|item| match item {
            Ok(Item::Expression(operator, list, offset)) => Some(variables(operator, list, offset)),
            _ => None,
        });
        expressions.flatten().flatten()
    }

    /// Returns the items of the template, up to the first fault.
    fn items(&self) -> impl Iterator<Item = Result<Item<'t>, TemplateError>> {
        let (text, mut at) = (self.text, 0);
        core::iter::from_fn(move || {
            let (start, rest) = (at, &text[at..]);
            match memchr(b'{', rest.as_bytes()) {
                _ if rest.is_empty() => None,
                Some(0) => Some(match memchr(b'}', rest.as_bytes()) {
                    Some(end) => {
                        at += end + 1;
                        match Operator::split(&rest[1..end]) {
                            Some((operator, list)) => Ok(Item::Expression(operator, list, start + end - list.len())),
                            None => fault(start + 1, TemplateErrorKind::Operator),
                        }
                    }
                    None => {
                        at = text.len();
                        fault(start, TemplateErrorKind::Unclosed)
                    }
                }),
                end => {
                    let literal = &rest[..end.unwrap_or(rest.len())];
                    at += literal.len();
                    Some(literal_error(literal, start).map_or(Ok(Item::Literal(literal)), Err))
                }
            }
        })
    }

    /// Expands the template with these names and values (3). If a variable has no value here, it is undefined.
    ///
    /// The result is ASCII. Some details of the standard:
    ///
    /// - Reserved expansion and fragment expansion keep the triplets of a value. A `%` that starts no triplet becomes
    ///   `%25`. A prefix counts a triplet, or the triplets of one UTF-8 sequence, as one character.
    /// - If the operator writes names, the names of exploded pairs are encoded as literals (3.2.1). So a `&` in the
    ///   name of an exploded pair stays.
    /// - If a name has several values, the first value is used.
    ///
    /// # Security
    ///
    /// Two uses of text from users are dangerous (RFC 6570 8):
    ///
    /// - If the text is a name in exploded pairs (`{?v*}`, `{&v*}`, `{;v*}`), it could add parameters. So
    ///   [encode](crate::uri::encode_query_data) the name first.
    /// - If the text is a value in reserved expansion (`{+v}`) at the start of a template, it could add a scheme. So
    ///   check the value first.
    ///
    /// # Cost
    ///
    /// - The time is proportional to the template, the values and the result. If there are many values, a logarithmic
    ///   factor is added for sorting the values by name.
    /// - The result is one allocation of exactly the needed length. Sorting takes another allocation.
    /// - The length of the result depends on the template, which may use a long value many times.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::template::{Template, TemplateErrorKind, Value};
    ///
    /// let template = Template::parse("{/v:1}")?;
    /// assert_eq!(template.expand(&[("v", Value::Text("éa"))])?, "/%C3%A9");
    /// assert_eq!(template.expand(&[])?, "");
    /// let error = template.expand(&[("v", Value::List(&["a"]))]).unwrap_err();
    /// assert_eq!((error.offset, error.kind), (2, TemplateErrorKind::PrefixOfComposite));
    /// # Ok::<(), percent_standards::uri::template::TemplateError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a variable with a prefix modifier has a list or pairs as its value, returns
    /// [`PrefixOfComposite`](TemplateErrorKind::PrefixOfComposite). No other error is possible.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[cfg(feature = "alloc")]
    pub fn expand(&self, values: &[(&str, Value<'_>)]) -> Result<String, TemplateError> {
        /// Up to this number of values, a linear search is faster than sorting.
        const FEW: usize = 16;
        if values.len() <= FEW {
            return self.expand_with(|name| values.iter().find(|(given, _)| *given == name).map(|&(_, value)| value));
        }
        let mut by_name = memory::collect(values.iter().enumerate().map(|(at, &(name, value))| (name, at, value)));
        by_name.sort_unstable_by_key(|&(name, at, _)| (name, at)); // equal names keep their order
        self.expand_with(|name| {
            let at = by_name.partition_point(|&(given, ..)| given < name);
            by_name.get(at).filter(|(given, ..)| *given == name).map(|&(.., value)| value)
        })
    }

    /// Expands the template. `value` returns the value for the name of a variable.
    ///
    /// Works like [`expand`](Self::expand). `value` gets each name as it is written in the template. We call `value`
    /// twice for each variable, because we compute the length of the result first.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::collections::HashMap;
    /// use percent_standards::uri::template::{Template, Value};
    ///
    /// let values = HashMap::from([("host", "[::1]"), ("file", "a b")]);
    /// let template = Template::parse("http://{+host}/{file}{#undefined}")?;
    /// let uri = template.expand_with(|name| values.get(name).copied().map(Value::Text))?;
    /// assert_eq!(uri, "http://[::1]/a%20b");
    /// # Ok::<(), percent_standards::uri::template::TemplateError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the error of [`expand`](Self::expand).
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[cfg(feature = "alloc")]
    pub fn expand_with<'v>(&self, value: impl Fn(&str) -> Option<Value<'v>>) -> Result<String, TemplateError> {
        let mut len = 0usize;
        self.run(&value, &mut |encoder, text| {
            let piece = encoder.map_or(Some(text.len()), |encoder| encoder.encoded_len(text));
            len = len.saturating_add(piece.unwrap_or(usize::MAX));
        })?;
        let mut out = memory::string(len);
        self.run(&value, &mut |encoder, text| match encoder {
            Some(encoder) => _ = encoder.encode_into(text, &mut out),
            None => memory::push_str(&mut out, text),
        })?;
        Ok(out)
    }

    /// Calls `put` with each piece of the expansion and the encoder for this piece. If a piece has no encoder, it is
    /// written as it is.
    fn run<'v>(
        &self,
        value: &impl Fn(&str) -> Option<Value<'v>>,
        put: &mut impl FnMut(Option<&Encoder>, &str),
    ) -> Result<(), TemplateError> {
        for item in self.items() {
            match item? {
                Item::Literal(literal) => put(Some(&RESERVED), literal),
                Item::Expression(operator, list, offset) => {
                    let (mut before, separator) = operator.separators();
                    for variable in variables(operator, list, offset) {
                        let variable = variable?;
                        if let Some(value) = value(variable.name).filter(Value::is_defined) {
                            put(None, before);
                            before = separator;
                            variable.put(value, put)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Template<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl Value<'_> {
    fn is_defined(&self) -> bool {
        match self {
            Value::Text(_) => true,
            Value::List(list) => !list.is_empty(),
            Value::Pairs(pairs) => !pairs.is_empty(),
        }
    }
}

impl Variable<'_> {
    /// Passes the expansion of a defined value to `put` (3.2.1). The caller has already passed the separator before it.
    fn put(&self, value: Value<'_>, put: &mut impl FnMut(Option<&Encoder>, &str)) -> Result<(), TemplateError> {
        let (encoder, named) = (self.operator.encoder(), self.operator.named());
        let (_, separator) = self.operator.separators();
        // If the operator writes names, puts the name before a value.
        let name = |name: &str, is_empty: bool, put: &mut dyn FnMut(Option<&Encoder>, &str)| {
            if let Some(if_empty) = named {
                put(Some(&RESERVED), name);
                put(None, if is_empty { if_empty } else { "=" });
            }
        };
        match (value, self.modifier) {
            (Value::Text(text), modifier) => {
                name(self.name, text.is_empty(), put);
                put(Some(encoder), if let Modifier::Prefix(most) = modifier { self.prefix(text, most) } else { text });
            }
            (_, Modifier::Prefix(_)) => fault(self.offset, TemplateErrorKind::PrefixOfComposite)?,
            (Value::List(list), Modifier::Explode) => {
                for (i, member) in list.iter().enumerate() {
                    put(None, if i == 0 { "" } else { separator });
                    name(self.name, member.is_empty(), put);
                    put(Some(encoder), member);
                }
            }
            (Value::Pairs(pairs), Modifier::Explode) => {
                for (i, (key, value)) in pairs.iter().enumerate() {
                    put(None, if i == 0 { "" } else { separator });
                    name(key, value.is_empty(), put);
                    if named.is_none() {
                        put(Some(encoder), key);
                        put(None, "=");
                    }
                    put(Some(encoder), value);
                }
            }
            (Value::List(list), Modifier::None) => {
                name(self.name, false, put);
                for (i, member) in list.iter().enumerate() {
                    put(None, if i == 0 { "" } else { "," });
                    put(Some(encoder), member);
                }
            }
            (Value::Pairs(pairs), Modifier::None) => {
                name(self.name, false, put);
                for (i, (key, value)) in pairs.iter().enumerate() {
                    put(None, if i == 0 { "" } else { "," });
                    put(Some(encoder), key);
                    put(None, ",");
                    put(Some(encoder), value);
                }
            }
        }
        Ok(())
    }

    /// Returns the first `most` characters of `text` (2.4.1).
    fn prefix<'v>(&self, text: &'v str, most: u16) -> &'v str {
        let has_triplets = matches!(self.operator, Operator::Reserved | Operator::Fragment);
        let mut end = 0;
        for _ in 0..most {
            let Some(first) = text[end..].chars().next() else { break };
            end +=
                if has_triplets { escaped_character(text.as_bytes(), end) } else { None }.unwrap_or(first.len_utf8());
        }
        &text[..end]
    }
}
