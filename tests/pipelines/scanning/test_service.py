"""The scan of an organization by machines that share a database and no disk."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster.access import operator
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId, RepoId
from stationmaster.pipelines.scanning.service import Scanner
from stationmaster.repos import service as repos
from tests.repos.conftest import settings_of
from tests.support.builders import a_member, an_organization
from tests.support.git_servers import GitServer, git_server
from tests.support.repositories import Repository

WORKFLOW = "on: push\njobs: {test: {runs-on: ubuntu-latest, steps: [{run: make}]}}\n"


@pytest.fixture
def git(tmp_path: Path) -> Iterator[GitServer]:
    (tmp_path / "served").mkdir()
    with git_server(tmp_path / "served") as running:
        Repository(running.folder / "a", "main", "--bare").commit(
            {".github/workflows/t.yml": WORKFLOW}
        )
        yield running


@pytest.fixture
def machines(db: Database, git: GitServer, tmp_path: Path) -> Iterator[list[Scanner]]:
    vault = Vault(bytes(32))
    made = [Scanner(db, settings_of(git, tmp_path / name), vault) for name in ("one", "other")]
    yield made
    for scanner in made:
        scanner.close()


@pytest.fixture
def repository(db: Database, git: GitServer) -> tuple[OrgId, RepoId]:
    org = an_organization(db)
    a_member(db, org, role="owner")
    made, _ = repos.register(db, Vault(bytes(32)), operator.owner(db, org), git.url("a"))
    return org, made.repo_id


def test_a_machine_scans_what_another_has_fetched(
    db: Database,
    git: GitServer,
    machines: list[Scanner],
    repository: tuple[OrgId, RepoId],
    tmp_path: Path,
) -> None:
    org, repo = repository
    repos.refresh(db, settings_of(git, tmp_path / "third"), Vault(bytes(32)), org, repo)

    found = machines[0].scan(org)

    assert [each.status for each in found.repositories] == ["scanned"]
    assert [each.file_path for each in found.workflows] == [".github/workflows/t.yml"]


def test_machines_that_scan_at_once_look_at_a_repository_once(
    db: Database, machines: list[Scanner], repository: tuple[OrgId, RepoId]
) -> None:
    org, repo = repository
    with db.alone(f"look at {org} {repo}"):
        threads = [threading.Thread(target=machine.scan, args=(org,)) for machine in machines]
        for thread in threads:
            thread.start()
        threads[0].join(0.3)
    for thread in threads:
        thread.join()

    fetched = [len(list(m._settings.repos_dir.rglob("*.git"))) for m in machines]
    assert sorted(fetched) == [0, 1]
    assert [each.status for each in machines[0].scan(org).repositories] == ["scanned"]
