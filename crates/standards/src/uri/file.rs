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

mod error;
mod read;
mod write;

#[cfg(feature = "std")]
use alloc::string::String;
#[cfg(feature = "std")]
use std::path::{Path, PathBuf};

pub use error::{FileError, FileErrorKind};
pub use read::{to_path_slice, to_path_with, to_text_with};
pub use write::{from_path_slice, from_path_with};

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
