"""A rule of findings, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from stationmaster.catalogue.table import Row, read
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


class Rule(Row, frozen=True):
    """A rule of `rules.toml`: one sentence each for `title`, `impact` and `fix`; `only` where it
    speaks of things that only some systems have."""

    severity: Severity
    title: str
    impact: str
    fix: str
    only: tuple[str, ...] = ()


Look = Callable[[View], Iterable[Hit]]
"""Goes through one workflow and yields what a rule finds."""

RULES = read("rules", dict[str, Rule], Path(__file__).parent)
"""All by their ids, by subject."""


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
