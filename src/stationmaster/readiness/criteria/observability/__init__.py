"""The criteria of the pillar Debugging & Observability."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.readiness.criteria.observability import health, operations, telemetry
from stationmaster.readiness.verdict import OfApp, OfRepository

OF_APP: Mapping[str, OfApp] = {
    "error_tracking_contextualized": telemetry.error_tracking,
    "health_checks": health.health_checks,
    "alerting_configured": operations.alerting,
    "log_scrubbing": telemetry.log_scrubbing,
    "code_quality_metrics": operations.code_quality,
    "deployment_observability": operations.deployment_observability,
    "circuit_breakers": telemetry.circuit_breakers,
}
OF_REPOSITORY: Mapping[str, OfRepository] = {"runbooks_documented": operations.runbooks}
