//! Rewrites the components of a link.

use core::ops::Range;

use memchr::{memchr, memchr_iter};

use percent_simd::internal::triplet;
use percent_simd::{ByteSet, Encoder, sets};

use super::changes::Changes;
use super::{RepairKind, Repairer, Sink, ToAscii};
use crate::ecma::find_u_escape;
use crate::uri::check::is_ipv6;
use crate::uri::schemes::{SPECIAL, is_one_of};
use crate::uri::{self, Authority, Uri};
use crate::utf8::Utf8;

/// The encoders that find the faults in each [`Part`]. The encoders in the second row also find triplets.
static FINDERS: [[Encoder; 4]; 2] = [
    [uri::USERINFO.keep_triplets(), uri::PATH.keep_triplets(), uri::QUERY.keep_triplets(), uri::QUERY.keep_triplets()],
    [uri::USERINFO, uri::PATH, uri::QUERY, uri::QUERY],
];

/// Writes every byte as a triplet.
const TRIPLETS: Encoder = Encoder::new(ByteSet::EMPTY);

/// Passes the repaired text to `sink`. Passes the changes to `changes`, as ranges of `link`. Returns true if there is a
/// change.
pub(super) fn repair(
    repairer: Repairer,
    link: &str,
    to_ascii: &mut ToAscii<'_>,
    sink: &mut dyn Sink,
    changes: &mut Changes<'_>,
) -> bool {
    let uri = Uri::split(link);
    let scheme_len = uri.scheme.map_or(0, |scheme| scheme.len() + ":".len());
    let slashed = if repairer.has(RepairKind::Backslash) { Slashed::of(link, scheme_len, &uri) } else { None };
    let backslash = match slashed {
        Some(_) => Backslash::Slash,
        None => Backslash::of(uri.scheme.unwrap_or_default()),
    };
    let mut out = Out { repairer, sink, changes, at: 0, backslash, is_changed: false };
    out.copy(link.get(..scheme_len).unwrap_or_default());
    let (authority, path) = match slashed {
        Some(Slashed { slashes, authority, path }) => {
            slashes.bytes().for_each(|byte| out.slash(byte));
            (Some(authority), path)
        }
        None => (uri.authority.inspect(|_| out.copy("//")), uri.path),
    };
    if let Some(authority) = authority {
        out.authority(authority, to_ascii);
    }
    out.component(path, Part::Path);
    if let Some(query) = uri.query {
        out.copy("?");
        out.component(query, Part::Query);
    }
    if let Some(fragment) = uri.fragment {
        out.copy("#");
        out.component(fragment, Part::Fragment);
    }
    out.is_changed
}

/// The meaning of a raw `\`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Backslash {
    /// It is data, so it is encoded.
    Data,
    /// Some programs read a backslash as a slash. So in the userinfo and the path, a backslash isn't changed.
    Unclear,
    /// Browsers read a backslash as a slash. So in the path, a backslash becomes a slash.
    Slash,
}

impl Backslash {
    /// Returns the meaning of a `\` in a link that isn't [`Slashed`].
    fn of(scheme: &str) -> Backslash {
        // A scheme of one letter may be a drive of Windows. After a drive, or after a special scheme (URL Standard
        // 4.2), a backslash may be a separator.
        let is_data = scheme.len() > 1 && !is_one_of(scheme.as_bytes(), &SPECIAL);
        if is_data { Backslash::Data } else { Backslash::Unclear }
    }
}

/// The parts of a link in which browsers read a backslash as a slash.
struct Slashed<'a> {
    /// The two slashes or backslashes before the authority.
    slashes: &'a str,
    authority: &'a str,
    path: &'a str,
}

impl<'a> Slashed<'a> {
    /// Splits an `http`, `https` or `ftp` link that has a backslash before its query. If the link is of another kind,
    /// or if programs disagree about its host, returns `None`.
    fn of(link: &'a str, scheme_len: usize, uri: &Uri<'a>) -> Option<Slashed<'a>> {
        let scheme = uri.scheme?;
        if !["http", "https", "ftp"].iter().any(|name| scheme.eq_ignore_ascii_case(name)) {
            return None;
        }
        let rest = link.get(scheme_len..)?;
        let rest = rest.get(..memchr::memchr2(b'?', b'#', rest.as_bytes()).unwrap_or(rest.len()))?;
        memchr(b'\\', rest.as_bytes())?;
        let (slashes, after) = rest.split_at_checked(2)?;
        // According to RFC 3986, the authority continues after a backslash. According to the URL Standard, it ends
        // there.
        let long = after.get(..memchr(b'/', after.as_bytes()).unwrap_or(after.len()))?;
        let (authority, disputed) = long.split_at_checked(memchr(b'\\', long.as_bytes()).unwrap_or(long.len()))?;
        let is_clear = slashes.bytes().all(|byte| matches!(byte, b'/' | b'\\'))
            && !authority.is_empty()
            && memchr(b'@', disputed.as_bytes()).is_none();
        is_clear.then_some(Slashed { slashes, authority, path: after.get(authority.len()..)? })
    }
}

/// The component that is rewritten, in the order of [`FINDERS`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Userinfo,
    Path,
    Query,
    Fragment,
}

struct Out<'s, 'a> {
    repairer: Repairer,
    sink: &'s mut dyn Sink,
    changes: &'s mut Changes<'a>,
    /// The offset of the next component in the link.
    at: usize,
    backslash: Backslash,
    is_changed: bool,
}

impl Out<'_, '_> {
    /// Appends text that is never repaired.
    fn copy(&mut self, text: &str) {
        self.sink.text(text);
        self.at += text.len();
    }

    /// Appends a slash. `byte` is a slash, or a backslash that is replaced.
    fn slash(&mut self, byte: u8) {
        if byte == b'\\' {
            self.change(0, 1, RepairKind::Backslash);
        }
        self.copy("/");
    }

    /// Adds a change of `len` bytes, which start at the offset `at` of the component.
    fn change(&mut self, at: usize, len: usize, kind: RepairKind) {
        let start = self.at + at;
        self.changes.push(start..start + len, kind, self.sink);
        self.is_changed = true;
    }

    fn authority(&mut self, authority: &str, to_ascii: &mut ToAscii<'_>) {
        let Authority { userinfo, host, port } = Authority::split(authority);
        if let Some(userinfo) = userinfo {
            self.component(userinfo, Part::Userinfo);
            self.copy("@");
        }
        let rest = authority.get(userinfo.map_or(0, |userinfo| userinfo.len() + "@".len())..).unwrap_or_default();
        let address = if self.repairer.has(RepairKind::Ipv6) { ipv6_len(rest) } else { None };
        if let Some((address, port)) = address.and_then(|len| rest.split_at_checked(len)) {
            self.change(0, address.len(), RepairKind::Ipv6);
            ["[", address, "]", port].into_iter().for_each(|text| self.sink.text(text));
            self.at += rest.len();
            return;
        }
        // If a host has characters above ASCII and also an escape, a backslash or a control, we can't be sure what it
        // means, so it stays.
        let is_allowed = |byte: u8| !byte.is_ascii() || sets::RFC3986_UNRESERVED.contains(byte);
        let is_name = !host.is_ascii() && host.bytes().all(is_allowed);
        let ascii = if is_name && self.repairer.has(RepairKind::Idn) { to_ascii(host) } else { None };
        match ascii {
            Some(ascii) => {
                self.change(0, host.len(), RepairKind::Idn);
                self.sink.text(&ascii);
                self.at += host.len();
            }
            None => self.copy(host),
        }
        if let Some(port) = port {
            self.copy(":");
            self.copy(port);
        }
    }

    /// Appends a component, and repairs it.
    fn component(&mut self, text: &str, part: Part) {
        let bytes = text.as_bytes();
        let is_doubled =
            part != Part::Userinfo && self.repairer.has(RepairKind::DoubleEncoded) && is_doubled(text, part);
        let has_entities = part == Part::Query && self.repairer.has(RepairKind::Entity);
        let finder = &FINDERS[usize::from(is_doubled)][part as usize];
        let find_ampersand = |at: usize| {
            let found = if has_entities { memchr(b'&', &bytes[at..]) } else { None };
            found.map_or(bytes.len(), |found| at + found)
        };
        let piece = |range: Range<usize>| text.get(range).unwrap_or_default();
        // The text before `copied` is in the output. `ampersand` is the offset of the next `&`. We store it, so that we
        // search each byte only once for a `&`.
        let (mut copied, mut at, mut ampersand) = (0, 0, find_ampersand(0));
        loop {
            if ampersand < at {
                ampersand = find_ampersand(at);
            }
            at = finder.first_changed(&bytes[at..ampersand]).map_or(ampersand, |found| at + found);
            if at == bytes.len() {
                break;
            }
            let (len, change) = self.fault(text, at, part, is_doubled);
            if let Some((kind, new)) = change {
                self.sink.text(piece(copied..at));
                self.change(at, len, kind);
                match new {
                    New::Text(new) => self.sink.text(new),
                    New::Escape(digits) => {
                        self.sink.text("%");
                        self.sink.text(piece(digits..digits + 2));
                    }
                    New::Triplets(end) => self.triplets(&bytes[at..end]),
                    New::Character(character) => self.triplets(character.encode_utf8(&mut [0; 4]).as_bytes()),
                }
                copied = at + len;
            }
            at += len;
        }
        self.sink.text(piece(copied..text.len()));
        self.at += text.len();
    }

    fn triplets(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.sink.text(TRIPLETS.triplet(byte)));
    }

    /// Looks at the unit of text at `at`, for example a character or an escape. Returns its length, and its repair.
    fn fault(&self, text: &str, at: usize, part: Part, is_doubled: bool) -> (usize, Option<(RepairKind, New)>) {
        let rest = &text.as_bytes()[at..];
        let of = |kind, len, new| (len, self.repairer.has(kind).then_some((kind, new)));
        let triplets = |len| New::Triplets(at + len);
        match rest[0] {
            b'%' if triplet(rest, 0).is_some() => match is_doubled {
                true => (5, Some((RepairKind::DoubleEncoded, New::Escape(at + 3)))),
                false => (3, None),
            },
            b'%' => match find_u_escape(&rest[..rest.len().min(12)]) {
                Some(found) if found.offset == 0 => match found.character {
                    Some('%') | None => (found.len, None),
                    Some(character) => of(RepairKind::UEscape, found.len, New::Character(character)),
                },
                _ => of(RepairKind::Percent, 1, New::Text("%25")),
            },
            b'&' => match entity_len(rest) {
                Some(len) => (len, Some((RepairKind::Entity, New::Text("&")))),
                None => (1, None),
            },
            b' ' => of(RepairKind::Space, 1, New::Text("%20")),
            b'[' | b']' => of(RepairKind::Bracket, 1, triplets(1)),
            b'\r' | b'\n' => (1, None),
            b'\\' if self.backslash == Backslash::Unclear && matches!(part, Part::Userinfo | Part::Path) => (1, None),
            b'\\' if self.backslash == Backslash::Slash && part == Part::Path => {
                of(RepairKind::Backslash, 1, New::Text("/"))
            }
            0..0x80 => of(RepairKind::Illegal, 1, triplets(1)),
            _ => match text.get(at..).and_then(|rest| rest.chars().next()) {
                // If a line break wasn't joined, it stays.
                Some(c @ ('\u{2028}' | '\u{2029}')) => (c.len_utf8(), None),
                c => {
                    let len = c.map_or(1, char::len_utf8);
                    of(RepairKind::NonAscii, len, triplets(len))
                }
            },
        }
    }
}

/// Returns the length of an IPv6 address without brackets, to which a port may be attached. If there is no address, or
/// if the text after the last `:` can be a part of the address or a port, returns `None`.
fn ipv6_len(text: &str) -> Option<usize> {
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let host = text.get(..text.len() - digits).and_then(|text| text.strip_suffix(':')).unwrap_or_default();
    match (is_ipv6(text), is_ipv6(host)) {
        (true, false) => Some(text.len()),
        (false, true) => Some(host.len()),
        _ => None,
    }
}

/// The replacement of a fault.
enum New {
    Text(&'static str),
    /// A triplet. Its two digits are at this offset in the component.
    Escape(usize),
    /// The triplets of the text from the fault to this offset in the component.
    Triplets(usize),
    /// The triplets of a character.
    Character(char),
}

/// If `rest` starts with `&amp;`, and a name and `=` follow, returns the length of the `&amp;`. `&amp;amp;` counts as
/// one `&amp;`.
fn entity_len(rest: &[u8]) -> Option<usize> {
    const AMP: &[u8] = b"amp;";
    let mut len = 1;
    while rest[len..].starts_with(AMP) {
        len += AMP.len();
    }
    let after = &rest[len..];
    let name = after.iter().position(|byte| matches!(byte, b'&' | b';' | b'='))?;
    (len > 1 && name > 0 && after[name] == b'=').then_some(len)
}

/// The characters that may separate parts of a component, or begin an escape.
const DELIMITERS: ByteSet = sets::RFC3986_GEN_DELIMS.union(ByteSet::of(b"%&=+"));

/// Returns true if a component was certainly encoded twice. [`RepairKind::DoubleEncoded`] lists the conditions.
///
/// Every `%` starts `%25XX`, so the digits `XX` are from an escape of the original text. The text around a run of these
/// escapes is UTF-8, so we can check each run separately.
fn is_doubled(text: &str, part: Part) -> bool {
    let bytes = text.as_bytes();
    let byte = |at: usize| match bytes.get(at..)? {
        [b'%', b'2', b'5', high, low, ..] => triplet(&[b'%', *high, *low], 0),
        _ => None,
    };
    let is_nested = || part == Part::Query && memchr::memchr2(b':', b'/', bytes).is_some();
    if !memchr_iter(b'%', bytes).all(|at| byte(at).is_some()) || is_nested() {
        return false;
    }
    let (mut utf8, mut run_end, mut has_text) = (Utf8::default(), 0, false);
    for at in memchr_iter(b'%', bytes) {
        let Some(byte) = byte(at) else { return false };
        let is_cut = at > run_end && !utf8.is_complete();
        let is_character = utf8.push(byte).is_ok_and(|character| !character.is_some_and(char::is_control));
        if is_cut || !is_character || DELIMITERS.contains(byte) {
            return false;
        }
        has_text |= byte == b' ' || !byte.is_ascii();
        run_end = at + "%25XX".len();
    }
    has_text && utf8.is_complete() && !text.chars().any(char::is_control)
}
