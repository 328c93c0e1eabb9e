//! Lines of words between blanks, for logs in an unknown format. A string in quotes or a value in brackets counts as one word.
//!
//! Words have no names, so users choose them by number. If the user chooses no word, we look at the first lines, and
//! choose each word whose values look like URLs. Then we require that every record has as many words as most of the
//! first lines have. Otherwise a value with blanks would shift the words after it.

use std::collections::HashMap;

use percent_simd::ByteSet;

use super::candidates::Candidates;
use super::format::{Choice, ExtraField, Field, Format, IS_MODULE, Kind, Layout, Row, Schema, Syntax, shown};
use super::found::Found;
use super::shape::{Sample, is_absolute};
use super::token::{Around, BARE, QUOTED, Quotes, REQUEST, Token, line_rules, request_in, target_field};
use super::values::is_path;

pub const WORDS: Row = Row {
    name: "words",
    help: shown("words, strings in quotes and values in brackets between blanks, by number"),
    fields: shown("the words whose values look like URLs"),
    build: |choice| Ok(Box::new(Words::new(choice)?)),
    // `auto` chooses this format only if no other format fits.
    sniff: |_| false,
};

/// The number of rules of each field.
const RULES: usize = 4;

struct Words {
    /// The numbers of the chosen words, from 0.
    chosen: Vec<usize>,
    /// The number of words in a record. If any number fits, this is `None`.
    width: Option<usize>,
    /// If true, we found the words by the values of the first lines.
    is_found: bool,
    schema: Schema,
}

impl Words {
    fn new(choice: &Choice) -> Result<Words, String> {
        let mut schema = Schema::new(choice, [""; 0], [""; 0]);
        let number = |name: &String| match name.parse::<usize>() {
            Ok(number @ 1..) => Ok(number - 1),
            _ => Err(format!("words has no field `{name}`; choose words by their numbers, as in -f 3")),
        };
        let chosen = schema.names.iter().map(number).collect::<Result<_, _>>()?;
        for name in &schema.names {
            let syntax = choice.found_syntax(name).unwrap_or(Syntax::Reference);
            // `tokens` takes these bytes for punctuation at the end of a word.
            let mut rules = line_rules(ByteSet::of(PUNCTUATION), syntax);
            rules[QUOTED].syntax = syntax;
            schema.rules.extend_from_slice(&rules);
        }
        Ok(Words { chosen, width: choice.width, is_found: choice.is_found, schema })
    }
}

/// In a list or a sentence, one of these bytes may follow a word.
const PUNCTUATION: &[u8] = b",;:";

/// Returns the words of a line. Returns `None` if quotes or brackets don't close.
pub(super) fn tokens(line: &[u8]) -> Option<Vec<Token>> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    loop {
        at += line[at..].iter().take_while(|&&byte| byte == b' ').count();
        if at == line.len() {
            return Some(tokens);
        }
        let mut token = Token::at(line, at, Quotes::Backslash)?;
        at = token.end;
        if token.around == Around::Nothing && token.value.len() > 1 && PUNCTUATION.contains(&line[token.value.end - 1])
        {
            token.value.end -= 1;
        }
        tokens.push(token);
    }
}

/// Returns true for a word of text, with or without a colon after it. Every URL has other punctuation.
fn is_word(text: &[u8]) -> bool {
    text.strip_suffix(b":").unwrap_or(text).iter().all(u8::is_ascii_alphanumeric)
}

/// Chooses the words that hold URLs in the first lines. If no word holds URLs, or if more than one line in ten has an
/// unusual number of words, returns `None`.
pub(super) fn find(sample: &Sample) -> Option<(Choice, Found)> {
    let lines: Vec<_> = sample.lines.iter().filter_map(|line| Some((*line, tokens(line)?))).collect();
    let mut counts: HashMap<usize, usize> = HashMap::new();
    lines.iter().for_each(|(_, tokens)| *counts.entry(tokens.len()).or_default() += 1);
    let (width, count) = counts.into_iter().max_by_key(|&(width, count)| (count, width))?;
    if width < 2 || 10 * count < 9 * sample.lines.len() {
        return None;
    }
    let candidates = candidates(lines.iter().filter(|(_, tokens)| tokens.len() == width));
    let mut found = candidates.find(&|_| false, 16, false);
    if !IS_MODULE && !found.choice.fields.is_empty() {
        add_paths(&candidates, count, &mut found);
    }
    let choice = found.with([].into_iter(), true)?;
    Some((Choice { width: Some(width), ..choice }, found))
}

/// Does the same as [`find`] for words that hold paths or URLs in at least nine of ten lines, as in a list of redirects:
/// `/old /new 301`. The paths have no sign that only URLs have. Lines that start with `#` don't count, and the lines may have
/// further words.
pub(super) fn find_paths(sample: &Sample) -> Option<(Choice, Found)> {
    if IS_MODULE {
        return None;
    }
    let lines = sample.lines.iter().filter(|line| !line.starts_with(b"#"));
    let lines: Vec<_> =
        lines.filter_map(|line| Some((*line, tokens(line)?))).filter(|(_, all)| all.len() > 1).collect();
    let mut found = Found::default();
    add_paths(&candidates(lines.iter()), lines.len(), &mut found);
    found.choice.is_found = true;
    (lines.len() > 1 && !found.choice.fields.is_empty()).then(|| (found.choice.clone(), found))
}

/// Returns the words of `lines`.
fn candidates<'a>(lines: impl Iterator<Item = &'a (&'a [u8], Vec<Token>)>) -> Candidates {
    let mut candidates = Candidates::default();
    for (record, (line, tokens)) in lines.enumerate() {
        for (number, token) in tokens.iter().enumerate() {
            candidates.push(&(number + 1).to_string(), record, &line[token.value.clone()]);
        }
    }
    candidates
}

/// Adds the words that hold paths or URLs in at least nine of ten lines to `found`, and sorts its words. If at least half of the lines
/// have a path in another word, it is reported.
fn add_paths(candidates: &Candidates, lines: usize, found: &mut Found) {
    for word in &candidates.all {
        let judgement = word.judgement().filter(|judgement| !judgement.syntax.is_query() && !word.has_files(&[]));
        let is_new = !found.choice.fields.contains(&word.name) && 10 * word.values.len() >= 9 * lines;
        let paths = word.values.iter().filter(|(_, value)| is_path(value)).count();
        if let Some(judgement) = judgement.filter(|_| is_new) {
            found.choice.fields.push(word.name.clone());
            found.choice.syntaxes.push((word.name.clone(), judgement.syntax));
            found.doubts.by_value.push(word.name.clone());
        } else if !found.choice.fields.contains(&word.name) && 2 * paths >= lines {
            found.doubts.unread.push(word.name.clone());
        }
    }
    [&mut found.choice.fields, &mut found.doubts.by_value]
        .into_iter()
        .for_each(|names| names.sort_by_key(|name| name.parse::<usize>().unwrap_or_default()));
}

impl Format for Words {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::quoted(b" ")
    }

    fn mismatch(&self, _: &[u8], _: Option<&str>, _: bool) -> Option<String> {
        self.chosen.is_empty().then(|| "no words that look like URLs; choose words by their numbers, as in -f 3".into())
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let is_comment = self.is_found && self.width.is_none() && record.starts_with(b"#");
        if is_comment || record.trim_ascii().is_empty() {
            return Kind::Comment;
        }
        let last = self.chosen.iter().max().copied().unwrap_or_default();
        let fits = |len: usize| self.width.map_or(len > last, |width| len == width);
        // A scanner adds text to some lines. A URL with a scheme in the place of a URL is no shifted text.
        let is_url = |token: Option<&Token>| token.is_some_and(|token| is_absolute(&record[token.value.clone()]));
        let is_longer = |tokens: &[Token]| {
            let is_wide = self.width.is_some_and(|width| tokens.len() > width);
            // A client may have written a URL into the words before. So another URL must follow an arrow, as in a redirect.
            let is_arrow = |token: &Token| matches!(&record[token.value.clone()], b"->" | b"=>");
            let mut before_arrow = tokens.iter().take_while(|token| !is_arrow(token)).enumerate();
            let is_alone = |(at, token): (usize, &Token)| self.chosen.contains(&at) || !is_url(Some(token));
            let has_urls = || self.chosen.iter().all(|&chosen| is_url(tokens.get(chosen)));
            self.is_found && is_wide && has_urls() && before_arrow.all(is_alone)
        };
        let Some(tokens) = tokens(record).filter(|tokens| fits(tokens.len()) || is_longer(tokens)) else {
            return Kind::Unrecognized;
        };
        for (number, token) in tokens.iter().enumerate() {
            let Some(choice) = self.chosen.iter().position(|&chosen| chosen == number) else { continue };
            let line = match token.around {
                Around::Nothing => None,
                _ => request_in(&record[token.value.clone()]),
            };
            // A line of another kind may have a word of text in a column of URLs.
            let rule = RULES * choice;
            let is_found = self.is_found && !self.schema.rules[rule].syntax.is_query();
            if is_found && is_word(&record[token.value.clone()]) {
                continue;
            }
            let (range, own) = match line {
                Some(target) => target_field(target, token.value.start, REQUEST),
                _ => (token.value.clone(), if token.around == Around::Quotes { QUOTED } else { BARE }),
            };
            fields.push(Field { choice, range, rule: rule + own, object: None });
        }
        Kind::Data
    }
}
