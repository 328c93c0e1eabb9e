//! Encodes and decodes in chunks that end anywhere.

use core::ffi::c_char;
use core::mem::MaybeUninit;

use percent_simd::internal::{
    DecodeStreamState, EncodeStreamState, resume_decoding, resume_encoding, suspend_decoding, suspend_encoding,
};
use percent_simd::{Progress, SliceError};

use crate::codec::Codec;
use crate::decode::{Decoding, pct_decoder};
use crate::encode::{Encoding, pct_encoder};
use crate::memory::{Opaque, Region, write_only};
use crate::pct_status::{self, *};
use crate::{Others, answer_apart, offset_or_none, pct_result};

/// Keeps the state of a stream.
///
/// A stream is 128 bytes in your memory. It holds no resources and needs no clean-up. It points to its encoder or
/// decoder, which must stay at its address until the stream ends. Only one thread at a time may use a stream. If you copy
/// a stream, the copy is a second stream that continues from the same point.
#[repr(C)]
pub struct pct_stream {
    /// Private.
    pub opaque: [MaybeUninit<u64>; 16],
}

/// With an output of this many bytes, a stream always makes progress.
const MIN_OUTPUT: usize = 7;

/// A stream has the address of its encoder or decoder. Each call checks that this memory is still initialised.
enum Stream {
    Encode(*const pct_encoder, EncodeStreamState),
    Decode(*const pct_decoder, DecodeStreamState),
}

impl Opaque for Stream {
    type Memory = pct_stream;
    const TAG: u64 = u64::from_le_bytes(*b"pct_str0");
}

/// Begins a stream that encodes.
///
/// Returns PCT_OK, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_stream_encode(stream: *mut pct_stream, encoder: *const pct_encoder) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        let begun = Encoding::of(encoder).map(|_| Stream::Encode(encoder, EncodeStreamState::default()));
        Opaque::store(begun.ok_or(PCT_INVALID_ARGUMENT), stream, [Region::object::<Encoding>(encoder)])
    }
}

/// Begins a stream that decodes. A null `decoder` means the lenient one.
///
/// Returns PCT_OK, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_stream_decode(stream: *mut pct_stream, decoder: *const pct_decoder) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        let begun = Decoding::of(decoder).map(|_| Stream::Decode(decoder, DecodeStreamState::default()));
        Opaque::store(begun.ok_or(PCT_INVALID_ARGUMENT), stream, [Region::object::<Decoding>(decoder)])
    }
}

/// Passes the next `len` bytes to a stream, and writes the output to the `cap` bytes at `dst`.
///
/// Chunks may end anywhere, even inside a triplet. If the output for the last bytes of a chunk depends on the next chunk,
/// the stream keeps these bytes, six at most.
///
/// If `read` in the result is below `len`, the output is full or an error follows. Call again with the rest of the chunk.
/// With a `cap` of 7 or more the stream always makes progress. `first_error` is an offset in the whole stream, or
/// SIZE_MAX - 1 if the offset does not fit into a size_t. `changed` is not set.
///
/// Returns PCT_OK; PCT_OUTPUT_TOO_SMALL if there is no room for progress; the errors of pct_decode(); PCT_OVERLAP,
/// because a stream cannot work in place; or PCT_INVALID_ARGUMENT. If the input has an error of pct_decode(), the
/// stream first writes all output before the error. Then this call and every later call return the error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_stream_push(
    stream: *mut pct_stream,
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header. So the encoder or decoder of the stream is still at its
    // address.
    unsafe {
        with_stream(stream, (src, len), (dst, cap), result, |stream, src, dst, result| push(stream, src, dst, result))
    }
}

/// Runs `call` on a stream, its input and its output.
///
/// # Safety
/// The C caller follows the rules of the header for all arguments.
unsafe fn with_stream(
    stream: *mut pct_stream,
    (src, len): (*const c_char, usize),
    (dst, cap): (*mut c_char, usize),
    result: *mut pct_result,
    call: impl FnOnce(&mut Stream, &[u8], &mut [u8], &mut pct_result) -> pct_status,
) -> pct_status {
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    unsafe {
        let others = Others { written: [Region::object::<Stream>(stream), Region::NONE], ..Others::NONE };
        answer_apart(Stream::get_mut(stream), others, (src, len), (dst, cap), result, |stream, src, dst, result| {
            // A stream writes only initialised bytes to `dst`.
            call(stream, src, write_only(dst), result)
        })
    }
}

/// # Safety
/// The encoder or decoder that the stream points to is still at its address.
unsafe fn push(stream: &mut Stream, src: &[u8], dst: &mut [u8], result: &mut pct_result) -> pct_status {
    let progress = match stream {
        Stream::Encode(encoder, state) => {
            // SAFETY: the caller meets the `# Safety` conditions of this function.
            let Some(encoding) = (unsafe { Encoding::of(*encoder) }) else { return PCT_INVALID_ARGUMENT };
            let mut stream = resume_encoding(&encoding.encoder, *state);
            let progress = stream.push(src, dst);
            *state = suspend_encoding(&stream);
            Ok(progress)
        }
        Stream::Decode(decoder, state) => {
            // SAFETY: the caller meets the `# Safety` conditions of this function.
            let Some(decoding) = (unsafe { Decoding::of(*decoder) }) else { return PCT_INVALID_ARGUMENT };
            let mut stream = resume_decoding(&decoding.decoder, *state);
            let progress = stream.push(src, dst);
            *state = suspend_decoding(&stream);
            result.first_error = offset_or_none(stream.first_malformed());
            progress
        }
    };
    match progress {
        Ok(Progress { read: 0, written: 0, .. }) if !src.is_empty() => result.set_needed(MIN_OUTPUT),
        Ok(Progress { read, written, .. }) => {
            (result.read, result.written) = (read, written);
            PCT_OK
        }
        Err(error) => result.set_error(error),
    }
}

/// Ends a stream, and writes the bytes that the stream has kept, six at most.
///
/// If there is too little room, call again with more room. After PCT_OK, begin the stream again before you push more.
///
/// Returns PCT_OK; PCT_OUTPUT_TOO_SMALL; from a strict decoder PCT_TRUNCATED if the input ended inside a triplet; an
/// earlier error of the stream; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_stream_finish(
    stream: *mut pct_stream,
    dst: *mut c_char,
    cap: usize,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header. So the encoder or decoder of the stream is still at its
    // address.
    unsafe {
        with_stream(stream, (core::ptr::null(), 0), (dst, cap), result, |stream, _, dst, result| {
            end(stream, dst, result)
        })
    }
}

/// # Safety
/// The encoder or decoder that the stream points to is still at its address.
unsafe fn end(stream: &mut Stream, dst: &mut [u8], result: &mut pct_result) -> pct_status {
    let ended = match stream {
        Stream::Encode(encoder, state) => {
            // SAFETY: the caller meets the `# Safety` conditions of this function.
            let Some(encoding) = (unsafe { Encoding::of(*encoder) }) else { return PCT_INVALID_ARGUMENT };
            let mut stream = resume_encoding(&encoding.encoder, *state);
            let ended = stream.finish(dst).map_err(SliceError::from);
            *state = suspend_encoding(&stream);
            ended
        }
        Stream::Decode(decoder, state) => {
            // SAFETY: the caller meets the `# Safety` conditions of this function.
            let Some(decoding) = (unsafe { Decoding::of(*decoder) }) else { return PCT_INVALID_ARGUMENT };
            let mut stream = resume_decoding(&decoding.decoder, *state);
            let ended = stream.finish(dst);
            *state = suspend_decoding(&stream);
            result.first_error = offset_or_none(stream.first_malformed());
            ended
        }
    };
    match ended {
        Ok(written) => {
            result.written = written;
            PCT_OK
        }
        Err(SliceError::Input(error)) => result.set_error(error),
        Err(SliceError::OutputTooSmall(error)) => result.set_needed(error.needed),
    }
}
