//! Defines an encoder and a function for each component of a URI.

use percent_simd::{AsBytes, Encoder, sets};

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

macro_rules! components {
    ($($(#[$about:meta])* $constant:ident $function:ident $set:ident $data:literal => $encoded:literal, $clause:literal;)*) => {$(
        $(#[$about])*
        ///
        #[doc = concat!("The set is [`sets::", stringify!($set), "`]; ", $clause, ".")]
        pub const $constant: Encoder = Encoder::new(sets::$set);

        $(#[$about])*
        ///
        #[doc = concat!("Encodes every byte that isn't in [`sets::", stringify!($set), "`], `%` included; ", $clause, ".")]
        /// Borrows if no change is needed. Never fails.
        #[doc = concat!("To append, measure or write to a slice, use the encoder [`", stringify!($constant), "`].")]
        ///
        /// # Examples
        ///
        /// ```
        /// use percent_standards::uri;
        #[doc = concat!("assert_eq!(uri::", stringify!($function), "(", stringify!($data), "), ", stringify!($encoded), ");")]
        /// ```
        #[cfg(feature = "alloc")]
        #[must_use]
        pub fn $function<I: AsBytes + ?Sized>(data: &I) -> Cow<'_, str> {
            $constant.encode(data)
        }
    )*};
}

components! {
    /// Encodes one segment of a path. A slash in the segment is data.
    ///
    /// A URI can't express `.` or `..` as data, because `%2E` means the same as `.` (6.2.2.2).
    SEGMENT encode_segment RFC3986_SEGMENT "AC/DC?" => "AC%2FDC%3F", "RFC 3986 3.3, `segment`";

    /// Encodes the first segment of a relative path. Without encoding, a colon in the segment would end a scheme.
    ///
    /// The grammar requires at least one character. But if the segment is empty, this call returns it as it is.
    SEGMENT_NZ_NC encode_segment_nz_nc RFC3986_SEGMENT_NZ_NC "12:30/x" => "12%3A30%2Fx", "RFC 3986 3.3, `segment-nz-nc`";

    /// Encodes a path. Its slashes separate segments and stay.
    PATH encode_path RFC3986_PATH "/50%/a b?" => "/50%25/a%20b%3F", "RFC 3986 3.3, `path-abempty` and its kin";

    /// Encodes a whole query. `&`, `=` and `+` stay, and so keep their meaning.
    QUERY encode_query RFC3986_QUERY "a=1&b=é#" => "a=1&b=%C3%A9%23", "RFC 3986 3.4, `query`";

    /// Encodes a name or a value of a query, including `&`, `=`, `+`, `;` and every other possible separator.
    QUERY_DATA encode_query_data RFC3986_UNRESERVED "1+1=2&c d" => "1%2B1%3D2%26c%20d", "RFC 3986 2.2 and 3.4";

    /// Encodes a fragment.
    FRAGMENT encode_fragment RFC3986_QUERY "a#b c" => "a%23b%20c", "RFC 3986 3.5, `fragment`";

    /// Encodes the userinfo before the `@`. The colon after the user's name stays.
    USERINFO encode_userinfo RFC3986_USERINFO "me:p@ss/" => "me:p%40ss%2F", "RFC 3986 3.2.1, `userinfo`";

    /// Encodes the name of a user. A colon in the name is data.
    USER encode_user RFC3986_REG_NAME "a:b@c" => "a%3Ab%40c", "RFC 3986 3.2.1, `userinfo` without `:`";

    /// Encodes a password. Every delimiter in the password is data. A colon could stay, but many programs split at the
    /// last colon.
    PASSWORD encode_password RFC3986_REG_NAME "p@ss:w/rd" => "p%40ss%3Aw%2Frd", "RFC 3986 3.2.1, `userinfo` without `:`";

    /// Encodes a host name. If a DNS name has characters above ASCII, convert it to its `xn--` form first (3.2.2).
    REG_NAME encode_reg_name RFC3986_REG_NAME "ex:[é]" => "ex%3A%5B%C3%A9%5D", "RFC 3986 3.2.2, `reg-name`";
}
