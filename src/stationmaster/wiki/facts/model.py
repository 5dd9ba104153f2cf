"""The facts of one commit, and the questions that may be asked about them.

A question is a function marked `@query` whose first argument is the `Facts`. Its answer is computed
once, and noted with every page that asked it: while the answers stay the same, the page does (see
`making.refresh`). So answers are made of what msgspec encodes, sorted, and hold no more than pages
need: a page that asks for everything is written anew at every commit. What reads one file alone is
marked `@of_file`, and remembered between runs.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

import msgspec

from stationmaster.pipelines.model import Pipelines
from stationmaster.reading.code.classes import Record
from stationmaster.reading.code.model import FileFacts
from stationmaster.reading.code.shelf import Head
from stationmaster.reading.projects.queries import Tree
from stationmaster.wiki.facts.remembered import MISSING, Remembered
from stationmaster.wiki.making.log import Change
from stationmaster.wiki.making.memo import Nothing
from stationmaster.wiki.making.steering import Steering

Arguments = tuple[str | int | tuple[str | int | tuple[str | int, ...], ...], ...]
Key = tuple[str, Arguments]
"""A question by its name and arguments."""
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


Place = tuple[str, int]
"""A path and a line."""


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
        log: Sequence[Change] = (),
        steering: Steering | None = None,
        remembered: Remembered | None = None,
    ) -> None:
        self.commit = commit
        self.tree = tree
        self.pipelines = pipelines
        self.records = records
        self.code = code
        self.heads = heads or {}
        self.dropped = dropped or {}
        self.log = log
        self.steering = steering or Steering()
        self.remembered = remembered or Remembered(Nothing(), records)
        self.planned: Mapping[str, str] = {}
        self.answers: dict[Key, Any] = {}
        """What was answered already, by question."""
        self._digests: dict[Key, bytes] = {}

    def answer(self, key: Key) -> Any:
        """Raises KeyError for a question that this version does not know."""
        if key not in self.answers:
            name, arguments = key
            self.answers[key] = QUERIES[name](self, *arguments)
        return self.answers[key]

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

    answers: Mapping[Key, Any] = MappingProxyType({})
    """None, so that every question is noted."""

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
    def ask(facts: Facts, /, *arguments: Any) -> R:  # A hundred thousand times in a run.
        key = (name, arguments)
        answer: R = facts.answers.get(key, MISSING)
        return facts.answer(key) if answer is MISSING else answer

    return cast("Callable[Concatenate[Facts, P], R]", ask)


def of_file(
    function: Callable[Concatenate[Facts, str, P], R],
) -> Callable[Concatenate[Facts, str, P], R]:
    """Mark a question about the file of a path that reads nothing but this file, and is answered
    once for all runs in which the file is the same. Its answer is data by its annotation."""

    @functools.wraps(function)
    def remembered(facts: Facts, path: str, /, *more: P.args, **_: P.kwargs) -> R:
        answer: R = facts.remembered.get(path, function, more)
        if answer is MISSING:
            answer = function(facts, path, *more)  # type: ignore[call-arg]
            facts.remembered.put(path, answer, function, more)
        return answer

    return query(remembered)


def of_texts(
    facts: Facts, read: Callable[[str], R], paths: Sequence[str], size_max: int
) -> Iterator[tuple[str, R]]:
    """What a function makes of the texts of many files, of which it is called only for those that
    are new; in no order. For questions."""
    missing = []
    for path in paths:
        answer: R = facts.remembered.get(path, read)
        if answer is MISSING:
            missing.append(path)
        else:
            yield path, answer
    for path, text in facts.tree.files.contents.each(missing, size_max):
        answer = read(text)
        facts.remembered.put(path, answer, read)
        yield path, answer


@query
def title_of(facts: Facts, key: str) -> str | None:
    """The title of a planned page; None where there will be none."""
    return facts.planned.get(key)


@query
def commit(facts: Facts) -> Commit:
    """For pages about the commit itself: others would change with every one."""
    return facts.commit
