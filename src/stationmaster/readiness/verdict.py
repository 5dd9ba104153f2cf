"""What judging a criterion comes to: of one application, or of the repository."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App, Place

Outcome = Literal["pass", "fail", "skipped", "not_evaluated"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of one application, or of the repository.

    `reason` is one sentence without places; `evidence` names them. `is_weak` marks a pass that
    stands on little. `counts` are the numbers that belong into the braces of the reason: those of
    several applications are added up.
    """

    outcome: Outcome
    reason: str
    evidence: tuple[Place, ...] = ()
    is_weak: bool = False
    counts: tuple[int, ...] = ()

    @property
    def sentence(self) -> str:
        """The reason with its numbers."""
        return self.reason.format(*self.counts) if self.counts else self.reason


def passes(
    reason: str, *evidence: Place, weak: bool = False, counts: tuple[int, ...] = ()
) -> Verdict:
    """A pass with its reason and the places that show it; `weak` where they show little."""
    return Verdict("pass", reason, evidence, weak, counts)


def fails(looked_for: str, *near: Place, counts: tuple[int, ...] = ()) -> Verdict:
    """`looked_for` says what was not found; `near` where something was that does not count."""
    return Verdict("fail", looked_for, near, counts=counts)


def skips(rule: str) -> Verdict:
    """It does not apply, by this rule."""
    return Verdict("skipped", rule)


def unknown(missing: str) -> Verdict:
    """What was at hand cannot tell; `missing` says what would."""
    return Verdict("not_evaluated", missing)


OfApp = Callable[[Facts, App], Verdict | None]
"""Judges an application; None where the row says what is missing."""
OfRepository = Callable[[Facts], Verdict | None]
"""Judges the repository."""
