"""The facts of one commit, and the questions that may be asked about them.

A question is a function marked `@query` whose first argument is the `Facts`. Its answer is computed
once, and noted with every page that asked it: while the answers stay the same, the page does (see
`making.refresh`). So answers are made of what msgspec encodes, sorted, and hold no more than pages
need: a page that asks for everything is written anew at every commit.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import msgspec

from stationmaster.pipelines.model import Pipelines
from stationmaster.reading.code.classes import Record
from stationmaster.reading.code.model import FileFacts
from stationmaster.reading.code.shelf import Head
from stationmaster.reading.projects.queries import Tree
from stationmaster.wiki.making.log import Log
from stationmaster.wiki.making.steering import Steering

Arguments = tuple[str | int | tuple[str | int | tuple[str | int, ...], ...], ...]
Key = tuple[str, Arguments]
"""A question by its name and arguments."""
_MISSING = object()
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


class Spot(NamedTuple):
    """A symbol's file, and its qualified name in it; '' for the file itself."""

    path: str
    name: str


class Facts:
    """What was read of a commit, and the answers to questions about it. `code` gives what a code
    file says, decoded when asked; `records` are all files by path, and `heads` tell the status and
    lines of each that was read. `dropped` counts by class the files that are not even among the
    records. `planned` are the titles of the pages that there will be, by key, once they are
    planned."""

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
        self._answers: dict[Key, Any] = {}
        self._digests: dict[Key, bytes] = {}

    def answer(self, key: Key) -> Any:
        """Raises KeyError for a question that this version does not know."""
        answer = self._answers.get(key, _MISSING)
        if answer is _MISSING:
            name, arguments = key
            answer = self._answers[key] = QUERIES[name](self, *arguments)
        return answer

    def digest(self, key: Key) -> bytes:
        """Of an answer; of one that is no data that of the commit."""
        if key not in self._digests:
            try:
                content = encoded(self.answer(key))
            except TypeError:
                content = self.commit.hash.encode()
            self._digests[key] = hashlib.blake2b(content, digest_size=16).digest()
        return self._digests[key]


class Noted:
    """Facts as a page sees them, of which it is noted what was asked, in order. It stands for
    `Facts`; whatever is read of them without a question counts as the whole commit."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self.asked: dict[Key, None] = {}

    def answer(self, key: Key) -> Any:
        self.asked[key] = None
        return self._facts.answer(key)

    def __getattr__(self, name: str) -> Any:
        commit(self)  # type: ignore[arg-type]
        return getattr(self._facts, name)


def encoded(value: Any) -> bytes:
    """Raises TypeError for what msgspec does not encode."""
    try:
        return msgspec.msgpack.encode(value, order="deterministic")
    except TypeError:  # Keys that are no texts can only be taken as they come.
        return msgspec.msgpack.encode(value)


QUERIES: dict[str, Callable[..., Any]] = {}
"""By their names."""


def query(
    function: Callable[Concatenate[Facts, P], R],
) -> Callable[Concatenate[Facts, P], R]:
    """Mark a question. Its arguments are texts and numbers, given by position."""
    name = f"{function.__module__.removeprefix('stationmaster.wiki.')}.{function.__name__}"
    QUERIES[name] = function

    @functools.wraps(function)
    def ask(facts: Facts, /, *arguments: P.args, **_: P.kwargs) -> R:
        answer: R = facts.answer((name, arguments))  # type: ignore[arg-type]
        return answer

    return ask


@query
def title_of(facts: Facts, key: str) -> str | None:
    """The title of a planned page; None where there will be none."""
    return facts.planned.get(key)


@query
def commit(facts: Facts) -> Commit:
    """For pages about the commit itself: others would change with every one."""
    return facts.commit
