"""Tests sets, encoders, decoders, and other features that urllib lacks."""

import array
import copy
import gc
import io
import mmap
import os
import pickle
import subprocess
import sys
import threading
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import percent_simd
import pytest
from percent_simd import ByteSet, DecodeError, Decoder, Encoder


def test_sets():
    digits = ByteSet("0123456789")
    assert 48 in digits and "7" in digits and b"a" not in digits
    assert len(digits) == 10 and bytes(digits) == b"0123456789"
    assert len(~digits) == 246
    assert digits | ByteSet("a") == ByteSet("0123456789a")
    assert digits & ByteSet("1a") == ByteSet("1")
    assert digits - ByteSet("0") == ByteSet("123456789")
    assert digits ^ digits == ByteSet() and not ByteSet()
    assert hash(ByteSet("ab")) == hash(ByteSet(b"ba"))
    assert repr(ByteSet("a")) == "ByteSet(b'a')"
    assert "/" in ByteSet.named("rfc3986-path")
    assert "RFC3986_SEGMENT" in percent_simd.set_names()
    with pytest.raises(ValueError, match="no-such.*set_names"):
        ByteSet.named("no-such")
    for wrong in (256, -1, "ab", None):
        with pytest.raises((TypeError, OverflowError)):
            wrong in digits


def test_encoders():
    segment = Encoder(ByteSet.named("RFC3986_SEGMENT"))
    assert segment.encode("AC/DC & é") == "AC%2FDC%20&%20%C3%A9"
    assert segment.encode(b"\xff") == segment.encode(bytearray(b"\xff")) == segment.encode(memoryview(b"\xff")) == "%FF"
    text = "nothing-to-do"
    assert segment.encode(text) is text
    assert not segment.needs_encoding(text) and segment.needs_encoding("/")
    assert Encoder("", lowercase=True).encode(b"\xff") == "%ff"
    assert Encoder("", space_to_plus=True).encode(" +") == "+%2B"
    assert Encoder("%", keep_triplets=True).encode("%41%") == "%41%25"
    with pytest.raises(UnicodeEncodeError):
        segment.encode("\ud800")
    with pytest.raises(TypeError, match="bytes-like"):
        segment.encode(3)


def test_bytes_like_inputs(tmp_path):
    data = b"a%20b" * 5000
    path = tmp_path / "data"
    path.write_bytes(data)
    decoded = Decoder().decode(data)
    inputs = [bytearray(data), memoryview(data), array.array("B", data)]
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for given in [*inputs, mapped]:
            assert Decoder().decode(given) == decoded and Encoder("%").encode(given) == Encoder("%").encode(data)
    assert Decoder().decode(memoryview(data)[::5]) == b"a" * 5000
    with pytest.raises(TypeError, match="bytes-like"):
        Decoder().decode([37])
    np = pytest.importorskip("numpy", reason="numpy is not installed: pip install numpy")
    assert Decoder().decode(np.frombuffer(data, np.uint8)) == decoded


def test_decoders():
    assert Decoder().decode("caf%C3%A9%20100%") == "café 100%".encode()
    with pytest.raises(DecodeError) as caught:
        Decoder(strict=True).decode("caf%C3%A9%20100%")
    assert (caught.value.offset, caught.value.kind) == (15, "truncated")
    with pytest.raises(DecodeError) as caught:
        Decoder().decode_str("a%FF")
    assert (caught.value.offset, caught.value.kind) == (1, "invalid_utf8")
    assert isinstance(caught.value, ValueError) and "byte 1" in str(caught.value)
    assert Decoder().decode_str("a%FF", errors="replace") == "a\ufffd"
    with pytest.raises(DecodeError) as caught:
        Decoder(reject="\0").decode("a%00")
    assert caught.value.kind == "rejected"
    assert Decoder(keep="/").decode("%2F%41") == b"%2FA"
    assert Decoder(plus="after_query").decode("/a+b?c+d") == b"/a+b?c d"
    assert Decoder().decode_layers("%2525") == (b"%", 2)
    assert Decoder().decode_layers("%252525", max=1) == (b"%2525", 1)
    data = b"clean"
    assert Decoder().decode(data) is data
    with pytest.raises(ValueError, match="after_query"):
        Decoder(plus="sometimes")


def test_values_can_be_compared_copied_and_pickled():
    for value in (
        ByteSet("abc"),
        Encoder("abc", lowercase=True),
        Encoder(ByteSet("x"), keep_triplets=True),
        Decoder(),
        Decoder(strict=True, keep="/", reject="\0", plus="always"),
    ):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(value, protocol)) == value
        twin = pickle.loads(pickle.dumps(value))
        assert twin == value and hash(twin) == hash(value) and copy.copy(value) == value
        assert eval(repr(value), vars(percent_simd)) == value
    assert Decoder() != Decoder(strict=True) and Encoder("a") != Encoder("b")
    error = DecodeError("message", 3, "truncated")
    twin = pickle.loads(pickle.dumps(error))
    assert (str(twin), twin.offset, twin.kind) == ("message", 3, "truncated")


def test_normalize():
    assert percent_simd.normalize("HTTP://Example.COM/%7Ea/../b%2f") == "http://example.com/b%2F"
    with pytest.raises(DecodeError):
        percent_simd.normalize("/%zz", strict=True)


def another_thread_runs(function, argument, calls):
    """Returns True if another thread runs during these calls. The interpreter switches threads only after 1000 seconds. So
    the other thread runs only if a call releases the lock."""
    gate = threading.Lock()
    ran = []

    def other():
        with gate:
            ran.append(True)

    thread = threading.Thread(target=other)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        with gate:
            thread.start()
        for _ in range(calls):
            function(argument)
            if ran:
                return True
        return False
    finally:
        sys.setswitchinterval(before)
        thread.join()


@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="this Python has no lock to release")
def test_long_inputs_release_the_lock():
    codec = [percent_simd.quote, percent_simd.unquote, percent_simd.unquote_to_bytes, Encoder("%").encode, Decoder().decode]
    for function in codec:
        assert another_thread_runs(function, "a%20b/é" * 2_000_000, 1000), function
        assert not another_thread_runs(function, "a%20b/é" * 100, 1000), function
    assert another_thread_runs(percent_simd.decode_array, ["a%20b/é" * 2_000_000], 1000)


def test_eight_threads_at_once():
    text = "a%20b" * 10_000
    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(percent_simd.unquote, [text] * 64):
            assert result == "a b" * 10_000


def test_eight_threads_share_objects():
    """Threads that share an object get correct results, with and without the global lock. If an object is for a single
    thread, it refuses concurrent use."""
    encoder, decoder, letters = Encoder("abc"), Decoder(plus="after_query"), ByteSet("abc")
    pairs = {f"n{number} é": f"v&{number}" for number in range(50)}
    query = urllib.parse.urlencode(pairs)
    incremental = Decoder().incremental()
    started = threading.Barrier(8)

    def work(seed):
        started.wait()
        for number in range(300):
            assert encoder.encode(f"abc {seed}{number}/é") == "abc%20" + "".join(f"%{ord(digit):02X}" for digit in f"{seed}{number}") + "%2F%C3%A9"
            assert decoder.decode(f"/a+b?{number}+%{40 + seed}") == f"/a+b?{number} ".encode() + bytes([0x40 + seed])
            assert percent_simd.urlencode(pairs) == query and dict(percent_simd.parse_qsl(query)) == pairs
            assert hash(encoder) == hash(pickle.loads(pickle.dumps(encoder))) and (letters | ByteSet("d")) - letters == ByteSet("d")
            try:
                incremental.decode(b"%41%")
            except RuntimeError as error:
                assert "borrowed" in str(error)
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_a_reader_needs_only_a_method_read():
    class Chunks:
        def __init__(self, *chunks):
            self.chunks = [*chunks, chunks[0][:0]]

        def read(self, size):
            return self.chunks.pop(0)

    for chunks in ((b"a%2", b"0b"), ("a%2", "0b")):
        with percent_simd.DecodingReader(Chunks(*chunks)) as reader:
            assert reader.read() == b"a b"


class Pieces:
    """A file that returns these pieces, and raises the exceptions among them."""

    def __init__(self, *pieces):
        self.pieces = list(pieces)

    def read(self, size):
        piece = self.pieces.pop(0) if self.pieces else b""
        if isinstance(piece, BaseException):
            raise piece
        return piece


def test_a_reader_that_cannot_be_made_leaves_the_file_open():
    file = io.BytesIO(b"%41")
    with pytest.raises(TypeError):
        percent_simd.DecodingReader(file, by_line="no")
    gc.collect()
    assert file.read() == b"%41"


def test_a_reader_of_a_file_without_data_yet_is_not_at_its_end():
    reader = percent_simd.DecodingReader(Pieces(b"a%2", None, None, b"0b", None))
    assert [reader.read(9) for _ in range(5)] == [b"a", None, b" b", b"", b""]


def test_a_reader_never_reports_the_end_after_an_exception():
    for pieces in ((b"a%2", b""), (b"%zz", b"a")):
        reader = percent_simd.DecodingReader(Pieces(*pieces), Decoder(strict=True))
        for _ in range(3):
            with pytest.raises(DecodeError) as raised:
                reader.read()
            assert raised.value.offset == pieces[0].index(b"%")


READS = {
    "read": lambda reader: reader.read(),
    "read(size)": lambda reader: reader.read(3),
    "read1": lambda reader: reader.read1(),
    "peek": lambda reader: reader.read(len(reader.peek())),
    "readline": lambda reader: reader.readline(),
    "readline(size)": lambda reader: reader.readline(3),
    "readlines": lambda reader: b"".join(reader.readlines()),
    "readlines(hint)": lambda reader: b"".join(reader.readlines(3)),
    "next": lambda reader: next(reader, b""),
    "readinto": lambda reader: into(reader.readinto),
    "readinto1": lambda reader: into(reader.readinto1),
}


def into(read):
    buffer = array.array("H", bytes(4))
    count = read(buffer)
    return buffer.tobytes()[:count]


@pytest.mark.parametrize("method", READS)
@pytest.mark.parametrize("first", [None, *READS])
def test_a_reader_loses_no_data_by_an_exception(method, first):
    """The first call uses one method, and all other calls use another method."""
    pieces = [OSError("a"), b"ab%0", OSError("b"), OSError("c"), b"acd", KeyboardInterrupt(), b"%2", OSError("d"), b"0e\nf", OSError("e"), b""]
    reader = percent_simd.DecodingReader(Pieces(*pieces))
    read, raised = b"", []
    for number in range(50):
        try:
            piece = READS[first if first and number == 4 else method](reader)
        except (OSError, KeyboardInterrupt) as error:
            raised.append(error)
        else:
            read += piece
            if not piece:
                break
    assert raised == [piece for piece in pieces if not isinstance(piece, bytes)]
    assert read == b"ab\ncd e\nf"
    # Without the checks of the reader, an exception would look like the end of the data.
    assert not hasattr(reader, "raw")
    with pytest.raises(io.UnsupportedOperation):
        reader.detach()


def test_threads_that_share_a_reader_lose_no_data():
    """The order of the data is unspecified, because several threads read."""
    pieces = [piece for number in range(2000) for piece in (b"%%30%05d\n" % number, OSError())]
    reader = percent_simd.DecodingReader(Pieces(*pieces))
    lock = threading.Lock()
    read = []

    def work(method):
        while True:
            try:
                piece = method()
            except OSError:
                continue
            if not piece:
                return
            with lock:
                read.append(piece)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [reader.readline, reader.read1, lambda: reader.read(7), lambda: b"".join(reader.readlines(9))]))
    assert sorted(b"".join(read)) == sorted(b"".join(b"0%05d\n" % number for number in range(2000)))


def test_the_exception_of_an_argument_is_raised():
    class Index:
        def __index__(self):
            raise KeyError("index")

    view = memoryview(b"a")
    view.release()
    with pytest.raises(ValueError, match="released"):
        Decoder().decode(view)
    with pytest.raises(KeyError):
        Decoder().decode_layers(b"a", max=Index())


def test_subinterpreters():
    program = '''
import sys

is_new = sys.version_info >= (3, 13)
interpreters = __import__("_interpreters" if is_new else "_xxsubinterpreters")
start = f"import sys; sys.path[:] = {sys.path!r}; import collections.abc, percent_simd"
check = "assert isinstance(percent_simd.decode_array(['%41']), collections.abc.Sequence)"
check_urllib = "assert percent_simd.unquote('%E9', encoding='latin-1') == chr(0xE9)"
# The second interpreter doesn't use functions of the first, which has ended. The main interpreter never imports the package.
for _ in range(2):
    with_main_lock = interpreters.create("legacy") if is_new else interpreters.create(isolated=False)
    for code in (start, check, check_urllib):
        found = interpreters.run_string(with_main_lock, code)
        assert found is None, found.errdisplay
    interpreters.destroy(with_main_lock)
if is_new:
    error = interpreters.run_string(interpreters.create("isolated"), start)
    assert error.type.__name__ == "ImportError" and "subinterpreters" in error.msg
'''
    if sys.implementation.name != "cpython":
        pytest.skip("only CPython has subinterpreters")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
