"""Files and iterators that give their data in chunks. A chunk may end anywhere, even inside an escape."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from ._native import Decoder, Encoder

if TYPE_CHECKING:
    from typing_extensions import Buffer


def iterdecode(chunks: Iterable[str | bytes], decoder: Decoder | None = None) -> Iterator[bytes]:
    """Decodes the chunks as if they were one input. The default decoder is ``Decoder()``."""
    incremental = (decoder or Decoder()).incremental()
    for chunk in chunks:
        if decoded := incremental.decode(chunk):
            yield decoded
    if decoded := incremental.decode(b"", final=True):
        yield decoded


def iterencode(chunks: Iterable[str | bytes], encoder: Encoder) -> Iterator[bytes]:
    """Encodes the chunks as if they were one input."""
    incremental = encoder.incremental()
    for chunk in chunks:
        if encoded := incremental.encode(chunk):
            yield encoded
    if encoded := incremental.encode(b"", final=True):
        yield encoded


class _Readable(Protocol):
    def read(self, size: int, /) -> str | bytes | None: ...


class DecodingReader(io.BufferedReader):
    """Reads the decoded bytes of a file object, or of another object with a method ``read(size)``.

    With ``by_line``, each line is decoded as a separate input. So if the decoder's ``plus`` is "after_query", a ``+`` becomes a
    space only after a ``?`` in the same line. Closing the reader closes the file if it can be closed.

    If the file's ``read`` returns None because the file is in non-blocking mode and has no data yet, the reader does so, too.
    After an exception the reader never reports the end of the data: the next read repeats the chunk that failed.
    """

    def __init__(self, file: _Readable, decoder: Decoder | None = None, *, by_line: bool = False) -> None:
        super().__init__(_Raw(file, decoder or Decoder(), by_line))


class _Raw(io.RawIOBase):
    def __init__(self, file: _Readable, decoder: Decoder, by_line: bool) -> None:
        self._file = file
        self._incremental = decoder.incremental(by_line=by_line)
        self._chunk: str | bytes | None = None
        self._decoded = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int | None:
        out = memoryview(buffer)
        while not self._decoded and not self._ended:
            if self._chunk is None:
                self._chunk = self._file.read(1 << 16)
            if self._chunk is None:
                return None
            self._decoded = memoryview(self._incremental.decode(self._chunk, final=not self._chunk))
            self._ended = not self._chunk
            self._chunk = None
        count = min(len(out), len(self._decoded))
        out[:count] = self._decoded[:count]
        self._decoded = self._decoded[count:]
        return count

    def close(self) -> None:
        close = getattr(self._file, "close", None)
        if close is not None:
            close()
        super().close()
