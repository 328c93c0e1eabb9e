"""The target of an HTTP request."""

from typing import NamedTuple

from . import _native


class RequestTarget(NamedTuple):
    """The target of an HTTP request, split but not decoded (RFC 9112 3.2).

    ``form`` is "origin", "absolute", "authority", "asterisk" or "invalid". A component that the form does not have is None.
    The path is never None: if the form has no path, it is empty.
    """

    form: str
    scheme: "str | None"
    authority: "str | None"
    path: str
    query: "str | None"

    @property
    def path_or_root(self) -> str:
        """The path, or "/" if a URI with an authority has an empty path. Pass it to ``normalize_path``."""
        is_root = self.form == "absolute" and self.authority is not None and not self.path
        return "/" if is_root else self.path


def split_target(target: str, *, method: "str | None" = None) -> RequestTarget:
    """Splits the target of an HTTP request.

    A target is not a URI reference: all of ``//private/a`` is a path (RFC 9112 3.2.1).

    A server passes the method, and answers 400 (Bad Request) if UriError is raised. The reasons for UriError are: the
    method does not allow the form of the target; the target contains a ``#``, a blank or a control; the authority is
    invalid. A reader of logs passes no method. Then every target is accepted, and a ``#`` belongs to the path or the
    query.
    """
    return RequestTarget(*_native.split_target(target, method))
