"""Configures hypothesis. By default every run draws the same cases, as the Rust suites do."""

import os

from hypothesis import settings

CASES = 600 * int(os.environ.get("PERCENT_SIMD_CASES", "1"))


def pytest_configure(config):
    # --hypothesis-seed sets another seed. crates/python/scripts/test passes it for PERCENT_SIMD_SEED. With another seed,
    # hypothesis prints a failing case with the code that draws it again.
    is_fixed = config.getoption("--hypothesis-seed") is None
    settings.register_profile("percent-simd", derandomize=is_fixed, max_examples=CASES, deadline=None, print_blob=True)
    settings.load_profile("percent-simd")
