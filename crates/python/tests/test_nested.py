"""Forms whose names have brackets, by the rules of PHP, Rails and serde_qs."""

import random
from collections import OrderedDict

import pytest

from percent_simd import DecodeError, parse_nested, serialize_nested, unquote_plus


def test_brackets_build_dicts_and_lists():
    assert parse_nested("a[b][]=c&a[b][]=d&x=%E2%82%AC+1") == {"a": {"b": ["c", "d"]}, "x": "€ 1"}
    assert parse_nested(b"officers%5B0%5D%5Bfirst_name%5D=x&officers[1][first_name]=y") == {
        "officers": [{"first_name": "x"}, {"first_name": "y"}]
    }
    assert parse_nested("a[9]=x&a[2]=y") == {"a": ["y", "x"]}
    assert parse_nested("") == {}
    assert parse_nested("a=1&a=2") == {"a": "2"}
    assert parse_nested("a=%FF") == {"a": "\ufffd"}


@pytest.mark.parametrize(
    ("dialect", "expected"),
    [
        ("php", {"a": [{"b": "1"}, {"c": "2"}]}),
        ("rails", {"a": [{"b": "1", "c": "2"}]}),
    ],
)
def test_dialects_differ(dialect, expected):
    assert parse_nested("a[][b]=1&a[][c]=2", dialect=dialect) == expected


def test_faults_have_an_offset():
    with pytest.raises(DecodeError) as caught:
        parse_nested("x=1&a[][b]=1&a[][c]=2", dialect="serde_qs")
    assert caught.value.kind == "brackets" and caught.value.offset >= 4
    with pytest.raises(DecodeError) as caught:
        parse_nested("a=1&b=2&c=3", limit=2)
    assert (caught.value.kind, caught.value.offset) == ("too_many_pairs", 8)
    with pytest.raises(DecodeError):
        parse_nested("&".join(f"a{i}=1" for i in range(1001)))
    with pytest.raises(DecodeError):
        parse_nested("a[b][c]=1", depth=1)
    with pytest.raises(DecodeError):
        parse_nested("a" + "[b]" * 65 + "=1")
    assert parse_nested("a" + "[b]" * 64 + "=1")


def test_wrong_arguments():
    with pytest.raises(ValueError, match="dialect is"):
        parse_nested("", dialect="perl")
    with pytest.raises(ValueError, match="depth is at most 64"):
        parse_nested("", depth=65)
    for value in (True, None, b"x", {"y"}):
        with pytest.raises(TypeError, match="is a str, an int or a float, not"):
            serialize_nested({"a": value})
    with pytest.raises(TypeError):
        serialize_nested([("a", "b")])
    loop: dict = {}
    loop["a"] = loop
    with pytest.raises(ValueError, match="inside each other"):
        serialize_nested(loop)


def test_written_as_each_framework_reads_it():
    value = {"a": {"b": ["c", "d"]}, "n": 1, "x": [{"y": 1.5}]}
    assert unquote_plus(serialize_nested(value)) == "a[b][0]=c&a[b][1]=d&n=1&x[0][y]=1.5"
    assert unquote_plus(serialize_nested(value, dialect="rails")) == "a[b][]=c&a[b][]=d&n=1&x[0][y]=1.5"
    assert serialize_nested({"a b": "&="}, dialect="rails") == "a+b=%26%3D"
    assert serialize_nested({"a": {}, "b": []}) == ""


def test_an_ordered_dict_is_written_in_its_order():
    value = OrderedDict(a="1", b="2")
    value.move_to_end("a")
    assert serialize_nested(value) == "b=2&a=1"


def test_a_dict_that_changes_during_the_call():
    class Key(str):
        def __str__(self):
            value.clear()
            return "a"

    value = {Key("a"): "1", "b": "2"}
    with pytest.raises(RuntimeError, match="^dictionary changed size during iteration$"):
        serialize_nested(value)


def test_round_trip():
    draw = random.Random(41)

    def tree(depth):
        kind = draw.randrange(3) if depth else 0
        if kind == 0:
            return "".join(draw.choice("aé &=+%[]") for _ in range(draw.randrange(4)))
        if kind == 1:
            return [tree(depth - 1) for _ in range(draw.randrange(1, 4))]
        return {draw.choice("abcé") + str(i): tree(depth - 1) for i in range(draw.randrange(1, 4))}

    for _ in range(500):
        value = {f"k{i}": tree(3) for i in range(draw.randrange(3))}
        for dialect in ("php", "serde_qs"):
            assert parse_nested(serialize_nested(value, dialect=dialect), dialect=dialect) == value
