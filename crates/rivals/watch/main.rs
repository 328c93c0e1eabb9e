//! The Rust runner of crates/rivals/scripts/watch. The script compiles this runner with the newest releases of the
//! crates. The head of the script describes the requests and the answers of a runner.

use std::borrow::Cow;
use std::fmt::Write;
use std::hint::black_box;
use std::io::BufRead;
use std::{env, fs, io};

use percent_simd::{Decoder, Encoder, Engine, Plus, sets};

const UNRESERVED: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Text that is read as bytes.
struct Text<'a>(Cow<'a, str>);

impl AsRef<[u8]> for Text<'_> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Returns the CPU time of this thread in nanoseconds.
fn clock() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Answers a request: runs `call` on all inputs `passes` times and returns the time, or writes the outputs if `passes` is 0.
fn run<'a, R: AsRef<[u8]>>(
    inputs: &'a [String],
    passes: u64,
    file: &str,
    call: impl Fn(&'a str) -> R,
) -> io::Result<u64> {
    if passes == 0 {
        let outputs: Vec<R> = inputs.iter().map(|input| call(input)).collect();
        fs::write(format!("{file}.out"), outputs.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(&b'\n'))?;
        return Ok(0);
    }
    let start = clock();
    for _ in 0..passes {
        for input in inputs {
            black_box(call(black_box(input)));
        }
    }
    Ok(clock() - start)
}

/// Reads all pairs of a form. If `wanted` is true, returns the pairs as text.
fn seen<N: AsRef<str>, V: AsRef<str>>(pairs: impl Iterator<Item = (N, V)>, wanted: bool) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        if wanted {
            _ = write!(text, "{}\t{}\t", name.as_ref(), value.as_ref());
        }
        black_box((name.as_ref(), value.as_ref()));
    }
    text
}

fn main() -> io::Result<()> {
    let (mut encoder, mut decoder) = (Encoder::new(sets::RFC3986_UNRESERVED), Decoder::new());
    if let Ok(name) = env::var("WATCH_ENGINE") {
        let engine = Engine::available().find(|engine| engine.name() == name).expect("an engine of this CPU");
        (encoder, decoder) = (encoder.with_engine(engine), decoder.with_engine(engine));
    }
    let (encoder_plus, decoder_plus) = (encoder.space_to_plus(), decoder.plus(Plus::Always));
    let mut loaded = (String::new(), Vec::new());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let [call, file, passes] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("a call, a file and a number of passes");
        let passes: u64 = passes.parse().expect("a number of passes");
        if loaded.0 != file {
            loaded = (file.to_string(), fs::read_to_string(file)?.split('\n').map(String::from).collect());
        }
        let inputs = &loaded.1[..];
        let time = match call {
            "encode" => run(inputs, passes, file, |text| encoder.encode_to_string(text)),
            "encode_plus" => run(inputs, passes, file, |text| encoder_plus.encode_to_string(text)),
            "decode" => run(inputs, passes, file, |text| decoder.decode(text)),
            "decode_plus" => run(inputs, passes, file, |text| decoder_plus.decode(text)),
            "decode_text" => run(inputs, passes, file, |text| Text(decoder.decode_utf8(text).unwrap())),
            "parse" => run(inputs, passes, file, |text| seen(percent_standards::form::parse(text), passes == 0)),
            "percent_encoding::utf8_percent_encode" => {
                run(inputs, passes, file, |text| percent_encoding::utf8_percent_encode(text, UNRESERVED).to_string())
            }
            "percent_encoding::percent_decode_str" => {
                run(inputs, passes, file, |text| Cow::<[u8]>::from(percent_encoding::percent_decode_str(text)))
            }
            "percent_encoding::decode_utf8" => run(inputs, passes, file, |text| {
                Text(percent_encoding::percent_decode_str(text).decode_utf8().unwrap())
            }),
            "urlencoding::encode" => run(inputs, passes, file, |text| Text(urlencoding::encode(text))),
            "urlencoding::decode_binary" => {
                run(inputs, passes, file, |text| urlencoding::decode_binary(text.as_bytes()))
            }
            "urlencoding::decode" => run(inputs, passes, file, |text| Text(urlencoding::decode(text).unwrap())),
            "urldecoder::decode_url_to_writer" => run(inputs, passes, file, |text| {
                let mut out = Vec::with_capacity(text.len());
                urldecoder::decode_url_to_writer(text.as_bytes(), &mut out, false).unwrap();
                out
            }),
            "form_urlencoded::byte_serialize" => {
                run(inputs, passes, file, |text| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>())
            }
            "form_urlencoded::parse" => {
                run(inputs, passes, file, |text| seen(form_urlencoded::parse(text.as_bytes()), passes == 0))
            }
            "ada_url::UrlSearchParams" => run(inputs, passes, file, |text| {
                seen(ada_url::UrlSearchParams::parse(text).unwrap().entries(), passes == 0)
            }),
            _ => panic!("{call}: unknown call"),
        };
        println!("{}", time?);
    }
    Ok(())
}
