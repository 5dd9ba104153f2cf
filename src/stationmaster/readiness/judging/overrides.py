"""What a repository decides of criteria itself, in its settings file: shown, never silent.

    [readiness.skip]
    dast_scanning = "No part of it can be reached from outside."

    [readiness.pass]
    branch_protection = "Kept by a rule of the whole organization."

Every entry needs its reason. Source: docs/readiness.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.pipelines.model import line
from stationmaster.readiness.model import Evaluation, Override, State

_REASON_MAX = 300
_DECISIONS: Mapping[str, tuple[State, str]] = {
    "skip": ("skipped", "Left out by the repository's settings"),
    "pass": ("pass", "Marked as passed by the repository's settings"),
}


def apply(
    evaluations: Mapping[str, Evaluation], configured: Mapping[str, object]
) -> tuple[dict[str, Evaluation], dict[str, Override]]:
    """The evaluations with what the settings' `readiness` decides, and what that replaces.

    What is no criterion, has no reason or changes nothing is left alone.
    """
    decided = dict(evaluations)
    replaced = {}
    for key, (state, words) in _DECISIONS.items():
        entries = configured.get(key)
        for name, why in entries.items() if isinstance(entries, Mapping) else ():
            before = evaluations.get(name)
            if before is None or before.state == state or not isinstance(why, str) or not why:
                continue
            reason = line(why, _REASON_MAX)
            numerator = before.denominator if state == "pass" else None
            decided[name] = Evaluation(numerator, before.denominator, f"{words}: {reason}", state)
            replaced[name] = Override(reason, before)
    return decided, dict(sorted(replaced.items()))


def undone(
    report: Mapping[str, Evaluation], overrides: Mapping[str, Override] | None
) -> dict[str, Evaluation]:
    """The evaluations as they were found."""
    return {**report, **{name: override.found for name, override in (overrides or {}).items()}}
