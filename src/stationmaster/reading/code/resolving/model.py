"""What resolvers are given, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from posixpath import join, normpath
from typing import NamedTuple

from stationmaster.reading.code.model import FileFacts, Import
from stationmaster.reading.projects.model import Ecosystem, Manifest
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.queries import Tree


class Index(NamedTuple):
    """`paths` are the code files by language; `facts` gives what one of them says; `tree` the other
    files of the commit and what manifests say."""

    paths: Mapping[str, tuple[str, ...]]
    facts: Callable[[str], FileFacts]
    tree: Tree

    def manifests(self, ecosystem: Ecosystem) -> list[Manifest]:
        """The manifests of an ecosystem."""
        return [it for it in self.tree.project.manifests if it.ecosystem == ecosystem]

    def dependencies(self, ecosystem: Ecosystem) -> set[str]:
        """The names of the packages that manifests of an ecosystem ask for."""
        return {
            dependency.name for it in self.manifests(ecosystem) for dependency in it.dependencies
        }


class Resolved(NamedTuple):
    """Where an import leads: `targets` are files of the commit, `outside` is the package of others
    (or part of the language's own library) that it names. Neither: nobody knows; but with
    `is_builtin` there is nothing to know, as for a `reference` to what is nobody's file.
    """

    targets: tuple[str, ...] = ()
    outside: str = ""
    is_builtin: bool = False


Resolver = Callable[[str, Import], Resolved]


def nearest(path: str, candidates: Sequence[str]) -> tuple[str, ...]:
    """The candidate that shares most folders with a file; never the file itself. () where there is
    none."""
    if path in candidates or not candidates:
        return ()
    if len(candidates) == 1:
        return (candidates[0],)

    def apart(other: str) -> tuple[int, int, str]:
        return -shared(path.split("/"), other.split("/")), other.count("/"), other

    return (min(candidates, key=apart),)


def shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many steps two paths have in common from the root."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def named(facts: FileFacts) -> set[str]:
    """What a file names without an import, and what it calls by its name alone."""
    references = {import_.name for import_ in facts.imports if import_.kind == "reference"}
    return references | {call.name for call in facts.calls if not call.of}


def beside(path: str, name: str) -> str:
    """The path that a name means in the folder of a file."""
    return normpath(join(folder_of(path), name))


def to_other(path: str, target: str) -> Resolved:
    """To a file; an import that leads to the file it stands in leads nowhere."""
    return Resolved((target,) if target != path else (), is_builtin=target == path)
