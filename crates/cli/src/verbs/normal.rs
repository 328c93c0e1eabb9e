//! The normal form of a value, by its syntax: a reference, the target of a request, or a query.

use std::borrow::Cow;

use percent_simd::DecodeError;
use percent_simd_records::formats::Syntax;
use percent_standards::uri::{
    Normalizer, RequestTarget, TargetForm, normalize_escapes, remove_dot_segments, sanitize_escapes,
};

/// Returns the normal form of `text`.
///
/// # Errors
///
/// Fails if a `%` starts no escape.
pub fn normalized<'a>(normalizer: &Normalizer, text: &'a str, syntax: Syntax) -> Result<Cow<'a, str>, DecodeError> {
    match syntax {
        // `C:\x` is the path of a file, so its letter is no scheme.
        Syntax::Reference if matches!(text.as_bytes(), [_, b':', b'\\', ..]) => normalize_escapes(text),
        Syntax::Reference => normalizer.normalize(text),
        Syntax::Target => normalized_target(normalizer, text),
        // A query has no host, and its dots and slashes are data. So only its escapes are normalized.
        Syntax::Query => normalize_escapes(text),
    }
}

/// Returns the normal form of `text`. Each `%` that starts no escape first becomes `%25`.
pub fn sanitized<'a>(normalizer: &Normalizer, text: &'a str, syntax: Syntax) -> Cow<'a, str> {
    if syntax == Syntax::Reference {
        return normalizer.sanitize(text);
    }
    normalized(normalizer, text, syntax).unwrap_or_else(|_| {
        let clean = sanitize_escapes(text);
        let normal = normalized(normalizer, &clean, syntax).map_or_else(|_| clean.to_string(), Cow::into_owned);
        Cow::Owned(normal)
    })
}

/// Returns the normal form of the target of a request (RFC 9112 3.2). A target that begins with `//` is a path.
fn normalized_target<'a>(normalizer: &Normalizer, text: &'a str) -> Result<Cow<'a, str>, DecodeError> {
    match RequestTarget::split(text).form() {
        TargetForm::Origin => {
            let normal = normalize_escapes(text)?;
            let target = RequestTarget::split(&normal);
            Ok(match remove_dot_segments(target.path()) {
                Cow::Borrowed(_) => normal,
                Cow::Owned(path) => Cow::Owned(path + &normal[target.bounds().path().end..]),
            })
        }
        TargetForm::Absolute => normalizer.normalize(text),
        // This target is only an authority, as in `CONNECT h:443`. We normalize it like the authority of a reference without a
        // scheme.
        TargetForm::Authority => {
            let reference = format!("//{text}");
            match Normalizer::new().normalize(&reference) {
                Ok(normal) => Ok(normal[2..].to_string().into()),
                Err(error) => Err(DecodeError::new(error.offset - 2, error.kind)),
            }
        }
        // Targets of other forms have no path, so no dot segments.
        _ => normalize_escapes(text),
    }
}
