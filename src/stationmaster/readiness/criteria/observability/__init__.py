"""The criteria of the pillar Debugging & Observability."""

from __future__ import annotations

from stationmaster.readiness.criteria.observability import health, operations, telemetry

CRITERIA = (
    telemetry.STRUCTURED_LOGGING,
    telemetry.ERROR_TRACKING,
    operations.RUNBOOKS,
    telemetry.DISTRIBUTED_TRACING,
    telemetry.METRICS_COLLECTION,
    health.HEALTH_CHECKS,
    operations.ALERTING,
    telemetry.LOG_SCRUBBING,
    operations.CODE_QUALITY,
    operations.DEPLOYMENT_OBSERVABILITY,
    telemetry.CIRCUIT_BREAKERS,
    telemetry.PROFILING,
)
