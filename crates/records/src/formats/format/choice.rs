//! The fields that the user, or the search for URLs, has chosen.

use super::{Format, IS_MODULE, Schema, Syntax, field_names};

/// The kind of a field that has URLs in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) enum Mixed {
    /// The field has any text, and its URLs are read. A value without a URL is left out.
    Text,
    /// The field has URLs, and some values are texts with URLs. All other values are read as a whole.
    Urls,
}

/// How a verb uses the values of fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Use {
    /// The verb writes a new value in place of each value.
    #[default]
    Rewrite,
    /// The verb checks the values as the client wrote them. So the layer of escapes that the log has added is removed when
    /// a value is read.
    Check,
    /// Does the same as `Check`, and paths that a server logs decoded are default fields, too. Such a path has no escapes to
    /// check. If a verb wrote it back, the path would be decoded a second time.
    Read,
}

impl dyn Format + '_ {
    /// Returns true if the layer of escapes that the log has added is removed when a value is read.
    pub fn peels(&self) -> bool {
        !IS_MODULE && self.layers() > 1 && self.schema().only_reads
    }
}

/// The role of a field in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The target of a request. Also the role of a field that has none of the other roles.
    Url,
    /// The page with the link that the client followed.
    Referrer,
    /// The client.
    Client,
    /// The requested host.
    Host,
    /// The scheme or the port of the requested URL.
    Origin,
    /// The status of the response.
    Status,
    /// The time of the request, its date, or its time of day.
    Time,
}

impl Schema {
    /// Returns the name from which the role of the field number `choice` follows.
    pub fn role_name(&self, choice: usize) -> &str {
        let known = self.numbered.iter().find(|(number, _)| *number == choice);
        known.map_or(&self.names[choice], |(_, name)| name)
    }

    /// Sets the names from which the roles of fields follow. The module has no roles.
    pub(in crate::formats) fn set_role_names(&mut self, name: impl Fn(usize) -> Option<&'static str>) {
        if !IS_MODULE {
            self.numbered.extend((0..self.names.len()).filter_map(|choice| Some((choice, name(choice)?))));
        }
    }
}

/// A choice of fields.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The names or numbers of fields, or JSON pointers. If the list is empty, the fields with URLs are chosen.
    pub fields: Vec<String>,
    /// If true, the first line of CSV and TSV is a header. If `None`, the first line is a header if a field is chosen
    /// by name.
    pub header: Option<bool>,
    /// The roles of the context fields. The choice includes all fields of these roles.
    pub roles: &'static [Role],
    /// If true, a chosen member of a JSON object may also be a number, `true` or `false`. Only verbs that don't write
    /// the record back set this option.
    pub words: bool,
    /// How the verb uses the values.
    pub usage: Use,
    /// The names of the fields that we found in the first records, and the syntax of each.
    pub syntaxes: Vec<(String, Syntax)>,
    /// The names of the found fields that have URLs among other values, or in a text. Only the URLs are read.
    pub mixed: Vec<String>,
    /// The names of the fields that have URLs, and whose first values include texts with URLs. Of these texts, only the
    /// URLs are read.
    pub texts: Vec<String>,
    /// The number of records before the header of CSV or TSV, such as a title or comments.
    pub preamble: usize,
    /// If true, a record of CSV or TSV has as many cells as the header. Another table follows, whose records don't fit.
    pub is_exact: bool,
    /// If true, a blank is before and after each delimiter of the table. Blanks around a cell belong to no cell.
    pub is_padded: bool,
    /// If true, cells of TSV may be in quotes, as in CSV.
    pub is_quoted: bool,
    /// In `apache-vhost`, true if the client precedes the host, and false if it follows the host. If `None`, the values of each
    /// record decide.
    pub client_first: Option<bool>,
    /// The number of words in each record of `words`, or `None` if any number fits.
    pub width: Option<usize>,
    /// If true, the user named no fields, and we found `fields` in the first records. In this case, the format's own
    /// names match without regard to case.
    pub is_found: bool,
    /// If true, the input is markup that declares a charset other than UTF-8. Then the output has no new bytes above
    /// ASCII, because readers would decode these bytes in the declared charset.
    pub is_legacy: bool,
}

impl Choice {
    /// Returns the kind of each field in `names` that is in `mixed` or `texts`. If these lists are empty, so is the
    /// result.
    pub(super) fn kinds_of(&self, names: &[String]) -> Vec<Option<Mixed>> {
        if self.mixed.is_empty() && self.texts.is_empty() {
            return Vec::new();
        }
        let is_in = |list: &[String], name: &str| list.iter().any(|there| name.eq_ignore_ascii_case(there));
        let kind = |name: &String| match () {
            () if is_in(&self.mixed, name) => Some(Mixed::Text),
            () if is_in(&self.texts, name) => Some(Mixed::Urls),
            () => None,
        };
        names.iter().map(kind).collect()
    }

    /// If we found the field called `name` in the first records, returns its syntax.
    pub(in crate::formats) fn found_syntax(&self, name: &str) -> Option<Syntax> {
        self.syntaxes.iter().find(|(known, _)| known == name).map(|&(_, syntax)| syntax)
    }
}

/// Returns the decoded fields of `fields`, a list as in [`Row::fields`](super::Row::fields). Without [`Use::Read`], the
/// result is empty.
pub(in crate::formats) fn decoded_names(fields: &'static str, choice: &Choice) -> Vec<&'static str> {
    field_names(fields.split(';').nth(2).filter(|_| choice.usage == Use::Read).unwrap_or_default())
}

/// Returns the default fields of the list `fields`. A decoded path comes before its query.
pub(in crate::formats) fn usual_names(fields: &'static str, choice: &Choice) -> impl Iterator<Item = &'static str> {
    let usual = fields.split(';').next().unwrap_or_default();
    decoded_names(fields, choice).into_iter().chain(field_names(usual))
}
