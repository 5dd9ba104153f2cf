"""All criteria by id, in the order of their pillars, and the core of them, which counts in levels.

Identifiers, levels, pillars and scopes are those of the published readiness model and of reports
that its users published; titles are ours. A criterion that only a run can judge counts like any
other where a report has it. The functions that judge what rows cannot express are in `criteria`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from stationmaster.catalogue import table
from stationmaster.readiness.criterion import Criterion

_FILES = (
    *("style", "build", "testing", "documentation", "environment", "observability"),
    *("security", "tasks", "product", "extras"),
)


def _read(name: str) -> dict[str, Criterion]:
    """The criteria of a file by id. Raises ValueError for one written wrongly."""
    rows = table.read(name, dict[str, dict[str, Any]], Path(__file__).parent / "criteria")
    return {id: msgspec.convert({"id": id, **row}, Criterion) for id, row in rows.items()}


CRITERIA: Mapping[str, Criterion] = {
    id: criterion for name in _FILES for id, criterion in _read(name).items()
}
CORE: Mapping[str, Criterion] = {
    id: criterion for id, criterion in CRITERIA.items() if not criterion.is_extra
}
"""Those that count in levels: all but the extra ones."""
