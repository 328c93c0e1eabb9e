//! The parts of URLs, by name.

use std::borrow::Cow;

use percent_simd::{ByteSet, RawEncoder};
use percent_simd_records::formats::Syntax;
use percent_standards::form::Parser;
#[cfg(feature = "domains")]
use percent_standards::uri::registrable_domain;
use percent_standards::uri::{Authority, RequestTarget, Uri, default_port};

use crate::component::host_and_port_len;
use crate::verbs::form;

/// The part of a field that a column shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    All,
    Scheme,
    Userinfo,
    User,
    Password,
    Host,
    /// The registrable domain of the host.
    #[cfg(feature = "domains")]
    Domain,
    /// All hosts of an authority, as an array. An authority can have several hosts.
    Hosts,
    Port,
    Authority,
    Origin,
    Path,
    /// A segment of the path, by its number. The first segment is 1, and the last is -1.
    Segment(isize),
    /// The last segment of the path.
    File,
    Extension,
    Query,
    Fragment,
    Parameter(Vec<u8>),
    /// All parameters, as an object.
    Parameters,
    /// All parameters, as an array of pairs.
    Pairs,
}

const PARTS: &[(&str, Part)] = &[
    ("scheme", Part::Scheme),
    ("userinfo", Part::Userinfo),
    ("user", Part::User),
    ("password", Part::Password),
    ("host", Part::Host),
    #[cfg(feature = "domains")]
    ("host.domain", Part::Domain),
    ("hosts", Part::Hosts),
    ("port", Part::Port),
    ("authority", Part::Authority),
    ("origin", Part::Origin),
    ("path", Part::Path),
    ("file", Part::File),
    ("extension", Part::Extension),
    ("query", Part::Query),
    ("params", Part::Pairs),
    ("fragment", Part::Fragment),
];

impl Part {
    pub fn named(name: &str) -> Option<Part> {
        if let Some(name) = name.strip_prefix("query.") {
            return Some(match name {
                "*" => Part::Parameters,
                name => Part::Parameter(name.replace("\\.", ".").into_bytes()),
            });
        }
        if let Some(number) = name.strip_prefix("segments[").and_then(|rest| rest.strip_suffix(']')) {
            return number.parse().ok().filter(|&number: &isize| number != 0).map(Part::Segment);
        }
        PARTS.iter().find(|(known, _)| *known == name).map(|(_, part)| part.clone())
    }

    /// Splits a name such as `target.query.q` into the name of the field and the part.
    pub fn split(text: &str) -> (String, Part) {
        let dots = text.match_indices('.').filter(|(at, _)| !text[..*at].ends_with('\\'));
        let found = dots.filter_map(|(at, _)| Part::named(&text[at + 1..]).map(|part| (&text[..at], part))).next();
        let (field, part) = found.unwrap_or((text, Part::All));
        (field.replace("\\.", "."), part)
    }

    /// Returns true if the part is written as JSON.
    pub fn is_json(&self) -> bool {
        matches!(self, Part::Parameters | Part::Pairs | Part::Hosts)
    }

    /// Returns the bytes that separate the components of this part. Escapes of these bytes stay. `plus_is_space` is
    /// true if a `+` of a query becomes a space.
    pub fn separators(&self, plus_is_space: bool) -> ByteSet {
        match self {
            Part::Userinfo => ByteSet::of(b":"),
            Part::Host | Part::Port => ByteSet::of(b","),
            Part::Authority => ByteSet::of(b"@:,[]"),
            Part::Origin => ByteSet::of(b"@:,[]/?#"),
            Part::Path => ByteSet::of(b"/"),
            // If each raw `+` becomes a space, a `+` in the column is always a decoded `%2B`. So a
            // `%2B` need not stay.
            Part::Query if plus_is_space => ByteSet::of(b"&="),
            Part::Query => ByteSet::of(b"&=+"),
            _ => ByteSet::EMPTY,
        }
    }

    /// Returns the text of this part as the URL has it, with its escapes. Returns `None` if the URL lacks this part, or
    /// if the part is written as JSON.
    pub fn text<'a>(&self, uri: &Uri<'a>, syntax: Syntax) -> Option<Cow<'a, str>> {
        let authority = || uri.authority_parts();
        let path = Some(uri.path).filter(|_| !syntax.is_query());
        let text = match self {
            Part::Scheme => uri.scheme,
            Part::Userinfo => uri.userinfo(),
            Part::User => authority()?.user().map(|user| user.raw()),
            Part::Password => authority()?.password().map(|word| word.raw()),
            Part::Host => return of_hosts(authority()?, |one| Some(one.host.into())),
            #[cfg(feature = "domains")]
            Part::Domain => return of_hosts(authority()?, |one| registrable_domain(one.host).map(Cow::Owned)),
            Part::Port => return of_hosts(authority()?, |one| one.port.map(Cow::Borrowed)),
            Part::Authority => uri.authority,
            Part::Origin => return origin(uri).map(Cow::Owned),
            Part::Path => path,
            Part::Segment(number) => segment(path?, *number),
            Part::File => segment(path?, -1).filter(|file| !file.is_empty()),
            Part::Extension => extension(segment(path?, -1)?),
            Part::Query => uri.query,
            Part::Fragment => uri.fragment,
            Part::All | Part::Parameter(_) | Part::Parameters | Part::Pairs | Part::Hosts => None,
        };
        text.map(Cow::Borrowed)
    }

    /// Appends the JSON of this part. `decode` decodes a text of the URL. Returns false if the URL lacks this part, or if the part
    /// is text.
    pub fn push_json(&self, uri: &Uri, decode: impl Fn(&[u8]) -> Vec<u8>, out: &mut Vec<u8>) -> bool {
        let pairs = |query: &str| -> Vec<(Cow<[u8]>, Cow<[u8]>)> {
            let text = |raw: &[u8]| Cow::Owned(decode(raw));
            let pairs = Parser::new().parse_raw(query);
            pairs.map(|pair| (text(pair.name), text(pair.value.unwrap_or_default()))).collect()
        };
        match (self, uri.query, uri.authority_parts()) {
            (Part::Parameters, Some(query), _) => form::push_object(&pairs(query), out),
            (Part::Pairs, Some(query), _) => form::push_pairs(&pairs(query), out),
            (Part::Hosts, _, Some(authority)) => {
                for (number, one) in authority.hosts().enumerate() {
                    out.extend(if number > 0 { &b",{\"host\":"[..] } else { b"[{\"host\":" });
                    form::push_string(&decode(one.host.as_ref()), out);
                    out.extend(b",\"port\":");
                    match one.port {
                        Some(port) => form::push_string(&decode(port.as_ref()), out),
                        None => out.extend(b"null"),
                    }
                    out.push(b'}');
                }
                out.push(b']');
            }
            _ => return false,
        }
        true
    }
}

/// Returns the segment with this number. The first segment is 1, and the last is -1. The slash at the start of a path
/// is skipped: the first segment of `/a/b` is `a`.
fn segment(path: &str, number: isize) -> Option<&str> {
    let mut segments = percent_standards::uri::segments(path.strip_prefix('/').unwrap_or(path)).map(|part| part.raw());
    let at = number.unsigned_abs() - 1;
    if number > 0 { segments.nth(at) } else { segments.nth_back(at) }
}

/// Returns the text after the last dot of a file name. The dot may be escaped, because it is unreserved (RFC 3986 2.3). Parameters of
/// the segment (3.3) come after a `;`, and don't belong to the name.
fn extension(file: &str) -> Option<&str> {
    let name = file.split(';').next().unwrap_or(file);
    let dots = [".", "%2E", "%2e"].map(|dot| name.rfind(dot).map(|at| (at, dot.len())));
    let (at, len) = dots.into_iter().flatten().max()?;
    Some(&name[at + len..]).filter(|text| at > 0 && !text.is_empty())
}

/// Returns the text that `text` returns for the host of `authority`. If the authority has several hosts, joins their texts with
/// commas. If no host has a text, returns `None`.
fn of_hosts<'a>(
    authority: Authority<'a>,
    text: impl Fn(Authority<'a>) -> Option<Cow<'a, str>>,
) -> Option<Cow<'a, str>> {
    let mut all: Vec<_> = authority.hosts().map(text).collect();
    if all.len() == 1 {
        return all.pop()?;
    }
    let texts: Vec<_> = all.iter().map(|text| text.as_deref().unwrap_or_default()).collect();
    all.iter().any(Option::is_some).then(|| texts.join(",").into())
}

/// Returns the scheme, the hosts and their ports (RFC 6454 4), in lower case and without default ports.
fn origin(uri: &Uri) -> Option<String> {
    let scheme = uri.scheme?.to_ascii_lowercase();
    let server = |one: Authority| {
        let mut text = one.host.to_ascii_lowercase();
        let port = one.port.filter(|port| !port.is_empty());
        if let Some(port) = port.filter(|port| port.parse().ok() != default_port(&scheme)) {
            text += ":";
            text += port;
        }
        Some(text.into())
    };
    Some(format!("{scheme}://{}", of_hosts(uri.authority_parts()?, server)?))
}

/// Splits a value into its components.
pub fn split(value: &str, syntax: Syntax) -> Uri<'_> {
    match syntax {
        Syntax::Reference => match value.split_at(host_and_port_len(value.as_bytes())) {
            ("", _) => Uri::split(value),
            (server, rest) => Uri { authority: Some(server), ..Uri::split(rest) },
        },
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

/// Returns the text of a field. If the field is not UTF-8, its non-ASCII bytes are escaped.
pub fn text_of(value: &[u8]) -> Cow<'_, str> {
    const ASCII: RawEncoder = RawEncoder::new(ByteSet::range(0, 0x7F));
    match std::str::from_utf8(value) {
        Ok(value) => Cow::Borrowed(value),
        Err(_) => Cow::Owned(String::from_utf8_lossy(&ASCII.encode(value)).into_owned()),
    }
}
