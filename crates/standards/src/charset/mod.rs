//! Converts text in charsets other than UTF-8, with or without percent-encoding. Needs the feature `encoding`.
//!
//! A [`Charset`] converts text to bytes and back. The charsets are:
//! - all encodings of the [Encoding Standard], including multi-byte and stateful ones, through `encoding_rs`;
//! - charsets that `encoding_rs` lacks: UTF-32, US-ASCII and ISO 8859-1 as IANA defines them, and the code pages IBM037
//!   (EBCDIC), IBM437 and IBM850 (DOS).
//!
//! `encoding_rs` can only decode UTF-16. This module encodes it, too.
//!
//! These calls combine a charset with percent-encoding:
//!
//! | Call | Steps |
//! | --- | --- |
//! | [`Charset::percent_encode`], [`percent_encode_html`] | all text becomes bytes; bytes outside the set become triplets |
//! | [`Charset::percent_decode`], [`percent_decode_lossy`] | triplets become bytes; all bytes together become text |
//! | [`Charset::detect`], [`detect_lossy`] | like `percent_decode`, but bytes that are UTF-8 are read as UTF-8 |
//!
//! [`Charset::percent_encode_pieces`] and [`Charset::percent_decode_pieces`] do the same without allocation.
//!
//! Encoding converts the whole text to bytes, as RFC 3986 2.5 and the URL Standard say. Then it looks up each byte in
//! the set. So if a charset isn't a superset of US-ASCII, even characters that are in the set change: in EBCDIC, `A` is
//! the byte C1 and becomes `%C1`. `java.net.URLEncoder` leaves these characters as they are, so its output differs.
//!
//! Decoding first converts the whole string to bytes, and then converts all these bytes to text at once. Don't convert
//! unescaped text separately: in Shift_JIS, GBK or Big5, the second byte of a character may be an ASCII letter, and
//! encoders leave an ASCII letter unescaped.
//!
//! ```
//! use percent_simd::Decoder;
//! use percent_standards::charset::Charset;
//!
//! let shift_jis = Charset::for_label("sjis").unwrap();
//! assert_eq!(shift_jis.percent_decode(Decoder::new(), "%95\\%8E%A6")?, "表示"); // 95 5C, 8E A6
//! # Ok::<(), percent_simd::DecodeError>(())
//! ```
//!
//! Error handling, with the error modes of the Encoding Standard:
//!
//! | error | default | calls that end in `_html` or `_lossy` |
//! | --- | --- | --- |
//! | the charset has no bytes for a character | an error with its offset (*fatal*) | `_html`: a decimal numeric character reference (*html*) |
//! | bytes aren't a character of the charset | an error with their offset (*fatal*) | `_lossy`: U+FFFD (*replacement*) |
//!
//! This module follows the Encoding Standard at commit a985b62a9b45 of 21 May 2026, as far as `encoding_rs` 0.8.35
//! follows it.
//!
//! [Encoding Standard]: https://encoding.spec.whatwg.org/
//! [`percent_encode_html`]: Charset::percent_encode_html
//! [`percent_decode_lossy`]: Charset::percent_decode_lossy
//! [`detect_lossy`]: Charset::detect_lossy

mod builtin;
mod convert;
mod error;
mod percent;
mod pieces;
mod text;

use core::fmt;

use encoding_rs::Encoding;

use percent_simd::AsBytes;

use builtin::Builtin;
pub(crate) use builtin::Piece;
pub(crate) use convert::push_reference;
pub use error::UnmappableError;
pub use percent::Detected;

/// A charset: a mapping between characters and bytes.
///
/// Get a charset from a label of the Web ([`for_label`](Self::for_label)), from a name in IANA's registry
/// ([`for_name`](Self::for_name)), from an `encoding_rs::Encoding`, or use a constant.
///
/// # Examples
///
/// ```
/// use percent_standards::charset::Charset;
///
/// assert_eq!(Charset::for_label("latin1").unwrap().encode("100 €")?, &b"100 \x80"[..]); // windows-1252
/// let error = Charset::for_name("latin1").unwrap().encode("100 €").unwrap_err(); // ISO 8859-1 has no €
/// assert_eq!((error.offset, error.character), (4, '€'));
/// # Ok::<(), percent_standards::charset::UnmappableError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Charset(Kind);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Whatwg(&'static Encoding),
    Builtin(Builtin),
}

/// All encodings of the Encoding Standard, in the order of its tables ([4.2](https://encoding.spec.whatwg.org/#names-and-labels)).
const WHATWG: [&Encoding; 40] = [
    &encoding_rs::UTF_8_INIT,
    &encoding_rs::IBM866_INIT,
    &encoding_rs::ISO_8859_2_INIT,
    &encoding_rs::ISO_8859_3_INIT,
    &encoding_rs::ISO_8859_4_INIT,
    &encoding_rs::ISO_8859_5_INIT,
    &encoding_rs::ISO_8859_6_INIT,
    &encoding_rs::ISO_8859_7_INIT,
    &encoding_rs::ISO_8859_8_INIT,
    &encoding_rs::ISO_8859_8_I_INIT,
    &encoding_rs::ISO_8859_10_INIT,
    &encoding_rs::ISO_8859_13_INIT,
    &encoding_rs::ISO_8859_14_INIT,
    &encoding_rs::ISO_8859_15_INIT,
    &encoding_rs::ISO_8859_16_INIT,
    &encoding_rs::KOI8_R_INIT,
    &encoding_rs::KOI8_U_INIT,
    &encoding_rs::MACINTOSH_INIT,
    &encoding_rs::WINDOWS_874_INIT,
    &encoding_rs::WINDOWS_1250_INIT,
    &encoding_rs::WINDOWS_1251_INIT,
    &encoding_rs::WINDOWS_1252_INIT,
    &encoding_rs::WINDOWS_1253_INIT,
    &encoding_rs::WINDOWS_1254_INIT,
    &encoding_rs::WINDOWS_1255_INIT,
    &encoding_rs::WINDOWS_1256_INIT,
    &encoding_rs::WINDOWS_1257_INIT,
    &encoding_rs::WINDOWS_1258_INIT,
    &encoding_rs::X_MAC_CYRILLIC_INIT,
    &encoding_rs::GBK_INIT,
    &encoding_rs::GB18030_INIT,
    &encoding_rs::BIG5_INIT,
    &encoding_rs::EUC_JP_INIT,
    &encoding_rs::ISO_2022_JP_INIT,
    &encoding_rs::SHIFT_JIS_INIT,
    &encoding_rs::EUC_KR_INIT,
    &encoding_rs::REPLACEMENT_INIT,
    &encoding_rs::UTF_16BE_INIT,
    &encoding_rs::UTF_16LE_INIT,
    &encoding_rs::X_USER_DEFINED_INIT,
];

impl Charset {
    /// UTF-8 (RFC 3629).
    pub const UTF_8: Charset = Charset(Kind::Whatwg(&encoding_rs::UTF_8_INIT));
    /// UTF-16, big-endian, without byte order mark (RFC 2781).
    pub const UTF_16BE: Charset = Charset(Kind::Whatwg(&encoding_rs::UTF_16BE_INIT));
    /// UTF-16, little-endian, without byte order mark (RFC 2781).
    pub const UTF_16LE: Charset = Charset(Kind::Whatwg(&encoding_rs::UTF_16LE_INIT));
    /// UTF-32, big-endian, without byte order mark (Unicode 3.10, D99).
    pub const UTF_32BE: Charset = Charset(Kind::Builtin(Builtin::Utf32Be));
    /// UTF-32, little-endian, without byte order mark (Unicode 3.10, D100).
    pub const UTF_32LE: Charset = Charset(Kind::Builtin(Builtin::Utf32Le));
    /// US-ASCII as IANA defines it (RFC 20): only bytes below 0x80.
    pub const US_ASCII: Charset = Charset(Kind::Builtin(Builtin::UsAscii));
    /// ISO 8859-1 as IANA defines it, with control characters: the bytes are the first 256 characters of Unicode.
    ///
    /// On the Web, the label `iso-8859-1` means [`WINDOWS_1252`](Self::WINDOWS_1252).
    pub const ISO_8859_1: Charset = Charset(Kind::Builtin(Builtin::Latin1));
    /// IBM's code page 37, EBCDIC for the USA: the characters of ISO 8859-1 in another order. It is not a superset of
    /// US-ASCII.
    pub const IBM037: Charset = Charset(Kind::Builtin(Builtin::Ibm037));
    /// IBM's code page 437, of the first PCs and of DOS: US-ASCII, and 128 letters, signs and box drawings from 0x80
    /// on.
    ///
    /// ZIP archives use it for names that aren't marked as UTF-8 (PKWARE's APPNOTE.TXT, appendix D).
    pub const IBM437: Charset = Charset(Kind::Builtin(Builtin::Ibm437));
    /// IBM's code page 850, of DOS in Western Europe: US-ASCII, and from 0x80 on, the other printable characters of ISO
    /// 8859-1 and some box drawings.
    pub const IBM850: Charset = Charset(Kind::Builtin(Builtin::Ibm850));
    /// windows-1252. On the Web, the labels `latin1`, `iso-8859-1` and `us-ascii` also mean this charset (Encoding
    /// Standard 4.2).
    pub const WINDOWS_1252: Charset = Charset(Kind::Whatwg(&encoding_rs::WINDOWS_1252_INIT));
    /// ISO-2022-JP, in which escape sequences shift between sets of characters (Encoding Standard 12.2).
    pub const ISO_2022_JP: Charset = Charset(Kind::Whatwg(&encoding_rs::ISO_2022_JP_INIT));
    /// Shift_JIS (Encoding Standard 12.3).
    pub const SHIFT_JIS: Charset = Charset(Kind::Whatwg(&encoding_rs::SHIFT_JIS_INIT));
    /// EUC-JP (Encoding Standard 12.1).
    pub const EUC_JP: Charset = Charset(Kind::Whatwg(&encoding_rs::EUC_JP_INIT));
    /// EUC-KR with the extensions of Windows (Encoding Standard 13.1).
    pub const EUC_KR: Charset = Charset(Kind::Whatwg(&encoding_rs::EUC_KR_INIT));
    /// GBK (Encoding Standard 10.1).
    pub const GBK: Charset = Charset(Kind::Whatwg(&encoding_rs::GBK_INIT));
    /// gb18030 (Encoding Standard 10.2).
    pub const GB18030: Charset = Charset(Kind::Whatwg(&encoding_rs::GB18030_INIT));
    /// Big5 with the extensions of Hong Kong (Encoding Standard 11.1).
    pub const BIG5: Charset = Charset(Kind::Whatwg(&encoding_rs::BIG5_INIT));

    /// Returns the charset that `label` means on the Web (Encoding Standard 4.2, "get an encoding").
    ///
    /// The case of ASCII letters doesn't matter, and whitespace around the label is ignored. On the Web, `iso-8859-1`
    /// and `us-ascii` mean windows-1252.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// assert_eq!(Charset::for_label(" Latin1\n"), Some(Charset::WINDOWS_1252));
    /// assert_eq!(Charset::for_label("utf-32"), None);
    /// ```
    #[must_use]
    pub fn for_label<L: AsBytes + ?Sized>(label: &L) -> Option<Charset> {
        Encoding::for_label(label.as_bytes()).map(Charset::from)
    }

    /// Returns the charset called `name` in the [registry of IANA](https://www.iana.org/assignments/character-sets/).
    /// MIME, HTTP and `data:` use these names.
    ///
    /// For the names of [`US_ASCII`](Self::US_ASCII), [`ISO_8859_1`](Self::ISO_8859_1), [`IBM037`](Self::IBM037),
    /// [`IBM437`](Self::IBM437), [`IBM850`](Self::IBM850) and the two kinds of UTF-32, this returns these constants.
    /// For all other names, it does the same as [`for_label`](Self::for_label). The case of ASCII letters doesn't
    /// matter.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// assert_eq!(Charset::for_name("ISO-8859-1"), Some(Charset::ISO_8859_1));
    /// assert_eq!(Charset::for_name("ebcdic-cp-us"), Some(Charset::IBM037));
    /// assert_eq!(Charset::for_name("windows-1252"), Charset::for_label("windows-1252"));
    /// ```
    #[must_use]
    pub fn for_name<N: AsBytes + ?Sized>(name: &N) -> Option<Charset> {
        let name = name.as_bytes();
        Builtin::for_name(name).map(|charset| Charset(Kind::Builtin(charset))).or_else(|| Charset::for_label(name))
    }

    /// Returns all charsets.
    ///
    /// First come the encodings of the Encoding Standard, in the order of its tables
    /// ([4.2](https://encoding.spec.whatwg.org/#names-and-labels)). Then come the other charsets. The list includes the
    /// encoding called "replacement", which decodes only empty input. To show a charset, use [`name`](Self::name).
    /// [`for_name`](Self::for_name) accepts this name.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// assert!(Charset::all().any(|charset| charset == Charset::SHIFT_JIS));
    /// assert!(Charset::all().all(|charset| Charset::for_name(charset.name()) == Some(charset)));
    /// ```
    pub fn all() -> impl Iterator<Item = Charset> + Clone {
        WHATWG.into_iter().map(Charset::from).chain(Builtin::all().map(|charset| Charset(Kind::Builtin(charset))))
    }

    /// If `bytes` starts with a byte order mark, returns its charset, and the length of the mark.
    ///
    /// The charset is UTF-8, UTF-16BE or UTF-16LE (Encoding Standard 6, "BOM sniff"). All other calls of this
    /// module treat U+FEFF as a character.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// assert_eq!(Charset::for_bom(b"\xFE\xFF\0a"), Some((Charset::UTF_16BE, 2)));
    /// assert_eq!(Charset::for_bom(b"a"), None);
    /// ```
    #[must_use]
    pub fn for_bom<O: AsBytes + ?Sized>(bytes: &O) -> Option<(Charset, usize)> {
        Encoding::for_bom(bytes.as_bytes()).map(|(encoding, length)| (Charset::from(encoding), length))
    }

    /// Returns the name of the charset in the Encoding Standard (4.2). If the standard lacks the charset, returns
    /// IANA's preferred name.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// assert_eq!(Charset::for_label("iso-8859-1").unwrap().name(), "windows-1252");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Kind::Whatwg(encoding) => encoding.name(),
            Kind::Builtin(charset) => charset.name(),
        }
    }

    /// Returns the charset for forms and URL queries in documents that have this charset (Encoding Standard 4.3, "get
    /// an output encoding").
    ///
    /// - For UTF-16BE, UTF-16LE and the encoding "replacement", the result is UTF-8.
    /// - For UTF-32 and EBCDIC, which the standard lacks, the result is also UTF-8. In these charsets, `&` and `=`
    ///   don't have the bytes 0x26 and 0x3D that separate fields.
    /// - For every other charset, the result is the charset itself.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// assert_eq!(Charset::UTF_16LE.output_encoding(), Charset::UTF_8);
    /// assert_eq!(Charset::SHIFT_JIS.output_encoding(), Charset::SHIFT_JIS);
    /// ```
    #[must_use]
    pub fn output_encoding(self) -> Charset {
        match self.0 {
            Kind::Whatwg(encoding) => Charset::from(encoding.output_encoding()),
            Kind::Builtin(charset) if charset.is_ascii_compatible() => self,
            Kind::Builtin(_) => Charset::UTF_8,
        }
    }

    /// Returns true if every byte below 0x80 that starts a character means the same character as in US-ASCII.
    ///
    /// The result is false for UTF-16, UTF-32, IBM037, ISO-2022-JP and the encoding "replacement".
    #[must_use]
    pub fn is_ascii_compatible(self) -> bool {
        match self.0 {
            Kind::Whatwg(encoding) => encoding.is_ascii_compatible(),
            Kind::Builtin(charset) => charset.is_ascii_compatible(),
        }
    }
}

impl From<&'static Encoding> for Charset {
    fn from(encoding: &'static Encoding) -> Charset {
        Charset(Kind::Whatwg(encoding))
    }
}

impl fmt::Debug for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Charset({})", self.name())
    }
}
