//! Compares two URIs for equivalence (RFC 3986 6.2), without normalizing them.

use percent_simd::{Decoder, internal::triplet, sets};

use super::authority::{Authority, split_zone};
use super::dots::Kept;
use super::normalize::{dots_of, kept_port};
use super::parse::Uri;

/// The differences that a comparison ignores. The levels follow the steps of RFC 3986 6.2. Each level includes all
/// earlier levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Compares byte by byte (6.2.1).
    Simple,
    /// Also ignores the case of the scheme, the host and hexadecimal digits (6.2.2.1).
    Case,
    /// Also ignores whether an unreserved character is encoded (6.2.2.2).
    PercentEncoding,
    /// Also ignores an empty port (3.2.3) and dot segments (6.2.2.3). Dot segments may be written with `%2E`.
    ///
    /// In a relative path, only `.` is ignored. The effect of `..` depends on the base.
    PathSegment,
    /// Also ignores the default port of the scheme. If there is an authority, an empty path and `/` are equal (6.2.3).
    /// Use this level for URLs on the Web.
    Scheme,
}

/// The result of comparing two URIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Equivalence {
    /// The two URIs identify the same resource.
    Equivalent,
    /// The generic syntax can't decide. Either the URIs differ only in whether a reserved character is encoded, and
    /// only the server knows if this character is a delimiter (2.2). Or one of the URIs has a malformed `%`. A cache
    /// should treat the two URIs as different.
    Unknown,
    /// By the rules of this level, the two URIs are different. At a higher level they can be equivalent.
    Different,
}

/// Compares two URIs at `level` (RFC 3986 6.2).
///
/// You can also compare two references that are resolved by the same base. If the result is
/// [`Equivalent`](Equivalence::Equivalent), normalizing both at this level gives the same text. Text that isn't a URI
/// is split as in Appendix B. If the text before the first colon isn't a valid scheme, only the case of hexadecimal
/// digits and the encoding of characters are ignored. Doesn't allocate.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{Equivalence::*, Level, equivalent};
///
/// let (a, b) = ("example://a/b/c/%7Bfoo%7D", "eXAMPLE://a/./b/../b/%63/%7bfoo%7d");
/// assert_eq!(equivalent(a, b, Level::PercentEncoding), Different);
/// assert_eq!(equivalent(a, b, Level::PathSegment), Equivalent);
///
/// // Only the server knows if `=` is a delimiter.
/// assert_eq!(equivalent("/?a%3Db", "/?a=b", Level::Scheme), Unknown);
/// ```
#[must_use]
pub fn equivalent(a: &str, b: &str, level: Level) -> Equivalence {
    if a == b {
        return Equivalence::Equivalent;
    }
    if level == Level::Simple {
        return Equivalence::Different;
    }
    let (x, y) = (Uri::split(a), Uri::split(b));
    let comparison = Comparison { level };
    let found = match x.scheme {
        Some(scheme) if !x.is_reference() => match b.strip_prefix(scheme) {
            Some(rest) if y.scheme == x.scheme => comparison.texts(&a[scheme.len()..], rest, false),
            _ => Equivalence::Different,
        },
        _ => comparison.uris(&x, &y),
    };
    let is_malformed = |text: &str| Decoder::new().first_malformed(text).is_some();
    if found == Equivalence::Equivalent && (is_malformed(a) || is_malformed(b)) { Equivalence::Unknown } else { found }
}

struct Comparison {
    level: Level,
}

/// A byte or a triplet. Tokens are read from the end of a URI.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Raw(u8),
    Triplet(u8),
}

impl Token {
    fn byte(self) -> u8 {
        match self {
            Token::Raw(byte) | Token::Triplet(byte) => byte,
        }
    }
}

/// Returns the last token of `text`, and the text before this token.
///
/// `%` isn't a hexadecimal digit. So we find the same tokens whether we read from the end or from the start.
fn last_token(text: &[u8]) -> Option<(&[u8], Token)> {
    let triplet = text.len().checked_sub(3).and_then(|at| Some((&text[..at], triplet(text, at)?)));
    match triplet {
        Some((rest, byte)) => Some((rest, Token::Triplet(byte))),
        None => text.split_last().map(|(&byte, rest)| (rest, Token::Raw(byte))),
    }
}

fn tokens(text: &str) -> impl Iterator<Item = Token> {
    let mut rest = text.as_bytes();
    core::iter::from_fn(move || {
        let token;
        (rest, token) = last_token(rest)?;
        Some(token)
    })
}

/// Removes the tokens at the end that both texts have in common.
fn without_common_end<'t>(a: &'t [u8], b: &'t [u8]) -> (&'t [u8], &'t [u8]) {
    let most = a.len().min(b.len());
    let (tail_a, tail_b) = (&a[a.len() - most..], &b[b.len() - most..]);
    let mut left = most;
    while let (Some(x), Some(y)) = (tail_a[..left].last_chunk(), tail_b[..left].last_chunk()) {
        let differing = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        let same = differing.leading_zeros() as usize / 8;
        left -= same;
        if same < 8 {
            break;
        }
    }
    while left > 0 && tail_a[left - 1] == tail_b[left - 1] {
        left -= 1;
    }
    // If the common end starts inside a triplet of one text, we don't remove the bytes of this triplet.
    let cut = |text: &[u8]| {
        let end = text.len() - (most - left);
        (1..=2).find(|&back| end >= back && triplet(text, end - back).is_some()).map_or(0, |back| 3 - back)
    };
    let same = most - left - cut(a).max(cut(b));
    (&a[..a.len() - same], &b[..b.len() - same])
}

impl Comparison {
    fn uris(&self, x: &Uri<'_>, y: &Uri<'_>) -> Equivalence {
        let scheme = match (x.scheme, y.scheme) {
            (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
            (a, b) => a == b,
        };
        if !scheme {
            return Equivalence::Different;
        }
        let mut worst = self.authorities(x, y);
        let rest: [&dyn Fn() -> Equivalence; 3] =
            [&|| self.paths(x, y), &|| self.optional(x.query, y.query), &|| self.optional(x.fragment, y.fragment)];
        for part in rest {
            if worst == Equivalence::Different {
                break;
            }
            worst = worst.max(part());
        }
        worst
    }

    fn authorities(&self, x: &Uri<'_>, y: &Uri<'_>) -> Equivalence {
        match (x.authority_parts(), y.authority_parts()) {
            (Some(a), Some(b)) => {
                let (port_a, port_b) = (self.port(x, a), self.port(y, b));
                let ((host_a, zone_a), (host_b, zone_b)) = (split_zone(a.host), split_zone(b.host));
                self.optional(a.userinfo, b.userinfo)
                    .max(self.texts(host_a, host_b, true))
                    .max(self.texts(zone_a, zone_b, false))
                    .max(self.optional(port_a, port_b))
            }
            (None, None) => Equivalence::Equivalent,
            _ => Equivalence::Different,
        }
    }

    fn port<'a>(&self, uri: &Uri<'a>, authority: Authority<'a>) -> Option<&'a str> {
        if self.level < Level::PathSegment {
            return authority.port;
        }
        kept_port(uri, authority, self.level >= Level::Scheme)
    }

    fn paths(&self, x: &Uri<'_>, y: &Uri<'_>) -> Equivalence {
        let (path_x, path_y) = (self.path(x), self.path(y));
        if path_x == path_y {
            return Equivalence::Equivalent;
        }
        let (dots_x, dots_y) = (dots_of(x), dots_of(y));
        if self.level < Level::PathSegment || !dots_x.any(path_x) && !dots_y.any(path_y) {
            return self.texts(path_x, path_y, false);
        }
        let left = |path, dots| Kept::new("", path, dots).flat_map(tokens);
        self.streams(left(path_x, dots_x), left(path_y, dots_y))
    }

    fn path<'a>(&self, uri: &Uri<'a>) -> &'a str {
        let is_root = self.level >= Level::Scheme && uri.authority.is_some() && uri.path.is_empty();
        if is_root { "/" } else { uri.path }
    }

    fn optional(&self, a: Option<&str>, b: Option<&str>) -> Equivalence {
        match (a, b) {
            (Some(a), Some(b)) => self.texts(a, b, false),
            (None, None) => Equivalence::Equivalent,
            _ => Equivalence::Different,
        }
    }

    fn texts(&self, a: &str, b: &str, any_case: bool) -> Equivalence {
        let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
        let mut worst = Equivalence::Equivalent;
        loop {
            (a, b) = without_common_end(a, b);
            let (x, y);
            match (last_token(a), last_token(b)) {
                (Some(last_a), Some(last_b)) => ((a, x), (b, y)) = (last_a, last_b),
                (None, None) => return worst,
                _ => return Equivalence::Different,
            }
            worst = worst.max(self.tokens(x, y, any_case));
            if worst == Equivalence::Different {
                return worst;
            }
        }
    }

    fn streams(&self, mut a: impl Iterator<Item = Token>, mut b: impl Iterator<Item = Token>) -> Equivalence {
        let mut worst = Equivalence::Equivalent;
        loop {
            match (a.next(), b.next()) {
                (Some(a), Some(b)) => worst = worst.max(self.tokens(a, b, false)),
                (None, None) => return worst,
                _ => return Equivalence::Different,
            }
            if worst == Equivalence::Different {
                return worst;
            }
        }
    }

    fn tokens(&self, a: Token, b: Token, any_case: bool) -> Equivalence {
        let (a, b) = (self.normal(a, any_case), self.normal(b, any_case));
        if a == b {
            Equivalence::Equivalent
        } else if self.level >= Level::PercentEncoding && a.byte() == b.byte() {
            Equivalence::Unknown
        } else {
            Equivalence::Different
        }
    }

    fn normal(&self, token: Token, any_case: bool) -> Token {
        match token {
            Token::Triplet(byte) if self.level >= Level::PercentEncoding && sets::RFC3986_UNRESERVED.contains(byte) => {
                self.normal(Token::Raw(byte), any_case)
            }
            Token::Raw(byte) if any_case => Token::Raw(byte.to_ascii_lowercase()),
            token => token,
        }
    }
}
