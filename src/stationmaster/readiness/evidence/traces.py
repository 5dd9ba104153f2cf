"""Looking for tools: rows of what shows that one is used, and where a commit shows it.

A row is a tool and the traces that it leaves: files, actions, commands, hooks, dependencies and
modules that code imports. So a new tool is one row, and a criterion names a table of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple

from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App, Place

_ENDINGS = {
    "js": (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte"),
    "py": (".py",), "go": (".go",), "rs": (".rs",), "cs": (".cs", ".fs", ".razor"),
    "jvm": (".java", ".kt", ".kts", ".scala", ".groovy"), "swift": (".swift",),
    "rb": (".rb", ".ru", ".rake"), "php": (".php",), "ex": (".ex", ".exs"),
}  # fmt: skip
_OF_LANGUAGE = re.compile(rf"({'|'.join(_ENDINGS)}):(?!:)")
_VERSION = re.compile(r"@|:(?!//)")
_ALWAYS_GREEN = re.compile(r"\|\|\s*(?:true|:|exit 0)\s*(?:$|[;\n)])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """What shows that a tool is used.

    `files`: patterns of `projects.globs`; `actions`: fnmatch patterns, in lower case, of the
    actions, templates and images of workflows; `commands`: phrases of `shell.runs`; `hooks`: their
    ids; `packages`: fnmatch patterns of dependencies that work by being there; `imports`: of
    modules that product code imports, `swift:Name` of one language where others have the name, too.
    `is_weak`: it shows little, even where it is found.
    """

    name: str
    files: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    is_weak: bool = False


class Found(NamedTuple):
    """A tool, and a place that shows it. Weak: it may not hold what it promises."""

    tool: str
    place: Place
    is_weak: bool = False


def of_repository(facts: Facts, tools: Iterable[Tool]) -> Found | None:
    """The first of the tools that is used anywhere; a weak trace where there is no other."""
    return _best(_in_repository(facts, tool) for tool in tools)


def of_app(facts: Facts, app: App, tools: Iterable[Tool]) -> Found | None:
    """The first of the tools that an application's code, files or commands show."""
    return _best(_in_app(facts, app, tool) for tool in tools)


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Does a dependency's name match one of the fnmatch patterns?"""
    return any(fnmatchcase(name.lower(), pattern) for pattern in patterns)


def action(facts: Facts, *patterns: str) -> Place | None:
    """The first use of an action, template or image of one of these names."""
    for workflow in facts.pipelines.workflows:
        read = workflow.facts
        references = [(use.reference, use.place) for use in read.uses]
        references += [(image.reference, image.place) for image in read.images]
        references += [(include.location, include.place) for include in read.includes]
        for reference, at in references:
            name = _VERSION.split(reference.lower(), maxsplit=1)[0]
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                return Place(*workflow.at(at))
    return None


def _best(found: Iterable[Found | None]) -> Found | None:
    weak: Found | None = None
    for each in found:
        if each is not None and not each.is_weak:
            return each
        weak = weak or each
    return weak


def _in_repository(facts: Facts, tool: Tool) -> Found | None:
    place: Place | None = None
    if tool.files:
        place = next(map(Place, facts.tree.glob(*tool.files)), None)
    if place is None and tool.actions:
        place = action(facts, *tool.actions)
    if place is not None:
        return Found(tool.name, place, tool.is_weak)
    if command := _command(facts, None, tool):
        return command
    places = (_in_code(facts, app, tool) for app in facts.project.apps)
    place = next(filter(None, places), None)
    return None if place is None else Found(tool.name, place, tool.is_weak)


def _in_app(facts: Facts, app: App, tool: Tool) -> Found | None:
    place = _in_code(facts, app, tool)
    if place is None and tool.files:
        found = facts.tree.glob(*tool.files, under=app.path)
        place = next((Place(path) for path in found if facts.tree.owner(path) == app.path), None)
    if place is not None:
        return Found(tool.name, place, tool.is_weak)
    return _command(facts, app, tool)


def _command(facts: Facts, app: App | None, tool: Tool) -> Found | None:
    if tool.commands and (run := facts.run(app, *tool.commands)):
        is_green = _ALWAYS_GREEN.search(run.command.text) is not None
        return Found(tool.name, run.command.place, tool.is_weak or is_green)
    for command in facts.project.commands if tool.hooks else ():
        if command.source == "hook" and command.name in tool.hooks:
            return Found(tool.name, command.place, tool.is_weak)
    return None


def _in_code(facts: Facts, app: App, tool: Tool) -> Place | None:
    if tool.packages:
        for dependency in facts.tree.dependencies(app, *tool.packages):
            if dependency.scope == "runtime":
                return dependency.place
    return next(iter(imported(facts, app, tool.imports)), None)


def imported(facts: Facts, app: App, patterns: Sequence[str]) -> Iterator[Place]:
    """Where an application imports a module, as `Tool` names them."""
    plain = [pattern for pattern in patterns if not _OF_LANGUAGE.match(pattern)]
    if plain:
        yield from facts.tree.imported(app, *plain)
    for each in patterns:
        if named := _OF_LANGUAGE.match(each):
            for place in facts.tree.imported(app, each[named.end() :]):
                if place.path.endswith(_ENDINGS[named[1]]):
                    yield place
