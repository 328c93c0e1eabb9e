"""Tests that ``patch_urllib`` can be undone in any order, by any thread, and more than once."""

import contextlib
import importlib
import threading
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import percent_simd
import percent_simd._patch
import pytest

ORIGINAL = {name: getattr(urllib.parse, name) for name in percent_simd._patch._NAMES}


def in_force():
    """Returns True if urllib has the functions of this package. They must be all from this package or all from urllib."""
    ours = {name for name in ORIGINAL if getattr(urllib.parse, name) is getattr(percent_simd, name)}
    theirs = {name for name in ORIGINAL if getattr(urllib.parse, name) is ORIGINAL[name]}
    assert (ours, theirs) in ((set(ORIGINAL), set()), (set(), set(ORIGINAL)))
    return bool(ours)


@pytest.fixture(autouse=True)
def no_patch_is_left():
    assert not in_force()
    yield
    left = in_force()
    for name, function in ORIGINAL.items():
        setattr(urllib.parse, name, function)
    assert not left


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_any_order(order):
    patches = [percent_simd.patch_urllib() for _ in range(3)]
    for number in order:
        assert in_force()
        patches[number].undo()
    assert not in_force()


def test_more_than_once():
    first, second = percent_simd.patch_urllib(), percent_simd.patch_urllib()
    for _ in range(3):
        first.undo()
    assert in_force()
    second.undo()
    second.undo()
    assert not in_force()


def test_nested_blocks():
    with percent_simd.patch_urllib() as outer:
        with percent_simd.patch_urllib():
            assert in_force()
        assert in_force()
        with outer:
            assert in_force()
        assert in_force()
    assert not in_force()
    with outer:
        assert in_force()
    assert not in_force()


def test_blocks_that_overlap():
    first, second = percent_simd.patch_urllib(), percent_simd.patch_urllib()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert in_force()
    second.__exit__(None, None, None)
    assert not in_force()


def test_the_end_of_a_block_that_never_began():
    with contextlib.ExitStack() as stack:
        patch = stack.push(percent_simd.patch_urllib())
        assert in_force()
    assert not in_force()
    with patch:
        assert in_force()
    assert not in_force()


def test_undone_within_its_block_and_by_an_error():
    with percent_simd.patch_urllib() as patch:
        patch.undo()
        assert not in_force()
    assert not in_force()
    with pytest.raises(KeyError):
        with percent_simd.patch_urllib():
            raise KeyError
    assert not in_force()


def test_other_threads():
    patches = [percent_simd.patch_urllib() for _ in range(64)]
    started = threading.Barrier(8)

    def work(number):
        started.wait()
        for patch in patches[number::8]:
            with percent_simd.patch_urllib():
                assert urllib.parse.quote is percent_simd.quote
            patch.undo()
            patch.undo()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert not in_force()


def test_a_function_that_other_code_has_replaced_stays():
    def other(text):
        return text

    patch = percent_simd.patch_urllib()
    urllib.parse.quote = other
    patch.undo()
    assert urllib.parse.quote is other and urllib.parse.unquote is ORIGINAL["unquote"]
    urllib.parse.quote = ORIGINAL["quote"]


def test_other_code_that_puts_our_function_back():
    def other(text):
        return text

    patch = percent_simd.patch_urllib()
    saved = urllib.parse.quote
    urllib.parse.quote = other
    patch.undo()
    urllib.parse.quote = saved
    # Now urllib has our `quote` again, although the patch is undone. The original comes back if a second patch is
    # applied and undone, and also if the first patch is undone once more.
    percent_simd.patch_urllib().undo()
    assert not in_force()
    urllib.parse.quote = saved
    patch.undo()
    assert not in_force()


def test_a_reload_of_the_package_keeps_the_patch():
    patch = percent_simd.patch_urllib()
    importlib.reload(percent_simd)
    percent_simd.patch_urllib().undo()
    assert in_force()
    patch.undo()
    assert not in_force()
