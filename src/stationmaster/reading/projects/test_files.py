"""Whether a file is a test, by its path: the only rule, for every room (`is_test`).

Names are in `catalogue/repositories/test_names.toml`. Whether a whole unit, such as a package,
exists only for tests is decided by `only_tests` of `applications/units.py`.

A file belongs to the tests by its name, as a runner of its language looks for it, or by a folder of
tests around it. A name that is only `test`, also of a shell script, decides nothing: `test.py` may
be a suite or a command, and only its content decides (`may_be_test`).

Names of folders count only outside packages: below `src/main/java` the word `test` is one like any
other, and no file of these languages below `src/main` is a test, whatever its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.layout import layout
from stationmaster.catalogue.repositories.test_names import Convention, conventions

_LIKE = expressions("test_files")

_FOLDERS = layout().folders
TEST_FOLDERS = _FOLDERS.tests
_PACKAGED = frozenset({"java", "kt", "scala", "groovy"})
_PACKAGE_ROOT = re.compile(r"(?:java|kotlin|scala|groovy)(?:X|-?\d[\w.]{0,9}|-multiplatform)?")


INLINE: Mapping[str, str] = {"Rust": "rs", "Zig": "zig", "D": "d"}
"""Languages whose tests are in the files that they test, with their extensions."""
_NAME_MAX = 255
_PATH_MAX = 500
"""The longest path that is read, in characters: a longer one is not a test."""


class _Patterns(NamedTuple):
    names: re.Pattern[str]
    perhaps: re.Pattern[str]
    folders: re.Pattern[str]


_WORD_END = re.compile(r"[._-]")


def _joined(rows: list[Convention]) -> _Patterns:
    names, perhaps, folders = (
        "|".join(f"(?:{pattern})" for pattern in patterns)
        for patterns in zip(*((row.names, row.perhaps, row.folders) for row in rows), strict=True)
    )
    # Where a line break ends what `.` matches, a folder is tried at each of its steps.
    return _Patterns(re.compile(names), re.compile(perhaps), re.compile(folders, re.DOTALL))


@lru_cache(maxsize=4096)
def _patterns(ending: str, language: str = "") -> _Patterns | None:
    """The patterns of an extension in a language, or in all; None where tests have others."""
    rows = [
        row for row in conventions() if ending in row.endings and language in ("", row.language)
    ]
    return _joined(rows) if rows else None


_LANGUAGES = frozenset(row.language for row in conventions())


def is_test(path: str) -> bool:
    """Whether a file is a test or belongs to the tests, by its path from the root."""
    folder, _, name = path.rpartition("/")
    return in_tests(folder) or (has_test_name(name) and not _is_packaged(path))


def has_test_name(path: str) -> bool:
    """Whether a file has the name of a test in its language."""
    stem, ending = _parts(path)
    patterns = _patterns(ending)
    return patterns is not None and patterns.names.fullmatch(stem) is not None


def may_be_test(path: str) -> bool:
    """True for a file that its path does not make a test, but its content may."""
    stem, ending = _parts(path)
    patterns = _patterns(ending)
    return patterns is not None and patterns.perhaps.fullmatch(stem) is not None


@lru_cache(maxsize=65_536)
def holds_cases(path: str, language: str) -> bool:
    """True for a file, by its path from the folder of its application, that contains tests of a
    language (a family's name) and not only helpers of tests; `may_be_test` counts."""
    folder = path.rpartition("/")[0]
    stem, ending = _parts(path)
    if len(path) > _PATH_MAX or _LIKE["support"].fullmatch(stem) or _is_packaged(path):
        return False
    if language not in _LANGUAGES:
        return _LIKE["of_any"].fullmatch(stem) is not None
    return has_runner_name(path, language) or (
        (patterns := _patterns(ending, language)) is not None
        and patterns.folders.fullmatch(folder) is not None
    )


@lru_cache(maxsize=65_536)
def has_runner_name(path: str, language: str) -> bool:
    """True for a file with a name that runners of a language look for by default."""
    if language not in _LANGUAGES:
        return True
    stem, ending = _parts(path)
    patterns = _patterns(ending, language)
    return patterns is not None and (
        patterns.names.fullmatch(stem) is not None or patterns.perhaps.fullmatch(stem) is not None
    )


@lru_cache(maxsize=65_536)
def in_tests(folder: str) -> bool:
    """True for a folder of tests, and for one inside it."""
    steps = outside_packages(folder).split("/")
    return (
        steps[0] in _FOLDERS.root_tests
        or any(map(is_test_folder, steps))
        or any(step == "it" and above == "src" for above, step in pairwise(steps))
    )


def is_test_folder(name: str) -> bool:
    """True for the name of a folder that contains tests wherever it is."""
    return name in TEST_FOLDERS or _LIKE["test_project"].fullmatch(name) is not None


@lru_cache(maxsize=65_536)
def is_benchmark(path: str) -> bool:
    """Is a file in a folder of benchmarks, such as `benches` or `Shop.Benchmarks`?"""
    steps = outside_packages(path.rpartition("/")[0]).lower().split("/")
    return any(_WORD_END.split(step)[-1] in _FOLDERS.benchmarks for step in steps)


@lru_cache(maxsize=65_536)
def outside_packages(folder: str) -> str:
    """The part of a folder whose names count: down to the root of a tree of packages of Java,
    Kotlin, Scala or Groovy (`app/src/main/java`), or all of it."""
    steps = folder.split("/")
    for at, step in enumerate(steps[:-1]):
        is_root = _PACKAGE_ROOT.fullmatch(step) is not None
        is_laid_out = is_root and "src" in steps[max(0, at - 2) : at]
        is_domain = (is_root or step in _FOLDERS.package_roots) and steps[
            at + 1
        ] in _FOLDERS.package_domains
        if is_laid_out or is_domain:
            return "/".join(steps[: at + 1])
    return folder


@lru_cache(maxsize=65_536)
def _is_packaged(path: str) -> bool:
    """Does Maven or Gradle take a file into the package of the product? A front end beside it is
    built and tested by tools of its own."""
    folder, _, name = path.rpartition("/")
    is_of_set = _LIKE["product_set"].fullmatch(folder) is not None
    return is_of_set and _parts(name)[1] in _PACKAGED


def _parts(path: str) -> tuple[str, str]:
    """The name without its ending, and the ending; nothing of a name longer than files have."""
    stem, _, ending = path[path.rfind("/") + 1 :].rpartition(".")
    return (stem, ending) if len(stem) <= _NAME_MAX else ("", "")
