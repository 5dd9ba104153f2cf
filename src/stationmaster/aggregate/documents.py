"""From counts to the finished JSON documents of a day.

Breakdowns are ordered by their figure, the largest first, and then by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from typing import NamedTuple, TypeVar, get_args

import msgspec

from stationmaster.aggregate import ratios
from stationmaster.aggregate.people import Person
from stationmaster.rollups import rows
from stationmaster.rollups.model import Documents, Report, Windows

CLIENTS: tuple[rows.Client, ...] = get_args(rows.Client)
Word = TypeVar("Word", bound=str)
_encode = msgspec.json.encode


class Day(NamedTuple):
    """Everything the documents of one day are made of."""

    day: date
    people: Mapping[str, Person]
    models: list[rows.ModelUsage]
    tools: Mapping[str, int]
    mcp_servers: Mapping[str, int]
    names: Mapping[tuple[str, str, str, str], int]
    """By kind, name, hook matcher and hook command."""
    extensions: Mapping[str, int]
    languages: Mapping[str, int]
    sessions_active: int
    client_users: Mapping[str, set[str]]
    sessions_begun: int
    windows: Windows


def render(day: Day) -> Documents:
    """Every document of a day; the same input gives the same bytes."""
    by_client = {client: len(day.client_users.get(client, ())) for client in CLIENTS}
    by_tool = _ranked(day.tools)
    iso = day.day.isoformat()
    reports: dict[Report, bytes] = {
        "tokens": _encode(_tokens(day)),
        "tokens_by_model": _joined(_model_rows(iso, day.models)),
        "tools": _encode(_tools(day, by_tool, by_client["web"])),
        "tools_by_tool_name": _joined(
            rows.ToolsByNameRow(date=iso, group_key=tool, tool_calls=calls)
            for tool, calls in by_tool
        ),
        "activity": _encode(_activity(day, by_client)),
        "activity_by_client": _joined(
            rows.ActivityByClientRow(date=iso, group_key=client, daily_active_users=users)
            for client, users in _ranked(by_client)
            if users
        ),
        "productivity": _encode(_productivity(day)),
    }
    users = {user: _encode(_user(iso, user, person)) for user, person in day.people.items()}
    return Documents(reports, users)


def _ranked(counts: Mapping[Word, int]) -> list[tuple[Word, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _joined(objects: Iterable[msgspec.Struct]) -> bytes:
    return b",".join(map(_encode, objects))


def _model_rows(iso: str, models: list[rows.ModelUsage]) -> Iterable[rows.CreditsByModelRow]:
    return (rows.CreditsByModelRow(iso, model.model_id, *model.counters()) for model in models)


def _tokens(day: Day) -> rows.CreditsRow:
    users = [
        rows.UserUsage(
            user_id=user,
            user_email=person.email,
            billable_tokens=person.billable_tokens,
            by_model=person.models,
        )
        for user, person in day.people.items()
        if person.models
    ]
    users.sort(key=lambda row: (-row.billable_tokens, row.user_id))
    return rows.CreditsRow(
        date=day.day.isoformat(),
        billable_tokens=sum(model.billable_tokens for model in day.models),
        input_tokens=sum(model.input_tokens for model in day.models),
        output_tokens=sum(model.output_tokens for model in day.models),
        cache_read_tokens=sum(model.cache_read_tokens for model in day.models),
        cache_write_tokens=sum(model.cache_write_tokens for model in day.models),
        by_model=day.models,
        by_user=users,
    )


def _tools(day: Day, by_tool: list[tuple[str, int]], web_users: int) -> rows.ToolsRow:
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
        date=day.day.isoformat(),
        tool_calls=tool_calls,
        by_tool=[rows.ToolCount(tool, calls) for tool, calls in by_tool],
        mcp_users_with_mcp=sum(person.mcp_calls > 0 for person in people),
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
        web_users=web_users,
        autonomy_ratio_avg=ratios.mean(per_turn),
        autonomy_ratio_p50=ratios.percentile(per_turn, 50),
        autonomy_ratio_p90=ratios.percentile(per_turn, 90),
        tool_calls_per_session_avg=ratios.ratio(tool_calls, day.sessions_active),
        user_turns_per_session_avg=ratios.ratio(turns, day.sessions_active),
        tool_autonomy_level_ratio=_levels(people),
    )


def _of_kind(day: Day, kind: str) -> dict[str, int]:
    return {key[1]: count for key, count in day.names.items() if key[0] == kind}


def _levels(people: Iterable[Person]) -> rows.AutonomyShares:
    calls: Counter[str] = Counter()
    for person in people:
        calls.update(person.levels)
    known = calls.total()
    return rows.AutonomyShares(
        auto_high=ratios.ratio(calls["auto-high"], known),
        auto_medium=ratios.ratio(calls["auto-medium"], known),
        auto_low=ratios.ratio(calls["auto-low"], known),
        manual=ratios.ratio(calls["manual"] + calls["spec"], known),
    )


def _activity(day: Day, by_client: Mapping[rows.Client, int]) -> rows.ActivityRow:
    people = day.people.values()
    user_messages = sum(person.user_messages for person in people)
    return rows.ActivityRow(
        date=day.day.isoformat(),
        daily_active_users=sum(person.is_counted for person in people),
        weekly_active_users=day.windows.weekly,
        monthly_active_users=day.windows.monthly,
        daily_active_users_by_client=rows.ClientCounts(*(by_client[each] for each in CLIENTS)),
        sessions=day.sessions_begun,
        messages=user_messages + sum(person.assistant_messages for person in people),
        user_messages=user_messages,
    )


def _productivity(day: Day) -> rows.ProductivityRow:
    people = day.people.values()
    return rows.ProductivityRow(
        date=day.day.isoformat(),
        files_created=sum(person.files_created for person in people),
        files_edited=sum(person.files_edited for person in people),
        by_extension=[rows.ExtensionCount(*item) for item in _ranked(day.extensions)],
        by_language=[rows.LanguageCount(*item) for item in _ranked(day.languages)],
        git_commits=sum(person.git_commits for person in people),
        git_prs_created=sum(person.git_prs_created for person in people),
    )


def _user(iso: str, user: str, person: Person) -> rows.UserRow:
    model, tier = person.primary_model()
    return rows.UserRow(
        user_id=user,
        user_email=person.email,
        date=iso,
        tool_calls=person.tool_calls,
        billable_tokens=person.billable_tokens,
        primary_model=model,
        primary_model_tier=tier,
        files_created=person.files_created,
        files_edited=person.files_edited,
        git_commits=person.git_commits,
        git_prs_created=person.git_prs_created,
        mcp_calls=person.mcp_calls,
        skill_calls=person.skill_calls,
        slash_commands=person.slash_commands,
        hooks=person.hooks,
        sessions=person.sessions_begun,
        messages=person.user_messages + person.assistant_messages,
        user_messages=person.user_messages,
        assistant_messages=person.assistant_messages,
        autonomy_ratio=ratios.ratio(person.tool_calls, person.user_messages),
        delegation_level=person.delegation_level(),
        languages=person.languages,
    )
