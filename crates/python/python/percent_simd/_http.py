"""The field Content-Disposition."""

from typing import TYPE_CHECKING, NamedTuple

from . import _native

if TYPE_CHECKING:
    from typing_extensions import Buffer


class ContentDisposition(NamedTuple):
    """The field Content-Disposition, decoded (RFC 6266).

    ``type`` is in lower case, and empty if the field has no valid type. ``filename`` is the name as the sender wrote it,
    which may be a path. ``file_name`` is the last segment of ``filename``, or None if this segment cannot be a file name.
    Fields of multipart/form-data also have a ``name``; pass it and ``filename`` to ``multipart_unescape``.
    """

    type: str
    name: "str | None"
    filename: "str | None"
    file_name: "str | None"


def parse_content_disposition(field: "str | Buffer") -> ContentDisposition:
    """Reads the field Content-Disposition (RFC 6266) as leniently as browsers do.

    If the field has both, ``filename*`` wins over ``filename``, in any order. Sections such as ``filename*0*`` are joined
    (RFC 2231). This function never fails: a part that cannot be read is None.
    """
    return ContentDisposition(*_native.parse_content_disposition(field))
