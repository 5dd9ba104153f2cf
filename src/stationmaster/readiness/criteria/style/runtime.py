"""Criteria of what only running code pays for: queries in loops, and heavy bundles."""

from __future__ import annotations

from stationmaster.readiness.evidence import configs, tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.model import App, Place

_ORMS = (
    "activerecord",
    "rails",
    "sequel",
    "django",
    "sqlalchemy",
    "sqlmodel",
    "peewee",
    "tortoise-orm",
    "prisma",
    "@prisma/client",
    "typeorm",
    "sequelize",
    "drizzle-orm",
    "@mikro-orm/*",
    "objection",
    "knex",
    "kysely",
    "mongoose",
    "gorm.io/gorm",
    "github.com/jinzhu/gorm",
    "entgo.io/ent",
    "xorm.io/xorm",
    "github.com/uptrace/bun",
    "diesel",
    "sea-orm",
    "*hibernate*",
    "*spring-boot-starter-data-jpa",
    "*spring-data-jpa",
    "*exposed-*",
    "*ktorm*",
    "microsoft.entityframeworkcore*",
    "entityframework",
    "nhibernate",
    "laravel/framework",
    "illuminate/database",
    "doctrine/orm",
    "ecto",
    "ecto_sql",
    "fluent",
    "*vapor/fluent*",
)
_CODE_SIGNS = (
    (".py", "assertNumQueries"),
    (".py", "django_assert_num_queries"),
    (".php", "preventLazyLoading"),
    (".php", "shouldBeStrict"),
    (".rb", "strict_loading_by_default"),
    (".cs", "MultipleCollectionIncludeWarning"),
    (".java", "generate_statistics"),
    (".properties", "generate_statistics"),
    (".yml", "generate_statistics"),
)
_READ_MAX = 3_000
_ANALYZERS = (
    "webpack-bundle-analyzer",
    "rollup-plugin-visualizer",
    "@next/bundle-analyzer",
    "rsbuild-plugin-analyze",
    "@codecov/*-plugin",
    "@rsdoctor/*",
    "sonda",
    "@relative-ci/agent",
)


def n_plus_one_detection(facts: Facts, app: App) -> Verdict:
    """Passes where a tool or code detects queries in loops; skipped without a mapper."""
    if not facts.packages(app, *_ORMS):
        return skips("It has no object-relational mapper")
    shown = tools.of_app(facts, app, "queries")
    if shown is not None:
        return passes(f"{shown.name} is there", *shown.places)
    for path in facts.tree.of(app)[:_READ_MAX]:
        for ending, sign in _CODE_SIGNS:
            if path.endswith(ending) and (place := configs.line_of(facts, path, sign)):
                return passes(f"{sign} counts or refuses queries", place)
    return fails("No detector of queries in loops, such as Bullet or assertNumQueries")


def heavy_dependency_detection(facts: Facts, app: App) -> Verdict:
    """Passes where a tool or an analyzer in the build measures the size of the bundle."""
    shown = tools.of_app(facts, app, "bundle")
    if shown is not None:
        return passes(f"{shown.name} watches the bundle", *shown.places, weak=shown.is_weak)
    analyzers = facts.packages(app, *_ANALYZERS)
    for path in facts.tree.glob("*.config.*", "config/*", under=app.path):
        text = facts.tree.text(path)
        used = next((package for package in analyzers if package.name in text), None)
        if used is not None:
            return passes(f"{used.name} is part of the build", Place(path))
    return fails(
        "Nothing measures the bundle, such as size-limit or a bundle analyzer",
        *(package.place for package in analyzers[:1]),
    )
