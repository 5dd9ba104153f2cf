"""pom.xml."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stationmaster.reading.projects.manifests import common
from stationmaster.reading.projects.manifests.common import Reading, strings, text, within
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest, Place
from stationmaster.reading.projects.paths import folder_of
from stationmaster.repos.contents import Element
from stationmaster.repos.files import Files

_PROPERTY = re.compile(r"\$\{([\w.-]{1,200})\}")
_PARENTS_MAX = 10
_SKIPS = {"skip": "maven.test.skip", "skipTests": "skipTests"}
"""The settings with which Surefire skips tests, and the property of each where a pom has none."""
_SUREFIRE = "maven-surefire-plugin"
_PLUGINS = "org.apache.maven.plugins"


class _Above(NamedTuple):
    """The properties and versions that modules inherit from their parents."""

    properties: dict[str, str]
    versions: dict[str, str]


def read(path: str, reading: Reading) -> Manifest:
    """`data` has `packaging`, `modules` (folders), `parent` (a path), `properties`, `managed`
    (plugins that it configures for modules that use them), and whether it `starts`: names a main
    class. `skips` are the properties without which its tests would run, '' what no
    property changes.

    Plugins and annotation processors are dependencies of development.
    """
    root = reading.contents.xml(path)
    if root is None or root.tag != "project":
        return common.unread(path, "maven", "this is no Maven project")
    above = _Above({}, {})
    chain = list(with_parents(path, reading.files))
    for _, pom in reversed(chain):
        _learn(pom, above)
    group = root.findtext("groupId") or root.findtext("parent/groupId") or ""
    artifact = _filled(root.findtext("artifactId"), above.properties)
    parent = _parent_path(path, root, reading.files)
    data = {
        "packaging": (root.findtext("packaging") or "jar").strip(),
        "modules": _modules(root, folder_of(path)),
        "properties": _properties(root),
        "managed": [
            _name(plugin, {}, _PLUGINS)
            for plugin in root.all("build/pluginManagement/plugins/plugin")
        ],
        "starts": _starts(root),
        "skips": _skips(chain, above.properties),
        **({"parent": parent} if parent else {}),
    }
    version = root.findtext("version") or root.findtext("parent/version")
    about = {
        "name": f"{group.strip()}:{artifact}" if artifact else None,
        "version": _filled(version, above.properties),
        "description": root.findtext("description"),
    }
    return common.manifest(path, "maven", about, _dependencies(path, root, above), data)


def _dependencies(path: str, root: Element, above: _Above) -> Iterator[Dependency]:
    for base in (root, *root.all("profiles/profile")):
        for dependency in base.all("dependencies/dependency"):
            yield _dependency(path, dependency, above, None)
        for plugin in base.all("build/plugins/plugin"):
            yield _dependency(path, plugin, above, "development", _PLUGINS)
            yield from (
                _dependency(path, dependency, above, "development")
                for dependency in plugin.all("dependencies/dependency")
            )
        for dependency in base.all("build/plugins/plugin//annotationProcessorPaths/*"):
            yield _dependency(path, dependency, above, "development")


def _dependency(
    path: str, element: Element, above: _Above, scope: DependencyScope | None, group: str = ""
) -> Dependency:
    name = _name(element, above.properties, group)
    own = _filled(element.findtext("version"), above.properties)
    version = own or above.versions.get(name)
    if scope is None:
        optional = (element.findtext("optional") or "").strip() == "true"
        test = (element.findtext("scope") or "").strip() == "test"
        scope = "development" if test else "optional" if optional else "runtime"
    named = next(iter(element.all("artifactId")), element)
    return Dependency(name, text(version), scope, Place(path, named.line))


def _name(element: Element, properties: Mapping[str, str], group: str) -> str:
    owner = _filled(element.findtext("groupId"), properties) or group
    return f"{owner}:{_filled(element.findtext('artifactId'), properties)}"


def _starts(root: Element) -> bool:
    """Does a plugin put a main class into an archive, or run one on demand? One that runs during
    the build does not make it a program."""
    return any(
        (plugin.all(".//mainClass") or plugin.all(".//Main-Class"))
        and not ("exec" in (plugin.findtext("artifactId") or "") and plugin.all("executions"))
        for plugin in root.all("build/plugins/plugin")
    )


def _skips(chain: Sequence[tuple[str, Element]], properties: Mapping[str, str]) -> list[str]:
    """The properties that make Surefire skip tests."""
    values = dict(properties)
    for _, pom in reversed(chain):
        values.update(_properties(pom))  # They override profiles of a parent.
        for profile in pom.all("profiles/profile"):
            if profile.says("activation/activeByDefault") == "true":
                values.update(_properties(profile))
    names = []
    for key, default in _SKIPS.items():
        setting = next(_configured(chain, _SUREFIRE, key), None)
        text = f"${{{default}}}" if setting is None else (setting.text or "").strip()
        if named := _PROPERTY.fullmatch(text):
            names += [named[1]] * (_filled(values.get(named[1]), values) == "true")
        elif setting is not None and text == "true":
            names.append("")
    return list(dict.fromkeys(names))


def _configured(chain: Sequence[tuple[str, Element]], name: str, key: str) -> Iterator[Element]:
    """The values of a key of a plugin in the configurations of poms, by precedence: those of
    plugins that are used go before those of plugins that are managed."""
    for base in ("build/plugins/plugin", "build/pluginManagement/plugins/plugin"):
        for number, (_, pom) in enumerate(chain):
            for plugin in pom.all(base):
                is_left = number == 0 or plugin.says("inherited") != "false"
                if is_left and plugin.says("artifactId") == name:
                    yield from plugin.all(f"configuration/{key}")


def with_parents(path: str, files: Files) -> Iterator[tuple[str, Element]]:
    """The path and the root of a pom and of each of its parents in the commit, the nearest
    first."""
    seen: set[str] = set()
    above: str | None = path
    while above is not None and above not in seen and len(seen) <= _PARENTS_MAX:
        if (root := files.contents.xml(above)) is None:
            break
        seen.add(above)
        yield above, root
        above = _parent_path(above, root, files)


def _parent_path(path: str, root: Element, files: Files) -> str | None:
    parent = root.find("parent")
    if parent is None:
        return None
    relative = parent.findtext("relativePath")
    relative = "../pom.xml" if relative is None else relative.strip()
    if not relative:
        return None
    pom = posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))
    if not pom.endswith(".xml"):
        pom = within(pom, "pom.xml")
    return pom if pom in files else None


def _learn(root: Element, into: _Above) -> None:
    into.properties.update(_properties(root))
    for name in ("version", "groupId"):
        if value := (root.findtext(name) or root.findtext(f"parent/{name}")):
            into.properties[f"project.{name}"] = value.strip()
    for managed in root.all("dependencyManagement/dependencies/dependency"):
        if version := _filled(managed.findtext("version"), into.properties):
            into.versions[_name(managed, into.properties, "")] = version
    for managed in root.all("build/pluginManagement/plugins/plugin"):
        if version := _filled(managed.findtext("version"), into.properties):
            into.versions[_name(managed, into.properties, _PLUGINS)] = version


def _properties(root: Element) -> dict[str, str]:
    return {element.tag: (element.text or "").strip() for element in root.all("properties/*")}


def _modules(root: Element, folder: str) -> list[str]:
    names = [module.text for module in root.all("modules/module")]
    names += [module.text for module in root.all("profiles/profile/modules/module")]
    folders = []
    for name in strings(names):
        path = posixpath.normpath(posixpath.join(folder, name.strip()))
        folders.append(folder_of(path) if path.endswith(".xml") else path)
    return list(dict.fromkeys(folders))


def _filled(value: str | None, properties: Mapping[str, str]) -> str:
    """A text with its properties replaced, not further: a value may name itself."""
    filled = (value or "").strip()[:1000]
    for _ in range(2):
        filled = _PROPERTY.sub(lambda match: properties.get(match[1], match[0]), filled)[:1000]
    return filled
