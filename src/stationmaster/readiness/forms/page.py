"""A report as one HTML file without scripts, which needs nothing else to be read or printed."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from stationmaster import days
from stationmaster.readiness import advice
from stationmaster.readiness.forms import rows
from stationmaster.readiness.levels import shown, standing
from stationmaster.readiness.model import LEVELS, Report, scores_of


def html(made: Report) -> str:
    """The whole file."""
    stands = standing(scores_of(made.report))
    groups = [
        ("In no level" if level is None else f"{level} {LEVELS[level]}", percentage, found)
        for level, percentage, found in rows.groups(made, stands)
    ]
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


@cache
def _template() -> Template:
    return Environment(
        loader=PackageLoader("stationmaster.readiness"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    ).get_template("report.html")
