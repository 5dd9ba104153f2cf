"""Chapter Errors: which status an operation answers when."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.conformance.conftest import House
from tests.conformance.faults import break_state
from tests.conformance.published import PUBLISHED, Operation
from tests.support.servers import running_server, settings_for

each_operation = pytest.mark.parametrize("operation", PUBLISHED, ids=lambda op: op.template)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client whose every request meets a fault of ours."""
    folder = tmp_path_factory.mktemp("broken")
    with running_server(settings_for(folder, "sqlite")) as server:
        key = break_state(server)
        with server.client(key) as client:
            yield client


DECIDED = {
    "/analytics/": (400, 401, 403, 500),
    "/usage/limits/users": (400, 401, 403, 500),
    "/computers/name/": (401, 404, 500),
    "/wiki/": (401, 500),
    "/ci/scan": (401, 500),
    "-reports": (400, 401, 500),
}
"""Statuses that are stated or inferred, by what stands in the path."""


@each_operation
def test_the_error_bodies_of_each_operation_are_described_as_decided(
    one_house: House, operation: Operation
) -> None:
    described = one_house.client("none").get("/openapi.json").json()["paths"]
    told = described[operation.template][operation.method.lower()]["responses"]
    [statuses] = [found for part, found in DECIDED.items() if part in operation.path]

    assert {str(status) for status in statuses} <= set(told)


@each_operation
def test_500_on_all_operations_is_an_internal_error(
    broken: httpx.Client, operation: Operation
) -> None:
    answer = broken.request(operation.method, operation.path)

    assert (answer.status_code, answer.json()["title"]) == (500, "Internal Server Error")


@each_operation
def test_401_and_500_are_described_on_all_operations(
    one_house: House, operation: Operation
) -> None:
    described = one_house.client("none").get("/openapi.json").json()["paths"]
    told = described[operation.template][operation.method.lower()]["responses"]
    problem = "AnalyticsProblem" if "/analytics/" in operation.path else "Problem"

    for status in ("401", "500"):
        assert told[status]["content"]["application/json"]["schema"] == {
            "$ref": f"#/components/schemas/{problem}"
        }


@pytest.mark.parametrize("role", ["member", "guest", "svc"])
@pytest.mark.parametrize("report", ["tokens", "tools", "activity", "productivity", "users"])
def test_403_on_analytics_is_an_insufficient_role(one_house: House, report: str, role: str) -> None:
    answer = one_house.client(role).get(f"/api/v1/analytics/{report}")

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (403, "insufficient_role")
