"""Write the table of docs/reliability.md from the ledger of the long runs."""

from __future__ import annotations

import json
from pathlib import Path

from tests.chaos.ledger import LEDGER

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- chaos: begin -->", "<!-- chaos: end -->"
FIGURES = ("acknowledged", "stored", "counted", "lost", "doubled")


def table() -> str:
    """One row for each kind of run, and one of them all."""
    kinds: dict[str, dict[str, int]] = {}
    for line in LEDGER.read_text().splitlines():
        record = json.loads(line)
        for what in (record["what"], "**all**"):
            total = kinds.setdefault(what, dict.fromkeys(("runs", "times", *FIGURES), 0))
            total["runs"] += 1
            total["times"] += record.get("kills", 0) + record.get("faults", 0)
            for figure in FIGURES:
                total[figure] += record[figure]
    every = kinds.pop("**all**")
    rows = [*sorted(kinds.items()), ("**all**", every)]
    return "\n".join(
        [
            f"| what happened | runs | times | events {' | '.join(FIGURES)} |",
            "|---|" + "---:|" * (2 + len(FIGURES)),
            *(
                f"| {what} | {' | '.join(f'{n:,}' for n in total.values())} |"
                for what, total in rows
            ),
        ]
    )


def _cells(total: dict[str, int]) -> str:
    return " | ".join(f"{number:,}" for number in total.values())


if __name__ == "__main__":
    page = PAGE.read_text()
    head, _, rest = page.partition(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}")
