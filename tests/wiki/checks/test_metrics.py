"""Metrics tell what is wrong with a wiki, and say nothing where there is nothing to measure."""

from __future__ import annotations

from stationmaster.wiki.checks.metrics import measure
from stationmaster.wiki.written import Written
from tests.wiki.commits import facts_of

FACTS = {"src/shop/__init__.py": "", "src/shop/cart.py": "def add(): ...\ndef drop(): ...\n"}


def page(key: str, body: str, *sources: str) -> Written:
    return Written(key, key, "", body, sources)


def values(*pages: Written) -> dict[str, float | None]:
    counts = {"src/shop/cart.py": 2, "src/shop/__init__.py": 0}
    return {each.id: each.value for each in measure(facts_of(FACTS), pages, counts.get)}


def test_a_good_wiki_passes() -> None:
    cite = "[`src/shop/cart.py:1`](source:src/shop/cart.py#L1)"
    told = values(
        page("index", "# Shop\n\nSee [the index](source-index.md).\n"),
        page("source-index", f"# Files\n\n{cite} has add and drop, and `__init__.py`.\n"),
        page("modules/shop", "# Shop\n\n[Back](../index.md)\n", "src/shop/cart.py"),
    )
    assert (told["Q1"], told["Q3"], told["Q4"], told["Q6"]) == (1, 1, 1, 1)
    assert told["Q24"] == 1  # Nothing leads to the module.
    assert told["Q23"] == 0


def test_what_is_wrong_is_counted() -> None:
    long = "The same paragraph stands here, long enough that nobody writes it twice " + "so" * 9
    told = values(
        page("index", f"# A\n\n{long}\n\n## Empty\n\n## Robust robust\n\n[x](gone.md)\n\n{long}\n"),
        page("far", "# B\n\n[`src/shop/cart.py:9`](source:src/shop/cart.py#L9)\n"),
    )
    assert (told["Q1"], told["Q3"], told["Q4"], told["Q6"]) == (0, 0, 0, 0)
    assert told["Q23"] == 4
    assert told["Q24"] == 1
