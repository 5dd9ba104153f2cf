"""Reading tables of data, those of the catalogue and of rooms that have some of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

import msgspec
import tomli


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of a table; a kind of rows extends it. A key that the struct lacks is an error."""


T = TypeVar("T")


def read(name: str, shape: type[T], folder: Path = Path(__file__).parent) -> T:
    """`NAME.toml` of a folder as a value of this shape, such as `dict[str, SomeRow]`.

    Raises ValueError, which names the file, for what has another shape.
    """
    text = folder.joinpath(f"{name}.toml").read_text(encoding="utf-8")
    try:
        return msgspec.convert(tomli.loads(text), shape)
    except (tomli.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ValueError(f"{name}.toml: {error}") from error


@cache
def compiled(text: str) -> re.Pattern[str]:
    """A pattern of a row. A line break and the blanks around it are for the eye alone."""
    return re.compile("".join(line.strip() for line in text.splitlines()))


def matching(names: Collection[str], patterns: Iterable[str]) -> set[str]:
    """The names that match any of some patterns of rows, as fnmatch compares them.

    Only `?` and `[` need an expression, which takes longer to make than most find.
    """
    matched: set[str] = set()
    for pattern in patterns:
        if _WILD.isdisjoint(pattern):
            matched.update((pattern,) if pattern in names else ())
        elif "?" in pattern or "[" in pattern:
            matched.update(name for name in names if fnmatchcase(name, pattern))
        else:
            first, *others = pattern.split("*")
            near = (name for name in names if name.startswith(first))
            matched.update(name for name in near if _goes_on(name, len(first), others))
    return matched


_WILD = frozenset("*?[")


def _goes_on(name: str, at: int, parts: list[str]) -> bool:
    """Do these parts follow each other in a name from a place on, the last of them at its end?"""
    *inner, last = parts
    for part in inner:
        start = name.find(part, at)
        if start < 0:
            return False
        at = start + len(part)
    return len(name) - at >= len(last) and name.endswith(last)


def lazy_table(name: str, shape: type[T]) -> Callable[[], T]:
    """A function that gives a table of the catalogue, which is decoded when it is first asked."""
    return cache(partial(read, name, shape))
