"""How pages tell commands: one to begin with, others in a table."""

from __future__ import annotations

from collections.abc import Sequence

from stationmaster.wiki.facts.tooling.tasks import Task, to_begin
from stationmaster.wiki.text.inline import Md, code, joined, md
from stationmaster.wiki.text.page import Page

_RUNS_MAX = 80


def first(page: Page, tasks: Sequence[Task], title: str = "Other ways:") -> None:
    """The first of some commands to copy, with where it stands; the rest below a title."""
    if not tasks:
        return
    begin = to_begin(tasks)
    task = begin[0]
    where = Md("") if task.folder == "." else md("In {}:", code(task.folder))
    page.text(where)
    page.commands([task.text for task in begin])
    places = joined([page.cite(task.place) for task in begin], last=" and ")
    if len(begin) > 1:
        page.text(md("From {}.", places))
    else:
        runs = md(" It runs {}.", code(task.runs, _RUNS_MAX)) if task.runs else Md("")
        page.text(md("{}: {}.{}", _SOURCES.get(task.source, "Source"), places, runs))
    others(page, [task for task in tasks if task not in begin], title)


def others(page: Page, tasks: Sequence[Task], title: str = "") -> None:
    """Further commands for the same."""
    if not tasks:
        return
    if title:
        page.text(title)
    rows = [
        (code(task.text), folder(task), code(task.runs, _RUNS_MAX), page.cite(task.place))
        for task in tasks
    ]
    page.table(("Command", "In", "Runs", "Source"), rows)


def folder(task: Task) -> Md:
    """Where a command runs, nothing for the root."""
    return Md("") if task.folder == "." else code(task.folder)


_SOURCES = {"script": "Script", "task": "Task", "ci": "From the pipeline",
            "document": "From the documents"}  # fmt: skip
