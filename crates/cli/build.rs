//! Embeds the page that `pct page` writes. The environment variable PCT_PAGE names its file.

use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-env-changed=PCT_PAGE");
    let page = env::var_os("PCT_PAGE").map(|path| match fs::canonicalize(&path) {
        Ok(path) => path,
        Err(error) => panic!(
            "PCT_PAGE={}: {error}; web/scripts/build writes web/dist/index.html, whose absolute path belongs here",
            path.display()
        ),
    });
    let source = page.map_or_else(
        || "None".to_owned(),
        |path| {
            println!("cargo::rerun-if-changed={}", path.display());
            format!("Some(include_bytes!({path:?}))")
        },
    );
    let out = env::var_os("OUT_DIR").expect("cargo names the folder");
    fs::write(Path::new(&out).join("page.rs"), source).expect("cargo made the folder");
}
