//! Lists the faults of a text, each kind with its own limit. So a thousand faults of one kind hide no fault of another kind.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use percent_standards::uri::{FindingKind, lint};

use crate::units::Units;

/// The number of kinds that the output counts.
const KINDS: usize = FindingKind::ALL.len();

/// Lists the faults of `text`. The output has the count of each kind, in the order of [`FindingKind`]. At most `max` findings of
/// each kind follow, in the order of the text: offset and length in UTF-16, and the kind. All numbers have 32 bits.
pub fn findings(text: &str, max: usize) -> Vec<u8> {
    let mut counts = [0_u32; KINDS];
    let mut found = Vec::new();
    let mut units = Units::of(text);
    for finding in lint(text) {
        let kind = finding.kind as usize;
        let Some(count) = counts.get_mut(kind) else { continue };
        *count += 1;
        if *count as usize > max {
            continue;
        }
        // A finding of a host can overlap the findings after it, but it never starts after one of them. So the offsets
        // ascend.
        let start = units.at(finding.offset);
        let len = Units::of(&text[finding.offset..]).at(finding.len);
        found.extend([start, len, kind as u32]);
    }
    counts.into_iter().chain(found).flat_map(u32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    fn words(text: &str, max: usize) -> Vec<u32> {
        findings(text, max).chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    }

    /// RFC 3986 2.1, 7.6: the offsets are in UTF-16.
    #[test]
    fn findings_have_offsets_in_utf16() {
        let found = words("//google.com@h/😀%zz", 9);
        let (counts, found) = found.split_at(KINDS);
        assert_eq!(counts[FindingKind::HostInUserinfo as usize], 1);
        assert_eq!(counts.iter().sum::<u32>(), 3);
        assert_eq!(
            found,
            [
                [2, 10, FindingKind::HostInUserinfo as u32],
                [15, 2, FindingKind::Illegal as u32],
                [17, 1, FindingKind::Malformed as u32]
            ]
            .concat()
        );
    }

    #[test]
    fn each_kind_has_its_own_limit() {
        let found = words(&format!("{}%E2%80%AE", "%zz".repeat(500)), 5);
        let (counts, found) = found.split_at(KINDS);
        assert_eq!((counts[FindingKind::Malformed as usize], counts[FindingKind::Bidi as usize]), (500, 1));
        assert_eq!(found.len(), 3 * 6);
        assert_eq!(found[15..], [1500, 9, FindingKind::Bidi as u32]);
    }
}
