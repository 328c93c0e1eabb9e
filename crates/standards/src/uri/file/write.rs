//! Writes the URL of a path.

use alloc::string::String;

use memchr::memchr;

use percent_simd::{AsBytes, OutputTooSmall, SliceError};

use super::Style;
use super::error::{FileError, FileErrorKind, fault};
use super::read::{check_host, check_share, cut, drive, is_localhost};
use crate::memory;
use crate::uri::pieces::into_text;
use crate::uri::{PATH, REG_NAME};

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
        let host = REG_NAME.encoded_len(self.host).unwrap_or(max);
        let lens = self.segments().map(|segment| PATH.encoded_len(segment).map_or(max, |len| len.saturating_add(1)));
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
        at += REG_NAME.encode_slice(self.host, &mut out[at..])?.len();
        for (number, segment) in self.segments().enumerate() {
            if number > 0 {
                *out.get_mut(at).ok_or(too_small)? = b'/';
                at += 1;
            }
            at += PATH.encode_slice(segment, &mut out[at..])?.len();
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
