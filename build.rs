//! Names each compile condition once, as a cfg, and declares it for `check-cfg`. Reads nothing, generates nothing.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let endian = env::var("CARGO_CFG_TARGET_ENDIAN").unwrap_or_default();
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |feature: &str| features.split(',').any(|f| f == feature);

    // The SSE4.2, AVX2 and AVX-512 engines can be compiled; whether they run is decided at run time.
    let x86 = arch == "x86_64" && has("sse2");
    // NEON is part of the aarch64 baseline. Its verbs number the lanes from the low end.
    let neon = arch == "aarch64" && has("neon") && endian == "little";
    // WebAssembly has no run-time detection: a module with simd128 runs only where simd128 is.
    let simd128 = arch == "wasm32" && has("simd128");

    for (name, holds) in
        [("isa_x86", x86), ("isa_neon", neon), ("isa_simd128", simd128), ("isa_simd", x86 || neon || simd128)]
    {
        println!("cargo::rustc-check-cfg=cfg({name})");
        if holds {
            println!("cargo::rustc-cfg={name}");
        }
    }
}
