//! Door: IRIs, RFC 3987.
//!
//! An IRI is a URI in which characters of all scripts stand as they are. [`to_uri`] makes it one of ASCII
//! ([RFC 3987 3.1](https://www.rfc-editor.org/rfc/rfc3987#section-3.1)), [`to_iri`] makes a URI readable
//! ([3.2](https://www.rfc-editor.org/rfc/rfc3987#section-3.2)), and [`check`] tells where something is not an IRI
//! ([2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2)).
//!
//! ```
//! use percent_simd::iri;
//!
//! assert_eq!(iri::to_uri("http://example.org/Dürst?q=日本"), "http://example.org/D%C3%BCrst?q=%E6%97%A5%E6%9C%AC");
//! assert_eq!(iri::to_iri("http://example.org/D%C3%BCrst/D%FCrst%2F"), "http://example.org/Dürst/D%FCrst%2F");
//! assert_eq!(iri::check("http://example.org/a b").unwrap_err().offset, 20);
//! ```
//!
//! With the feature `idna`, `host_to_ascii` and `host_to_unicode` do the same to the names of hosts.
#![forbid(unsafe_code)]

use core::fmt;
use core::net::Ipv6Addr;
use core::ops::Range;

use memchr::{memchr, memchr_iter, memchr3, memrchr};

use crate::decode::{CheckedDecoder, Decoder};
use crate::encode::{Encoder, RawEncoder};
use crate::set::ByteSet;
use crate::{kernel, sets};

#[cfg(feature = "alloc")]
use crate::uri::escaped_scheme_len;
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};

/// `ucschar` ([RFC 3987 2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2)): what an IRI may hold beyond ASCII.
///
/// ```
/// assert!(percent_simd::iri::is_ucschar('é') && !percent_simd::iri::is_ucschar('\u{FFFD}'));
/// ```
#[must_use]
pub const fn is_ucschar(character: char) -> bool {
    let code = character as u32;
    match code {
        0xA0..=0xD7FF | 0xF900..=0xFDCF | 0xFDF0..=0xFFEF | 0xE_1000..=0xE_FFFD => true,
        // No private planes, and of no plane the last two.
        0x1_0000..=0xD_FFFF => code & 0xFFFF <= 0xFFFD,
        _ => false,
    }
}

/// `iprivate` ([RFC 3987 2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2)): what its query may hold too.
///
/// ```
/// assert!(percent_simd::iri::is_iprivate('\u{E000}') && !percent_simd::iri::is_iprivate('é'));
/// ```
#[must_use]
pub const fn is_iprivate(character: char) -> bool {
    matches!(character as u32, 0xE000..=0xF8FF | 0xF_0000..=0xF_FFFD | 0x10_0000..=0x10_FFFD)
}

/// Whether the character shows nothing but turns what is around it: `Bidi_Control`
/// ([UAX #44](https://www.unicode.org/reports/tr44/#Bidi_Control)). Whatever shows text decoded had better leave these
/// encoded, for with them it reads as something else than it is.
///
/// [RFC 3987 4.1](https://www.rfc-editor.org/rfc/rfc3987#section-4.1) keeps seven of them out of IRIs, LRM, RLM, LRE, RLE,
/// PDF, LRO and RLO. The others are newer, ALM, LRI, RLI, FSI and PDI, and hide what is written just as well.
///
/// ```
/// use percent_simd::iri::is_bidi_control;
/// assert!(is_bidi_control('\u{202E}') && is_bidi_control('\u{2066}') && !is_bidi_control('א'));
/// ```
#[must_use]
pub const fn is_bidi_control(character: char) -> bool {
    is_forbidden(character) || matches!(character, '\u{61C}' | '\u{2066}'..='\u{2069}')
}

/// What must not stand in an IRI though the grammar has it (4.1).
const fn is_forbidden(character: char) -> bool {
    matches!(character, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}')
}

/// Whether an IRI may hold the character, which is not ASCII; `private`, in its query.
const fn may_stand(character: char, private: bool) -> bool {
    (is_ucschar(character) || private && is_iprivate(character)) && !is_forbidden(character)
}

const HIGH: ByteSet = ByteSet::range(0x80, 0xFF);
/// First bytes of the characters that are neither `ucschar` nor `iprivate`, and of others.
const NEITHER: ByteSet = ByteSet::of(b"\xC2\xEF").union(ByteSet::range(0xF0, 0xF4));
/// To find them; those of what [`may_stand`] refuses; and those of what [`stays_encoded`] refuses.
static FIND_NEITHER: RawEncoder = RawEncoder::new(NEITHER.complement());
static FIND_REFUSED: RawEncoder = RawEncoder::new(NEITHER.union(ByteSet::of(b"\xE2\xEE")).complement());
static FIND_ENCODED: RawEncoder = RawEncoder::new(NEITHER.union(ByteSet::of(b"\xD8\xE2\xEE")).complement());

/// Offset of the first character that `refuses` refuses; it is not ASCII, and `firsts` finds its first byte.
fn find_refused(text: &str, firsts: &RawEncoder, refuses: impl Fn(char) -> bool) -> Option<usize> {
    /// Bytes that are looked at one by one where there has been a suspect: they come in rows.
    const NEAR: usize = 32;
    let mut at = 0;
    loop {
        at += firsts.first_changed(&text[at..])?;
        let end = at + NEAR;
        for character in text[at..].chars() {
            if !character.is_ascii() && refuses(character) {
                return Some(at);
            }
            at += character.len_utf8();
            if at >= end {
                break;
            }
        }
    }
}

/// Maps an IRI to a URI ([RFC 3987 3.1](https://www.rfc-editor.org/rfc/rfc3987#section-3.1)): each `ucschar` and each
/// `iprivate` becomes the triplets of its UTF-8; everything else stays, triplets and a stray `%` too.
///
/// `iri` itself where nothing changes, as with every URI; so it may be done twice. It cannot fail: characters that no IRI
/// may hold, of ASCII or not, stay as they are, and [`check`] finds them. No normalization is done, for the text is
/// Unicode already (step 1c).
///
/// ```
/// use percent_simd::iri::to_uri;
/// assert_eq!(to_uri("http://www.example.org/red%09rosé#red"), "http://www.example.org/red%09ros%C3%A9#red");
/// ```
///
/// # Panics
/// As `String` does, where memory cannot be had; so all functions here.
#[cfg(feature = "alloc")]
#[must_use]
pub fn to_uri(iri: &str) -> Cow<'_, str> {
    const ENCODER: Encoder = Encoder::new(ByteSet::ASCII);
    let stays = |c: char| !c.is_ascii() && !is_ucschar(c) && !is_iprivate(c);
    let find_staying = |text| find_refused(text, &FIND_NEITHER, stays);
    let Some(mut staying) = find_staying(iri) else { return ENCODER.encode(iri) };
    let mut out = String::with_capacity(iri.len());
    let mut rest = iri;
    loop {
        let (text, after) = rest.split_at(staying);
        ENCODER.encode_into(text, &mut out);
        let (text, after) = after.split_at(after.find(|c: char| !c.is_ascii() && !stays(c)).unwrap_or(after.len()));
        out.push_str(text);
        rest = after;
        let Some(next) = find_staying(rest) else { break };
        staying = next;
    }
    ENCODER.encode_into(rest, &mut out);
    if out.len() == iri.len() { Cow::Borrowed(iri) } else { Cow::Owned(out) }
}

/// The same for what XML calls a URI, in which spaces, quotes, braces and the like may stand too: an `href` of XLink
/// ([XLink 1.0 5.4](https://www.w3.org/TR/2001/REC-xlink-20010627/#link-locators)), an `anyURI`, a LEIRI.
///
/// Everything that a URI may not hold becomes triplets: also `" < > \ ^ { | }`, the backtick and the space, which RFC
/// 3987 3.1 allows to be converted, controls, and characters that are no `ucschar`. `# % [ ]` stay. `text` itself where
/// nothing changes.
///
/// ```
/// use percent_simd::iri::to_uri_legacy;
/// assert_eq!(to_uri_legacy("a b/{é}%20[#]"), "a%20b/%7B%C3%A9%7D%20[#]");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn to_uri_legacy(text: &str) -> Cow<'_, str> {
    const ENCODER: Encoder = Encoder::new(sets::XLINK_ANYURI);
    ENCODER.encode(text)
}

/// Triplets of bytes that stand for themselves, and of those that may be a character's.
const READABLE: Decoder = Decoder::new().keep(ByteSet::ASCII.difference(sets::RFC3986_UNRESERVED));
const WELL_FORMED: CheckedDecoder = READABLE.strict();
const TRIPLETS: Encoder = Encoder::new(ByteSet::EMPTY);

/// Maps a URI to an IRI ([RFC 3987 3.2](https://www.rfc-editor.org/rfc/rfc3987#section-3.2)): triplets become characters
/// where those may stand in an IRI and mean the same.
///
/// So decoded are unreserved characters, and UTF-8 of each `ucschar`, in the query of each `iprivate` too. Left encoded,
/// in upper case, are bytes that are not UTF-8, other characters beyond ASCII, and bidi controls (4.1), those that are
/// newer than the standard too (U+061C, U+2066 to U+2069). All else stays as it is written: triplets of reserved
/// characters, of `%` and of what no URI may hold; each malformed `%`, with what could become a triplet with it;
/// characters that are not ASCII already; and text before the first `:` that would be a scheme but for a `%` in it, so
/// that no scheme comes about. `uri` itself where nothing changes; so it may be done twice.
///
/// ```
/// use percent_simd::iri::{to_iri, to_uri};
/// assert_eq!(to_iri("/caf%c3%a9%2f%41%25"), "/café%2fA%25");
/// assert_eq!(to_iri("/%EE%80%80?%EE%80%80"), "/%EE%80%80?\u{E000}");
/// assert_eq!(to_iri("/%E2%80%AE%fc"), "/%E2%80%AE%FC");
/// assert_eq!(to_iri("%6Aavascript:%61"), "%6Aavascript:a");
/// assert_eq!(to_uri(&to_iri("/caf%C3%A9")), "/caf%C3%A9");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn to_iri(uri: &str) -> Cow<'_, str> {
    let (scheme, rest) = uri.split_at(escaped_scheme_len(uri));
    match readable(rest) {
        iri if scheme.is_empty() => iri,
        Cow::Borrowed(_) => Cow::Borrowed(uri),
        Cow::Owned(rest) => Cow::Owned([scheme, &rest].concat()),
    }
}

/// Like [`to_iri`], for text that no scheme may come about in.
#[cfg(feature = "alloc")]
fn readable(uri: &str) -> Cow<'_, str> {
    if let Ok(iri) = WELL_FORMED.decode_utf8(uri)
        && find_refused(&iri, &FIND_ENCODED, |c| stays_encoded(c, false)).is_none()
    {
        return iri;
    }
    let fragment = memchr(b'#', uri.as_bytes()).unwrap_or(uri.len());
    let query = memchr(b'?', &uri.as_bytes()[..fragment]).unwrap_or(fragment);
    let mut iri = Iri { text: String::with_capacity(uri.len()), octets: Vec::new(), private: false };
    iri.push_part(&uri[..query]);
    iri.private = true;
    iri.push_part(&uri[query..fragment]);
    iri.private = false;
    iri.push_part(&uri[fragment..]);
    if iri.text == uri {
        return Cow::Borrowed(uri);
    }
    iri.text.shrink_to_fit();
    Cow::Owned(iri.text)
}

/// Whether the UTF-8 of a character remains triplets.
const fn stays_encoded(character: char, private: bool) -> bool {
    !may_stand(character, private) || is_bidi_control(character)
}

/// An IRI as it grows, by a URI of which not all can be decoded.
#[cfg(feature = "alloc")]
struct Iri {
    text: String,
    /// What triplets stand for.
    octets: Vec<u8>,
    /// Whether this is the query.
    private: bool,
}

#[cfg(feature = "alloc")]
impl Iri {
    /// What is not ASCII separates triplets, and stays.
    fn push_part(&mut self, mut part: &str) {
        const ASCII: RawEncoder = RawEncoder::new(ByteSet::ASCII);
        while !part.is_empty() {
            let (raw, after) = part.split_at(memchr(b'%', part.as_bytes()).unwrap_or(part.len()));
            self.text.push_str(raw);
            let (ascii, after) = after.split_at(ASCII.first_changed(after).unwrap_or(after.len()));
            self.push_ascii(ascii.as_bytes());
            part = after;
        }
    }

    /// What is malformed stays, if what follows it is kept from making it a triplet.
    fn push_ascii(&mut self, ascii: &[u8]) {
        let mut octets = core::mem::take(&mut self.octets);
        octets.clear();
        let mut start = 0;
        for at in memchr_iter(b'%', ascii) {
            if at >= start && kernel::triplet(ascii, at).is_none() {
                let end = at + stray_len(&ascii[at..]);
                if ascii[at + 1..end].contains(&b'%') {
                    READABLE.decode_into(&ascii[start..at], &mut octets);
                    octets.extend_from_slice(&ascii[at..end]);
                    start = end;
                }
            }
        }
        READABLE.decode_into(&ascii[start..], &mut octets);
        // Bytes that are not UTF-8 come in rows: from `torn` to `at`.
        let (mut torn, mut at) = (0, 0);
        while at < octets.len() {
            let (valid, invalid) = match str::from_utf8(&octets[at..]) {
                Ok(text) => (text.len(), 0),
                Err(error) => (error.valid_up_to(), error.error_len().unwrap_or(octets.len())), // to the end, and beyond
            };
            if let (1.., Ok(text)) = (valid, str::from_utf8(&octets[at..at + valid])) {
                TRIPLETS.encode_into(&octets[torn..at], &mut self.text);
                self.push_text(text);
                torn = at + valid;
            }
            at += valid + invalid;
        }
        TRIPLETS.encode_into(&octets[torn..], &mut self.text);
        self.octets = octets;
    }

    fn push_text(&mut self, mut text: &str) {
        let private = self.private;
        let refused = |c: char| !c.is_ascii() && stays_encoded(c, private);
        while let Some(at) = find_refused(text, &FIND_ENCODED, refused) {
            let (before, after) = text.split_at(at);
            let (encoded, after) = after.split_at(after.find(|c| !refused(c)).unwrap_or(after.len()));
            self.text.push_str(before);
            TRIPLETS.encode_into(encoded, &mut self.text);
            text = after;
        }
        self.text.push_str(text);
    }
}

/// Length of the malformed `%` at the front, with what follows it and is or stands for a hexadecimal digit: decoded, that
/// would make it a triplet, as in `%%34%31`.
#[cfg(feature = "alloc")]
fn stray_len(ascii: &[u8]) -> usize {
    let mut len = ascii.len().min(1);
    for _ in 0..2 {
        len += match (ascii.get(len), kernel::triplet(ascii, len)) {
            (Some(digit), _) if digit.is_ascii_hexdigit() => 1,
            (_, Some(octet)) if octet.is_ascii_hexdigit() => 3,
            _ => break,
        };
    }
    len
}

/// Why something is not an IRI, or why its host cannot be mapped, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IriError {
    /// Offset in the input, in bytes.
    pub offset: usize,
    /// What is wrong there.
    pub kind: IriErrorKind,
}

/// What is wrong at [`IriError::offset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IriErrorKind {
    /// There is no scheme, or what stands before the first `:` is none (RFC 3986 3.1).
    Scheme,
    /// This character may not stand there (RFC 3987 2.2), or nowhere in an IRI (4.1).
    Character(char),
    /// A `%` that starts no triplet (RFC 3986 2.1).
    Escape,
    /// What stands in brackets is no address (RFC 3986 3.2.2).
    Address,
    /// The port is not a number (RFC 3986 3.2.3).
    Port,
    /// The host has no form in ASCII (RFC 3987 3.1, `ToASCII`).
    Host,
}

impl IriError {
    const fn new(offset: usize, kind: IriErrorKind) -> IriError {
        IriError { offset, kind }
    }
}

impl fmt::Display for IriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset;
        match self.kind {
            IriErrorKind::Scheme => {
                write!(f, "no scheme ends at byte {offset}: an IRI begins with one, as in `http:`")
            }
            IriErrorKind::Character(character) => {
                write!(f, "{character:?} may not stand at byte {offset} of an IRI; percent-encode it")
            }
            IriErrorKind::Escape => {
                write!(
                    f,
                    "the `%` at byte {offset} is not followed by two hexadecimal digits; write a literal `%` as `%25`"
                )
            }
            IriErrorKind::Address => {
                write!(f, "the brackets at byte {offset} hold no IPv6 address, and none of a later version")
            }
            IriErrorKind::Port => write!(f, "the port at byte {offset} is not a number"),
            IriErrorKind::Host => {
                write!(f, "the host at byte {offset} has no form in ASCII; map it without IDNA, to triplets")
            }
        }
    }
}

impl core::error::Error for IriError {}

/// Where the parts of an IRI are; `None` where it has no such part.
struct Parts {
    scheme: Option<usize>,
    authority: Option<Range<usize>>,
    path: Range<usize>,
    query: Option<Range<usize>>,
    fragment: Option<Range<usize>>,
}

impl Parts {
    /// As RFC 3986 appendix B splits: at the first of each delimiter.
    fn of(iri: &str) -> Parts {
        let octets = iri.as_bytes();
        let hash = memchr(b'#', octets);
        let end = hash.unwrap_or(octets.len());
        let mark = memchr(b'?', &octets[..end]);
        let path_end = mark.unwrap_or(end);
        let slash = memchr(b'/', &octets[..path_end]).unwrap_or(path_end);
        let scheme = memchr(b':', &octets[..slash]);
        let mut path_start = scheme.map_or(0, |colon| colon + 1);
        let mut authority = None;
        if octets[path_start..path_end].starts_with(b"//") {
            let start = path_start + 2;
            path_start = memchr(b'/', &octets[start..path_end]).map_or(path_end, |at| start + at);
            authority = Some(start..path_start);
        }
        Parts {
            scheme,
            authority,
            path: path_start..path_end,
            query: mark.map(|mark| mark + 1..end),
            fragment: hash.map(|hash| hash + 1..octets.len()),
        }
    }
}

/// Where the host, and after its `:` the port, stand in the authority of an IRI; the brackets of an address are the
/// host's.
fn split_authority(iri: &str, authority: &Range<usize>) -> (Range<usize>, Option<Range<usize>>) {
    let octets = iri.as_bytes();
    let start = memrchr(b'@', &octets[authority.clone()]).map_or(authority.start, |at| authority.start + at + 1);
    let end = authority.end;
    let bracket = memrchr(b']', &octets[start..end]).map_or(start, |at| start + at);
    match memchr(b':', &octets[bracket..end]).map(|at| bracket + at) {
        Some(colon) => (start..colon, Some(colon + 1..end)),
        None => (start..end, None),
    }
}

/// What is wrong with `iri` as an `IRI` ([RFC 3987 2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2)), if anything
/// is: the first of it, with its offset in bytes.
///
/// Scheme, delimiters, triplets, addresses, ports and every character are looked at. A bidi control of 4.1 is an error;
/// those that are newer are not, for the grammar has them. What the scheme asks for besides is no concern of this.
///
/// ```
/// use percent_simd::iri::{IriErrorKind, check};
/// assert_eq!(check("http://例え.jp/引き?割り=\u{E000}#é"), Ok(()));
/// let error = check("http://h/\u{E000}").unwrap_err();
/// assert_eq!((error.offset, error.kind), (9, IriErrorKind::Character('\u{E000}')));
/// assert_eq!(check("http://h/%zz").unwrap_err().kind, IriErrorKind::Escape);
/// assert_eq!(check("//h/").unwrap_err().kind, IriErrorKind::Scheme);
/// ```
pub fn check(iri: &str) -> Result<(), IriError> {
    match Parts::of(iri) {
        Parts { scheme: None, .. } => {
            let at = memchr3(b'/', b'?', b'#', iri.as_bytes()).unwrap_or(iri.len());
            Err(IriError::new(at, IriErrorKind::Scheme))
        }
        parts => check_parts(iri, &parts),
    }
}

/// What is wrong with `reference` as an `IRI-reference`, which need not have a scheme.
///
/// ```
/// use percent_simd::iri::check_reference;
/// assert_eq!(check_reference("../é?q#f"), Ok(()));
/// assert!(check_reference("1:2").is_err()); // neither a scheme nor, in front of a `:`, a segment
/// ```
pub fn check_reference(reference: &str) -> Result<(), IriError> {
    check_parts(reference, &Parts::of(reference))
}

fn check_parts(iri: &str, parts: &Parts) -> Result<(), IriError> {
    if let Some(colon) = parts.scheme {
        let scheme = &iri.as_bytes()[..colon];
        let wrong = |&byte: &u8| !(byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        let starts = scheme.first().is_some_and(u8::is_ascii_alphabetic);
        if let Some(at) = if starts { scheme.iter().position(wrong) } else { Some(0) } {
            return Err(IriError::new(at, IriErrorKind::Scheme));
        }
    }
    if let Some(authority) = &parts.authority {
        check_authority(iri, authority)?;
    }
    check_characters(iri, parts.path.clone(), &PATH, false)?;
    if let Some(query) = &parts.query {
        check_characters(iri, query.clone(), &QUERY, true)?;
    }
    parts.fragment.clone().map_or(Ok(()), |fragment| check_characters(iri, fragment, &QUERY, false))
}

fn check_authority(iri: &str, authority: &Range<usize>) -> Result<(), IriError> {
    let (host, port) = split_authority(iri, authority);
    if host.start > authority.start {
        check_characters(iri, authority.start..host.start - 1, &USERINFO, false)?;
    }
    if iri[host.clone()].starts_with('[') {
        let inside = iri[host.clone()].strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        if !inside.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok() || is_future_address(address)) {
            return Err(IriError::new(host.start, IriErrorKind::Address));
        }
    } else {
        check_characters(iri, host, &REG_NAME, false)?;
    }
    let port = port.unwrap_or(authority.end..authority.end);
    match iri.as_bytes()[port.clone()].iter().position(|byte| !byte.is_ascii_digit()) {
        Some(at) => Err(IriError::new(port.start + at, IriErrorKind::Port)),
        None => Ok(()),
    }
}

/// `IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`
fn is_future_address(address: &str) -> bool {
    let Some((version, rest)) = address.strip_prefix(['v', 'V']).and_then(|address| address.split_once('.')) else {
        return false;
    };
    let is_version = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_version && !rest.is_empty() && rest.bytes().all(|byte| sets::RFC3986_USERINFO.contains(byte))
}

/// To find what may not stand in a part, of ASCII.
const fn finder(set: ByteSet) -> RawEncoder {
    RawEncoder::new(set.union(HIGH)).keep_triplets()
}
static USERINFO: RawEncoder = finder(sets::RFC3986_USERINFO);
static REG_NAME: RawEncoder = finder(sets::RFC3986_REG_NAME);
static PATH: RawEncoder = finder(sets::RFC3986_PATH);
static QUERY: RawEncoder = finder(sets::RFC3986_QUERY);

/// That all characters of a part are triplets, of ASCII such that `allowed` finds none, or such as may stand there.
fn check_characters(iri: &str, part: Range<usize>, allowed: &RawEncoder, private: bool) -> Result<(), IriError> {
    let text = &iri[part.clone()];
    let wrong = allowed.first_changed(text);
    let text = &text[..wrong.unwrap_or(text.len())];
    let Some(at) = find_refused(text, &FIND_REFUSED, |c| !may_stand(c, private)).or(wrong) else { return Ok(()) };
    let at = part.start + at;
    let kind = match iri[at..].chars().next() {
        None | Some('%') => IriErrorKind::Escape,
        Some(character) => IriErrorKind::Character(character),
    };
    Err(IriError::new(at, kind))
}

/// `iri` with its host in ASCII, as the DNS has it: each label by `ToASCII`
/// ([RFC 3987 3.1](https://www.rfc-editor.org/rfc/rfc3987#section-3.1); here as [UTS 46](https://www.unicode.org/reports/tr46/)
/// has it, with `UseSTD3ASCIIRules`). The rest is for [`to_uri`].
///
/// `iri` itself where there is no host, where that is an address, or where it is ASCII and no triplets stand for more.
/// Where it cannot be mapped, the error has its offset, in bytes.
///
/// ```
/// use percent_simd::iri::{host_to_ascii, to_uri};
/// assert_eq!(to_uri(&host_to_ascii("http://résumé.example.org/é")?), "http://xn--rsum-bpad.example.org/%C3%A9");
/// assert_eq!(host_to_ascii("http://r%C3%A9sum%C3%A9.org")?, "http://xn--rsum-bpad.org");
/// assert_eq!(host_to_ascii("http://a_é/").unwrap_err().offset, 7);
/// # Ok::<(), percent_simd::iri::IriError>(())
/// ```
#[cfg(feature = "idna")]
pub fn host_to_ascii(iri: &str) -> Result<Cow<'_, str>, IriError> {
    let Some((host, name)) = registered_name(iri) else { return Ok(Cow::Borrowed(iri)) };
    if name.is_ascii() {
        return Ok(Cow::Borrowed(iri));
    }
    let ascii = ascii_name(&name).ok_or(IriError::new(host.start, IriErrorKind::Host))?;
    Ok(Cow::Owned([&iri[..host.start], &ascii, &iri[host.end..]].concat()))
}

/// `iri` with its host as it is read: labels that begin with `xn--` by `ToUnicode`
/// ([UTS 46](https://www.unicode.org/reports/tr46/)), the inverse of [`host_to_ascii`].
///
/// `iri` itself where there is no such label, or where [`host_to_ascii`] would not bring it back: then it stays readable to
/// the DNS, and cannot fail.
///
/// ```
/// use percent_simd::iri::{host_to_unicode, to_iri};
/// assert_eq!(host_to_unicode(&to_iri("http://xn--rsum-bpad.org/%C3%A9")), "http://résumé.org/é");
/// ```
#[cfg(feature = "idna")]
#[must_use]
pub fn host_to_unicode(iri: &str) -> Cow<'_, str> {
    use idna::uts46::{AsciiDenyList, Hyphens, Uts46};

    let Some((host, _)) = registered_name(iri) else { return Cow::Borrowed(iri) };
    let ascii = &iri[host.clone()];
    let is_encoded = |label: &[u8]| label.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"xn--"));
    if !ascii.is_ascii() || !ascii.as_bytes().split(|&byte| byte == b'.').any(is_encoded) {
        return Cow::Borrowed(iri);
    }
    let (name, result) = Uts46::new().to_unicode(ascii.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast);
    let comes_back = || ascii_name(&name).is_some_and(|back| back.eq_ignore_ascii_case(ascii));
    if result.is_err() || find_refused(&name, &FIND_ENCODED, |c| stays_encoded(c, false)).is_some() || !comes_back() {
        return Cow::Borrowed(iri);
    }
    Cow::Owned([&iri[..host.start], &name, &iri[host.end..]].concat())
}

/// Where the host stands, and its name without triplets that need not be, unless it is an address or there is none.
#[cfg(feature = "idna")]
fn registered_name(iri: &str) -> Option<(Range<usize>, Cow<'_, str>)> {
    let (host, _) = split_authority(iri, &Parts::of(iri).authority?);
    let name = &iri[host.clone()];
    (!name.starts_with('[')).then(|| (host, to_iri(name)))
}

#[cfg(feature = "idna")]
fn ascii_name(name: &str) -> Option<Cow<'_, str>> {
    use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

    Uts46::new()
        .to_ascii(name.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast, DnsLength::VerifyAllowRootDot)
        .ok()
}
