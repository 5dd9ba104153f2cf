"""Projects of MSBuild, and the properties that they inherit from folders above."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from stationmaster.reading.projects.manifests import common
from stationmaster.reading.projects.manifests.common import Reading, within
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest, Place
from stationmaster.reading.projects.paths import folder_of
from stationmaster.repos.contents import Element

_PROPERTY = re.compile(r"\$\((\w{1,100})\)")
_TESTS = re.compile(
    r"(?i)xunit.*|nunit.*|mstest.*|tunit.*|microsoft\.net\.test\.sdk|coverlet.*|bogus|moq|"
    r"nsubstitute|fluentassertions|shouldly|microsoft\.testing\..*"
)


def read(path: str, reading: Reading) -> Manifest:
    """`data` has `sdk`, `properties`, `references` (paths of projects), and `usings` (namespaces
    that all its files use)."""
    root = reading.contents.xml(path)
    if root is None or root.tag != "Project":
        return common.unread(path, "dotnet", "this is no MSBuild project")
    properties = _properties(root)
    folder = folder_of(path)
    inherited = _above(path, folder, reading)
    references = [
        posixpath.normpath(within(folder, include.replace("\\", "/")))
        for reference in root.iter("ProjectReference")
        if (include := reference.get("Include"))
    ]
    file = path.rpartition("/")[2].rpartition(".")[0]
    about = {
        "name": _PROPERTY.sub("", properties.get("AssemblyName") or file) or file,
        "version": properties.get("Version") or properties.get("VersionPrefix"),
        "description": properties.get("Description"),
    }
    shared = {
        name: value for _, element in inherited for name, value in _properties(element).items()
    }
    data = {
        "sdk": root.get("Sdk") or _sdk(root),
        "properties": {**shared, **properties},
        "references": references,
        "usings": [
            name
            for element in (root, *(above for _, above in inherited))
            for using in element.iter("Using")
            if (name := using.get("Include")) and not using.get("Alias")
        ],
    }
    dependencies = _dependencies(path, root, _versions(folder, reading), inherited)
    is_private = properties.get("IsPackable", "").lower() == "false"
    return common.manifest(path, "dotnet", about, dependencies, data, is_private=is_private)


def _sdk(root: Element) -> str:
    return next((element.get("Name") or "" for element in root.iter("Sdk")), "") or next(
        (element.get("Sdk") or "" for element in root.iter("Import")), ""
    )


def _dependencies(
    path: str, root: Element, versions: Mapping[str, str], inherited: list[tuple[str, Element]]
) -> Iterator[Dependency]:
    for place, element in [(path, root), *inherited]:
        for kind in ("PackageReference", "GlobalPackageReference", "FrameworkReference"):
            for item in element.all(f".//{kind}"):
                name = item.get("Include") or item.get("Update")
                if name:
                    version = item.get("Version") or item.findtext("Version")
                    private = (item.get("PrivateAssets") or "").lower() == "all"
                    development = private or _TESTS.fullmatch(name) is not None
                    scope: DependencyScope = "development" if development else "runtime"
                    yield Dependency(
                        name,
                        version or versions.get(name.lower()),
                        scope,
                        Place(place, item.line),
                    )


def _above(path: str, folder: str, reading: Reading) -> list[tuple[str, Element]]:
    """The nearest files of properties above a project, which MSBuild reads on its own."""
    files = []
    for name in ("Directory.Build.props", "Directory.Build.targets"):
        above = reading.nearest(folder, name)
        read = reading.contents.xml(above) if above and above != path else None
        if above and read is not None:
            files.append((above, read))
    return files


def _versions(folder: str, reading: Reading) -> dict[str, str]:
    above = reading.nearest(folder, "Directory.Packages.props")
    root = reading.contents.xml(above) if above else None
    if root is None:
        return {}
    return {
        name.lower(): version
        for element in root.iter("PackageVersion")
        if (name := element.get("Include")) and (version := element.get("Version"))
    }


def _properties(root: Element) -> dict[str, str]:
    """The properties without a condition: conditions are not evaluated."""
    return {
        element.tag: (element.text or "").strip()
        for group in root.iter("PropertyGroup")
        for element in group
        if "Condition" not in group.attrib and "Condition" not in element.attrib
    }


def solution(path: str, reading: Reading) -> list[str]:
    """The paths of the projects that a solution names."""
    folder = folder_of(path)
    if path.endswith(".slnx"):
        root = reading.contents.xml(path)
        paths = (
            [] if root is None else [project.get("Path") or "" for project in root.iter("Project")]
        )
    else:
        paths = re.findall(
            r'^Project\("[^"\n]{0,80}"\) = "[^"\n]{0,300}", "([^"\n]{1,500}\.\w{1,2}proj)"',
            reading.contents.text(path),
            re.MULTILINE,
        )
    return [
        posixpath.normpath(within(folder, project.replace("\\", "/")))
        for project in paths
        if project
    ]
