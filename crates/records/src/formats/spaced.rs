//! Logs whose lines are words between blanks, some in quotes or brackets: load balancers, proxies, S3, CDX.
//!
//! A format says what each piece of its records may be. Clients choose some of the pieces, and not every server escapes the quotes
//! and blanks in them. A piece that a client has torn apart moves all pieces behind it, and then some of those aren't what they
//! have to be. So every piece of a record is checked up to its end, whichever fields are wanted, and none may be left over.

use memchr::memchr;
use percent_simd::ByteSet;

use super::sniff;
use super::token::{Around, Quotes, Token, is_client, is_digits, is_number, is_status};
use super::{
    Choice, ExtraField, Field, Format, IN_QUOTES, IN_SPACES, Kind, Layout, Plan, Row, Rule, Syntax, VERSION, Wrap,
    alias, lines_that_start_with, role, target, unknown,
};

/// What a piece may be.
#[derive(Clone, Copy)]
enum Piece {
    /// A bare word.
    Word(fn(&[u8]) -> bool),
    /// A value in quotes, or `-`.
    Quoted,
    /// A request line in quotes, or `-`.
    Request,
    /// A value in brackets.
    Bracketed(fn(&[u8]) -> bool),
    /// Up to so many values in braces.
    Braced(usize),
}

/// A piece, and the name of the field it is, which is empty if it has none.
type Cell = (&'static str, Piece);

const fn word(is_it: fn(&[u8]) -> bool) -> Cell {
    ("", Piece::Word(is_it))
}

const QUOTED: Cell = ("", Piece::Quoted);

const fn named(name: &'static str, (_, piece): Cell) -> Cell {
    (name, piece)
}

const REQUEST_LINE: Cell = ("target", Piece::Request);

fn any(_: &[u8]) -> bool {
    true
}

/// A format of this kind.
struct Shape {
    name: &'static str,
    /// The fields by name, and whether they are worked on if no field is named.
    known: &'static [(&'static str, bool)],
    /// The pieces of a record. If there are several rows, the first that fits is the one.
    rows: &'static [&'static [Cell]],
    /// How many pieces each record has; the others may be missing at its end.
    least: usize,
    /// How many pieces may follow all these, and what may be around them.
    more: (usize, &'static [Around]),
    quotes: Quotes,
    /// Whether several blanks between pieces are as good as one.
    squeezes: bool,
    /// Bytes that start an escape of the format.
    own: ByteSet,
    /// What the fields without quotes hold.
    bare: Syntax,
    /// The start of a line that is no record.
    comment: &'static str,
}

const fn shape(name: &'static str, known: &'static [(&'static str, bool)], rows: &'static [&'static [Cell]]) -> Shape {
    Shape {
        name,
        known,
        rows,
        least: usize::MAX,
        more: (0, &[]),
        quotes: Quotes::Backslash,
        squeezes: false,
        own: ByteSet::EMPTY,
        bare: Syntax::Reference,
        comment: "",
    }
}

/// docs.aws.amazon.com, access logs for your Application Load Balancer, syntax; AWS adds fields at the end. A quote is `\x22` there.
const S_ALB: Shape = Shape {
    least: 18,
    more: (4, &[Around::Nothing, Around::Quotes]),
    ..shape(
        "alb",
        &[("target", true), ("user-agent", false), ("redirect-url", true), ("client", false), ("status", false)],
        &[&[
            word(|word| [&b"http"[..], b"https", b"h2", b"grpcs", b"ws", b"wss"].contains(&word)),
            word(sniff::is_time),
            word(any),
            named("client", word(is_client)),
            word(any),
            word(is_number),
            word(is_number),
            word(is_number),
            named("status", word(is_status)),
            word(is_status),
            word(is_number),
            word(is_number),
            REQUEST_LINE,
            named("user-agent", QUOTED),
            word(any),
            word(any),
            word(any),
            QUOTED,
            QUOTED,
            QUOTED,
            word(any),
            word(any),
            QUOTED,
            named("redirect-url", QUOTED),
            QUOTED,
            QUOTED,
            QUOTED,
            QUOTED,
            QUOTED,
            word(any),
            QUOTED,
            QUOTED,
            QUOTED,
        ]],
    )
};
/// docs.aws.amazon.com, access logs for your Classic Load Balancer, syntax; the last three have been there since 2015.
const S_ELB: Shape = Shape {
    least: 12,
    ..shape(
        "elb",
        &[("target", true), ("user-agent", false), ("client", false), ("status", false)],
        &[&[
            word(sniff::is_time),
            word(any),
            named("client", word(is_client)),
            word(any),
            word(is_number),
            word(is_number),
            word(is_number),
            named("status", word(is_status)),
            word(is_status),
            word(is_number),
            word(is_number),
            REQUEST_LINE,
            named("user-agent", QUOTED),
            word(any),
            word(any),
        ]],
    )
};
/// docs.aws.amazon.com, Amazon S3 server access log format. S3 writes quotes of clients as they are.
const S_S3: Shape = Shape {
    least: 17,
    more: (4, &[Around::Nothing]),
    quotes: Quotes::Plain,
    ..shape(
        "s3",
        &[
            ("key", true),
            ("target", true),
            ("referrer", true),
            ("user-agent", false),
            ("client", false),
            ("status", false),
        ],
        &[&[
            word(any),
            word(any),
            ("", Piece::Bracketed(any)),
            named("client", word(is_client)),
            word(any),
            word(any),
            word(is_operation),
            named("key", word(any)),
            REQUEST_LINE,
            named("status", word(is_status)),
            word(any),
            word(is_number),
            word(is_number),
            word(is_number),
            word(is_number),
            named("referrer", QUOTED),
            named("user-agent", QUOTED),
            word(any),
            word(any),
            word(any),
            word(any),
            word(any),
            word(any),
            word(any),
            word(any),
            word(any),
        ]],
    )
};
/// HAProxy writes `#22` for a quote, in requests and in captured headers (its manual, 8.6). What `option httpslog` has behind the
/// request are words.
const S_HAPROXY: Shape = Shape {
    more: (4, &[Around::Nothing]),
    quotes: Quotes::Plain,
    own: ByteSet::of(b"#{}|"),
    ..shape(
        "haproxy",
        &[("target", true), ("client", false), ("status", false)],
        &[&[
            named("client", word(is_client)),
            ("", Piece::Bracketed(any)),
            word(any),
            word(|word| word.contains(&b'/')),
            word(is_times),
            named("status", word(|word| is_status(word) || word == b"-1")),
            word(is_number),
            word(any),
            word(any),
            word(any),
            word(is_times),
            word(|word| word.contains(&b'/')),
            ("", Piece::Braced(2)),
            REQUEST_LINE,
        ]],
    )
};
/// wiki.squid-cache.org, LogFormat `squid`. Squid writes the target of a request; that of a `CONNECT` is a host and a port. With
/// `log_mime_hdrs` headers follow, in brackets.
const S_SQUID: Shape = Shape {
    more: (2, &[Around::Brackets]),
    quotes: Quotes::Plain,
    squeezes: true,
    bare: Syntax::Target,
    ..shape(
        "squid",
        &[("url", true), ("client", false), ("status", false)],
        &[&[
            word(|word| is_number(word) && word.contains(&b'.')),
            word(is_number),
            named("client", word(is_client)),
            named("status", word(is_result)),
            word(is_number),
            word(any),
            named("url", word(any)),
            word(any),
            word(is_result),
            word(any),
        ]],
    )
};
/// envoyproxy.io, access logging, default format; istio.io, Envoy access logs, with more pieces. Envoy writes quotes of clients as
/// they are.
const S_ENVOY: Shape = Shape {
    quotes: Quotes::Plain,
    ..shape(
        "envoy",
        &[("target", true), ("user-agent", false), ("client", false), ("host", false), ("status", false)],
        &[
            &[
                ("", Piece::Bracketed(sniff::is_time)),
                REQUEST_LINE,
                named("status", word(is_code)),
                word(any),
                word(is_number),
                word(is_number),
                word(is_number),
                word(is_number),
                named("client", QUOTED),
                named("user-agent", QUOTED),
                QUOTED,
                named("host", QUOTED),
                QUOTED,
            ],
            &[
                ("", Piece::Bracketed(sniff::is_time)),
                REQUEST_LINE,
                named("status", word(is_code)),
                word(any),
                word(any),
                word(any),
                QUOTED,
                word(is_number),
                word(is_number),
                word(is_number),
                word(is_number),
                named("client", QUOTED),
                named("user-agent", QUOTED),
                QUOTED,
                named("host", QUOTED),
                QUOTED,
                word(any),
                word(any),
                word(any),
                word(any),
                word(any),
                word(any),
            ],
        ],
    )
};
/// archive.org, CDX file format: 9 columns or 11, with which all writers start alike.
const S_CDX: Shape = Shape {
    least: 5,
    more: (7, &[Around::Nothing]),
    quotes: Quotes::Plain,
    comment: " CDX ",
    ..shape(
        "cdx",
        &[("original", true)],
        &[&[
            word(any),
            word(|word| word.len() == 14 && is_digits(word)),
            named("original", word(sniff::is_url)),
            word(|word| matches!(word, b"-" | b"unk") || word.contains(&b'/')),
            word(is_status),
        ]],
    )
};

row!(
    Spaced,
    ALB,
    S_ALB,
    "AWS application load balancers",
    "target, redirect-url; user-agent, client, status",
    |sample| sample.most(|line| S_ALB.fits(line))
);
row!(Spaced, ELB, S_ELB, "AWS classic load balancers", "target; user-agent, client, status", |sample| sample
    .most(|line| S_ELB.fits(line)));
row!(Spaced, S3, S_S3, "S3 server access", "key, target, referrer; user-agent, client, status", |sample| {
    // The owner of a bucket.
    let is_owner = |line: &[u8]| line.len() > 64 && line[..64].iter().all(u8::is_ascii_hexdigit) && line[64] == b' ';
    sample.most(|line| is_owner(line) && S_S3.fits(line))
});
row!(Spaced, HAPROXY, S_HAPROXY, "HAProxy, `option httplog`", "target; client, status", |sample| sample
    .most(|line| S_HAPROXY.fits(line)));
row!(Spaced, SQUID, S_SQUID, "Squid, its native format", "url; client, status", |sample| sample
    .most(|line| S_SQUID.fits(line)));
row!(
    Spaced,
    ENVOY,
    S_ENVOY,
    "Envoy, its default format and Istio's",
    "target; user-agent, client, host, status",
    |sample| sample.most(|line| S_ENVOY.fits(line))
);
row!(Spaced, CDX, S_CDX, "CDX, the index of web archives; the key stays", "original", |sample| {
    sample.lines.first().is_some_and(|line| line.starts_with(b" CDX ")) || sample.most(|line| S_CDX.fits(line))
});

/// `REST.GET.OBJECT`, `WEBSITE.GET.OBJECT`, `BATCH.DELETE.OBJECT`, `S3.EXPIRE.OBJECT`.
fn is_operation(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_uppercase) && word.contains(&b'.')
}

/// `10/0/30/69/109`, and with `option logasap` `+109`: five numbers.
fn is_times(word: &[u8]) -> bool {
    sniff::count(word, b'/') == 4 && word.iter().all(|byte| byte.is_ascii_digit() || b"/-+".contains(byte))
}

/// `TCP_MISS/200`, `HIER_DIRECT/203.0.113.1`
fn is_result(word: &[u8]) -> bool {
    let name = memchr(b'/', word).map_or(&b""[..], |at| &word[..at]);
    !name.is_empty() && name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

/// `200`, or `0` if there was no response.
fn is_code(word: &[u8]) -> bool {
    is_status(word) || word == b"0"
}

impl Piece {
    fn is_it(self, line: &[u8], token: &Token) -> bool {
        let value = &line[token.value.clone()];
        let is_absent = token.around == Around::Nothing && value == b"-";
        match (self, token.around) {
            (Piece::Word(is_it), Around::Nothing) => !value.is_empty() && is_it(value),
            (Piece::Quoted | Piece::Request, Around::Quotes) | (Piece::Braced(_), Around::Braces) => true,
            (Piece::Bracketed(is_it), Around::Brackets) => is_it(value),
            (Piece::Quoted | Piece::Request, _) => is_absent,
            _ => false,
        }
    }
}

impl Shape {
    fn fits(&self, line: &[u8]) -> bool {
        self.each(line, |_, _, _, _| {}).is_some()
    }

    /// Calls `each` for every piece of a record with its number, its name, and what it may be, until one is none of this format.
    /// Returns `None` then.
    ///
    /// If a record is in the second row of a format, `each` gets the pieces of the first again up to the one that didn't fit.
    fn each(&self, line: &[u8], mut each: impl FnMut(usize, &'static str, Option<Piece>, &Token)) -> Option<()> {
        self.rows.iter().find_map(|row| self.each_of(row, line, &mut each))
    }

    fn each_of(
        &self,
        row: &[Cell],
        line: &[u8],
        each: &mut impl FnMut(usize, &'static str, Option<Piece>, &Token),
    ) -> Option<()> {
        let (mut at, mut number, mut more) = (0, 0, 0);
        let mut cells = row.iter().copied().peekable();
        let mut braced = 0;
        while at <= line.len() {
            if self.squeezes {
                at += line[at..].iter().take_while(|&&byte| byte == b' ').count();
            }
            let token = Token::at(line, at, self.quotes)?;
            // Values in braces may be missing.
            if matches!(cells.peek(), Some((_, Piece::Braced(most))) if token.around != Around::Braces || braced == *most)
            {
                cells.next();
            }
            match cells.peek() {
                Some(&(name, piece)) => {
                    if !piece.is_it(line, &token) {
                        return None;
                    }
                    each(number, name, Some(piece), &token);
                    match piece {
                        Piece::Braced(_) => braced += 1,
                        _ => _ = cells.next(),
                    }
                }
                None => {
                    more += 1;
                    if more > self.more.0 || !self.more.1.contains(&token.around) {
                        return None;
                    }
                    each(number, "", None, &token);
                }
            }
            at = token.end + 1;
            number += 1;
        }
        let left = cells.count();
        (left == 0 || row.len() - left >= self.least).then_some(())
    }
}

/// A field that was chosen.
enum Chosen {
    Name(&'static str),
    Number(usize),
}

/// The rules of a plan.
const IN_QUOTES_RULE: usize = 0;
const REQUEST_RULE: usize = 1;
const REQUEST_WITH_SPACES_RULE: usize = 2;
const BARE_RULE: usize = 3;

pub struct Spaced {
    shape: &'static Shape,
    chosen: Vec<Chosen>,
    plan: Plan,
}

impl Spaced {
    fn new(shape: &'static Shape, choice: &Choice) -> Result<Spaced, String> {
        let usual = shape.known.iter().filter(|(_, is_usual)| *is_usual).map(|(name, _)| *name);
        let context = shape.known.iter().map(|(name, _)| *name).filter(|name| role::is_context(name));
        let mut plan = Plan::new(choice, usual, context);
        let mut chosen = Vec::new();
        for field in &plan.names {
            let name = alias(field);
            let lower = field.to_ascii_lowercase();
            let known = shape.known.iter().find(|(known, _)| **known == *lower || **known == *name);
            chosen.push(match (known, lower.parse::<usize>()) {
                (Some((name, _)), _) => Chosen::Name(name),
                (None, Ok(number @ 1..)) => Chosen::Number(number - 1),
                _ => {
                    let there: Vec<_> = shape.known.iter().map(|(name, _)| *name).chain(["numbers from 1"]).collect();
                    return Err(unknown(field, shape.name, &there));
                }
            });
        }
        let rule = |keep: ByteSet, syntax| Rule { keep: keep | shape.own, wrap: Wrap::Verbatim, syntax };
        plan.rules = vec![
            rule(IN_QUOTES, Syntax::Reference),
            rule(IN_SPACES, Syntax::Target),
            rule(IN_SPACES | VERSION, Syntax::Target),
            rule(IN_SPACES, shape.bare),
        ];
        Ok(Spaced { shape, chosen, plan })
    }
}

impl Format for Spaced {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::Column { before: b" \"".into(), after: b"\"".into(), header: Vec::new(), absent: "-" }
    }

    fn others(&self, chunk: &[u8], _: &Layout) -> u64 {
        if self.shape.comment.is_empty() { 0 } else { lines_that_start_with(chunk, self.shape.comment.as_bytes()) }
    }

    fn fields(&self, line: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if !self.shape.comment.is_empty() && line.starts_with(self.shape.comment.as_bytes()) {
            return Kind::Comment;
        }
        let found = self.shape.each(line, |number, name, piece, token| {
            if number == 0 {
                fields.clear();
            }
            for (choice, chosen) in self.chosen.iter().enumerate() {
                let (range, rule) = match chosen {
                    Chosen::Name(wanted) if *wanted != name => continue,
                    Chosen::Number(wanted) if *wanted != number => continue,
                    Chosen::Name(_) if matches!(piece, Some(Piece::Request)) => {
                        let value = &line[token.value.clone()];
                        let Some((target, has_spaces)) = target(value) else { continue };
                        let start = token.value.start;
                        let rule = if has_spaces { REQUEST_WITH_SPACES_RULE } else { REQUEST_RULE };
                        (start + target.start..start + target.end, rule)
                    }
                    // A blank that comes out in a request line could be read as the end of its target.
                    _ if matches!(piece, Some(Piece::Request)) => (token.value.clone(), REQUEST_WITH_SPACES_RULE),
                    _ if token.around == Around::Nothing => (token.value.clone(), BARE_RULE),
                    _ => (token.value.clone(), IN_QUOTES_RULE),
                };
                fields.push(Field { choice, range, rule, object: None });
            }
        });
        if found.is_none() {
            fields.clear();
            return Kind::Unrecognized;
        }
        // One field, named twice or by name and by number, is worked on once.
        fields.dedup_by(|later, sooner| later.range.start < sooner.range.end);
        Kind::Data
    }
}
