"""Rules of the linters of Python, JavaScript and TypeScript.

ESLint's flat configuration is code: a rule counts where its name has a severity that is
not off. Shared configurations that the repository holds itself are read like its own.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from stationmaster.catalogue.tools import files
from stationmaster.readiness.evidence import configs
from stationmaster.readiness.evidence.configs import key_above, of_tool, own_folders, value
from stationmaster.readiness.facts import Facts, once
from stationmaster.reading.projects.manifests.common import sequence
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.paths import folder_of, parents

_COMMENT = re.compile(r"(?<![:\"'`\w])//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_SHARED_MAX = 50


def eslint(facts: Facts, app: App, rule: str) -> Place | None:
    """The line of an ESLint configuration that sets a rule to warn or error; None without one."""
    pattern = (
        rf"""['"]?(?<![\w/-]){re.escape(rule)}['"]?\s{{0,9}}:\s{{0,99}}\[?\s{{0,99}}['"]?"""
        r"""(?!off\b|0\b)(?:warn|error|[12]\b)"""
    )
    for path in _eslint_files(facts, app):
        text = plain(facts, path)
        if rule in text and (at := re.search(pattern, text)) is not None:
            return configs.at(path, text, at.start())
    return None


@once
def _eslint_files(facts: Facts, app: App) -> list[str]:
    paths = configs.named(facts, app, *files("eslint"), "package.json")
    own = [
        path
        for path in paths
        if not path.endswith("package.json") or value(facts, path, "eslintConfig") is not None
    ]
    return list(dict.fromkeys([*own, *_shared(facts)])) if own else []


@once
def _shared(facts: Facts) -> list[str]:
    """The code of packages of the repository that are configurations of ESLint."""
    folders = [
        manifest.folder
        for manifest in facts.project.manifests
        if manifest.ecosystem == "npm" and manifest.name and "eslint-config" in manifest.name
    ]
    paths = (
        path
        for folder in folders
        for path in facts.tree.glob("*.js", "*.cjs", "*.mjs", "*.ts", "*.json", under=folder)
    )
    return [path for path in paths if not path.endswith("package.json")][:_SHARED_MAX]


@once
def plain(facts: Facts, path: str) -> str:
    """Code of JavaScript without comments, on the same lines."""
    return _COMMENT.sub(lambda at: "\n" * at[0].count("\n"), facts.tree.text(path))


def biome(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is `group/name`."""
    path = of_tool(facts, app.path, "biome")
    if path is None:
        return None
    setting = value(facts, path, "linter.rules." + rule.replace("/", "."))
    level = setting.get("level") if isinstance(setting, dict) else setting
    return Place(path) if level in ("error", "warn", "info", "on") else None


def oxlint(facts: Facts, app: App, rule: str) -> Place | None:
    """The Oxlint configuration that turns a rule on, with or without its plugin's name, or None."""
    path = of_tool(facts, app.path, "oxlint")
    rules = value(facts, path, "rules") if path is not None else None
    for name, setting in rules.items() if isinstance(rules, dict) else ():
        level = setting[0] if isinstance(setting, list) and setting else setting
        is_named = name == rule or name.endswith("/" + rule)
        if is_named and level in ("error", "warn", "deny", 1, 2):
            return None if path is None else Place(path)
    return None


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
                    selected = [str(code) for code in section["select"]]
                added += map(str, sequence(section.get("extend-select")))
                ignored += map(str, sequence(section.get("ignore")))
                ignored += map(str, sequence(section.get("extend-ignore")))
    chosen = [*(_DEFAULT if selected is None else selected), *added]
    if any(_covers(code, rule) for code in ignored):
        return None
    if any(code == "ALL" or _covers(code, rule) or _covers(rule, code) for code in chosen):
        return Place(path)
    return None


def _ruff_file(facts: Facts, app: App) -> str | None:
    for folder in own_folders(facts, app):
        for parent in parents(folder):
            for name in (*files("ruff"), "pyproject.toml"):
                path = name if parent == "." else f"{parent}/{name}"
                if path in facts.files and _table(facts, path) is not None:
                    return path
    return None


def _table(facts: Facts, path: str) -> Mapping[str, Any] | None:
    table = facts.tree.toml(path)
    if path.endswith("pyproject.toml"):
        inner = value(facts, path, "tool.ruff")
        return inner if isinstance(inner, dict) else None
    return table


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
    """All of its checks are on where it runs, except what is disabled. Extensions are not."""
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
