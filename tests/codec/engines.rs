//! Checks the available engines. If the codec misses an engine that the CPU can run, or offers an engine whose features
//! the CPU lacks, only the tests of this file fail.
#![cfg(feature = "std")]

use crate::common;

use std::collections::HashSet;

use common::LENIENT;
use percent_simd::{ByteSet, Decoder, Encoder, Engine, sets};

fn names() -> Vec<&'static str> {
    Engine::available().map(Engine::name).collect()
}

/// Returns the names of the engines for an x86-64 CPU with the features `flags`. Features are named as in /proc/cpuinfo.
fn for_x86(flags: &HashSet<&str>) -> Vec<&'static str> {
    let rows: [(&str, &[&str]); 3] = [
        (
            "avx512",
            &["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512_vbmi2", "avx2", "bmi1", "bmi2", "abm", "popcnt"],
        ),
        ("avx2", &["avx2", "bmi1", "bmi2", "abm", "popcnt"]),
        ("sse42", &["sse4_2", "popcnt"]),
    ];
    let have = rows.iter().filter(|(_, needs)| needs.iter().all(|need| flags.contains(need)));
    have.map(|(name, _)| *name).chain(["scalar"]).collect()
}

/// Asks the CPU itself for its name and features, with the instruction `cpuid`. The features have the names of
/// /proc/cpuinfo. `expected` reads /proc/cpuinfo only if that file has the same CPU name, because under an emulator the
/// file describes the host.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[allow(unused_unsafe)] // These calls are safe from Rust 1.93 on.
mod asked {
    use std::arch::x86_64::{__cpuid, __cpuid_count, __get_cpuid_max, _xgetbv};

    pub fn name() -> String {
        // SAFETY: every x86-64 CPU has these leaves.
        let leaves = (2..=4).map(|leaf| unsafe { __cpuid(0x8000_0000 + leaf) });
        let bytes = leaves.flat_map(|leaf| [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx]).flat_map(u32::to_le_bytes);
        let name: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
        String::from_utf8_lossy(&name).trim().to_string()
    }

    pub fn flags() -> Vec<&'static str> {
        #[target_feature(enable = "xsave")]
        fn enabled() -> u64 {
            // SAFETY: `enabled` is called only if OSXSAVE is set, so the system has enabled this instruction.
            unsafe { _xgetbv(0) }
        }

        // SAFETY: every x86-64 CPU has the instruction `cpuid`, with leaves 1 and 0x80000001. The next call checks that
        // the CPU has leaf 7.
        let [one, seven, extended] = unsafe { [__cpuid(1), __cpuid_count(7, 0), __cpuid(0x8000_0001)] };
        // SAFETY: every x86-64 CPU has the instruction `cpuid`. If we ask for a leaf above the last one, some CPUs return the
        // last one. So we use `seven` only if the number of the last leaf is at least 7.
        let has_seven = unsafe { __get_cpuid_max(0) }.0 >= 7;
        let seven = if has_seven { [seven.ebx, seven.ecx] } else { [0; 2] };
        // SAFETY: `enabled` needs the feature XSAVE. Bit 27 is OSXSAVE. If this bit is set, the CPU has XSAVE.
        let state = if one.ecx >> 27 & 1 == 1 { unsafe { enabled() } } else { 0 };
        let ymm = u32::from(state & 0x06 == 0x06);
        let zmm = u32::from(state & 0xE6 == 0xE6);
        let bits = [
            ("sse4_2", one.ecx >> 20 & 1),
            ("popcnt", one.ecx >> 23 & 1),
            ("abm", extended.ecx >> 5 & 1),
            ("bmi1", seven[0] >> 3 & 1),
            ("avx2", seven[0] >> 5 & ymm),
            ("bmi2", seven[0] >> 8 & 1),
            ("avx512f", seven[0] >> 16 & zmm),
            ("avx512bw", seven[0] >> 30 & zmm),
            ("avx512vl", seven[0] >> 31 & zmm),
            ("avx512vbmi", seven[1] >> 1 & zmm),
            ("avx512_vbmi2", seven[1] >> 6 & zmm),
        ];
        bits.into_iter().filter(|(_, bit)| *bit == 1).map(|(flag, _)| flag).collect()
    }
}

/// True if the engines in plain Rust, which only tests use, are compiled in.
const EMULATED: bool = cfg!(any(percent_simd_emulated, miri)) && cfg!(feature = "simd");

/// Returns the names of the expected engines. `PERCENT_SIMD_ENGINES`, a list like `sse42 scalar`, overrides them.
/// Returns `None` if this test has no way to find the names on this system.
fn expected() -> Option<Vec<String>> {
    if cfg!(not(feature = "simd")) {
        return Some(vec!["scalar".to_string()]);
    }
    if let Ok(list) = std::env::var("PERCENT_SIMD_ENGINES") {
        return Some(list.split([',', ' ']).map(String::from).collect());
    }
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name| cpuinfo.lines().find_map(|line| Some(line.strip_prefix(name)?.split_once(':')?.1.trim()));
        let flags = match (field("model name"), field("flags")) {
            (Some(name), Some(flags)) if name == asked::name() => flags.split_whitespace().collect(),
            _ => asked::flags().into_iter().collect(),
        };
        Some(for_x86(&flags).into_iter().map(String::from).collect())
    }
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
    {
        let names: &[&str] = if cfg!(target_arch = "x86_64") {
            return None;
        } else if cfg!(all(target_arch = "aarch64", target_endian = "little")) {
            &["neon", "scalar"]
        } else if cfg!(all(target_arch = "wasm32", target_feature = "simd128")) {
            &["simd128", "scalar"]
        } else {
            &["scalar"]
        };
        Some(names.iter().map(|name| name.to_string()).collect())
    }
}

#[test]
fn the_available_engines_are_those_of_this_cpu() {
    if let Some(mut expected) = expected() {
        if EMULATED {
            let scalar = expected.len() - 1;
            expected.splice(scalar..scalar, ["emulated64", "emulated32", "emulated16"].map(String::from));
        }
        assert_eq!(names(), expected);
    }
}

#[test]
fn the_engines_are_in_order_and_end_with_scalar() {
    let order = ["avx512", "avx2", "sse42", "neon", "simd128", "emulated64", "emulated32", "emulated16", "scalar"];
    let places: Vec<_> = names().iter().map(|name| order.iter().position(|known| known == name)).collect();
    assert!(places.iter().all(Option::is_some), "{:?} has a new name", names());
    assert!(places.is_sorted());
    assert_eq!(names().last(), Some(&"scalar"));
    assert_eq!(names().iter().collect::<HashSet<_>>().len(), names().len());
}

#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn cpuid_and_proc_cpuinfo_give_the_same_engines() {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name| cpuinfo.lines().find_map(|line| Some(line.strip_prefix(name)?.split_once(':')?.1.trim()));
    if field("model name") == Some(&asked::name()) {
        let flags: HashSet<&str> = field("flags").unwrap_or_default().split_whitespace().collect();
        assert_eq!(for_x86(&flags), for_x86(&asked::flags().into_iter().collect()));
    }
}

#[test]
fn the_expected_engines_of_known_cpus() {
    let flags = |list: &'static str| list.split(' ').collect::<HashSet<_>>();
    assert_eq!(for_x86(&flags("sse2 ssse3")), ["scalar"]);
    assert_eq!(for_x86(&flags("sse2 ssse3 sse4_1 sse4_2 popcnt")), ["sse42", "scalar"]);
    let haswell = "sse4_2 popcnt avx avx2 bmi1 bmi2 abm";
    assert_eq!(for_x86(&flags(haswell)), ["avx2", "sse42", "scalar"]);
    let skylake = "sse4_2 popcnt avx avx2 bmi1 bmi2 abm avx512f avx512bw avx512vl avx512dq avx512cd";
    assert_eq!(for_x86(&flags(skylake)), ["avx2", "sse42", "scalar"]);
}

#[test]
fn by_name_finds_only_available_engines() {
    for engine in Engine::available() {
        assert_eq!(Engine::by_name(engine.name()), Some(engine));
    }
    for known in ["avx512", "avx2", "sse42", "neon", "simd128", "scalar"] {
        assert_eq!(Engine::by_name(known).is_some(), names().contains(&known), "{known}");
    }
    for unknown in ["", "Scalar", "avx", "scalar "] {
        assert_eq!(Engine::by_name(unknown), None);
    }
}

#[test]
fn the_active_engine_is_the_first() {
    assert_eq!(Some(Engine::active()), Engine::available().next());
    assert!(std::ptr::eq(Engine::active(), Engine::active()));
}

#[test]
#[cfg(not(target_family = "wasm"))]
fn all_threads_choose_the_same_engine() {
    let active: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(Engine::active)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(active.iter().all(|engine| std::ptr::eq(*engine, Engine::active())));
}

#[test]
fn results_are_the_same_without_a_chosen_engine() {
    let input =
        b"a b%20c+%zz\xE9 and so on, past the end of the first sixty-four bytes and %41 into the next".repeat(9);
    let expected = LENIENT.run(&input);
    assert_eq!(Decoder::new().decode(&input), expected.out);
    assert_eq!(Decoder::default().decode(&input), expected.out);
    let encoded = Encoder::new(sets::RFC3986_UNRESERVED).encode(&input);
    for engine in Engine::available() {
        assert_eq!(Encoder::new(sets::RFC3986_UNRESERVED).with_engine(engine).encode(&input), encoded);
        let clean = Encoder::new(ByteSet::ALL).with_engine(engine).raw().allowed();
        assert_eq!(clean, ByteSet::ALL);
    }
}

#[test]
fn engines_display_and_compare_by_name() {
    for engine in Engine::available() {
        assert_eq!(engine.to_string(), engine.name());
        assert_eq!(format!("{engine:?}"), format!("Engine({:?})", engine.name()));
        for other in Engine::available() {
            assert_eq!(engine == other, engine.name() == other.name());
        }
    }
}
