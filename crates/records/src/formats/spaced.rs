//! Logs with spaces between fields and quotes around some: Common and Combined Log Format, load balancers, proxies, S3, CDX.

use std::ops::Range;

use memchr::memchr;
use percent_simd::ByteSet;

use super::sniff;
use super::{
    Choice, ExtraField, Field, Format, IN_QUOTES, IN_SPACES, Kind, Layout, Plan, Row, Rule, Syntax, VERSION, Wrap,
    quote, role, target, unknown,
};

/// The place of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Among those in quotes, from 0. Nothing before the first quote matters, so a user's name may have spaces.
    Quoted(usize),
    /// Among all, from 0; what is in quotes or brackets is one.
    Token(usize),
    /// The word with the second number, from 0, behind what is in quotes with the first.
    Behind(usize, usize),
}

/// A field by name.
struct Known {
    name: &'static str,
    place: Place,
    /// Whether it is the target in a request line.
    request: bool,
    /// Whether it is worked on if nobody says otherwise.
    usual: bool,
}

const fn known(name: &'static str, place: Place, request: bool, usual: bool) -> Known {
    Known { name, place, request, usual }
}

/// A format of this kind.
struct Shape {
    name: &'static str,
    known: &'static [Known],
    /// Whether it is of those that nginx and Apache write.
    has_log_escapes: bool,
    /// Whether several spaces between fields are as good as one.
    squeezes: bool,
    /// Bytes that start an escape of the format.
    own: ByteSet,
    /// What the fields without quotes hold.
    bare: Syntax,
    /// Whether a record is of this format, as far as that is to be seen without its fields.
    fits: fn(&[u8]) -> bool,
    /// The start of a line that is no record.
    comment: &'static str,
}

const fn shape(name: &'static str, known: &'static [Known]) -> Shape {
    Shape {
        name,
        known,
        has_log_escapes: false,
        squeezes: false,
        own: ByteSet::EMPTY,
        bare: Syntax::Reference,
        fits: |_| true,
        comment: "",
    }
}

const COMBINED_FIELDS: [Known; 5] = [
    known("target", Place::Quoted(0), true, true),
    known("client", Place::Token(0), false, false),
    known("status", Place::Behind(0, 0), false, false),
    known("referrer", Place::Quoted(1), false, true),
    known("user-agent", Place::Quoted(2), false, false),
];

const S_CLF: Shape = Shape { has_log_escapes: true, ..shape("clf", COMBINED_FIELDS.split_at(3).0) };
const S_COMBINED: Shape = Shape { has_log_escapes: true, ..shape("combined", &COMBINED_FIELDS) };
/// `%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i"`: `vhost_combined` of Debian's apache2.conf.
const S_APACHE_VHOST: Shape = Shape {
    has_log_escapes: true,
    fits: has_host_and_port,
    ..shape(
        "apache-vhost",
        &[
            known("target", Place::Quoted(0), true, true),
            known("host", Place::Token(0), false, false),
            known("client", Place::Token(1), false, false),
            known("status", Place::Behind(0, 0), false, false),
            known("referrer", Place::Quoted(1), false, true),
            known("user-agent", Place::Quoted(2), false, false),
        ],
    )
};
const S_ALB: Shape = Shape {
    fits: is_alb,
    ..shape(
        "alb",
        &[
            known("target", Place::Quoted(0), true, true),
            known("user-agent", Place::Quoted(1), false, false),
            known("redirect-url", Place::Token(23), false, true),
            known("client", Place::Token(3), false, false),
            known("status", Place::Token(8), false, false),
        ],
    )
};
const S_ELB: Shape = Shape {
    fits: is_elb,
    ..shape(
        "elb",
        &[
            known("target", Place::Quoted(0), true, true),
            known("user-agent", Place::Quoted(1), false, false),
            known("client", Place::Token(2), false, false),
            known("status", Place::Token(7), false, false),
        ],
    )
};
const S_S3: Shape = Shape {
    fits: |record| word(record, 2).starts_with(b"["),
    ..shape(
        "s3",
        &[
            known("key", Place::Token(7), false, true),
            known("target", Place::Token(8), true, true),
            known("referrer", Place::Token(15), false, true),
            known("user-agent", Place::Token(16), false, false),
            known("client", Place::Token(3), false, false),
            known("status", Place::Token(9), false, false),
        ],
    )
};
/// HAProxy writes `#22` for a quote, in requests and in captured headers (its manual, 8.6).
const S_HAPROXY: Shape = Shape {
    own: ByteSet::of(b"#{}|"),
    fits: is_haproxy,
    ..shape(
        "haproxy",
        &[
            known("target", Place::Quoted(0), true, true),
            known("client", Place::Token(0), false, false),
            known("status", Place::Token(5), false, false),
        ],
    )
};
/// Squid writes the target of a request; that of a `CONNECT` is a host and a port.
const S_SQUID: Shape = Shape {
    squeezes: true,
    bare: Syntax::Target,
    fits: is_squid,
    ..shape(
        "squid",
        &[
            known("url", Place::Token(6), false, true),
            known("client", Place::Token(2), false, false),
            known("status", Place::Token(3), false, false),
        ],
    )
};
const S_ENVOY: Shape = Shape {
    fits: is_envoy,
    ..shape(
        "envoy",
        &[
            known("target", Place::Quoted(0), true, true),
            known("user-agent", Place::Quoted(2), false, false),
            known("client", Place::Quoted(1), false, false),
            known("host", Place::Quoted(4), false, false),
            known("status", Place::Behind(0, 0), false, false),
        ],
    )
};
const S_CDX: Shape =
    Shape { fits: is_cdx, comment: " CDX ", ..shape("cdx", &[known("original", Place::Token(2), false, true)]) };

row!(Spaced, CLF, S_CLF, "Common Log Format", "target; client, status", |sample| sample.most(is_clf));
row!(
    Spaced,
    COMBINED,
    S_COMBINED,
    "Combined Log Format, as nginx, Apache, Varnish and Traefik write it",
    "target, referrer; user-agent, client, status",
    |sample| sample.most(|line| is_clf(line) && sniff::count(line, b'"') >= 6)
);
row!(
    Spaced,
    APACHE_VHOST,
    S_APACHE_VHOST,
    "Combined Log Format behind a host and its port: Apache's vhost_combined, Debian's other_vhosts_access.log",
    "target, referrer; user-agent, host, client, status",
    |sample| sample.most(|line| has_host_and_port(line) && is_clf(line) && sniff::count(line, b'"') >= 6)
);
row!(
    Spaced,
    ALB,
    S_ALB,
    "AWS application load balancers",
    "target, redirect-url; user-agent, client, status",
    |sample| sample.most(is_alb)
);
row!(Spaced, ELB, S_ELB, "AWS classic load balancers", "target; user-agent, client, status", |sample| sample
    .most(is_elb));
row!(Spaced, S3, S_S3, "S3 server access", "key, target, referrer; user-agent, client, status", |sample| sample
    .most(is_s3));
row!(Spaced, HAPROXY, S_HAPROXY, "HAProxy, `option httplog`", "target; client, status", |sample| sample
    .most(is_haproxy));
row!(Spaced, SQUID, S_SQUID, "Squid, its native format", "url; client, status", |sample| sample.most(is_squid));
row!(Spaced, ENVOY, S_ENVOY, "Envoy, its default format", "target; user-agent, client, host, status", |sample| sample
    .most(is_envoy));
row!(Spaced, CDX, S_CDX, "CDX, the index of web archives; the key stays", "original", |sample| {
    sample.lines.first().is_some_and(|line| line.starts_with(b" CDX ")) || sample.most(is_cdx)
});

/// The word of `line` with this number, from 0, between single spaces.
fn word(line: &[u8], number: usize) -> &[u8] {
    line.split(|&byte| byte == b' ').nth(number).unwrap_or_default()
}

/// `https 2018-07-02T22:23:00.186641Z app/...`
fn is_alb(line: &[u8]) -> bool {
    [&b"http"[..], b"https", b"h2", b"grpcs", b"ws", b"wss"].contains(&word(line, 0)) && sniff::is_time(word(line, 1))
}

/// `2015-05-13T23:39:43.945958Z my-loadbalancer 192.168.131.39:2817 10.0.0.1:80 0.000073 ... "GET http://...`
fn is_elb(line: &[u8]) -> bool {
    let is_seconds =
        |word: &[u8]| word == b"-1" || word.contains(&b'.') && word.iter().all(|b| b"0123456789.".contains(b));
    sniff::is_time(word(line, 0))
        && word(line, 2).contains(&b':')
        && (4..7).all(|number| is_seconds(word(line, number)))
}

/// 64 hexadecimal digits, a bucket, and a date in brackets.
fn is_s3(line: &[u8]) -> bool {
    let owner = word(line, 0);
    owner.len() == 64 && owner.iter().all(u8::is_ascii_hexdigit) && word(line, 2).starts_with(b"[")
}

/// Something, a date in brackets, then a request in quotes.
fn is_clf(line: &[u8]) -> bool {
    let open = memchr::memmem::find(line, b"] \"").and_then(|close| memchr::memmem::rfind(&line[..close], b" ["));
    open.is_some() && !line.starts_with(b"[")
}

/// `example.com:443 192.0.2.1 - ...`. Of a client that is an IPv6 address, the last group may look like a port, but what
/// follows it is no address.
fn has_host_and_port(line: &[u8]) -> bool {
    let port = word(line, 0).rsplit(|&byte| byte == b':').next().unwrap_or_default();
    port.len() < word(line, 0).len()
        && !port.is_empty()
        && port.iter().all(u8::is_ascii_digit)
        && word(line, 1).iter().any(|byte| b".:".contains(byte))
}

/// ` [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 ...`: five times with slashes between.
fn is_haproxy(line: &[u8]) -> bool {
    let is_times = |word: &[u8]| {
        sniff::count(word, b'/') == 4 && word.iter().all(|byte| byte.is_ascii_digit() || b"/-+".contains(byte))
    };
    let words = || line.split(|&byte| byte == b' ');
    words().zip(words().skip(3)).any(|(date, times)| date.starts_with(b"[") && date.ends_with(b"]") && is_times(times))
}

/// `1286536308.779    180 192.168.0.224 TCP_MISS/200 411 GET http://...`
fn is_squid(line: &[u8]) -> bool {
    let mut words = line.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    let time = words.next().unwrap_or_default();
    let result = words.nth(2).unwrap_or_default();
    let is_time = sniff::count(time, b'.') == 1 && time.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    is_time && result.first().is_some_and(u8::is_ascii_uppercase) && result.contains(&b'/')
}

/// `[2016-04-15T20:17:00.310Z] "POST /api HTTP/2" 204 - ...`
fn is_envoy(line: &[u8]) -> bool {
    let Some(close) = line.strip_prefix(b"[").and_then(|rest| memchr::memmem::find(rest, b"] \"")) else {
        return false;
    };
    sniff::is_time(&line[1..=close])
}

/// `com,example)/ 20230101120000 http://example.com/ text/html ...`
fn is_cdx(line: &[u8]) -> bool {
    let time = word(line, 1);
    time.len() == 14 && time.iter().all(u8::is_ascii_digit) && sniff::is_url(word(line, 2))
}

/// Other names of the same.
const ALIASES: [(&str, &str); 6] = [
    ("ip", "client"),
    ("request", "target"),
    ("url", "target"),
    ("referer", "referrer"),
    ("agent", "user-agent"),
    ("useragent", "user-agent"),
];

const QUOTED: usize = 0;
const REQUEST: usize = 1;
const REQUEST_WITH_SPACES: usize = 2;
const BARE: usize = 3;

pub struct Spaced {
    shape: &'static Shape,
    /// The place of each chosen field, and whether it is the target of a request line.
    chosen: Vec<(Place, bool)>,
    plan: Plan,
    /// Fields in quotes that have to be found; fields at all.
    quoted: usize,
    tokens: usize,
}

impl Spaced {
    fn new(shape: &'static Shape, choice: &Choice) -> Result<Spaced, String> {
        let there = shape.known;
        let usual = there.iter().filter(|known| known.usual).map(|known| known.name);
        let context = there.iter().map(|known| known.name).filter(|name| role::is_context(name));
        let mut plan = Plan::new(choice, usual, context);
        let mut chosen = Vec::new();
        for field in &plan.names {
            let lower = field.to_ascii_lowercase();
            let alias = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(lower.as_str(), |(_, name)| name);
            let known = there.iter().find(|known| known.name == lower || known.name == alias);
            chosen.push(match (known, lower.parse::<usize>()) {
                (Some(known), _) => (known.place, known.request),
                (None, Ok(number @ 1..)) => (Place::Token(number - 1), false),
                _ => {
                    let there: Vec<_> = there.iter().map(|known| known.name).chain(["numbers from 1"]).collect();
                    return Err(unknown(field, shape.name, &there));
                }
            });
        }
        let most = |of: fn(Place) -> Option<usize>| {
            chosen.iter().filter_map(|&(place, _)| of(place)).max().map_or(0, |most| most + 1)
        };
        let rule = |keep: ByteSet, syntax| Rule { keep: keep | shape.own, wrap: Wrap::Verbatim, syntax };
        plan.rules = vec![
            rule(IN_QUOTES, Syntax::Reference),
            rule(IN_SPACES, Syntax::Target),
            rule(IN_SPACES | VERSION, Syntax::Target),
            rule(IN_SPACES, shape.bare),
        ];
        Ok(Spaced {
            shape,
            quoted: most(|place| match place {
                Place::Quoted(at) | Place::Behind(at, _) => Some(at),
                Place::Token(_) => None,
            }),
            tokens: most(|place| if let Place::Token(at) = place { Some(at) } else { None }),
            chosen,
            plan,
        })
    }

    /// Adds the fields that are at `place`, which has `range` in the record.
    fn add(&self, record: &[u8], place: Place, range: &Range<usize>, in_quotes: bool, fields: &mut Vec<Field>) {
        for (choice, &(at, request)) in self.chosen.iter().enumerate() {
            if at != place {
                continue;
            }
            let (range, rule) = match request {
                true => match target(&record[range.clone()]) {
                    Some((target, has_spaces)) => {
                        let rule = if has_spaces { REQUEST_WITH_SPACES } else { REQUEST };
                        (range.start + target.start..range.start + target.end, rule)
                    }
                    None => continue,
                },
                false => (range.clone(), if in_quotes { QUOTED } else { BARE }),
            };
            fields.push(Field { choice, range, rule, object: None });
        }
    }

    /// Adds the fields that are words behind what is in quotes with this number, which ends at `at`.
    fn add_behind(&self, record: &[u8], number: usize, at: usize, fields: &mut Vec<Field>) {
        for &(place, _) in &self.chosen {
            let Place::Behind(quoted, word) = place else { continue };
            let mut start = at + 1;
            if quoted != number || start > record.len() {
                continue;
            }
            for _ in 0..word {
                start += memchr(b' ', &record[start..]).map_or(record.len() - start, |len| len + 1);
            }
            let len = memchr(b' ', &record[start..]).unwrap_or(record.len() - start);
            self.add(record, place, &(start..start + len), false, fields);
        }
    }

    /// Finds the fields in quotes, up to the last that is wanted.
    fn walk_quotes(&self, record: &[u8], fields: &mut Vec<Field>) -> Kind {
        let (mut at, mut number) = (0, 0);
        while number < self.quoted {
            let Some(open) = memchr(b'"', &record[at..]).map(|open| at + open) else { break };
            if open > 0 && record[open - 1] != b' ' {
                at = open + 1;
                continue;
            }
            let Some(close) = quote(&record[open + 1..]).map(|len| open + 1 + len) else { return Kind::Unrecognized };
            if record.get(close + 1).is_some_and(|&next| next != b' ') {
                return Kind::Unrecognized;
            }
            self.add(record, Place::Quoted(number), &(open + 1..close), true, fields);
            at = close + 1;
            self.add_behind(record, number, at, fields);
            number += 1;
        }
        // There is no log of these without a request in quotes.
        if number == 0 { Kind::Unrecognized } else { Kind::Data }
    }

    /// All, up to the last that is wanted.
    fn walk_tokens(&self, record: &[u8], fields: &mut Vec<Field>) -> Kind {
        let mut at = 0;
        for number in 0..self.tokens {
            if self.shape.squeezes {
                at += record[at.min(record.len())..].iter().take_while(|&&byte| byte == b' ').count();
            }
            if at > record.len() {
                break;
            }
            let rest = &record[at..];
            let (open, len) = match rest.first() {
                Some(b'"') => (1, quote(&rest[1..])),
                Some(b'[') => (1, memchr(b']', &rest[1..])),
                _ => (0, Some(memchr(b' ', rest).unwrap_or(rest.len()))),
            };
            let Some(len) = len else { return Kind::Unrecognized };
            let range = at + open..at + open + len;
            at = range.end + open;
            if record.get(at).is_some_and(|&next| next != b' ') {
                return Kind::Unrecognized;
            }
            self.add(record, Place::Token(number), &range, open > 0, fields);
            at += 1;
        }
        Kind::Data
    }
}

impl Format for Spaced {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::Column { before: b" \"".into(), after: b"\"".into(), header: Vec::new(), absent: "-" }
    }

    fn has_log_escapes(&self) -> bool {
        self.shape.has_log_escapes
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if !self.shape.comment.is_empty() && record.starts_with(self.shape.comment.as_bytes()) {
            return Kind::Comment;
        }
        if !(self.shape.fits)(record) {
            return Kind::Unrecognized;
        }
        let mut kind = if self.quoted > 0 { self.walk_quotes(record, fields) } else { Kind::Data };
        if kind != Kind::Unrecognized && self.tokens > 0 {
            kind = self.walk_tokens(record, fields);
            fields.sort_by_key(|field| field.range.start);
        }
        // One field, named twice or by name and by number, is worked on once.
        fields.dedup_by(|later, sooner| later.range.start < sooner.range.end);
        kind
    }
}
