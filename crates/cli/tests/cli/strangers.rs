//! Tests real samples of logs and exports, in tests/real. `crates/cli/scripts/strangers` has read them with Python and written the
//! expected rows.

use std::fs;
use std::path::Path;

use crate::process;

use process::pct;
use serde_json::Value;

/// Returns the rows of a sample, from the JSON that `pct cut` writes. In the expected rows, a missing value is `null` or empty.
fn rows(json: &str, fields: &str) -> Vec<Vec<String>> {
    let row = |line: &str| {
        let members: Value = serde_json::from_str(line).unwrap();
        fields.split(',').map(|field| members[field].as_str().unwrap_or_default().to_string()).collect()
    };
    json.lines().map(row).collect()
}

#[test]
fn real_samples_are_read_as_python_reads_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real");
    let text = fs::read_to_string(folder.join("samples.tsv")).unwrap();
    let expected = fs::read_to_string(folder.join("expected.jsonl")).unwrap();
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for (sample, expected) in samples.zip(expected.lines()) {
        let columns: Vec<&str> = sample.split('\t').collect();
        let [name, format, fields, ..] = columns[..] else { panic!("{sample}") };
        let (of, expected): (String, Vec<Vec<Option<String>>>) = serde_json::from_str(expected).unwrap();
        assert_eq!(of, name, "run crates/cli/scripts/strangers --write");
        let expected: Vec<Vec<String>> =
            expected.into_iter().map(|row| row.into_iter().map(Option::unwrap_or_default).collect()).collect();
        let file = folder.join(name);
        let file = file.to_str().unwrap();
        let with = |verb: &'static str, more: &[&'static str]| {
            let options = [&[verb, "--format", "auto", "-q", "-f", fields], more].concat();
            // `normalize` exits with status 1 if a value has a malformed escape, which then stays. So ignore the
            // status.
            pct(options.into_iter().chain([file]).collect::<Vec<_>>(), b"").out
        };
        let ran = pct(["formats", file], b"");
        assert!(String::from_utf8_lossy(&ran.out).starts_with(&format!("{format}\n")), "{name}: {}", ran.err);
        assert_eq!(rows(std::str::from_utf8(&with("cut", &["--json"])).unwrap(), fields), expected, "{name}");
        // A record keeps its place and its lines.
        let lines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
        let before = fs::read(file).unwrap();
        for verb in ["decode", "normalize"] {
            assert_eq!(lines(&with(verb, &[])), lines(&before), "{verb} {name}");
        }
        count += 1;
    }
    assert!(count > 100, "{count} samples");
    assert_eq!(count, expected.lines().count());
}
