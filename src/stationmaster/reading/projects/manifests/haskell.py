"""Package descriptions of Cabal."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.projects.manifests import common
from stationmaster.reading.projects.manifests.common import Reading
from stationmaster.reading.projects.model import Dependency, DependencyScope, Manifest, Place

_LINES_MAX = 5_000
_STANZA = re.compile(
    r"(?i)(library|executable|test-suite|benchmark|common|foreign-library|flag|source-repository"
    r"|custom-setup)\b[ \t]{0,20}([\w.-]{0,100})"
)
_FIELD = re.compile(r"([ \t]{0,80})([\w-]{1,60})[ \t]{0,20}:(.{0,2000})")
_NEED = re.compile(r"[ \t]{0,20}([A-Za-z][\w-]{0,100})(?::[\w-]{1,60})?[ \t]{0,20}([^,]{0,200})")


def read(path: str, reading: Reading) -> Manifest:
    """`data` has `library`, and the names of `executables`."""
    text = reading.contents.text(path)
    fields: dict[str, str] = {}
    executables: list[str] = []
    has_library = False
    for line in text.split("\n")[:_LINES_MAX]:
        if stanza := _STANZA.match(line):
            has_library = has_library or stanza[1].lower() == "library"
            if stanza[1].lower() == "executable" and stanza[2]:
                executables.append(stanza[2])
        elif (field := _FIELD.match(line)) and not field[1]:
            fields.setdefault(field[2].lower(), field[3].strip())
    about = {**fields, "description": fields.get("synopsis")}
    own = ("base", fields.get("name"))
    needs = (dependency for dependency in _dependencies(path, text) if dependency.name not in own)
    data = {"library": has_library, "executables": executables}
    return common.manifest(path, "haskell", about, needs, data)


def _dependencies(path: str, text: str) -> Iterator[Dependency]:
    scope: DependencyScope = "runtime"
    depth: int | None = None
    """Of the field that lists them, while it goes on."""
    for number, line in enumerate(text.split("\n")[:_LINES_MAX], start=1):
        plain = line.partition("--")[0]
        if stanza := _STANZA.match(plain):
            is_test = stanza[1].lower() in ("test-suite", "benchmark")
            scope, depth = "development" if is_test else "runtime", None
            continue
        field = _FIELD.match(plain)
        if field is not None:
            depth = len(field[1]) if field[2].lower() == "build-depends" else None
            plain = field[3]
        elif plain.strip() and depth is not None and len(plain) - len(plain.lstrip()) <= depth:
            depth = None
        for part in plain.split(",") if depth is not None else ():
            if need := _NEED.fullmatch(part):
                yield Dependency(need[1], need[2].strip() or None, scope, Place(path, number))
