"""An organization that trusts the issuer of the tests."""

from __future__ import annotations

import pytest

from stationmaster.access.model import Member
from stationmaster.access.signing_in.oidc import Issuers
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from tests.support.builders import a_member, an_organization
from tests.support.issuer import (
    RunningIssuer,
)


@pytest.fixture
def org(db: Database) -> OrgId:
    return an_organization(db)


@pytest.fixture
def ada(db: Database, org: OrgId) -> Member:
    a_member(db, org, "owner@example.com", "owner")
    return a_member(db, org, role="manager")


@pytest.fixture
def trusted(issuer: RunningIssuer, org: OrgId, ada: Member) -> Issuers:
    return Issuers([issuer.configured(org)])
