//! Sets a cfg for each compile condition, so that the code names each condition once. Also declares the cfgs for
//! `check-cfg`. This script reads no file and writes no file.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let endian = env::var("CARGO_CFG_TARGET_ENDIAN").unwrap_or_default();
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |feature: &str| features.split(',').any(|f| f == feature);

    let on = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();

    let is_set = |cfg: &str| env::var_os(format!("CARGO_CFG_{cfg}")).is_some();
    // Without the feature `simd`, there is only the scalar engine.
    let vectors = on("SIMD");
    // With `std`, programs ask the CPU which engines it can run. Without `std`, only engines that every CPU of the
    // target can run are compiled. For MemorySanitizer, no engine for x86-64 is compiled, because MemorySanitizer
    // doesn't see the writes of some intrinsics. The cfg `sanitize` is unstable, so we read the variable that Cargo
    // sets for it.
    let sanitizers = env::var("CARGO_CFG_SANITIZE").unwrap_or_default();
    let known = !sanitizers.split(',').any(|sanitizer| sanitizer == "memory");
    let x86 = |needs: &[&str]| {
        vectors && known && arch == "x86_64" && has("sse2") && (on("STD") || needs.iter().all(|feature| has(feature)))
    };
    let sse42 = x86(&["sse4.2", "popcnt"]);
    let avx2 = sse42 && x86(&["avx2", "bmi1", "bmi2", "lzcnt"]);
    let avx512 = avx2 && x86(&["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2"]);
    // NEON is part of the aarch64 baseline. Our code for NEON numbers the lanes from the low end, so it needs a
    // little-endian target.
    let neon = vectors && arch == "aarch64" && has("neon") && endian == "little";
    // WebAssembly has no run-time detection: a module with simd128 runs only in a runtime with simd128.
    let simd128 = vectors && arch == "wasm32" && has("simd128");
    // The emulated engines are for tests with `--cfg percent_simd_emulated`, and for Miri, which lacks most of the
    // intrinsics.
    let emulated = vectors && (is_set("PERCENT_SIMD_EMULATED") || is_set("MIRI"));

    for (name, holds) in [
        ("isa_sse42", sse42),
        ("isa_avx2", avx2),
        ("isa_avx512", avx512),
        ("isa_neon", neon),
        ("isa_simd128", simd128),
        ("isa_emulated", emulated),
        ("isa_simd", sse42 || neon || simd128 || emulated),
    ] {
        println!("cargo::rustc-check-cfg=cfg({name})");
        if holds {
            println!("cargo::rustc-cfg={name}");
        }
    }
}
