//! `pct page`: writes the project's web page, which encodes, decodes and explains URLs, as one file that needs no network.

use std::path::PathBuf;

use crate::inplace::is_standard;
use crate::message::complain;
use crate::{output, run};

/// The page, if PCT_PAGE named it when this program was built (see build.rs).
const PAGE: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Write the page that encodes, decodes and explains URLs in a browser
///
/// The page is one HTML file. It works without a network and sends no data.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  pct page -o percent.html                then open percent.html in a browser
  pct page > percent.html                 the same
  pct page | gzip -9 > percent.html.gz    to copy it to another machine, or serve it")]
pub struct Args {
    /// Write to FILE; the default, `-`, is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the page. Returns the exit status.
pub fn run(args: &Args) -> u8 {
    let Some(page) = PAGE else {
        complain(
            "pct: this program was built without the page; use a released program, or build one in a checkout: \
             web/scripts/build, then PCT_PAGE=$PWD/web/dist/index.html cargo install --path crates/cli",
        );
        return 2;
    };
    match &args.output {
        Some(path) if !is_standard(path) => output::write(path, page),
        _ => run::print(page),
    }
}
