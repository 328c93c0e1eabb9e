//! Repairs a link, and describes the repairs as text.
#![forbid(unsafe_code)]

use alloc::borrow::ToOwned;
use alloc::string::String;

use percent_standards::uri::{RepairKind, Repairer};

use crate::units::Units;

/// Repairs a link. The first line of the input is the ASCII form of the host, or empty if the caller doesn't know this
/// form. The link follows after this line. `kinds` has a bit for each kind of repair, in the order of
/// [`RepairKind::ALL`].
///
/// If the host needs an ASCII form, the first line of the output is the host. Otherwise the first line is empty. After
/// the first line, each change has a line: its offset and length in UTF-16, its kind and its reason, separated by tabs.
/// After an empty line, the repaired link follows.
///
/// The module has no tables for host names. So if the output has a host, the caller converts it to ASCII and calls
/// again.
pub fn repair(input: &str, kinds: u32) -> String {
    let (ascii, link) = input.split_once('\n').unwrap_or(("", input));
    let chosen = RepairKind::ALL.iter().enumerate().filter(|(bit, _)| kinds >> bit & 1 != 0);
    let repairer = chosen.fold(Repairer::none(), |repairer, (_, &kind)| repairer.with(kind));
    let mut out = String::new();
    let repaired = repairer.repair_with(link, |host| match ascii {
        "" => {
            out.push_str(host);
            None
        }
        ascii => Some(ascii.to_owned()),
    });
    out.push('\n');
    let mut units = Units::of(link);
    for change in &repaired.changes {
        push_number(units.at(change.range.start), &mut out);
        out.push('\t');
        push_number(Units::of(&link[change.range.start..]).at(change.range.len()), &mut out);
        for field in [change.kind.name(), change.reason()] {
            out.push('\t');
            out.push_str(field);
        }
        out.push('\n');
    }
    out.push('\n');
    out.push_str(&repaired.text);
    out
}

/// Appends a number. The module leaves out `core`'s formatting of text, so this function writes the digits itself.
fn push_number(number: u32, out: &mut String) {
    if number > 9 {
        push_number(number / 10, out);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repairs_are_described_as_text() {
        assert_eq!(repair("\n/ok", u32::MAX), "\n\n/ok");
        assert_eq!(
            repair("\n/é b", u32::MAX),
            "\n1\t1\tnon-ascii\ta URI contains only ASCII\n2\t1\tspace\ta URI contains no space\n\n/%C3%A9%20b"
        );
        assert_eq!(repair("\n/é b", 0), "\n\n/é b");
        assert!(repair("\nhttp://ü/", u32::MAX).starts_with("ü\n"));
        assert!(repair("xn--tda\nhttp://ü/", u32::MAX).ends_with("\n\nhttp://xn--tda/"));
    }
}
