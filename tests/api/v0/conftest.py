"""A server with one organization on it, on each database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support import databases
from tests.support.cast import Cast
from tests.support.servers import Server, running_server, settings_for


@pytest.fixture(scope="module", params=databases.KINDS)
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("v0")
    if request.param == "sqlite":
        with running_server(settings_for(folder, "sqlite")) as server:
            yield server
        return
    with (
        request.getfixturevalue("postgresql").database() as url,
        running_server(settings_for(folder, url)) as server,
    ):
        yield server


@pytest.fixture
def cast(served: Server) -> Cast:
    """A fresh organization with a caller of each kind."""
    return Cast(served.services.db, "acme")
