//! Maps request targets to files, as a server or a proxy does.
//!
//! The example splits the target, normalizes the path, and decodes each segment. It refuses a target if a file system
//! could open another file than the target names.
//!
//! ```text
//! $ cargo run --example request_path -- '/img/%7Euser/a%20b.png?w=10' '/static/%2e%2e/%2e%2e/etc/passwd' '/a%2Fb'
//! /img/%7Euser/a%20b.png?w=10 -> srv/www/img/~user/a b.png
//! /static/%2e%2e/%2e%2e/etc/passwd -> srv/www/etc/passwd
//! /a%2Fb -> refused: `/` inside the segment at byte 1
//! $ cargo run --example request_path -- 'http://h/a.txt?x=1' '//private/a.txt' '/private./a.txt' '/admin#'
//! http://h/a.txt?x=1 -> srv/www/a.txt
//! //private/a.txt -> refused: an empty segment at byte 1
//! /private./a.txt -> refused: `.` at the end of the segment at byte 1
//! /admin# -> refused: the fragment at byte 6 is not allowed here
//! ```

use std::env;
use std::path::PathBuf;

use percent_simd::{CheckedDecoder, Decoder};
use percent_standards::uri::{self, RequestTarget};

/// Rejects a malformed escape.
const STRICT: CheckedDecoder = Decoder::new().strict();

/// If a segment contains none of these characters, and doesn't end with a character of `LAST`, it names one directory or
/// one file, even on Windows.
///
/// We search for the characters after decoding, because a `/` inside a segment comes from `%2F`. A `:` can come from
/// `%3A` or be raw.
const SEPARATORS: [char; 3] = ['/', '\\', ':'];

/// Windows leaves out these characters at the end of a name, so it would open `private` for `private.`.
const LAST: [char; 2] = ['.', ' '];

/// Returns the file below `root` that the target of a `GET` names, or an error message.
fn file(root: &str, target: &str) -> Result<PathBuf, String> {
    // `parse` reads a target that begins with `//` as a path, and rejects a `#`.
    let target = RequestTarget::parse("GET", target).map_err(|error| error.to_string())?;
    // `normalize_path` rejects control characters, and reads `%2E` as a dot. A `..` never leaves the root.
    let path = uri::normalize_path(target.path_or_root()).map_err(|error| error.to_string())?;
    let mut file = PathBuf::from(root);
    // A file system skips empty segments, so it would open `/private` for `//private`. But a rule for `/private`
    // doesn't match `//private`.
    if let Some(at) = path.find("//") {
        return Err(format!("an empty segment at byte {}", at + 1));
    }
    for segment in uri::segments(&path) {
        let name = segment.decode_utf8_with(STRICT).map_err(|error| error.to_string())?;
        if let Some(found) = name.matches(SEPARATORS).next() {
            return Err(format!("`{found}` inside the segment at byte {}", segment.offset()));
        }
        if let Some(last) = name.chars().next_back().filter(|last| LAST.contains(last)) {
            return Err(format!("`{last}` at the end of the segment at byte {}", segment.offset()));
        }
        file.push(&*name);
    }
    Ok(file)
}

fn main() {
    for target in env::args().skip(1) {
        match file("srv/www", &target) {
            Ok(file) => println!("{target} -> {}", file.display()),
            Err(error) => println!("{target} -> refused: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn targets_stay_below_the_root() {
        let below = |target| file("srv/www", target).map(|file| file.to_str().unwrap().replace('\\', "/"));
        assert_eq!(below("/img/%7Euser/a%20b.png?w=10").as_deref(), Ok("srv/www/img/~user/a b.png"));
        assert_eq!(below("/static/%2e%2e/%2e%2e/etc/passwd").as_deref(), Ok("srv/www/etc/passwd"));
        assert_eq!(below("/a%2Fb").unwrap_err(), "`/` inside the segment at byte 1");
        assert_eq!(below("http://h/a.txt?x=1").as_deref(), Ok("srv/www/a.txt"));
        assert_eq!(below("http://h?x=1").as_deref(), Ok("srv/www/"));
        assert_eq!(below("/a/").as_deref(), Ok("srv/www/a/"));
        // In a request target, `//` starts no host and `#` starts no fragment. So every part of the path is checked.
        assert_eq!(below("//private/a.txt").unwrap_err(), "an empty segment at byte 1");
        assert_eq!(below("/a/..//private/a.txt").unwrap_err(), "an empty segment at byte 1");
        assert!(below("/private/a.txt#").unwrap_err().contains("byte 14"));
        for target in ["*", "h:443", "127.0.0.1:80", "urn:a", "#", "/#", "//", "/a//", "http://h//a"] {
            assert!(below(target).is_err(), "{target}");
        }
        for target in ["/a%00b", "/..%5C..%5Cx", "/%C0%AE%C0%AE/x", "/C:%5Cx", "/C:/x", "/C%3A/x", "relative", "/%FF"] {
            assert!(below(target).is_err(), "{target}");
        }
        // The path is decoded only once, so `%2e` is now part of a name.
        assert_eq!(below("/%252e%252e/x").as_deref(), Ok("srv/www/%2e%2e/x"));
    }
}
