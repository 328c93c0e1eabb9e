//! Policies for malformed values.

/// A policy for malformed values. Each option of `pct` accepts some of the policies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The malformed text stays as it was written.
    #[default]
    Keep,
    /// Escapes are decoded even if the result is invalid UTF-8.
    Raw,
    /// U+FFFD replaces the malformed text.
    Replace,
    /// The record is left out.
    Skip,
    /// The job stops.
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

/// Parses a policy for malformed escapes.
///
/// # Errors
///
/// Returns a message with the accepted names.
pub fn for_escapes(text: &str) -> Result<Policy, String> {
    parse(text, &[Policy::Keep, Policy::Replace, Policy::Skip, Policy::Fail])
}

/// Parses a policy for escapes that decode to invalid UTF-8.
///
/// # Errors
///
/// Returns a message with the accepted names.
pub fn for_utf8(text: &str) -> Result<Policy, String> {
    parse(text, &[Policy::Keep, Policy::Raw, Policy::Replace, Policy::Skip, Policy::Fail])
}

/// Parses a policy for values that a verb can't convert.
///
/// # Errors
///
/// Returns a message with the accepted names.
pub fn for_values(text: &str) -> Result<Policy, String> {
    parse(text, &[Policy::Keep, Policy::Skip, Policy::Fail])
}
