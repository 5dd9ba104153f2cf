"""How a measurement is told: a table, what it was measured on, and how near the goal it came."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = Path(__file__).resolve().parent / ".work"


@dataclass(frozen=True)
class Result:
    """One table. `rows` hold texts; `verdict` says the ratio and the goal in a sentence."""

    name: str
    title: str
    about: str
    columns: list[str]
    rows: list[list[str]]
    verdict: str

    def markdown(self) -> str:
        head = f"| {' | '.join(self.columns)} |\n|{'---|' * len(self.columns)}\n"
        body = "".join(f"| {' | '.join(row)} |\n" for row in self.rows)
        return f"## {self.title}\n\n{self.about}\n\n{head}{body}\n{self.verdict}\n"

    def save(self) -> None:
        WORK.mkdir(exist_ok=True)
        (WORK / f"{self.name}.json").write_text(json.dumps(asdict(self), indent=1))


def load_all() -> list[Result]:
    """Every result that was saved, by name."""
    return [Result(**json.loads(path.read_text())) for path in sorted(WORK.glob("*.json"))]


def machine() -> str:
    """What it ran on, in a sentence."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"Machine: {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, "
        f"Python {platform.python_version()}."
    )
