"""The facts of one commit, and the questions that may be asked about them.

A question is a function marked `@query` whose first argument is the `Facts`. Its answer is computed
once, and noted with every page that asked it directly: while the answers stay the same, the page
does (see `wiki.memo`). So answers are made of what msgspec encodes, sorted, and hold no more than
pages need: a page that asks for everything is written anew at every commit.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

import msgspec

from stationmaster.code.classes import Record
from stationmaster.code.model import FileFacts
from stationmaster.code.shelf import Head
from stationmaster.pipelines.model import Pipelines
from stationmaster.projects.queries import Tree
from stationmaster.wiki.log import Log

P = ParamSpec("P")
R = TypeVar("R")


class Commit(NamedTuple):
    """What is described. `url` is the repository's address without a password, None where nobody
    knows it; `at` is when it was committed (UTC milliseconds)."""

    hash: str
    at: int
    branch: str | None
    url: str | None
    name: str
    """What people call the repository: the last word of its address or folder."""


class Asked(NamedTuple):
    """A question by its name and arguments, and the digest of its answer."""

    query: str
    arguments: tuple[Any, ...]
    digest: bytes


class Facts:
    """`code` gives what a code file says, decoded when asked; `records` are all files by path, and
    `heads` tell the status and lines of each that was read. `dropped` counts by class the files
    that are not even among the records."""

    def __init__(
        self,
        commit: Commit,
        tree: Tree,
        pipelines: Pipelines,
        records: Mapping[str, Record],
        code: Mapping[str, FileFacts],
        heads: Mapping[str, Head] | None = None,
        dropped: Mapping[str, int] | None = None,
        log: Log | None = None,
    ) -> None:
        self.commit = commit
        self.tree = tree
        self.pipelines = pipelines
        self.records = records
        self.code = code
        self.heads = heads or {}
        self.dropped = dropped or {}
        self.log = log or Log()
        self.planned: Mapping[str, str] = {}
        """Titles of the pages that there will be, by key; known once they are planned."""
        self._answers: dict[tuple[str, tuple[Any, ...]], Any] = {}
        self._digests: dict[tuple[str, tuple[Any, ...]], bytes] = {}
        self._noting: dict[Asked, None] | None = None

    @contextmanager
    def noting(self) -> Iterator[dict[Asked, None]]:
        """What is asked within the block; questions that answers lead to do not count."""
        noted: dict[Asked, None] = {}
        before, self._noting = self._noting, noted
        try:
            yield noted
        finally:
            self._noting = before

    def answer(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Raises KeyError for a question that this version does not know."""
        key = (name, arguments)
        if key not in self._answers:
            before, self._noting = self._noting, None
            try:
                self._answers[key] = _QUERIES[name](self, *arguments)
            finally:
                self._noting = before
        if self._noting is not None:
            self._noting[Asked(name, arguments, self.digest(name, arguments))] = None
        return self._answers[key]

    def digest(self, name: str, arguments: tuple[Any, ...]) -> bytes:
        key = (name, arguments)
        if key not in self._digests:
            noting, self._noting = self._noting, None
            try:
                told = msgspec.msgpack.encode(self.answer(name, arguments))
            finally:
                self._noting = noting
            self._digests[key] = hashlib.blake2b(told, digest_size=16).digest()
        return self._digests[key]


_QUERIES: dict[str, Callable[..., Any]] = {}


def query(
    function: Callable[Concatenate[Facts, P], R],
) -> Callable[Concatenate[Facts, P], R]:
    """Mark a question. Its arguments are texts and numbers, given by position."""
    name = f"{function.__module__.removeprefix('stationmaster.wiki.')}.{function.__name__}"
    _QUERIES[name] = function

    @functools.wraps(function)
    def ask(facts: Facts, *arguments: P.args, **_: P.kwargs) -> R:
        return cast("R", facts.answer(name, arguments))

    return cast("Callable[Concatenate[Facts, P], R]", ask)


@query
def title_of(facts: Facts, key: str) -> str | None:
    """The title of a planned page; None where there will be none."""
    return facts.planned.get(key)


@query
def commit(facts: Facts) -> Commit:
    """For pages about the commit itself: others would change with every one."""
    return facts.commit
