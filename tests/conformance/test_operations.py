"""Chapters What the service does and Endpoints: which operations there are, and their bodies."""

from __future__ import annotations

import pytest

from tests.conformance.conftest import House
from tests.conformance.published import PUBLISHED, Operation

each_operation = pytest.mark.parametrize("operation", PUBLISHED, ids=lambda op: op.template)


@each_operation
def test_every_published_operation_is_described(one_house: House, operation: Operation) -> None:
    described = one_house.client("none").get("/openapi.json").json()["paths"]

    assert operation.method.lower() in described[operation.template]


@each_operation
def test_every_published_operation_is_a_read_except_setting_user_credit_limits(
    operation: Operation,
) -> None:
    is_setting_limits = operation.path.endswith("/usage/limits/users")

    assert operation.method == ("PUT" if is_setting_limits else "GET")


@each_operation
def test_all_bodies_are_json_except_the_wiki_export(one_house: House, operation: Operation) -> None:
    described = one_house.client("none").get("/openapi.json").json()["paths"]
    told = described[operation.template][operation.method.lower()]["responses"]
    media = list(told["200"]["content"])

    assert media[0] == (
        "application/zip" if operation.path.endswith("/export") else "application/json"
    )
    errors = [answer for status, answer in told.items() if int(status) >= 400]
    assert {name for answer in errors for name in answer["content"]} == {"application/json"}


def test_the_history_of_a_repository_has_its_published_name_and_tag(one_house: House) -> None:
    described = one_house.client("none").get("/openapi.json").json()["paths"]
    told = described["/api/v0/wiki/history/{repoUrl}"]["get"]

    assert (told["operationId"], told["tags"]) == (
        "GetListWikiRunHistoryForARepository",
        ["Wiki"],
    )
