"""The names of the daily reports, and what each of them is grouped and filtered by.

Server and commands read them here: a command that calls a server loads no library of the server.
"""

from __future__ import annotations

from typing import Literal, get_args

Dimension = Literal["agent", "repository", "team", "user"]
"""What slices of a day differ in: every report is grouped and filtered by it."""
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)

Report = Literal["tokens", "tools", "activity", "productivity", "users"]
"""The five published reports. Their rows are the documents of days, or sums of slices."""
REPORTS: tuple[Report, ...] = get_args(Report)
GROUPING: dict[Report, str] = {"tokens": "model", "tools": "tool_name", "activity": "client"}
"""The one `group_by` value of the specification of each report that has any. DIMENSIONS are values,
too, of all reports but `users`; the reports without a value of their own ignore any other."""

Insight = Literal["edits", "tool-runs", "errors", "cache", "spend", "hook-runs"]
"""The six reports on facts, which are not published: see `analytics.insights`."""
INSIGHTS: tuple[Insight, ...] = get_args(Insight)
_OWN_GROUPINGS: dict[Insight, tuple[str, ...]] = {
    "edits": ("language",),
    "tool-runs": ("tool", "mcp_server"),
    "errors": ("error", "model"),
    "cache": ("model",),
    "spend": ("branch", "model", "hour"),
    "hook-runs": ("hook",),
}
INSIGHT_GROUPINGS: dict[Insight, tuple[str, ...]] = {
    report: (*own, *DIMENSIONS) for report, own in _OWN_GROUPINGS.items()
}
"""The `group_by` values of each report on facts."""
_ONLY_GROUPINGS = ("error", "hour")
INSIGHT_FILTERS: dict[Insight, tuple[str, ...]] = {
    report: tuple(name for name in own if name not in _ONLY_GROUPINGS)
    for report, own in _OWN_GROUPINGS.items()
}
"""The filters of each in addition to the dimensions."""
