# Functions that the scripts of this folder and of the front ends share. Source this file. It changes to the root of the
# repository.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo=()

# need PACKAGE...: installs the Debian packages that are missing, as root or with sudo.
need() {
    local package missing=() sudo=()
    if ((EUID != 0)); then
        sudo=(sudo)
    fi
    for package; do
        if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>&1) == installed ]]; then
            continue
        fi
        missing+=("$package")
        if [[ $package == *:* ]]; then
            "${sudo[@]}" dpkg --add-architecture "${package#*:}"
        fi
    done
    if ((${#missing[@]} > 0)); then
        echo "== installing with apt-get: ${missing[*]}"
        "${sudo[@]}" apt-get update -qq -o DPkg::Lock::Timeout=600
        "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=600 "${missing[@]}" >/dev/null
    fi
}

# has_target TARGET: succeeds if the toolchain has the target's standard library. If the library is missing, first asks
# rustup to add it.
has_target() {
    local libraries
    libraries=$(rustc --print target-libdir --target "$1")
    if ! compgen -G "$libraries/lib*.rlib" >/dev/null && command -v rustup >/dev/null; then
        rustup target add "$1" || echo "== rustup has no standard library for $1, or cannot be reached"
    fi
    compgen -G "$libraries/lib*.rlib" >/dev/null
}

# cross TARGET [STD]: prepares cargo for a Rust target, with a separate build folder. Takes the standard library from the first
# of these that is available:
#
# 1. the toolchain, or `rustup target add`;
# 2. Debian's compiler, with the Debian package STD;
# 3. Debian's compiler, with the library built from its source. This takes about a minute: only the packages that tests use most
#    are optimised.
cross() {
    local target=$1 std=${2-}
    cargo+=(--target "$target")
    debian=true
    if has_target "$target"; then
        debian=false
    elif [[ $std ]]; then
        need rustc-web "$std"
    else
        need rustc-web rust-web-src
        cargo+=(-Z build-std=std,panic_abort --config 'profile.test.package."*".opt-level=0')
        local package
        for package in alloc compiler_builtins core memchr; do
            cargo+=(--config "profile.test.package.$package.opt-level=2")
        done
    fi
    if $debian; then
        export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
    fi
    export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/for-$target
    echo "== $target with $("${RUSTC:-rustc}" --version)"
}
