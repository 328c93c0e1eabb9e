//! Logs of two forms: the records of a format, and other lines, which are read as `urls`. Examples are the output of a container
//! with a server and its proxy, and a log in which a framework writes other lines about a request.

use super::format::{Choice, Field, Format, Kind, Layout, Row, Schema, forward};
use super::role::alias;
use super::urls::URLS;
use super::wrap::Wrap;
use crate::framing::Framing;

/// The fields of `urls`, each with its name in this format.
const NAMES: [(&str, &str); 4] = [("url", "url"), ("target", "target"), ("location", "url"), ("referrer", "referrer")];

/// A format whose other lines are read as `urls`.
pub struct OrUrls {
    main: Box<dyn Format>,
    urls: Box<dyn Format>,
    /// For each field of `main`, its number in `schema`, or `None` if it isn't chosen.
    of_main: Vec<Option<usize>>,
    /// The same for the fields of `urls`.
    of_urls: Vec<Option<usize>>,
    schema: Schema,
}

/// Returns true if lines of another form may be among the records of `format`. The records must be lines, and the values must be
/// written as they are.
fn may_be_main(format: &dyn Format) -> bool {
    let schema = format.schema();
    format.framing() == Framing::Lines
        && !format.has_header()
        && !format.is_whole()
        && !schema.is_text
        && schema.mixed.is_empty()
        && format.mark().is_none()
        && format.layers() == 1
        && schema.rules.iter().all(|rule| rule.wrap == Wrap::Verbatim)
}

impl OrUrls {
    /// Builds the format of `row`, and reads its other lines as `urls`. If `choice` has no fields, the fields of both are chosen.
    pub fn new(row: &Row, choice: &Choice) -> Result<OrUrls, String> {
        let is_known = |name: &str| {
            let alone = Choice { fields: vec![name.to_string()], ..Choice::default() };
            (row.build)(&alone).is_ok()
        };
        let is_own = |name: &&String| NAMES.iter().all(|(_, known)| name != known) || is_known(name);
        // In many formats, `url` is another name of `target`.
        let is_same = |name: &str, other: &String| name == other || is_known(name) && alias(name) == alias(other);
        let own: Vec<String> = choice.fields.iter().filter(is_own).cloned().collect();
        let main = (row.build)(&Choice { fields: own.clone(), ..choice.clone() })?;
        if !may_be_main(&*main) {
            return Err(format!("the records of {} can't be among lines of other forms", row.name));
        }
        let urls = (URLS.build)(&Choice::default())?;
        let theirs = main.schema();
        let mut names = choice.fields.clone();
        let mut of_main: Vec<Option<usize>> = vec![None; theirs.asked];
        if names.is_empty() {
            names.extend_from_slice(theirs.asked_names());
            of_main.iter_mut().enumerate().for_each(|(at, place)| *place = Some(at));
            for (_, name) in NAMES {
                if !names.iter().any(|other| is_same(name, other)) {
                    names.push(name.to_string());
                }
            }
        } else if !own.is_empty() {
            let places = choice.fields.iter().enumerate().filter(|(_, name)| is_own(name));
            for (at, (place, _)) in places.enumerate() {
                names[place].clone_from(&theirs.names[at]);
                of_main[at] = Some(place);
            }
        }
        let of_urls = NAMES.map(|(_, name)| names.iter().position(|other| is_same(name, other))).to_vec();
        let asked = names.len();
        for name in &theirs.names[theirs.asked..] {
            of_main.push(Some(names.len()));
            names.push(name.clone());
        }
        let rules = [&theirs.rules[..], &urls.schema().rules].concat();
        let schema = Schema { names, asked, rules, ..Schema::default() };
        Ok(OrUrls { main, urls, of_main, of_urls, schema })
    }
}

impl Format for OrUrls {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    forward!(main: has_log_escapes -> bool, is_delimited -> bool);

    fn fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let mut kind = self.main.fields(record, layout, fields);
        let (mut places, mut first_rule) = (&self.of_main, 0);
        if kind != Kind::Data {
            fields.clear();
            // If `urls` finds nothing, the main format decides.
            kind = match self.urls.fields(record, layout, fields) {
                Kind::Data => Kind::Data,
                _ => kind,
            };
            (places, first_rule) = (&self.of_urls, self.main.schema().rules.len());
        }
        fields.retain_mut(|field| {
            field.rule += first_rule;
            places[field.choice].map(|place| field.choice = place).is_some()
        });
        kind
    }
}
