"""Errors as pages: unknown addresses, wrong methods, and what fails on our side."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.model import Caller
from stationmaster.errors import StationmasterError
from stationmaster.web.frame.pages import page
from stationmaster.web.frame.requests import signed_in

_PROGRAMS = ("/api/", "/v1/", "/openapi.json", "/metrics", "/healthz", "/readyz")
"""Addresses that are programs'; their errors are JSON for browsers, too."""


def error_page(fault: StationmasterError, request: Request, request_id: str) -> Response | None:
    """An error as a page; None where the address is a program's, or HTML is not accepted."""
    if request.url.path.startswith(_PROGRAMS):
        return None
    if "text/html" not in request.headers.get("accept", ""):
        return None
    return page(
        "error.html",
        _caller(request),
        request,
        status=fault.status,
        fault=fault,
        request_id=request_id,
    )


def _caller(request: Request) -> Caller | None:
    """Who is signed in, as far as that can be known while something fails."""
    try:
        return signed_in(request)
    except StationmasterError:
        return None
