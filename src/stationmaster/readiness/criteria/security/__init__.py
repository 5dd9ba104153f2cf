"""The criteria of the pillar Security."""

from __future__ import annotations

from stationmaster.readiness.criteria.security import privacy, rules, scanning, updates, vaults

CRITERIA = (
    rules.GITIGNORE,
    rules.BRANCH_PROTECTION,
    rules.CODEOWNERS,
    scanning.SECURITY_REVIEW,
    updates.DEPENDENCY_UPDATES,
    vaults.SECRETS_MANAGEMENT,
    rules.SECURITY_POLICY,
    scanning.SECRET_SCANNING,
    updates.MIN_RELEASE_AGE,
    vaults.CI_SECURITY,
    privacy.PII_HANDLING,
    scanning.DAST,
    privacy.PRIVACY_COMPLIANCE,
)
