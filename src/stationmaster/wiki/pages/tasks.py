"""How pages tell commands: one to begin with, others in a table."""

from __future__ import annotations

from collections.abc import Sequence

from stationmaster.wiki.facts.tooling.tasks import Task
from stationmaster.wiki.text.inline import Md, code, md
from stationmaster.wiki.text.page import Page

OTHERS_MAX = 8
_RUNS_MAX = 80


def step(page: Page, task: Task) -> None:
    """A command to copy, and where it stands."""
    where = Md("") if task.folder == "." else md("In {}:", code(task.folder))
    page.text(where)
    page.commands([task.text])
    runs = md(" It runs {}.", code(task.runs, _RUNS_MAX)) if task.runs else Md("")
    page.text(md("{}: {}.{}", source(task), page.cite(task.place), runs))


def others(page: Page, tasks: Sequence[Task], title: str = "") -> None:
    """Further commands for the same."""
    if not tasks:
        return
    if title:
        page.text(title)
    rows = [
        (code(task.text), folder(task), code(task.runs, _RUNS_MAX), page.cite(task.place))
        for task in tasks[:OTHERS_MAX]
    ]
    head = ("Command", "In", "Runs", "Source")
    kept = [number for number in range(4) if number in (0, 3) or any(row[number] for row in rows)]
    page.table([head[each] for each in kept], [[row[each] for each in kept] for row in rows])


def folder(task: Task) -> Md:
    """Where a command runs, nothing for the root."""
    return Md("") if task.folder == "." else code(task.folder)


def source(task: Task) -> str:
    return _SOURCES.get(task.source, "Source")


_SOURCES = {"script": "Script", "task": "Task", "ci": "As the pipeline does it",
            "document": "As documented"}  # fmt: skip
