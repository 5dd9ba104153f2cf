"""Every page without parameters answers each role as the table of the API's operations says."""

from __future__ import annotations

from typing import cast

import pytest

from stationmaster.access.model import Role
from tests.conformance import matrix
from tests.web.conftest import Office
from tests.web.page_list import patterns
from tests.web.worked import work

OTHERS = {"/wiki"}
"""Targets of forms, which answer with no page of their own."""


def test_every_page_without_parameters_is_in_the_table() -> None:
    assert {path for path in patterns() if "{" not in path} - OTHERS == set(matrix.pages())


@pytest.mark.parametrize("who", ["owner", "manager", "member", "guest", "nobody"])
def test_each_page_is_for_whom_the_table_says(office: Office, who: str) -> None:
    work(office)
    asks = office.person(cast(Role, who), f"{who}@who.example") if who != "nobody" else None
    with office.visitor(asks) as visitor:
        found = {path: visitor.get(path).status_code for path in matrix.pages()}

    assert found == {path: status[who] for path, status in matrix.pages().items()}
