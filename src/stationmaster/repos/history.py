"""The newest part of a commit's history: who changed what, when. Bounded, and read when asked."""

from __future__ import annotations

from typing import NamedTuple

from stationmaster.repos.reading import Snapshot


class Commit(NamedTuple):
    """`at` is UTC milliseconds; `paths` are the files that it changed against its first parent."""

    oid: str
    author: str
    email_domain: str
    at: int
    message: str
    paths: tuple[str, ...]


class Tag(NamedTuple):
    """`at` is the time of the commit that it names, or its own where it is annotated."""

    name: str
    at: int


class History(NamedTuple):
    """The last commits without merges, newest first: at most 500, none older than a year before
    the newest. `is_complete` is False where a shallow copy or a limit cuts it short.
    """

    commits: tuple[Commit, ...]
    tags: tuple[Tag, ...]
    is_complete: bool


def read(snapshot: Snapshot) -> History:
    """The history behind a commit."""
    return History((), (), is_complete=not snapshot.is_shallow)
