"""The criteria of the pillar Style & Validation."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.readiness.criteria.style import checkers, judges, runtime
from stationmaster.readiness.verdict import OfApp, OfRepository

OF_APP: Mapping[str, OfApp] = {
    "lint_config": judges.lint_config,
    "formatter": judges.formatter,
    "type_check": checkers.type_check,
    "strict_typing": checkers.strict_typing,
    "pre_commit_hooks": judges.pre_commit_hooks,
    "naming_consistency": judges.naming_consistency,
    "unused_dependencies_detection": judges.unused_dependencies_detection,
    "code_modularization": judges.code_modularization,
    "n_plus_one_detection": runtime.n_plus_one_detection,
    "heavy_dependency_detection": runtime.heavy_dependency_detection,
}
OF_REPOSITORY: Mapping[str, OfRepository] = {"large_file_detection": judges.large_file_detection}
