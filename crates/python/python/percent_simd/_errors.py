"""The exception that strict decoding raises."""


class DecodeError(ValueError):
    """What is wrong with an input, and where.

    ``offset`` counts bytes of the input (of its UTF-8 form where the input is a ``str``). ``kind`` is "truncated", "not_hex",
    "rejected", "invalid_utf8" or "other".
    """

    def __init__(self, message: str, offset: int, kind: str) -> None:
        super().__init__(message, offset, kind)
        self.offset = offset
        self.kind = kind

    def __str__(self) -> str:
        return self.args[0]
