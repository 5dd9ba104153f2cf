"""A report as text, by templates: one HTML file without scripts, which needs nothing else; Markdown
for a pull request; a task for an agent; and a badge for a README."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from stationmaster import days
from stationmaster.errors import Conflict
from stationmaster.readiness import advice
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.difference import Difference
from stationmaster.readiness.forms import rows
from stationmaster.readiness.levels import level_of, shown, standing
from stationmaster.readiness.model import LEVELS, Level, Report, scores_of

if TYPE_CHECKING:
    from jinja2 import Environment

_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~])")
_PLACES_SHOWN = 3
_COLOURS: dict[Level, str] = {1: "#b42318", 2: "#b54708", 3: "#854a0e", 4: "#3b7c0f", 5: "#087443"}
"""Dark enough for white text (contrast of at least 4.5)."""
_LABEL = "agent readiness"
_LETTER = 7
"""The mean width of a letter at 11 pixels in common fonts."""
_PADDING = 10


def html(made: Report) -> str:
    """The whole file."""
    groups = [
        ("In no level" if level is None else f"{level} {LEVELS[level]}", percentage, listed)
        for level, percentage, listed in rows.groups(made, standing(scores_of(made.report)))
    ]
    day = str(days.of_ms(made.created_at))
    return _rendered("report.html", made, day=day, fixes=advice.fixes(made), groups=groups)


def report(made: Report, changed: Difference | None = None) -> str:
    """A comment: the level, what changed, what is next, and every criterion folded away."""
    listed = [rows.row(made, name) for name in made.report]
    return _rendered("report.md", made, changed=changed, rows=listed) + "\n"


def brief(made: Report) -> str:
    """A task for an agent: what the next level takes, where, and how to check it.

    Raises Conflict where the repository forbids contributions by agents.
    """
    policy = made.agent_policy
    if policy is not None and policy.policy == "forbidden":
        raise Conflict(
            f"The repository forbids contributions by agents ({policy.place}).",
            code="agents_forbidden",
        )

    def places(criterion: str) -> list[str]:
        findings = [e for e in (made.evidence or {}).get(criterion, []) if e.state == "fail"]
        spots = (spot for finding in findings for spot in finding.places)
        names = (spot.path if spot.line is None else f"{spot.path}:{spot.line}" for spot in spots)
        return list(dict.fromkeys(names))[:_PLACES_SHOWN]

    return _rendered("brief.md", made, criteria=CRITERIA, places=places) + "\n"


def badge(level: Level) -> str:
    """An SVG image without scripts, fonts or addresses, 22 pixels high, of a level and its name."""
    value = f"{level} {LEVELS[level]}"
    left, right = (len(text) * _LETTER + 2 * _PADDING for text in (_LABEL, value))
    template = _templates().get_template("badge.svg")
    texts = {"label": _LABEL, "value": value, "colour": _COLOURS[level]}
    return template.render(left=left, right=right, **texts) + "\n"


def badge_of(made: Report) -> str:
    """The badge of the level of a report."""
    return badge(level_of(scores_of(made.report)))


def _rendered(template: str, made: Report, **values: object) -> str:
    plan = advice.plan(made)
    return (
        _templates()
        .get_template(template)
        .render(
            made=made,
            name=made.repo_url.rpartition("://")[2],
            policy=made.agent_policy,
            result=standing(scores_of(made.report)),
            levels=LEVELS,
            shown=shown,
            plan=plan,
            steps=plan.steps or advice.fixes(made),
            passes="one more pass" if plan.passes == 1 else f"{plan.passes} more passes",
            **values,
        )
    )


@cache
def _templates() -> Environment:
    # Reports that are printed as JSON or in a terminal need none.
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    made = Environment(
        loader=PackageLoader("stationmaster.readiness"),
        autoescape=select_autoescape(("html", "svg")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"plain": _plain, "code": _code}
    return made


def _plain(text: str) -> str:
    """Text that a repository may have written, with nothing that Markdown would act on."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split())).replace("@", "&#64;")


def _code(text: str) -> str:
    """The same within a span of code."""
    return " ".join(text.replace("`", "'").split())
