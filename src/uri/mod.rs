//! Door: URIs, RFC 3986.
