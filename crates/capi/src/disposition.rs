//! Reads and writes the field `Content-Disposition`.

use core::ffi::c_char;
use core::mem::ManuallyDrop;
use core::str;

use percent_standards::http::ContentDisposition;

use crate::memory::{Region, write_only};
use crate::pct_status::{self, *};
use crate::{Others, answer_apart, pct_result};

/// The type is neither "inline" nor "form-data": save the response as a file (RFC 6266 4.2).
pub const PCT_DISPOSITION_ATTACHMENT: u32 = 1;
/// Show the response.
pub const PCT_DISPOSITION_INLINE: u32 = 2;
/// A part of "multipart/form-data" (RFC 7578 4.2).
pub const PCT_DISPOSITION_FORM_DATA: u32 = 3;

/// Reads the name of the file from a header field "Content-Disposition", as leniently as browsers do (RFC 6266, RFC 8187,
/// RFC 2231): "attachment; filename*=UTF-8''%E2%82%AC.jpg". The result is UTF-8.
///
/// `*kind` is set to one of the PCT_DISPOSITION_ constants, or to 0 if the status is not PCT_OK or PCT_END. With
/// PCT_OVERLAP, it stays as it is. `kind` may be null.
///
/// The sender chooses the name, and it may be a path: "../../etc/passwd". Use only the text after the last "/" or "\", and
/// refuse ".", ".." and controls (RFC 6266 4.3). In "multipart/form-data", "%22", "%0D" and "%0A" are escapes of browsers, and
/// stay.
///
/// The call cannot work in place. A `cap` of 4 * len + 8 is always sufficient: the call needs memory after the name, too.
///
/// Returns PCT_OK; PCT_END if the field has no name that can be read; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or
/// PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_disposition_read(
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    kind: *mut u32,
    result: *mut pct_result,
) -> pct_status {
    let mut found = 0;
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        let others = Others { written: [Region::of(kind, 1), Region::NONE], ..Others::NONE };
        let status = answer_apart(Some(()), others, (src, len), (dst, cap), result, |(), src, dst, result| {
            // `parse_slice` reads only bytes that it has written.
            match ContentDisposition::parse_slice(src, write_only(dst)) {
                Ok(field) => {
                    // The field borrows its texts from `dst`, so it has no memory to free. `ManuallyDrop` leaves out the
                    // code that would free it.
                    let field = ManuallyDrop::new(field);
                    found = match field.disposition_type() {
                        "inline" => PCT_DISPOSITION_INLINE,
                        "form-data" => PCT_DISPOSITION_FORM_DATA,
                        _ => PCT_DISPOSITION_ATTACHMENT,
                    };
                    result.read = src.len();
                    let Some(name) = field.filename() else { return PCT_END };
                    result.written = name.len();
                    result.changed = u8::from(name.as_bytes() != src);
                    PCT_OK
                }
                Err(error) => result.set_needed(error.needed),
            }
        });
        if !kind.is_null() && status != PCT_OVERLAP {
            kind.write(found);
        }
        status
    }
}

/// Writes the header field "Content-Disposition" for a file name in UTF-8, as RFC 6266 appendix D advises. All browsers
/// read the result: "attachment; filename="_.jpg"; filename*=UTF-8''%E2%82%AC.jpg". The parameter "filename*" is left
/// out if its name equals that of "filename".
///
/// `kind` is PCT_DISPOSITION_ATTACHMENT or PCT_DISPOSITION_INLINE. The call cannot work in place. Pass a `cap` of 0 to get the
/// length.
///
/// Returns PCT_OK; PCT_NOT_TEXT if the name is not UTF-8, with the offset in `first_error`; PCT_OUTPUT_TOO_SMALL, with `needed`;
/// PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_disposition_write(
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    kind: u32,
    result: *mut pct_result,
) -> pct_status {
    let field = match kind {
        PCT_DISPOSITION_ATTACHMENT => Some(ContentDisposition::attachment()),
        PCT_DISPOSITION_INLINE => Some(ContentDisposition::inline()),
        _ => None,
    };
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        answer_apart(
            field.map(ManuallyDrop::new),
            Others::NONE,
            (src, len),
            (dst, cap),
            result,
            |field, src, dst, result| {
                let name = match str::from_utf8(src) {
                    Ok(name) => name,
                    Err(error) => {
                        result.first_error = error.valid_up_to();
                        return PCT_NOT_TEXT;
                    }
                };
                // The field borrows its texts, so it has no memory to free. `ManuallyDrop` leaves out the code that
                // would free it.
                let field = ManuallyDrop::new(ManuallyDrop::into_inner(field).with_filename(name));
                // `write_slice` reads only bytes that it has written.
                match field.write_slice(write_only(dst)) {
                    Ok(text) => {
                        (result.read, result.written) = (src.len(), text.len());
                        result.changed = u8::from(*text != *src);
                        PCT_OK
                    }
                    Err(error) => result.set_needed(error.needed),
                }
            },
        )
    }
}
