"""Which kind of file each one of a commit is: the one place that decides, for every stage.

Source: wiki reference, section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from stationmaster.code import languages
from stationmaster.projects import paths as product
from stationmaster.projects.paths import Products
from stationmaster.repos.files import Files

FileClass = Literal[
    "source", "test", "fixture", "generated", "vendored", "docs", "config", "ci", "infra",
    "schema", "data", "asset", "binary", "symlink", "submodule", "unknown",
]  # fmt: skip


class Record(msgspec.Struct, frozen=True):
    """A file of the commit. `language` is that of its grammar's name, '' where none reads it."""

    path: str
    file_class: FileClass
    language: str
    size: int
    oid: str

    @property
    def is_code(self) -> bool:
        return self.file_class in ("source", "test") and self.language != ""


def sort(files: Files, products: Products) -> Mapping[str, Record]:
    """Every file by path."""
    return {record.path: record for record in _records(files, products)}


def _records(files: Files, products: Products) -> Iterable[Record]:
    for path in files.paths():
        entry = files.entry(path)
        language = languages.of_path(path)
        yield Record(path, _class(path, language, products), language, entry.size, entry.oid)


def _class(path: str, language: str, products: Products) -> FileClass:
    if not products.has(path):
        return "vendored"
    if not language:
        return "unknown"
    return "test" if product.is_test(path) else "source"
