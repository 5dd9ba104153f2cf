"""Whether HEADs moved, asked with one request a repository."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection

from stationmaster import clock
from stationmaster.access import operator
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId, RepoId
from stationmaster.repos import service
from stationmaster.settings import Settings
from tests.support.builders import a_member, an_organization
from tests.support.git_servers import GitServer, redirect, status
from tests.support.repositories import Repository

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
VAULT = Vault(bytes(32))
COUNT = 12


@pytest.fixture
def org(db: Database) -> OrgId:
    clock.freeze(NOW)
    made = an_organization(db)
    a_member(db, made, role="owner")
    return made


@pytest.fixture
def registered(
    db: Database, org: OrgId, server: GitServer, settings: Settings
) -> dict[RepoId, Repository]:
    """Repositories that are registered and fetched."""
    found = {}
    for number in range(COUNT):
        made = Repository(server.folder / f"r{number}", "main", "--bare")
        made.commit({"a": str(number)})
        known, _ = service.register(db, VAULT, operator.owner(db, org), server.url(f"r{number}"))
        service.refresh(db, settings, VAULT, org, known.repo_id)
        found[known.repo_id] = made
    server.seen.clear()
    return found


Round = Callable[[timedelta], list[RepoId]]


@pytest.fixture
def look(db: Database, settings: Settings) -> Round:
    """One round at a time after NOW, and which repositories it said have moved."""

    def look(after: timedelta) -> list[RepoId]:
        clock.freeze(NOW + after)
        told: list[RepoId] = []

        def moved(_connection: Connection, _org: OrgId, repo: RepoId) -> None:
            told.append(repo)

        service.look_around(db, settings, VAULT, moved, threading.Event())
        return told

    return look


HOUR = timedelta(hours=1)


def test_a_repository_that_did_not_move_costs_one_request_and_no_fetch(
    registered: dict[RepoId, Repository], server: GitServer, look: Round
) -> None:
    assert look(timedelta(minutes=19)) == []
    assert server.seen == []
    assert look(HOUR) == []
    assert sorted(path for _, path, _ in server.seen) == sorted(
        f"/r{number}/info/refs?service=git-upload-pack" for number in range(COUNT)
    )


@pytest.mark.both_databases
def test_a_repository_that_moved_is_announced_until_it_is_fetched(
    db: Database,
    org: OrgId,
    registered: dict[RepoId, Repository],
    settings: Settings,
    look: Round,
) -> None:
    repo, repository = next(iter(registered.items()))
    commit = repository.commit({"a": "new"})

    assert look(HOUR) == [repo]
    assert look(2 * HOUR) == [repo]
    seen: list[RepoId] = []
    found = service.refresh(
        db, settings, VAULT, org, repo, moved=lambda _c, _o, repo: seen.append(repo)
    )
    assert (found.head_commit, seen) == (commit, [repo])
    assert look(3 * HOUR) == []


def test_a_server_that_fails_is_told_and_forgotten_once_it_answers(
    db: Database, org: OrgId, registered: dict[RepoId, Repository], server: GitServer, look: Round
) -> None:
    server.before["/r0/"] = status(403)
    assert look(HOUR) == []
    (failed,) = service.find(db, org, server.url("r0"))
    server.before.clear()
    assert look(2 * HOUR) == []
    (well,) = service.find(db, org, server.url("r0"))

    assert (failed.fetch_error, well.fetch_error) == ("forbidden", None)
    assert failed.fetched_at == well.fetched_at


def test_a_refresh_of_what_did_not_move_is_one_request_too(
    db: Database,
    org: OrgId,
    registered: dict[RepoId, Repository],
    server: GitServer,
    settings: Settings,
) -> None:
    service.refresh(db, settings, VAULT, org, next(iter(registered)))
    assert len(server.seen) == 1


def test_a_redirect_costs_one_more(
    db: Database, org: OrgId, server: GitServer, settings: Settings, look: Round
) -> None:
    Repository(server.folder / "new", "main", "--bare").commit({"a": "1"})
    known, _ = service.register(db, VAULT, operator.owner(db, org), server.url("old"))
    server.before["/old/"] = redirect(
        f"http://{server.place}/new/info/refs?service=git-upload-pack"
    )

    assert look(HOUR) == [known.repo_id]
    assert len(server.seen) == 2


@pytest.mark.both_databases
def test_one_process_looks_at_a_time(
    db: Database, registered: dict[RepoId, Repository], server: GitServer, look: Round
) -> None:
    with db.alone("look at heads"):
        assert look(HOUR) == []
    assert server.seen == []
