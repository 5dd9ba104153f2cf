"""Questions to a wiki are answered from the code of its commit, as far as that is here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stationmaster.access.model import Caller
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.errors import NotFound, TooLarge
from stationmaster.repos import service as repos
from stationmaster.settings import Settings
from stationmaster.wiki.citations import FilePages
from stationmaster.wiki.model import CODE_PASSAGES
from stationmaster.wiki.searching import code
from tests.support.builders import an_organization
from tests.support.repositories import Repository
from tests.wiki.wikis import a_caller, a_run

QUESTION = "How is the pressure of the pump held?"
PUMP = "def hold_pressure(pump):\n    while pump.falls():\n        pump.turn()\n"
URL = "https://github.com/acme/engine"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path)


@pytest.fixture
def ada(db: Database) -> Caller:
    return a_caller(db, an_organization(db))


@pytest.fixture
def commit(db: Database, settings: Settings, ada: Caller, tmp_path: Path) -> str:
    """The commit of a registered repository that was fetched."""
    return mirrored(db, settings, ada, tmp_path / "git")


def mirrored(db: Database, settings: Settings, caller: Caller, path: Path, url: str = URL) -> str:
    repository = Repository(path, "main", "--bare")
    known, _ = repos.register(db, Vault(bytes(32)), caller, url)
    repository.mirror(settings, caller.org_id, known.repo_id)
    return repository.commit({f"src/pump {number}.py": PUMP for number in range(5)})


def test_the_answer_has_the_lines_and_where_they_are_shown(
    db: Database, settings: Settings, ada: Caller, commit: str
) -> None:
    run = a_run(db, ada, repo_url=URL, commit_hash=commit)
    pages = FilePages("/repositories/x/files", commit)

    some = code.passages(db, settings, ada, run.run_id, QUESTION)
    [here, *_] = code.passages(db, settings, ada, run.run_id, QUESTION, pages)

    assert len(some) == CODE_PASSAGES
    assert (some[0].name, some[0].place) == ("hold_pressure", "src/pump 0.py:1-3")
    assert some[0].text == PUMP.rstrip("\n")
    assert some[0].url == f"{URL}/blob/{commit}/src/pump%200.py#L1-L3"
    assert here.url == pages.address("src/pump 0.py", 1, 3)


def test_without_a_host_of_known_addresses_our_own_pages_show_the_lines(
    db: Database, settings: Settings, ada: Caller, tmp_path: Path
) -> None:
    url = "https://code.example.org/engine"
    commit = mirrored(db, settings, ada, tmp_path / "other", url)
    run = a_run(db, ada, repo_url=url, commit_hash=commit)

    [first, *_] = code.passages(db, settings, ada, run.run_id, QUESTION)

    assert first.url.startswith(f"/repositories/{run.repository_id}/files?commit={commit}&path=")


@pytest.mark.parametrize(
    "origin",
    [{"repo_url": "https://github.com/acme/unknown"}, {"commit_hash": "c" * 40},
     {"commit_hash": "c" * 7}, {"commit_hash": None}],
)  # fmt: skip
def test_a_run_whose_repository_or_commit_is_not_here_has_no_code(
    db: Database, settings: Settings, ada: Caller, commit: str, origin: dict[str, Any]
) -> None:
    run = a_run(db, ada, **{"repo_url": URL, "commit_hash": commit, **origin})

    assert code.passages(db, settings, ada, run.run_id, QUESTION) == []


def test_a_run_of_another_organization_and_a_private_one_of_somebody_else_are_not_there(
    db: Database, settings: Settings, ada: Caller, commit: str
) -> None:
    run = a_run(db, ada, repo_url=URL, commit_hash=commit, privacy_level="private")
    stranger = a_caller(db, an_organization(db, "Other"))
    colleague = a_caller(db, ada.org_id, "bob")

    for caller in (stranger, colleague):
        with pytest.raises(NotFound):
            code.passages(db, settings, caller, run.run_id, QUESTION)


def test_files_of_a_repository_that_another_organization_registered_are_not_read(
    db: Database, settings: Settings, ada: Caller, commit: str
) -> None:
    eve = a_caller(db, an_organization(db, "Other"))
    run = a_run(db, eve, repo_url=URL, commit_hash=commit)

    assert code.passages(db, settings, eve, run.run_id, QUESTION) == []


def test_reading_that_costs_too_much_leaves_the_question_without_code(
    db: Database, settings: Settings, ada: Caller, commit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exceeded(*_: object) -> Callable[..., Any]:
        raise TooLarge("Reading this took longer than 6 s.", code="reader_limit")

    run = a_run(db, ada, repo_url=URL, commit_hash=commit)
    monkeypatch.setattr(code, "call", exceeded)

    assert code.passages(db, settings, ada, run.run_id, QUESTION) == []


def test_an_organization_with_many_questions_gets_no_code_for_the_next_one_and_slows_no_other(
    db: Database, settings: Settings, ada: Caller, commit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run(db, ada, repo_url=URL, commit_hash=commit)
    monkeypatch.setattr(code, "WAIT_S", 0.0)

    with code._turns.of(ada.org_id), code._turns.of(ada.org_id):
        assert code.passages(db, settings, ada, run.run_id, QUESTION) == []
        with code._turns.of("org_other", 0.0) as is_free:
            assert is_free
    assert code.passages(db, settings, ada, run.run_id, QUESTION)
