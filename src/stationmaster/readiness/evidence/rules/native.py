"""Rules of the linters of Go, Rust, C and C++."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from stationmaster.catalogue.tools import tools
from stationmaster.readiness.evidence.cargo import lints
from stationmaster.readiness.evidence.configs import of_tool
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App, Place
from stationmaster.repos.yaml_nodes import Node, get, items, members, text, texts

_STANDARD = frozenset(
    {
        "errcheck",
        "gosimple",
        "govet",
        "ineffassign",
        "staticcheck",
        "typecheck",
        "unused",
    }
)
"""What golangci-lint runs without being told."""
_ATTRIBUTE = re.compile(r"^#!\[(?:deny|forbid|warn)\(([^)]{1,2000})\)\]", re.MULTILINE)


def golangci(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is the name of a linter."""
    path = of_tool(facts, app.path, "golangci-lint")
    if path is None:
        run = facts.run(app, "golangci-lint run")
        use = facts.use(*tools()["golangci-lint"].uses["lint"].actions)
        place = run.command.place if run else use.place if use else None
        return place if rule in _STANDARD else None
    given = _linters(facts, path)
    if rule in given.get("disable", ()):
        return None
    if rule in given.get("enable", ()):
        return Place(path)
    everything = given.get("default") == ["all"] or given.get("enable-all") == ["true"]
    nothing = given.get("default") == ["none"] or given.get("disable-all") == ["true"]
    return Place(path) if everything or (rule in _STANDARD and not nothing) else None


def _linters(facts: Facts, path: str) -> Mapping[str, list[str]]:
    """The section `linters`, every member as a list of words."""
    if path.endswith((".yml", ".yaml")):
        found = members(get(facts.tree.yaml(path), "linters"))
        return {name: texts(node) for name, node in found.items()}
    data: Any = facts.tree.toml(path) if path.endswith(".toml") else facts.tree.json(path)
    section = data.get("linters") if isinstance(data, dict) else None
    return {
        str(name): [str(each) for each in given] if isinstance(given, list) else [_word(given)]
        for name, given in (section.items() if isinstance(section, dict) else ())
    }


def _word(given: object) -> str:
    return str(given).lower() if isinstance(given, bool) else str(given)


def cargo(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is `rust.name` or `clippy.name`: in `[lints]`, or an attribute of the crate."""
    group, _, name = rule.partition(".")
    for table, path in lints(facts, app):
        given = table.get(group)
        level = given.get(name) if isinstance(given, dict) else None
        level = level.get("level") if isinstance(level, dict) else level
        if level in ("deny", "forbid", "warn"):
            return Place(path)
    wanted = f"clippy::{name}" if group == "clippy" else name
    for path in facts.tree.glob("src/lib.rs", "src/main.rs", under=app.path):
        for at in _ATTRIBUTE.finditer(facts.tree.text(path)):
            if wanted in re.split(r"[\s,]+", at[1]):
                return Place(path, facts.tree.text(path).count("\n", 0, at.start()) + 1)
    return None


def clang_tidy(facts: Facts, app: App, rule: str) -> Place | None:
    """The last pattern that matches a check decides."""
    path = of_tool(facts, app.path, "clang-tidy")
    if path is None:
        return None
    root = facts.tree.yaml(path)
    is_on = False
    for pattern in _patterns(get(root, "Checks")):
        if fnmatchcase(rule, pattern.lstrip("-")):
            is_on = not pattern.startswith("-")
    return Place(path) if is_on else None


def _patterns(node: Node | None) -> list[str]:
    listed = [text(item) or "" for item in items(node)] or [text(node) or ""]
    return [word for each in listed for word in re.split(r"[\s,]+", each) if word]
