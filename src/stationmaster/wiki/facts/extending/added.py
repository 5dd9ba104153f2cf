"""What else the commits changed that added one more type which builds on another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from typing import NamedTuple

from stationmaster.wiki.facts.extending.extensions import extension_points
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.making.log import Change

COMMITS_MIN, TOGETHER_MIN, SHARE_MIN, FILES_MAX = 2, 3, 0.5, 4
"""Commits that say something, also of other files, the part of them that changed one, and files
that are shown."""
SWEEP_FILES = 30
"""Files of a commit that says something of each of them; more are a sweep through everything."""


class Added(NamedTuple):
    """`commits` added a type; `changed` are files that were there before and that at least half of
    them changed, with how many did; the `newest`, which says `subject`, added `files`, '' where one
    that is not looked at was later."""

    commits: int
    changed: tuple[tuple[str, int], ...]
    newest: str
    subject: str
    files: tuple[str, ...]


@query
def added(facts: Facts) -> Mapping[str, Added]:
    """By file and name of the extension point, with a colon between them."""
    found = {}
    changes = [it for it in facts.log
               if not it.is_by_bot and len(it.files) <= SWEEP_FILES]  # fmt: skip
    for point in extension_points(facts):
        paths = {path for path, _ in point.implementations} - {point.path}
        every = [it for it in facts.log if _adds(it, paths)]
        adding = [it for it in every if it in changes]
        counts = Counter(
            file.path
            for it in adding
            for file in it.files
            if file.status == "M" and file.path in facts.records and file.path not in paths
        )
        least = max(TOGETHER_MIN, SHARE_MIN * len(adding))
        often = [(path, count) for path, count in counts.most_common() if count >= least]
        if len(adding) >= COMMITS_MIN:
            newest = adding[0]
            files = tuple(
                it.path for it in newest.files if it.status == "A" and it.path in facts.records
            )
            commit = newest.commit if newest == every[0] else ""
            found[f"{point.path}:{point.symbol.qualified}"] = Added(
                len(adding), tuple(often[:FILES_MAX]), commit, newest.subject, files
            )
    return found


def _adds(change: Change, paths: Set[str]) -> bool:
    return any(file.status == "A" and file.path in paths for file in change.files)
