"""A question is answered by the sections that hold its words, each with its page and citations."""

from __future__ import annotations

import pytest

from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import NotFound
from stationmaster.wiki.model import PASSAGES_MAX
from stationmaster.wiki.searching import asking
from tests.support.builders import an_organization
from tests.wiki.wikis import a_caller, a_run

PAGES = {
    "index.md": "# Engine\n\nThe engine starts the pump.\n",
    "permissions.md": "# Permissions\n\nIntro.\n\n## How they are checked\n\n"
    "Every request asks `allowed` [`src/check.py:3-9`](source:src/check.py#L3-L9).\n",
}


@pytest.fixture
def ada(db: Database) -> Caller:
    return a_caller(db, an_organization(db))


def test_a_passage_has_its_page_its_headings_and_citations_on_the_host(
    db: Database, ada: Caller
) -> None:
    run = a_run(db, ada, PAGES, repo_url="https://github.com/o/r", commit_hash="c" * 40)

    [passage, *_] = asking.passages(db, ada, run.run_id, "how is permission checked?", 5)

    assert (passage.path, passage.title) == ("permissions", "Permissions")
    assert passage.headings == ("How they are checked",)
    assert f"https://github.com/o/r/blob/{'c' * 40}/src/check.py#L3-L9" in passage.text
    assert not passage.is_cut


def test_a_question_without_words_and_one_about_nothing_here_have_no_passages(
    db: Database, ada: Caller
) -> None:
    run = a_run(db, ada, PAGES)

    assert asking.passages(db, ada, run.run_id, "???", 5) == []
    assert asking.passages(db, ada, run.run_id, "turbines", 5) == []


def test_a_long_section_is_cut_after_a_paragraph_and_its_code_is_closed(
    db: Database, ada: Caller
) -> None:
    code = "```python\n" + "pump = 1\n" * 900 + "```\n"
    run = a_run(db, ada, {"a.md": f"# A\n\nThe pump.\n\n{code}"})

    [passage] = asking.passages(db, ada, run.run_id, "pump", 5)

    assert passage.is_cut
    assert passage.text.endswith("```")
    assert passage.text.count("```") % 2 == 0


def test_there_are_at_most_as_many_passages_as_asked_for_and_one_a_page(
    db: Database, ada: Caller
) -> None:
    run = a_run(
        db, ada, {f"p{n}.md": f"# P{n}\n\nThe pump.\n\n## B\n\nThe pump.\n" for n in range(20)}
    )

    assert len(asking.passages(db, ada, run.run_id, "pump", 3)) == 3
    most = asking.passages(db, ada, run.run_id, "pump", 100)
    assert len({passage.page_id for passage in most}) == len(most) == PASSAGES_MAX


def test_a_run_of_somebody_else_is_not_there(db: Database, ada: Caller) -> None:
    run = a_run(db, ada, PAGES)
    stranger = a_caller(db, an_organization(db, "Other"))

    with pytest.raises(NotFound):
        asking.passages(db, stranger, run.run_id, "pump", 3)


def test_a_page_or_section_that_is_called_what_is_looked_for_comes_first(
    db: Database, ada: Caller
) -> None:
    often = "# Pump rooms and pump parts\n\nPump pump pump.\n\n## Pump oil\n\nThe pump pump.\n"
    run = a_run(
        db, ada,
        {"a.md": often, "pump.md": "# Pump\n\nIt works.\n",
         "types.md": "# Types\n\n## `OilPump`\n\nA type.\n",
         "b.md": "# Oil\n\nAn OilPump needs an OilPump.\n"},
    )  # fmt: skip

    assert asking.find(db, ada, run.run_id, "pump", 1)[0].path == "pump"
    assert asking.find(db, ada, run.run_id, "OilPump", 1)[0].path == "types"
