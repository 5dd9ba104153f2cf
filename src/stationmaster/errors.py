"""The error tree.

    StationmasterError
    ├── BadRequest          400   the request can never succeed as it is
    │   └── Malformed       400   a body that does not decode
    ├── Unauthorized        401   no credential, or none that is valid
    ├── Forbidden           403   a valid credential that may not do this
    ├── NotFound            404
    ├── MethodNotAllowed    405
    ├── RequestTimeout      408   header fields or a body that took too long to arrive
    ├── Conflict            409   what is there already, or must stay, does not allow it
    ├── Gone                410   what was there was removed permanently
    ├── TooLarge            413   a body over its limit
    ├── UriTooLong          414
    ├── UnsupportedMedia    415   a content type or encoding that is not supported
    ├── RateLimited         429   try again after `retry_after_s`
    ├── HeadersTooLarge     431
    ├── NotImplementedYet   501   a documented request that this version does not serve
    ├── Unavailable         503   the writer is behind or storage fails; try again
    └── OperatorError       500   a folder, file or setting needs a person; the CLI prints one line
        └── MissingExtra    500   a library of an extra of this package is not installed

Rooms raise; `api/errors.py` alone makes bodies of them and `cli` alone makes exit codes.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, ClassVar


class StationmasterError(Exception):
    """The base. `detail` is a sentence for a person, `code` a stable word for a program.

    As text it is what the log and the operator's terminal show: `internal` where that is given,
    with the paths, hosts and messages of drivers that clients must not see.
    """

    status: ClassVar[int] = 500
    title: ClassVar[str] = "Internal Server Error"
    code: str = "internal_error"

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        metadata: dict[str, Any] | None = None,
        internal: str | None = None,
    ) -> None:
        super().__init__(internal or detail)
        self.detail = detail
        self.metadata = metadata or {}
        if code is not None:
            self.code = code


class BadRequest(StationmasterError):
    """A request that can never succeed as it is."""

    status = 400
    title = "Bad Request"
    code = "bad_request"


class Malformed(BadRequest):
    """A body that does not decode."""

    code = "malformed_body"


class Unauthorized(StationmasterError):
    """A request without a credential, or with none that is valid."""

    status = 401
    title = "Unauthorized"
    code = "invalid_token"


class Forbidden(StationmasterError):
    """A request with a valid credential that may not do this."""

    status = 403
    title = "Forbidden"
    code = "insufficient_role"


class NotFound(StationmasterError):
    """What is asked for does not exist, or not for the caller."""

    status = 404
    title = "Not Found"
    code = "not_found"


class MethodNotAllowed(StationmasterError):
    """A path that exists, with a method that it does not have."""

    status = 405
    title = "Method Not Allowed"
    code = "method_not_allowed"


class RequestTimeout(StationmasterError):
    """Header fields or a body that took too long to arrive."""

    status = 408
    title = "Request Timeout"
    code = "request_timeout"


class Conflict(StationmasterError):
    """What is there already, or must stay, does not allow the request."""

    status = 409
    title = "Conflict"
    code = "conflict"


class Gone(StationmasterError):
    """What is requested was removed permanently."""

    status = 410
    title = "Gone"
    code = "gone"


class TooLarge(StationmasterError):
    """A body over its limit."""

    status = 413
    title = "Content Too Large"
    code = "body_too_large"


class UriTooLong(StationmasterError):
    """The address of a request over its limit."""

    status = 414
    title = "URI Too Long"
    code = "uri_too_long"


class UnsupportedMedia(StationmasterError):
    """A content type or encoding of a body that is not supported."""

    status = 415
    title = "Unsupported Media Type"
    code = "unsupported_media_type"


class RateLimited(StationmasterError):
    """Too many requests; the next may succeed after `retry_after_s` seconds."""

    status = 429
    title = "Too Many Requests"
    code = "rate_limited"

    def __init__(self, detail: str, *, retry_after_s: int) -> None:
        super().__init__(detail, metadata={"retry_after_seconds": retry_after_s})
        self.retry_after_s = retry_after_s


class HeadersTooLarge(StationmasterError):
    """Header fields over their limit."""

    status = 431
    title = "Request Header Fields Too Large"
    code = "headers_too_large"


class NotImplementedYet(StationmasterError):
    """A documented request that this version does not serve."""

    status = 501
    title = "Not Implemented"
    code = "not_implemented"


class Unavailable(StationmasterError):
    """The writer is behind or storage fails; try again after `retry_after_s` seconds."""

    status = 503
    title = "Service Unavailable"
    code = "unavailable"

    def __init__(
        self,
        detail: str,
        *,
        retry_after_s: int = 5,
        code: str | None = None,
        internal: str | None = None,
    ) -> None:
        super().__init__(detail, code=code, internal=internal)
        self.retry_after_s = retry_after_s


class OperatorError(StationmasterError):
    """A folder, file or setting that needs a person; the CLI prints one line."""

    code = "operator_error"


class MissingExtra(OperatorError):
    """`purpose` needs a library that only an extra of this package installs."""

    code = "missing_extra"

    def __init__(self, purpose: str, extra: str, library: str | None) -> None:
        # The wheel's own address: anybody may register a name at a package index.
        super().__init__(
            f"{purpose} needs {library or 'a library'}, which is not installed: "
            f"pip install 'stationmaster[{extra}] @ ADDRESS-OF-THE-WHEEL' (docs/install.md)"
        )


def did_you_mean(text: str, words: Iterable[str]) -> str:
    """A question that ends an error about a word outside a closed list: the nearest word of it,
    with a leading space; empty where none is near.
    """
    listed = sorted(words)
    near = [word for word in listed if len(text) > 2 and word.startswith(text.lower())]
    near += get_close_matches(text.lower()[:100], listed, n=1)
    return f" Did you mean {near[0]}?" if near else ""
