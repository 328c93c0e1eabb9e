"""The functions of this package in the place of those of ``urllib.parse``.

Patches can be undone in any order and by any thread, so none of them remembers what it found. All share one record of the
original functions, which come back when the last patch is undone.
"""

import threading
import urllib.parse
from types import TracebackType
from typing import Any

from . import _native

_NAMES = (
    "parse_qs",
    "parse_qsl",
    "quote",
    "quote_from_bytes",
    "quote_plus",
    "unquote",
    "unquote_plus",
    "unquote_to_bytes",
    "urlencode",
)

# A signal handler may undo a patch while this thread makes one.
_lock = threading.RLock()
_in_force: "set[patch_urllib]" = set()
_originals: "dict[str, Any]" = {}


class patch_urllib:
    """Puts the functions of this package in the place of those of ``urllib.parse``, until ``undo()`` is called.

    As a context manager it is undone at the end of the block. If there are several patches, in any threads, the functions of
    ``urllib.parse`` come back when the last one is undone, in whatever order that happens. A function that other code has replaced
    meanwhile stays as it is. Names that other modules have imported from ``urllib.parse`` before are not affected.
    """

    def __init__(self) -> None:
        self._blocks = 0
        self._apply()

    def _apply(self) -> None:
        with _lock:
            if not _in_force:
                for name in _NAMES:
                    _originals[name] = getattr(urllib.parse, name)
                    setattr(urllib.parse, name, getattr(_native, name))
            _in_force.add(self)

    def undo(self) -> None:
        """Undoes this patch. Once is enough; further calls do nothing."""
        with _lock:
            if self not in _in_force:
                return
            _in_force.remove(self)
            if not _in_force:
                for name, original in _originals.items():
                    if getattr(urllib.parse, name) is getattr(_native, name):
                        setattr(urllib.parse, name, original)
                _originals.clear()

    def __enter__(self) -> "patch_urllib":
        with _lock:
            self._blocks += 1
            self._apply()
        return self

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        traceback: "TracebackType | None",
    ) -> None:
        with _lock:
            self._blocks -= 1
            if self._blocks == 0:
                self.undo()
