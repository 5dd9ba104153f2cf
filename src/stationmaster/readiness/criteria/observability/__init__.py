"""The criteria of the pillar Debugging & Observability."""

from __future__ import annotations

from stationmaster.readiness.criteria.observability import health, operations, telemetry
from stationmaster.readiness.criteria.rows import criteria

CRITERIA = criteria(
    "observability",
    of_app={
        "error_tracking_contextualized": telemetry.error_tracking,
        "health_checks": health.health_checks,
        "alerting_configured": operations.alerting,
        "log_scrubbing": telemetry.log_scrubbing,
        "code_quality_metrics": operations.code_quality,
        "deployment_observability": operations.deployment_observability,
        "circuit_breakers": telemetry.circuit_breakers,
    },
    of_repository={"runbooks_documented": operations.runbooks},
)
