//! The naive oracle: the expected outputs, computed in the slow way.

/// Encodes all but RFC 3986's unreserved characters.
pub fn encode(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

/// Decodes as the URL Standard's percent-decode does.
pub fn decode(text: &str) -> Vec<u8> {
    let mut rest = text.as_bytes();
    let mut out = Vec::new();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        match digits.and_then(|digits| std::str::from_utf8(digits).ok()) {
            Some(digits) if first == b'%' => {
                out.extend(u8::from_str_radix(digits, 16));
                rest = &after[2..];
            }
            _ => {
                out.push(first);
                rest = after;
            }
        }
    }
    out
}

/// Serialises a form in which nothing needs a `+`.
pub fn serialize(form: &[(String, String)]) -> String {
    let pairs: Vec<String> = form.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    pairs.join("&")
}
