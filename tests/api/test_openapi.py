"""The description at /openapi.json: complete, self-contained, and true of what is answered."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
import schemathesis
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, Phase, settings

from stationmaster import clock
from stationmaster.api.app import ROUTERS, ROUTES
from stationmaster.settings import Settings
from tests.spec import day
from tests.support.servers import running_server, settings_for


def _described() -> dict[str, object]:
    from stationmaster.api.app import create_app

    return create_app(Settings()).openapi()


@schemathesis.serializer("application/x-protobuf", "application/x-ndjson")
def _as_it_is(_context: object, value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


CHECKS = [
    schemathesis.checks.not_a_server_error,
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
    schemathesis.checks.response_headers_conformance,
    schemathesis.checks.response_schema_conformance,
]
schema = schemathesis.openapi.from_dict(_described())


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a server and the key of an owner whose week is stored there."""
    clock.freeze(day.NOW)
    folder = tmp_path_factory.mktemp("described")
    with running_server(settings_for(folder, "sqlite")) as server:
        acme = day.Acme(server.services.db)
        with server.client(acme.key) as client:
            day.send(client, day.tuesday())
        yield server.url, acme.key


def test_every_route_is_described() -> None:
    described = {
        (method.upper(), path)
        for path, operations in _described()["paths"].items()  # type: ignore[attr-defined]
        for method in operations
    }

    of_routers = {
        (method, route.path)
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods
    }
    assert described == of_routers | {(route.method, route.path) for route in ROUTES}


def test_the_description_needs_nothing_from_elsewhere() -> None:
    assert "http" not in str(_described()).replace("'type': 'http'", "").replace("OTLP/HTTP", "")


@schema.parametrize()
@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@pytest.mark.parametrize("is_authorized", [True, False], ids=["key", "no key"])
def test_no_answer_differs_from_the_description(
    case: schemathesis.Case, address: tuple[str, str], is_authorized: bool
) -> None:
    clock.freeze(day.NOW)
    url, key = address
    headers = {"Authorization": f"Bearer {key}"} if is_authorized else {}

    case.call_and_validate(
        base_url=url,
        headers=headers,
        checks=CHECKS,
    )


@pytest.mark.parametrize("grouping", [{}, {"group_by": "model"}, {"group_by": "tool_name"}])
@pytest.mark.parametrize("report", ["tokens", "tools", "activity", "productivity", "users"])
def test_rows_are_as_described(
    address: tuple[str, str], report: str, grouping: dict[str, str]
) -> None:
    clock.freeze(day.NOW)
    url, key = address
    path = f"/api/v1/analytics/{report}"
    answer = httpx.get(
        url + path,
        params={"startDate": "2026-11-17", "endDate": "2026-11-18"} | grouping,
        headers={"Authorization": f"Bearer {key}"},
    )

    schema[path]["GET"].validate_response(answer)
    assert answer.status_code == 400 or answer.json()["data"]
