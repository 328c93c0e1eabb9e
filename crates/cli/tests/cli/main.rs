//! Tests that run the command as a process.

#[path = "../oracle/mod.rs"]
mod oracle;
mod process;

mod access;
mod architecture;
mod characters;
mod cli;
mod cut;
mod examples;
mod files;
mod folders;
mod formats;
mod grep;
mod hostile;
mod kinds;
mod manual;
mod positions;
mod real;
mod redact;
mod rows;
mod safety;
mod samples;
mod stats;
mod strangers;
mod targets;
mod unique;
mod user_formats;
mod values;
mod verbs;
