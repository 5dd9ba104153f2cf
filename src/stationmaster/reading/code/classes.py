"""The class of each file of a commit: the only place that decides it, for every stage.

Names decide first; what the content of a code file adds is set after it was read (`settle`). Source
for `.gitattributes`: gitattributes(5), and the `linguist-*` attributes that hosts read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

import msgspec

from stationmaster.catalogue.repositories.layout import Reason
from stationmaster.reading.code import languages, naming
from stationmaster.reading.code.model import FileFacts, Status
from stationmaster.reading.projects import globs
from stationmaster.reading.projects.paths import Products, folder_of, is_below, parents
from stationmaster.reading.projects.test_files import in_tests, is_test
from stationmaster.repos.files import Files
from stationmaster.repos.reading import TreeEntry

NAME = ".gitattributes"
_FILES_MAX = 100
_LINES_MAX = 500
_READ = ("linguist-generated", "linguist-vendored", "linguist-documentation", "binary")


class Rule(NamedTuple):
    """The paths that lines of one file set an attribute for, or unset it for."""

    pattern: re.Pattern[str]
    is_set: bool


class Attributes:
    """The attributes of a commit's files. A deeper `.gitattributes` overrides one above it, a later
    line an earlier one."""

    def __init__(self, files: Files) -> None:
        paths = [path for path in files.paths() if path == NAME or path.endswith("/" + NAME)]
        paths.sort(key=lambda path: (path.count("/"), path))
        self._rules: dict[str, list[Rule]] = {name: [] for name in _READ}
        for path in paths[:_FILES_MAX]:
            self._add(path.rpartition("/")[0], files.contents.text(path))
        for rules in self._rules.values():
            rules.reverse()

    def of(self, path: str) -> Mapping[str, bool]:
        """The attributes of a file, and whether they are set or unset."""
        attributes = {}
        for name, rules in self._rules.items():
            for pattern, is_set in rules:
                if pattern.fullmatch(path):
                    attributes[name] = is_set
                    break
        return attributes

    def _add(self, folder: str, text: str) -> None:
        lines: dict[str, list[tuple[bool, list[str]]]] = {name: [] for name in _READ}
        for line in text.split("\n")[:_LINES_MAX]:
            pattern, *words = line.split() or [""]
            if not words or pattern.startswith(("#", "!", '"')):
                continue
            for word in words:
                name, is_set = _attribute(word)
                if name in lines:
                    runs = lines[name]
                    if not runs or runs[-1][0] != is_set:
                        runs.append((is_set, []))
                    runs[-1][1].extend(_patterns(folder, pattern))
        for name, runs in lines.items():
            self._rules[name] += [Rule(globs.any_of(patterns), is_set) for is_set, patterns in runs]


def _attribute(word: str) -> tuple[str, bool]:
    name, _, value = word.partition("=")
    return name.lstrip("-!"), not name.startswith(("-", "!")) and value != "false"


def _patterns(folder: str, pattern: str) -> Sequence[str]:
    """The globs of a pattern: a bare name matches at any depth, a folder what it contains."""
    plain = pattern.lstrip("/") if "/" in pattern.rstrip("/") else f"**/{pattern}"
    whole = f"{folder}/{plain}" if folder else plain
    return (whole, f"{whole.rstrip('/')}/**")


FILES_MAX = 50_000
"""Files that are listed."""
BYTES_MAX = 200 * 2**20
"""Of all code that is parsed."""
_STEP = re.compile(r"[\w-]+")
_SCRIPTS_MAX = 500
_SCRIPT_BYTES_MAX = 256 * 1024

Why = Literal[
    "",
    "attributes",
    "settings",
    "folder",
    "name",
    "header",
    "shape",
    "bundle",
    "content",
    "limit",
]
"""The reason why a file is not read as source: a mark, its folder, its name, its content, or a
limit."""


class Record(msgspec.Struct, frozen=True):
    """A file of the commit. `language` is that of its grammar's name, '' where none reads it."""

    path: str
    file_class: naming.FileClass
    language: str
    size: int
    oid: str
    why: Why = ""

    @property
    def is_code(self) -> bool:
        """True for source or tests of the project in a language that is read, within the limit."""
        return self.is_ours and self.language != "" and self.why != "limit"

    @property
    def is_ours(self) -> bool:
        """Is it code that people of this project write?"""
        return self.file_class in ("source", "test")


class Inventory(NamedTuple):
    """`records` are by path, in their order; `dropped` counts by class what is not among them
    because there is too much."""

    records: Mapping[str, Record]
    dropped: Mapping[str, int]


_OF_REASON: Mapping[Reason, tuple[naming.FileClass, Why]] = {
    "vendored": ("vendored", "folder"),
    "fixture": ("fixture", "folder"),
    "example": ("docs", "folder"),
    "output": ("generated", "folder"),
    "template": ("template", "folder"),
    "minified": ("generated", "name"),
    "excluded": ("excluded", "settings"),
}
"""Examples are documentation, as hosts count them."""
_OF_ATTRIBUTE: Mapping[str, naming.FileClass] = {
    "linguist-generated": "generated",
    "linguist-vendored": "vendored",
    "linguist-documentation": "docs",
    "binary": "binary",
}
_OF_STATUS: Mapping[Status, tuple[naming.FileClass, Why]] = {
    "generated": ("generated", "header"),
    "minified": ("generated", "shape"),
    "bundled": ("generated", "bundle"),
    "binary": ("binary", "content"),
    "foreign": ("data", "content"),
}
_IN_TESTS: frozenset[naming.FileClass] = frozenset(
    {"data", "asset", "binary", "schema", "config", "unknown"}
)
"""Data of tests, in folders of tests."""
_ORDER: tuple[naming.FileClass, ...] = (
    "source",
    "config",
    "ci",
    "infra",
    "schema",
    "docs",
    "test",
    "submodule",
    "symlink",
    "unknown",
    "data",
    "asset",
    "template",
    "generated",
    "fixture",
    "binary",
    "vendored",
    "excluded",
)
"""What stays first where there is too much."""


def sort(files: Files, products: Products, ignored: Sequence[str] = ()) -> Inventory:
    """The classes of all files by their names. `ignored` are patterns of the repository's settings
    for its wiki."""
    sorter = _Sorter(files, products, ignored)
    records = [*map(sorter.record, map(files.entry, files.paths())), *map(_other, files.others)]
    dropped: Mapping[str, int] = {}
    if len(records) > FILES_MAX:
        records.sort(key=_precedence)
        dropped = dict(sorted(Counter(record.file_class for record in records[FILES_MAX:]).items()))
        records = records[:FILES_MAX]
    records = [*_within_bytes(records)]
    return Inventory(
        {record.path: record for record in sorted(records, key=lambda record: record.path)}, dropped
    )


def settle(
    records: dict[str, Record],
    read: Mapping[str, tuple[Status, str]],
    tests: Collection[str] = (),
    helpers: Collection[str] = (),
    projects: Mapping[str, bool] = MappingProxyType({}),
) -> None:
    """Correct `records` by the content of code files: `read` is the status and language of each
    path that was read, `tests` are those that contain tests where the name does not decide,
    `helpers` those of the product whose names are like those of tests, `projects` whether the
    project of a folder exists only for tests.
    """
    for path in helpers:
        records[path] = msgspec.structs.replace(records[path], file_class="source", why="")
    for path in tests:
        records[path] = msgspec.structs.replace(records[path], file_class="test", why="content")
    for path, (status, language) in read.items():
        if status in _OF_STATUS:
            kind, why = _OF_STATUS[status]
            records[path] = msgspec.structs.replace(records[path], file_class=kind, why=why)
        elif language:
            records[path] = msgspec.structs.replace(records[path], language=language)
    for path, record in list(records.items()) if any(projects.values()) else ():
        folders = parents(folder_of(path))[:-1]
        is_one = next((projects[folder] for folder in folders if folder in projects), False)
        if is_one and not record.why:
            kind = _of_tests(record.file_class)
            records[path] = msgspec.structs.replace(record, file_class=kind)


def _of_tests(kind: naming.FileClass) -> naming.FileClass:
    """The class of a file among tests whose name is of a class."""
    return "test" if kind == "source" else "fixture" if kind in _IN_TESTS else kind


def compiled_for_tests(code: Mapping[str, FileFacts]) -> Iterator[str]:
    """The files that modules of Rust declare only for tests."""
    for path in (path for path in code if path.endswith(".rs")):
        folder, _, name = path.removesuffix(".rs").rpartition("/")
        base = folder if name in ("lib", "main", "mod") else f"{folder}/{name}"
        for import_ in code[path].imports:
            if import_.kind == "test":
                file = f"{base}/{import_.name.replace('::', '/')}".removeprefix("/")
                yield from (f"{file}.rs", f"{file}/mod.rs")


def called_as_tests(records: Mapping[str, Record], code: Mapping[str, FileFacts]) -> Iterator[str]:
    """The files that are tests only by their names: they contain none, and source files of the same
    folder import them."""
    beside: dict[str, set[str]] = defaultdict(set)
    for path in code:
        folder = folder_of(path)
        if records[path].file_class == "test" and not in_tests(folder) and not code[path].tests:
            beside[folder].add(path)
    for path in code if beside else ():
        if records[path].file_class == "source" and (others := beside.get(folder_of(path))):
            words = {word for import_ in code[path].imports for word in _STEP.findall(import_.name)}
            used = {it for it in others if it.rpartition("/")[2].rpartition(".")[0] in words}
            others -= used
            yield from used


class _Sorter:
    def __init__(self, files: Files, products: Products, ignored: Sequence[str]) -> None:
        self._products = products
        self._attributes = Attributes(files)
        self._ignored = globs.any_of(
            [*ignored, *(f"{pattern.rstrip('/')}/**" for pattern in ignored)]
        )
        self._grammars = naming.grammars(files.paths())
        self._scripts = dict(_scripts(files))

    def record(self, entry: TreeEntry) -> Record:
        """The record of a file, with its class and its language; '' for one that is not read."""
        path = entry.path
        language = languages.of_path(path) or self._scripts.get(path, "")
        kind, why = self._class(path, language)
        return Record(path, kind, language, entry.size, entry.oid, why)

    def _class(self, path: str, language: str) -> tuple[naming.FileClass, Why]:
        marks = self._attributes.of(path)
        is_built = any(is_below(path, folder) for folder in self._products.built)
        for name, kind in _OF_ATTRIBUTE.items():
            if marks.get(name) and not (kind == "vendored" and is_built):
                return kind, "attributes"
        if self._ignored.fullmatch(path):
            return "excluded", "settings"
        if reason := self._products.reason(path):
            kind, why = _OF_REASON[reason]
            is_denied = any(kind in (_OF_ATTRIBUTE[name], "excluded") for name in marks)
            if not is_denied:
                return kind, why
        if naming.is_generated(path) or naming.is_made(path, self._grammars):
            return "generated", "name"
        kind = naming.of(path, bool(language))
        if kind == "source" and self._is_docs(path):
            return "docs", "folder"
        if is_test(path):
            return _of_tests(kind), ""
        return kind, ""

    def _is_docs(self, path: str) -> bool:
        """Does code belong to the folder of documents? One with a manifest is an application."""
        folder = path.partition("/")[0]
        return folder in naming.DOCUMENTS and not self._products.has_manifest(folder)


def _other(entry: TreeEntry) -> Record:
    kind: naming.FileClass = "symlink" if entry.mode == "120000" else "submodule"
    return Record(entry.path, kind, "", entry.size, entry.oid)


def _scripts(files: Files) -> Iterator[tuple[str, str]]:
    """The languages of programs without an extension, by their `#!` lines."""
    paths = [
        path
        for path in files.paths()
        if "." not in path[path.rfind("/") + 1 :] and files.entry(path).mode == "100755"
    ]
    for path, data in files.contents_of(paths[:_SCRIPTS_MAX], _SCRIPT_BYTES_MAX):
        if language := languages.of_shebang(data[:200]):
            yield path, language


def _within_bytes(records: Sequence[Record]) -> Iterator[Record]:
    """The records; code beyond the limit of what is parsed is listed and not read."""
    size = 0
    total = sum(record.size for record in records if record.is_code)
    for it in sorted(records, key=_precedence) if total > BYTES_MAX else records:
        size += it.size if it.is_code else 0
        is_over = it.is_code and size > BYTES_MAX
        yield msgspec.structs.replace(it, why="limit") if is_over else it


def _precedence(record: Record) -> tuple[int, int, int, str]:
    order = _ORDER.index(record.file_class)
    return order, record.path.count("/"), record.size, record.path
