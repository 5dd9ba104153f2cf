"""The reports on facts as tables for people: a row for each period or group, and the totals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stationmaster.cli.printing import output, table

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

_ADDRESS = "/api/platform/v1/analytics"
_COLUMNS: Mapping[str, Mapping[str, table.Column]] = {
    "edits": {
        "accepted": table.Column("accepted"),
        "rejected": table.Column("rejected"),
        "undecided": table.wide("no decision"),
        "acceptance_rate": table.share("accepted share"),
        "lines_added": table.Column("lines added"),
        "lines_removed": table.Column("lines removed"),
    },
    "tool-runs": {
        "calls": table.Column("calls"),
        "failed": table.Column("failed"),
        "failure_rate": table.share("failed share"),
        "refused": table.Column("refused"),
        "timed_calls": table.wide("timed calls"),
        "duration_p50_ms": table.Column("p50 ms"),
        "duration_p90_ms": table.Column("p90 ms"),
        "duration_p95_ms": table.wide("p95 ms"),
        "duration_max_ms": table.Column("longest ms"),
    },
    "errors": {
        "errors": table.Column("errors"),
        "rate_limited": table.Column("rate limited"),
        "overloaded": table.Column("overloaded"),
        "server": table.Column("server"),
        "rejected": table.wide("rejected"),
        "refused": table.wide("refused"),
        "connection": table.Column("connection"),
        "unknown": table.wide("unknown"),
        "aborted": table.Column("aborted"),
    },
    "cache": {
        "input_tokens": table.Column("not cached"),
        "cache_read_tokens": table.Column("cache read"),
        "cache_write_tokens": table.Column("cache write"),
        "cache_write_1h_tokens": table.wide("for an hour"),
        "read_share": table.share("read share"),
    },
    "spend": {
        "cost_usd": table.dollars("cost"),
        "billable_tokens": table.Column("credits"),
        "calls": table.Column("calls"),
        "sessions": table.Column("sessions"),
        "git_commits": table.Column("commits"),
        "git_prs_created": table.Column("pull requests"),
        "cost_per_session": table.dollars("a session"),
        "cost_per_commit": table.dollars("a commit"),
        "cost_per_pull_request": table.dollars("a pull request", wide=True),
        "unpriced_calls": table.wide("calls without a price"),
    },
    "hook-runs": {
        "runs": table.Column("runs"),
        "succeeded": table.Column("succeeded"),
        "failed": table.Column("failed"),
        "success_rate": table.share("succeeded share"),
    },
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
    columns, meta = _COLUMNS[report], answer["meta"]
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
