//! Implements the rules of the URL Standard for components, one character at a time.
//!
//! It has three parts: the sets in the words of the standard (1.3), two states of the standard's parser, for paths and
//! for opaque paths (4.4), and percent-encoding after encoding (1.3).

use percent_simd::Encoder;
use percent_standards::whatwg;

/// The names of the sets in the standard. Each comes with the encoder that is tested.
pub const URL_SETS: [(&str, Encoder); 8] = [
    ("C0 control", whatwg::C0_CONTROL),
    ("fragment", whatwg::FRAGMENT),
    ("query", whatwg::QUERY),
    ("special-query", whatwg::SPECIAL_QUERY),
    ("path", whatwg::PATH),
    ("userinfo", whatwg::USERINFO),
    ("component", whatwg::COMPONENT),
    ("form", whatwg::FORM),
];

/// Returns true if the set called `set` contains the character.
fn is_in(set: &str, c: char) -> bool {
    let control = |c: char| c <= '\u{1F}' || c > '~';
    match set {
        "C0 control" => control(c),
        "fragment" => control(c) || " \"<>`".contains(c),
        "query" => control(c) || " \"#<>".contains(c),
        "special-query" => is_in("query", c) || c == '\'',
        "path" => is_in("query", c) || "?^`{}".contains(c),
        "userinfo" => is_in("path", c) || "/:;=@|".contains(c) || ('['..=']').contains(&c),
        "component" => is_in("userinfo", c) || ('$'..='&').contains(&c) || "+,".contains(c),
        "form" => is_in("component", c) || "!~".contains(c) || ('\''..=')').contains(&c),
        _ => unreachable!(),
    }
}

fn push_encoded(out: &mut String, set: &str, c: char) {
    match c {
        ' ' if set == "form" => out.push('+'),
        _ if is_in(set, c) => {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_triplet(out, byte));
        }
        _ => out.push(c),
    }
}

fn push_triplet(out: &mut String, byte: u8) {
    out.extend([
        '%',
        percent_simd_oracle::hex_digit(byte / 16, false).into(),
        percent_simd_oracle::hex_digit(byte % 16, false).into(),
    ]);
}

/// Percent-encodes `text` in UTF-8 with the set called `set`. With the set for forms, a space becomes `+`.
pub fn url_encode(set: &str, text: &str) -> String {
    let mut out = String::new();
    text.chars().for_each(|c| push_encoded(&mut out, set, c));
    out
}

/// A part of an encoded text.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Bytes of the charset.
    Bytes(Vec<u8>),
    /// A code point that the charset lacks.
    Error(u32),
}

/// Percent-encodes the output of an encoder with the set called `set` ("percent-encode after encoding").
pub fn url_encode_parts(set: &str, parts: impl IntoIterator<Item = Part>) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Error(code_point) => out += &format!("%26%23{code_point}%3B"),
            Part::Bytes(bytes) => {
                for byte in bytes {
                    if byte.is_ascii() {
                        push_encoded(&mut out, set, byte.into());
                    } else {
                        push_triplet(&mut out, byte);
                    }
                }
            }
        }
    }
    out
}

/// Returns true if the scheme is special. Pass the scheme in lower case.
pub fn is_special_scheme(scheme: &str) -> bool {
    ["ftp", "file", "http", "https", "ws", "wss"].contains(&scheme)
}

/// Returns the number of dots in a single-dot or a double-dot URL path segment (4.1). For any other segment, returns
/// `None`.
pub fn url_dots(segment: &str) -> Option<usize> {
    match segment.to_lowercase().replace("%2e", ".").as_str() {
        "." => Some(1),
        ".." => Some(2),
        _ => None,
    }
}

/// Runs the path start state and the path state on a path. Pass the scheme in lower case.
pub fn url_path(scheme: &str, input: &str) -> String {
    let special = is_special_scheme(scheme);
    let is_slash = |c: char| c == '/' || special && c == '\\';
    let is_drive = |s: &str, second: &str| {
        let c: Vec<char> = s.chars().take(3).collect();
        c.len() == 2 && c[0].is_ascii_alphabetic() && second.contains(c[1])
    };
    if !special && input.is_empty() {
        return String::new();
    }
    let input = input.strip_prefix(is_slash).unwrap_or(input);
    let mut path: Vec<String> = Vec::new();
    let mut buffer = String::new();
    for c in input.chars().map(Some).chain([None]) {
        if let Some(c) = c.filter(|&c| !is_slash(c)) {
            push_encoded(&mut buffer, "path", c);
            continue;
        }
        match url_dots(&buffer) {
            Some(dots) => {
                // "Shorten" keeps a drive letter.
                let keeps_drive = scheme == "file" && path.len() == 1 && is_drive(&path[0], ":");
                if dots == 2 && !keeps_drive {
                    path.pop();
                }
                if c.is_none() {
                    path.push(String::new());
                }
            }
            None => {
                if scheme == "file" && path.is_empty() && is_drive(&buffer, ":|") {
                    buffer.replace_range(1..2, ":");
                }
                path.push(buffer.clone());
            }
        }
        buffer.clear();
    }
    path.iter().map(|segment| format!("/{segment}")).collect()
}

/// Runs the opaque path state on a path. If a `?` or `#` follows the path, `is_followed` is true.
pub fn url_opaque_path(input: &str, is_followed: bool) -> String {
    let mut out = String::new();
    let mut rest = input.chars().peekable();
    while let Some(c) = rest.next() {
        if c == ' ' && rest.peek().is_none() && is_followed {
            out += "%20";
        } else {
            push_encoded(&mut out, "C0 control", c);
        }
    }
    out
}
