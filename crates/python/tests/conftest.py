"""How many cases hypothesis draws, and from what: as for the suites in Rust, the same in every run by default."""

import os

from hypothesis import settings

CASES = 600 * int(os.environ.get("PERCENT_SIMD_CASES", "1"))


def pytest_configure(config):
    # Another seed is given by --hypothesis-seed, as crates/python/scripts/test does for PERCENT_SIMD_SEED; what fails then is printed
    # with how to draw it again.
    is_fixed = config.getoption("--hypothesis-seed") is None
    settings.register_profile("percent-simd", derandomize=is_fixed, max_examples=CASES, deadline=None, print_blob=True)
    settings.load_profile("percent-simd")
