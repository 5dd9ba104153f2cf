"""An organization with an owner, at a fixed time."""

from __future__ import annotations

import pytest

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from tests.computers.service.people import NOW
from tests.support.builders import a_caller, a_member, an_organization


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


@pytest.fixture
def org(db: Database) -> OrgId:
    return an_organization(db)


@pytest.fixture
def ada(db: Database, org: OrgId) -> Caller:
    return a_caller(db, org, a_member(db, org, "ada@example.com"))
