//! `pct man`: generates manual pages from the definition of the command line.

use std::io::{self, Write};

use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;

/// Returns the pages of a command and its verbs, each with its file name. `formats` is the list of formats for the page of
/// `pct formats`.
pub fn pages(mut command: Command, formats: &str) -> io::Result<Vec<(String, Vec<u8>)>> {
    command.build();
    let verbs = command.get_subcommands().filter(|verb| verb.get_name() != "help" && !verb.is_hide_set());
    [&command].into_iter().chain(verbs).map(|command| page(command, formats)).collect()
}

fn page(command: &Command, formats: &str) -> io::Result<(String, Vec<u8>)> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let man = Man::new(command.clone());
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    push_synopsis(command, &mut out)?;
    out.write_all(b".SH DESCRIPTION\n")?;
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    push_text(&about, &mut out)?;
    man.render_options_section(&mut out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut out)?;
    }
    if command.get_name() == "formats" {
        out.write_all(b".SH FORMATS\n")?;
        push_text(formats, &mut out)?;
    }
    let after = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string).unwrap_or_default();
    let examples = match after.strip_prefix("Examples:\n") {
        Some(examples) => {
            out.write_all(b".SH EXAMPLES\n")?;
            examples
        }
        None => &after,
    };
    push_text(examples, &mut out)?;
    if name != "pct" {
        out.write_all(b".SH SEE ALSO\n\\fBpct\\fR(1), \\fBpct\\-formats\\fR(1)\n")?;
    }
    Ok((format!("{name}.1"), out))
}

/// Appends the options of a command with their values, and its operands.
fn push_synopsis(command: &Command, out: &mut Vec<u8>) -> io::Result<()> {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    write!(out, ".SH SYNOPSIS\n\\fB{}\\fR", escaped(name))?;
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set() && !arg.is_positional()) {
        let short = arg.get_short().map(|short| format!("\\fB\\-{short}\\fR"));
        let long = arg.get_long().map(|long| format!("\\fB\\-\\-{}\\fR", escaped(long)));
        let names: Vec<String> = short.into_iter().chain(long).collect();
        write!(out, "\n[{}{}]", names.join("|"), value(arg))?;
    }
    for arg in command.get_positionals() {
        let text = format!("\\fI{}\\fR{}", escaped(&value_name(arg)), more(arg));
        if arg.is_required_set() { write!(out, "\n{text}")? } else { write!(out, "\n[{text}]")? }
    }
    if command.has_subcommands() {
        out.write_all(b"\n\\fIverb\\fR ...")?;
    }
    out.write_all(b"\n")
}

/// Returns the name of the value of an option or operand.
fn value_name(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    if names.is_empty() { arg.get_id().as_str().to_ascii_uppercase() } else { names.join(" ") }
}

/// Returns the value of an option as the synopsis shows it.
fn value(arg: &Arg) -> String {
    if !arg.get_action().takes_values() {
        return String::new();
    }
    let value = format!("\\fI{}\\fR", escaped(&value_name(arg)));
    match arg.get_num_args() {
        Some(range) if range.min_values() == 0 => format!("[={value}]"),
        _ => format!(" {value}{}", more(arg)),
    }
}

/// Returns ` ...` if the option or operand takes several values, and otherwise an empty text.
fn more(arg: &Arg) -> &'static str {
    let is_several = arg.get_num_args().is_some_and(|range| range.max_values() > 1);
    if is_several || arg.is_positional() && matches!(arg.get_action(), ArgAction::Append) { " ..." } else { "" }
}

/// Appends text. A paragraph with an indented line keeps its line breaks.
fn push_text(text: &str, out: &mut Vec<u8>) -> io::Result<()> {
    for paragraph in text.split("\n\n") {
        let is_laid_out = paragraph.lines().any(|line| line.starts_with(' '));
        out.write_all(b".PP\n")?;
        if is_laid_out {
            out.write_all(b".nf\n")?;
        }
        for line in paragraph.lines() {
            writeln!(out, "{}", escaped(line))?;
        }
        if is_laid_out {
            out.write_all(b".fi\n")?;
        }
    }
    Ok(())
}

/// Escapes a line for roff, so that roff reads no character of the line as a request or an escape.
fn escaped(line: &str) -> String {
    let escaped = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq").replace('`', "\\(ga");
    if escaped.starts_with('.') { format!("\\&{escaped}") } else { escaped }
}
