"""Manifests: which files are one, and what they declare. One reader for each form."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from stationmaster.reading.projects.manifests import (
    dotnet,
    forms,
    golang,
    gradle,
    haskell,
    in_yaml,
    maven,
    npm,
    python,
    ruby,
    rust,
)
from stationmaster.reading.projects.manifests.common import Reading
from stationmaster.reading.projects.model import Manifest

MANIFESTS_MAX = 5_000
"""Of one repository; further ones are left out."""

_Reader = Callable[[str, Reading], Manifest | None]
_READERS: dict[str, _Reader] = {
    "package.json": partial(npm.read, "npm"),
    **dict.fromkeys(("deno.json", "deno.jsonc"), partial(npm.read, "deno")),
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
    "composer.json": partial(npm.read, "php"),
    "pubspec.yaml": partial(in_yaml.read, "dart"),
    "Chart.yaml": partial(in_yaml.read, "other"),
    ".csproj": dotnet.read,
    ".fsproj": dotnet.read,
    ".vbproj": dotnet.read,
    ".cabal": haskell.read,
    **dict(forms.readers()),
}
"""By the name of a file, or by its ending."""
_REQUIREMENTS = re.compile(r"(?:[\w.-]{1,60}[-_.])?requirements(?:[-_.][\w.-]{1,60})?\.(?:txt|in)")


def reader(path: str) -> _Reader | None:
    """The reader of a manifest of this path; None for another file."""
    name = path[path.rfind("/") + 1 :]
    read = _READERS.get(name) or _READERS.get(name[name.rfind(".") :])
    if (
        read is None
        and name.endswith((".txt", ".in"))
        and (_REQUIREMENTS.fullmatch(name) or path.split("/")[-2:-1] == ["requirements"])
    ):
        return python.read_requirements
    return read
