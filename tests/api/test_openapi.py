"""The description at /openapi.json: complete, self-contained, and true of what is answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from fastapi.routing import APIRoute

from stationmaster import clock
from stationmaster.api.app import ROUTERS, ROUTES
from stationmaster.api.openapi import RULES
from stationmaster.cli import application
from tests.spec import day
from tests.support.cast import Cast
from tests.support.described import contract, description
from tests.support.patience import PATIENCE_S
from tests.support.servers import running_server, settings_for

DESCRIBED: Any = description()

REPO = "https://git.example/acme/shop"
SHOWN = {"mode": "named"}
PAGE = {"path": "a", "content": "# A"}


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
    first = httpx.get(address, timeout=PATIENCE_S)

    again = httpx.get(address, headers={"If-None-Match": first.headers["etag"]}, timeout=PATIENCE_S)

    assert (first.status_code, first.headers["content-type"]) == (200, "application/json")
    assert (again.status_code, again.content) == (304, b"")


def test_a_server_with_pages_describes_the_same(tmp_path: Path) -> None:
    served = application.create(settings_for(tmp_path, "sqlite"), background=None)

    assert served.openapi() == DESCRIBED


def test_every_route_is_described() -> None:
    described = {
        (method.upper(), path)
        for path, operations in DESCRIBED["paths"].items()
        for method in operations
    }

    of_routers = {
        (method, route.path_format)
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods
    }
    assert described == of_routers | {
        (route.method, route.path) for route in ROUTES if route.operation
    }


def test_the_description_needs_nothing_from_elsewhere() -> None:
    references = re.findall(r"'\$ref': '([^']*)'", str(DESCRIBED))

    assert references
    assert [each for each in references if not each.startswith("#/components/")] == []
    assert {"externalDocs", "jsonSchemaDialect"} & DESCRIBED.keys() == set()
    assert [each["url"] for each in DESCRIBED["servers"]] == ["/"]


def test_every_operation_says_whether_it_needs_a_credential() -> None:
    operations = {
        path: operation["security"]
        for path, methods in DESCRIBED["paths"].items()
        for operation in methods.values()
    }

    assert operations["/healthz"] == operations["/api/platform/v1/auth/token"] == []
    assert operations["/api/v1/analytics/users"] == operations["/v1/logs"] == [{"bearer": []}]


def test_generated_clients_type_reports_as_json_alone() -> None:
    for report in ("tokens", "tools", "activity", "productivity", "users"):
        answer = DESCRIBED["paths"][f"/api/v1/analytics/{report}"]["get"]["responses"]["200"]
        assert list(answer["content"]) == ["application/json"]


def test_operations_and_schemas_have_names_of_their_own_for_those_who_generate_clients() -> None:
    operations = [
        operation["operationId"]
        for methods in DESCRIBED["paths"].values()
        for operation in methods.values()
    ]
    names = [*operations, *DESCRIBED["components"]["schemas"]]

    assert len(set(operations)) == len(operations)
    assert [name for name in names if "__" in name or len(name) > 40] == []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/api/platform/v1/privacy", {**SHOWN, "minimum": 5.0}),
        ("PUT", "/api/v0/organization/usage/limits/global", {"globalLimit": 1e9}),
    ],
)
def test_a_whole_number_is_an_integer_however_it_is_written(
    server: Described, method: str, path: str, body: dict[str, Any]
) -> None:
    headers = {"Authorization": f"Bearer {server.keys['owner']}"}

    assert (
        httpx.request(
            method, server.url + path, headers=headers, json=body, timeout=PATIENCE_S
        ).status_code
        == 200
    )


def test_every_rule_beyond_the_schemas_is_in_the_description() -> None:
    for code in RULES:
        assert f"`{code}`" in DESCRIBED["info"]["description"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/platform/v1/costs/rates?day=0", None),
        ("GET", "/api/platform/v1/costs/rates?day=1763769600", None),
        ("POST", "/api/v0/wiki", {"pages": [PAGE | {"order": False}], "repoUrl": REPO}),
        ("POST", "/api/v0/wiki", {"pages": [PAGE | {"order": "1"}], "repoUrl": REPO}),
        ("POST", "/api/v0/wiki", {"pages": [PAGE], "repoUrl": REPO, "hasLocalChanges": 1}),
        ("POST", "/api/v0/computers", {"name": "a", "remoteUser": "a", "autoInstallDeps": "no"}),
    ],
)
def test_a_value_of_another_type_is_refused(
    server: Described, method: str, path: str, body: dict[str, Any] | None
) -> None:
    headers = {"Authorization": f"Bearer {server.keys['owner']}"}

    answer = httpx.request(
        method, server.url + path, headers=headers, json=body, timeout=PATIENCE_S
    )

    assert answer.status_code == 400
    [fault] = answer.json()["metadata"]["errors"]
    assert fault["field"] in ("day", "pages.0.order", "hasLocalChanges", "autoInstallDeps")


@pytest.mark.parametrize(
    "operation",
    [
        "GET /api/v0/computers/name/{name}",
        "POST /api/v0/computers",
        "PATCH /api/v0/computers/{computer_id}",
        "GET /api/v0/wiki/{wikiRunId}/export",
        "POST /api/platform/v1/wiki/runs/{wikiRunId}/cancel",
        "POST /api/platform/v1/jobs/{job_id}/cancel",
        "POST /api/organization/maturity-level-reports",
        "POST /api/platform/v1/repositories",
        "POST /api/platform/v1/repositories/{repo_id}/refresh",
        "POST /api/platform/v1/members",
        "PATCH /api/platform/v1/members/{user_id}",
        "DELETE /api/platform/v1/members/{user_id}",
        "POST /api/platform/v1/people/{user_id}/merge",
        "POST /api/platform/v1/service-accounts",
        "POST /api/platform/v1/keys",
        "POST /api/platform/v1/auth/token",
        "POST /api/platform/v1/auth/refresh",
    ],
)
def test_every_conflict_that_an_operation_can_answer_is_described(operation: str) -> None:
    method, path = operation.split()

    assert "409" in DESCRIBED["paths"][path][method.lower()]["responses"]


@pytest.mark.parametrize("grouping", [{}, {"group_by": "model"}, {"group_by": "tool_name"}])
@pytest.mark.parametrize("report", ["tokens", "tools", "activity", "productivity", "users"])
def test_rows_are_as_described(server: Described, report: str, grouping: dict[str, str]) -> None:
    clock.freeze(day.NOW)
    path = f"/api/v1/analytics/{report}"
    headers = {"Authorization": f"Bearer {server.keys['owner']}"}
    shown = httpx.put(
        f"{server.url}/api/platform/v1/privacy", json=SHOWN, headers=headers, timeout=PATIENCE_S
    )
    assert shown.status_code == 200
    answer = httpx.get(
        server.url + path,
        params={"startDate": "2026-11-17", "endDate": "2026-11-18"} | grouping,
        headers=headers,
        timeout=PATIENCE_S,
    )

    contract()[path]["GET"].validate_response(answer)
    assert answer.status_code == 400 or answer.json()["data"]
