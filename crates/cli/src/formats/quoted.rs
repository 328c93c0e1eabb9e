//! Logs with spaces between fields and quotes around some: Common and Combined Log Format, AWS ALB and S3.

use std::ops::Range;

use memchr::memchr;

use super::{
    Choice, ExtraField, Field, Format, IN_QUOTES, IN_SPACES, Kind, Layout, Name, Rule, Wrap, quote, target, unknown,
};
use crate::records::Framing;

/// Where a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Among those in quotes, from 0. Nothing before the first quote matters, so a user's name may have spaces.
    Quoted(usize),
    /// Among all, from 0; what is in quotes or brackets is one.
    Token(usize),
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

const COMBINED: [Known; 3] = [
    known("target", Place::Quoted(0), true, true),
    known("referrer", Place::Quoted(1), false, true),
    known("user-agent", Place::Quoted(2), false, false),
];

const ALB: [Known; 3] = [
    known("target", Place::Quoted(0), true, true),
    known("user-agent", Place::Quoted(1), false, false),
    known("redirect-url", Place::Token(23), false, true),
];

const S3: [Known; 4] = [
    known("key", Place::Token(7), false, true),
    known("target", Place::Token(8), true, true),
    known("referrer", Place::Token(15), false, true),
    known("user-agent", Place::Token(16), false, false),
];

/// Other names of the same.
const ALIASES: [(&str, &str); 5] = [
    ("request", "target"),
    ("url", "target"),
    ("referer", "referrer"),
    ("agent", "user-agent"),
    ("useragent", "user-agent"),
];

const QUOTED: usize = 0;
const REQUEST: usize = 1;
const BARE: usize = 2;

const RULES: [Rule; 3] = [
    Rule { keep: IN_QUOTES, wrap: Wrap::Verbatim, query: false },
    Rule { keep: IN_SPACES, wrap: Wrap::Verbatim, query: false },
    Rule { keep: IN_SPACES, wrap: Wrap::Verbatim, query: false },
];

pub struct Quoted {
    /// Where each chosen field is, and whether it is the target of a request line.
    chosen: Vec<(Place, bool)>,
    names: Vec<String>,
    /// Whether it is of those that nginx and Apache write.
    has_log_escapes: bool,
    /// Fields in quotes that have to be found; fields at all.
    quoted: usize,
    tokens: usize,
}

impl Quoted {
    pub fn new(format: &Name, choice: &Choice) -> Result<Quoted, String> {
        let there = match format {
            Name::Clf => &COMBINED[..1],
            Name::Alb => &ALB[..],
            Name::S3 => &S3[..],
            _ => &COMBINED[..],
        };
        let usual = || there.iter().filter(|known| known.usual).map(|known| known.name.to_string()).collect();
        let names: Vec<String> = if choice.fields.is_empty() { usual() } else { choice.fields.clone() };
        let mut chosen = Vec::new();
        for field in &names {
            let lower = field.to_ascii_lowercase();
            let name = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(lower.as_str(), |(_, name)| name);
            chosen.push(match (there.iter().find(|known| known.name == name), lower.parse::<usize>()) {
                (Some(known), _) => (known.place, known.request),
                (None, Ok(number @ 1..)) => (Place::Token(number - 1), false),
                _ => {
                    let there: Vec<_> = there.iter().map(|known| known.name).chain(["numbers from 1"]).collect();
                    return Err(unknown(field, format.text(), &there));
                }
            });
        }
        let most = |of: fn(Place) -> Option<usize>| {
            chosen.iter().filter_map(|&(place, _)| of(place)).max().map_or(0, |most| most + 1)
        };
        Ok(Quoted {
            quoted: most(|place| if let Place::Quoted(at) = place { Some(at) } else { None }),
            tokens: most(|place| if let Place::Token(at) = place { Some(at) } else { None }),
            chosen,
            names,
            has_log_escapes: matches!(format, Name::Clf | Name::Combined),
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
                    Some(target) => (range.start + target.start..range.start + target.end, REQUEST),
                    None => continue,
                },
                false => (range.clone(), if in_quotes { QUOTED } else { BARE }),
            };
            fields.push(Field { choice, range, rule, member: false });
        }
    }

    /// What is in quotes, up to the last that is wanted.
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
            number += 1;
        }
        // There is no log of these without a request in quotes.
        if number == 0 { Kind::Unrecognized } else { Kind::Data }
    }

    /// All, up to the last that is wanted.
    fn walk_tokens(&self, record: &[u8], fields: &mut Vec<Field>) -> Kind {
        let mut at = 0;
        for number in 0..self.tokens {
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

impl Format for Quoted {
    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn rules(&self) -> &[Rule] {
        &RULES
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::Column { before: b" \"".into(), after: b"\"".into(), header: Vec::new(), absent: "-" }
    }

    fn has_log_escapes(&self) -> bool {
        self.has_log_escapes
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
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
