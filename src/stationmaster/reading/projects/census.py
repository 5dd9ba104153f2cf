"""How many source files of which language lie where."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from stationmaster.agents import languages
from stationmaster.reading.projects.model import Ecosystem
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_test

_BEHIND = frozenset(
    {
        "HTML",
        "CSS",
        "SCSS",
        "Sass",
        "Less",
        "Stylus",
        "HTML+ERB",
        "HTML+Razor",
        "Jinja",
        "EJS",
        "Handlebars",
        "Mustache",
        "Pug",
        "Haml",
        "Slim",
        "Twig",
        "Blade",
        "Liquid",
        "Markdown",
        "MDX",
        "Shell",
        "Batchfile",
        "PowerShell",
        "Makefile",
        "Dockerfile",
        "CMake",
        "Meson",
        "Starlark",
        "Just",
        "Nix",
        "Procfile",
        "M4",
        "Roff",
        "TeX",
        "XSLT",
        "Gherkin",
        "HCL",
        "Smarty",
        "Mermaid",
        "Java Server Pages",
        "Go Template",
        "Groff",
        "Awk",
        "sed",
        "Vim Script",
        "Emacs Lisp",
        "GraphQL",
        "Protocol Buffer",
        "SQL",
        "PLpgSQL",
        "Jupyter Notebook",
        "Rich Text Format",
        "AsciiDoc",
        "reStructuredText",
        "AGS Script",
        "Bru",
        "PureBasic",
        "Roff Manpage",
        "Open Policy Agent",
        "Jsonnet",
        "Gettext Catalog",
        "Thrift",
    }
)
"""Languages of markup, of build files and of data: an application is in one of them only where it
is in no other."""
_JVM = frozenset[Ecosystem]({"maven", "gradle", "scala"})
_SCRIPT = frozenset[Ecosystem]({"npm", "deno"})
ECOSYSTEMS: Mapping[str, frozenset[Ecosystem]] = {
    **dict.fromkeys(
        ("JavaScript", "TypeScript", "Vue", "Svelte", "Astro", "CoffeeScript"), _SCRIPT
    ),
    **dict.fromkeys(("Java", "Kotlin", "Groovy", "Scala", "Clojure"), _JVM),
    "Python": frozenset({"python"}),
    "Go": frozenset({"go"}),
    "Rust": frozenset({"rust"}),
    **dict.fromkeys(("C#", "F#", "Visual Basic .NET"), frozenset({"dotnet"})),
    "Ruby": frozenset({"ruby"}),
    "PHP": frozenset({"php"}),
    "Elixir": frozenset({"elixir"}),
    "Dart": frozenset({"dart"}),
    "Haskell": frozenset({"haskell"}),
}
"""Where a language is built by tools that are its own alone."""
_TOOLING = re.compile(
    r"\..{1,200}|.{1,200}\.config\.\w{1,5}|.{1,200}\.(?:workspace|setup)\.\w{1,5}|.{1,200}\.d\.ts"
    r"|(?:[gG]ulpfile|[gG]runtfile|[dD]angerfile|[rR]akefile|[gG]emfile|[fF]astfile|[vV]agrantfile)"
    r"(?:\.\w{1,5})?|setup\.py|conftest\.py|noxfile\.py|tasks\.py|build\.rs|Package\.swift"
    r"|(?:build|settings)\.(?:gradle(?:\.kts)?|sbt)|mix\.exs|.{1,200}\.gemspec|BUILD(?:\.bazel)?"
)


class Census:
    """Counts source files by folder: those of the product and, apart from them, its tests."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.folders: dict[str, Counter[str]] = defaultdict(Counter)
        self.tests: dict[str, Counter[str]] = defaultdict(Counter)
        self.own: set[str] = set()
        """Folders with a source file that is no mere tooling."""
        known: dict[str, str | None] = {}
        for path in paths:
            language = _language(path, known)
            if language is None:
                continue
            folder = folder_of(path)
            if is_test(path):
                self.tests[folder][language] += 1
                continue
            self.folders[folder][language] += 1
            if language not in _BEHIND and folder not in self.own:
                name = path.rpartition("/")[2]
                if not _TOOLING.fullmatch(name):
                    self.own.add(folder)


def is_source(path: str) -> bool:
    """Is a file code, rather than markup, a build file or data? Infrastructure is code here."""
    name = path[path.rfind("/") + 1 :]
    language = languages.of_path(name)[1]
    is_code = language is not None and (language == "HCL" or language not in _BEHIND)
    return is_code and not _TOOLING.fullmatch(name)


def ordered(counts: Counter[str]) -> Mapping[str, int]:
    """The most frequent first; those of markup and build files behind all others."""
    order = sorted(counts.items(), key=lambda each: (each[0] in _BEHIND, -each[1], each[0]))
    return dict(order)


def _language(path: str, known: dict[str, str | None]) -> str | None:
    """Asked once for every ending: names without one are few."""
    name = path[path.rfind("/") + 1 :]
    stem, dot, ending = name.rpartition(".")
    key = ending if stem and dot and "." not in stem else name
    if key not in known:
        known[key] = languages.of_path(name)[1]
    return known[key]
