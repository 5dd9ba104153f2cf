"""Settings, entities, jobs, entries, tests and marks."""

from __future__ import annotations

from functools import partial

import pytest

from stationmaster.reading.code.model import Setting
from stationmaster.reading.code.stored import Column
from tests.reading.code.reading import facts_of

python = partial(facts_of, "Python")


def test_variables_of_the_environment_are_settings() -> None:
    facts = python("""
        import os
        from os import environ, getenv as get
        KEY = "NAMED"
        a = os.environ["A"]
        b = os.getenv("B", "b")
        c = environ.get(KEY)
        d = get("D", 1)
        os.environ["WRITTEN"] = "1"

        def flag(name, default=False):
            return os.getenv(name, default) == "1"

        e = flag("E", True)
        f = {}.get("F")
        g = os.getenv(f"G_{a}")
    """)
    assert [(s.name, s.kind, s.default, s.is_required) for s in facts.settings] == [
        ("A", "env", None, True),
        ("B", "env", "b", False),
        ("NAMED", "env", None, False),
        ("D", "env", "1", False),
        ("E", "env", "True", False),
    ]


def test_a_variable_that_is_read_only_where_it_is_there_is_not_required() -> None:
    facts = python("""
        import os
        if "A" in os.environ:
            a = parse(os.environ["A"])
        else:
            a = os.environ["B"]
        c = os.environ["C"] if "C" in os.environ else ""
        try:
            d = os.environ["D"]
        except KeyError:
            d = ""
        if "E" not in os.environ:
            raise SystemExit
        print(os.environ["E"])
        if os.environ.get("F"):
            f = os.environ["F"]
    """)
    required = {s.name: s.is_required for s in facts.settings}
    assert required == {"A": False, "B": True, "C": False, "D": False, "E": False, "F": False}


def test_a_function_of_the_file_that_reads_the_environment_says_whether_it_fails() -> None:
    text = """
        import os
        def secret(name, default=None):
            if path := os.getenv(name + "_FILE"):
                raise ValueError(path)
            return os.getenv(name, default)
        def needed(name):
            if not (value := os.getenv(name)):
                raise KeyError(name)
            return value
        def strict(name):
            return os.environ[name]
        A, B, C = secret("A"), needed("B"), strict("C")
    """

    read = {setting.name: setting.is_required for setting in python(text).settings}

    assert read == {"A": False, "B": True, "C": True}


def test_what_a_wildcard_import_brings_may_be_the_environment() -> None:
    text = "from .common import *\nDEBUG = os.environ.get('DEBUG', '')\nKEY = os.environ['KEY']\n"
    assert [each.name for each in facts_of("Python", text).settings] == ["DEBUG", "KEY"]
    assert facts_of("Python", text.replace("*", "x")).settings == ()


@pytest.mark.parametrize("line", ["from .base import *", "from .base import env"])
def test_a_reader_of_the_environment_may_be_made_in_another_file(line: str) -> None:
    text = f"{line}\nKEY = env('KEY')\nDEBUG = env.bool('DEBUG', False)\npage = env.get('page')\n"
    assert [each.name for each in facts_of("Python", text).settings] == ["KEY", "DEBUG"]
    assert facts_of("Python", text.replace(line, "import env")).settings == ()


def test_a_function_may_have_any_number_of_decorators() -> None:
    text = "".join(f"@schema({number})\n" for number in range(200)) + "def create(): pass\n"
    assert facts_of("Python", text).symbols[0].marks == ("schema",) * 200


def test_the_head_of_a_function_has_no_remarks() -> None:
    (add,) = python("def add(  # noqa: X1\n    one: int,\n) -> int:\n    return one\n").symbols
    assert add.signature == "def add( one: int, ) -> int"


def test_tables_of_options_are_settings() -> None:
    facts = python("""
        OPTIONS = {
            "cache_ttl": {"type": int, "default": 30, "help": "Seconds. More."},
            "debug": {"default": False},
            "other": {"type": int},
        }
        COLUMNS = {"a": {"default": 1}, "b": {"default": 2}}
        CONFIG = {"only": {"default": 1}}
    """)  # fmt: skip
    assert facts.settings == (
        Setting("cache_ttl", "key", 3, "30", False, "Seconds."),
        Setting("debug", "key", 4, "False"),
    )


def test_settings_of_django_are_declared_and_asked_for() -> None:
    declared = python(
        "INSTALLED_APPS = []\nMIDDLEWARE = []\nROOT_URLCONF = 'x'\nPAGE = 10\nlow = 1"
    )
    assert [(s.name, s.kind) for s in declared.settings] == [
        ("INSTALLED_APPS", "key"), ("MIDDLEWARE", "key"), ("ROOT_URLCONF", "key"), ("PAGE", "key"),
    ]  # fmt: skip
    asked = python("from django.conf import settings\nsettings.PAGE\ngetattr(settings, 'SIZE', 3)")
    assert [(s.name, s.default) for s in asked.settings] == [("PAGE", None), ("SIZE", "3")]
    assert python("from .conf import settings\nsettings.PAGE").settings == ()


def test_tables_of_sqlalchemy_are_entities_in_all_their_styles() -> None:
    facts = python("""
        import sqlalchemy as sa
        from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

        class Base(DeclarativeBase): ...

        class User(Base):
            __tablename__ = "users"
            id: Mapped[int] = mapped_column(primary_key=True)
            name: Mapped[str | None]
            team_id = sa.Column(sa.Integer, sa.ForeignKey("teams.id"), unique=True)
            team = relationship("Team")

        links = sa.Table("links", metadata, sa.Column("a", sa.Text, primary_key=True))
    """)
    users, links = facts.entities
    assert (users.name, users.symbol, users.framework) == ("users", "User", "SQLAlchemy")
    assert users.columns == (
        Column("id", "int", True, line=9),
        Column("name", "str | None", line=10),
        Column("team_id", "Integer", False, True, "teams.id", 11),
    )
    assert (links.name, links.columns) == ("links", (Column("a", "Text", True, line=14),))


def test_tables_of_flask_sqlalchemy_are_called_after_their_classes_or_as_they_say() -> None:
    facts = python("""
        from shop.extensions import db

        class LineItem(db.Model):
            id = db.Column(db.Integer, primary_key=True)

        tags = db.Table(
            "tags", db.Column("item", db.Integer, db.ForeignKey("line_item.id"), primary_key=True)
        )
    """)
    items, tags = facts.entities
    assert (items.name, items.symbol, items.framework) == ("line_item", "LineItem", "SQLAlchemy")
    assert (tags.name, tags.columns) == (
        "tags", (Column("item", "db.Integer", True, references="line_item.id", line=8),)
    )  # fmt: skip


def test_models_of_django_and_their_abstract_bases_have_columns() -> None:
    facts = python("""
        from django import forms
        from django.db import models

        class Stamped(models.Model):
            at = models.DateTimeField()
            class Meta:
                abstract = True

        class Order(Stamped, Mixin):
            owner = models.ForeignKey("auth.User", on_delete=models.CASCADE)
            code = models.CharField(unique=True)
            class Meta:
                db_table = "orders"

        class Form(forms.Form):
            name = forms.CharField()
    """)
    base, order = facts.entities
    assert (base.name, base.kind, [it.name for it in base.columns]) == ("Stamped", "base", ["at"])
    assert (order.name, order.symbol, order.framework) == ("orders", "Order", "Django")
    assert [(c.name, c.type, c.is_unique, c.references) for c in order.columns] == [
        ("owner", "ForeignKey", False, "auth.User"),
        ("code", "CharField", True, ""),
    ]


@pytest.mark.parametrize(
    ("text", "name", "framework"),
    [
        ("from sqlmodel import Field, SQLModel\nclass Hero(SQLModel, table=True):\n"
         "    id: int = Field(primary_key=True)\nclass HeroBase(SQLModel):\n    x: int",
         "hero", "SQLModel"),
        ("import peewee\nclass A(Base):\n    x = peewee.CharField()", "A", "Peewee"),
        ("from tortoise import fields\nfrom tortoise.models import Model\nclass A(Model):\n"
         "    x = fields.IntField(pk=True)", "A", "Tortoise"),
        ("from flask_sqlalchemy import SQLAlchemy\ndb = SQLAlchemy()\nclass A(db.Model):\n"
         "    x = db.Column(db.Integer, primary_key=True)", "a", "SQLAlchemy"),
    ],
)  # fmt: skip
def test_other_mappers_have_entities_too(text: str, name: str, framework: str) -> None:
    tables = [each for each in python(text).entities if each.kind != "base"]
    assert [(each.name, each.framework) for each in tables] == [(name, framework)]


def test_jobs_are_told_with_what_starts_them() -> None:
    facts = python("""
        from celery import Celery, shared_task
        from apscheduler.schedulers.background import BackgroundScheduler
        from django.core.management.base import BaseCommand
        from django.dispatch import receiver
        app = Celery()
        scheduler = BackgroundScheduler()

        @shared_task(name="send", queue="mail")
        def send(): ...

        @app.task
        def count(): ...

        @receiver(post_save, sender=User)
        def saved(): ...

        class Command(BaseCommand): ...

        scheduler.add_job(tick, "interval", hours=1)
        app.conf.beat_schedule = {"nightly": {"task": "shop.tidy", "schedule": crontab(hour=3)}}

        @mock.task
        def no(): ...
    """)
    assert [(j.name, j.kind, j.trigger, j.framework) for j in facts.jobs] == [
        ("send", "queue", "mail", "Celery"),
        ("count", "queue", "", "Celery"),
        ("saved", "event", "post_save, sender=User", "Django"),
        ("tick", "schedule", "interval, hours=1", "APScheduler"),
        ("nightly", "schedule", "crontab(hour=3)", "Celery"),
    ]
    assert facts.jobs[-1].handler == "shop.tidy"


def test_handlers_that_are_connected_to_signals_are_told_with_who_sends_them() -> None:
    facts = python("""\
        from celery.signals import task_failure
        from django.db.models.signals import post_save
        from shop.handlers import index, tell
        from shop.signals import paid

        paid.connect(index)
        post_save.connect(tell, sender=Order)
        database.connect("localhost")
        database.connect(unknown)

        @task_failure.connect
        def failed(): ...
    """)
    assert [(j.name, j.kind, j.trigger, j.framework) for j in facts.jobs] == [
        ("index", "event", "paid", "Django"),
        ("tell", "event", "post_save, sender=Order", "Django"),
        ("failed", "event", "task_failure", "Celery"),
    ]
    assert not python("from PyQt6 import x\nfrom a import b\nx.clicked.connect(b)\n").jobs


def test_schedules_that_are_made_of_lists_are_told() -> None:
    facts = python("""\
        from celery.schedules import crontab

        tasks = [
            {"name": "Mail", "default": "*/10 * * * *", "task": "shop.tasks.mail"},
            {"name": "No time", "task": "shop.tasks.never"},
        ]

        def setup(sender):
            sender.add_periodic_task(30.0, tidy.s(1), name="tidy up")
    """)
    assert [(j.name, j.kind, j.trigger, j.handler) for j in facts.jobs] == [
        ("Mail", "schedule", "*/10 * * * *", "shop.tasks.mail"),
        ("tidy up", "schedule", "30.0", "tidy"),
    ]
    assert not python('t = [{"task": "a.b", "at": "* * * * *"}]\n').jobs


def test_entries_are_where_programs_begin() -> None:
    facts = python("""
        import uvicorn
        from fastapi import FastAPI
        app = FastAPI()

        def serve():
            uvicorn.run(app)

        if __name__ == "__main__":
            serve()
    """)
    assert [(each.name, each.kind, each.symbol) for each in facts.entries] == [
        ("app", "app", "app"),
        ("uvicorn.run", "server", "serve"),
        ("__main__", "main", ""),
    ]


def test_tests_and_fixtures_are_those_that_runners_collect() -> None:
    facts = python("""
        import pytest, unittest

        @pytest.fixture
        def cart(): ...

        def test_adds(cart):
            def test_inner(): ...

        class TestPay:
            def test_pays(self): ...
            def helper(self): ...

        class Old(unittest.TestCase):
            def testOld(self): ...

        class Plain:
            def test_not(self): ...
    """)
    assert [(each.name, each.kind) for each in facts.tests] == [
        ("cart", "fixture"),
        ("test_adds", "test"),
        ("TestPay.test_pays", "test"),
        ("Old.testOld", "test"),
    ]


def test_what_a_file_lists_is_what_it_exports() -> None:
    facts = python("""
        from .cart import Cart
        from .pay import Pay as Pay
        import importlib
        __all__ = ["Cart", "run"]
        def run(): ...
        def stop(): ...
        importlib.import_module("shop.plugins")
    """)
    assert facts.exports == ("Cart", "run")
    assert [(each.name, each.kind) for each in facts.imports] == [
        ("cart", "reexport"), ("pay", "reexport"), ("importlib", "module"),
        ("shop.plugins", "dynamic"),
    ]  # fmt: skip
    assert [each.name for each in facts.symbols if each.is_public] == ["run"]


@pytest.mark.parametrize(
    "text", ["", "def", "class A(", "@", "import", "\\", "x = [", "from . import"]
)
def test_broken_files_cost_nothing(text: str) -> None:
    assert python(text).status in ("ok", "errors")
