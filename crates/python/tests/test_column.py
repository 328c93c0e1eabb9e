"""Compares operations on columns of every layout with a loop over urllib."""

import codecs
import os
import random
import string
import urllib.parse

import percent_simd
import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")

TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
BYTES = [pa.binary(), pa.large_binary(), pa.binary_view()]
PIECES = ["%41", "%C3%A9", "%", "%4", "%zz", "+", "a" * 20, "é", "/", "", "x", "%2F"]


def rows(count, pieces=PIECES, seed=1):
    rng = random.Random(f"{os.environ.get('PERCENT_SIMD_SEED', '')}{seed}")
    return [None if rng.random() < 0.1 else "".join(rng.choices(pieces, k=rng.randrange(8))) for _ in range(count)]


def back(column):
    return (pa.chunked_array(column) if isinstance(column, percent_simd.ChunkedArray) else pa.array(column)).to_pylist()


def test_text_is_decoded_as_urllib_does():
    texts = rows(3000)
    expected = [None if text is None else urllib.parse.unquote(text) for text in texts]
    for data_type in TEXTS:
        column = pa.array(texts, data_type)
        decoded = percent_simd.decode_array(column, errors="replace")
        assert pa.array(decoded).type == data_type
        assert back(decoded) == expected
        assert back(percent_simd.decode_array(column.slice(17, 900), errors="replace")) == expected[17:917]
        # If a row decodes to UTF-8, the result does not depend on `errors`.
        kept = back(percent_simd.decode_array(column))
        assert all(one == other for one, other in zip(expected, kept) if one is None or "\ufffd" not in one)
    plus = [None if text is None else urllib.parse.unquote_plus(text) for text in texts]
    assert back(percent_simd.decode_array(pa.array(texts), plus=True, errors="replace")) == plus


def test_bytes_are_decoded_as_urllib_does():
    blobs = [None if text is None else text.encode() for text in rows(3000, PIECES + ["%FF", "%C3"], 2)]
    expected = [None if blob is None else urllib.parse.unquote_to_bytes(blob) for blob in blobs]
    for data_type in BYTES:
        decoded = percent_simd.decode_array(pa.array(blobs, data_type))
        assert pa.array(decoded).type == data_type
        assert back(decoded) == expected


def test_rows_that_cannot_be_decoded():
    texts = ["a%20b", "%FF", None, "100%", "%C3%A9%ff!"]
    for data_type in TEXTS:
        column = pa.array(texts, data_type)
        assert back(percent_simd.decode_array(column)) == ["a b", "%FF", None, "100%", "é%ff!"]
        assert back(percent_simd.decode_array(column, errors="null")) == ["a b", None, None, None, None]
        assert back(percent_simd.decode_array(column, errors="replace")) == ["a b", "\ufffd", None, "100%", "é\ufffd!"]
        with pytest.raises(ValueError, match="^row 1: .*UTF-8"):
            percent_simd.decode_array(column, errors="strict")
    blobs = pa.array([b"%FF", b"%4"], pa.binary())
    assert back(percent_simd.decode_array(blobs, errors="null")) == [b"\xff", None]
    with pytest.raises(ValueError, match="^row 1: "):
        percent_simd.decode_array(blobs, errors="strict")
    with pytest.raises(ValueError, match='errors is "keep"'):
        percent_simd.decode_array(blobs, errors="ignore")


def test_no_escape_is_read_across_rows():
    for data_type in TEXTS + BYTES:
        for texts in (["%4", "1%", "41"], ["%", "%41%", "25"]):
            column = pa.array(texts if data_type in TEXTS else [text.encode() for text in texts], data_type)
            expected = [urllib.parse.unquote(text) for text in texts]
            found = back(percent_simd.decode_array(column))
            assert found == (expected if data_type in TEXTS else [text.encode() for text in expected])


def test_bytes_of_a_null_row_are_ignored():
    values = pa.py_buffer(b"%zz%FFab%20c")
    offsets = pa.py_buffer(b"".join(offset.to_bytes(4, "little") for offset in (0, 6, 12)))
    column = pa.Array.from_buffers(pa.string(), 2, [pa.py_buffer(b"\x02"), offsets, values])
    assert column.to_pylist() == [None, "ab%20c"]
    for errors in ("keep", "null", "strict", "replace"):
        assert back(percent_simd.decode_array(column, errors=errors)) == [None, "ab c"]


def test_encode_normalize_and_query():
    texts = rows(2000)
    expected = [None if text is None else urllib.parse.quote(text, safe="") for text in texts]
    for data_type in TEXTS:
        assert back(percent_simd.encode_array(pa.array(texts, data_type))) == expected
    assert back(percent_simd.encode_array(["a b/+"], "ab/", plus=True)) == ["a+b/%2B"]
    urls = ["HTTP://A/%7eb?x=1+1&y=%C3%A9#y=2", None, "/?y", "none", "?a=1&y=3&y=4"]
    for data_type in TEXTS:
        column = pa.array(urls, data_type)
        assert back(percent_simd.normalize_array(column))[:2] == ["http://a/~b?x=1+1&y=%C3%A9#y=2", None]
        assert back(percent_simd.query_param(column, "y")) == ["é", None, "", None, "3"]
        pairs = back(percent_simd.parse_query(column))
        assert pairs[0] == [{"name": "x", "value": "1 1"}, {"name": "y", "value": "é"}]
        assert pairs[1] is None and pairs[3] == [] and len(pairs[4]) == 3


def test_dictionaries_and_chunks():
    texts = ["a%20b", "c", None, "a%20b"] * 10
    column = pa.array(texts).dictionary_encode()
    decoded = pa.array(percent_simd.decode_array(column))
    assert decoded.type == column.type and len(decoded.dictionary) == 2
    assert decoded.to_pylist() == ["a b", "c", None, "a b"] * 10
    assert back(percent_simd.parse_query(pa.array(["?a=1", None]).dictionary_encode()))[1] is None
    chunked = pa.chunked_array([texts, [], ["%41"]], pa.string())
    result = percent_simd.decode_array(chunked)
    assert len(result) == 41 and result.null_count == 10 and len(result.chunks) == 3
    assert pa.chunked_array(result).to_pylist() == [None if text is None else urllib.parse.unquote(text) for text in chunked.to_pylist()]
    assert pa.chunked_array(percent_simd.decode_array(pa.chunked_array([], pa.string()))).type == pa.string()


def test_unused_values_of_a_dictionary_cause_no_error():
    texts = pa.array(["%41", "%zz", "%FF", "%42"])
    column = pa.DictionaryArray.from_arrays(pa.array([3, None, 0, 3], pa.int8()), texts)
    for errors in ("strict", "null", "keep", "replace"):
        assert back(percent_simd.decode_array(column, errors=errors)) == ["B", None, "A", "B"]
    nulls = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), pa.array(["%41", None]))
    assert back(percent_simd.decode_array(nulls, errors="strict")) == ["A", None, None]
    wrong = pa.DictionaryArray.from_arrays(pa.array([None, 0, 1, 1]), texts)
    with pytest.raises(ValueError, match="^row 2: "):
        percent_simd.decode_array(wrong, errors="strict")
    empty = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int32()), pa.array([], pa.string()))
    assert back(percent_simd.decode_array(empty, errors="strict")) == [None, None]
    assert back(percent_simd.parse_query(empty)) == [None, None]


def test_views_need_not_be_aligned():
    views = pa.array(["%41", "a row that is too long to be inlined %42"], pa.string_view())
    moved = pa.py_buffer(bytes(4) + views.buffers()[1].to_pybytes()).slice(4)
    column = pa.Array.from_buffers(pa.string_view(), 2, [None, moved, *views.buffers()[2:]])
    assert back(percent_simd.decode_array(column)) == ["A", "a row that is too long to be inlined B"]


def test_unchanged_rows_share_their_memory():
    clean = pa.array(["/index.html"] * 100)
    assert pa.array(percent_simd.decode_array(clean)).buffers()[2].address == clean.buffers()[2].address
    view = pa.array(["a row that is too long to be inlined", "%41" * 10, "another that is too long to be inlined"], pa.string_view())
    decoded = pa.array(percent_simd.decode_array(view))
    assert decoded.to_pylist() == [view[0].as_py(), "A" * 10, view[2].as_py()]
    assert decoded.buffers()[2].address == view.buffers()[2].address
    # The first and the last row do not change, so their views do not change either.
    assert decoded.buffers()[1].to_pybytes()[:16] == view.buffers()[1].to_pybytes()[:16]
    assert decoded.buffers()[1].to_pybytes()[32:48] == view.buffers()[1].to_pybytes()[32:48]


def test_lists_are_columns_and_other_objects_are_refused():
    assert back(percent_simd.decode_array(["%41", None])) == ["A", None]
    assert back(percent_simd.decode_array([b"%FF", None])) == [b"\xff", None]
    assert back(percent_simd.decode_array([])) == []
    for wrong in ("text", b"bytes", 3, [1], ["a", b"b"], pa.array([1])):
        with pytest.raises(TypeError):
            percent_simd.decode_array(wrong)
    with pytest.raises(TypeError, match="expected str or None in row 2, not float"):
        percent_simd.decode_array(["a", None, 1.5])
    with pytest.raises(TypeError, match="not of Int64: cast it to text or bytes"):
        percent_simd.decode_array(pa.array([1]))
    with pytest.raises(TypeError, match="pass one of its fields or columns"):
        percent_simd.decode_array(pa.table({"url": ["%41"]}))
    with pytest.raises(ValueError, match='^the name "a" is repeated'):
        percent_simd.query_param(["?a=1"], ["a", "a"])


def test_the_same_column_may_be_exported_twice():
    column = percent_simd.decode_array(pa.chunked_array([["%41"]]))
    assert pa.chunked_array(column) == pa.chunked_array(column)
    assert pa.array(column.chunks[0]).to_pylist() == ["A"]


def test_polars():
    pl = pytest.importorskip("polars", reason="polars is not installed: pip install polars")
    series = pl.Series(["a%20b", None, "%C3%A9" * 5])
    assert pl.Series(percent_simd.decode_array(series)).to_list() == ["a b", None, "é" * 5]


def test_arro3():
    core = pytest.importorskip("arro3.core", reason="arro3 is not installed: pip install arro3-core")
    column = core.Array(["a%20b", None, "c"], core.DataType.string_view())
    decoded = core.Array.from_arrow(percent_simd.decode_array(column))
    assert decoded.type == column.type and decoded.to_pylist() == ["a b", None, "c"]
    chunked = core.ChunkedArray([core.Array(["%41"], core.DataType.string()), core.Array(["%42"], core.DataType.string())])
    assert core.ChunkedArray.from_arrow(percent_simd.decode_array(chunked)).to_pylist() == ["A", "B"]


def test_nanoarrow():
    nanoarrow = pytest.importorskip("nanoarrow", reason="nanoarrow is not installed: pip install nanoarrow")
    column = nanoarrow.c_array(["a%20b", None], nanoarrow.string())
    assert nanoarrow.Array(percent_simd.decode_array(column)).to_pylist() == ["a b", None]
    stream = nanoarrow.ArrayStream(["%41", "%42"], nanoarrow.large_string())
    assert nanoarrow.ArrayStream(percent_simd.decode_array(stream)).read_all().to_pylist() == ["A", "B"]


def test_pandas_and_numpy():
    pd = pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")
    np = pytest.importorskip("numpy", reason="numpy is not installed: pip install numpy")
    assert back(percent_simd.decode_array(pd.Series(["a%20b", "c"]).tolist())) == ["a b", "c"]
    assert back(percent_simd.decode_array(pd.Series(["a%20b", None], dtype="str"))) == ["a b", None]
    assert back(percent_simd.decode_array(np.array(["a%20b", "c"]))) == ["a b", "c"]
    assert back(percent_simd.decode_array(np.array([b"%FF", b"c"]))) == [b"\xff", b"c"]
    # An array without a dimension is no column, even if its only value is iterable.
    for wrong in (np.array("%41"), np.array(b"%41"), np.array(1)):
        with pytest.raises(TypeError, match="expected a column"):
            percent_simd.decode_array(wrong)


def test_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install duckdb")
    table = duckdb.sql("select 'a%20b' as url union all select '%FF'").to_arrow_table()
    assert sorted(back(percent_simd.decode_array(table.column("url")))) == ["%FF", "a b"]


def test_malformed_bytes_of_null_rows_are_ignored():
    valid = pa.array(["%41", "%zz", "%FF", "caf%C3%A9"])
    bitmap = pa.py_buffer(bytes([0b1001]))
    column = pa.Array.from_buffers(pa.string(), 4, [bitmap, *valid.buffers()[1:]])
    assert column.to_pylist() == ["%41", None, None, "caf%C3%A9"]
    assert pa.array(percent_simd.decode_array(column, errors="strict")).to_pylist() == ["A", None, None, "café"]
    assert pa.array(percent_simd.decode_array(column[1:], errors="strict")).to_pylist() == [None, None, "café"]
    with pytest.raises(ValueError, match="^row 1: "):
        percent_simd.decode_array(valid, errors="strict")


def test_keep_reject_and_layers():
    column = ["/a%2Fb%2541", "%00", None, "%252541"]
    assert list(percent_simd.decode_array(column, keep="/")) == ["/a%2Fb%41", "\0", None, "%2541"]
    assert list(percent_simd.decode_array(column, reject="\0", errors="null")) == ["/a/b%41", None, None, "%2541"]
    with pytest.raises(percent_simd.ColumnError) as caught:
        percent_simd.decode_array(column, reject="\0", errors="strict")
    assert (caught.value.row, caught.value.kind) == (1, "rejected")
    for errors in ("keep", "replace"):
        with pytest.raises(ValueError, match='reject needs errors="null" or "strict"'):
            percent_simd.decode_array(column, reject="\0", errors=errors)
    assert list(percent_simd.decode_array(column, layers=0)) == column
    assert list(percent_simd.decode_array(column, layers=9)) == ["/a/bA", "\0", None, "A"]
    with pytest.raises(ValueError, match="layers is 0 or more, not -1"):
        percent_simd.decode_array(column, layers=-1)


LAYERED = ["%25", "25", "%", "4", "1", "+", "%2B", "x", "%C3", "%A9", "C3", "A9", "%95"]


def test_no_new_escapes_if_percent_is_kept():
    assert back(percent_simd.decode_array(["%%41%41", "%%4%31", "%41%25"])) == ["%AA", "%%41", "A%"]
    assert back(percent_simd.decode_array(["%%41%41", "%%4%31", "%41%25"], keep="%")) == ["%%41%41", "%%4%31", "A%25"]


def test_layers_are_those_of_one_string():
    texts = ["".join(random.Random(n).choices(LAYERED, k=n % 9)) for n in range(1000)]
    columns = [pa.array(texts, data_type) for data_type in TEXTS] + [pa.array(texts).dictionary_encode()]
    for layers in (0, 1, 2, 3, 4, 9):

        def decoded(text, strict):
            return percent_simd.Decoder(plus="always", strict=strict).decode_layers(text, max=layers)[0]

        def or_none(text):
            try:
                return decoded(text, True).decode()
            except ValueError:
                return None

        # For "keep", decode one layer per call: the escapes of invalid UTF-8 stay after each layer.
        kept = texts
        for layer in range(layers):
            kept = back(percent_simd.decode_array(kept, plus=layer == 0))
        expected = {"replace": [decoded(text, False).decode(errors="replace") for text in texts], "null": list(map(or_none, texts)), "keep": kept}
        if layers == 0:
            expected["null"] = texts
        for errors, rows in expected.items():
            for column in columns:
                assert back(percent_simd.decode_array(column, layers=layers, plus=True, errors=errors)) == rows, (layers, errors)
        blobs = [text.encode() for text in texts]
        for data_type in BYTES:
            found = percent_simd.decode_array(pa.array(blobs, data_type), layers=layers, plus=True)
            assert back(found) == [decoded(text, False) for text in texts]
        # The bytes of all layers are read in the charset.
        for charset, python in (("koi8-r", "koi8-r"), ("shift_jis", "cp932")):
            found = back(percent_simd.decode_array(texts, layers=layers, plus=True, charset=charset, errors="null"))
            for text, row in zip(texts, found):
                try:
                    assert row == (decoded(text, True).decode(python) if layers else text), text
                except ValueError:
                    assert row is None, text
    with pytest.raises(percent_simd.ColumnError) as caught:
        percent_simd.decode_array(["%C3%25A9", "%25FF", "%zz"], layers=2, errors="strict")
    assert (caught.value.row, caught.value.offset, caught.value.kind) == (1, 0, "invalid_utf8")
    with pytest.raises(percent_simd.ColumnError) as caught:
        percent_simd.decode_array(["a", "b%252500"], layers=4, reject="\0", errors="strict")
    assert (caught.value.row, caught.value.offset, caught.value.kind) == (1, 1, "rejected")


def test_a_row_with_a_million_layers():
    texts = ["/a%20b"] * 200_000
    texts[7] = "%" + "25" * 1_000_000 + "E9"
    options = [{}, {"errors": "replace"}, {"charset": "latin-1"}, {"charset": "latin-1", "detect": True}]
    for data_type in (pa.string(), pa.string_view(), pa.binary()):
        column = pa.array([text.encode() for text in texts] if data_type == pa.binary() else texts, data_type)
        for option in options:
            found = back(percent_simd.decode_array(column, layers=2_000_000, **option))
            wanted = "\ufffd" if option.get("errors") else "é" if option else "%E9"
            if data_type == pa.binary():
                assert (found[6], found[7]) == (b"/a b", wanted.encode() if "charset" in option else b"\xe9")
            else:
                assert (found[6], found[7]) == ("/a b", wanted)


def test_a_row_with_a_million_layers_in_a_charset_with_states():
    # In ISO-2022-JP, escape sequences of ASCII characters shift between sets of characters.
    layers = "%" + "25" * 1_000_000
    row = f"{layers}1B$BK{layers}5C%1B(B"
    for errors in ("keep", "null", "replace", "strict"):
        found = percent_simd.decode_array([row, f"é{row}é"], charset="iso-2022-jp", layers=2_000_000, errors=errors)
        assert list(found) == ["本", "é本é"], errors


def test_charsets():
    column = ["caf%E9", "caf%C3%A9", "a%20b", None, "%"]
    assert list(percent_simd.decode_array(column, charset="latin1")) == ["café", "cafÃ©", "a b", None, "%"]
    # Python's names, which the Web and IANA don't have.
    for name, text in {"latin-1": "é", "iso8859_15": "é", "cp1252": "é", "utf_8": "%E9", "koi8_r": "И", "EUC_JP": "%E9", "utf-8": "%E9"}.items():
        assert list(percent_simd.decode_array(["%E9"], charset=name)) == [text], name
    for name, text in {
        "mac-roman": "é", "macroman": "é", "mac_cyrillic": "Ж", "latin7": "Ž", "latin8": "ŵ", "latin9": "€", "L9": "€", "latin10": "€",
        "cp932": "表", "cp936": "中", "cp949": "가", "uhc": "가", "big5hkscs": "中", "tis_620": "ก", "iso2022_jp": "本", "shiftjis": "表",
        "EucJP": "本", "euckr": "가", "utf_16_be": "é", "utf_32_le": "é", "iso8859_16": "€", "ebcdic_cp_us": "é",
    }.items():
        encoded = urllib.parse.quote(text.encode(codecs.lookup("latin9" if name == "L9" else "cp037" if name.startswith("ebcdic") else name).name), safe="")
        assert list(percent_simd.decode_array([encoded], charset=name)) == [text], name
    with pytest.raises(ValueError, match='charset "utf-7" is unknown'):
        percent_simd.decode_array([], charset="utf-7")
    assert list(percent_simd.decode_array(column, charset="windows-1252", detect=True)) == ["café", "café", "a b", None, "%"]
    assert list(percent_simd.decode_array(column, charset="us-ascii", errors="null"))[2] == "a b"
    assert list(percent_simd.decode_array(["%95%5C", "%FF"], charset="shift_jis")) == ["表", "%FF"]
    assert list(percent_simd.decode_array(["%95%5C", "%FF"], charset="shift_jis", errors="null")) == ["表", None]
    assert list(percent_simd.decode_array(["%FFa"], charset="shift_jis", errors="replace")) == ["\ufffda"]
    with pytest.raises(percent_simd.ColumnError) as caught:
        percent_simd.decode_array(["%95%5C", "a%FF"], charset="shift_jis", errors="strict")
    assert (caught.value.row, caught.value.offset, caught.value.kind) == (1, 1, "invalid_in_charset")
    assert back(percent_simd.decode_array(pa.array(["%E9", "x"]).dictionary_encode(), charset="latin1")) == ["é", "x"]
    for options, message in (
        ({"charset": "nonsense"}, 'charset "nonsense" is unknown'),
        ({"detect": True}, "detect needs charset"),
    ):
        with pytest.raises(ValueError, match=message):
            percent_simd.decode_array([], **options)


def test_a_column_of_names_keeps_the_type():
    urls, names = ["/?a=1&b=" + "long" * 20, "/?a=1", None, "/?c"] * 10, ["b", "b", "a", None] * 10
    expected = ["long" * 20, None, None, None] * 10
    for name_type in (*TEXTS, *BYTES):
        keys = pa.array([name and name.encode() for name in names] if name_type in BYTES else names, name_type)
        for data_type in (*TEXTS, *BYTES):
            texts = [url and url.encode() for url in urls] if data_type in BYTES else urls
            wanted = [value and value.encode() for value in expected] if data_type in BYTES else expected
            for column in (pa.array(texts, data_type), pa.chunked_array([texts[:7], texts[7:]], data_type)):
                values = pa.chunked_array(percent_simd.query_param(column, keys))
                values.validate(full=True)
                assert values.type == data_type and values.to_pylist() == wanted
    # This dictionary has one URL, but 300 results. Its keys are `int8`, which can only count 128 results. So the result
    # isn't a dictionary: it has the type of the dictionary's values.
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 300, pa.int8()), pa.array(["/?" + "&".join(f"n{n}=v{n}" for n in range(300))], pa.large_string()))
    values = pa.chunked_array(percent_simd.query_param(column, pa.array([f"n{n}" for n in range(300)])))
    assert values.type == pa.large_string() and values.to_pylist() == [f"v{n}" for n in range(300)]
    assert pa.chunked_array(percent_simd.query_param(pa.nulls(2), pa.array(["a", "b"]))).type == pa.null()


def test_layers_in_a_charset():
    column = ["%25E9+%2B", "é%2525E9", None, "%95"]
    for layers, expected in ((0, column), (1, ["%E9 +", "é%25E9", None, "•"]), (2, ["é +", "é%E9", None, "•"]), (9, ["é +", "éé", None, "•"])):
        assert back(percent_simd.decode_array(column, charset="windows-1252", layers=layers, plus=True)) == expected
    assert back(percent_simd.decode_array([b"\xe9%25E9", None], charset="latin-1", layers=2)) == ["éé".encode(), None]
    assert back(percent_simd.decode_array(["%25FF"], charset="shift_jis", layers=2, errors="null")) == [None]
    assert back(percent_simd.decode_array(["%25C3%25A9", "%25E9"], charset="latin-1", layers=2, detect=True)) == ["é", "é"]


def test_encoding_in_a_charset():
    texts = [*rows(500), "é€", "表", "a b&c"]
    for charset, errors in (("latin-1", "xmlcharrefreplace"), ("koi8-r", "xmlcharrefreplace"), ("utf-8", "strict"), ("shift_jis", "xmlcharrefreplace")):
        python = "cp1252" if charset == "latin-1" else charset
        for data_type in TEXTS:
            expected = [None if text is None else urllib.parse.quote(text, safe="/", encoding=python, errors=errors) for text in texts]
            encoded = percent_simd.encode_array(pa.array(texts, data_type), "/-._~" + string.ascii_letters + string.digits, charset=charset, errors="replace")
            assert back(encoded) == expected and pa.array(encoded).type == data_type
    assert back(percent_simd.encode_array(["é b", "表", None], charset="latin-1", errors="null", plus=True)) == ["%E9+b", None, None]
    with pytest.raises(percent_simd.ColumnError) as caught:
        percent_simd.encode_array(["a", "é表"], charset="latin-1")
    assert (caught.value.row, caught.value.offset, caught.value.kind) == (1, 2, "unmappable")
    assert back(percent_simd.encode_array(["\ud800", "a/"], errors="null")) == [None, "a%2F"]
    for wrong in ("keep", "loud"):
        with pytest.raises(ValueError, match=f'errors is "null", "strict" or "replace", not "{wrong}"'):
            percent_simd.encode_array([], errors=wrong)
    with pytest.raises(ValueError, match='charset "no" is unknown; the charsets are UTF-8'):
        percent_simd.encode_array([], charset="no")


def test_lone_surrogates_are_faults_of_their_rows():
    texts = ["%41", "a%42\ud800\udfff%43", None, "\udc80", "\U00010000\ud7ff\ue000"]
    last = texts[4]
    assert percent_simd.decode_array(texts, errors="null").to_pylist() == ["A", None, None, None, last]
    assert percent_simd.decode_array(texts, errors="replace").to_pylist() == ["A", "aB\ufffd\ufffdC", None, "\ufffd", last]
    assert percent_simd.path_to_file_url_array(["/a", "/\ud800"], windows=False, errors="null").to_pylist() == ["file:///a", None]
    for call in (
        lambda: percent_simd.decode_array(texts),
        lambda: percent_simd.decode_array(texts, errors="strict"),
        lambda: percent_simd.parse_url(texts),
        lambda: percent_simd.query_param(texts, "q"),
        lambda: percent_simd.query_param(texts, pa.array(texts[:1])),
    ):
        with pytest.raises(percent_simd.ColumnError) as caught:
            call()
        assert (caught.value.row, caught.value.offset, caught.value.kind) == (1, 4, "invalid_utf8")
        assert str(caught.value) == "row 1: the lone surrogate at byte 4 has no UTF-8 in 'a%42\ufffd\ufffd%43'"


def test_nan_in_a_list_is_a_null():
    assert percent_simd.decode_array(["%41", float("nan"), None]).to_pylist() == ["A", None, None]
    assert percent_simd.decode_array([b"%41", float("nan")]).to_pylist() == [b"A", None]


def test_na_in_a_list_is_a_null():
    pd = pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")
    series = pd.Series(["%41", None], dtype="string")
    for rows in (series.tolist(), series.to_numpy(dtype=object), [pd.NA, "A"][::-1]):
        assert percent_simd.decode_array(rows).to_pylist() == ["A", None]
    assert percent_simd.decode_array([pd.NA, b"%41"]).to_pylist() == [None, b"A"]
    for wrong in (pd.NaT, object(), 3):
        with pytest.raises(TypeError, match="expected str or None in row 1, not "):
            percent_simd.decode_array(["a", wrong])
    with pytest.raises(TypeError, match="expected str or None in row 1, not float"):
        percent_simd.decode_array(["%41", 1.0])


def test_characters_of_text_are_not_bytes_of_the_charset():
    for column in (["é%E9", None], pa.array(["é%E9", None], pa.string_view()), pa.array(["é%E9", None]).dictionary_encode()):
        assert back(percent_simd.decode_array(column, charset="latin-1")) == ["éé", None]
    # The rows of a column of bytes are bytes in the charset.
    assert back(percent_simd.decode_array([b"\xe9%E9"], charset="latin-1")) == ["éé".encode()]
    assert list(percent_simd.decode_array(["é%C3%A9", "é%E9"], charset="latin-1", detect=True)) == ["éé", "éé"]
    # The second byte of a character can be an unescaped ASCII character, as the `\` here.
    assert list(percent_simd.decode_array(["é%95\\é"], charset="shift_jis")) == ["é表é"]
    with pytest.raises(percent_simd.ColumnError) as caught:
        percent_simd.decode_array(["éa%FF"], charset="shift_jis", errors="strict")
    assert (caught.value.row, caught.value.offset, caught.value.kind) == (0, 3, "invalid_in_charset")
    texts = [text for text in rows(2000) if text is not None]
    for charset in ("koi8_r", "iso8859-15", "cp437", "utf-8"):
        expected = [urllib.parse.unquote(text, encoding=charset) for text in texts]
        assert list(percent_simd.decode_array(texts, charset=charset, errors="replace")) == expected, charset


def test_every_scalar_has_a_column_form():
    texts = [*rows(400), "http://u:secret@h/?b=1&a=%zz", "file:///a%20b", "/my file", "HTTP://é/%C3%A9"]
    forms = {
        percent_simd.redact_array: percent_simd.redact,
        percent_simd.repair_array: lambda text: percent_simd.repair(text)[0],
        percent_simd.uri_to_iri_array: percent_simd.uri_to_iri,
        percent_simd.iri_to_uri_array: percent_simd.iri_to_uri,
        lambda column: percent_simd.requote_array(column, "ab/", "%"): lambda text: percent_simd.requote(text, "ab/", "%"),
        lambda column: percent_simd.file_url_to_path_array(column, windows=False): lambda text: or_same(percent_simd.file_url_to_path, text),
        lambda column: percent_simd.path_to_file_url_array(column, windows=True): lambda text: or_same(percent_simd.path_to_file_url, text, True),
    }
    for of_column, of_text in forms.items():
        expected = [None if text is None else of_text(text) for text in texts]
        for column in (texts, pa.array(texts, pa.large_string()), pa.array(texts, pa.string_view()), pa.array(texts).dictionary_encode()):
            assert back(of_column(column)) == expected
    urls = ["/p?b=1&utm_a=2&a=3#f", "none", None]
    assert list(percent_simd.sort_query_array(urls)) == ["/p?a=3&b=1&utm_a=2#f", "none", None]
    assert list(percent_simd.sort_query_array(urls, drop=["utm_*"])) == ["/p?a=3&b=1#f", "none", None]
    with pytest.raises(TypeError, match="drop must be an iterable of str, not str"):
        percent_simd.sort_query_array(urls, drop="a")
    # Bytes that are not UTF-8 stay as they are.
    assert list(percent_simd.repair_array([b"\xff a"])) == [b"\xff a"]


def or_same(function, text, windows=False):
    try:
        return function(text, windows=windows)
    except percent_simd.UriError:
        return text


def test_parse_url():
    column = pa.array(["HTTP://me:secret@[::1]:80/a%20b?q=1#f", "//h", "", None, "mailto:a@b", "//a.Example.co.uk."])
    parts = back(percent_simd.parse_url(column))
    names = ["scheme", "user", "host", "domain", "port", "path", "query", "fragment"]
    assert [list(part.values()) if part else part for part in parts] == [
        ["HTTP", "me", "[::1]", None, "80", "/a%20b", "q=1", "f"],
        [None, None, "h", None, None, "", None, None],
        [None, None, None, None, None, "", None, None],
        None,
        ["mailto", None, None, None, None, "a@b", None, None],
        [None, None, "a.Example.co.uk.", "example.co.uk", None, "", None, None],
    ]
    assert list(parts[0]) == names == list(percent_simd.URL_FIELDS)
    assert back(percent_simd.parse_url(column.dictionary_encode())) == parts
    assert back(percent_simd.parse_url(pa.array([b"\xff", None])))[0]["path"] == "\ufffd"
    # Parameters are found even if the data is in a charset other than UTF-8. Bytes that aren't UTF-8 become U+FFFD.
    latin = pa.array([b"/caf\xe9?q=\xe9&r=1"])
    assert back(percent_simd.query_param(latin, "q")) == [b"\xef\xbf\xbd"] and back(percent_simd.query_param(latin, "r")) == [b"1"]


def test_several_parameters():
    urls = pa.array(["/?a=1&b=2&a=3", "/?b", None])
    assert back(percent_simd.query_param(urls, ["a", "b"])) == [{"a": "1", "b": "2"}, {"a": None, "b": ""}, None]
    assert back(percent_simd.query_param(urls, [])) == [{}, {}, None]
    assert back(percent_simd.query_param(urls, "a", all=True)) == [["1", "3"], [], None]
    names = pa.array(["b", "b", "b"])
    assert back(percent_simd.query_param(urls, names)) == ["2", "", None]
    assert back(percent_simd.query_param(pa.chunked_array([urls[:1], urls[1:]]), pa.chunked_array([names[:2], names[2:]]))) == ["2", "", None]
    assert back(percent_simd.query_param(urls.dictionary_encode(), pa.array(["a"]).dictionary_encode())) == ["1", None, None]
    with pytest.raises(ValueError, match='the name "a" is repeated'):
        percent_simd.query_param(urls, ["a", "a"])
    with pytest.raises(ValueError, match="name has 2 rows, but the column has 3"):
        percent_simd.query_param(urls, names[:2])
    for wrong in (3, None, [1]):
        with pytest.raises(TypeError, match="name must be an iterable of str"):
            percent_simd.query_param(urls, wrong)
