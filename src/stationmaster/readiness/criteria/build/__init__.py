"""The criteria of the pillar Build System."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.readiness.criteria.build import activity, delivery, documented, pins, releases
from stationmaster.readiness.verdict import OfApp, OfRepository

OF_APP: Mapping[str, OfApp] = {}
OF_REPOSITORY: Mapping[str, OfRepository] = {
    "build_cmd_doc": documented.build_cmd_doc,
    "deps_pinned": pins.deps_pinned,
    "ci_config": delivery.ci_config,
    "automated_pr_review": delivery.automated_pr_review,
    "monorepo_tooling": pins.monorepo_tooling,
    "runtime_version_pinned": pins.runtime_version_pinned,
    "single_command_setup": documented.single_command_setup,
    "release_automation": delivery.release_automation,
    "release_notes_automation": releases.release_notes_automation,
    "version_drift_detection": pins.version_drift_detection,
    "agentic_development": activity.agentic_development,
    "fast_ci_feedback": activity.fast_ci_feedback,
    "build_performance_tracking": delivery.build_performance_tracking,
    "deployment_frequency": activity.deployment_frequency,
    "progressive_rollout": releases.progressive_rollout,
    "rollback_automation": releases.rollback_automation,
}
