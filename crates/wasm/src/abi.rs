//! Numbers that the small module and the full module share with the JavaScript that calls them.
#![forbid(unsafe_code)]

use percent_simd::DecodeErrorKind;

/// The flags of an operation, one bit each.
pub mod flag {
    /// Encoding: writes hexadecimal digits in lower case.
    pub const LOWERCASE: u32 = 1;
    /// Encoding: writes a space as `+`. Decoding: reads `+` as a space.
    pub const PLUS: u32 = 1 << 1;
    /// Decoding: reads `+` as a space only after the first `?` of the input. With [`EACH_LINE`], only after the first `?` of
    /// each line.
    pub const PLUS_AFTER_QUERY: u32 = 1 << 2;
    /// Encoding: keeps well-formed triplets.
    pub const KEEP_TRIPLETS: u32 = 1 << 3;
    /// Decoding: a malformed `%` is an error.
    pub const STRICT: u32 = 1 << 4;
    /// The output has the same lines as the input. Encoding: keeps CR and LF. Decoding: keeps the triplets of CR and LF.
    pub const EACH_LINE: u32 = 1 << 5;
    /// Encoding: first converts all line endings to LF.
    pub const LF: u32 = 1 << 6;
    /// Encoding: first converts all line endings to CR LF.
    pub const CRLF: u32 = 1 << 7;
    /// Encoding: breaks the output into lines of at most 76 characters. Decoding: first joins the lines.
    pub const WRAP: u32 = 1 << 8;
    /// Decoding: checks if the output is UTF-8.
    pub const CHECK_UTF8: u32 = 1 << 9;
    /// Decoding: converts UTF-8 output to Latin-1 if every character allows it.
    pub const LATIN1: u32 = 1 << 10;
}

/// The outcome of an operation.
pub mod status {
    /// Success.
    pub const OK: u32 = 0;
    /// The input ends inside a triplet.
    pub const TRUNCATED: u32 = 1;
    /// A `%` is not followed by two hexadecimal digits.
    pub const NOT_HEX: u32 = 2;
    /// The input of an operation on text is not UTF-8.
    pub const INVALID_UTF8: u32 = 3;
    /// The small module can't decode this input with a set of kept bytes. The full module can.
    pub const NOT_SMALL: u32 = 4;
}

/// Means that there is no offset.
pub const NONE: usize = usize::MAX;

/// Returns the [`status`] of an error.
pub fn status_of(kind: DecodeErrorKind) -> u32 {
    match kind {
        DecodeErrorKind::Truncated => status::TRUNCATED,
        DecodeErrorKind::InvalidUtf8 => status::INVALID_UTF8,
        _ => status::NOT_HEX,
    }
}
