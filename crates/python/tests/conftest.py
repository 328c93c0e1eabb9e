"""Configures hypothesis. By default every run draws the same cases, as the Rust suites do."""

import os

from hypothesis import settings

CASES = 600 * int(os.environ.get("PERCENT_SIMD_CASES", "1"))


def pytest_configure(config):
    # The default seed is fixed. The option --hypothesis-seed sets a different one; crates/python/scripts/test passes it
    # if PERCENT_SIMD_SEED is set. hypothesis then prints a failing case with the code that draws this case again.
    is_fixed = config.getoption("--hypothesis-seed") is None
    settings.register_profile("percent-simd", derandomize=is_fixed, max_examples=CASES, deadline=None, print_blob=True)
    settings.load_profile("percent-simd")
