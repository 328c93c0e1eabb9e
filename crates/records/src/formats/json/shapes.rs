//! The JSON log formats, and their pointers to URLs.

use super::Json;
use crate::formats::format::{Row, row};
use crate::formats::shape::{Sample, has_all, is_object};

/// A JSON log: the pointers to its fields with URLs, targets of requests, or queries without the `?`.
pub struct Shape<'a> {
    pub(super) name: &'a str,
    pub(super) urls: &'a [&'a str],
    /// The pointers of `urls` that lead to targets. A member called `path` or a similar name is always a target.
    pub(super) targets: &'a [&'a str],
    pub(super) queries: &'a [&'a str],
    /// If true, a record may extend over several lines, or the records may be the elements of one array.
    pub(super) spans_lines: bool,
}

const fn shape(name: &'static str, urls: &'static [&'static str]) -> Shape<'static> {
    Shape { name, urls, targets: &[], queries: &[], spans_lines: false }
}

impl<'a> Shape<'a> {
    /// Returns a format of JSON lines.
    pub const fn new(name: &'a str, urls: &'a [&'a str], targets: &'a [&'a str], queries: &'a [&'a str]) -> Shape<'a> {
        Shape { name, urls, targets, queries, spans_lines: false }
    }
}

/// The pointers to URLs in JSON logs of an unknown format. We took them from nginx, Elastic Common Schema, and the formats below.
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
/// The pointers to clients, hosts and statuses in JSON logs of an unknown format.
pub(super) const CONTEXT: &[&str] = &[
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
/// The pointers to targets in Elastic Common Schema and in Suricata.
const ANY_TARGETS: &[&str] = &["/url/original", "/http/url"];
const ANY_QUERIES: &[&str] = &["/queryStr", "/properties/requestQuery", "/query"];

pub(super) const S_NDJSON: Shape<'static> =
    Shape { targets: ANY_TARGETS, queries: ANY_QUERIES, ..shape("ndjson", ANY) };
const S_JSON: Shape<'static> = Shape { name: "json", spans_lines: true, ..S_NDJSON };
/// Cloudflare (developers.cloudflare.com/logs, dataset http_requests).
const S_CLOUDFLARE: Shape<'static> =
    shape("cloudflare", &["/ClientRequestURI", "/ClientRequestReferer", "/ClientRequestPath"]);
/// Akamai (techdocs.akamai.com/datastream2, data set parameters).
const S_AKAMAI: Shape<'static> = Shape { queries: &["/queryStr"], ..shape("akamai", &["/reqPath", "/referer"]) };
/// Fastly: the members in the example of a JSON log in fastly.com/documentation.
const S_FASTLY: Shape<'static> = Shape { targets: &["/url"], ..shape("fastly", &["/url", "/request_referer"]) };
/// Suricata (docs.suricata.io, EVE JSON format, event type HTTP).
const S_SURICATA: Shape<'static> =
    Shape { targets: &["/http/url"], ..shape("suricata", &["/http/url", "/http/http_refer", "/http/redirect"]) };
/// Google Cloud (cloud.google.com/logging, LogEntry, HttpRequest).
const S_GCP: Shape<'static> = shape("gcp", &["/httpRequest/requestUrl", "/httpRequest/referer"]);
/// AWS WAF (docs.aws.amazon.com, AWS WAF, log fields). `args` is the query without its `?`.
const S_AWS_WAF: Shape<'static> = Shape { queries: &["/httpRequest/args"], ..shape("aws-waf", &["/httpRequest/uri"]) };
/// Azure (learn.microsoft.com, access logs of Application Gateway and of Front Door).
const S_AZURE: Shape<'static> = Shape {
    queries: &["/properties/requestQuery"],
    ..shape("azure", &["/properties/requestUri", "/properties/originalRequestUriWithArgs", "/properties/referer"])
};
/// Caddy (caddyserver.com/docs/logging).
const S_CADDY: Shape<'static> = shape("caddy", &["/request/uri", "/request/headers/Referer/*"]);
/// Traefik (doc.traefik.io, access logs, fields).
const S_TRAEFIK: Shape<'static> = shape("traefik", &["/RequestPath", "/request_Referer"]);
/// Envoy and Istio (istio.io, Envoy access logs), with JSON as the encoding.
const S_ENVOY: Shape<'static> = shape("envoy-json", &["/path", "/x_envoy_original_path"]);

row!(Json, NDJSON, S_NDJSON, "a JSON object on each line", "/url, /request_uri, ...", |sample| {
    sample.most(is_line)
});
row!(Json, JSON, S_JSON, "JSON objects over several lines, or in one array", "as ndjson", |sample| {
    let head = sample.head.trim_ascii_start();
    let inner = head.strip_prefix(b"[").map_or(head, <[u8]>::trim_ascii_start);
    is_object(inner) || inner.len() < head.len() && inner.starts_with(b"{")
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
row!(Json, FASTLY, S_FASTLY, "Fastly, with the members of its examples", "/url, /request_referer", |sample| {
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

/// Returns true if most lines are objects that contain all these texts.
fn has(sample: &Sample, members: &[&str]) -> bool {
    sample.most(|line| is_line(line) && has_all(line, members))
}

/// Returns true if `line` is an object and isn't an element of an array.
fn is_line(line: &[u8]) -> bool {
    is_object(line) && !line.trim_ascii_end().ends_with(b",")
}
