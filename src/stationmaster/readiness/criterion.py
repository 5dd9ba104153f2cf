"""What a criterion is, and what judging it comes to.

A criterion is one declaration: what it is called and worth, for whom it counts, what it looks for,
what to do where it is missing, and the function that looks. Source: docs/readiness.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from stationmaster.readiness.facts import Facts
from stationmaster.readiness.model import Level, Pillar, Scope
from stationmaster.reading.projects.model import App, Kind, Place

Outcome = Literal["pass", "fail", "skipped", "not_evaluated"]
Need = Literal["tree", "history", "hosting", "run"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One entry of the catalogue.

    `kinds`: applications of any of these kinds are judged, others skipped; None for all. Of a
    repository's criterion some application must be of one. `looks_for` is what counts as evidence,
    `remedy` what to do, each one sentence. Exactly one of `app` and `repository` judges; neither
    where only a run can tell. `requires` names the criterion that must not have failed everywhere.
    `is_extra`: shown when asked for, counted in no level. `change`: the file that a fix adds or
    changes, or files by ecosystem, or the id of a criterion that a fix changes the same for.
    """

    id: str
    title: str
    level: Level
    pillar: Pillar
    scope: Scope
    looks_for: str
    remedy: str
    needs: frozenset[Need] = frozenset({"tree"})
    kinds: frozenset[Kind] | None = None
    requires: str | None = None
    is_extra: bool = False
    change: str | Mapping[str, str] = ""
    app: Callable[[Facts, App], Verdict] | None = None
    repository: Callable[[Facts], Verdict] | None = None
