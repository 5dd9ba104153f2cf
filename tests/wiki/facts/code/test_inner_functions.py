"""Functions that one declares within itself."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.flows import walk
from stationmaster.wiki.facts.code.stations import station_of
from stationmaster.wiki.facts.model import Spot
from stationmaster.wiki.facts.subjects.explained import Steps
from stationmaster.wiki.pages.steps.functions import steps
from tests.wiki.commits import facts_of, written

_WORK = "def work(x):\n    a = 1\n    b = 2\n    return a + b\n\n\n"


@pytest.mark.parametrize(
    ("path", "text", "calls"),
    [
        ("a.py", f"{_WORK}def run(q):\n    def one(t):\n        work(t)\n\n    while q:\n"
         "        one(q)\n", [(9, "work")]),
        ("a.py", f"{_WORK}def run(q):\n    def one(t):\n        def two():\n            work(t)\n"
         "        return two\n\n    return one\n", [(10, "work")]),
        ("a.py", f"{_WORK}def run(app):\n    @app.route('/')\n    def one(t):\n        work(t)\n\n"
         "    app.start()\n", []),
        ("a.ts", "function work() {\n  a();\n}\nfunction run() {\n  one();\n  function one() {\n"
         "    work();\n  }\n}\n", [(7, "work")]),
        ("A.kt", "fun work() {\n  a()\n}\nfun run() {\n  fun one() {\n    work()\n  }\n"
         "  one()\n}\n", [(6, "work")]),
    ],
)  # fmt: skip
def test_what_a_function_declares_for_itself_is_part_of_it_where_it_names_that(
    path: str, text: str, calls: list[tuple[int, str]]
) -> None:
    found = station_of(facts_of({path: text}), Spot(path, "run"))
    assert [(step.line, step.end.name) for step in found.steps] == calls


def test_a_page_shows_in_which_function_within_a_function_a_call_stands() -> None:
    text = (
        "function work() {\n  a();\n  b();\n  c();\n}\n"
        "function run(bus) {\n  bus.on('paid', (order) => {\n    if (order) {\n      work();\n"
        "    }\n  });\n}\n"
    )
    facts = facts_of({"a.js": text})
    flow = walk(facts, "run", Spot("a.js", "run"), 6)
    page = written(facts, lambda page, facts, _: steps(page, facts, Steps((flow,))))
    assert "bus.on('paid', (order) => {\n" in page
    assert "#L9): `work` (step 2)" in page
