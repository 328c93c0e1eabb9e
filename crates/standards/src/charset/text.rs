//! Converts bytes to text, either piece by piece without allocation, or as a whole.

use alloc::borrow::Cow;
use core::convert::Infallible;

use encoding_rs::{DecoderResult, Encoding, mem};

use super::builtin::{Builtin, FROM_IBM037};
use super::{Charset, Kind};
use crate::memory;

/// The maximum number of bytes of text that one step produces.
const ROOM: usize = if cfg!(fuzzing) { 32 } else { 1024 };

/// Converts bytes to text piece by piece. A piece may end in the middle of a character.
pub(super) struct TextDecoder {
    state: State,
    /// The total length of the earlier pieces.
    read: usize,
}

enum State {
    Whatwg(encoding_rs::Decoder),
    Builtin(Builtin),
    /// UTF-32: the first bytes of an incomplete unit, and how many of the four bytes are known.
    Utf32(Builtin, [u8; 4], usize),
}

/// A function that gets the offset of bytes that aren't a character. It returns their replacement, or an error. An
/// error stops the conversion.
pub(super) type OnMalformed<E> = fn(usize) -> Result<&'static str, E>;

/// Stops the conversion with an error, which is the offset of the malformed bytes.
pub(super) fn fail(offset: usize) -> Result<&'static str, usize> {
    Err(offset)
}

/// Replaces the malformed bytes by U+FFFD, so the conversion continues.
pub(super) fn replace(_: usize) -> Result<&'static str, Infallible> {
    Ok("\u{FFFD}")
}

/// Converts all of `bytes` from a builtin charset. If some bytes aren't a character, calls `malformed` with their
/// offset.
pub(super) fn convert<E>(charset: Builtin, bytes: &[u8], malformed: OnMalformed<E>) -> Result<Cow<'_, str>, E> {
    if charset.is_ascii_compatible()
        && bytes.is_ascii()
        && let Ok(text) = str::from_utf8(bytes)
    {
        return Ok(Cow::Borrowed(text));
    }
    let mut text = memory::string(bytes.len());
    let put = |piece: &str| memory::push_str(&mut text, piece);
    TextDecoder::new(Charset(Kind::Builtin(charset))).push(bytes, true, malformed, put)?;
    Ok(Cow::Owned(text))
}

impl TextDecoder {
    pub(super) fn new(charset: Charset) -> TextDecoder {
        let state = match charset.0 {
            Kind::Whatwg(encoding) => State::Whatwg(encoding.new_decoder_without_bom_handling()),
            Kind::Builtin(charset @ (Builtin::Utf32Be | Builtin::Utf32Le)) => State::Utf32(charset, [0; 4], 0),
            Kind::Builtin(charset) => State::Builtin(charset),
        };
        TextDecoder { state, read: 0 }
    }

    /// Passes the text of `bytes`, the next piece, to `put`. If some bytes aren't a character, calls `malformed` with
    /// their offset from the start of the first piece. For the last piece, `last` is true.
    pub(super) fn push<E>(
        &mut self,
        bytes: &[u8],
        last: bool,
        malformed: OnMalformed<E>,
        mut put: impl FnMut(&str),
    ) -> Result<(), E> {
        let start = self.read;
        self.read += bytes.len();
        match &mut self.state {
            State::Whatwg(decoder) => {
                let mut room = [0; ROOM];
                let Ok(room) = str::from_utf8_mut(&mut room) else { return Ok(()) }; // never fails, because NUL is text
                let mut read = 0;
                loop {
                    let (result, more, written) = decoder.decode_to_str_without_replacement(&bytes[read..], room, last);
                    read += more;
                    put(room.get(..written).unwrap_or_default());
                    match result {
                        DecoderResult::InputEmpty => return Ok(()),
                        DecoderResult::OutputFull => {}
                        DecoderResult::Malformed(length, after) => {
                            put(malformed((start + read).saturating_sub(usize::from(length) + usize::from(after)))?);
                        }
                    }
                }
            }
            State::Builtin(charset @ (Builtin::UsAscii | Builtin::Ibm437 | Builtin::Ibm850)) => {
                let mut rest = bytes;
                loop {
                    let (ascii, after) =
                        rest.split_at_checked(Encoding::ascii_valid_up_to(rest)).unwrap_or((rest, &[]));
                    put(str::from_utf8(ascii).unwrap_or_default());
                    let [byte, later @ ..] = after else { return Ok(()) };
                    match charset.upper_character(*byte) {
                        Some(character) => put(character.encode_utf8(&mut [0; 4])),
                        None => put(malformed(start + bytes.len() - after.len())?),
                    }
                    rest = later;
                }
            }
            State::Builtin(charset) => {
                let (mut latin1, mut room) = ([0; ROOM / 2], [0; ROOM]);
                let Ok(room) = str::from_utf8_mut(&mut room) else { return Ok(()) }; // never fails, because NUL is text
                for bytes in bytes.chunks(ROOM / 2) {
                    let latin1 = &mut latin1[..bytes.len()];
                    latin1.copy_from_slice(bytes);
                    if *charset == Builtin::Ibm037 {
                        latin1.iter_mut().for_each(|byte| *byte = FROM_IBM037[usize::from(*byte)]);
                    }
                    // The text fits into `room`. We don't call `convert_latin1_to_str`, because it panics if `room` is
                    // too short. That panic would be part of the compiled code, and the C interface must have no
                    // panics.
                    let (_, written) = mem::convert_latin1_to_str_partial(latin1, room);
                    put(room.get(..written).unwrap_or_default());
                }
                Ok(())
            }
            State::Utf32(charset, unit, held) => {
                for (i, &byte) in bytes.iter().enumerate() {
                    unit[*held % 4] = byte;
                    *held += 1;
                    if *held == 4 {
                        *held = 0;
                        match charset.character(*unit) {
                            Some(character) => put(character.encode_utf8(&mut [0; 4])),
                            None => put(malformed(start + i + 1 - unit.len())?),
                        }
                    }
                }
                if last && *held > 0 {
                    put(malformed(self.read - *held)?);
                }
                Ok(())
            }
        }
    }
}
