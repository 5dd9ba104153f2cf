"""docs/readiness-criteria.md from the catalogue: `python -m tests.readiness.page` writes it."""

from __future__ import annotations

from pathlib import Path

from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.criterion import Criterion
from stationmaster.readiness.model import LEVELS, PILLARS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "readiness-criteria.md"
_HEAD = """# Readiness criteria

What each [readiness](readiness.md) report judges, and the level that each criterion counts in.
Those of scope application are judged once for each, others once for the repository. "Only for"
names the kinds of application that a criterion applies to.
"""
_TABLE = """
## {}

| criterion | level | scope | looks for | only for | remedy |
|---|---|---|---|---|---|
"""


def page() -> str:
    parts = [_HEAD]
    for pillar in PILLARS:
        rows = [_row(criterion) for criterion in CRITERIA.values() if criterion.pillar == pillar]
        parts += [_TABLE.format(pillar), *rows]
    return "".join(parts)


def _row(criterion: Criterion) -> str:
    level = "extra" if criterion.is_extra else f"{criterion.level} {LEVELS[criterion.level]}"
    kinds = ", ".join(sorted(criterion.kinds or ()))
    cells = (
        f"**{criterion.title}** `{criterion.id}`",
        level,
        criterion.scope,
        criterion.looks_for,
        kinds,
        criterion.remedy,
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page())
