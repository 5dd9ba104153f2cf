"""Rows of one day by agent, repository, team or user.

They hold figures that add up to those of the plain report, and the users of each group. What has
none of them has no row; the others come with their first figure in descending order, then by key.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from stationmaster.aggregate import tallies
from stationmaster.aggregate.documents import Day
from stationmaster.rollups.rows import GROUP_ROWS, Dimension

COLUMNS: dict[Dimension, str] = {
    "agent": "agent",
    "repository": "repository",
    "team": "team",
    "user": "user_id",
}
"""The column of `slices` that each dimension goes by."""


def render(report: str, day: Day, dimension: Dimension) -> bytes:
    """The rows of a report, comma-joined; what has an empty key is not to be shown."""
    found = _figures(report, day, dimension)
    rows = [(key, figures) for key, figures in found if key and any(figures)]
    rows.sort(key=lambda item: (-item[1][0], item[0]))
    row = GROUP_ROWS[report]
    return b",".join(msgspec.json.encode(row(day.iso, key, *figures)) for key, figures in rows)


def _figures(report: str, day: Day, dimension: Dimension) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The figures of every group, in the order of the row's members."""
    keys = day.slices.column(COLUMNS[dimension])
    tallied = tallies.gather(day.slices, keys)
    if report == "activity":
        users, begun = tallies.counted(day.slices, keys), tallies.begun(day.slices, keys)
        for key in tallied.keys() | users.keys() | begun.keys():
            tally = tallied.get(key, tallies.Tally())
            messages = tally.user_messages + tally.assistant_messages
            yield key, (len(users.get(key, ())), begun[key], messages, tally.user_messages)
        return
    for key, tally in tallied.items():
        if report == "tokens":
            yield key, tally.credits()
        elif report == "tools":
            yield key, (tally.tool_calls,)
        else:
            files = tally.files_created, tally.files_edited
            yield key, (*files, tally.git_commits, tally.git_prs_created)
