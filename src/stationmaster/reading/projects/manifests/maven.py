"""pom.xml."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from stationmaster.reading.projects.manifests.common import Reading, limited, strings, text, within
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest, Place
from stationmaster.reading.projects.paths import folder_of
from stationmaster.repos.contents import Element

_PROPERTY = re.compile(r"\$\{([\w.-]{1,200})\}")
_PARENTS_MAX = 10
_PLUGINS = "org.apache.maven.plugins"


class _Above(NamedTuple):
    """What a parent leaves to its children."""

    properties: dict[str, str]
    versions: dict[str, str]


def read(path: str, reading: Reading) -> Manifest:
    """`data` has `packaging`, `modules` (folders), `parent` (a path), `properties`, `managed`
    (plugins that it configures for whoever uses them).

    Plugins and annotation processors are dependencies of development.
    """
    root = reading.contents.xml(path)
    if root is None or root.tag != "project":
        return Manifest(path, folder_of(path), "maven", fault="this is no Maven project")
    above = _Above({}, {})
    for each in reversed([root, *_parents(path, root, reading)]):
        _learn(each, above)
    group = root.findtext("groupId") or root.findtext("parent/groupId") or ""
    artifact = _filled(root.findtext("artifactId"), above.properties)
    parent = _parent_path(path, root, reading)
    data = {
        "packaging": (root.findtext("packaging") or "jar").strip(),
        "modules": _modules(root, folder_of(path)),
        "properties": _properties(root),
        "managed": [
            _name(each, {}, _PLUGINS) for each in root.all("build/pluginManagement/plugins/plugin")
        ],
        **({"parent": parent} if parent else {}),
    }
    return Manifest(
        path,
        folder_of(path),
        "maven",
        name=f"{group.strip()}:{artifact}" if artifact else None,
        version=_filled(
            root.findtext("version") or root.findtext("parent/version"), above.properties
        ),
        description=text(root.findtext("description")),
        dependencies=limited(_asked(path, root, above)),
        data=data,
    )


def _asked(path: str, root: Element, above: _Above) -> Iterator[Dependency]:
    for base in (root, *root.all("profiles/profile")):
        for each in base.all("dependencies/dependency"):
            yield _dependency(path, each, above, None)
        for plugin in base.all("build/plugins/plugin"):
            yield _dependency(path, plugin, above, "development", _PLUGINS)
            yield from (
                _dependency(path, each, above, "development")
                for each in plugin.all("dependencies/dependency")
            )
        for each in base.all("build/plugins/plugin//annotationProcessorPaths/*"):
            yield _dependency(path, each, above, "development")


def _dependency(
    path: str, asked: Element, above: _Above, scope: DependencyScope | None, group: str = ""
) -> Dependency:
    name = _name(asked, above.properties, group)
    said = _filled(asked.findtext("version"), above.properties)
    version = said or above.versions.get(name)
    if scope is None:
        optional = (asked.findtext("optional") or "").strip() == "true"
        test = (asked.findtext("scope") or "").strip() == "test"
        scope = "development" if test else "optional" if optional else "runtime"
    told = next(iter(asked.all("artifactId")), asked)
    return Dependency(name, text(version), scope, Place(path, told.line))


def _name(asked: Element, properties: Mapping[str, str], group: str) -> str:
    owner = _filled(asked.findtext("groupId"), properties) or group
    return f"{owner}:{_filled(asked.findtext('artifactId'), properties)}"


def _parents(path: str, root: Element, reading: Reading) -> list[Element]:
    parents: list[Element] = []
    seen = {path}
    while len(parents) < _PARENTS_MAX:
        above = _parent_path(path, root, reading)
        read = reading.contents.xml(above) if above and above not in seen else None
        if above is None or read is None:
            break
        seen.add(above)
        parents.append(read)
        path, root = above, read
    return parents


def _parent_path(path: str, root: Element, reading: Reading) -> str | None:
    parent = root.find("parent")
    if parent is None:
        return None
    relative = parent.findtext("relativePath")
    relative = "../pom.xml" if relative is None else relative.strip()
    if not relative:
        return None
    found = posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))
    if not found.endswith(".xml"):
        found = within(found, "pom.xml")
    return found if found in reading.files else None


def _learn(root: Element, into: _Above) -> None:
    into.properties.update(_properties(root))
    for name in ("version", "groupId"):
        if said := (root.findtext(name) or root.findtext(f"parent/{name}")):
            into.properties[f"project.{name}"] = said.strip()
    for managed in root.all("dependencyManagement/dependencies/dependency"):
        if version := _filled(managed.findtext("version"), into.properties):
            into.versions[_name(managed, into.properties, "")] = version
    for managed in root.all("build/pluginManagement/plugins/plugin"):
        if version := _filled(managed.findtext("version"), into.properties):
            into.versions[_name(managed, into.properties, _PLUGINS)] = version


def _properties(root: Element) -> dict[str, str]:
    return {each.tag: (each.text or "").strip() for each in root.all("properties/*")}


def _modules(root: Element, folder: str) -> list[str]:
    names = [each.text for each in root.all("modules/module")]
    names += [each.text for each in root.all("profiles/profile/modules/module")]
    found = []
    for name in strings(names):
        path = posixpath.normpath(posixpath.join(folder, name.strip()))
        found.append(folder_of(path) if path.endswith(".xml") else path)
    return list(dict.fromkeys(found))


def _filled(value: str | None, properties: Mapping[str, str]) -> str:
    """With properties replaced, once: a value that names another is rare, and may be a circle."""
    told = (value or "").strip()[:1000]
    for _ in range(2):
        told = _PROPERTY.sub(lambda found: properties.get(found[1], found[0]), told)[:1000]
    return told
