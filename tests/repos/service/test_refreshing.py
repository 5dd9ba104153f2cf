"""Fetching registered repositories, and the credentials that it takes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster import clock
from stationmaster.access.model import Caller, Secret
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, OperatorError, Unavailable
from stationmaster.ids import RepoId
from stationmaster.repos import mirrors, service
from stationmaster.repos.model import Credential, FetchFailed
from stationmaster.settings import Settings
from tests.repos.conftest import settings_of
from tests.repos.service.registry import NOW, NOW_MS, SECRET, URL, a_token, events
from tests.support.git_servers import GitServer, Handler, status
from tests.support.repositories import Repository


class TestCredentials:
    def test_are_replaced_and_removed(
        self, db: Database, settings: Settings, vault: Vault, ada: Caller
    ) -> None:
        made, _ = service.register(db, vault, ada, URL, a_token())
        basic = Credential("basic", "ada", Secret("other"))
        replaced = service.set_credential(db, vault, ada, made.repo_id, basic)
        service.remove_credential(db, ada, made.repo_id)
        service.remove_credential(db, ada, made.repo_id)

        assert made.has_credential
        assert replaced.has_credential
        assert not service.get(db, ada.org_id, made.repo_id).has_credential
        assert events(db, ada) == [
            ("repository_registered", made.repo_id, {"provider": "other"}),
            ("repository_credential_set", made.repo_id, {"kind": "token"}),
            ("repository_credential_set", made.repo_id, {"kind": "basic"}),
            ("repository_credential_removed", made.repo_id, None),
        ]

    def test_open_with_the_repository_they_are_for_and_no_other(
        self, db: Database, settings: Settings, vault: Vault, ada: Caller
    ) -> None:
        """A row that somebody copied to their own repository does not open there."""
        made, _ = service.register(db, vault, ada, URL, a_token())
        mine, _ = service.register(db, vault, ada, URL + "2", a_token())
        with db.transaction() as connection:
            connection.exec_driver_sql(
                "UPDATE repository_credentials SET sealed = (SELECT sealed FROM "
                f"repository_credentials WHERE repo_id = '{made.repo_id}')"
                f" WHERE repo_id = '{mine.repo_id}'"
            )

        with pytest.raises(OperatorError):
            service.refresh(db, settings, vault, ada.org_id, mine.repo_id)

    def test_are_seen_nowhere(
        self,
        db: Database,
        vault: Vault,
        ada: Caller,
        origin: Repository,
        server: GitServer,
        settings: Settings,
        tmp_path: Path,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        caplog.set_level(logging.DEBUG)
        origin.commit({"a": "1"})
        arrived, go_on = threading.Event(), threading.Event()

        def hold(handler: Handler) -> None:
            arrived.set()
            go_on.wait(30)
            status(500)(handler)

        server.authorization = f"Bearer {SECRET}"
        server.before[b"command=fetch"] = hold
        made, _ = service.register(db, vault, ada, server.url("a"), a_token())
        faults: list[FetchFailed] = []
        fetching = threading.Thread(
            target=lambda: faults.append(_failure(db, settings, vault, ada, made.repo_id))
        )
        fetching.start()
        assert arrived.wait(30)
        arguments = b"".join(_command_lines())
        on_disk = _bytes_below(settings.data_dir)
        go_on.set()
        fetching.join()
        server.before.clear()
        shown = service.refresh(db, settings, vault, ada.org_id, made.repo_id)
        with db.reading() as connection:
            stored = [
                tuple(row)
                for table in ("repositories", "repository_credentials", "audit_log")
                for row in connection.exec_driver_sql(f"SELECT * FROM {table}")
            ]

        assert b"remote-http" in arguments
        told = f"{faults[0]!r} {faults[0].__cause__!r} {shown!r} {caplog.text} {stored!r}"
        for place in (arguments, on_disk, _bytes_below(tmp_path), told.encode()):
            assert SECRET.encode() not in place


class TestRefreshing:
    def test_keeps_what_was_found_and_when(
        self,
        db: Database,
        vault: Vault,
        ada: Caller,
        origin: Repository,
        server: GitServer,
        settings: Settings,
    ) -> None:
        clock.freeze(NOW)
        commit = origin.commit({"a": "1"})
        made, _ = service.register(db, vault, ada, server.url("a"))
        with pytest.raises(Conflict) as early:
            service.source(settings, ada.org_id, made)

        found = service.refresh(db, settings, vault, ada.org_id, made.repo_id)

        assert early.value.code == "repository_not_fetched"
        assert (found.head_commit, found.default_branch) == (commit, "main")
        assert (found.fetched_at, found.fetch_error) == (NOW_MS, None)
        with service.source(settings, ada.org_id, found).open() as snapshot:
            assert (snapshot.commit, snapshot.branch) == (commit, "main")
            assert snapshot.read("a", 1) == b"1"

    def test_tells_of_the_last_failure_and_keeps_the_last_success(
        self,
        db: Database,
        vault: Vault,
        ada: Caller,
        origin: Repository,
        server: GitServer,
        settings: Settings,
    ) -> None:
        commit = origin.commit({"a": "1"})
        made, _ = service.register(db, vault, ada, server.url("a"))
        service.refresh(db, settings, vault, ada.org_id, made.repo_id)
        server.authorization = "Bearer other"

        fault = _failure(db, settings, vault, ada, made.repo_id)
        failed = service.get(db, ada.org_id, made.repo_id)
        server.authorization = None
        repaired = service.refresh(db, settings, vault, ada.org_id, made.repo_id)

        assert fault.code == "repository_forbidden"
        assert (failed.fetch_error, failed.head_commit) == ("forbidden", commit)
        assert repaired.fetch_error is None

    def test_does_not_wait_for_too_many_others(
        self,
        db: Database,
        vault: Vault,
        ada: Caller,
        server: GitServer,
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(mirrors, "_turns", threading.BoundedSemaphore(1))
        monkeypatch.setattr(mirrors, "LOCK_WAIT_S", 0.05)
        made, _ = service.register(db, vault, ada, server.url("a"))

        with mirrors._turn(), pytest.raises(Unavailable) as busy:
            service.refresh(db, settings, vault, ada.org_id, made.repo_id)

        assert busy.value.code == "repository_busy"
        assert _failure(db, settings, vault, ada, made.repo_id).reason == "not_found"

    def test_is_done_by_one_machine_at_a_time(
        self,
        db: Database,
        vault: Vault,
        ada: Caller,
        origin: Repository,
        server: GitServer,
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        origin.commit({"a": "1"})
        made, _ = service.register(db, vault, ada, server.url("a"))
        monkeypatch.setattr(mirrors, "LOCK_WAIT_S", 0)

        with db.alone(f"fetch {ada.org_id} {made.repo_id}"), pytest.raises(Unavailable) as busy:
            service.refresh(db, settings, vault, ada.org_id, made.repo_id)

        assert busy.value.code == "repository_busy"
        assert service.refresh(db, settings, vault, ada.org_id, made.repo_id).head_commit

    def test_brings_a_machine_what_another_has_fetched(
        self,
        db: Database,
        vault: Vault,
        ada: Caller,
        origin: Repository,
        server: GitServer,
        settings: Settings,
        tmp_path: Path,
    ) -> None:
        origin.commit({"a": "1"})
        other = settings_of(server, tmp_path / "other")
        made, _ = service.register(db, vault, ada, server.url("a"))
        service.refresh(db, settings, vault, ada.org_id, made.repo_id)
        origin.commit({"a": "2"})
        found = service.refresh(db, other, vault, ada.org_id, made.repo_id)
        assert not service.is_at_hand(settings, ada.org_id, found)

        found = service.refresh(db, settings, vault, ada.org_id, made.repo_id)

        assert service.is_at_hand(settings, ada.org_id, found)
        assert service.is_at_hand(other, ada.org_id, found)


def test_a_slow_server_is_told_with_its_code(
    db: Database, vault: Vault, ada: Caller, server: GitServer, tmp_path: Path
) -> None:
    settings = settings_of(server, tmp_path, repos_fetch_seconds=0)
    made, _ = service.register(db, vault, ada, server.url("a"))

    assert _failure(db, settings, vault, ada, made.repo_id).code == "repository_timed_out"
    assert service.get(db, ada.org_id, made.repo_id).fetch_error == "timed_out"


def _failure(
    db: Database, settings: Settings, vault: Vault, caller: Caller, repo: RepoId
) -> FetchFailed:
    with pytest.raises(FetchFailed) as failed:
        service.refresh(db, settings, vault, caller.org_id, repo)
    return failed.value


def _command_lines() -> Iterator[bytes]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_bytes()
        except OSError:
            continue  # It has ended meanwhile.


def _bytes_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
