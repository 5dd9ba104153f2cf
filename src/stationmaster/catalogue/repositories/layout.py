"""Names of folders and files, and what they show of their content: `layout.toml`."""

from __future__ import annotations

from typing import Literal

from stationmaster.catalogue.table import Row, lazy_table

Reason = Literal["", "vendored", "fixture", "example", "output", "template", "minified", "excluded"]
"""Why a path is not the product: code of others, input of tests (whole foreign projects among
it), a demonstration, output of a build, a template, minified code, an exclusion by settings or
attributes. '' where it is the product."""


class Folders(Row, frozen=True):
    """Names of folders by what they hold; `aside`, `made` and `at_roots` by why that is not the
    product. The table describes each group."""

    tests: frozenset[str]
    root_tests: frozenset[str]
    test_data: frozenset[str]
    examples: frozenset[str]
    generators: frozenset[str]
    tools: frozenset[str]
    benchmarks: frozenset[str]
    platforms: frozenset[str]
    builds: frozenset[str]
    sources: frozenset[str]
    nameless: frozenset[str]
    libraries: frozenset[str]
    documents: frozenset[str]
    package_roots: frozenset[str]
    package_domains: frozenset[str]
    aside: dict[Reason, tuple[str, ...]]
    made: dict[Reason, tuple[str, ...]]
    at_roots: dict[Reason, tuple[str, ...]]


class Files(Row, frozen=True):
    """Names of files by what they show of their folder."""

    libraries: frozenset[str]
    assets: frozenset[str]
    projects: frozenset[str]
    entries: frozenset[str]
    hooks: frozenset[str]


class Layout(Row, frozen=True):
    """The whole table. `marks` are words of a .gitattributes."""

    marks: frozenset[str]
    folders: Folders
    files: Files


layout = lazy_table("repositories/layout", Layout)
