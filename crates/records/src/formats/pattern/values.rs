//! Tells which texts can be the value of a variable of a format string.

use std::ops::Range;

use memchr::memchr;

use super::super::shape::is_url;
use super::super::token::{is_client, is_log_time, is_number, is_status, method_len, request_line};

/// Variables of nginx and Apache that are always one word.
const WORDS: &[&str] = &[
    "remote_addr", "remote_port", "realip_remote_addr", "status", "body_bytes_sent", "bytes_sent", "request_length",
    "request_time", "request_id", "request_method", "time_iso8601", "msec", "pid", "pipe", "connection",
    "connection_requests", "host", "hostname", "scheme", "server_addr", "server_name", "server_port",
    "server_protocol", "ssl_cipher", "ssl_protocol", "a", "A", "b", "B", "D", "h", "H", "I", "k", "l", "L", "m", "O",
    "p", "P", "s", "S", "T", "v", "V", "X",
];
/// The variables whose value is a time. The time contains a blank.
const TIMES: [&str; 2] = ["time_local", "t"];

/// The values that a variable can have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Values {
    Word,
    Status,
    Time,
    /// Any text, for example text that a client chooses, or a list of addresses.
    Free,
    /// Any text that passes the test. Only the variables of built-in formats have a test. In these formats, blanks
    /// around a value are padding.
    Checked(fn(&[u8]) -> bool),
}

impl Values {
    pub(super) fn of(name: &str) -> Values {
        match name {
            "status" | "s" => Values::Status,
            name if TIMES.contains(&name) => Values::Time,
            name if WORDS.contains(&name) => Values::Word,
            _ => Values::Free,
        }
    }

    /// Returns the values of a variable in a built-in format.
    pub(super) fn of_built_in(name: &str) -> Values {
        let is_word: fn(&[u8]) -> bool = |text| !text.is_empty() && memchr(b' ', text).is_none();
        Values::Checked(match name {
            "client" => is_client,
            "status" => is_status,
            "time" => is_log_time,
            "number" => is_number,
            "method" => |text| !text.is_empty() && method_len(text) == text.len(),
            "request" => |text| request_line(text).is_some(),
            "path" => |text| is_target(text) && memchr(b'?', text).is_none(),
            "target" => |text| is_target(text) && memchr(b' ', text).is_none(),
            "query" => |text| memchr(b' ', text).is_none(),
            "word" | "referer" | "upstream" | "uri" => is_word,
            "metadata" => {
                |text| !text.is_empty() && text.split(|&byte| byte == b' ').skip(1).all(|word| word.contains(&b'='))
            }
            "reason" => |text| memchr(b'"', text).is_none(),
            _ => return Values::Free,
        })
    }

    /// Returns true if `text` can be a value of this kind.
    pub(super) fn has(self, text: &[u8]) -> bool {
        match self {
            Values::Word => memchr(b' ', text).is_none(),
            Values::Status => is_status(text),
            Values::Checked(is_it) => is_it(text),
            Values::Time | Values::Free => true,
        }
    }

    /// Returns the range of the value inside `range`, without padding.
    pub(super) fn trim(self, record: &[u8], range: Range<usize>) -> Range<usize> {
        if !matches!(self, Values::Checked(_)) {
            return range;
        }
        let text = &record[range.clone()];
        let start = range.start + text.len() - text.trim_ascii_start().len();
        start..start + text.trim_ascii().len()
    }
}

/// Returns true for a target without a quote: a path, a URL, or `*`.
fn is_target(text: &[u8]) -> bool {
    (is_url(text) || text == b"*") && memchr(b'"', text).is_none()
}
