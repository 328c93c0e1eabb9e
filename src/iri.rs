//! Door: IRIs, RFC 3987.
