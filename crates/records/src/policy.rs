//! Policies for values that are in error.

/// A policy for malformed values. Each option accepts those that it can carry out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// It stays as it is written.
    #[default]
    Keep,
    /// It comes out, decoded.
    Raw,
    /// U+FFFD takes its place.
    Replace,
    /// Its record is left out.
    Skip,
    /// The job ends there.
    Fail,
}

const NAMES: [(&str, Policy); 5] = [
    ("keep", Policy::Keep),
    ("raw", Policy::Raw),
    ("replace", Policy::Replace),
    ("skip", Policy::Skip),
    ("fail", Policy::Fail),
];

fn parse(text: &str, allowed: &[Policy]) -> Result<Policy, String> {
    let mut names = NAMES.iter().filter(|(_, policy)| allowed.contains(policy));
    let found = names.clone().find(|(name, _)| *name == text).map(|(_, policy)| *policy);
    found.ok_or_else(|| {
        let all: Vec<&str> = names.by_ref().map(|(name, _)| *name).collect();
        format!("there is no policy of that name; there are {}", all.join(", "))
    })
}

/// The policies for a `%` that starts no escape.
///
/// # Errors
///
/// A message that names them.
pub fn for_escapes(text: &str) -> Result<Policy, String> {
    parse(text, &[Policy::Keep, Policy::Replace, Policy::Skip, Policy::Fail])
}

/// The policies for escapes that decode to what is not UTF-8.
///
/// # Errors
///
/// A message that names them.
pub fn for_utf8(text: &str) -> Result<Policy, String> {
    parse(text, &[Policy::Keep, Policy::Raw, Policy::Replace, Policy::Skip, Policy::Fail])
}

/// The policies for values that a verb can do nothing about.
///
/// # Errors
///
/// A message that names them.
pub fn for_values(text: &str) -> Result<Policy, String> {
    parse(text, &[Policy::Keep, Policy::Skip, Policy::Fail])
}
