"""What people type to work on a project: `work.toml`."""

from __future__ import annotations

from stationmaster.catalogue.table import Row, lazy_table


class Purpose(Row, frozen=True):
    """Names of tasks, the plainest first, programs, and beginnings of commands."""

    names: tuple[str, ...] = ()
    programs: frozenset[str] = frozenset()
    commands: tuple[str, ...] = ()


class Words(Row, frozen=True):
    """Words in names of tasks, by what they show of the task."""

    runs: frozenset[str]
    serves: frozenset[str]
    parts: frozenset[str]
    aside: frozenset[str]
    stores: frozenset[str]
    makes: frozenset[str]
    filling: frozenset[str]
    services: frozenset[str]
    setup: frozenset[str]
    upkeep: frozenset[str]
    partly: frozenset[str]
    formats: frozenset[str]
    checks: frozenset[str]
    others: frozenset[str]
    images: frozenset[str]
    front_end: frozenset[str]
    special: frozenset[str]


class Lines(Row, frozen=True):
    """What makes a line of a document a command, or none."""

    programs: frozenset[str]
    bare: frozenset[str]
    sure: frozenset[str]
    unsure: frozenset[str]


class Spreading(Row, frozen=True):
    """How a program runs a script of several packages; `one`: of one of them."""

    verbs: frozenset[str]
    filters: frozenset[str]
    all: frozenset[str] = frozenset()
    leaves_out: frozenset[str] = frozenset()
    scripts: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    needs_verb: bool = False
    one: str = ""


class Work(Row, frozen=True):
    """The whole table; what is no set stands by purpose or by program."""

    purposes: dict[str, Purpose]
    words: Words
    lines: Lines
    partial: dict[str, frozenset[str]]
    compiles: frozenset[str]
    in_place: frozenset[str]
    needs: dict[str, tuple[str, ...]]
    wrappers: dict[str, str]
    fetches: dict[str, str]
    languages: dict[str, frozenset[str]]
    spreading: dict[str, Spreading]


work = lazy_table("repositories/work", Work)
