"""Linters, test runners, services and other tools that repositories use, and what shows each use:
`tools/*.toml`. Readiness selects them by purpose. What a test file is called is in
`repositories/test_names.toml`.

A row has the name of its tool, what all of its uses share, and its uses by purpose:

    [ruff]
    name = "Ruff"
    languages = ["Python"]
    packages = ["ruff"]
    uses.lint.files = ["ruff.toml", ".ruff.toml"]
    uses.lint.commands = ["ruff check"]
    uses.format.commands = ["ruff format"]
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

from stationmaster.catalogue.table import Row, read

FILES = ("style", "tests", "delivery", "running", "security", "documents")
"""In the order in which the tools of one purpose are looked for."""


class Line(Row, frozen=True):
    """A line that turns a tool on: a regular expression in files of these names or in the code of
    Gradle builds, or one of these keys of a file of another use."""

    pattern: str = ""
    files: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    gradle: bool = False


class Evidence(Row, frozen=True):
    """What shows that a tool is used.

    `languages`: families of languages that it reads, any where empty. `files`: its configuration,
    by fnmatch, in the folder of an application or above. `keys`: the same inside a file of another
    use, as `pyproject.toml:tool.ruff`. `off`: the key by which a configuration turns the tool off.
    `packages`: dependencies, by fnmatch, that show that a configuration is used; `needs_packages`:
    without them it is not. `plugins`: plugins of Gradle and Maven and analyzers of .NET.
    `dependencies`: such that are used by being there; `libraries`: the same, where they are needed
    to run. `imports`: modules that product code imports, `swift:Name` of one language. `paths`:
    globs of files that show it in any folder. `commands`: a program and words behind it.
    `hooks`: ids of hooks. `actions`: fnmatch patterns, in lower case and without a version, of the
    actions, templates and images of workflows. `rules`: rules of a linter of which one must be on.
    `lines`: lines of configurations. `reader`: what code has to look for. `weak`: it shows little.
    """

    languages: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    off: str = ""
    packages: tuple[str, ...] = ()
    needs_packages: bool = False
    plugins: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    lines: tuple[Line, ...] = ()
    reader: str = ""
    weak: bool = False


class Tool(Evidence, frozen=True, kw_only=True):
    """A row: a tool by its name, what all of its uses share, and its uses by purpose."""

    name: str
    uses: dict[str, Evidence]


class Use(Evidence, frozen=True, kw_only=True):
    """What shows that a tool, by its id and name, is used for one purpose."""

    tool: str
    name: str
    purpose: str


@cache
def tools() -> Mapping[str, Tool]:
    """All tools by id, in the order of FILES and of the rows in them. Raises ValueError for a row
    that is written wrongly, and for a second row of a tool."""
    table: dict[str, Tool] = {}
    for file in FILES:
        for name, tool in read(f"tools/{file}", dict[str, Tool]).items():
            if table.setdefault(name, tool) is not tool:
                raise ValueError(f"tools/{file}.toml: {name} has a row already")
    return table


@cache
def uses(purpose: str) -> tuple[Use, ...]:
    """The uses of all tools for one purpose, such as `lint`, in the order of the rows. Raises
    KeyError for a purpose that no row has."""
    rows = tuple(
        _use(name, tool, purpose) for name, tool in tools().items() if purpose in tool.uses
    )
    if not rows:
        raise KeyError(purpose)
    return rows


@cache
def files(tool: str) -> tuple[str, ...]:
    """The names of a tool's configuration, of all its uses, each once. Raises KeyError."""
    row = tools()[tool]
    names = (name for evidence in (row, *row.uses.values()) for name in evidence.files)
    return tuple(dict.fromkeys(names))


def _use(name: str, tool: Tool, purpose: str) -> Use:
    """A use with its own evidence, else with what the tool's uses share."""
    own = msgspec.structs.asdict(tool.uses[purpose])
    shared = {key: getattr(tool, key) for key, value in own.items() if not value}
    return Use(tool=name, name=tool.name, purpose=purpose, **{**own, **shared})
