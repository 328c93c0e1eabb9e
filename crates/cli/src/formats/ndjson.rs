//! NDJSON: strings in an object a line, chosen by JSON pointer (RFC 6901), with `*` for all at a place.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use super::{CONTROLS, Choice, ExtraField, Field, Format, Kind, Layout, Rule, Wrap};
use crate::records::Framing;

/// Where logs in JSON have URLs, for those who name no field: nginx, Cloudflare, Fastly, Akamai, Elastic.
const USUAL: [&str; 18] = [
    "/url",
    "/uri",
    "/path",
    "/request",
    "/request_uri",
    "/http_referer",
    "/referer",
    "/referrer",
    "/requestUrl",
    "/ClientRequestURI",
    "/ClientRequestReferer",
    "/ClientRequestPath",
    "/reqPath",
    "/queryStr",
    "/httpRequest/requestUrl",
    "/httpRequest/referer",
    "/url/original",
    "/http/request/referrer",
];

/// Pointers are looked for together, one bit each.
const MOST: usize = 64;

pub struct Ndjson {
    /// Each pointer's parts.
    pointers: Vec<Vec<String>>,
    names: Vec<String>,
    rules: [Rule; 1],
}

impl Ndjson {
    pub fn new(choice: &Choice) -> Result<Ndjson, String> {
        let names: Vec<String> =
            if choice.fields.is_empty() { USUAL.map(String::from).to_vec() } else { choice.fields.clone() };
        if names.len() > MOST {
            return Err(format!("pct: {} pointers are too many; {MOST} can be looked for at once", names.len()));
        }
        let pointers = names.iter().map(|name| parts(name)).collect::<Result<_, _>>()?;
        let names = names.iter().map(|name| name.rsplit('/').next().unwrap_or_default().to_string()).collect();
        Ok(Ndjson { pointers, names, rules: [Rule { keep: CONTROLS, wrap: Wrap::Json, query: false }] })
    }
}

/// The parts of a pointer; a name without a slash is that of a member.
fn parts(pointer: &str) -> Result<Vec<String>, String> {
    let inner = pointer.strip_prefix('/').unwrap_or(pointer);
    let unescaped = |part: &str| {
        let plain = part.replace("~0", "").replace("~1", "");
        match plain.contains('~') {
            true => Err(format!("pct: `{pointer}` is no JSON pointer: after a ~ comes 0 or 1 (RFC 6901 3)")),
            false => Ok(part.replace("~1", "/").replace("~0", "~")),
        }
    };
    inner.split('/').map(unescaped).collect()
}

/// An object or array that the scan is in.
struct Level {
    is_array: bool,
    /// Which pointers lead here, and which to the value that comes next.
    here: u64,
    next: u64,
    index: usize,
}

struct Scan<'a> {
    json: &'a Ndjson,
    text: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn skip_space(&mut self) -> Option<u8> {
        while let b' ' | b'\t' | b'\r' | b'\n' = *self.text.get(self.at)? {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    /// The string that starts here, without its quotes.
    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at + 1;
        let len = super::quote(self.text.get(start..)?)?;
        self.at = start + len + 1;
        Some(start..start + len)
    }

    /// Passes over a number or a word.
    fn word(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        let len = rest.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'.' | b'+' | b'-'));
        let len = len.unwrap_or(rest.len());
        self.at += len;
        (len > 0).then_some(())
    }

    /// Passes over the object or array that starts here.
    fn pass(&mut self) -> Option<()> {
        let mut open = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.iter().position(|byte| matches!(byte, b'"' | b'{' | b'[' | b'}' | b']'))?;
            match self.text[self.at] {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' => open.push(b'}'),
                b'[' => open.push(b']'),
                close => {
                    if open.pop() != Some(close) {
                        return None;
                    }
                }
            }
            self.at += 1;
            if open.is_empty() {
                return Some(());
            }
        }
    }

    /// The pointers of `mask` whose part at `depth` fits.
    fn fitting(&self, mask: u64, depth: usize, fits: impl Fn(&str) -> bool) -> u64 {
        let mut fitting = 0;
        let mut rest = mask;
        while rest != 0 {
            let pointer = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.json.pointers[pointer].get(depth).is_some_and(|part| part == "*" || fits(part)) {
                fitting |= 1 << pointer;
            }
        }
        fitting
    }

    /// The first pointer of `mask` that ends at `depth`.
    fn ending(&self, mask: u64, depth: usize) -> Option<usize> {
        (0..self.json.pointers.len()).find(|&at| mask >> at & 1 == 1 && self.json.pointers[at].len() == depth)
    }

    fn key(&mut self, mask: u64, depth: usize) -> Option<u64> {
        let range = self.string()?;
        let raw = &self.text[range.clone()];
        let key: Cow<[u8]> = match memchr::memchr(b'\\', raw) {
            None => Cow::Borrowed(raw),
            Some(_) => {
                let quoted = &self.text[range.start - 1..range.end + 1];
                Cow::Owned(serde_json::from_slice::<String>(quoted).ok()?.into_bytes())
            }
        };
        Some(self.fitting(mask, depth, |part| part.as_bytes() == &*key))
    }

    /// The fields; `None` where this is no JSON.
    fn run(&mut self, fields: &mut Vec<Field>) -> Option<()> {
        let all = if self.json.pointers.len() == MOST { u64::MAX } else { (1 << self.json.pointers.len()) - 1 };
        let mut levels: Vec<Level> = Vec::new();
        self.skip_space()?;
        loop {
            // A value starts here.
            let next = levels.last().map_or(all, |level| level.next);
            match self.text.get(self.at)? {
                b'"' => {
                    let range = self.string()?;
                    if let Some(choice) = self.ending(next, levels.len()) {
                        let member = levels.last().is_some_and(|level| !level.is_array);
                        fields.push(Field { choice, range, rule: 0, member });
                    }
                }
                b'{' | b'[' if next == 0 => self.pass()?,
                &open @ (b'{' | b'[') => {
                    self.at += 1;
                    levels.push(Level { is_array: open == b'[', here: next, next: 0, index: 0 });
                    let close = if open == b'[' { b']' } else { b'}' };
                    if self.skip_space()? != close {
                        self.next_value(&mut levels)?;
                        continue;
                    }
                    self.at += 1;
                    levels.pop();
                }
                _ => self.word()?,
            }
            // A value has ended.
            loop {
                let Some(level) = levels.last() else {
                    return self.skip_space().is_none().then_some(());
                };
                let close = if level.is_array { b']' } else { b'}' };
                let byte = self.skip_space()?;
                self.at += 1;
                if byte == b',' {
                    self.skip_space()?;
                    self.next_value(&mut levels)?;
                    break;
                }
                if byte != close {
                    return None;
                }
                levels.pop();
            }
        }
    }

    /// Goes to the next value of the innermost level.
    fn next_value(&mut self, levels: &mut [Level]) -> Option<()> {
        let depth = levels.len() - 1;
        let level = levels.last_mut()?;
        if level.is_array {
            let index = level.index.to_string();
            level.index += 1;
            level.next = self.fitting(level.here, depth, |part| part == index);
            return Some(());
        }
        if *self.text.get(self.at)? != b'"' {
            return None;
        }
        level.next = self.key(level.here, depth)?;
        if self.skip_space()? != b':' {
            return None;
        }
        self.at += 1;
        self.skip_space().map(|_| ())
    }
}

impl Format for Ndjson {
    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::Member
    }

    // A % may be written as an escape of JSON.
    fn mark(&self) -> Option<u8> {
        Some(b'\\')
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let mut scan = Scan { json: self, text: record, at: 0 };
        if scan.run(fields).is_some() {
            return Kind::Data;
        }
        fields.clear();
        if record.trim_ascii().is_empty() { Kind::Comment } else { Kind::Unrecognized }
    }
}

/// The value of a JSON string that stands between quotes; `None` where it is none.
pub fn unescaped(inner: &[u8]) -> Option<Cow<'_, [u8]>> {
    if memchr2(b'\\', b'"', inner).is_none() {
        return std::str::from_utf8(inner).ok().map(|_| Cow::Borrowed(inner));
    }
    let quoted = [b"\"", inner, b"\""].concat();
    serde_json::from_slice::<String>(&quoted).ok().map(|text| Cow::Owned(text.into_bytes()))
}

/// Appends `text` as it stands between the quotes of a JSON string.
pub fn push_escaped(text: &str, out: &mut Vec<u8>) {
    // Writing to memory does not fail, nor does a string.
    let quoted = serde_json::to_string(text).unwrap_or_default();
    out.extend(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pointers: &[&str], line: &str) -> Option<Vec<String>> {
        let choice = Choice { fields: pointers.iter().map(|p| (*p).to_string()).collect(), header: None };
        let mut fields = Vec::new();
        match Ndjson::new(&choice).unwrap().fields(line.as_bytes(), &mut Layout::default(), &mut fields) {
            Kind::Data => Some(fields.iter().map(|field| line[field.range.clone()].to_string()).collect()),
            _ => None,
        }
    }

    #[test]
    fn pointers() {
        let line = r#" {"a":{"b":"1","c":["2",{"d":"3"},"4"]},"b":"5","x/y":"6","m~n":"7","\u0061":"8","e":-1.5e3} "#;
        for (pointer, expected) in [
            ("/a/b", vec!["1"]),
            ("/a/c/0", vec!["2"]),
            ("/a/c/1/d", vec!["3"]),
            ("/a/c/*", vec!["2", "4"]),
            ("/*/b", vec!["1"]),
            ("/b", vec!["5"]),
            ("b", vec!["5"]),
            ("/x~1y", vec!["6"]),
            ("/m~0n", vec!["7"]),
            ("/a", vec!["8"]),
            ("/e", vec![]),
            ("/nothing", vec![]),
        ] {
            assert_eq!(found(&[pointer], line).unwrap(), expected, "{pointer}");
        }
        assert_eq!(found(&["/b", "/a/b"], line).unwrap(), ["1", "5"]);
        assert!(Ndjson::new(&Choice { fields: vec!["/a~2".into()], header: None }).is_err());
    }

    #[test]
    fn what_is_no_json_is_left_alone() {
        let line = r#"{"a":"%41","b":[1,{"c":null}],"d":true}"#;
        assert!(found(&["/a"], line).is_some());
        for end in 0..line.len() {
            assert_eq!(found(&["/a"], &line[..end]), None, "{}", &line[..end]);
        }
        for line in [
            "{]",
            "{\"a\":\"%41\"}}",
            "{\"a\":\"%41\"} x",
            "{\"a\" \"%41\"}",
            "{a:1}",
            "[1,]x",
            "{\"b\":[}],\"a\":\"%41\"}",
        ] {
            assert_eq!(found(&["/a"], line), None, "{line}");
        }
        let deep = "[".repeat(1_000_000);
        assert_eq!(found(&["/*"], &deep), None);
    }
}
