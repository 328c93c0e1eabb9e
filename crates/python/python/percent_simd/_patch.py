"""Replaces functions of ``urllib.parse`` by the functions of this package.

Patches can be undone in any order and by any thread. So a patch can't record which functions it replaced: another patch may
have replaced them before. All patches share one record of the original functions, which come back when the last patch is
undone.

Other code may replace the functions, too. If it saved our functions and puts them back after our last patch is undone, they
are in urllib without a patch. So the record never has our own functions, and it stays: the next ``undo()`` of any patch
brings the originals back.
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

# A reentrant lock, because a signal handler may undo a patch in the thread that is applying one.
_lock = threading.RLock()
_in_force: "set[patch_urllib]" = set()
_originals: "dict[str, Any]" = {}


class patch_urllib:
    """Replaces functions of ``urllib.parse`` by the functions of this package, until ``undo()`` is called.

    In a ``with`` statement, the patch is undone at the end of the block. If there are several patches, in any threads, the
    functions of ``urllib.parse`` come back when the last patch is undone, whatever the order. If other code has replaced a
    function in the meantime, that function stays. A name that another module imported from ``urllib.parse`` earlier still
    means the old function.
    """

    def __init__(self) -> None:
        self._blocks = 0
        self._apply()

    def _apply(self) -> None:
        with _lock:
            if not _in_force:
                for name in _NAMES:
                    current, ours = getattr(urllib.parse, name), getattr(_native, name)
                    if current is not ours:
                        _originals[name] = current
                        setattr(urllib.parse, name, ours)
            _in_force.add(self)

    def undo(self) -> None:
        """Undoes this patch. Calling it again has an effect only if other code has put our functions back meanwhile."""
        with _lock:
            _in_force.discard(self)
            if not _in_force:
                for name, original in _originals.items():
                    if getattr(urllib.parse, name) is getattr(_native, name):
                        setattr(urllib.parse, name, original)

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
            # `ExitStack.push` ends a block that never began, so the count may be 0 here.
            self._blocks = max(self._blocks - 1, 0)
            if self._blocks == 0:
                self.undo()
