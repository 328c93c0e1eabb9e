"""The target of an HTTP request."""

from typing import NamedTuple

from . import _native


class RequestTarget(NamedTuple):
    """The target of an HTTP request, split and not decoded (RFC 9112 3.2).

    ``form`` is "origin", "absolute", "authority", "asterisk" or "invalid". What the form does not have is None, but for the path,
    which may be empty.
    """

    form: str
    scheme: "str | None"
    authority: "str | None"
    path: str
    query: "str | None"

    @property
    def path_or_root(self) -> str:
        """The path, or "/" if a URI with an authority has none: the path to hand to ``normalize_path``."""
        is_root = self.form == "absolute" and self.authority is not None and not self.path
        return "/" if is_root else self.path


def split_target(target: str, *, method: "str | None" = None) -> RequestTarget:
    """Splits the target of an HTTP request, which is no URI reference: all of ``//private/a`` is a path (RFC 9112 3.2.1).

    A server gives the method. A target in a form that the method does not take, with a ``#``, a blank or a control, or with an
    authority that is none, then raises UriError: answer 400 (Bad Request). Without a method nothing is refused, which is for logs: a
    ``#`` belongs to the path or the query.
    """
    return RequestTarget(*_native.split_target(target, method))
