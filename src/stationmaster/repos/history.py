"""The newest part of a commit's history: who changed what, when. Bounded, and read when asked.

Addresses of people are not kept: of each the part behind its `@`, in messages too.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from stationmaster.agents.cards import traces
from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.repos.reading import TAGS, Snapshot

_LIKE = expressions("history")

COMMITS_MAX = 500
DAYS_MAX = 365
PATHS_MAX = 2_000
"""Of one commit; further ones are left out."""
_BYTES_MAX = 32 * 2**20
_SECONDS = 20.0
_MESSAGE_MAX = 16_384
_DAY_MS = 86_400_000
_ADDRESS = re.compile(r"[^\s<>@\"'(),;:]{1,200}@(?=[\w-]{1,63}(?:\.[\w-]{1,63}){0,8})")


class Commit(NamedTuple):
    """`at` is UTC milliseconds; `paths` are the files that it changed against its first parent."""

    oid: str
    author: str
    email_domain: str
    at: int
    message: str
    paths: tuple[str, ...]

    @property
    def is_by_bot(self) -> bool:
        """Did a program commit it that is known by its name? Agents that write code are none."""
        return is_bot(self.author)


class Tag(NamedTuple):
    """`at` is the time of the commit that it names, or its own where it is annotated."""

    name: str
    at: int


class History(NamedTuple):
    """The last commits without merges, newest first: at most 500, none older than a year before
    the newest. `is_complete` is False where a shallow copy, missing objects or a limit cut it
    short. `is_cut` is True for the first two: more commits and tags exist than can be read here.
    A commit whose parents are missing has no `paths`, as what it changed is not known.

    `tags` are by time, the newest first. `knows_tags` is False where nothing is known of them, as
    in a mirror, which fetches none.
    """

    commits: tuple[Commit, ...]
    tags: tuple[Tag, ...]
    is_complete: bool
    knows_tags: bool = True
    is_cut: bool = False


@cache
def _agents() -> re.Pattern[str]:
    authors = (author for shown in traces.every().values() for author in shown.authors)
    return re.compile(rf"(?i)\b(?:{'|'.join(authors)})\b")


def is_agent(name: str) -> bool:
    """Does a name hold the word for a coding agent?"""
    return _agents().search(name) is not None


def is_bot(name: str) -> bool:
    """Is it the name of a program that commits? Agents that write code are none."""
    return _LIKE["bot"].fullmatch(name) is not None and not is_agent(name)


def read(snapshot: Snapshot) -> History:
    """The history behind a commit. What git cannot report for lack of objects or time is left out,
    and the answer states that."""
    mark = secrets.token_hex(8)  # No path or message can hold what is chosen now.
    output, is_whole = snapshot.log(
        [
            f"--format={mark}%H%x00%an%x00%ae%x00%ct%x00%B%x00",
            "--name-only",
            "--no-merges",
            f"--max-count={COMMITS_MAX + 1}",
        ],
        _BYTES_MAX,
        _SECONDS,
    )
    commits = list(_commits(output.decode(errors="replace"), mark))
    newest = commits[0].at if commits else 0
    recent = [commit for commit in commits if newest - commit.at <= DAYS_MAX * _DAY_MS]
    is_long = len(commits) > COMMITS_MAX and len(recent) == len(commits)
    return History(
        tuple(
            commit._replace(paths=()) if commit.oid in snapshot.boundary else commit
            for commit in recent[:COMMITS_MAX]
        ),
        tags(snapshot),
        is_complete=is_whole and not is_long and not snapshot.is_shallow,
        knows_tags=snapshot.tags is not None,
        is_cut=not is_whole or snapshot.is_shallow,
    )


def _commits(output: str, mark: str) -> Iterator[Commit]:
    for record in output.split(mark)[1:]:
        parts = record.split("\0")
        if len(parts) < 5 or not parts[3].isdigit():
            continue
        oid, author, address, seconds, message, *paths = parts
        changed = (path.removeprefix("\n") for path in paths[:PATHS_MAX])
        yield Commit(
            oid,
            "".join(letter for letter in author if letter.isprintable())[:200],
            address.rpartition("@")[2].strip("<> ").lower()[:200],
            int(seconds) * 1000,
            _ADDRESS.sub("@", message[:_MESSAGE_MAX]),
            tuple(path for path in changed if path),
        )


def tags(snapshot: Snapshot) -> tuple[Tag, ...]:
    """By time, the newest first."""
    names = sorted(snapshot.tags or {})
    times = snapshot.times([(snapshot.tags or {})[name] for name in names])
    listed = [
        Tag(name.removeprefix(TAGS), at)
        for name, at in zip(names, times, strict=True)
        if at is not None
    ]
    return tuple(sorted(listed, key=lambda tag: (-tag.at, tag.name)))
