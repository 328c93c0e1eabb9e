"""Files and iterators that give their data in chunks. A chunk may end anywhere, even inside an escape."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NoReturn, Protocol

from ._native import Decoder, Encoder, IncrementalDecoder

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
    An exception loses no data: the next read starts with the data that the failed read already had. After an exception the
    reader never reports the end of the data: the next read repeats the chunk that failed.
    """

    # If a method of BufferedReader fails, it drops the data that it has read. So `_Raw` reports an exception as the end of the
    # data. BufferedReader then returns all data that it has, and we put this data back and raise the exception.

    def __init__(self, file: _Readable, decoder: Decoder | None = None, *, by_line: bool = False) -> None:
        # If this call fails, there is no `_Raw` yet whose end would close the file.
        incremental = (decoder or Decoder()).incremental(by_line=by_line)
        raw = _Raw(file, incremental)
        super().__init__(raw)
        self._errors, self._put_back = raw.errors, raw.put_back

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self._raise_error(data)
        return data

    def read1(self, size: int = -1, /) -> bytes:
        data = super().read1(size)
        self._raise_error(data)
        return data

    def peek(self, size: int = 0, /) -> bytes:
        data = super().peek(size)
        self._raise_error(b"")  # BufferedReader still has the data
        return data

    def readline(self, size: int | None = -1, /) -> bytes:
        line = _readline(self, size)
        if self._errors:  # this test is fast, and most calls for a line read nothing from the file
            self._raise_error(line)
        return line

    def readlines(self, hint: int | None = -1, /) -> list[bytes]:
        lines: list[bytes] = []
        most, length, thread = hint or -1, 0, threading.get_ident()
        while (most <= 0 or length < most) and thread not in self._errors and (line := _readline(self)):
            lines.append(line)
            length += len(line)
        self._raise_error(b"".join(lines))
        return lines

    def readinto(self, buffer: Buffer, /) -> int:
        count = super().readinto(buffer)
        self._raise_error(memoryview(buffer).cast("B")[: count or 0])
        return count

    def readinto1(self, buffer: Buffer, /) -> int:
        count = super().readinto1(buffer)
        self._raise_error(memoryview(buffer).cast("B")[: count or 0])
        return count

    def detach(self) -> NoReturn:
        raise io.UnsupportedOperation("detach")

    @property
    def raw(self) -> NoReturn:  # type: ignore[override]  # ty: ignore[incompatible-property-override]
        raise AttributeError("raw")

    def _raise_error(self, data: bytes | memoryview | None) -> None:
        """If the file has raised an exception in this call, puts ``data`` back and raises the exception."""
        error = self._errors.pop(threading.get_ident(), None)
        if error is not None:
            self._put_back(data or b"")
            try:
                raise error
            finally:
                del error  # The traceback has this frame, so this breaks a reference cycle.


_readline = io.BufferedReader.readline


class _Raw(io.RawIOBase):
    """The decoded bytes of a file. An exception in the file looks like the end of the data, and is in ``errors``."""

    def __init__(self, file: _Readable, incremental: IncrementalDecoder) -> None:
        # The last exception of each thread.
        self.errors: dict[int, BaseException] = {}
        # Reentrant, because a signal handler may call the reader.
        self._lock = threading.RLock()
        self._file = file
        self._incremental = incremental
        self._chunk: str | bytes | None = None
        self._decoded = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        return True

    def put_back(self, data: bytes | memoryview) -> None:
        with self._lock:
            self._decoded = memoryview(bytes(data) + self._decoded)

    def readinto(self, buffer: Buffer, /) -> int | None:
        try:
            with self._lock:
                return self._readinto(memoryview(buffer))
        except BaseException as error:
            self.errors[threading.get_ident()] = error
            return 0

    def _readinto(self, out: memoryview) -> int | None:
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
