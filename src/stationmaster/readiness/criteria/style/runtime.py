"""Criteria of what only running code pays for: queries in loops, and heavy bundles."""

from __future__ import annotations

from stationmaster.projects.model import App, Place
from stationmaster.readiness.criterion import Verdict, fails, passes, skips
from stationmaster.readiness.evidence import checks
from stationmaster.readiness.evidence.checks import Check
from stationmaster.readiness.facts import Facts

_ORMS = (
    "activerecord", "rails", "sequel", "django", "sqlalchemy", "sqlmodel", "peewee", "tortoise-orm",
    "prisma", "@prisma/client", "typeorm", "sequelize", "drizzle-orm", "@mikro-orm/*", "objection",
    "knex", "kysely", "mongoose", "gorm.io/gorm", "github.com/jinzhu/gorm", "entgo.io/ent",
    "xorm.io/xorm", "github.com/uptrace/bun", "diesel", "sea-orm", "*hibernate*",
    "*spring-boot-starter-data-jpa", "*spring-data-jpa", "*exposed-*", "*ktorm*",
    "microsoft.entityframeworkcore*", "entityframework", "nhibernate", "laravel/framework",
    "illuminate/database", "doctrine/orm", "ecto", "ecto_sql", "fluent", "*vapor/fluent*",
)  # fmt: skip
_DETECTORS = (
    Check("Bullet", packages=("bullet",)),
    Check("Prosopite", packages=("prosopite",)),
    Check("rack-mini-profiler", packages=("rack-mini-profiler",)),
    Check("strict loading", packages=("goldiloader", "n_plus_one_control", "batch-loader")),
    Check("nplusone", packages=("nplusone", "django-zen-queries", "django-zeal", "scoutapm",
                                "django-auto-prefetch", "sqlalchemy-nplusone")),
    Check("DataLoader", packages=("dataloader", "aiodataloader", "graphql-batch",
                                  "github.com/graph-gophers/dataloader*",
                                  "github.com/vikstrous/dataloadgen")),
    Check("a query detector", packages=("beyondcode/laravel-query-detector",)),
    Check("datasource-proxy", packages=("*datasource-proxy*", "*quickperf*", "*hypersistence*")),
)  # fmt: skip
_CODE_SIGNS = (
    (".py", "assertNumQueries"), (".py", "django_assert_num_queries"),
    (".php", "preventLazyLoading"), (".php", "shouldBeStrict"),
    (".rb", "strict_loading_by_default"),
    (".cs", "MultipleCollectionIncludeWarning"), (".java", "generate_statistics"),
    (".properties", "generate_statistics"), (".yml", "generate_statistics"),
)  # fmt: skip
_READ_MAX = 3_000
_WEIGHERS = (
    Check("size-limit", keys=("package.json:size-limit",), files=(".size-limit.*",),
          packages=("size-limit",), runs=("size-limit",), uses=("andresz1/size-limit-action",)),
    Check("bundlewatch", keys=("package.json:bundlewatch",), packages=("bundlewatch",),
          files=(".bundlewatch.config.*", "bundlewatch.config.*"), runs=("bundlewatch",)),
    Check("bundlesize", keys=("package.json:bundlesize",), packages=("bundlesize",),
          files=("bundlesize.config.json",), runs=("bundlesize",)),
    Check("Lighthouse CI", files=("lighthouserc.*", ".lighthouserc.*"), runs=("lhci",),
          packages=("@lhci/cli",), uses=("treosh/lighthouse-ci-action",)),
    Check("a bundle analyzer",
          runs=("webpack-bundle-analyzer", "source-map-explorer", "vite-bundle-visualizer",
                "next experimental-analyze", "esbuild --analyze", "rollup-plugin-visualizer"),
          uses=("preactjs/compressed-size-action", "hashicorp/nextjs-bundle-analysis",
                "relative-ci/agent-action", "codecov/bundle-analysis")),
)  # fmt: skip
_ANALYZERS = (
    "webpack-bundle-analyzer", "rollup-plugin-visualizer", "@next/bundle-analyzer",
    "rsbuild-plugin-analyze", "@codecov/*-plugin", "@rsdoctor/*", "sonda", "@relative-ci/agent",
)  # fmt: skip


def n_plus_one_detection(facts: Facts, app: App) -> Verdict:
    if not facts.packages(app, *_ORMS):
        return skips("It has no object-relational mapper")
    for check in _DETECTORS:
        found = facts.packages(app, *check.packages)
        if found:
            return passes(f"{check.name} is there", found[0].place)
    for path in facts.tree.of(app)[:_READ_MAX]:
        for ending, sign in _CODE_SIGNS:
            if path.endswith(ending) and (at := facts.tree.text(path).find(sign)) >= 0:
                line = facts.tree.text(path).count("\n", 0, at) + 1
                return passes(f"{sign} counts or refuses queries", Place(path, line))
    return fails("No detector of queries in loops, such as Bullet or assertNumQueries")


def heavy_dependency_detection(facts: Facts, app: App) -> Verdict:
    shown = checks.first(facts, app, _WEIGHERS)
    if shown is not None:
        return passes(f"{shown.name} watches the bundle", *shown.places, weak=shown.is_weak)
    found = facts.packages(app, *_ANALYZERS)
    for path in facts.tree.glob("*.config.*", "config/*", under=app.path):
        text = facts.tree.text(path)
        used = next((each for each in found if each.name in text), None)
        if used is not None:
            return passes(f"{used.name} is part of the build", Place(path))
    return fails("Nothing measures the bundle, such as size-limit or a bundle analyzer",
                 *(each.place for each in found[:1]))  # fmt: skip
