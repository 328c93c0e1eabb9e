//! The kinds of possible attacks. `pct` knows some kinds. The user can define more kinds, in the same file as formats.
//!
//! ```toml
//! [[attack]]
//! name = "sql"
//! help = "SQL injection"                       # optional: the title in reports; the default is the name
//! pattern = '(?i)union\s+(all\s+)?select'      # a regular expression for the value after all layers are decoded; a `+`
//!                                              # in a query is also read as a space
//! ```

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexSet};
use toml::de::DeTable;

use super::{Wrong, place, string};

/// A kind of possible attacks.
#[derive(Clone, Debug)]
pub struct Kind {
    /// The name for `--attack`, and in JSON.
    pub name: Cow<'static, str>,
    /// The name in reports.
    pub title: Cow<'static, str>,
    /// The pattern, if the user defines this kind.
    pattern: String,
}

/// The kinds that `pct` knows. The number of a kind is its index in [`Kinds::all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltIn {
    /// A `..` between separators after all layers are decoded.
    Traversal,
    /// An escape that decodes to a part of another escape, as in `%2541`.
    Double,
    /// An overlong form of UTF-8, such as `%C0%AF` for `/`.
    Overlong,
    /// A NUL after all layers are decoded.
    Nul,
    /// Any other control character after all layers are decoded.
    Control,
    /// `%2F` or `%5C` before the query. Some programs decode these escapes before they split the path into segments,
    /// and others after the split. So the programs see different paths.
    Separator,
    /// U+FEFF, escaped or not. Some programs drop it, so a filter in front of such a program sees a different text than
    /// the program.
    ByteOrderMark,
}

impl BuiltIn {
    /// The number of these kinds.
    pub const ALL: usize = BUILT_IN.len();
}

const BUILT_IN: [(&str, &str); 7] = [
    ("traversal", "path traversal"),
    ("double_encoding", "double encoding"),
    ("overlong_utf8", "overlong UTF-8"),
    ("nul", "NUL byte"),
    ("control", "control byte"),
    ("encoded_separator", "encoded separator"),
    ("byte_order_mark", "U+FEFF in a URL"),
];

/// The maximum number of kinds. Each kind is a bit of a `u64`.
const MOST: usize = 64;

/// The table of kinds.
pub struct Kinds {
    pub all: Vec<Kind>,
    /// The patterns of the user's kinds, if there are any.
    patterns: Option<&'static RegexSet>,
}

impl Kinds {
    /// Returns the table. If the file of the user's formats is wrong, the user's kinds are missing; [`super::check`] returns the error.
    pub fn get() -> &'static Kinds {
        static KINDS: OnceLock<Kinds> = OnceLock::new();
        KINDS.get_or_init(|| {
            let kind = |(name, title): (&'static str, &'static str)| Kind {
                name: name.into(),
                title: title.into(),
                pattern: String::new(),
            };
            let (users, patterns) = super::all().map_or((&[][..], None), |file| (&file.attacks, Some(&file.patterns)));
            Kinds {
                all: BUILT_IN.into_iter().map(kind).chain(users.iter().cloned()).collect(),
                patterns: patterns.filter(|patterns| !patterns.is_empty()),
            }
        })
    }

    /// Returns the bit of the kind called `name`, or all bits for `all`.
    pub fn bit(&self, name: &str) -> Option<u64> {
        if name == "all" {
            return Some(u64::MAX);
        }
        self.all.iter().position(|kind| kind.name == name).map(|at| 1 << at)
    }

    /// Returns the kinds whose bits are set.
    pub fn of(&self, bits: u64) -> impl Iterator<Item = &Kind> {
        self.all.iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1).map(|(_, kind)| kind)
    }

    /// Returns true if the user defines kinds.
    pub fn has_users(&self) -> bool {
        self.patterns.is_some()
    }

    /// Calls `each` with the index of each kind that the user defines and whose pattern matches `text`. `text` is a value whose
    /// layers are all decoded.
    pub fn each_match(&self, text: &[u8], mut each: impl FnMut(usize)) {
        if let Some(patterns) = self.patterns {
            patterns.matches(text).iter().for_each(|at| each(BUILT_IN.len() + at));
        }
    }
}

/// Returns the patterns of all `kinds`. Each pattern is small enough by itself, but all of them together may be too large.
pub(super) fn patterns(kinds: &[Kind]) -> Result<RegexSet, String> {
    let patterns = RegexSet::new(kinds.iter().map(|kind| &kind.pattern));
    patterns
        .map_err(|error| format!("the patterns of all kinds of attacks together are wrong, use shorter ones: {error}"))
}

const KEYS: [&str; 3] = ["name", "help", "pattern"];

/// Reads a kind of attack that the user defines. `others` are the kinds before it.
pub(super) fn parse(table: &DeTable, span: Range<usize>, others: &[Kind]) -> Result<Kind, Wrong> {
    if let Some((key, _)) = table.iter().find(|(key, _)| !KEYS.contains(&&**key.get_ref())) {
        let keys = KEYS.join(", ");
        return Err((key.span().start, format!("unknown key `{}`; a kind of attack has {keys}", key.get_ref())));
    }
    let text = |key: &str| {
        string(table, key)?.ok_or_else(|| (span.start, format!("this kind of attack has no {key}; add {key} = '...'")))
    };
    let (name, pattern) = (text("name")?, text("pattern")?);
    let at = place(table, "name", &span);
    if name.is_empty() || !name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-')) {
        return Err((at, format!("`{name}` is no name for a kind of attack; use a to z, 0 to 9, _ and -")));
    }
    if name == "all" || BUILT_IN.iter().any(|(there, _)| *there == name) || others.iter().any(|kind| kind.name == name)
    {
        return Err((at, format!("there is a kind of attack `{name}`; choose another name")));
    }
    if BUILT_IN.len() + others.len() == MOST {
        return Err((at, format!("this is too much; there can be {} kinds of attacks", MOST - BUILT_IN.len())));
    }
    if let Err(error) = Regex::new(&pattern) {
        let error = error.to_string();
        let what = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
        return Err((place(table, "pattern", &span), format!("this pattern is wrong: {what}")));
    }
    let title = string(table, "help")?.unwrap_or_else(|| name.clone());
    Ok(Kind { name: name.into(), title: title.into(), pattern })
}
