"""The exceptions of the package."""


class DecodeError(ValueError):
    """An error in what is decoded, with its place.

    ``offset`` counts bytes of the input (of its UTF-8 form where the input is a ``str``). ``kind`` is "truncated", "not_hex",
    "rejected", "invalid_utf8" or "other".
    """

    def __init__(self, message: str, offset: int, kind: str) -> None:
        super().__init__(message, offset, kind)
        self.offset = offset
        self.kind = kind

    def __str__(self) -> str:
        return str(self.args[0])


class UriError(DecodeError):
    """An error in a component or a reference, with its place.

    ``kind`` is "character", "escape", "not_rooted", "control", "fragment", "target_form" or "other".
    """
