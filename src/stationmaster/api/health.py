"""Operations: is the process alive, and can it do its work."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.api import blocking
from stationmaster.api.answers import JsonResponse
from stationmaster.api.edge import Route
from stationmaster.api.openapi import RETRY_AFTER, problems, ref, response
from stationmaster.api.services import Services, services_of
from stationmaster.errors import StationmasterError

_RETRY_S = "5"


async def healthz(_request: Request) -> Response:
    """The process lives and its loop turns."""
    return JsonResponse({"status": "ok"})


async def readyz(request: Request) -> Response:
    """The state database and the inbox answer and take writes; else 503 with the reasons."""
    reasons = await blocking.work(_reasons, services_of(request))
    if not reasons:
        return JsonResponse({"status": "ok"})
    body = {"status": "unavailable", "reasons": reasons}
    return JsonResponse(body, status_code=503, headers={"Retry-After": _RETRY_S})


def _reasons(services: Services) -> list[str]:
    """Taking the write lock for a moment proves more than reading: a full or read-only disk."""
    found = []
    for name, db in (("state", services.db), ("inbox", services.inbox.database)):
        try:
            with db.transaction() as connection:
                connection.exec_driver_sql("SELECT 1")
        except StationmasterError as fault:
            found.append(f"{name}: {fault.detail}")
    return found


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
)
