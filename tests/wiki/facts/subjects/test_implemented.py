"""Subjects by the names of files and folders, with the headings that share their words."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.vocabulary import vocabulary
from stationmaster.wiki.facts.subjects.concepts import concept, concept_titles
from stationmaster.wiki.facts.subjects.implemented import implemented
from tests.wiki.commits import facts_of

GUIDE = """# Guide

## Receipt mode

In receipt mode the shop prints what was paid, for everyone who asks for it at the till.

## Loyal customers

Loyal customers pay less for all that they buy, each time they come to one of the shops.
"""


def _code(name: str, lines: int = 40) -> str:
    body = "".join(f"    a{n} = {n}\n" for n in range(lines))
    return f"def {name}_print() -> int:\n{body}    return {name}_end()\n\n\n" + (
        f"def {name}_end() -> int:\n{body}    return 1\n"
    )


FILES = {
    "README.md": "# Shop\n\nA small shop that sells things to all kinds of people, each day.\n",
    "docs/guide.md": GUIDE,
    "shop/receipts.py": _code("receipt"),
    "shop/utils.py": _code("util"),
    "shop/tills.py": _code("open", 20),
    "packaging/receipts.py": _code("receipt"),
    **{f"shop/part{n}.py": _code(f"part{n}") for n in range(3)},
}


def test_a_file_is_a_subject_under_the_heading_that_has_its_word() -> None:
    facts = facts_of(FILES, name="shop")
    named = implemented(facts, vocabulary(facts))
    assert [(seed.title, seed.paths) for seed in named] == [("Receipt mode", ("shop/receipts.py",))]
    assert ("concepts/receipt-mode", "Receipt mode") in concept_titles(facts)
    this = concept(facts, "concepts/receipt-mode")
    assert [passage.title for passage in this.passages] == ["Receipt mode"]
    assert this.files[0] == "shop/receipts.py"


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("shop/build_basket.py", "Basket"),
        ("shop/ssl_.py", "SSL"),
        ("shop/shop_helpers.py", ""),
        ("shop/create.py", ""),
    ],
)
def test_names_lose_what_is_done_and_what_says_nothing(path: str, title: str) -> None:
    own = path.rpartition("/")[2].partition(".")[0].strip("_").rpartition("_")[2]
    facts = facts_of({**FILES, path: _code(own, 80)}, name="shop")
    titles = [seed.title for seed in implemented(facts, vocabulary(facts))]
    assert titles == ["Receipt mode", *([title] if title else [])]


def test_a_type_is_named_in_words_without_the_product_before_them() -> None:
    body = "".join(f"    def step{n}(self):\n" + "        a = 1\n" * 12 for n in range(4))
    facts = facts_of({**FILES, "shop/main.py": f"class ShopCashLedger:\n{body}"}, name="shop")
    assert "Cash ledger" in dict(concept_titles(facts)).values()


def test_a_folder_that_hardly_any_name_repeats_has_what_stands_in_its_files() -> None:
    code = "def {}():\n" + "    a = 1\n" * 40 + "    return a\n"
    files = {f"shop/part{n}.py": code.format(f"part{n}") for n in range(9)}
    stops = {"kill.py": "kill_all", "cleanup.py": "clean_on_exit", "cancel.py": "stop_orders"}
    facts = facts_of(
        files | {f"shop/closing/{name}": code.format(it) for name, it in stops.items()}
        | {"shop/closing/late.py": code.format("closing_time")},
        name="shop",
    )  # fmt: skip
    found = concept(facts, "concepts/closing")
    assert [it.name for it in found.functions] == ["closing_time", "stop_orders", "clean_on_exit",
                                                   "kill_all"]  # fmt: skip
