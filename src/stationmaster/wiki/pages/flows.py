"""What happens from an entry point on: one page for each of the main flows."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts.flows import STOPS, Flow, flow, flows
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.modules import module_name, module_of
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.diagrams import Message, sequence
from stationmaster.wiki.text.inline import Md, Place, code, counted, joined, md
from stationmaster.wiki.text.page import Page


def plan(facts: Facts) -> Iterator[Planned]:
    for key in flows(facts):
        yield Planned(key, f"Flow of {flow(facts, key).name}", _write, key)


def _write(page: Page, facts: Facts, key: str) -> None:
    found = flow(facts, key)
    modules = list(dict.fromkeys(
        each for step in found.steps if (each := module_of(facts, step.end.path))
    ))  # fmt: skip
    names = joined([page.link(each, module_name(facts, each)) for each in modules], last=" and ")
    page.summary(
        md("{} begins at {} and leads through {}.", code(found.name),
           page.cite(Place(found.start.path, found.line)), names),
        "Only calls are told of which the source leaves no doubt where they lead.",
    )  # fmt: skip
    paths = {step.end.path for step in found.steps} | {found.start.path}
    messages = [
        Message(step.start.path, step.end.path, step.end.name) for step in found.steps
        if step.start.path != step.end.path
    ]  # fmt: skip
    drawn = sequence(
        "Calls from file to file, in the order of the source", _short(paths), messages,
        STOPS[found.stop],
    )  # fmt: skip
    if drawn is not None:
        page.diagram(drawn._replace(alternative=[]))
    page.section("Step by step")
    page.table(
        ("Step", "Calls", "Declared in", "Called at"),
        [
            (_indent(number, step.depth), code(step.end.name), code(step.end.path),
             page.cite(Place(step.start.path, step.line)))
            for number, step in enumerate(found.steps, 1)
        ],
    )  # fmt: skip
    page.section("Where it ends")
    page.text(*_end(found))
    page.see("entry-points", "architecture", *modules[:5])


def _indent(number: int, depth: int) -> Md:
    return md("{} {}", "›" * (depth - 1), number) if depth > 1 else Md(str(number))


def _end(found: Flow) -> Iterator[str]:
    yield f"It stops here because {STOPS[found.stop]}."
    if found.doubtful:
        yield (
            f"{counted(found.doubtful, 'more call')} on the way could lead to several places, or "
            "out of the repository, and are left out."
        )


def _short(paths: set[str]) -> dict[str, str]:
    """Files by their names, with folders where several have the same."""
    names: dict[str, list[str]] = {}
    for path in paths:
        names.setdefault(path.rpartition("/")[2], []).append(path)
    return {
        path: name if len(same) == 1 else "/".join(path.split("/")[-2:])
        for name, same in names.items()
        for path in same
    }
