//! Hides the passwords of URLs.

use core::ffi::c_char;
use core::mem::MaybeUninit;

use percent_standards::uri;

use crate::pct_status::{self, *};
use crate::{Others, answer_apart, pct_result};

/// Replaces the passwords of URLs in a text by "***", before you log or show it (RFC 3986 3.2.1).
///
/// The text may be anything: one URL, a connection string that does not parse, "user:password@host" without a scheme,
/// or a log with several URLs. If a URL does not parse, everything from its first ":" to the last "@" of the line is
/// hidden. So more than the password may be hidden, but not less. A token in a query or in place of the user stays. A
/// password with a raw "@" before a "/", "?", "#", white space, a quote, a backtick, "<" or ">" makes a valid URL with
/// another host. In this case, only the text before that "@" is hidden. So encode passwords when you build a URL, for
/// example with the set "rfc3986-reg-name".
///
/// In rare cases, a second call hides more. If that matters, repeat the call until `changed` is 0.
///
/// The call cannot work in place. If `cap` is too small, the call writes nothing, so pass a `cap` of 0 to get the
/// length.
///
/// Returns PCT_OK; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_redact(
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        answer_apart(Some(()), Others::NONE, (src, len), (dst, cap), result, |(), src, dst, result| {
            redact(src, dst, result)
        })
    }
}

/// The text that replaces a password.
const HIDDEN: &[u8] = uri::HIDDEN_PASSWORD.as_bytes();

fn redact(src: &[u8], dst: &mut [MaybeUninit<u8>], result: &mut pct_result) -> pct_status {
    let needed =
        uri::passwords(src).fold(src.len(), |len, password| (len - password.len()).saturating_add(HIDDEN.len()));
    if needed > dst.len() {
        return result.set_needed(needed);
    }
    let mut written = 0;
    let mut write = |bytes: &[u8]| {
        for (to, byte) in dst[written..].iter_mut().zip(bytes) {
            to.write(*byte);
        }
        written += bytes.len();
    };
    let mut copied = 0;
    for password in uri::passwords(src) {
        result.changed |= u8::from(src[password.clone()] != *HIDDEN);
        write(&src[copied..password.start]);
        write(HIDDEN);
        copied = password.end;
    }
    write(&src[copied..]);
    (result.read, result.written) = (src.len(), needed);
    PCT_OK
}
