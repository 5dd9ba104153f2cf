"""A pytest plugin that writes docs/security-tests.md: what was tried, how often, and what held.

A test may say by the property `tried` how many attempts it made; any other one made one.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "security-tests.md"
BEGIN, END = "<!-- attack: begin -->", "<!-- attack: end -->"


class Outcomes:
    """The attempts of each module by outcome: passed, failed or skipped."""

    def __init__(self) -> None:
        self.modules: dict[str, Counter[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        module = report.nodeid.partition("::")[0]
        tried = dict(report.user_properties).get("tried", 1)
        assert isinstance(tried, int)
        self.modules.setdefault(module, Counter())[report.outcome] += tried

    def pytest_sessionfinish(self) -> None:
        if self.modules:
            page = PAGE.read_text()
            head, _, rest = page.partition(BEGIN)
            PAGE.write_text(f"{head}{BEGIN}\n{self.table()}\n{END}{rest.partition(END)[2]}")

    def table(self) -> str:
        """One row for each module, in the order of their paths, and one of them all."""
        rows = [(_title(module), module, found) for module, found in sorted(self.modules.items())]
        total = sum(self.modules.values(), Counter[str]())
        lines = ["| what was tried | tests | attempts | held | failed | not run |"]
        lines += ["|---|---|---:|---:|---:|---:|"]
        lines += [f"| {title} | `{module}` | {_figures(found)} |" for title, module, found in rows]
        return "\n".join([*lines, f"| **all** | | {_figures(total)} |"])


def _figures(found: Counter[str]) -> str:
    attempts = found["passed"] + found["failed"]
    figures = (attempts, found["passed"], found["failed"], found["skipped"])
    return " | ".join(f"{figure:,}" for figure in figures)


def _title(module: str) -> str:
    """The first sentence of a module's docstring."""
    text = ast.get_docstring(ast.parse((ROOT / module).read_text())) or Path(module).stem
    return " ".join(text.partition("\n\n")[0].split()).rstrip(".").replace("|", "\\|")


def pytest_configure(config: pytest.Config) -> None:
    # Of several processes, the first one hears of every outcome.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Outcomes(), "security-tests")
