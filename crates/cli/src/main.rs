//! `pct`: percent-encodes and -decodes streams of records, in constant memory.
#![forbid(unsafe_code)]

mod args;
mod compress;
mod decode;
mod encode;
mod formats;
mod inplace;
mod job;
mod pipeline;
mod progress;
mod records;
mod report;
mod run;
mod sets;
mod transform;

#[cfg(test)]
#[path = "../tests/oracle/mod.rs"]
mod oracle;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use percent_simd::Engine;
use percent_simd::sets::Entry;

/// Percent-encode and -decode streams of lines, or of any bytes.
#[derive(Parser)]
#[command(
    version,
    after_help = "\
Examples:
  pct decode access.log                   a log as plain text, one record a line
  pct decode --plus=after-query < urls    and in the queries + is a space
  pct encode --set RFC3986_PATH paths     one path a line
  pct sets rfc3986-path                   what that set leaves as it is

`pct decode --help` and `pct encode --help` tell more.

Exit status: 0 if all went well; 1 where `decode --strict` found a malformed escape;
2 if the command line was wrong, or something could not be read or written."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Decode(decode::Args),
    Encode(encode::Args),
    /// List the sets that `encode --set` takes, or show one in full
    Sets {
        /// Show this set in full; case does not matter, nor - or _
        #[arg(value_parser = sets::parse)]
        name: Option<&'static Entry>,
    },
    /// List the engines that `--engine` takes; the first is the one in use
    Engines,
}

fn main() -> ExitCode {
    let code = match Cli::parse().command {
        Command::Decode(args) => run::run(&args.streams, &|format| args.job(format)),
        Command::Encode(args) => run::run(&args.streams, &|format| args.job(format)),
        Command::Sets { name } => run::print(&name.map_or_else(sets::list, sets::show)),
        Command::Engines => run::print(&Engine::available().map(|engine| format!("{engine}\n")).collect::<String>()),
    };
    ExitCode::from(code)
}

/// Writes a line to standard error, wherever that leads.
fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}
