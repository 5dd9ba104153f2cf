"""The criteria of the pillar Security."""

from __future__ import annotations

from stationmaster.readiness.criteria.rows import criteria
from stationmaster.readiness.criteria.security import privacy, rules, scanning, updates, vaults

CRITERIA = criteria(
    "security",
    of_app={"pii_handling": privacy.pii_handling},
    of_repository={
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
    },
)
