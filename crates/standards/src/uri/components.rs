//! Defines an encoder, and a function that encodes, for each component of a URI.

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
        #[doc = concat!("Takes the bytes of the data and encodes all of them, `%` included, that are not in [`sets::", stringify!($set), "`]; ", $clause, ".")]
        /// Borrows where nothing changes; it cannot fail.
        #[doc = concat!("[`", stringify!($constant), "`] is the `Encoder` itself, which can also append, measure or write to a slice.")]
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
    /// Encodes one segment of a path, in which a slash is data.
    ///
    /// A segment that is `.` or `..` as data cannot be said in a URI: `%2E` means the same as `.` (6.2.2.2).
    SEGMENT encode_segment RFC3986_SEGMENT "AC/DC?" => "AC%2FDC%3F", "RFC 3986 3.3, `segment`";

    /// Encodes the first segment of a relative reference, where a colon would make a scheme of what precedes it.
    ///
    /// The grammar asks for one character at least; the empty segment stays empty.
    SEGMENT_NZ_NC encode_segment_nz_nc RFC3986_SEGMENT_NZ_NC "12:30/x" => "12%3A30%2Fx", "RFC 3986 3.3, `segment-nz-nc`";

    /// Encodes a path whose slashes separate segments.
    PATH encode_path RFC3986_PATH "/50%/a b?" => "/50%25/a%20b%3F", "RFC 3986 3.3, `path-abempty` and its kin";

    /// Encodes a whole query, in which `&`, `=` and `+` keep whatever they mean.
    QUERY encode_query RFC3986_QUERY "a=1&b=é#" => "a=1&b=%C3%A9%23", "RFC 3986 3.4, `query`";

    /// Encodes a name or a value of a query: data in which `&`, `=`, `+`, `;` and all else that may separate is
    /// encoded.
    QUERY_DATA encode_query_data RFC3986_UNRESERVED "1+1=2&c d" => "1%2B1%3D2%26c%20d", "RFC 3986 2.2 and 3.4";

    /// Encodes a fragment.
    FRAGMENT encode_fragment RFC3986_QUERY "a#b c" => "a%23b%20c", "RFC 3986 3.5, `fragment`";

    /// Encodes what precedes the `@`, in which a colon separates the user from what follows.
    USERINFO encode_userinfo RFC3986_USERINFO "me:p@ss/" => "me:p%40ss%2F", "RFC 3986 3.2.1, `userinfo`";

    /// Encodes the name of a user, in which a colon is data.
    USER encode_user RFC3986_REG_NAME "a:b@c" => "a%3Ab%40c", "RFC 3986 3.2.1, `userinfo` without `:`";

    /// Encodes a host that is a name. Names of the DNS above ASCII are better put into their `xn--` form first (3.2.2).
    REG_NAME encode_reg_name RFC3986_REG_NAME "ex:[é]" => "ex%3A%5B%C3%A9%5D", "RFC 3986 3.2.2, `reg-name`";
}
