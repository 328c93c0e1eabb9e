"""Compares requoting, encoding and decoding with the functions inside yarl, which are written in Cython."""

import percent_simd
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("yarl", reason="yarl is not installed: pip install yarl")
from yarl._quoting import _Quoter, _Unquoter  # noqa: E402

# The characters that yarl always leaves unescaped.
ALLOWED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$'()*,+&=;"
PIECES = ["%", "%4", "%41", "%2f", "%e9", "%C3%A9", "%f0%9f%92%a9", "%ED%A0%80", "%zz", "%%32", "%25", "%FF", "+", "%2B", " ", "&", "/", "?", "é", "💩", "\x00"]
TEXT = st.lists(st.sampled_from(PIECES) | st.characters(exclude_categories=["Cs"]), max_size=12).map("".join)
DELIMITERS = st.text("/?#[]@:", max_size=4)


# yarl leaves a protected character unescaped. Ours does so only if the character is also allowed.
@given(text=TEXT, safe=DELIMITERS, protected=st.text("/?#&+=;", max_size=4))
def test_requote(text, safe, protected):
    assert percent_simd.requote(text, ALLOWED + safe + protected, protected) == _Quoter(safe=safe, protected=protected)(text)


@given(text=TEXT, safe=DELIMITERS)
def test_encode(text, safe):
    assert percent_simd.Encoder(ALLOWED + safe).encode(text) == _Quoter(safe=safe, requote=False)(text)


# yarl writes kept escapes with upper-case digits, and ours changes no kept escape. So this test has no `keep`.
@given(rows=st.lists(TEXT, max_size=4), plus=st.booleans(), replace=st.booleans())
def test_decode_array(rows, plus, replace):
    ours = percent_simd.decode_array(rows, plus=plus, errors="replace" if replace else "keep")
    assert list(ours) == [_Unquoter(plus=plus, replace_invalid=replace)(row) for row in rows]
