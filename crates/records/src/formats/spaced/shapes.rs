//! The formats whose records are words between blanks, each with the list of its pieces.

use memchr::memchr;
use percent_simd::ByteSet;

use super::{Cell, Piece, QUOTED, REQUEST_LINE, Shape, Spaced, any, named, shape, word};
use crate::formats::format::{Row, Syntax, row};
use crate::formats::shape::{count, is_digits, is_time, is_url};
use crate::formats::token::{Around, Quotes, is_client, is_number, is_status};

/// AWS's Application Load Balancer (docs.aws.amazon.com, access logs for your Application Load Balancer, syntax). AWS
/// sometimes adds fields at the end. A quote is written as `\x22`.
const S_ALB: Shape = Shape {
    least: 18,
    more: (4, &[Around::Nothing, Around::Quotes]),
    ..shape(
        "alb",
        "target, redirect-url; user-agent, client, time, status",
        &[&[
            word(|word| [&b"http"[..], b"https", b"h2", b"grpcs", b"ws", b"wss"].contains(&word)),
            named("time", word(is_time)),
            word(any),
            named("client", word(is_client)),
            word(any),
            word(is_number),
            word(is_number),
            word(is_number),
            named("status", word(is_status)),
            word(is_status),
            word(is_number),
            word(is_number),
            REQUEST_LINE,
            named("user-agent", QUOTED),
            word(any),
            word(any),
            word(any),
            QUOTED,
            QUOTED,
            QUOTED,
            word(any),
            word(any),
            QUOTED,
            named("redirect-url", QUOTED),
            QUOTED,
            QUOTED,
            QUOTED,
            QUOTED,
            QUOTED,
            word(any),
            QUOTED,
            QUOTED,
            QUOTED,
        ]],
    )
};
/// AWS's Classic Load Balancer (docs.aws.amazon.com, access logs for your Classic Load Balancer, syntax). Logs from
/// before 2015 lack the last three fields. If no server answered, the field for the server's status is `0`.
const S_ELB: Shape = Shape {
    least: 12,
    ..shape(
        "elb",
        "target; user-agent, client, time, status",
        &[&[
            named("time", word(is_time)),
            word(any),
            named("client", word(is_client)),
            word(any),
            word(is_number),
            word(is_number),
            word(is_number),
            named("status", word(is_status)),
            word(is_code),
            word(is_number),
            word(is_number),
            REQUEST_LINE,
            named("user-agent", QUOTED),
            word(any),
            word(any),
        ]],
    )
};
/// Amazon S3 (docs.aws.amazon.com, Amazon S3 server access log format). In text of clients, S3 doesn't escape quotes.
const S_S3: Shape = Shape {
    least: 17,
    more: (4, &[Around::Nothing]),
    quotes: Quotes::Plain,
    ..shape(
        "s3",
        "target, key, referrer; user-agent, host, client, time, status",
        &[&[
            word(any),
            word(any),
            ("time", Piece::Bracketed(any)),
            named("client", word(is_client)),
            word(any),
            word(any),
            word(is_operation),
            named("key", word(any)),
            REQUEST_LINE,
            named("status", word(is_status)),
            word(any),
            word(is_number),
            word(is_number),
            word(is_number),
            word(is_number),
            named("referrer", QUOTED),
            named("user-agent", QUOTED),
            word(any),
            word(any),
            word(any),
            word(any),
            word(any),
            named("host", word(any)),
            word(any),
            word(any),
            word(any),
        ]],
    )
};
/// HAProxy (manual, 8.6). HAProxy writes a quote in a request or in a captured header as `#22`. `option httpslog` adds
/// words after the request.
const S_HAPROXY: Shape = Shape {
    more: (4, &[Around::Nothing]),
    quotes: Quotes::Plain,
    own: ByteSet::of(b"#{}|"),
    ..shape(
        "haproxy",
        "target; client, time, status",
        &[&[
            named("client", word(is_client)),
            ("time", Piece::Bracketed(any)),
            word(any),
            word(|word| word.contains(&b'/')),
            word(is_times),
            named("status", word(|word| is_status(word) || word == b"-1")),
            word(is_number),
            word(any),
            word(any),
            word(any),
            word(is_times),
            word(|word| word.contains(&b'/')),
            ("", Piece::Braced(2)),
            REQUEST_LINE,
        ]],
    )
};
/// The pieces of Squid's native format, and two more pieces that follow in many logs.
const SQUID_PIECES: &[Cell] = &[
    named("time", word(|word| is_number(word) && (word.len() == 10 || word.contains(&b'.')))),
    word(is_number),
    named("client", word(is_client)),
    named("status", word(is_result)),
    word(is_number),
    word(any),
    named("url", word(any)),
    word(any),
    word(is_result),
    word(any),
    named("referrer", QUOTED),
    named("user-agent", QUOTED),
];
/// Squid (wiki.squid-cache.org, LogFormat `squid`). The URL of a record is the target of the request. For `CONNECT`,
/// the target is a host and a port. With `log_mime_hdrs`, headers in brackets follow. Many administrators append the
/// referrer and the user agent in quotes.
const S_SQUID: Shape = Shape {
    more: (2, &[Around::Brackets]),
    quotes: Quotes::Plain,
    squeezes: true,
    bare: Syntax::Target,
    ..shape("squid", "url, referrer; user-agent, client, time, status", &[SQUID_PIECES.split_at(10).0, SQUID_PIECES])
};
/// Envoy (envoyproxy.io, access logging, default format) and Istio (istio.io, Envoy access logs). Istio writes more
/// pieces. In text of clients, both leave quotes unescaped.
const S_ENVOY: Shape = Shape {
    quotes: Quotes::Plain,
    ..shape(
        "envoy",
        "target; user-agent, client, host, time, status",
        &[
            &[
                ("time", Piece::Bracketed(is_time)),
                REQUEST_LINE,
                named("status", word(is_code)),
                word(any),
                word(is_number),
                word(is_number),
                word(is_number),
                word(is_number),
                named("client", QUOTED),
                named("user-agent", QUOTED),
                QUOTED,
                named("host", QUOTED),
                QUOTED,
            ],
            &[
                ("time", Piece::Bracketed(is_time)),
                REQUEST_LINE,
                named("status", word(is_code)),
                word(any),
                word(any),
                word(any),
                QUOTED,
                word(is_number),
                word(is_number),
                word(is_number),
                word(is_number),
                named("client", QUOTED),
                named("user-agent", QUOTED),
                QUOTED,
                named("host", QUOTED),
                QUOTED,
                word(any),
                word(any),
                word(any),
                word(any),
                word(any),
                word(any),
            ],
        ],
    )
};
/// CDX files (archive.org, CDX file format). They have 9 or 11 columns. Both kinds start with the same columns, so we
/// check only the first five.
const S_CDX: Shape = Shape {
    least: 5,
    more: (7, &[Around::Nothing]),
    quotes: Quotes::Plain,
    comment: " CDX ",
    ..shape(
        "cdx",
        "original",
        &[&[
            word(any),
            word(|word| word.len() == 14 && is_digits(word)),
            named("original", word(is_url)),
            word(|word| matches!(word, b"-" | b"unk") || word.contains(&b'/')),
            word(is_status),
        ]],
    )
};

row!(Spaced, ALB, S_ALB, "AWS application load balancers");
row!(Spaced, ELB, S_ELB, "AWS classic load balancers");
row!(Spaced, S3, S_S3, "S3 server access");
row!(Spaced, HAPROXY, S_HAPROXY, "HAProxy, `option httplog`");
row!(Spaced, SQUID, S_SQUID, "Squid, its native format");
row!(Spaced, ENVOY, S_ENVOY, "Envoy, its default format and Istio's");
row!(Spaced, CDX, S_CDX, "CDX, the index of web archives; the key is not decoded", |sample| {
    sample.lines.first().is_some_and(|line| line.starts_with(b" CDX ")) || sample.most(|line| S_CDX.fits(line))
});

/// Returns true for an operation of S3, such as `REST.GET.OBJECT`, `WEBSITE.GET.OBJECT`, `BATCH.DELETE.OBJECT` or
/// `S3.EXPIRE.OBJECT`.
fn is_operation(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_uppercase) && word.contains(&b'.')
}

/// Returns true for the five times of HAProxy, like `10/0/30/69/109`. With `option logasap`, a number may have a sign,
/// as in `+109`.
fn is_times(word: &[u8]) -> bool {
    count(word, b'/') == 4 && word.iter().all(|byte| byte.is_ascii_digit() || b"/-+".contains(byte))
}

/// Returns true for a result code or a peer of Squid, such as `TCP_MISS/200` or `HIER_DIRECT/203.0.113.1`.
fn is_result(word: &[u8]) -> bool {
    let name = memchr(b'/', word).map_or(&b""[..], |at| &word[..at]);
    !name.is_empty() && name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

/// Returns true for a status such as `200`, and for `0`, which means that there was no response.
fn is_code(word: &[u8]) -> bool {
    is_status(word) || word == b"0"
}
