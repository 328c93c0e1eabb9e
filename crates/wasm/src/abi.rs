//! Numbers that the caller and both modules share.
#![forbid(unsafe_code)]

use percent_simd::DecodeErrorKind;

/// The bits of the flags of an operation.
pub mod flag {
    /// Hexadecimal digits in lower case when encoding.
    pub const LOWERCASE: u32 = 1;
    /// Space to `+` when encoding, and back when decoding.
    pub const PLUS: u32 = 1 << 1;
    /// When decoding, `+` to space behind the first `?` only: of the input, or of each line with [`EACH_LINE`].
    pub const PLUS_AFTER_QUERY: u32 = 1 << 2;
    /// Leaves well-formed triplets as they are when encoding.
    pub const KEEP_TRIPLETS: u32 = 1 << 3;
    /// Refuses a malformed `%` when decoding.
    pub const STRICT: u32 = 1 << 4;
    /// Leaves CR and LF as they are when encoding, and their triplets as they are when decoding: lines stay lines.
    pub const EACH_LINE: u32 = 1 << 5;
    /// Every end of a line becomes LF before encoding.
    pub const LF: u32 = 1 << 6;
    /// Every end of a line becomes CR LF before encoding.
    pub const CRLF: u32 = 1 << 7;
    /// Breaks what was encoded into lines of 76 characters, and joins lines before decoding.
    pub const WRAP: u32 = 1 << 8;
    /// Looks whether what was decoded is UTF-8.
    pub const CHECK_UTF8: u32 = 1 << 9;
    /// Writes the result of decoding in Latin-1 where it can be.
    pub const LATIN1: u32 = 1 << 10;
}

/// How an operation ended.
pub mod status {
    /// Done.
    pub const OK: u32 = 0;
    /// The input ends inside a triplet.
    pub const TRUNCATED: u32 = 1;
    /// A `%` is not followed by two hexadecimal digits.
    pub const NOT_HEX: u32 = 2;
    /// The input of an operation on text is not UTF-8.
    pub const INVALID_UTF8: u32 = 3;
}

/// No offset.
pub const NONE: usize = usize::MAX;

/// Returns the [`status`] that tells of an error.
pub fn status_of(kind: DecodeErrorKind) -> u32 {
    match kind {
        DecodeErrorKind::Truncated => status::TRUNCATED,
        DecodeErrorKind::InvalidUtf8 => status::INVALID_UTF8,
        _ => status::NOT_HEX,
    }
}
