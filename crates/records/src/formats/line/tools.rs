//! The messages of clients, crawlers, scanners and proxies, and small text files, each with its templates.

use super::{Line, Mark, Shape};
use crate::formats::format::{Row, row};
use crate::formats::token::{Quotes, method_before_path};

/// github.com/OISF/suricata, src/log-httplog.c, with and without the option `extended`. The last template also fits the
/// longer records, so it comes last.
const S_SURICATA: Shape = Shape {
    name: "suricata-http",
    lines: &[
        "$word $host [**] $target [**] $http_user_agent [**] $referrer [**] $method [**] $word [**] $status => $location \
              [**] $number bytes [**] $client -> $word",
        "$word $host [**] $target [**] $http_user_agent [**] $referrer [**] $method [**] $word [**] $status [**] $number bytes \
              [**] $client -> $word",
        "$word $host [**] $target [**] $http_user_agent [**] $client -> $word",
    ],
    fields: "target, referrer, location; user-agent, client, host, status",
    quotes: Quotes::Plain,
    mark: Mark::Text(" [**] "),
};
/// GNU Wget, src/retr.c and http.c. A line with a time announces each request.
const S_WGET: Shape = Shape {
    name: "wget",
    lines: &[
        "--$time--  (try:$try)  $url",
        "--$time--  $url",
        "Location: $location [following]",
        "Location: $location",
    ],
    fields: "url, location",
    quotes: Quotes::Plain,
    mark: Mark::Start(|record| record.starts_with(b"--") || record.starts_with(b"Location: ")),
};
/// curl with `-v`: lines with `>` are sent, and lines with `<` are received.
const S_CURL: Shape = Shape {
    name: "curl",
    lines: &[
        "> $method $target HTTP/$number",
        "> Referer: $referrer",
        "< Location: $location",
        "< location: $location",
    ],
    fields: "target, location, referrer",
    quotes: Quotes::Plain,
    mark: Mark::Start(|record| record.starts_with(b"> ") && method_before_path(&record[2..]).is_some()),
};
/// github.com/OJ/gobuster, gobusterdir/result.go. The path may lack its first slash. With `-e`, it is the whole URL.
const S_GOBUSTER: Shape = Shape {
    name: "gobuster",
    lines: &[
        "$uri (Status: $status) [Size: $number] [--> $location]",
        "$uri (Status: $status) [Size: $number] [---> $location]",
        "$uri (Status: $status) [Size: $number]",
        "$uri (Status: $status)",
    ],
    fields: "uri, location; status",
    quotes: Quotes::Plain,
    mark: Mark::Text("(Status: "),
};
/// Privoxy's log (privoxy.org, user manual, `debug 1` and `debug 1024`). The URL has no scheme.
const S_PRIVOXY: Shape = Shape {
    name: "privoxy",
    lines: &["$word $word $word Request: $uri", "$word $word $word Crunch: $reason: $uri"],
    fields: "uri",
    quotes: Quotes::Plain,
    mark: Mark::Start(|record| matches!(record.split(|byte| *byte == b' ').nth(3), Some(b"Request:" | b"Crunch:"))),
};
/// The transfer log of apt-cacher-ng. The first part of the path is a host, or the name of a repository.
const S_APT_CACHER: Shape = Shape {
    name: "apt-cacher",
    lines: &["$number|$word|$number|$client|$uri", "$number|$word|$number|$client|$uri [$reason]"],
    fields: "uri; client",
    quotes: Quotes::Plain,
    mark: Mark::Text("|"),
};
/// github.com/scrapy/scrapy, core/engine.py, logformatter.py and downloadermiddlewares/redirect.py. The envelope
/// `logger` removes the prefix.
const S_SCRAPY: Shape = Shape {
    name: "scrapy",
    // Plugins for proxies write the address of the proxy after the URL.
    lines: &[
        "Crawled ($status) <$method $url via $upstream> (referer: None)",
        "Crawled ($status) <$method $url via $upstream> (referer: $referrer)",
        "Crawled ($status) <$method $url> (referer: None)",
        "Crawled ($status) <$method $url> (referer: None) [$word]",
        "Crawled ($status) <$method $url> (referer: $referrer)",
        "Crawled ($status) <$method $url> (referer: $referrer) [$word]",
        "Redirecting ($word) to <$method $location> from <$method $url>",
    ],
    fields: "url, referrer, location; upstream, status",
    quotes: Quotes::Plain,
    mark: Mark::Start(|record| record.starts_with(b"Crawled (") || record.starts_with(b"Redirecting (")),
};
/// A shortcut of Windows, or a link on a desktop (freedesktop.org, Desktop Entry Specification).
const S_SHORTCUT: Shape = Shape {
    name: "shortcut",
    lines: &["URL=$url", "BASEURL=$url"],
    fields: "url",
    quotes: Quotes::Plain,
    mark: Mark::Text("URL="),
};

row!(Line, SURICATA, S_SURICATA, "Suricata, http.log");
row!(Line, WGET, S_WGET, "GNU Wget, its messages", |sample| {
    sample.lines.iter().any(|line| line.starts_with(b"--")) && Line::sniff(&S_WGET, sample)
});
row!(Line, CURL, S_CURL, "curl, the messages of `-v`", |sample| {
    sample.lines.iter().any(|line| line.starts_with(b"* ")) && Line::sniff(&S_CURL, sample)
});
row!(Line, GOBUSTER, S_GOBUSTER, "gobuster, found paths");
row!(Line, PRIVOXY, S_PRIVOXY, "Privoxy, lines with `Request:`", |sample| {
    // The third word is the number of a thread.
    let is_thread = |word: &[u8]| word.len() >= 8 && word.iter().all(u8::is_ascii_hexdigit);
    let has_thread = |line: &[u8]| line.split(|&byte| byte == b' ').nth(2).is_some_and(is_thread);
    sample.most(has_thread) && Line::sniff(&S_PRIVOXY, sample)
});
row!(Line, APT_CACHER, S_APT_CACHER, "apt-cacher-ng, transfers", |sample| {
    let is_transfer = |line: &[u8]| matches!(line.split(|&byte| byte == b'|').nth(1), Some(b"I" | b"O" | b"E"));
    sample.most(is_transfer) && Line::sniff(&S_APT_CACHER, sample)
});
row!(Line, SCRAPY, S_SCRAPY, "Scrapy, after `logger`");
row!(Line, SHORTCUT, S_SHORTCUT, "shortcuts to Web pages: .url and .desktop files", |sample| {
    let first = sample.lines.first().map(|line| line.trim_ascii());
    matches!(first, Some(b"[InternetShortcut]" | b"[Desktop Entry]" | b"[DEFAULT]")) && Line::sniff(&S_SHORTCUT, sample)
});
