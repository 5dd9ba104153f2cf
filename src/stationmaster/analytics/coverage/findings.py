"""What of the coverage needs a person, in sentences that say what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stationmaster import days
from stationmaster.analytics.coverage.report import Coverage, Person
from stationmaster.analytics.spending.costs import UnknownModel
from stationmaster.lake.rollups.coverage import Comparison

SHARE_MAX = 0.05
"""How far a source may be from what was counted, of what was counted."""
SESSIONS_MIN = 10
"""Of figures other than PAID, fewer sessions say too little of a source."""
PAID = ("tokens", "output_tokens", "model_calls")
"""What is paid for: one session is enough. The first of several that are far off is reported."""
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
        f"{each.agent} {each.version} sends {each.records:,} records of unknown names, the version"
        f" before sent none (since {days.of_ms(each.since)}): update Stationmaster, or tell its"
        " maintainers"
        for each in coverage.unknown
        if each.is_new
    ]
    return found + _lower_bounds(coverage.comparisons) + _disagreements(coverage.comparisons)


def _stopped(who: str, where: str, senders: Sequence[Person]) -> list[str]:
    stopped = [sender for sender in senders if sender.state == "stopped"]
    if not stopped:
        return []
    stopped.sort(key=lambda each: (each.days_silent or 0, each.id))
    told = [f"{each.email or each.name or each.id} ({each.days_silent:,} days)" for each in stopped]
    named = ", ".join(told[:_NAMED])
    more = f" and {len(stopped) - _NAMED:,} more" if len(stopped) > _NAMED else ""
    return [
        f"{who} sent data and stopped: {named}{more}: `stationmaster agents verify AGENT` {where}"
        " shows what arrives"
    ]


def _lower_bounds(comparisons: Iterable[Comparison]) -> list[str]:
    """Outputs that were counted too low, and sources that alone would make them so."""
    found = [
        f"{each.product}: the output of {each.difference:,} of {each.counted:,} model calls is a"
        " lower bound, so output tokens, credits and costs are too low: export telemetry as well,"
        f" `stationmaster agents setup {each.product}`"
        for each in comparisons
        if each.figure == "exact_outputs" and each.difference
    ]
    return found + [
        f"{each.product}: {each.source} reports {each.told:,} of {each.counted:,} output tokens in"
        f" {each.sessions:,} sessions, as lower bounds; they are counted from other sources: keep"
        " those, or outputs and costs are too low"
        for each in comparisons
        if each.figure == "output_tokens" and each.flagged > SHARE_MAX * max(each.counted, 1)
    ]


def _disagreements(comparisons: Iterable[Comparison]) -> list[str]:
    """One sentence for each agent and source, of the figure that matters most."""
    worst: dict[tuple[str, str], Comparison] = {}
    for each in sorted(comparisons, key=_importance):
        if _is_far(each):
            worst.setdefault((each.product, each.source), each)
    return [_disagreement(each) for _, each in sorted(worst.items())]


def unpriced(models: Sequence[UnknownModel]) -> list[str]:
    """Calls that are in no sum of dollars, or only in part; nothing where all have a price."""
    calls = sum(model.calls for model in models)
    if not calls:
        return []
    ranked = sorted(models, key=lambda each: (-each.calls, each.model_id))
    named = ", ".join(f"{each.model_id} ({each.calls:,})" for each in ranked[:_NAMED])
    more = f" and {len(ranked) - _NAMED:,} more models" if len(ranked) > _NAMED else ""
    return [
        f"{calls:,} model calls have no whole price, so dollars are too low: {named}{more}:"
        " `stationmaster rates import FILE` brings a newer list, an own card has prices of your own"
    ]


def _importance(comparison: Comparison) -> tuple[int, str]:
    figure = comparison.figure
    return PAID.index(figure) if figure in PAID else len(PAID), figure


def _is_far(comparison: Comparison) -> bool:
    enough = 1 if comparison.figure in PAID else SESSIONS_MIN
    return comparison.share > SHARE_MAX and comparison.sessions >= enough


def _disagreement(found: Comparison) -> str:
    return (
        f"{found.product}: {found.source} reports {found.told:,} {found.figure.replace('_', ' ')}"
        f" in {found.sessions:,} sessions, {found.counted:,} are counted from all sources"
        f" ({found.share:.0%} off, most in session {found.worst[0].session_id}): see"
        " docs/coverage.md for what may be missing"
    )
