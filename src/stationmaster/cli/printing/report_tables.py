"""The five reports as tables for people: days with totals, then the parts, the largest first; and
the reports on facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from stationmaster.cli.printing import output, table
from stationmaster.errors import StationmasterError

if TYPE_CHECKING:
    from stationmaster.cli.api import Api

Row = Mapping[str, Any]
_REPORTS = "/api/v1/analytics"
_COSTS = "/api/platform/v1/costs"
_LISTED_MAX = 15
"""Parts of a report that are listed without --wide."""
_USERS_PAGE = 100
_CREDITS = table.columns(
    "billable_tokens: credits, input_tokens: input, output_tokens: output, "
    "cache_read_tokens: cache read (wide), cache_write_tokens: cache write (wide)"
)
_USERS = table.columns(
    "days (wide), billable_tokens: credits, sessions, tool_calls: tools, git_commits: commits, "
    "user_messages: messages (wide), files_edited: files edited (wide), "
    "files_created: files created (wide), git_prs_created: pull requests (wide), "
    "mcp_calls: MCP calls (wide), skill_calls: skills (wide), slash_commands: commands (wide), "
    "hooks (wide)"
)
_COLUMNS = {
    "tokens": _CREDITS,
    "activity": table.columns(
        "daily_active_users: active users, weekly_active_users: of 7 days, "
        "monthly_active_users: of 30 days, sessions, messages, user_messages: from people"
    ),
    "tools": table.columns(
        "tool_calls: tool calls, skills_invocations: skills, "
        "slash_commands_invocations: commands, hooks_invocations: hooks, "
        "mcp_users_with_mcp: MCP users, web_users: web users (wide), "
        "tool_calls_per_session_avg: calls a session (wide), "
        "user_turns_per_session_avg: turns a session (wide), "
        "autonomy_ratio_avg: autonomy (share wide)"
    ),
    "productivity": table.columns(
        "files_created: files created, files_edited: files edited, git_commits: commits, "
        "git_prs_created: pull requests"
    ),
}
_COST = table.columns("cost (dollars)")["cost"]
_DISTINCT = {
    "daily_active_users",
    "weekly_active_users",
    "monthly_active_users",
    "mcp_users_with_mcp",
    "web_users",
}
"""Counts of people, and averages below, have no sum over days."""
_PARTS = {
    "tools": {
        "by_tool": ("Tools", "tool", "tool", "invocations"),
        "mcp_by_server": ("MCP servers", "server", "server", "invocations"),
        "skills_by_name": ("Skills", "skill", "name", "count"),
        "slash_commands_by_name": ("Slash commands", "command", "name", "count"),
        "hooks_by_event": ("Hooks", "event", "event", "count"),
    },
    "productivity": {
        "by_language": ("Languages", "language", "language", "count"),
        "by_extension": ("File extensions", "extension", "extension", "count"),
    },
}
"""Lists of a day: title, column, and the members that hold name and figure."""


class Tables:
    """One report of one question. `params` are the API's; `filters` narrow it."""

    def __init__(
        self, api: Api, params: Mapping[str, Any], filters: Mapping[str, list[str]], *, wide: bool
    ) -> None:
        self._api = api
        self._params = params
        self._filters = filters
        self._wide = wide

    def show(self, report: str) -> bool:
        """Print a report; False where nothing happened in its days."""
        group_by = self._params.get("group_by")
        if report == "users":
            return self._users()
        rows = self._rows(report)
        if group_by is not None:
            return self._groups(report, str(group_by), rows)
        self._days(report, rows)
        if report == "tokens":
            self._models(rows)
            self._people(rows)
        for member, names in _PARTS.get(report, {}).items():
            self._parts(names, [part for row in rows for part in row[member]])
        return any(_total(rows, member) for member in _COLUMNS[report])

    def _rows(self, report: str) -> list[dict[str, Any]]:
        answer = self._api.get(f"{_REPORTS}/{report}", **self._params, **self._filters)
        rows: list[dict[str, Any]] = answer["data"]
        return rows

    def _days(self, report: str, rows: Sequence[Row]) -> None:
        columns = _COLUMNS[report]
        sums = [_sum(rows, member) for member in columns]
        body = [[row["date"], *(row[member] for member in columns)] for row in rows]
        titles: list[str | table.Column] = ["date", *columns.values()]
        total: list[object] = ["total", *sums]
        if report == "tokens" and (costs := self._costs(None)) is not None:
            titles.insert(1, _COST)
            by_day = {row["date"]: row["cost_usd"] for row in costs["data"]}
            for line in body:
                line.insert(1, by_day.get(line[0]))
            total.insert(1, costs["meta"]["totals"]["cost_usd"])
        output.as_table(
            titles, body, totals=total, wide=self._wide, empty="No stored days in this range."
        )

    def _models(self, rows: Sequence[Row]) -> None:
        """Sums of the counters by model, with dollars."""
        sums = _sums([part for row in rows for part in row["by_model"]], "model_id", _CREDITS)
        self._ranked("Models", "model", sums, _CREDITS, _dollars(self._costs("model")))

    def _people(self, rows: Sequence[Row]) -> None:
        """Who used what; the day's people have credits, and a sum of tokens over their models."""
        people = [
            {"id": user["user_id"], "email": user["user_email"], **usage}
            for row in rows
            for user in row["by_user"]
            for usage in user["by_model"]
        ]
        names = {person["id"]: person["email"] or person["id"] for person in people}
        dollars = _dollars(self._costs("user"))
        self._ranked("People", "person", _sums(people, "id", _CREDITS), _CREDITS, dollars, names)

    def _parts(self, names: tuple[str, str, str, str], parts: Iterable[Row]) -> None:
        title, name, key, figure = names
        sums = _sums(parts, key, {figure: table.Column(figure)})
        self._ranked(title, name, sums, {figure: table.Column("count")}, None)

    def _groups(self, report: str, group_by: str, rows: Sequence[Row]) -> bool:
        """One row for each group over all days, the largest first."""
        members = [name for name in (rows[0] if rows else ()) if name in _COLUMNS[report]]
        columns = {name: _COLUMNS[report][name] for name in members}
        if "daily_active_users" in columns:
            columns["daily_active_users"] = table.Column("person-days")
        names = self._names() if group_by == "user" else {}
        dollars = _dollars(self._costs(group_by)) if report == "tokens" else None
        sums = _sums(rows, "group_key", columns)
        self._ranked("", group_by, sums, columns, dollars, names, all_rows=True)
        return bool(sums)

    def _ranked(
        self,
        title: str,
        name: str,
        sums: Mapping[str, Sequence[int]],
        columns: Mapping[str, table.Column],
        dollars: Mapping[str, Decimal] | None,
        names: Mapping[str, str] = {},
        *,
        lead: int = 0,
        all_rows: bool = False,
    ) -> None:
        """A table of names with their figures, and a total of all of them. The row with the largest
        figure `lead` is first, and dollars stand before that figure."""
        if not sums:
            return
        keys = sorted(
            sums, key=lambda key: (-sums[key][lead], *(-figure for figure in sums[key]), key)
        )
        shown = keys if self._wide or all_rows else keys[:_LISTED_MAX]
        titles: list[str | table.Column] = ["person" if name == "user" else name, *columns.values()]
        body: list[list[object]] = [[names.get(key, key), *sums[key]] for key in shown]
        total: list[object] = ["total", *map(sum, zip(*sums.values(), strict=True))]
        if dollars is not None:
            titles.insert(1 + lead, _COST)
            for line, key in zip(body, shown, strict=True):
                line.insert(1 + lead, dollars.get(key))
            total.insert(1 + lead, sum(dollars.values(), Decimal(0)) if dollars else None)
        if title:
            output.gap()
        output.as_table(titles, body, title=title, totals=total, wide=self._wide)
        if len(shown) < len(keys):
            output.remark(f"{len(keys) - len(shown)} more with --wide.")

    def _users(self) -> bool:
        """One row for each person over all days."""
        rows = self._user_rows()
        if not rows:
            output.remark("No one was active in this range.")
            return False
        days = {row["user_id"]: set[str]() for row in rows}
        for row in rows:
            days[row["user_id"]].add(row["date"])
        names = {row["user_id"]: row["user_email"] or row["user_id"] for row in rows}
        sums = {
            key: [len(days[key]), *figures]
            for key, figures in _sums(rows, "user_id", list(_USERS)[1:]).items()
        }
        dollars = _dollars(self._costs("user"))
        self._ranked("", "person", sums, _USERS, dollars, names, lead=1, all_rows=True)
        return True

    def _user_rows(self) -> list[dict[str, Any]]:
        """Every page, or the one that is asked for."""
        if "limit" in self._params or "cursor" in self._params:
            return self._rows("users")
        rows: list[dict[str, Any]] = []
        cursor = None
        while True:
            page = self._api.get(
                f"{_REPORTS}/users",
                **self._params,
                **self._filters,
                limit=_USERS_PAGE,
                cursor=cursor,
            )
            rows += page["data"]
            cursor = page["meta"].get("next_cursor")
            if not cursor:
                return rows

    def _names(self) -> dict[str, str]:
        """The people of these days by id, as the organization shows them."""
        shown = {name: value for name, value in self._params.items() if name != "group_by"}
        rows = self._api.get(f"{_REPORTS}/tokens", **shown, **self._filters)["data"]
        return {
            user["user_id"]: user["user_email"] or user["user_id"]
            for row in rows
            for user in row["by_user"]
        }

    def _costs(self, group_by: str | None) -> dict[str, Any] | None:
        """Dollars of the same days; None where they cannot be asked for: costs have no filters."""
        if self._filters or "limit" in self._params or "cursor" in self._params:
            return None
        days = {name: self._params[name] for name in ("startDate", "endDate")}
        group_by = "user" if group_by == "person" else group_by
        try:
            answer: dict[str, Any] = self._api.get(_COSTS, **days, group_by=group_by)
        except StationmasterError:
            return None
        return answer


def _sums(rows: Iterable[Row], key: str, members: Iterable[str]) -> dict[str, list[int]]:
    """The sum of each member by the value of a key."""
    wanted = list(members)
    sums: dict[str, list[int]] = {}
    for row in rows:
        so_far = sums.setdefault(row[key], [0] * len(wanted))
        for n, member in enumerate(wanted):
            so_far[n] += row[member]
    return sums


def _dollars(costs: Mapping[str, Any] | None) -> dict[str, Decimal] | None:
    """The sum of each group that has a price, by its key."""
    if costs is None:
        return None
    sums: dict[str, Decimal] = {}
    for row in costs["data"]:
        if row["cost_usd"] is not None:
            sums[row["group_key"]] = sums.get(row["group_key"], Decimal(0)) + Decimal(
                row["cost_usd"]
            )
    return sums


def _sum(rows: Sequence[Row], member: str) -> int | None:
    """The total of a column; None where days do not add up."""
    if member in _DISTINCT or any(isinstance(row[member], float) for row in rows):
        return None
    return _total(rows, member)


def _total(rows: Sequence[Row], member: str) -> int:
    return sum(row[member] for row in rows)


_ADDRESS = "/api/platform/v1/analytics"
_INSIGHT_COLUMNS = {
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


def show_insight(
    api: Api,
    report: str,
    params: Mapping[str, Any],
    filters: Mapping[str, list[str]],
    *,
    wide: bool,
) -> bool:
    """Print a report; False where nothing happened in its days."""
    answer: dict[str, Any] = api.get(f"{_ADDRESS}/{report}", **params, **filters)
    columns, meta = table.columns(_INSIGHT_COLUMNS[report]), answer["meta"]
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
        output.remark(
            f"Not included yet: {table.counted(len(missing), 'day')} from "
            f"{missing[0]} on, which an older version counted."
        )
    return any(value for value in meta["totals"].values() if isinstance(value, int))


def _compare(meta: Mapping[str, Any], columns: Mapping[str, table.Column], wide: bool) -> None:
    """The totals with those of the days before."""
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
