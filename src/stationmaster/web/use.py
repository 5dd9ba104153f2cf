"""`/use`: who works with agents, how freely these act, and with what: tools, skills, hooks, …"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from starlette.responses import Response

from stationmaster.web.charts.model import Chart, Series
from stationmaster.web.figures import folds, trends
from stationmaster.web.figures.blocks import Card, Column, Plot, Row, Table
from stationmaster.web.figures.view import Maker, View
from stationmaster.web.frame.pages import AnyVisit, router

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
def show_use(visit: AnyVisit) -> Response:
    return View(visit, DIMENSIONS).answer("use.html", BLOCKS, cards=_cards)


def _cards(view: View) -> list[Card]:
    activity, period = view.report("activity").rows, view.before()
    activity_before = view.report("activity", of=period).rows if period else []

    def last(name: str, field: str, note: str) -> Card:
        now, before = (rows[-1][field] if rows else None for rows in (activity, activity_before))
        course = folds.course(activity, view.days(), field)
        return Card(name, now, "count", before, period is not None, days=course, notes=[note])

    return [
        last("People in a month", "monthly_active_users", "in the 30 days up to the last one"),
        last("People in a week", "weekly_active_users", "in the 7 days up to the last one"),
        trends.sum_card(view, "activity", "Sessions", "sessions"),
        trends.sum_card(view, "activity", "Prompts", "user_messages"),
        trends.sum_card(view, "tools", "Tool calls", "tool_calls"),
    ]


def _active(view: View) -> Plot:
    answer = view.report("activity")
    series = trends.lines(answer.rows, view, ACTIVE)
    chart = Chart("active", "People active", "count", view.days(), series, is_summed=False)
    return Plot(chart, answer.call, "lines")


def _autonomy(view: View) -> Plot:
    """Tool calls by how freely the agent was allowed to act."""
    answer = view.report("tools")
    rows = [
        {"date": row["date"], **row["tool_autonomy_level_ratio"]}
        for row in answer.rows
        if row["tool_calls"]
    ]
    series = trends.lines(rows, view, LEVELS)
    title = "Tool calls by autonomy"
    return Plot(Chart("autonomy", title, "share", view.days(), series), answer.call)


def _turns(view: View) -> Plot:
    """Days without prompts have no value: there is nothing to divide by."""
    answer = view.report("tools")
    prompted = {row["date"] for row in view.report("activity").rows if row["user_messages"]}
    rows = [row for row in answer.rows if row["date"] in prompted]
    fields = {"autonomy_ratio_avg": "mean", "autonomy_ratio_p50": "median"}
    series = trends.lines(rows, view, fields)
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
    ranked = folds.ranked(answer.rows, ("calls", "failed", "refused"))
    rows = [
        Row(key, (calls, failed, folds.share((calls or 0) - (failed or 0), calls), refused))
        for key, (calls, failed, refused) in ranked
        if group_by == "tool" or key != "unknown"
    ]
    return Table(name, title, title.rstrip("s"), RUNS, rows, answer.call)


def _names(name: str, title: str, member: str, of: str, view: View) -> Table:
    """Skills or commands with how often they were used."""
    answer = view.report("tools")
    counts = folds.listed(answer.rows, member, "name", "count")
    rows = [Row(key, (count,)) for key, count in counts.items()]
    return Table(name, title, of, (Column("Uses"),), rows, answer.call)


def _hooks(view: View) -> Table:
    """Hooks with how often they ran, and how often that succeeded."""
    answer = view.report("hook-runs", group_by="hook", per="month")
    ranked = folds.ranked(answer.rows, ("runs", "succeeded", "failed"))
    rows = [
        Row(hook, (runs, failed, folds.share(succeeded, (succeeded or 0) + (failed or 0))))
        for hook, (runs, succeeded, failed) in ranked
    ]
    notes = [
        "Failed: an error, a stopped agent or a cancellation. Shares are of reported outcomes."
    ]
    return Table("hooks", "Hooks", "Hook", HOOK_RUNS, rows, answer.call, notes)


BLOCKS: Mapping[str, Maker] = {
    "active": _active,
    "sessions": partial(
        trends.by_group,
        report="activity",
        part="agent",
        field="sessions",
        name="sessions",
        title="Sessions a day, by agent",
    ),
    "autonomy": _autonomy,
    "turns": _turns,
    "hours": _hours,
    "tools": partial(_runs, "tools", "Tools", "tool"),
    "mcp-servers": partial(_runs, "mcp-servers", "MCP servers", "mcp_server"),
    "skills": partial(_names, "skills", "Skills", "skills_by_name", "Skill"),
    "commands": partial(_names, "commands", "Slash commands", "slash_commands_by_name", "Command"),
    "hooks": _hooks,
}
