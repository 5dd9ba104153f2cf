"""A rule of findings, what it finds, and comments that accept what it finds on their line, or on
the line below.

Ours are `stationmaster: ignore[rule, …]`; those that another scanner has in the wild count too, and
are reported as upstream's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from stationmaster.catalogue.table import Row, read
from stationmaster.pipelines.model import Place, Severity, Step
from stationmaster.pipelines.view import View


class Hit(msgspec.Struct, frozen=True):
    """One place where a rule misses something or finds what should not be there.

    `message` states what is there, `evidence` shows it. `severity` where it differs from the
    rule's.
    """

    message: str
    evidence: str
    place: Place
    job: str | None = None
    step: str | None = None
    severity: Severity | None = None


OURS = "stationmaster: ignore"
UPSTREAM = "suppressed upstream"
_COMMENT = re.compile(
    r"(?:#|//)[^\n]{0,500}?\b(?P<tool>stationmaster|zizmor):\s{0,9}ignore\[(?P<rules>[^\]]{0,500})\]"
)
_LINE_MAX = 2_000


class Rule(Row, frozen=True):
    """A rule of `rules.toml`: one sentence each for `title`, `impact` and `fix`; `only` where it
    speaks of things that only some systems have; `zizmor`: its audits that speak of the same."""

    severity: Severity
    title: str
    impact: str
    fix: str
    only: tuple[str, ...] = ()
    zizmor: tuple[str, ...] = ()


Look = Callable[[View], Iterable[Hit]]
"""Reads one workflow and yields what a rule finds."""

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
    """In a step: the place of its evidence or of `near`, else where the step begins."""
    return Hit(
        message=message,
        evidence=evidence,
        place=view.locate(step, near or evidence),
        job=step.job,
        step=view.name_of(step),
        severity=severity,
    )


class Suppression(NamedTuple):
    """Whose comment accepts a finding, and the line of the comment."""

    by: str
    line: int


def accepted_by(rule: str, lines: Sequence[str], number: int) -> Suppression | None:
    """What accepts a rule's finding on a line, counted from 1; None where nothing does."""
    for index in (number - 1, number - 2):
        if not 0 <= index < len(lines):
            continue
        text = lines[index][:_LINE_MAX]
        if index == number - 2 and not text.lstrip().startswith(("#", "//")):
            continue
        match = _COMMENT.search(text)
        if match is not None and _accepts(match, rule):
            by = OURS if match["tool"] == "stationmaster" else UPSTREAM
            return Suppression(by, index + 1)
    return None


def _accepts(comment: re.Match[str], rule: str) -> bool:
    named = {part.strip() for part in comment["rules"].split(",")}
    if comment["tool"] == "stationmaster":
        return rule in named
    return bool(named & {*RULES[rule].zizmor})
