//! Turns a link that people paste into a link that works. It does so only if the link can be read in one way.
//!
//! The work has three steps, each in linear time:
//!
//! 1. `layout.rs` removes the text around the link, and the line breaks inside it. So the later steps see whole
//!    escapes.
//! 2. The link is split as in RFC 3986 Appendix B. `parts.rs` rewrites each component separately, so no change can move
//!    a delimiter.
//! 3. `changes.rs` maps the ranges of step 2 back to the input, and reports the changes of all steps in order.
//!
//! If lines are joined, the joined text needs memory. All other text is read from the link, as often as necessary.

mod changes;
mod kind;
mod layout;
mod parts;
mod shape;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use memchr::memchr2;
use percent_simd::OutputTooSmall;

use self::changes::Changes;
pub use self::kind::RepairKind;
use self::layout::{Cuts, Inner};
use self::shape::Shape;
use super::{Uri, UriError};
use crate::memory;
use crate::output::Output;

/// Repairs a link, with all kinds of repairs. This is [`Repairer::repair`] without options.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{RepairKind, repair};
///
/// let repaired = repair(" <http://h/a b/100%?q=é&amp;x=[1]> ");
/// assert_eq!(repaired.text, "http://h/a%20b/100%25?q=%C3%A9&x=%5B1%5D");
/// assert_eq!((repaired.changes[1].range.clone(), repaired.changes[1].kind), (12..13, RepairKind::Space));
/// assert_eq!(repair("http://h/a%20b").changes, []);
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[must_use]
pub fn repair(link: &str) -> Repaired<'_> {
    Repairer::new().repair(link)
}

/// A link and its repairs. Created by [`Repairer::repair`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired<'a> {
    /// The repaired link. If no repair was made, it is borrowed.
    pub text: Cow<'a, str>,
    /// The repairs, in the order in which they start. If `text` equals the input, there are none.
    pub changes: Vec<Change>,
}

impl Repaired<'_> {
    /// Checks the repaired `text` by the grammar of RFC 3986. Returns the first fault, with its offset in `text`.
    ///
    /// Some faults are never repaired, for example a space in a host. [`lint`](super::lint) lists all findings.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::repair;
    /// assert_eq!(repair("http://a/b c").fault(), None);
    /// assert_eq!(repair("http://a b/c").fault().unwrap().offset, 8);
    /// ```
    #[must_use]
    pub fn fault(&self) -> Option<UriError> {
        Uri::parse(&self.text).err()
    }
}

/// A repair of one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Change {
    /// The replaced text, as a range of bytes of the input.
    ///
    /// If a line break was removed inside the replaced text, the range includes the line break.
    pub range: Range<usize>,
    /// The kind of repair.
    pub kind: RepairKind,
}

impl Change {
    /// Returns the reason for the repair, as one clause.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        self.kind.reason()
    }
}

/// Repairs links that people paste, for example links with spaces, line breaks, raw letters or a bare `%`.
///
/// It repairs only faults that can be repaired in one way. Other faults stay, and [`Repaired::fault`] finds them.
///
/// - Text that a URI may contain isn't changed. So a valid URI is returned as it is. There are two exceptions: the
///   kinds [`Entity`](RepairKind::Entity) and [`DoubleEncoded`](RepairKind::DoubleEncoded) also repair valid text.
/// - A host is only converted to Punycode, or put in the brackets of an IPv6 address. So a space in a host stays. Browsers
///   that read a host before the repair read the same host after it.
/// - No repair creates a delimiter of components. The only exception is a backslash, which becomes the slash that
///   browsers read.
/// - No repair adds a host, a component, a segment or a dot segment. This also holds for programs that read `\` as a
///   slash, or that decode a path before they split it. If a repair would add one, as in `/%u002E%u002E/`, only the
///   surroundings are repaired.
/// - A missing slash, a wrong scheme or a missing scheme isn't guessed.
/// - Repairing a second time has no effect.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{RepairKind, Repairer};
///
/// const REPAIRER: Repairer = Repairer::new().without(RepairKind::NonAscii);
/// assert_eq!(REPAIRER.repair("/é b").text, "/é%20b");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Repairer {
    /// A bit for each kind.
    kinds: u16,
}

impl Default for Repairer {
    fn default() -> Repairer {
        Repairer::new()
    }
}

impl Repairer {
    /// Creates a repairer with all kinds of repairs.
    #[must_use]
    pub const fn new() -> Repairer {
        Repairer { kinds: u16::MAX }
    }

    /// Creates a repairer without any kind of repair. Use [`with`](Self::with) to add kinds.
    #[must_use]
    pub const fn none() -> Repairer {
        Repairer { kinds: 0 }
    }

    /// Also repairs faults of this kind.
    #[must_use]
    pub const fn with(self, kind: RepairKind) -> Repairer {
        Repairer { kinds: self.kinds | 1 << kind as u16 }
    }

    /// Leaves faults of this kind as they are.
    #[must_use]
    pub const fn without(self, kind: RepairKind) -> Repairer {
        Repairer { kinds: self.kinds & !(1 << kind as u16) }
    }

    /// Returns true if faults of this kind are repaired.
    #[must_use]
    pub const fn has(self, kind: RepairKind) -> bool {
        self.kinds >> kind as u16 & 1 != 0
    }

    /// Repairs the link.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Repairer;
    ///
    /// let repaired = Repairer::new().repair("http:\\\\h\\a%u4E2D?q=caf%25C3%25A9");
    /// assert_eq!(repaired.text, "http://h/a%E4%B8%AD?q=caf%C3%A9");
    /// let changes: Vec<_> = repaired.changes.iter().map(|change| (change.range.clone(), change.kind.name())).collect();
    /// assert_eq!(changes[..3], [(5..7, "backslash"), (8..9, "backslash"), (10..16, "u-escape")]);
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated. With the feature `idna`, and a host above ASCII, the process may end
    /// instead if not even a few KiB can be allocated.
    #[must_use]
    pub fn repair<'a>(&self, link: &'a str) -> Repaired<'a> {
        #[cfg(feature = "idna")]
        let to_ascii = |host: &str| {
            super::idn::to_dns_name(host)
                .filter(|name| !super::hosts::ends_in_number(name.as_bytes()))
                .map(memory::owned)
        };
        #[cfg(not(feature = "idna"))]
        let to_ascii = |_: &str| None;
        self.repair_with(link, to_ascii)
    }

    /// Repairs the link. `to_ascii` converts a host with characters above ASCII to Punycode.
    ///
    /// Use this if your program has its own IDNA. If `to_ascii` returns `None`, the host stays. `to_ascii` is called at
    /// most once. If the host has escapes or is in brackets, it isn't called.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Repairer;
    ///
    /// let repaired = Repairer::new().repair_with("http://ü/a b", |host| (host == "ü").then(|| "xn--tda".into()));
    /// assert_eq!(repaired.text, "http://xn--tda/a%20b");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn repair_with<'a>(&self, link: &'a str, to_ascii: impl FnOnce(&str) -> Option<String>) -> Repaired<'a> {
        let layout = Layout::of(*self, link);
        let mut joined = Cow::Borrowed(layout.inner);
        if let Some(len) = layout.joined_len() {
            let mut text = memory::string(len);
            layout.cuts().joined().for_each(|piece| text.push_str(piece));
            joined = Cow::Owned(text);
        }
        let mut owned = Owned { text: memory::string(joined.len()), changes: Vec::new() };
        let mut to_ascii = Some(to_ascii);
        let mut to_ascii = |host: &str| to_ascii.take()?(host);
        let text = match layout.repair(*self, &joined, &mut to_ascii, &mut owned) {
            Outcome::Repaired => Cow::Owned(owned.text),
            Outcome::Joined => joined,
            Outcome::Unjoined => Cow::Borrowed(layout.inner),
        };
        Repaired { text, changes: owned.changes }
    }

    /// Writes the repaired link to the start of `out`, and passes each change to `on_change`. Doesn't allocate.
    ///
    /// A host above ASCII stays, because its conversion would need an allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Repairer;
    ///
    /// let mut out = [0; 64];
    /// let mut ranges = Vec::new();
    /// let text = Repairer::new().repair_slice("http://h/a b/100%", &mut out, |change| ranges.push(change.range))?;
    /// assert_eq!((text, ranges), ("http://h/a%20b/100%25", vec![10..11, 16..17]));
    /// # Ok::<(), percent_simd::OutputTooSmall>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `out` is too small, returns an error with a sufficient length. Without line breaks in the link, this is the
    /// length of the result. With line breaks, it can be up to four times the length of `link`. After an error, the
    /// contents of `out` are unspecified, and `on_change` may have been called.
    pub fn repair_slice<'o>(
        &self,
        link: &str,
        out: &'o mut [u8],
        on_change: impl FnMut(Change),
    ) -> Result<&'o str, OutputTooSmall> {
        let layout = Layout::of(*self, link);
        // The result is at the start of `out`, and the joined lines are at its end.
        let len = layout.joined_len();
        let memory = len.unwrap_or(0);
        // The result has at most `3 * memory` bytes, because each byte of the joined lines becomes at most a triplet.
        // But if the lines can't be joined, the result is `inner` without any repair. The joined lines take `memory`
        // bytes more.
        let most = memory.saturating_mul(3).max(layout.inner.len()).saturating_add(memory);
        let most = OutputTooSmall::new(most);
        let end = out.len().checked_sub(memory).ok_or(most)?;
        let (text, lines) = out.split_at_mut_checked(end).ok_or(most)?;
        let mut joined = layout.inner;
        if len.is_some() {
            let mut lines = Output::new(lines);
            layout.cuts().joined().for_each(|piece| lines.push(piece));
            joined = str::from_utf8(lines.finish()?.0).unwrap_or_default();
        }
        let mut slice = Slice { text: Output::new(text), on_change };
        layout.repair(*self, joined, &mut |_| None, &mut slice);
        match slice.text.finish() {
            Ok((text, _)) => Ok(str::from_utf8(text).unwrap_or_default()),
            Err(error) => Err(OutputTooSmall::new(error.needed.saturating_add(memory))),
        }
    }
}

/// A link without its surroundings, and the line breaks in this link.
struct Layout<'a> {
    len: usize,
    inner: &'a str,
    /// The range of `inner` in the input.
    bounds: Range<usize>,
    /// The kind of repair that removed the text before `inner`, and the kind that removed the text after it.
    around: [RepairKind; 2],
    /// The line breaks. If a line break must stay, this is `None`, and no other fault is repaired.
    cuts: Option<Cuts<'a>>,
}

/// The text that the result has, and the changes that led to it.
enum Outcome {
    /// The result is the joined link, repaired.
    Repaired,
    /// The result is the joined link, which needed no repair.
    Joined,
    /// The result is the link with all its line breaks and faults.
    Unjoined,
}

impl<'a> Layout<'a> {
    fn of(repairer: Repairer, link: &'a str) -> Layout<'a> {
        let Inner { link: inner, bounds, around } = Inner::of(repairer, link);
        Layout { len: link.len(), inner, bounds, around, cuts: Cuts::of(repairer, inner) }
    }

    /// Returns the cuts. If a line break must stay, returns no cuts.
    fn cuts(&self) -> Cuts<'a> {
        self.cuts.clone().unwrap_or(Cuts::none(self.inner))
    }

    /// Returns the length of the joined link. If the link has no cuts, returns `None`.
    fn joined_len(&self) -> Option<usize> {
        let cuts = self.cuts();
        (!cuts.is_empty()).then(|| self.inner.len() - cuts.map(|cut| cut.removed()).sum::<usize>())
    }

    /// Returns true if the link and the repaired link have the same [`Shape`].
    fn is_kept(&self, repairer: Repairer, cuts: &Cuts<'a>, joined: &str) -> bool {
        // If there are no cuts, no `\` and no `%`, repairs only encode bytes that aren't separators, so the shape stays
        // the same.
        if cuts.is_empty() && memchr2(b'\\', b'%', self.inner.as_bytes()).is_none() {
            return true;
        }
        // In `http://h\a`, programs that follow RFC 3986 3.2 read all of `h\a` as the authority. So no line break in
        // the authority may be removed.
        Uri::split(self.inner).authority == Uri::split(joined).authority
            && Shape::is_kept(self.inner, |after| {
                let mut changes = Changes::new(self.bounds.start, cuts.clone());
                // The brackets of an IPv6 address change the host.
                parts::repair(repairer.without(RepairKind::Ipv6), joined, &mut |_| None, after, &mut changes);
            })
    }

    /// Passes the text and the changes to the sink. `joined` is the link after the cuts were made.
    fn repair(&self, repairer: Repairer, joined: &str, to_ascii: &mut ToAscii<'_>, sink: &mut dyn Sink) -> Outcome {
        let is_certain = |cuts: &Cuts<'a>| Inner::is_bare(repairer, joined) && self.is_kept(repairer, cuts, joined);
        let cuts = self.cuts.clone().filter(is_certain);
        if self.bounds.start > 0 {
            sink.change(Change { range: 0..self.bounds.start, kind: self.around[0] });
        }
        let outcome = match cuts {
            None => {
                sink.text(self.inner);
                Outcome::Unjoined
            }
            Some(cuts) => {
                let mut changes = Changes::new(self.bounds.start, cuts);
                let is_repaired = parts::repair(repairer, joined, to_ascii, sink, &mut changes);
                changes.finish(sink);
                if is_repaired { Outcome::Repaired } else { Outcome::Joined }
            }
        };
        if self.bounds.end < self.len {
            sink.change(Change { range: self.bounds.end..self.len, kind: self.around[1] });
        }
        outcome
    }
}

/// Converts a host to Punycode.
type ToAscii<'f> = dyn FnMut(&str) -> Option<String> + 'f;

/// Gets the text of the result piece by piece, and the changes in their order. We use each implementation as
/// `dyn Sink`, so that the repairs are compiled only once.
trait Sink {
    fn text(&mut self, text: &str);
    fn change(&mut self, change: Change);
}

struct Owned {
    text: String,
    changes: Vec<Change>,
}

impl Sink for Owned {
    fn text(&mut self, text: &str) {
        memory::push_str(&mut self.text, text);
    }

    fn change(&mut self, change: Change) {
        memory::push(&mut self.changes, change);
    }
}

struct Slice<'o, F> {
    text: Output<'o>,
    on_change: F,
}

impl<F: FnMut(Change)> Sink for Slice<'_, F> {
    fn text(&mut self, text: &str) {
        self.text.push(text);
    }

    fn change(&mut self, change: Change) {
        (self.on_change)(change);
    }
}

impl fmt::Display for RepairKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
