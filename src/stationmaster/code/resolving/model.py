"""What resolvers are given, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from stationmaster.code.model import FileFacts, Import
from stationmaster.projects.queries import Tree


class Index(NamedTuple):
    """`paths` are the code files by language; `facts` gives what one of them says; `tree` the other
    files of the commit and what manifests say."""

    paths: Mapping[str, tuple[str, ...]]
    facts: Callable[[str], FileFacts]
    tree: Tree


class Resolved(NamedTuple):
    """Where an import leads: `targets` are files of the commit, `outside` is the package of others
    (or part of the language's own library) that it names. Neither: nobody knows.
    """

    targets: tuple[str, ...] = ()
    outside: str = ""
    is_builtin: bool = False


Resolver = Callable[[str, Import], Resolved]


def first(candidates: Iterable[str], known: Mapping[str, object] | frozenset[str]) -> str | None:
    """The first candidate that is there."""
    return next((each for each in candidates if each in known), None)
