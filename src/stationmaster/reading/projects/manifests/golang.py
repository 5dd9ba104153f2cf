"""go.mod."""

from __future__ import annotations

import re

from stationmaster.reading.projects.manifests import common
from stationmaster.reading.projects.manifests.common import Reading
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest, Place

_WORDS = re.compile(
    r"\s*+(?:require\s++)?(?=[\w.~/-][\w~/-]*+\.[\w.~/-])([\w.~/-]++)\s++(v[\w.+-]++)\s*+(//\s*+indirect)?"
)
_DIRECTIVE = re.compile(r"\s*(module|go|toolchain|tool)\s+\"?([^\s\"/][^\s\"]*)")
_BLOCK = re.compile(r"\s*(\w+)\s*\(")


def read(path: str, reading: Reading) -> Manifest:
    """`data` has `module`, `go`, `toolchain`, and `tools`."""
    data: dict[str, object] = {}
    tools: list[str] = []
    dependencies: list[Dependency] = []
    block = ""
    for number, line in enumerate(reading.contents.text(path).split("\n"), start=1):
        if opened := _BLOCK.match(line):
            block = opened[1]
        elif line.strip() == ")":
            block = ""
        elif block == "tool":
            tools += line.partition("//")[0].split()[:1]
        elif not block and (match := _DIRECTIVE.match(line)):
            if match[1] == "tool":
                tools.append(match[2])
            else:
                data.setdefault(match[1], match[2])
        elif (block == "require" or line.startswith("require")) and (
            required := _WORDS.match(line)
        ):
            scope: DependencyScope = "indirect" if required[3] else "runtime"
            dependencies.append(Dependency(required[1], required[2], scope, Place(path, number)))
    if tools:
        data["tools"] = tools
    return common.manifest(path, "go", {"name": data.get("module")}, dependencies, data)
