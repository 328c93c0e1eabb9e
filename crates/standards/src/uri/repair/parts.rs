//! Rewrites the components of a link.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use memchr::{memchr, memchr_iter};

use percent_simd::internal::triplet;
use percent_simd::{ByteSet, Decoder, Encoder, sets};

use super::{Edit, RepairKind, Repairer, push};
use crate::ecma::find_u_escape;
use crate::memory;
use crate::uri::{self, Authority, Uri};

/// Find the faults of each [`Part`]. The second row also finds triplets.
static FINDERS: [[Encoder; 4]; 2] = [
    [uri::USERINFO.keep_triplets(), uri::PATH.keep_triplets(), uri::QUERY.keep_triplets(), uri::QUERY.keep_triplets()],
    [uri::USERINFO, uri::PATH, uri::QUERY, uri::QUERY],
];

/// Writes every byte as a triplet.
const TRIPLETS: Encoder = Encoder::new(ByteSet::EMPTY);

/// Returns the repaired text, or `None` if it doesn't change, and the changes as ranges of `link`.
pub(super) fn repaired(
    repairer: Repairer,
    link: &str,
    to_ascii: impl FnOnce(&str) -> Option<String>,
) -> (Option<String>, Vec<Edit>) {
    let mut slashes = Vec::new();
    let (slashed, backslash) = slashed(repairer, link, &mut slashes);
    let parts = Uri::split(&slashed);
    let mut out = Out { repairer, text: memory::string(link.len()), edits: Vec::new(), at: 0, backslash };
    if let Some(authority) = parts.authority {
        out.copy(&slashed[..parts.authority_offset()]);
        out.authority(authority, to_ascii);
    } else {
        out.copy(&slashed[..parts.path_offset()]);
    }
    out.component(parts.path, Part::Path);
    if let Some(query) = parts.query {
        out.copy("?");
        out.component(query, Part::Query);
    }
    if let Some(fragment) = parts.fragment {
        out.copy("#");
        out.component(fragment, Part::Fragment);
    }
    let edits = merged(slashes, out.edits);
    if edits.is_empty() { (None, edits) } else { (Some(out.text), edits) }
}

/// Merges two lists of edits, each in the order of its ranges.
fn merged(slashes: Vec<Edit>, others: Vec<Edit>) -> Vec<Edit> {
    if slashes.is_empty() {
        return others;
    }
    let mut all = memory::vec(slashes.len().saturating_add(others.len()));
    let mut others = others.into_iter().peekable();
    for slash in slashes {
        while let Some(other) = others.next_if(|other| other.range.start < slash.range.start) {
            all.push(other);
        }
        all.push(slash);
    }
    all.extend(others);
    all
}

/// The meaning of a raw `\`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Backslash {
    /// Data, which is encoded.
    Data,
    /// Some programs read it as a slash. In the userinfo and the path, it isn't changed.
    Unclear,
}

/// Replaces backslashes by slashes. The length stays the same.
fn slashed<'a>(repairer: Repairer, link: &'a str, edits: &mut Vec<Edit>) -> (Cow<'a, str>, Backslash) {
    let bytes = link.as_bytes();
    let scheme = Uri::split(link).scheme.unwrap_or_default();
    let is = |schemes: &[&str]| schemes.iter().any(|special| scheme.eq_ignore_ascii_case(special));
    if !is(&["http", "https", "ftp"]) {
        // A single letter is a drive of Windows. In other special schemes (URL Standard 4.2) we leave a backslash.
        let is_data = scheme.len() > 1 && !is(&["file", "ws", "wss"]);
        return (Cow::Borrowed(link), if is_data { Backslash::Data } else { Backslash::Unclear });
    }
    let start = scheme.len() + ":".len();
    let rest = &bytes[start..];
    let rest = &rest[..memchr::memchr2(b'?', b'#', rest).unwrap_or(rest.len())];
    if memchr(b'\\', rest).is_none() {
        return (Cow::Borrowed(link), Backslash::Unclear);
    }
    // The authority of RFC 3986 goes on after a backslash, the authority of the URL Standard doesn't.
    let is_slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    let (lead, after) = rest.split_at(rest.len().min(2));
    let authority = &after[..memchr(b'/', after).unwrap_or(after.len())];
    let (short, long) = authority.split_at(memchr(b'\\', authority).unwrap_or(authority.len()));
    let is_clear = lead.len() == 2 && lead.iter().all(is_slash) && !short.is_empty() && memchr(b'@', long).is_none();
    if !is_clear || !repairer.has(RepairKind::Backslash) {
        return (Cow::Borrowed(link), Backslash::Unclear);
    }
    let mut slashed = memory::string(link.len());
    let mut copied = 0;
    for at in memchr_iter(b'\\', rest).map(|at| start + at) {
        slashed.push_str(&link[copied..at]);
        slashed.push('/');
        copied = at + 1;
        push(edits, at..at + 1, RepairKind::Backslash);
    }
    slashed.push_str(&link[copied..]);
    (Cow::Owned(slashed), Backslash::Unclear)
}

/// The component that is rewritten, in the order of [`FINDERS`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Userinfo,
    Path,
    Query,
    Fragment,
}

struct Out {
    repairer: Repairer,
    text: String,
    edits: Vec<Edit>,
    /// The offset in the link of the next component.
    at: usize,
    backslash: Backslash,
}

impl Out {
    /// Appends text that is never repaired.
    fn copy(&mut self, text: &str) {
        memory::push_str(&mut self.text, text);
        self.at += text.len();
    }

    fn authority(&mut self, authority: &str, to_ascii: impl FnOnce(&str) -> Option<String>) {
        let Authority { userinfo, host, port } = Authority::split(authority);
        if let Some(userinfo) = userinfo {
            self.component(userinfo, Part::Userinfo);
            self.copy("@");
        }
        // A mix of escapes and characters above ASCII isn't certain.
        let is_name = !host.is_ascii() && !host.starts_with('[') && memchr(b'%', host.as_bytes()).is_none();
        let ascii = if is_name && self.repairer.has(RepairKind::Idn) { to_ascii(host) } else { None };
        match ascii {
            Some(ascii) => {
                memory::push_str(&mut self.text, &ascii);
                push(&mut self.edits, self.at..self.at + host.len(), RepairKind::Idn);
                self.at += host.len();
            }
            None => self.copy(host),
        }
        if let Some(port) = port {
            self.copy(":");
            self.copy(port);
        }
    }

    /// Appends a component, with its repairs.
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
        // Text before `copied` is in the output. The next `&` is at `ampersand`, so each byte is searched only once.
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
                memory::push_str(&mut self.text, &text[copied..at]);
                match new {
                    New::Text(new) => memory::push_str(&mut self.text, new),
                    New::Escape(digits) => {
                        memory::push_str(&mut self.text, "%");
                        memory::push_str(&mut self.text, &text[digits..digits + 2]);
                    }
                    New::Triplets(end) => _ = TRIPLETS.encode_into(&text[at..end], &mut self.text),
                    New::Character(character) => {
                        _ = TRIPLETS.encode_into(character.encode_utf8(&mut [0; 4]).as_bytes(), &mut self.text);
                    }
                }
                push(&mut self.edits, self.at + at..self.at + at + len, kind);
                copied = at + len;
            }
            at += len;
        }
        memory::push_str(&mut self.text, &text[copied..]);
        self.at += text.len();
    }

    /// Returns the length of the text at `at` that belongs together, and its repair.
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
            0..0x80 => of(RepairKind::Illegal, 1, triplets(1)),
            _ => match text[at..].chars().next() {
                // A line break that wasn't joined stays.
                Some(c @ ('\u{2028}' | '\u{2029}')) => (c.len_utf8(), None),
                c => {
                    let len = c.map_or(1, char::len_utf8);
                    of(RepairKind::NonAscii, len, triplets(len))
                }
            },
        }
    }
}

/// The replacement of a fault.
enum New {
    Text(&'static str),
    /// The triplet with the two digits at this offset in the component.
    Escape(usize),
    /// The triplets of the text up to this offset in the component.
    Triplets(usize),
    /// The triplets of a character.
    Character(char),
}

/// Returns the length of the `&amp;` at the start of `rest`, if a name and `=` follow. `&amp;amp;` counts as one.
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

/// Returns true if a component was certainly encoded twice. [`RepairKind::DoubleEncoded`] has the conditions.
fn is_doubled(text: &str, part: Part) -> bool {
    let bytes = text.as_bytes();
    let mut percents = memchr_iter(b'%', bytes);
    let is_nested = || part == Part::Query && memchr::memchr2(b':', b'/', bytes).is_some();
    let is_escape = |at: usize| {
        bytes[at..].starts_with(b"%25")
            && matches!(bytes[at + 3..], [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
    };
    if percents.clone().next().is_none() || !percents.all(is_escape) || is_nested() {
        return false;
    }
    let once = Decoder::new().decode(bytes);
    let twice = Decoder::new().decode(&*once);
    // After the first decoding, the remaining escapes are the escapes of the original text.
    let is_delimiter = |at: usize| triplet(&once, at).is_none_or(|byte| DELIMITERS.contains(byte));
    let has_delimiter = memchr_iter(b'%', &once).any(is_delimiter);
    let is_text = |byte: u8| byte == b' ' || !byte.is_ascii();
    let has_text = memchr_iter(b'%', &once).any(|at| triplet(&once, at).is_some_and(is_text));
    has_text && !has_delimiter && str::from_utf8(&twice).is_ok_and(|text| !text.chars().any(char::is_control))
}
