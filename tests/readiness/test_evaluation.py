"""Registered repositories are evaluated by jobs, and stored reports say only what is new."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster.access import operator
from stationmaster.access.vault import Vault
from stationmaster.children import limits
from stationmaster.children.limits import Limits
from stationmaster.db.engine import Database
from stationmaster.errors import NotFound
from stationmaster.ids import OrgId, RepoId
from stationmaster.jobs import service as jobs
from stationmaster.jobs.runner import Runner
from stationmaster.readiness import evaluation, service
from stationmaster.repos import service as repos
from tests.repos.conftest import settings_of
from tests.support.builders import a_member, an_organization
from tests.support.git_servers import GitServer, git_server
from tests.support.repositories import SECONDS, Repository

VAULT = Vault(bytes(32))


@pytest.fixture
def git(tmp_path: Path) -> Iterator[GitServer]:
    (tmp_path / "served").mkdir()
    with git_server(tmp_path / "served") as running:
        yield running


@pytest.fixture
def origin(git: GitServer) -> Repository:
    made = Repository(git.folder / "a", "main", "--bare")
    made.commit({"LICENSE": "All rights reserved.\n"})
    return made


class Installation:
    def __init__(self, db: Database, git: GitServer, folder: Path) -> None:
        self.db = db
        self.org = _organization(db)
        self.caller = operator.owner(db, self.org)
        self.moved: list[RepoId] = []
        self.repo = repos.register(db, VAULT, self.caller, git.url("a"))[0].repo_id
        evaluator = evaluation.Evaluator(
            db, settings_of(git, folder), VAULT, lambda _c, _o, repo: self.moved.append(repo)
        )
        self.runner = Runner(db, {evaluation.JOB: evaluator})

    def evaluate(self) -> str:
        """How the job ends."""
        asked = jobs.ask(self.db, self.org, evaluation.JOB, self.repo, by=self.caller)
        self.runner.do_next(threading.Event())
        return jobs.get(self.db, self.org, asked.job_id).state

    def reports(self) -> list[dict[str, object]]:
        bodies = service.reports(self.db, self.org, repository=self.repo, start_after=None, count=9)
        return [json.loads(body) for body in bodies]


def _organization(db: Database) -> OrgId:
    org = an_organization(db)
    a_member(db, org, role="owner")
    return org


@pytest.fixture
def house(db: Database, git: GitServer, origin: Repository, tmp_path: Path) -> Installation:
    return Installation(db, git, tmp_path)


def test_a_job_stores_the_report_on_the_newest_commit(
    house: Installation, origin: Repository
) -> None:
    assert house.evaluate() == "succeeded"

    [report] = house.reports()
    assert report["commitHash"] == origin.git("rev-parse", "main")
    assert report["branch"] == "main"
    assert house.moved == [house.repo]


@pytest.mark.both_databases
def test_a_commit_that_is_evaluated_again_makes_no_second_report(house: Installation) -> None:
    house.evaluate()

    assert house.evaluate() == "succeeded"
    assert len(house.reports()) == 1


@pytest.mark.both_databases
def test_commits_that_change_no_verdict_make_a_report_a_week(
    house: Installation, origin: Repository
) -> None:
    for days in (1, 6, 8):
        house.evaluate()
        origin.commit({"notes.txt": f"{days}\n"}, at=SECONDS + days * 86_400)
    house.evaluate()

    assert [report["asOf"] for report in house.reports()] == [
        (SECONDS + 8 * 86_400) * 1000,
        SECONDS * 1000,
    ]


@pytest.mark.both_databases
def test_history_and_difference_tell_what_a_commit_changed(
    house: Installation, origin: Repository
) -> None:
    house.evaluate()
    origin.commit({"LICENSE": None})
    house.evaluate()

    newest, oldest = service.history(house.db, house.org, house.repo, start_after=None, count=9)
    difference = service.difference(house.db, house.org, newest.report_id, None)

    assert oldest.commit_hash == origin.git("rev-parse", "main^")
    assert [change.criterion for change in difference.worse] == ["license"]
    assert difference == service.difference(house.db, house.org, newest.report_id, oldest.report_id)
    with pytest.raises(NotFound):
        service.difference(house.db, house.org, oldest.report_id, None)


def test_a_repository_that_is_gone_fails_with_a_reason(
    house: Installation, git: GitServer, origin: Repository
) -> None:
    origin.path.rename(git.folder / "elsewhere")

    house.evaluate()

    [job] = jobs.list_page(house.db, house.org, limit=9)
    assert job.error is not None
    assert house.reports() == []


@pytest.mark.attack
def test_a_repository_that_exceeds_a_limit_fails_at_once_and_names_it(
    house: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "of", lambda _settings: Limits(wall_s=0.01))

    assert house.evaluate() == "failed"

    [job] = jobs.list_page(house.db, house.org, limit=9)
    assert job.attempts == 1
    assert job.error == "Reading this took longer than 0 s (STATIONMASTER_READER_SECONDS)."
