"""Criteria that are shown when asked for, and counted in no level.

Source: docs/readiness-criteria.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.readiness.criteria.extras import agents, habits
from stationmaster.readiness.verdict import OfApp, OfRepository

OF_APP: Mapping[str, OfApp] = {
    "targeted_test_command": habits.one_test,
    "agent_instructions_scoped": agents.scoped,
    "fuzz_or_property_tests": habits.fuzzes,
    "container_image": habits.image,
}
OF_REPOSITORY: Mapping[str, OfRepository] = {
    "editor_config": habits.editor,
    "agent_instructions_consistent": agents.consistent,
    "agent_guardrails": agents.guards,
    "mcp_config": agents.mcp,
    "architecture_decisions": habits.decisions,
    "commit_conventions": habits.conventions,
    "changelog": habits.changelog,
}
"""Levels are where they would stand."""
