//! The formats of columns, and their columns with URLs.

use memchr::{memchr, memmem};

use super::{Delimited, Shape};
use crate::formats::format::{Row, row};
use crate::formats::shape::{Sample, is_absolute, is_digits, is_url};
use crate::formats::table::{cells, is_header};
use crate::formats::token::{is_client, is_number, is_status};
use crate::framing::csv_field_end;

const S_CSV: Shape = Shape {
    name: "csv",
    delimiter: b',',
    quotes: true,
    is_spaced: false,
    directive: "",
    separator: b',',
    comments: false,
    usual: &[
        "url", "uri", "request_url", "request_uri", "request", "referer", "referrer", "http_referer", "path", "query",
        "page_url", "cs-uri-query", "cs(referer)",
    ],
    fallback: "",
    known: &[],
    is_known: |_| true,
    is_other: |_| false,
    is_fixed: false,
    layers: 1,
};
const S_CSV_SEMICOLON: Shape = Shape { name: "csv;", delimiter: b';', separator: b';', ..S_CSV };
const S_CSV_BAR: Shape = Shape { name: "csv|", delimiter: b'|', separator: b'|', ..S_CSV };
const S_TSV: Shape = Shape { quotes: false, ..S_TSV_QUOTED };
/// TSV with the quotes of CSV.
pub(super) const S_TSV_QUOTED: Shape = Shape { name: "tsv", delimiter: b'\t', separator: b'\t', ..S_CSV };
/// The Extended Log File Format of the W3C (WD-logfile-960323). IIS has already decoded `cs-uri-stem`, so we choose
/// this column only for verbs that don't write the record back, or if the input has no other column with URLs. ProxySG has `cs-uri-path` instead, and writes it as the
/// client sent it.
const S_W3C: Shape = Shape {
    name: "w3c",
    delimiter: b' ',
    is_spaced: true,
    directive: "#Fields:",
    separator: b' ',
    comments: true,
    // TMG calls the referrer `cs-referred`.
    usual: &["cs-uri", "cs-uri-path", "cs-uri-stem", "cs-uri-query", "cs(referer)", "cs-referred"],
    fallback: "cs-uri-stem",
    quotes: false,
    ..S_CSV
};
/// Amazon CloudFront (Developer Guide, standard logs). CloudFront adds a layer of encoding.
const S_CLOUDFRONT: Shape = Shape {
    name: "cloudfront",
    delimiter: b'\t',
    is_spaced: false,
    usual: &["cs-uri-stem", "cs(referer)", "cs-uri-query", "cs(user-agent)"],
    fallback: "",
    known: &[
        ("cs-uri-stem", 7),
        ("cs(referer)", 9),
        ("cs(user-agent)", 10),
        ("cs-uri-query", 11),
        ("date", 0),
        ("time", 1),
        ("c-ip", 4),
        ("sc-status", 8),
    ],
    is_known: is_cloudfront,
    layers: 2,
    ..S_W3C
};
/// Zeek (docs.zeek.org, log formats). Tabs separate the columns. The line `#fields` names them, and other `#` lines are comments.
const S_ZEEK: Shape = Shape {
    name: "zeek",
    delimiter: b'\t',
    is_spaced: false,
    directive: "#fields",
    separator: b'\t',
    usual: &["uri", "referrer", "location"],
    fallback: "",
    ..S_W3C
};
/// URLhaus (urlhaus.abuse.ch/api): CSV with all cells in quotes. The first lines begin with `#`, and the last of these
/// lines names the columns.
const S_URLHAUS: Shape = Shape {
    name: "urlhaus",
    directive: "# id,",
    comments: true,
    usual: &["url"],
    known: &[("url", 2)],
    is_known: is_urlhaus,
    ..S_CSV
};
/// Umbrella (docs.umbrella.com, log formats, proxy logs): CSV with all cells in quotes, and no header.
const S_UMBRELLA: Shape = Shape {
    name: "umbrella",
    directive: "#",
    usual: &["url", "referer"],
    known: &[
        ("timestamp", 0),
        ("url", 7),
        ("referer", 8),
        ("user-agent", 9),
        ("identity", 1),
        ("client", 2),
        ("external-client", 3),
        ("destination", 4),
        ("content-type", 5),
        ("verdict", 6),
        ("status", 10),
    ],
    is_known: is_umbrella,
    ..S_CSV
};
/// PAN-OS (docs.paloaltonetworks.com, syslog field descriptions, threat logs): CSV without a header. Only a record of the type
/// `THREAT` and the subtype `url` or `vulnerability` has a URL.
const S_PANOS: Shape = Shape {
    name: "panos",
    directive: "#",
    usual: &["url", "referer"],
    known: &[
        ("url", 31),
        ("referer", 49),
        ("time", 1),
        ("client", 7),
        ("destination", 8),
        ("user", 12),
        ("action", 30),
        ("category", 33),
        ("user-agent", 46),
    ],
    is_known: is_panos_url,
    is_other: is_panos_other,
    ..S_CSV
};
/// BunnyCDN (docs.bunny.net, CDN logging, API v1). The columns have fixed positions and are never quoted, and no line
/// names them.
const S_BUNNY: Shape = Shape {
    name: "bunny",
    delimiter: b'|',
    quotes: false,
    directive: "#",
    usual: &["url", "referrer"],
    known: &[
        ("cache", 0),
        ("status", 1),
        ("timestamp", 2),
        ("bytes", 3),
        ("zone", 4),
        ("client", 5),
        ("referrer", 6),
        ("url", 7),
        ("edge", 8),
        ("user-agent", 9),
        ("request-id", 10),
        ("country", 11),
    ],
    is_known: is_bunny,
    is_fixed: true,
    ..S_CSV
};

row!(Delimited, CSV, S_CSV, "RFC 4180, by column", "url, referer, ...", |sample| has_column(sample, &S_CSV));
row!(Delimited, CSV_SEMICOLON, S_CSV_SEMICOLON, "CSV with semicolons", "url, referer, ...", |sample| {
    has_column(sample, &S_CSV_SEMICOLON)
});
row!(Delimited, CSV_BAR, S_CSV_BAR, "CSV with vertical bars", "url, referer, ...", |sample| {
    has_column(sample, &S_CSV_BAR)
});
row!(Delimited, TSV, S_TSV, "tabs, by column", "url, referer, ...", |sample| has_column(sample, &S_TSV));
row!(
    Delimited,
    W3C,
    S_W3C,
    "W3C extended, as IIS, ProxySG and others write it, by column of #Fields",
    "cs-uri, cs-uri-path, cs-uri-query, cs(Referer), cs-referred;; cs-uri-stem",
    // Exchange writes the same line, but commas between the columns.
    |sample| sample.lines.iter().any(|line| line.starts_with(b"#Fields:") && memchr(b',', line).is_none())
);
row!(
    Delimited,
    CLOUDFRONT,
    S_CLOUDFRONT,
    "CloudFront standard logs; two layers are decoded",
    "cs-uri-stem, cs(Referer), cs-uri-query, cs(User-Agent)",
    |sample| {
        let is_it = |line: &&[u8]| line.starts_with(b"#Fields:") && memmem::find(line, b"x-edge-location").is_some();
        sample.lines.iter().any(is_it) || sample.most(is_cloudfront)
    }
);
row!(Delimited, ZEEK, S_ZEEK, "Zeek, http.log and others with tabs", "uri, referrer, location", |sample| {
    sample.lines.iter().any(|line| line.starts_with(b"#fields\t"))
});
row!(Delimited, URLHAUS, S_URLHAUS, "URLhaus, its dumps in CSV", "url; urlhaus_link", |sample| {
    let is_header = |line: &&[u8]| line.starts_with(b"# id,") && memmem::find(line, b",url,").is_some();
    sample.lines.first().is_some_and(|line| line.starts_with(b"#")) && sample.lines.iter().any(is_header)
});

row!(
    Delimited,
    UMBRELLA,
    S_UMBRELLA,
    "Cisco Umbrella, proxy logs",
    "url, referer; client, status, verdict, ...",
    |sample| sample.most(is_umbrella)
);
row!(
    Delimited,
    PANOS,
    S_PANOS,
    "PAN-OS of Palo Alto Networks, threat logs",
    "url, referer; time, client, destination, user, action, category, user-agent",
    |sample| sample.most(|line| panos_kind(line).is_some()) && sample.lines.iter().any(|line| is_panos_url(line))
);
row!(
    Delimited,
    BUNNY,
    S_BUNNY,
    "BunnyCDN, raw logs",
    "url, referrer; cache, status, timestamp, bytes, zone, client, edge, user-agent, request-id, country",
    |sample| sample.most(is_bunny)
);

/// Returns true for a record of BunnyCDN: `HIT|200|1507167062421|412|390|192.0.2.1|-|https://h/x|WA|UA|ID|DE`.
///
/// If a client sends a `|` in its referrer, the columns after the referrer shift. So a record must have exactly 12
/// columns.
fn is_bunny(record: &[u8]) -> bool {
    let mut columns = record.split(|&byte| byte == b'|');
    let [cache, status, time, bytes, zone, client, _referrer, url] =
        std::array::from_fn(|_| columns.next().unwrap_or_default());
    !cache.is_empty()
        && cache.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'-')
        && is_status(status)
        && [time, bytes, zone].into_iter().all(is_digits)
        && is_client(client)
        && is_absolute(url)
        && columns.count() == 4
}

/// Returns the type and the subtype of a record of PAN-OS: `THREAT` and `url` in
/// `1,2025/03/28 05:33:55,007051000050926,THREAT,url,...`.
fn panos_kind(record: &[u8]) -> Option<[&[u8]; 2]> {
    let mut cells = record.splitn(6, |&byte| byte == b',');
    let [first, time, serial, kind, subtype] = std::array::from_fn(|_| cells.next().unwrap_or_default());
    let is_kind = !kind.is_empty() && kind.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'-');
    // A sixth cell follows, so the subtype isn't cut off.
    let is_it = first.len() == 1 && memchr(b':', time).is_some() && is_digits(serial) && is_kind;
    (is_it && cells.next().is_some()).then_some([kind, subtype])
}

/// Returns true if records of this type and this subtype have a URL.
fn has_panos_url([kind, subtype]: [&[u8]; 2]) -> bool {
    kind == b"THREAT" && [&b"url"[..], b"vulnerability"].contains(&subtype)
}

/// Returns true for a record of PAN-OS that has a URL, and is long enough for it.
fn is_panos_url(record: &[u8]) -> bool {
    panos_kind(record).is_some_and(has_panos_url) && record.split(|&byte| byte == b',').count() > 32
}

/// Returns true for a record of PAN-OS of a type or a subtype without URLs.
fn is_panos_other(record: &[u8]) -> bool {
    panos_kind(record).is_some_and(|kind| !has_panos_url(kind))
}

/// Returns true for a record of Umbrella: a time, a verdict at its usual place, and more cells. Some versions of the
/// format have one more cell before the verdict.
fn is_umbrella(record: &[u8]) -> bool {
    let record = record.trim_ascii_start();
    let time = &record[..memchr(b',', record).unwrap_or(0)];
    let is_time =
        time.len() == 21 && time.starts_with(b"\"") && time[5] == b'-' && time[11] == b' ' && time[14] == b':';
    let next = |at: usize| csv_field_end(record, at).filter(|&end| record.get(end) == Some(&b',')).map(|end| end + 1);
    let verdicts: [&[u8]; 3] = [b"\"ALLOWED\",\"", b"\"BLOCKED\",\"", b"\"PROXIED\",\""];
    is_time
        && (0..6)
            .try_fold(0, |at, _| next(at))
            .is_some_and(|at| verdicts.iter().any(|verdict| record[at..].starts_with(verdict)))
}

/// Returns true for a record of URLhaus: `"1","2024-01-02 03:04:05","http://..."`, with more cells.
fn is_urlhaus(record: &[u8]) -> bool {
    let mut cells = record.split(|&byte| byte == b',').map(|cell| cell.trim_ascii_start());
    let is_id = |cell: &[u8]| cell.strip_prefix(b"\"").is_some_and(|id| id.first().is_some_and(u8::is_ascii_digit));
    cells.next().is_some_and(is_id)
        && cells.nth(1).is_some_and(|cell| cell.strip_prefix(b"\"").is_some_and(is_absolute))
}

/// Returns true for a record of CloudFront:
/// `2019-12-04 21:02:31 LAX1 392 192.0.2.100 GET d111111abcdef8.cloudfront.net /x 200 ...`, with tabs.
fn is_cloudfront(record: &[u8]) -> bool {
    let mut columns = record.split(|&byte| byte == b'\t');
    let mut next = || columns.next().unwrap_or_default();
    let [date, time, _edge, bytes, client, _method, _host, stem, status] = std::array::from_fn(|_| next());
    let is_of = |text: &[u8], form: &[u8]| {
        let fits = |(&byte, &form): (&u8, &u8)| if form == b'0' { byte.is_ascii_digit() } else { byte == form };
        text.len() == form.len() && text.iter().zip(form).all(fits)
    };
    is_of(date, b"0000-00-00")
        && is_of(time, b"00:00:00")
        && is_digits(bytes)
        && is_client(client)
        && is_url(stem)
        && is_number(status)
        && columns.count() >= 3
}

/// Returns true if the first line can be a header, and one of its names is a known name of a column with URLs. One of the next lines
/// must have the delimiter, too.
fn has_column(sample: &Sample, shape: &Shape) -> bool {
    let Some((header, rows)) = sample.lines.split_first() else { return false };
    let has_rows = rows.is_empty() || rows.iter().any(|row| memchr(shape.delimiter, row).is_some());
    let is_known = |name: &Vec<u8>| {
        let name = name.trim_ascii();
        shape.usual.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
    };
    let cells = cells(header, shape.delimiter, shape.quotes);
    // In a table of Markdown, a bar comes before the first cell and after the last one.
    let is_drawn = [header.first(), header.last()] == [Some(&shape.delimiter); 2];
    has_rows && cells.len() > 1 && cells.iter().any(is_known) && is_header(&cells) && !is_drawn
}
