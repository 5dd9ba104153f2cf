"""Rules of the linters of Java, Kotlin, Ruby, .NET, PHP, Swift and Elixir."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from stationmaster.catalogue.tools import files
from stationmaster.readiness.evidence import builds
from stationmaster.readiness.evidence.configs import configuration, of_tool, own_folders
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.paths import folder_of
from stationmaster.repos.yaml_nodes import Node, get, text, texts

_INHERITED_MAX = 10
_FEW_COPS = frozenset({"rubocop-rails-omakase", "standard", "standard-rails"})
"""Shared configurations of RuboCop that turn nearly all off."""
_SWIFT_DEFAULTS = frozenset(
    {
        "cyclomatic_complexity",
        "identifier_name",
        "type_name",
        "todo",
        "file_length",
        "function_body_length",
        "nesting",
    }
)
_DETEKT_OFF = frozenset({"UnusedImports"})


def checkstyle(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is a module, by fnmatch without its package."""
    if builds.plugin(facts, app, "*checkstyle*") is None:
        return None
    for path in facts.tree.glob("**/*checkstyle*.xml", "**/checkstyle/*.xml"):
        root = facts.tree.xml(path)
        for module in () if root is None else root.iter("module"):
            name = (module.get("name") or "").rpartition(".")[2]
            if re.fullmatch(rule, name):
                return Place(path, getattr(module, "line", None))
    return None


def pmd(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is `category/java/design.xml/Name`; a reference to the whole category counts."""
    if builds.plugin(facts, app, "pmd", "maven-pmd-plugin") is None:
        return None
    for path in facts.tree.glob("**/*pmd*.xml", "**/pmd/*.xml"):
        root = facts.tree.xml(path)
        for each in () if root is None else root.iter("rule"):
            named = each.get("ref") or ""
            excluded = {inner.get("name") for inner in each.iter("exclude")}
            if named == rule or (
                named and rule.startswith(named + "/") and rule.rpartition("/")[2] not in excluded
            ):
                return Place(path, getattr(each, "line", None))
    return None


def detekt(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is `group/Name`. Its defaults hold unless a file says otherwise."""
    place = builds.plugin(facts, app, "io.gitlab.arturbosch.detekt", "dev.detekt*", "detekt*")
    if place is None:
        return None
    group, _, name = rule.partition("/")
    for path in facts.tree.glob("**/detekt*.yml", "**/detekt/*.yml"):
        root = facts.tree.yaml(path)
        told = text(get(root, group, name, "active"))
        if told is not None:
            return Place(path) if told == "true" else None
        if text(get(root, group, "active")) == "false":
            return None
    return None if name in _DETEKT_OFF else place


def rubocop(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is a cop, `Department/Name`, that is on by default."""
    path = of_tool(facts, app.path, "rubocop")
    if path is None:
        return None
    by_default = True
    for file, root in _rubocop_files(facts, path):
        for name in (rule, rule.partition("/")[0]):
            told = text(get(root, name, "Enabled"))
            if told is not None:
                return Place(file) if told == "true" else None
        if get(root, rule) is not None and by_default:
            return Place(file)
        if text(get(root, "AllCops", "DisabledByDefault")) == "true":
            by_default = False
        gems = get(root, "inherit_gem")
        if any(get(gems, gem) is not None for gem in _FEW_COPS):
            by_default = False
    return Place(path) if by_default else None


def _rubocop_files(facts: Facts, path: str) -> Iterator[tuple[str, Node | None]]:
    waiting, seen = [path], set[str]()
    while waiting and len(seen) < _INHERITED_MAX:
        file = waiting.pop(0)
        if file in seen or file not in facts.files:
            continue
        seen.add(file)
        root = facts.tree.yaml(file)
        yield file, root
        waiting += (
            posixpath.normpath(posixpath.join(folder_of(file), each))
            for each in texts(get(root, "inherit_from"))
        )


def editorconfig(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is the id of a diagnostic, or the beginning of a key such as `dotnet_naming_`."""
    key = rf"dotnet_diagnostic\.{re.escape(rule)}\.severity"
    if rule.startswith("dotnet_"):
        key = rf"{re.escape(rule)}[\w.]{{0,200}}"
    sign = re.compile(rf"^[ \t]*{key}[ \t]*=[ \t]*(?!none\b|silent\b)\w", re.MULTILINE)
    for folder in own_folders(app):
        for name in (".editorconfig", ".globalconfig"):
            path = configuration(facts, folder, name)
            found = sign.search(facts.tree.text(path)) if path is not None else None
            if path is not None and found is not None:
                return Place(path, facts.tree.text(path).count("\n", 0, found.start()) + 1)
    return None


def swiftlint(facts: Facts, app: App, rule: str) -> Place | None:
    """The SwiftLint configuration under which a rule runs, as a default or by name, or None."""
    path = of_tool(facts, app.path, "swiftlint")
    if path is None:
        return None
    root = facts.tree.yaml(path)
    if rule in texts(get(root, "disabled_rules")):
        return None
    only = texts(get(root, "only_rules"))
    listed = {*only, *texts(get(root, "opt_in_rules")), *texts(get(root, "analyzer_rules"))}
    return Place(path) if rule in listed or (not only and rule in _SWIFT_DEFAULTS) else None


def credo(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is a check such as `Refactor.CyclomaticComplexity` that is on by default."""
    if not facts.packages(app, "credo"):
        return None
    path = of_tool(facts, app.path, "credo")
    if path is None:
        return facts.packages(app, "credo")[0].place
    off = rf"\{{\s*Credo\.Check\.{re.escape(rule)}\s*,\s*false"
    return None if re.search(off, facts.tree.text(path)) else Place(path)


def phpmd(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is a rule set such as `codesize`, as a file refers to it or a command names it."""
    for name in files("phpmd"):
        path = configuration(facts, app.path, name)
        root = facts.tree.xml(path) if path is not None else None
        for each in () if root is None else root.iter("rule"):
            if path is not None and f"{rule}.xml" in (each.get("ref") or ""):
                return Place(path, getattr(each, "line", None))
    run = facts.run(app, "phpmd")
    named = run is not None and any(rule in word.split(",") for word in run.words)
    return run.command.place if run is not None and named else None
