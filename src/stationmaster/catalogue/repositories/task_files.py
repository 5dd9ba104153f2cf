"""Files in which repositories keep tasks: `task_files.toml`."""

from __future__ import annotations

from functools import cache

from stationmaster.catalogue.table import Row, lazy_table


class TaskFile(Row, frozen=True):
    """`typed` is what people type for a task, with `{}` for its name; empty where that depends."""

    names: tuple[str, ...]
    typed: str = ""


class TaskFiles(Row, frozen=True):
    """The whole table: files by what runs them, what starts programs by lock files, packages by
    programs, and tables of a pyproject.toml by their keys."""

    files: dict[str, TaskFile]
    locked: dict[str, str]
    packages: dict[str, str]
    pyproject: dict[str, str]


task_files = lazy_table("repositories/task_files", TaskFiles)


@cache
def runners() -> dict[str, str]:
    """What runs the tasks of a file, by its name."""
    return {name: runner for runner, row in task_files().files.items() for name in row.names}
