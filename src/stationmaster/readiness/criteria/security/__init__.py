"""The criteria of the pillar Security."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.readiness.criteria.security import privacy, rules, scanning, updates, vaults
from stationmaster.readiness.verdict import OfApp, OfRepository

OF_APP: Mapping[str, OfApp] = {"pii_handling": privacy.pii_handling}
OF_REPOSITORY: Mapping[str, OfRepository] = {
    "gitignore_comprehensive": rules.gitignore,
    "branch_protection": rules.branch_protection,
    "codeowners": rules.codeowners,
    "automated_security_review": scanning.security_review,
    "dependency_update_automation": updates.dependency_updates,
    "secrets_management": vaults.secrets_management,
    "security_policy": rules.security_policy,
    "secret_scanning": scanning.secret_scanning,
    "min_release_age": updates.min_release_age,
    "ci_workflow_security": vaults.ci_security,
    "privacy_compliance": privacy.privacy_compliance,
}
