//! Splits the targets of requests.

use core::ffi::c_char;
use core::ops::Range;

use percent_standards::uri::{TargetBounds, TargetForm};

use crate::PCT_NONE;
use crate::memory::{Region, are_apart, bytes};
use crate::pct_status::{self, *};

/// Names the form of a request target (RFC 9112 3.2).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pct_target_form {
    /// The target matches no form of RFC 9112 3.2. It is split into a path and a query at the first "?".
    PCT_TARGET_INVALID = 0,
    /// "/path?query". It names no host, even if it begins with "//".
    PCT_TARGET_ORIGIN = 1,
    /// "http://host/path?query": a URI with its scheme.
    PCT_TARGET_ABSOLUTE = 2,
    /// "host:443", allowed with CONNECT only.
    PCT_TARGET_AUTHORITY = 3,
    /// "*", allowed with OPTIONS only.
    PCT_TARGET_ASTERISK = 4,
}

use pct_target_form::*;

/// Holds the position of a component in a text.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pct_slice {
    /// Offset of the component in the text, or PCT_NONE if it is absent.
    pub offset: usize,
    /// Length of the component, or 0 if it is absent.
    pub len: usize,
}

/// Holds the form and the components of a request target.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pct_request_target {
    /// The form of the target.
    pub form: pct_target_form,
    /// Always 0.
    pub reserved: u32,
    /// With PCT_BAD_TARGET, the offset of the fault; otherwise PCT_NONE.
    pub first_error: usize,
    /// The scheme. Only absolute-form has one.
    pub scheme: pct_slice,
    /// User, host and port. In absolute-form, they follow "//". In authority-form, they are the whole target.
    pub authority: pct_slice,
    /// The path. It is always present, and empty in authority-form and asterisk-form. An empty path after a scheme and
    /// an authority means "/".
    pub path: pct_slice,
    /// The text after the first "?".
    pub query: pct_slice,
}

/// Splits the target of an HTTP request, such as "//a?b" in "GET //a?b HTTP/1.1".
///
/// Checks that the target has one of the four forms and contains no "#", blank or control (RFC 9112 3.2). In
/// absolute-form, the authority must be valid (RFC 3986 3.2), and a URI with "http", "https", "ws", "wss" or
/// "ftp" needs a host. `target` is filled whatever the status, except PCT_OVERLAP.
///
/// A target is not a URI reference: "//private/a" is a path. "host:443" always has authority-form, because the call
/// does not know the method. If the method is not CONNECT, the target could be a URI with the scheme "host".
///
/// - A server answers 400 (Bad Request) unless the status is PCT_OK. It checks that the method allows the form. Then it
///   passes the path to pct_normalize_path().
/// - A reader of logs ignores the status. A "#" in the target then belongs to the path or to the query.
///
/// Returns PCT_OK, PCT_BAD_TARGET, PCT_OVERLAP or PCT_INVALID_ARGUMENT. With PCT_INVALID_ARGUMENT, `target` has no form
/// and no component.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_split_target(
    src: *const c_char,
    len: usize,
    target: *mut pct_request_target,
) -> pct_status {
    if target.is_null() {
        return PCT_INVALID_ARGUMENT;
    }
    if !are_apart([Region::of(target, 1)], [Region::of(src, len)]) {
        return PCT_OVERLAP;
    }
    // SAFETY: the C caller follows the rules of the header.
    let (status, split) = match unsafe { bytes(src.cast(), len) } {
        Some(src) => split(src),
        None => (PCT_INVALID_ARGUMENT, EMPTY),
    };
    // SAFETY: `target` is not null, and the C caller follows the rules of the header.
    unsafe { target.write(split) };
    status
}

const ABSENT: pct_slice = pct_slice { offset: PCT_NONE, len: 0 };

const EMPTY: pct_request_target = pct_request_target {
    form: PCT_TARGET_INVALID,
    reserved: 0,
    first_error: PCT_NONE,
    scheme: ABSENT,
    authority: ABSENT,
    path: ABSENT,
    query: ABSENT,
};

fn split(src: &[u8]) -> (pct_status, pct_request_target) {
    let (status, first_error) = match TargetBounds::parse(src) {
        Ok(_) => (PCT_OK, PCT_NONE),
        Err(error) => (PCT_BAD_TARGET, error.offset),
    };
    let bounds = TargetBounds::split(src);
    let form = match bounds.form() {
        TargetForm::Origin => PCT_TARGET_ORIGIN,
        TargetForm::Absolute => PCT_TARGET_ABSOLUTE,
        TargetForm::Authority => PCT_TARGET_AUTHORITY,
        TargetForm::Asterisk => PCT_TARGET_ASTERISK,
        _ => PCT_TARGET_INVALID,
    };
    let slice = |range: Range<usize>| pct_slice { offset: range.start, len: range.len() };
    let optional = |range: Option<Range<usize>>| range.map_or(ABSENT, slice);
    let target = pct_request_target {
        form,
        first_error,
        scheme: optional(bounds.scheme()),
        authority: optional(bounds.authority()),
        path: slice(bounds.path()),
        query: optional(bounds.query()),
        ..EMPTY
    };
    (status, target)
}
