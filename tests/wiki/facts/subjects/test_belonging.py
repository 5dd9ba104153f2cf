"""What belongs to a subject: what its code answers and reads, and what its name begins."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.subjects.belonging import belongings, is_called_after
from stationmaster.wiki.facts.subjects.concepts import concept, concept_titles, says
from stationmaster.wiki.facts.subjects.explained import explained
from stationmaster.wiki.facts.subjects.naming import words_in
from stationmaster.wiki.facts.subjects.units import units
from tests.wiki.commits import facts_of

ROUTES = """from fastapi import APIRouter, Depends

from shop.backups.service import BackupService

router = APIRouter()


def admin() -> None:
    \"\"\"Lets administrators pass.\"\"\"


@router.get("/orders/{id}/backups")
def backups_of(id: int) -> int:
    a = 1
    b = 2
    return a + b


@router.post("/backups", dependencies=[Depends(admin)])
def create_backup() -> str:
    service = BackupService()
    name = service.write_backup()
    return name


@router.get("/shopping-lists")
def shopping_lists() -> int:
    a = 1
    return a


@router.get("/mealplans")
def plans() -> int:
    a = 1
    return a
"""
SERVICE = """import os

KEEP = os.getenv("BACKUP_KEEP", "7")


class BackupService:
    \"\"\"Writes archives of all that the shop has sold.\"\"\"

    def write_backup(self) -> str:
        name = "all"
        self.forget_old()
        pack(name)
        return name

    def forget_old(self) -> None:
        a = 1
        b = 2
        print(a + b)


def pack(name: str) -> str:
    first = name
    second = first
    return second
"""
MODELS = """from sqlalchemy import Column, Integer, String
from sqlalchemy.orm import declarative_base

Base = declarative_base()


class Backup(Base):
    __tablename__ = "backups"
    id = Column(Integer, primary_key=True)
    name = Column(String)


class ShoppingList(Base):
    __tablename__ = "shopping_lists"
    id = Column(Integer, primary_key=True)


class MealPlan(Base):
    __tablename__ = "meal_plans"
    id = Column(Integer, primary_key=True)
"""
FILES = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["fastapi", "sqlalchemy"]\n',
    "shop/__init__.py": "",
    "shop/backups/__init__.py": "",
    "shop/web.py": ROUTES,
    "shop/backups/service.py": SERVICE,
    "shop/models.py": MODELS,
    "shop/shopping_list.py": "class ShoppingListView:\n    def a(self):\n        pass\n",
    "shop/meal_plan.py": "class MealPlanView:\n    def a(self):\n        pass\n",
    "tests/test_backups.py": "from shop.backups.service import pack\n\n\n"
    "def test_it():\n    pack('')\n",
    **{f"shop/part{n}.py": f"def part{n}() -> int:\n    a = 1\n    return a\n" for n in range(9)},
}


def test_what_its_code_answers_and_what_its_name_begins_belongs_to_a_subject() -> None:
    facts = facts_of(FILES, name="shop")

    own = concept(facts, "concepts/backup").belongings

    assert {(each.methods, each.route) for each in own.routes} >= {
        (("POST",), "/backups"), (("GET",), "/orders/{id}/backups"),
    }  # fmt: skip
    assert [table.name for table in own.tables] == ["backups"]
    assert [setting.name for setting in own.settings] == ["BACKUP_KEEP"]
    assert not own.commands


@pytest.mark.parametrize(
    ("word", "routes"),
    [("shopping list", ["/shopping-lists"]), ("meal plan", ["/mealplans"]), ("list", []),
     ("shopping", ["/shopping-lists"]), ("plan", []), ("order", ["/orders/{id}/backups"])],
)  # fmt: skip
def test_a_route_belongs_to_what_begins_its_path_and_to_its_whole_steps(
    word: str, routes: list[str]
) -> None:
    own = belongings(facts_of(FILES, name="shop"), tuple(word.split()), (), ())
    assert [it.route for it in own.routes] == routes


def test_a_step_of_a_path_that_is_one_word_may_be_of_a_subject_of_several() -> None:
    text = ROUTES.replace('"/mealplans"', '"/api/v2/mealplans/{id}"')
    facts = facts_of({"shop/__init__.py": "", "shop/routes.py": text}, name="shop")
    own = belongings(facts, ("meal", "plan"), (), ())
    assert [it.route for it in own.routes] == ["/api/v2/mealplans/{id}"]
    assert not belongings(facts, ("plan",), (), ()).routes


NESTED = """\
Rails.application.routes.draw do
  resources :shops, only: [:index, :show] do
    get :limits, on: :member
    resources :orders, only: [:index, :show] do
      get :lines, on: :member
    end
    resources :notes, only: :index
  end
  get "till/page/:page" => "till#index"
end
"""


@pytest.mark.parametrize(
    ("word", "routes"),
    [("till", ["/till/page/:page"]),
     ("shop", ["/shops", "/shops/:id", "/shops/:id/limits", "/shops/:shop_id/notes"]),
     ("order", ["/shops/:shop_id/orders", "/shops/:shop_id/orders/:id",
                "/shops/:shop_id/orders/:id/lines"])],
)  # fmt: skip
def test_a_route_below_several_of_something_else_is_of_that(word: str, routes: list[str]) -> None:
    own = belongings(facts_of({"config/routes.rb": NESTED}), (word,), (), ())
    assert sorted(it.route for it in own.routes) == routes


def test_a_schema_of_all_sections_is_of_no_subject() -> None:
    groups = "".join(
        f"  group :{name} do\n    string :host do\n      default 'a'\n    end\n  end\n"
        for name in ("mail", "web", "till")
    )
    facts = facts_of({"lib/shop/schema.rb": f"Schema = Konfig::Schema.draw do\n{groups}end\n"})
    own = belongings(facts, ("mail",), (), ("lib/shop/schema.rb",))
    assert [it.name for it in own.settings] == ["mail.host"]


def test_a_type_in_another_namespace_than_what_is_stored_is_something_else() -> None:
    body = "".join(f"  def m{n}\n    {n}\n  end\n" for n in range(9))
    other = f"module Wire\n  class Till\n{body}{body.replace('def m', 'def n')}  end\nend\n"
    facts = facts_of({
        "app/models/till.rb": f"class Till < ApplicationRecord\n{body}end\n",
        "app/lib/wire/till.rb": other,
        "app/lib/wire/wrapped.rb": f"module Wrapped\n  class Till < ::Till\n{body}  end\nend\n",
    })  # fmt: skip
    (unit,) = [it for it in units(facts).values() if it.key == ("till",)]
    assert {it.name for it in unit.types} == {"Till", "Wrapped.Till"}
    assert "app/lib/wire/till.rb" not in unit.paths


def test_a_table_with_the_word_at_its_end_is_of_something_else() -> None:
    facts = facts_of(FILES, name="shop")
    assert not belongings(facts, ("list",), (), ()).tables
    assert [it.name for it in belongings(facts, ("shopping",), (), ()).tables] == ["shopping_lists"]


def test_its_flows_begin_with_what_answers_a_request() -> None:
    flows = explained(facts_of(FILES, name="shop"), "concepts/backup").flows
    assert [station.spot.name for station in flows[0].stations] == [
        "create_backup", "BackupService.write_backup", "BackupService.forget_old", "pack",
    ]  # fmt: skip


def test_the_comment_of_the_type_that_is_named_so_says_what_it_is() -> None:
    said = says(facts_of(FILES, name="shop"), "concepts/backup")
    assert said is not None
    assert said.words == "Writes archives of all that the shop has sold."


@pytest.mark.parametrize("name", ["BackupConfig", "BackupController", "ConfigBackup"])
def test_the_comment_of_another_type_says_nothing_of_it(name: str) -> None:
    files = {path: text.replace("BackupService", name) for path, text in FILES.items()}
    assert says(facts_of(files, name="shop"), "concepts/backup") is None


@pytest.mark.parametrize(
    "words",
    ["This is what writes.", "See the guide on it.", "Other backups can be passed.", "a --> b | c",
     "The backup service.", "Backups of sales."],
)  # fmt: skip
def test_words_that_are_understood_only_where_they_stand_or_repeat_the_name_say_nothing(
    words: str,
) -> None:
    changed = SERVICE.replace("Writes archives of all that the shop has sold.", words)
    facts = facts_of(FILES | {"shop/backups/service.py": changed}, name="shop")
    assert says(facts, "concepts/backup") is None


@pytest.mark.parametrize(
    ("name", "title", "is_stored", "is_called"),
    [
        ("REDIS_HOST", "redis", True, True),
        ("SHOP_RESOLVER_PATH", "resolver", True, True),
        ("ENABLE_IMPORT_JOBS", "import", True, True),
        ("ASSET_ID_OPTIONS", "asset id", True, True),
        ("spring.quartz.threads", "quartz", True, True),
        ("server.port", "server", False, True),
        ("server.port", "server", True, False),
        ("DB_USER", "user", True, False),
        ("spring.redis.database", "database", False, False),
    ],
)
def test_a_setting_is_called_after_its_section_and_not_after_its_key(
    name: str, title: str, is_stored: bool, is_called: bool
) -> None:
    facts = facts_of({}, name="shop")
    key = words_in(title)
    assert is_called_after(facts, name, key, is_stored=is_stored) == is_called


def test_types_that_only_help_with_values_are_no_subjects() -> None:
    body = "        int a = 1;\n" * 12
    methods = "".join(f"    public int m{n}() {{\n{body}    }}\n\n" for n in range(14))
    facts = facts_of({
        f"src/main/java/shop/{name}.java": f"package shop;\n\npublic class {name} {{\n{methods}}}\n"
        for name in ("RsaUtils", "CartHelper", "Invoice", "Customer", "Parcel")
    })  # fmt: skip
    titles = {title for _, title in concept_titles(facts)}
    assert "Invoice" in titles
    assert not [it for it in titles if "Rsa" in it or "Cart" in it]


def test_features_of_a_crate_are_not_called_after_its_name() -> None:
    crate = '[package]\nname = "templates"\n[features]\nnative-tls = []\ntemplate-files = []\n'
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "shop"\n[workspace]\nmembers = ["templates"]\n',
        "src/main.rs": "fn main() {}\n",
        "templates/Cargo.toml": crate,
        "templates/src/lib.rs": "pub struct Templates {}\n",
    })  # fmt: skip
    own = belongings(facts, ("template",), (), ())
    assert [it.name for it in own.settings] == ["templates/template-files"]
