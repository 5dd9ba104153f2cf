"""What names say of their subject, and how titles are written."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.subjects.naming import begins_with, own_key, titled, written
from tests.wiki.commits import facts_of


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("BackupService", "backup"),
        ("IModelFactory", "model factory"),
        ("AbstractMealPlanViewSet", "meal plan"),
        ("build_basket", "basket"),
        ("Categories", "category"),
        ("BinaryHeap", "binary heap"),
        ("ShopTill", "till"),
        ("delta_e", "delta"),
        ("admin-router", "admin"),
    ],
)
def test_a_name_loses_what_part_of_its_subject_it_is_and_the_product(name: str, key: str) -> None:
    assert " ".join(own_key(facts_of({}, name="shop"), name)) == key


@pytest.mark.parametrize(
    ("name", "key", "is_of_it"),
    [
        ("recipe book entry", "recipe book", True),
        ("mealplan", "meal plan", True),
        ("mealie", "meal", False),
        ("ai log", "log", False),
        ("log", "log", True),
    ],
)
def test_a_part_of_a_subject_begins_with_all_its_words(name: str, key: str, is_of_it: bool) -> None:
    assert begins_with(tuple(name.split()), tuple(key.split())) == is_of_it


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("2. Using the default till", "Till"),
        ("Setting and changing tills", "Tills"),
        ("StaticFiles", "Static Files"),
        ("The drawer API", "Drawer"),
    ],
)
def test_a_heading_names_what_something_is_done_with(heading: str, title: str) -> None:
    assert titled(heading) == title


def test_a_title_is_written_as_documents_write_its_words() -> None:
    words = "The WAL has what was written; a wal file is small. Other WAL files are not. " * 2
    facts = facts_of({"README.md": f"# Shop\n\n{words}\n\n## Log\n\n{words}"}, name="shop")
    assert written(facts, ("wal", "reader")) == "WAL reader"
    assert written(facts, ("http", "tables", "e")) == "HTTP tables E"
