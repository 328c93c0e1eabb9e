"""Tests request paths and targets, requoting, forms, IRIs, and input in chunks."""

import io

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
    same = "/a%2Fb"
    assert percent_simd.requote(same, path, "/") is same


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
