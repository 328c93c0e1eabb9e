"""Tests dictionary columns. Some libraries compare the keys instead of the rows, so equal rows must have equal keys, and a
null row must have a null key."""

import itertools
import random

import percent_simd
import pytest
from percent_simd import decode_array, encode_array, normalize_array, parse_query, query_param

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
pc = pytest.importorskip("pyarrow.compute")

KEYS = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
VALUES = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]
# The first and the third text decode to "A". The second and the last text decode to the same long row.
SPELLINGS = ["%41", "a row that is too long for a view %42", "A", "B%zz", "%4%31"[2:], "a row that is too long for a view B"]


def dictionary(keys, values, key_type=pa.int32(), value_type=pa.string()):
    if pa.types.is_binary(value_type) or pa.types.is_large_binary(value_type) or value_type == pa.binary_view():
        values = [None if value is None else value.encode() for value in values]
    return pa.DictionaryArray.from_arrays(pa.array(keys, key_type), pa.array(values, value_type))


def check(column, result):
    """Checks a result: equal rows have equal keys, and every null row has a null key."""
    result = pa.array(result)
    result.validate(full=True)
    values = result.dictionary.to_pylist()
    assert len(set(values)) == len(values) and None not in values
    assert result.type.index_type == column.type.index_type and result.type.value_type == column.type.value_type
    assert result.null_count == result.to_pylist().count(None) == result.indices.null_count
    return result


@pytest.mark.parametrize("value_type", VALUES, ids=str)
@pytest.mark.parametrize("key_type", KEYS, ids=str)
def test_equal_values_become_one(key_type, value_type):
    keys = [0, 1, 2, None, 5, 0, 3, 2, 1]
    column = dictionary(keys, SPELLINGS, key_type, value_type)
    plain = pa.array(column.to_pylist(), value_type)
    for errors in ("keep", "replace", "null"):
        for view in (slice(0, 9), slice(1, 8), slice(3, 4), slice(9, 9)):
            part, expected = column[view], pa.array(decode_array(plain[view], errors=errors)).to_pylist()
            assert check(part, decode_array(part, errors=errors)).to_pylist() == expected
    decoded = check(column, decode_array(column))
    assert len(decoded.dictionary) == 4
    counts = pa.table({"url": decoded}).group_by("url").aggregate([([], "count_all")]).to_pydict()
    assert sorted(counts["count_all"]) == [1, 1, 3, 4]


def test_a_faulty_row_becomes_a_null_of_the_keys():
    column = dictionary([0, 1, 2, 3, None, 1], ["%41", "%FF", "%zz", None])
    decoded = check(column, decode_array(column, errors="null"))
    assert decoded.to_pylist() == ["A", None, None, None, None, None]
    assert decoded.null_count == 5 and decode_array(column, errors="null").null_count == 5
    assert pc.count(decoded, mode="only_null").as_py() == 5 and decoded.dictionary.to_pylist() == ["A"]
    urls = dictionary([0, 1, 2, 0], ["/?q=1", "/", "/?a&q=%31"])
    assert check(urls, query_param(urls, "q")).to_pylist() == ["1", None, "1", "1"]
    nothing = dictionary([0, 1], ["/", "/a"])
    assert check(nothing, query_param(nothing, "q")).to_pylist() == [None, None]


def test_every_operation():
    for operation, values in {
        lambda column: encode_array(column, "%20"): [" ", "%20", "a"],
        normalize_array: ["HTTP://a/%7e", "http://a/~", "/b/../c"],
        lambda column: query_param(column, "q"): ["?q=1", "?q=%31", "?q=2"],
    }.items():
        column = dictionary([0, 1, 2, None, 0], values)
        result = check(column, operation(column))
        assert len(result.dictionary) == 2
        assert result.to_pylist() == pa.array(operation(pa.array(column.to_pylist()))).to_pylist()
    column = dictionary([1, 0, None], ["?a=1", None])
    assert pa.array(parse_query(column)).to_pylist() == [None, [{"name": "a", "value": "1"}], None]


def test_a_full_dictionary_keeps_the_type_of_its_keys():
    values = [f"%{number:02X}" for number in range(32, 128)] + [f"x{number}" for number in range(32)]
    keys = list(range(128))
    column = dictionary(keys, values, pa.int8())
    decoded = check(column, decode_array(column))
    assert decoded.to_pylist() == [chr(number) for number in range(32, 128)] + values[96:]
    same = dictionary(keys, [chr(number) for number in range(128)], pa.int8())
    assert check(same, decode_array(same)).dictionary.buffers()[2].address == same.dictionary.buffers()[2].address


def test_duplicates_and_nulls_of_the_input_are_removed():
    column = dictionary([0, 1, 2, 3], ["a", "a", None, "b"])
    decoded = check(column, decode_array(column))
    assert decoded.to_pylist() == ["a", "a", None, "b"] and len(decoded.dictionary) == 2


def test_unused_values_stay_in_the_dictionary():
    column = dictionary([2, None], ["%41", "%zz", "%42", "%FF", "%41"])
    for errors, values in {
        "keep": ["A", "%zz", "B", "%FF"],
        "replace": ["A", "%zz", "B", "\ufffd"],
        "null": ["A", "B"],
        "strict": ["A", "B"],
    }.items():
        decoded = check(column, decode_array(column, errors=errors))
        assert decoded.to_pylist() == ["B", None] and decoded.dictionary.to_pylist() == values
    with pytest.raises(ValueError, match="^row 1: "):
        decode_array(dictionary([2, 3], ["%41", "%zz", "%42", "%FF"]), errors="strict")
    with pytest.raises(ValueError, match="^row 2: "):
        decode_array(dictionary([None, 0, 1, 1], ["%41", "%zz"]), errors="strict")
    # The error names the first row that is faulty, in whatever order the values are.
    with pytest.raises(ValueError, match="^row 1: .* in '%zz'"):
        decode_array(dictionary([1, 2, 0, 2], ["%FF", "%41", "%zz"]), errors="strict")


def test_chunks_with_one_dictionary_and_with_several(tmp_path):
    shared = pa.array(["%41", "A", "%42", "%FF"])
    chunks = [pa.DictionaryArray.from_arrays(pa.array(keys, pa.int16()), shared) for keys in ([0, 1], [2, None], [], [3])]
    result = pa.chunked_array(decode_array(pa.chunked_array(chunks), errors="null"))
    assert result.to_pylist() == ["A", "A", "B", None, None]
    # If the chunks share one dictionary, pyarrow groups rows by their keys.
    counts = pa.table({"url": result}).group_by("url").aggregate([([], "count_all")]).to_pydict()
    assert dict(zip(counts["url"], counts["count_all"])) == {"A": 2, "B": 1, None: 2}
    # A file in Arrow's format can have only one dictionary per column.
    with pa.OSFile(str(tmp_path / "column.arrow"), "wb") as sink, pa.ipc.new_file(sink, pa.schema([("url", result.type)])) as file:
        file.write_table(pa.table({"url": result}))
    with pa.memory_map(str(tmp_path / "column.arrow")) as source:
        assert pa.ipc.open_file(source).read_all()["url"].to_pylist() == result.to_pylist()
    several = pa.chunked_array([dictionary([0, 1], ["%41", "A"]), dictionary([0, 0, 1], ["%42", "%4%31"[2:]])])
    result = pa.chunked_array(decode_array(several))
    assert result.to_pylist() == ["A", "A", "B", "B", "1"]
    assert result.unify_dictionaries().chunk(0).dictionary.to_pylist() == ["A", "B", "1"]


def test_an_ordered_dictionary_becomes_unordered():
    """Decoding changes the order of the values, and two of them may become equal."""
    column = pa.DictionaryArray.from_arrays(pa.array([1, 0, 2]), pa.array(["%42", "A", "B"]), ordered=True)
    decoded = check(column, decode_array(column))
    assert column.type.ordered and not decoded.type.ordered and decoded.to_pylist() == ["A", "B", "B"]


def test_an_extension_type_is_its_storage():
    class Url(pa.ExtensionType):
        def __init__(self, storage):
            super().__init__(storage, "percent-simd.url")

        def __arrow_ext_serialize__(self):
            return b""

    for storage in (pa.array(["%41", "A"]), dictionary([0, 1, None], ["%41", "A"])):
        column = pa.ExtensionArray.from_storage(Url(storage.type), storage)
        decoded = pa.array(decode_array(column))
        assert decoded.type == storage.type and decoded.to_pylist() == ["A", "A", None][: len(column)]
    assert pa.array(decode_array(pa.array(["%41"], pa.json_()))).type == pa.string()


def test_columns_within_columns_are_refused():
    column = dictionary([0], ["%41"])
    for nested in (pa.array([["%41"]]), pa.StructArray.from_arrays([column], ["url"]), pa.array([[None]], pa.list_(column.type))):
        with pytest.raises(TypeError, match="column of text or bytes"):
            decode_array(nested)
    # A field of a struct is accepted as a column, even if the struct is a slice.
    struct = pa.StructArray.from_arrays([dictionary([0, 1, 2], ["%41", "A", "B"])], ["url"])[1:]
    assert pa.array(decode_array(struct.field(0))).to_pylist() == ["A", "B"]


def test_random_dictionaries():
    rng = random.Random(5)
    pieces = ["%41", "A", "%", "%zz", "%FF", "é", "%C3%A9", "a long piece of text"]
    for key_type, value_type, errors in itertools.product([pa.int8(), pa.uint32()], [pa.string(), pa.string_view()], ["keep", "null", "replace"]):
        for _ in range(30):
            values = [rng.choice([None, "".join(rng.choices(pieces, k=rng.randrange(3)))]) for _ in range(rng.randrange(1, 40))]
            keys = [rng.choice([None, rng.randrange(len(values))]) for _ in range(rng.randrange(60))]
            column = dictionary(keys, values, key_type, value_type)[rng.randrange(3) :]
            expected = pa.array(decode_array(pa.array(column.to_pylist(), value_type), errors=errors)).to_pylist()
            assert check(column, decode_array(column, errors=errors)).to_pylist() == expected


def test_pandas():
    pd = pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")
    column = pa.array(pd.Series(["%41", "A", None, "%42", "A"], dtype="category"))
    decoded = pa.array(decode_array(column)).to_pandas()
    assert decoded.dtype == "category" and list(decoded.cat.categories) == ["A", "B"]
    assert decoded.value_counts().to_dict() == {"A": 3, "B": 1} and decoded.isna().sum() == 1
    faulty = pa.array(pd.Series(["%41", "%FF", "A"], dtype="category"))
    assert pa.array(decode_array(faulty, errors="null")).to_pandas().isna().tolist() == [False, True, False]


def test_polars():
    pl = pytest.importorskip("polars", reason="polars is not installed: pip install polars")
    import percent_simd.polars  # noqa: F401

    values = ["%41", "A", None, "B", "%FF"]
    types = [pl.Categorical, pl.Enum(["%41", "A", "B", "%FF", "unused %zz"]), pl.Enum(["%FF", "B", "A", "%41"])]
    for data_type in types:
        series = pl.Series("url", values, dtype=data_type)
        frame = series.to_frame().select(pl.col("url").pct.decode(errors="null"), pl.lit(1).alias("one"))
        for decoded in (frame["url"], pl.Series("url", decode_array(series, errors="null"))):
            assert decoded.cast(pl.String).to_list() == ["A", "A", None, "B", None]
            assert decoded.null_count() == 2 and decoded.n_unique() == 3
        groups = frame.group_by("url").len().with_columns(pl.col("url").cast(pl.String))
        assert sorted(groups.rows(), key=str) == [("A", 2), ("B", 1), (None, 2)]


def test_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install duckdb")
    query = "SELECT u::ENUM('%41', 'A', 'unused', '%FF') AS url FROM (VALUES ('%41'), ('A'), (NULL), ('%FF'), ('A')) t(u)"
    column = duckdb.sql(query).to_arrow_table().column("url")
    assert pa.types.is_dictionary(column.type)
    urls = pa.table({"url": pa.chunked_array(decode_array(column, errors="null"))})  # noqa: F841 (the query reads it)
    found = duckdb.sql("SELECT url, count(*) FROM urls GROUP BY url ORDER BY url NULLS LAST").fetchall()
    assert found == [("A", 3), (None, 2)]
