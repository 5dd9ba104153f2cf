"""Names of languages, their libraries and frameworks that readers of code know: `code/*.toml`.

A file has what one language, or a family of them, is recognised by: a table for each concern, such
as routes or jobs, with sets of names, words by name, and rows. A reader gets them by their
path, such as `python.routes.methods`, when it is loaded.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from stationmaster.catalogue.table import read

T = TypeVar("T")
_FOLDER = Path(__file__).parent / "code"


@cache
def _tables(name: str) -> dict[str, dict[str, Any]]:
    return read(name, dict[str, dict[str, Any]], _FOLDER)


def table(path: str, shape: type[T]) -> T:
    """The value at a path, in this shape.

    Raises KeyError for a path that is missing, and ValueError, which names it, for another shape.
    """
    name, section, key = path.split(".")
    try:
        return msgspec.convert(_tables(name)[section][key], shape)
    except msgspec.ValidationError as error:
        raise ValueError(f"{path}: {error}") from error


def names(path: str) -> frozenset[str]:
    """The set of names at a path."""
    return table(path, frozenset[str])


def ordered(path: str) -> tuple[str, ...]:
    """The names at a path in their order."""
    return table(path, tuple[str, ...])


def methods(spelling: str, more: str = "") -> dict[str, str]:
    """HTTP's methods by how they are spelled, such as `Map{title}`, and the words at a path."""
    spelled = {
        spelling.format(lower=method.lower(), title=method.title(), upper=method): method
        for method in ordered("shared.routes.methods")
    }
    return spelled | (words(more) if more else {})


def words(path: str) -> dict[str, str]:
    """The words at a path by name."""
    return table(path, dict[str, str])
