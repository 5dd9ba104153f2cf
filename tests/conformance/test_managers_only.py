"""The strict rule that a setting turns on: the public API is for owners and managers alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stationmaster import clock
from tests.conformance.asks import asked, send
from tests.conformance.conftest import House, a_house
from tests.conformance.matrix import Row, rows
from tests.spec import day

PUBLIC = [row for row in rows() if row.path.startswith(("/api/v0/", "/api/organization/"))]
OTHERS = [row for row in rows() if row not in PUBLIC]


@pytest.fixture(scope="module")
def _strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    yield from a_house(tmp_path_factory.mktemp("strict"), "sqlite", managers_only=True)


@pytest.fixture
def strict(_strict: House) -> House:
    clock.freeze(day.NOW)
    return _strict


@pytest.mark.parametrize("caller", ["owner", "manager", "svc-mgr", "member", "svc", "guest"])
@pytest.mark.parametrize("row", PUBLIC, ids=lambda row: row.operation)
def test_under_the_strict_rule_the_public_api_is_for_owners_and_managers_as_decided(
    strict: House, row: Row, caller: str
) -> None:
    is_refused = caller in ("member", "svc", "guest")
    # Who is refused can have made nothing to ask about.
    ask = asked(strict, row, "owner" if is_refused else caller)

    answer = send(strict, row, ask, caller)

    assert answer.status_code == (403 if is_refused else row.status[caller]), answer.text


@pytest.mark.parametrize("row", OTHERS, ids=lambda row: row.operation)
def test_the_strict_rule_changes_nothing_outside_the_public_api_as_decided(
    strict: House, row: Row
) -> None:
    answer = send(strict, row, asked(strict, row, "member"), "member")

    assert answer.status_code == row.status["member"], answer.text
