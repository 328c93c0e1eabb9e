//! The logs of Web frameworks and application servers, each with its templates.

use super::{Line, Mark, Shape};
use crate::formats::format::{Choice, Row, row};
use crate::formats::token::{Quotes, is_status, method_before_path, method_len};

/// uvicorn/logging.py, `AccessFormatter`. On a terminal, or with another formatter, the line has no level.
const S_UVICORN: Shape = Shape {
    name: "uvicorn",
    lines: &[
        "INFO:$client - \"$request\" $status",
        "INFO:$client - \"$request\" $status $reason",
        "$client - \"$request\" $status",
        "$client - \"$request\" $status $reason",
        "INFO:$peer - \"WebSocket $target\" [$word]",
        "INFO:$peer - \"WebSocket $target\" $status",
    ],
    fields: "target; client, status",
    quotes: Quotes::Plain,
    mark: Mark::Text(" - \""),
};
/// gin/logger.go, `defaultLogFormatter`. Go has already decoded the path, but not the query. Versions before 1.7 write
/// the target without quotes.
const S_GIN: Shape = Shape {
    name: "gin",
    lines: &[
        "[GIN] $time |$status |$latency |$client |$method \"$path?$query\"",
        "[GIN] $time |$status |$latency |$client |$method \"$path\"",
        "[GIN] $time |$status |$latency |$client |$method $path?$query",
        "[GIN] $time |$status |$latency |$client |$method $path",
    ],
    fields: "query; client, time, status; path",
    quotes: Quotes::Backslash,
    mark: Mark::Text("[GIN] "),
};
/// rails/railties, `Rails::Rack::Logger`; actionpack, `ActionController::LogSubscriber`. The envelope `logger` removes
/// tags in brackets before the message.
const S_RAILS: Shape = Shape {
    name: "rails",
    lines: &["Started $method \"$target\" for $client at $time", "Redirected to $location"],
    fields: "target, location; client, time",
    quotes: Quotes::Plain,
    mark: Mark::Text("\" for "),
};
/// django/core/servers/basehttp.py. Python's server writes the quotes of clients unchanged.
const S_DJANGO: Shape = Shape {
    name: "django",
    lines: &["[$time] \"$request\" $status $number", "\"$request\" $status $number"],
    fields: "target; time, status",
    quotes: Quotes::Plain,
    mark: Mark::Text("\" "),
};
/// uwsgi-docs, LogFormat, the default format.
const S_UWSGI: Shape = Shape {
    name: "uwsgi",
    lines: &[
        "[pid: $number|app: $word|req: $word] $client ($user) {$number vars in $number bytes} [$time] $method $target => \
              generated $number bytes in $number msecs ($word $status) $number headers in $number bytes ($number switches on core \
              $number)",
        "[pid: $number|app: $word|req: $word] $client ($user) {$number vars in $number bytes} [$time] $method $target => \
              generated $number bytes in $number micros ($word $status) $number headers in $number bytes ($number switches on core \
              $number)",
    ],
    fields: "target; client, time, status",
    quotes: Quotes::Plain,
    mark: Mark::Text(" => generated "),
};
/// github.com/expressjs/morgan, predefined formats. Its `dev` format has colors, also in files.
const S_MORGAN: Shape = Shape {
    name: "morgan",
    lines: &[
        "\x1B[0m$method $target \x1B[${number}m$status\x1B[0m$number ms - $number\x1B[0m",
        "$method $target $status $number ms - $number",
        "$method $target $status $number - $number ms",
        "$client $word $method $target HTTP/$number $status $number - $number ms",
    ],
    fields: "target; client, status",
    quotes: Quotes::Plain,
    mark: Mark::Text(" ms"),
};
/// php-src, sapi/cli/php_cli_server.c. Versions before 7.4 write no method. In the line of an error, a message follows
/// the target.
const S_PHP: Shape = Shape {
    name: "php",
    lines: &[
        "[$time] $client [$status]: $method $target",
        "[$time] $client [$status]: $method $target - $reason",
        "[$time] $client [$status]: $target",
        "[$time] $client [$status]: $target - $reason",
    ],
    fields: "target; client, time, status",
    quotes: Quotes::Plain,
    mark: Mark::Text("]: "),
};
/// github.com/go-chi/chi, middleware/logger.go. The envelope `logger` removes the time. With `RequestID`, the line
/// starts with the ID.
const S_CHI: Shape = Shape {
    name: "chi",
    lines: &[
        "\"$request\" from $client - $status $word in $word",
        "[$word] \"$request\" from $client - $status $word in $word",
    ],
    fields: "target; client, status",
    quotes: Quotes::Plain,
    mark: Mark::Text("\" from "),
};
/// github.com/phoenixframework/phoenix, lib/phoenix/logger.ex, in the default format of Elixir's console: a time, the
/// metadata and the level. During development, new projects of Phoenix leave out the time. The metadata consist of
/// pairs, for example `request_id=F5x`.
const S_PHOENIX: Shape = Shape {
    name: "phoenix",
    lines: &[
        "[info] $method $target",
        "[debug] $method $target",
        "$metadata [info] $method $target",
        "$metadata [debug] $method $target",
    ],
    fields: "target",
    quotes: Quotes::Plain,
    mark: Mark::Text(" /"),
};
/// github.com/koajs/logger and github.com/honojs/hono, middleware/logger. The line of a response starts with `-->`.
/// After an error or a lost connection, Koa writes `xxx` or `-x-` instead. A line with `<--` announces the same
/// request, so we copy such a line.
const S_KOA: Shape = Shape {
    name: "koa",
    lines: &[
        "--> $method $target $status $word",
        "  --> $method $target $status $word $word",
        "  xxx $method $target $status $word $word",
        "  -x- $method $target $status $word $word",
        "--> $method $target \x1B[${number}m$status\x1B[0m $word",
    ],
    fields: "target; status",
    quotes: Quotes::Plain,
    mark: Mark::Text("-->"),
};
/// The message `HostingRequestStartingLog` (github.com/dotnet/aspnetcore, src/Hosting). The console logger of ASP.NET
/// Core writes six blanks before it.
/// ASP.NET Core has already decoded the path, but not the query. After the target come the type and the length of the
/// content.
const S_ASPNET: Shape = Shape {
    name: "aspnet",
    lines: &[
        "      Request starting HTTP/$number $method $path?$query $media $word",
        "      Request starting HTTP/$number $method $path?$query",
        "      Request starting HTTP/$number $method $path - $media $word",
        "      Request starting HTTP/$number $method $path - -",
        "      Request starting HTTP/$number $method $path $media $word",
        "      Request starting HTTP/$number $method $path  ",
    ],
    fields: "query;; path",
    quotes: Quotes::Plain,
    mark: Mark::Text("Request starting HTTP/"),
};
/// github.com/rwf2/Rocket, core/lib/src/request, `Display`: the method, the target, and the type of the content or of
/// the `Accept` header. The lines after the record are indented. These lines contain the pattern of the route, so we
/// copy them.
///
/// Vaultwarden, a program on Rocket, has its own prefix (src/main.rs, `init_logging`).
const S_ROCKET: Shape = Shape {
    name: "rocket",
    lines: &["$method $target:", "$method $target $word:", "[$time][request][INFO] $method $target"],
    fields: "target",
    quotes: Quotes::Plain,
    mark: Mark::Start(|record| method_before_path(record).is_some_and(|len| len > 2)),
};
/// github.com/tornadoweb/tornado, web.py, `log_request`, and github.com/jupyter-server/jupyter_server, log.py, which adds the
/// user, and the referrer of a failed request. The envelope `logger` removes the prefix.
const S_TORNADO: Shape = Shape {
    name: "tornado",
    lines: &[
        "$status $method $target ($client) ${number}ms",
        "$status $method $target ($user@$client) ${number}ms",
        "$status $method $target ($client) ${number}ms referer=$referrer",
        "$status $method $target ($user@$client) ${number}ms referer=$referrer",
    ],
    fields: "target, referrer; client, status",
    quotes: Quotes::Plain,
    mark: Mark::Start(|record| record.get(3) == Some(&b' ') && is_status(&record[..3]) && method_len(&record[4..]) > 0),
};
/// github.com/actix/actix-web, middleware/logger.rs, and github.com/seanmonstar/warp, filters/log.rs. Their records
/// have no time in brackets. The envelope `logger` removes the prefix.
const S_ACTIX: Shape = Shape {
    name: "actix",
    lines: &[
        "$client \"$request\" $status $number \"$referrer\" \"$http_user_agent\" $number",
        "$client \"$request\" $status \"$referrer\" \"$http_user_agent\" $word",
    ],
    fields: "target, referrer; user-agent, client, status",
    quotes: Quotes::Plain,
    mark: Mark::Text(" HTTP/"),
};
/// github.com/tower-rs/tower-http, trace/make_span.rs, in the format of `tracing`: axum and other servers. Every line that the
/// program writes during a request starts with the span of the request. The envelope `logger` removes the time and the
/// level.
const S_TOWER: Shape = Shape {
    name: "tower",
    lines: &["request{method=$method uri=$target version=$rest", "request{method=$method uri=$target}:$rest"],
    fields: "target",
    quotes: Quotes::Plain,
    mark: Mark::Text("request{method="),
};
/// github.com/django/daphne, management/commands/runserver.py, `log_action`: Django's `runserver` with Channels. The
/// envelope `logger` removes the time.
const S_DAPHNE: Shape = Shape {
    name: "daphne",
    lines: &["HTTP $method $target $status [$number, $client]", "WebSocket $method $target [$client]"],
    fields: "target; client, status",
    quotes: Quotes::Plain,
    mark: Mark::Start(|record| record.starts_with(b"HTTP ") || record.starts_with(b"WebSocket ")),
};
/// github.com/spring-projects/spring-framework, `DispatcherServlet.logRequest`, at the level DEBUG. The envelope `logger`
/// removes the prefix.
const S_SPRING: Shape = Shape {
    name: "spring",
    lines: &["$method \"$target\", parameters={$rest", "\"$word\" dispatch for $method \"$target\", parameters={$rest"],
    fields: "target",
    quotes: Quotes::Plain,
    mark: Mark::Text("\", parameters={"),
};
/// github.com/apache/solr, `SolrCore.getToLogString`. Solr encodes each parameter again before it writes the log, so
/// the query is in its usual form.
const S_SOLR: Shape = Shape {
    name: "solr",
    lines: &[
        "$prefix webapp=$word path=$path params={$query} $rest",
        "$prefix webapp=$word path=$path params={$query}",
    ],
    fields: "query;; path",
    quotes: Quotes::Plain,
    mark: Mark::Text(" params={"),
};
/// Confluence, `conf_access_log`, the pattern of Tomcat's valve in its server.xml:
/// `%t %{X-AUSERNAME}o %I %h %r %s %Dms %b %{Referer}i %{User-Agent}i`. Confluence 7.11 and Jira 9.4 add the
/// forwarded client after the time.
const S_CONFLUENCE: Shape = Shape {
    name: "confluence",
    lines: &[
        "[$time] $word $word $client $method $target HTTP/$number $status ${number}ms $word $referer $http_user_agent",
        "[$time] $word $word $word $client $method $target HTTP/$number $status ${number}ms $word $referer $http_user_agent",
    ],
    fields: "target, referrer; user-agent, client, time, status",
    quotes: Quotes::Plain,
    mark: Mark::Text(" HTTP/"),
};
/// github.com/go-gitea/gitea, modules/web/routing/logger.go: Gitea and Forgejo.
const S_GITEA: Shape = Shape {
    name: "gitea",
    // The reason has up to four words.
    lines: &[
        "$prefix router: completed $method $target for $client, $status $word in $word @ $word",
        "$prefix router: completed $method $target for $client, $status $word $word in $word @ $word",
        "$prefix router: completed $method $target for $client, $status $word $word $word in $word @ $word",
        "$prefix router: completed $method $target for $client, $status $word $word $word $word in $word @ $word",
        "$prefix router: completed $method $target for $client, $status $word in $word",
        "$prefix router: completed $method $target for $client, $status $word $word in $word",
        "$prefix router: completed $method $target for $client, $status $word $word $word in $word",
        "$prefix router: completed $method $target for $client, $status $word $word $word $word in $word",
    ],
    fields: "target; client, status",
    quotes: Quotes::Plain,
    mark: Mark::Text(" router: completed "),
};
/// github.com/oauth2-proxy/oauth2-proxy, pkg/logger, `DefaultRequestLoggingFormat`. Older versions write no ID.
const S_OAUTH2: Shape = Shape {
    name: "oauth2-proxy",
    lines: &[
        "$client - $word - $user [$time] $word $method $word \"$target\" $word \"$http_user_agent\" $status $number $number",
        "$client - $user [$time] $word $method $word \"$target\" $word \"$http_user_agent\" $status $number $number",
    ],
    fields: "target; user-agent, client, time, status",
    quotes: Quotes::Backslash,
    mark: Mark::Text("\" HTTP/"),
};
/// learn.microsoft.com, IIS log file format. IIS has already decoded the path, but not the query.
const S_IIS: Shape = Shape {
    name: "iis",
    lines: &[
        "$client, $word, $word, $word, $word, $word, $word, $number, $number, $number, $status, $number, $method, $path, \
              $query,",
    ],
    fields: "query; client, status; path",
    quotes: Quotes::Plain,
    mark: Mark::Text(""),
};

row!(Line, UVICORN, S_UVICORN, "Uvicorn, access log");
row!(Line, GIN, S_GIN, "Gin; it has decoded the path, but not the query");
row!(Line, RAILS, S_RAILS, "Rails, `Started` and `Redirected` lines", |sample| {
    // A line with only `Redirected to` could be from any program.
    sample.lines.iter().any(|line| line.starts_with(b"Started ")) && Line::sniff(&S_RAILS, sample)
});
row!(Line, DJANGO, S_DJANGO, "Django's `runserver`");
row!(Line, UWSGI, S_UWSGI, "uWSGI, its default format");
row!(Line, MORGAN, S_MORGAN, "morgan (Express): `dev`, `tiny`, `short`");
row!(Line, PHP, S_PHP, "PHP's built-in server");
row!(Line, CHI, S_CHI, "chi (Go), `middleware.Logger`");
row!(Line, PHOENIX, S_PHOENIX, "Phoenix (Elixir), `GET /path` lines");
row!(Line, KOA, S_KOA, "koa-logger and Hono, `-->` lines");
row!(Line, ASPNET, S_ASPNET, "ASP.NET Core, `Request starting` lines; it has decoded the path, but not the query");
row!(Line, ROCKET, S_ROCKET, "Rocket (Rust) and Vaultwarden, the lines of requests", |sample| {
    // An indented line of the same request makes sure that the log is from Rocket.
    let is_rocket = |line: &&[u8]| [&b"   >> "[..], b"    => ", b"["].iter().any(|start| line.starts_with(start));
    sample.lines.iter().any(is_rocket) && Line::sniff(&S_ROCKET, sample)
});
row!(Line, TORNADO, S_TORNADO, "Tornado and Jupyter, after `logger`");
row!(Line, ACTIX, S_ACTIX, "Actix Web and warp (Rust), after `logger`");
row!(Line, TOWER, S_TOWER, "tower-http, as of axum (Rust), after `logger`");
row!(Line, DAPHNE, S_DAPHNE, "Django's `runserver` with Channels, after `logger`");
row!(Line, SPRING, S_SPRING, "Spring's `DispatcherServlet`, after `logger`");
row!(Line, SOLR, S_SOLR, "Apache Solr, lines with `params`");
row!(Line, CONFLUENCE, S_CONFLUENCE, "Confluence, `conf_access_log`");
row!(Line, GITEA, S_GITEA, "Gitea and Forgejo, `completed` lines");
row!(Line, OAUTH2, S_OAUTH2, "oauth2-proxy, requests");
row!(Line, IIS, S_IIS, "IIS, its native format; it has decoded the path, but not the query", |sample| {
    let line = Line::new(&S_IIS, &Choice::default());
    line.is_ok_and(|line| sample.most(|record| line.read(record, &mut Vec::new())))
});
