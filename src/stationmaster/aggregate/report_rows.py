"""The rows of the five reports (tokens, tools, activity, productivity, users) of a day, as JSON,
made from its counts: `day.py` calls it, after `sql/` has counted the events.

Breakdowns are ordered by their figure, the largest first, and then by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TypeVar, get_args

import msgspec
from msgspec.structs import astuple

from stationmaster.aggregate import ratios, tallies
from stationmaster.aggregate.slices import UNKNOWN, Slices, records
from stationmaster.aggregate.tallies import Tally
from stationmaster.lake.rollups import rows
from stationmaster.lake.rollups.model import Documents, Report, Windows

CLIENTS: tuple[rows.Client, ...] = get_args(rows.Client)
Word = TypeVar("Word", bound=str)
_WORK = ("files_created", "files_edited", "git_commits", "git_prs_created")
_OF_USER = (
    *("tool_calls", "billable_tokens", *_WORK, "mcp_calls", "skill_calls", "slash_commands"),
    *("hooks", "user_messages", "assistant_messages"),
)
"""Figures of a tally that the row of a user has."""
_encode = msgspec.json.encode


@dataclass
class Day:
    """What the documents of one day are made of: slices, and what is folded from them on demand."""

    day: date
    slices: Slices
    windows: Windows
    minimum: int = 0
    """The fewest users of a client or of MCP that are shown: see `shown_count`."""

    @property
    def iso(self) -> str:
        """The day as YYYY-MM-DD."""
        return self.day.isoformat()

    @cached_property
    def owners(self) -> list[str]:
        """The user of every slice, by its number."""
        return self.slices.column("user_id")

    @cached_property
    def people(self) -> dict[str, Tally]:
        """Every user with any activity, by user id."""
        return tallies.gather(self.slices, self.owners)

    @cached_property
    def emails(self) -> dict[str, str | None]:
        """The e-mail address of every user by user id; None where it is not known."""
        return dict(zip(self.owners, self.slices.column("email"), strict=True))

    @cached_property
    def places(self) -> dict[str, tuple[str, str | None]]:
        """Of every user the agents, sorted and joined with commas, and a team."""
        agents: dict[str, set[str]] = {}
        teams: dict[str, set[str]] = {}
        columns = map(self.slices.column, ("user_id", "agent", "team"))
        for user, agent, team in zip(*columns, strict=True):
            agents.setdefault(user, set()).add(agent)
            teams.setdefault(user, set()).add(team)
        return {
            user: (",".join(sorted(agents[user])), min(teams[user] - {UNKNOWN}, default=None))
            for user in agents
        }

    @cached_property
    def counted(self) -> set[str]:
        """The active users."""
        return set(tallies.counted(self.slices, self.owners))

    @cached_property
    def models(self) -> list[rows.ModelUsage]:
        """The use of each model, added up over all users, in the order of the breakdown."""
        calls = self.slices.summed("tokens", "model", "model_tier")
        return tallies.usages((model, tier, *rest) for model, tier, _, *rest in calls)

    @cached_property
    def tools(self) -> dict[str, int]:
        """The number of calls by tool."""
        return dict(self.slices.summed("tools", "tool"))

    @cached_property
    def mcp_servers(self) -> Counter[str]:
        """The number of calls by MCP server, its name in lower case."""
        servers: Counter[str] = Counter()
        for server, calls in self.slices.summed("tools", "mcp_server"):
            if server is not None:
                # Here, because engines differ in how they fold letters beyond ASCII.
                servers[server.lower()] += calls
        return servers

    @cached_property
    def names(self) -> dict[tuple[str, str, str, str], int]:
        """By kind, name, hook matcher and hook command."""
        rows_by_name = self.slices.summed("names", "kind", "name", "matcher", "command")
        return {tuple(name): calls for *name, calls in rows_by_name}

    @cached_property
    def sessions(self) -> dict[int, tuple[str, str]]:
        """The user and the client of every active session, by its number within the day."""
        return {
            session: (self.owners[number], client)
            for number, session, client, _ in records(self.slices["sessions"])
        }

    @cached_property
    def sessions_begun(self) -> Counter[str]:
        """By user."""
        return tallies.begun(self.slices, self.owners)

    @cached_property
    def by_client(self) -> dict[rows.Client, int]:
        """Active users by client; who was active outside any session is taken for a terminal."""
        users: dict[str, set[str]] = {client: set() for client in CLIENTS}
        for user, client in self.sessions.values():
            users[client].add(user)
        users["terminal-ui"] |= self.counted.difference(*users.values())
        counts = {client: len(users[client] & self.counted) for client in CLIENTS}
        return {client: shown_count(count, self.minimum) for client, count in counts.items()}


def render(day: Day) -> Documents:
    """Every document of a day; the same input gives the same bytes."""
    return Documents({report: body(day) for report, body in RENDERERS.items()}, users(day))


def shown_count(users: int, minimum: int) -> int:
    """A number of users as it is shown: 0 where it is below the minimum."""
    return users if users >= minimum else 0


def users(day: Day) -> dict[str, bytes]:
    """The row of every user with any activity, by user id."""
    return {user: _encode(_user(day, user, tally)) for user, tally in day.people.items()}


def _ranked(counts: Mapping[Word, int]) -> list[tuple[Word, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _sums(parts: Iterable[object], names: Iterable[str]) -> dict[str, int]:
    return {name: sum(getattr(part, name) for part in parts) for name in names}


def _joined(objects: Iterable[msgspec.Struct]) -> bytes:
    return b",".join(map(_encode, objects))


def _tokens_by_model(day: Day) -> Iterable[rows.CreditsByModelRow]:
    return (
        rows.CreditsByModelRow(day.iso, model.model_id, *astuple(model)[2:]) for model in day.models
    )


def by_user(day: Day) -> list[rows.UserUsage]:
    """What each user used, the one with most credits first."""
    users = [
        rows.UserUsage(
            user_id=user,
            user_email=day.emails[user],
            billable_tokens=tally.billable_tokens,
            by_model=tally.models,
        )
        for user, tally in day.people.items()
        # Who has no id is not to be shown.
        if tally.calls and user
    ]
    return sorted(users, key=lambda row: (-row.billable_tokens, row.user_id))


def _tokens(day: Day) -> rows.CreditsRow:
    return rows.CreditsRow(
        date=day.iso,
        **_sums(day.models, rows.COUNTERS),
        by_model=day.models,
        by_user=by_user(day),
    )


def _tools(day: Day) -> rows.ToolsRow:
    people = day.people.values()
    tool_calls = sum(person.tool_calls for person in people)
    turns = sum(person.user_messages for person in people)
    per_turn = ratios.ascending(
        (person.tool_calls, person.user_messages) for person in people if person.user_messages
    )
    skills = _of_kind(day, "skill")
    commands = _of_kind(day, "slash_command")
    hooks = {key[1:]: count for key, count in day.names.items() if key[0] == "hook"}
    return rows.ToolsRow(
        date=day.iso,
        tool_calls=tool_calls,
        by_tool=[rows.ToolCount(tool, calls) for tool, calls in _ranked(day.tools)],
        mcp_users_with_mcp=shown_count(sum(person.mcp_calls > 0 for person in people), day.minimum),
        mcp_by_server=[rows.ServerCount(*item) for item in _ranked(day.mcp_servers)],
        skills_invocations=sum(skills.values()),
        skills_by_name=[rows.SkillCount(*item) for item in _ranked(skills)],
        slash_commands_invocations=sum(commands.values()),
        slash_commands_by_name=[rows.CommandCount(*item) for item in _ranked(commands)],
        hooks_invocations=sum(hooks.values()),
        hooks_by_event=[
            rows.HookCount(*hook, count)
            for hook, count in sorted(hooks.items(), key=lambda item: (-item[1], item[0]))
        ],
        web_users=day.by_client["web"],
        autonomy_ratio_avg=ratios.mean(per_turn),
        autonomy_ratio_p50=ratios.percentile(per_turn, 50),
        autonomy_ratio_p90=ratios.percentile(per_turn, 90),
        tool_calls_per_session_avg=ratios.ratio(tool_calls, len(day.sessions)),
        user_turns_per_session_avg=ratios.ratio(turns, len(day.sessions)),
        tool_autonomy_level_ratio=_levels(people),
    )


def _tools_by_name(day: Day) -> Iterable[rows.ToolsByNameRow]:
    return (rows.ToolsByNameRow(day.iso, tool, calls) for tool, calls in _ranked(day.tools))


def _of_kind(day: Day, kind: str) -> dict[str, int]:
    return {key[1]: count for key, count in day.names.items() if key[0] == kind}


def _levels(people: Iterable[Tally]) -> rows.AutonomyShares:
    calls: Counter[str] = Counter()
    for person in people:
        calls.update(person.levels)
    total = calls.total()
    return rows.AutonomyShares(
        auto_high=ratios.ratio(calls["auto-high"], total),
        auto_medium=ratios.ratio(calls["auto-medium"], total),
        auto_low=ratios.ratio(calls["auto-low"], total),
        manual=ratios.ratio(calls["manual"] + calls["spec"], total),
    )


def _activity(day: Day) -> rows.ActivityRow:
    people = day.people.values()
    user_messages = sum(person.user_messages for person in people)
    return rows.ActivityRow(
        date=day.iso,
        daily_active_users=len(day.counted),
        weekly_active_users=day.windows.weekly,
        monthly_active_users=day.windows.monthly,
        daily_active_users_by_client=rows.ClientCounts(*day.by_client.values()),
        sessions=day.sessions_begun.total(),
        messages=user_messages + sum(person.assistant_messages for person in people),
        user_messages=user_messages,
    )


def _activity_by_client(day: Day) -> Iterable[rows.ActivityByClientRow]:
    return (
        rows.ActivityByClientRow(day.iso, client, users)
        for client, users in _ranked(day.by_client)
        if users
    )


def _productivity(day: Day) -> rows.ProductivityRow:
    return rows.ProductivityRow(
        date=day.iso,
        **_sums(day.people.values(), _WORK),
        by_extension=[
            rows.ExtensionCount(f".{extension}", count)
            for extension, count in _ranked(_file_changes(day, "extension"))
        ],
        by_language=[rows.LanguageCount(*item) for item in _ranked(_file_changes(day, "language"))],
    )


def _file_changes(day: Day, by: str) -> dict[str, int]:
    """Files created and edited by extension or language, where that is known."""
    summed = day.slices.summed("file_changes", by)
    return {key: created + edited for key, created, edited in summed if key}


def _user(day: Day, user: str, person: Tally) -> rows.UserRow:
    model, tier = person.primary_model()
    return rows.UserRow(
        user_id=user,
        user_email=day.emails[user],
        date=day.iso,
        primary_model=model,
        primary_model_tier=tier,
        **{name: getattr(person, name) for name in _OF_USER},
        sessions=day.sessions_begun[user],
        messages=person.user_messages + person.assistant_messages,
        autonomy_ratio=ratios.ratio(person.tool_calls, person.user_messages),
        delegation_level=person.delegation_level(),
        languages=sorted(person.languages),
    )


RENDERERS: Mapping[Report, Callable[[Day], bytes]] = {
    "tokens": lambda day: _encode(_tokens(day)),
    "tokens_by_model": lambda day: _joined(_tokens_by_model(day)),
    "tools": lambda day: _encode(_tools(day)),
    "tools_by_tool_name": lambda day: _joined(_tools_by_name(day)),
    "activity": lambda day: _encode(_activity(day)),
    "activity_by_client": lambda day: _joined(_activity_by_client(day)),
    "productivity": lambda day: _encode(_productivity(day)),
}
"""How each report's document is made of a day."""
