//! Records the version of the compiler, compiles the codec in C, and finds libcurl if its feature is on.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/calls/codec.c");
    cc::Build::new().file("src/calls/codec.c").opt_level(3).compile("calls_codec");
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    println!("cargo:rustc-env=RUSTC_VERSION={}", version.unwrap_or_else(|_| "rustc".to_string()));
    #[cfg(feature = "libcurl")]
    match pkg_config::Config::new().atleast_version("7.82").probe("libcurl") {
        Ok(library) => println!("cargo:rustc-env=LIBCURL_VERSION={}", library.version),
        Err(error) => {
            panic!("the feature `libcurl` needs the library's headers (Debian: libcurl4-openssl-dev): {error}")
        }
    }
}
