"""What builds of Maven, Gradle and .NET are configured with, inheritance included.

Gradle builds are code: plugins are recognised by the ways in which they are applied, in a build's
own files, those above it, and the repository's convention plugins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos.contents import Element

_PARENTS_MAX = 10
_IMPLIED = frozenset(
    {
        "maven-compiler-plugin",
        "maven-surefire-plugin",
        "maven-jar-plugin",
        "maven-resources-plugin",
        "maven-install-plugin",
        "maven-deploy-plugin",
        "maven-clean-plugin",
    }
)
"""Plugins that every build of a jar runs, so that managing them configures them."""
_CONVENTIONS = re.compile(
    r"(?:.{0,300}/)?(?:buildSrc|build-logic|buildLogic|build-conventions|build-plugins|conventions"
    r"|gradle|build-settings)/.{1,300}\.(?:gradle|kts|kt|groovy|java)"
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_APPLIED = re.compile(
    r"""\bid\s*+(?:\(\s*+)?["']([\w.-]{2,100})["']\)?(?![^\n]{0,80}\bapply\s*+(?:\(\s*+)?false)"""
    r"""|\bapply\s*+(?:\(\s*+)?plugin\s*[:=]\s*["']([\w.-]{2,100})["']"""
    r"""|\bapply\s*\(\s*["']([\w.-]{2,100})["']\s*\)"""
    r"""|\balias\s*\(\s*libs\.plugins\.([\w.]{2,100})\s*\)(?![^\n]{0,80}\bapply\s*+(?:\(\s*+)?false)"""
    r"""|^[ \t]{2,}`?(checkstyle|pmd|codenarc|jacoco|kover|detekt)`?[ \t]*$""",
    re.MULTILINE,
)
_PROJECTS = ("*.csproj", "*.fsproj", "*.vbproj")
_PROPS = ("Directory.Build.props", "Directory.Build.targets", "Directory.Packages.props")


class Plugin(NamedTuple):
    """A plugin of Maven: where it is declared, and the element that says how."""

    name: str
    path: str
    element: Element

    @property
    def place(self) -> Place:
        """The file that declares the plugin, with the element's line where it is known."""
        return Place(self.path, self.element.line or None)


class Setting(NamedTuple):
    """The text of a property, without white space around it, and the line that sets it."""

    value: str
    place: Place


def plugin(facts: Facts, app: App, *patterns: str) -> Place | None:
    """Where the build of an application applies a plugin or analyzer of such a name."""
    for name, place in _plugins(facts, app).items():
        if any(fnmatchcase(name, pattern) for pattern in patterns):
            return place
    return None


def _plugins(facts: Facts, app: App) -> Mapping[str, Place]:
    def read() -> Mapping[str, Place]:
        found = {each.name: each.place for each in reversed(maven(facts, app))}
        for path, text in gradle(facts, app):
            catalogue = _catalogue(facts)
            for at in _APPLIED.finditer(text):
                alias = at[4]
                name = catalogue.get(_bare(alias)) if alias else at[1] or at[2] or at[3] or at[5]
                if name:
                    found.setdefault(name, Place(path, text.count("\n", 0, at.start(0)) + 1))
        return found | _analyzers(facts, app)

    return facts.remembered(f"plugins of {app.path}", read)


def maven(facts: Facts, app: App) -> Sequence[Plugin]:
    """The plugins that a build runs, those of the pom itself first."""

    def read() -> Sequence[Plugin]:
        poms = [
            path
            for manifest in app.manifests
            if manifest.ecosystem == "maven"
            for path in _poms(facts, manifest.path)
        ]
        run, managed = [], []
        for path in dict.fromkeys(poms):
            for place in ("build/plugins", "profiles/profile/build/plugins"):
                run += _declared(facts, path, place)
            for place in ("build", "profiles/profile/build"):
                managed += _declared(facts, path, f"{place}/pluginManagement/plugins")
        active = _IMPLIED | {each.name for each in run}
        return [*run, *(each for each in managed if each.name in active)]

    return facts.remembered(f"maven of {app.path}", read)


def poms(facts: Facts, app: App) -> Sequence[str]:
    """An application's pom and its parents in the commit, the nearest first."""
    own = (manifest.path for manifest in app.manifests if manifest.ecosystem == "maven")
    return tuple(dict.fromkeys(path for pom in own for path in _poms(facts, pom)))


def gradle(facts: Facts, app: App) -> Sequence[tuple[str, str]]:
    """Paths and texts without comments of all that configures an application's build."""
    if "gradle" not in app.ecosystems:
        return ()

    def read() -> Sequence[tuple[str, str]]:
        folders = [app.path, *(m.folder for m in app.manifests if m.ecosystem == "gradle")]
        above = dict.fromkeys(parent for folder in folders for parent in parents(folder))
        own = [path for folder in above for path in facts.tree.glob("*.gradle*", under=folder)]
        return tuple((path, _plain(facts, path)) for path in dict.fromkeys((*own, *shared)))

    shared = facts.remembered(
        "gradle conventions",
        lambda: tuple(path for path in facts.tree.all_paths if _CONVENTIONS.fullmatch(path)),
    )
    return facts.remembered(f"gradle of {app.path}", read)


def settings(facts: Facts, app: App) -> Mapping[str, Setting]:
    """Properties of .NET projects, by name in lower case; the nearest file wins."""

    def read() -> Mapping[str, Setting]:
        found: dict[str, Setting] = {}
        for path in msbuild(facts, app):
            root = facts.tree.xml(path)
            for group in [] if root is None else root.iter("PropertyGroup"):
                for each in group:
                    if isinstance(each, type(root)) and isinstance(each.tag, str):
                        place = Place(path, getattr(each, "line", None))
                        text = (each.text or "").strip()
                        found.setdefault(each.tag.lower(), Setting(text, place))
        return found

    return facts.remembered(f"settings of {app.path}", read)


def msbuild(facts: Facts, app: App) -> Sequence[str]:
    """The project files of an application, then the shared ones above them."""
    if "dotnet" not in app.ecosystems:
        return ()
    own = [
        each
        for m in app.manifests
        if m.ecosystem == "dotnet" and not is_test(m.path)
        for each in facts.tree.glob(*_PROJECTS, under=m.folder)
    ]
    folders = [app.path, *(folder_of(path) for path in own)]
    above = dict.fromkeys(parent for folder in folders for parent in parents(folder))
    shared = [f"{folder}/{name}" if folder != "." else name for folder in above for name in _PROPS]
    return tuple(dict.fromkeys([*own, *(path for path in shared if path in facts.files)]))


def _analyzers(facts: Facts, app: App) -> dict[str, Place]:
    analyzers: dict[str, Place] = {}
    for path in msbuild(facts, app):
        root = facts.tree.xml(path)
        for reference in _references(root):
            name = reference.get("Include") or reference.get("Update")
            if name:
                analyzers.setdefault(name, Place(path, reference.line or None))
    return analyzers


def _references(root: Element | None) -> Iterator[Element]:
    for tag in ("PackageReference", "GlobalPackageReference"):
        for each in () if root is None else root.iter(tag):
            if isinstance(each, Element):
                yield each


def _poms(facts: Facts, path: str) -> Iterator[str]:
    for _ in range(_PARENTS_MAX):
        root = facts.tree.xml(path)
        if root is None:
            return
        yield path
        parent = root.find("parent")
        if parent is None:
            return
        told = parent.findtext("relativePath")
        relative = "../pom.xml" if told is None else told.strip()
        above = _joined(folder_of(path), relative)
        above = above if above.endswith(".xml") else f"{above}/pom.xml"
        if not relative or above not in facts.files:
            return
        path = above


def _declared(facts: Facts, path: str, place: str) -> list[Plugin]:
    root = facts.tree.xml(path)
    found = [] if root is None else root.findall(f"{place}/plugin")
    return [
        Plugin((each.findtext("artifactId") or "").strip(), path, each)
        for each in found
        if isinstance(each, Element)
    ]


def _catalogue(facts: Facts) -> Mapping[str, str]:
    """Ids of plugins by their alias in the version catalogue."""

    def read() -> Mapping[str, str]:
        found: dict[str, str] = {}
        for path in facts.tree.glob("**/libs.versions.toml"):
            given = facts.tree.toml(path).get("plugins", {})
            for alias, each in given.items() if isinstance(given, dict) else ():
                told = each.get("id", "") if isinstance(each, dict) else str(each).split(":")[0]
                found[_bare(alias)] = str(told)
        return found

    return facts.remembered("plugin catalogue", read)


def _bare(alias: str) -> str:
    return re.sub(r"[-_.]", "", alias).lower()


def _plain(facts: Facts, path: str) -> str:
    """Code without comments, on the same lines."""
    return _COMMENT.sub(lambda at: "\n" * at[0].count("\n"), facts.tree.text(path))


def _joined(folder: str, relative: str) -> str:
    steps = [] if folder == "." else folder.split("/")
    for step in relative.split("/"):
        if step == "..":
            steps = steps[:-1]
        elif step not in ("", "."):
            steps.append(step)
    return "/".join(steps)
