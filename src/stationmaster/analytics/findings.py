"""What of the coverage needs a person, in sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stationmaster import days
from stationmaster.analytics.coverage import Coverage, Person
from stationmaster.rollups.coverage import Comparison

SHARE_MAX = 0.05
"""How far a source may be from what was counted, of what was counted."""
SESSIONS_MIN = 10
"""Fewer sessions say too little of a source."""
_NAMED = 5


def problems(coverage: Coverage, people: Iterable[Person]) -> list[str]:
    """Senders that stopped, agents that are missing or not understood, sources that disagree."""
    everyone = list(people)
    members = [each for each in everyone if each.kind == "member"]
    programs = [each for each in everyone if each.kind == "service"]
    found = _stopped("members who", "on their machine", members)
    found += _stopped("service accounts that", "where they run", programs)
    found += [
        f"{each.agent} is expected and sends nothing: `stationmaster agents setup {each.agent}`"
        for each in coverage.agents
        if each.is_expected and each.state in ("stopped", "never")
    ]
    found += [
        f"{each.agent} {each.version} sends {each.records} records of unknown names, the version"
        f" before sent none (since {days.of_ms(each.since)}): update Stationmaster, or tell its"
        " maintainers"
        for each in coverage.unknown
        if each.is_new
    ]
    return found + [_disagreement(each) for each in coverage.comparisons if _is_far(each)]


def _stopped(who: str, where: str, senders: Sequence[Person]) -> list[str]:
    stopped = [each for each in senders if each.state == "stopped"]
    if not stopped:
        return []
    stopped.sort(key=lambda each: (each.days_silent or 0, each.id))
    told = [f"{each.email or each.name or each.id} ({each.days_silent} days)" for each in stopped]
    named = ", ".join(told[:_NAMED])
    more = f" and {len(stopped) - _NAMED} more" if len(stopped) > _NAMED else ""
    return [
        f"{who} sent data and stopped: {named}{more}: `stationmaster agents verify AGENT` {where}"
        " shows what arrives"
    ]


def _is_far(comparison: Comparison) -> bool:
    return comparison.share > SHARE_MAX and comparison.sessions >= SESSIONS_MIN


def _disagreement(found: Comparison) -> str:
    return (
        f"{found.product}: {found.source} tells {found.told} {found.figure.replace('_', ' ')} of"
        f" {found.sessions} sessions, counted are {found.counted} ({found.share:.0%} off, session"
        f" {found.worst[0].session_id} most): see docs/coverage.md for what may be missing"
    )
