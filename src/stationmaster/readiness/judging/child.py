"""Judging a commit in a child process, which alone loads the readers and their tables."""

from __future__ import annotations

from typing import NamedTuple

from stationmaster.readiness.hosting import Hosting
from stationmaster.readiness.model import Report
from stationmaster.repos.reading import Source


class Origin(NamedTuple):
    """Which repository a commit is of; the last two where it is a person's working copy."""

    url: str
    branch: str | None = None
    has_local_changes: bool | None = None
    has_non_remote_commits: bool | None = None


def judge(
    source: Source,
    origin: Origin,
    hosting: Hosting | None,
    as_of: int | None = None,
    with_extras: bool = False,
) -> Report:
    """The report on a commit, as `report.make` has it. Raises what that raises."""
    from stationmaster.readiness.judging import report

    with source.open() as snapshot:
        return report.make(snapshot, origin, as_of=as_of, hosting=hosting, with_extras=with_extras)
