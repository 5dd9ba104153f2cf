"""A database that is away while calls run: each budget says what happens then, and what was called
meanwhile is counted afterwards."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from stationmaster.db import drivers
from stationmaster.gateway import services
from tests.gateway.test_budgets import PATHS, body, until
from tests.limits.cases import a_budget, open_holds, spent
from tests.support import databases, gateways
from tests.support.gateways import Installation
from tests.support.raw_provider import RawProvider, raw_provider
from tests.support.servers import settings_for

pytestmark = pytest.mark.slow
ANSWER = b'{"usage":{"input_tokens":1000,"output_tokens":100}}'
PRICE = (1000 * 3 + 100 * 15) * 10**6


class House(NamedTuple):
    installation: Installation
    provider: RawProvider
    agent: httpx.Client


@contextmanager
def _locked(path: str) -> Iterator[None]:
    """Another process holds SQLite's write lock."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@contextmanager
def _killed(server: databases.PostgreSQL) -> Iterator[None]:
    server.kill()
    try:
        yield
    finally:
        server.restart()


@contextmanager
def _house(folder: Path, url: str) -> Iterator[House]:
    with (
        gateways.an_installation(settings_for(folder, url)) as installation,
        raw_provider() as provider,
        gateways.running_gateway(installation.settings) as gateway,
        gateways.client(gateway) as agent,
    ):
        provider.answer(ANSWER)
        installation.provider("anthropic", "anthropic", provider.url)
        yield House(installation, provider, agent)


Away = tuple[House, AbstractContextManager[None]]


@pytest.fixture(params=databases.KINDS)
def away(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Away]:
    """A running gateway, and a time in which its database is away."""
    monkeypatch.setattr(drivers, "BUSY_TIMEOUT_MS", 200)
    monkeypatch.setattr(services, "SWEEP_S", 0.1)
    if request.param == "sqlite":
        with _house(tmp_path, "sqlite") as house:
            yield house, _locked(house.installation.db.path)
        return
    server: databases.PostgreSQL = request.getfixturevalue("postgresql")
    with server.database() as url, _house(tmp_path, url) as house:
        yield house, _killed(server)


def call(house: House) -> httpx.Response:
    return house.agent.post(
        PATHS["anthropic"], json=body(), headers={"x-api-key": house.installation.key}
    )


def settle_down() -> None:
    """Time for the gateway to look at the budgets of its callers, which it does ten times a second
    here, and for PostgreSQL to write what it may lose for less than a second."""
    time.sleep(1)


def test_where_a_budget_allows_it_calls_go_on_and_are_counted_when_the_database_is_back(
    away: Away,
) -> None:
    house, gone = away
    made = house.installation
    budget = a_budget(made.db, made.org, when_unreachable="allow")
    assert call(house).status_code == 200
    until(lambda: spent(made.db, budget) == PRICE)
    settle_down()

    with gone:
        answers = [call(house) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    until(lambda: spent(made.db, budget) == 3 * PRICE, 30)
    assert open_holds(made.db) == 0


def test_where_a_budget_refuses_it_no_call_begins_while_the_database_is_away(away: Away) -> None:
    house, gone = away
    made = house.installation
    budget = a_budget(made.db, made.org, when_unreachable="refuse")
    assert call(house).status_code == 200
    until(lambda: spent(made.db, budget) == PRICE)
    settle_down()
    before = len(house.provider.requests)

    with gone:
        answer = call(house)

    assert answer.status_code == 503
    assert answer.json()["error"]["type"] == "overloaded_error"
    assert len(house.provider.requests) == before
    until(lambda: open_holds(made.db) == 0, 30)
    assert spent(made.db, budget) == PRICE
