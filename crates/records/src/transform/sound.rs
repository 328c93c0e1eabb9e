//! Keeps some bytes escaped that would be unsafe if they were decoded: invalid UTF-8, controls, and bytes that break a
//! record.

use std::borrow::Cow;

use memchr::memchr;
use percent_simd::internal::PlusState;
use percent_simd::{Decoder, Plus};

use super::{Action, Transform};
use crate::guard::{is_non_ascii_control, non_ascii_controls};
use crate::policy::Policy;

impl Transform {
    /// Returns `text` with a replacement for each malformed `%`.
    pub(super) fn mend<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let strict = Decoder::new().strict();
        let mut mended = Vec::new();
        let mut at = 0;
        // `Normalize` writes a URL, so it replaces a malformed `%` with `%25`, the escape of `%`. The other actions
        // write text, so they replace it with U+FFFD. If bytes above ASCII stay escaped, so does U+FFFD.
        let other = match self.action {
            Action::Normalize => "%25",
            _ if self.guard.keep().contains(0xEF) => "%EF%BF%BD",
            _ => "\u{FFFD}",
        };
        while let Err(error) = strict.check(&text[at..]) {
            mended.extend(&text[at..at + error.offset]);
            mended.extend(other.bytes());
            at += error.offset + 1;
        }
        if at == 0 {
            return Cow::Borrowed(text);
        }
        mended.extend(&text[at..]);
        Cow::Owned(mended)
    }

    /// Returns true if the decoded `bytes` can be written. The bytes must contain no guarded controls. They must also
    /// be UTF-8, unless the policy allows other bytes.
    pub(super) fn is_sound(&self, bytes: &[u8]) -> bool {
        if self.utf8 == Policy::Raw && !self.keep_non_ascii_controls {
            return true;
        }
        let has_controls = |text| self.keep_non_ascii_controls && non_ascii_controls(text).next().is_some();
        match str::from_utf8(bytes) {
            Ok(text) => !has_controls(text),
            Err(_) => self.utf8 == Policy::Raw && !bytes.utf8_chunks().any(|chunk| has_controls(chunk.valid())),
        }
    }

    /// Decodes `text` again, because the bytes of the first decoding weren't [sound](Self::is_sound). This time guarded
    /// controls stay escaped, and invalid UTF-8 stays escaped or is replaced.
    ///
    /// First we decode all layers except the last one, but keep the escapes of non-ASCII bytes. This is safe, because a
    /// non-ASCII byte is never part of another escape. Then we decode the last layer, and check each run of non-ASCII
    /// bytes separately.
    pub(super) fn settle(&self, text: &[u8], out: &mut Vec<u8>) {
        let (text, plus) = match self.layers {
            1 => (Cow::Borrowed(text), self.plus),
            layers => (self.ascii.plus(self.plus).decode_layers(text, layers - 1).bytes, Plus::Never),
        };
        let mut state = PlusState::new(plus);
        let mut at = 0;
        while at < text.len() {
            let (start, end) = high_run(&text, at);
            let ascii = &text[at..start];
            self.decoder.plus(state.plus_for(ascii)).decode_into(ascii, out);
            self.settle_run(&text[start..end], out);
            at = end;
        }
    }

    /// Decodes a run of non-ASCII bytes. In `run`, each byte is either written as it is, or escaped.
    fn settle_run(&self, run: &[u8], out: &mut Vec<u8>) {
        let bytes = self.decoder.decode(run);
        if bytes.iter().any(u8::is_ascii) {
            // The decoder kept some escapes of the run, so we copy the whole run.
            out.extend(run);
            return;
        }
        self.push_bytes(&bytes, run, |rest| if rest.first() == Some(&b'%') { 3 } else { 1 }, out);
    }

    /// Returns `text` with the escapes of the log decoded. The log escapes of guarded characters stay.
    ///
    /// Unless the policy for invalid UTF-8 is `Raw`, we decode only whole characters, so a decoded byte can't form a
    /// character with the bytes next to it.
    pub(super) fn without_log_escapes<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(first) = memchr(b'\\', text) else { return Cow::Borrowed(text) };
        let (before, mut rest) = text.split_at(first);
        let mut out = before.to_vec();
        while !rest.is_empty() {
            let (mut bytes, mut len) = (Vec::new(), 0);
            while let Some((byte, width)) = server_log_escape(&rest[len..]) {
                bytes.push(byte);
                len += width;
            }
            let (run, after) = rest.split_at(len);
            self.push_bytes(&bytes, run, |rest| server_log_escape(rest).map_or(0, |(_, width)| width), &mut out);
            // If a backslash starts no escape, it stays.
            let next = memchr(b'\\', after.get(1..).unwrap_or_default()).map_or(after.len(), |at| at + 1);
            out.extend(&after[..next]);
            rest = &after[next..];
        }
        Cow::Owned(out)
    }

    /// Appends `bytes`. `run` is the text that was decoded to `bytes`. If a byte is guarded, its escape in `run` is
    /// appended instead.
    ///
    /// `width` gets the rest of `run`, and returns the number of bytes that the next decoded byte takes there: the
    /// length of its escape, or 1 if the byte isn't escaped.
    fn push_bytes(&self, bytes: &[u8], run: &[u8], width: impl Fn(&[u8]) -> usize, out: &mut Vec<u8>) {
        let mut rest = run;
        let mut take = |bytes: usize| {
            let len = (0..bytes).fold(0, |len, _| len + width(&rest[len.min(rest.len())..]));
            let (taken, after) = rest.split_at(len.min(rest.len()));
            rest = after;
            taken
        };
        let is_kept = |bytes: &[u8]| bytes.iter().any(|&byte| self.guard.keep().contains(byte));
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                let raw = take(c.len_utf8());
                let mut utf8 = [0; 4];
                let bytes = c.encode_utf8(&mut utf8).as_bytes();
                match is_kept(bytes) || self.keep_non_ascii_controls && is_non_ascii_control(c) {
                    true => out.extend(raw),
                    false => out.extend(bytes),
                }
            }
            let raw = take(chunk.invalid().len());
            match self.utf8 {
                Policy::Replace if !raw.is_empty() => out.extend("\u{FFFD}".bytes()),
                Policy::Raw if !is_kept(chunk.invalid()) => out.extend(chunk.invalid()),
                _ => out.extend(raw),
            }
        }
    }
}

/// Returns the start and end of the next run of non-ASCII bytes at or after `from`. In `text`, each byte of the run is
/// either written as it is, or escaped.
fn high_run(text: &[u8], from: usize) -> (usize, usize) {
    let step = |at: usize| match text.get(at) {
        Some(0x80..) => 1,
        Some(b'%')
            if matches!(text.get(at + 1), Some(b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F'))
                && text.get(at + 2).is_some_and(u8::is_ascii_hexdigit) =>
        {
            3
        }
        _ => 0,
    };
    let start = (from..text.len()).find(|&at| step(at) > 0).unwrap_or(text.len());
    let mut end = start;
    loop {
        match step(end) {
            0 => return (start, end),
            len => end += len,
        }
    }
}

/// If `bytes` starts with a log escape, returns the byte that the escape means, and the length of the escape. Otherwise
/// returns `None`.
///
/// - nginx (`log_format`, `escape=default`) writes `\xHH` for `"`, `\`, 0x00 to 0x1F and 0x7F to 0xFF.
/// - Apache (`mod_log_config`, Format Notes) writes `\xHH` for unprintable bytes, letters for some of these bytes, and
///   `\"` and `\\`.
pub fn server_log_escape(bytes: &[u8]) -> Option<(u8, usize)> {
    let [b'\\', kind, rest @ ..] = bytes else { return None };
    let letter = match kind {
        b'"' | b'\\' => *kind,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'r' => b'\r',
        b'x' => {
            let digit = |at: usize| char::from(*rest.get(at)?).to_digit(16);
            return Some(((digit(0)? * 16 + digit(1)?) as u8, 4));
        }
        _ => return None,
    };
    Some((letter, 2))
}
