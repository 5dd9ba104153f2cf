"""Judging commits made of a dict by one criterion."""

from __future__ import annotations

from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.judging.evaluate import evaluate
from stationmaster.readiness.model import Evaluation
from tests.support.trees import Content

SERVICE: dict[str, Content] = {
    "package.json": '{"name": "shop", "private": true, "dependencies": {"express": "4.0.0"}}',
    "server.js": 'const express = require("express");\nexpress().listen(8080);\n',
}
LIBRARY: dict[str, Content] = {
    "pyproject.toml": '[project]\nname = "trains"\nversion = "1.0"\n',
    "src/trains/__init__.py": "x = 1\n",
}


def judged(name: str, facts: Facts) -> Evaluation:
    """As a report has it, though the criterion that it requires is taken for granted."""
    return evaluate(facts, [CRITERIA[name]])[name].evaluation
