//! Defines sets for functions of ECMAScript that can't be [`presets`](crate::presets): `escape` works on UTF-16 code
//! units, and `decodeURI` keeps triplets.

use super::ALPHANUMERIC;
use crate::ByteSet;

/// `; / ? : @ & = + $ , #` ([ECMA-262](https://tc39.es/ecma262/#sec-decodeuri-encodeduri)): the bytes whose triplets
/// `decodeURI` keeps.
///
/// Use this set to *keep triplets when decoding*, not to allow bytes when encoding.
pub const ECMA_DECODE_URI_PRESERVE: ByteSet = ByteSet::of(b";/?:@&=+$,#");

named_sets! {
    ECMA:

    /// ASCII word characters and `@ * + - . /` ([ECMA-262 Annex B](https://tc39.es/ecma262/#sec-escape-string)): the
    /// characters that `escape` leaves.
    ///
    /// `escape` works on UTF-16 code units. Above U+007F it writes `%XX` for Latin-1, and `%uXXXX` for all other code
    /// units. An encoder with this set encodes bytes of UTF-8, so only its output for ASCII is the same.
    ECMA_ESCAPE "ECMA-262 Annex B escape" = ALPHANUMERIC.union(ByteSet::of(b"@*_+-./"));
}
