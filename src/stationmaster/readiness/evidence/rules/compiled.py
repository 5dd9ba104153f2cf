"""Rules of the linters of Go, Rust, C, C++, Java, Kotlin, Ruby, .NET, PHP, Swift and Elixir."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from stationmaster.catalogue import lists
from stationmaster.catalogue.tools import files, tools
from stationmaster.readiness.evidence import builds, configs
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.repos.contents import Element
from stationmaster.repos.yaml_nodes import Node, get, items, members, text, texts


def lints(facts: Facts, app: App) -> Sequence[tuple[Mapping[str, Any], str]]:
    """The tables of lints that hold for an application's crates, with their manifests."""
    tables = []
    for folder in configs.own_folders(facts, app):
        path = "Cargo.toml" if folder == "." else f"{folder}/Cargo.toml"
        own = configs.value(facts, path, "lints") if path in facts.files else None
        if isinstance(own, dict) and own.get("workspace") is True:
            root = workspace(facts, folder)
            own = configs.value(facts, root, "workspace.lints") if root is not None else None
            path = root or path
        if isinstance(own, dict) and own:
            tables.append((own, path))
    return tables


def workspace(facts: Facts, folder: str) -> str | None:
    """The manifest of the workspace that a folder is in."""
    for parent in parents(folder):
        path = "Cargo.toml" if parent == "." else f"{parent}/Cargo.toml"
        if path in facts.files and configs.value(facts, path, "workspace") is not None:
            return path
    return None


_ATTRIBUTE = re.compile(r"^#!\[(?:deny|forbid|warn)\(([^)]{1,2000})\)\]", re.MULTILINE)


def golangci(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is the name of a linter."""
    path = configs.of_tool(facts, app.path, "golangci-lint")
    if path is None:
        run = facts.run(app, "golangci-lint run")
        use = facts.use(*tools()["golangci-lint"].uses["lint"].actions)
        place = run.command.place if run else use.place if use else None
        return place if rule in lists.words("golangci-default") else None
    settings = _linters(facts, path)
    if rule in settings.get("disable", ()):
        return None
    if rule in settings.get("enable", ()):
        return Place(path)
    everything = settings.get("default") == ["all"] or settings.get("enable-all") == ["true"]
    nothing = settings.get("default") == ["none"] or settings.get("disable-all") == ["true"]
    return (
        Place(path)
        if everything or (rule in lists.words("golangci-default") and not nothing)
        else None
    )


def _linters(facts: Facts, path: str) -> Mapping[str, list[str]]:
    """The section `linters`, every member as a list of words."""
    if path.endswith((".yml", ".yaml")):
        nodes = members(get(facts.tree.yaml(path), "linters"))
        return {name: texts(node) for name, node in nodes.items()}
    data: Any = facts.tree.toml(path) if path.endswith(".toml") else facts.tree.json(path)
    section = data.get("linters") if isinstance(data, dict) else None
    return {
        str(name): [str(word) for word in setting]
        if isinstance(setting, list)
        else [_word(setting)]
        for name, setting in (section.items() if isinstance(section, dict) else ())
    }


def _word(setting: object) -> str:
    return str(setting).lower() if isinstance(setting, bool) else str(setting)


def cargo(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is `rust.name` or `clippy.name`: in `[lints]`, or an attribute of the crate."""
    group, _, name = rule.partition(".")
    for table, path in lints(facts, app):
        entries = table.get(group)
        level = entries.get(name) if isinstance(entries, dict) else None
        level = level.get("level") if isinstance(level, dict) else level
        if level in ("deny", "forbid", "warn"):
            return Place(path)
    wanted = f"clippy::{name}" if group == "clippy" else name
    for path in facts.tree.glob("src/lib.rs", "src/main.rs", under=app.path):
        for at in _ATTRIBUTE.finditer(facts.tree.text(path)):
            if wanted in re.split(r"[\s,]+", at[1]):
                return configs.at(path, facts.tree.text(path), at.start())
    return None


def clang_tidy(facts: Facts, app: App, rule: str) -> Place | None:
    """The last pattern that matches a check decides."""
    path = configs.of_tool(facts, app.path, "clang-tidy")
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
    return [word for entry in listed for word in re.split(r"[\s,]+", entry) if word]


def cargo_lints(facts: Facts, app: App) -> Place | None:
    """`[lints]` of a crate, which may be its workspace's."""
    tables = lints(facts, app)
    return Place(tables[0][1]) if tables else None


_INHERITED_MAX = 10
_DETEKT_OFF = frozenset({"UnusedImports"})


def checkstyle(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is a module, by fnmatch without its package."""
    if builds.plugin(facts, app, "*checkstyle*") is None:
        return None
    for path in facts.tree.glob("**/*checkstyle*.xml", "**/checkstyle/*.xml"):
        for module in _elements(facts, path, "module"):
            name = (module.get("name") or "").rpartition(".")[2]
            if re.fullmatch(rule, name):
                return Place(path, module.line)
    return None


def _elements(facts: Facts, path: str, tag: str) -> list[Element]:
    """Those below the root of a document; none where it cannot be read."""
    root = facts.tree.xml(path)
    return [] if root is None else root.all(f".//{tag}")


def pmd(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is `category/java/design.xml/Name`; a reference to the whole category counts."""
    if builds.plugin(facts, app, "pmd", "maven-pmd-plugin") is None:
        return None
    for path in facts.tree.glob("**/*pmd*.xml", "**/pmd/*.xml"):
        for element in _elements(facts, path, "rule"):
            named = element.get("ref") or ""
            excluded = {inner.get("name") for inner in element.iter("exclude")}
            if named == rule or (
                named and rule.startswith(named + "/") and rule.rpartition("/")[2] not in excluded
            ):
                return Place(path, element.line)
    return None


def detekt(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is `group/Name`. Its defaults hold unless a file overrides them."""
    place = builds.plugin(facts, app, "io.gitlab.arturbosch.detekt", "dev.detekt*", "detekt*")
    if place is None:
        return None
    group, _, name = rule.partition("/")
    for path in facts.tree.glob("**/detekt*.yml", "**/detekt/*.yml"):
        root = facts.tree.yaml(path)
        active = text(get(root, group, name, "active"))
        if active is not None:
            return Place(path) if active == "true" else None
        if text(get(root, group, "active")) == "false":
            return None
    return None if name in _DETEKT_OFF else place


def rubocop(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is a cop, `Department/Name`, that is on by default."""
    path = configs.of_tool(facts, app.path, "rubocop")
    if path is None:
        return None
    by_default = True
    for file, root in _rubocop_files(facts, path):
        for name in (rule, rule.partition("/")[0]):
            enabled = text(get(root, name, "Enabled"))
            if enabled is not None:
                return Place(file) if enabled == "true" else None
        if get(root, rule) is not None and by_default:
            return Place(file)
        if text(get(root, "AllCops", "DisabledByDefault")) == "true":
            by_default = False
        gems = get(root, "inherit_gem")
        if any(get(gems, gem) is not None for gem in lists.words("few-cops")):
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
            posixpath.normpath(posixpath.join(folder_of(file), parent))
            for parent in texts(get(root, "inherit_from"))
        )


def editorconfig(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is the id of a diagnostic, or the beginning of a key such as `dotnet_naming_`."""
    key = rf"dotnet_diagnostic\.{re.escape(rule)}\.severity"
    if rule.startswith("dotnet_"):
        key = rf"{re.escape(rule)}[\w.]{{0,200}}"
    sign = re.compile(rf"^[ \t]*{key}[ \t]*=[ \t]*(?!none\b|silent\b)\w", re.MULTILINE)
    return next(configs.lines_of(facts, app, (".editorconfig", ".globalconfig"), sign), None)


def swiftlint(facts: Facts, app: App, rule: str) -> Place | None:
    """The SwiftLint configuration under which a rule runs, as a default or by name, or None."""
    path = configs.of_tool(facts, app.path, "swiftlint")
    if path is None:
        return None
    root = facts.tree.yaml(path)
    if rule in texts(get(root, "disabled_rules")):
        return None
    only = texts(get(root, "only_rules"))
    listed = {*only, *texts(get(root, "opt_in_rules")), *texts(get(root, "analyzer_rules"))}
    return (
        Place(path)
        if rule in listed or (not only and rule in lists.words("swiftlint-default"))
        else None
    )


def credo(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is a check such as `Refactor.CyclomaticComplexity` that is on by default."""
    if not facts.packages(app, "credo"):
        return None
    path = configs.of_tool(facts, app.path, "credo")
    if path is None:
        return facts.packages(app, "credo")[0].place
    off = rf"\{{\s*Credo\.Check\.{re.escape(rule)}\s*,\s*false"
    return None if re.search(off, facts.tree.text(path)) else Place(path)


def phpmd(facts: Facts, app: App, rule: str) -> Place | None:
    """`rule` is a rule set such as `codesize`, as a file refers to it or a command names it."""
    for name in files("phpmd"):
        path = configs.configuration(facts, app.path, name) or ""
        for element in _elements(facts, path, "rule") if path else ():
            if f"{rule}.xml" in (element.get("ref") or ""):
                return Place(path, element.line)
    run = facts.run(app, "phpmd")
    named = run is not None and any(rule in word.split(",") for word in run.words)
    return run.command.place if run is not None and named else None


def error_prone(facts: Facts, app: App) -> Place | None:
    """A plugin of the compiler: an argument of Maven's compiler plugin, or a plugin of Gradle."""
    for plugin in builds.maven(facts, app):
        if plugin.name == "maven-compiler-plugin" and _names_error_prone(plugin.element):
            return plugin.place
    return builds.plugin(facts, app, "net.ltgt.errorprone", "net.ltgt.nullaway")


def _names_error_prone(element: Element) -> bool:
    texts = ((node.text or "").strip() for node in element.iter())
    return any(
        text.startswith("-Xplugin:ErrorProne") or text == "error_prone_core" for text in texts
    )


def dotnet_analyzers(facts: Facts, app: App) -> Place | None:
    """Analyzers of the .NET SDK, by severities in `.editorconfig` or by properties."""
    if "dotnet" not in app.ecosystems:
        return None
    settings = builds.settings(facts, app)
    for name in ("analysislevel", "analysismode", "enforcecodestyleinbuild", "enablenetanalyzers"):
        if name in settings and settings[name].value.lower() not in ("", "false", "none"):
            return settings[name].place
    sign = lists.pattern("net-severity")
    return next(configs.lines_of(facts, app, (".editorconfig", ".globalconfig"), sign), None)
