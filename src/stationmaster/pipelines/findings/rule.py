"""A rule of findings, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from stationmaster.pipelines.model import Place, Severity, Step
from stationmaster.pipelines.view import View


class Hit(msgspec.Struct, frozen=True):
    """One place where a rule looks in vain or finds what should not be.

    `message` says what is there, `evidence` shows it. `severity` where it differs from the rule's.
    """

    message: str
    evidence: str
    place: Place
    job: str | None = None
    step: str | None = None
    severity: Severity | None = None


class Rule(msgspec.Struct, frozen=True):
    """`impact` and `fix` are one sentence each; `look` goes through one workflow.

    `providers` where a rule speaks of things that only some have.
    """

    id: str
    severity: Severity
    title: str
    impact: str
    fix: str
    look: Callable[[View], Iterable[Hit]]
    providers: frozenset[str] | None = None


def at_step(
    view: View,
    step: Step,
    message: str,
    evidence: str,
    severity: Severity | None = None,
    *,
    near: str | None = None,
) -> Hit:
    """In a step: where its evidence or `near` stands, else where the step begins."""
    return Hit(
        message=message,
        evidence=evidence,
        place=view.locate(step, near or evidence),
        job=step.job,
        step=view.name_of(step),
        severity=severity,
    )
