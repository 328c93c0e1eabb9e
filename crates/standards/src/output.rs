//! Text that is written to the caller's buffer. If it doesn't fit, it is only measured.

use core::fmt;

use percent_simd::OutputTooSmall;

/// Writes text to the start of a buffer. If the text doesn't fit, only counts its length.
pub(crate) struct Output<'o> {
    out: &'o mut [u8],
    len: usize,
}

impl<'o> Output<'o> {
    pub(crate) const fn new(out: &'o mut [u8]) -> Output<'o> {
        Output { out, len: 0 }
    }

    pub(crate) fn push(&mut self, text: &str) {
        if let Some(to) = self.out.get_mut(self.len..).and_then(|rest| rest.get_mut(..text.len())) {
            to.copy_from_slice(text.as_bytes());
        }
        self.len = self.len.saturating_add(text.len());
    }

    /// Returns the text, and the rest of the buffer. If the text doesn't fit, returns an error with the length of the
    /// text.
    pub(crate) fn finish(self) -> Result<(&'o mut [u8], &'o mut [u8]), OutputTooSmall> {
        self.out.split_at_mut_checked(self.len).ok_or(OutputTooSmall::new(self.len))
    }
}

impl fmt::Write for Output<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}
