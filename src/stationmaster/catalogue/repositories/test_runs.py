"""How tests are run one by one, their kinds, and what sets them up: `test_runs.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import Row, lazy_table


class Tool(Row, frozen=True):
    """A tool that runs tests, how it is known for a file, and how it is asked for one test."""

    tool: str
    languages: frozenset[str]
    marks: tuple[str, ...]
    command: str
    nested: str = ""
    packages: tuple[str, ...] = ()
    imports: str = ""
    within: str = ""
    without: str = ""
    states: str = ""
    typed: str = ""


class Support(Row, frozen=True):
    files: tuple[str, ...]
    factories: frozenset[str]


class TestRuns(Row, frozen=True):
    """The whole table; `kinds` are by words of folders."""

    tools: tuple[Tool, ...]
    kinds: dict[str, str]
    support: Support


test_runs = lazy_table("repositories/test_runs", TestRuns)
