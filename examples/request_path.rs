//! Maps request targets to files, as a server or a proxy does: split the target, normalise the path, decode each segment, and
//! refuse whatever could lead elsewhere.
//!
//! ```text
//! $ cargo run --example request_path -- '/img/%7Euser/a%20b.png?w=10' '/static/%2e%2e/%2e%2e/etc/passwd' '/a%2Fb'
//! /img/%7Euser/a%20b.png?w=10 -> srv/www/img/~user/a b.png
//! /static/%2e%2e/%2e%2e/etc/passwd -> srv/www/etc/passwd
//! /a%2Fb -> refused: `/` inside a segment, at byte 2
//! ```

use std::env;
use std::path::PathBuf;

use percent_simd::uri::{self, Uri};
use percent_simd::{ByteSet, CheckedDecoder, DecodeErrorKind, Decoder};

/// Refuses separators that come out of an escape: a segment is one directory or one file.
const SEGMENT: CheckedDecoder = Decoder::new().strict().reject(ByteSet::of(b"/\\:"));

/// Returns the file below `root` that `target` names, or why there is none.
fn file(root: &str, target: &str) -> Result<PathBuf, String> {
    let path = Uri::split(target).path;
    // Controls are refused here, `%2E` counts as a dot, and no `..` gets out of the root.
    let path = uri::normalize_path(path).map_err(|error| error.to_string())?;
    let mut file = PathBuf::from(root);
    for segment in uri::segments(&path) {
        let name = segment.decode_utf8_with(SEGMENT).map_err(|error| match error.kind {
            DecodeErrorKind::Rejected(byte) => {
                format!("`{}` inside a segment, at byte {}", char::from(byte), error.offset)
            }
            _ => error.to_string(),
        })?;
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
        assert_eq!(below("/a%2Fb").unwrap_err(), "`/` inside a segment, at byte 2");
        for target in ["/a%00b", "/..%5C..%5Cx", "/%C0%AE%C0%AE/x", "/C:%5Cx", "relative", "/%FF"] {
            assert!(below(target).is_err(), "{target}");
        }
        // Decoded once: what looks like an escape afterwards is a name.
        assert_eq!(below("/%252e%252e/x").as_deref(), Ok("srv/www/%2e%2e/x"));
    }
}
