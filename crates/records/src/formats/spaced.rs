//! Files whose records are words between blanks: the logs of load balancers, proxies and S3, and CDX files. Some words
//! are in quotes or brackets.
//!
//! A format defines the pieces of its records. Clients choose the text of some pieces, and some servers don't escape
//! the quotes and blanks in this text. If we split this text by mistake, all pieces after it shift, and some of them no
//! longer fit. So we check every piece up to the end of the record, even if only one field is chosen. A record with an
//! extra piece doesn't fit.

mod shapes;

use percent_simd::ByteSet;

pub use self::shapes::*;
use super::format::{Bounds, Choice, ExtraField, Field, Format, Kind, Layout, Schema, Syntax, field_names, unknown};
use super::role::{alias, schema_of};
use super::shape::{Sample, lines_that_start_with};
use super::token::{
    Around, BARE, QUOTED as QUOTED_RULE, Quotes, REQUEST, REQUEST_WITH_SPACES, Token, line_rules, target, target_field,
    without_overlaps,
};

/// The form of a piece.
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
    /// Values in braces, at most this many.
    Braced(usize),
}

/// A piece, with the name of its field. The name is empty if users can't choose the field by name.
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

/// A format whose records are words between blanks.
struct Shape {
    name: &'static str,
    /// The fields. The default fields come before the `;`.
    fields: &'static str,
    /// The pieces of a record. A format may have several lists of pieces, and we use the first list that fits a record.
    rows: &'static [&'static [Cell]],
    /// The minimum number of pieces in a record. All later pieces may be missing.
    least: usize,
    /// The maximum number of extra pieces after the pieces of `rows`, and the quotes or brackets that may be around an
    /// extra piece.
    more: (usize, &'static [Around]),
    quotes: Quotes,
    /// If true, several blanks between two pieces count as one blank.
    squeezes: bool,
    /// Bytes that start an escape of this format.
    own: ByteSet,
    /// The syntax of fields without quotes.
    bare: Syntax,
    /// The text that a comment line starts with. If it is empty, the format has no comments.
    comment: &'static str,
}

const fn shape(name: &'static str, fields: &'static str, rows: &'static [&'static [Cell]]) -> Shape {
    Shape {
        name,
        fields,
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

    /// Calls `each` for every piece of a record, with its number, name and form. If a piece doesn't fit, stops there
    /// and returns `None`.
    ///
    /// If a format has two lists of pieces, we try the first list before the second. So if a record fits only the
    /// second list, `each` has also been called for some pieces according to the first list.
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
            // `Braced(most)` means 0 to `most` values in braces. Go to the next piece if this token isn't in braces, or
            // if `most` values were read.
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

/// A chosen field.
enum Chosen {
    Name(&'static str),
    Number(usize),
}

pub struct Spaced {
    shape: &'static Shape,
    chosen: Vec<Chosen>,
    schema: Schema,
}

impl Spaced {
    /// Returns true if most of the first lines are records.
    fn sniff(shape: &Shape, sample: &Sample) -> bool {
        sample.most(|line| shape.fits(line))
    }

    fn new(shape: &'static Shape, choice: &Choice) -> Result<Spaced, String> {
        let mut schema = schema_of(shape.fields, choice);
        let names = field_names(shape.fields);
        let mut chosen = Vec::new();
        for field in &schema.names {
            let name = alias(field);
            let lower = field.to_ascii_lowercase();
            let known = names.iter().find(|known| **known == lower || **known == name);
            chosen.push(match (known, lower.parse::<usize>()) {
                (Some(name), _) => Chosen::Name(name),
                (None, Ok(number @ 1..)) => Chosen::Number(number - 1),
                _ => return Err(unknown(field, shape.name, &[&names[..], &["numbers from 1"]].concat())),
            });
        }
        schema.set_role_names(|choice| {
            let Chosen::Number(number) = chosen[choice] else { return None };
            shape.rows[0].get(number).map(|(name, _)| *name).filter(|name| !name.is_empty())
        });
        schema.rules = line_rules(shape.own, shape.bare);
        Ok(Spaced { shape, chosen, schema })
    }
}

impl Format for Spaced {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn bounds(&self) -> Bounds {
        let is_quoted = |&(_, piece): &Cell| matches!(piece, Piece::Quoted | Piece::Request);
        let has_quotes = self.shape.rows.iter().copied().flatten().any(is_quoted);
        if has_quotes && self.shape.quotes == Quotes::Backslash { Bounds::Quote } else { Bounds::Record }
    }

    fn extra_field(&self) -> ExtraField {
        let (most, around) = self.shape.more;
        let is_open = self.schema.asked <= most && around.contains(&Around::Quotes);
        if is_open { ExtraField::quoted(b"") } else { ExtraField::Nowhere }
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
                        // Load balancers of AWS write `- - -` for a connection without a request, so this isn't a
                        // target.
                        let found = target(value).filter(|_| !value.starts_with(b"- - -"));
                        let Some(target) = found else { continue };
                        target_field(target, token.value.start, REQUEST)
                    }
                    // If the user chose the request by number, the field is the whole request line. In this line,
                    // blanks stay escaped, because a decoded blank could look like the end of the target.
                    _ if matches!(piece, Some(Piece::Request)) => (token.value.clone(), REQUEST_WITH_SPACES),
                    _ if token.around == Around::Nothing => (token.value.clone(), BARE),
                    _ => (token.value.clone(), QUOTED_RULE),
                };
                fields.push(Field { choice, range, rule, object: None });
            }
        });
        if found.is_none() {
            fields.clear();
            return Kind::Unrecognized;
        }
        without_overlaps(fields);
        Kind::Data
    }
}
