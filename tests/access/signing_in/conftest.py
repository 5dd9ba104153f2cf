"""A member of an organization that has an owner."""

from __future__ import annotations

import pytest

from stationmaster.access.model import Member
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from tests.support.builders import a_member


@pytest.fixture
def ada(db: Database, org: OrgId) -> Member:
    a_member(db, org, "owner@example.com", "owner")
    return a_member(db, org, role="manager")
