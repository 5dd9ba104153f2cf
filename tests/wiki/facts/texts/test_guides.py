"""Documents that explain: their order, and the sections that tell how the product works."""

from __future__ import annotations

from stationmaster.wiki.facts.texts.guides import explaining, guides
from stationmaster.wiki.facts.texts.passages import passages, words_of
from tests.wiki.commits import facts_of

TEXT = "The shop keeps what people are about to buy, and tells them what all of it costs. " * 6
CODE = "class ShopCart:\n    def add(self, item):\n        x = 1\n        return item\n"
ENGINE = CODE.replace("ShopCart", "PriceEngine")


def _titles(files: dict[str, str]) -> list[str]:
    return [it.title for it in explaining(facts_of({"shop/cart.py": CODE, **files}, "shop"))]


def test_documents_stand_in_the_order_of_the_table_of_contents() -> None:
    files = {
        "docs/index.rst": "Shop\n====\n\n.. toctree::\n\n   prices\n   carts\n",
        "docs/carts.rst": f"Carts\n=====\n\n{TEXT}\n",
        "docs/prices.rst": f"Prices\n======\n\n{TEXT}\n",
    }
    assert [it.title for it in guides(facts_of(files))] == ["Prices", "Carts"]


def test_a_document_without_headings_is_called_by_its_name() -> None:
    files = {"docs/price-lists.md": f"---\nlayout: page\n---\n{TEXT}"}
    assert [it.title for it in guides(facts_of(files))] == ["Price lists"]


def test_sections_of_a_document_on_the_architecture_explain_and_others_do_not() -> None:
    files = {
        "ARCHITECTURE.md": f"# Architecture\n\n{TEXT}\n\n## Carts\n\n{TEXT}\n\n## Tests\n\n{TEXT}",
        "docs/prices.md": f"# Prices\n\n{TEXT}\n\n## How prices are made\n\n{TEXT}",
    }
    assert _titles(files) == ["Architecture", "Carts", "How prices are made"]


def test_numbered_steps_that_name_code_explain() -> None:
    steps = (
        "1. `ShopCart` takes it.\n2. `PriceEngine` counts.\n3. Both are written to a store.\n" * 2
    )
    files = {"docs/orders.md": f"# Orders\n\n{TEXT}\n\n## What an order goes through\n\n{steps}"}
    assert _titles({**files, "shop/price.py": ENGINE}) == ["What an order goes through"]
    assert _titles(files) == []
    contributing = files["docs/orders.md"].replace("# Orders", "# Contributing", 1)
    assert _titles({"CONTRIBUTING.md": contributing, "shop/price.py": ENGINE}) == []


def test_references_are_shown_as_the_titles_that_they_lead_to() -> None:
    files = {
        "docs/carts.rst": f".. _the-carts:\n\nAll carts\n=========\n\n{TEXT}\n",
        "docs/prices.rst": "Prices\n======\n\nSee :ref:`the-carts` and :doc:`carts`, made "
        f"by Shop_. {TEXT}\n\n.. _Shop: https://shop.example\n",
    }
    facts = facts_of(files)
    prices = next(it for it in passages(facts) if it.title == "Prices")
    assert words_of(facts, prices).startswith("See All carts and All carts, made by Shop.")


def test_what_agents_are_told_of_the_code_explains_and_the_rest_does_not() -> None:
    names = "Put a `ShopCart` before a `PriceEngine`, as all carts do. " * 3
    text = f"# Shop\n\n## Patterns\n\n{names}\n\n## Manners\n\n{TEXT}\n\n## Tests\n\n{names}"
    assert _titles({"AGENTS.md": text, "shop/price.py": ENGINE}) == ["Patterns"]


def test_a_link_that_readers_are_sent_to_keeps_its_document() -> None:
    files = {
        "docs/carts.md": f"# Carts\n\nSee [all prices](prices.md#all), not [them](prices.md). "
        f"{TEXT}",
        "docs/prices.md": f"# Prices\n\n{TEXT}",
    }
    facts = facts_of(files)
    carts = next(it for it in passages(facts) if it.title == "Carts")
    words = words_of(facts, carts)
    assert words.startswith("See [all prices](prices.md#all) (`docs/prices.md`), not [them]")
    assert "not [them](prices.md). The" in words


def test_names_of_folders_for_work_on_the_product_are_none_of_documents() -> None:
    told = {f"docs/{it}.md": f"# On {it}\n\n{TEXT}" for it in ("scripts", "binary")}
    files = {**told, "scripts/README.md": f"# Scripts\n\n{TEXT}"}
    assert {it.path for it in guides(facts_of(files))} == {*told}
