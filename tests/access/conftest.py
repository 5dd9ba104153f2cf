"""An organization, and the one real issuer of the tests that need its keys to stay the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from tests.support.builders import an_organization
from tests.support.issuer import RunningIssuer, running_issuer


@pytest.fixture(scope="session")
def issuer() -> Iterator[RunningIssuer]:
    with running_issuer() as running:
        yield running


@pytest.fixture
def org(db: Database) -> OrgId:
    return an_organization(db)
