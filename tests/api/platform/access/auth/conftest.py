"""A server whose organization trusts an issuer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from stationmaster.access.model import Member
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from tests.api.platform.access.auth.signing import PASSWORD
from tests.api.platform.access.auth.test_providers import settings_with
from tests.support.builders import a_member, a_password, an_organization
from tests.support.issuer import RunningIssuer, running_issuer
from tests.support.servers import Server, running_server


@pytest.fixture(scope="module")
def issuer() -> Iterator[RunningIssuer]:
    with running_issuer() as running:
        yield running


@pytest.fixture
def org(db: Database) -> OrgId:
    return an_organization(db)


@pytest.fixture
def ada(db: Database, org: OrgId) -> Member:
    a_member(db, org, "owner@example.com", "owner")
    ada = a_member(db, org, role="manager")
    a_password(db, org, ada, PASSWORD)
    return ada


@pytest.fixture
def server(
    db: Database, database_url: str, tmp_path: Path, org: OrgId, ada: Member, issuer: RunningIssuer
) -> Iterator[Server]:
    with running_server(settings_with(tmp_path, database_url, issuer.setting("Acme"))) as running:
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client() as opened:
        yield opened
