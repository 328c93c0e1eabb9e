//! `pct unique`: drops records whose URLs are equivalent to those of an earlier record.

use std::borrow::Cow;
use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clap::ValueEnum;
use memchr::memchr;
use percent_simd::{ByteSet, Decoder, Plus};
use percent_simd_records::formats::{self, Format, Kind, Role, Syntax, Use, innermost, role_of};
use percent_simd_records::transform::{Action, Spec};
use percent_standards::uri::{
    Normalizer, RequestTarget, Step, TargetBounds, TargetForm, escaped_scheme_len, normalize_escapes,
};

use super::normal::normalized;
use super::normalize::{DOT, is_surely_normal};
use crate::args::{Fields, Lines, Streams};
use crate::job::Job;
use crate::message::complain;
use crate::record_verb::{Mark, RecordVerb, RecordView, Turn};
use crate::report::commas;
use crate::run;

/// Drop records whose URLs are equivalent to those of an earlier record
///
/// Drop a record if its URLs are equivalent (RFC 3986 6.2) to the URLs of an earlier record,
/// in this file or an earlier file. The other records stay as they are, in their order.
/// Headers, comments and records without a chosen field stay too. As the target of a request
/// (RFC 9112 3.2), //HOST/x is a path, and differs from //host/x. Without -f, targets of
/// different hosts, schemes or ports differ, if the format has fields for these.
///
/// `pct` remembers 16 bytes for each different record, up to the limit of --memory. When
/// the limit is reached, it forgets the oldest half, with a message on stderr. From then on,
/// a duplicate of a forgotten record stays. This happens only if at least half of the memory
/// was filled between the two records. If a % in a URL starts no escape, the URL is
/// equivalent only to the same bytes.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  pct unique urls                             drop HTTP://h/%7Ea after http://h/~a
  pct unique --level scheme urls              http://h:80 and http://h/ are the same
  pct unique --format combined -f target access.log   keep the first record of each target
  pct unique --duplicates urls                show only the repetitions"
)]
pub struct Args {
    /// Compare URLs up to this level. Each includes the levels before it: `simple`
    /// compares bytes; `case` ignores the case of scheme, host and
    /// hexadecimal digits; `percent-encoding` ignores escapes of unreserved
    /// characters; `path-segment` removes . and ..; `scheme` ignores default
    /// ports and an empty path
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "path-segment",
        hide_possible_values = true,
        verbatim_doc_comment
    )]
    level: Level,

    /// Write only the records that would be dropped
    #[arg(long)]
    duplicates: bool,

    /// Use at most MB megabytes to remember records
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..))]
    memory: u64,

    #[command(flatten)]
    fields: Fields,

    #[command(flatten)]
    lines: Lines,
}

/// The levels of RFC 3986 6.2, as in [`percent_standards::uri::Level`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Level {
    Simple,
    Case,
    PercentEncoding,
    PathSegment,
    Scheme,
}

/// Writes the digits of every triplet in upper case, without decoding it.
const UPPER: Decoder = Decoder::new().keep_upper(ByteSet::ALL);

impl Level {
    /// Returns the canonical form of a value. Two values are equivalent at this level if and only if their canonical forms are
    /// equal.
    fn canonical<'a>(self, url: &'a [u8], syntax: Syntax) -> Cow<'a, [u8]> {
        let Ok(text) = std::str::from_utf8(url) else { return Cow::Borrowed(url) };
        if self == Level::Simple || Decoder::new().first_malformed(text).is_some() {
            return Cow::Borrowed(url);
        }
        let bytes = |text: Cow<'a, str>| match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        match self {
            Level::Simple => Cow::Borrowed(url),
            Level::Case => {
                // An escaped scheme isn't a scheme, so its escapes stay, as in `normalize_escapes`.
                let (scheme, rest) = text.split_at(escaped_scheme_len(text));
                let upper = match scheme {
                    "" => UPPER.decode(rest),
                    _ => Cow::Owned([scheme.as_bytes(), &UPPER.decode(rest)].concat()),
                };
                lower_cased(upper, syntax)
            }
            Level::PercentEncoding => {
                normalize_escapes(text).map_or(Cow::Borrowed(url), |text| lower_cased(bytes(text), syntax))
            }
            Level::PathSegment | Level::Scheme if is_plain(url, syntax, self == Level::Scheme) => Cow::Borrowed(url),
            Level::PathSegment => normalized(&Normalizer::new(), text, syntax).map_or(Cow::Borrowed(url), bytes),
            Level::Scheme => normalized(&Normalizer::new().by_scheme(), text, syntax).map_or(Cow::Borrowed(url), bytes),
        }
    }
}

/// Returns true if a quick check shows that `url` is normal.
fn is_plain(url: &[u8], syntax: Syntax, by_scheme: bool) -> bool {
    let has_no_authority = match syntax {
        Syntax::Reference => false,
        Syntax::Target => url.starts_with(b"/"),
        Syntax::Query => true,
    };
    memchr(b'%', url).is_none() && DOT.find(url).is_none() && (has_no_authority || is_surely_normal(url, by_scheme))
}

/// Returns `url` with scheme and host in lower case. Its triplets must already be normal.
fn lower_cased(url: Cow<[u8]>, syntax: Syntax) -> Cow<[u8]> {
    const CASE: Normalizer = Normalizer::new().only(&[Step::Scheme, Step::Host]);
    let Ok(text) = std::str::from_utf8(&url) else { return url };
    let form = match syntax {
        Syntax::Reference => TargetForm::Absolute,
        Syntax::Target => RequestTarget::split(text).form(),
        Syntax::Query => return url,
    };
    let lower = match form {
        TargetForm::Absolute => match CASE.normalize(text) {
            Ok(Cow::Owned(lower)) => lower,
            Ok(Cow::Borrowed(_)) | Err(_) => return url,
        },
        TargetForm::Authority => match CASE.normalize(&format!("//{text}")) {
            Ok(authority) => authority[2..].to_string(),
            Err(_) => return url,
        },
        _ => return url,
    };
    Cow::Owned(lower.into_bytes())
}

/// Runs the verb on all inputs. Returns the exit status.
pub fn run(args: &Args) -> u8 {
    let mut streams =
        Streams::of(&args.lines.input, &args.lines.output, &args.fields).reading_urls().with_usage(Use::Read);
    // The URL of a target has its scheme, host and port in other fields. If the user has named the fields, only these
    // are compared.
    if args.fields.field.is_empty() {
        streams.fields.of_verb.roles = &[Role::Host, Role::Origin, Role::Client];
    }
    // The limit for one table, in keys. We keep two tables, and a table needs up to twice its memory while it grows.
    let limit = usize::try_from(args.memory << 20).unwrap_or(usize::MAX) / (4 * size_of::<u128>());
    let seen = Arc::new(Mutex::new(Seen { limit, ..Seen::default() }));
    let hashers = [RandomState::new(), RandomState::new()];
    let make = |format: Box<dyn Format>, _: Option<run::Start>| {
        let (level, duplicates) = (args.level, args.duplicates);
        let skips_absent = args.fields.field.is_empty() && !format.is_whole();
        let inner = innermost(&*format);
        let schema = inner.as_deref().unwrap_or(&*format).schema();
        let roles = (0..schema.names.len()).map(|choice| role_of(schema.role_name(choice))).collect();
        let port = schema.names.iter().position(|name| name.trim_start_matches('/').eq_ignore_ascii_case("port"));
        let (asked, is_list) = (schema.asked, schema.is_list());
        let verb = Unique {
            level,
            duplicates,
            skips_absent,
            is_list,
            asked,
            roles,
            port,
            hashers: hashers.clone(),
            seen: Arc::clone(&seen),
        };
        let spec = Spec::of(Action::Decode { plus: Plus::Never });
        Ok(Job::of_records(format, &spec, args.fields.strict_format, verb))
    };
    let run::Ran { code, .. } = run::all(&streams, &make, None);
    let forgot = lock(&seen).has_forgotten;
    if forgot && !args.lines.input.quiet {
        complain(&format!(
            "pct: there are more than {} different records, so the oldest were forgotten, and duplicates that are far \
             apart may remain; use --memory with more than {} MB",
            commas(2 * limit as u64),
            args.memory
        ));
    }
    code
}

/// The keys of earlier records, in two generations. When the younger generation is full, it replaces the older generation.
#[derive(Default)]
struct Seen {
    young: HashSet<u128, BuildHasherDefault<Identity>>,
    old: HashSet<u128, BuildHasherDefault<Identity>>,
    limit: usize,
    has_forgotten: bool,
}

impl Seen {
    /// Remembers `key`. Returns true if the key is new.
    fn insert(&mut self, key: u128) -> bool {
        if self.old.contains(&key) || !self.young.insert(key) {
            return false;
        }
        if self.young.len() >= self.limit.max(1) {
            self.has_forgotten |= !self.old.is_empty();
            self.old = std::mem::take(&mut self.young);
        }
        true
    }
}

/// Uses a key as its own hash. This is safe, because the key is already a hash that depends on secret keys.
#[derive(Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn write(&mut self, bytes: &[u8]) {
        if let Some(first) = bytes.first_chunk() {
            self.0 = u64::from_ne_bytes(*first);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Unique {
    level: Level,
    duplicates: bool,
    /// If true, a record is copied if all its values are absent.
    skips_absent: bool,
    /// If true, only `-` and empty values are absent. In a list, `unknown` may be a URL.
    is_list: bool,
    /// The number of chosen fields. Context fields follow.
    asked: usize,
    /// The role of each field.
    roles: Vec<Role>,
    /// The choice of the field `port`. If a record has a client, but no host, this is the client's port.
    port: Option<usize>,
    hashers: [RandomState; 2],
    seen: Arc<Mutex<Seen>>,
}

impl Unique {
    /// Returns the key for a record's values, or `None` if the record has no chosen field, or one that can't be read. The key has
    /// 128 bits and depends on secrets, so no client can make two records collide.
    fn key(&self, record: &RecordView) -> Option<u128> {
        let mut hashers = self.hashers.each_ref().map(BuildHasher::build_hasher);
        let mut add = |choice: usize, value: &[u8]| {
            for hasher in &mut hashers {
                hasher.write_usize(choice);
                hasher.write_usize(value.len());
                hasher.write(value);
            }
        };
        let (mut count, mut needs_host, mut origin) = (0, false, Vec::new());
        let (mut has_host, mut has_client) = (false, false);
        for field in record.fields {
            let mut is_read = false;
            let mut each = |choice: usize, syntax: Syntax, value: Cow<[u8]>| {
                is_read = true;
                if choice < self.asked {
                    add(choice, &self.level.canonical(&value, syntax));
                    // A full URL has its own host.
                    needs_host |=
                        self.roles[choice] != Role::Referrer && TargetBounds::split(&*value).authority().is_none();
                    let is_absent = matches!(&*value, b"" | b"-") || !self.is_list && formats::is_absent(&value);
                    count += usize::from(!self.skips_absent || !is_absent);
                    return;
                }
                match self.roles.get(choice) {
                    Some(Role::Client) => has_client = true,
                    Some(role @ (Role::Host | Role::Origin)) => {
                        has_host |= *role == Role::Host;
                        origin.push((choice, value.to_ascii_lowercase()));
                    }
                    _ => {}
                }
            };
            record.transforms[field.rule].each_value(field.choice, &record.body[field.range.clone()], &mut each);
            if !is_read {
                return None;
            }
        }
        let is_of_client = |choice: usize| has_client && !has_host && self.port == Some(choice);
        let origin = origin.iter().filter(|(choice, _)| needs_host && !is_of_client(*choice));
        origin.for_each(|(choice, part)| add(*choice, part));
        let [high, low] = hashers.map(|hasher| u128::from(hasher.finish()));
        (count > 0).then_some(high << 64 | low)
    }
}

impl RecordVerb for Unique {
    fn visit(&self, record: &RecordView, _: bool, out: &mut Vec<u8>, marks: &mut Vec<Mark>) {
        let key = if record.kind == Kind::Data { self.key(record) } else { None };
        let start = out.len();
        record.push_whole(out);
        marks.push(Mark { start: record.start, text: start..out.len(), key: key.unwrap_or(0), is_hit: key.is_some() });
    }

    fn passes_oversized(&self) -> bool {
        true
    }

    fn is_ordered(&self) -> bool {
        true
    }

    fn write(&self, turn: &Turn, out: &mut Vec<u8>) -> bool {
        let mut seen = lock(&self.seen);
        for mark in turn.marks {
            // A record without a key is always written. Such a record is a header or comment, lacks the fields, or is
            // not in the format.
            if !mark.is_hit || seen.insert(mark.key) != self.duplicates {
                out.extend(&turn.text[mark.text.clone()]);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use percent_simd_oracle::check;
    use percent_standards::uri::{self, Equivalence};

    use super::*;

    /// Makes two similar texts that begin with `start` and continue with `pieces`. The URI of a text is `front`,
    /// followed by the text. At each level, the canonical forms of the two texts must be equal exactly if the library
    /// calls their URIs equivalent.
    fn equal_if_equivalent(
        [a, changes]: [Vec<u8>; 2],
        (start, pieces): (&str, &[&str]),
        (front, syntax): (&str, Syntax),
    ) -> bool {
        let text = |bytes: &[u8]| -> String {
            std::iter::once(start).chain(bytes.iter().map(|&byte| pieces[usize::from(byte) % pieces.len()])).collect()
        };
        let mut b = a.clone();
        let changed = b.iter_mut().zip(changes).filter(|(_, change)| change % 3 == 0);
        changed.for_each(|(byte, change)| *byte ^= change >> 6);
        let (a, b) = (text(&a), text(&b));
        [
            (Level::Simple, uri::Level::Simple),
            (Level::Case, uri::Level::Case),
            (Level::PercentEncoding, uri::Level::PercentEncoding),
            (Level::PathSegment, uri::Level::PathSegment),
            (Level::Scheme, uri::Level::Scheme),
        ]
        .iter()
        .all(|&(level, theirs)| {
            let canonical = |text: &str| level.canonical(text.as_bytes(), syntax).into_owned();
            let is_same = canonical(&a) == canonical(&b);
            let expected = uri::equivalent(&[front, &a].concat(), &[front, &b].concat(), theirs);
            assert_eq!(is_same, expected == Equivalence::Equivalent, "{level:?}: {a} {b}");
            true
        })
    }

    #[test]
    fn canonical_texts_are_equal_exactly_if_the_library_says_equivalent() {
        const PIECES: [&str; 27] = [
            "http", "HTTP", "://", ":", "//", "/", "/", "a", "A", "%61", "%41", "%2f", "%2F", "..", ".", "%2E", "?",
            "#", ":80", "h", "H", "@", "%7e", "~", "1", "[", "%25",
        ];
        fn holds(a: Vec<u8>, changes: Vec<u8>) -> bool {
            equal_if_equivalent([a, changes], ("", &PIECES), ("", Syntax::Reference))
        }
        check(20_000, holds as fn(Vec<u8>, Vec<u8>) -> bool);
    }

    /// The URI of a target in origin-form is `http://`, the requested host, and the target (RFC 9112 3.3).
    #[test]
    fn targets_are_equivalent_exactly_if_their_uris_are() {
        const PIECES: [&str; 16] =
            ["/", "/", "//", "h", "H", ":80", "@", "a", "%61", "%41", "%2f", "%2F", "/..", "/.", "%2E", "?"];
        fn holds(a: Vec<u8>, changes: Vec<u8>) -> bool {
            equal_if_equivalent([a, changes], ("/", &PIECES), ("http://x", Syntax::Target))
        }
        check(20_000, holds as fn(Vec<u8>, Vec<u8>) -> bool);
    }

    #[test]
    fn memory_is_bounded_and_the_newer_half_is_always_known() {
        let mut seen = Seen { limit: 100, ..Seen::default() };
        assert!((0..1000).all(|key| seen.insert(key)));
        assert!(seen.has_forgotten && seen.young.len() + seen.old.len() <= 200);
        assert!((900..1000).all(|key| !seen.insert(key)), "the last hundred are known");
        assert!(seen.insert(5), "the first are not");
    }
}
