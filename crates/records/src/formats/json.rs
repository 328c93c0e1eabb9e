//! JSON: strings in objects, chosen by JSON pointer (RFC 6901), with `*` for all at a place. The formats of logs in JSON
//! differ in where they have URLs.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr2, memmem};

use percent_simd::ByteSet;

use super::role;
use super::sniff::{self, Sample};
use super::{CONTROLS, Choice, ExtraField, Field, Format, Kind, Layout, Plan, Row, Rule, Syntax, Wrap};
use crate::framing::Framing;

/// The fields of some kind of log that hold URLs, targets of requests, or queries without the `?`.
pub struct Shape<'a> {
    name: &'a str,
    urls: &'a [&'a str],
    /// Pointers of `urls` to targets. A member called `path` or the like is one even if it isn't listed here.
    targets: &'a [&'a str],
    queries: &'a [&'a str],
    /// Whether values may span lines, or be the elements of one array.
    spans_lines: bool,
}

const fn shape(name: &'static str, urls: &'static [&'static str]) -> Shape<'static> {
    Shape { name, urls, targets: &[], queries: &[], spans_lines: false }
}

impl<'a> Shape<'a> {
    /// A format of its own.
    pub const fn new(name: &'a str, urls: &'a [&'a str], targets: &'a [&'a str], queries: &'a [&'a str]) -> Shape<'a> {
        Shape { name, urls, targets, queries, spans_lines: false }
    }
}

/// The fields that hold URLs in logs of an unknown format: those of nginx, Elastic Common Schema, and those below.
const ANY: &[&str] = &[
    "/url",
    "/uri",
    "/path",
    "/request",
    "/request_uri",
    "/http_referer",
    "/referer",
    "/referrer",
    "/requestUrl",
    "/requestURI",
    "/ClientRequestURI",
    "/ClientRequestReferer",
    "/ClientRequestPath",
    "/reqPath",
    "/httpRequest/requestUrl",
    "/httpRequest/referer",
    "/url/original",
    "/http/request/referrer",
    "/request/uri",
    "/request/headers/Referer/*",
    "/RequestPath",
    "/request_Referer",
    "/request_referer",
    "/http/url",
    "/http/http_refer",
    "/http/redirect",
    "/properties/requestUri",
    "/properties/originalRequestUriWithArgs",
    "/properties/referer",
];
/// The pointers to clients, hosts and statuses in them.
const CONTEXT: &[&str] = &[
    "/client",
    "/remote_addr",
    "/remote_ip",
    "/client_ip",
    "/ip",
    "/ClientIP",
    "/ClientHost",
    "/cliIP",
    "/src_ip",
    "/downstream_remote_address",
    "/httpRequest/remoteIp",
    "/httpRequest/clientIp",
    "/properties/clientIP",
    "/properties/clientIp",
    "/request/client_ip",
    "/request/remote_ip",
    "/source/ip",
    "/host",
    "/http_host",
    "/server_name",
    "/ClientRequestHost",
    "/RequestHost",
    "/reqHost",
    "/authority",
    "/http/hostname",
    "/properties/host",
    "/request/host",
    "/status",
    "/status_code",
    "/statusCode",
    "/EdgeResponseStatus",
    "/DownstreamStatus",
    "/response_code",
    "/response_status",
    "/httpRequest/status",
    "/http/status",
    "/http/response/status_code",
    "/properties/httpStatus",
    "/properties/httpStatusCode",
];
/// Those of Elastic Common Schema and of Suricata.
const ANY_TARGETS: &[&str] = &["/url/original", "/http/url"];
const ANY_QUERIES: &[&str] = &["/queryStr", "/properties/requestQuery", "/query"];

const S_NDJSON: Shape<'static> = Shape { targets: ANY_TARGETS, queries: ANY_QUERIES, ..shape("ndjson", ANY) };
const S_JSON: Shape<'static> = Shape { name: "json", spans_lines: true, ..S_NDJSON };
/// developers.cloudflare.com/logs, dataset http_requests.
const S_CLOUDFLARE: Shape<'static> =
    shape("cloudflare", &["/ClientRequestURI", "/ClientRequestReferer", "/ClientRequestPath"]);
/// techdocs.akamai.com/datastream2, data set parameters.
const S_AKAMAI: Shape<'static> = Shape { queries: &["/queryStr"], ..shape("akamai", &["/reqPath", "/referer"]) };
/// The members of fastly.com/documentation's example of a log in JSON.
const S_FASTLY: Shape<'static> = Shape { targets: &["/url"], ..shape("fastly", &["/url", "/request_referer"]) };
/// docs.suricata.io, EVE JSON format, event type HTTP.
const S_SURICATA: Shape<'static> =
    Shape { targets: &["/http/url"], ..shape("suricata", &["/http/url", "/http/http_refer", "/http/redirect"]) };
/// cloud.google.com/logging, LogEntry, HttpRequest.
const S_GCP: Shape<'static> = shape("gcp", &["/httpRequest/requestUrl", "/httpRequest/referer"]);
/// docs.aws.amazon.com, AWS WAF, log fields; the query comes without its `?`.
const S_AWS_WAF: Shape<'static> = Shape { queries: &["/httpRequest/args"], ..shape("aws-waf", &["/httpRequest/uri"]) };
/// learn.microsoft.com, access logs of Application Gateway and of Front Door.
const S_AZURE: Shape<'static> = Shape {
    queries: &["/properties/requestQuery"],
    ..shape("azure", &["/properties/requestUri", "/properties/originalRequestUriWithArgs", "/properties/referer"])
};
/// caddyserver.com/docs/logging.
const S_CADDY: Shape<'static> = shape("caddy", &["/request/uri", "/request/headers/Referer/*"]);
/// doc.traefik.io, access logs, fields.
const S_TRAEFIK: Shape<'static> = shape("traefik", &["/RequestPath", "/request_Referer"]);
/// istio.io, Envoy access logs, with JSON as the encoding.
const S_ENVOY: Shape<'static> = shape("envoy-json", &["/path", "/x_envoy_original_path"]);

row!(Json, NDJSON, S_NDJSON, "an object of JSON a line", "where logs have URLs: /url, /request_uri, ...", |sample| {
    sample.most(is_line)
});
row!(Json, JSON, S_JSON, "objects of JSON over several lines, or in one array", "as ndjson", |sample| {
    let head = sample.head.trim_ascii_start();
    let inner = head.strip_prefix(b"[").map_or(head, <[u8]>::trim_ascii_start);
    sniff::is_object(inner) || inner.len() < head.len() && inner.starts_with(b"{")
});
row!(
    Json,
    CLOUDFLARE,
    S_CLOUDFLARE,
    "Cloudflare Logpush",
    "/ClientRequestURI, /ClientRequestReferer, /ClientRequestPath",
    |sample| has(sample, &["\"ClientRequest"])
);
row!(Json, AKAMAI, S_AKAMAI, "Akamai DataStream 2", "/reqPath, /queryStr, /referer", |sample| has(
    sample,
    &["\"reqPath\""]
));
row!(Json, FASTLY, S_FASTLY, "Fastly, the members that its examples have", "/url, /request_referer", |sample| {
    has(sample, &["\"fastly_server\""])
});
row!(Json, SURICATA, S_SURICATA, "Suricata, eve.json", "/http/url, /http/http_refer, /http/redirect", |sample| {
    has(sample, &["\"event_type\"", "\"flow_id\""])
});
row!(Json, GCP, S_GCP, "Google Cloud load balancers", "/httpRequest/requestUrl, /httpRequest/referer", |sample| {
    has(sample, &["\"httpRequest\"", "\"requestUrl\""])
});
row!(Json, AWS_WAF, S_AWS_WAF, "AWS WAF", "/httpRequest/uri, /httpRequest/args", |sample| {
    has(sample, &["\"httpRequest\"", "\"webaclId\""])
});
row!(
    Json,
    AZURE,
    S_AZURE,
    "Azure Application Gateway and Front Door",
    "/properties/requestUri, /properties/requestQuery, ...",
    |sample| has(sample, &["\"properties\"", "\"requestUri\""])
);
row!(Json, CADDY, S_CADDY, "Caddy", "/request/uri, /request/headers/Referer/*", |sample| {
    has(sample, &["\"logger\"", "\"request\"", "\"uri\""])
});
row!(Json, TRAEFIK, S_TRAEFIK, "Traefik, in JSON", "/RequestPath, /request_Referer", |sample| {
    has(sample, &["\"RequestPath\""])
});
row!(Json, ENVOY, S_ENVOY, "Envoy and Istio, in JSON", "/path, /x_envoy_original_path", |sample| {
    has(sample, &["\"response_flags\"", "\"path\""])
});

/// Whether most lines are objects with all of these in them.
fn has(sample: &Sample, members: &[&str]) -> bool {
    let has_all = |line: &[u8]| members.iter().all(|member| memmem::find(line, member.as_bytes()).is_some());
    sample.most(|line| is_line(line) && has_all(line))
}

/// Whether an object stands on a line by itself, and is no element of an array.
fn is_line(line: &[u8]) -> bool {
    sniff::is_object(line) && !line.trim_ascii_end().ends_with(b",")
}

/// Pointers are looked for together, one bit each.
const MOST: usize = 128;

const URL: usize = 0;
const TARGET: usize = 1;
const QUERY: usize = 2;
/// A number or a word, of the context.
const WORD: usize = 3;

pub struct Json {
    /// Each pointer's parts, and its rule.
    pointers: Vec<(Vec<String>, usize)>,
    plan: Plan,
    spans_lines: bool,
}

impl Json {
    pub fn new(shape: &Shape, choice: &Choice) -> Result<Json, String> {
        let usual = shape.urls.iter().chain(shape.queries).copied();
        let mut plan = Plan::new(choice, usual, CONTEXT.iter().copied());
        if plan.names.len() > MOST {
            return Err(format!("{} pointers are too many; {MOST} can be looked for at once", plan.names.len()));
        }
        let is_in = |pointers: &[&str], name: &str| {
            pointers.iter().any(|pointer| pointer.trim_start_matches('/') == name.trim_start_matches('/'))
        };
        let rule_of = |name: &str| match role::syntax_of(name.rsplit('/').next().unwrap_or_default()) {
            _ if is_in(shape.queries, name) => QUERY,
            Syntax::Target => TARGET,
            _ if is_in(shape.targets, name) => TARGET,
            _ => URL,
        };
        let pointer = |name: &String| Ok((parts(name)?, rule_of(name)));
        let pointers = plan.names.iter().map(pointer).collect::<Result<_, String>>()?;
        for name in &mut plan.names {
            *name = name.rsplit('/').next().unwrap_or_default().to_string();
        }
        let rule = |syntax| Rule { keep: CONTROLS, wrap: Wrap::Json, syntax };
        let word = Rule { wrap: Wrap::Verbatim, ..rule(Syntax::Reference) };
        plan.rules = vec![rule(Syntax::Reference), rule(Syntax::Target), rule(Syntax::Query), word];
        Ok(Json { pointers, plan, spans_lines: shape.spans_lines })
    }

    /// The format, in which escapes of `keep` stay.
    pub fn keeping(mut self, keep: ByteSet) -> Json {
        self.plan.rules.iter_mut().for_each(|rule| rule.keep = rule.keep | keep);
        self
    }

    /// The pointers of `mask` whose part at `depth` fits.
    fn fitting(&self, mask: u128, depth: usize, fits: impl Fn(&str) -> bool) -> u128 {
        let mut fitting = 0;
        let mut rest = mask;
        while rest != 0 {
            let pointer = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.pointers[pointer].0.get(depth).is_some_and(|part| part == "*" || fits(part)) {
                fitting |= 1 << pointer;
            }
        }
        fitting
    }

    /// The first pointer of `mask` that ends at `depth`.
    fn ending(&self, mask: u128, depth: usize) -> Option<usize> {
        (0..self.pointers.len()).find(|&at| mask >> at & 1 == 1 && self.pointers[at].0.len() == depth)
    }

    /// The strings of the object that `members` are those of, whatever format they are part of.
    pub fn strings(members: &[&str]) -> Result<Json, String> {
        let choice =
            Choice { fields: members.iter().map(|member| (*member).to_string()).collect(), ..Choice::default() };
        Json::new(&S_NDJSON, &choice)
    }
}

/// The parts of a pointer; a name without a slash is that of a member.
fn parts(pointer: &str) -> Result<Vec<String>, String> {
    let inner = pointer.strip_prefix('/').unwrap_or(pointer);
    let unescaped = |part: &str| {
        let plain = part.replace("~0", "").replace("~1", "");
        match plain.contains('~') {
            true => Err(format!("`{pointer}` is no JSON pointer: after a ~ comes 0 or 1 (RFC 6901 3)")),
            false => Ok(part.replace("~1", "/").replace("~0", "~")),
        }
    };
    inner.split('/').map(unescaped).collect()
}

/// An object or array that the scan is in.
struct Level {
    start: usize,
    is_array: bool,
    /// Which pointers lead here, and which to the value that comes next.
    here: u128,
    next: u128,
    index: usize,
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn skip_space(&mut self) -> Option<u8> {
        while let b' ' | b'\t' | b'\r' | b'\n' = *self.text.get(self.at)? {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    /// The string that starts here, without its quotes.
    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            at += memchr2(b'"', b'\\', self.text.get(at..)?)?;
            if self.text[at] == b'"' {
                break;
            }
            // nginx writes `\x22` without `escape=json`, which is no JSON.
            if !b"\"\\/bfnrtu".contains(self.text.get(at + 1)?) {
                return None;
            }
            at += 2;
        }
        self.at = at + 1;
        Some(start..at)
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

    /// Passes over the key that starts here, and goes to its value.
    fn key(&mut self) -> Option<Cow<'a, [u8]>> {
        if *self.text.get(self.at)? != b'"' {
            return None;
        }
        let range = self.string()?;
        let raw = &self.text[range.clone()];
        let key = match memchr::memchr(b'\\', raw) {
            None => Cow::Borrowed(raw),
            Some(_) => {
                let quoted = &self.text[range.start - 1..range.end + 1];
                Cow::Owned(serde_json::from_slice::<String>(quoted).ok()?.into_bytes())
            }
        };
        if self.skip_space()? != b':' {
            return None;
        }
        self.at += 1;
        self.skip_space()?;
        Some(key)
    }

    /// Hands the keys of the object that starts here to `each`; `None` where this is none.
    fn keys(&mut self, mut each: impl FnMut(&[u8])) -> Option<()> {
        if *self.text.get(self.at)? != b'{' {
            return None;
        }
        self.at += 1;
        if self.skip_space()? == b'}' {
            return Some(());
        }
        loop {
            each(&self.key()?);
            match self.text[self.at] {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => self.pass()?,
                _ => self.word()?,
            }
            if self.skip_space()? != b',' {
                return Some(());
            }
            self.at += 1;
            self.skip_space()?;
        }
    }

    /// The fields of `json`; `None` where this is no JSON.
    fn run(&mut self, json: &Json, fields: &mut Vec<Field>) -> Option<()> {
        let all = if json.pointers.len() == MOST { u128::MAX } else { (1 << json.pointers.len()) - 1 };
        let mut levels: Vec<Level> = Vec::new();
        self.skip_space()?;
        loop {
            // A value starts here.
            let next = levels.last().map_or(all, |level| level.next);
            match self.text.get(self.at)? {
                b'"' => {
                    let range = self.string()?;
                    if let Some(choice) = json.ending(next, levels.len()) {
                        let object = levels.last().filter(|level| !level.is_array).map(|level| level.start);
                        let rule = json.pointers[choice].1;
                        fields.push(Field { choice, range, rule, object });
                    }
                }
                b'{' | b'[' if next == 0 => self.pass()?,
                &open @ (b'{' | b'[') => {
                    levels.push(Level { start: self.at, is_array: open == b'[', here: next, next: 0, index: 0 });
                    self.at += 1;
                    let close = if open == b'[' { b']' } else { b'}' };
                    if self.skip_space()? != close {
                        self.next_value(json, &mut levels)?;
                        continue;
                    }
                    self.at += 1;
                    levels.pop();
                }
                _ => {
                    let start = self.at;
                    self.word()?;
                    let first = json.plan.asked;
                    if let Some(choice) = json.ending(next, levels.len()).filter(|&choice| choice >= first) {
                        fields.push(Field { choice, range: start..self.at, rule: WORD, object: None });
                    }
                }
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
                    self.next_value(json, &mut levels)?;
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
    fn next_value(&mut self, json: &Json, levels: &mut [Level]) -> Option<()> {
        let depth = levels.len() - 1;
        let level = levels.last_mut()?;
        level.next = if level.is_array {
            let index = level.index.to_string();
            level.index += 1;
            json.fitting(level.here, depth, |part| part == index)
        } else {
            let key = self.key()?;
            json.fitting(level.here, depth, |part| part.as_bytes() == &*key)
        };
        Some(())
    }
}

impl Format for Json {
    fn framing(&self) -> Framing {
        if self.spans_lines { Framing::Json } else { Framing::Lines }
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::Member
    }

    // A % may be written as an escape of JSON.
    fn mark(&self) -> Option<u8> {
        Some(b'\\')
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let mut scan = Scan { text: record, at: 0 };
        if record.starts_with(b"\xEF\xBB\xBF") {
            scan.at = 3;
        }
        if self.spans_lines {
            // The brackets of an array around all objects, and its commas, are between them.
            let is_between = |byte: &u8| byte.is_ascii_whitespace() || b"[],".contains(byte);
            let end = record.iter().rposition(|byte| !is_between(byte)).map_or(0, |end| end + 1);
            scan.at += record[scan.at.min(end)..end].iter().take_while(|byte| is_between(byte)).count();
            scan.text = &record[..end];
        }
        if scan.at >= scan.text.trim_ascii_end().len() {
            return Kind::Comment;
        }
        if scan.run(self, fields).is_some() {
            return Kind::Data;
        }
        fields.clear();
        Kind::Unrecognized
    }
}

/// Hands the keys, decoded, of the object that starts at `object` in `record` to `each`: those of a record that is JSON.
pub fn each_key(record: &[u8], object: usize, each: impl FnMut(&[u8])) {
    let _ = Scan { text: record, at: object }.keys(each);
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
        let choice = Choice { fields: pointers.iter().map(|p| (*p).to_string()).collect(), ..Choice::default() };
        let mut fields = Vec::new();
        match Json::new(&S_NDJSON, &choice).unwrap().fields(line.as_bytes(), &mut Layout::default(), &mut fields) {
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
        assert!(Json::new(&S_NDJSON, &Choice { fields: vec!["/a~2".into()], ..Choice::default() }).is_err());
    }

    #[test]
    fn keys_of_the_object_that_holds_a_field() {
        for (pointer, line, expected) in [
            ("/a", r#"{"a":"1"}"#, vec!["a"]),
            (
                "/a",
                r#" { "x" : [ {"p":"}"} , 2 ] , "\u0061" : "1","y":{"q":{}},"z":-1.5e3,"":null , "b\"":"" } "#,
                vec!["x", "a", "y", "z", "", "b\""],
            ),
            ("/o/a", r#"{"x":1,"o":{"c":[],"a":"1","d":"{"},"y":2}"#, vec!["c", "a", "d"]),
            ("/0/a", r#"[{"a":"1","b":2},{"c":3}]"#, vec!["a", "b"]),
        ] {
            let choice = Choice { fields: vec![pointer.into()], ..Choice::default() };
            let mut fields = Vec::new();
            Json::new(&S_NDJSON, &choice).unwrap().fields(line.as_bytes(), &mut Layout::default(), &mut fields);
            let mut keys = Vec::new();
            each_key(line.as_bytes(), fields[0].object.unwrap(), |key| {
                keys.push(String::from_utf8(key.to_vec()).unwrap());
            });
            assert_eq!(keys, expected, "{line}");
        }
        each_key(b"{}", 0, |_| panic!("a key"));
        // Of an element of an array there is no object.
        let choice = Choice { fields: vec!["/a/0".into()], ..Choice::default() };
        let mut fields = Vec::new();
        Json::new(&S_NDJSON, &choice).unwrap().fields(br#"{"a":["1"]}"#, &mut Layout::default(), &mut fields);
        assert_eq!((fields.len(), fields[0].object), (1, None));
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
