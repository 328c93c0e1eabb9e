//! Tests paths as `file:` URLs, and back (RFC 8089).

use std::path::Path;

use percent_simd::SliceError;
use percent_standards::uri::Uri;
use percent_standards::uri::file::{
    FileError, FileErrorKind as Kind, Style, from_path, from_path_slice, from_path_with, to_path, to_path_slice,
    to_path_with, to_text_with,
};

use crate::common::{Random, check as check_property};
use crate::inputs::{Hostile, check};

#[track_caller]
fn both_ways(path: &str, url: &str, style: Style) {
    assert_eq!(from_path_with(path, style).as_deref(), Ok(url), "{path}");
    assert_eq!(to_text_with(url, style).as_deref(), Ok(path), "{url}");
}

#[track_caller]
fn reads(url: &str, path: &str, style: Style) {
    assert_eq!(to_text_with(url, style).as_deref(), Ok(path), "{url}");
}

#[track_caller]
fn refuses_path(path: &str, offset: usize, kind: Kind, style: Style) {
    assert_eq!(from_path_with(path, style), Err(FileError::new(offset, kind)), "{path}");
}

#[track_caller]
fn refuses_url(url: &str, offset: usize, kind: Kind, style: Style) {
    assert_eq!(to_path_with(url, style), Err(FileError::new(offset, kind)), "{url}");
}

/// Tests cases that users of other libraries have reported.
#[test]
fn reported_cases() {
    // latex-lsp/texlab pull 1583: a strict parser refused `^`, `|`, `[` and `]`.
    both_ways("/foo/bar^baz|[1] %#?.tex", "file:///foo/bar%5Ebaz%7C%5B1%5D%20%25%23%3F.tex", Style::Posix);
    // razzmatazz/csharp-language-server pull 38
    both_ways(r"C:\a b\c#d.txt", "file:///C:/a%20b/c%23d.txt", Style::Windows);
    // servo/rust-url issue 230
    reads("file:///c%3a/foo/bar", r"c:\foo\bar", Style::Windows);
    // oven-sh/bun pull 33373
    refuses_url("file:///tmp/a%2Fb", 13, Kind::Separator, Style::Posix);
    refuses_url("file:///C:/a%2fb", 12, Kind::Separator, Style::Windows);
    // tsz-org/tsz issue 3620
    both_ways("/private/tmp/tsz lsp", "file:///private/tmp/tsz%20lsp", Style::Posix);
}

/// Tests the forms of RFC 8089 2 and its Appendix B.
#[test]
fn posix_forms() {
    for (path, url) in [
        ("/", "file:///"),
        ("/path/to/file", "file:///path/to/file"),
        ("/dir/", "file:///dir/"),
        ("/a//b/./..", "file:///a//b/./.."),
        ("//server/x", "file:////server/x"),
        ("/C:/x|y", "file:///C:/x%7Cy"),
        ("/a\\b", "file:///a%5Cb"),
        ("/~user/!$&'()*+,;=:@-._", "file:///~user/!$&'()*+,;=:@-._"),
        ("/é\n\u{7F}", "file:///%C3%A9%0A%7F"),
        ("/100%41", "file:///100%2541"),
    ] {
        both_ways(path, url, Style::Posix);
    }
    for url in [
        "file:/a/b", "FILE:///a/b", "file://localhost/a/b", "file://LocalHost/a/b", "file:///%61/b",
        "file://%6cocalhost/a/b",
    ] {
        reads(url, "/a/b", Style::Posix);
    }
    // A character that should have been escaped means itself.
    reads("file:///é b/[^]{|}", "/é b/[^]{|}", Style::Posix);
    assert_eq!(to_path_with("file:///%FF", Style::Posix).unwrap(), b"/\xFF");
    assert_eq!(from_path_with(b"/\xFF", Style::Posix).unwrap(), "file:///%FF");
    assert_eq!(to_text_with("file:///a/%FF", Style::Posix), Err(FileError::new(10, Kind::NotUtf8)));
}

#[test]
fn posix_errors() {
    refuses_path("", 0, Kind::Relative, Style::Posix);
    refuses_path("a/b", 0, Kind::Relative, Style::Posix);
    refuses_path("/a\0", 2, Kind::Nul, Style::Posix);
    for (url, offset, kind) in [
        ("", 0, Kind::Scheme),
        ("/a", 0, Kind::Scheme),
        ("files:///a", 0, Kind::Scheme),
        ("http://h/a", 0, Kind::Scheme),
        ("file%3A///a", 0, Kind::Scheme),
        ("é", 0, Kind::Scheme),
        ("file:", 5, Kind::Relative),
        ("file:a", 5, Kind::Relative),
        ("file://", 7, Kind::Relative),
        ("file://localhost", 16, Kind::Relative),
        ("file://host/a", 7, Kind::Host),
        ("file://C:/a", 8, Kind::Host),
        ("file://me@localhost/a", 9, Kind::Host),
        ("file://localhost:80/a", 16, Kind::Host),
        ("file:///a?b#c", 9, Kind::Query),
        ("file:///a#b?c", 9, Kind::Fragment),
        ("file:///a%00", 9, Kind::Nul),
        ("file:///a\0", 9, Kind::Nul),
        ("file:///a%2f..%2f", 9, Kind::Separator),
        ("file:///a\\b", 9, Kind::Separator),
        ("file:///%zz", 8, Kind::Escape),
        ("file:///%4", 8, Kind::Escape),
        ("file://%zz/", 7, Kind::Escape),
        ("file:///a%2f\0", 9, Kind::Separator),
        ("file:///a\0%2f", 9, Kind::Nul),
    ] {
        refuses_url(url, offset, kind, Style::Posix);
    }
}

/// Tests drive letters (RFC 8089 E.2, E.2.2).
#[test]
fn drives() {
    for (path, url) in [
        (r"C:\", "file:///C:/"),
        (r"c:\dir\", "file:///c:/dir/"),
        (r"C:\a\\b\..\.", "file:///C:/a//b/../."),
        (r"C:\a:b", "file:///C:/a:b"),
        (r"C:\100%\é", "file:///C:/100%25/%C3%A9"),
    ] {
        both_ways(path, url, Style::Windows);
    }
    for (path, url) in [
        ("C:/a/b", "file:///C:/a/b"),
        (r"C:/a\b/", "file:///C:/a/b/"),
        (r"\\?\C:\a", "file:///C:/a"),
        ("//?/c:/a", "file:///c:/a"),
    ] {
        assert_eq!(from_path_with(path, Style::Windows).as_deref(), Ok(url), "{path}");
    }
    for url in [
        "file:c:/x", "file:/c:/x", "file://c:/x", "file:///c:/x", "file:c|/x", "file:/c|/x", "file:///c|/x",
        "file:///c%3A/x", "file:///c%7c/x", "file://c%3a/x", "file:///%63:/x", "file:///%63%3a/x", "file://%63:/x",
        "file:%63|/x", "file://localhost/c:/x", r"file:///c:\x", r"file:\\\c:\x", r"file:c:\x",
    ] {
        reads(url, r"c:\x", Style::Windows);
    }
    reads("file:///C:", r"C:\", Style::Windows);
    reads("file:///C:/a%3Ab", r"C:\a:b", Style::Windows);
}

/// Tests paths with a host (RFC 8089 E.3).
#[test]
fn hosts() {
    for (path, url) in [
        (r"\\host.example.com\Share\path\to\file.txt", "file://host.example.com/Share/path/to/file.txt"),
        (r"\\host\share", "file://host/share"),
        (r"\\host\share\", "file://host/share/"),
        (r"\\wsl$\Ubuntu\home", "file://wsl$/Ubuntu/home"),
        (r"\\host@SSL@8443\DavWWWRoot\é", "file://host%40SSL%408443/DavWWWRoot/%C3%A9"),
        (r"\\127.0.0.1\c$\x", "file://127.0.0.1/c$/x"),
        (r"\\localhost\c$\x", "file:////localhost/c$/x"),
        (r"\\höst\a b", "file://h%C3%B6st/a%20b"),
    ] {
        both_ways(path, url, Style::Windows);
    }
    for path in
        [r"\\?\UNC\host\share\x", r"\\?\unc\host\share\x", "//host/share/x", r"\\host/share\x", "//?/UNC/host/share/x"]
    {
        assert_eq!(from_path_with(path, Style::Windows).as_deref(), Ok("file://host/share/x"), "{path}");
    }
    for url in [
        "file://host/share/x", "file:////host/share/x", "file://///host/share/x", r"file:\\host\share\x",
        r"file:\\\\host\share\x",
    ] {
        reads(url, r"\\host\share\x", Style::Windows);
    }
}

#[test]
fn windows_errors() {
    for (path, offset, kind) in [
        ("", 0, Kind::Relative),
        ("a", 0, Kind::Relative),
        (r"\a", 0, Kind::Relative),
        (r"..\a", 0, Kind::Relative),
        ("C:", 2, Kind::Relative),
        ("C:a", 2, Kind::Relative),
        ("é:/a", 0, Kind::Relative),
        (r"1:\a", 0, Kind::Relative),
        (r"CC:\a", 0, Kind::Relative),
        (r"\\.\COM1", 2, Kind::Device),
        ("//./C:/x", 2, Kind::Device),
        (r"\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\x", 4, Kind::Device),
        (r"\\?\GLOBALROOT\Device\x", 4, Kind::Device),
        (r"\\?\UNC\.\x", 8, Kind::Device),
        (r"\\?\UNC\?\x", 8, Kind::Device),
        (r"\\?\C:", 6, Kind::Relative),
        (r"\\?", 2, Kind::Device),
        (r"\\", 2, Kind::Host),
        (r"\\\a\b", 2, Kind::Host),
        (r"\\..\a\b", 2, Kind::Host),
        (r"\\a:80\b", 2, Kind::Host),
        (r"\\a|\b", 2, Kind::Host),
        (r"\\host", 6, Kind::Share),
        (r"\\host\", 6, Kind::Share),
        (r"\\host\\x", 6, Kind::Share),
        (r"\\host\..\x", 6, Kind::Share),
        ("C:\\a\0", 4, Kind::Nul),
    ] {
        refuses_path(path, offset, kind, Style::Windows);
    }
    assert_eq!(from_path_with(b"C:\\\xED\xA0\x80", Style::Windows), Err(FileError::new(3, Kind::NotUtf8)));
    for (url, offset, kind) in [
        ("file:///a", 7, Kind::Relative),
        ("file:///", 7, Kind::Relative),
        ("file:a", 5, Kind::Relative),
        ("file:///c:x", 10, Kind::Relative),
        ("file:c:x", 7, Kind::Relative),
        ("file:///cc:/x", 7, Kind::Relative),
        ("file:///%63c:/x", 7, Kind::Relative),
        ("file:///%6:/x", 7, Kind::Relative),
        ("file:///%63:%2Fx", 12, Kind::Relative),
        ("file://localhost/x", 16, Kind::Relative),
        ("file://localhost//c:/x", 16, Kind::Relative),
        ("file:///C:/a%5Cb", 12, Kind::Separator),
        ("file:///C:/a%5cb", 12, Kind::Separator),
        ("file:///C:%5Cx", 10, Kind::Relative),
        ("file:///C:/a%00b", 12, Kind::Nul),
        ("file:///C:/%FF", 11, Kind::NotUtf8),
        ("file:///C:/?", 11, Kind::Query),
        ("file:///C:/#", 11, Kind::Fragment),
        ("file://host", 11, Kind::Share),
        ("file://host/", 11, Kind::Share),
        ("file://host//x", 11, Kind::Share),
        ("file://host/%2e%2E/x", 11, Kind::Share),
        ("file://./x", 7, Kind::Device),
        ("file:////./COM1", 9, Kind::Device),
        ("file:////%3F/C:/x", 9, Kind::Device),
        ("file://%2e/x", 7, Kind::Device),
        ("file://ho%5Cst/x", 9, Kind::Separator),
        ("file://host%3A80/x", 7, Kind::Host),
        ("file://host:80/x", 11, Kind::Host),
        ("file://me@host/x", 9, Kind::Host),
        ("file:////C:/x", 10, Kind::Host),
        ("file://////host/x", 7, Kind::Relative),
        ("file://[::1]/x", 8, Kind::Host),
    ] {
        refuses_url(url, offset, kind, Style::Windows);
    }
}

/// Returns the URL for a path. This oracle works byte by byte.
fn naive_url(path: &[u8]) -> String {
    let mut url = String::from("file://");
    for &byte in path {
        match byte as char {
            c if c.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@/".contains(c) => url.push(c),
            _ => url += &format!("%{byte:02X}"),
        }
    }
    url
}

#[test]
fn every_posix_path_survives() {
    fn holds(path: Vec<u8>) -> bool {
        let path: Vec<u8> = [b'/'].into_iter().chain(path.into_iter().filter(|&byte| byte != 0)).collect();
        let url = from_path_with(&path, Style::Posix).unwrap();
        url == naive_url(&path) && Uri::parse(&url).is_ok() && to_path_with(&url, Style::Posix).unwrap() == path
    }
    check_property(5000, holds as fn(Vec<u8>) -> bool);
    for byte in 1..=255 {
        assert!(holds(vec![byte, b'a', byte]), "{byte}");
    }
}

const PIECES: &[&str] = &[
    "\\", "\\", "/", "C:", "c|", "d:", "?", ".", "..", "UNC", "host", "localhost", "a b", "#", "%", "%2F", "%5c", "é",
    ":", "@", "|", "$", "\0", "file:", "%3A", "%00", "x",
];

fn text_of_pieces(random: &mut Random) -> String {
    (0..random.below(10)).map(|_| PIECES[random.below(PIECES.len())]).collect()
}

/// Tests that a Windows path stays the same if it is converted to a URL and back. Only its prefix `\\?\` and the
/// direction of its slashes may change.
#[test]
fn windows_paths_survive() {
    let mut random = Random::seeded(5);
    let mut valid = 0;
    for _ in 0..100_000 {
        let path = ["C:\\", "\\\\", "\\\\?\\", "\\\\?\\UNC\\", "//", ""][random.below(6)].to_string()
            + &text_of_pieces(&mut random);
        let Ok(url) = from_path_with(&path, Style::Windows) else { continue };
        valid += 1;
        assert!(Uri::parse(&url).is_ok(), "{path}: {url}");
        let plain = path.replace('/', "\\");
        let plain = match plain.strip_prefix(r"\\?\") {
            Some(rest) if rest.to_ascii_uppercase().starts_with(r"UNC\") => format!(r"\\{}", &rest[4..]),
            Some(rest) => rest.to_string(),
            None => plain,
        };
        assert_eq!(to_text_with(&url, Style::Windows).as_deref(), Ok(&*plain), "{url}");
    }
    assert!(valid > 10_000, "{valid}");
}

/// Tests that a Posix path has the same number of slashes as the URL it was read from, not counting the `//` before the
/// host. Also tests that any path that was read can be written as a URL again, and that reading the new URL gives the
/// same path.
#[test]
fn reading_keeps_the_segments() {
    let mut random = Random::seeded(6);
    let mut valid = 0;
    for _ in 0..100_000 {
        let url = ["file:", "file:/", "file://", "file:///", "file:///C:/", "file:////"][random.below(6)].to_string()
            + &text_of_pieces(&mut random);
        for style in [Style::Posix, Style::Windows] {
            let Ok(path) = to_path_with(&url, style) else { continue };
            valid += 1;
            assert!(!path.contains(&0));
            if style == Style::Posix {
                let slashes = |text: &[u8]| text.iter().filter(|&&byte| byte == b'/').count();
                let authority = if url[5..].starts_with("//") { 2 } else { 0 };
                assert_eq!(slashes(&path), slashes(url.as_bytes()) - authority, "{url}");
            }
            let again = from_path_with(&path, style).unwrap();
            assert_eq!(to_path_with(&again, style).as_deref(), Ok(&*path), "{url}");
        }
    }
    assert!(valid > 10_000, "{valid}");
}

/// Tests that the calls with a buffer give the same results, and ask for a sufficient length.
#[test]
fn buffers_get_the_same_results() {
    let mut random = Random::seeded(7);
    let starts = ["file:", "file:///", "file:///C:", "file:////", "C:\\", "\\\\", "/", ""];
    for _ in 0..50_000 {
        let text = starts[random.below(starts.len())].to_string() + &text_of_pieces(&mut random);
        for style in [Style::Posix, Style::Windows] {
            let (url, path) = (from_path_with(&text, style), to_path_with(&text, style));
            let needed = url.as_ref().map_or(0, String::len);
            for cap in [needed.saturating_sub(1), needed] {
                let mut out = vec![1; cap];
                match from_path_slice(&text, style, &mut out) {
                    Ok(written) => assert_eq!(Ok(&*written), url.as_deref().map(str::as_bytes), "{text}"),
                    Err(SliceError::Input(error)) => assert_eq!(Err(error), url, "{text}"),
                    Err(SliceError::OutputTooSmall(error)) => assert!(cap < needed && error.needed == needed),
                }
            }
            for cap in [text.len().saturating_sub(1), text.len()] {
                let mut out = vec![1; cap];
                match to_path_slice(&text, style, &mut out) {
                    Ok(written) => assert_eq!(Ok(&*written), path.as_deref(), "{text}"),
                    Err(SliceError::Input(error)) => assert_eq!(Err(error), path, "{text}"),
                    Err(SliceError::OutputTooSmall(error)) => {
                        assert!(cap < text.len() && error.needed == text.len());
                    }
                }
            }
        }
    }
}

/// Tests that no input causes a panic, and that offsets lie in the input.
#[test]
fn hostile_text() {
    check(20_000, |Hostile(text): Hostile| {
        for text in [text.clone(), format!("file:{text}"), format!("file:///c:/{text}")] {
            for style in [Style::Posix, Style::Windows] {
                let errors = [from_path_with(&text, style).err(), to_path_with(&text, style).err()];
                assert!(errors.into_iter().flatten().all(|error| error.offset <= text.len()), "{text}");
            }
        }
    });
}

#[test]
fn paths_of_this_system() {
    let path = std::env::temp_dir().join("a b#c");
    let url = from_path(&path).unwrap();
    assert!(url.starts_with("file:///") && url.ends_with("/a%20b%23c"), "{url}");
    assert_eq!(to_path(&url).unwrap(), path);
    assert_eq!(from_path(Path::new("a")).unwrap_err().kind, Kind::Relative);
    let error = std::io::Error::from(to_path("http://h").unwrap_err());
    assert_eq!(error.to_string(), "`file:` is missing at byte 0");
}
