//! The verbs of `pct`, with their options.

#[cfg(feature = "arrow")]
pub mod arrow;
pub mod charset;
pub mod cut;
pub mod decode;
pub mod ecma;
pub mod encode;
pub mod form;
pub mod formats;
pub mod grep;
pub mod iri;
pub mod lint;
pub mod man;
pub mod normal;
pub mod normalize;
pub mod page;
pub mod repair;
pub mod stats;
pub mod unique;

use memchr::memchr;

/// Appends `text`, which consists of whole lines. `find` returns the offset of the first byte that may change. `push` gets the line
/// of this byte, without its end, and appends a replacement.
///
/// Returns false and leaves `out` unchanged if `push` returns false.
fn rewrite_lines(
    text: &str,
    find: impl Fn(&str) -> Option<usize>,
    out: &mut Vec<u8>,
    mut push: impl FnMut(&str, &mut Vec<u8>) -> bool,
) -> bool {
    let start = out.len();
    let mut rest = text;
    while let Some(at) = find(rest) {
        let line_start = rest[..at].rfind('\n').map_or(0, |end| end + 1);
        let line_end = at + memchr(b'\n', &rest.as_bytes()[at..]).unwrap_or(rest.len() - at);
        out.extend_from_slice(&rest.as_bytes()[..line_start]);
        if !push(&rest[line_start..line_end], out) {
            out.truncate(start);
            return false;
        }
        rest = &rest[line_end..];
    }
    out.extend_from_slice(rest.as_bytes());
    true
}

#[cfg(test)]
mod tests {
    use percent_simd_oracle::{check, check_sized};
    use quickcheck::TestResult;

    use crate::Command;
    use crate::pipeline::{self, Sink, Source};
    use crate::run::verb_job;
    use crate::tests::job;
    use percent_simd_records::formats::{self, Name};

    /// Runs a verb over `input` in blocks of `block` bytes. If `block` is `None`, the whole input is one block. Returns the output
    /// and the number of diagnostics.
    fn pump(args: &[&str], input: &[u8], block: Option<usize>) -> (Vec<u8>, u64) {
        let job = job(args[0], &args[1..], |command| {
            let (name, config) = match &command {
                Command::Normalize(args) => (Name::LINES, args.config()),
                Command::Iri(args) => (Name::LINES, args.config()),
                Command::Repair(args) => (Name::LINES, args.config()),
                Command::Unescape(args) => (Name::LINES, args.config()),
                Command::Form(args) => (args.format().unwrap_or(Name::LINES), args.config()),
                _ => unreachable!("no verb of this kind"),
            };
            verb_job(formats::build(&name, &formats::Choice::default()).unwrap(), config.into(), false).unwrap()
        });
        let mut out = Vec::new();
        let source = Source::new(input, &job, block.unwrap_or(input.len() + 1), true);
        let ran = pipeline::run(source, &job, &mut Sink::new(&mut out, None), 1);
        (out, ran.diagnosed)
    }

    #[test]
    fn cutting_the_input_into_blocks_changes_nothing() {
        const VERBS: [&[&str]; 7] = [
            &["normalize"],
            &["iri"],
            &["repair"],
            &["unescape", "--component"],
            &["form"],
            &["form", "--encode"],
            &["form", "--json", "--strict"],
        ];
        const ALPHABET: &[u8] = b"%%%%%0019aAfuF\r\n\n\n\n\n\t\t&=+;\0/.?\x1B\xC3\xA9\xFF";
        fn holds(text: Vec<u8>, which: usize, block: usize) -> TestResult {
            let text: Vec<u8> = text.iter().map(|&byte| ALPHABET[usize::from(byte) % ALPHABET.len()]).collect();
            let (args, block) = (VERBS[which % VERBS.len()], [3, 5, 8, 64][block % 4]);
            TestResult::from_bool(pump(args, &text, Some(block)) == pump(args, &text, None))
        }
        check_sized(200, 3000, holds as fn(Vec<u8>, usize, usize) -> TestResult);
    }

    /// Verbs process many lines at once. The result must be the same as for one line at a time.
    #[test]
    fn many_lines_give_the_same_as_each_line_by_itself() {
        const VERBS: [&[&str]; 11] = [
            &["normalize"],
            &["normalize", "--by-scheme"],
            &["normalize", "--escapes-only"],
            &["normalize", "--sanitize"],
            &["iri"],
            &["iri", "--to-uri"],
            &["repair"],
            &["repair", "--without", "surroundings,backslash"],
            &["form"],
            &["form", "--strict"],
            &["form", "--semicolons"],
        ];
        const PIECES: [&str; 46] = [
            "http://", "HTTP://", "h", "H", "a.b", "A", ":", ":80", "/", "/", "/.", "/..", ".", "..", "?", "#", "//",
            "@", "[::1]", "1::2", "%", "%2", "%41", "%2f", "%2E", "%25", "%C3%A9", "%c3", "%EE%80%80", "%0A", "%5c",
            "é", "\u{9B}", "\u{202E}", "\u{2028}", "&", "&&", "=", "+", ";", "\\", "\t", "\r", "x",
            "http://h/p?q=1&r=a+b%20c", "%6Aavascript:",
        ];
        fn holds(pieces: Vec<u8>, which: usize) -> TestResult {
            let args = VERBS[which % VERBS.len()];
            // Each line has only a few pieces, so some lines have no finding.
            let lines: Vec<String> = pieces
                .chunks(5)
                .map(|line| {
                    line.iter()
                        .map(|&byte| PIECES[usize::from(byte) % PIECES.len()])
                        .collect::<String>()
                        .trim_end_matches('\r')
                        .to_string()
                        + "\n"
                })
                .collect();
            let whole = pump(args, lines.concat().as_bytes(), None);
            // The expected output comes from a run for each line, without its line end. So no line is processed
            // together with another line.
            let each: Vec<_> =
                lines.iter().map(|line| pump(args, line.trim_end_matches('\n').as_bytes(), None)).collect();
            let mut expected = Vec::new();
            let mut diagnosed = 0;
            for (out, count) in each {
                diagnosed += count;
                expected.extend(&out);
                // If `form` refuses a line, it skips the line and its line end. In all other cases, the line end stays.
                if args[0] != "form" || count == 0 {
                    expected.push(b'\n');
                }
            }
            assert_eq!(String::from_utf8_lossy(&whole.0), String::from_utf8_lossy(&expected), "{args:?} {lines:?}");
            TestResult::from_bool(whole == (expected, diagnosed))
        }
        check_sized(400, 6000, holds as fn(Vec<u8>, usize) -> TestResult);
    }

    #[test]
    fn encoding_decoded_pairs_restores_the_form() {
        fn holds(form: Vec<u8>) -> bool {
            const ALPHABET: &[u8] = b"%%%2509aA\r\t&=+\\\0\x1B\xC2\x9B\xFF";
            let form: Vec<u8> = form.iter().map(|&byte| ALPHABET[usize::from(byte) % ALPHABET.len()]).collect();
            let pairs = |form: &[u8]| percent_standards::form::Parser::new().parse_bytes(form).count();
            let (lines, _) = pump(&["form"], &form, None);
            let (back, diagnostics) = pump(&["form", "--encode"], &lines, None);
            let same = percent_standards::form::Parser::new()
                .parse_bytes(&form)
                .eq(percent_standards::form::Parser::new().parse_bytes(back.strip_suffix(b"\n").unwrap_or(&back)));
            let printable = lines.iter().all(|&byte| byte == b'\n' || byte == b'\t' || !byte.is_ascii_control());
            let lines = lines.iter().filter(|&&byte| byte == b'\n').count();
            same && printable && diagnostics == 0 && lines == pairs(&form)
        }
        check(2000, holds as fn(Vec<u8>) -> bool);
    }
}
