"""The reports on facts as tables for people: a row for each period or group, and the totals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stationmaster.cli.printing import output, table

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

_ADDRESS = "/api/platform/v1/analytics"
_COLUMNS = {
    "edits": "accepted, rejected, undecided: no decision (wide), "
    "acceptance_rate: accepted share (share), lines_added: lines added, "
    "lines_removed: lines removed",
    "tool-runs": "calls, failed, failure_rate: failed share (share), refused, "
    "timed_calls: timed calls (wide), duration_p50_ms: p50 ms, duration_p90_ms: p90 ms, "
    "duration_p95_ms: p95 ms (wide), duration_max_ms: longest ms",
    "errors": "errors, rate_limited: rate limited, overloaded, server, rejected (wide), "
    "refused (wide), connection, unknown (wide), aborted",
    "cache": "input_tokens: not cached, cache_read_tokens: cache read, "
    "cache_write_tokens: cache write, cache_write_1h_tokens: for an hour (wide), "
    "read_share: read share (share)",
    "spend": "cost_usd: cost (dollars), billable_tokens: credits, calls, sessions, "
    "git_commits: commits, git_prs_created: pull requests, cost_per_session: a session (dollars), "
    "cost_per_commit: a commit (dollars), "
    "cost_per_pull_request: a pull request (dollars wide), "
    "unpriced_calls: calls without a price (wide)",
    "hook-runs": "runs, succeeded, failed, success_rate: succeeded share (share)",
}


def show(
    api: Api,
    report: str,
    params: Mapping[str, Any],
    filters: Mapping[str, list[str]],
    *,
    wide: bool,
) -> bool:
    """Print a report; False where nothing happened in its days."""
    answer: dict[str, Any] = api.get(f"{_ADDRESS}/{report}", **params, **filters)
    columns, meta = table.columns(_COLUMNS[report]), answer["meta"]
    group_by = params.get("group_by")
    names = [
        meta["period"] if meta["period"] != "day" else "date",
        *([group_by] if group_by else []),
    ]
    rows = [
        [row["date"], *([row["group_key"]] if group_by else []), *_figures(row, columns)]
        for row in answer["data"]
    ]
    blank = [""] if group_by else []
    totals = ["total", *blank, *_figures(meta["totals"], columns)]
    output.as_table(
        [*names, *columns.values()],
        rows,
        totals=totals,
        wide=wide,
        empty="No stored days in this range.",
    )
    if "previous" in meta:
        _compare(meta, columns, wide)
    if missing := meta["missing_days"]:
        output.say(
            f"Not included yet: {len(missing)} {table.plural('day', len(missing))} from "
            f"{missing[0]} on, which an older version counted."
        )
    return any(value for value in meta["totals"].values() if isinstance(value, int))


def _compare(meta: Mapping[str, Any], columns: Mapping[str, table.Column], wide: bool) -> None:
    """The totals beside those of the days before."""
    before = meta["previous"]
    output.gap()
    output.as_table(
        ["days", *columns.values()],
        [
            [f"{span['start_date']} to {span['end_date']}", *_figures(span["totals"], columns)]
            for span in (before, meta)
        ],
        title="Compared with the days before",
        wide=wide,
    )


def _figures(row: Mapping[str, Any], columns: Mapping[str, table.Column]) -> list[object]:
    return [row[member] for member in columns]
