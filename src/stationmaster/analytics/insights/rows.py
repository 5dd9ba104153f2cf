"""The rows of the reports on facts. Rates are null where there is nothing to divide by."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from stationmaster.lake.rollups.rows import ROWS as FIVE
from stationmaster.report_names import INSIGHT_GROUPINGS, INSIGHTS, Insight


class EditsRow(Struct, frozen=True, gc=False):
    """Decisions about calls of edit tools, and lines changed. `undecided` calls have no reported
    decision; `acceptance_rate` is of those that have."""

    date: str
    accepted: int
    rejected: int
    undecided: int
    acceptance_rate: float | None
    lines_added: int
    lines_removed: int


class ToolRunsRow(Struct, frozen=True, gc=False):
    """Executed tool calls, those of them that failed, and refused ones, which are not executed.
    Durations are of `timed_calls`; percentiles are exact to 9 %, the longest to the millisecond."""

    date: str
    calls: int
    failed: int
    failure_rate: float | None
    refused: int
    timed_calls: int
    duration_p50_ms: int | None
    duration_p90_ms: int | None
    duration_p95_ms: int | None
    duration_max_ms: int | None


class ErrorsRow(Struct, frozen=True, gc=False):
    """Failed attempts to call a model; `errors` are all except cancelled ones (`aborted`). No
    attempt is a call or a message in any other report."""

    date: str
    errors: int
    rate_limited: int
    overloaded: int
    server: int
    rejected: int
    refused: int
    connection: int
    unknown: int
    aborted: int


ERROR_CLASSES = ErrorsRow.__struct_fields__[2:]


class CacheRow(Struct, frozen=True, gc=False):
    """Input of models: not cached, read from the cache, written to it (for an hour:
    `cache_write_1h_tokens` of it). `read_share` is the part of all three that was read from the
    cache."""

    date: str
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cache_write_1h_tokens: int
    read_share: float | None


class SpendRow(Struct, frozen=True, gc=False):
    """Credits and dollars, and the activity that they paid for. `sessions` called a model and
    began in the
    period; one counts in every group in which it did. `cost_usd` is of the calls that have a price,
    null if there are none, or if there was activity without a reported call; `unpriced_calls`
    have no price. Dollars are decimal numbers as text."""

    date: str
    billable_tokens: int
    cost_usd: str | None
    unpriced_calls: int
    calls: int
    sessions: int
    git_commits: int
    git_prs_created: int
    credits_per_session: float | None
    credits_per_commit: float | None
    credits_per_pull_request: float | None
    cost_per_session: str | None
    cost_per_commit: str | None
    cost_per_pull_request: str | None


class HookRunsRow(Struct, frozen=True, gc=False):
    """Runs of hooks. Those whose outcome is reported `succeeded` or `failed`, which is an error, a
    hook that stopped the agent, or one that was cancelled; `success_rate` is of these."""

    date: str
    runs: int
    succeeded: int
    failed: int
    success_rate: float | None


PLAIN: dict[Insight, type[Struct]] = {
    "edits": EditsRow,
    "tool-runs": ToolRunsRow,
    "errors": ErrorsRow,
    "cache": CacheRow,
    "spend": SpendRow,
    "hook-runs": HookRunsRow,
}


def _grouped(row: type[Struct]) -> type[Struct]:
    """The row with a `group_key` after its date."""
    date, *figures = msgspec.structs.fields(row)
    members = [(date.name, date.type), ("group_key", str)]
    members += [(figure.name, figure.type) for figure in figures]
    name = f"{row.__name__.removesuffix('Row')}ByGroupRow"
    made = msgspec.defstruct(name, members, frozen=True, gc=False)
    made.__doc__ = f"One group; `group_key` names it. {row.__doc__}"
    return made


GROUPED: dict[Insight, type[Struct]] = {report: _grouped(row) for report, row in PLAIN.items()}

ROWS: dict[str, type[Struct]] = {
    **{str(report): row for report, row in PLAIN.items()},
    **{
        f"{report}_by_{group_by}": GROUPED[report]
        for report in INSIGHTS
        for group_by in INSIGHT_GROUPINGS[report]
    },
}
"""The row of each `Question.name`."""


def row_type(name: str) -> type[Struct]:
    """The row of a `Question.name`, of the five reports or of these."""
    return ROWS.get(name) or FIVE[name]
