//! The functions of ECMAScript. `encodeURI` and `encodeURIComponent` work on the UTF-8 form of a string, `escape` on
//! its UTF-16 code units.

use super::ALPHANUMERIC;
use super::rfc_legacy::RFC2396_UNRESERVED;
use crate::ByteSet;

/// `; / ? : @ & = + $ , #` ([ECMA-262](https://tc39.es/ecma262/#sec-decodeuri-encodeduri)): the bytes whose triplets
/// `decodeURI` leaves as they are.
///
/// A set of what to *keep when decoding*, not of what to allow when encoding.
pub const ECMA_DECODE_URI_PRESERVE: ByteSet = ByteSet::of(b";/?:@&=+$,#");

/// ASCII word characters, `- . ! ~ * ' ( )` and `; / ? : @ & = + $ , #`
/// ([ECMA-262](https://tc39.es/ecma262/#sec-encodeuri-uri)): what `encodeURI` leaves. `%`, `[` and `]` are encoded.
pub const ECMA_ENCODE_URI: ByteSet = RFC2396_UNRESERVED.union(ECMA_DECODE_URI_PRESERVE);

/// ASCII word characters and `@ * + - . /` ([ECMA-262 Annex B](https://tc39.es/ecma262/#sec-escape-string)): what
/// `escape` leaves.
///
/// `escape` works on code units: above U+007F it writes `%XX` for Latin-1 and `%uXXXX` beyond, so bytes of UTF-8 are
/// not what it expects.
pub const ECMA_ESCAPE: ByteSet = ALPHANUMERIC.union(ByteSet::of(b"@*_+-./"));
