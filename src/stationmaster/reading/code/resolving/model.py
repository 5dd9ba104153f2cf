"""What resolvers are given, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.projects.queries import Tree


class Index(NamedTuple):
    """`paths` are the code files by language; `facts` gives what one of them says; `tree` the other
    files of the commit and what manifests say."""

    paths: Mapping[str, tuple[str, ...]]
    facts: Callable[[str], FileFacts]
    tree: Tree


class Resolved(NamedTuple):
    """Where an import leads: `targets` are files of the commit, `outside` is the package of others
    (or part of the language's own library) that it names. Neither: nobody knows; but with
    `is_builtin` there is nothing to know, as for a `reference` to what is nobody's file.
    """

    targets: tuple[str, ...] = ()
    outside: str = ""
    is_builtin: bool = False


Resolver = Callable[[str, Import], Resolved]


def first(candidates: Iterable[str], known: Mapping[str, object] | frozenset[str]) -> str | None:
    """The first candidate that is there."""
    return next((candidate for candidate in candidates if candidate in known), None)


def nearest(path: str, candidates: Sequence[str]) -> tuple[str, ...]:
    """The candidate that shares most folders with a file; never the file itself. () where there is
    none."""
    if path in candidates or not candidates:
        return ()
    if len(candidates) == 1:
        return (candidates[0],)
    own = path.split("/")

    def apart(other: str) -> tuple[int, int, str]:
        words = other.split("/")
        shared = next(
            (i for i, (a, b) in enumerate(zip(own, words, strict=False)) if a != b), len(words)
        )
        return -shared, len(words), other

    return (min(candidates, key=apart),)
