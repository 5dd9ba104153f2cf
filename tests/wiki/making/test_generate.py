"""From what is known of a commit to its pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stationmaster.wiki.making import generate
from stationmaster.wiki.making.memo import Kept, Nothing
from stationmaster.wiki.pages import catalogue
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text import page
from tests.wiki.commits import facts_of

PARTS = [f"part-{number}" for number in range(7)]
FILES = {
    "README.md": "# Shop\n\nSells tea to people.\n",
    "package.json": json.dumps({"name": "shop", "dependencies": dict.fromkeys(PARTS, "1.0.0")}),
    "index.js": "export function main() { return 1; }\n",
}


def test_lines_are_those_of_source_and_the_first_page_has_its_language() -> None:
    facts = facts_of({**FILES, "index.test.js": 'it("sells", () => {});\n' * 9}, name="shop")
    made = generate.write(facts, facts.commit, Nothing())
    (first,) = (one.body for one in made.pages if one.key == "index")
    assert made.stats["lines"] == 1
    assert "It is a library written in JavaScript, in 1 module." in first


def test_the_first_page_says_of_what_kind_the_product_is_with_a_noun() -> None:
    web = {"package.json": json.dumps({"name": "shop", "dependencies": {"react": "1"}}),
           "index.html": "<html></html>", "src/main.jsx": "export const a = 1;\n"}  # fmt: skip
    facts = facts_of(web, name="shop")
    (first,) = (
        one.body
        for one in generate.write(facts, facts.commit, Nothing()).pages
        if one.key == "index"
    )
    assert "It is a web application written in JavaScript" in first


def test_a_list_that_does_not_fit_goes_on_also_where_the_page_is_remembered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(page, "ROWS_MAX", 3)
    facts = facts_of(FILES, name="shop")

    made = generate.write(facts, facts.commit, Nothing()).pages

    bodies = {one.key: one.body for one in made}
    assert {"dependencies", "dependencies-2", "dependencies-3"} <= bodies.keys()
    listed = "".join(body for key, body in bodies.items() if key.startswith("dependencies"))
    assert [part for part in PARTS if part not in listed] == []
    assert all(not one.further for one in made)
    remembered = []
    for _ in range(2):
        with Kept(tmp_path / "memory.db") as memory:
            anew = facts_of(FILES, name="shop")
            remembered.append(generate.write(anew, anew.commit, memory).pages)
    assert remembered == [made, made]


def test_a_page_with_an_internal_error_costs_itself_alone_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("unexpected")

    facts = facts_of(FILES, name="shop")
    planned = (*catalogue.plan(facts), Planned("bad", "Bad <page>", fail))
    monkeypatch.setattr(catalogue, "plan", lambda _: planned)

    made = generate.write(facts, facts.commit, Nothing())

    failed = [one for one in made.pages if one.has_failed]
    assert [one.key for one in failed] == ["bad"]
    assert made.stats["pagesFailed"] == 1
    assert failed[0].body.startswith("# Bad \\<page\\>\n\nThis page could not be written")
