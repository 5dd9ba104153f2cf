"""What of the coverage needs a person, in sentences that state what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stationmaster import days
from stationmaster.analytics.coverage.report import Coverage, PersonCoverage
from stationmaster.analytics.spending.costs import UnknownModel
from stationmaster.lake.rollups.coverage import Comparison

SHARE_MAX = 0.05
"""How far a source may be from what was counted, of what was counted."""
SESSIONS_MIN = 10
"""Of figures other than PAID, fewer sessions show too little of a source."""
PAID = ("tokens", "output_tokens", "model_calls")
"""What is paid for: one session is enough. The first of several that are far off is reported."""
_NAMED = 5


def problems(coverage: Coverage, people: Iterable[PersonCoverage]) -> list[str]:
    """Senders that stopped, agents that are missing or not understood, sources that disagree."""
    everyone = list(people)
    members = [item for item in everyone if item.kind == "member"]
    programs = [item for item in everyone if item.kind == "service"]
    problems = _stopped("members who", "on their machine", members)
    problems += _stopped("service accounts that", "where they run", programs)
    problems += [
        f"{item.agent} is expected and sends nothing: `stationmaster agents setup {item.agent}`"
        for item in coverage.agents
        if item.is_expected and item.state in ("stopped", "never")
    ]
    problems += [
        f"{item.agent} {item.version} sends {item.records:,} records of unknown names, the version"
        f" before sent none (since {days.of_ms(item.since)}): update Stationmaster, or report it to"
        " its maintainers"
        for item in coverage.unknown
        if item.is_new
    ]
    return problems + _lower_bounds(coverage.comparisons) + _disagreements(coverage.comparisons)


def _stopped(who: str, where: str, senders: Sequence[PersonCoverage]) -> list[str]:
    stopped = [sender for sender in senders if sender.state == "stopped"]
    if not stopped:
        return []
    stopped.sort(key=lambda silent: (silent.days_silent or 0, silent.id))
    lines = [
        f"{silent.email or silent.name or silent.id} ({silent.days_silent:,} days)"
        for silent in stopped
    ]
    named = ", ".join(lines[:_NAMED])
    more = f" and {len(stopped) - _NAMED:,} more" if len(stopped) > _NAMED else ""
    return [
        f"{who} sent data and stopped: {named}{more}: `stationmaster agents verify AGENT` {where}"
        " shows what arrives"
    ]


def _lower_bounds(comparisons: Iterable[Comparison]) -> list[str]:
    """Outputs that were counted too low, and sources that alone would make them so."""
    problems = [
        f"{row.product}: the output of {row.difference:,} of {row.counted:,} model calls is a"
        " lower bound, so output tokens, credits and costs are too low: export telemetry as well,"
        f" `stationmaster agents setup {row.product}`"
        for row in comparisons
        if row.figure == "exact_outputs" and row.difference
    ]
    return problems + [
        f"{row.product}: {row.source} reports {row.told:,} of {row.counted:,} output tokens in"
        f" {row.sessions:,} sessions, as lower bounds; they are counted from other sources: keep"
        " those, or outputs and costs are too low"
        for row in comparisons
        if row.figure == "output_tokens" and row.flagged > SHARE_MAX * max(row.counted, 1)
    ]


def _disagreements(comparisons: Iterable[Comparison]) -> list[str]:
    """One sentence for each agent and source, of the figure that matters most."""
    worst: dict[tuple[str, str], Comparison] = {}
    for comparison in sorted(comparisons, key=_importance):
        if _is_far(comparison):
            worst.setdefault((comparison.product, comparison.source), comparison)
    return [_disagreement(comparison) for _, comparison in sorted(worst.items())]


def unpriced(models: Sequence[UnknownModel]) -> list[str]:
    """Calls that are in no sum of dollars, or only in part; nothing where all have a price."""
    calls = sum(model.calls for model in models)
    if not calls:
        return []
    ranked = sorted(models, key=lambda unknown: (-unknown.calls, unknown.model_id))
    named = ", ".join(f"{unknown.model_id} ({unknown.calls:,})" for unknown in ranked[:_NAMED])
    more = f" and {len(ranked) - _NAMED:,} more models" if len(ranked) > _NAMED else ""
    return [
        f"{calls:,} model calls have no whole price, so dollars are too low: {named}{more}:"
        " `stationmaster rates import FILE` imports a newer list; your own rate card can add prices"
    ]


def _importance(comparison: Comparison) -> tuple[int, str]:
    figure = comparison.figure
    return PAID.index(figure) if figure in PAID else len(PAID), figure


def _is_far(comparison: Comparison) -> bool:
    enough = 1 if comparison.figure in PAID else SESSIONS_MIN
    return comparison.share > SHARE_MAX and comparison.sessions >= enough


def _disagreement(comparison: Comparison) -> str:
    return (
        f"{comparison.product}: {comparison.source} reports {comparison.told:,}"
        f" {comparison.figure.replace('_', ' ')}"
        f" in {comparison.sessions:,} sessions, {comparison.counted:,} are counted from all sources"
        f" ({comparison.share:.0%} off, most in session {comparison.worst[0].session_id}): see"
        " docs/coverage.md for what may be missing"
    )
