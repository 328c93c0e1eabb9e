"""Arrow capsules that are used twice or have wrong metadata must raise a ValueError, and do no other harm."""

import ctypes

import percent_simd
import pytest
from percent_simd import decode_array, encode_array, normalize_array, parse_query, query_param

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")

OPERATIONS = [decode_array, encode_array, normalize_array, parse_query, lambda column: query_param(column, "q")]


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_void_p),
    ("name", ctypes.c_void_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


@ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
def release(array):
    """Releases an array. Does not call pyarrow's own callback, because that would trust fields that a test has changed."""
    released.append(array.contents.private_data)
    array.contents.release = None


released = []


class Exported:
    """A column as two C structs, which a test may change. The capsules do not release the structs."""

    def __init__(self, column):
        self.schema, self.array, self.kept = Schema(), Array(), []
        column._export_to_c(ctypes.addressof(self.array), ctypes.addressof(self.schema))
        self.array.release = ctypes.cast(release, ctypes.c_void_p)

    def set_format(self, text, schema=None):
        self.kept.append(ctypes.create_string_buffer(text))
        (schema or self.schema).format = ctypes.addressof(self.kept[-1])

    def set_buffer(self, index, items, array=None):
        self.kept.append(items)
        (array or self.array).buffers[index] = ctypes.addressof(items)

    def __arrow_c_array__(self, requested_schema=None):
        return new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None), new_capsule(ctypes.addressof(self.array), b"arrow_array", None)


def refused(exported, match, error=ValueError):
    """Checks that each operation refuses the column. An operation may release the array, so each operation gets a new one."""
    for operation in OPERATIONS:
        column = exported()
        with pytest.raises(error, match=match):
            operation(column)


def plain(**changes):
    return changed(pa.array(["%41", None, "a row that is too long for a view %42"]), **changes)


def changed(column, **changes):
    def exported():
        result = Exported(column)
        for name, value in changes.items():
            setattr(result.array, name, value)
        return result

    return exported


TEXT = ["%41", None, "a row that is too long for a view %42"]
COLUMNS = [
    *(pa.array(TEXT, data_type) for data_type in (pa.string(), pa.large_string(), pa.string_view())),
    pa.array(TEXT).dictionary_encode(),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column.type)[:12])
def test_unchanged_structs_are_accepted(column):
    for part in (column, column[1:], column[2:], column[3:]):
        assert pa.array(decode_array(Exported(part))).to_pylist() == pa.array(decode_array(part)).to_pylist()


def test_a_capsule_can_be_used_once():
    column = Exported(COLUMNS[0])
    decode_array(column)
    for operation in OPERATIONS:
        with pytest.raises(ValueError, match="released, or taken over before"):
            operation(column)
    capsules = pa.array(["%41"]).__arrow_c_array__()

    class Same:
        def __arrow_c_array__(self, requested_schema=None):
            return capsules

    assert pa.array(decode_array(Same())).to_pylist() == ["A"]
    with pytest.raises(ValueError, match="a capsule can be used once"):
        decode_array(Same())
    stream = pa.chunked_array([["%41"]]).__arrow_c_stream__()

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return stream

    assert pa.chunked_array(decode_array(Stream())).to_pylist() == ["A"]
    with pytest.raises(ValueError, match="a capsule can be used once"):
        decode_array(Stream())
    # An array of an unsupported type is not taken over, so a second call with the same capsules gives the same error.
    capsules = pa.array([1]).__arrow_c_array__()
    for _ in range(2):
        with pytest.raises(TypeError, match="Int64"):
            decode_array(Same())


def test_an_imported_array_is_released_once():
    for column in COLUMNS:
        for operation in OPERATIONS:
            exported = Exported(column)
            released.clear()
            result = operation(exported)
            del result
            assert len(released) == 1 and not exported.array.release
    for change in ({"length": -1}, {"n_buffers": 1}, {"null_count": 0}):
        released.clear()
        with pytest.raises(ValueError):
            decode_array(plain(**change)())
        assert len(released) == 1


def test_wrong_capsule_names_and_other_objects():
    class Swapped:
        def __arrow_c_array__(self, requested_schema=None):
            return pa.array(["%41"]).__arrow_c_array__()[::-1]

    with pytest.raises(ValueError, match="incorrect name"):
        decode_array(Swapped())
    for wrong in (None, (), (1, 2), "ab"):

        class Column:
            def __arrow_c_array__(self, requested_schema=None):
                return wrong

            __arrow_c_stream__ = __arrow_c_array__

        for column in (Column(), type("Stream", (), {"__arrow_c_stream__": lambda self: wrong})()):
            with pytest.raises((TypeError, ValueError)):
                decode_array(column)


def test_released():
    refused(plain(release=None), "released")

    def exported():
        result = Exported(COLUMNS[0])
        result.schema.release = None
        return result

    refused(exported, "the schema was released")


@pytest.mark.parametrize("text", [b"", b"x", b"uu", b"v", b"vx", b"w:", b"w:x", b"d:1", b"tss", b"+", b"+w:", b"+l:2", b"\xff", b"U\xff"])
def test_invalid_formats(text):
    def exported():
        result = Exported(COLUMNS[0])
        result.set_format(text)
        return result

    refused(exported, "format")


@pytest.mark.parametrize("text", [b"i", b"b", b"e", b"f", b"g", b"w:4", b"tdD", b"d:10,2"])
def test_formats_of_other_types(text):
    def exported():
        result = Exported(COLUMNS[0])
        result.set_format(text)
        return result

    refused(exported, "column of text or bytes", TypeError)


@pytest.mark.parametrize("text", [b"+l", b"+s", b"+m", b"+L", b"+w:3", b"+r", b"+ud:0,1", b"+vl"])
def test_formats_with_missing_children(text):
    def exported():
        result = Exported(COLUMNS[0])
        result.set_format(text)
        return result

    refused(exported, ".", (ValueError, TypeError))


def test_no_format():
    def exported():
        result = Exported(COLUMNS[0])
        result.schema.format = None
        return result

    refused(exported, "no format")


def test_invalid_dictionaries():
    def exported(change):
        def make():
            result = Exported(COLUMNS[3])
            change(result)
            return result

        return make

    refused(exported(lambda column: column.set_format(b"f")), "not an integer format")
    refused(exported(lambda column: setattr(column.array, "dictionary", None)), "no dictionary")
    refused(exported(lambda column: setattr(column.schema, "dictionary", None)), "Int32", TypeError)
    refused(exported(lambda column: column.set_format(b"x", column.schema.dictionary.contents)), "format")
    refused(exported(lambda column: column.set_format(b"i", column.schema.dictionary.contents)), "Int32", TypeError)
    refused(exported(lambda column: setattr(column.array.dictionary.contents, "length", -1)), "length is negative")
    refused(exported(lambda column: setattr(column.array.dictionary.contents, "n_buffers", 2)), "2 buffers")
    refused(exported(lambda column: setattr(column.array.dictionary.contents, "null_count", 1)), "null_count")
    for keys in ((0, 0, 2), (-1, 0, 0), (2**31 - 1, 0, 0)):
        refused(exported(lambda column: column.set_buffer(1, (ctypes.c_int32 * 3)(*keys))), "key")
    # The key of a null row is not checked.
    column = Exported(COLUMNS[3])
    column.set_buffer(1, (ctypes.c_int32 * 3)(0, -7, 1))
    assert pa.array(decode_array(column)).to_pylist() == ["A", None, "a row that is too long for a view B"]
    # This column has a dictionary, but no dictionary keys.
    text = Exported(COLUMNS[0])
    text.array.dictionary = ctypes.pointer(Exported(COLUMNS[0]).array)
    with pytest.raises(ValueError, match="it has a dictionary"):
        decode_array(text)


@pytest.mark.parametrize("name", ["length", "offset", "n_buffers"])
def test_negative_and_huge_numbers(name):
    for column in COLUMNS:
        for number in (-1, -(2**63), 2**63 - 1, 2**60):
            refused(changed(column, **{name: number}), "negative or too large|buffers|null_count of")


def test_numbers_of_another_type():
    for number in (0, 1, 2, 4):
        refused(plain(n_buffers=number), f"{number} buffers")
    for number in (0, 1, 2):
        refused(changed(COLUMNS[2], n_buffers=number), f"{number} buffers")
    refused(plain(n_children=1), "1 children")
    refused(plain(buffers=ctypes.POINTER(ctypes.c_void_p)()), "no buffers")


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(column.type)[:12])
def test_wrong_null_counts(column):
    for count in (-2, 0, 2, 3, 4, 2**62):
        refused(changed(column, null_count=count), "null_count")
    # A `null_count` of -1 means that the number is unknown.
    assert pa.array(decode_array(changed(column, null_count=-1)())).null_count == 1

    def without_bitmap(count):
        def make():
            result = Exported(column)
            result.array.null_count = count
            result.array.buffers[0] = None
            return result

        return make

    refused(without_bitmap(1), "no bitmap")


def test_missing_buffers():
    for column, numbers in zip(COLUMNS, ((1, 2), (1, 2), (1, 2, 3), (1,))):
        for number in numbers:

            def exported():
                result = Exported(column)
                result.array.buffers[number] = None
                return result

            refused(exported, "missing")
    # Without rows, all buffers may be missing.
    for column in COLUMNS:
        empty = Exported(column[:0])
        for number in range(empty.array.n_buffers):
            empty.array.buffers[number] = None
        assert len(pa.array(decode_array(empty))) == 0


@pytest.mark.parametrize("offsets", [(-1, 3, 3, 40), (0, -3, 3, 40), (0, 3, 2, 40), (3, 0, 0, 0), (0, 0, 0, -1), (-5, -4, -3, -2)])
def test_offsets_that_do_not_ascend(offsets):
    for column, number in ((COLUMNS[0], ctypes.c_int32), (COLUMNS[1], ctypes.c_int64)):

        def exported():
            result = Exported(column)
            result.set_buffer(1, (number * 4)(*offsets))
            return result

        refused(exported, "offsets")


def test_views_outside_of_their_buffers():
    def exported(row, view):
        def make():
            result = Exported(COLUMNS[2])
            views = (ctypes.c_uint32 * 12).from_address(result.array.buffers[1])
            views = (ctypes.c_uint32 * 12)(*views)
            views[4 * row : 4 * row + 4] = view
            result.set_buffer(1, views)
            return result

        return make

    for view in ([37, 0, 1, 0], [37, 0, 0, 1], [38, 0, 0, 0], [37, 0, 0, 2**32 - 1], [2**31, 0, 0, 0], [2**32 - 1, 0, 0, 0], [13, 0, 2**32 - 1, 0]):
        refused(exported(2, view), "row 2 is not within")
        assert pa.array(decode_array(exported(1, view)())).null_count == 1

    def with_length(length):
        def make():
            result = Exported(COLUMNS[2])
            result.set_buffer(3, (ctypes.c_int64 * 1)(length))
            return result

        return make

    refused(with_length(-1), "length of a buffer")
    refused(with_length(36), "row 2 is not within")


def test_bits_and_offsets_in_the_middle():
    texts = [None if number % 3 == 0 else f"%41{number}" for number in range(100)]
    expected = [None if text is None else text.replace("%41", "A") for text in texts]
    for data_type in (pa.string(), pa.large_binary(), pa.string_view(), pa.dictionary(pa.int16(), pa.string())):
        column = pa.array([text and text.encode() for text in texts] if data_type == pa.large_binary() else texts).cast(data_type)
        for start in range(20):
            for length in (1, 7, 8, 9, 70):
                found = pa.array(decode_array(column.slice(start, length))).to_pylist()
                assert [value.decode() if isinstance(value, bytes) else value for value in found] == expected[start : start + length]


def test_unaligned_offsets_and_keys():
    column = pa.array(TEXT)
    validity, offsets, values = column.buffers()
    for shift in (1, 2, 3):
        moved = pa.py_buffer(bytes(shift) + offsets.to_pybytes()).slice(shift)
        shifted = pa.Array.from_buffers(pa.string(), 3, [validity, moved, values])
        assert pa.array(decode_array(shifted)).to_pylist() == pa.array(decode_array(column)).to_pylist()


def test_a_stream_that_fails():
    def batches():
        raise KeyError("no more")
        yield

    reader = pa.RecordBatchReader.from_batches(pa.schema([("url", pa.string())]), batches())
    with pytest.raises(TypeError, match="Struct"):
        decode_array(reader)

    class Failing:
        def __arrow_c_stream__(self, requested_schema=None):
            raise KeyError("no stream")

        def __arrow_c_array__(self, requested_schema=None):
            raise KeyError("no array")

    with pytest.raises(KeyError, match="no array"):
        decode_array(Failing())


def test_a_chunk_of_no_rows_and_no_chunk():
    assert pa.chunked_array(parse_query(pa.chunked_array([], pa.string()))).type == pa.array(parse_query(["?a=1"])).type
    assert len(pa.chunked_array(decode_array(pa.chunked_array([[]], pa.string())))) == 0


def test_results_can_be_exported_many_times():
    column = percent_simd.decode_array(["%41"])
    capsules = [column.__arrow_c_array__() for _ in range(3)]
    assert all(pa.Array._import_from_c_capsule(*pair).to_pylist() == ["A"] for pair in capsules)
