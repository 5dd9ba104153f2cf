"""A server that fetches from a git server on loopback."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stationmaster import clock
from tests.api.conftest import Ask
from tests.api.v0.ci_scan.organization import Acme
from tests.spec import day
from tests.support.cast import Cast
from tests.support.git_servers import GitServer, git_server
from tests.support.servers import Server


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitServer]:
    with git_server(tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture(scope="module")
def server_fields(git: GitServer) -> dict[str, object]:
    return {
        "repos_private_hosts": git.place,
        "repos_http_hosts": git.place,
        "repos_fetch_seconds": 30,
        "ci_scan_seconds": 3,
    }


@pytest.fixture
def cast(any_server: Server) -> Cast:
    clock.freeze(day.NOW)
    return Cast(any_server.services.db, "acme")


@pytest.fixture
def acme(git: GitServer, cast: Cast, ask: Ask) -> Acme:
    return Acme(git, cast, ask)
