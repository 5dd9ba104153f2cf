"""Index pages of sections that nobody wrote a page for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import NotFound
from stationmaster.wiki import difference, indexes, service
from stationmaster.wiki.checks import links
from stationmaster.wiki.model import Node
from stationmaster.wiki.transfer import layout
from tests.support.builders import an_organization
from tests.wiki.wikis import a_caller, a_run

PAGES = {
    "index.md": "# Engine\n\n[Parts](/parts)\n",
    "parts/valves/inlet (old).md": "# Inlet [old]\n",
    "parts/valves/outlet.md": "# Outlet\n",
    "parts/pump.md": "# Pump\n",
    "parts/pump/seal.md": "# Seal\n",
}


@pytest.fixture
def ada(db: Database) -> Caller:
    return a_caller(db, an_organization(db))


def walk(nodes: list[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from walk(node.children)


def test_an_index_lists_what_is_directly_below_and_how_much_is_below_that(
    db: Database, ada: Caller
) -> None:
    run = a_run(db, ada, PAGES)
    parts = next(node for node in walk(service.get(db, ada, run.run_id)[1]) if node.path == "parts")

    page, content = service.page(db, ada, run.run_id, str(parts.page_id))

    assert (page.path, page.title, page.order) == ("parts", "Parts", parts.order)
    assert content == (
        "# Parts\n\n- [Valves](/parts/valves) (2 pages)\n- [Pump](/parts/pump) (1 page)\n"
    )


def test_every_link_of_every_index_leads_to_a_node_of_the_tree(db: Database, ada: Caller) -> None:
    run = a_run(db, ada, PAGES)
    nodes = list(walk(service.get(db, ada, run.run_id)[1]))
    texts = {
        f"{node.path}/index.md" if node.children else f"{node.path}.md": service.page(
            db, ada, run.run_id, str(node.page_id)
        )[1]
        for node in nodes
    }

    assert links.check(texts).problems == ()
    assert "[Inlet \\[old\\]](/parts/valves/inlet%20%28old%29)" in texts["parts/valves/index.md"]


def test_a_run_that_was_stored_without_ids_of_sections_answers_all_of_them(
    db: Database, ada: Caller
) -> None:
    run = a_run(db, ada, PAGES)
    rows = db.rows("SELECT page_tree FROM wiki_runs WHERE run_id = ?", run.run_id)
    assert b'"pageId":null' in bytes(rows[0][0])

    found = [node.page_id for node in walk(service.get(db, ada, run.run_id)[1])]

    assert None not in found
    assert len(set(found)) == len(found) == 7
    for page_id in found:
        assert service.page(db, ada, run.run_id, str(page_id))[0].page_id == page_id


def test_an_id_that_is_neither_of_a_page_nor_of_a_section_is_unknown(
    db: Database, ada: Caller
) -> None:
    run = a_run(db, ada, PAGES)

    with pytest.raises(NotFound):
        service.page(db, ada, run.run_id, "page_none")


def test_an_index_that_becomes_a_page_keeps_its_id(db: Database, ada: Caller) -> None:
    runs = [a_run(db, ada, PAGES), a_run(db, ada, PAGES | {"parts/index.md": "# All parts\n"})]

    trees = [walk(service.get(db, ada, run.run_id)[1]) for run in runs]

    index, page = [next(node for node in tree if node.path == "parts") for tree in trees]
    assert (index.title, page.title) == ("Parts", "All parts")
    assert index.page_id == page.page_id


def test_an_export_holds_the_written_pages_and_gives_the_same_tree_again(
    db: Database, ada: Caller
) -> None:
    run = a_run(db, ada, PAGES)
    archive = service.export(db, ada, run.run_id).content

    again = service.create(db, ada, layout.read(archive, {}, "organization"))

    assert [(n.path, n.page_id) for n in walk(service.get(db, ada, again.run_id)[1])] == [
        (n.path, n.page_id) for n in walk(service.get(db, ada, run.run_id)[1])
    ]
    assert difference.between(db, ada, run.run_id, again.run_id).changes == ()
    assert again.page_count == run.page_count == len(PAGES)
    assert service.export(db, ada, again.run_id).content == archive


def test_the_sections_of_paths_are_those_above_a_page_that_are_no_page() -> None:
    assert indexes.paths(["a/b/c/d", "a/b", "e", "e/f"]) == {"a", "a/b/c"}
