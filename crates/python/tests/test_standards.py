"""Tests request paths and targets, requoting, forms, IRIs, and input in chunks."""

import io
import sys
import threading

import percent_simd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from percent_simd import ByteSet, DecodeError, Decoder, DecodingReader, Encoder, UriError

HOSTILE = st.text(alphabet="%2345fFaA+?/\n\x00é", max_size=40).map(str.encode)


def test_request_paths():
    assert percent_simd.normalize_path("/a/%2E%2E/../etc//%70asswd") == "/etc//passwd"
    assert percent_simd.normalize_path("/a%2Fb") == "/a%2Fb"
    assert percent_simd.normalize_path("/100%") == "/100%25"
    same = "/index.html"
    assert percent_simd.normalize_path(same) is same
    for path, kind, offset in [("a", "not_rooted", 0), ("/a%00", "control", 2)]:
        with pytest.raises(UriError) as caught:
            percent_simd.normalize_path(path)
        assert (caught.value.kind, caught.value.offset) == (kind, offset)
    with pytest.raises(UriError) as caught:
        percent_simd.normalize_path("/100%/a", strict=True)
    assert (caught.value.kind, caught.value.offset) == ("escape", 4)
    assert isinstance(caught.value, ValueError)


def test_path_options():
    assert percent_simd.normalize_path("//a//../b//", merge_slashes=True) == "/b/"
    for path, offset in [("/a/..%2fb", 5), ("/a\\b", 2), ("/%5C", 1)]:
        with pytest.raises(UriError) as caught:
            percent_simd.normalize_path(path, reject_separators=True)
        assert (caught.value.kind, caught.value.offset) == ("rejected", offset)


def test_queries_are_sorted():
    assert percent_simd.sort_query("utm_source=email&id=42&a=%7e&a=1+2") == "a=%7e&a=1+2&id=42&utm_source=email"
    assert percent_simd.sort_query("utm_source=email&id=42&é", drop=["utm_*", "é"]) == "id=42"
    assert percent_simd.sort_query("\ufb03&\U0001f308") == "\U0001f308&\ufb03"
    same = "a&b"
    assert percent_simd.sort_query(same) is same
    assert percent_simd.canonical_query("b=1+2&a=%2b&c") == "a=%2B&b=1%2B2&c="
    query = "b5=%3D%253D&a3=a&c%40=&a2=r%20b&c2&a3=2+q&realm=x"  # RFC 5849 3.4.1.3
    expected = "a2=r%20b&a3=2%20q&a3=a&b5=%3D%253D&c%40=&c2="
    assert percent_simd.canonical_query(query, "oauth1", drop=("realm",)) == expected
    for error, args, kwargs in [
        (ValueError, ("a", "md5"), {}),
        (TypeError, (b"a",), {}),
        (TypeError, ("a",), {"drop": "utm"}),
        (TypeError, ("a",), {"drop": [b"utm"]}),
    ]:
        with pytest.raises(error):
            percent_simd.canonical_query(*args, **kwargs)


def test_request_targets():
    for target, method, parts, root in [
        ("//private/a.txt?q", "GET", ("origin", None, None, "//private/a.txt", "q"), "//private/a.txt"),
        ("http://u@h:80?x=1", "GET", ("absolute", "http", "u@h:80", "", "x=1"), "/"),
        ("h:443", "CONNECT", ("authority", None, "h:443", "", None), ""),
        ("*", "OPTIONS", ("asterisk", None, None, "", None), ""),
        ("/\\evil/é", "GET", ("origin", None, None, "/\\evil/é", None), "/\\evil/é"),
    ]:
        split = percent_simd.split_target(target)
        assert split == parts and split == percent_simd.split_target(target, method=method)
        assert (split.form, split.path, split.path_or_root) == (parts[0], parts[3], root)
    # Without a method, invalid targets are accepted, because logs contain them.
    assert percent_simd.split_target("/a#b?c") == ("origin", None, None, "/a#b", "c")
    assert percent_simd.split_target("index.html") == ("invalid", None, None, "index.html", None)
    for target, method, kind, offset in [
        ("/admin#", "GET", "fragment", 6),
        ("*", "GET", "target_form", 0),
        ("/x", "CONNECT", "target_form", 0),
        ("/é b", "GET", "character", 3),
        ("http:///x", "GET", "other", 7),
    ]:
        with pytest.raises(UriError) as caught:
            percent_simd.split_target(target, method=method)
        assert (caught.value.kind, caught.value.offset) == (kind, offset)
    with pytest.raises(TypeError):
        percent_simd.split_target(b"/")


def test_file_urls():
    assert percent_simd.path_to_file_url("/a b#", windows=False) == "file:///a%20b%23"
    assert percent_simd.path_to_file_url(r"C:\a b\c#d.txt", windows=True) == "file:///C:/a%20b/c%23d.txt"
    assert percent_simd.file_url_to_path("file:///c%3a/x", windows=True) == r"c:\x"
    assert percent_simd.file_url_to_path(percent_simd.path_to_file_url("/é", windows=False), windows=False) == "/é"
    for url, kind, offset in [("file:///a%2Fb", "separator", 9), ("file:///%FF", "not_utf8", 8), ("http://h", "scheme", 0)]:
        with pytest.raises(UriError) as caught:
            percent_simd.file_url_to_path(url, windows=False)
        assert (caught.value.kind, caught.value.offset) == (kind, offset)
    with pytest.raises(UriError):
        percent_simd.path_to_file_url("a", windows=False)


def test_redacting():
    assert percent_simd.redact("mysql://root:p@ss@localhost/db") == "mysql://root:***@localhost/db"
    assert percent_simd.redact("root:p@ss@localhost") == "root:***@localhost"
    same = "http://h/a@b"
    assert percent_simd.redact(same) is same


def test_requoting():
    path = ByteSet.named("RFC3986_PATH")
    assert percent_simd.requote("/caf%c3%a9/%7Euser/a%2fb c%40%", path, "/+") == "/caf%C3%A9/~user/a%2Fb%20c@%25"
    assert percent_simd.requote("%41%", "A") == "A%25"
    # A protected character that isn't allowed becomes escaped.
    assert percent_simd.requote("/%2f?%3f", "/", "/?") == "/%2F%3F%3F"
    same = "/a%2Fb"
    assert percent_simd.requote(same, path, "/") is same


def test_repairing():
    text, changes = percent_simd.repair(" http://bücher.example/é b?x=[1]&amp;y=%")
    assert text == "http://xn--bcher-kva.example/%C3%A9%20b?x=%5B1%5D&y=%25"
    assert changes[:3] == [
        (0, 1, "surroundings", "the link was surrounded by blanks, quotes or angle brackets"),
        (8, 22, "idn", "the DNS stores names in ASCII"),
        (23, 24, "non-ascii", "a URI contains only ASCII"),
    ]
    assert percent_simd.repair(" http://h/\n")[0] == "http://h/"
    text, changes = percent_simd.repair("(http://h/a_(b)).")
    assert text == "http://h/a_(b)" and [change[:3] for change in changes] == [(0, 1, "punctuation"), (15, 17, "punctuation")]
    assert percent_simd.repair("“http://h/”", without=["punctuation", "non-ascii"])[0] == "“http://h/”"
    same = "http://h/a%20b"
    repaired, changes = percent_simd.repair(same)
    assert repaired is same and changes == []
    assert percent_simd.repair("/é b", without=["non-ascii"])[0] == "/é%20b"
    with pytest.raises(ValueError, match="there are surroundings, line-break"):
        percent_simd.repair("/", without=["nope"])
    with pytest.raises(TypeError):
        percent_simd.repair(b"/")


def test_forms():
    pairs = [(b"info_hash", b"\x12\xff +"), ("é", ""), (memoryview(b"a"), "&=")]
    form = percent_simd.serialize_form(pairs)
    assert form == "info_hash=%12%FF+%2B&%C3%A9=&a=%26%3D"
    assert percent_simd.parse_form(form) == [(b"info_hash", b"\x12\xff +"), ("é".encode(), b""), (b"a", b"&=")]
    assert percent_simd.parse_form(b"&a;b=%zz&") == [(b"a;b", b"%zz")]
    assert percent_simd.parse_form("a;b", semicolons=True) == [(b"a", b""), (b"b", b"")]
    assert percent_simd.parse_form("a&b", limit=2) == [(b"a", b""), (b"b", b"")]
    for kwargs, kind, offset in [({"strict": True}, "not_hex", 8), ({"limit": 1}, "too_many_pairs", 6), ({"limit": 0}, "too_many_pairs", 0)]:
        with pytest.raises(DecodeError) as caught:
            percent_simd.parse_form("a=1&&&b=%zz", **kwargs)
        assert (caught.value.kind, caught.value.offset) == (kind, offset)
    for wrong in (3, [("a",)], [("a", "b", "c")], ["ab"], [("a", 3)]):
        with pytest.raises((TypeError, ValueError)):
            percent_simd.serialize_form(wrong)
    assert percent_simd.serialize_form([]) == "" and percent_simd.parse_form("") == []


def test_rejected_characters():
    for form in ("q=foo%00", b"q=foo\0"):
        with pytest.raises(DecodeError) as caught:
            percent_simd.parse_form(form, reject="\0")
        assert (caught.value.kind, caught.value.offset) == ("rejected", 5)
    assert percent_simd.parse_form("q=%2500", reject="\0") == [(b"q", b"%00")]


def test_content_disposition():
    parse, build = percent_simd.parse_content_disposition, percent_simd.build_content_disposition
    field = "attachment; filename=\"test(1) _.txt\"; filename*=UTF-8''test%281%29%20%C3%A9.txt"
    assert build("test(1) é.txt") == field
    assert parse(field) == parse(field.encode()) == ("attachment", None, "test(1) é.txt", "test(1) é.txt")
    parsed = parse("Inline; filename*0*=UTF-8''%E2%98; filename*1*=%83/..")
    assert (parsed.type, parsed.filename, parsed.file_name) == ("inline", "☃/..", None)
    assert parse(b"attachment; filename=\xe9").filename == "é"
    assert build(type="inline") == "inline"
    part = build('a"b.txt', type="form-data", name="f")
    assert part == 'form-data; name="f"; filename="a%22b.txt"'
    assert percent_simd.multipart_unescape(parse(part).filename) == 'a"b.txt'
    for wrong in ({"type": "x"}, {"type": "form-data"}, {"name": "x"}):
        with pytest.raises(ValueError):
            build("a", **wrong)


@given(st.text(max_size=20).filter(lambda text: text.isprintable() or text.isascii()))
def test_file_names_are_read_back(name):
    assert percent_simd.parse_content_disposition(percent_simd.build_content_disposition(name)).filename == name


def test_baggage():
    assert percent_simd.build_baggage([("a", "a b+c%,;\"\\=é"), ("b", "")]) == "a=a%20b+c%25%2C%3B%22%5C=%C3%A9,b="
    field = "k%65y = YQ+/==;p; q=%2C, bad, n=aa%ffcc"
    assert percent_simd.parse_baggage(field) == [("k%65y", "YQ+/==", [("p", None), ("q", ",")]), ("n", "aa\ufffdcc", [])]
    with pytest.raises(DecodeError) as caught:
        percent_simd.parse_baggage(field, strict=True)
    assert (caught.value.kind, caught.value.offset) == ("no_value", 28)
    with pytest.raises(DecodeError):
        percent_simd.build_baggage([("a b", "")])


@given(st.lists(st.tuples(st.binary(max_size=9), st.binary(max_size=9))))
def test_forms_are_read_back(pairs):
    assert percent_simd.parse_form(percent_simd.serialize_form(pairs)) == pairs


def test_iris():
    assert percent_simd.iri_to_uri("http://h/é") == "http://h/%C3%A9"
    assert percent_simd.uri_to_iri("http://h/%C3%A9%2F") == "http://h/é%2F"
    same = "http://h/"
    assert percent_simd.iri_to_uri(same) is percent_simd.uri_to_iri(same) is same


def test_in_place():
    array = bytearray(b"a%20b")
    Decoder().decode_in_place(array)
    assert array == b"a b"
    Decoder(plus="always").decode_in_place(plus := bytearray(b"a+b"))
    assert plus == b"a b"
    with pytest.raises(DecodeError):
        Decoder(strict=True).decode_in_place(bad := bytearray(b"%41%"))
    assert bad == b"%41%"
    held = memoryview(array := bytearray(b"%41"))
    with pytest.raises(BufferError):
        Decoder().decode_in_place(array)
    assert array == held == b"%41"


@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="no lock keeps the other thread from the array")
def test_in_place_keeps_what_another_thread_appends():
    array = bytearray(b"%41" * 10_000_000)
    appended, is_done = 0, threading.Event()

    def append():
        nonlocal appended
        while not is_done.is_set():
            array.append(0x42)
            appended += 1
            is_done.wait(0.0001)

    thread = threading.Thread(target=append)
    thread.start()
    for _ in range(5):
        Decoder().decode_in_place(array)
        array += b"%43" * 1_000_000
    is_done.set()
    thread.join()
    assert array.count(b"B") == appended


@given(HOSTILE, st.lists(st.integers(0, 40), max_size=5), st.sampled_from(["never", "always", "after_query"]), st.booleans())
def test_chunks_decode_as_one_input(data, cuts, plus, keeps):
    decoder = Decoder(plus=plus, keep="%" if keeps else None)
    places = sorted({0, len(data), *(min(cut, len(data)) for cut in cuts)})
    chunks = [data[start:end] for start, end in zip(places, places[1:])]
    assert b"".join(percent_simd.iterdecode(chunks, decoder)) == decoder.decode(data)
    encoder = Encoder("a%/", keep_triplets=True)
    assert b"".join(percent_simd.iterencode(chunks, encoder)) == encoder.encode(data).encode()


def test_files():
    log = b"/a?x=1+2\n/b+c?y=3%2B4\n" * 10_000
    decoder = Decoder(plus="after_query", keep="\r\n")
    with DecodingReader(io.BytesIO(log), decoder, by_line=True) as reader:
        assert reader.readline() == b"/a?x=1 2\n"
        assert reader.read() == b"/b+c?y=3+4\n" + b"/a?x=1 2\n/b+c?y=3+4\n" * 9_999
    assert reader.closed


def test_errors_in_chunks():
    incremental = Decoder(strict=True).incremental()
    assert incremental.decode(b"a%4") == b"a"
    with pytest.raises(DecodeError) as caught:
        incremental.decode("1b%zz")
    assert (caught.value.offset, caught.value.kind) == (5, "not_hex")
    incremental.reset()
    with pytest.raises(DecodeError) as caught:
        incremental.decode(b"%4", final=True)
    assert (caught.value.offset, caught.value.kind) == (0, "truncated")
    incremental = Decoder().incremental()
    assert incremental.decode(b"%", final=True) == b"%"
    assert incremental.decode(b"41", final=True) == b"41"
