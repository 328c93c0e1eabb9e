//! The schemes that browsers treat in a way of their own.

/// The special schemes (URL Standard 4.2). In their URLs, browsers read `\` as `/`.
pub(crate) const SPECIAL: [&str; 6] = ["http", "https", "ftp", "ws", "wss", "file"];

/// The special schemes whose URLs need a host. After these schemes, browsers accept a single slash, and skip further slashes (URL
/// Standard 4.4).
pub(super) const WITH_HOST: [&str; 5] = ["http", "https", "ftp", "ws", "wss"];

/// Returns true if `scheme` is one of `schemes`, in upper or lower case.
pub(crate) fn is_one_of(scheme: &[u8], schemes: &[&str]) -> bool {
    schemes.iter().any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()))
}
