"""Operations: is the process alive, can it do its work, and what it has done."""

from __future__ import annotations

import hmac
from ipaddress import ip_address

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.api import blocking, callers, requests
from stationmaster.api.answers import JsonResponse
from stationmaster.api.edge import Route
from stationmaster.api.openapi import RETRY_AFTER, problems, ref, response
from stationmaster.api.services import services_of
from stationmaster.errors import Forbidden, Unauthorized

_RETRY_S = "5"


async def healthz(_request: Request) -> Response:
    """The process lives and its loop turns."""
    return JsonResponse({"status": "ok"})


async def readyz(request: Request) -> Response:
    """The process can do its work; else 503 with the reasons."""
    reasons = await request.scope["app"].condition.reasons()
    if not reasons:
        return JsonResponse({"status": "ok"})
    body = {"status": "unavailable", "reasons": reasons}
    return JsonResponse(body, status_code=503, headers={"Retry-After": _RETRY_S})


async def metrics(request: Request) -> Response:
    """What this server's processes have done, for Prometheus."""
    _admit(request, services_of(request).settings.metrics_token)
    accept = requests.header(request, b"accept") or ""
    page, media_type = await blocking.work(services_of(request).metrics.page, accept)
    return Response(page, headers={"Content-Type": media_type})


def _admit(request: Request, token: str | None) -> None:
    """Whoever has the token; where there is none, whoever asks from this machine."""
    if token is None:
        if request.client is None or not _is_here(request.client.host):
            raise Forbidden("Set STATIONMASTER_METRICS_TOKEN to read this from another machine.")
    elif not hmac.compare_digest(callers.bearer(request).encode(), token.encode()):
        raise Unauthorized("This is not the token that STATIONMASTER_METRICS_TOKEN has set.")


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


ROUTES = (
    Route(
        "GET",
        "/healthz",
        healthz,
        {
            "operationId": "healthz",
            "tags": ["Operations"],
            "summary": "Is the process alive",
            "responses": {
                "200": response("It is.", json=ref("Health")),
                **problems("Problem", 500),
            },
        },
    ),
    Route(
        "GET",
        "/readyz",
        readyz,
        {
            "operationId": "readyz",
            "tags": ["Operations"],
            "summary": "Can it do its work",
            "responses": {
                "200": response("It can.", json=ref("Health")),
                "503": response("It cannot, and why.", headers=RETRY_AFTER, json=ref("NotReady")),
                **problems("Problem", 500),
            },
        },
    ),
    Route(
        "GET",
        "/metrics",
        metrics,
        {
            "operationId": "metrics",
            "tags": ["Operations"],
            "summary": "What it has done",
            "description": (
                "Prometheus text, or OpenMetrics where that is accepted. With a token that the "
                "operator has set; without one for clients on the same machine."
            ),
            "responses": {
                "200": {
                    **response("The metrics."),
                    "content": {"text/plain": {"schema": {"type": "string"}}},
                },
                **problems("Problem", 401, 403, 500),
            },
        },
    ),
)
