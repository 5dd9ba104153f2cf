"""Scans for weaknesses that the hosting service does, where no tool of the repository shows."""

from __future__ import annotations

from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, unknown
from stationmaster.reading.projects.model import Place


def security_review(facts: Facts) -> Verdict:
    """Passes where the hosting service scans the code; unknown where it is not asked."""
    scans = None if facts.hosting is None else facts.hosting.code_scanning
    if scans:
        return passes("The hosting service scans the code")
    missing = "No step, hook or setting scans code or dependencies"
    if scans is None:
        return unknown(
            f"{missing}; scans that the hosting service does by itself cannot be seen offline"
        )
    return fails(missing)


def secret_scanning(facts: Facts) -> Verdict:
    """Passes where the hosting service looks for secrets; unknown where it is not asked."""
    scans = None if facts.hosting is None else facts.hosting.secret_scanning
    if scans:
        return passes("The hosting service looks for secrets")
    missing = "No step, hook or setting scans for secrets"
    if scans is None:
        return unknown(f"{missing}; a scan by the hosting service cannot be seen offline")
    return fails(missing, *map(Place, facts.tree.glob(".gitleaksignore")))
