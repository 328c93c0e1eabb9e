//! Defines [`FileError`].

use percent_simd::SliceError;

use crate::error::positioned_error;

positioned_error! {
    /// The reason why a path has no `file:` URL, or why a URL names no path.
    FileError {
        /// The offset of the fault, in bytes of the path or the URL.
        offset
    }
    FileErrorKind {
        /// The URL doesn't start with `file:`.
        Scheme => "`file:` is missing at byte {offset}",
        /// The URL has a query. If the `?` belongs to the name of the file, write `%3F`.
        Query => "the query at byte {offset} is not allowed in the URL of a file",
        /// The URL has a fragment. If the `#` belongs to the name of the file, write `%23`. Otherwise remove the fragment
        /// first.
        Fragment => "the fragment at byte {offset} is not allowed in the URL of a file",
        /// The path isn't absolute. On Windows, `\x` and `C:x` aren't absolute either, because they depend on the current
        /// drive or on the current folder of a drive.
        Relative => "the path is not absolute: see byte {offset}",
        /// The path is in the namespace of devices, for example `\\.\COM1` or `\\?\Volume{...}\`.
        Device => "the path at byte {offset} names a device, not a file",
        /// For the style [`Posix`](super::Style::Posix), a host other than this computer. For [`Windows`](super::Style::Windows), a host
        /// that no path can have: it is empty, or has a port, a userinfo or a forbidden character.
        Host => "the host at byte {offset} is not allowed in the URL of a file",
        /// The path or URL has a host, but names no share of this host.
        Share => "the name of a share is missing at byte {offset}",
        /// A separator inside a segment: `%2F`. For Windows, also `%5C`. For Posix, also a `\` that isn't escaped.
        Separator => "the separator at byte {offset} is inside a segment",
        /// A byte 0, or `%00`. No path contains this byte.
        Nul => "the byte 0 at byte {offset} is not allowed in a path",
        /// A `%` without two hexadecimal digits after it (RFC 3986 2.1).
        Escape => "the `%` at byte {offset} is not followed by two hexadecimal digits",
        /// Text that isn't UTF-8 in a path of Windows. On a system that is not like Unix, every path must be UTF-8.
        NotUtf8 => "the path is not UTF-8 from byte {offset} on",
    }
}

impl From<FileError> for SliceError<FileError> {
    fn from(error: FileError) -> Self {
        SliceError::Input(error)
    }
}

pub(super) fn fault<T>(offset: usize, kind: FileErrorKind) -> Result<T, FileError> {
    Err(FileError { offset, kind })
}
