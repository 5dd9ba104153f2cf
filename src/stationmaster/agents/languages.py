"""What a file's name says about its language, as GitHub names languages. Content is never read.

Extensions and their languages are the data set `computer-languages`, drawn from GitHub's. Counted
as programming languages are those that GitHub counts in a repository: of the types programming and
markup, and not data (JSON, YAML, …) or prose (Markdown, …). The rules beside it are in
docs/events.md.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

import msgspec

_PACKAGE, _FILE = "computer_languages", "computer-languages.json"
_COUNTED = frozenset({"programming", "markup"})
_COUNTED_TOO = frozenset({"SQL", "GraphQL", "Protocol Buffer"})
"""Data by type, but written to be run or compiled."""

_CHOSEN = {
    "as": "ActionScript",
    "asm": "Assembly",
    "cs": "C#",
    "d": "D",
    "es": "JavaScript",
    "ex": "Elixir",
    "f": "Fortran",
    "for": "Fortran",
    "frag": "GLSL",
    "fs": "F#",
    "gd": "GDScript",
    "h": "C",
    "hh": "C++",
    "html": "HTML",
    "lean": "Lean",
    "lisp": "Common Lisp",
    "m": "Objective-C",
    "m4": "M4",
    "md": "Markdown",
    "ml": "OCaml",
    "nu": "Nushell",
    "php": "PHP",
    "pl": "Perl",
    "pm": "Perl",
    "pp": "Puppet",
    "r": "R",
    "rs": "Rust",
    "s": "Assembly",
    "sc": "Scala",
    "scm": "Scheme",
    "shader": "ShaderLab",
    "sql": "SQL",
    "star": "Starlark",
    "t": "Perl",
    "tsx": "TypeScript",
    "v": "Verilog",
}
"""Of several languages with one extension the one that most files with it are in. A dialect that
GitHub counts with another language is that language."""

_BY_NAME = {
    ".bash_profile": "Shell",
    ".bashrc": "Shell",
    ".env": "Dotenv",
    ".profile": "Shell",
    ".vimrc": "Vim Script",
    ".zprofile": "Shell",
    ".zshenv": "Shell",
    ".zshrc": "Shell",
    "brewfile": "Ruby",
    "build": "Starlark",
    "build.bazel": "Starlark",
    "cmakelists.txt": "CMake",
    "containerfile": "Dockerfile",
    "dangerfile": "Ruby",
    "dockerfile": "Dockerfile",
    "fastfile": "Ruby",
    "gemfile": "Ruby",
    "gnumakefile": "Makefile",
    "gradlew": "Shell",
    "jenkinsfile": "Groovy",
    "justfile": "Just",
    "makefile": "Makefile",
    "module.bazel": "Starlark",
    "pkgbuild": "Shell",
    "podfile": "Ruby",
    "rakefile": "Ruby",
    "sconscript": "Python",
    "sconstruct": "Python",
    "snakefile": "Snakemake",
    "tiltfile": "Starlark",
    "vagrantfile": "Ruby",
    "workspace": "Starlark",
}
_STEMS = frozenset({"containerfile", "dockerfile", "makefile"})
"""Names that are often given a suffix of one's own, as in `Dockerfile.dev`."""

_SUFFIX_MAX = 16
_NAME_MAX = 255
"""Characters of a file's name, on nearly every system."""


def of_path(path: str) -> tuple[str, str | None]:
    """(extension, programming language) of a path: the last suffix in lower case without its dot,
    "" if there is none or the whole name is a known one; None for what no language is known of."""
    base = path[max(path.rfind("/"), path.rfind("\\")) + 1 :]
    # Few names make up all paths; a longer one is no file's, and is not kept.
    return _of_name(base) if len(base) <= _NAME_MAX else _of_name.__wrapped__(base)


@lru_cache(maxsize=4096)
def _of_name(name: str) -> tuple[str, str | None]:
    base = name.lower()
    by_extension, by_name = _data()
    known = _BY_NAME.get(base)
    if known is not None:
        return "", by_name.get(known.lower())
    stem, *suffixes = base.split(".")
    suffix = suffixes[-1] if suffixes else ""
    if not (stem or suffixes[1:]) or not 0 < len(suffix) <= _SUFFIX_MAX or not suffix.isalnum():
        return "", None
    if stem in _STEMS and suffix not in by_extension:
        return "", by_name.get(_BY_NAME[stem].lower())
    compound = ".".join(suffixes[-2:])
    return suffix, by_extension.get(compound, by_extension.get(suffix))


def named(given: str | None) -> str | None:
    """The programming language that an agent names, in GitHub's spelling; None for what is none,
    and for a name that is not known."""
    return _data()[1].get(given.lower()) if given else None


class _Language(msgspec.Struct):
    type: str
    extensions: list[str]


@cache
def _data() -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Programming languages by extension, and by their names in lower case.

    None for an extension or a name that is known and means no programming language, or several.
    """
    spec = find_spec(_PACKAGE)
    assert spec is not None, f"the package {_PACKAGE} is not installed"
    assert spec.origin is not None
    # Its code, which puts something else in the package's place, is not run.
    content = Path(spec.origin).with_name(_FILE).read_bytes()
    languages = msgspec.json.decode(content, type=dict[str, _Language])
    by_name: dict[str, str | None] = {}
    candidates: dict[str, list[str]] = {}
    for name, language in languages.items():
        is_counted = language.type in _COUNTED or name in _COUNTED_TOO
        by_name[name.lower()] = name if is_counted else None
        for extension in language.extensions:
            known = candidates.setdefault(extension.removeprefix(".").lower(), [])
            if is_counted:
                known.append(name)
    by_extension = {
        suffix: by_name[_CHOSEN[suffix].lower()] if suffix in _CHOSEN else _only(known)
        for suffix, known in candidates.items()
    }
    return by_extension, by_name


def _only(names: list[str]) -> str | None:
    return names[0] if len(names) == 1 else None
