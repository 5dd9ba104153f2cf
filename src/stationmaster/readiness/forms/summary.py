"""A report with its results, as one document for machines."""

from __future__ import annotations

from typing import Any

import msgspec

from stationmaster.readiness import advice
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.levels import standing
from stationmaster.readiness.model import LEVELS, Report, scores_of, state_of


def document(made: Report) -> dict[str, Any]:
    """The members of the report, its level and percentages, every criterion with the verdicts on
    each application and their places, and what to do next."""
    body: dict[str, Any] = msgspec.to_builtins(made)
    body.pop("evidence", None)
    result = standing(scores_of(made.report))
    plan = advice.plan(made)
    return {
        **body,
        "level": result.level,
        "levelName": LEVELS[result.level],
        "lowest": result.lowest,
        "highest": result.highest,
        "percentage": result.overall.percentage,
        "evaluated": result.overall.evaluated,
        "notEvaluated": result.overall.not_evaluated,
        "levels": [
            {"level": level, "name": LEVELS[level], **_part(part._asdict())}
            for level, part in result.levels.items()
        ],
        "pillars": [
            {"pillar": pillar, **_part(part._asdict())} for pillar, part in result.pillars.items()
        ],
        "criteria": [_criterion(made, name) for name in made.report],
        "next": {
            "level": plan.level,
            "passes": plan.passes,
            "steps": [step._asdict() for step in plan.steps],
        },
        "fixes": [fix._asdict() for fix in advice.fixes(made)],
    }


def _criterion(made: Report, name: str) -> dict[str, Any]:
    evaluation, criterion = made.report[name], CRITERIA.get(name)
    about = (
        {}
        if criterion is None
        else {
            "title": criterion.title,
            "level": criterion.level,
            "levelName": LEVELS[criterion.level],
            "pillar": criterion.pillar,
            "scope": criterion.scope,
            "isExtra": criterion.is_extra,
        }
    )
    return {
        "id": name,
        **about,
        "state": state_of(evaluation),
        "numerator": evaluation.numerator,
        "denominator": evaluation.denominator,
        "rationale": evaluation.rationale,
        "verdicts": msgspec.to_builtins((made.evidence or {}).get(name, [])),
    }


def _part(part: dict[str, Any]) -> dict[str, Any]:
    part["notEvaluated"] = part.pop("not_evaluated")
    return part
