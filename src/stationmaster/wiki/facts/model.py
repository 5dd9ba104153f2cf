"""The facts of one commit, and the questions that may be asked about them.

A question is a function marked `@query` whose first argument is the `Facts`. Its answer is computed
once, and noted with every page that asked it directly: while the answers stay the same, the page
does (see `wiki.memo`). So answers are made of what msgspec encodes, sorted, and hold no more than
pages need: a page that asks for everything is written anew at every commit.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

from stationmaster.pipelines.model import Pipelines
from stationmaster.reading.code.classes import Record
from stationmaster.reading.code.model import FileFacts
from stationmaster.reading.code.shelf import Head
from stationmaster.reading.projects.queries import Tree
from stationmaster.wiki.facts.inputs import (
    INPUTS,
    Watched,
    WatchedCommit,
    WatchedTree,
    digest_of,
)
from stationmaster.wiki.making.log import Log
from stationmaster.wiki.making.steering import Steering

Key = tuple[str, tuple[Any, ...]]
"""A question or an input by its name and arguments."""
SLOW_S = 0.002
MISSING = object()
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
    """What people call the repository: the last word of its address; without one its own name in
    its manifest or README, else that of its folder."""


class Known(NamedTuple):
    """What an earlier run noted: by question what it asked and read, the digests of all of these,
    and the questions whose answers were kept."""

    asked: Mapping[Key, tuple[Key, ...]] = {}
    digests: Mapping[Key, bytes] = {}
    kept: frozenset[Key] = frozenset()


class Asked(NamedTuple):
    """A question or input by its name and arguments, and its digest."""

    query: str
    arguments: tuple[Any, ...]
    digest: bytes


class Raw:
    """What was read of a commit, without anybody noting who asks. `code` gives what a code file
    says, decoded when asked; `records` are all files by path, and `heads` tell the status and lines
    of each that was read. `dropped` counts by class the files that are not even among the records.
    `planned` are the titles of the pages that there will be, by key, once they are planned."""

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
        steering: Steering | None = None,
    ) -> None:
        self.commit = commit
        self.tree = tree
        self.pipelines = pipelines
        self.records = records
        self.code = code
        self.heads = heads or {}
        self.dropped = dropped or {}
        self.log = log or Log()
        self.steering = steering or Steering()
        self.planned: Mapping[str, str] = {}


class Facts:
    """What was read (see `Raw`), and the answers to questions about it. Whatever a question or a
    page asks or reads is noted with it; `known` is what an earlier run noted."""

    def __init__(self, *read: Any, **more: Any) -> None:
        self.raw = Raw(*read, **more)
        self.commit = cast("Commit", WatchedCommit(self.raw.commit, self._note))
        self.tree = cast("Tree", WatchedTree(self.raw.tree, self._note))
        self.records = Watched(self.raw.records, self._note, "record", "records")
        self.code = Watched(self.raw.code, self._note, "code", "codes")
        self.heads = Watched(self.raw.heads, self._note, "head", "heads")
        self.known = Known()
        self.noted: dict[Key, tuple[Key, ...]] = {}
        """What each question that was answered anew asked and read, in its order."""
        self.slow: set[Key] = set()
        """Questions whose answers took long enough to be worth keeping."""
        self.decoded: Callable[[Key, bytes], Any] = lambda *_: MISSING
        """The answer that was kept for a question, by its digest."""
        self._answers: dict[Key, Any] = {}
        self._digests: dict[Key, bytes] = {}
        self._same: dict[Key, bool] = {}
        self._noting: dict[Key, None] | None = None

    @property
    def pipelines(self) -> Pipelines:
        self._note("pipelines")
        return self.raw.pipelines

    @property
    def dropped(self) -> Mapping[str, int]:
        self._note("dropped")
        return self.raw.dropped

    @property
    def log(self) -> Log:
        self._note("log")
        return self.raw.log

    @property
    def steering(self) -> Steering:
        self._note("steering")
        return self.raw.steering

    @property
    def planned(self) -> Mapping[str, str]:
        self._note("planned")
        return self.raw.planned

    @planned.setter
    def planned(self, titles: Mapping[str, str]) -> None:
        self.raw.planned = titles

    @contextmanager
    def noting(self) -> Iterator[dict[Key, None]]:
        """What is asked and read within the block; what answers lead to does not count."""
        noted: dict[Key, None] = {}
        before, self._noting = self._noting, noted
        try:
            yield noted
        finally:
            self._noting = before

    def answer(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Raises KeyError for a question that this version does not know."""
        key = (name, arguments)
        if self._noting is not None:
            self._noting[key] = None
        return self._answers[key] if key in self._answers else self._answer(key)

    def digest(self, name: str, arguments: tuple[Any, ...]) -> bytes:
        """Of an answer or an input: it need not be worked out where all that it rests on is as an
        earlier run noted it."""
        key = (name, arguments)
        if key not in self._digests:
            if name in INPUTS:
                self._digests[key] = INPUTS[name](self, *arguments)
            elif self._is_same(key):
                self._digests[key] = self.known.digests[key]
            else:
                self._digests[key] = self._digest_of(key)
        return self._digests[key]

    def leads_to(self, key: Key) -> tuple[Key, ...]:
        """What a question asked and read, in this run or in the earlier one whose answer still
        holds; () for an input."""
        return self.noted[key] if key in self.noted else self.known.asked.get(key, ())

    def asked(self, noted: Iterable[Key]) -> tuple[Asked, ...]:
        return tuple(Asked(*key, self.digest(*key)) for key in noted)

    def _note(self, name: str, *arguments: Any) -> None:
        if self._noting is not None:
            self._noting[name, arguments] = None

    def _answer(self, key: Key) -> Any:
        if key not in self._answers:
            found = MISSING
            if key in self.known.kept and self._is_same(key):
                found = self.decoded(key, self.known.digests[key])
            self._answers[key] = self._worked_out(key) if found is MISSING else found
        return self._answers[key]

    def _worked_out(self, key: Key) -> Any:
        name, arguments = key
        began = time.perf_counter()
        with self.noting() as noted:
            found = QUERIES[name](self, *arguments)
        if time.perf_counter() - began > SLOW_S:
            self.slow.add(key)
        self.noted[key] = tuple(noted)
        return found

    def _is_same(self, key: Key) -> bool:
        """Is everything that the answer rests on as it was?"""
        if key not in self._same:
            known = self.known.asked.get(key)
            try:
                self._same[key] = known is not None and all(
                    self.digest(*each) == self.known.digests[each] for each in known
                )
            except (LookupError, TypeError):  # It asked about what is gone.
                self._same[key] = False
        return self._same[key]

    def _digest_of(self, key: Key) -> bytes:
        """An answer that is no data may read more when it is used: it holds while that does which
        it was marked with, else for one commit."""
        try:
            return digest_of(self._answer(key))
        except TypeError:
            rest = (RESTS_ON.get(key[0], "commit"), ())
            self.noted[key] = (*self.noted.get(key, ()), rest)
            return self.digest(*rest)


QUERIES: dict[str, Callable[..., Any]] = {}
"""By their names."""
RESTS_ON: dict[str, str] = {}
"""By question whose answer is no data the input that holds all that is read when it is used."""


def query(
    function: Callable[Concatenate[Facts, P], R],
) -> Callable[Concatenate[Facts, P], R]:
    """Mark a question. Its arguments are texts and numbers, given by position."""
    name = f"{function.__module__.removeprefix('stationmaster.wiki.')}.{function.__name__}"
    QUERIES[name] = function

    @functools.wraps(function)
    def ask(facts: Facts, *arguments: P.args, **_: P.kwargs) -> R:
        return cast("R", facts.answer(name, arguments))

    return cast("Callable[Concatenate[Facts, P], R]", ask)


def code_query(
    function: Callable[Concatenate[Facts, P], R],
) -> Callable[Concatenate[Facts, P], R]:
    """Mark a question whose answer is no data, and is used to read code alone."""
    ask = query(function)
    RESTS_ON[next(reversed(QUERIES))] = "linked code"
    return ask


@query
def title_of(facts: Facts, key: str) -> str | None:
    """The title of a planned page; None where there will be none."""
    return facts.planned.get(key)


@query
def commit(facts: Facts) -> Commit:
    """For pages about the commit itself: others would change with every one."""
    facts._note("commit")
    return facts.raw.commit
