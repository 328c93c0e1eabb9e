//! Logs of Web frameworks and application servers, and small text files. A record is a line with fixed text around its
//! fields.
//!
//! A format is a table of templates in the syntax of nginx's `log_format`. The name of a variable, for example
//! `$client`, `$status` or `$number`, also determines the values that it can have. The whole record must fit the
//! template.
//!
//! Most of these programs also write other lines to the same log, for example when they start. Every record contains a
//! certain text, the mark. A line without the mark counts as a comment.

use memchr::memmem;

use super::format::{Choice, ExtraField, Field, Format, Kind, Layout, Row, Schema, row, unknown};
use super::pattern::Pattern;
use super::role::is_context;
use super::shape::Sample;
use super::token::{Quotes, without_overlaps};

struct Shape {
    name: &'static str,
    /// The templates of a record. We use the first template that fits.
    lines: &'static [&'static str],
    /// The names of the fields. The flag is true for a default field.
    known: &'static [(&'static str, bool)],
    /// How the program writes a quote in a value.
    quotes: Quotes,
    /// The text that every record contains.
    mark: &'static str,
}

/// The fields of most formats.
const FIELDS: &[(&str, bool)] = &[("target", true), ("client", false), ("status", false)];

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
    known: FIELDS,
    quotes: Quotes::Plain,
    mark: " - \"",
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
    known: &[("query", true), ("path", false), ("client", false), ("time", false), ("status", false)],
    quotes: Quotes::Backslash,
    mark: "[GIN] ",
};
/// rails/railties, `Rails::Rack::Logger`; actionpack, `ActionController::LogSubscriber`. The envelope `logger` removes
/// tags in brackets before the message.
const S_RAILS: Shape = Shape {
    name: "rails",
    lines: &["Started $method \"$target\" for $client at $time", "Redirected to $location"],
    known: &[("target", true), ("location", true), ("client", false), ("time", false)],
    quotes: Quotes::Plain,
    mark: "\" for ",
};
/// django/core/servers/basehttp.py. Python's server writes the quotes of clients unchanged.
const S_DJANGO: Shape = Shape {
    name: "django",
    lines: &["[$time] \"$request\" $status $number", "\"$request\" $status $number"],
    known: &[("target", true), ("time", false), ("status", false)],
    quotes: Quotes::Plain,
    mark: "\" ",
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
    known: &[("target", true), ("client", false), ("time", false), ("status", false)],
    quotes: Quotes::Plain,
    mark: " => generated ",
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
    known: FIELDS,
    quotes: Quotes::Plain,
    mark: " ms",
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
    known: &[("target", true), ("client", false), ("time", false), ("status", false)],
    quotes: Quotes::Plain,
    mark: "]: ",
};
/// github.com/go-chi/chi, middleware/logger.go. The envelope `logger` removes the time. With `RequestID`, the line
/// starts with the ID.
const S_CHI: Shape = Shape {
    name: "chi",
    lines: &[
        "\"$request\" from $client - $status $word in $word",
        "[$word] \"$request\" from $client - $status $word in $word",
    ],
    known: FIELDS,
    quotes: Quotes::Plain,
    mark: "\" from ",
};
/// github.com/phoenixframework/phoenix, lib/phoenix/logger.ex, in the default format of Elixir's console: a time, the
/// metadata and the level. During development, new projects of Phoenix leave out the time.
const S_PHOENIX: Shape = Shape {
    name: "phoenix",
    lines: &[
        "[info] $method $target",
        "[debug] $method $target",
        "$word [info] $method $target",
        "$word $word [info] $method $target",
        "$word [debug] $method $target",
        "$word $word [debug] $method $target",
    ],
    known: &[("target", true)],
    quotes: Quotes::Plain,
    mark: " /",
};
/// github.com/koajs/logger and github.com/honojs/hono, middleware/logger. The line of a response starts with `-->`.
/// After an error or a lost connection, Koa writes `xxx` or `-x-` instead. A line with `<--` announces the same
/// request, so we copy it.
const S_KOA: Shape = Shape {
    name: "koa",
    lines: &[
        "--> $method $target $status $word",
        "  --> $method $target $status $word $word",
        "  xxx $method $target $status $word $word",
        "  -x- $method $target $status $word $word",
        "--> $method $target \x1B[${number}m$status\x1B[0m $word",
    ],
    known: &[("target", true), ("status", false)],
    quotes: Quotes::Plain,
    mark: "-->",
};
/// github.com/dotnet/aspnetcore, src/Hosting, `HostingRequestStartingLog`, after the prefix of its console logger.
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
    known: &[("query", true), ("path", false)],
    quotes: Quotes::Plain,
    mark: "Request starting HTTP/",
};
/// learn.microsoft.com, IIS log file format. IIS has already decoded the path, but not the query.
const S_IIS: Shape = Shape {
    name: "iis",
    lines: &[
        "$client, $word, $word, $word, $word, $word, $word, $number, $number, $number, $status, $number, $method, $path, \
              $query,",
    ],
    known: &[("query", true), ("path", false), ("client", false), ("status", false)],
    quotes: Quotes::Plain,
    mark: "",
};
/// A shortcut of Windows, or a link on a desktop (freedesktop.org, Desktop Entry Specification).
const S_SHORTCUT: Shape = Shape {
    name: "shortcut",
    lines: &["URL=$url", "BASEURL=$url"],
    known: &[("url", true)],
    quotes: Quotes::Plain,
    mark: "URL=",
};

row!(Line, UVICORN, S_UVICORN, "Uvicorn, access log", "target; client, status", |sample| any(sample, &S_UVICORN));
row!(
    Line,
    GIN,
    S_GIN,
    "Gin; it has decoded the path, but not the query",
    "query; path, client, time, status",
    |sample| { any(sample, &S_GIN) }
);
row!(Line, RAILS, S_RAILS, "Rails, `Started` and `Redirected` lines", "target, location; client, time", |sample| {
    // A line with only `Redirected to` could be from any program.
    sample.lines.iter().any(|line| line.starts_with(b"Started ")) && any(sample, &S_RAILS)
});
row!(Line, DJANGO, S_DJANGO, "Django's `runserver`", "target; time, status", |sample| any(sample, &S_DJANGO));
row!(Line, UWSGI, S_UWSGI, "uWSGI, its default format", "target; client, time, status", |sample| any(sample, &S_UWSGI));
row!(Line, MORGAN, S_MORGAN, "morgan (Express): `dev`, `tiny`, `short`", "target; client, status", |sample| {
    any(sample, &S_MORGAN)
});
row!(Line, PHP, S_PHP, "PHP's built-in server", "target; client, time, status", |sample| any(sample, &S_PHP));
row!(Line, CHI, S_CHI, "chi (Go), `middleware.Logger`", "target; client, status", |sample| any(sample, &S_CHI));
row!(Line, PHOENIX, S_PHOENIX, "Phoenix (Elixir), `GET /path` lines", "target", |sample| any(sample, &S_PHOENIX));
row!(Line, KOA, S_KOA, "koa-logger and Hono, `-->` lines", "target; status", |sample| any(sample, &S_KOA));
row!(
    Line,
    ASPNET,
    S_ASPNET,
    "ASP.NET Core, `Request starting` lines; it has decoded the path, but not the query",
    "query; path",
    |sample| any(sample, &S_ASPNET)
);
row!(
    Line,
    IIS,
    S_IIS,
    "IIS, its native format; it has decoded the path, but not the query",
    "query; path, client, status",
    |sample| {
        let line = Line::new(&S_IIS, &Choice::default());
        line.is_ok_and(|line| sample.most(|record| line.read(record, &mut Vec::new())))
    }
);
row!(Line, SHORTCUT, S_SHORTCUT, "shortcuts to Web pages: .url and .desktop files", "url", |sample| {
    let first = sample.lines.first().map(|line| line.trim_ascii());
    matches!(first, Some(b"[InternetShortcut]" | b"[Desktop Entry]" | b"[DEFAULT]")) && any(sample, &S_SHORTCUT)
});

/// Returns true if one of the first lines is a record. One is enough, because no other format has such records.
fn any(sample: &Sample, shape: &'static Shape) -> bool {
    let line = Line::new(shape, &Choice::default());
    line.is_ok_and(|line| sample.lines.iter().any(|record| line.read(record, &mut Vec::new())))
}

/// A template. For each field of `pattern`, `choices` has the index of this field among the chosen fields.
struct Template {
    pattern: Pattern,
    choices: Vec<usize>,
    first_rule: usize,
}

pub struct Line {
    shape: &'static Shape,
    templates: Vec<Template>,
    schema: Schema,
}

impl Line {
    fn new(shape: &'static Shape, choice: &Choice) -> Result<Line, String> {
        let usual = shape.known.iter().filter(|(_, is_usual)| *is_usual).map(|(name, _)| *name);
        let context = shape.known.iter().map(|(name, _)| *name).filter(|name| is_context(name, choice));
        let mut schema = Schema::new(choice, usual, context);
        let mut templates = Vec::new();
        for template in shape.lines {
            let (pattern, choices) = Pattern::built_in(template, shape.quotes, &schema.names)?;
            let first_rule = schema.rules.len();
            schema.rules.extend_from_slice(&pattern.schema().rules);
            templates.push(Template { pattern, choices, first_rule });
        }
        let is_there = |number: usize| templates.iter().any(|template: &Template| template.choices.contains(&number));
        if let Some(at) = (0..schema.names.len()).find(|&at| !is_there(at)) {
            let there: Vec<&str> = shape.known.iter().map(|(name, _)| *name).collect();
            return Err(unknown(&schema.names[at], shape.name, &there));
        }
        Ok(Line { shape, templates, schema })
    }

    /// Adds the fields of `record`. If it fits no template, returns false.
    fn read(&self, record: &[u8], fields: &mut Vec<Field>) -> bool {
        self.templates.iter().any(|template| {
            fields.clear();
            let is_it = template.pattern.read(record, fields).is_some();
            for field in fields.iter_mut() {
                field.choice = template.choices[field.choice];
                field.rule += template.first_rule;
            }
            is_it
        })
    }
}

impl Format for Line {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::Column { before: b" \"".into(), after: b"\"".into(), header: Vec::new(), absent: "-" }
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if self.read(record, fields) {
            fields.sort_by_key(|field| field.range.start);
            without_overlaps(fields);
            return Kind::Data;
        }
        fields.clear();
        let is_other = !self.shape.mark.is_empty() && memmem::find(record, self.shape.mark.as_bytes()).is_none();
        if is_other { Kind::Comment } else { Kind::Unrecognized }
    }
}
