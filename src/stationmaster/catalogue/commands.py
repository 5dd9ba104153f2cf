"""What commands of scripts are for, by their first words: `commands.toml`."""

from __future__ import annotations

from typing import Literal

from stationmaster.catalogue.table import Row, lazy_table

CommandKind = Literal["build", "lint", "test", "deploy", "publish", "scan"]


class Purpose(Row, frozen=True):
    """Words of task names, and beginnings of commands."""

    tasks: tuple[str, ...]
    commands: tuple[str, ...]


class Runners(Row, frozen=True):
    """Programs that start tasks and other programs, by their first words, with their options that
    take the next word or leave the work undone, and interpreters of scripts."""

    letters: str
    options: frozenset[str]
    interpreters: frozenset[str]
    of_one: tuple[str, ...]
    of_many: frozenset[str]
    wrappers: tuple[str, ...]
    environments: dict[str, tuple[str, ...]]
    queries: dict[str, frozenset[str]]
    idle: frozenset[str]
    idle_last: frozenset[str]


class Commands(Row, frozen=True):
    """The whole table."""

    purpose: dict[CommandKind, Purpose]
    runners: Runners


commands = lazy_table("commands", Commands)
"""The table, decoded once. Of commands of several purposes the first one counts."""
