"""`/use`: who works with agents, how freely these act, and with what: tools, skills, hooks, …"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.web.charts.model import Chart, Series
from stationmaster.web.figures import folds, trends
from stationmaster.web.figures.blocks import Card, Column, Plot, Row, Table
from stationmaster.web.figures.view import Maker, View
from stationmaster.web.frame.pages import router
from stationmaster.web.frame.requests import SignedIn

PATH = "/use"
DIMENSIONS = ("team", "person", "agent", "repository")
LEVELS = {"auto_high": "high", "auto_medium": "medium", "auto_low": "low", "manual": "manual"}
ACTIVE = {
    "daily_active_users": "that day",
    "weekly_active_users": "in 7 days",
    "monthly_active_users": "in 30 days",
}
HOURS = [f"{hour:02}" for hour in range(24)]
RUNS = (
    Column("Calls"),
    Column("Failed", is_wide=True),
    Column("Succeeded", "share"),
    Column("Refused", is_wide=True),
)
HOOK_RUNS = (Column("Runs"), Column("Failed", is_wide=True), Column("Succeeded", "share"))

routes = router()


@routes.get(PATH)
def show_use(request: Request, caller: SignedIn) -> Response:
    return View(request, caller, DIMENSIONS).answer("use.html", BLOCKS, cards=_cards)


def _cards(view: View) -> list[Card]:
    activity, tools = view.report("activity").rows, view.report("tools").rows
    period = view.before()
    is_compared = period is not None
    activity_before = view.report("activity", of=period).rows if period else []
    tools_before = view.report("tools", of=period).rows if period else []
    days = view.days()

    def last(name: str, field: str, note: str) -> Card:
        now, before = (rows[-1][field] if rows else None for rows in (activity, activity_before))
        course = folds.course(activity, days, field)
        return Card(name, now, "count", before, is_compared, days=course, notes=[note])

    def sums(name: str, field: str, now: folds.Rows, before: folds.Rows) -> Card:
        amount, previous = (sum(row[field] for row in rows) for rows in (now, before))
        course = folds.course(now, days, field)
        return Card(name, amount, "count", previous, is_compared, days=course)

    return [
        last("People in a month", "monthly_active_users", "in the 30 days up to the last one"),
        last("People in a week", "weekly_active_users", "in the 7 days up to the last one"),
        sums("Sessions", "sessions", activity, activity_before),
        sums("Prompts", "user_messages", activity, activity_before),
        sums("Tool calls", "tool_calls", tools, tools_before),
    ]


def _active(view: View) -> Plot:
    answer = view.report("activity")
    series = [
        Series(name, folds.course(answer.rows, view.days(), field), slot)
        for slot, (field, name) in enumerate(ACTIVE.items(), start=1)
    ]
    chart = Chart("active", "People active", "count", view.days(), series, is_summed=False)
    return Plot(chart, answer.call, "lines")


def _sessions(view: View) -> Plot:
    title = "Sessions a day, by agent"
    return trends.by_group(view, "activity", "agent", "sessions", name="sessions", title=title)


def _autonomy(view: View) -> Plot:
    """Tool calls by how freely the agent was allowed to act."""
    answer = view.report("tools")
    rows = [
        {"date": row["date"], **row["tool_autonomy_level_ratio"]}
        for row in answer.rows
        if row["tool_calls"]
    ]
    series = [
        Series(name, folds.course(rows, view.days(), field), slot)
        for slot, (field, name) in enumerate(LEVELS.items(), start=1)
    ]
    title = "Tool calls by autonomy"
    return Plot(Chart("autonomy", title, "share", view.days(), series), answer.call)


def _turns(view: View) -> Plot:
    """Days without prompts have no value: there is nothing to divide by."""
    answer = view.report("tools")
    prompted = {row["date"] for row in view.report("activity").rows if row["user_messages"]}
    rows = [row for row in answer.rows if row["date"] in prompted]
    fields = {"autonomy_ratio_avg": "mean", "autonomy_ratio_p50": "median"}
    series = [
        Series(name, folds.course(rows, view.days(), field), slot)
        for slot, (field, name) in enumerate(fields.items(), start=1)
    ]
    title = "Tool calls a prompt"
    chart = Chart("turns", title, "count", view.days(), series, is_summed=False)
    return Plot(chart, answer.call, "lines")


def _hours(view: View) -> Plot:
    """Model calls by hour of the day."""
    answer = view.report("spend", group_by="hour", per="month")
    calls = {hour: figures[0] for hour, figures in folds.total(answer.rows, ("calls",)).items()}
    series = [Series("model calls", [calls.get(hour, 0) for hour in HOURS], 1)]
    title = "Model calls by hour of the day"
    zone = answer.meta["time_zone"]
    chart = Chart("hours", title, "count", view.days(), series, places=HOURS, zone=zone)
    return Plot(chart, answer.call, of="Hour")


def _runs(name: str, title: str, group_by: str, view: View) -> Table:
    """Tools or MCP servers with how often they were called, and how often that succeeded."""
    answer = view.report("tool-runs", group_by=group_by, per="month")
    groups = folds.total(answer.rows, ("calls", "failed", "refused"))
    ranked = sorted(groups.items(), key=lambda group: (-(group[1][0] or 0), group[0]))
    rows = [
        Row(key, (calls, failed, folds.share((calls or 0) - (failed or 0), calls), refused))
        for key, (calls, failed, refused) in ranked
        if group_by == "tool" or key != "unknown"
    ]
    return Table(name, title, title.rstrip("s"), RUNS, rows, answer.call)


def _names(
    name: str,
    title: str,
    member: str,
    named: Callable[[Mapping[str, Any]], str],
    of: str,
    view: View,
) -> Table:
    """Skills or commands with how often they were used."""
    answer = view.report("tools")
    counts = folds.listed(answer.rows, member, named, "count")
    rows = [Row(key, (count,)) for key, count in counts.items()]
    return Table(name, title, of, (Column("Uses"),), rows, answer.call)


def _hooks(view: View) -> Table:
    """Hooks with how often they ran, and how often that succeeded."""
    answer = view.report("hook-runs", group_by="hook", per="month")
    groups = folds.total(answer.rows, ("runs", "succeeded", "failed"))
    ranked = sorted(groups.items(), key=lambda group: (-(group[1][0] or 0), group[0]))
    rows = [
        Row(hook, (runs, failed, folds.share(succeeded, (succeeded or 0) + (failed or 0))))
        for hook, (runs, succeeded, failed) in ranked
    ]
    notes = [
        "Failed: an error, a stopped agent or a cancellation. Shares are of reported outcomes."
    ]
    return Table("hooks", "Hooks", "Hook", HOOK_RUNS, rows, answer.call, notes)


def _name(entry: Mapping[str, Any]) -> str:
    return str(entry["name"])


BLOCKS: Mapping[str, Maker] = {
    "active": _active,
    "sessions": _sessions,
    "autonomy": _autonomy,
    "turns": _turns,
    "hours": _hours,
    "tools": partial(_runs, "tools", "Tools", "tool"),
    "mcp-servers": partial(_runs, "mcp-servers", "MCP servers", "mcp_server"),
    "skills": partial(_names, "skills", "Skills", "skills_by_name", _name, "Skill"),
    "commands": partial(
        _names, "commands", "Slash commands", "slash_commands_by_name", _name, "Command"
    ),
    "hooks": _hooks,
}
