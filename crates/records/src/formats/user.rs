//! Formats that a user has written down: a pattern or JSON pointers, under a name of their own.

use percent_simd::ByteSet;

use super::format::{Choice, Format, Kind};
use super::json::{Json, Shape};
use super::pattern::Pattern;
use super::shape::{Sample, has_all};

/// A format of a user's.
#[derive(Clone, Debug)]
pub struct UserFormat {
    /// Its name; see [`Name::check_new`](super::Name::check_new).
    pub name: String,
    /// Its description, in a line.
    pub help: String,
    /// How its records are written.
    pub source: Source,
    /// Fields with URLs; if none is named, those that are known to hold URLs.
    pub urls: Vec<String>,
    /// Fields of `urls` that hold the target of a request. One called `request` or the like does, even if it isn't listed here.
    pub targets: Vec<String>,
    /// Those of them that hold a query without its `?`.
    pub queries: Vec<String>,
    /// Bytes that stay escaped besides.
    pub keep: ByteSet,
    /// Texts that each of its lines has in it; if there are none, a line that fits is enough.
    pub recognize: Vec<String>,
}

/// How the records of a [`UserFormat`] are written.
#[derive(Clone, Debug)]
pub enum Source {
    /// By this `log_format` of nginx.
    Nginx(String),
    /// By this `LogFormat` of Apache.
    Apache(String),
    /// As objects of JSON, one a line; the pointers to URLs are [`UserFormat::urls`].
    Json,
}

impl UserFormat {
    /// Returns the format, with the fields of `choice`.
    ///
    /// # Errors
    ///
    /// A message that says what is wrong with the pattern or with the fields.
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

    /// Returns whether an input is in this format.
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

    /// The fields that are worked on if none is named.
    pub(super) fn fields(&self) -> String {
        if self.urls.is_empty() { "variables with URLs".into() } else { self.urls.join(", ") }
    }
}
