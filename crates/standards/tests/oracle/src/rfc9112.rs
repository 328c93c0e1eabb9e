//! Splits the target of a request (RFC 9112 3.2) with simple code on strings.

use percent_standards::uri::{RequestTarget, TargetForm};

use crate::rfc3986::{is_scheme, naive_authority};

/// The components of a request target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaiveTarget {
    /// One of the four forms, or `Invalid`.
    pub form: TargetForm,
    /// The text before the `:`, in absolute-form.
    pub scheme: Option<String>,
    /// The text after `//` in absolute-form. In authority-form, the whole target.
    pub authority: Option<String>,
    /// The path, which is never absent, but may be empty.
    pub path: String,
    /// The text after the first `?`.
    pub query: Option<String>,
}

/// Splits a target. Doesn't know the method of the request.
pub fn naive_target(text: &str) -> NaiveTarget {
    let (before, query) = match text.split_once('?') {
        Some((before, query)) => (before, Some(query.to_string())),
        None => (text, None),
    };
    let plain =
        |form| NaiveTarget { form, scheme: None, authority: None, path: before.to_string(), query: query.clone() };
    if text.starts_with('/') {
        return plain(TargetForm::Origin);
    }
    if text == "*" {
        return NaiveTarget { path: String::new(), ..plain(TargetForm::Asterisk) };
    }
    // `uri-host ":" port`
    let (user, host, port) = naive_authority(text);
    let is_number = port.is_some_and(|port| !port.is_empty() && port.chars().all(|c| c.is_ascii_digit()));
    let name = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(&host);
    if user.is_none() && is_number && !name.is_empty() && !name.contains(['/', '?', '#', '[', ']']) {
        let authority = Some(text.to_string());
        return NaiveTarget { authority, path: String::new(), ..plain(TargetForm::Authority) };
    }
    let Some((scheme, rest)) = before.split_once(':').filter(|(scheme, _)| is_scheme(scheme)) else {
        return plain(TargetForm::Invalid);
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let (authority, path) = rest.split_at(rest.find(['/', '#']).unwrap_or(rest.len()));
            (Some(authority.to_string()), path)
        }
        None => (None, rest),
    };
    NaiveTarget { scheme: Some(scheme.into()), authority, path: path.into(), ..plain(TargetForm::Absolute) }
}

/// Asserts that a target is split as [`naive_target`] splits it, that the offsets of its components are right, and that
/// its components join to the target.
#[track_caller]
pub fn assert_target(text: &str) {
    let (target, naive) = (RequestTarget::split(text), naive_target(text));
    let part = |part: Option<&str>| part.map(str::to_string);
    let got = NaiveTarget {
        form: target.form(),
        scheme: part(target.scheme()),
        authority: part(target.authority()),
        path: target.path().into(),
        query: part(target.query()),
    };
    assert_eq!(got, naive, "{text:?}");
    let bounds = target.bounds();
    let (scheme, authority, query) = (bounds.scheme(), bounds.authority(), bounds.query());
    assert_eq!(&text[bounds.path()], naive.path, "{text:?}");
    assert_eq!(
        [&scheme, &authority, &query].map(|range| range.clone().map(|range| text[range].to_string())),
        [naive.scheme.clone(), naive.authority.clone(), naive.query.clone()]
    );
    // Join the components with the delimiters of this form.
    let scheme = naive.scheme.map(|scheme| scheme + if naive.authority.is_some() { "://" } else { ":" });
    let query = naive.query.map(|query| format!("?{query}"));
    let star = if naive.form == TargetForm::Asterisk { "*" } else { "" };
    let parts = [scheme.as_deref(), naive.authority.as_deref(), Some(&naive.path), query.as_deref(), Some(star)];
    assert_eq!(parts.into_iter().flatten().collect::<String>(), text);
    // Only absolute-form and authority-form have a host.
    let may_have_host = matches!(naive.form, TargetForm::Absolute | TargetForm::Authority);
    assert!(may_have_host || target.authority_parts().is_none(), "{text:?}");
    assert!(!text.starts_with('/') || target.form() == TargetForm::Origin, "{text:?}");

    assert_eq!(target.segments().map(|part| part.raw()).collect::<Vec<_>>().join("/"), target.path());
    let pairs = target.query_pairs().flat_map(|pair| [Some(pair.name), pair.value]).flatten();
    for part in target.segments().chain(pairs) {
        assert_eq!(&text[part.offset()..][..part.raw().len()], part.raw(), "{text:?}");
    }
}
