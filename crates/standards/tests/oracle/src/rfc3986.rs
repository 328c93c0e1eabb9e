//! Implements RFC 3986 Appendix B, 5.2, 5.3 and 6.2 with simple code on strings.

use percent_simd::ByteSet;
use percent_standards::uri::{Equivalence, Level};

use percent_simd_oracle::{has, triplet};

/// The components of a reference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Naive {
    /// The text before the first `:`.
    pub scheme: Option<String>,
    /// The text after `//`.
    pub authority: Option<String>,
    /// The path, which is never absent, but may be empty.
    pub path: String,
    /// The text after `?`.
    pub query: Option<String>,
    /// The text after `#`.
    pub fragment: Option<String>,
}

fn is_unreserved(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~".contains(c)
}

pub(crate) fn is_scheme(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

/// Splits a reference as in Appendix B. Cuts off the last component first.
pub fn naive_split(text: &str) -> Naive {
    let cut = |text: &str, at: char| match text.split_once(at) {
        Some((before, after)) => (before.to_string(), Some(after.to_string())),
        None => (text.to_string(), None),
    };
    let (rest, fragment) = cut(text, '#');
    let (rest, query) = cut(&rest, '?');
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if !scheme.is_empty() && !scheme.contains('/') => (Some(scheme.to_string()), rest),
        _ => (None, &rest[..]),
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let (authority, path) = cut(rest, '/');
            (Some(authority), path.map(|path| format!("/{path}")).unwrap_or_default())
        }
        None => (None, rest.to_string()),
    };
    Naive { scheme, authority, path, query, fragment }
}

/// Joins the components as in 5.3.
pub fn naive_recompose(uri: &Naive) -> String {
    let mut result = String::new();
    if let Some(scheme) = &uri.scheme {
        result += scheme;
        result += ":";
    }
    if let Some(authority) = &uri.authority {
        result += "//";
        result += authority;
    }
    result += &uri.path;
    if let Some(query) = &uri.query {
        result += "?";
        result += query;
    }
    if let Some(fragment) = &uri.fragment {
        result += "#";
        result += fragment;
    }
    result
}

/// Removes dot segments as in 5.2.4.
pub fn naive_remove_dot_segments(path: &str) -> String {
    let (mut input, mut output) = (path, String::new());
    while !input.is_empty() {
        if let Some(rest) = input.strip_prefix("../").or(input.strip_prefix("./")) {
            input = rest;
        } else if input.starts_with("/./") {
            input = &input[2..];
        } else if input == "/." {
            input = "/";
        } else if input.starts_with("/../") || input == "/.." {
            input = if input == "/.." { "/" } else { &input[3..] };
            output.truncate(output.rfind('/').unwrap_or(0));
        } else if input == "." || input == ".." {
            input = "";
        } else {
            let from = usize::from(input.starts_with('/'));
            let end = input[from..].find('/').map_or(input.len(), |at| at + from);
            output += &input[..end];
            input = &input[end..];
        }
    }
    output
}

/// Removes dot segments as in 5.2.4, but counts `%2E` as a dot (6.2.2.2).
pub fn naive_remove_decoded_dot_segments(path: &str) -> String {
    naive_remove_dot_segments(&with_plain_dots(path))
}

/// Returns the path, and writes `%2E` as a dot in its dot segments.
fn with_plain_dots(path: &str) -> String {
    let plain = |segment: &str| match &*segment.to_lowercase().replace("%2e", ".") {
        dots @ ("." | "..") => dots.to_string(),
        _ => segment.to_string(),
    };
    path.split('/').map(plain).collect::<Vec<_>>().join("/")
}

/// Removes some `.` segments from a relative path: the ones that have no effect with any base.
fn naive_relative(path: &str) -> String {
    let path = with_plain_dots(path);
    let mut kept: Vec<&str> = path.split('/').filter(|&segment| segment != ".").collect();
    if path == "." || path.ends_with("/.") {
        kept.push("");
    }
    let left = kept.join("/");
    let is_led = path == "." || path.starts_with("./");
    let first = left.split('/').next().unwrap();
    if is_led && (left.is_empty() || left.starts_with('/') || first.contains(':')) { format!("./{left}") } else { left }
}

/// If a path would be read as an authority, puts `/.` before it.
fn naive_guard(uri: &mut Naive) {
    if uri.authority.is_none() && uri.path.starts_with("//") {
        uri.path.insert_str(0, "/.");
    }
}

/// Resolves a reference as in 5.2.2.
pub fn naive_resolve(base: &str, reference: &str, remove: fn(&str) -> String) -> String {
    let (base, r) = (naive_split(base), naive_split(reference));
    let mut t = r.clone();
    if let Some(scheme) = &r.scheme {
        if is_scheme(scheme) {
            t.path = remove(&r.path);
        }
    } else {
        if r.authority.is_some() {
            t.path = remove(&r.path);
        } else {
            if r.path.is_empty() {
                t.path = base.path.clone();
                t.query = r.query.or(base.query);
            } else if r.path.starts_with('/') {
                t.path = remove(&r.path);
            } else {
                let merged = if base.authority.is_some() && base.path.is_empty() {
                    format!("/{}", r.path)
                } else {
                    format!("{}{}", &base.path[..base.path.rfind('/').map_or(0, |at| at + 1)], r.path)
                };
                t.path = remove(&merged);
            }
            t.authority = base.authority;
        }
        t.scheme = base.scheme;
    }
    t.fragment = r.fragment;
    naive_guard(&mut t);
    naive_recompose(&t)
}

/// Returns the value of a hexadecimal digit.
pub fn hex(c: char) -> Option<u32> {
    "0123456789abcdef".find(c.to_ascii_lowercase()).map(|value| value as u32)
}

/// A character, or a triplet with its byte.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Item {
    Char(char),
    Byte(char),
}

/// Splits text into characters and triplets.
fn items(text: &str) -> Vec<Item> {
    let chars: Vec<char> = text.chars().collect();
    let (mut items, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        let digits = || Some((hex(*chars.get(at + 1)?)?, hex(*chars.get(at + 2)?)?));
        match digits().filter(|_| chars[at] == '%') {
            Some((high, low)) => {
                items.push(Item::Byte(char::from_u32(high * 16 + low).unwrap()));
                at += 3;
            }
            None => {
                items.push(Item::Char(chars[at]));
                at += 1;
            }
        }
    }
    items
}

fn written(items: &[Item]) -> String {
    let mut text = String::new();
    for item in items {
        match item {
            Item::Char(c) => text.push(*c),
            Item::Byte(c) => text += &format!("%{:02X}", *c as u32),
        }
    }
    text
}

/// Returns the offset of the first `%` that starts no triplet.
pub fn first_malformed(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    (0..bytes.len()).find(|&at| {
        let is_hex = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_hexdigit());
        bytes[at] == b'%' && !(is_hex(at + 1) && is_hex(at + 2))
    })
}

/// Normalizes the escapes of the text.
pub fn naive_escapes(text: &str) -> String {
    let decoded: Vec<Item> = items(text)
        .into_iter()
        .map(|item| match item {
            Item::Byte(c) if is_unreserved(c) => Item::Char(c),
            item => item,
        })
        .collect();
    written(&decoded)
}

fn naive_lower(text: &str) -> String {
    let lower: Vec<Item> = items(text)
        .into_iter()
        .map(|item| match item {
            Item::Char(c) => Item::Char(c.to_ascii_lowercase()),
            item => item,
        })
        .collect();
    written(&lower)
}

/// Returns the userinfo, the host and the port.
pub fn naive_authority(authority: &str) -> (Option<String>, String, Option<String>) {
    let (userinfo, rest) = match authority.rsplit_once('@') {
        Some((userinfo, rest)) => (Some(userinfo.to_string()), rest),
        None => (None, authority),
    };
    // A list of hosts has commas: "a,[::1]:80".
    let mut start = 0;
    loop {
        let host = &rest[start..];
        let end = start + if host.starts_with('[') { host.find(']').unwrap_or(host.len()) } else { 0 };
        match rest[end..].split_once([':', ',']) {
            Some((_, after)) if rest[..rest.len() - after.len()].ends_with(',') => start = rest.len() - after.len(),
            Some((_, port)) => {
                return (userinfo, rest[..rest.len() - port.len() - 1].to_string(), Some(port.to_string()));
            }
            None => return (userinfo, rest.to_string(), None),
        }
    }
}

/// Normalizes each component as in 6.2.2 and 6.2.3, up to `level`. A malformed `%` is an ordinary character.
fn naive_parts(text: &str, level: Level) -> Naive {
    let mut uri = naive_split(text);
    let escapes = |text: &str| match level {
        Level::Simple => text.to_string(),
        Level::Case => written(&items(text)),
        _ => naive_escapes(text),
    };
    if let Some(name) = uri.scheme.as_deref().filter(|name| !is_scheme(name)) {
        // This text isn't a reference, so all text after the colon is one component.
        return Naive { path: escapes(&text[name.len() + 1..]), scheme: Some(name.into()), ..Naive::default() };
    }
    uri.scheme = uri.scheme.map(|name| name.to_lowercase());
    uri.authority = uri.authority.map(|authority| {
        let (userinfo, host, port) = naive_authority(&authority);
        let zone = host.find("%25").filter(|_| host.starts_with('[')).unwrap_or(host.len());
        let host = format!("{}{}", naive_lower(&escapes(&host[..zone])), escapes(&host[zone..]));
        let default = match uri.scheme.as_deref() {
            Some("http" | "ws") => "80",
            Some("https" | "wss") => "443",
            Some("ftp") => "21",
            _ => "",
        };
        let port = port.map(|port| escapes(&port));
        let is_default = |port: &str| !default.is_empty() && port.trim_start_matches('0') == default;
        // Without a host, browsers read `http:///x` otherwise than `http://:/x`.
        let keeps = host.is_empty();
        let port = port.filter(|port| keeps || level < Level::PathSegment || !port.is_empty());
        let port = port.filter(|port| keeps || level < Level::Scheme || !is_default(port));
        let userinfo = userinfo.map(|userinfo| escapes(&userinfo) + "@").unwrap_or_default();
        userinfo + &host + &port.map(|port| format!(":{port}")).unwrap_or_default()
    });
    uri.path = escapes(&uri.path);
    if level >= Level::PathSegment {
        let waits = uri.scheme.is_none() && !uri.path.starts_with('/');
        uri.path = if waits { naive_relative(&uri.path) } else { naive_remove_dot_segments(&uri.path) };
    }
    if level >= Level::Scheme && uri.authority.is_some() && uri.path.is_empty() {
        uri.path = "/".into();
    }
    uri.query = uri.query.map(|query| escapes(&query));
    uri.fragment = uri.fragment.map(|fragment| escapes(&fragment));
    uri
}

/// Normalizes as in 6.2.2 and 6.2.3, up to `level`. A malformed `%` is an ordinary character.
pub fn naive_normalize(text: &str, level: Level) -> String {
    let mut uri = naive_parts(text, level);
    if uri.scheme.as_deref().is_none_or(is_scheme) {
        naive_guard(&mut uri);
    }
    naive_recompose(&uri)
}

/// Compares as in 6.2.1 to 6.2.3. If only escapes of reserved characters differ, or if a `%` is malformed, the answer
/// is `Unknown`.
pub fn naive_equivalent(a: &str, b: &str, level: Level) -> Equivalence {
    if a == b {
        return Equivalence::Equivalent;
    }
    if level == Level::Simple {
        return Equivalence::Different;
    }
    let (x, y) = (naive_parts(a, level), naive_parts(b, level));
    if x == y {
        let malformed = first_malformed(a).is_some() || first_malformed(b).is_some();
        return if malformed { Equivalence::Unknown } else { Equivalence::Equivalent };
    }
    // Returns each part as bytes. Triplets that normalizing kept are decoded.
    let loose = |uri: &Naive| {
        let bytes = |text: &str| {
            let byte = |item: &Item| match item {
                Item::Char(c) => c.to_string().into_bytes(),
                Item::Byte(c) => vec![*c as u32 as u8],
            };
            items(text).iter().flat_map(byte).collect::<Vec<u8>>()
        };
        let authority = uri.authority.as_deref().map(|authority| {
            let (userinfo, host, port) = naive_authority(authority);
            // Only a host that starts with a raw bracket has a zone. An escaped bracket isn't a delimiter (2.2).
            let zone = host.find("%25").filter(|_| host.starts_with('[')).unwrap_or(host.len());
            let (host, zone) = host.split_at(zone);
            (userinfo.map(|u| bytes(&u)), bytes(host), bytes(zone), port.map(|p| bytes(&p)))
        });
        let optional = |text: &Option<String>| text.as_deref().map(bytes);
        (uri.scheme.clone(), authority, bytes(&uri.path), optional(&uri.query), optional(&uri.fragment))
    };
    if level >= Level::PercentEncoding && loose(&x) == loose(&y) {
        Equivalence::Unknown
    } else {
        Equivalence::Different
    }
}

/// Writes each `%` that starts no triplet as `%25`.
pub fn naive_sanitized(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let starts = |at: usize| chars.get(at + 1..at + 3).is_some_and(|two| two.iter().all(char::is_ascii_hexdigit));
    let mut out = String::new();
    for (at, &c) in chars.iter().enumerate() {
        out.push(c);
        if c == '%' && !starts(at) {
            out += "25";
        }
    }
    out
}

/// Normalizes the path of a request. Escapes the characters that a path can't contain. `path` must have no control
/// characters.
pub fn naive_request_path(path: &str) -> String {
    let mut escaped = String::new();
    for c in naive_sanitized(path).chars() {
        if is_unreserved(c) || "!$&'()*+,;=:@/%".contains(c) {
            escaped.push(c);
        } else {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| escaped += &format!("%{byte:02X}"));
        }
    }
    naive_remove_dot_segments(&naive_escapes(&escaped))
}

/// Requotes a component that may contain the characters in `allowed`. The characters in `protected` stay as they are
/// written.
pub fn naive_requote(text: &str, allowed: ByteSet, protected: ByteSet) -> String {
    let stands = |byte: u8| byte.is_ascii() && byte != b'%' && has(allowed, byte);
    let (bytes, mut out) = (text.as_bytes(), String::new());
    let mut at = 0;
    while at < bytes.len() {
        let (byte, is_triplet) = triplet(&bytes[at..]).map_or((bytes[at], false), |byte| (byte, true));
        let decodes = is_triplet && stands(byte) && !has(protected, byte);
        if decodes || !is_triplet && stands(byte) {
            out.push(byte.into());
        } else {
            out += &format!("%{byte:02X}");
        }
        at += if is_triplet { 3 } else { 1 };
    }
    out
}
