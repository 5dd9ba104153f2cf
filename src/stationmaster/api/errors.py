"""The only place that makes bodies of errors.

Analytics: `{detail, status, title, requestId, metadata?}`; elsewhere the same without
`requestId`. The request id is in the `X-Request-Id` header of every answer. `metadata.code` is a
stable word for programs, `metadata.errors` lists `{field, reason}` of a refused request.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from stationmaster.api.services import LimitReached
from stationmaster.api.telemetry.admission import Overloaded
from stationmaster.api.wire import JsonResponse
from stationmaster.db import outages
from stationmaster.errors import (
    BadRequest,
    Malformed,
    MethodNotAllowed,
    NotFound,
    NotImplementedYet,
    OperatorError,
    RateLimited,
    StationmasterError,
    Unauthorized,
    Unavailable,
)

ANALYTICS = "/api/v1/analytics"
MISSING_CREDENTIAL = "missing_credential"

STORAGE = "storage_unavailable"
"""The code of the errors that all requests meet while storage fails."""

log = logging.getLogger("stationmaster.api")


def recognized(fault: BaseException, method: str, path: str, request_id: str) -> StationmasterError:
    """The error that a client may see of any exception. What is unexpected is logged, not shown."""
    if isinstance(fault, HTTPException):
        # The framework wraps all errors of reading a body.
        cause = fault.__cause__
        return cause if isinstance(cause, StationmasterError) else _of_framework(fault)
    if isinstance(fault, RequestValidationError):
        return _of_validation(fault)
    if isinstance(fault, ClientDisconnect):
        return Malformed("The connection ended before the body did.", code="incomplete_body")
    if isinstance(fault, StationmasterError) and not isinstance(fault, OperatorError):
        if fault.code == STORAGE:
            outages.log_failure(log, f"{request_id} {method} {path}", fault)
        elif fault.status >= 500 and not isinstance(fault, NotImplementedYet | Overloaded):
            log.warning("%s %s %s: %s", request_id, method, path, fault)
        return fault
    log.error("%s %s %s failed", request_id, method, path, exc_info=fault)
    return StationmasterError(
        "An internal error occurred. The server's log has the details under the request id."
    )


def answer(fault: StationmasterError, path: str, request_id: str) -> Response:
    """The body and headers of an error for the room of the address that was asked."""
    return JsonResponse(
        body(fault, request_id if path.startswith(ANALYTICS + "/") else None),
        status_code=fault.status,
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


def not_allowed(method: str, allowed: Iterable[str]) -> MethodNotAllowed:
    """The refusal of a method at an address that has other ones: all of `allowed`."""
    *others, last = sorted(allowed)
    words = f"{', '.join(others)} or {last}" if others else last
    return MethodNotAllowed(
        f"{method[:20]} is not possible here; use {words}.",
        metadata={"allow": ", ".join([*others, last])},
    )


def _of_validation(fault: RequestValidationError) -> StationmasterError:
    """Every fault of a request that does not fit its description, named by where it is."""
    if any(error["type"] == "json_invalid" for error in fault.errors()):
        return Malformed("The body is not JSON.")
    faults = [
        {"field": ".".join(str(step) for step in error["loc"][1:]), "reason": error["msg"]}
        for error in fault.errors()
    ]
    first = faults[0]
    detail = f"{first['field'] or 'body'}: {first['reason']}."
    return BadRequest(detail, metadata={"errors": faults})


def _of_framework(fault: HTTPException) -> StationmasterError:
    if fault.status_code == 400:
        # Not even so much JSON that the parser could find its end.
        return Malformed("The body is not JSON.")
    if fault.status_code == 404:
        return NotFound("There is no page or operation at this address.", code="unknown_route")
    error = StationmasterError(str(fault.detail), code=f"http_{fault.status_code}")
    # One instance differs from its class, whose variables these are: the framework decided.
    error.status = fault.status_code  # type: ignore[misc]
    error.title = HTTPStatus(fault.status_code).phrase  # type: ignore[misc]
    return error
