"""Chapter Versioning: segments of paths, the version of the description, and where it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conformance.conftest import House
from tests.conformance.published import PUBLISHED, Operation

POLICY = Path(__file__).resolve().parents[2] / "docs" / "versioning.md"


@pytest.mark.parametrize("operation", PUBLISHED, ids=lambda op: op.template)
def test_analytics_carry_v1_readiness_no_version_and_the_others_v0(operation: Operation) -> None:
    [segment] = re.match(r"/api/(\w+)/", operation.path).groups()  # type: ignore[union-attr]  # every operation has a version
    wanted = "v1" if "/analytics/" in operation.path else "v0"

    assert segment == ("organization" if "-reports" in operation.path else wanted)


def test_the_description_declares_its_version_as_0_1_0(one_house: House) -> None:
    assert one_house.client("none").get("/openapi.json").json()["info"]["version"] == "0.1.0"


def test_the_description_is_at_one_fixed_address_for_everyone_as_decided(
    one_house: House,
) -> None:
    answers = [
        one_house.client(caller).get("/openapi.json") for caller in ("none", "guest", "owner")
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert len({answer.content for answer in answers}) == 1
    assert answers[0].headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "rule", ["Deprecation", "RFC 9745", "Sunset", "RFC 8594", "180 days", "ignore", "closed"]
)
def test_the_policy_of_compatibility_and_deprecation_is_written_down_as_decided(rule: str) -> None:
    assert rule in POLICY.read_text()
