"""The criteria of the pillar Task Discovery."""

from __future__ import annotations

from stationmaster.readiness.criterion import Criterion

CRITERIA = (
    Criterion(
        id="issue_templates",
        title="Issue templates",
        level=2,
        pillar="Task Discovery",
        scope="repository",
        looks_for="",
        remedy="",
        needs=frozenset({"tree", "hosting"}),
    ),
    Criterion(
        id="pr_templates",
        title="Change request template",
        level=2,
        pillar="Task Discovery",
        scope="repository",
        looks_for="",
        remedy="",
        needs=frozenset({"tree", "hosting"}),
    ),
    Criterion(
        id="issue_labeling_system",
        title="Label system",
        level=2,
        pillar="Task Discovery",
        scope="repository",
        looks_for="",
        remedy="",
        needs=frozenset({"tree", "hosting"}),
    ),
    Criterion(
        id="backlog_health",
        title="Backlog health",
        level=4,
        pillar="Task Discovery",
        scope="repository",
        looks_for="",
        remedy="",
        needs=frozenset({"hosting"}),
    ),
)
