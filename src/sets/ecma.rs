//! Sets of the functions of ECMAScript that are no [`presets`](crate::presets): `escape` works on UTF-16 code units, and `decodeURI`
//! keeps triplets.

use super::ALPHANUMERIC;
use crate::ByteSet;

/// `; / ? : @ & = + $ , #` ([ECMA-262](https://tc39.es/ecma262/#sec-decodeuri-encodeduri)): the bytes whose triplets
/// `decodeURI` leaves as they are.
///
/// A set of what to *keep when decoding*, not of what to allow when encoding.
pub const ECMA_DECODE_URI_PRESERVE: ByteSet = ByteSet::of(b";/?:@&=+$,#");

named_sets! {
    ECMA:

    /// ASCII word characters and `@ * + - . /` ([ECMA-262 Annex B](https://tc39.es/ecma262/#sec-escape-string)): what
    /// `escape` leaves.
    ///
    /// `escape` works on code units: above U+007F it writes `%XX` for Latin-1 and `%uXXXX` beyond, so bytes of UTF-8 are
    /// not what it expects.
    ECMA_ESCAPE "ECMA-262 Annex B escape" = ALPHANUMERIC.union(ByteSet::of(b"@*_+-./"));
}
