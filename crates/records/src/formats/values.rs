//! Looks at the values of fields, and judges if they are URLs, targets of requests, or queries.

use memchr::{memchr, memmem};

pub use super::facts::Judgement;
use super::facts::Syntax;
use super::shape::{has_escape, has_query, is_absolute, is_digits, is_host_and_path, is_one, is_plain, is_url};
use super::token::request_in;

/// The kinds of values that we look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// `http://h/x`, or another URL with a host.
    Url,
    /// `/x?y=z`, or a request line.
    Target,
    /// `a=b&c=d`
    Query,
}

/// Judges `values`, the values of a field in different records. If more than one in ten of them is not a URL, a target
/// or a query, returns `None`. Empty values and placeholders, for example `-`, don't count. A host with a port doesn't
/// count, either: logs of proxies have it as the target of `CONNECT`.
pub fn judge(values: &mut dyn Iterator<Item = &[u8]>) -> Option<Judgement> {
    let (mut all, mut urls, mut targets, mut either, mut queries) = (0, 0, 0, 0, 0);
    let (mut is_sure, mut absolute) = (false, 0);
    for value in values.filter(|value| !is_absent(value) && !is_host_and_port(value)) {
        all += 1;
        let Some((look, is_sign)) = look(value) else { continue };
        is_sure |= is_sign;
        absolute += usize::from(is_absolute(value) || is_encoded(value));
        *match look {
            Look::Url => &mut urls,
            Look::Target if value.starts_with(b"//") => &mut either,
            Look::Target => &mut targets,
            Look::Query => &mut queries,
        } += 1;
    }
    let is_most = |hits: usize| hits > 0 && 10 * hits >= 9 * all;
    let syntax = match () {
        () if is_most(queries) => Syntax::Query,
        // `//h/x` can be a reference with a host, or a target.
        () if is_most(urls + either) && urls > 0 && targets == 0 => Syntax::Reference,
        () if is_most(urls + targets + either) => Syntax::Target,
        () => return None,
    };
    let has_others = urls + targets + either + queries < all;
    Some(Judgement { syntax, is_sure, is_absolute: is_most(absolute), has_others })
}

/// Returns true if `value` is a URL, a target or a query, and has a sign that only URLs have.
pub fn is_sure(value: &[u8]) -> bool {
    judge(&mut [value].into_iter()).is_some_and(|judgement| judgement.is_sure)
}

/// Returns true for an empty value, and for a placeholder such as `-`, `"-"`, `unknown` or `(not set)`.
pub fn is_absent(value: &[u8]) -> bool {
    let words: [&[u8]; 10] = [b"", b"-", b"--", b"null", b"none", b"n/a", b"nil", b"unknown", b"undefined", b"$direct"];
    let bare = if let [b'"', inner @ .., b'"'] = value { inner } else { value };
    // Most values are longer than a placeholder.
    value.len() <= 24
        && (words.iter().any(|word| bare.eq_ignore_ascii_case(word)) || bare.starts_with(b"(") && bare.ends_with(b")"))
}

/// Returns true for a decimal number, and for a hexadecimal number after `0x`.
pub fn is_number(value: &[u8]) -> bool {
    let hex = value.strip_prefix(b"0x");
    hex.map_or(is_digits(value), |hex| hex.iter().all(u8::is_ascii_hexdigit))
}

/// Returns true if `value` is surely no URL, target or query: it has no `/`, `?`, `%`, `=` or `&`, and is a word such as `Paris`, or has a
/// byte that URLs don't have, as in `HKEY_LOCAL_MACHINE\SOFTWARE`.
pub fn is_text(value: &[u8]) -> bool {
    let is_in_word = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_-#".contains(byte);
    !value.iter().any(|byte| b"/%?=&".contains(byte)) && (!is_plain(value) || value.iter().all(is_in_word))
}

/// The folders in which Unix and macOS keep the files of programs and users.
const FOLDERS: &[&[u8]] = &[
    b"Applications", b"Library", b"System", b"Users", b"bin", b"boot", b"dev", b"etc", b"home", b"lib", b"lib64",
    b"mnt", b"opt", b"private", b"proc", b"root", b"run", b"sbin", b"srv", b"sys", b"tmp", b"usr", b"var",
];

/// Returns true for a path that starts with a folder of an operating system, such as `/usr/bin`.
pub fn is_file(path: &[u8]) -> bool {
    let mut parts = path.split(|&byte| byte == b'/');
    parts.next() == Some(b"") && parts.next().is_some_and(|folder| FOLDERS.contains(&folder))
}

/// Returns the words of `text`, of which some may be paths.
pub fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| b" \t\"'`()<>[]{}|,;=:".contains(byte))
}

/// Returns true if `word` is a path. A path of a file only counts if it has an escape.
pub fn is_path(word: &[u8]) -> bool {
    let is_absolute = word.len() > 2 && word[0] == b'/' && word[1].is_ascii_alphanumeric();
    is_absolute && !is_file(word) && !is_java_address(word) || memchr(b'/', word).is_some() && has_escape(word)
}

/// Returns the kind of `value`, or `None` if it is of no kind. The flag is true if `value` has a sign that only URLs
/// have.
fn look(value: &[u8]) -> Option<(Look, bool)> {
    // These URLs have no host. So without an escape, they are no sign that a field holds URLs, but also no reason to reject the
    // field.
    const WITHOUT_HOST: [&[u8]; 8] =
        [b"mailto:", b"tel:", b"data:", b"javascript:", b"urn:", b"about:", b"blob:", b"pkg:"];
    if is_absolute(value) {
        let start = memmem::find(value, b"://")? + 3;
        let len = value[start..].iter().position(|byte| b"/?#".contains(byte)).unwrap_or(value.len() - start);
        return (is_plain(&value[start..start + len]) && is_one(value)).then_some((Look::Url, true));
    }
    if WITHOUT_HOST.iter().any(|scheme| value.starts_with(scheme)) {
        return Some((Look::Url, has_escape(value)));
    }
    if is_java_address(value) || is_xpath(value) {
        return None;
    }
    if value.starts_with(b"/") {
        return is_plain(value).then(|| (Look::Target, has_escape(value) || has_query(value)));
    }
    let is_target = |target: &[u8]| is_url(target) || is_host_and_port(target);
    if request_in(value).is_some_and(|(target, _)| is_target(&value[target])) {
        return Some((Look::Target, true));
    }
    if !is_plain(value) {
        return None;
    }
    if is_encoded(value) {
        return Some((Look::Url, true));
    }
    if is_query(value) {
        let is_sign = has_query(value) || memchr(b'&', value).is_some() || has_escape(value);
        return Some((Look::Query, is_sign));
    }
    is_host_and_path(value).then(|| (Look::Url, has_escape(value) || has_query(value)))
}

/// Returns true for `/192.0.2.1` and for `example.com/192.0.2.1:80`, as Java writes an address.
pub fn is_java_address(text: &[u8]) -> bool {
    memchr(b'/', text).is_some_and(|at| {
        let address = &text[at + 1..];
        let is_it = |byte: &u8| byte.is_ascii_digit() || b".:".contains(byte);
        address.len() > 6 && address.iter().all(is_it) && memchr(b'.', address).is_some()
    })
}

/// Returns true for a URL that is encoded as a whole, as in `https%3A%2F%2Fh%2Fx`.
fn is_encoded(text: &[u8]) -> bool {
    let scheme = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let colon = text[scheme..].get(..9);
    scheme > 0 && colon.is_some_and(|colon| colon.eq_ignore_ascii_case(b"%3A%2F%2F"))
}

/// Returns true for the path of an element in a document, as in `//body/div[2]/a` and `/html/body`.
fn is_xpath(text: &[u8]) -> bool {
    let starts = [&b"//body/"[..], b"//html/", b"//*[", b"/html/body"];
    starts.iter().any(|start| text.starts_with(start))
}

/// Returns true for `a=b&c=d`, with or without a `?` before it, and for `?a`. Every pair must have a name.
pub fn is_query(text: &[u8]) -> bool {
    let is_in_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.~%[]$*+!".contains(byte);
    let is_pair = |pair: &[u8]| {
        let len = pair.iter().take_while(|byte| is_in_name(byte)).count();
        len > 0 && (len == pair.len() || pair[len] == b'=' && pair.get(len + 1) != Some(&b'='))
    };
    let (text, has_mark) = text.strip_prefix(b"?").map_or((text, false), |text| (text, true));
    let mut pairs = text.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty()).peekable();
    pairs.peek().is_some() && (has_mark || memchr(b'=', text).is_some()) && pairs.all(is_pair)
}

/// Returns true for `example.com:443` and for `192.0.2.1:443`.
fn is_host_and_port(text: &[u8]) -> bool {
    memchr(b':', text).is_some_and(|at| {
        let host = &text[..at];
        let is_host = host.iter().all(|&byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        is_host && memchr(b'.', host).is_some() && is_digits(&text[at + 1..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(values: &[&str]) -> Option<(Syntax, bool)> {
        judge(&mut values.iter().map(|value| value.as_bytes())).map(|judgement| (judgement.syntax, judgement.is_sure))
    }

    #[test]
    fn values_show_their_syntax() {
        for (values, expected) in [
            (&["http://h/x", "-", ""][..], Some((Syntax::Reference, true))),
            (&["https://h", "mailto:a@b"], Some((Syntax::Reference, true))),
            (&["h.example/%41"], Some((Syntax::Reference, true))),
            (&["https%3A%2F%2Fh", "HTTP%3a%2f%2fh%2fx"], Some((Syntax::Reference, true))),
            (&["%3A%2F%2Fh"], None),
            (&["//body/div[2]/a", "//*[@id='a']", "/html/body/a"], None),
            (&["//html5/a", "/html"], Some((Syntax::Target, false))),
            (&["h.example/x"], Some((Syntax::Reference, false))),
            (&["h.example:443/x?q=1"], Some((Syntax::Reference, true))),
            (&["h.example:x/y?q=1"], None),
            (&["http://h/x", "h.example:443", "192.0.2.1:443"], Some((Syntax::Reference, true))),
            (&["h.example:443"], None),
            (&["http://h/x", "12:30"], None),
            (&["GET http://h/ HTTP/1.1"], Some((Syntax::Target, true))),
            (&["/a%20b", "(not set)"], Some((Syntax::Target, true))),
            (&["/a", "/b?c=d"], Some((Syntax::Target, true))),
            (&["/usr/bin/x"], Some((Syntax::Target, false))),
            (&["/192.0.2.1", "h.example/192.0.2.1", "h/192.0.2.1:80"], None),
            (&["//192.0.2.1", "/x/192.0.2.1"], Some((Syntax::Target, false))),
            (&["/a", "http://h/b"], Some((Syntax::Target, true))),
            (&["//a/b", "http://h/b"], Some((Syntax::Reference, true))),
            (&["//a/b", "/b?c=d"], Some((Syntax::Target, true))),
            (&["GET /a HTTP/1.1"], Some((Syntax::Target, true))),
            (&["a=b&c=d"], Some((Syntax::Query, true))),
            (&["?a=%41"], Some((Syntax::Query, true))),
            (&["a=b"], Some((Syntax::Query, false))),
            (&["?a=b", "-"], Some((Syntax::Query, true))),
            (&["?a", "?b&c"], Some((Syntax::Query, true))),
            (&["?a", "?"], None),
            (&["bWFu=="], None),
            (&["a=b; c=d"], None),
            (&["/a b"], None),
            (&["http://h failed"], None),
            (&["GET /x", "CONNECT h.example:443 HTTP/1.1"], Some((Syntax::Target, true))),
            (&["GET x", "SELECT /x"], None),
            (&["get a grip"], None),
            (&["100%25"], None),
            (&["text", "http://h/x"], None),
            (&["-", "", "null"], None),
            (&[], None),
        ] {
            assert_eq!(judged(values), expected, "{values:?}");
        }
        let mut mixed = vec!["http://h/x"; 9];
        mixed.push("text");
        assert_eq!(judged(&mixed), Some((Syntax::Reference, true)));
    }
}
