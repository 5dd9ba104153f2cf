"""Interfaces that a package of others provides, and of which nothing was understood, and SQL of
which no table was."""

from __future__ import annotations

import fnmatch
import re
from typing import Literal, NamedTuple

from stationmaster.catalogue.repositories.frameworks import frameworks
from stationmaster.wiki.facts.code import work
from stationmaster.wiki.facts.code.names import types
from stationmaster.wiki.facts.data.schemas import folded, sql_folders
from stationmaster.wiki.facts.interfaces import routes, settings, viewsets
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling.dependencies import packages, users
from stationmaster.wiki.text.inline import Place

What = Literal["HTTP routes", "commands", "background work", "settings", "options"]


_ANSWERING = frozenset({"doGet", "doPost", "service"})
"""Methods of servlets that answer requests."""
_CREATES = re.compile(r"(?im)^[ \t]*create[ \t]+table\b")
_SQL = (".sql", ".cql", ".sq")
"""Files of SQL: what programs have in texts they may make for others."""
_DROPS = re.compile(r"(?i)\bdrop[ \t]+table\b")
_UNSEEN = frozenset({"php"})
"""Ecosystems whose names of packages do not tell what code imports."""


class Unread(NamedTuple):
    """A package that the product imports, an annotation or a type, and where it is asked for."""

    what: What
    package: str
    place: Place


@query
def unread(facts: Facts) -> tuple[Unread, ...]:
    """By what is missing, then by package. Silence elsewhere is no absence then."""
    missing: list[tuple[What, tuple[str, ...]]] = []
    if not routes.endpoints(facts):
        missing.append(("HTTP routes", frameworks().service))
    if not work.commands(facts):
        missing.append(("commands", frameworks().cli))
    if not work.jobs(facts):
        missing.append(("background work", frameworks().job))
    if not settings.settings(facts):
        missing.append(("settings", frameworks().settings))
    return _serving(facts) + _servlets(facts) + _adding(facts) + tuple(
        Unread(what, package.name, package.places[0])
        for what, patterns in missing
        for package in packages(facts)
        if package.scope == "runtime" and package.places
        and _is_any(package.name, patterns)
        and not (what == "HTTP routes" and _is_any(package.name, frameworks().routeless))
        and (package.ecosystem in _UNSEEN or users(facts, package.ecosystem, package.name))
    )  # fmt: skip


def _serving(facts: Facts) -> tuple[Unread, ...]:
    """The annotations by which a library answers requests in the program."""
    return tuple(
        Unread("HTTP routes", f"@{mark}", Place(path, symbol.line))
        for path, code in facts.code.items()
        if path.endswith((".java", ".kt")) and facts.records[path].file_class == "source"
        for symbol in code.symbols
        for mark in symbol.marks
        if mark in frameworks().serving
    )


def _servlets(facts: Facts) -> tuple[Unread, ...]:
    """The types of Java that answer requests as servlets do, at paths that no route tells, without
    those that build on one."""
    routed = {it.handler_path for it in routes.endpoints(facts)}
    answering = {
        (path, it.container): it.line
        for path, code in facts.code.items()
        if path.endswith(".java") and facts.records[path].file_class == "source"
        for it in code.symbols
        if it.name in _ANSWERING and "HttpServletRequest" in it.signature and it.container
    }
    return tuple(
        Unread("HTTP routes", name, Place(path, line))
        for (path, name), line in answering.items()
        if path not in routed
        and not any(it in answering for it in types(facts).around((path, name)) if it[1] != name)
    )


def _adding(facts: Facts) -> tuple[Unread, ...]:
    """The packages that add options to commands."""
    return tuple(
        Unread("options", option.help, Place(option.path or command.path, option.line))
        for command in work.commands(facts)
        for option in command.options
        if option.is_of_package
    )


@query
def unrouted(facts: Facts) -> tuple[Unread, ...]:
    """The view sets that neither a route leads to nor another class is built on."""
    lines = {(it.handler_path, it.handler_line) for it in routes.endpoints(facts)}
    return tuple(
        Unread("HTTP routes", it.name, Place(path, it.line))
        for path, code in facts.code.items()
        if facts.records[path].file_class == "source"
        for it in code.symbols
        if viewsets.is_view_set(facts, path, it)
        and not types(facts).below((path, it.qualified))
        and not any((path, line) in lines for line in range(it.line, it.end + 1))
    )


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatch(name.lower(), pattern) for pattern in patterns)


def unread_as(facts: Facts, what: What) -> list[Unread]:
    """Those of one kind of interface."""
    return [each for each in unread(facts) if each.what == what]


@query
def unread_sql(facts: Facts) -> tuple[str, ...]:
    """The first file of each folder with SQL that creates tables, and drops none, of which none
    was read."""
    return tuple(
        creating[0]
        for files in sql_folders(facts).values()
        if (creating := [it for it, text in files if it.endswith(_SQL) and _CREATES.search(text)])
        and not any(_DROPS.search(text) for _, text in files)
        and not folded(files)
    )
