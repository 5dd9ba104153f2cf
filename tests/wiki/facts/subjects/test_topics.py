"""What a program is about, by the words that what it offers, does and stores has in common."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.vocabulary import vocabulary
from stationmaster.wiki.facts.subjects.concepts import concept, concept_titles, says
from stationmaster.wiki.facts.subjects.explained import explained
from stationmaster.wiki.facts.subjects.topics import (
    belongings,
    is_named_so,
    sections_on,
    subject_of,
    topics,
)
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
    "shop/backups/routes.py": ROUTES,
    "shop/backups/service.py": SERVICE,
    "shop/models.py": MODELS,
    "shop/shopping_list.py": "class ShoppingListView:\n    def a(self):\n        pass\n",
    "shop/meal_plan.py": "class MealPlanView:\n    def a(self):\n        pass\n",
    "tests/test_backups.py": "from shop.backups.service import pack\n\n\n"
    "def test_it():\n    pack('')\n",
    **{f"shop/part{n}.py": f"def part{n}() -> int:\n    a = 1\n    return a\n" for n in range(9)},
}


def test_a_word_that_what_is_offered_and_the_code_share_is_a_subject_with_all_of_it() -> None:
    facts = facts_of(FILES, name="shop")

    own = concept(facts, "concepts/backup").belongings

    assert [(each.methods, each.route) for each in own.routes] == [
        (("POST",), "/backups"), (("GET",), "/orders/{id}/backups"),
    ]  # fmt: skip
    assert [table.name for table in own.tables] == ["backups"]
    assert [setting.name for setting in own.settings] == ["BACKUP_KEEP"]
    assert not own.jobs
    assert not own.commands


def test_words_that_stand_side_by_side_nearly_always_are_one_subject() -> None:
    facts = facts_of(FILES, name="shop")
    titles = [title for title, *_ in topics(facts, vocabulary(facts))]
    assert titles == ["Backup", "Shopping list", "Meal plan"]
    assert [route.route for route in belongings(facts, ("meal", "plan")).routes] == ["/mealplans"]


def test_words_that_only_say_how_something_is_and_the_own_name_are_no_subjects() -> None:
    files = {
        path: text.replace("Backup", "Enabled").replace("backup", "enabled")
        for path, text in FILES.items()
    }
    assert "Enabled" not in dict(concept_titles(facts_of(files, name="shop"))).values()
    assert "Backup" not in dict(concept_titles(facts_of(FILES, name="backups"))).values()


def test_a_word_of_one_type_alone_is_no_subject() -> None:
    files = {path: text for path, text in FILES.items() if not path.startswith("shop/backups")}
    assert "Backup" not in dict(concept_titles(facts_of(files, name="shop"))).values()


def test_a_word_with_the_steps_of_an_earlier_subject_has_no_page_of_its_own() -> None:
    doubled = SERVICE.replace("class BackupService:", "class BackupArchiver:")
    doubled = doubled.replace("BACKUP_KEEP", "ARCHIVER_KEEP")
    routes = ROUTES.replace("BackupService", "BackupArchiver").replace("/backups", "/archivers")
    files = {
        **FILES, "shop/backups/service.py": doubled, "shop/backups/routes.py": routes,
        "shop/archivers.py": "class Archiver:\n    pass\n",
    }  # fmt: skip
    titles = dict(concept_titles(facts_of(files, name="shop"))).values()
    assert len({"Archiver", "Backup"}.intersection(titles)) == 1


@pytest.mark.parametrize(
    ("heading", "is_on_it"),
    [
        ("Backups", True),
        ("Creating a backup", True),
        ("Slack alerts for a backup", False),
        ("Backed data", False),
        ("Shop backups", True),
    ],
)
def test_a_section_is_about_a_subject_if_its_heading_tells_little_else(
    heading: str, is_on_it: bool
) -> None:
    text = f"# Guide\n\n## {heading}\n\n" + "An archive has all that was sold in a year. " * 3
    facts = facts_of({**FILES, "docs/guide.md": text}, name="shop")
    titles = [each.title for each in sections_on(facts, "Backup")]
    assert titles == [heading] * is_on_it


def test_its_flows_begin_with_what_answers_a_request() -> None:
    flows = explained(facts_of(FILES, name="shop"), "concepts/backup").flows
    assert [station.spot.name for station in flows[0].stations] == [
        "create_backup", "BackupService.write_backup", "BackupService.forget_old", "pack",
    ]  # fmt: skip


def test_the_comment_of_the_type_that_is_named_so_says_what_it_is() -> None:
    said = says(facts_of(FILES, name="shop"), "concepts/backup")
    assert said is not None
    assert said.words == "Writes archives of all that the shop has sold."


@pytest.mark.parametrize(
    "words",
    ["This is what writes.", "See the guide on it.", "Other backups can be passed.", "a --> b | c"],
)
def test_words_that_are_understood_only_where_they_stand_say_nothing(words: str) -> None:
    changed = SERVICE.replace("Writes archives of all that the shop has sold.", words)
    facts = facts_of(FILES | {"shop/backups/service.py": changed}, name="shop")
    assert says(facts, "concepts/backup") is None


@pytest.mark.parametrize(
    ("name", "title", "is_so"),
    [("BackupService", "Backups", True), ("Category", "Categories", True),
     ("OldBackup", "Backup", False), ("Commented", "Comment", False)],
)  # fmt: skip
def test_a_name_is_a_title_in_either_number_and_with_words_that_tell_nothing(
    name: str, title: str, is_so: bool
) -> None:
    assert is_named_so(name, title) == is_so


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("Tag", "Tags", True),
        ("Scan", "Scanner", True),
        ("Token", "ApiToken", True),
        ("Alert", "AlertManager", True),
        ("Token", "Tokenizer", False),
        ("Story", "Stories", True),
        ("Replay", "Session replays", False),
        ("Replay", "Replays", True),
        ("Flagged", "Flags", True),
    ],
)
def test_two_titles_of_one_subject_are_the_same(one: str, other: str, is_same: bool) -> None:
    assert (subject_of(one) == subject_of(other)) is is_same


def test_routes_that_a_command_serves_for_itself_come_behind_those_of_the_product() -> None:
    facts = facts_of({
        "go.mod": "module example.org/till\n",
        "cmd/demo.go": """package cmd

import (
	"net/http"

	"github.com/spf13/cobra"
)

var demoCmd = &cobra.Command{Use: "demo", Run: demo}

func demo(cmd *cobra.Command, args []string) { http.HandleFunc("/ticket", show) }
""",
        "web/web.go": 'package web\n\nfunc f(r *R) { r.GET("/admin/ticket", h.ticket) }\n',
    })  # fmt: skip
    own = belongings(facts, ("ticket",))
    assert [it.route for it in own.routes] == ["/admin/ticket", "/ticket"]


KEYS = """package main

import (
	"os"

	"gopkg.in/yaml.v3"
)

type Config struct {
	Slack  SlackConfig  `yaml:"slack"`
	Matrix MatrixConfig `yaml:"matrix"`
	Signal SignalConfig `yaml:"signal"`
}

type SlackConfig struct {
	Token string `yaml:"token"`
}

type MatrixConfig struct {
	Token string `yaml:"token"`
}

type SignalConfig struct {
	Token string `yaml:"token"`
}

func main() {
	var config Config
	data, _ := os.ReadFile("config.yml")
	yaml.Unmarshal(data, &config)
}
"""


def test_a_word_that_keys_of_many_sections_share_is_about_these() -> None:
    facts = facts_of({"main.go": KEYS, "go.mod": "module example.com/tell\n\ngo 1.22\n"})

    assert [it.name for it in belongings(facts, ("slack",)).settings] == ["slack.token"]
    assert belongings(facts, ("token",)).settings == ()


def test_what_the_readme_lists_as_features_is_a_subject_before_the_helpers_of_the_code() -> None:
    readme = "# Shop\n\n## 1. Features [Top](#top)\n\n- Stashing (save, pop) and more\n- Fast\n"
    body = "\n".join(f"    a{n} = {n}" for n in range(9))
    parts = (f"shop/parts/part{n}.py" for n in range(30))
    files = {
        "README.md": readme + "- Sells all kinds of things to all kinds of people\n",
        **{path: f"def part{n}():\n{body}\n    return a1\n" for n, path in enumerate(parts)},
        "shop/parts/stash.py": f"def stash_save():\n{body}\n    stash_pop()\n\n\n"
        f"def stash_pop():\n{body}\n    stash_list()\n\n\ndef stash_list():\n{body}\n",
    }
    assert concept_titles(facts_of(files, name="shop"))[:1] == (("concepts/stash", "Stash"),)
