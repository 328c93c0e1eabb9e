# shellcheck shell=bash
# The programs that README.md tells people to copy. Each program has its own lock file. Its tests start the program and
# send it requests.
part examples examples crates/python crates/arrow
step cargo test --locked --manifest-path examples/hyper-proxy/Cargo.toml --target-dir target/examples
step cargo test --locked --manifest-path examples/axum-form/Cargo.toml --target-dir target/examples
step cargo test --locked --manifest-path examples/s3-signer/Cargo.toml --target-dir target/examples
step cargo test --locked --manifest-path examples/gzip-log/Cargo.toml --target-dir target/examples
step crates/python/scripts/test --quick ../../../examples/columns/test_session.py
