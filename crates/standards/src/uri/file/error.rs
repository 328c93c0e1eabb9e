//! Defines [`FileError`].

use core::fmt;

use percent_simd::SliceError;

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
    /// For the style [`Posix`](super::Style::Posix), a host other than this computer. For [`Windows`](super::Style::Windows), a host
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

pub(super) fn fault<T>(offset: usize, kind: FileErrorKind) -> Result<T, FileError> {
    Err(FileError { offset, kind })
}
