"""Projects of MSBuild, and the properties that folders above give them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from stationmaster.reading.projects.manifests.common import Reading, limited, text, within
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest, Place
from stationmaster.reading.projects.paths import folder_of
from stationmaster.repos.contents import Element

_PROPERTY = re.compile(r"\$\((\w{1,100})\)")
_TESTS = re.compile(
    r"(?i)xunit.*|nunit.*|mstest.*|tunit.*|microsoft\.net\.test\.sdk|coverlet.*|bogus|moq|"
    r"nsubstitute|fluentassertions|shouldly|microsoft\.testing\..*"
)


def read(path: str, reading: Reading) -> Manifest:
    """`data` has `sdk`, `properties`, and `references` (paths of projects)."""
    root = reading.contents.xml(path)
    if root is None or root.tag != "Project":
        return Manifest(path, folder_of(path), "dotnet", fault="this is no MSBuild project")
    properties = _properties(root)
    folder = folder_of(path)
    inherited = _above(path, folder, reading)
    references = [
        posixpath.normpath(within(folder, said.replace("\\", "/")))
        for each in root.iter("ProjectReference")
        if (said := each.get("Include"))
    ]
    name = properties.get("AssemblyName") or path.rpartition("/")[2].rpartition(".")[0]
    return Manifest(
        path,
        folder,
        "dotnet",
        name=text(_PROPERTY.sub("", name)) or path.rpartition("/")[2].rpartition(".")[0],
        version=text(properties.get("Version") or properties.get("VersionPrefix")),
        description=text(properties.get("Description")),
        is_private=properties.get("IsPackable", "").lower() == "false",
        dependencies=limited(_asked(path, root, _versions(folder, reading), inherited)),
        data={
            "sdk": root.get("Sdk") or _sdk(root),
            "properties": {**_inherited_properties(inherited), **properties},
            "references": references,
        },
    )


def _sdk(root: Element) -> str:
    return next((each.get("Name") or "" for each in root.iter("Sdk")), "") or next(
        (each.get("Sdk") or "" for each in root.iter("Import")), ""
    )


def _asked(
    path: str, root: Element, versions: Mapping[str, str], inherited: list[tuple[str, Element]]
) -> Iterator[Dependency]:
    for place, element in [(path, root), *inherited]:
        for kind in ("PackageReference", "GlobalPackageReference", "FrameworkReference"):
            for each in element.all(f".//{kind}"):
                name = each.get("Include") or each.get("Update")
                if name:
                    version = each.get("Version") or each.findtext("Version")
                    private = (each.get("PrivateAssets") or "").lower() == "all"
                    development = private or _TESTS.fullmatch(name) is not None
                    scope: DependencyScope = "development" if development else "runtime"
                    yield Dependency(
                        name,
                        version or versions.get(name.lower()),
                        scope,
                        Place(place, each.line),
                    )


def _above(path: str, folder: str, reading: Reading) -> list[tuple[str, Element]]:
    """The nearest files of properties above a project, which MSBuild reads on its own."""
    found = []
    for name in ("Directory.Build.props", "Directory.Build.targets"):
        above = reading.nearest(folder, name)
        read = reading.contents.xml(above) if above and above != path else None
        if above and read is not None:
            found.append((above, read))
    return found


def _versions(folder: str, reading: Reading) -> dict[str, str]:
    above = reading.nearest(folder, "Directory.Packages.props")
    root = reading.contents.xml(above) if above else None
    if root is None:
        return {}
    return {
        name.lower(): version
        for each in root.iter("PackageVersion")
        if (name := each.get("Include")) and (version := each.get("Version"))
    }


def _inherited_properties(inherited: list[tuple[str, Element]]) -> dict[str, str]:
    return {name: value for _, each in inherited for name, value in _properties(each).items()}


def _properties(root: Element) -> dict[str, str]:
    """Those without a condition: what it asks is not known here."""
    return {
        each.tag: (each.text or "").strip()
        for group in root.iter("PropertyGroup")
        for each in group
        if "Condition" not in group.attrib and "Condition" not in each.attrib
    }


def solution(path: str, reading: Reading) -> list[str]:
    """The paths of the projects that a solution names."""
    folder = folder_of(path)
    if path.endswith(".slnx"):
        root = reading.contents.xml(path)
        said = [] if root is None else [each.get("Path") or "" for each in root.iter("Project")]
    else:
        said = re.findall(
            r'^Project\("[^"\n]{0,80}"\) = "[^"\n]{0,300}", "([^"\n]{1,500}\.\w{1,2}proj)"',
            reading.contents.text(path),
            re.MULTILINE,
        )
    return [posixpath.normpath(within(folder, each.replace("\\", "/"))) for each in said if each]
