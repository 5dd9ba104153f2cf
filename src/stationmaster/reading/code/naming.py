"""The classes of files by their names. Tables; `classes` decides."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from stationmaster.agents import languages as file_types
from stationmaster.catalogue import ci, code
from stationmaster.catalogue.ecosystems import lock_names
from stationmaster.pipelines import discovery

FileClass = Literal[
    "source",
    "test",
    "fixture",
    "template",
    "generated",
    "vendored",
    "docs",
    "config",
    "ci",
    "infra",
    "schema",
    "data",
    "asset",
    "binary",
    "symlink",
    "submodule",
    "unknown",
    "excluded",
]
DOCUMENTS = frozenset({"docs", "doc", "documentation", "Documentation", "Doc"})
"""Folders at the root that hold documents."""

_ENDINGS = code.table("files.names.endings", dict[FileClass, str])
_BY_ENDING: Mapping[str, FileClass] = {
    ending: kind for kind, endings in _ENDINGS.items() for ending in endings.split()
}
_NAMES = {
    re.compile("|".join(patterns)): kind
    for kind, patterns in code.table("files.names.paths", dict[FileClass, list[str]]).items()
}
_GENERATED = re.compile(rf".*(?:{'|'.join(code.ordered('files.names.generated'))})")
_GRAMMARS = (".l", ".ll", ".lex", ".y", ".yy", ".ypp", ".lpp", ".re")
_MADE = (".c", ".cc", ".cpp", ".cxx", ".go", ".rb", ".java")
_ANTLR = re.compile(r"(Lexer|Parser|(?:Parser)?(?:Base)?(?:Visitor|Listener))$")


def of(path: str, is_code: bool) -> FileClass:
    """The class of a path by its name only."""
    if ci.of_path(path) and discovery.sample(path) is None:
        return "ci"
    name = path[path.rfind("/") + 1 :]
    ending = name[name.rfind(".") + 1 :].lower() if "." in name else ""
    if not is_code or ending in ("rb", "kts"):
        for pattern, kind in _NAMES.items():
            if pattern.fullmatch(path):
                return kind
    if is_code:
        return "source"
    if ending in _BY_ENDING:
        return _BY_ENDING[ending]
    return "source" if file_types.of_path(name)[1] is not None else "unknown"


def is_generated(path: str) -> bool:
    """True for the path of a generated file, and for the name of a lock file."""
    return (
        _GENERATED.fullmatch(path) is not None
        or path[path.rfind("/") + 1 :].lower() in lock_names()
    )


def grammars(paths: Iterable[str]) -> Collection[str]:
    """The paths of grammars without their extensions, as generated parsers are next to them."""
    grammar_paths = (path for path in paths if path.endswith((*_GRAMMARS, ".g4")))
    return {
        path[: path.rfind(".")] + (".g4" if path.endswith(".g4") else "") for path in grammar_paths
    }


def is_made(path: str, grammars: Collection[str]) -> bool:
    """Is it a lexer or parser that was generated from a grammar in the same folder?"""
    if not grammars:
        return False
    stem = path[: path.rfind(".")]
    if path.endswith(_MADE) and stem in grammars:
        return True
    plain = _ANTLR.sub("", stem)
    return plain != stem and (f"{plain}.g4" in grammars or f"{stem}.g4" in grammars)
