//! Formats that a user defines: a pattern or JSON pointers, with a name.

use percent_simd::ByteSet;

use super::format::{Choice, Format, Kind};
use super::json::{Json, Shape};
use super::pattern::Pattern;
use super::shape::{Sample, has_all};

/// A user's format.
#[derive(Clone, Debug)]
pub struct UserFormat {
    /// The name of the format. [`Name::check_new`](super::Name::check_new) says which names are valid.
    pub name: String,
    /// A one-line description.
    pub help: String,
    /// How the records are written.
    pub source: Source,
    /// The fields with URLs. If the list is empty, the format uses each field whose name is known to mean a URL.
    pub urls: Vec<String>,
    /// The fields of `urls` that hold the target of a request. A field called `request`, or a similar name, is always a
    /// target.
    pub targets: Vec<String>,
    /// The fields of `urls` that hold a query without its `?`.
    pub queries: Vec<String>,
    /// Additional bytes that stay escaped.
    pub keep: ByteSet,
    /// We recognize the format if at least half of the first lines contain all of these texts. If the list is empty, at
    /// least half of the first lines must fit the format.
    pub recognize: Vec<String>,
}

/// How the records of a [`UserFormat`] are written.
#[derive(Clone, Debug)]
pub enum Source {
    /// Lines that this `log_format` of nginx writes.
    Nginx(String),
    /// Lines that this `LogFormat` of Apache writes.
    Apache(String),
    /// One JSON object on each line. [`UserFormat::urls`] are the pointers to URLs.
    Json,
}

impl UserFormat {
    /// Returns the format, with the fields of `choice`.
    ///
    /// # Errors
    ///
    /// Returns a message if the pattern or a field is wrong.
    pub fn build(&self, choice: &Choice) -> Result<Box<dyn Format>, String> {
        let mut choice = choice.clone();
        if choice.fields.is_empty() {
            choice.fields.clone_from(&self.urls);
        }
        Ok(match &self.source {
            Source::Nginx(pattern) => {
                Box::new(Pattern::nginx(pattern, &choice)?.adapted(&self.targets, &self.queries, self.keep))
            }
            Source::Apache(pattern) => {
                Box::new(Pattern::apache(pattern, &choice)?.adapted(&self.targets, &self.queries, self.keep))
            }
            Source::Json => {
                let [urls, targets, queries] = [&self.urls, &self.targets, &self.queries]
                    .map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
                Box::new(Json::new(&Shape::new(&self.name, &urls, &targets, &queries), &choice)?.keeping(self.keep))
            }
        })
    }

    /// Returns true if the first lines of an input look like this format.
    pub(super) fn sniff(&self, sample: &Sample) -> bool {
        if !self.recognize.is_empty() {
            return sample.most(|line| has_all(line, &self.recognize));
        }
        let Ok(format) = self.build(&Choice::default()) else { return false };
        sample.most(|line| {
            let mut fields = Vec::new();
            format.fields(line, &mut format.layout(), &mut fields) == Kind::Data && !fields.is_empty()
        })
    }

    /// Returns the default fields as text, for the list of formats.
    pub(super) fn fields(&self) -> String {
        if self.urls.is_empty() { "variables with URLs".into() } else { self.urls.join(", ") }
    }
}
