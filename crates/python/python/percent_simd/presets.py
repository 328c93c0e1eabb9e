"""Encoders with the sets of specifications, and encoders that match the functions of other languages.

>>> from percent_simd import presets
>>> presets.RFC3986_PATH.encode("/a b")
'/a%20b'
>>> presets.PY_QUOTE_PLUS.encode("a b")
'a+b'

The names are those of ``percent_simd.set_names()``.
"""

from ._native import Encoder, set_names

__all__ = set_names()


def __getattr__(name: str) -> Encoder:
    if name in __all__:
        return Encoder(set=name)
    raise AttributeError(f"there is no preset {name!r}; percent_simd.set_names() lists all names")


def __dir__() -> "list[str]":
    return __all__
