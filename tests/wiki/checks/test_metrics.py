"""Metrics tell what is wrong with a wiki."""

from __future__ import annotations

from stationmaster.wiki.checks import links
from stationmaster.wiki.checks.metrics import Metric, Wiki, measure
from tests.wiki.commits import facts_of

FILES = {
    "src/shop/__init__.py": "",
    "src/shop/cart.py": "def add():\n    ...\n\n\ndef drop(): ...\n",
}
INDEX = "# Shop\n\nSee [files](files.md), [shop](modules/shop.md), `a`, `b` and `c`.\n"
CITED = "[`src/shop/cart.py:1-2`](source:src/shop/cart.py#L1-L2)"
LISTED = f"""# Files

| File | Names |
| --- | --- |
| `src/shop/cart.py` {CITED} | `add`, `drop` |
| `src/shop/__init__.py` | `shop` |
"""
MODULE = f"""# Shop

- `src/shop`: `cart.py`, `__init__.py`

`add` is in {CITED}, see [the first page](../index.md).
"""
GOOD = {"index.md": INDEX, "files.md": LISTED, "modules/shop.md": MODULE}


def measured(pages: dict[str, str]) -> dict[str, Metric]:
    facts = facts_of(FILES)
    counts = {"src/shop/cart.py": 5, "src/shop/__init__.py": 0}
    report = links.check(pages, lines_of=counts.get)
    told = measure(Wiki(pages, report, facts, lambda path: FILES[path], links.source))
    return {each.id: each for each in told}


def missed(pages: dict[str, str]) -> set[str]:
    return {each.id for each in measured(pages).values() if not each.passes}


def test_a_good_wiki_passes() -> None:
    assert missed(GOOD) == set()
    assert measured(GOOD)["Q2"].of == 2


def test_each_metric_sees_what_it_is_for() -> None:
    assert missed(GOOD | {"modules/shop.md": MODULE.replace("L1-L2", "L1-L9")}) == {"Q1"}
    assert missed(GOOD | {"modules/shop.md": MODULE.replace("`add` is", "`gone` is")}) == {"Q2"}
    assert missed(GOOD | {"modules/shop.md": MODULE.replace("../index", "gone")}) == {"Q3"}
    assert missed({**GOOD, "far.md": MODULE.replace("../", "")}) == {"Q24"}


def test_a_page_that_repeats_praises_or_says_nothing_is_filler() -> None:
    long = "The same paragraph stands here, long enough that nobody writes it twice " + "so" * 9
    for bad in (
        f"{MODULE}\n{long}\n\n{long}\n",
        f"{MODULE}\nIt is a robust thing.\n",
        f"{MODULE}\n## Empty\n\n## Also empty\n\nText.\n",
        "# Shop\n\n[Back](../index.md)\n",
    ):
        assert "Q23" in missed(GOOD | {"modules/shop.md": bad})
    quoted = f"{MODULE}\n> It is a robust thing.\n\nIt says “robust” of itself.\n"
    assert missed(GOOD | {"modules/shop.md": quoted}) == set()


def test_large_pages_and_diagrams_are_seen() -> None:
    rows = "x " * 120_000
    nodes = "```mermaid\nflowchart TB\n" + "".join(f'  n{i}["x"]\n' for i in range(30)) + "```\n"

    assert missed(GOOD | {"modules/shop.md": f"{MODULE}\n{rows}"}) == {"Q22"}
    assert missed(GOOD | {"modules/shop.md": f"{MODULE}\n{nodes}"}) == {"Q21"}
