"""Operations: is the process alive, can it do its work, and what it has done."""

from __future__ import annotations

import hmac

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access import operator
from stationmaster.access.model import Caller, require
from stationmaster.api import blocking, callers, wire
from stationmaster.api.edge import Route
from stationmaster.api.openapi import RETRY_AFTER, problems, ref, response
from stationmaster.api.services import services_of
from stationmaster.api.serving.forwarded import contains, sender
from stationmaster.errors import Forbidden

_RETRY_S = "5"


async def healthz(_request: Request) -> Response:
    """The process lives and its loop turns."""
    return wire.JsonResponse({"status": "ok"})


async def readyz(request: Request) -> Response:
    """The process can do its work; else 503 with the reasons."""
    reasons = await request.scope["app"].condition.reasons()
    if not reasons:
        return wire.JsonResponse({"status": "ok"})
    body = {"status": "unavailable", "reasons": reasons}
    return wire.JsonResponse(body, status_code=503, headers={"Retry-After": _RETRY_S})


async def metrics(request: Request) -> Response:
    """What this server's processes have done, for Prometheus."""
    await _admit(request)
    accept = wire.header(request, b"accept") or ""
    page, media_type = await blocking.work(services_of(request).metrics.page, accept)
    return Response(page, headers={"Content-Type": media_type})


async def _admit(request: Request) -> None:
    """A caller who has an allowed address, has the token, or is the only organization's owner.

    Raises Unauthorized and Forbidden.
    """
    services = services_of(request)
    settings = services.settings
    address = sender(request.scope)
    if address is not None and contains(settings.metrics_networks, address):
        return
    token = settings.metrics_token
    bearer_token = callers.bearer(request)
    if token is not None and hmac.compare_digest(bearer_token.encode(), token.encode()):
        return

    def check(caller: Caller) -> None:
        require(caller, "owner")
        if len(operator.tenants(services.db)) > 1:
            raise Forbidden(
                "These figures include several organizations; use STATIONMASTER_METRICS_TOKEN."
            )

    await callers.read_as(request, check)


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
                **problems(500),
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
                "503": response(
                    "The process is not ready; the reasons are in the body.",
                    headers=RETRY_AFTER,
                    json=ref("NotReady"),
                ),
                **problems(500),
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
                "Prometheus text, or OpenMetrics where that is accepted. For the token and the "
                "addresses that the operator configured, and for the owner of the only "
                "organization."
            ),
            "responses": {
                "200": {
                    **response("The metrics."),
                    "content": {"text/plain": {"schema": {"type": "string"}}},
                },
                **problems(401, 403, 500),
            },
        },
    ),
)
