"""One running server per database with Acme's week in it; spec tests only read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from stationmaster import clock
from tests.spec import day
from tests.support import databases
from tests.support.servers import Server, running_server, settings_for


@dataclass(frozen=True)
class Week:
    """The server, who lives on it, and a client with the owner's key."""

    server: Server
    acme: day.Acme
    client: httpx.Client

    def get(self, report: str, **params: str) -> httpx.Response:
        asked = {"startDate": "2026-11-16", "endDate": "2026-11-20"} | params
        return self.client.get(f"/api/v1/analytics/{report}", params=asked)


@pytest.fixture(scope="module", params=databases.KINDS)
def _week(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Week]:
    folder = tmp_path_factory.mktemp("week")
    if request.param == "sqlite":
        yield from _running(folder, "sqlite")
        return
    with request.getfixturevalue("postgresql").database() as url:
        yield from _running(folder, url)


@pytest.fixture
def week(_week: Week) -> Week:
    clock.freeze(day.NOW)
    return _week


def _running(folder: Path, url: str) -> Iterator[Week]:
    clock.freeze(day.NOW)
    with running_server(settings_for(folder, url)) as server:
        acme = day.Acme(server.services.db)
        with server.client(acme.key) as client, server.client(acme.nightly_key) as program:
            day.send(client, day.tuesday())
            day.send(program, day.nightly())
            day.send(client, day.thursday())
            yield Week(server, acme, client)
