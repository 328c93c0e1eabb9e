//! Paths of files as `file:` URLs, and back (RFC 8089).
//!
//! [`from_path`] and [`to_path`] use the rules of the system on which the program runs. For [`from_path_with`] and
//! [`to_path_with`], you pass the rules as a [`Style`]. So a program on Linux can read the URLs of a client on Windows.
//!
//! | path | URL | clause of RFC 8089 |
//! | --- | --- | --- |
//! | `/a b/50%` | `file:///a%20b/50%25` | 2 |
//! | `C:\a b\c#d.txt`, `\\?\C:\a b\c#d.txt` | `file:///C:/a%20b/c%23d.txt` | E.2 |
//! | `\\host\share\x`, `\\?\UNC\host\share\x` | `file://host/share/x` | E.3.1 |
//! | `\\localhost\share\x` | `file:////localhost/share/x` | E.3.2 |
//!
//! Reading a URL is more lenient than writing one. These forms are accepted, too:
//!
//! | URL | path | clause |
//! | --- | --- | --- |
//! | `file:/a`, `FILE://localhost/a` | `/a` | 2 |
//! | `file:c:/x`, `file:/c:/x`, `file://c:/x`, `file:///c%3a/x`, `file:///%63:/x` | `c:\x` | E.2; the forms `file://c:/x` and `c%3a` are common in practice |
//! | `file:///c\|/x` | `c:\x` | E.2.2 |
//! | `file:////host/share/x`, `file://///host/share/x` | `\\host\share\x` | E.3.2 |
//! | `file:///C:\x` | `C:\x` | none |
//!
//! The path has exactly the segments of the URL. If an escape would add or remove a segment, it is an error: `%2F`,
//! `%00`, and on Windows also `%5C`. Dot segments, empty segments and a slash at the end stay. The path may lead
//! anywhere in the file system, even to a file that doesn't exist. So if the URL comes from a stranger, check the path
//! before you open it.
//!
//! # Examples
//!
//! ```
//! use percent_standards::uri::file::{self, Style};
//!
//! let url = file::from_path_with(r"C:\a b\c#d.txt", Style::Windows)?;
//! assert_eq!(url, "file:///C:/a%20b/c%23d.txt");
//! assert_eq!(file::to_text_with("file:///c%3a/x", Style::Windows)?, r"c:\x");
//! assert_eq!(file::to_path_with("file:///tmp/%FF", Style::Posix)?, b"/tmp/\xFF");
//! assert_eq!(file::to_path_with("file:///tmp/a%2Fb", Style::Posix).unwrap_err().offset, 13);
//! # Ok::<(), file::FileError>(())
//! ```

use alloc::{string::String, vec::Vec};
use core::fmt;
#[cfg(feature = "std")]
use std::path::{Path, PathBuf};

use memchr::{memchr, memchr2};

use percent_simd::internal::triplet;
use percent_simd::{
    AsBytes, ByteSet, CheckedDecoder, DecodeError, DecodeErrorKind, Decoder, OutputTooSmall, SliceError,
};

use super::pieces::into_text;
use crate::memory;

/// The rules for paths that a family of systems has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// Linux, macOS and other systems like Unix. A path consists of any bytes except NUL. `/` separates segments.
    Posix,
    /// Windows. A path is UTF-8 text. `\` and `/` separate segments. The path starts with a drive letter or a host.
    Windows,
}

impl Style {
    /// The style of the system that the program is compiled for.
    pub const NATIVE: Style = if cfg!(windows) { Style::Windows } else { Style::Posix };

    fn separates(self, byte: u8) -> bool {
        byte == b'/' || byte == b'\\' && self == Style::Windows
    }
}

/// The reason why a path has no `file:` URL, or why a URL names no path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FileError {
    /// The offset of the fault, in bytes of the path or the URL.
    pub offset: usize,
    /// The kind of error.
    pub kind: FileErrorKind,
}

impl FileError {
    /// Creates an error from its parts, for tests and for code that finds errors by other means.
    #[must_use]
    pub const fn new(offset: usize, kind: FileErrorKind) -> FileError {
        FileError { offset, kind }
    }
}

/// The kind of a [`FileError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileErrorKind {
    /// The URL doesn't start with `file:`.
    Scheme,
    /// The URL has a query. If the `?` belongs to the name of the file, write `%3F`.
    Query,
    /// The URL has a fragment. If the `#` belongs to the name of the file, write `%23`. Otherwise remove the fragment
    /// first.
    Fragment,
    /// The path isn't absolute. On Windows, `\x` and `C:x` aren't absolute either, because they depend on the current
    /// drive or on the current folder of a drive.
    Relative,
    /// The path is in the namespace of devices, for example `\\.\COM1` or `\\?\Volume{...}\`.
    Device,
    /// For the style [`Posix`](Style::Posix), a host other than this computer. For [`Windows`](Style::Windows), a host
    /// that no path can have: it is empty, or has a port, a userinfo or a forbidden character.
    Host,
    /// The path or URL has a host, but names no share of this host.
    Share,
    /// A separator inside a segment: `%2F`. For Windows, also `%5C`. For Posix, also a `\` that isn't escaped.
    Separator,
    /// A byte 0, or `%00`. No path contains this byte.
    Nul,
    /// A `%` without two hexadecimal digits after it (RFC 3986 2.1).
    Escape,
    /// Text that isn't UTF-8 in a path of Windows. On a system that is not like Unix, every path must be UTF-8.
    NotUtf8,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset;
        match self.kind {
            FileErrorKind::Scheme => write!(f, "`file:` is missing at byte {offset}"),
            FileErrorKind::Query => write!(f, "the query at byte {offset} is not allowed in the URL of a file"),
            FileErrorKind::Fragment => write!(f, "the fragment at byte {offset} is not allowed in the URL of a file"),
            FileErrorKind::Relative => write!(f, "the path is not absolute: see byte {offset}"),
            FileErrorKind::Device => write!(f, "the path at byte {offset} names a device, not a file"),
            FileErrorKind::Host => write!(f, "the host at byte {offset} is not allowed in the URL of a file"),
            FileErrorKind::Share => write!(f, "the name of a share is missing at byte {offset}"),
            FileErrorKind::Separator => write!(f, "the separator at byte {offset} is inside a segment"),
            FileErrorKind::Nul => write!(f, "the byte 0 at byte {offset} is not allowed in a path"),
            FileErrorKind::Escape => {
                write!(f, "the `%` at byte {offset} is not followed by two hexadecimal digits")
            }
            FileErrorKind::NotUtf8 => write!(f, "the path is not UTF-8 from byte {offset} on"),
        }
    }
}

impl core::error::Error for FileError {}

impl From<FileError> for SliceError<FileError> {
    fn from(error: FileError) -> Self {
        SliceError::Input(error)
    }
}

fn fault<T>(offset: usize, kind: FileErrorKind) -> Result<T, FileError> {
    Err(FileError { offset, kind })
}

/// Writes the path of a file as a `file:` URL (RFC 8089 2), by the rules of this system.
///
/// The result is a valid URI, even for a parser that follows RFC 3986 exactly.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::file;
///
/// # #[cfg(unix)]
/// assert_eq!(file::from_path("/foo/bar^baz|[1] %#?.tex")?, "file:///foo/bar%5Ebaz%7C%5B1%5D%20%25%23%3F.tex");
/// assert!(file::from_path("bar.tex").is_err()); // make the path absolute first: `std::path::absolute`
/// # Ok::<(), file::FileError>(())
/// ```
///
/// # Errors
///
/// Returns the errors of [`from_path_with`].
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[cfg(feature = "std")]
pub fn from_path(path: impl AsRef<Path>) -> Result<String, FileError> {
    // On Windows, these bytes may have a lone surrogate. It isn't UTF-8, so `from_path_with` then returns `NotUtf8`.
    from_path_with(path.as_ref().as_os_str().as_encoded_bytes(), Style::NATIVE)
}

/// Reads a `file:` URL as a path of this system (RFC 8089 2).
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use percent_standards::uri::file;
///
/// # #[cfg(unix)]
/// assert_eq!(file::to_path("file:///private/tmp/tsz%20lsp")?, Path::new("/private/tmp/tsz lsp"));
/// assert!(file::to_path("untitled:1").is_err());
/// # Ok::<(), file::FileError>(())
/// ```
///
/// # Errors
///
/// Returns the errors of [`to_path_with`]. On a system that is not like Unix, it is also an error if the path isn't
/// UTF-8.
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[cfg(feature = "std")]
pub fn to_path(url: &str) -> Result<PathBuf, FileError> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        to_path_with(url, Style::NATIVE).map(|path| std::ffi::OsString::from_vec(path).into())
    }
    #[cfg(not(unix))]
    {
        to_text_with(url, Style::NATIVE).map(PathBuf::from)
    }
}

/// Writes a path of any system as a `file:` URL.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::file::{FileErrorKind, Style, from_path_with};
///
/// assert_eq!(from_path_with("/a/\u{E9}", Style::Posix)?, "file:///a/%C3%A9");
/// assert_eq!(from_path_with(r"\\host\share\x", Style::Windows)?, "file://host/share/x");
/// assert_eq!(from_path_with("C:x", Style::Windows).unwrap_err().kind, FileErrorKind::Relative);
/// # Ok::<(), percent_standards::uri::file::FileError>(())
/// ```
///
/// # Errors
///
/// Returns one of these errors:
///
/// - [`Relative`](FileErrorKind::Relative) if the path isn't absolute;
/// - [`Nul`](FileErrorKind::Nul) for a byte 0;
/// - for Windows, also [`NotUtf8`](FileErrorKind::NotUtf8) and [`Device`](FileErrorKind::Device). If the path has a
///   host, also [`Host`](FileErrorKind::Host) and [`Share`](FileErrorKind::Share).
///
/// # Panics
///
/// Panics if memory cannot be allocated.
pub fn from_path_with<I: AsBytes + ?Sized>(path: &I, style: Style) -> Result<String, FileError> {
    let split = Split::of(path.as_bytes(), style)?;
    let mut out = memory::zeros(split.len());
    let _ = split.write(&mut out);
    Ok(into_text(out))
}

/// Writes a path of any system as a `file:` URL to the start of `out`, and returns the URL.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::file::{Style, from_path_slice};
///
/// let mut out = [0; 32];
/// assert_eq!(from_path_slice(r"C:\a b\c", Style::Windows, &mut out)?, b"file:///C:/a%20b/c");
/// # Ok::<(), percent_standards::codec::SliceError<percent_standards::uri::file::FileError>>(())
/// ```
///
/// # Errors
///
/// Returns the errors of [`from_path_with`]. If `out` is too small, returns an error with the needed length. The
/// contents of `out` are then unspecified.
pub fn from_path_slice<'o, I: AsBytes + ?Sized>(
    path: &I,
    style: Style,
    out: &'o mut [u8],
) -> Result<&'o mut [u8], SliceError<FileError>> {
    let len = Split::of(path.as_bytes(), style)?.write(out)?;
    Ok(&mut out[..len])
}

/// A path, split into the parts that its URL has.
struct Split<'a> {
    /// The start of the URL.
    before: &'static str,
    host: &'a [u8],
    path: &'a [u8],
    style: Style,
}

impl<'a> Split<'a> {
    fn of(path: &'a [u8], style: Style) -> Result<Split<'a>, FileError> {
        if let Some(at) = memchr(0, path) {
            return fault(at, FileErrorKind::Nul);
        }
        match style {
            Style::Posix if path.first() != Some(&b'/') => fault(0, FileErrorKind::Relative),
            Style::Posix => Ok(Split { before: "file://", host: &[], path, style }),
            Style::Windows => match core::str::from_utf8(path) {
                Ok(_) => from_windows(path),
                Err(error) => fault(error.valid_up_to(), FileErrorKind::NotUtf8),
            },
        }
    }

    /// Returns parts of the path. Each part is one segment, or several segments with `/` between them.
    fn segments(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let is_windows = self.style == Style::Windows;
        self.path.split(move |&byte| is_windows && byte == b'\\')
    }

    /// Returns the length of the URL. If it doesn't fit into a `usize`, returns `usize::MAX`.
    fn len(&self) -> usize {
        let max = usize::MAX;
        let host = super::REG_NAME.encoded_len(self.host).unwrap_or(max);
        let lens =
            self.segments().map(|segment| super::PATH.encoded_len(segment).map_or(max, |len| len.saturating_add(1)));
        // The last segment has no `/` after it.
        let path = lens.fold(0, usize::saturating_add).saturating_sub(1);
        path.saturating_add(host).saturating_add(self.before.len())
    }

    /// Writes the URL to the start of `out`, and returns its length.
    fn write(&self, out: &mut [u8]) -> Result<usize, OutputTooSmall> {
        let needed = self.len();
        let too_small = OutputTooSmall::new(needed);
        if out.len() < needed {
            return Err(too_small);
        }
        let mut at = 0;
        for &byte in self.before.as_bytes() {
            *out.get_mut(at).ok_or(too_small)? = byte;
            at += 1;
        }
        at += super::REG_NAME.encode_slice(self.host, &mut out[at..])?.len();
        for (number, segment) in self.segments().enumerate() {
            if number > 0 {
                *out.get_mut(at).ok_or(too_small)? = b'/';
                at += 1;
            }
            at += super::PATH.encode_slice(segment, &mut out[at..])?.len();
        }
        Ok(at)
    }
}

fn from_windows(path: &[u8]) -> Result<Split<'_>, FileError> {
    let is_separator = |at: usize| path.get(at).is_some_and(|&byte| Style::Windows.separates(byte));
    let has_two = is_separator(0) && is_separator(1);
    // The prefix `\\?\` turns off limits of Windows. The path still names the same file.
    let is_verbatim = has_two && path.get(2) == Some(&b'?') && is_separator(3);
    let is_unc = |at: usize| path.get(at..at + 3).is_some_and(|name| name.eq_ignore_ascii_case(b"UNC"));
    match () {
        () if is_verbatim && is_unc(4) && is_separator(7) => from_unc(path, 8),
        () if is_verbatim && drive(&path[4..]).is_none() => fault(4, FileErrorKind::Device),
        () if is_verbatim => from_drive(path, 4),
        () if has_two => from_unc(path, 2),
        () => from_drive(path, 0),
    }
}

/// Splits a path that has a drive letter at `start`.
fn from_drive(path: &[u8], start: usize) -> Result<Split<'_>, FileError> {
    match &path[start..] {
        rest @ [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic() => {
            Ok(Split { before: "file:///", host: &[], path: rest, style: Style::Windows })
        }
        [letter, b':', ..] if letter.is_ascii_alphabetic() => fault(start + 2, FileErrorKind::Relative),
        _ => fault(start, FileErrorKind::Relative),
    }
}

/// Splits a path that has a host at `start`.
fn from_unc(path: &[u8], start: usize) -> Result<Split<'_>, FileError> {
    let (host, rest) = cut(&path[start..], Style::Windows);
    check_host(host, start)?;
    check_share(rest, start + host.len())?;
    // In a URL like `file://localhost/`, `localhost` would mean this computer's own drives (2).
    let before = if is_localhost(host) { "file:////" } else { "file://" };
    Ok(Split { before, host, path: rest, style: Style::Windows })
}

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
fn cut(path: &[u8], style: Style) -> (&[u8], &[u8]) {
    let end = path.iter().position(|&byte| style.separates(byte)).unwrap_or(path.len());
    (&path[..end], &path[end..])
}

/// If `text` starts with a drive, returns its letter, and the length of the drive including `:` or `|` (RFC 8089 E.2,
/// E.2.2).
///
/// The letter and the `:` or `|` may be escaped. An escaped letter is equivalent to the letter (RFC 3986 6.2.2.2).
/// Node.js and VS Code decode the path before they look for a drive. But parsers that follow the URL Standard keep the
/// escape, so they find no drive.
fn drive(text: &[u8]) -> Option<(u8, usize)> {
    let byte = |at: usize| match triplet(text, at) {
        Some(byte) => Some((byte, at + 3)),
        None => text.get(at).map(|&byte| (byte, at + 1)),
    };
    let (letter, end) = byte(0).filter(|(letter, _)| letter.is_ascii_alphabetic())?;
    let (_, end) = byte(end).filter(|(mark, _)| matches!(mark, b':' | b'|'))?;
    Some((letter, end))
}

/// Returns true for a host that means this computer (RFC 8089 2).
fn is_localhost(host: &[u8]) -> bool {
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
fn check_host(host: &[u8], offset: usize) -> Result<(), FileError> {
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
fn check_share(path: &[u8], offset: usize) -> Result<(), FileError> {
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
