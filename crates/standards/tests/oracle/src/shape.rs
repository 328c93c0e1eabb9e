//! Compares the shapes of references: their components, and how many segments and parameters they have.

use percent_simd::Decoder;
use percent_standards::uri::{self, Uri};

/// The part of the shape that an operation must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// The whole shape.
    All,
    /// The shape without dot segments and without the `:` of an empty port (RFC 3986 6.2.2.3, 3.2.3).
    BySyntax,
    /// The shape without dot segments, without the `:` of an empty port, and without the default port. An empty path
    /// after an authority may become `/` (6.2.3).
    ByScheme,
}

/// Returns true if the text has a valid scheme (RFC 3986 3.1).
pub fn has_scheme(text: &str) -> bool {
    Uri::split(text).scheme.is_some_and(|scheme| Uri::parse(&format!("{scheme}:")).is_ok())
}

/// Asserts that `after` has the same components as `before`, and as many segments and parameters as `before`.
#[track_caller]
pub fn assert_keeps_shape(operation: &str, before: &str, after: &str, keeps: Keeps) {
    let has_dots = uri::remove_dot_segments(Uri::split(before).path) != Uri::split(before).path;
    let shape = |text| {
        let uri = Uri::split(text);
        let has = [uri.scheme.is_some(), uri.authority.is_some(), uri.query.is_some(), uri.fragment.is_some()];
        let authority = uri.authority_parts().map(|parts| {
            let port = parts.port.filter(|port| match keeps {
                _ if parts.host.is_empty() => true,
                Keeps::All => true,
                Keeps::BySyntax => !port.is_empty(),
                Keeps::ByScheme => !port.is_empty() && !is_default_port(uri.scheme, port),
            });
            (parts.userinfo.is_some(), port.is_some())
        });
        let root = keeps == Keeps::ByScheme && uri.authority.is_some() && uri.path.is_empty();
        let segments = uri.segments().count() + usize::from(root);
        let segments = (keeps == Keeps::All || !has_dots).then_some(segments);
        (has_scheme(text), has, authority, segments, uri.query.map(|query| uri::query_pairs(query).count()))
    };
    assert_eq!(shape(after), shape(before), "{operation}: {before:?} became {after:?}");
}

fn is_default_port(scheme: Option<&str>, port: &str) -> bool {
    let port = Decoder::new().decode_utf8_lossy(port);
    let default = scheme.and_then(uri::default_port).map(|port| port.to_string());
    default.is_some_and(|default| default == port.trim_start_matches('0'))
}
