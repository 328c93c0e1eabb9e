//! The columns of the rows that `pct cut` writes.

use std::io::{self, Cursor};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use percent_simd::Plus;
use percent_simd_records::formats::{Format, Role, innermost, role_of};
use percent_simd_records::framing::Framing;
use percent_simd_records::transform::{Action, Spec};

use super::part::Part;
use crate::job::Job;
use crate::message::listed;
use crate::pipeline::{self, BLOCK, Sink, Source};
use crate::record_verb::{Mark, RecordVerb, RecordView};
use crate::report::commas;
use crate::run::Start;

/// A column: its name, the index of its field among the chosen fields, and the part of the field that the column shows.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub choice: usize,
    pub part: Part,
}

/// The columns that the user named. If there are none, the first input determines the columns of a table.
pub struct Asked {
    /// The names of the fields that these columns show.
    pub fields: Vec<String>,
    columns: Vec<Column>,
    /// The names of the columns of a table that the first input determined.
    first: OnceLock<Vec<String>>,
}

impl Asked {
    /// Returns the columns that the user named. `is_whole` is true if a record is one field, which has no name.
    pub fn new(names: Vec<String>, is_whole: bool) -> Asked {
        let (mut fields, mut columns): (Vec<String>, Vec<Column>) = (Vec::new(), Vec::new());
        for name in names {
            let (field, part) = match Part::named(&name).filter(|_| is_whole) {
                Some(part) => (String::new(), part),
                None => Part::split(&name),
            };
            let choice = fields.iter().position(|known| *known == field).unwrap_or_else(|| {
                fields.push(field);
                fields.len() - 1
            });
            columns.push(Column { name, choice, part });
        }
        Asked { fields, columns, first: OnceLock::new() }
    }

    /// Returns the first name that two of the named columns have.
    pub fn repeated(&self) -> Option<&str> {
        let mut names = self.columns.iter().map(|column| &*column.name).enumerate();
        names
            .find(|(number, name)| self.columns[..*number].iter().any(|before| before.name == *name))
            .map(|found| found.1)
    }

    /// Returns the first named column that isn't a part of a URL without a field.
    pub fn unknown(&self) -> Option<&str> {
        self.columns.iter().find(|column| !self.fields[column.choice].is_empty()).map(|column| &*column.name)
    }

    /// Returns true if the input needs no columns and no header: it is empty, and another input determines the columns.
    pub fn leaves_out(&self, start: &Start) -> bool {
        self.columns.is_empty() && start.head.is_empty() && (start.has_next || self.first.get().is_some())
    }

    /// Returns the columns of an input that starts with `start`, and its format. If `start` is `None`, the input is unknown.
    ///
    /// If the user named no column, each usual field of the format that a record in `start` has is a column. If the rows
    /// of all inputs have the same columns (`is_table`), the first input determines them. If not, the other usual fields are
    /// optional columns.
    ///
    /// # Errors
    ///
    /// Returns a message if the input can't have the columns of the first input.
    pub fn columns(
        &self,
        format: Box<dyn Format>,
        start: Option<Start>,
        is_table: bool,
    ) -> Result<(Box<dyn Format>, Columns), String> {
        if !self.columns.is_empty() {
            return Ok((format, Columns::new(self.columns.clone(), self.columns.len(), Vec::new())));
        }
        let names =
            innermost(&*format).map_or_else(|| format.shown_names().to_vec(), |inner| inner.shown_names().to_vec());
        let (format, is_there, has_records) = present(format, start.map_or(b"", |start| start.head), names.len());
        // A pipe can't wait for a record with a URL, so its rows have all usual fields.
        if let Some(Start { name, head, may_wait: true, .. }) = start
            && has_records
            && !is_there.contains(&true)
        {
            let candidates = format.candidates(head);
            let there: Vec<&str> = candidates.all.iter().map(|field| field.name.as_str()).collect();
            let there = if there.is_empty() { String::new() } else { format!("; there are {}", listed(&there)) };
            return Err(format!(
                "pct: {name} is skipped: its first records have no field that is known to hold URLs{there}; name one with -f"
            ));
        }
        // The entries of a document are long, so few of them are in `start`. The first request of a page has no referrer.
        let is_document = matches!(format.framing(), Framing::Elements(_));
        let is_referrer = |at: usize| format.schema().names.get(at).is_some_and(|name| role_of(name) == Role::Referrer);
        let has_one = is_document && (0..names.len()).filter(|&at| is_referrer(at)).count() == 1;
        let shown = || {
            let is_shown = |at: &usize| is_there[*at] || !is_there.contains(&true) || has_one && is_referrer(*at);
            (0..names.len()).filter(is_shown).map(|at| names[at].clone()).collect()
        };
        let shown: Vec<String> =
            if is_table && start.is_some() { self.first.get_or_init(shown).clone() } else { shown() };
        // Two columns of a table can have the same name.
        let mut others: Vec<(usize, &String)> = names.iter().enumerate().collect();
        let mut column = |name: &String| {
            let at = others.iter().position(|(_, other)| *other == name)?;
            Some(Column { name: name.clone(), choice: others.remove(at).0, part: Part::All })
        };
        let all: Option<Vec<Column>> = shown.iter().map(&mut column).collect();
        let mut all = all.ok_or_else(|| {
            let shown = listed(&shown);
            let name = start.map_or("", |start| start.name);
            format!("pct: {name} is skipped: it lacks columns of the table, which the first input determined: {shown}; choose columns with -f, or write --json")
        })?;
        let fixed = all.len();
        if !is_table {
            let optional =
                others.drain(..).map(|(choice, name)| Column { name: name.clone(), choice, part: Part::All });
            all.extend(optional);
        }
        let others = others.into_iter().map(|(choice, name)| (choice, name.clone(), AtomicU64::new(0))).collect();
        Ok((format, Columns::new(all, fixed, others)))
    }
}

/// The columns of an input.
pub struct Columns {
    pub all: Vec<Column>,
    /// The number of columns that each row has. The other columns are optional: only rows with a value have them. A table has
    /// no optional columns.
    pub fixed: usize,
    /// For each chosen field, the numbers of its columns.
    of_choice: Vec<Vec<usize>>,
    /// The usual fields of the format that no column shows: the index among the chosen fields, the name, and the number of
    /// values.
    others: Vec<(usize, String, AtomicU64)>,
}

impl Columns {
    fn new(all: Vec<Column>, fixed: usize, others: Vec<(usize, String, AtomicU64)>) -> Columns {
        let mut of_choice = vec![Vec::new(); all.iter().map(|column| column.choice + 1).max().unwrap_or(0)];
        all.iter().enumerate().for_each(|(number, column)| of_choice[column.choice].push(number));
        Columns { all, fixed, of_choice, others }
    }

    /// Returns the numbers of the columns that show the field with the index `choice`, or a part of this field.
    pub fn of(&self, choice: usize) -> &[usize] {
        self.of_choice.get(choice).map_or(&[], Vec::as_slice)
    }

    /// Returns the number of chosen fields up to the last one that a column shows.
    pub fn fields(&self) -> usize {
        self.of_choice.len()
    }

    /// Counts a value of the field with the index `choice`, which no column shows.
    pub fn count_other(&self, choice: usize) {
        if let Some((.., count)) = self.others.iter().find(|other| other.0 == choice) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns a message that names the fields with values that no column shows.
    pub fn remark(&self) -> Option<String> {
        let count = |other: &(usize, String, AtomicU64)| other.2.load(Ordering::Relaxed);
        let some: Vec<_> = self.others.iter().filter(|other| count(other) > 0).collect();
        let names: Vec<&str> = some.iter().map(|other| other.1.as_str()).collect();
        let values: u64 = some.iter().map(|other| count(other)).sum();
        let are = if values == 1 { "value is" } else { "values are" };
        let fields = if names.len() == 1 { "the field" } else { "the fields" };
        (values > 0).then(|| {
            let names = listed(&names);
            format!(
                "{} {are} in no column, because the first records lack {fields} {names}; choose columns with -f",
                commas(values)
            )
        })
    }
}

/// Stores a flag for each field: true if a record has it.
struct Presence(Arc<[AtomicBool]>);

impl RecordVerb for Presence {
    fn visit(&self, record: &RecordView, _: bool, _: &mut Vec<u8>, _: &mut Vec<Mark>) {
        record.each_value(|choice, _, _| {
            if let Some(is_there) = self.0.get(choice) {
                is_there.store(true, Ordering::Relaxed);
            }
        });
    }
}

/// Returns whether a record in `head` has each of the first `fields` chosen fields, and whether there is a record.
fn present(format: Box<dyn Format>, head: &[u8], fields: usize) -> (Box<dyn Format>, Vec<bool>, bool) {
    let is_there: Arc<[AtomicBool]> = (0..fields).map(|_| AtomicBool::new(false)).collect();
    let spec = Spec::of(Action::Decode { plus: Plus::Never });
    let job = Job::of_records(format, &spec, false, Presence(Arc::clone(&is_there)));
    let mut sink = Sink { to: &mut io::sink(), compression: None, owed_end: None, report: None };
    let fit = pipeline::run(Source::new(Cursor::new(head), &job, BLOCK, true), &job, &mut sink, 1).fit;
    let is_there = is_there.iter().map(|is_there| is_there.load(Ordering::Relaxed)).collect();
    (job.format, is_there, fit.inspected > fit.unrecognized)
}
