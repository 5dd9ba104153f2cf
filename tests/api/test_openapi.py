"""The description at /openapi.json: complete, self-contained, and true of what is answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
import schemathesis
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, Phase, settings

from stationmaster import clock
from stationmaster.api.app import ROUTERS, ROUTES
from stationmaster.settings import Settings
from tests.fuzz.hooks import CHECKS
from tests.spec import day
from tests.support.cast import Cast
from tests.support.servers import running_server, settings_for


def _described() -> dict[str, object]:
    from stationmaster.api.app import create_app

    return create_app(Settings()).openapi()


schema = schemathesis.openapi.from_dict(_described())
_QUICK = settings(
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


class Described(NamedTuple):
    """A running server and the keys to it by who holds them; a week is stored there."""

    url: str
    keys: dict[str, str | None]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Described]:
    clock.freeze(day.NOW)
    folder = tmp_path_factory.mktemp("described")
    with running_server(settings_for(folder, "sqlite")) as running:
        cast = Cast(running.services.db, "ours")
        with running.client(cast.keys["owner"]) as client:
            day.send(client, day.tuesday())
        yield Described(running.url, cast.keys)


def test_the_description_has_a_tag_by_which_a_client_keeps_it(server: Described) -> None:
    address = f"{server.url}/openapi.json"
    first = httpx.get(address)

    again = httpx.get(address, headers={"If-None-Match": first.headers["etag"]})

    assert (first.status_code, first.headers["content-type"]) == (200, "application/json")
    assert (again.status_code, again.content) == (304, b"")


def test_every_route_is_described() -> None:
    described = {
        (method.upper(), path)
        for path, operations in _described()["paths"].items()  # type: ignore[attr-defined]
        for method in operations
    }

    of_routers = {
        (method, route.path_format)
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods
    }
    assert described == of_routers | {(route.method, route.path) for route in ROUTES}


def test_the_description_needs_nothing_from_elsewhere() -> None:
    described = _described()
    references = re.findall(r"'\$ref': '([^']*)'", str(described))

    assert references
    assert [each for each in references if not each.startswith("#/components/")] == []
    assert {"servers", "externalDocs", "jsonSchemaDialect"} & described.keys() == set()


def test_operations_and_schemas_have_names_of_their_own_for_those_who_generate_clients() -> None:
    described: Any = _described()
    operations = [
        operation["operationId"]
        for methods in described["paths"].values()
        for operation in methods.values()
    ]
    names = [*operations, *described["components"]["schemas"]]

    assert len(set(operations)) == len(operations)
    assert [name for name in names if "__" in name or len(name) > 40] == []


@schema.parametrize()
@settings(_QUICK, max_examples=8)
def test_no_answer_to_an_owner_differs_from_the_description(
    case: schemathesis.Case, server: Described
) -> None:
    """Answers to all others are held against it where every operation is asked by everybody."""
    clock.freeze(day.NOW)
    headers = {"Authorization": f"Bearer {server.keys['owner']}"}

    case.call_and_validate(base_url=server.url, headers=headers, checks=CHECKS)


@pytest.mark.parametrize("grouping", [{}, {"group_by": "model"}, {"group_by": "tool_name"}])
@pytest.mark.parametrize("report", ["tokens", "tools", "activity", "productivity", "users"])
def test_rows_are_as_described(server: Described, report: str, grouping: dict[str, str]) -> None:
    clock.freeze(day.NOW)
    path = f"/api/v1/analytics/{report}"
    answer = httpx.get(
        server.url + path,
        params={"startDate": "2026-11-17", "endDate": "2026-11-18"} | grouping,
        headers={"Authorization": f"Bearer {server.keys['owner']}"},
    )

    schema[path]["GET"].validate_response(answer)
    assert answer.status_code == 400 or answer.json()["data"]
