//! Defines [`UriError`], and the components that it names.

use core::fmt;

use percent_simd::SliceError;

use crate::error::positioned_error;

/// A component of a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Component {
    /// The userinfo (RFC 3986 3.2.1).
    Userinfo,
    /// The host (RFC 3986 3.2.2).
    Host,
    /// The path (RFC 3986 3.3).
    Path,
    /// The query (RFC 3986 3.4).
    Query,
    /// The fragment (RFC 3986 3.5), and the f-component of a URN.
    Fragment,
    /// The namespace specific string of a URN (RFC 8141 2.2).
    Nss,
    /// The r-component of a URN (RFC 8141 2.3.1).
    RComponent,
    /// The q-component of a URN (RFC 8141 2.3.2).
    QComponent,
}

positioned_error! {
    /// The first fault in a URI, an IRI, a URN, a part of these, a request target, or the path of a request.
    ///
    /// The message is for the author of the text. It names the place and the fault.
    UriError {
        /// The offset of the fault, in bytes of the text.
        offset
    }
    UriErrorKind {
        /// A character that this component must not contain. Percent-encode it.
        Character(component: Component) => "the character at byte {offset} is not allowed in the {component}",
        /// A `%` without two hexadecimal digits after it (RFC 3986 2.1). If the `%` is data, write `%25`.
        Escape(component: Component) =>
            "the `%` at byte {offset}, in the {component}, is not followed by two hexadecimal digits",
        /// A character before the first `:` that can't be in a scheme (RFC 3986 3.1).
        ///
        /// If the text before the `:` isn't meant as a scheme, write this `:` as `%3A`, or put `./` before the text. The
        /// first segment of a relative path must not have a colon (4.2).
        Scheme => "the character at byte {offset} is not allowed at this place in a scheme",
        /// A character of a port that isn't a digit (RFC 3986 3.2.3).
        Port => "the character at byte {offset}, in the port, is not a digit",
        /// Brackets that contain neither `IPv6address` nor `IPvFuture` (RFC 3986 3.2.2), or that aren't closed.
        IpLiteral => "the bracket at byte {offset} does not begin an IP address",
        /// A missing scheme (RFC 3986 4.3, 5.1).
        NoScheme => "the scheme is missing at byte {offset}",
        /// A fragment in an absolute URI (RFC 3986 4.3) or in a request target (RFC 9112 3.2). Neither may have one.
        Fragment => "the fragment at byte {offset} is not allowed here",
        /// A host that isn't a DNS name, or has no ASCII form (RFC 3987 3.1, `ToASCII`).
        Host => "the host at byte {offset} is not a valid name",
        /// A path of a request that doesn't begin with `/`.
        NotRooted => "the path at byte {offset} does not begin with `/`",
        /// A control character in the path of a request. It may be escaped.
        Control => "the control character at byte {offset} is not allowed in the path",
        /// A character in the path of a request that the caller has rejected. It is usually escaped.
        Rejected => "the character at byte {offset} is rejected in this path",
        /// The text doesn't begin with `urn:`, in upper or lower case (RFC 8141 2).
        NotUrn => "`urn:` is missing at byte {offset}",
        /// A missing or invalid namespace identifier (RFC 8141 2.1).
        ///
        /// A valid identifier has 2 to 32 letters, digits and hyphens, and a `:` follows it. The identifier neither begins
        /// nor ends with a hyphen.
        Nid => "there is no namespace identifier at byte {offset}",
        /// An empty component that must not be empty.
        ///
        /// This is a component of a URN (RFC 8141 2), or the host of `http` and `https` (RFC 9110 4.2.1), or of `ws`, `wss` and
        /// `ftp` in a request target.
        Empty(component: Component) => "the {component} at byte {offset} is empty",
        /// A NUL in the name of a URN (RFC 2141 2.4).
        Nul => "the byte 0 at byte {offset} is not allowed in a URN",
        /// A request target that has none of the forms that its method allows (RFC 9112 3.2).
        TargetForm => "the request target has no form that its method takes, from byte {offset} on",
        /// A character that base64 doesn't allow at this place, or the end of the text inside a group of four characters
        /// (Infra Standard 7).
        Base64 => "the base64 is malformed at byte {offset}",
        /// A mail address that lacks its local part, the `@` or the domain (RFC 6068 2). The offset is in bytes of this
        /// address.
        Address {
            /// The index of the address, from 0.
            index: usize
        } => "the address at index {index} does not have the form `local-part@domain`: see its byte {offset}",
    }
}

impl From<UriError> for SliceError<UriError> {
    fn from(error: UriError) -> Self {
        SliceError::Input(error)
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Component::Userinfo => "userinfo",
            Component::Host => "host",
            Component::Path => "path",
            Component::Query => "query",
            Component::Fragment => "fragment",
            Component::Nss => "namespace specific string",
            Component::RComponent => "r-component",
            Component::QComponent => "q-component",
        })
    }
}
