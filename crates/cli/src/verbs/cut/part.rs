//! The parts of URLs, by name.

use std::borrow::Cow;

use percent_simd::{ByteSet, Decoder, RawEncoder};
use percent_simd_records::formats::Syntax;
use percent_standards::uri::{RequestTarget, Uri};

/// The part of a field that a column shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    All,
    Scheme,
    Userinfo,
    User,
    Password,
    Host,
    Port,
    Authority,
    Path,
    Query,
    Fragment,
    Parameter(Vec<u8>),
    Parameters,
}

const PARTS: [(&str, Part); 10] = [
    ("scheme", Part::Scheme),
    ("userinfo", Part::Userinfo),
    ("user", Part::User),
    ("password", Part::Password),
    ("host", Part::Host),
    ("port", Part::Port),
    ("authority", Part::Authority),
    ("path", Part::Path),
    ("query", Part::Query),
    ("fragment", Part::Fragment),
];

impl Part {
    pub fn named(name: &str) -> Option<Part> {
        match name.strip_prefix("query.") {
            Some("*") => Some(Part::Parameters),
            Some(name) => Some(Part::Parameter(name.replace("\\.", ".").into_bytes())),
            None => PARTS.iter().find(|(known, _)| *known == name).map(|(_, part)| part.clone()),
        }
    }

    /// Splits a name such as `target.query.q` into the name of the field and the part.
    pub fn split(text: &str) -> (String, Part) {
        let dots = text.match_indices('.').filter(|(at, _)| !text[..*at].ends_with('\\'));
        let found = dots.filter_map(|(at, _)| Part::named(&text[at + 1..]).map(|part| (&text[..at], part))).next();
        let (field, part) = found.unwrap_or((text, Part::All));
        (field.replace("\\.", "."), part)
    }
}

/// Splits a value into its components.
pub fn split(value: &str, syntax: Syntax) -> Uri<'_> {
    match syntax {
        Syntax::Reference => Uri::split(value),
        Syntax::Target => {
            let target = RequestTarget::split(value);
            Uri {
                scheme: target.scheme(),
                authority: target.authority(),
                path: target.path_or_root(),
                query: target.query(),
                fragment: None,
            }
        }
        Syntax::Query => Uri { query: Some(value), ..Uri::default() },
    }
}

/// Returns the text of a field after decoding `outer` layers of escapes. If the result is not UTF-8, its non-ASCII bytes are
/// escaped.
pub fn text_of(value: &[u8], outer: usize) -> Cow<'_, str> {
    const ASCII: RawEncoder = RawEncoder::new(ByteSet::range(0, 0x7F));
    let text = |bytes: Cow<[u8]>| match std::str::from_utf8(&bytes) {
        Ok(text) => text.to_string(),
        Err(_) => String::from_utf8_lossy(&ASCII.encode(&*bytes)).into_owned(),
    };
    match std::str::from_utf8(value) {
        Ok(value) if outer == 0 => Cow::Borrowed(value),
        _ => Cow::Owned(text(Decoder::new().decode_layers(value, outer).bytes)),
    }
}
