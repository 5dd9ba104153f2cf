"""All criteria by id, in the order of their pillars.

Identifiers, levels, pillars and scopes are those of the published readiness model and of reports
that its users published; titles are ours. A criterion that only a run can judge counts like any
other where a report has it.
"""

from __future__ import annotations

from stationmaster.readiness.criteria import (
    build,
    documentation,
    environment,
    extras,
    observability,
    product,
    security,
    style,
    tasks,
    testing,
)
from stationmaster.readiness.criterion import Criterion

_PILLARS = (
    style, build, testing, documentation, environment, observability, security, tasks, product,
    extras,
)  # fmt: skip

CRITERIA: dict[str, Criterion] = {each.id: each for pillar in _PILLARS for each in pillar.CRITERIA}
CATALOGUE: dict[str, Criterion] = {
    name: each for name, each in CRITERIA.items() if not each.is_extra
}
"""Those that count in levels."""
