"""The languages that are read, by the endings of their files.

A language is a module here with `GRAMMAR` (a function that returns the tree-sitter language) and
`read(source) -> FileFacts`. Modules are imported in the processes that parse alone.
"""

from __future__ import annotations

import importlib
import re
from typing import Protocol, cast

from stationmaster.reading.code.languages.source import Source
from stationmaster.reading.code.model import FileFacts

_MODULES = {
    "C": "c",
    "C#": "csharp",
    "C++": "cpp",
    "Go": "go",
    "Java": "java",
    "JavaScript": "javascript",
    "Kotlin": "kotlin",
    "PHP": "php",
    "Python": "python",
    "Ruby": "ruby",
    "Rust": "rust",
    "Swift": "swift",
    "TSX": "tsx",
    "TypeScript": "typescript",
}
"""Languages by their names, and their modules here."""
_ENDINGS = {
    ".c": "C",
    ".h": "C",
    ".cc": "C++",
    ".cpp": "C++",
    ".cxx": "C++",
    ".c++": "C++",
    ".hh": "C++",
    ".hpp": "C++",
    ".hxx": "C++",
    ".ipp": "C++",
    ".tpp": "C++",
    ".cs": "C#",
    ".go": "Go",
    ".java": "Java",
    ".kt": "Kotlin",
    ".kts": "Kotlin",
    ".js": "JavaScript",
    ".mjs": "JavaScript",
    ".cjs": "JavaScript",
    ".jsx": "JavaScript",
    ".py": "Python",
    ".pyi": "Python",
    ".pyw": "Python",
    ".php": "PHP",
    ".rb": "Ruby",
    ".rake": "Ruby",
    ".ru": "Ruby",
    ".rs": "Rust",
    ".swift": "Swift",
    ".ts": "TypeScript",
    ".mts": "TypeScript",
    ".cts": "TypeScript",
    ".tsx": "TSX",
    # A line for each language whose module is here.
}

_INTERPRETERS = {
    "python": "Python",
    "node": "JavaScript",
    "nodejs": "JavaScript",
    "deno": "TypeScript",
    "bun": "TypeScript",
    "ts-node": "TypeScript",
    "tsx": "TypeScript",
    "ruby": "Ruby",
    "php": "PHP",
    "swift": "Swift",
    "kotlin": "Kotlin",
}
_SHEBANG = re.compile(
    rb"#![ \t]*(?:\S{0,80}/)?(?:env[ \t]+(?:-\S+[ \t]+)?)?(?:\S{0,80}/)?([A-Za-z-]+)"
)


class Language(Protocol):
    """A module that reads one language."""

    def read(self, source: Source) -> FileFacts:
        """The facts of a parsed file, which do not depend on its path."""
        ...

    def grammar(self) -> object:
        """The tree-sitter grammar, as `tree_sitter.Language` takes it."""
        ...


def of_path(path: str) -> str:
    """The language of a file by its name, '' where none here reads it."""
    name = path.rpartition("/")[2]
    ending = name[name.rfind(".") :].lower() if "." in name else ""
    return _ENDINGS.get(ending, "")


def of_shebang(data: bytes) -> str:
    """The language of a program by its first line, '' where none here reads it."""
    found = _SHEBANG.match(data)
    language = _INTERPRETERS.get(found[1].decode(), "") if found else ""
    return language if language in _ENDINGS.values() else ""


def module(language: str) -> Language:
    """The module that reads a language. Raises KeyError."""
    return cast("Language", importlib.import_module(f"{__name__}.{_MODULES[language]}"))
