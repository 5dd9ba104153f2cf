"""The criteria of the pillar Development Environment."""

from __future__ import annotations

from stationmaster.readiness.criterion import Criterion

CRITERIA = (
    Criterion(
        id="env_template",
        title="Environment template",
        level=1,
        pillar="Development Environment",
        scope="repository",
        looks_for="",
        remedy="",
    ),
    Criterion(
        id="devcontainer",
        title="Dev container",
        level=2,
        pillar="Development Environment",
        scope="repository",
        looks_for="",
        remedy="",
    ),
    Criterion(
        id="local_services_setup",
        title="Local services",
        level=2,
        pillar="Development Environment",
        scope="repository",
        looks_for="",
        remedy="",
        kinds=frozenset({"service", "web", "job"}),
    ),
    Criterion(
        id="database_schema",
        title="Data schema tracked",
        level=2,
        pillar="Development Environment",
        scope="application",
        looks_for="",
        remedy="",
        kinds=frozenset({"service", "job"}),
    ),
    Criterion(
        id="vcs_cli_tools",
        title="Forge client signed in",
        level=2,
        pillar="Development Environment",
        scope="repository",
        looks_for="",
        remedy="",
        needs=frozenset({"run"}),
    ),
    Criterion(
        id="devcontainer_runnable",
        title="Dev container builds",
        level=3,
        pillar="Development Environment",
        scope="repository",
        looks_for="",
        remedy="",
        needs=frozenset({"run"}),
        requires="devcontainer",
    ),
)
