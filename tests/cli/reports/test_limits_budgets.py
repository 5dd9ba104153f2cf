"""Budgets by command: setting them, being stopped on a laptop, asking and deciding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from stationmaster import clock
from stationmaster.client import server as servers
from stationmaster.client.server import Server as Remembered
from tests.spec import day
from tests.support.builders import a_key, a_member
from tests.support.commands import command, succeed
from tests.support.servers import running_server, settings_for


class House(NamedTuple):
    """A server with an owner, and a laptop whose agents send to it as a member."""

    owner: tuple[str, ...]
    budget: str


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    clock.freeze(day.NOW)
    with running_server(settings_for(tmp_path / "server", "sqlite")) as server:
        db = server.services.db
        acme = day.Acme(db)
        owner = ("--url", server.url, "--key", acme.key)
        member = a_member(db, acme.org, "eve@example.com")
        laptop = tmp_path / "laptop"
        laptop.mkdir()
        monkeypatch.chdir(laptop)
        key = a_key(db, acme.org, member, "ingest")
        servers.save(tmp_path / "client", Remembered(server.url, key))
        terms = ("--amount", "5", "--currency", "usd", "--at-end", "refuse")
        scope = ("--scope", "user:eve@example.com")
        budget = succeed("limits", "budgets", "set", *scope, *terms, *owner)["id"]
        yield House(owner, budget)


def test_the_command_of_a_refusal_works_on_the_machine_that_was_refused(house: House) -> None:
    asked = command("limits", "ask", house.budget, "--reason", "a release", "--amount", "3")
    own = succeed("limits", "effective")

    assert asked.code == 0, asked.error
    assert "requested; owners and managers decide." in asked.stderr
    assert own["principal"]["name"] == "eve@example.com"


def test_a_data_folder_and_a_server_that_are_named_come_first(house: House, tmp_path: Path) -> None:
    elsewhere = command("limits", "effective", "--data-dir", tmp_path / "none")

    assert "is not a Stationmaster data folder" in elsewhere.error


def test_who_decides_finds_what_was_asked_for(house: House) -> None:
    nothing = command("limits", "requests", *house.owner)
    asked = succeed("limits", "ask", house.budget, "--reason", "a release", "--amount", "3")["id"]
    waiting = command("limits", "requests", *house.owner).stdout.decode()
    command("limits", "approve", asked, "--amount", "2", "--until", "2026-12-31", *house.owner)
    decided = command("limits", "requests", *house.owner).stdout.decode()

    assert "There are no requests for more." in nothing.stderr
    for part in (asked, "user:eve@example.com", "$3.0000", "a release", "open"):
        assert part in waiting
    for part in (asked, "user:eve@example.com", "approved", "$2.0000", "2026-12-31"):
        assert part in decided


def test_what_is_granted_through_a_day_is_said_by_that_day(house: House) -> None:
    request = succeed("limits", "ask", house.budget, "--reason", "a release")["id"]
    last = ("--until", "2026-12-31")

    done = command("limits", "approve", request, "--amount", "3", *last, *house.owner)

    assert "approved through 2026-12-31 (UTC)." in done.stderr


def test_forecasts_are_of_all_budgets_for_owners_and_of_their_own_for_others(house: House) -> None:
    terms = ("--scope", "team:core", "--amount", "0", "--currency", "usd")
    succeed("limits", "budgets", "set", *terms, *house.owner)

    everybody = command("limits", "forecast", *house.owner)
    own = command("limits", "forecast")

    assert "team:core" in everybody.stdout.decode()
    assert "used up" in everybody.stdout.decode()
    assert "user:eve@example.com" in own.stdout.decode()
    assert "team:core" not in own.stdout.decode()


def test_the_budget_that_binds_is_named_with_its_reason(house: House) -> None:
    done = command("limits", "effective")

    assert f"{house.budget} binds first. It applies because it is the person's own." in (
        done.stderr
    )
