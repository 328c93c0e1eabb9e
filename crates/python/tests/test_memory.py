"""Checks calls that get no memory: each must raise MemoryError or succeed, the process must go on, and the next call must work.

The cases run in separate processes, because a fault would end the process or make it hang.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import percent_simd
import pytest

ALLOCATOR = Path(__file__).resolve().parents[3] / "crates/host/failing-malloc.c"
LIMIT = 600  # seconds; a process that runs longer hangs

CASES = '''
import array, ctypes, gc, pickle, sys, urllib.parse
import percent_simd
from percent_simd import *

SMALL, LARGE = "a%20b%zz/é?q=%41&r=%FF&q=2", "a%20b%zz/é?q=%41&r=%FF&q=2" * 8_000
PAIRS = [("a b", "é&"), ("c", "d")] * 20


def checked(result):
    """Uses a result, so that lazy work is done."""
    return result if not hasattr(result, "__arrow_c_schema__") else (len(result), result.null_count, repr(result), exported(result))


def exported(column):
    return column.__arrow_c_schema__() and (column.__arrow_c_array__ if isinstance(column, Array) else column.__arrow_c_stream__)() and None


def calls(text, pairs):
    """Returns, for the name of every entry point, a call that succeeds."""
    data = text.encode()
    encoder, decoder, strict = Encoder("abc"), Decoder(plus="after_query"), Decoder(strict=True, reject="\\0")
    lists = {"text": [text, None, text], "bytes": [data, None, data]}
    result = {
        "quote": lambda: quote(text),
        "quote bytes": lambda: quote(data, safe="%"),
        "quote_plus": lambda: quote_plus(text),
        "quote_from_bytes": lambda: quote_from_bytes(data),
        "quote latin-1": lambda: quote(text, encoding="latin-1", errors="replace"),
        "unquote": lambda: unquote(text),
        "unquote bytes": lambda: unquote(data),
        "unquote_plus": lambda: unquote_plus(text),
        "unquote_to_bytes": lambda: (unquote_to_bytes(text), unquote_to_bytes(data)),
        "urlencode": lambda: urlencode(pairs),
        "urlencode dict": lambda: urlencode({"a": [text, "b"]}, doseq=True),
        "parse_qsl": lambda: parse_qsl(text),
        "parse_qs": lambda: parse_qs(text, keep_blank_values=True),
        "ByteSet": lambda: bytes(~(ByteSet(text) | ByteSet(data)) - ByteSet("a") ^ ByteSet(b"ab") & ByteSet()),
        "ByteSet named": lambda: ByteSet.named("RFC3986_PATH"),
        "ByteSet in": lambda: ("a" in ByteSet("a"), b"a" in ByteSet("a"), 3 in ByteSet("a")),
        "ByteSet copy": lambda: (repr(ByteSet("a")), ByteSet("a").__getnewargs__(), hash(ByteSet("a")), len(ByteSet("a"))),
        "Encoder": lambda: (Encoder(text, lowercase=True, space_to_plus=True, keep_triplets=True), encoder.allowed),
        "Encoder copy": lambda: (repr(encoder), encoder.__getnewargs_ex__(), hash(encoder)),
        "Decoder": lambda: Decoder(strict=True, keep=text, reject=b"/", plus="always"),
        "Decoder copy": lambda: (repr(decoder), decoder.__getnewargs_ex__(), hash(decoder)),
        "encode": lambda: (encoder.encode(text), encoder.encode(data), encoder.needs_encoding(text)),
        "encode buffers": lambda: (encoder.encode(bytearray(data)), encoder.encode(memoryview(data)), encoder.encode(array.array("B", data))),
        "decode": lambda: (decoder.decode(text), decoder.decode(data), decoder.decode(bytearray(data))),
        "decode_str": lambda: (decoder.decode_str(text, "replace"), decoder.decode_str(data, errors="replace")),
        "decode_layers": lambda: decoder.decode_layers(text, max=3),
        "decode_in_place": lambda: decoder.decode_in_place(bytearray(data)),
        "incremental decode": lambda: [incremental := decoder.incremental(by_line=True), incremental.decode(text), incremental.decode(b"%4", final=True)][1:],
        "incremental encode": lambda: [incremental := encoder.incremental(), incremental.encode(text), incremental.encode(b"%4", final=True)][1:],
        "iterators": lambda: (list(iterdecode([text, data], decoder)), list(iterencode([text, data], encoder))),
        "normalize": lambda: normalize("HTTP://h/../" + text),
        "normalize_path": lambda: normalize_path("/../" + text.partition("?")[0]),
        "split_target": lambda: (split_target(text), split_target("http://h/" + text)),
        "repair": lambda: repair(text),
        "requote": lambda: requote(text, "ab/", "%"),
        "parse_form": lambda: parse_form(text, semicolons=True, limit=10**9),
        "parse_form reject": lambda: parse_form(text, reject="\\0"),
        "content disposition": lambda: (parse_content_disposition("a;filename*=''" + text), multipart_unescape(text)),
        "build content disposition": lambda: build_content_disposition(text),
        "baggage": lambda: (parse_baggage("a=" + text), build_baggage([("a", text)])),
        "serialize_form": lambda: serialize_form(pairs),
        "iri_to_uri": lambda: iri_to_uri(text),
        "uri_to_iri": lambda: uri_to_iri(text),
        "set_names": set_names,
        "errors": lambda: [error_of(call) for call in (lambda: strict.decode(text), lambda: Decoder().decode_str(text),
            lambda: normalize(text, strict=True), lambda: normalize_path(text), lambda: parse_form(text, strict=True))],
        "patch_urllib": lambda: patch_urllib().undo(),
    }
    for name, values in lists.items():
        result |= {
            f"decode_array {name}": lambda values=values: checked(decode_array(values)),
            f"decode_array null {name}": lambda values=values: checked(decode_array(values, errors="null", plus=True)),
            f"encode_array {name}": lambda values=values: checked(encode_array(values, "abc")),
            f"normalize_array {name}": lambda values=values: checked(normalize_array(values)),
            f"query_param {name}": lambda values=values: checked(query_param(values, "q")),
            f"parse_query {name}": lambda values=values: checked(parse_query(values)),
            f"layers {name}": lambda values=values: checked(decode_array(values, keep="/", layers=2)),
            f"parse_url {name}": lambda values=values: checked(parse_url(values)),
            f"redact_array {name}": lambda values=values: checked(redact_array(values)),
            f"sort_query_array {name}": lambda values=values: checked(sort_query_array(values, drop=["a*"])),
            f"query_param names {name}": lambda values=values: checked(query_param(values, ["q", "r"])),
            f"query_param all {name}": lambda values=values: checked(query_param(values, "q", all=True)),
            f"rows {name}": lambda values=values: [column := decode_array(values), list(column[1:]), column.to_pylist(), column == column[:]][1:],
            f"pickle {name}": lambda values=values: pickle.loads(pickle.dumps(decode_array(values)[1:])).to_pylist(),
            f"row error {name}": lambda values=values: error_of(lambda: decode_array(values, errors="strict")),
        }
    try:
        import pyarrow as pa
    except ImportError:
        return result
    columns = [pa.array(lists["text"], data_type) for data_type in (pa.string(), pa.large_string(), pa.string_view())]
    columns += [columns[0].dictionary_encode(), columns[2][1:].dictionary_encode(), pa.array(lists["bytes"], pa.binary_view()), pa.chunked_array([columns[0], columns[0][1:]])]
    columns += [pa.array([SMALL, None, "A", "%41", "b" * 13] * 60)[3:], pa.DictionaryArray.from_arrays([0, 1, None, 2], ["%41", text, "A"])]
    for column in columns:
        for operation in (decode_array, encode_array, normalize_array, parse_query, lambda column: query_param(column, "q")):
            name = f"{len(result)} {getattr(operation, '__name__', '')} {str(column.type)[:12]}"
            result[name] = lambda operation=operation, column=column: checked(operation(column))
    return result


def error_of(call):
    try:
        call()
    except ValueError as error:
        return type(error), error.offset, str(error)


def outcome(call):
    try:
        return call()
    except MemoryError:
        return MemoryError


def compare(name, call, start, stop):
    """Repeats the call with the n-th memory request refused, for each n. Each call must raise MemoryError or return the
    expected result."""
    expected = call()
    refused, number = 1, 0
    failed = 0
    while refused:
        start(number)
        try:
            found = call()
        except MemoryError:
            found = MemoryError
            failed += 1
        finally:
            refused = stop()
        assert found is MemoryError or found == expected, (name, number, found)
        number += 1
        assert number < 20_000, name
    assert outcome(call) == expected, name
    return number, failed
'''

@pytest.fixture(scope="session")
def allocator(tmp_path_factory):
    """Returns the environment of a process whose allocator refuses requests if a test asks it to."""
    library = tmp_path_factory.mktemp("allocator") / "failing-malloc.so"
    try:
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, ALLOCATOR], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"the allocator that refuses requests cannot be built: {error}")
    return {"LD_PRELOAD": str(library)}


def run(program, environment=None, is_silent=True):
    """Runs a program after the cases. The program must succeed. By default it must print no errors."""
    program = CASES + textwrap.dedent(program)
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, **(environment or {}), "RUST_BACKTRACE": "1"}, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0 and (done.stderr == "" or not is_silent), f"exit status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


linux = pytest.mark.skipif(sys.platform != "linux", reason="the allocator is replaced as on Linux only")


@linux
@pytest.mark.parametrize("text", ["SMALL", "SMALL * 40"])
@pytest.mark.parametrize("which", ["once", "from"])
def test_each_request_of_the_library_is_refused_in_turn(allocator, text, which):
    out = run(
        f"""
        allocator = ctypes.CDLL(None)
        assert allocator.fail_in(b"_native")
        for name, call in calls({text}, PAIRS).items():
            print(name, *compare(name, call, lambda number: allocator.fail_{which}(number, 0), allocator.fail_never))
        """,
        allocator,
    )
    assert len(out.splitlines()) > 50


@linux
def test_large_requests_are_refused_to_all(allocator):
    """Refuses requests for results of a megabyte: requests of the library, and requests of Python."""
    run(
        """
        allocator = ctypes.CDLL(None)
        for name, call in calls(LARGE, [("a", LARGE)]).items():
            for which in (allocator.fail_from, allocator.fail_once):
                compare(name, call, lambda number: which(number, 100_000), allocator.fail_never)
        """,
        allocator,
    )


def test_each_request_of_python_is_refused_in_turn():
    pytest.importorskip("_testcapi", reason="this Python comes without _testcapi")
    run(
        """
        import _testcapi

        def stop():
            global at
            _testcapi.remove_mem_hooks()
            at += 1
            return at < 150

        def start(number):
            _testcapi.set_nomemory(number, number + 1)

        for name, call in calls(SMALL, PAIRS[:2]).items():
            if name == "patch_urllib" or any(word in name for word in ("error", "array", "query")):
                continue
            at = 0
            compare(name, call, start, stop)
        """,
        is_silent=False,  # pyo3 reports the exception before it panics
    )


def test_under_a_limit_of_the_system():
    """Limits the memory of the process, as a user would, and uses inputs larger than the memory that is left."""
    pytest.importorskip("resource", reason="this system has no limits of the kind")
    out = run(
        """
        import resource
        # The limit also counts the stack, and Linux ends a process whose stack can't grow. In an unoptimised build, the
        # stack needs hundreds of KB more. So these calls make it grow before the limit is set.
        for text in (SMALL, LARGE):
            for call in calls(text, PAIRS).values():
                call()
        text = "%41%42%zz" * 1_000_000
        made = calls(text, [("a", text)] * 8)
        link = "http://" + "é" * 5_000_000
        made["repair of a long host"] = lambda: percent_simd.repair(link)
        before = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        for room in (1 << 20, 8 << 20, 16 << 20, 24 << 20, 48 << 20):
            resource.setrlimit(resource.RLIMIT_AS, (before + room, resource.RLIM_INFINITY))
            for name, call in made.items():
                found = outcome(call)
                print(room, name, found is MemoryError)
                del found
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        """
    )
    assert "encode_array text True" in out and "incremental decode True" in out


def test_text_beyond_32_bit_offsets_is_refused():
    text = "x" * (1 << 24)
    with pytest.raises(ValueError, match="too long from row 127 on: use the type with 64-bit offsets, or fewer rows"):
        percent_simd.decode_array([text] * 130)
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 130), pa.array(["?" + text[1:]]))
    with pytest.raises(ValueError, match="too long from row 128 on"):
        percent_simd.parse_query(column)
