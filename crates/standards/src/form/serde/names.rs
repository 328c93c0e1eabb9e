//! Splits decoded names at their brackets. `a[b][]` is split into the key `a`, the key `b`, and a new element.
//!
//! [`Brackets`] has a table of the dialects.

use core::ops::Range;

use alloc::vec::Vec;

use super::config::{Brackets, Dialect};
use super::error::SerdeError;
use super::field::Part;
use crate::memory;

/// A step from a structure to one of its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A key, as a range of the decoded name.
    Key(Range<usize>),
    /// A new element of a sequence, written `[]`.
    New,
}

/// Why a name can't be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameError {
    TooDeep,
    Unclosed,
    TextAfterBracket,
    NewInside,
}

impl NameError {
    pub(super) const fn message(self) -> &'static str {
        match self {
            NameError::TooDeep => "the name has more brackets than the limit",
            NameError::Unclosed => "a `[` of the name has no `]`",
            NameError::TextAfterBracket => "text follows a `]` of the name",
            NameError::NewInside => "`[]` must be at the end of the name; number the elements",
        }
    }
}

/// Splits `name` into `steps`. Each step has the offset of its end in the name. If the pair must be skipped, `steps` is
/// empty.
pub(super) fn split(name: &[u8], brackets: Brackets, steps: &mut Vec<(Step, usize)>) -> Result<(), NameError> {
    steps.clear();
    let skipped = usize::from(brackets.dialect != Dialect::Php);
    let first = match name.get(skipped..).and_then(|rest| memchr::memchr(b'[', rest)) {
        Some(at) => at + skipped,
        None => name.len(),
    };
    if first == 0 && brackets.dialect != Dialect::SerdeQs {
        return Ok(());
    }
    if brackets.dialect == Dialect::Rails && &name[first..] == b"[" {
        memory::push(steps, (Step::Key(0..name.len()), name.len()));
        return Ok(());
    }
    memory::push(steps, (Step::Key(0..first), first));
    let mut at = first;
    while at < name.len() {
        if steps.len() > usize::from(brackets.depth) {
            return Err(NameError::TooDeep);
        }
        let (step, end) = match (next_step(name, at, brackets.dialect)?, brackets.dialect) {
            (Some(found), _) => found,
            // PHP ignores the text that follows the last bracket. For Rack this text is a key.
            (None, Dialect::Rails) => (Step::Key(at..name.len()), name.len()),
            (None, _) => break,
        };
        if step == Step::New && end < name.len() && brackets.dialect == Dialect::SerdeQs {
            return Err(NameError::NewInside);
        }
        memory::push(steps, (step, end));
        at = end;
    }
    Ok(())
}

/// Returns the step of the bracket at `at`, and the offset after the bracket. If there is no closed bracket at `at`,
/// returns `None`. But by the rules of `serde_qs`, this is an error.
fn next_step(name: &[u8], at: usize, dialect: Dialect) -> Result<Option<(Step, usize)>, NameError> {
    let is_strict = dialect == Dialect::SerdeQs;
    if name[at] != b'[' {
        return if is_strict { Err(NameError::TextAfterBracket) } else { Ok(None) };
    }
    let start = at + 1;
    let Some(len) = memchr::memchr(b']', &name[start..]) else {
        return if is_strict { Err(NameError::Unclosed) } else { Ok(None) };
    };
    let (key, end) = (start..start + len, start + len + 1);
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let is_new = match &name[key.clone()] {
        [] => true,
        [byte] => dialect == Dialect::Php && is_blank(byte),
        _ => false,
    };
    if is_new {
        return Ok(Some((Step::New, end)));
    }
    if dialect == Dialect::Rails && &name[end..] == b"[" {
        return Ok(Some((Step::Key(at..name.len()), name.len())));
    }
    Ok(Some((Step::Key(key), end)))
}

/// Changes a name in the way that PHP does before it splits the name. Removes spaces at the start. In the text before
/// the first bracket, each space and each `.` becomes `_`. If the first bracket isn't closed, each space, `.` and `[`
/// in the whole name becomes `_`.
pub(super) fn php_name(name: &mut Part<'_>) {
    let bytes = name.bytes();
    let start = bytes.iter().position(|&byte| byte != b' ').unwrap_or(bytes.len());
    let bracket = memchr::memchr(b'[', &bytes[start..]).map_or(bytes.len(), |at| start + at);
    let is_closed = memchr::memchr(b']', &bytes[bracket..]).is_some();
    let end = match bracket {
        at if at == start => start, // `[a]` is skipped, even if it isn't closed
        at if is_closed => at,
        _ => bytes.len(),
    };
    let changes = |byte: &u8| matches!(byte, b' ' | b'.' | b'[');
    if start == 0 && !bytes[..end].iter().any(changes) {
        return;
    }
    let mut changed = memory::copy(&bytes[start..]);
    for byte in &mut changed[..end - start] {
        if changes(byte) {
            *byte = b'_';
        }
    }
    *name = Part::owned(changed);
}

/// Checks that a reader with these `brackets` would not change `name`, which is written without brackets.
pub(super) fn check_key(name: &[u8], brackets: Brackets) -> Result<(), SerdeError> {
    let is_wrong = match brackets.dialect {
        Dialect::Off => false,
        Dialect::Php => name.is_empty() || name.iter().any(|byte| b"[ .".contains(byte)),
        Dialect::Rails | Dialect::SerdeQs => name.is_empty() || name.contains(&b'['),
    };
    if is_wrong { Err(unwritable(name)) } else { Ok(()) }
}

/// Checks that a reader with these `brackets` would not change `name`, which is written between brackets.
pub(super) fn check_member(name: &[u8], brackets: Brackets) -> Result<(), SerdeError> {
    let is_blank = brackets.dialect == Dialect::Php && matches!(name, [b' ' | b'\t'..=b'\r']);
    if name.is_empty() || is_blank || name.contains(&b']') { Err(unwritable(name)) } else { Ok(()) }
}

#[cold]
fn unwritable(name: &[u8]) -> SerdeError {
    SerdeError::message("this name would be read as another name, because brackets have a meaning").within(name)
}

/// Returns the key as a number. If it isn't a number, or has a leading zero, returns `None`.
pub(super) fn index(key: &[u8]) -> Option<u64> {
    if key.len() > 1 && key.starts_with(b"0") || !key.iter().all(u8::is_ascii_digit) {
        return None;
    }
    str::from_utf8(key).ok()?.parse().ok()
}
