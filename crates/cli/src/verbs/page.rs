//! `pct page`: the page of this project, which encodes, decodes and explains in a browser, as one file that needs no network.

use std::path::PathBuf;

use crate::message::complain;
use crate::{output, run};

/// The page, if this program was built with one; see build.rs.
const PAGE: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Write the page that encodes, decodes and explains URLs in a browser
///
/// It is one HTML file, works without a network, and sends nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pct page -o percent.html                then open percent.html in a browser
  pct page > percent.html                 likewise
  pct page | gzip -9 > percent.html.gz    to be sent to another machine, or served")]
pub struct Args {
    /// Write to FILE; `-`, like no option, is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the page; the exit status.
pub fn run(args: &Args) -> u8 {
    let Some(page) = PAGE else {
        complain(
            "pct: this program was built without the page, which the released ones have; \
             from a checkout: web/scripts/build, then PCT_PAGE=$PWD/web/dist/index.html cargo install --path crates/cli",
        );
        return 2;
    };
    match &args.output {
        Some(path) if !output::is_standard(path) => output::write(path, page),
        _ => run::print(page),
    }
}
