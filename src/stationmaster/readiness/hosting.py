"""What only the service that hosts a repository knows. A member that it did not report is None."""

from __future__ import annotations

import msgspec


class Hosting(msgspec.Struct, frozen=True, kw_only=True):
    """Counts and shares are of what the service's lists held when asked; durations are seconds.

    `is_protected`: changes of the default branch need a review or a check, and force pushes are
    off. `inherited`: names of community files that the owner's defaults supply, such as
    `CONTRIBUTING.md`.
    """

    is_protected: bool | None = None
    label_names: tuple[str, ...] | None = None
    has_issues: bool | None = None
    open_issues: int | None = None
    triaged_share: float | None = None
    untouched_days_median: float | None = None
    ci_seconds_median: float | None = None
    reruns_seen: bool | None = None
    releases_at: tuple[int, ...] | None = None
    deployments_at: tuple[int, ...] | None = None
    review_bots: tuple[str, ...] | None = None
    secret_scanning: bool | None = None
    code_scanning: bool | None = None
    inherited: frozenset[str] | None = None
