"""A stored run is read as files by programs."""

from __future__ import annotations

import pytest

from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import NotFound
from stationmaster.wiki.transfer import files
from tests.support.builders import an_organization
from tests.wiki.wikis import a_caller, a_run

PAGES = {
    "index.md": "# Engine\n\nIt moves trains.\n\n[Parts](parts/index.md)\n",
    "parts/index.md": "# Parts\n\n- a list\n\nEvery part of it.\n",
    "parts/pump.md": "# Pump\n\nWater [`a.py:3`](source:a.py#L3).\n",
}


@pytest.fixture
def ada(db: Database) -> Caller:
    return a_caller(db, an_organization(db))


def test_the_index_lists_every_page_with_its_first_paragraph(db: Database, ada: Caller) -> None:
    run = a_run(db, ada, PAGES)

    index = files.text(db, ada, run.run_id, "llms.txt")

    assert index.startswith("# Engine\n\n> It moves trains.\n")
    assert "- [Parts](parts/index.md): Every part of it." in index
    assert "- [Pump](parts/pump.md): Water a.py:3." in index


def test_every_link_of_the_index_is_a_file(db: Database, ada: Caller) -> None:
    run = a_run(db, ada, PAGES)

    for name in PAGES:
        assert f"]({name})" in files.text(db, ada, run.run_id, "llms.txt")
        assert files.text(db, ada, run.run_id, name).startswith("# ")


def test_the_whole_has_all_pages_in_reading_order_with_citations_on_the_host(
    db: Database, ada: Caller
) -> None:
    run = a_run(db, ada, PAGES, repo_url="https://github.com/o/r", commit_hash="c" * 40)

    whole = files.text(db, ada, run.run_id, "llms-full.txt")

    assert [line for line in whole.splitlines() if line.startswith("# ")] == [
        "# Engine",
        "# Parts",
        "# Pump",
    ]
    assert f"/blob/{'c' * 40}/a.py#L3)" in whole


@pytest.mark.parametrize("name", ["", "nothing.md", "parts", "../index.md", "llms.txt/x"])
def test_another_name_is_no_file(db: Database, ada: Caller, name: str) -> None:
    run = a_run(db, ada, PAGES)

    with pytest.raises(NotFound):
        files.text(db, ada, run.run_id, name)


def test_a_run_of_somebody_else_is_not_there(db: Database, ada: Caller) -> None:
    run = a_run(db, ada, PAGES)
    stranger = a_caller(db, an_organization(db, "Other"))

    with pytest.raises(NotFound):
        files.text(db, stranger, run.run_id, "llms.txt")
