"""The criteria of the pillar Testing."""

from __future__ import annotations

from stationmaster.readiness.criteria.rows import criteria
from stationmaster.readiness.criteria.testing import judges, trying

CRITERIA = criteria(
    "testing",
    of_app={
        "unit_tests_exist": judges.unit_tests_exist,
        "unit_tests_runnable": judges.unit_tests_runnable,
        "test_coverage_thresholds": judges.test_coverage_thresholds,
        "interactive_qa_exists": trying.interactive_qa_exists,
        "integration_tests_exist": judges.integration_tests_exist,
        "test_naming_conventions": judges.test_naming_conventions,
        "test_isolation": judges.test_isolation,
        "test_performance_tracking": judges.test_performance_tracking,
        "flaky_test_detection": judges.flaky_test_detection,
    },
    of_repository={},
)
