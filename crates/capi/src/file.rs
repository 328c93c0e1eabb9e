//! Converts paths of files to `file:` URLs, and back.

use core::ffi::c_char;
use core::str;

use percent_simd::SliceError;
use percent_standards::uri::file::{self, FileError, FileErrorKind, Style};

use crate::memory::write_only;
use crate::pct_status::{self, *};
use crate::{Others, answer_apart, pct_result};

/// A path of Linux, macOS and other systems like Unix: segments of any bytes but NUL, separated by "/".
pub const PCT_FILE_POSIX: u32 = 1;
/// A path of Windows in UTF-8: a drive letter or "\\host", and segments separated by "\" or "/".
pub const PCT_FILE_WINDOWS: u32 = 2;

/// Writes the absolute path of a file as a "file:" URL (RFC 8089): "/a b" as "file:///a%20b", "C:\a" as "file:///C:/a",
/// "\\host\share\x" as "file://host/share/x".
///
/// `style` is one of the PCT_FILE_ constants, whatever system the library runs on. The call cannot work in place. If
/// `cap` is too small, the call writes nothing, so pass a `cap` of 0 to get the length.
///
/// Returns PCT_OK; PCT_BAD_PATH for a path that is not absolute, has a NUL, names a device, or lacks a share after its host,
/// with the offset in `first_error`; PCT_NOT_TEXT for a path of Windows that is not UTF-8; PCT_OUTPUT_TOO_SMALL, with
/// `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_file_from_path(
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    style: u32,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        answer_apart(styled(style), Others::NONE, (src, len), (dst, cap), result, |style, src, dst, result| {
            // `from_path_slice` reads only bytes that it has written.
            finish(src, file::from_path_slice(src, style, write_only(dst)), result)
        })
    }
}

/// Reads a "file:" URL as the path of a file (RFC 8089, with the forms of its appendix E). The path has exactly the segments
/// of the URL.
///
/// `style` is one of the PCT_FILE_ constants, whatever system the library runs on. The result has no NUL, so you can
/// add one and open the file. The path may lead anywhere in the file system. The call cannot work in place. `cap` must
/// be at least `len`, although the path is shorter.
///
/// Returns:
///
/// - PCT_OK.
/// - PCT_BAD_PATH, with the offset in `first_error`: a scheme other than "file", a query or fragment, a path that is not
///   absolute, a host that the style does not allow, or an escaped NUL or separator ("%00", "%2F", and in a path of Windows
///   "%5C").
/// - PCT_NOT_HEX for a malformed "%", with its offset.
/// - PCT_NOT_TEXT for a URL, or a path of Windows, that is not UTF-8.
/// - PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_file_to_path(
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    style: u32,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        answer_apart(styled(style), Others::NONE, (src, len), (dst, cap), result, |style, src, dst, result| {
            match str::from_utf8(src) {
                // `to_path_slice` reads only bytes that it has written.
                Ok(url) => finish(src, file::to_path_slice(url, style, write_only(dst)), result),
                Err(error) => {
                    result.first_error = error.valid_up_to();
                    PCT_NOT_TEXT
                }
            }
        })
    }
}

const fn styled(style: u32) -> Option<Style> {
    match style {
        PCT_FILE_POSIX => Some(Style::Posix),
        PCT_FILE_WINDOWS => Some(Style::Windows),
        _ => None,
    }
}

/// Fills `result` with the outcome, and returns its status.
fn finish(src: &[u8], outcome: Result<&mut [u8], SliceError<FileError>>, result: &mut pct_result) -> pct_status {
    match outcome {
        Ok(written) => {
            (result.read, result.written) = (src.len(), written.len());
            result.changed = u8::from(*written != *src);
            PCT_OK
        }
        Err(SliceError::Input(error)) => {
            result.first_error = error.offset;
            match error.kind {
                FileErrorKind::Escape => PCT_NOT_HEX,
                FileErrorKind::NotUtf8 => PCT_NOT_TEXT,
                _ => PCT_BAD_PATH,
            }
        }
        Err(SliceError::OutputTooSmall(error)) => result.set_needed(error.needed),
    }
}
