"""Which files are tests, by their paths: the one rule, for every room.

A file belongs to the tests by its name, as a runner of its language looks for it, or by a folder
of tests that it lies in. A name that is only `test`, and a shell script called so, decides nothing:
`test.py` may be a suite or a command, and only its content tells (`is_perhaps`).

Names of folders say something outside packages alone: below `src/main/java` the word `test` is one
like any other, and no file below `src/main` is a test, whatever its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

TEST_FOLDERS = frozenset(
    {
        "test",
        "tests",
        "__tests__",
        "spec",
        "specs",
        "e2e",
        "testing",
        "androidTest",
        "commonTest",
        "jvmTest",
        "jsTest",
        "nativeTest",
        "integration-tests",
        "integration_tests",
        "testFixtures",
        "test-d",
        "__test__",
        "unittests",
        "Tests",
        "cypress",
        "playwright",
        "its",
        "testsuite",
        "regress",
    }
)
_AT_THE_ROOT = frozenset({"t", "it"})
"""Folders of tests at the root: elsewhere `it` is Italian, but for Maven's `src/it`."""
_TEST_PROJECT = re.compile(
    r".{1,200}[._-](?:[Tt]ests?|[Ss]pecs?|e2e|it)|[a-z][A-Za-z]{0,60}Tests?|[A-Z][A-Za-z]{0,60}Tests"
)
_PACKAGE_ROOT = re.compile(r"(?:java|kotlin|scala|groovy)(?:X|-?\d[\w.]{0,9}|-multiplatform)?")
_SOURCE_ROOTS = frozenset({"src", "source", "test", "tests", "javatests", "main"})
_DOMAINS = frozenset({"com", "org", "net", "io", "edu", "gov"})
_PRODUCT_SET = re.compile(r"(?:.*/)?src/(?:main|[a-z]\w*Main)(?:/.*)?")
"""A source set that Maven and Gradle package: their runners look for no test there."""
_SUPPORT = re.compile(
    r"conftest|__init__|setup|helpers?|utils?|test_?helpers?|spec_helper|rails_helper|test_?utils?"
    r"|TestCase|AbstractTest|BaseTest|AssemblyInfo|GlobalUsings|Usings|common|mod"
)


class Convention(NamedTuple):
    """What tests of a language are called. `language` is a family's name (`readiness.evidence.
    families`), `endings` separated by spaces. `names` and `perhaps` match a name without its
    ending: of a test, and of what is one if its content says so. `folders` matches the folders,
    seen from the application, in which a runner or a habit makes every file a test."""

    language: str
    endings: str
    names: str = r"(?!)"
    perhaps: str = r"(?!)"
    folders: str = r"(?!)"


_BARE = r"tests?"
_TESTISH = r"(?:unit)?[tT]ests?"
_ANY_TESTS = r"(?:.*/)?tests?(?:/.*)?"
_JVM_FOLDERS = (
    r"(?:.*/)?src/\w{0,40}[tT]est\w{0,40}/(?:java|kotlin|scala|groovy|kotlinX?)(?:/.*)?"
    r"|(?:.*/)?src/(?:common|jvm|native|js|android(?:Unit)?|ios|apple|linux|wasm\w{0,10}|nonJvm"
    r"|zlib)\w{0,20}Test(?:/.*)?"
)
CONVENTIONS: tuple[Convention, ...] = (
    Convention(
        "JavaScript",
        "js jsx mjs cjs ts tsx mts cts",
        r".+[._-](?:tests?|specs?|cy|e2e|test-d|spec-d)",
        _BARE,
        r"(?:.*/)?__tests__(?:/.*)?|tests?(?:/.*)?",
    ),
    Convention("Python", "py", r"test_.+|.+_tests?|tests|conftest", "test"),
    Convention("Go", "go", r".+_test"),
    Convention(
        "Rust",
        "rs",
        r"tests|.+_tests?",
        "test",
        r"(?:.*/)?tests(?:/.*)?|(?:(?!src/)[^/]*+/)*+src/(?:.*/)?tests?(?:/.*)?",
    ),
    Convention(
        "Java",
        "java kt kts scala groovy",
        r"Test[A-Z].*|.+(?:Tests?|TestCase|IT|ITCase|Spec|Specification)",
        folders=_JVM_FOLDERS,
    ),
    Convention("Ruby", "rb", r".+_(?:spec|tests?)", r"test_.+", r"(?:.*/)?test(?:/.*)?"),
    Convention(
        "C#",
        "cs fs vb",
        r".+(?:Tests?|TestCase|Specs|Facts|Should)",
        folders=r"(?:.*/)?(?:tests?|[^/]+(?:Tests?|Specs|Specifications))(?:/.*)?",
    ),
    Convention("PHP", "php", r".+(?:Tests?|Cest|Cept|Spec)"),
    Convention("PHP", "phpt", r".+"),
    Convention("Swift", "swift", r".+(?:Tests?|TestCase|Spec)", folders=r"(?:.*/)?Tests(?:/.*)?"),
    Convention(
        "C++",
        "c cc cpp cxx m mm cu",
        rf".+[-_.]{_TESTISH}(?:[-_.].+)?|{_TESTISH}[-_.].+",
        _TESTISH,
        r"(?:.*/)?(?:tests?|unittests?|t|testsuite|regress)(?:/.*)?",
    ),
    Convention("C++", "cc cpp cxx m mm", r".+Tests?"),
    Convention("C++", "sh tcl py", folders=r"(?:.*/)?(?:tests?|t|testsuite|regress)(?:/.*)?"),
    Convention("C++", "t test bats", r".+"),
    Convention("Elixir", "exs", r".+_test"),
    Convention("Dart", "dart", r".+_test", folders=r"(?:.*/)?test(?:/.*)?"),
    Convention("Shell", "bats", r".+"),
    Convention("Shell", "sh bash t", r"t\d{4}-.+", r"(?:.*[-_.])?tests?|test[-_.].+", _ANY_TESTS),
    Convention("Haskell", "hs", r".*(?:Spec|Tests?)", folders=_ANY_TESTS),
    Convention("Clojure", "clj cljc cljs", r".+_test"),
    Convention(
        "Lua",
        "lua luau",
        r".+[_.-](?:spec|test)|test[-_.].+",
        r"test.*",
        r"(?:.*/)?(?:spec|tests?)(?:/.*)?",
    ),
    Convention("HCL", "hcl json", r".+\.tftest"),
    Convention("HCL", "go", r".+_test"),
    Convention("Perl", "t", r".+", folders=r"(?:.*/)?t(?:/.*)?"),
    Convention("Perl", "pl", folders=r"(?:.*/)?t(?:/.*)?"),
    Convention("Erlang", "erl", r".+_(?:SUITE|tests)"),
    Convention("R", "r R", r"test[-_.].+"),
    Convention("OCaml", "ml", rf"(?:.+[-_])?{_BARE}[-_].+|.+[-_]{_BARE}", _BARE, _ANY_TESTS),
)
INLINE: Mapping[str, str] = {"Rust": "rs", "Zig": "zig", "D": "d"}
"""Languages whose tests stand in the files that they test, with their endings."""
_OF_ANY = re.compile(r"(?:.*[-_.])?[tT]ests?(?:[-_.].*)?")
"""A test of a language without a row."""
_NAME_MAX = 255
_PATH_MAX = 500
"""Characters of a path that is looked at: a longer one is no test."""


class _Patterns(NamedTuple):
    names: re.Pattern[str]
    perhaps: re.Pattern[str]
    folders: re.Pattern[str]


def _joined(rows: list[Convention]) -> _Patterns:
    names, perhaps, folders = (
        "|".join(f"(?:{pattern})" for pattern in patterns)
        for patterns in zip(*(row[2:] for row in rows), strict=True)
    )
    # Where a line break ends what `.` matches, a folder is tried at each of its steps.
    return _Patterns(re.compile(names), re.compile(perhaps), re.compile(folders, re.DOTALL))


def _by_ending(rows: tuple[Convention, ...]) -> Mapping[str, _Patterns]:
    endings = {ending: None for row in rows for ending in row.endings.split()}
    return {
        ending: _joined([row for row in rows if ending in row.endings.split()])
        for ending in endings
    }


_OF_ENDING = _by_ending(CONVENTIONS)
_OF_LANGUAGE = {
    name: _by_ending(tuple(row for row in CONVENTIONS if row.language == name))
    for name in {row.language for row in CONVENTIONS}
}


def is_test(path: str) -> bool:
    """Whether a file is a test or belongs to the tests, by its path from the root."""
    folder, _, name = path.rpartition("/")
    return in_tests(folder) or (is_named(name) and not _is_packaged(folder))


def is_named(path: str) -> bool:
    """Whether a file has the name of a test in its language."""
    stem, ending = _parts(path)
    patterns = _OF_ENDING.get(ending)
    return patterns is not None and patterns.names.fullmatch(stem) is not None


def is_perhaps(path: str) -> bool:
    """Whether a file that is no test by its path is one if its content says so."""
    stem, ending = _parts(path)
    patterns = _OF_ENDING.get(ending)
    return patterns is not None and patterns.perhaps.fullmatch(stem) is not None


def holds_cases(path: str, language: str) -> bool:
    """Whether a file, by its path from the folder of its application, is one in which tests of a
    language (a family's name) stand, rather than what helps them; `is_perhaps` counts."""
    folder = path.rpartition("/")[0]
    stem, ending = _parts(path)
    if len(path) > _PATH_MAX or _SUPPORT.fullmatch(stem) or _is_packaged(folder):
        return False
    if language not in _OF_LANGUAGE:
        return _OF_ANY.fullmatch(stem) is not None
    return is_usual(path, language) or (
        (patterns := _OF_LANGUAGE[language].get(ending)) is not None
        and patterns.folders.fullmatch(folder) is not None
    )


def is_usual(path: str, language: str) -> bool:
    """Whether a file has a name that runners of a language look for by themselves."""
    if language not in _OF_LANGUAGE:
        return True
    stem, ending = _parts(path)
    patterns = _OF_LANGUAGE[language].get(ending)
    return patterns is not None and (
        patterns.names.fullmatch(stem) is not None or patterns.perhaps.fullmatch(stem) is not None
    )


@lru_cache(maxsize=65_536)
def in_tests(folder: str) -> bool:
    """Whether a folder lies among tests, or holds them."""
    steps = outside_packages(folder).split("/")
    return (
        steps[0] in _AT_THE_ROOT
        or any(map(is_test_folder, steps))
        or any(step == "it" and above == "src" for above, step in pairwise(steps))
    )


def is_test_folder(name: str) -> bool:
    """Whether a folder of this name holds tests wherever it lies."""
    return name in TEST_FOLDERS or _TEST_PROJECT.fullmatch(name) is not None


@lru_cache(maxsize=65_536)
def outside_packages(folder: str) -> str:
    """The part of a folder whose names say something: down to the root of a tree of packages of
    Java, Kotlin, Scala or Groovy (`app/src/main/java`), or the whole of it."""
    steps = folder.split("/")
    for at, step in enumerate(steps[:-1]):
        is_root = _PACKAGE_ROOT.fullmatch(step) is not None
        is_laid_out = is_root and "src" in steps[max(0, at - 2) : at]
        is_domain = (is_root or step in _SOURCE_ROOTS) and steps[at + 1] in _DOMAINS
        if is_laid_out or is_domain:
            return "/".join(steps[: at + 1])
    return folder


@lru_cache(maxsize=65_536)
def _is_packaged(folder: str) -> bool:
    return _PRODUCT_SET.fullmatch(folder) is not None


def _parts(path: str) -> tuple[str, str]:
    """The name without its ending, and the ending; nothing of a name longer than files have."""
    stem, _, ending = path[path.rfind("/") + 1 :].rpartition(".")
    return (stem, ending) if len(stem) <= _NAME_MAX else ("", "")
