//! Reads the path of a URL.

use alloc::{string::String, vec::Vec};

use memchr::{memchr, memchr2};

use percent_simd::internal::triplet;
use percent_simd::{ByteSet, CheckedDecoder, DecodeError, DecodeErrorKind, Decoder, OutputTooSmall, SliceError};

use super::Style;
use super::error::{FileError, FileErrorKind, fault};
use crate::memory;
use crate::uri::pieces::into_text;

/// Reads a `file:` URL as a path of any system. The result is bytes, because on Unix a path consists of bytes.
///
/// If the URL contains a character that should have been escaped, for example a space, this character means itself.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::file::{FileErrorKind, Style, to_path_with};
///
/// assert_eq!(to_path_with("file:///a%20b/", Style::Posix)?, b"/a b/");
/// assert_eq!(to_path_with("file:////host/share/x", Style::Windows)?, br"\\host\share\x");
/// assert_eq!(to_path_with("file://host/x", Style::Posix).unwrap_err().kind, FileErrorKind::Host);
/// assert_eq!(to_path_with("file:///a%00", Style::Posix).unwrap_err().kind, FileErrorKind::Nul);
/// # Ok::<(), percent_standards::uri::file::FileError>(())
/// ```
///
/// # Errors
///
/// Returns the first fault that we find, with its offset in bytes of `url`. [`FileErrorKind`] lists the faults.
///
/// # Panics
///
/// Panics if memory cannot be allocated.
pub fn to_path_with(url: &str, style: Style) -> Result<Vec<u8>, FileError> {
    read(url, style, style == Style::Windows)
}

/// Reads a `file:` URL as a path of any system, as text.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::file::{FileErrorKind, Style, to_text_with};
///
/// assert_eq!(to_text_with("file:///c%3a/foo/bar", Style::Windows)?, r"c:\foo\bar");
/// let error = to_text_with("file:///tmp/%FF", Style::Posix).unwrap_err();
/// assert_eq!((error.offset, error.kind), (12, FileErrorKind::NotUtf8));
/// # Ok::<(), percent_standards::uri::file::FileError>(())
/// ```
///
/// # Errors
///
/// Returns the errors of [`to_path_with`]. If the path isn't UTF-8, returns [`NotUtf8`](FileErrorKind::NotUtf8).
///
/// # Panics
///
/// Panics if memory cannot be allocated.
pub fn to_text_with(url: &str, style: Style) -> Result<String, FileError> {
    Ok(into_text(read(url, style, true)?))
}

/// Reads a `file:` URL as a path of any system. Writes the path to the start of `out`, and returns it.
///
/// `out` needs as many bytes as the URL has, although the path is shorter than the URL.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::file::{Style, to_path_slice};
///
/// let mut out = [0; 32];
/// assert_eq!(to_path_slice("file:///c%3a/a%20b", Style::Windows, &mut out)?, br"c:\a b");
/// # Ok::<(), percent_standards::codec::SliceError<percent_standards::uri::file::FileError>>(())
/// ```
///
/// # Errors
///
/// Returns the errors of [`to_path_with`]. If `out` is too small, returns an error with the needed length. The contents
/// of `out` are then unspecified.
pub fn to_path_slice<'o>(url: &str, style: Style, out: &'o mut [u8]) -> Result<&'o mut [u8], SliceError<FileError>> {
    if out.len() < url.len() {
        return Err(OutputTooSmall::new(url.len()).into());
    }
    let len = read_slice(url, style, style == Style::Windows, out)?;
    Ok(&mut out[..len])
}

/// Reads a `file:` URL as a path. If `is_text` is true, the path must be UTF-8.
fn read(url: &str, style: Style, is_text: bool) -> Result<Vec<u8>, FileError> {
    let mut out = memory::zeros(url.len());
    let len = read_slice(url, style, is_text, &mut out)?;
    out.truncate(len);
    Ok(out)
}

/// Reads a `file:` URL as a path. Writes the path to the start of `out`, which is as long as the URL. Returns the
/// path's length.
fn read_slice(url: &str, style: Style, is_text: bool, out: &mut [u8]) -> Result<usize, FileError> {
    let Parts { root, path, offset } = split(url.as_bytes(), style, out)?;
    let start = match root {
        Root::Slash => return Ok(decode(path, offset, style, is_text, out)?.len()),
        Root::Drive(letter) => {
            out[..2].copy_from_slice(&[letter, b':']);
            2
        }
        Root::Host(host, host_offset) => {
            out[..2].copy_from_slice(br"\\");
            2 + decode(host, host_offset, Style::Windows, true, &mut out[2..])?.len()
        }
    };
    let path = decode(path, offset, style, is_text, &mut out[start..])?;
    if let Root::Host(..) = root {
        check_share(path, offset)?;
    }
    // An escaped separator is an error. So each `/` of the decoded path was a `/` in the URL, and separates segments.
    path.iter_mut().filter(|byte| **byte == b'/').for_each(|byte| *byte = b'\\');
    if path.is_empty() {
        out[start] = b'\\';
        return Ok(start + 1);
    }
    Ok(start + path.len())
}

/// The start of a path.
#[derive(Clone, Copy)]
enum Root<'a> {
    /// The root of a Posix system. The path starts with its slash.
    Slash,
    /// A drive with this letter.
    Drive(u8),
    /// The undecoded name of a host, and its offset in the URL.
    Host(&'a [u8], usize),
}

/// A `file:` URL, split.
struct Parts<'a> {
    root: Root<'a>,
    /// The undecoded text after the drive or the host, and its offset in the URL.
    path: &'a [u8],
    offset: usize,
}

/// Splits a `file:` URL before its path. To check the host, decodes the host to `scratch`, which is as long as the URL.
fn split<'a>(url: &'a [u8], style: Style, scratch: &mut [u8]) -> Result<Parts<'a>, FileError> {
    const SCHEME: &[u8] = b"file:";
    if !url.get(..SCHEME.len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME)) {
        return fault(0, FileErrorKind::Scheme);
    }
    match memchr2(b'?', b'#', url) {
        Some(at) if url[at] == b'?' => fault(at, FileErrorKind::Query)?,
        Some(at) => fault(at, FileErrorKind::Fragment)?,
        None => {}
    }
    let rest = &url[SCHEME.len()..];
    let slashes = rest.iter().take_while(|&&byte| style.separates(byte)).count();
    let (authority, path) = if slashes < 2 { (&rest[..0], rest) } else { cut(&rest[2..], style) };
    let (start, offset) = (url.len() - path.len() - authority.len(), url.len() - path.len());
    if style == Style::Posix {
        return match path.starts_with(b"/") {
            _ if !is_localhost(decode_host(authority, start, scratch)?) => fault(start, FileErrorKind::Host),
            true => Ok(Parts { root: Root::Slash, path, offset }),
            false => fault(offset, FileErrorKind::Relative),
        };
    }
    let is_local = is_localhost(authority);
    // A drive letter can be the first segment of the path, with or without a slash before it. It can also be in the
    // place of the host.
    let place = match path {
        _ if !is_local => &url[start..],
        [b'/' | b'\\', path @ ..] => path,
        path => path,
    };
    if let Some((letter, len)) = drive(place) {
        let path = &place[len..];
        let offset = url.len() - path.len();
        return match path.first() {
            Some(&byte) if !style.separates(byte) => fault(offset, FileErrorKind::Relative),
            _ => Ok(Parts { root: Root::Drive(letter), path, offset }),
        };
    }
    let (host, path) = match slashes {
        4 | 5 => cut(&rest[slashes..], style),
        _ if is_local => fault(offset, FileErrorKind::Relative)?,
        _ => (authority, path),
    };
    let (start, offset) = (url.len() - path.len() - host.len(), url.len() - path.len());
    check_host(decode_host(host, start, scratch)?, start)?;
    Ok(Parts { root: Root::Host(host, start), path, offset })
}

/// Splits `path` before its first separator.
pub(super) fn cut(path: &[u8], style: Style) -> (&[u8], &[u8]) {
    let end = path.iter().position(|&byte| style.separates(byte)).unwrap_or(path.len());
    (&path[..end], &path[end..])
}

/// If `text` starts with a drive, returns its letter, and the length of the drive including `:` or `|` (RFC 8089 E.2,
/// E.2.2).
///
/// The letter and the `:` or `|` may be escaped. An escaped letter is equivalent to the letter (RFC 3986 6.2.2.2).
/// Node.js and VS Code decode the path before they look for a drive. But parsers that follow the URL Standard keep the
/// escape, so they find no drive.
pub(super) fn drive(text: &[u8]) -> Option<(u8, usize)> {
    let byte = |at: usize| match triplet(text, at) {
        Some(byte) => Some((byte, at + 3)),
        None => text.get(at).map(|&byte| (byte, at + 1)),
    };
    let (letter, end) = byte(0).filter(|(letter, _)| letter.is_ascii_alphabetic())?;
    let (_, end) = byte(end).filter(|(mark, _)| matches!(mark, b':' | b'|'))?;
    Some((letter, end))
}

/// Returns true for a host that means this computer (RFC 8089 2).
pub(super) fn is_localhost(host: &[u8]) -> bool {
    host.is_empty() || host.eq_ignore_ascii_case(b"localhost")
}

/// Decodes a host to the start of `out`. `offset` is the offset of the host in the URL.
fn decode_host<'o>(host: &[u8], offset: usize, out: &'o mut [u8]) -> Result<&'o [u8], FileError> {
    // A raw `:` would start a port, and a raw `@` would end a userinfo. In RFC 8089, a URL has neither a port nor a
    // userinfo.
    match memchr2(b':', b'@', host) {
        Some(at) => fault(offset + at, FileErrorKind::Host),
        None => decode(host, offset, Style::Windows, true, out).map(|host| &*host),
    }
}

/// Checks `host`, which is already decoded. `offset` is its offset.
pub(super) fn check_host(host: &[u8], offset: usize) -> Result<(), FileError> {
    const REFUSED: ByteSet = ByteSet::CONTROLS.union(ByteSet::of(b"/\\:*?\"<>|"));
    match host {
        b"." | b"?" => fault(offset, FileErrorKind::Device),
        b"" | b".." => fault(offset, FileErrorKind::Host),
        _ => match host.iter().position(|&byte| REFUSED.contains(byte)) {
            Some(_) => fault(offset, FileErrorKind::Host),
            None => Ok(()),
        },
    }
}

/// Checks that `path`, the text after a host, starts with the name of a share. `path` is already decoded. `offset` is
/// its offset in the input, and the offset of the error.
pub(super) fn check_share(path: &[u8], offset: usize) -> Result<(), FileError> {
    let mut segments = path.split(|&byte| Style::Windows.separates(byte));
    match segments.nth(1) {
        None | Some(b"" | b"." | b"..") => fault(offset, FileErrorKind::Share),
        Some(_) => Ok(()),
    }
}

/// Decodes `text` to the start of `out`, which must be at least as long as `text`. `offset` is the offset of `text` in
/// the URL. An escape of a separator is an error. If `is_text` is true, the result must be UTF-8.
fn decode<'o>(
    text: &[u8],
    offset: usize,
    style: Style,
    is_text: bool,
    out: &'o mut [u8],
) -> Result<&'o mut [u8], FileError> {
    static POSIX: CheckedDecoder = Decoder::new().strict().reject(ByteSet::of(b"/\0"));
    static WINDOWS: CheckedDecoder = Decoder::new().strict().reject(ByteSet::of(b"/\\\0"));
    let raw = match style {
        Style::Posix => memchr2(b'\\', 0, text),
        Style::Windows => memchr(0, text),
    };
    let decoder = if style == Style::Posix { &POSIX } else { &WINDOWS };
    let decoded = match decoder.decode_slice(text, out) {
        Ok(decoded) => {
            let invalid = if is_text { core::str::from_utf8(decoded).err() } else { None };
            match invalid {
                Some(error) => Err((input_offset(text, error.valid_up_to()), None)),
                None => Ok(decoded),
            }
        }
        Err(SliceError::Input(DecodeError { offset, kind, .. })) => Err((offset, Some(kind))),
        Err(_) => Err((0, None)),
    };
    let (at, kind) = match (decoded, raw) {
        (Ok(decoded), None) => return Ok(decoded),
        (Err(error), raw) if raw.is_none_or(|raw| error.0 < raw) => error,
        (_, raw) => {
            let at = raw.unwrap_or_default();
            (at, Some(DecodeErrorKind::Rejected(text.get(at).copied().unwrap_or_default())))
        }
    };
    let kind = match kind {
        Some(DecodeErrorKind::Rejected(0)) => FileErrorKind::Nul,
        Some(DecodeErrorKind::Rejected(_)) => FileErrorKind::Separator,
        Some(DecodeErrorKind::Truncated | DecodeErrorKind::NotHex) => FileErrorKind::Escape,
        _ => FileErrorKind::NotUtf8,
    };
    fault(offset + at, kind)
}

/// Returns the offset in `text` of the byte or triplet that became the byte at `decoded` in the result. Each `%` in
/// `text` must start a triplet.
fn input_offset(text: &[u8], decoded: usize) -> usize {
    (0..decoded).fold(0, |at, _| at + if text.get(at) == Some(&b'%') { 3 } else { 1 })
}
