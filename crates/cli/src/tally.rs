//! Counts the clients, hosts, paths, parameters, statuses, values of fields, times and attacks in requests.

mod attacks;
mod log_escapes;
mod parts;
mod time;
mod top;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use memchr::memchr;
use percent_simd_records::formats::{
    Format, Role, Syntax, context_role_of, is_absent, is_connection, is_defined_client, role_of,
};
use percent_simd_records::place::Place;

pub use self::attacks::{AttackSigns, attacks};
pub use self::log_escapes::{has_log_escapes, without_log_escapes};
use self::parts::{client_in, decoded, decoded_name, hidden, split, status_in};
pub use self::time::{By, Time};
pub use self::top::Top;
use crate::component::decoded_path;
use crate::user_formats::attacks::{Kind, Kinds};

/// The maximum number of bytes of a value that we show as the example of an attack.
const LONGEST_EXAMPLE: usize = 120;

/// An attack in a chunk. A request has at most one attack of each kind.
#[derive(Clone, Debug)]
pub struct Attack {
    /// The index of the attack's kind in [`Kinds`].
    pub kind: usize,
    /// If true, the attacks before this one belong to other requests.
    pub begins_request: bool,
    /// The offset of the attack in the chunk. If the field isn't written verbatim, this is the offset of the field.
    pub offset: usize,
    client: Box<[u8]>,
    path: Box<[u8]>,
    value: Box<[u8]>,
}

/// The place and the value of an attack.
#[derive(Clone, Debug)]
pub struct Example {
    pub input: Arc<[u8]>,
    pub line: u64,
    pub column: u64,
    pub value: Box<[u8]>,
}

/// The attacks by one client or on one path: their kinds, as bits, and the first attack.
#[derive(Clone, Debug)]
pub struct Attacks {
    pub kinds: u64,
    pub example: Example,
}

impl Attacks {
    /// Returns the names or the titles of the kinds. `name` returns one of the two for a kind.
    pub fn names(&self, name: impl Fn(&'static Kind) -> &'static str) -> Vec<&'static str> {
        Kinds::get().of(self.kinds).map(name).collect()
    }
}

/// The requests in a span of time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The number of requests with a status from 400 to 599.
    pub errors: u64,
    /// The number of requests with a possible attack.
    pub attacks: u64,
}

impl Span {
    fn add(&mut self, other: &Span) {
        self.errors += other.errors;
        self.attacks += other.attacks;
    }
}

/// The tables of counts.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub requests: u64,
    /// `spans` has the spans of time, if `--by` asks for them. `timeless` is the number of requests without a time.
    pub spans: Top<Span>,
    pub timeless: u64,
    /// The counts for each status and path, if `--by` asks for them. A name in this table is a status, a NUL and a
    /// path.
    pub paths_of_statuses: Top<()>,
    pub paths: Top<()>,
    pub hosts: Top<()>,
    pub parameters: Top<()>,
    pub statuses: Top<()>,
    pub clients: Top<()>,
    pub referring_hosts: Top<()>,
    /// A table for each field that the user named.
    pub values: Vec<(String, Top<()>)>,
}

/// The counts of all inputs.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub counts: Counts,
    /// The number of requests with a possible attack.
    pub attacked: u64,
    /// For each kind, the number of requests and the first attack. Kinds at the end may be missing if they have no
    /// attacks.
    kinds: Vec<(u64, Option<Example>)>,
    pub clients: Top<Attacks>,
    pub paths: Top<Attacks>,
}

/// The summary that all threads share.
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
        self.timeless += other.timeless;
        self.spans.merge(other.spans, Span::add);
        for (mine, theirs) in [
            (&mut self.paths, other.paths),
            (&mut self.hosts, other.hosts),
            (&mut self.parameters, other.parameters),
            (&mut self.statuses, other.statuses),
            (&mut self.clients, other.clients),
            (&mut self.referring_hosts, other.referring_hosts),
            (&mut self.paths_of_statuses, other.paths_of_statuses),
        ] {
            mine.merge(theirs, |(), ()| {});
        }
        for (name, values) in other.values {
            self.values_of(&name).merge(values, |(), ()| {});
        }
    }

    /// Returns the tables that are not empty, each with its name.
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
    /// Counts an attack at `place` in the input called `name`.
    pub fn attack(&mut self, name: &Arc<[u8]>, place: Place, attack: &Attack) {
        let example = || Example {
            input: Arc::clone(name),
            line: place.line,
            column: place.column(),
            value: attack.value.clone(),
        };
        if self.kinds.len() <= attack.kind {
            self.kinds.resize(attack.kind + 1, (0, None));
        }
        let (count, first) = &mut self.kinds[attack.kind];
        *count += 1;
        first.get_or_insert_with(example);
        // A request with several kinds of attacks counts once for its client and its path.
        let requests = u64::from(attack.begins_request);
        self.attacked += requests;
        for (top, name) in [(&mut self.clients, &attack.client), (&mut self.paths, &attack.path)] {
            if !name.is_empty() {
                let about = Attacks { kinds: 1 << attack.kind, example: example() };
                top.add(name, requests, about, |there, more| there.kinds |= more.kinds);
            }
        }
    }

    /// Returns each kind with the number of its requests and its first attack.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static Kind, u64, Option<&Example>)> {
        Kinds::get().all.iter().enumerate().map(|(at, kind)| match self.kinds.get(at) {
            Some((count, first)) => (kind, *count, first.as_ref()),
            None => (kind, 0, None),
        })
    }
}

/// The counts of one thread. Dropping this value adds the counts to the summary.
#[derive(Debug)]
pub struct Tally {
    counts: Counts,
    by: Option<By>,
    shared: Shared,
    /// If true, passwords that appear only after decoding are hidden.
    redacts: bool,
}

impl Tally {
    /// Returns empty counts. If `by` is `Some`, the requests are also grouped. If `redacts` is true, passwords that
    /// appear only after decoding are hidden.
    pub fn new(shared: &Shared, by: Option<By>, redacts: bool) -> Tally {
        Tally { counts: Counts::default(), by, shared: Arc::clone(shared), redacts }
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        let counts = std::mem::take(&mut self.counts);
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).counts.merge(counts);
    }
}

/// Describes a field that is counted.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub role: Role,
    /// If true, the user named the field with -f, so its values are counted.
    pub is_named: bool,
    /// If true, the field has URLs because of its name. So the value `unknown` is a placeholder, and isn't counted.
    pub promises_urls: bool,
    /// If true, a backslash of a value may start an escape of the log.
    pub has_log_escapes: bool,
    /// If true, the field has the client even if it is behind a proxy.
    pub is_defined_client: bool,
    /// If true, the field has the other end of the connection, which may be a proxy.
    pub is_connection: bool,
}

impl Column {
    /// Returns a column for each field of `format`. `is_named` is true if the user named the requested fields.
    pub fn all(format: &dyn Format, is_named: bool) -> Vec<Column> {
        let (schema, has_log_escapes) = (format.schema(), has_log_escapes(format));
        let column = |(at, name): (usize, &String)| {
            let is_asked = at < schema.asked;
            let known = schema.role_name(at);
            let role = match role_of(known) {
                Role::Referrer => Role::Referrer,
                // The format or `auto` chose this field for its URLs.
                _ if is_asked && !is_named => Role::Url,
                _ if !is_asked => context_role_of(known),
                role => role,
            };
            let promises_urls = matches!(role, Role::Url | Role::Referrer) && !schema.is_list();
            let shown = format.shown_name(at);
            Column {
                name: name.clone(),
                role,
                is_named: is_named && is_asked,
                promises_urls,
                has_log_escapes,
                is_defined_client: is_defined_client(shown),
                is_connection: is_connection(shown),
            }
        };
        schema.names.iter().enumerate().map(column).collect()
    }
}

/// The values of the fields of one record.
#[derive(Default)]
pub struct Request<'a> {
    url: Option<(usize, Syntax, Cow<'a, [u8]>)>,
    /// Further values of the field with the URL. Each is one more request.
    more_urls: Vec<(usize, Syntax, Cow<'a, [u8]>)>,
    query: Option<Cow<'a, [u8]>>,
    referrer: Option<Cow<'a, [u8]>>,
    /// The client, and true if it is the other end of the [connection](Column::is_connection).
    client: Option<(bool, Cow<'a, [u8]>)>,
    /// The host of the field with the lowest index: the host that the client asked for.
    host: Option<(usize, Cow<'a, [u8]>)>,
    status: Option<Cow<'a, [u8]>>,
    /// `time` is the index of a field and its value: the first complete time in the record. `time_parts` has the parts
    /// of times in other fields.
    time: Option<(usize, Time)>,
    time_parts: Time,
    suspects: Vec<(usize, usize, Box<[u8]>)>,
}

impl<'a> Request<'a> {
    /// Adds the value of a field. `rank` is the rank of the field. Of two fields with a URL, the one with the lower rank has the URL
    /// of the request. `offset` is the field's offset in the chunk.
    pub fn field(
        &mut self,
        rank: usize,
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
            tally.counts.values_of(&column.name).count(&hidden(decoded(&value), tally.redacts));
        }
        if matches!(column.role, Role::Url | Role::Referrer) {
            // In a referrer, an escaped separator is harmless, as in a query. So a referrer is searched like a query.
            let searched = if column.role == Role::Referrer { Syntax::Query } else { syntax };
            attacks(&value, searched, column.has_log_escapes, |kind, at| {
                let from = at.saturating_sub(LONGEST_EXAMPLE / 4);
                let from = if value.len() <= LONGEST_EXAMPLE { 0 } else { from };
                let to = value.len().min(from + LONGEST_EXAMPLE);
                let shown = hidden(Cow::Borrowed(&value[from..to]), tally.redacts);
                self.suspects.push((kind, offset + at, shown.into()));
            });
        }
        // The value is searched for attacks, but a placeholder isn't counted as a URL.
        if column.promises_urls && is_absent(&value) {
            return;
        }
        let slot = match column.role {
            Role::Url if syntax.is_query() => &mut self.query,
            Role::Url => {
                match &self.url {
                    Some((first, ..)) if rank > *first => {}
                    Some((first, ..)) if rank == *first => self.more_urls.push((rank, syntax, value)),
                    _ => {
                        self.url = Some((rank, syntax, value));
                        self.more_urls.clear();
                    }
                }
                return;
            }
            Role::Referrer => &mut self.referrer,
            Role::Client => {
                let is_better = |&(is_connection, _): &(bool, _)| is_connection && column.is_defined_client;
                if !is_absent(&value) && self.client.as_ref().is_none_or(is_better) {
                    self.client = Some((column.is_connection, value));
                }
                return;
            }
            Role::Host => {
                // nginx writes `_` as the name of a server that takes the requests of all hosts.
                let is_name = *value != *b"_" && !is_absent(&value);
                if is_name && self.host.as_ref().is_none_or(|(first, _)| rank < *first) {
                    self.host = Some((rank, value));
                }
                return;
            }
            Role::Origin => return,
            Role::Status => &mut self.status,
            Role::Time => {
                match Time::read(&value) {
                    Some(time) if !time.is_whole() => self.time_parts.fill(&time),
                    Some(time) if self.time.as_ref().is_none_or(|(first, _)| rank < *first) => {
                        self.time = Some((rank, time));
                    }
                    _ => {}
                }
                return;
            }
        };
        slot.get_or_insert(value);
    }

    /// Returns true if no field has a time.
    pub fn lacks_time(&self) -> bool {
        self.time.is_none() && !self.time_parts.is_whole()
    }

    /// Sets the time. Call this only if no field has a time.
    pub fn time_without_field(&mut self, time: Option<Time>) {
        self.time = time.map(|time| (0, time));
    }

    /// Counts the request, and appends its possible attacks to `found`, the first of each kind.
    pub fn count(&mut self, tally: &mut Tally, found: &mut Vec<Attack>) {
        for url in std::mem::take(&mut self.more_urls) {
            let time = self.time.clone();
            Request { url: Some(url), time, time_parts: self.time_parts.clone(), ..Request::default() }
                .count(tally, found);
        }
        let Tally { counts, redacts, .. } = tally;
        counts.requests += 1;
        let (host, path, query) = match &self.url {
            Some((_, syntax, url)) => split(url, *syntax),
            None => (None, None, None),
        };
        let client = self.client.as_ref().map_or(&b""[..], |(_, client)| client_in(client));
        let path = path.map(|path| hidden(decoded_path(path), *redacts));
        if !client.is_empty() {
            counts.clients.count(client);
        }
        if let Some(path) = &path {
            counts.paths.count(path);
        }
        // A client chooses the host of an absolute target. In a URL, the program has written the host.
        let beside = self.host.as_ref().map(|(_, host)| &**host);
        let is_target = matches!(self.url, Some((_, Syntax::Target, _)));
        if let Some(host) = if is_target { beside.or(host) } else { host.or(beside) } {
            counts.hosts.count(host);
        }
        let status = self.status.as_deref().and_then(status_in);
        if let Some(status) = status {
            counts.statuses.count(status);
        }
        match tally.by {
            Some(By::Status) => {
                if let (Some(status), Some(path)) = (status, &path) {
                    counts.paths_of_statuses.count(&[status, &**path].join(&b'\0'));
                }
            }
            Some(by) => {
                let time = self.time.as_ref().map_or(&self.time_parts, |(_, time)| time);
                match time.group(by) {
                    Some(group) => {
                        let is_error = status.is_some_and(|status| matches!(status, [b'4' | b'5', _, _]));
                        let span = Span { errors: is_error.into(), attacks: (!self.suspects.is_empty()).into() };
                        counts.spans.add(group.as_bytes(), 1, span, Span::add);
                    }
                    None => counts.timeless += 1,
                }
            }
            None => {}
        }
        if let Some(host) = self.referrer.as_deref().and_then(|referrer| split(referrer, Syntax::Reference).0) {
            counts.referring_hosts.count(host);
        }
        for query in [query, self.query.as_deref()].into_iter().flatten() {
            let names = query.split(|&byte| byte == b'&').map(|pair| &pair[..memchr(b'=', pair).unwrap_or(pair.len())]);
            for name in names.filter(|name| !name.is_empty()) {
                counts.parameters.count(&hidden(decoded_name(name), *redacts));
            }
        }
        self.suspects.sort_by_key(|(_, offset, _)| *offset);
        let mut kinds = 0u64;
        for (kind, offset, value) in self.suspects.drain(..) {
            if kinds & 1 << kind == 0 {
                let path = path.as_deref().unwrap_or_default().into();
                found.push(Attack { kind, begins_request: kinds == 0, offset, client: client.into(), path, value });
            }
            kinds |= 1 << kind;
        }
    }
}
