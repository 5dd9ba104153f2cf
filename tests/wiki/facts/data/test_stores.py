"""What files of settings connect to."""

from __future__ import annotations

from stationmaster.wiki.facts.data.stores import stores
from tests.wiki.commits import facts_of

ENGINE = "    'ENGINE': 'django.db.backends.{}',\n"


def test_a_database_that_settings_of_django_only_offer_to_choose_is_not_connected_to() -> None:
    offered = "DB_BIG = {\n" + ENGINE.format("postgresql") + "}\n"
    used = "DB_OTHER = {\n" + ENGINE.format("mysql") + "}\n"
    chosen = "DATABASES = {\n    # 'default': DB_BIG,\n    'default': DB_OTHER,\n}\n"
    facts = facts_of({"manage.py": "", "shop/settings.py": offered + used + chosen})
    assert [(it.name, it.place.line) for it in stores(facts)] == [("MySQL", 5)]


def test_what_an_orchestrator_of_aspire_starts_is_connected_to() -> None:
    facts = facts_of({
        "Shop.AppHost/Shop.AppHost.csproj": '<Project Sdk="Aspire.AppHost.Sdk/13.1.0"/>',
        "Shop.AppHost/Program.cs": "var builder = DistributedApplication.CreateBuilder(args);\n"
        'var db = builder.AddPostgres("db");\nvar cache = builder.AddRedis("cache");\n',
    })  # fmt: skip
    assert [(it.name, it.place.line) for it in stores(facts)] == [("PostgreSQL", 2), ("Redis", 3)]
