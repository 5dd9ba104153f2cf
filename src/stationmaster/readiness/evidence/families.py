"""Languages as tools see them: those that one linter, compiler or test runner serves together.

A family is called by its best known language, in GitHub's spelling.
"""

from __future__ import annotations

from stationmaster.reading.projects.model import App

_MEMBERS = {
    "JavaScript": ("TypeScript", "JSX", "TSX", "Vue", "Svelte", "Astro", "CoffeeScript"),
    "Python": ("Cython", "Jupyter Notebook"),
    "C#": ("F#", "Visual Basic .NET", "ASP.NET"),
    "C++": ("C", "Objective-C", "Objective-C++", "Cuda", "CUDA"),
    "Swift": (),
    "Shell": ("Bash", "Zsh", "Fish"),
    "Lua": ("Luau",),
}
_FAMILY = {member: family for family, members in _MEMBERS.items() for member in members}
_NO_CODE = frozenset(
    {
        "AGS Script",
        "ASL",
        "Batchfile",
        "Blade",
        "CMake",
        "CSS",
        "Dockerfile",
        "EJS",
        "EEx",
        "GraphQL",
        "HAML",
        "HTML",
        "HTML+EEX",
        "HTML+ERB",
        "Haml",
        "Handlebars",
        "Jinja",
        "Just",
        "Less",
        "Liquid",
        "M4",
        "Makefile",
        "Meson",
        "Mustache",
        "Nix",
        "PLpgSQL",
        "Procfile",
        "Protocol Buffer",
        "Pug",
        "RenderScript",
        "Roff",
        "SCSS",
        "SQL",
        "Sass",
        "Slim",
        "Smarty",
        "Starlark",
        "Stylus",
        "TeX",
        "Thrift",
        "Twig",
        "Typst",
        "XSLT",
        "templ",
    }
)
"""Counted as languages, but what they hold is no program that these tools read."""

COMPILED = frozenset(
    {
        "Ada",
        "C#",
        "C++",
        "Crystal",
        "D",
        "Dart",
        "Elm",
        "Fortran",
        "Gleam",
        "Go",
        "Haskell",
        "Haxe",
        "Java",
        "Kotlin",
        "Nim",
        "OCaml",
        "Odin",
        "PureScript",
        "ReScript",
        "Rust",
        "Scala",
        "Solidity",
        "Swift",
        "V",
        "Vala",
        "Zig",
    }
)
"""Their compilers check types."""
FORMATTED = frozenset({"Dart", "Elixir", "Gleam", "Go", "Rust", "Zig"})
"""Their toolchains bring the one formatter that everybody uses."""


def family(app: App) -> str | None:
    """What an application is mostly written in; None where it has no code."""
    for language in app.languages:
        if language not in _NO_CODE:
            return _FAMILY.get(language, language)
    return None


def language_of(app: App) -> str:
    """How sentences call what an application is written in: C by its own name, not its family's."""
    known = family(app) or ""
    first = next((language for language in app.languages if language not in _NO_CODE), known)
    return first if known == "C++" else known


def families(app: App) -> frozenset[str]:
    """All that it has code in."""
    return frozenset(
        _FAMILY.get(language, language) for language in app.languages if language not in _NO_CODE
    )
