"""Tables of Django that no field declares."""

from __future__ import annotations

from stationmaster.wiki.facts.data.entities import stored
from tests.wiki.commits import facts_of

BASE = (
    "from django.db import models\n\n\nclass Rule(models.Model):\n"
    "    value = models.IntegerField(unique=True)\n\n    class Meta:\n        abstract = True\n\n\n"
)


def columns_of(text: str) -> dict[str, list[str]]:
    facts = facts_of({"shop/__init__.py": "", "shop/models.py": BASE + text})
    return {it.name: [column.name for column in it.columns] for it in stored(facts)}


def test_a_class_that_only_inherits_its_columns_is_a_table_unless_it_is_abstract_too() -> None:
    assert columns_of(
        "class Price(Rule):\n    pass\n\n\n"
        "class Weight(Rule):\n    class Meta:\n        db_table = 'weights'\n\n\n"
        "class Other(Rule):\n    class Meta:\n        abstract = True\n\n\n"
        "class Cheap(Price):\n    class Meta:\n        proxy = True\n"
    ) == {"Price": ["id", "value"], "weights": ["id", "value"]}


def test_django_gives_a_key_to_models_that_declare_none_and_have_it_from_no_other() -> None:
    assert columns_of(
        "class Till(models.Model):\n    name = models.TextField()\n\n\n"
        "class Safe(Till):\n    size = models.IntegerField()\n\n\n"
        "class Coin(models.Model):\n    code = models.TextField(primary_key=True)\n\n\n"
        "class Note(Elsewhere):\n    text = models.TextField()\n"
    ) == {"Till": ["id", "name"], "Safe": ["till_ptr", "size"], "Coin": ["code"], "Note": ["text"]}


def test_a_class_below_a_table_is_a_table_that_points_to_it_and_repeats_none_of_its_columns() -> (
    None
):
    assert columns_of(
        "class Sold:\n    pass\n\n\nclass Priced(Sold):\n    pass\n\n\n"
        "class Note(models.Model):\n    text = models.TextField()\n\n    class Meta:\n"
        "        abstract = True\n\n\n"
        "class Good(Priced, Rule):\n    name = models.TextField()\n\n\n"
        "class Book(Priced, Good):\n    pass\n\n\n"
        "class Novel(Note, Book):\n    pages = models.IntegerField()\n\n\n"
        "class Cheap(Novel):\n    class Meta:\n        proxy = True\n\n\n"
        "class Film(Good):\n    good = models.OneToOneField(Good, parent_link=True)\n"
    ) == {
        "Good": ["id", "value", "name"], "Book": ["good_ptr"],
        "Novel": ["text", "book_ptr", "pages"],
        "Film": ["good"],
    }  # fmt: skip


def test_fields_of_a_projects_own_classes_make_columns_of_classes_below_models_alone() -> None:
    facts = facts_of({
        "shop/__init__.py": "",
        "shop/fields.py": "from django.db import models\n\n\n"
        "class ForeignKey(models.ForeignKey):\n    pass\n\n\n"
        "class CharField(models.CharField):\n    pass\n",
        "shop/models.py": f"from . import fields\nfrom .fields import CharField\n{BASE}"
        "class Kept(Rule):\n    owner = fields.ForeignKey('Owner')\n\n    class Meta:\n"
        "        abstract = True\n\n\n"
        "class Owner(Rule):\n    name = CharField()\n\n\n"
        "class Coin(Kept):\n    pass\n\n\n"
        "class Form(Other):\n    title = CharField()\n",
    })  # fmt: skip
    coin, owner = stored(facts)
    assert [it.name for it in coin.columns] == ["id", "value", "owner"]
    assert [it.name for it in owner.columns] == ["id", "value", "name"]
    assert coin.references == (owner.key,)


def test_a_mixin_adds_no_key_and_models_of_packages_bring_their_columns() -> None:
    assert columns_of(
        "from counts import counted\nfrom model_utils.models import UUIDModel\n"
        "from treebeard.mp_tree import MP_Node\n\n\n"
        "class Tree(MP_Node):\n    name = models.TextField()\n\n    class Meta:\n"
        "        abstract = True\n\n\n"
        "class Till(counted('till'), models.Model):\n    name = models.TextField()\n\n\n"
        "class Shelf(counted('shelf'), Tree):\n    size = models.IntegerField()\n\n\n"
        "class Root(MP_Node):\n    depth = None\n    name = models.TextField()\n\n\n"
        "class Coin(UUIDModel):\n    value = models.IntegerField()\n"
    ) == {
        "Coin": ["id", "value"], "Root": ["id", "path", "numchild", "name"], "Till": ["id", "name"],
        "Shelf": ["id", "path", "depth", "numchild", "name", "size"],
    }  # fmt: skip


def test_the_history_of_a_model_is_a_table_with_its_columns() -> None:
    facts = facts_of({
        "shop/models.py": f"from simple_history.models import HistoricalRecords\n{BASE}"
        "class Till(Rule):\n    id = models.UUIDField(primary_key=True)\n"
        "    history = HistoricalRecords()\n",
    })  # fmt: skip
    history, till = stored(facts)
    assert (history.name, till.name, history.path) == (
        "HistoricalTill", "Till", "shop/models.py",
    )  # fmt: skip
    names = [it.name for it in history.columns]
    assert names[:3] == ["value", "id", "history_id"]
    assert [it.name for it in history.columns if it.is_key] == ["history_id"]
    assert not any(it.is_unique for it in history.columns)
