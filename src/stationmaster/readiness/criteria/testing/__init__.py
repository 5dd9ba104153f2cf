"""The criteria of the pillar Testing."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.readiness.criteria.testing import judges, trying
from stationmaster.readiness.verdict import OfApp, OfRepository

OF_APP: Mapping[str, OfApp] = {
    "unit_tests_exist": judges.unit_tests_exist,
    "unit_tests_runnable": judges.unit_tests_runnable,
    "test_coverage_thresholds": judges.test_coverage_thresholds,
    "interactive_qa_exists": trying.interactive_qa_exists,
    "integration_tests_exist": judges.integration_tests_exist,
    "test_naming_conventions": judges.test_naming_conventions,
    "test_isolation": judges.test_isolation,
    "test_performance_tracking": judges.test_performance_tracking,
    "flaky_test_detection": judges.flaky_test_detection,
}
OF_REPOSITORY: Mapping[str, OfRepository] = {}
