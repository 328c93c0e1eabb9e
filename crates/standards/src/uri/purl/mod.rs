//! Package URLs. They name a package of any package manager: `pkg:npm/%40babel/core@7.24.0`.
//!
//! Follows the [specification](https://github.com/package-url/purl-spec/tree/main/docs/specification) and the type
//! definitions at commit 16f3d0e39343 of 21 August 2026.
//!
//! ```
//! use percent_standards::uri::purl::Purl;
//!
//! let purl = Purl::parse("pkg:NPM/@babel/core@7.24.0?vcs_url=git+https://host/a")?;
//! assert_eq!((purl.package_type(), purl.namespace(), purl.name()), ("npm", Some("@babel"), "core"));
//! assert_eq!(purl.qualifier("vcs_url"), Some("git+https://host/a"));
//! assert_eq!(purl.to_string(), "pkg:npm/%40babel/core@7.24.0?vcs_url=git%2Bhttps:%2F%2Fhost%2Fa");
//!
//! let built = Purl::builder("pypi", "Django_package").version("1.11").build()?;
//! assert_eq!(built.to_string(), "pkg:pypi/django-package@1.11");
//! # Ok::<(), percent_standards::uri::purl::PurlError>(())
//! ```
//!
//! The parts are decoded and in normal form: if a type ignores the case of letters, the letters are in lower case. So
//! if two package URLs are equal, they name the same package.
//!
//! This module checks these rules of a type's definition:
//! - the parts in which the case of letters doesn't matter;
//! - a required or a prohibited namespace;
//! - required qualifiers;
//! - the permitted characters, for `chrome-extension`, `cpan`, `pub` and `pypi`.
//!
//! If a type has no definition, any parts are accepted.

mod types;

use alloc::{string::String, vec::Vec};
use core::fmt::{self, Write};
use core::str::FromStr;

use percent_simd::{CheckedDecoder, DecodeError, Decoder, Encoder, presets};

use crate::error::positioned_error;
use crate::memory;

static ENCODER: Encoder = presets::PURL;
static DECODER: CheckedDecoder = Decoder::new().strict();

/// A package URL, split into its parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Purl {
    package_type: String,
    namespace: String,
    name: String,
    version: String,
    /// The keys and values, sorted by key.
    qualifiers: Vec<(String, String)>,
    subpath: String,
}

/// The decoded parts of a package URL. A [`Purl`] is built from them.
#[derive(Clone, Debug)]
pub struct PurlBuilder<'a> {
    package_type: &'a str,
    namespace: &'a str,
    name: &'a str,
    version: &'a str,
    qualifiers: Vec<(&'a str, &'a str)>,
    subpath: &'a str,
}

positioned_error! {
    /// The error for text that isn't a package URL, and for parts that can't form a package URL.
    PurlError {
        /// The offset of the fault, in bytes of the text. In errors of [`PurlBuilder::build`], this is always 0.
        offset
    }
    PurlErrorKind {
        /// The text doesn't begin with `pkg:`.
        Scheme => "the package URL does not begin with `pkg:`",
        /// The type is missing, doesn't begin with a letter, or has a character other than letters, digits, `.` and `-`.
        Type => "the type at byte {offset} is missing or invalid",
        /// The namespace is missing, but the type requires one.
        NamespaceMissing => "packages of this type need a namespace, at byte {offset}",
        /// There is a namespace, but the type doesn't allow one.
        NamespaceProhibited => "packages of this type have no namespace; see byte {offset}",
        /// The name is missing, or has a character that the type doesn't permit.
        Name => "the name at byte {offset} is missing or invalid",
        /// The version has a character that the type doesn't permit.
        Version => "the version at byte {offset} is invalid for this type",
        /// The key of a qualifier doesn't begin with a letter, or has a character other than letters, digits, `.`, `-` and
        /// `_`.
        Key => "the key of the qualifier at byte {offset} is invalid",
        /// A key occurs twice.
        DuplicateKey => "the key of a qualifier occurs twice, from byte {offset} on",
        /// A qualifier that the type requires is missing.
        QualifierMissing => "packages of this type need another qualifier",
        /// A segment of the namespace or of the subpath contains an escaped `/`.
        Slash => "the segment at byte {offset} contains an escaped `/`",
        /// A `%` starts no triplet, or decoded bytes aren't UTF-8.
        Escape => "the escape at byte {offset} is malformed, or its bytes are not UTF-8",
    }
}

/// Returns an error of this kind at `offset`.
fn fault<T>(offset: usize, kind: PurlErrorKind) -> Result<T, PurlError> {
    Err(PurlError { offset, kind })
}

/// A part of the text, and the offset of this part in the text.
#[derive(Clone, Copy)]
struct Piece<'a>(&'a str, usize);

impl<'a> Piece<'a> {
    /// Splits at the byte at `at`. This byte is in neither piece.
    fn split_at(self, at: usize) -> (Piece<'a>, Piece<'a>) {
        (Piece(&self.0[..at], self.1), Piece(&self.0[at + 1..], self.1 + at + 1))
    }

    /// Splits at the last `delimiter`, if there is one.
    fn rsplit(self, delimiter: char) -> (Piece<'a>, Option<Piece<'a>>) {
        match self.0.rfind(delimiter) {
            Some(at) => {
                let (before, after) = self.split_at(at);
                (before, Some(after))
            }
            None => (self, None),
        }
    }

    /// Splits at every `delimiter`.
    fn split(self, delimiter: char) -> impl Iterator<Item = Piece<'a>> {
        let mut offset = self.1;
        self.0.split(delimiter).map(move |part| {
            let start = offset;
            offset += part.len() + 1;
            Piece(part, start)
        })
    }

    fn decode(self) -> Result<String, PurlError> {
        let place =
            |error: DecodeError| PurlError { offset: error.shifted(self.1).offset, kind: PurlErrorKind::Escape };
        DECODER.decode_utf8(self.0).map(memory::owned).map_err(place)
    }

    /// Decodes the segments, and joins the ones that `keeps` accepts.
    fn decode_segments(self, keeps: impl Fn(&str) -> bool) -> Result<String, PurlError> {
        let mut joined = String::new();
        for piece in self.split('/') {
            let segment = piece.decode()?;
            if segment.contains('/') {
                return fault(piece.1, PurlErrorKind::Slash);
            }
            push_segment(&mut joined, &segment, &keeps);
        }
        Ok(joined)
    }
}

/// If `keeps` accepts the segment, appends it to the path.
fn push_segment(path: &mut String, segment: &str, keeps: impl Fn(&str) -> bool) {
    if keeps(segment) {
        if !path.is_empty() {
            memory::push_str(path, "/");
        }
        memory::push_str(path, segment);
    }
}

fn is_not_empty(segment: &str) -> bool {
    !segment.is_empty()
}

/// Returns true for a segment that a subpath can have.
fn is_of_subpath(segment: &str) -> bool {
    !matches!(segment, "" | "." | "..")
}

impl Purl {
    /// Parses a package URL.
    ///
    /// - Reads `pkg://npm/x` as `pkg:npm/x`. The letters of the scheme, the type and the keys may be in any case.
    /// - The last raw `@` starts the version. But if this `@` is at the start of a segment, and another segment
    ///   follows, it belongs to the namespace, and there is no version (`pkg:npm/@babel/core`).
    /// - Empty segments are removed. In the subpath, the segments `.` and `..` are removed, too. Qualifiers without a
    ///   value are also removed.
    /// - For the type `git`, the namespace is one segment, and the name can have several segments.
    ///
    /// # Errors
    ///
    /// Returns an error if a part is missing, malformed, or invalid for its type.
    pub fn parse(text: &str) -> Result<Purl, PurlError> {
        let (rest, subpath) = Piece(text, 0).rsplit('#');
        let (rest, qualifiers) = rest.rsplit('?');
        let Some(colon) = rest.0.find(':').filter(|&at| rest.0[..at].eq_ignore_ascii_case("pkg")) else {
            return fault(0, PurlErrorKind::Scheme);
        };
        let rest = rest.split_at(colon).1;
        let start = rest.0.len() - rest.0.trim_start_matches('/').len();
        let rest = Piece(&rest.0[start..], rest.1 + start);
        let Some(slash) = rest.0.find('/') else { return fault(rest.1, PurlErrorKind::Type) };
        let (package_type, rest) = rest.split_at(slash);

        // The last `@` starts the version, unless it is at the start of a segment and another segment follows. Then it
        // is a part of the namespace.
        let is_version = |at: usize| !(at == 0 || rest.0[..at].ends_with('/')) || !rest.0[at..].contains('/');
        let (path, version) = match rest.0.rfind('@').filter(|&at| is_version(at)) {
            Some(at) => {
                let (path, version) = rest.split_at(at);
                (path, Some(version))
            }
            None => (Piece(rest.0.trim_end_matches('/'), rest.1), None),
        };
        let rules = types::rules(package_type.0);
        let start = path.0.len() - path.0.trim_start_matches('/').len();
        let path = Piece(&path.0[start..], path.1 + start);
        let slash = if rules.has_deep_name() { path.0.find('/') } else { path.0.rfind('/') };
        let (namespace, name) = match slash {
            Some(at) => path.split_at(at),
            None => (Piece("", path.1), path),
        };
        let name_text = if rules.has_deep_name() { name.decode_segments(is_not_empty)? } else { name.decode()? };
        let mut purl = Purl {
            package_type: memory::text(package_type.0),
            namespace: namespace.decode_segments(is_not_empty)?,
            name: name_text,
            version: version.map_or(Ok(String::new()), Piece::decode)?,
            qualifiers: Vec::new(),
            subpath: subpath.map_or(Ok(String::new()), |subpath| subpath.decode_segments(is_of_subpath))?,
        };
        let mut first_key = text.len();
        if let Some(qualifiers) = qualifiers {
            first_key = qualifiers.1;
            for pair in qualifiers.split('&').filter(|pair| is_not_empty(pair.0)) {
                let (key, value) = match pair.0.find('=') {
                    Some(at) => pair.split_at(at),
                    None => (pair, Piece("", pair.1 + pair.0.len())),
                };
                let value = value.decode()?;
                purl.push_qualifier(key.0, value).map_err(|kind| PurlError { offset: key.1, kind })?;
            }
        }
        purl.finish().map_err(|kind| {
            let offset = match kind {
                PurlErrorKind::Type => package_type.1,
                PurlErrorKind::NamespaceMissing | PurlErrorKind::NamespaceProhibited => namespace.1,
                PurlErrorKind::Version => version.map_or(path.1, |version| version.1),
                PurlErrorKind::DuplicateKey | PurlErrorKind::QualifierMissing => first_key,
                _ => name.1,
            };
            PurlError { offset, kind }
        })?;
        Ok(purl)
    }

    /// Starts to build a package URL from decoded parts.
    #[must_use]
    pub const fn builder<'a>(package_type: &'a str, name: &'a str) -> PurlBuilder<'a> {
        PurlBuilder { package_type, namespace: "", name, version: "", qualifiers: Vec::new(), subpath: "" }
    }

    /// If the qualifier has a value, adds it.
    fn push_qualifier(&mut self, key: &str, value: String) -> Result<(), PurlErrorKind> {
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        if !key.starts_with(|first: char| first.is_ascii_alphabetic()) || !key.bytes().all(is_valid) {
            return Err(PurlErrorKind::Key);
        }
        if !value.is_empty() {
            let mut key = memory::text(key);
            key.make_ascii_lowercase();
            memory::push(&mut self.qualifiers, (key, value));
        }
        Ok(())
    }

    /// Checks the parts, and converts them to their normal form.
    fn finish(&mut self) -> Result<(), PurlErrorKind> {
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
        self.package_type.make_ascii_lowercase();
        if !self.package_type.starts_with(|first: char| first.is_ascii_alphabetic())
            || !self.package_type.bytes().all(is_valid)
        {
            return Err(PurlErrorKind::Type);
        }
        self.qualifiers.sort_unstable();
        if self.qualifiers.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(PurlErrorKind::DuplicateKey);
        }
        let rules = types::rules(&self.package_type);
        let name = self.name.trim_matches('/');
        if name.is_empty() {
            return Err(PurlErrorKind::Name);
        }
        if rules.has_deep_name() {
            let mut path = String::new();
            let segments = self.namespace.split('/').chain(name.split('/'));
            segments.for_each(|segment| push_segment(&mut path, segment, is_not_empty));
            let (namespace, name) = path.split_once('/').unwrap_or(("", &path));
            (self.namespace, self.name) = (memory::text(namespace), memory::text(name));
        } else if name.len() < self.name.len() {
            self.name = memory::text(name);
        }
        rules.apply(self)
    }

    /// Returns the type, in lower case: `npm`.
    #[must_use]
    pub fn package_type(&self) -> &str {
        &self.package_type
    }

    /// Returns the decoded namespace. `/` separates its segments, and no segment contains a `/`.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        Some(&*self.namespace).filter(|text| is_not_empty(text))
    }

    /// Returns the decoded name. It is never empty.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the decoded version.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        Some(&*self.version).filter(|text| is_not_empty(text))
    }

    /// Returns the keys and the decoded values of the qualifiers, sorted by key.
    pub fn qualifiers(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.qualifiers.iter().map(|(key, value)| (&**key, &**value))
    }

    /// Returns the decoded value of the qualifier called `key`. `key` must be in lower case.
    #[must_use]
    pub fn qualifier(&self, key: &str) -> Option<&str> {
        self.qualifiers().find(|qualifier| qualifier.0 == key).map(|qualifier| qualifier.1)
    }

    /// Returns the decoded subpath. `/` separates its segments. No segment contains a `/`, and no segment is `.` or
    /// `..`.
    #[must_use]
    pub fn subpath(&self) -> Option<&str> {
        Some(&*self.subpath).filter(|text| is_not_empty(text))
    }
}

impl<'a> PurlBuilder<'a> {
    /// Sets the namespace. `/` separates its segments.
    #[must_use]
    pub fn namespace(mut self, namespace: &'a str) -> PurlBuilder<'a> {
        self.namespace = namespace;
        self
    }

    /// Sets the version.
    #[must_use]
    pub fn version(mut self, version: &'a str) -> PurlBuilder<'a> {
        self.version = version;
        self
    }

    /// Adds a qualifier. If its value is empty, this has no effect.
    #[must_use]
    pub fn qualifier(mut self, key: &'a str, value: &'a str) -> PurlBuilder<'a> {
        memory::push(&mut self.qualifiers, (key, value));
        self
    }

    /// Sets the subpath. `/` separates its segments. Empty segments, `.` and `..` are left out.
    #[must_use]
    pub fn subpath(mut self, subpath: &'a str) -> PurlBuilder<'a> {
        self.subpath = subpath;
        self
    }

    /// Returns the package URL, in its normal form.
    ///
    /// # Errors
    ///
    /// Returns an error if a part is missing, malformed, or invalid for its type.
    pub fn build(&self) -> Result<Purl, PurlError> {
        let path = |text: &str, keeps: fn(&str) -> bool| {
            let mut path = String::new();
            text.split('/').for_each(|segment| push_segment(&mut path, segment, keeps));
            path
        };
        let at_start = |kind| PurlError { offset: 0, kind };
        let mut purl = Purl {
            package_type: memory::text(self.package_type),
            namespace: path(self.namespace, is_not_empty),
            name: memory::text(self.name),
            version: memory::text(self.version),
            qualifiers: Vec::new(),
            subpath: path(self.subpath, is_of_subpath),
        };
        for (key, value) in &self.qualifiers {
            purl.push_qualifier(key, memory::text(value)).map_err(at_start)?;
        }
        purl.finish().map_err(at_start)?;
        Ok(purl)
    }
}

/// Calls [`Purl::parse`].
impl FromStr for Purl {
    type Err = PurlError;

    fn from_str(text: &str) -> Result<Purl, PurlError> {
        Purl::parse(text)
    }
}

/// Writes the canonical form.
impl fmt::Display for Purl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let write_path = |path: &str, f: &mut fmt::Formatter<'_>| {
            path.split('/').enumerate().try_for_each(|(number, segment)| {
                if number > 0 {
                    f.write_char('/')?;
                }
                ENCODER.encode_fmt(segment, f)
            })
        };
        write!(f, "pkg:{}/", self.package_type)?;
        if let Some(namespace) = self.namespace() {
            write_path(namespace, f)?;
            f.write_char('/')?;
        }
        if types::rules(&self.package_type).has_deep_name() {
            write_path(&self.name, f)?;
        } else {
            ENCODER.encode_fmt(&self.name, f)?;
        }
        if let Some(version) = self.version() {
            f.write_char('@')?;
            ENCODER.encode_fmt(version, f)?;
        }
        for (number, (key, value)) in self.qualifiers().enumerate() {
            write!(f, "{}{key}=", if number == 0 { '?' } else { '&' })?;
            ENCODER.encode_fmt(value, f)?;
        }
        if let Some(subpath) = self.subpath() {
            f.write_char('#')?;
            write_path(subpath, f)?;
        }
        Ok(())
    }
}
