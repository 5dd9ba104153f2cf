"""A running server with two organizations on it, and a client for every kind of caller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from stationmaster import clock
from tests.spec import day
from tests.spec.conftest import _week, week
from tests.support import databases
from tests.support.cast import Cast
from tests.support.servers import Server, running_server, settings_for

__all__ = ["_week", "week"]


class House:
    """The server, our organization, another one, and who asks."""

    def __init__(self, server: Server, opened: ExitStack) -> None:
        self.server = server
        self.ours = Cast(server.services.db, "ours")
        self.theirs = Cast(server.services.db, "theirs")
        self._opened = opened
        self._clients: dict[tuple[str, str], httpx.Client] = {}

    def client(self, caller: str = "owner", of: Cast | None = None) -> httpx.Client:
        """A client of our organization (or of another) with the key of one kind of caller."""
        cast = of or self.ours
        known = (cast.org, caller)
        if known not in self._clients:
            opened = self._opened.enter_context(self.server.client(cast.keys[caller]))
            self._clients[known] = opened
        return self._clients[known]

    def another(self, mark: str) -> Cast:
        """A fresh organization, for a test that wants to be alone with its data."""
        return Cast(self.server.services.db, mark)


def a_house(folder: Path, url: str, **fields: object) -> Iterator[House]:
    """With settings of its own, if any."""
    clock.freeze(day.NOW)
    quiet: dict[str, object] = {"limit_writes_per_minute": 0, "metrics_addresses": ""}
    with (
        running_server(settings_for(folder, url, **(quiet | fields))) as server,
        ExitStack() as opened,
    ):
        yield House(server, opened)


@pytest.fixture(scope="module", params=databases.KINDS)
def _houses(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("house")
    if request.param == "sqlite":
        yield from a_house(folder, "sqlite")
        return
    with request.getfixturevalue("postgresql").database() as url:
        yield from a_house(folder, url)


@pytest.fixture
def house(_houses: House) -> House:
    """On each database."""
    clock.freeze(day.NOW)
    return _houses


@pytest.fixture(scope="module")
def _one_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    yield from a_house(tmp_path_factory.mktemp("house"), "sqlite")


@pytest.fixture
def one_house(_one_house: House) -> House:
    """On SQLite alone, where the database cannot matter."""
    clock.freeze(day.NOW)
    return _one_house
