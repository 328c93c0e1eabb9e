//! The verbs: what each does to a value, and its options.

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
pub mod normalize;
pub mod page;
pub mod stats;
pub mod unique;

#[cfg(test)]
mod tests {
    use clap::Parser;
    use percent_simd_oracle::{check, check_sized};
    use quickcheck::TestResult;

    use crate::pipeline::{self, Sink, Source};
    use crate::run::verb_job;
    use crate::{Cli, Command};
    use percent_simd_records::formats::{self, Name};

    /// What the verb of a command line makes of `input` in blocks of so many bytes, and how many diagnostics it has.
    fn pump(args: &[&str], input: &[u8], block: usize) -> (Vec<u8>, u64) {
        let command = Cli::try_parse_from([&["pct"], args].concat()).unwrap().command;
        let (name, config) = match &command {
            Command::Normalize(args) => (Name::LINES, args.config()),
            Command::Iri(args) => (Name::LINES, args.config()),
            Command::Unescape(args) => (Name::LINES, args.config()),
            Command::Form(args) => (args.format().unwrap_or(Name::LINES), args.config()),
            _ => unreachable!("no verb of this kind"),
        };
        let format = formats::build(&name, &formats::Choice::default()).unwrap();
        let job = verb_job(format, config, false).unwrap();
        let mut out = Vec::new();
        let source = Source::new(input, &job, block, true);
        let ran = pipeline::run(source, &job, &mut Sink::new(&mut out, None), 1);
        (out, ran.diagnosed)
    }

    #[test]
    fn how_an_input_is_cut_does_not_matter() {
        const VERBS: [&[&str]; 6] = [
            &["normalize"],
            &["iri"],
            &["unescape", "--component"],
            &["form"],
            &["form", "--encode"],
            &["form", "--json", "--strict"],
        ];
        const ALPHABET: &[u8] = b"%%%%%0019aAfuF\r\n\n\n\n\n\t\t&=+;\0/.?\x1B\xC3\xA9\xFF";
        fn holds(text: Vec<u8>, which: usize, block: usize) -> TestResult {
            let text: Vec<u8> = text.iter().map(|&byte| ALPHABET[usize::from(byte) % ALPHABET.len()]).collect();
            let (args, block) = (VERBS[which % VERBS.len()], [3, 5, 8, 64][block % 4]);
            TestResult::from_bool(pump(args, &text, block) == pump(args, &text, 1 << 20))
        }
        check_sized(200, 3000, holds as fn(Vec<u8>, usize, usize) -> TestResult);
    }

    #[test]
    fn pairs_come_back() {
        fn holds(form: Vec<u8>) -> bool {
            const ALPHABET: &[u8] = b"%%%2509aA\r\t&=+\\\0\x1B\xC2\x9B\xFF";
            let form: Vec<u8> = form.iter().map(|&byte| ALPHABET[usize::from(byte) % ALPHABET.len()]).collect();
            let pairs = |form: &[u8]| percent_simd::form::Parser::new().parse_bytes(form).count();
            let (lines, _) = pump(&["form"], &form, 1 << 20);
            let (back, diagnostics) = pump(&["form", "--encode"], &lines, 1 << 20);
            let same = percent_simd::form::Parser::new()
                .parse_bytes(&form)
                .eq(percent_simd::form::Parser::new().parse_bytes(back.strip_suffix(b"\n").unwrap_or(&back)));
            let printable = lines.iter().all(|&byte| byte == b'\n' || byte == b'\t' || !byte.is_ascii_control());
            let lines = lines.iter().filter(|&&byte| byte == b'\n').count();
            same && printable && diagnostics == 0 && lines == pairs(&form)
        }
        check(2000, holds as fn(Vec<u8>) -> bool);
    }
}
