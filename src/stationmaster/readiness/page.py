"""A report as one HTML file without scripts, which needs nothing else to be read or printed."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from stationmaster import days
from stationmaster.readiness import advice
from stationmaster.readiness.catalogue import CATALOGUE, CRITERIA
from stationmaster.readiness.levels import shown, standing
from stationmaster.readiness.model import (
    LEVELS,
    Evaluation,
    Finding,
    Report,
    State,
    scores_of,
    state_of,
)

_WORDS: dict[State, tuple[str, str]] = {
    "fail": ("✗", "fails"), "partial": ("◐", "passes in part"),
    "not_evaluated": ("?", "not evaluated"), "pass": ("✓", "passes"),
    "skipped": ("–", "does not apply"),
}  # fmt: skip


class _Row(NamedTuple):
    """A criterion on the page."""

    id: str
    title: str
    pillar: str
    state: State
    mark: str
    word: str
    figure: str
    rationale: str
    findings: list[Finding]


def html(made: Report) -> str:
    """The whole file."""
    stands = standing(scores_of(made.report))
    groups = [
        (f"{level} {name}", shown(stands.levels[level].percentage), rows)
        for level, name in LEVELS.items()
        if (rows := [_row(made, n, e) for n, e in made.report.items() if _level(n) == level])
    ]
    extras = [_row(made, n, e) for n, e in made.report.items() if n not in CATALOGUE]
    if extras:
        groups.append(("In no level", "", extras))
    return _template().render(
        made=made,
        name=made.repo_url.rpartition("://")[2],
        day=str(days.of_ms(made.created_at)),
        stands=stands,
        levels=LEVELS,
        shown=shown,
        plan=advice.plan(made),
        fixes=advice.fixes(made),
        groups=groups,
    )


def _level(name: str) -> int | None:
    return CATALOGUE[name].level if name in CATALOGUE else None


def _row(made: Report, name: str, each: Evaluation) -> _Row:
    criterion = CRITERIA.get(name)
    state = state_of(each)
    figure = "" if each.numerator is None else f"{each.numerator}/{each.denominator}"
    return _Row(
        name,
        name if criterion is None else criterion.title,
        "" if criterion is None else criterion.pillar,
        state,
        *_WORDS[state],
        figure,
        each.rationale,
        (made.evidence or {}).get(name, []),
    )


@cache
def _template() -> Template:
    return Environment(
        loader=PackageLoader("stationmaster.readiness"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    ).get_template("report.html")
