"""The number of source files by folder and language."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from stationmaster.agents import languages
from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.languages import languages as language_rows
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_test

_LIKE = expressions("census")

_MARKUP = language_rows().markup


class Census:
    """Counts source files by folder: those of the product and, apart from them, its tests."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.folders: dict[str, Counter[str]] = defaultdict(Counter)
        self.tests: dict[str, Counter[str]] = defaultdict(Counter)
        self.own: set[str] = set()
        """Folders with a source file that is no mere tooling."""
        by_ending: dict[str, str | None] = {}
        for path in paths:
            language = _language(path, by_ending)
            if language is None:
                continue
            folder = folder_of(path)
            if is_test(path):
                self.tests[folder][language] += 1
                continue
            self.folders[folder][language] += 1
            if language not in _MARKUP and folder not in self.own:
                name = path.rpartition("/")[2]
                if not _LIKE["tooling"].fullmatch(name):
                    self.own.add(folder)


def is_source(path: str) -> bool:
    """Is a file code, rather than markup, a build file or data? Infrastructure is code here."""
    name = path[path.rfind("/") + 1 :]
    language = languages.of_path(name)[1]
    is_code = language is not None and (language == "HCL" or language not in _MARKUP)
    return is_code and not _LIKE["tooling"].fullmatch(name)


def ordered(counts: Counter[str]) -> Mapping[str, int]:
    """The most frequent first; those of markup and build files behind all others."""
    order = sorted(counts.items(), key=lambda item: (item[0] in _MARKUP, -item[1], item[0]))
    return dict(order)


def _language(path: str, by_ending: dict[str, str | None]) -> str | None:
    """The language of a path, looked up once for every extension: names without one are few."""
    name = path[path.rfind("/") + 1 :]
    stem, dot, ending = name.rpartition(".")
    key = ending if stem and dot and "." not in stem else name
    if key not in by_ending:
        by_ending[key] = languages.of_path(name)[1]
    return by_ending[key]
