"""An organization that trusts the issuer of the tests."""

from __future__ import annotations

import pytest

from stationmaster.access.model import Member
from stationmaster.access.signing_in.oidc import Issuers
from stationmaster.ids import OrgId
from tests.support.issuer import (
    RunningIssuer,
)


@pytest.fixture
def trusted(issuer: RunningIssuer, org: OrgId, ada: Member) -> Issuers:
    return Issuers([issuer.configured(org)])
