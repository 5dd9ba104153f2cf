"""Lines of a file at a commit, for readers of citations, by the rules of the wiki.

A file that may hold secrets is not opened, and what looks like a secret in another one is masked.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.ids import OrgId, RepoId
from stationmaster.reading.projects import credentials
from stationmaster.repos import mirrors, service as repos
from stationmaster.repos.model import Head
from stationmaster.settings import Settings
from stationmaster.wiki import secrets

SIZE_MAX = 2**20
"""Bytes of a file that is opened: looking for secrets in one takes a fifth of a second."""
LINES_MAX = 400
"""Lines of one answer."""
CHARACTERS_MAX = 100_000
"""Of one answer together; further lines are left to the next one."""
LINE_MAX = 2_000
"""Characters of one line; the rest of it is cut off."""
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_CUT = "…"


class Lines(NamedTuple):
    """`lines` of a file, the first of which has the number `first`, of `total` lines."""

    commit: str
    path: str
    first: int
    total: int
    lines: tuple[str, ...]

    @property
    def last(self) -> int:
        return self.first + len(self.lines) - 1


def read(
    db: Database,
    settings: Settings,
    org: OrgId,
    repo: RepoId,
    *,
    commit: str | None,
    path: str,
    first: int = 1,
    count: int = LINES_MAX,
) -> Lines:
    """At most `count` lines from the line `first` on, at a commit or at the newest one.

    Raises NotFound for what is no file of the commit and for a commit that is not available here,
    TooLarge over SIZE_MAX, Conflict for files without text (`not_text`), for those that may hold
    secrets (`file_not_shown`) and before the first fetch (`repository_not_fetched`).
    """
    repository = repos.get(db, org, repo)
    wanted = commit or repository.head_commit
    if wanted is None:
        raise mirrors.not_fetched()
    if not _COMMIT.fullmatch(wanted):
        raise BadRequest("Name a commit by its whole hash.", code="invalid_commit")
    if credentials.never_opened(path):
        raise Conflict("Files that may contain secrets are not shown.", code="file_not_shown")
    source = mirrors.source(settings, org, repo, Head(wanted, None))
    try:
        with source.open() as snapshot:
            data = snapshot.read_one(path, SIZE_MAX)
    except Conflict as fault:
        raise NotFound("This commit is not in the copy of the repository here.") from fault
    if b"\0" in data:
        raise Conflict("The file is not text.", code="not_text")
    return _cut(wanted, path, data.decode(errors="replace"), first, min(count, LINES_MAX))


def _cut(commit: str, path: str, text: str, first: int, count: int) -> Lines:
    # The whole file is searched for secrets: some begin lines before what is shown.
    lines = secrets.masked_lines(text)
    if lines[-1] == "":
        lines.pop()
    first = max(1, min(first, len(lines)))
    shown: list[str] = []
    size = 0
    for line in lines[first - 1 : first - 1 + count]:
        shown.append(line if len(line) <= LINE_MAX else line[:LINE_MAX] + _CUT)
        size += len(shown[-1])
        if size > CHARACTERS_MAX:
            break
    return Lines(commit, path, first, len(lines), tuple(shown))
