//! Formats that a user defines in a file, and `pct formats FILE`.

use crate::process;

use process::{Folder, command, pct};

const FORMATS: &str = r##"
[[format]]
name = "edge"
help = "our edge servers"
nginx = '$remote_addr <$time> "$request" $status $extra "$http_referer"'
urls = ["request", "extra"]
queries = ["extra"]
keep = "~"

[[format]]
name = "app"
json = ["/req/url", "/req/refs/*"]
queries = ["/req/qs"]
recognize = ['"svc":"app"']
"##;

const EDGE: &str = "1.2.3.4 <now> \"GET /%41%7E%20b HTTP/1.1\" 200 q=%41+b%20c \"http://h/%41\"\n";
const APP: &str =
    "{\"svc\":\"app\",\"req\":{\"url\":\"/%22%41\",\"refs\":[\"%42\"],\"qs\":\"a=%43+b\",\"x\":\"%44\"}}\n";

#[test]
fn a_user_format_is_found_by_name_and_by_auto() {
    let folder = Folder::new();
    let file = folder.file("formats.toml", FORMATS.as_bytes());
    let file = file.to_str().unwrap();
    for name in ["edge", "auto"] {
        // `--formats` may come before or after `--format`.
        for args in [["--format", name, "--formats", file], ["--formats", file, "--format", name]] {
            let ran = pct([&["decode", "--plus=after-query"], &args[..]].concat(), EDGE.as_bytes());
            let expected = "1.2.3.4 <now> \"GET /A%7E%20b HTTP/1.1\" 200 q=A+b%20c \"http://h/%41\"\n";
            assert_eq!((String::from_utf8(ran.out).unwrap().as_str(), ran.code), (expected, Some(0)), "{}", ran.err);
        }
    }
    for name in ["app", "auto"] {
        let formats = format!("--formats={file}");
        let ran = pct(["decode", "--plus=after-query", "--format", name, &formats], APP.as_bytes());
        let expected =
            "{\"svc\":\"app\",\"req\":{\"url\":\"/\\\"A\",\"refs\":[\"B\"],\"qs\":\"a=C b\",\"x\":\"%44\"}}\n";
        assert_eq!((String::from_utf8(ran.out).unwrap().as_str(), ran.code), (expected, Some(0)), "{}", ran.err);
    }
    let ran = pct(["decode", "--formats", file, "--format", "edge", "-f", "http_referer"], EDGE.as_bytes());
    assert!(ran.out.ends_with(b"\"http://h/A\"\n") && ran.out.starts_with(b"1.2.3.4 <now> \"GET /%41"), "{}", ran.err);
    let list = String::from_utf8(pct(["formats", "--formats", file], b"").out).unwrap();
    assert!(list.contains("edge          our edge servers\n              request, extra\n"), "{list}");
    // The file in the user's configuration folder is found without the option `--formats`.
    std::fs::create_dir(folder.path("pct")).unwrap();
    std::fs::write(folder.path("pct/formats.toml"), FORMATS).unwrap();
    let mut child = command(["formats"]);
    let ran = child.env("XDG_CONFIG_HOME", folder.path(".")).output().unwrap();
    assert!(String::from_utf8(ran.stdout).unwrap().contains("our edge servers"));
}

#[test]
fn an_error_in_the_file_is_reported_with_its_line_and_a_remedy() {
    let folder = Folder::new();
    for (text, line, told) in [
        ("[[format]]\nname = \"a\"\nnginx = 'x'\n", 3, "no variable"),
        ("\n[[format]]\nname = \"a\"\nnginx = '$request$status'\n", 4, "there must be text between two variables"),
        ("[[format]]\nname = \"combined\"\njson = [\"/a\"]\n", 2, "choose another name"),
        ("[[format]]\nname = \"A b\"\njson = [\"/a\"]\n", 2, "use a to z"),
        ("[[format]]\njson = [\"/a\"]\n", 1, "add name ="),
        ("[[format]]\nname = \"a\"\n", 1, "one of nginx ="),
        ("[[format]]\nname = \"a\"\njson = [\"/a\"]\nurl = [\"b\"]\n", 4, "unknown key `url`; a format has name"),
        ("[[format]]\nname = \"a\"\njson = \"/a\"\n", 3, "write [\"...\"]"),
        ("[[format]]\nname = \"a\"\njson = [1]\n", 3, "put it in quotes"),
        ("[[format]]\nname = \"a\"\njson = [\"/a~2\"]\n", 3, "after a ~ comes 0 or 1"),
        (
            "[[format]]\nname = \"a\"\njson = [\"/a\"]\n[[format]]\nname = \"a\"\njson = [\"/a\"]\n",
            4,
            "two formats `a`",
        ),
        ("[format]\nname = \"a\"\n", 1, "starts with [[format]]"),
        ("x = 1\n", 1, "starts with [[format]]"),
        ("[[attack]]\nname = \"a\"\n", 1, "add pattern ="),
        ("[[attack]]\npattern = 'x'\n", 1, "add name ="),
        ("[[attack]]\nname = \"nul\"\npattern = 'x'\n", 2, "choose another name"),
        ("[[attack]]\nname = \"all\"\npattern = 'x'\n", 2, "choose another name"),
        ("[[attack]]\nname = \"A b\"\npattern = 'x'\n", 2, "use a to z"),
        ("[[attack]]\nname = \"a\"\n\npattern = 'x('\n", 4, "this pattern is wrong: unclosed group"),
        ("[[attack]]\nname = \"a\"\npattern = 'x'\nurl = 1\n", 4, "a kind of attack has name, help, pattern"),
        // Each of these patterns is small enough, but not both together.
        (
            "\n[[attack]]\nname = \"a\"\npattern = '\\pL{150}'\n[[attack]]\nname = \"b\"\npattern = '\\pL{151}'\n",
            2,
            "together are wrong, use shorter ones: Compiled regex exceeds size limit",
        ),
        ("[[format]\n", 1, "this is not TOML"),
    ] {
        let file = folder.file("formats.toml", text.as_bytes());
        let file = file.to_str().unwrap();
        for args in [&["formats"][..], &["decode", "--format", "auto"], &["decode", "--format", "a"]] {
            let ran = pct([args, &["--formats", file]].concat(), b"");
            let place = format!("{file}:{line}: ");
            assert!(ran.code == Some(2) && ran.err.contains(&place) && ran.err.contains(told), "{text}: {}", ran.err);
        }
    }
    let ran = pct(["formats", "--formats", "/nowhere/formats.toml"], b"");
    assert!(ran.code == Some(2) && ran.err.contains("cannot read /nowhere/formats.toml"), "{}", ran.err);
    // A verb that needs no format does not read the file.
    assert_eq!(pct(["decode", "--formats", "/nowhere/formats.toml"], b"%41\n").code, Some(0));
}

#[test]
fn formats_of_a_file_are_shown_with_a_record() {
    let folder = Folder::new();
    let log = "1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /%D0%B0%20b HTTP/1.1\" 404 5 \"http://h/%41\" \"a%41\"\n";
    let file = folder.file("access.log", log.as_bytes());
    let ran = pct(["formats", file.to_str().unwrap()], b"");
    let expected = "combined

fields
  client               1.2.3.4
  target               /%D0%B0%20b
    decoded            /а%20b
  status               404
  referrer             http://h/%41
    decoded            http://h/A

first record
  1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /%D0%B0%20b HTTP/1.1\" 404 5 \"http://h/%41\" \"a%41\"
  1.2.3.4 - - [17/May/2015:10:05:03 +0000] \"GET /а%20b HTTP/1.1\" 404 5 \"http://h/A\" \"a%41\"
";
    assert_eq!((String::from_utf8(ran.out).unwrap().as_str(), ran.code), (expected, Some(0)), "{}", ran.err);
    // `formats` shows the record as `decode` writes it.
    let decoded = pct(["decode", "--format", "auto", file.to_str().unwrap()], b"").out;
    assert!(expected.contains(std::str::from_utf8(&decoded).unwrap()));
    // The shown names of members can be used with `-f`.
    let record = br#"{"status":200,"request":{"remote_ip":"1.2.3.4","uri":"/%41"},"logger":"http.log.access"}"#;
    let ran = pct(["formats", "--format", "caddy", "-"], record);
    let shown =
        "caddy\n\nfields\n  /status              200\n  /request/remote_ip   1.2.3.4\n  /request/uri         /%41\n";
    assert!(ran.out.starts_with(shown.as_bytes()), "{}", String::from_utf8_lossy(&ran.out));
    let ran = pct(["cut", "--format", "caddy", "--no-header", "-f", "/status,/request/remote_ip,/request/uri"], record);
    assert_eq!((ran.out.as_slice(), ran.err.as_str()), (b"200\t1.2.3.4\t/A\n".as_slice(), ""));
    let ran = pct(["formats", "-"], b"what is this\n");
    assert!(ran.code == Some(2) && ran.err.contains("has no known format"), "{}", ran.err);
}

#[test]
fn a_user_can_add_kinds_of_attacks() {
    let folder = Folder::new();
    let text = "[[attack]]\nname = \"sql\"\nhelp = \"SQL <injection>\"\npattern = '(?i)union\\s+select'\n\
        [[attack]]\nname = \"jndi\"\npattern = '\\$\\{jndi:'\n";
    let file = folder.file("formats.toml", text.as_bytes());
    let formats = format!("--formats={}", file.to_str().unwrap());
    let line = |target: &str| {
        format!("1.1.1.1 - - [10/Oct/2000:13:55:36 -0700] \"GET {target} HTTP/1.1\" 200 2 \"-\" \"x\"\n")
    };
    let lines = ["/?q=Union%2520%20SELECT", "/%24%7Bjndi:x%7D", "/a%2Fb", "/union"].map(line);
    let log = lines.concat();
    for (kinds, expected) in [
        ("sql", lines[0].clone()),
        ("jndi", lines[1].clone()),
        ("sql,jndi", lines[..2].concat()),
        ("all", lines[..3].concat()),
    ] {
        let ran = pct(["grep", "--format=combined", "--attack", kinds, &formats], log.as_bytes());
        assert_eq!((String::from_utf8(ran.out).unwrap(), ran.code), (expected, Some(0)), "{kinds}: {}", ran.err);
    }
    // In a query, a `+` may be a space.
    let lines = ["/?q=1+UNION+SELECT", "/?q=1%252BUNION%252bSELECT", "/union+select?a"].map(line);
    let ran = pct(["grep", "--attack=sql", &formats, "--format=combined"], lines.concat().as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), lines[0], "{}", ran.err);
    let record = "{\"query\":\"q=1+UNION+SELECT\"}\n";
    let ran = pct(["grep", "--attack=sql", &formats, "--format=ndjson", "-f", "query"], record.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), record, "{}", ran.err);
    let page = folder.path("page.html");
    let ran = pct(["stats", "--format=combined", &formats, "--html", page.to_str().unwrap()], log.as_bytes());
    let text = String::from_utf8(ran.out).unwrap();
    assert!(text.contains("SQL <injection>") && text.contains("jndi"), "{text}");
    assert!(std::fs::read_to_string(page).unwrap().contains("SQL &lt;injection&gt;"));
    let ran = pct(["stats", "--format=combined", &formats, "--json"], log.as_bytes());
    let found: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(found["attacks"]["kinds"]["sql"]["count"], 1);
    assert_eq!(
        found["attacks"]["clients"][0]["kinds"],
        serde_json::json!(["double_encoding", "encoded_separator", "sql", "jndi"])
    );
    // If `pct` skipped a file with an error, it wouldn't find the attacks that the file defines, and the counts would
    // be too low. So `pct` refuses to count.
    let wrong = folder.file("wrong.toml", b"[[attack]]\n");
    for verb in [&["stats"][..], &["grep", "--attack=nul"]] {
        let ran = pct([verb, &["--formats", wrong.to_str().unwrap()]].concat(), b"a\n");
        assert!(
            ran.code == Some(2) && ran.err.contains("wrong.toml:1: this kind of attack has no name"),
            "{}",
            ran.err
        );
    }
}
