"""The criteria of the pillar Product & Experimentation."""

from __future__ import annotations

from stationmaster.readiness.criterion import Criterion

CRITERIA = (
    Criterion(
        id="product_analytics_instrumentation",
        title="Product analytics",
        level=3,
        pillar="Product & Experimentation",
        scope="application",
        looks_for="",
        remedy="",
        kinds=frozenset({"web", "service", "mobile"}),
    ),
    Criterion(
        id="feature_flag_infrastructure",
        title="Feature flags",
        level=4,
        pillar="Product & Experimentation",
        scope="repository",
        looks_for="",
        remedy="",
        kinds=frozenset({"service", "web", "mobile"}),
    ),
    Criterion(
        id="dead_feature_flag_detection",
        title="Stale flag clean-up",
        level=4,
        pillar="Product & Experimentation",
        scope="repository",
        looks_for="",
        remedy="",
        kinds=frozenset({"service", "web", "mobile"}),
        requires="feature_flag_infrastructure",
    ),
    Criterion(
        id="error_to_insight_pipeline",
        title="Errors become work items",
        level=5,
        pillar="Product & Experimentation",
        scope="application",
        looks_for="",
        remedy="",
        needs=frozenset({"tree", "hosting"}),
        kinds=frozenset({"service", "web", "mobile"}),
    ),
    Criterion(
        id="agent_ci_automation",
        title="Agents run in CI",
        level=5,
        pillar="Product & Experimentation",
        scope="repository",
        looks_for="",
        remedy="",
    ),
    Criterion(
        id="automated_issue_triage",
        title="Automated triage",
        level=5,
        pillar="Product & Experimentation",
        scope="repository",
        looks_for="",
        remedy="",
    ),
    Criterion(
        id="experiment_infrastructure",
        title="Experiment platform",
        level=5,
        pillar="Product & Experimentation",
        scope="application",
        looks_for="",
        remedy="",
        kinds=frozenset({"web", "service", "mobile"}),
    ),
)
