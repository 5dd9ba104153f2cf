"""Chapter Computer: what the description says of its members, and who owns one."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.conformance.conftest import House
from tests.support.cast import Cast


def registered(house: House, of: Cast, caller: str, name: str) -> None:
    body = {"name": name, "remoteUser": "ada"}
    answer = house.client(caller, of).post("/api/v0/computers", json=body)
    assert answer.status_code == 201, answer.text


def by_name(house: House, of: Cast, caller: str, name: str) -> httpx.Response:
    return house.client(caller, of).get(f"/api/v0/computers/name/{name}")


def described(house: House, schema: str) -> Any:
    return house.client("none").get("/openapi.json").json()["components"]["schemas"][schema]


@pytest.fixture
def org(house: House) -> Cast:
    """An organization of this test alone."""
    return house.another("computers")


@pytest.mark.parametrize("length", [1, 63])
def test_a_name_has_1_to_63_characters(house: House, org: Cast, length: int) -> None:
    name = "a" * length
    registered(house, org, "owner", name)

    assert by_name(house, org, "owner", name).json()["name"] == name


def test_the_owner_is_a_human_or_a_service_as_decided(house: House, org: Cast) -> None:
    owners = {
        "member": ("human", org.people["member"].user_id),
        "svc": ("service", org.program.service_account_id),
    }
    for caller, owner in owners.items():
        registered(house, org, caller, "desk")
        found = by_name(house, org, caller, "desk").json()
        assert (found["ownerPrincipalKind"], found["ownerId"]) == owner


@pytest.mark.parametrize(
    ("caller", "sees"), [("member", False), ("manager", True), ("owner", True), ("svc-mgr", False)]
)
def test_managers_and_owners_also_see_computers_of_programs_as_decided(
    house: House, org: Cast, caller: str, sees: bool
) -> None:
    registered(house, org, "svc", "worker")

    assert by_name(house, org, caller, "worker").status_code == (200 if sees else 404)


def test_the_values_provisioning_active_and_error_are_of_status_as_decided(
    one_house: House,
) -> None:
    status = described(one_house, "Computer")["properties"]["status"]

    assert status["enum"] == ["provisioning", "active", "error"]


def test_a_provisioning_step_has_seven_members_of_which_three_are_required_as_decided(
    one_house: House,
) -> None:
    step = described(one_house, "ProvisioningStep")

    assert set(step["properties"]) == {
        "id", "name", "status", "error", "startedAt", "completedAt", "installSessionId",
    }  # fmt: skip
    assert step["required"] == ["id", "name", "status"]


def test_a_source_is_a_template_or_as_decided_another_computer(one_house: House) -> None:
    variants = {
        kind: set(described(one_house, schema)["properties"])
        for kind, schema in (("template", "TemplateSource"), ("computer", "ComputerSource"))
    }

    assert variants == {"template": {"kind", "templateId"}, "computer": {"kind", "computerId"}}


def test_required_members_are_id_name_provider_type_and_created_at_as_decided(
    one_house: House,
) -> None:
    assert {"id", "name", "providerType", "createdAt"} <= set(
        described(one_house, "Computer")["required"]
    )
