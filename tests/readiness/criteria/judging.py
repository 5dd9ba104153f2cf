"""Judging commits made of a dict by one criterion."""

from __future__ import annotations

from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.evaluate import evaluate
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.model import Evaluation


def judged(name: str, facts: Facts) -> Evaluation:
    """As a report has it, though the criterion that it requires is taken for granted."""
    return evaluate(facts, [CRITERIA[name]])[name]
