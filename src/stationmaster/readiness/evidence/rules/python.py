"""Rules of Python's linters."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from stationmaster.catalogue.tools import files
from stationmaster.readiness.evidence.configs import key_above, of_tool, own_folders, value
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.manifests.common import sequence
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.paths import folder_of, parents

_DEFAULT = ("E4", "E7", "E9", "F")
_EXTENDS_MAX = 5
_CODE = re.compile(r"([A-Z]+)(\d*)")


def ruff(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is a code or the letters of a group."""
    path = _ruff_file(facts, app)
    if path is None:
        return None
    selected: list[str] | None = None
    added: list[str] = []
    ignored: list[str] = []
    for table in _tables(facts, path):
        for section in (table, table.get("lint", {})):
            if isinstance(section, dict):
                if selected is None and isinstance(section.get("select"), list):
                    selected = [str(each) for each in section["select"]]
                added += map(str, sequence(section.get("extend-select")))
                ignored += map(str, sequence(section.get("ignore")))
                ignored += map(str, sequence(section.get("extend-ignore")))
    chosen = [*(_DEFAULT if selected is None else selected), *added]
    if any(_covers(each, rule) for each in ignored):
        return None
    if any(each == "ALL" or _covers(each, rule) or _covers(rule, each) for each in chosen):
        return Place(path)
    return None


def _ruff_file(facts: Facts, app: App) -> str | None:
    for folder in own_folders(app):
        for each in parents(folder):
            for name in (*files("ruff"), "pyproject.toml"):
                path = name if each == "." else f"{each}/{name}"
                if path in facts.files and _table(facts, path) is not None:
                    return path
    return None


def _table(facts: Facts, path: str) -> Mapping[str, Any] | None:
    found = facts.tree.toml(path)
    if path.endswith("pyproject.toml"):
        inner = value(facts, path, "tool.ruff")
        return inner if isinstance(inner, dict) else None
    return found


def _tables(facts: Facts, path: str) -> Iterator[Mapping[str, Any]]:
    """A configuration, then those that it extends."""
    for _ in range(_EXTENDS_MAX):
        table = _table(facts, path) if path in facts.files else None
        if table is None:
            return
        yield table
        extended = table.get("extend")
        if not isinstance(extended, str):
            return
        path = posixpath.normpath(posixpath.join(folder_of(path), extended))


def _covers(selector: str, code: str) -> bool:
    """Does a selector such as `C9` take in a code such as `C901`?"""
    one, other = _CODE.fullmatch(selector), _CODE.fullmatch(code)
    return bool(one and other and one[1] == other[1] and other[2].startswith(one[2]))


def pylint(facts: Facts, app: App, rule: str) -> Place | None:
    """All of its checks are on where it runs, but for what is disabled. Extensions are not."""
    place = _pylint_place(facts, app)
    if place is None or (facts.run(app, "pylint") is None and not facts.packages(app, "pylint")):
        return None
    text = facts.tree.text(place.path)
    at = re.search(r"^[ \t]*disable\s*=((?:[^\n]*(?:\n[ \t]+[^\n]+)*))", text, re.MULTILINE)
    disabled = re.findall(r"[\w-]+", at[1][:20_000]) if at else []
    enabled = re.search(
        rf"^[ \t]*enable\s*=[^\[]{{0,2000}}?\b{re.escape(rule)}\b", text, re.MULTILINE
    )
    return None if (rule in disabled or "all" in disabled) and not enabled else place


def _pylint_place(facts: Facts, app: App) -> Place | None:
    path = of_tool(facts, app.path, "pylint")
    if path is not None:
        return Place(path)
    return key_above(facts, app, "pyproject.toml:tool.pylint")
