"""Tests that the results of operations on columns are usable without pyarrow: as sequences, in pickles, and as memory."""

import bisect
import itertools
import pickle
import sys
from collections.abc import Sequence

import percent_simd
import pytest
from percent_simd import Array, ChunkedArray, decode_array, parse_query, parse_url


class Chunks:
    """A column of several chunks."""

    def __init__(self, *chunks):
        pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
        self.column = pa.chunked_array(list(chunks), pa.string())

    def decoded(self):
        return decode_array(self.column)


def test_a_sequence():
    column = decode_array(["a%20b", None, "%C3%A9", "d"])
    assert isinstance(column, Array) and len(column) == 4
    assert list(column) == column.to_pylist() == ["a b", None, "é", "d"]
    assert column[0] == "a b" and column[-1] == "d" and column[1] is None
    assert list(column[1:3]) == [None, "é"] and isinstance(column[1:3], Array) and list(column[9:]) == []
    assert list(column[::1]) == list(column)
    for wrong in (4, -5):
        with pytest.raises(IndexError, match="no such row"):
            column[wrong]
    for huge in (10**30, -(10**30)):
        with pytest.raises(IndexError, match="no such row"):
            column[huge]
    with pytest.raises(TypeError):
        column["a"]
    assert "é" in column and list(reversed(column)) == column.to_pylist()[::-1]
    assert isinstance(column, Sequence) and isinstance(column[::2], Array)
    assert bisect.bisect(decode_array(["a", "c", "e"]), "d") == 2
    assert column.count("d") == 1 and column.index("é") == 2 and column.index(None, 1) == 1
    with pytest.raises(ValueError):
        column.index("d", 0, 3)
    assert decode_array([b"%FF", None]).to_pylist() == [b"\xff", None]
    assert parse_query(["?a=1&b", None]).to_pylist() == [[{"name": "a", "value": "1"}, {"name": "b", "value": ""}], None]
    assert parse_url(["http://h/"])[0]["host"] == "h"


def test_slices_with_steps():
    texts = ["%41", None, "b", "%C3%A9", "", "a row that is too long for a view"] * 3
    columns = [decode_array(texts), decode_array([b"%41", None, b"%FF"] * 6), parse_query(texts), parse_url(texts)]
    columns += [Chunks(texts[:5], [], texts[5:6], texts[6:]).decoded(), Chunks().decoded()]
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    columns += [decode_array(pa.array(texts, pa.string_view())), decode_array(pa.array(texts).dictionary_encode())]
    for column in columns:
        rows = column.to_pylist()
        for start, stop, step in itertools.product([None, 0, 3, -2, 30], [None, 0, 9, -1], [-sys.maxsize - 1, -7, -2, -1, 1, 2, 5, sys.maxsize]):
            part = column[start:stop:step]
            assert type(part) is type(column) and part.to_pylist() == rows[start:stop:step]
            assert part == pickle.loads(pickle.dumps(part))
        with pytest.raises(ValueError, match="step cannot be zero"):
            column[::0]


def test_numpy():
    np = pytest.importorskip("numpy", reason="numpy is not installed: pip install numpy")
    for column in (decode_array(["%41", None]), Chunks(["%41"], [None]).decoded()):
        assert np.array(column).tolist() == ["A", None] and column[np.int64(1)] is None


def test_chunks_are_one_sequence():
    column = Chunks(["%41", None], [], ["%42", "%43", "d"]).decoded()
    assert isinstance(column, ChunkedArray) and len(column) == 5
    assert list(column) == column.to_pylist() == ["A", None, "B", "C", "d"]
    assert [column[row] for row in range(-5, 5)] == list(column) * 2
    assert list(column[1:4]) == [None, "B", "C"] and len(column[1:4].chunks) == 2 and list(column[3:2]) == []
    with pytest.raises(IndexError):
        column[5]


def test_equality():
    first, second = decode_array(["%41", None]), decode_array(["A", None])
    assert first == second and first != decode_array(["A", "B"]) and first != ["A", None]
    assert first[1:] == second[1:] and first[:1] != second
    assert decode_array([b"A"]) != decode_array(["A"])
    with pytest.raises(TypeError):
        hash(first)
    assert Chunks(["a", "b"], ["c"]).decoded() == Chunks(["a"], [], ["b", "c"]).decoded() != Chunks(["a"], ["b", "d"]).decoded()


def test_repr():
    assert repr(decode_array(["a%20b", None])) == "<percent_simd.Array of 2 rows, Utf8: ['a b', None]>"
    assert repr(decode_array([])) == "<percent_simd.Array of 0 rows, Utf8: []>"
    many = decode_array([str(number) for number in range(100)])
    assert repr(many).endswith(": ['0', '1', '2', '3', '4', ..., '99']>")
    assert repr(decode_array([str(number) for number in range(6)])).endswith("'4', '5']>")
    assert len(repr(decode_array(["x" * 10_000]))) < 150
    assert repr(Chunks(["a"], ["b"]).decoded()) == "<percent_simd.ChunkedArray of 2 rows in 2 chunks, Utf8: ['a', 'b']>"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    columns = [
        decode_array(["a%20b", None, "%C3%A9"]),
        decode_array([b"%FF", None])[1:],
        decode_array([]),
        decode_array(["a row with many bytes"] * 1000)[500:501],
        parse_query(["?a=1", None]),
        parse_url(["http://h/", None]),
        percent_simd.query_param(["?a=1", None], ['a "name"\n', "é"]),
    ]
    for column in columns:
        data = pickle.dumps(column, protocol)
        copy = pickle.loads(data)
        assert copy == column and copy.to_pylist() == column.to_pylist() and copy.null_count == column.null_count
    # The pickle of a slice has only the rows of the slice.
    assert len(pickle.dumps(columns[3], protocol)) < 1500
    chunks = Chunks(["%41", None], ["%42"]).decoded()
    copy = pickle.loads(pickle.dumps(chunks, protocol))
    assert copy == chunks and len(copy.chunks) == 2


def test_pickles_of_every_layout():
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    texts = ["%41", None, "a row that is too long for a view %42", "A"]
    columns = [pa.array(texts, data_type) for data_type in (pa.string(), pa.large_string(), pa.string_view())]
    columns += [pa.array([text and text.encode() for text in texts], data_type) for data_type in (pa.binary(), pa.large_binary(), pa.binary_view())]
    columns += [columns[0].dictionary_encode(), columns[2].dictionary_encode(), pa.array([None, None])]
    for column in columns:
        for part in (column, column[1:3], column[4:]):
            decoded = decode_array(part)
            copy = pickle.loads(pickle.dumps(decoded))
            assert copy == decoded and copy.to_pylist() == pa.array(decoded).to_pylist() == decoded.to_pylist()
            pa.array(copy).validate(full=True)


def test_a_false_pickle_is_refused():
    column = decode_array(["a%20b", "c"])
    rebuild, (data_type, (length, nulls, buffers, children)) = column.__reduce__()
    assert rebuild(data_type, (length, nulls, buffers, children)) == column
    for parts in (
        (99, nulls, buffers, children),
        (length, b"", buffers, children),
        (length, nulls, buffers[:1], children),
        (length, nulls, [b"", buffers[1]], children),
        (length, nulls, [buffers[0], b"a"], children),
        (length, nulls, [buffers[0], b"\xff\xff\xff\xff"], children),
        (length, nulls, buffers, [(length, nulls, buffers, children)]),
    ):
        with pytest.raises(ValueError):
            rebuild(data_type, parts)
    # The size of a view is 16 bytes.
    with pytest.raises(ValueError):
        rebuild(("List", "Utf8View", False), (1, None, [bytes(8)], [(0, None, [b"view", b""], [])]))
    deep = data_type
    for _ in range(10):
        deep = ("List", deep, True)
    for wrong in ("nonsense", (), ("List",), ("List", "Utf8"), ("Dictionary", "Utf8", "Utf8"), ("Struct", [("a", "nonsense", True)]), deep, 3):
        with pytest.raises((ValueError, IndexError)):
            rebuild(wrong, (length, nulls, buffers, children))


def test_buffers():
    column = decode_array(["a%20b", None, "c"])
    validity, offsets, values = column.buffers()
    assert bytes(validity)[0] & 7 == 0b101 and bytes(values) == b"a bc"
    assert list(offsets.cast("i")) == [0, 3, 3, 4]
    assert values.readonly
    with pytest.raises(TypeError):
        values[0] = 1
    # The memory lives as long as its view.
    del column
    assert bytes(values) == b"a bc"
    assert decode_array(["a", "b"]).buffers()[0] is None
    assert [buffer and bytes(buffer) for buffer in decode_array([]).buffers()][0] is None


def test_errors_have_data():
    texts = ["a"] * 10 + ["ab%zz" + "x" * 1000, "%FF"]
    with pytest.raises(percent_simd.ColumnError) as caught:
        decode_array(texts, errors="strict")
    error = caught.value
    assert isinstance(error, percent_simd.DecodeError) and isinstance(error, ValueError)
    assert (error.row, error.offset, error.kind) == (10, 2, "not_hex")
    assert error.value.startswith("ab%zzxxx") and error.value.endswith("...") and len(error.value) < 120
    assert error.reason == "the `%` at byte 2 is not followed by two hexadecimal digits"
    assert str(error) == f"row 10: {error.reason} in {error.value!r}"
    # A value is cut between two characters. Bytes that aren't UTF-8 stay visible.
    for row, value in (("é" * 60, "é" * 50), ("a" + "é" * 60, "a" + "é" * 49), ("aaa" + "😀" * 30, "aaa" + "😀" * 24), (b"\xff" * 200, "\ufffd" * 100)):
        with pytest.raises(percent_simd.ColumnError) as caught:
            decode_array([row + ("%zz" if isinstance(row, str) else b"%zz")], errors="strict")
        assert caught.value.value == value + "..."
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.row, copy.offset, copy.value, str(copy)) == (10, 2, error.value, str(error))
    with pytest.raises(percent_simd.ColumnError) as caught:
        decode_array(Chunks(["a", "b"], [], ["c", "%FF"], ["%zz"]).column, errors="strict")
    assert (caught.value.row, caught.value.offset, caught.value.kind, caught.value.value) == (3, 0, "invalid_utf8", "%FF")
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(percent_simd.ColumnError) as caught:
        decode_array(pa.array(["a", "%zz", "a", "%zz"]).dictionary_encode(), errors="strict")
    assert (caught.value.row, caught.value.value) == (1, "%zz")
    with pytest.raises(percent_simd.ColumnError) as caught:
        percent_simd.file_url_to_path_array(["file:///a", "file:///a%2Fb"], windows=False, errors="strict")
    assert (caught.value.row, caught.value.offset, caught.value.kind) == (1, 9, "separator")
