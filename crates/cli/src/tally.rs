//! Counts what requests ask for: clients, hosts, paths, parameters, statuses, values of fields, and attacks in them.
//!
//! A [`Top`] is exact as long as it has room. After that it is the summary of Misra and Gries, in the form that can be merged
//! (Agarwal et al., Mergeable Summaries, 2012): a number is taken from every count, and who has none left is dropped. No count is
//! too high, and none is too low by more than all that was taken.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::fast::RandomState;
use memchr::{memchr, memchr_iter, memchr2};
use percent_simd::{Decoder, Plus};
use percent_standards::uri::{TargetBounds, TargetForm};

use percent_simd_records::formats::{Role, Syntax, role_of};
use percent_simd_records::place::Place;

/// The memory, in bytes, that a table may take.
const ROOM: usize = 32 << 20;
const ENTRY_LEN: usize = 64;

/// So much of a name counts; those that begin alike are one then.
const LONGEST_NAME: usize = 512;

/// So much of a value is shown where something was found in it.
const LONGEST_EXAMPLE: usize = 120;

/// Names, and how often each was there.
#[derive(Clone, Debug)]
pub struct Top<T> {
    counts: HashMap<Box<[u8]>, (u64, T), RandomState>,
    len: usize,
    room: usize,
    lost: u64,
}

impl<T> Default for Top<T> {
    fn default() -> Top<T> {
        Top { counts: HashMap::default(), len: 0, room: ROOM, lost: 0 }
    }
}

impl<T: Clone> Top<T> {
    /// Counts `name`, of which there is `about` to be kept: what was there first is updated.
    fn add(&mut self, name: &[u8], count: u64, about: T, update: impl FnOnce(&mut T, &T)) {
        let name = &name[..name.len().min(LONGEST_NAME)];
        if let Some((there, kept)) = self.counts.get_mut(name) {
            *there += count;
            update(kept, &about);
            return;
        }
        self.len += name.len() + ENTRY_LEN;
        self.counts.insert(name.into(), (count, about));
        while self.len > self.room {
            self.shrink();
        }
    }

    /// Takes the median of all counts from each of them.
    fn shrink(&mut self) {
        let mut counts: Vec<u64> = self.counts.values().map(|(count, _)| *count).collect();
        let middle = counts.len() / 2;
        let (_, &mut median, _) = counts.select_nth_unstable(middle);
        self.lost += median;
        self.counts.retain(|name, (count, _)| {
            *count = count.saturating_sub(median);
            if *count == 0 {
                self.len -= name.len() + ENTRY_LEN;
            }
            *count > 0
        });
    }

    /// Adds what another has counted.
    fn merge(&mut self, other: Top<T>, update: impl Fn(&mut T, &T)) {
        self.lost += other.lost;
        for (name, (count, about)) in other.counts {
            self.add(&name, count, about, &update);
        }
    }

    /// The most frequent names, the first in the alphabet before others that are as frequent.
    pub fn most(&self, number: usize) -> Vec<(&[u8], u64, &T)> {
        let mut all: Vec<_> = self.counts.iter().map(|(name, (count, about))| (&**name, *count, about)).collect();
        all.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        all.truncate(number);
        all
    }

    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many names there are, as far as they are kept.
    pub fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// By how much counts may be too low; 0 where they are exact.
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

impl Top<()> {
    fn count(&mut self, name: &[u8]) {
        self.add(name, 1, (), |(), ()| {});
    }
}

/// The kinds of fields that look like an attack, or hide one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackKind {
    /// Decoded as often as it can be, the value has a `..` between separators.
    Traversal,
    /// An escape of an escape.
    Double,
    /// UTF-8 longer than it needs to be, as `%C0%AF` for `/`.
    Overlong,
    Nul,
    /// An escape of any other control.
    Control,
    /// `%2F` or `%5C` in front of the query, which some decode before they look for segments and others after.
    Separator,
}

/// Each kind, its name in JSON, and what text calls it.
pub const ATTACKS: [(AttackKind, &str, &str); 6] = [
    (AttackKind::Traversal, "traversal", "path traversal"),
    (AttackKind::Double, "double_encoding", "double encoding"),
    (AttackKind::Overlong, "overlong_utf8", "overlong UTF-8"),
    (AttackKind::Nul, "nul", "NUL byte"),
    (AttackKind::Control, "control", "control byte"),
    (AttackKind::Separator, "encoded_separator", "encoded separator"),
];

/// An attack in a chunk.
#[derive(Clone, Debug)]
pub struct Attack {
    pub kind: AttackKind,
    /// The offset in the chunk of its field, or of the part of it that is written verbatim.
    pub offset: usize,
    client: Box<[u8]>,
    path: Box<[u8]>,
    value: Box<[u8]>,
}

/// An attack, and where it stands.
#[derive(Clone, Debug)]
pub struct Example {
    pub input: Arc<str>,
    pub line: u64,
    pub column: u64,
    pub value: Box<[u8]>,
}

/// The attacks of a client or on a path: their kinds, a bit for each, and the first of them.
#[derive(Clone, Debug)]
pub struct Attacks {
    pub kinds: u8,
    pub example: Example,
}

impl Attacks {
    /// The names of the kinds.
    pub fn names(&self, name: impl Fn(&(AttackKind, &'static str, &'static str)) -> &'static str) -> Vec<&'static str> {
        ATTACKS.iter().filter(|(kind, ..)| self.kinds >> *kind as u8 & 1 == 1).map(name).collect()
    }
}

/// Tables of all that is counted by name; which field each is of is in its name.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub requests: u64,
    pub paths: Top<()>,
    pub hosts: Top<()>,
    pub parameters: Top<()>,
    pub statuses: Top<()>,
    pub clients: Top<()>,
    pub referring_hosts: Top<()>,
    /// Values of the fields that were named.
    pub values: Vec<(String, Top<()>)>,
}

/// The counts of all inputs.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub counts: Counts,
    /// How many attacks there are of each kind, and the first.
    pub kinds: [(u64, Option<Example>); ATTACKS.len()],
    pub clients: Top<Attacks>,
    pub paths: Top<Attacks>,
}

/// The summary that all threads add to.
pub type Shared = Arc<Mutex<Summary>>;

impl Counts {
    fn values_of(&mut self, name: &str) -> &mut Top<()> {
        let at = self.values.iter().position(|(there, _)| there == name).unwrap_or_else(|| {
            self.values.push((name.to_string(), Top::default()));
            self.values.len() - 1
        });
        &mut self.values[at].1
    }

    fn merge(&mut self, other: Counts) {
        self.requests += other.requests;
        for (mine, theirs) in [
            (&mut self.paths, other.paths),
            (&mut self.hosts, other.hosts),
            (&mut self.parameters, other.parameters),
            (&mut self.statuses, other.statuses),
            (&mut self.clients, other.clients),
            (&mut self.referring_hosts, other.referring_hosts),
        ] {
            mine.merge(theirs, |(), ()| {});
        }
        for (name, values) in other.values {
            self.values_of(&name).merge(values, |(), ()| {});
        }
    }

    /// The tables that have something in them, each with its name.
    pub fn tables(&self) -> Vec<(Cow<'_, str>, &Top<()>)> {
        let named = self.values.iter().map(|(name, values)| (format!("values of {name}").into(), values));
        let fixed = [
            ("paths", &self.paths),
            ("hosts", &self.hosts),
            ("parameters", &self.parameters),
            ("statuses", &self.statuses),
            ("clients", &self.clients),
            ("referring hosts", &self.referring_hosts),
        ];
        named.chain(fixed.map(|(name, top)| (name.into(), top))).filter(|(_, top)| !top.is_empty()).collect()
    }
}

impl Summary {
    /// Takes note of an attack at `place` in the input called `name`.
    pub fn attack(&mut self, name: &Arc<str>, place: Place, attack: &Attack) {
        let example = || Example {
            input: Arc::clone(name),
            line: place.line,
            column: place.column(),
            value: attack.value.clone(),
        };
        let (count, first) = &mut self.kinds[attack.kind as usize];
        *count += 1;
        first.get_or_insert_with(example);
        for (top, name) in [(&mut self.clients, &attack.client), (&mut self.paths, &attack.path)] {
            if !name.is_empty() {
                let about = Attacks { kinds: 1 << attack.kind as u8, example: example() };
                top.add(name, 1, about, |there, more| there.kinds |= more.kinds);
            }
        }
    }

    /// How many attacks there are.
    pub fn attacks(&self) -> u64 {
        self.kinds.iter().map(|(count, _)| count).sum()
    }
}

/// The counts of a thread, which become part of the summary at the end.
#[derive(Debug)]
pub struct Tally {
    counts: Counts,
    shared: Shared,
}

impl Tally {
    pub fn new(shared: &Shared) -> Tally {
        Tally { counts: Counts::default(), shared: Arc::clone(shared) }
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        let counts = std::mem::take(&mut self.counts);
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).counts.merge(counts);
    }
}

/// The facts of a field that are needed to count it.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub role: Role,
    /// Whether it was named, so that its values count.
    pub is_named: bool,
}

impl Column {
    /// The columns of these names, of which the last few are of the context, and the others were named or not.
    pub fn all(names: &[String], context: usize, is_named: bool) -> Vec<Column> {
        let asked = names.len() - context;
        let column = |(at, name): (usize, &String)| Column {
            name: name.clone(),
            role: role_of(name),
            is_named: is_named && at < asked,
        };
        names.iter().enumerate().map(column).collect()
    }
}

/// The fields of a record, as their values are.
#[derive(Default)]
pub struct Request<'a> {
    url: Option<(usize, Syntax, Cow<'a, [u8]>)>,
    query: Option<Cow<'a, [u8]>>,
    referrer: Option<Cow<'a, [u8]>>,
    client: Option<Cow<'a, [u8]>>,
    host: Option<Cow<'a, [u8]>>,
    status: Option<Cow<'a, [u8]>>,
    suspects: Vec<(AttackKind, usize, Box<[u8]>)>,
}

impl<'a> Request<'a> {
    /// Takes the field with this number, which stands at `offset` in its chunk.
    pub fn field(
        &mut self,
        choice: usize,
        column: &Column,
        syntax: Syntax,
        value: Cow<'a, [u8]>,
        offset: usize,
        tally: &mut Tally,
    ) {
        if matches!(&*value, b"" | b"-") {
            return;
        }
        if column.is_named {
            tally.counts.values_of(&column.name).count(&decoded(&value));
        }
        if matches!(column.role, Role::Url | Role::Referrer) {
            // In a referrer, the escape of a separator is as harmless as in a query.
            let searched = if column.role == Role::Referrer { Syntax::Query } else { syntax };
            attacks(&value, searched, |kind, at| {
                let from = at.saturating_sub(LONGEST_EXAMPLE / 4);
                let from = if value.len() <= LONGEST_EXAMPLE { 0 } else { from };
                let to = value.len().min(from + LONGEST_EXAMPLE);
                self.suspects.push((kind, offset + at, value[from..to].into()));
            });
        }
        let slot = match column.role {
            Role::Url if syntax.is_query() => &mut self.query,
            Role::Url => {
                if self.url.as_ref().is_none_or(|(first, ..)| choice < *first) {
                    self.url = Some((choice, syntax, value));
                }
                return;
            }
            Role::Referrer => &mut self.referrer,
            Role::Client => &mut self.client,
            Role::Host => &mut self.host,
            Role::Status => &mut self.status,
        };
        slot.get_or_insert(value);
    }

    /// Counts what it is about, and adds to `found` what looks like an attack in it.
    pub fn count(&mut self, tally: &mut Tally, found: &mut Vec<Attack>) {
        let counts = &mut tally.counts;
        counts.requests += 1;
        let (authority, path, query) = match &self.url {
            Some((_, syntax, url)) => split(url, *syntax),
            None => (None, None, None),
        };
        let client = self.client.as_deref().map_or(&b""[..], without_port);
        let path = path.map(decoded);
        if !client.is_empty() {
            counts.clients.count(client);
        }
        if let Some(path) = &path {
            counts.paths.count(path);
        }
        if let Some(host) = self.host.as_deref().or(authority) {
            counts.hosts.count(host);
        }
        if let Some(status) = &self.status {
            // Squid's stands behind what its cache did.
            counts.statuses.count(status.rsplit(|&byte| byte == b'/').next().unwrap_or(status));
        }
        if let Some(host) = self.referrer.as_deref().and_then(|referrer| split(referrer, Syntax::Reference).0) {
            counts.referring_hosts.count(host);
        }
        for query in [query, self.query.as_deref()].into_iter().flatten() {
            let names = query.split(|&byte| byte == b'&').map(|pair| &pair[..memchr(b'=', pair).unwrap_or(pair.len())]);
            for name in names.filter(|name| !name.is_empty()) {
                counts.parameters.count(&decoded_name(name));
            }
        }
        found.extend(self.suspects.drain(..).map(|(kind, offset, value)| Attack {
            kind,
            offset,
            client: client.into(),
            path: path.as_deref().unwrap_or_default().into(),
            value,
        }));
    }
}

/// Returns the authority, the path and the query of a URL or a target, as far as it has them.
fn split(url: &[u8], syntax: Syntax) -> (Option<&[u8]>, Option<&[u8]>, Option<&[u8]>) {
    let url = match syntax {
        Syntax::Target => url,
        _ => &url[..memchr(b'#', url).unwrap_or(url.len())],
    };
    // A reference is split in the same way: one that begins with `//` and names a host is rare, and any client can send one.
    let bounds = TargetBounds::split(url);
    let path = match &url[bounds.path()] {
        b"" if bounds.form() == TargetForm::Absolute && bounds.authority().is_some() => Some(&b"/"[..]),
        path => Some(path).filter(|path| !path.is_empty()),
    };
    (bounds.authority().map(|range| &url[range]), path, bounds.query().map(|range| &url[range]))
}

fn without_port(client: &[u8]) -> &[u8] {
    match memchr::memrchr(b':', client) {
        // An address of IPv6 without a port has several colons and no dot.
        Some(at) if client[..at].contains(&b'.') || client[..at].ends_with(b"]") => &client[..at],
        _ => client,
    }
}

fn decoded(text: &[u8]) -> Cow<'_, [u8]> {
    match memchr(b'%', text) {
        None => Cow::Borrowed(text),
        Some(_) => Decoder::new().decode(text),
    }
}

fn decoded_name(text: &[u8]) -> Cow<'_, [u8]> {
    match memchr2(b'%', b'+', text) {
        None => Cow::Borrowed(text),
        Some(_) => Decoder::new().plus(Plus::Always).decode(text),
    }
}

/// Calls `each` once for every kind of attack that is in `value`, with the offset of the first.
fn attacks(value: &[u8], syntax: Syntax, mut each: impl FnMut(AttackKind, usize)) {
    let mut seen = 0u8;
    let mut found = |kind: AttackKind, at: usize| {
        if seen >> kind as u8 & 1 == 0 {
            seen |= 1 << kind as u8;
            each(kind, at);
        }
    };
    let digit = |at: usize| value.get(at).and_then(|&byte| char::from(byte).to_digit(16));
    let triplet = |at: usize| match (value.get(at), digit(at + 1), digit(at + 2)) {
        (Some(b'%'), Some(high), Some(low)) => Some((high * 16 + low) as u8),
        _ => None,
    };
    // A byte or an escape from which decoding could make a `..` between separators.
    let mut can_climb = false;
    let mut path_end = None;
    for at in memchr_iter(b'%', value) {
        let Some(byte) = triplet(at) else { continue };
        match byte {
            0 => found(AttackKind::Nul, at),
            1..=0x1F | 0x7F => found(AttackKind::Control, at),
            b'%' => {
                can_climb = true;
                if digit(at + 3).is_some() && digit(at + 4).is_some() {
                    found(AttackKind::Double, at);
                }
            }
            b'.' => can_climb = true,
            b'/' | b'\\' => {
                can_climb = true;
                let end = *path_end.get_or_insert_with(|| match syntax {
                    Syntax::Reference => memchr2(b'?', b'#', value).unwrap_or(value.len()),
                    Syntax::Target => memchr(b'?', value).unwrap_or(value.len()),
                    Syntax::Query => 0,
                });
                if at < end {
                    found(AttackKind::Separator, at);
                }
            }
            0xC0 | 0xC1 => found(AttackKind::Overlong, at),
            0xE0 if matches!(triplet(at + 3), Some(0x80..=0x9F)) => found(AttackKind::Overlong, at),
            0xF0 if matches!(triplet(at + 3), Some(0x80..=0x8F)) => found(AttackKind::Overlong, at),
            _ => {}
        }
    }
    let dots = two_dots(value).next();
    if dots.is_none() && !can_climb {
        return;
    }
    let all = if can_climb { Decoder::new().decode_layers(value, usize::MAX).bytes } else { Cow::Borrowed(value) };
    if let Some(at) = climbs(&all) {
        // If it is written in another way, its place is that of the value.
        found(AttackKind::Traversal, if can_climb { dots.unwrap_or(0) } else { at });
    }
}

/// Returns the offsets of two dots side by side.
fn two_dots(text: &[u8]) -> impl Iterator<Item = usize> {
    memchr_iter(b'.', text).filter(|&at| text.get(at + 1) == Some(&b'.'))
}

/// Returns the offset of a segment `..` between separators.
fn climbs(text: &[u8]) -> Option<usize> {
    let is_bound = |byte: Option<&u8>| byte.is_none_or(|byte| b"/\\?#&=;".contains(byte));
    two_dots(text).find(|&at| {
        is_bound(at.checked_sub(1).and_then(|before| text.get(before)))
            && is_bound(text.get(at + 2))
            // A `..` all by itself, as in a search for it, climbs nowhere.
            && (text.get(at + 2).is_some_and(|byte| b"/\\".contains(byte)) || at > 0 && b"/\\".contains(&text[at - 1]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(value: &str, syntax: Syntax) -> Vec<(AttackKind, usize)> {
        let mut kinds = Vec::new();
        attacks(value.as_bytes(), syntax, |kind, at| kinds.push((kind, at)));
        kinds
    }

    #[test]
    fn attacks_are_told_from_what_is_harmless() {
        for harmless in
            ["/a%20b?c=%D0%B0", "/a..b/c", "/?q=..", "/...", "/a?u=http%3A%2F%2Fh%2F", "/100%", "/%C3%A9", "-"]
        {
            assert_eq!(kinds(harmless, Syntax::Target), [], "{harmless}");
            assert_eq!(kinds(harmless, Syntax::Reference), [], "{harmless}");
        }
        for (value, kind, at) in [
            ("/a/../b", AttackKind::Traversal, 3),
            ("/a/..", AttackKind::Traversal, 3),
            ("/%2e%2e/", AttackKind::Traversal, 0),
            ("/.%2e\\b", AttackKind::Traversal, 0),
            ("/?f=../../etc/passwd", AttackKind::Traversal, 4),
            ("/a%252", AttackKind::Double, usize::MAX),
            ("/a%2541", AttackKind::Double, 2),
            ("/a%c0%af", AttackKind::Overlong, 2),
            ("/%e0%80%af", AttackKind::Overlong, 1),
            ("/%e0%a0%80", AttackKind::Overlong, usize::MAX),
            ("/%00", AttackKind::Nul, 1),
            ("/%0d%0a", AttackKind::Control, 1),
            ("/%7F", AttackKind::Control, 1),
            ("/a%2fb", AttackKind::Separator, 2),
            ("/a%5Cb?c", AttackKind::Separator, 2),
        ] {
            let expected = if at == usize::MAX { vec![] } else { vec![(kind, at)] };
            assert_eq!(kinds(value, Syntax::Target), expected, "{value}");
            assert_eq!(kinds(value, Syntax::Reference), expected, "{value}");
        }
        assert_eq!(kinds("a%2fb", Syntax::Query), []);
        assert_eq!(kinds("/%252e%252e%252f", Syntax::Target).len(), 2);
        // A target has no fragment, so this is still in its path.
        assert_eq!(kinds("/#%2f", Syntax::Target), [(AttackKind::Separator, 2)]);
        assert_eq!(kinds("/#%2f", Syntax::Reference), []);
    }

    #[test]
    fn a_top_is_exact_while_it_has_room_and_never_wrong_by_more_than_it_says() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        for (room, is_exact) in [(1 << 20, true), (4000, false)] {
            let mut parts = [Top::<()>::default(), Top::default()];
            let mut truth: HashMap<Vec<u8>, u64> = HashMap::new();
            for _ in 0..20_000 {
                // A few names are frequent, most are not.
                let name = (next() % (1 << (next() % 11))).to_string().into_bytes();
                let part = &mut parts[next() as usize % 2];
                part.room = room;
                part.count(&name);
                *truth.entry(name).or_default() += 1;
            }
            let [mut all, other] = parts;
            all.merge(other, |(), ()| {});
            assert_eq!(all.lost() == 0, is_exact);
            assert!(all.lost() < 20_000 / 10, "{}", all.lost());
            for (name, count) in truth {
                let counted = all.counts.get(&*name).map_or(0, |(count, ())| *count);
                assert!(counted <= count && counted + all.lost() >= count, "{counted} {count} {}", all.lost());
            }
        }
    }

    #[test]
    fn urls_and_clients_are_split() {
        let text = |part: Option<&[u8]>| part.map(|part| String::from_utf8_lossy(part).into_owned());
        let parts = |url: &str, syntax| {
            let (authority, path, query) = split(url.as_bytes(), syntax);
            [text(authority), text(path), text(query)].map(Option::unwrap_or_default)
        };
        for syntax in [Syntax::Target, Syntax::Reference] {
            assert_eq!(parts("http://h:80/p?u=http://x/", syntax), ["h:80", "/p", "u=http://x/"]);
            assert_eq!(parts("https://h", syntax), ["h", "/", ""]);
            assert_eq!(parts("https://h?q", syntax), ["h", "/", "q"]);
            assert_eq!(parts("/r?u=http://x/", syntax), ["", "/r", "u=http://x/"]);
            assert_eq!(parts("//h/x", syntax), ["", "//h/x", ""]);
        }
        assert_eq!(parts("/a/b?c=d#e", Syntax::Reference), ["", "/a/b", "c=d"]);
        assert_eq!(parts("/a#b?c=d#e", Syntax::Target), ["", "/a#b", "c=d#e"]);
        assert_eq!(parts("h:443", Syntax::Target), ["h:443", "", ""]);
        assert_eq!(parts("*", Syntax::Target), ["", "", ""]);
        for (client, bare) in [("1.2.3.4:56", "1.2.3.4"), ("::1", "::1"), ("[::1]:80", "[::1]"), ("h", "h")] {
            assert_eq!(without_port(client.as_bytes()), bare.as_bytes());
        }
    }
}
