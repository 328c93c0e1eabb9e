"""Compares every function with the function of the same name in urllib.parse: the value, its type, or the exception."""

import inspect
import pickle
import urllib.parse

import percent_simd
import percent_simd._patch
import pytest
from hypothesis import example, given
from hypothesis import strategies as st


class Text(str):
    """A subclass, which urllib may treat differently from ``str``."""


def outcome(function, args, kwargs):
    try:
        value = function(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)
    return type(value), value


def assert_equal(name, *args, **kwargs):
    ours = outcome(getattr(percent_simd, name), args, kwargs)
    theirs = outcome(ORIGINALS[name], args, kwargs)
    assert ours == theirs, (name, args, kwargs)


ORIGINALS = {name: getattr(urllib.parse, name) for name in percent_simd._patch._NAMES}

# Text with many escapes, truncated escapes, pluses, delimiters, characters of all lengths, and lone surrogates.
PIECES = ["%", "%4", "%41", "%e9", "%C3%A9", "%zz", "%00", "%FF", "+", " ", "&", "=", ";", "/", "a", "~", "é", "€", "💩", "\ud800", "\x00", "x" * 70]
TEXT = st.lists(st.sampled_from(PIECES) | st.characters(), max_size=12).map("".join)
BYTES = TEXT.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=40)
STRINGS = TEXT | BYTES | TEXT.map(Text) | BYTES.map(bytearray)
SAFE = st.sampled_from(["", "/", "%", "é/", " ", "+", b"/", b"\xff", "\ud800"]) | TEXT
CODEC = st.sampled_from(["utf-8", "latin-1", "ascii", "utf-16", None, "no-such"])
ERRORS = st.sampled_from(["strict", "replace", "ignore", "surrogateescape", None, "no-such"])


@given(string=STRINGS, kwargs=st.fixed_dictionaries({}, optional={"safe": SAFE, "encoding": CODEC, "errors": ERRORS}))
@example(string="", kwargs={})
@example(string=b"", kwargs={})
@example(string=None, kwargs={})
@example(string=3, kwargs={})
def test_quote(string, kwargs):
    assert_equal("quote", string, **kwargs)
    assert_equal("quote_plus", string, **kwargs)
    kwargs.pop("encoding", None)
    kwargs.pop("errors", None)
    assert_equal("quote_from_bytes", string, **kwargs)


@given(string=STRINGS, kwargs=st.fixed_dictionaries({}, optional={"encoding": CODEC, "errors": ERRORS}))
@example(string=None, kwargs={})
@example(string=3, kwargs={})
@example(string="a%C3", kwargs={"encoding": None})
def test_unquote(string, kwargs):
    assert_equal("unquote", string, **kwargs)
    assert_equal("unquote_plus", string, **kwargs)
    assert_equal("unquote_to_bytes", string)


@given(
    string=STRINGS,
    kwargs=st.fixed_dictionaries(
        {},
        optional={
            "keep_blank_values": st.booleans() | st.just("yes"),
            "strict_parsing": st.booleans(),
            "encoding": CODEC,
            "errors": ERRORS,
            "max_num_fields": st.integers(0, 4) | st.none(),
            "separator": st.sampled_from(["&", ";", "&;", b"&", "", None]),
        },
    ),
)
@example(string=None, kwargs={})
@example(string="", kwargs={})
def test_parse(string, kwargs):
    assert_equal("parse_qsl", string, **kwargs)
    assert_equal("parse_qs", string, **kwargs)


SCALARS = TEXT | BYTES | st.integers() | st.floats() | st.booleans() | st.none()
VALUES = SCALARS | st.lists(SCALARS, max_size=3) | st.tuples(SCALARS, SCALARS) | TEXT.map(Text)


@given(
    query=st.lists(st.tuples(SCALARS, VALUES), max_size=4) | st.dictionaries(TEXT | st.integers(), VALUES, max_size=4) | STRINGS,
    kwargs=st.fixed_dictionaries(
        {},
        optional={
            "doseq": st.booleans(),
            "safe": SAFE,
            "encoding": CODEC,
            "errors": ERRORS,
            "quote_via": st.sampled_from([urllib.parse.quote, urllib.parse.quote_plus]),
        },
    ),
)
@example(query=[("a",)], kwargs={})
@example(query=[("a", "b", "c")], kwargs={})
@example(query=["ab"], kwargs={})
@example(query=[("", "")], kwargs={})
@example(query=[("", ""), ("", "")], kwargs={})
@example(query={"a": []}, kwargs={"doseq": True})
@example(query=[("a", []), ("b", "c")], kwargs={"doseq": True})
def test_urlencode(query, kwargs):
    assert_equal("urlencode", query, **kwargs)


def test_names_are_quoted_before_values():
    for query in ([("\ud800", [])], {"\ud800": ()}, [("a", "b"), ("\ud800", []), ("c", "\ud800")], [(3, []), (None, ())], [("a", []), (b"b", [])]):
        for encoding in (None, "latin-1"):
            assert_equal("urlencode", query, doseq=True, encoding=encoding)


def test_objects_whose_truth_is_code():
    class Failing:
        def __bool__(self):
            raise ZeroDivisionError

    class Twice(list):
        """True when Python asks for the first time, and false from then on."""

        asked = False

        def __bool__(self):
            before, self.asked = self.asked, True
            return not before

    for truth in (Failing, Twice, list, lambda: [0], lambda: 0.0, lambda: "no", lambda: 1, lambda: None):
        for name, first, parameters in (
            ("parse_qsl", ("", "a=&b=%41&c", b"a=", True, 3), ("keep_blank_values", "strict_parsing")),
            ("parse_qs", ("", "a=&b=%41&c", b"a=", True, 3), ("keep_blank_values", "strict_parsing")),
            ("urlencode", ({}, {"a": [1, 2]}, [("a", "b"), ("c", [])], "ab", 3), ("doseq",)),
        ):
            for value in first:
                for parameter in parameters:
                    ours = outcome(getattr(percent_simd, name), (value,), {parameter: truth()})
                    assert ours == outcome(ORIGINALS[name], (value,), {parameter: truth()}), (name, value, parameter)


def test_every_pair_after_a_percent_sign():
    for pair in range(65536):
        text = "%" + chr(pair >> 8) + chr(pair & 255)
        assert percent_simd.unquote_to_bytes(text) == ORIGINALS["unquote_to_bytes"](text)


def test_long_inputs_release_the_lock_and_agree():
    text = "path/é%C3%A9%zz+ " * 5000
    for name in ("quote", "quote_plus", "unquote", "unquote_plus", "unquote_to_bytes"):
        assert_equal(name, text)
    assert_equal("quote_from_bytes", text.encode())


def test_an_unchanged_object_is_returned_itself():
    for text in ("", "abc", "a/b" * 1000):
        assert percent_simd.quote(text) is text
        assert percent_simd.unquote(text) is text
        assert percent_simd.unquote_to_bytes(text.encode()) == text.encode()
    data = b"abc" * 30
    assert percent_simd.unquote_to_bytes(data) is data


def test_signatures():
    for name, original in ORIGINALS.items():
        ours = inspect.signature(getattr(percent_simd, name)).parameters
        theirs = inspect.signature(original).parameters
        assert list(ours) == [name for name in theirs if not name.startswith("_")], name


def test_other_arguments_are_passed_to_urllib():
    for name in ORIGINALS:
        assert_equal(name, "a%20b", no_such_argument=1)
    # In Python 3.14, `parse_qs` of urllib calls `parse_qsl` with a private argument. With a patch, this call reaches
    # our `parse_qsl`.
    private = [name for name in inspect.signature(ORIGINALS["parse_qsl"]).parameters if name.startswith("_")]
    for name in private:
        assert_equal("parse_qsl", "a=%20", **{name: 2})


def test_patch_is_undone():
    before = urllib.parse.quote
    with percent_simd.patch_urllib():
        assert urllib.parse.quote is percent_simd.quote
    assert urllib.parse.quote is before
    patch = percent_simd.patch_urllib()
    patch.undo()
    patch.undo()
    assert urllib.parse.quote is before


# These tests inspect the defaults of a Python function, or the module urllib.parse. A function written in C has
# no defaults.
NOT_ABOUT_RESULTS = {"test_default_safe", "test_default_quoting", "test_all"}


@pytest.mark.parametrize("name", ["test_urllib", "test_urlparse"])
def test_cpythons_own_suite_with_these_functions(name):
    import importlib
    import unittest

    try:
        module = importlib.import_module(f"test.{name}")
    except ModuleNotFoundError as error:
        pytest.skip(f"this Python comes without its own tests: {error}")
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    with percent_simd.patch_urllib():
        result = unittest.TestResult()
        suite.run(result)
    assert result.testsRun > 50
    failed = [(test.id().split(" ")[0], text) for test, text in result.failures + result.errors]
    problems = [f"{test}: {text}" for test, text in failed if test.rpartition(".")[2] not in NOT_ABOUT_RESULTS]
    assert not problems, "\n".join(problems)


def test_unchanged_text_is_returned_itself():
    for name in "quote", "quote_plus", "unquote", "unquote_plus":
        function = getattr(percent_simd, name)
        for length in [*range(70), 100, 255, 256, 257, 400, 5000]:
            text = ("product-" * 700)[:length]
            assert function(text) is text
            changed = text + ("é" if name.startswith("quote") else "%C3%A9")
            assert_equal(name, changed)
        assert pickle.loads(pickle.dumps(function)) is function
        assert function.__module__ == percent_simd.parse_qs.__module__
        for args, kwargs in ((), {}), (("a", None, None, None, None), {}), (("a",), {"string": "b"}), ((), {"string": "a"}), (("a",), {"x": 1}):
            ours, theirs = (outcome(functions[name], args, kwargs) for functions in (vars(percent_simd), ORIGINALS))
            assert ours[0] == theirs[0], (name, args, kwargs)
    text = "é/\u20ac"
    assert percent_simd.unquote(text) is text
