"""How a measurement is told: a table, a plot, the figures behind them, and how near the goal it
came. Kept as JSON beside the page, so that page and plots can be made again without measuring."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

ROOT = Path(__file__).resolve().parents[1]
WORK = Path(__file__).resolve().parent / ".work"
KEPT = ROOT / "docs" / "benchmarks"
"""Where the results and the plots are."""


class Plot(msgspec.Struct, frozen=True):
    """Lines over a logarithmic scale of sizes, or bars of named things on a logarithmic scale.

    `series` holds (x, y) pairs by name; for bars there is one, of (name, y). `alt` says in a
    sentence what one sees.
    """

    kind: Literal["lines", "bars"]
    title: str
    alt: str
    x: str
    y: str
    series: dict[str, list[tuple[float | str, float]]]


class Result(msgspec.Struct, frozen=True):
    """One table. `rows` hold texts; `verdict` says the ratio and the goal in a sentence; `figures`
    are what other pages derive from, by name (the unit is its ending)."""

    name: str
    title: str
    about: str
    columns: list[str]
    rows: list[list[str]]
    verdict: str
    plot: Plot | None = None
    figures: dict[str, float] = {}

    def markdown(self) -> str:
        head = f"| {' | '.join(self.columns)} |\n|{'---|' * len(self.columns)}\n"
        body = "".join(f"| {' | '.join(row)} |\n" for row in self.rows)
        seen = f"\n![{self.plot.alt}](benchmarks/{self.name}.svg)\n" if self.plot else ""
        return f"## {self.title}\n\n{self.about}\n\n{head}{body}\n{self.verdict}\n{seen}"

    def save(self) -> None:
        KEPT.mkdir(exist_ok=True)
        told = msgspec.json.format(msgspec.json.encode(self), indent=1)
        (KEPT / f"{self.name}.json").write_bytes(told + b"\n")


def load_all(names: Iterable[str]) -> list[Result]:
    """Those of these results that were saved, in their order."""
    paths = [KEPT / f"{name}.json" for name in names]
    return [msgspec.json.decode(path.read_bytes(), type=Result) for path in paths if path.exists()]


def spread(values: Iterable[float], form: str = ",.0f") -> str:
    """The median, and the least and the greatest of several runs."""
    found = sorted(values)
    middle = format(statistics.median(found), form)
    if len(found) == 1:
        return middle
    return f"{middle} ({format(found[0], form)}–{format(found[-1], form)})"


def machine() -> str:
    """What it ran on, in a sentence."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"Machine: {os.cpu_count()} cores{_processor()}, {memory:.0f} GiB, {platform.system()} "
        f"{platform.release().partition('-')[0]}, Python {platform.python_version()}."
    )


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    for line in told.read_text().splitlines() if told.exists() else ():
        if line.startswith("model name"):
            return f" ({line.partition(':')[2].strip()})"
    return ""
