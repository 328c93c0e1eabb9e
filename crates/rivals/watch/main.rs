//! The Rust runner of crates/rivals/scripts/watch. The script compiles this runner with the newest releases of the
//! crates. The head of the script describes the requests and the answers of a runner. A request to this runner names a
//! function by its operation and its entry, with a space between them.

use std::{env, fs, io};

use percent_simd::Engine;
use percent_simd_bench::clock::time;
use percent_simd_bench::{DECODER, ENCODER, Entry, Inputs, Op, entries, ours, peers};

/// Returns the entries that have this operation.
fn entries_of<'a>(name: &str, inputs: &'a Inputs<String>) -> Vec<Entry<'a>> {
    let op = match name {
        "encode" => Op::Encode,
        "encode_plus" => Op::EncodePlus,
        "encode_shared" | "encode_shared_plus" => Op::EncodeCow,
        "decode" => Op::Decode,
        "decode_plus" => Op::DecodePlus,
        "decode_text" => Op::DecodeUtf8,
        "parse" => Op::FormParse,
        _ => panic!("{name}: unknown operation"),
    };
    let mut all = peers::strings(op, inputs);
    match op {
        Op::EncodePlus => all.extend(entries! { inputs;
            "form_urlencoded", Peer, |s, _| form_urlencoded::byte_serialize(s.as_bytes()).collect::<String>();
        }),
        Op::Decode => all.extend(entries! { inputs; "urldecoder", Peer, |s, _| {
            let mut out = Vec::with_capacity(s.len());
            urldecoder::decode_url_to_writer(s.as_bytes(), &mut out, false).ok().map(|_| out)
        }; }),
        Op::FormParse => all.extend(entries! { inputs; "ada (C++)", Peer, |s, scratch| {
            ada_url::UrlSearchParams::parse(s).ok().map(|params| peers::see(params.entries(), scratch))
        }; }),
        _ => {}
    }
    let (encoder, decoder) = env::var("WATCH_ENGINE").map_or((ENCODER, DECODER), |name| {
        let engine = Engine::by_name(&name).expect("an engine of this CPU");
        (ENCODER.with_engine(engine), DECODER.with_engine(engine))
    });
    let encoder = if name == "encode_shared_plus" { encoder.space_to_plus() } else { encoder };
    all.extend(ours(op, inputs, "percent-simd", (encoder, decoder)));
    all
}

fn main() -> io::Result<()> {
    let (mut loaded, mut inputs) = (String::new(), Inputs::default());
    for line in io::stdin().lines() {
        let line = line?;
        let [call, file, passes] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("a call, a file and a number of passes");
        let passes: u64 = passes.parse().expect("a number of passes");
        if loaded != file {
            loaded = file.to_string();
            inputs = Inputs::new(fs::read_to_string(file)?.split('\n').map(String::from).collect());
        }
        let (op, name) = call.split_once(' ').expect("an operation and an entry");
        let entry = entries_of(op, &inputs).into_iter().find(|entry| entry.name == name).expect("a known entry");
        if passes == 0 {
            let outputs = (0..inputs.list.len()).map(|number| (entry.output)(number).unwrap_or_default());
            fs::write(format!("{file}.out"), outputs.collect::<Vec<_>>().join(&b'\n'))?;
        }
        println!("{:.0}", time(|| (0..passes).for_each(|_| (entry.pass)())));
    }
    Ok(())
}
