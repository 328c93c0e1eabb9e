//! Repairs links that people paste.

use core::ffi::c_char;
use core::ptr;
use core::str;

use percent_standards::uri::{Change, RepairKind, Repairer};

use crate::memory::{Region, output, write_only};
use crate::pct_status::{self, *};
use crate::{Others, answer_apart, pct_result};

/// Blanks, quotes or angle brackets around the link: removed.
pub const PCT_REPAIR_SURROUNDINGS: u32 = 1;
/// A line break inside the link, with the blanks and quote marks of mail next to it: removed.
pub const PCT_REPAIR_LINE_BREAK: u32 = 2;
/// A space outside the host: encoded.
pub const PCT_REPAIR_SPACE: u32 = 4;
/// A character above ASCII outside the host: encoded.
pub const PCT_REPAIR_NON_ASCII: u32 = 8;
/// A "%" that starts no triplet: encoded.
pub const PCT_REPAIR_PERCENT: u32 = 16;
/// A bracket outside the host: encoded.
pub const PCT_REPAIR_BRACKET: u32 = 32;
/// Another character that must be encoded in a URI: encoded.
pub const PCT_REPAIR_ILLEGAL: u32 = 64;
/// "%u4E2D": replaced by the triplets of the character.
pub const PCT_REPAIR_U_ESCAPE: u32 = 128;
/// "&amp;" in a query: replaced by "&".
pub const PCT_REPAIR_ENTITY: u32 = 256;
/// A backslash that browsers read as a slash: replaced by "/".
pub const PCT_REPAIR_BACKSLASH: u32 = 512;
/// A path, query or fragment that was certainly encoded twice: one layer of triplets is removed.
pub const PCT_REPAIR_DOUBLE_ENCODED: u32 = 1024;
/// Brackets, quotes and punctuation marks of the sentence around the link, such as "(" and ").": removed, if they are
/// certainly not part of the link.
pub const PCT_REPAIR_PUNCTUATION: u32 = 2048;
/// An IPv6 address without brackets: gets them.
pub const PCT_REPAIR_IPV6: u32 = 4096;

/// The kinds of repairs that need no allocation.
const KINDS: [(u32, RepairKind); 13] = [
    (PCT_REPAIR_SURROUNDINGS, RepairKind::Surroundings),
    (PCT_REPAIR_LINE_BREAK, RepairKind::LineBreak),
    (PCT_REPAIR_SPACE, RepairKind::Space),
    (PCT_REPAIR_NON_ASCII, RepairKind::NonAscii),
    (PCT_REPAIR_PERCENT, RepairKind::Percent),
    (PCT_REPAIR_BRACKET, RepairKind::Bracket),
    (PCT_REPAIR_ILLEGAL, RepairKind::Illegal),
    (PCT_REPAIR_U_ESCAPE, RepairKind::UEscape),
    (PCT_REPAIR_ENTITY, RepairKind::Entity),
    (PCT_REPAIR_BACKSLASH, RepairKind::Backslash),
    (PCT_REPAIR_DOUBLE_ENCODED, RepairKind::DoubleEncoded),
    (PCT_REPAIR_PUNCTUATION, RepairKind::Punctuation),
    (PCT_REPAIR_IPV6, RepairKind::Ipv6),
];

/// The length of the longest reason, with its NUL.
const LONGEST_REASON: usize = 64;

/// The reasons of [`KINDS`], each with a NUL at its end.
static REASONS: [[u8; LONGEST_REASON]; KINDS.len()] = {
    let mut reasons = [[0; LONGEST_REASON]; KINDS.len()];
    let mut kind = 0;
    while kind < KINDS.len() {
        let reason = KINDS[kind].1.reason().as_bytes();
        assert!(reason.len() < LONGEST_REASON);
        let mut at = 0;
        while at < reason.len() {
            reasons[kind][at] = reason[at];
            at += 1;
        }
        kind += 1;
    }
    reasons
};

/// A repair of one place.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pct_change {
    /// Offset in the input of the replaced text.
    pub offset: usize,
    /// Length of the replaced text. This includes a line break that was removed inside the text.
    pub len: usize,
    /// The kind of repair: one of the PCT_REPAIR_ constants.
    pub kind: u32,
    /// Always 0.
    pub reserved: u32,
}

/// Repairs a link that people paste, so that it works: with spaces, line breaks, raw letters, a bare "%" and so on.
///
/// Only faults with one remedy are repaired. A valid URI stays as it is, except that PCT_REPAIR_ENTITY and
/// PCT_REPAIR_DOUBLE_ENCODED also repair valid text. The host stays as it is, even if it is not ASCII, unless it is an
/// IPv6 address without brackets. No repair creates a delimiter, except that a backslash becomes the slash that browsers
/// read. If the result is repaired again, it stays as it is.
///
/// `without` has the kinds that are not repaired: 0, or PCT_REPAIR_ constants combined with |. `changes` is null, or has
/// room for `changes_cap` repairs, which are stored in the order of their offsets. `*changes_len` is set to the number
/// of all repairs, even if some of them do not fit. If the status is not PCT_OK, this number is 0; with
/// PCT_OVERLAP, it stays as it is. `changes_len` may be null.
///
/// The call cannot work in place. A `cap` of 4 * len is always sufficient: to join lines, the call needs memory after the
/// result.
///
/// Returns PCT_OK; PCT_NOT_TEXT if the link is not UTF-8, with the offset in `first_error`; PCT_OUTPUT_TOO_SMALL, with
/// `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_repair(
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    without: u32,
    changes: *mut pct_change,
    changes_cap: usize,
    changes_len: *mut usize,
    result: *mut pct_result,
) -> pct_status {
    let mut found = 0;
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        let written = [Region::of(changes, changes_cap), Region::of(changes_len, 1)];
        let others = Others { written, ..Others::NONE };
        let status =
            answer_apart(repairer(without), others, (src, len), (dst, cap), result, |repairer, src, dst, result| {
                let Some(changes) = output(changes, changes_cap) else { return PCT_INVALID_ARGUMENT };
                let link = match str::from_utf8(src) {
                    Ok(link) => link,
                    Err(error) => {
                        result.first_error = error.valid_up_to();
                        return PCT_NOT_TEXT;
                    }
                };
                let store = |change: Change| {
                    if let Some(place) = changes.get_mut(found) {
                        place.write(of(&change));
                    }
                    found += 1;
                };
                // `repair_slice` reads only bytes that it has written.
                match repairer.repair_slice(link, write_only(dst), store) {
                    Ok(text) => {
                        (result.read, result.written) = (src.len(), text.len());
                        result.changed = u8::from(found > 0);
                        PCT_OK
                    }
                    Err(error) => result.set_needed(error.needed),
                }
            });
        if !changes_len.is_null() && status != PCT_OVERLAP {
            changes_len.write(if status == PCT_OK { found } else { 0 });
        }
        status
    }
}

/// Returns the reason for a repair as one clause that ends in NUL, or null if `kind` is not one of the PCT_REPAIR_ constants.
#[unsafe(no_mangle)]
pub extern "C" fn pct_repair_reason(kind: u32) -> *const c_char {
    let mut reasons = KINDS.iter().zip(&REASONS);
    reasons.find(|((flag, _), _)| *flag == kind).map_or(ptr::null(), |(_, reason)| reason.as_ptr().cast())
}

/// Returns the repairer without these kinds, or `None` if a kind is unknown.
fn repairer(without: u32) -> Option<Repairer> {
    let (mut repairer, mut unknown) = (Repairer::new().without(RepairKind::Idn), without);
    for (flag, kind) in KINDS.iter().filter(|(flag, _)| without & flag != 0) {
        repairer = repairer.without(*kind);
        unknown &= !flag;
    }
    (unknown == 0).then_some(repairer)
}

fn of(change: &Change) -> pct_change {
    let kind = KINDS.iter().find(|(_, kind)| *kind == change.kind).map_or(0, |(flag, _)| *flag);
    pct_change { offset: change.range.start, len: change.range.len(), kind, reserved: 0 }
}
