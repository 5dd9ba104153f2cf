"""The arguments and results of resolvers."""

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
    """The files of a commit: `paths` are the code files by language, `facts` returns those of one
    of them, `tree` has the other files and the manifests."""

    paths: Mapping[str, tuple[str, ...]]
    facts: Callable[[str], FileFacts]
    tree: Tree

    def manifests(self, ecosystem: Ecosystem) -> list[Manifest]:
        """The manifests of an ecosystem."""
        return [it for it in self.tree.project.manifests if it.ecosystem == ecosystem]

    def dependencies(self, ecosystem: Ecosystem) -> set[str]:
        """The names of the dependencies in manifests of an ecosystem."""
        return {
            dependency.name for it in self.manifests(ecosystem) for dependency in it.dependencies
        }


class Resolved(NamedTuple):
    """The resolution of an import: `targets` are files of the commit, `outside` is the package of
    others (or part of the language's own library) that it names. Without both it is not resolved;
    but where it `is_settled` there is nothing to resolve, as for a `reference` to no file.
    """

    targets: tuple[str, ...] = ()
    outside: str = ""
    is_settled: bool = False


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
    """The number of steps that two paths have in common from the root."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def named(facts: FileFacts) -> set[str]:
    """The names that a file uses without an import, and those of its calls without a receiver."""
    references = {import_.name for import_ in facts.imports if import_.kind == "reference"}
    return references | {call.name for call in facts.calls if not call.of}


def beside(path: str, name: str) -> str:
    """The path of a name relative to the folder of a file."""
    return normpath(join(folder_of(path), name))


def to_other(path: str, target: str) -> Resolved:
    """The resolution to a file; to none for an import of the file itself."""
    return Resolved((target,) if target != path else (), is_settled=target == path)
