"""The reports of one day, worked out the slow and obvious way, one rule after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from typing import Any

from stationmaster.events.model import Event
from stationmaster.pricing.credits.rates import card, credits
from tests.aggregate.reference_sums import (
    CONTEXT,
    Unit,
    amount,
    by,
    encode,
    executed,
    first_of_each_address,
    half_up,
    joined,
    merged,
    named,
    over,
    percentile,
    ranked,
    same_class,
    tally,
    totals,
    unit,
    user_of,
    wrote,
)

CLIENTS = ("terminal-ui", "web", "non-interactive-cli")


LEVELS = ("manual", "spec", "auto-low", "auto-medium", "auto-high")


def reports_of(
    events: Iterable[Event], day: date, service_accounts: frozenset[str] = frozenset()
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The bodies by report and by user, where every session begins on the day itself."""
    raw = list(events)
    once = [merged(copies) for copies in by(raw, lambda e: e.event_id).values()]
    sessions = by(once, unit)
    auxiliary = {
        key
        for key, members in sessions.items()
        if any(e.kind == "session_context" and e.is_auxiliary for e in members)
    }
    owner = {key: user_of(members) for key, members in sessions.items()}
    counted = [e for e in once if counts(e, once, sessions, owner)]
    book = Book(day, raw, counted, sessions, owner, auxiliary, service_accounts)
    return book.reports(), book.users()


def counts(
    event: Event, once: list[Event], sessions: dict[Unit, list[Event]], owner: dict[Unit, str]
) -> bool:
    """Counters without a session count where no session of their person tells the same kind, and
    no other event without one; of several groups of them the one that tells most."""
    if not event.is_aggregate or event.kind in CONTEXT:
        return True
    rivals = [e for e in sessions[unit(event)] if same_class(e, event)]
    if not all(e.is_aggregate for e in rivals):
        return False
    groups = by(rivals, lambda e: e.source_group)
    best = min(groups, key=lambda group: (*(-total for total in totals(groups[group])), group))
    return event.source_group == best and not any(
        same_class(e, event)
        and e.root_session_id is not None
        and e.product == event.product
        and e.user_id == event.user_id
        for e in once
    )


class Book:
    def __init__(
        self,
        day: date,
        raw: list[Event],
        counted: list[Event],
        sessions: dict[Unit, list[Event]],
        owner: dict[Unit, str],
        auxiliary: set[Unit],
        service_accounts: frozenset[str],
    ) -> None:
        self.day = day
        self.raw = raw
        self.sessions = sessions
        self.owner = owner
        self.auxiliary = auxiliary
        self.calls = [e for e in counted if e.kind == "model_call"]
        self.tools = [e for e in counted if executed(e)]
        self.prompts = [
            e
            for e in counted
            if e.kind == "user_message" and not e.is_auxiliary and unit(e) not in auxiliary
        ]
        self.answers = [
            e
            for e in counted
            if unit(e) not in auxiliary
            and not e.is_auxiliary
            and (
                e.kind == "assistant_message"
                or (e.kind == "model_call" and not e.is_subagent and not e.is_aggregate)
            )
        ]
        done = [e for e in counted if e.success is not False]
        self.skills = [e for e in done if e.kind == "skill"]
        self.commands = [e for e in counted if e.kind == "slash_command"]
        self.hooks = [e for e in counted if e.kind == "hook"]
        self.files = [
            e for e in done if e.kind == "file_change" and e.file_op in ("created", "edited")
        ]
        self.commits = [e for e in done if e.kind == "git_commit"]
        self.pull_requests = first_of_each_address(
            [e for e in done if e.kind == "git_pull_request"]
        )
        self.active_sessions = [key for key in sessions if self.is_active(key)]
        active = {owner[unit(e)] for e in self.calls + self.tools + self.prompts}
        self.counted_users = active - service_accounts

    def is_active(self, key: Unit) -> bool:
        """A prompt or a tool makes a session; a model call where its person wrote in no other."""
        if key[1] is None or key in self.auxiliary:
            return False
        members = self.sessions[key]
        if any(executed(e) or wrote(e) for e in members):
            return True
        calls = [e for e in members if e.kind == "model_call"]
        if all(e.is_aggregate for e in calls):
            return bool(calls)
        others = [k for k in self.sessions if k[0] == key[0] and self.owner[k] == self.owner[key]]
        return not any(wrote(e) for k in others if k[1] is not None for e in self.sessions[k])

    def of(self, user: str, events: list[Event]) -> list[Event]:
        return [e for e in events if self.owner[unit(e)] == user]

    def everyone(self) -> list[str]:
        events = [*self.calls, *self.tools, *self.prompts, *self.answers, *self.skills]
        events += [*self.commands, *self.hooks, *self.files, *self.commits, *self.pull_requests]
        return sorted({self.owner[unit(e)] for e in events})

    def email(self, user: str) -> str | None:
        seen = [e.user_email for e in self.raw if e.user_id == user and e.user_email is not None]
        return min(seen, default=None)

    def cost(self, event: Event) -> int:
        return credits(
            card().rate(event.model or "", event.model_tier or "standard", self.day),
            event.input_tokens or 0,
            event.output_tokens or 0,
            event.cache_read_tokens or 0,
            event.cache_write_tokens or 0,
        )

    def figures(self, calls: list[Event]) -> dict[str, int]:
        return {
            "billable_tokens": sum(map(self.cost, calls)),
            "input_tokens": sum(e.input_tokens or 0 for e in calls),
            "output_tokens": sum(e.output_tokens or 0 for e in calls),
            "cache_read_tokens": sum(e.cache_read_tokens or 0 for e in calls),
            "cache_write_tokens": sum(e.cache_write_tokens or 0 for e in calls),
        }

    def by_model(self, calls: list[Event]) -> list[dict[str, Any]]:
        groups = by(calls, lambda e: e.model or "unknown")
        rows = [
            {
                "model_id": model,
                "model_tier": max(e.model_tier or "standard" for e in members),
                **self.figures(members),
            }
            for model, members in groups.items()
        ]
        return sorted(rows, key=lambda r: (-r["billable_tokens"], r["model_id"]))

    def is_created(self, event: Event) -> bool:
        if event.file_op != "created":
            return False
        if "estimated" not in (event.quality or "") or event.file_path_hash is None:
            return True
        return not any(
            executed(e)
            and e.file_path_hash == event.file_path_hash
            and e.ts < event.ts
            and (e.tool_call_id is None or e.tool_call_id != event.tool_call_id)
            for e in self.sessions[unit(event)]
        )

    def level(self, event: Event) -> str | None:
        if event.autonomy is not None:
            return event.autonomy
        changes = [
            e for e in self.sessions[unit(event)] if e.kind == "mode_change" and e.ts <= event.ts
        ]
        if not changes:
            return None
        last = max(e.ts for e in changes)
        return (
            min(
                (e.source_rank, e.autonomy is None, e.autonomy or "")
                for e in changes
                if e.ts == last
            )[2]
            or None
        )

    def client(self, key: Unit) -> str:
        known = [
            (e.source_rank, e.ts, e.client) for e in self.sessions[key] if e.client is not None
        ]
        return min(known)[2] if known else "terminal-ui"

    def active_by_client(self) -> dict[str, int]:
        users: dict[str, set[str]] = {client: set() for client in CLIENTS}
        for key in self.active_sessions:
            users[self.client(key)].add(self.owner[key])
        elsewhere = set().union(*users.values())
        users["terminal-ui"] |= self.counted_users - elsewhere
        return {client: len(found & self.counted_users) for client, found in users.items()}

    def per_turn(self) -> list[Fraction]:
        return sorted(
            Fraction(amount(self.of(user, self.tools)), amount(self.of(user, self.prompts)))
            for user in self.everyone()
            if self.of(user, self.prompts)
        )

    def reports(self) -> dict[str, bytes]:
        iso = self.day.isoformat()
        by_client = self.active_by_client()
        by_tool = ranked(tally(self.tools, lambda e: e.tool_raw or e.tool or "unknown"))
        models = by(self.calls, lambda e: e.model or "unknown")
        groups = [{"date": iso, "group_key": m, **self.figures(c)} for m, c in models.items()]
        groups.sort(key=lambda row: (-row["billable_tokens"], row["group_key"]))
        clients = [(client, n) for client, n in ranked(by_client) if n]
        return {
            "tokens": encode(self.tokens(iso)),
            "tokens_by_model": joined(groups),
            "tools": encode(self.tool_row(iso, by_tool, by_client["web"])),
            "tools_by_tool_name": joined(
                [{"date": iso, "group_key": tool, "tool_calls": n} for tool, n in by_tool]
            ),
            "activity": encode(self.activity(iso, by_client)),
            "activity_by_client": joined(
                [{"date": iso, "group_key": c, "daily_active_users": n} for c, n in clients]
            ),
            "productivity": encode(self.productivity(iso)),
        }

    def tokens(self, iso: str) -> dict[str, Any]:
        owners = by(self.calls, lambda e: self.owner[unit(e)])
        users = [
            {
                "user_id": user,
                "user_email": self.email(user),
                "billable_tokens": sum(map(self.cost, calls)),
                "by_model": self.by_model(calls),
            }
            for user, calls in owners.items()
        ]
        users.sort(key=lambda row: (-row["billable_tokens"], row["user_id"]))
        models = self.by_model(self.calls)
        return {"date": iso, **self.figures(self.calls), "by_model": models, "by_user": users}

    def tool_row(self, iso: str, by_tool: list[tuple[str, int]], web: int) -> dict[str, Any]:
        mcp = [e for e in self.tools if e.tool_kind == "mcp"]
        hooks = tally(
            self.hooks,
            lambda e: (e.hook_event or "unknown", e.hook_matcher or "", e.hook_command or ""),
        )
        known = [(self.level(e), e.count) for e in self.tools if self.level(e) is not None]
        levels: Counter[str] = Counter()
        for level, count in known:
            levels["manual" if level == "spec" else str(level)] += count
        ratios = self.per_turn()
        sessions = len(self.active_sessions)
        return {
            "date": iso,
            "tool_calls": amount(self.tools),
            "by_tool": named(by_tool, "tool", "invocations"),
            "mcp_users_with_mcp": len({self.owner[unit(e)] for e in mcp}),
            "mcp_by_server": named(
                ranked(tally(mcp, lambda e: (e.mcp_server or "unknown").lower())),
                *("server", "invocations"),
            ),
            "skills_invocations": amount(self.skills),
            "skills_by_name": named(
                ranked(tally(self.skills, lambda e: e.skill or "unknown")), "name", "count"
            ),
            "slash_commands_invocations": amount(self.commands),
            "slash_commands_by_name": named(
                ranked(tally(self.commands, lambda e: e.slash_command or "unknown")),
                *("name", "count"),
            ),
            "hooks_invocations": amount(self.hooks),
            "hooks_by_event": [
                {"event": event, "matcher": matcher, "command": command, "count": n}
                for (event, matcher, command), n in ranked(hooks)
            ],
            "web_users": web,
            "autonomy_ratio_avg": half_up(sum(ratios, Fraction()) / len(ratios)) if ratios else 0.0,
            "autonomy_ratio_p50": percentile(ratios, Fraction(1, 2)),
            "autonomy_ratio_p90": percentile(ratios, Fraction(9, 10)),
            "tool_calls_per_session_avg": over(amount(self.tools), sessions),
            "user_turns_per_session_avg": over(amount(self.prompts), sessions),
            "tool_autonomy_level_ratio": {
                level.replace("-", "_"): over(levels[level], levels.total())
                for level in ("auto-high", "auto-medium", "auto-low", "manual")
            },
        }

    def activity(self, iso: str, by_client: dict[str, int]) -> dict[str, Any]:
        users = len(self.counted_users)
        return {
            "date": iso,
            "daily_active_users": users,
            "weekly_active_users": users,
            "monthly_active_users": users,
            "daily_active_users_by_client": by_client,
            "sessions": len(self.active_sessions),
            "messages": amount(self.prompts) + self.answered(self.answers),
            "user_messages": amount(self.prompts),
        }

    def answered(self, answers: list[Event]) -> int:
        return sum(e.count if e.kind == "assistant_message" else 1 for e in answers)

    def productivity(self, iso: str) -> dict[str, Any]:
        created = [e for e in self.files if self.is_created(e)]
        extensions = [e for e in self.files if e.file_ext]
        languages = [e for e in self.files if e.language]
        return {
            "date": iso,
            "files_created": amount(created),
            "files_edited": amount(self.files) - amount(created),
            "by_extension": named(
                ranked(tally(extensions, lambda e: f".{e.file_ext}")), "extension", "count"
            ),
            "by_language": named(
                ranked(tally(languages, lambda e: e.language)), "language", "count"
            ),
            "git_commits": amount(self.commits),
            "git_prs_created": amount(self.pull_requests),
        }

    def users(self) -> dict[str, bytes]:
        return {user: encode(self.user(user)) for user in self.everyone()}

    def user(self, user: str) -> dict[str, Any]:
        calls, tools = self.of(user, self.calls), self.of(user, self.tools)
        prompts, files = self.of(user, self.prompts), self.of(user, self.files)
        answers = self.answered(self.of(user, self.answers))
        created = amount([e for e in files if self.is_created(e)])
        levels = tally([e for e in tools if self.level(e)], self.level)
        model, tier = self.primary(calls)
        return {
            "user_id": user,
            "user_email": self.email(user),
            "date": self.day.isoformat(),
            "tool_calls": amount(tools),
            "billable_tokens": sum(map(self.cost, calls)),
            "primary_model": model,
            "primary_model_tier": tier,
            "files_created": created,
            "files_edited": amount(files) - created,
            "git_commits": amount(self.of(user, self.commits)),
            "git_prs_created": amount(self.of(user, self.pull_requests)),
            "mcp_calls": amount([e for e in tools if e.tool_kind == "mcp"]),
            "skill_calls": amount(self.of(user, self.skills)),
            "slash_commands": amount(self.of(user, self.commands)),
            "hooks": amount(self.of(user, self.hooks)),
            "sessions": sum(self.owner[key] == user for key in self.active_sessions),
            "messages": amount(prompts) + answers,
            "user_messages": amount(prompts),
            "assistant_messages": answers,
            "autonomy_ratio": over(amount(tools), amount(prompts)),
            "delegation_level": max(LEVELS, key=lambda level: levels.get(level, 0)),
            "languages": sorted({e.language for e in files if e.language}),
        }

    def primary(self, calls: list[Event]) -> tuple[str, str]:
        rows = self.by_model(calls)
        if not rows:
            return "", "standard"
        totals: Counter[str] = Counter()
        for row in rows:
            totals[row["model_id"]] += row["billable_tokens"]
        model = ranked(totals)[0][0]
        return model, next(row["model_tier"] for row in rows if row["model_id"] == model)
