"""Search is the same on both databases, and stays within one run."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, event

from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.wiki import search_rows, service
from stationmaster.wiki.model import Hit
from stationmaster.wiki.searching import asking, search, words
from tests.support.builders import an_organization
from tests.wiki.wikis import a_caller, a_run

PAGES = {
    "index.md": "# Engine\n\nThe engine starts the pump.\n",
    "pump.md": "# Pump\n\nWater.\n\n## Pressure\n\nThe pump holds it.\n\n## Wear\n\nNothing.\n",
    "valves.md": "# Valves\n\nBesides the pump, `openValveNow` and close_valve_now().\n",
    "notes.md": "# Notes\n\nfoo:bar a-b (c) 100% 'it''s' \"quoted\" café Grüße\n",
}


@pytest.fixture
def ada(db: Database) -> Caller:
    return a_caller(db, an_organization(db))


def find(db: Database, caller: Caller, run_id: str, question: str, limit: int = 10) -> list[Hit]:
    return asking.find(db, caller, run_id, question, limit)


@pytest.mark.parametrize(
    ("question", "paths"),
    [
        ("engine", {"index"}),
        ("ENGINE", {"index"}),
        ("pump", {"pump", "index", "valves"}),
        ("pump engine", {"index", "pump", "valves"}),
        ("pump engine water", {"index", "pump", "valves"}),
        ("water pressure", {"pump"}),
        ("press", {"pump"}),
        ("wat", {"pump"}),
        ("wa", set()),
        ("openValveNow", {"valves"}),
        ("openvalvenow", {"valves"}),
        ("valve", {"valves"}),
        ("close_valve_now", {"valves"}),
        ("cafe", {"notes"}),
        ("grusse", {"notes"}),
        ("foo:bar", {"notes"}),
        ("a-b", {"notes"}),
        ("100%", {"notes"}),
        ("it's", {"notes"}),
        ("pump AND", {"index", "pump", "valves"}),
        ("How do pumps hold pressure?", {"index", "pump", "valves"}),
        ("pressurised", set()),
        ("holding", {"pump"}),
        ("what about closing it", {"valves"}),
        ("the", {"index", "pump", "valves"}),
    ],
)
def test_pages_with_any_word_are_found_in_all_its_forms(
    db: Database, ada: Caller, question: str, paths: set[str]
) -> None:
    run = a_run(db, ada, PAGES)

    assert {hit.path for hit in find(db, ada, run.run_id, question)} == paths


@pytest.mark.parametrize(
    "question",
    ["", " ", "*", "(", ")", '"', "'", "''", '""', "-", ":", "|", "&", "!", "<->", "\\", "\0", "%",
     "_", "\ud800", "^", "{}", "title:", "- -", "½", "🚂"],
)  # fmt: skip
def test_signs_alone_find_nothing_and_harm_nothing(
    db: Database, ada: Caller, question: str
) -> None:
    run = a_run(db, ada, PAGES)

    assert find(db, ada, run.run_id, question) == []


@pytest.mark.parametrize(
    "question",
    ['pump"', "pump*", "(pump", "pump)", "'pump", "pump:*", "pump & ", "pump | !", "-pump",
     "^pump", "{pump} :", "pump\0", "pump\\", "pump <-> ", "NEAR(pump)"[5:]],
)  # fmt: skip
def test_signs_around_a_word_mean_nothing(db: Database, ada: Caller, question: str) -> None:
    run = a_run(db, ada, PAGES)

    assert len(find(db, ada, run.run_id, question)) == 3


def test_a_title_weighs_more_than_a_heading_and_a_heading_more_than_text(
    db: Database, ada: Caller
) -> None:
    pages = {
        "text.md": "# One\n\n## Two\n\nvalve again and again\n",
        "heading.md": "# One\n\n## Valve\n\nnothing again and again\n",
        "title.md": "# Valve\n\n## Two\n\nnothing again and again\n",
    }
    run = a_run(db, ada, pages)

    found = find(db, ada, run.run_id, "valve")

    assert [hit.path for hit in found] == ["title", "heading", "text"]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("pump engine", "index"),
        ("water pressure", "pump"),
        ("how does the pump hold pressure", "pump"),
        ("close the valve of a pump", "valves"),
    ],
)
def test_a_page_that_holds_more_of_the_words_comes_first(
    db: Database, ada: Caller, question: str, first: str
) -> None:
    run = a_run(db, ada, PAGES)

    assert find(db, ada, run.run_id, question)[0].path == first


def test_a_word_that_few_sections_hold_weighs_more_than_one_of_many(
    db: Database, ada: Caller
) -> None:
    often = {f"p{n}.md": f"# Page {n}\n\nThe pump, the pump, the pump.\n" for n in range(20)}
    run = a_run(db, ada, {**often, "rare.md": "# Rare\n\nA turbine.\n"})

    assert find(db, ada, run.run_id, "pump turbine")[0].path == "rare"


def test_a_hit_counts_matching_sections_and_shows_the_best_one(db: Database, ada: Caller) -> None:
    run = a_run(db, ada, PAGES)

    [hit] = [hit for hit in find(db, ada, run.run_id, "pump") if hit.path == "pump"]

    assert (hit.title, hit.match_count) == ("Pump", 2)
    assert hit.snippet == "Pump Water."


def test_results_are_as_many_as_asked_for_and_the_same_each_time(db: Database, ada: Caller) -> None:
    run = a_run(db, ada, {f"p{i}.md": f"# Page {i}\n\nThe pump.\n" for i in range(40)})

    first = find(db, ada, run.run_id, "pump", 30)

    assert len(first) == 30
    assert find(db, ada, run.run_id, "pump", 30) == first
    assert find(db, ada, run.run_id, "pump", 5) == first[:5]


def test_nothing_of_another_run_or_organization_is_found(db: Database, ada: Caller) -> None:
    run = a_run(db, ada, {"a.md": "# A\n\nours\n"})
    a_run(db, ada, {"a.md": "# A\n\nolder\n"})
    stranger = a_caller(db, an_organization(db, "Other"))
    a_run(db, stranger, {"a.md": "# A\n\ntheirs\n"})

    assert [len(find(db, ada, run.run_id, word)) for word in ("ours", "older", "theirs")] == [
        1,
        0,
        0,
    ]


def test_runs_whose_marks_are_equal_are_told_apart(db: Database, ada: Caller) -> None:
    rows = {
        run_id: list(search_rows.rows_of("page_a", "A", f"# A\n\n{word}\n"))
        for run_id, word in (("wiki_1aaaaaaaa", "pump"), ("wiki_2aaaaaaaa", "pump"))
    }
    [term] = words.of_question("pump")
    with db.transaction() as connection:
        index = search.index_of(connection)
        for run_id, given in rows.items():
            index.add(connection, ada.org_id, run_id, given)
        index.remove(connection, ada.org_id, "wiki_1aaaaaaaa")

        found = [len(index.find(connection, ada.org_id, run_id, term)) for run_id in rows]

    assert found == [0, 1]


def test_a_deleted_run_leaves_nothing_in_the_index(db: Database, ada: Caller) -> None:
    kept, gone = a_run(db, ada, PAGES), a_run(db, ada, PAGES)
    service.remove(db, ada, gone.run_id)

    rows = db.rows("SELECT DISTINCT run_id FROM wiki_search WHERE org_id = ?", ada.org_id)
    assert rows == [(kept.run_id,)]
    assert len(find(db, ada, kept.run_id, "pump")) == 3


def test_a_question_is_answered_from_the_index_of_words(db: Database, ada: Caller) -> None:
    run = a_run(db, ada, PAGES)
    with db.transaction() as connection:
        if db.dialect == "postgresql":
            # Among so few rows the planner would rather read all of a run, or of the table.
            connection.exec_driver_sql("DROP INDEX wiki_search_by_run")
            connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
        plan = _plan(connection, ada, run.run_id)

    if db.dialect == "sqlite":
        assert "wiki_search VIRTUAL TABLE INDEX 0:M" in plan
    else:
        assert f"Index Cond: (words @@ '''{run.run_id[-8:]}pump'':*'::tsquery)" in plan


def _plan(connection: Connection, caller: Caller, run_id: str) -> str:
    """How the database goes about the one statement of a question."""
    seen: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, statement: str, given: Any, *_: object) -> None:
        seen.append((statement, given))

    [term] = words.of_question("pump")
    event.listen(connection, "before_cursor_execute", note)
    search.index_of(connection).find(connection, caller.org_id, run_id, term)
    event.remove(connection, "before_cursor_execute", note)
    [(statement, given)] = seen
    explain = "EXPLAIN QUERY PLAN " if connection.dialect.name == "sqlite" else "EXPLAIN "
    rows = connection.exec_driver_sql(explain + statement, given)
    return "\n".join(row[-1] for row in rows)


def test_links_to_other_pages_answer_no_question() -> None:
    content = "# Pump\n\nHolds it.\n\n## Related pages\n\n[Engine](engine.md)\n"
    assert [row.headings for row in search_rows.rows_of("p", "Pump", content)] == [""]
