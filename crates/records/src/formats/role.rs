//! Derives the role and the syntax of a field from its name.

use super::format::Syntax;

/// The role of a field in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The target of a request, or a field without one of the other roles.
    Url,
    /// The page with the link that the client followed.
    Referrer,
    /// The client.
    Client,
    /// The requested host.
    Host,
    /// The status of the response.
    Status,
}

const REFERRERS: &[&str] =
    &["referrer", "referer", "http_referer", "cs(referer)", "clientrequestreferer", "request_referer", "http_refer"];

/// The names of fields that hold the client. Apache uses `h` and `a`.
const CLIENTS: &[&str] = &[
    "client",
    "remote_addr",
    "c-ip",
    "id.orig_h",
    "client_ip",
    "clientip",
    "remote_ip",
    "remoteip",
    "cliip",
    "clienthost",
    "src_ip",
    "downstream_remote_address",
    "remote",
    "ip",
    "h",
    "a",
];

/// The names of fields that hold the requested host. Apache uses `v`.
const HOSTS: &[&str] = &[
    "host",
    "x-host-header",
    "cs-host",
    "cs(host)",
    "http_host",
    "server_name",
    "hostname",
    "vhost",
    "authority",
    "clientrequesthost",
    "requesthost",
    "reqhost",
    "v",
];

/// The names of fields that hold the status. Apache uses `s`.
const STATUSES: &[&str] = &[
    "status",
    "sc-status",
    "status_code",
    "statuscode",
    "edgeresponsestatus",
    "downstreamstatus",
    "response_code",
    "response_status",
    "httpstatus",
    "httpstatuscode",
    "s",
];

/// Returns the usual names of fields with a client, a host or a status, without Apache's one-letter names. Formats whose input
/// names its fields search for these names.
pub fn context() -> impl Iterator<Item = String> {
    let all = [CLIENTS, HOSTS, STATUSES].into_iter().flatten();
    all.filter(|name| name.len() > 1).map(|name| (*name).to_string())
}

/// Returns true if the field called `name` holds a client, a host or a status.
pub fn is_context(name: &str) -> bool {
    matches!(role_of(name), Role::Client | Role::Host | Role::Status)
}

/// The names of fields that hold the target of a request or a part of the target. Apache uses `r` and `u`.
const TARGETS: &[&str] = &[
    "target",
    "request",
    "request_uri",
    "requesturi",
    "requestpath",
    "uri",
    "document_uri",
    "path",
    "fwd_path",
    "reqpath",
    "clientrequesturi",
    "clientrequestpath",
    "originalrequesturiwithargs",
    "x_envoy_original_path",
    "cs-uri",
    "cs-uri-stem",
    "r",
    "u",
];

/// Returns the syntax of the field called `name`, for formats that don't define a syntax for it.
pub fn syntax_of(name: &str) -> Syntax {
    match () {
        () if name.to_ascii_lowercase().contains("query") || name == "args" => Syntax::Query,
        () if TARGETS.iter().any(|known| name.eq_ignore_ascii_case(known)) => Syntax::Target,
        () => Syntax::Reference,
    }
}

/// Returns the role of the field called `name`.
pub fn role_of(name: &str) -> Role {
    let is_in = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
    match () {
        () if is_in(REFERRERS) => Role::Referrer,
        () if is_in(CLIENTS) => Role::Client,
        () if is_in(HOSTS) => Role::Host,
        () if is_in(STATUSES) => Role::Status,
        () => Role::Url,
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
