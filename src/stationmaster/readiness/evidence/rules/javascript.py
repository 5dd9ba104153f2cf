"""Rules of the linters of JavaScript and TypeScript.

ESLint's flat configuration is code: a rule counts where its name stands with a severity that is
not off. Shared configurations that the repository holds itself are read like its own.
"""

from __future__ import annotations

import re

from stationmaster.catalogue.tools import files
from stationmaster.readiness.evidence.configs import configuration, of_tool, own_folders, value
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App, Place

_COMMENT = re.compile(r"(?<![:\"'`\w])//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_SHARED_MAX = 50


def eslint(facts: Facts, app: App, rule: str) -> Place | None:
    """The line of an ESLint configuration that sets a rule to warn or error; None without one."""
    pattern = re.compile(
        rf"""['"]?(?<![\w/-]){re.escape(rule)}['"]?\s{{0,9}}:\s{{0,99}}\[?\s{{0,99}}['"]?"""
        r"""(?!off\b|0\b)(?:warn|error|[12]\b)"""
    )
    for path in _eslint_files(facts, app):
        text = _plain(facts, path)
        if (at := pattern.search(text)) is not None:
            return Place(path, text.count("\n", 0, at.start()) + 1)
    return None


def _eslint_files(facts: Facts, app: App) -> list[str]:
    return facts.remembered(("eslint files", app.path), lambda: _read_eslint_files(facts, app))


def _read_eslint_files(facts: Facts, app: App) -> list[str]:
    own = [
        path
        for folder in own_folders(app)
        for name in (*files("eslint"), "package.json")
        if (path := configuration(facts, folder, name)) is not None
    ]
    own = [
        path
        for path in own
        if not path.endswith("package.json") or value(facts, path, "eslintConfig") is not None
    ]
    if not own:
        return []
    return list(dict.fromkeys([*own, *_shared(facts)]))


def _shared(facts: Facts) -> list[str]:
    """The code of packages of the repository that are configurations of ESLint."""

    def read() -> list[str]:
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

    return facts.remembered("shared eslint", read)


def _plain(facts: Facts, path: str) -> str:
    """Code without comments, on the same lines."""

    def read() -> str:
        text = facts.tree.text(path)
        return _COMMENT.sub(lambda at: "\n" * at[0].count("\n"), text)

    return facts.remembered(f"plain {path}", read)


def biome(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is `group/name`."""
    path = of_tool(facts, app.path, "biome")
    if path is None:
        return None
    given = value(facts, path, "linter.rules." + rule.replace("/", "."))
    level = given.get("level") if isinstance(given, dict) else given
    return Place(path) if level in ("error", "warn", "info", "on") else None


def oxlint(facts: Facts, app: App, rule: str) -> Place | None:
    """The Oxlint configuration that turns a rule on, with or without its plugin's name, or None."""
    path = of_tool(facts, app.path, "oxlint")
    rules = value(facts, path, "rules") if path is not None else None
    for name, given in rules.items() if isinstance(rules, dict) else ():
        level = given[0] if isinstance(given, list) and given else given
        is_named = name == rule or name.endswith("/" + rule)
        if is_named and level in ("error", "warn", "deny", 1, 2):
            return None if path is None else Place(path)
    return None
