//! The fields in the first records of an input, with their values.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::facts::{Hint, Judgement};
use super::shape::first_records;
use crate::framing::Framing;

/// The maximum number of fields that we look at. We need a limit because an input may have a new name in every record.
const MOST: usize = 8192;

/// A field in the first records of an input.
#[derive(Debug)]
pub struct Candidate {
    /// The name that the user gives to `-f` to choose this field.
    pub name: String,
    /// The values of the field: the number of each record that has the field, and the value in this record.
    pub values: Vec<(usize, Vec<u8>)>,
    /// The hint of the name and the judgement about the values, after the first call that needs them.
    pub(super) hint: OnceCell<Hint>,
    pub(super) judgement: OnceCell<Option<Judgement>>,
}

/// The fields in the first records of an input.
#[derive(Debug, Default)]
pub struct Candidates {
    /// The fields, in the order of their first values.
    pub all: Vec<Candidate>,
    places: HashMap<String, usize>,
}

impl Candidates {
    /// Returns the fields of the first records of an input that starts with `head`. `each` gets a record, and passes the
    /// name and the value of each field of the record to its second argument.
    pub fn of_records(framing: Framing, head: &[u8], each: &dyn Fn(&[u8], &mut dyn FnMut(&[u8], &[u8]))) -> Candidates {
        let mut candidates = Candidates::default();
        for (number, record) in first_records(framing, head) {
            each(record, &mut |name, value| candidates.push(&String::from_utf8_lossy(name), number, value));
        }
        candidates
    }

    /// Adds a field of the record with the number `record`.
    pub fn push(&mut self, name: &str, record: usize, value: &[u8]) {
        let place = match self.places.get(name) {
            Some(&place) => place,
            None if self.all.len() == MOST => return,
            None => {
                self.places.insert(name.to_string(), self.all.len());
                let (hint, judgement) = (OnceCell::new(), OnceCell::new());
                self.all.push(Candidate { name: name.to_string(), values: Vec::new(), hint, judgement });
                self.all.len() - 1
            }
        };
        self.all[place].values.push((record, value.to_vec()));
    }
}
