"""Manifests: which files are one, and what each says. One reader for each form."""

from __future__ import annotations

import re
from collections.abc import Callable

from stationmaster.reading.projects.manifests import (
    dotnet,
    golang,
    gradle,
    haskell,
    maven,
    npm,
    others,
    python,
    ruby,
    rust,
)
from stationmaster.reading.projects.manifests.common import Reading
from stationmaster.reading.projects.model import Manifest

MANIFESTS_MAX = 5_000
"""Of one repository; further ones are left out."""

_Reader = Callable[[str, Reading], Manifest]
_BY_NAME: dict[str, _Reader] = {
    "package.json": npm.read_package,
    "deno.json": npm.read_deno,
    "deno.jsonc": npm.read_deno,
    "pyproject.toml": python.read_pyproject,
    "setup.cfg": python.read_setup_cfg,
    "setup.py": python.read_setup_py,
    "Pipfile": python.read_pipfile,
    "go.mod": golang.read,
    "Cargo.toml": rust.read,
    "pom.xml": maven.read,
    "build.gradle": gradle.read,
    "build.gradle.kts": gradle.read,
    "Gemfile": ruby.read_gemfile,
    "composer.json": others.read_composer,
    "Package.swift": others.read_swift,
    "CMakeLists.txt": others.read_cmake,
    "meson.build": others.read_meson,
    "configure.ac": others.read_autoconf,
    "mix.exs": others.read_mix,
    "build.sbt": others.read_sbt,
    "pubspec.yaml": others.read_pubspec,
    "Chart.yaml": others.read_chart,
    "main.tf": others.read_terraform,
    "versions.tf": others.read_terraform,
    "providers.tf": others.read_terraform,
}
_BY_ENDING: dict[str, _Reader] = {
    "csproj": dotnet.read,
    "fsproj": dotnet.read,
    "vbproj": dotnet.read,
    "gemspec": ruby.read_gemspec,
    "cabal": haskell.read,
}
_REQUIREMENTS = re.compile(r"(?:[\w.-]{1,60}[-_.])?requirements(?:[-_.][\w.-]{1,60})?\.(?:txt|in)")


def reader(path: str) -> _Reader | None:
    """What reads a manifest of this path; None for what is none."""
    name = path[path.rfind("/") + 1 :]
    found = _BY_NAME.get(name) or _BY_ENDING.get(name[name.rfind(".") + 1 :])
    if (
        found is None
        and name.endswith((".txt", ".in"))
        and (_REQUIREMENTS.fullmatch(name) or _in_requirements(path))
    ):
        return python.read_requirements
    return found


def _in_requirements(path: str) -> bool:
    return path.split("/")[-2:-1] == ["requirements"]
