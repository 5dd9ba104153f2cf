"""An organization with an owner who uploads wikis."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from stationmaster.ids import OrgId
from tests.api.v0.wiki.uploads import a_client
from tests.support.builders import an_organization
from tests.support.servers import Server


@pytest.fixture
def org(any_server: Server) -> OrgId:
    return an_organization(any_server.services.db)


@pytest.fixture
def ada(any_server: Server, org: OrgId) -> Iterator[httpx.Client]:
    """A member."""
    with a_client(any_server, org, "ada") as client:
        yield client
