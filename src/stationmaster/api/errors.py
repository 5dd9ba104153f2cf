"""The only place that makes bodies of errors.

Analytics: `{detail, status, title, requestId, metadata?}`; elsewhere the same without
`requestId`. The request id is in the `X-Request-Id` header of every answer. `metadata.code` is a
stable word for programs, `metadata.errors` lists `{field, reason}` of a refused request.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException

from stationmaster.api.answers import Answer, json_answer
from stationmaster.api.limits import LimitReached
from stationmaster.errors import (
    MethodNotAllowed,
    NotFound,
    OperatorError,
    RateLimited,
    StationmasterError,
    Unauthorized,
    Unavailable,
)

ANALYTICS = "/api/v1/analytics"
MISSING_CREDENTIAL = "missing_credential"

log = logging.getLogger("stationmaster.api")


def known(fault: BaseException, method: str, path: str, request_id: str) -> StationmasterError:
    """The error that a client may see of any exception. What is unexpected is logged, not told."""
    if isinstance(fault, HTTPException):
        return _of_framework(fault, method)
    if isinstance(fault, StationmasterError) and not isinstance(fault, OperatorError):
        if fault.status >= 500:
            log.warning("%s %s %s: %s", request_id, method, path, fault.detail)
        return fault
    log.error("%s %s %s failed", request_id, method, path, exc_info=fault)
    return StationmasterError(
        "Something went wrong on our side. The request id finds it in the server's log."
    )


def answer(fault: StationmasterError, path: str, request_id: str) -> Answer:
    """The body and headers of an error for the room of the address that was asked."""
    return json_answer(
        body(fault, request_id if path.startswith(ANALYTICS) else None),
        status=fault.status,
        headers=headers(fault),
    )


def body(fault: StationmasterError, request_id: str | None) -> dict[str, Any]:
    """The documented members, in the documented order."""
    value: dict[str, Any] = {"detail": fault.detail, "status": fault.status, "title": fault.title}
    if request_id is not None:
        value["requestId"] = request_id
    value["metadata"] = {"code": fault.code, **fault.metadata}
    return value


def headers(fault: StationmasterError) -> dict[str, str]:
    """The header fields that go with an error, whatever form its body takes."""
    if isinstance(fault, Unauthorized):
        if fault.code == MISSING_CREDENTIAL:
            return {"WWW-Authenticate": 'Bearer realm="stationmaster"'}
        return {"WWW-Authenticate": 'Bearer realm="stationmaster", error="invalid_token"'}
    if isinstance(fault, RateLimited):
        fields = fault.fields if isinstance(fault, LimitReached) else {}
        return {"Retry-After": str(fault.retry_after_s), **fields}
    if isinstance(fault, Unavailable):
        return {"Retry-After": str(fault.retry_after_s)}
    if isinstance(fault, MethodNotAllowed):
        return {"Allow": str(fault.metadata["allow"])}
    return {}


def not_allowed(method: str, allow: str) -> MethodNotAllowed:
    return MethodNotAllowed(
        f"{method[:20]} is not possible here; use {allow}.", metadata={"allow": allow}
    )


def _of_framework(fault: HTTPException, method: str) -> StationmasterError:
    if fault.status_code == 404:
        return NotFound("There is nothing at this address.", code="unknown_route")
    if fault.status_code == 405:
        allow = (fault.headers or {}).get("Allow", "GET")
        return not_allowed(method, ", ".join(sorted(allow.split(", "))))
    error = StationmasterError(str(fault.detail), code=f"http_{fault.status_code}")
    # Each instance may differ from its class where the framework decided the status.
    error.status = fault.status_code  # type: ignore[misc]
    error.title = HTTPStatus(fault.status_code).phrase  # type: ignore[misc]
    return error
