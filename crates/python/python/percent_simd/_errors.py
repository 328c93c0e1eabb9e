"""The exceptions of the package, and its ways to treat faulty rows."""

from typing import Literal

# The treatments of a row that an operation on a column cannot transform.
Errors = Literal["keep", "null", "strict", "replace"]
# The treatments of a row that has no path, or no URL for its path.
PathErrors = Literal["keep", "null", "strict"]
# The treatments of a row with a character that a charset lacks.
EncodeErrors = Literal["null", "strict", "replace"]


class DecodeError(ValueError):
    """An error in the input of a decoder or a form parser, with its position.

    ``offset`` counts bytes of the input. If the input is a ``str``, it counts bytes of its UTF-8 form. ``kind`` is
    "truncated", "not_hex", "rejected", "invalid_utf8", "invalid_in_charset", "unmappable", "too_many_pairs" (of forms),
    "brackets" (from ``parse_nested``), "key", "no_value", "value" (of baggage) or "other".
    """

    def __init__(self, message: str, offset: int, kind: str) -> None:
        super().__init__(message, offset, kind)
        self.offset = offset
        self.kind = kind

    def __str__(self) -> str:
        return str(self.args[0])


class ColumnError(DecodeError):
    """A row of a column that cannot be transformed, if ``errors`` is "strict".

    ``row`` is the number of the row in the whole column, from 0. ``offset`` and ``kind`` are as in DecodeError, or as in UriError
    for paths. ``reason`` is the fault in words. ``value`` has the first characters of the row.
    """

    def __init__(self, reason: str, offset: int, kind: str, row: int, value: str) -> None:
        super().__init__(reason, offset, kind)
        self.args = (reason, offset, kind, row, value)
        self.reason = reason
        self.row = row
        self.value = value

    def __str__(self) -> str:
        return f"row {self.row}: {self.reason} in {self.value!r}"


class UriError(DecodeError):
    """An error in a component or a reference, with its position.

    ``kind`` is "character", "escape", "not_rooted", "control", "fragment", "target_form" or "other". For a path of a file or its
    URL it is "scheme", "query", "fragment", "relative", "device", "host", "share", "separator", "nul", "escape" or "not_utf8".
    """
