//! Reads a format string as people copy it from a configuration: with the name of its directive, its quotes and its
//! semicolon.

use std::borrow::Cow;

/// Returns the format in `text`: a `log_format` directive of nginx, only its literals in quotes, or only a format
/// without quotes. Escapes like `\t` are replaced.
///
/// Several literals in quotes form one format. They are joined without blanks. If a backslash precedes a quote, the
/// quote is part of its literal.
///
/// # Errors
///
/// Returns a message if a literal doesn't close, or if the directive has no format.
pub fn nginx(text: &str) -> Result<Cow<'_, str>, String> {
    let inner = text.trim();
    let directive = inner.strip_prefix("log_format").filter(|rest| rest.starts_with(|c: char| c.is_ascii_whitespace()));
    if directive.is_none() && !inner.starts_with('\'') {
        return Ok(unescaped(text));
    }
    let mut words = words(directive.unwrap_or(inner), ';')?.into_iter();
    if directive.is_some() {
        // Skips the name of the format.
        words.next();
    }
    let format: String = words.filter(|word| !word.starts_with("escape=")).collect();
    if format.is_empty() {
        return Err(format!("`{inner}` has no format after its name"));
    }
    Ok(Cow::Owned(format))
}

/// Returns the format in `text`: a `LogFormat` or `CustomLog` directive of Apache, or only a format, with or without
/// quotes around it. Escapes like `\t` are replaced.
///
/// # Errors
///
/// Returns a message if the quotes of the format don't close, or if the directive has no format.
pub fn apache(text: &str) -> Result<Cow<'_, str>, String> {
    let inner = text.trim();
    let after = |name: &str| {
        let rest =
            inner.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name)).map(|_| &inner[name.len()..]);
        rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_whitespace()))
    };
    let (rest, file) = match (after("LogFormat"), after("CustomLog")) {
        (Some(rest), _) => (rest, 0),
        (_, Some(rest)) => (rest, 1),
        // If the directive is missing, the first quote may belong to the format. But the user may also have copied the
        // quotes around the whole format. If so, only a nickname can follow the closing quote.
        _ if inner.starts_with('"') => match words(inner, '\n') {
            Ok(words)
                if words.len() <= 2 && words[0].contains(' ') && words.get(1).is_none_or(|w| !w.contains('%')) =>
            {
                (inner, 0)
            }
            _ => return Ok(unescaped(text)),
        },
        _ => return Ok(unescaped(text)),
    };
    let format = words(rest, '\n')?.into_iter().nth(file);
    format.map(Cow::Owned).ok_or_else(|| format!("`{inner}` has no format"))
}

/// Returns the formats in a configuration of nginx, each with its name.
fn nginx_formats(text: &str) -> Vec<(String, String)> {
    const DIRECTIVE: &str = "log_format";
    let starts = text.match_indices(DIRECTIVE).filter(|&(at, _)| {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let is_start = text[..at].chars().next_back().is_none_or(|c| c.is_ascii_whitespace() || "{};".contains(c));
        is_start && !text[line..at].contains('#')
    });
    let format = |(at, _): (usize, &str)| {
        let name = words(&text[at + DIRECTIVE.len()..], ';').ok()?.into_iter().next()?;
        Some((name, nginx(&text[at..]).ok()?.into_owned()))
    };
    starts.filter_map(format).collect()
}

/// Returns the formats in a configuration of Apache, each with its nickname.
fn apache_formats(text: &str) -> Vec<(String, String)> {
    const DIRECTIVE: &str = "LogFormat";
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let format = |line: &str| {
        let rest = line.trim_start();
        let rest = rest
            .get(..DIRECTIVE.len())
            .filter(|start| start.eq_ignore_ascii_case(DIRECTIVE))
            .map(|_| &rest[DIRECTIVE.len()..])?;
        let mut words = words(rest, '\n').ok()?.into_iter();
        let format = words.next()?;
        Some((words.next().unwrap_or_else(|| "-".into()), format))
    };
    text.lines().filter_map(format).collect()
}

/// Returns the format called `name` from the configuration in `text`. If `name` is `None`, the configuration must have
/// only one format.
///
/// # Errors
///
/// Returns a message that lists the names of the formats. The caller prints the name of the file directly before the
/// message.
pub fn configured(text: &str, is_nginx: bool, name: Option<&str>) -> Result<String, String> {
    let formats = if is_nginx { nginx_formats(text) } else { apache_formats(text) };
    let names: Vec<&str> = formats.iter().map(|(name, _)| name.as_str()).collect();
    let found = match (name, &formats[..]) {
        (None, [(_, format)]) => Some(format),
        (Some(name), _) => formats.iter().rev().find(|(known, _)| known == name).map(|(_, format)| format),
        _ => None,
    };
    match (found, name) {
        (Some(format), _) => Ok(format.clone()),
        _ if names.is_empty() => Err(format!("has no {}", if is_nginx { "log_format" } else { "LogFormat" })),
        (None, Some(name)) => Err(format!("has no format `{name}`; there are {}", names.join(", "))),
        (None, None) => Err(format!("has several formats, {}; add the name of one after a colon", names.join(", "))),
    }
}

/// Returns the format with its escapes replaced: `\"` by a quote, and `\t` by a tab.
fn unescaped(format: &str) -> Cow<'_, str> {
    if !format.contains('\\') {
        return Cow::Borrowed(format);
    }
    Cow::Owned(format.replace("\\\"", "\"").replace("\\t", "\t"))
}

/// Returns the arguments of a directive, up to the character `end`. An argument is a word, or text in quotes. In nginx, where
/// `end` is a semicolon, a comment may follow an argument.
fn words(text: &str, end: char) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut chars = text.chars().peekable();
    loop {
        while chars.next_if(char::is_ascii_whitespace).is_some() {}
        let Some(first) = chars.next().filter(|&first| first != end) else { return Ok(words) };
        if first == '#' && end == ';' {
            while chars.next_if(|&next| next != '\n').is_some() {}
            continue;
        }
        let quote = Some(first).filter(|first| matches!(first, '"' | '\''));
        let mut word: String = if quote.is_some() { String::new() } else { first.into() };
        loop {
            match (chars.next_if(|&next| quote.is_some() || !next.is_ascii_whitespace() && next != end), quote) {
                (None, Some(_)) => return Err(format!("the quotes of `{text}` don't close")),
                (None, None) => break,
                (Some(next), Some(quote)) if next == quote => break,
                (Some('\\'), _) => match chars.next() {
                    Some('t') => word.push('\t'),
                    Some(next @ ('"' | '\'' | '\\')) => word.push(next),
                    next => {
                        word.push('\\');
                        word.extend(next);
                    }
                },
                (Some(next), _) => word.push(next),
            }
        }
        words.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_found_in_configurations() {
        let text = "http {\n  # log_format old '$a';\n  log_format main '$remote_addr '\n    '\"$request\"'; log_format json escape=json '{\"a\":\"$uri\"}';\n  access_log x main;\n}\n";
        assert_eq!(configured(text, true, Some("main")).unwrap(), "$remote_addr \"$request\"");
        assert_eq!(configured(text, true, Some("json")).unwrap(), "{\"a\":\"$uri\"}");
        assert!(configured(text, true, None).unwrap_err().contains("main, json"));
        assert!(configured(text, true, Some("old")).is_err() && configured(text, false, None).is_err());
        let text = "#LogFormat \"%h\" old\n  LogFormat \"%h \\\n  \\\"%r\\\"\" common\nCustomLog x common\n";
        assert_eq!(configured(text, false, None).unwrap(), "%h    \"%r\"");
        assert!(configured("LogFormät", false, None).is_err());
    }

    #[test]
    fn formats_are_read_as_they_are_copied() {
        let expected = "$remote_addr \"$request\"\t$status";
        for text in [
            "$remote_addr \"$request\"\\t$status",
            "'$remote_addr \"$request\"\\t$status'",
            "'$remote_addr ' '\"$request\"\\t$status';",
            "log_format main '$remote_addr '\n    \"\\\"$request\\\"\"\n   '\\t$status';",
            "  log_format main escape=json '$remote_addr \"$request\"\\t$status' ;\n",
            "log_format main # it's new; good\n  '$remote_addr ' # the client's\n  '\"$request\"\\t$status'# end\n;",
        ] {
            assert_eq!(nginx(text).unwrap(), expected, "{text}");
        }
        assert_eq!(nginx("$a;").unwrap(), "$a;");
        assert_eq!(nginx("log_formatter $a").unwrap(), "log_formatter $a");
        assert!(nginx("log_format main;").is_err() && nginx("log_format main '$a").is_err());
        let expected = "%h \"%r\"\t%>s";
        for text in [
            "%h \\\"%r\\\"\\t%>s",
            "%h \"%r\"\\t%>s",
            "\"%h \\\"%r\\\"\\t%>s\"",
            "\"%h \\\"%r\\\"\\t%>s\" common",
            "LogFormat \"%h \\\"%r\\\"\\t%>s\" common",
            " logformat '%h \"%r\"\\t%>s'",
            "CustomLog logs/access_log \"%h \\\"%r\\\"\\t%>s\"",
        ] {
            assert_eq!(apache(text).unwrap(), expected, "{text}");
        }
        // In these formats, the first quote belongs to the format.
        for text in ["\"%{X-Forwarded-For}i\" %h", "\"%r\""] {
            assert_eq!(apache(text).unwrap(), text);
        }
        assert!(apache("LogFormat").is_ok_and(|format| format == "LogFormat"));
        assert!(apache("CustomLog logs/access_log").is_err() && apache("LogFormat \"%h").is_err());
    }
}
