//! The JSON log formats, and their pointers to URLs.

use memchr::{memchr, memchr_iter, memmem};

use super::Json;
use crate::formats::format::{Row, row};
use crate::formats::shape::{Sample, has_all, is_object};
use crate::framing::element_start;

/// The shape of a JSON log: the pointers to fields with URLs, with targets of requests, and with queries without the
/// `?`.
pub struct Shape<'a> {
    pub(super) name: &'a str,
    pub(super) urls: &'a [&'a str],
    /// The pointers of `urls` that lead to targets of requests. A member called `path` or a similar name is always a
    /// target.
    pub(super) targets: &'a [&'a str],
    pub(super) queries: &'a [&'a str],
    /// The pointers to context fields that [`CONTEXT`] lacks.
    pub(super) context: &'a [&'a str],
    /// If true, a record may extend over several lines, or all records may be elements of one array.
    pub(super) spans_lines: bool,
    /// If the input is one document, and its records are the objects in an array, this is the key of the array.
    pub(super) elements: Option<&'static str>,
    /// The pointer from the start of the document to its records, such as `/log/entries/*`. If `elements` is `None`,
    /// this is `/`.
    pub(super) document: &'static str,
    /// The number of layers to decode by default.
    pub(super) layers: usize,
}

const fn shape(name: &'static str, urls: &'static [&'static str]) -> Shape<'static> {
    Shape::new(name, urls, &[], &[])
}

impl<'a> Shape<'a> {
    /// Returns a format of JSON lines.
    pub const fn new(name: &'a str, urls: &'a [&'a str], targets: &'a [&'a str], queries: &'a [&'a str]) -> Shape<'a> {
        Shape {
            name,
            urls,
            targets,
            queries,
            context: &[],
            spans_lines: false,
            elements: None,
            document: "/",
            layers: 1,
        }
    }
}

/// The pointers to URLs in JSON logs of an unknown format. We took them from nginx, Elastic Common Schema, the semantic
/// conventions of OpenTelemetry, pino, Kong, and the formats below. Names of members may contain dots, because ECS also
/// writes `{"url.full":...}`.
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
    "/http_referrer",
    "/page_url",
    "/request_url",
    "/req/url",
    "/req/headers/referer",
    "/request/url",
    "/request/headers/referer",
    "/url/full",
    "/url/path",
    "/url.original",
    "/url.full",
    "/url.path",
    "/http.request.referrer",
    "/http.url",
    "/http.target",
    "/attributes/http.url",
    "/attributes/http.target",
    "/attributes/url.full",
    "/attributes/url.path",
];
/// The pointers to context fields in JSON logs of an unknown format. The name of the member decides the role. The first host in
/// a record is the requested host. `/host` is the last, because it is often the machine that wrote the record.
pub(super) const CONTEXT: &[&str] = &[
    "/client", "/remote_addr", "/remote_ip", "/client_ip", "/ip", "/ClientIP", "/ClientHost", "/cliIP", "/src_ip",
    "/downstream_remote_address", "/httpRequest/remoteIp", "/httpRequest/clientIp", "/properties/clientIP",
    "/request/client_ip", "/request/remote_ip", "/source/ip", "/req/remoteAddress", "/http_host", "/ClientRequestHost",
    "/RequestHost", "/reqHost", "/authority", "/http/hostname", "/properties/host", "/request/host", "/server_name",
    "/status", "/status_code", "/statusCode", "/EdgeResponseStatus", "/DownstreamStatus", "/response_code",
    "/response_status", "/httpRequest/status", "/http/status", "/http/response/status_code", "/res/statusCode",
    "/response/status", "/properties/httpStatus", "/properties/httpStatusCode", "/c-ip", "/cs-host", "/sc-status",
    "/SourceIP", "/HTTPHost", "/HTTPStatusCode", "/srcip", "/source_ip", "/x-client-ip", "/request/remoteAddress",
    "/host", "/time", "/timestamp", "/@timestamp", "/ts", "/date", "/datetime", "/time_local", "/time_iso8601",
    "/msec", "/start_time", "/started_at", "/startedDateTime", "/StartUTC", "/EdgeStartTimestamp", "/reqTimeSec",
    "/requestReceivedTimestamp", "/transaction/time_stamp", "/_source/@timestamp",
];
/// The pointers to schemes and ports of requested URLs.
pub(super) const ORIGINS: &[&str] = &[
    "/scheme", "/port", "/server_port", "/url/scheme", "/url/port", "/url.scheme", "/url.port", "/ClientRequestScheme",
    "/RequestScheme", "/RequestPort", "/request/scheme", "/cs-protocol", "/s-port", "/attributes/url.scheme",
    "/attributes/server.port", "/attributes/http.scheme", "/_source/url/scheme", "/_source/url/port",
];
/// The pointers to targets in Elastic Common Schema, Suricata, pino and Kong.
const ANY_TARGETS: &[&str] = &["/url/original", "/url.original", "/http/url", "/req/url", "/request/url"];
const ANY_QUERIES: &[&str] = &[
    "/queryStr", "/properties/requestQuery", "/query", "/query_string", "/args", "/url/query", "/url.query",
    "/attributes/url.query",
];

pub(super) const S_NDJSON: Shape<'static> = Shape {
    targets: ANY_TARGETS,
    queries: ANY_QUERIES,
    context: &["/id.orig_h", "/url/domain"],
    ..shape("ndjson", ANY)
};
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
const S_AWS_WAF: Shape<'static> = Shape {
    queries: &["/httpRequest/args"],
    context: &["/httpRequest/host", "/httpRequest/headers/Host"],
    ..shape("aws-waf", &["/httpRequest/uri", "/httpRequest/headers/Referer"])
};
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
const S_ENVOY: Shape<'static> = Shape {
    targets: &["/x-envoy-origin-path"],
    ..shape("envoy-json", &["/path", "/x_envoy_original_path", "/x-envoy-origin-path"])
};
/// kubernetes.io, audit.k8s.io/v1, Event.
const S_K8S_AUDIT: Shape<'static> =
    Shape { context: &["/sourceIPs/*", "/responseStatus/code"], ..shape("k8s-audit", &["/requestURI"]) };
/// www.elastic.co, ECS, fields of URLs. Shippers write either nested objects or names with dots.
const S_ECS: Shape<'static> = Shape {
    targets: &["/url/original", "/url.original", "/url/path", "/url.path"],
    queries: &["/url/query", "/url.query"],
    context: &["/url/domain", "/url.domain", "/client/ip", "/client.ip", "/source.ip", "/http.response.status_code"],
    ..shape(
        "ecs",
        &[
            "/url/original", "/url/full", "/url/path", "/http/request/referrer", "/url.original", "/url.full",
            "/url.path", "/http.request.referrer",
        ],
    )
};
/// opentelemetry.io, semantic conventions for HTTP and for URLs, and their names before version 1.23.
const S_OTEL: Shape<'static> = Shape {
    targets: OTEL_URLS.split_at(4).0,
    queries: &["/attributes/url.query", "/Attributes/url.query", "/url.query"],
    context: &[
        "/attributes/client.address",
        "/attributes/net.peer.ip",
        "/attributes/server.address",
        "/attributes/http.host",
        "/attributes/http.response.status_code",
        "/attributes/http.status_code",
    ],
    ..shape("otel", OTEL_URLS)
};
const OTEL_URLS: &[&str] = &[
    "/attributes/http.target", "/Attributes/http.target", "/attributes/url.path", "/Attributes/url.path",
    "/attributes/url.full", "/Attributes/url.full", "/attributes/http.url", "/Attributes/http.url", "/http.target",
    "/http.url", "/url.full", "/url.path",
];
/// github.com/pinojs/pino-http and github.com/trentm/node-bunyan, serializers of requests.
const S_PINO: Shape<'static> = Shape {
    targets: &["/req/url"],
    context: &["/req/headers/host"],
    ..shape("pino", &["/req/url", "/req/headers/referer", "/req/headers/referrer", "/res/headers/location"])
};
/// docs.konghq.com, HTTP Log plugin.
const S_KONG: Shape<'static> = Shape {
    targets: &["/request/uri", "/upstream_uri"],
    context: &["/request/headers/host"],
    ..shape("kong", &["/request/uri", "/request/url", "/upstream_uri", "/request/headers/referer"])
};
/// techdocs.akamai.com, SIEM integration.
const S_AKAMAI_SIEM: Shape<'static> = Shape {
    queries: &["/httpMessage/query"],
    context: &["/httpMessage/host", "/httpMessage/status", "/attackData/clientIP"],
    ..shape("akamai-siem", &["/httpMessage/path"])
};
/// github.com/owasp-modsecurity/ModSecurity, audit log in JSON, version 3.
const S_MODSECURITY: Shape<'static> = Shape {
    context: &["/transaction/client_ip", "/transaction/request/headers/Host", "/transaction/response/http_code"],
    ..shape(
        "modsecurity",
        &[
            "/transaction/request/uri",
            "/transaction/request/headers/Referer",
            "/transaction/request/headers/referer",
            "/transaction/response/headers/Location",
        ],
    )
};
/// Amazon CloudFront, standard logs (v2) and real-time logs in JSON. CloudFront adds a layer of encoding.
const S_CLOUDFRONT: Shape<'static> = Shape {
    queries: &["/cs-uri-query"],
    context: &["/c-ip", "/x-host-header", "/cs(Host)", "/cs-host", "/sc-status"],
    layers: 2,
    ..shape("cloudfront-json", &["/cs-uri-stem", "/cs(Referer)", "/cs-referer", "/cs(User-Agent)", "/cs-user-agent"])
};
/// help.zscaler.com, NSS feed output for web logs in JSON. The URLs have no scheme: `host/path?query`.
const S_ZSCALER: Shape<'static> = shape("zscaler", &["/event/url", "/event/refererURL", "/url", "/refererURL"]);
/// w3c.github.io/web-performance/specs/HAR. Browsers and proxies export HAR files. `redirectURL` is the header `Location`.
const S_HAR: Shape<'static> = Shape {
    elements: Some("entries"),
    document: "/log/entries/*",
    ..shape("har", &["/request/url", "/response/redirectURL", "/request/headers/Referer"])
};
/// www.elastic.co, the response of a search.
const S_ELASTICSEARCH: Shape<'static> = Shape {
    elements: Some("hits"),
    document: "/hits/hits/*",
    targets: &["/_source/url/original", "/_source/http/url"],
    queries: &["/_source/url/query", "/_source/query"],
    context: &[
        "/_source/source/ip",
        "/_source/client_ip",
        "/_source/remote_addr",
        "/_source/url/domain",
        "/_source/host",
        "/_source/status",
        "/_source/http/response/status_code",
    ],
    ..shape(
        "elasticsearch",
        &[
            "/_source/url",
            "/_source/uri",
            "/_source/path",
            "/_source/request",
            "/_source/request_uri",
            "/_source/requestURI",
            "/_source/referer",
            "/_source/referrer",
            "/_source/http_referer",
            "/_source/url/original",
            "/_source/url/full",
            "/_source/url/path",
            "/_source/http/request/referrer",
        ],
    )
};

row!(Json, K8S_AUDIT, S_K8S_AUDIT, "audit logs of Kubernetes", "/requestURI", |sample| {
    has(sample, &["\"requestURI\"", "\"verb\""])
});
row!(Json, ECS, S_ECS, "Elastic Common Schema", "/url/original, /url/full, /url/path, /url/query, ...", |sample| {
    let is_it = |line: &[u8]| {
        let has = |texts: &[&str]| has_all(line, texts);
        has(&["\"@timestamp\""]) && (has(&["\"url\":{"]) || has(&["\"url\": {"]) || has(&["\"url."]))
    };
    sample.most(|line| is_line(line) && is_it(line))
});
row!(
    Json,
    OTEL,
    S_OTEL,
    "OpenTelemetry, with attributes as members",
    "/attributes/url.full, http.target, ...",
    |sample| {
        let has_one = |line: &[u8]| {
            ["\"http.target\"", "\"http.url\"", "\"url.full\"", "\"url.path\""]
                .iter()
                .any(|name| has_all(line, &[name]))
        };
        sample.most(|line| is_line(line) && has_one(line) && !has_all(line, &["\"stringValue\""]))
    }
);
row!(Json, PINO, S_PINO, "pino-http and Bunyan", "/req/url, /req/headers/referer", |sample| {
    has(sample, &["\"req\"", "\"url\"", "\"level\"", "\"pid\""])
});
row!(Json, KONG, S_KONG, "Kong, HTTP Log", "/request/uri, /request/url, /upstream_uri", |sample| {
    has(sample, &["\"request\"", "\"upstream_uri\""])
});
row!(Json, ZSCALER, S_ZSCALER, "Zscaler NSS, web logs in JSON", "/event/url, /event/refererURL", |sample| {
    has(sample, &["\"urlcategory\"", "\"refererURL\""])
});
row!(Json, AKAMAI_SIEM, S_AKAMAI_SIEM, "Akamai SIEM", "/httpMessage/path, /httpMessage/query", |sample| {
    has(sample, &["\"httpMessage\"", "\"attackData\""])
});
row!(
    Json,
    MODSECURITY,
    S_MODSECURITY,
    "ModSecurity 3, audit log in JSON",
    "/transaction/request/uri, /transaction/request/headers/Referer",
    |sample| has(sample, &["\"transaction\"", "\"request\"", "\"uri\""])
);
row!(
    Json,
    CLOUDFRONT_JSON,
    S_CLOUDFRONT,
    "CloudFront, in JSON; two layers are decoded",
    "/cs-uri-stem, /cs(Referer), /cs-uri-query, /cs(User-Agent)",
    |sample| has(sample, &["\"cs-uri-stem\"", "\"x-edge-"])
);
row!(
    Json,
    HAR,
    S_HAR,
    "HAR, an export of browsers: a record for each entry",
    "/request/url, /response/redirectURL, /request/headers/Referer",
    |sample| { is_object(sample.head) && has_all(sample.head, &["\"log\"", "\"creator\"", "\"entries\""]) }
);
row!(
    Json,
    ELASTICSEARCH,
    S_ELASTICSEARCH,
    "results of a search in Elasticsearch: a record for each hit",
    "/_source/url, /_source/url/original, ...",
    |sample| {
        let has_key = ["\"_index\"", "\"_source\""].iter().any(|key| has_all(sample.head, &[key]));
        is_object(sample.head) && has_key && element_start(sample.head, "hits").is_some()
    }
);
row!(Json, NDJSON, S_NDJSON, "a JSON object on each line", "/url, /request_uri, ...", |sample| {
    // If many lines have several objects, only `json` reads all of them. But in `json`, a record without its end hides the records
    // after it. So in a log with few such lines, these are reported.
    let several = sample.lines.iter().filter(|line| has_next(line)).count();
    sample.most(is_line) && !(is_object(sample.head) && several > 0 && 10 * several >= sample.lines.len())
});
row!(Json, JSON, S_JSON, "JSON objects over several lines or on one line, or in one array", "as ndjson", |sample| {
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
row!(
    Json,
    AWS_WAF,
    S_AWS_WAF,
    "AWS WAF",
    "/httpRequest/uri, /httpRequest/headers/Referer, /httpRequest/args",
    |sample| { has(sample, &["\"httpRequest\"", "\"webaclId\""]) }
);
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
    // Serilog writes `RequestPath`, too.
    has(sample, &["\"RequestPath\"", "\"Downstream"]) || has(sample, &["\"RequestPath\"", "\"RouterName\""])
});
row!(Json, ENVOY, S_ENVOY, "Envoy and Istio, in JSON", "/path, /x_envoy_original_path", |sample| {
    has(sample, &["\"response_flags\"", "\"path\""]) || has(sample, &["\"response_flags\"", "\"x-envoy-origin-path\""])
});

/// Returns true if most lines are objects that contain a key for each of `names`, at any depth. Each of `names` is the
/// start of a key, with its opening quote.
fn has(sample: &Sample, names: &[&str]) -> bool {
    sample.most(|line| is_line(line) && names.iter().all(|name| has_key(line, name.as_bytes())))
}

/// Returns true if `line` has a key that starts with `start`. A key is a string with a colon after its closing quote.
fn has_key(line: &[u8], start: &[u8]) -> bool {
    memmem::find_iter(line, start).any(|at| {
        let rest = &line[at + 1..];
        let after = memchr(b'"', rest).map_or(&b""[..], |end| &rest[end + 1..]);
        after.trim_ascii_start().starts_with(b":")
    })
}

/// Returns true if `line` is an object, isn't an element of an array, and has no further object.
fn is_line(line: &[u8]) -> bool {
    is_object(line) && !line.trim_ascii_end().ends_with(b",") && !has_next(line)
}

/// Returns true if a further object follows an object in `line`, as in the files of Amazon Data Firehose. A text such as `{} {}`
/// is often the template of a message.
fn has_next(line: &[u8]) -> bool {
    memchr_iter(b'}', line).any(|at| {
        let rest = line[at + 1..].trim_ascii_start();
        rest.starts_with(b"{") && rest[1..].trim_ascii_start().starts_with(b"\"") && is_object(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::format::Role;
    use crate::formats::role::{context_role_of, member};

    #[test]
    fn each_context_pointer_has_a_role() {
        let shapes = [
            S_NDJSON, S_AWS_WAF, S_K8S_AUDIT, S_ECS, S_OTEL, S_PINO, S_KONG, S_AKAMAI_SIEM, S_MODSECURITY,
            S_CLOUDFRONT, S_ELASTICSEARCH,
        ];
        let all = shapes.iter().flat_map(|shape| shape.context).chain(CONTEXT).chain(ORIGINS);
        let without: Vec<_> =
            all.filter(|name| matches!(context_role_of(member(name)), Role::Url | Role::Referrer)).collect();
        assert!(without.is_empty(), "{without:?}");
    }
}
