//! Derives the role and the syntax of a field from its name.

pub use super::facts::Hint;
use super::format::{Choice, IS_MODULE, Role, Schema, Syntax, field_names, usual_names};

const REFERRERS: &[&str] = &[
    "referrer", "referer", "http_referer", "http_referrer", "cs(referer)", "clientrequestreferer", "request_referer",
    "http_refer", "csreferer", "requestcontext", "ereferer", "cs-referred", "ref",
];

/// The names of fields that hold the client. Apache uses `h` and `a`.
const CLIENTS: &[&str] = &[
    "client", "remote_addr", "c-ip", "id.orig_h", "client_ip", "clientip", "remote_ip", "remoteip", "cliip",
    "clienthost", "src_ip", "downstream_remote_address", "remote", "remoteaddress", "sourceips", "fwd", "ip",
    "client.address", "net.sock.peer.addr", "sourceip", "source_ip", "srcip", "x-client-ip", "cip", "h", "a",
];

/// The names of fields that hold the requested host. Apache uses `v`. If a record has several of these fields, the first name of
/// this list has the requested host. In collected logs, `host` is often the machine that wrote the record, so it comes late.
const HOSTS: &[&str] = &[
    "x-host-header", "http_host", "request_host", "cs-host", "cs(host)", "authority", "clientrequesthost",
    "requesthost", "reqhost", "httphost", "http.host", "vhost", "v", "server_name", "url.domain", "dhost",
    "destination_host", "dest_host", "dst_host", "dsthost", "server.domain", "server.address", "host", "hostname",
    "domain",
];

/// The names of fields that hold the scheme or the port of the requested URL.
const ORIGINS: &[&str] = &[
    "scheme", "port", "cs-protocol", "s-port", "cs-uri-scheme", "cs-uri-port", "server_port", "clientrequestscheme",
    "requestscheme", "requestport",
];

/// The names of fields that hold the status. Apache uses `s`.
const STATUSES: &[&str] = &[
    "status", "sc-status", "status_code", "statuscode", "edgeresponsestatus", "downstreamstatus", "response_code",
    "response_status", "httpstatus", "httpstatuscode", "http_code", "s",
];

/// The names of fields that hold the time, the date or the time of day. Apache uses `t`, Zeek `ts`, and CEF `rt`.
const TIMES: &[&str] = &[
    "time", "timestamp", "@timestamp", "ts", "date", "datetime", "time_local", "time_iso8601", "msec", "rt", "devtime",
    "start_time", "started_at", "starteddatetime", "startutc", "edgestarttimestamp", "reqtimesec",
    "requestreceivedtimestamp", "time_stamp", "t",
];

/// The names of the fields of each role.
const NAMES: &[(Role, &[&str])] = &[
    (Role::Referrer, REFERRERS),
    (Role::Client, CLIENTS),
    (Role::Host, HOSTS),
    (Role::Origin, ORIGINS),
    (Role::Status, STATUSES),
    (Role::Time, TIMES),
];

/// Returns the schema of a format whose records have the fields of the list `fields`; see
/// [`Row::fields`](super::format::Row::fields).
pub fn schema_of(fields: &'static str, choice: &Choice) -> Schema {
    Schema::new(
        choice,
        usual_names(fields, choice),
        field_names(fields).into_iter().filter(|name| is_context(name, choice)),
    )
}

/// Returns the usual names of the context fields of `choice`, without Apache's one-letter names. If an input names its
/// own fields, its format searches for these names.
pub fn context(choice: &Choice) -> impl Iterator<Item = String> {
    let all = if IS_MODULE { &[] } else { NAMES };
    let all = all.iter().filter(|(role, _)| choice.roles.contains(role)).flat_map(|(_, names)| *names);
    all.filter(|name| name.len() > 1).map(|name| (*name).to_string())
}

/// Returns true if the field called `name` is a context field of `choice`.
pub fn is_context(name: &str, choice: &Choice) -> bool {
    !IS_MODULE && !choice.roles.is_empty() && choice.roles.contains(&context_role_of(name))
}

/// Returns the name of the member at the JSON pointer `pointer`. The elements of an array have the name of the array.
pub fn member(pointer: &str) -> &str {
    pointer.rsplit('/').find(|part| *part != "*").unwrap_or_default()
}

/// The names of fields that hold the target of a request or a part of the target. Apache uses `r` and `u`.
const TARGETS: &[&str] = &[
    "target", "request", "request_uri", "http_uri", "requesturi", "requestpath", "uri", "document_uri", "path",
    "fwd_path", "reqpath", "clientrequesturi", "clientrequestpath", "originalrequesturiwithargs",
    "x_envoy_original_path", "cs-uri", "cs-uri-stem", "r", "u",
];

/// Returns the last part of a name with dots: `target` of `http.target`.
fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Returns the syntax of the field called `name`, if its format doesn't define a syntax for this field.
pub fn syntax_of(name: &str) -> Syntax {
    let name = last(name);
    match () {
        () if name.to_ascii_lowercase().contains("query") || name == "args" => Syntax::Query,
        () if TARGETS.iter().any(|known| name.eq_ignore_ascii_case(known)) => Syntax::Target,
        () => Syntax::Reference,
    }
}

/// Returns the role of the field called `name`.
pub fn role_of(name: &str) -> Role {
    NAMES.iter().find(|(_, names)| is_in(name, names)).map_or(Role::Url, |(role, _)| *role)
}

/// Returns true if the field called `name` holds a referrer.
pub fn is_referrer(name: &str) -> bool {
    is_in(name, REFERRERS)
}

fn is_in(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| [name, last(name)].iter().any(|name| name.eq_ignore_ascii_case(known)))
}

/// The names of fields that hold the client even if it is behind a proxy, by the definition of their format: Caddy believes only the
/// proxies that its operator trusts, and Elastic Common Schema and OpenTelemetry define the other two. The list has no header such as
/// `X-Client-IP`, because any client can send it.
const DEFINED_CLIENTS: &[&str] = &["client_ip", "client.ip", "client.address"];

/// The names that the same formats give to the other end of the connection, which may be a proxy.
const CONNECTIONS: &[&str] =
    &["remote_ip", "source.ip", "source.address", "net.peer.ip", "net.sock.peer.addr", "network.peer.address"];

/// Returns true if the field called `name` holds the client even if it is behind a proxy.
pub fn is_defined_client(name: &str) -> bool {
    ends_with_name(name, DEFINED_CLIENTS)
}

/// Returns true if the field called `name` holds the other end of the connection, and a
/// [defined client](is_defined_client) beside it is better.
pub fn is_connection(name: &str) -> bool {
    ends_with_name(name, CONNECTIONS)
}

/// Returns true if `name`, a name with dots or a JSON pointer, is or ends with one of `names`.
fn ends_with_name(name: &str, names: &[&str]) -> bool {
    let name = name.to_ascii_lowercase().replace('/', ".");
    names.iter().any(|known| name.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// Returns the role of the context field called `name`. In other fields, these names may have URLs or other values.
pub fn context_role_of(name: &str) -> Role {
    match name {
        "src" => Role::Client,
        "code" => Role::Status,
        name => role_of(name),
    }
}

/// Alternative names of fields, each with its canonical name.
const ALIASES: [(&str, &str); 6] = [
    ("ip", "client"),
    ("request", "target"),
    ("url", "target"),
    ("referer", "referrer"),
    ("agent", "user-agent"),
    ("useragent", "user-agent"),
];

/// Returns the canonical name of `field`, in lower case.
pub fn alias(field: &str) -> String {
    let lower = field.to_ascii_lowercase();
    ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(lower, |(_, name)| (*name).to_string())
}

/// If the name of a field ends with one of these words, the field holds URLs. Zscaler writes `eurl` and `ereferer`.
pub(super) const URL_WORDS: &[&str] =
    &["url", "urls", "uri", "uris", "iri", "href", "referer", "referrer", "eurl", "ereferer"];

/// If the name of a field ends with one of these pairs of words, the field holds URLs. The pairs are from Elastic Common Schema,
/// from the semantic conventions of OpenTelemetry, from collections of Postman, and from Exchange.
pub(super) const URL_PAIRS: &[[&str; 2]] = &[
    ["url", "full"],
    ["url", "original"],
    ["url", "raw"],
    ["url", "path"],
    ["url", "query"],
    ["url", "stem"],
    ["uri", "query"],
    ["http", "target"],
    ["query", "string"],
    ["path", "info"],
];

/// If the name of a field ends with one of these words, the field often holds URLs, targets or queries.
const MAYBE_WORDS: &[&str] = &[
    "address", "args", "destination", "endpoint", "full", "link", "links", "location", "original", "page", "pages",
    "params", "parameters", "path", "pathname", "query", "querystring", "querystr", "redirect", "refer", "ref",
    "request", "search", "target",
];

/// If the name of a field ends with one of these pairs of words, the field often holds URLs or paths. Google Analytics 4 has a column
/// `Page path and screen class`: an app has a class in place of a path. Shopify writes `Redirect from` and `Redirect to`.
const MAYBE_PAIRS: &[[&str; 2]] = &[["screen", "class"], ["redirect", "from"], ["redirect", "to"]];

/// If the name of a field ends with one of these words, the field holds the route that the server chose, as in OpenTelemetry's
/// `http.route` and `url.template`.
const ROUTE_WORDS: &[&str] = &["pattern", "resource", "route", "template"];

/// If the name of a field ends with one of these pairs of words, the field holds a route, as in `resourcePath` of Amazon API Gateway.
const ROUTE_PAIRS: &[[&str; 2]] =
    &[["api", "endpoint"], ["matched", "path"], ["resource", "path"], ["route", "path"], ["template", "path"]];

/// The names of members of JSON Schema, JSON-LD and JSON Feed that describe the document.
const SYNTAX: &[&str] = &["$schema", "$id", "$ref", "@context", "version"];

/// If the name of a field contains one of these words, the field holds cookies or the name of a program.
const CLIENT_WORDS: &[&str] = &["agent", "cookie", "cookies", "producer", "useragent"];

/// If the name of a field contains one of these words, the field holds paths of files.
const OTHER_WORDS: &[&str] = &[
    "binary", "class", "config", "cwd", "dir", "directories", "directory", "disk", "exe", "executable", "file",
    "filename", "files", "folder", "fs", "image", "local", "log", "module", "mount", "process", "script", "socket",
    "volumes",
];

/// Returns the hint that `name` gives about the values of its field. `name` may be a JSON pointer or the name of a
/// column, with any separators and in any case. For example, `/page/url`, `pageUrl`, `Page URL` and `page_url` all have
/// the words `page` and `url`.
pub fn hint(name: &str) -> Hint {
    let words = words(name);
    let has = |known: &[&str], word: &String| known.contains(&word.as_str());
    let last_two = match &words[..] {
        [.., first, second] => [first.as_str(), second.as_str()],
        _ => [""; 2],
    };
    // The elements of an array have the name `*`.
    let last = member(name);
    // In results of Nuclei, `template-url` is the page about a test, not a page that was tested.
    let is_syntax = SYNTAX.contains(&last)
        || last_two == ["template", "url"]
        || last.trim_start_matches(['@', '-']).starts_with("xmlns");
    match words.last() {
        _ if is_syntax => Hint::Syntax,
        Some(word) if has(ROUTE_WORDS, word) || ROUTE_PAIRS.contains(&last_two) => Hint::Route,
        Some(word) if has(URL_WORDS, word) || URL_PAIRS.contains(&last_two) => Hint::Url,
        _ if MAYBE_PAIRS.contains(&last_two) => Hint::Maybe,
        _ if words.iter().any(|word| has(CLIENT_WORDS, word)) => Hint::Client,
        _ if words.iter().any(|word| has(OTHER_WORDS, word)) => Hint::Other,
        // JSON:API writes `/links/self` and `/links/next`.
        Some(word) if has(MAYBE_WORDS, word) || is_joined(word) || last_two[0] == "links" => Hint::Maybe,
        _ => Hint::Unknown,
    }
}

/// Returns true for words that are written as one word, and of which the last ones are `url`, `uri`, `location` or the name of a
/// part of a URL. For example, ffuf writes `redirectlocation`, and Snowplow `page_urlpath`.
fn is_joined(word: &str) -> bool {
    word.len() > 5 && ["url", "uri", "location", "urlpath", "urlquery"].iter().any(|end| word.ends_with(end))
}

/// The names of fields that hold the records of another program.
const RECORDS: &[&str] = &["message", "msg", "text payload", "raw", "log", "line", "event original", "body", "raw log"];

/// Returns true if the field called `name` often holds a record of another program, such as a line of a log.
pub fn holds_records(name: &str) -> bool {
    let mut text = String::new();
    words(name).iter().for_each(|word| text.extend([" ", word]));
    RECORDS.iter().any(|known| text.strip_suffix(known).is_some_and(|rest| rest.ends_with(' ')))
}

/// Returns the words of a name in lower case: `page` and `url` for `pageUrl`, `PageURL`, `Page URL` or `/page/url`.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let bytes = name.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let is_lower = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
        // A word starts at a capital letter that follows a small letter, or that precedes a small letter: `page|Url`,
        // `URL|Path`.
        let starts = byte.is_ascii_uppercase() && (at > 0 && is_lower(at - 1) || is_lower(at + 1));
        let is_in_word = byte.is_ascii_alphanumeric() || !byte.is_ascii();
        if (starts || !is_in_word) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if is_in_word {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    // Azure Log Analytics adds the type of a column to its name, as in `requestUri_s`.
    if name.ends_with("_s") && words.len() > 1 {
        words.pop();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hint_at_their_values() {
        for name in [
            "url", "URL", "/req/url", "requestURI", "ClientRequestURI", "Page URL", "page_url", "url.full",
            "/attributes/http.target", "query_string", "/request/url/raw", "requestUri_s",
        ] {
            assert_eq!(hint(name), Hint::Url, "{name}");
        }
        for name in [
            "Address", "Landing page", "Top pages", "args", "path", "redirectlocation", "pageurl", "/links/self",
            "page_urlpath", "Redirect from",
        ] {
            assert_eq!(hint(name), Hint::Maybe, "{name}");
        }
        for name in ["resourcePath", "/resource", "http.route", "path_template", "matched_path"] {
            assert_eq!(hint(name), Hint::Route, "{name}");
        }
        for name in ["agent", "userAgent", "cookie_path", "/audit_data/producer"] {
            assert_eq!(hint(name), Hint::Client, "{name}");
        }
        for name in ["file_path", "/process/executable/path", "log.file.path", "cwd"] {
            assert_eq!(hint(name), Hint::Other, "{name}");
        }
        for name in ["/a/$schema", "/@context/*", "/@xmlns:xsi", "xmlns", "template-url"] {
            assert_eq!(hint(name), Hint::Syntax, "{name}");
        }
        for name in ["", "curl", "pages_count", "é"] {
            assert_eq!(hint(name), Hint::Unknown, "{name}");
        }
        for (name, expected) in [
            ("message", true),
            ("/result/_raw", true),
            ("textPayload", true),
            ("@message", true),
            ("event.original", true),
            ("dialog", false),
            ("error_message_id", false),
            ("original", false),
        ] {
            assert_eq!(holds_records(name), expected, "{name}");
        }
        assert_eq!((syntax_of("url.query"), syntax_of("http.target")), (Syntax::Query, Syntax::Target));
        assert_eq!(role_of("http.request.referrer"), Role::Referrer);
    }
}
