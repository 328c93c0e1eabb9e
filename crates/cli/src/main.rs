//! `pct`: percent-encodes and percent-decodes streams of records in constant memory.
#![deny(unsafe_code)] // only closed.rs has an unsafe attribute

mod args;
mod chunk;
#[cfg(unix)]
mod closed;
mod component;
mod compress;
mod findings;
mod folders;
mod inplace;
mod job;
mod later;
mod message;
mod output;
mod pipeline;
mod plan;
mod progress;
mod record_verb;
mod redact;
mod report;
mod run;
mod sets;
mod signals;
mod tally;
mod user_formats;
mod verbs;

#[cfg(test)]
#[path = "../tests/oracle/mod.rs"]
mod oracle;
#[cfg(test)]
mod tests;

#[cfg(test)]
use percent_simd_oracle as _; // aborts a suite that hangs

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use percent_simd::Engine;
use percent_simd::presets::Preset;
use percent_simd_records::formats;

use crate::message::complain;
use crate::verbs::{charset, cut, decode, ecma, encode, form, grep, iri, lint, normalize, page, repair, stats, unique};

/// Percent-encode and percent-decode fields of logs, lines, or any bytes.
#[derive(Parser)]
#[command(
    name = "pct",
    args_override_self = true,
    version,
    after_help = "\
Examples:
  pct decode access.log                   decode a log, one record per line
  pct decode --format auto access.log     decode only the fields that hold URLs
  pct decode --format auto --check access.log   report malformed escapes and invalid UTF-8
  pct grep --format auto -f target '\\.\\./' access.log   search the decoded fields
  pct stats --format auto access.log      count requests, escapes and possible attacks
  pct cut -f host,query.q --csv urls      write parts of URLs as columns
  pct unique urls                         drop URLs that are equivalent to earlier ones
  pct decode --plus=after-query < urls    also decode + to a space in queries
  pct encode --set RFC3986_PATH paths     encode paths, one per line
  pct formats                             list the known formats of logs and tables
  pct sets rfc3986-path                   show which bytes a set leaves as they are
  pct normalize urls                      write equivalent URLs the same way
  pct iri urls                            make URLs readable; --to-uri reverses it
  pct form bodies                         split forms into lines or JSON; --encode reverses it
  pct escape, pct unescape                do what JavaScript's functions do
  pct lint urls                           find and locate mistakes in URLs
  pct repair links                        repair links that people paste
  pct page -o percent.html                write a page that does all this in a browser

`pct VERB --help` describes a verb, its options and more examples.

Exit status:
  0  success
  1  grep found no match; --check or lint found something malformed; --strict or the
     policy `fail` stopped the run; or a verb kept or skipped a value that it could not
     convert
  2  the command line is wrong, or something could not be read or written"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Decode(decode::Args),
    Encode(encode::Args),
    Grep(Box<grep::Args>),
    Cut(cut::Args),
    Unique(unique::Args),
    Stats(stats::Args),
    Form(form::Args),
    Normalize(normalize::Args),
    Lint(lint::Args),
    Iri(iri::Args),
    Repair(repair::Args),
    Escape(ecma::EscapeArgs),
    Unescape(ecma::UnescapeArgs),
    Page(page::Args),
    /// List the sets that `encode --set` takes, or show one in full
    #[command(after_help = "\
Examples:
  pct sets                                list all sets and the standard of each
  pct sets rfc3986-path                   show which bytes stay as they are in a path
  pct sets | grep -i form                 list the sets for forms")]
    Sets {
        /// Show this set in full; case, `-` and `_` do not matter
        #[arg(value_parser = sets::parse)]
        name: Option<&'static Preset>,
    },
    /// Write the completions for a shell: bash, elvish, fish, powershell or zsh
    #[command(after_help = "\
Examples:
  pct completions bash > pct.bash         then `source pct.bash`, or move it to
                                          ~/.local/share/bash-completion/completions
  pct completions zsh > _pct              in a folder of `$fpath`
  pct completions fish > pct.fish         in ~/.config/fish/completions")]
    Completions {
        /// Write completions for this shell
        #[arg(hide_possible_values = true)]
        shell: clap_complete::Shell,
    },
    /// Write the manual pages, one for each verb, to a folder
    #[command(after_help = "\
Examples:
  pct man man1                            then `man -l man1/pct-decode.1`
  pct man ~/.local/share/man/man1         then `man pct-decode`
  pct man . && ls *.1                     write them to the current folder")]
    Man {
        /// Write to this folder, which is created if it does not exist
        folder: std::path::PathBuf,
    },
    Formats(verbs::formats::Args),
    /// List the charsets that `--charset` takes
    #[command(after_help = "\
Examples:
  pct charsets                            list all charsets
  pct charsets | grep -i windows          list those whose name has `windows` in it
  pct decode --charset sjis access.log    decode text in one of them")]
    Charsets,
    /// List the engines that `--engine` takes; the first is the default
    #[command(after_help = "\
Examples:
  pct engines                             list all engines that this machine can run
  pct engines | head -n1                  show the default
  pct decode --engine scalar access.log   decode without vector instructions")]
    Engines,
}

fn main() -> ExitCode {
    signals::survive_size_limit();
    let mut args: Vec<OsString> = std::env::args_os().collect();
    // If the program is started as `urlencode` or `urldecode`, its operands are texts, not file names.
    let called = args.first().and_then(|name| Path::new(name).file_stem()).unwrap_or_default();
    let verb = [("urlencode", "encode"), ("urldecode", "decode")].into_iter().find(|(name, _)| called == *name);
    if let Some((_, verb)) = verb {
        args.insert(1, verb.into());
    }
    let mut command = match Cli::try_parse_from(args) {
        Ok(cli) => cli.command,
        Err(error) if error.use_stderr() => error.exit(),
        // This is the text for `--help` or `--version`. Unlike `error.exit()`, we report an error if the text can't be written.
        Err(text) => return ExitCode::from(run::print(text.to_string())),
    };
    match &mut command {
        Command::Decode(decode::Args { streams, .. }) | Command::Encode(encode::Args { streams, .. })
            if verb.is_some() =>
        {
            streams.take_operands_for_texts();
        }
        _ => {}
    }
    let code = match command {
        Command::Decode(args) => decode::run(args),
        Command::Encode(args) => encode::run(args),
        Command::Grep(args) => grep::run(*args),
        Command::Cut(args) => cut::run(&args),
        Command::Unique(args) => unique::run(&args),
        Command::Stats(args) => stats::run(args),
        Command::Form(args) => form::run(&args),
        Command::Normalize(args) => normalize::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Iri(args) => iri::run(&args),
        Command::Repair(args) => repair::run(&args),
        Command::Escape(args) => ecma::escape(&args),
        Command::Unescape(args) => ecma::unescape(&args),
        Command::Page(args) => page::run(&args),
        Command::Completions { shell } => {
            run::print(generate(|out| clap_complete::generate(shell, &mut completed(), "pct", out)))
        }
        Command::Man { folder } => man(&folder),
        Command::Sets { name } => run::print(name.map_or_else(sets::list, sets::show)),
        Command::Formats(args) => verbs::formats::run(args),
        Command::Charsets => run::print(charset::list()),
        Command::Engines => run::print(Engine::available().map(|engine| format!("{engine}\n")).collect::<String>()),
    };
    ExitCode::from(code)
}

/// Returns the definition of the command line for shell completion. In it, each option lists the names that the user
/// can give.
fn completed() -> clap::Command {
    let with_names = |arg: clap::Arg| {
        let names: Vec<&'static str> = match arg.get_id().as_str() {
            "format" => formats::names(),
            "field" => formats::field_names(),
            "set" => percent_simd::presets::CATALOGUE.iter().map(|entry| entry.name).collect(),
            "charset" | "utf8_or" => percent_standards::charset::Charset::all().map(|set| set.name()).collect(),
            _ => return arg,
        };
        // Shells split completions at commas and colons, so we leave out names with these characters.
        let names = names
            .into_iter()
            .filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
        arg.value_parser(clap::builder::PossibleValuesParser::new(names.collect::<Vec<_>>()))
    };
    Cli::command().mut_subcommands(|verb| verb.mut_args(with_names))
}

/// Returns the output of `write` as text.
fn generate(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes the manual pages to `folder`. Returns the exit status.
fn man(folder: &Path) -> u8 {
    let pages = verbs::man::pages(Cli::command(), &formats::list(&[])).and_then(|pages| {
        std::fs::create_dir_all(folder)?;
        Ok(pages)
    });
    match pages {
        Ok(pages) => pages.iter().map(|(name, page)| output::write(&folder.join(name), page)).max().unwrap_or(0),
        Err(error) => {
            complain(&format!("pct: cannot write to {}: {error}", folder.display()));
            2
        }
    }
}
